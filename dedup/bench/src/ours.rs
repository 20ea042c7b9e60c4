//! The seam to the `dedup` crate for what is measured beside peers: nothing else names its index, nor how it is asked for a
//! fingerprint. The experiment is made of that crate's verdicts, and names it plainly.

use dedup::{Analyzer, DedupError, FingerprintIndex, Layout, Near, Scheme, Signature, Width};

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
