//! The seam to the `dedup` crate: nothing else here names its index, its analyzer or its arithmetic.

use dedup::simhash::Accumulator;
use dedup::{
    Analyzer, Confirm, DedupError, Deduplicator, DocId, FingerprintIndex, Layout, MemoryIndex, Near, Rule, Scheme,
    Signature, Width,
};

use crate::range_index::RangeIndex;

/// The fingerprint index of the `dedup` crate.
#[derive(Debug)]
pub struct Ours {
    index: FingerprintIndex<u64>,
    /// Used again by every query.
    near: Vec<Near>,
}

impl Ours {
    /// An index that finds all within `radius` bits.
    ///
    /// # Errors
    /// No layout guarantees the radius.
    pub fn new(radius: u32) -> Result<Self, DedupError> {
        Ok(Self {
            index: FingerprintIndex::new(Layout::for_distance(Width::W64, radius)?)?,
            near: Vec::new(),
        })
    }
}

impl RangeIndex for Ours {
    fn insert(&mut self, id: u64, fingerprint: u64) -> Result<(), DedupError> {
        self.index.insert(fingerprint, id)
    }

    fn near(&mut self, fingerprint: u64, found: &mut Vec<u64>) -> Result<(), DedupError> {
        self.near.clear();
        self.index.near(fingerprint, &mut self.near);
        found.extend(self.near.iter().map(|near| near.id));
        Ok(())
    }
}

/// Units of a weight of 1 in [`simhash`].
const UNIT: f64 = 1_024.0;

/// SimHash of features, each a hash and a weight; `None` without a feature.
pub fn simhash(features: impl Iterator<Item = (u64, f64)>) -> Option<u64> {
    let mut sums = Accumulator::new(Width::W64);
    features.for_each(|(hash, weight)| sums.add(hash, (weight * UNIT).round() as u32));
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
    analyzer.fingerprint(text).map(|fingerprint| fingerprint.bits() as u64)
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
            confirm: Confirm::Sketch { min_similarity },
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
        let verdict = self.dedup.check_and_insert(DocId(id), signature)?;
        Ok(verdict.of().map(|of| of.0))
    }
}
