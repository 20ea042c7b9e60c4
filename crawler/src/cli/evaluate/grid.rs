//! The evaluated combinations of settings.

use std::sync::Arc;

use dedup::{DuplicateRule, IdfBuilder, Scheme, Weighting};

use super::LabelledPage;
use crate::cli::arguments::EvaluateArgs;
use crate::cli::error::UsageError;

/// Every scheme with every rule.
pub(super) struct Grid {
    pub(super) schemes: Vec<Scheme>,
    pub(super) rules: Vec<DuplicateRule>,
}

impl Grid {
    /// The combinations of `args`. Other settings come from `scheme` and `rule`.
    pub(super) fn new(
        args: &EvaluateArgs,
        scheme: &Scheme,
        rule: &DuplicateRule,
        pages: &[LabelledPage],
    ) -> Result<Self, UsageError> {
        let mut schemes = Vec::new();
        for features in &args.features {
            for segmenter in &args.segmenter {
                let scheme = Scheme {
                    features: features.clone(),
                    segmenter: *segmenter,
                    ..scheme.clone()
                };
                for weighted in weighted(&scheme, &args.weights, pages)? {
                    schemes.extend(args.bits.iter().map(|width| Scheme {
                        width: *width,
                        ..weighted.clone()
                    }));
                }
            }
        }
        let mut rules = Vec::new();
        for confirm in &args.confirm {
            rules.extend(args.distances.iter().map(|distance| DuplicateRule {
                max_distance: *distance,
                confirm: *confirm,
                ..rule.clone()
            }));
        }
        Ok(Self { schemes, rules })
    }

    pub(super) fn size(&self) -> usize {
        self.schemes.len() * self.rules.len()
    }
}

/// The scheme with each of the weights. If a weight needs an IDF table and `scheme` has none, the table comes from the pages.
fn weighted(scheme: &Scheme, weights: &[Weighting], pages: &[LabelledPage]) -> Result<Vec<Scheme>, UsageError> {
    let mut table = scheme
        .weights
        .shared_table()
        .filter(|table| table.scheme() == scheme.text_id());
    if table.is_none() && weights.iter().any(|weighting| weighting.needs_table()) {
        let mut builder = IdfBuilder::new(scheme);
        pages.iter().for_each(|page| builder.add(&page.text));
        table = Some(Arc::new(builder.freeze()));
    }
    let schemes = weights.iter().map(|weighting| {
        let table = table.clone().filter(|_| weighting.needs_table());
        Ok(scheme.clone().weighted(*weighting, table)?)
    });
    schemes.collect()
}
