//! When two documents are duplicates.

use std::fmt;

use crate::signature::Signature;

/// When two documents are duplicates: the first two fields find candidates, `confirm` decides on them.
#[derive(Debug, Clone, PartialEq)]
pub struct Rule {
    /// Largest Hamming distance of near-duplicates' fingerprints, bits; at most what a [`Layout`](crate::Layout) guarantees to find. It
    /// decides how many candidates are looked at: wide is thorough.
    pub max_distance: u32,
    /// Smallest Jaccard index, computed exactly, of texts of which one is too short for a fingerprint: above 0, at most 1.
    pub min_similarity_short: f32,
    /// What makes a candidate a near-duplicate.
    pub confirm: Confirm,
    /// Documents whose numbers differ are no near-duplicates.
    pub numbers_must_match: bool,
}

/// What makes a candidate a near-duplicate.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Confirm {
    /// Its distance alone (Charikar 2002; Manku, Jain, Das Sarma 2007): cheap, right in three of four cases on the web.
    Distance,
    /// The Jaccard index of the texts' shingles, estimated by their [sketches](crate::sketch).
    Sketch {
        /// The smallest that confirms: above 0, at most 1.
        min_similarity: f32,
    },
    /// Fingerprints and [metadata](Signature::metadata) together, `weight / (1 + distance) + (1 − weight) · similarity of
    /// the metadata` (Wang and Wang, *Improved SimHash for large-scale document deduplication*, 2019). Documents without
    /// metadata have none in common.
    Combined {
        /// μ, the part of the fingerprints: 0 to 1. The paper takes 0.9.
        weight: f32,
        /// The smallest sum that confirms: above 0, at most 1. The paper takes 0.25.
        bound: f32,
    },
}

impl Confirm {
    /// By sketches, with the similarity that [`Rule::default`] asks for: two standard errors under 0.8.
    pub const SKETCH: Self = Self::Sketch {
        min_similarity: MIN_SIMILARITY,
    };
    /// The combined rule with the paper's weight and bound.
    pub const PAPER: Self = Self::Combined {
        weight: PAPER_WEIGHT,
        bound: PAPER_BOUND,
    };
}

/// See [`Confirm::SKETCH`].
pub const MIN_SIMILARITY: f32 = 0.76;
/// See [`Confirm::PAPER`].
pub const PAPER_WEIGHT: f32 = 0.9;
/// See [`Confirm::PAPER`].
pub const PAPER_BOUND: f32 = 0.25;

impl Default for Rule {
    /// Chosen by `crawler evaluate`; the table is in this crate's README.
    fn default() -> Self {
        Self {
            max_distance: 10,
            min_similarity_short: 0.8,
            confirm: Confirm::SKETCH,
            numbers_must_match: false,
        }
    }
}

impl fmt::Display for Rule {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "at most {} bits apart", self.max_distance)?;
        match self.confirm {
            Confirm::Distance => {}
            Confirm::Sketch { min_similarity } => write!(f, ", similarity at least {min_similarity}")?,
            Confirm::Combined { weight, bound } => {
                write!(f, ", {weight} of it and metadata together at least {bound}")?
            }
        }
        write!(f, "; short texts: similarity at least {}", self.min_similarity_short)?;
        if self.numbers_must_match {
            write!(f, "; the same numbers")?;
        }
        Ok(())
    }
}

/// A rule that cannot be.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
pub enum InvalidRule {
    /// A share that is none.
    #[error("{name} = {value} must be above 0 and at most 1")]
    Share {
        /// The field.
        name: &'static str,
        /// Its value.
        value: f32,
    },
}

impl Rule {
    /// Whether the rule can be used; whether an index can find all that it accepts is for the [`Layout`](crate::Layout) to say.
    ///
    /// # Errors
    /// The field that is out of its bounds.
    pub fn validate(&self) -> Result<(), InvalidRule> {
        let confirm = match self.confirm {
            Confirm::Distance => [None, None],
            Confirm::Sketch { min_similarity } => [Some(("min_similarity", min_similarity)), None],
            Confirm::Combined { weight, bound } => [Some(("weight", weight)), Some(("bound", bound))],
        };
        let short = Some(("min_similarity_short", self.min_similarity_short));
        for (name, value) in confirm.into_iter().chain([short]).flatten() {
            if !(value > 0.0 && value <= 1.0) {
                return Err(InvalidRule::Share { name, value });
            }
        }
        Ok(())
    }

    /// The similarity that makes two documents with fingerprints `distance` apart near-duplicates; `None` where they are
    /// not. Without verification it is the sketches' estimate all the same: evidence, though it decided nothing.
    #[must_use]
    pub fn confirms(&self, a: &Signature, b: &Signature, distance: u32) -> Option<f32> {
        if distance > self.max_distance || !self.numbers_allow(a, b) {
            return None;
        }
        let measure = self.measure(a, b, distance);
        (measure.value >= measure.bound).then_some(measure.value)
    }

    /// What decides on two documents with fingerprints `distance` apart, where the distance and the numbers allow it.
    fn measure(&self, a: &Signature, b: &Signature, distance: u32) -> Measure {
        let of_texts = || similarity(a.sketch.as_ref(), b.sketch.as_ref());
        let (name, value, bound) = match self.confirm {
            Confirm::Distance => (None, of_texts(), 0.0),
            Confirm::Sketch { min_similarity } => (Some("similarity"), of_texts(), min_similarity),
            Confirm::Combined { weight, bound } => {
                let of_metadata = similarity(a.metadata.as_ref(), b.metadata.as_ref());
                let sum = weight / (1.0 + distance as f32) + (1.0 - weight) * of_metadata;
                (Some("combined"), sum, bound)
            }
        };
        Measure { name, value, bound }
    }

    /// As [`Rule::confirms`] for two texts of which at least one is short: their Jaccard index.
    #[must_use]
    pub fn confirms_short(&self, a: &Signature, b: &Signature) -> Option<f32> {
        let similarity = crate::short::jaccard(&a.shingles, &b.shingles);
        (similarity >= self.min_similarity_short && self.numbers_allow(a, b)).then_some(similarity)
    }

    /// All that the rule asks of two documents, met or not, in its order: what [`confirms`](Self::confirms) and
    /// [`confirms_short`](Self::confirms_short) decide by, to be shown. `None` where it does not compare them: one of them has
    /// neither a fingerprint nor shingles that the other could be compared by.
    #[must_use]
    pub fn weigh(&self, a: &Signature, b: &Signature) -> Option<Weighed> {
        let distance = a.fingerprint.zip(b.fingerprint).map(|(a, b)| a.distance(b));
        let mut checks = Vec::with_capacity(3);
        let (similarity, value);
        if let Some(distance) = distance {
            checks.push(Check::at_most("distance", distance as f32, self.max_distance as f32));
            let measure = self.measure(a, b, distance);
            checks.extend(
                measure
                    .name
                    .map(|name| Check::at_least(name, measure.value, measure.bound)),
            );
            value = measure.value;
            similarity = crate::rule::similarity(a.sketch.as_ref(), b.sketch.as_ref());
        } else if !a.shingles.is_empty() && !b.shingles.is_empty() {
            value = crate::short::jaccard(&a.shingles, &b.shingles);
            similarity = value;
            checks.push(Check::at_least("similarity_short", value, self.min_similarity_short));
        } else {
            return None;
        }
        if self.numbers_must_match {
            let are_same = f32::from(u8::from(self.numbers_allow(a, b)));
            checks.push(Check::at_least("numbers", are_same, 1.0));
        }
        Some(Weighed {
            distance,
            similarity,
            value,
            checks,
        })
    }

    fn numbers_allow(&self, a: &Signature, b: &Signature) -> bool {
        !self.numbers_must_match || a.numbers == b.numbers
    }
}

/// What decides on a candidate.
struct Measure {
    /// Of the check; `None` where it decides nothing.
    name: Option<&'static str>,
    value: f32,
    /// The smallest value that confirms.
    bound: f32,
}

/// Two documents by all that a rule asks: [`Rule::weigh`].
#[derive(Debug, Clone, PartialEq)]
pub struct Weighed {
    /// Bits in which the fingerprints differ; `None` where one of the texts has none.
    pub distance: Option<u32>,
    /// Jaccard index of the five-word runs, 0 to 1: estimated by the sketches; of texts of which one is short, exact.
    pub similarity: f32,
    /// What decides among several that the rule confirms: the similarity of [`Verdict::Near`](crate::Verdict::Near).
    pub value: f32,
    /// What the rule asks, in its order. If all of it is met, the two are duplicates.
    pub checks: Vec<Check>,
}

/// One thing that a rule asks of two documents.
#[derive(Debug, Clone, PartialEq, serde::Serialize)]
pub struct Check {
    /// `distance`, `similarity`, `combined`, `similarity_short` or `numbers`.
    pub name: &'static str,
    /// What was found. Of `numbers`: 1 where they are the same, else 0.
    pub value: f32,
    /// What is asked.
    pub bound: f32,
    /// Whether the value may be at most the bound, rather than at least.
    pub is_at_most: bool,
    /// Whether it is met.
    pub is_met: bool,
}

impl Check {
    fn at_most(name: &'static str, value: f32, bound: f32) -> Self {
        let (is_at_most, is_met) = (true, value <= bound);
        Self {
            name,
            value,
            bound,
            is_at_most,
            is_met,
        }
    }

    fn at_least(name: &'static str, value: f32, bound: f32) -> Self {
        let (is_at_most, is_met) = (false, value >= bound);
        Self {
            name,
            value,
            bound,
            is_at_most,
            is_met,
        }
    }
}

/// 0 where one of them is not there.
fn similarity(a: Option<&crate::Sketch>, b: Option<&crate::Sketch>) -> f32 {
    a.zip(b).map_or(0.0, |(a, b)| a.similarity(b))
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::{Fingerprint, Sketch, Width};

    /// Signatures of all kinds, few enough values that they often agree.
    fn signature() -> impl Strategy<Value = Signature> {
        let items = || prop::collection::btree_set(0_u64..12, 0..12);
        let fingerprint = prop::option::weighted(0.7, 0_u128..1 << 12);
        (fingerprint, items(), items(), items(), 0_u64..2).prop_map(|(bits, text, metadata, shingles, numbers)| {
            let list = |set: std::collections::BTreeSet<u64>| set.into_iter().collect::<Vec<_>>();
            Signature {
                fingerprint: bits.map(|bits| Fingerprint::new(Width::W64, bits)),
                sketch: Sketch::new(&list(text)),
                metadata: Sketch::new(&list(metadata)),
                shingles: list(shingles),
                numbers,
                ..Signature::default()
            }
        })
    }

    proptest! {
        #[test]
        fn what_is_shown_of_a_decision_is_what_decides(
            a in signature(),
            b in signature(),
            max_distance in 0_u32..12,
            min_similarity_short in 0.05_f32..1.0,
            confirm in prop::sample::select(vec![
                Confirm::Distance,
                Confirm::SKETCH,
                Confirm::Sketch { min_similarity: 0.2 },
                Confirm::PAPER,
            ]),
            numbers_must_match in any::<bool>(),
        ) {
            let rule = Rule { max_distance, min_similarity_short, confirm, numbers_must_match };
            let weighed = rule.weigh(&a, &b);
            let decided = match a.fingerprint.zip(b.fingerprint).map(|(a, b)| a.distance(b)) {
                Some(distance) => rule.confirms(&a, &b, distance),
                None => rule.confirms_short(&a, &b),
            };
            let shown = weighed.filter(|weighed| weighed.checks.iter().all(|check| check.is_met));
            prop_assert_eq!(shown.map(|shown| shown.value), decided);
        }
    }

    #[test]
    fn the_papers_rule_takes_five_bits_only_with_equal_metadata() {
        let rule = Rule {
            confirm: Confirm::PAPER,
            ..Rule::default()
        };
        let about = |items: &[u64]| Signature {
            metadata: Sketch::new(items),
            ..Signature::default()
        };
        let (a, same, other, none) = (about(&[1, 2]), about(&[1, 2]), about(&[8, 9]), about(&[]));
        let reach = |b: &Signature| {
            (0..=10)
                .take_while(|distance| rule.confirms(&a, b, *distance).is_some())
                .count()
        };
        // 0.9 / (1 + 2) = 0.3, 0.9 / (1 + 3) = 0.225; and 0.1 more with the same metadata.
        assert_eq!([&same, &other, &none].map(reach), [6, 3, 3]);
        assert_eq!(rule.confirms(&a, &same, 2), Some(0.3 + 0.1));
    }

    #[test]
    fn a_rule_out_of_bounds_is_refused() {
        let with = |confirm| Rule {
            confirm,
            ..Rule::default()
        };
        let combined = |weight, bound| with(Confirm::Combined { weight, bound });
        assert_eq!(Rule::default().validate(), Ok(()));
        for bad in [
            with(Confirm::Sketch { min_similarity: 0.0 }),
            combined(1.5, 0.25),
            combined(0.9, f32::NAN),
            Rule {
                min_similarity_short: 1.01,
                ..Rule::default()
            },
        ] {
            assert!(bad.validate().is_err(), "{bad:?}");
        }
    }
}
