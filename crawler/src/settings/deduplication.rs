//! The `[dedup]` section: a scheme and a rule.

use dedup::{Confirm, Layout, Rule, Scheme, Width};

use super::{InvalidSetting, invalid};
use crate::config::{ConfirmBy, Dedup};

/// How a text becomes a signature.
pub(super) fn scheme(config: &Dedup) -> Scheme {
    Scheme {
        mask_dates: config.mask_dates,
        ..Scheme::default()
    }
}

/// When two signatures with fingerprints of `width` are duplicates.
pub(super) fn rule(config: &Dedup, width: Width) -> Result<Rule, InvalidSetting> {
    // Each of them, also those that the chosen way to confirm does not use: a typing error should not wait for its day.
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
    Ok(Rule {
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
    })
}
