//! The origin of a fingerprint: the features of a text and their weights.

use std::collections::HashMap;

use crate::fingerprint::Fingerprint;
use crate::logarithm::UNIT;

/// A fingerprint with the features that it is made of; made by [`Analyzer::explain`](crate::Analyzer::explain).
#[derive(Debug, Clone, PartialEq)]
pub struct Explanation {
    /// The result of [`Analyzer::fingerprint`](crate::Analyzer::fingerprint): `None` for a text under the scheme's
    /// floor.
    pub fingerprint: Option<Fingerprint>,
    /// The heaviest distinct features, at most 1,000, heaviest first; features of equal weight in the order of their
    /// text.
    pub features: Vec<WeighedFeature>,
    /// Number of distinct features, including those that `features` leaves out.
    pub distinct: usize,
}

/// Upper bound on the features of an [`Explanation`].
const MAX_FEATURES: usize = 1_000;

/// A feature of a text.
#[derive(Debug, Clone, PartialEq)]
pub struct WeighedFeature {
    /// The feature as it reads in the normalised text; a masked date is `<date>`.
    pub text: String,
    /// Its hash. Each bit says whether the weight is added to or subtracted from the sum of that bit.
    pub hash: u64,
    /// Number of occurrences.
    pub count: u32,
    /// Weight of all occurrences.
    pub weight: f64,
}

/// The distinct features of a text by hash: text, length in characters, number of occurrences.
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

    /// `weight` takes a feature, its number of occurrences and its length in characters.
    pub fn explain(self, fingerprint: Option<Fingerprint>, weight: impl Fn(u64, u32, u32) -> u32) -> Explanation {
        let distinct = self.0.len();
        let weighed = |(hash, (text, characters, count)): (u64, (String, u32, u32))| WeighedFeature {
            weight: f64::from(weight(hash, count, characters)) / f64::from(UNIT),
            text,
            hash,
            count,
        };
        let mut features: Vec<_> = self.0.into_iter().map(weighed).collect();
        let order =
            |a: &WeighedFeature, b: &WeighedFeature| b.weight.total_cmp(&a.weight).then_with(|| a.text.cmp(&b.text));
        features.sort_by(|a, b| order(a, b).then(a.hash.cmp(&b.hash)));
        features.truncate(MAX_FEATURES);
        Explanation {
            fingerprint,
            features,
            distinct,
        }
    }
}
