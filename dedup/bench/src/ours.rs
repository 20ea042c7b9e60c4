//! The seam to the `dedup` crate: nothing else here names its index, its analyzer or its arithmetic.

use dedup::index::Neighbour;
use dedup::simhash::Accumulator;
use dedup::{Analyzer, DedupError, Deduplicator, DocId, Index, MemoryIndex, Rule, Scheme, Signature, Verdict};

use crate::range_index::RangeIndex;

/// The memory index of the `dedup` crate.
#[derive(Debug)]
pub struct Ours {
    index: MemoryIndex,
    /// Used again by every query.
    neighbours: Vec<Neighbour>,
}

impl Ours {
    /// An index that finds all within `radius` bits.
    ///
    /// # Errors
    /// No layout guarantees the radius.
    pub fn new(radius: u32) -> Result<Self, DedupError> {
        let rule = Rule {
            max_distance: radius,
            ..Rule::default()
        };
        Ok(Self {
            index: MemoryIndex::new(&rule)?,
            neighbours: Vec::new(),
        })
    }
}

impl RangeIndex for Ours {
    fn insert(&mut self, id: u64, fingerprint: u64) -> Result<(), DedupError> {
        let signature = Signature {
            fingerprint: Some(fingerprint.into()),
            ..Signature::default()
        };
        self.index.insert(DocId(id), &signature)
    }

    fn near(&mut self, fingerprint: u64, found: &mut Vec<u64>) -> Result<(), DedupError> {
        self.neighbours.clear();
        self.index.near(fingerprint.into(), &mut self.neighbours)?;
        found.extend(self.neighbours.iter().map(|neighbour| neighbour.id.0));
        Ok(())
    }
}

/// SimHash of features, each a hash and a weight; `None` without a feature.
pub fn simhash(features: impl Iterator<Item = (u64, f64)>) -> Option<u64> {
    let mut sums = Accumulator::default();
    features.for_each(|(hash, weight)| sums.add(hash, weight as f32));
    sums.fingerprint().map(|fingerprint| fingerprint.bits() as u64)
}

/// The analyzer of the default scheme.
#[must_use]
pub fn analyzer() -> Analyzer {
    Analyzer::new(&Scheme::default())
}

/// Text to fingerprint, and no more than that.
#[must_use]
pub fn fingerprint(analyzer: &Analyzer, text: &str) -> Option<u64> {
    signature(analyzer, text).fingerprint.map(|bits| bits.bits() as u64)
}

/// Text to all that a verdict goes by.
#[must_use]
pub fn signature(analyzer: &Analyzer, text: &str) -> Signature {
    analyzer.analyze(text)
}

/// The deduplicator with its default rule, but for the similarity asked for.
#[derive(Debug)]
pub struct Verified {
    analyzer: Analyzer,
    dedup: Deduplicator<MemoryIndex>,
}

impl Verified {
    /// One that confirms from `min_similarity` on.
    ///
    /// # Errors
    /// No layout guarantees the rule.
    pub fn new(min_similarity: f32) -> Result<Self, DedupError> {
        let rule = Rule {
            min_similarity,
            ..Rule::default()
        };
        Ok(Self {
            analyzer: analyzer(),
            dedup: Deduplicator::new(MemoryIndex::new(&rule)?, rule)?,
        })
    }

    /// The first half of the work.
    #[must_use]
    pub fn signature(&self, text: &str) -> Signature {
        signature(&self.analyzer, text)
    }

    /// The second half: the id of the document that this one repeats; one that repeats none is kept under `id`.
    ///
    /// # Errors
    /// The index cannot be read or written.
    pub fn judge(&mut self, id: u64, signature: &Signature) -> Result<Option<u64>, DedupError> {
        Ok(match self.dedup.check_and_insert(DocId(id), signature)? {
            Verdict::Unique => None,
            Verdict::Exact { of } | Verdict::Near { of, .. } => Some(of.0),
        })
    }
}
