//! The rule that says when two documents are duplicates.

use std::fmt;

use crate::short::jaccard;
use crate::signature::Signature;
use crate::sketch::{Sketch, most_differing};

/// When two documents are duplicates. Fingerprints within `max_distance` make two documents candidates, and `confirm`
/// decides on them. If one of the texts is short, `min_similarity_short` decides.
#[derive(Debug, Clone, PartialEq)]
pub struct DuplicateRule {
    /// Largest Hamming distance between the fingerprints of near-duplicates, in bits. A [`Layout`](crate::Layout) must
    /// be able to guarantee it. A larger distance finds more near-duplicates and compares more candidates.
    pub max_distance: u32,
    /// Smallest Jaccard index of two texts of which at least one is too short for a fingerprint: above 0, at most 1. It
    /// is computed exactly.
    pub min_similarity_short: f32,
    /// How a candidate is confirmed.
    pub confirm: Confirm,
    /// Whether documents with different numbers are never near-duplicates.
    pub numbers_must_match: bool,
    /// Number of [own words](crate::Subject::own_words) on each side from which two documents of one group are no near-duplicates,
    /// however much text they share; 0: own words decide nothing.
    pub min_own_words: u32,
}

/// How a candidate is confirmed as a near-duplicate.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Confirm {
    /// By the Hamming distance alone (Charikar 2002; Manku, Jain, Das Sarma 2007): cheap, with a precision of 0.75 on
    /// the web.
    Distance,
    /// By the Jaccard index of the shingles, estimated from the [sketches](crate::Sketch).
    Sketch {
        /// The smallest similarity that confirms: above 0, at most 1.
        min_similarity: f32,
    },
    /// By fingerprints and [metadata](Signature::metadata) together:
    /// `weight / (1 + distance) + (1 − weight) · similarity of the metadata` (Wang and Wang, *Improved SimHash for
    /// large-scale document deduplication*, 2019). A document without metadata has a metadata similarity of 0 to every
    /// document.
    Combined {
        /// μ, the share of the fingerprints: above 0, at most 1. The paper uses 0.9.
        weight: f32,
        /// The smallest sum that confirms: above 0, at most 1. The paper uses 0.25.
        bound: f32,
    },
}

impl Confirm {
    /// By sketches, with the similarity of the default rule: 0.8 less two standard errors of the sketch.
    pub const SKETCH: Self = Self::Sketch {
        min_similarity: MIN_SIMILARITY,
    };
    /// The combined rule with the weight and the bound of the paper.
    pub const PAPER: Self = Self::Combined {
        weight: PAPER_WEIGHT,
        bound: PAPER_BOUND,
    };
}

/// The least similarity for which [bands](crate::Bands) find candidates: at a Jaccard index of 0.75, two texts share a
/// band with probability 0.9998.
const LEAST_FOR_BANDS: f32 = 0.75;
/// The similarity of [`Confirm::SKETCH`].
pub const MIN_SIMILARITY: f32 = 0.76;
/// The own words of the default rule. Variants of a product differ in one or two: a size, a colour.
pub const MIN_OWN_WORDS: u32 = 3;
/// The weight of [`Confirm::PAPER`].
pub const PAPER_WEIGHT: f32 = 0.9;
/// The bound of [`Confirm::PAPER`].
pub const PAPER_BOUND: f32 = 0.25;

impl Default for DuplicateRule {
    /// Distance 10, confirmed by sketches; chosen with `crawler evaluate`. The README of this crate has the table.
    fn default() -> Self {
        Self {
            max_distance: 10,
            min_similarity_short: 0.8,
            confirm: Confirm::SKETCH,
            numbers_must_match: false,
            min_own_words: MIN_OWN_WORDS,
        }
    }
}

impl fmt::Display for DuplicateRule {
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
        if self.min_own_words > 0 {
            write!(f, "; with other headings fewer than {} own words", self.min_own_words)?;
        }
        Ok(())
    }
}

/// An invalid rule.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
pub enum InvalidDuplicateRule {
    /// A field that must be a share is not in (0, 1].
    #[error("{name} = {value} must be above 0 and at most 1")]
    Share {
        /// Name of the field.
        name: &'static str,
        /// Its value.
        value: f32,
    },
}

impl DuplicateRule {
    /// Checks the bounds of the fields, except `max_distance`, which a [`Layout`](crate::Layout) checks.
    ///
    /// # Errors
    /// Names the field that is out of bounds.
    pub fn validate(&self) -> Result<(), InvalidDuplicateRule> {
        let confirm = match self.confirm {
            Confirm::Distance => [None, None],
            Confirm::Sketch { min_similarity } => [Some(("min_similarity", min_similarity)), None],
            Confirm::Combined { weight, bound } => [Some(("weight", weight)), Some(("bound", bound))],
        };
        let short = Some(("min_similarity_short", self.min_similarity_short));
        for (name, value) in confirm.into_iter().chain([short]).flatten() {
            if !(value > 0.0 && value <= 1.0) {
                return Err(InvalidDuplicateRule::Share { name, value });
            }
        }
        Ok(())
    }

    /// The similarity by which two documents with fingerprints `distance` bits apart are near-duplicates; `None` if
    /// they are not. With [`Confirm::Distance`] it is the estimate of the sketches, as evidence that decides nothing.
    #[must_use]
    pub fn confirms(&self, a: &Signature, b: &Signature, distance: u32) -> Option<f32> {
        if distance > self.max_distance || !self.numbers_allow(a, b) || !self.subjects_allow(a, b) {
            return None;
        }
        let measure = self.measure(a, b, distance);
        (measure.value >= measure.bound).then_some(measure.value)
    }

    /// The value that decides on two documents with fingerprints `distance` bits apart, if distance and numbers allow
    /// them.
    fn measure(&self, a: &Signature, b: &Signature, distance: u32) -> Measure {
        let of_texts = || similarity(a.sketch.as_ref(), b.sketch.as_ref());
        let (name, value, bound) = match self.confirm {
            Confirm::Distance => (None, of_texts(), 0.0),
            Confirm::Sketch { min_similarity } => (Some("similarity"), of_texts(), min_similarity),
            Confirm::Combined { weight, bound } => {
                let of_metadata = similarity(a.metadata.as_ref(), b.metadata.as_ref());
                (Some("combined"), combined(weight, distance, of_metadata), bound)
            }
        };
        Measure { name, value, bound }
    }

    /// The Jaccard index by which two texts, at least one of them short, are near-duplicates; `None` if they are not.
    #[must_use]
    pub fn confirms_short(&self, a: &Signature, b: &Signature) -> Option<f32> {
        let similarity = jaccard(&a.shingles, &b.shingles);
        let is_near = similarity >= self.min_similarity_short && self.numbers_allow(a, b) && self.subjects_allow(a, b);
        is_near.then_some(similarity)
    }

    /// Every check of the rule on two documents, passed or failed, in the order of the rule: the evidence behind
    /// [`confirms`](Self::confirms) and [`confirms_short`](Self::confirms_short). `None` if the rule does not compare
    /// them because they have neither two fingerprints nor shingles on both sides.
    #[must_use]
    pub fn compare(&self, a: &Signature, b: &Signature) -> Option<Comparison> {
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
            similarity = self::similarity(a.sketch.as_ref(), b.sketch.as_ref());
        } else if !a.shingles.is_empty() && !b.shingles.is_empty() {
            value = jaccard(&a.shingles, &b.shingles);
            similarity = value;
            checks.push(Check::at_least("similarity_short", value, self.min_similarity_short));
        } else {
            return None;
        }
        if self.numbers_must_match {
            let are_same = f32::from(u8::from(self.numbers_allow(a, b)));
            checks.push(Check::at_least("numbers", are_same, 1.0));
        }
        if let Some(own) = own_words(a, b).filter(|_| self.min_own_words > 0) {
            checks.push(Check::at_most("own_words", own as f32, (self.min_own_words - 1) as f32));
        }
        Some(Comparison {
            distance,
            similarity,
            value,
            checks,
        })
    }

    /// The bounds within which the rule may confirm documents with a fingerprint for `query`; `None` if it confirms none.
    /// They are necessary, not sufficient.
    pub(crate) fn bounds(&self, query: &Signature) -> Option<Bounds> {
        let mut bounds = Bounds {
            max_distance: self.max_distance,
            most_differing: None,
            numbers_must_match: self.numbers_must_match,
            own_words_count: self.min_own_words > 0,
        };
        match self.confirm {
            Confirm::Distance => {}
            Confirm::Sketch { min_similarity } => {
                query.sketch?;
                bounds.most_differing = Some(most_differing(min_similarity)?);
            }
            Confirm::Combined { weight, bound } => {
                let most = |distance: &u32| combined(weight, *distance, 1.0) >= bound;
                bounds.max_distance = (0..=self.max_distance).rev().find(most)?;
            }
        }
        Some(bounds)
    }

    /// Whether [bands](crate::Bands) may find the candidates of this rule: sketches confirm them, with a similarity of at
    /// least 0.75. Less similar texts share too few bands.
    #[must_use]
    pub fn allows_bands(&self) -> bool {
        matches!(self.confirm, Confirm::Sketch { min_similarity } if min_similarity >= LEAST_FOR_BANDS)
    }

    fn numbers_allow(&self, a: &Signature, b: &Signature) -> bool {
        !self.numbers_must_match || a.numbers == b.numbers
    }

    fn subjects_allow(&self, a: &Signature, b: &Signature) -> bool {
        self.min_own_words == 0 || own_words(a, b).is_none_or(|own| own < self.min_own_words)
    }
}

fn own_words(a: &Signature, b: &Signature) -> Option<u32> {
    a.subject.as_ref()?.own_words(b.subject.as_ref()?)
}

/// The sum of [`Confirm::Combined`].
fn combined(weight: f32, distance: u32, similarity_of_metadata: f32) -> f32 {
    weight / (1.0 + distance as f32) + (1.0 - weight) * similarity_of_metadata
}

/// Bounds that every document confirmed by a rule keeps; made by [`DuplicateRule::bounds`].
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Bounds {
    /// Largest Hamming distance of the fingerprints in bits.
    pub(crate) max_distance: u32,
    /// Largest number of bits in which the sketches differ; `None` if any sketch may be confirmed.
    pub(crate) most_differing: Option<u32>,
    /// Whether the numbers of both texts must be equal.
    pub(crate) numbers_must_match: bool,
    /// Whether own words may part two documents.
    pub(crate) own_words_count: bool,
}

/// The value that decides on a candidate.
struct Measure {
    /// Name of the check; `None` if the value decides nothing.
    name: Option<&'static str>,
    value: f32,
    /// The smallest value that confirms.
    bound: f32,
}

/// Two documents compared by a rule; made by [`DuplicateRule::compare`].
#[derive(Debug, Clone, PartialEq)]
pub struct Comparison {
    /// Hamming distance of the fingerprints in bits; `None` if one of the texts has no fingerprint.
    pub distance: Option<u32>,
    /// Jaccard index of the shingles, 0 to 1: estimated from the sketches, or exact if one of the texts is short.
    pub similarity: f32,
    /// The value that ranks several confirmed candidates: the similarity of [`Verdict::Near`](crate::Verdict::Near).
    pub value: f32,
    /// The checks of the rule, in its order. The two documents are near-duplicates if all pass.
    pub checks: Vec<Check>,
}

/// One check of a rule on two documents.
#[derive(Debug, Clone, PartialEq, serde::Serialize)]
pub struct Check {
    /// `distance`, `similarity`, `combined`, `similarity_short`, `numbers` or `own_words`.
    pub name: &'static str,
    /// The measured value. For `numbers`: 1 if they are equal, else 0. For `own_words`: their number.
    pub value: f32,
    /// The bound that the rule sets.
    pub bound: f32,
    /// Whether the bound is an upper bound; otherwise it is a lower one.
    pub is_at_most: bool,
    /// Whether the value is within the bound.
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

/// Similarity of two sketches; 0 if one is missing.
fn similarity(a: Option<&Sketch>, b: Option<&Sketch>) -> f32 {
    a.zip(b).map_or(0.0, |(a, b)| a.similarity(b))
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::fingerprint::{Fingerprint, Width};

    /// Signatures of all kinds, with so few values that they often agree.
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
        fn the_checks_shown_are_the_checks_that_decide(
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
            let rule = DuplicateRule { max_distance, min_similarity_short, confirm, numbers_must_match, min_own_words: 3 };
            let comparison = rule.compare(&a, &b);
            let decided = match a.fingerprint.zip(b.fingerprint).map(|(a, b)| a.distance(b)) {
                Some(distance) => rule.confirms(&a, &b, distance),
                None => rule.confirms_short(&a, &b),
            };
            let shown = comparison.filter(|comparison| comparison.checks.iter().all(|check| check.is_met));
            prop_assert_eq!(shown.map(|shown| shown.value), decided);
        }
    }

    #[test]
    fn the_rule_of_the_paper_accepts_four_or_five_bits_only_with_equal_metadata() {
        let rule = DuplicateRule {
            confirm: Confirm::PAPER,
            ..DuplicateRule::default()
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
        let with = |confirm| DuplicateRule {
            confirm,
            ..DuplicateRule::default()
        };
        let combined = |weight, bound| with(Confirm::Combined { weight, bound });
        assert_eq!(DuplicateRule::default().validate(), Ok(()));
        for bad in [
            with(Confirm::Sketch { min_similarity: 0.0 }),
            combined(1.5, 0.25),
            combined(0.9, f32::NAN),
            DuplicateRule {
                min_similarity_short: 1.01,
                ..DuplicateRule::default()
            },
        ] {
            assert!(bad.validate().is_err(), "{bad:?}");
        }
    }
}
