//! The methods side by side: each reads a stream of documents, keeps those it calls unique, and names for every other the
//! kept one that it repeats.

use std::time::{Duration, Instant};

use dedup::DedupError;

use super::metadata::MinHash;
use super::weights::{Weighting, fingerprint};
use crate::ours::{Ours, Verified};
use crate::range_index::RangeIndex;

/// A document, cut into terms.
#[derive(Debug, Clone, Copy)]
pub struct Input<'a> {
    /// The text.
    pub text: &'a str,
    /// Its terms.
    pub terms: &'a [&'a str],
    /// What is said about it.
    pub metadata: &'a [String],
}

/// Time spent, summed over all documents. Cutting texts into terms is left out: it is the same for both SimHashes.
#[derive(Debug, Clone, Copy, Default)]
pub struct Spent {
    /// From terms (for the verified method: from text) to fingerprint.
    pub fingerprinting: Duration,
    /// On looking up, deciding and keeping.
    pub deciding: Duration,
}

/// A method.
pub trait Method {
    /// The place of the kept document that this one repeats, `None` for a document that is unique and now kept; the
    /// place of a document is the number of documents judged before it.
    ///
    /// # Errors
    /// The index cannot be read or written.
    fn judge(&mut self, input: Input<'_>) -> Result<Option<usize>, DedupError>;

    /// So far.
    fn spent(&self) -> Spent;
}

/// When two fingerprints mean a duplicate.
#[derive(Debug, Clone, Copy)]
pub enum Rule {
    /// At most so many bits differ.
    Hamming(u32),
    /// μ / (1 + Hamming) + (1 − μ) · MinHash of the metadata is at least the bound.
    Combined {
        /// The part of the fingerprints, 0 to 1.
        mu: f64,
        /// The bound.
        bound: f64,
    },
}

/// Sums of decimal fractions miss their bound by less.
const ROUNDING: f64 = 1e-9;

impl Rule {
    /// The paper's.
    pub const PAPER: Self = Self::Combined { mu: 0.9, bound: 0.25 };

    /// The greatest distance that may be accepted: 5 for the paper's rule, with equal metadata.
    #[must_use]
    pub fn radius(self) -> u32 {
        (0..64)
            .rev()
            .find(|&distance| self.similarity(distance, 1.0).is_some())
            .unwrap_or(0)
    }

    /// How similar, if enough.
    fn similarity(self, distance: u32, minhash: f64) -> Option<f64> {
        let near = 1.0 / (1.0 + f64::from(distance));
        match self {
            Self::Hamming(most) => (distance <= most).then_some(near),
            Self::Combined { mu, bound } => {
                let similarity = mu * near + (1.0 - mu) * minhash;
                (similarity + ROUNDING >= bound).then_some(similarity)
            }
        }
    }
}

/// SimHash of weighted terms, original or improved.
pub struct SimHash<'a> {
    weighting: &'a dyn Weighting,
    rule: Rule,
    index: Ours,
    /// Of all documents judged, kept or not.
    judged: Vec<(u64, MinHash)>,
    spent: Spent,
}

impl<'a> SimHash<'a> {
    /// A method that has kept nothing yet.
    ///
    /// # Errors
    /// No layout guarantees the rule's radius.
    pub fn new(weighting: &'a dyn Weighting, rule: Rule) -> Result<Self, DedupError> {
        Ok(Self {
            weighting,
            rule,
            index: Ours::new(rule.radius())?,
            judged: Vec::new(),
            spent: Spent::default(),
        })
    }

    fn best(&mut self, fingerprint: u64, minhash: &MinHash) -> Result<Option<usize>, DedupError> {
        let mut found = Vec::new();
        self.index.near(fingerprint, &mut found)?;
        // The older of two as similar: a later one takes the place only of a less similar one.
        found.sort_unstable();
        let mut best: Option<(f64, usize)> = None;
        for place in found.into_iter().map(|place| place as usize) {
            let (other, its_minhash) = &self.judged[place];
            let distance = (fingerprint ^ other).count_ones();
            let similarity = self.rule.similarity(distance, minhash.similarity(its_minhash));
            if let Some(similarity) = similarity
                && best.is_none_or(|(most, _)| similarity > most)
            {
                best = Some((similarity, place));
            }
        }
        Ok(best.map(|(_, place)| place))
    }
}

impl Method for SimHash<'_> {
    fn judge(&mut self, input: Input<'_>) -> Result<Option<usize>, DedupError> {
        let start = Instant::now();
        let fingerprint = fingerprint(input.terms, self.weighting);
        let fingerprinted = Instant::now();
        let minhash = MinHash::new(input.metadata);
        let place = self.judged.len();
        let of = match fingerprint {
            Some(bits) => self.best(bits, &minhash)?,
            None => None,
        };
        if let (None, Some(bits)) = (of, fingerprint) {
            self.index.insert(place as u64, bits)?;
        }
        self.judged.push((fingerprint.unwrap_or(0), minhash));
        self.spent.fingerprinting += fingerprinted - start;
        self.spent.deciding += fingerprinted.elapsed();
        Ok(of)
    }

    fn spent(&self) -> Spent {
        self.spent
    }
}

/// The method of the `dedup` crate: a wide radius, and a sketch that confirms.
#[derive(Debug)]
pub struct Sketched {
    verified: Verified,
    judged: u64,
    spent: Spent,
}

impl Sketched {
    /// A method that has kept nothing yet and confirms from `min_similarity` on.
    ///
    /// # Errors
    /// No layout guarantees the rule's radius.
    pub fn new(min_similarity: f32) -> Result<Self, DedupError> {
        Ok(Self {
            verified: Verified::new(min_similarity)?,
            judged: 0,
            spent: Spent::default(),
        })
    }
}

impl Method for Sketched {
    fn judge(&mut self, input: Input<'_>) -> Result<Option<usize>, DedupError> {
        let start = Instant::now();
        let signature = self.verified.signature(input.text);
        let fingerprinted = Instant::now();
        let of = self.verified.judge(self.judged, &signature)?;
        self.judged += 1;
        self.spent.fingerprinting += fingerprinted - start;
        self.spent.deciding += fingerprinted.elapsed();
        Ok(of.map(|place| place as usize))
    }

    fn spent(&self) -> Spent {
        self.spent
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::experiment::weights::TermFrequency;

    #[test]
    fn the_papers_rule_reaches_five_bits_where_the_metadata_are_equal() {
        assert_eq!((Rule::PAPER.radius(), Rule::Hamming(3).radius()), (5, 3));
        assert!(Rule::PAPER.similarity(2, 0.0).is_some());
        assert!(Rule::PAPER.similarity(3, 0.2).is_none() && Rule::PAPER.similarity(3, 0.25).is_some());
    }

    #[test]
    fn each_method_names_the_document_that_is_repeated() {
        let text = |seed: usize| {
            (0..400)
                .map(|n| ["学", "校", "人", "工"][n * seed % 7 % 4])
                .collect::<String>()
        };
        let texts = [text(1), text(2), text(1)];
        let mut methods: Vec<Box<dyn Method>> = vec![
            Box::new(SimHash::new(&TermFrequency, Rule::Hamming(3)).unwrap()),
            Box::new(SimHash::new(&TermFrequency, Rule::PAPER).unwrap()),
            Box::new(Sketched::new(0.76).unwrap()),
        ];
        for method in &mut methods {
            let mut judge = |text: &str, term: &str| {
                let terms = vec![term; 10];
                let metadata = [term.to_owned()];
                let input = Input {
                    text,
                    terms: &terms,
                    metadata: &metadata,
                };
                method.judge(input).unwrap()
            };
            assert_eq!(judge(&texts[0], "学校"), None);
            assert_eq!(judge(&texts[1], "人工"), None);
            assert_eq!(judge(&texts[2], "学校"), Some(0));
        }
    }
}
