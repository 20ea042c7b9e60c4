//! Peers that are Rust crates.

use std::fmt;

use dedup::DedupError;
use gaoya::simhash::{SimHash, SimHashIndex, SimSipHasher64};
use gaoya::text::whitespace_split;

use crate::range_index::RangeIndex;

/// gaoya's index: a table for every choice of `blocks - (radius + 1)` of the blocks, keyed by these.
///
/// It takes its distance as "less than", yet leaves out as many blocks as that, one more than the pigeonhole principle
/// asks: 4 means "at most 3" and needs five blocks at least. More blocks are more tables with longer keys: faster
/// queries, slower inserts, more memory.
pub struct Gaoya(SimHashIndex<u64, u64>);

impl Gaoya {
    /// An index that finds all within `radius` bits; `blocks` is at least `radius + 2`.
    #[must_use]
    pub fn new(radius: u32, blocks: usize) -> Self {
        Self(SimHashIndex::new(blocks, radius as usize + 1))
    }
}

impl fmt::Debug for Gaoya {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Gaoya")
    }
}

impl RangeIndex for Gaoya {
    fn insert(&mut self, id: u64, fingerprint: u64) -> Result<(), DedupError> {
        self.0.insert(id, fingerprint);
        Ok(())
    }

    fn near(&mut self, fingerprint: u64, found: &mut Vec<u64>) -> Result<(), DedupError> {
        found.extend(self.0.query(&fingerprint).into_iter().copied());
        Ok(())
    }
}

/// gaoya's fingerprint of the words between white space, as they stand.
#[must_use]
pub fn gaoya_fingerprint(text: &str) -> u64 {
    SimHash::<SimSipHasher64, u64, 64>::new(SimSipHasher64::new(1, 2)).create_signature(whitespace_split(text))
}
