//! The seam to the `dedup` crate: nothing else here names its index or its analyzer.

use dedup::{Analyzer, DedupError, Deduplicator, DocId, Index, MemoryIndex, Rule, Scheme, Signature, Verdict};

use crate::range_index::RangeIndex;

/// The memory index of the `dedup` crate.
#[derive(Debug)]
pub struct Ours(MemoryIndex);

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
        MemoryIndex::new(&rule).map(Self)
    }
}

impl RangeIndex for Ours {
    fn insert(&mut self, id: u64, fingerprint: u64) -> Result<(), DedupError> {
        let signature = Signature {
            fingerprint: Some(fingerprint.into()),
            ..Signature::default()
        };
        self.0.insert(DocId(id), &signature)
    }

    fn near(&self, fingerprint: u64, found: &mut Vec<u64>) -> Result<(), DedupError> {
        let mut neighbours = Vec::new();
        self.0.near(fingerprint.into(), &mut neighbours)?;
        found.extend(neighbours.iter().map(|neighbour| neighbour.id.0));
        Ok(())
    }
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
