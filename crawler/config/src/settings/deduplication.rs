//! The `[dedup]` section: the scheme of the fingerprints and the rule for duplicates.

use std::fs::File;
use std::sync::Arc;

use dedup::{Candidates, Confirm, DuplicateRule, IdfTable, Layout, Scheme, Weighting, Width};

use super::{InvalidSetting, invalid};
use crate::sections::{ConfirmBy, DedupSection};

/// How a text becomes a signature. Reads the IDF table if `config` names one.
pub(super) fn scheme(config: &DedupSection) -> Result<Scheme, InvalidSetting> {
    let parsed =
        |key, value: &str, error: &dyn std::error::Error| invalid(key, format!("{value:?}"), error.to_string());
    let scheme = Scheme {
        width: Width::of_bits(config.bits)
            .ok_or_else(|| invalid("dedup.bits", config.bits, "must be 32, 64 or 128"))?,
        features: config
            .features
            .parse()
            .map_err(|error| parsed("dedup.features", &config.features, &error))?,
        segmenter: config
            .segmenter
            .parse()
            .map_err(|error| parsed("dedup.segmenter", &config.segmenter, &error))?,
        mask_dates: config.mask_dates,
        ..Scheme::default()
    };
    let weighting: Weighting = config
        .weights
        .parse()
        .map_err(|error| parsed("dedup.weights", &config.weights, &error))?;
    let path = &config.idf_table;
    let unusable = |reason: String| invalid("dedup.idf_table", format!("{path:?}"), reason);
    let table = if path.as_os_str().is_empty() {
        None
    } else {
        let file = File::open(path).map_err(|error| unusable(format!("cannot be opened: {error}")))?;
        Some(Arc::new(
            IdfTable::read(file).map_err(|error| unusable(error.to_string()))?,
        ))
    };
    scheme
        .weighted(weighting, table)
        .map_err(|error| unusable(error.to_string()))
}

/// When two signatures with fingerprints of `width` are duplicates.
pub(super) fn rule(config: &DedupSection, width: Width) -> Result<DuplicateRule, InvalidSetting> {
    // Values that the chosen `confirm` does not use are checked too, so that a typing error is found at once.
    for (key, value) in [
        ("dedup.min_similarity", config.min_similarity),
        ("dedup.min_similarity_short", config.min_similarity_short),
        ("dedup.combined_weight", config.combined_weight),
        ("dedup.combined_bound", config.combined_bound),
    ] {
        if !(value > 0.0 && value <= 1.0) {
            return Err(invalid(key, value, "must be above 0 and at most 1"));
        }
    }
    Layout::for_distance(width, config.max_distance)
        .map_err(|error| invalid("dedup.max_distance", config.max_distance, error.to_string()))?;
    Ok(DuplicateRule {
        max_distance: config.max_distance,
        min_similarity_short: config.min_similarity_short,
        confirm: match config.confirm {
            ConfirmBy::Distance => Confirm::Distance,
            ConfirmBy::Sketch => Confirm::Sketch {
                min_similarity: config.min_similarity,
            },
            ConfirmBy::Combined => Confirm::Combined {
                weight: config.combined_weight,
                bound: config.combined_bound,
            },
        },
        numbers_must_match: config.numbers_must_match,
        min_own_words: config.min_own_words,
    })
}

/// Where the candidates of a check by `rule` come from.
pub(super) fn candidates(
    config: &DedupSection,
    width: Width,
    rule: &DuplicateRule,
) -> Result<Candidates, InvalidSetting> {
    let refused = |reason| Err(invalid("dedup.candidates", "\"bands\"", reason));
    let asks_for_bands = config.candidates == Candidates::Bands;
    if asks_for_bands && !rule.allows_bands() {
        return refused("needs dedup.confirm = \"sketch\" and a dedup.min_similarity of at least 0.75");
    }
    let chosen = config.candidates;
    let pays = |layout| chosen.may_use_bands(layout) && rule.allows_bands();
    let layout = Layout::for_distance(width, rule.max_distance);
    Ok(if layout.is_ok_and(pays) {
        chosen
    } else {
        Candidates::Blocks
    })
}

/// μ: the index splits a bucket with more than 1 + μ times the mean.
pub(super) fn bucket_skew(config: &DedupSection) -> Result<f64, InvalidSetting> {
    if config.bucket_skew.is_finite() && config.bucket_skew >= 0.0 {
        return Ok(config.bucket_skew);
    }
    Err(invalid("dedup.bucket_skew", config.bucket_skew, "must be 0 or more"))
}
