//! What a fingerprint comes from: the features of a text and what they weigh.

use std::collections::HashMap;

use crate::fingerprint::Fingerprint;
use crate::weights::UNIT;

/// A fingerprint with the features that it comes from; made by [`Analyzer::explain`](crate::Analyzer::explain).
#[derive(Debug, Clone, PartialEq)]
pub struct Explanation {
    /// As [`Analyzer::fingerprint`](crate::Analyzer::fingerprint) gives it: `None` for a text under the scheme's floor.
    pub fingerprint: Option<Fingerprint>,
    /// The heaviest distinct features, at most [`MAX_FEATURES`], heaviest first; of equal weight in the order of their
    /// text.
    pub features: Vec<Weighed>,
    /// Distinct features, those left out counted too.
    pub distinct: usize,
}

/// Features that an [`Explanation`] holds at most.
pub const MAX_FEATURES: usize = 1_000;

/// A feature of a text.
#[derive(Debug, Clone, PartialEq)]
pub struct Weighed {
    /// What it reads as in the normalised text; a masked date is `<date>`.
    pub text: String,
    /// Its hash, whose bits say to which sums its weight is added.
    pub hash: u64,
    /// Times it occurs.
    pub count: u32,
    /// What it weighs.
    pub weight: f64,
}

/// The distinct features of a text with what they read as, their length in characters and their number.
#[derive(Debug, Default)]
pub(crate) struct Census(HashMap<u64, (String, u32, u32)>);

impl Census {
    pub fn count(&mut self, feature: u64, describe: impl FnOnce() -> (String, u32)) {
        let (.., count) = self.0.entry(feature).or_insert_with(|| {
            let (text, characters) = describe();
            (text, characters, 0)
        });
        *count = count.saturating_add(1);
    }

    /// `weight` takes the feature, its number and its length in characters.
    pub fn explain(self, fingerprint: Option<Fingerprint>, weight: impl Fn(u64, u32, u32) -> u32) -> Explanation {
        let distinct = self.0.len();
        let weighed = |(hash, (text, characters, count)): (u64, (String, u32, u32))| Weighed {
            weight: f64::from(weight(hash, count, characters)) / f64::from(UNIT),
            text,
            hash,
            count,
        };
        let mut features: Vec<_> = self.0.into_iter().map(weighed).collect();
        let order = |a: &Weighed, b: &Weighed| b.weight.total_cmp(&a.weight).then_with(|| a.text.cmp(&b.text));
        features.sort_by(|a, b| order(a, b).then(a.hash.cmp(&b.hash)));
        features.truncate(MAX_FEATURES);
        Explanation {
            fingerprint,
            features,
            distinct,
        }
    }
}
