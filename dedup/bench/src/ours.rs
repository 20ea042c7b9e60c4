//! The `dedup` crate behind the interfaces of the benchmarks. Only this file and the experiment use the crate directly.

use dedup::{Analyzer, DedupError, FingerprintIndex, Layout, NearFingerprint, Scheme, Signature, Width};

use crate::range_index::RangeIndex;

/// The fingerprint index of the `dedup` crate.
#[derive(Debug)]
pub struct Ours {
    index: FingerprintIndex<u64>,
    /// Buffer of the queries.
    near: Vec<NearFingerprint>,
}

impl Ours {
    /// An empty index that finds all fingerprints within `radius` bits.
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

/// The fingerprint of a text, without the rest of the signature.
#[must_use]
pub fn fingerprint(analyzer: &Analyzer, text: &str) -> Option<u64> {
    analyzer.fingerprint(text).map(|fingerprint| fingerprint.bits() as u64)
}

/// The signature of a text.
#[must_use]
pub fn signature(analyzer: &Analyzer, text: &str) -> Signature {
    analyzer.analyze(text)
}
