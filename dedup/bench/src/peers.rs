//! Peers in Rust.

use std::fmt;

use dedup::DedupError;
use gaoya::simhash::{SimHash, SimHashIndex, SimSipHasher64};
use gaoya::text::whitespace_split;

use crate::range_index::RangeIndex;

/// The index of gaoya: a table for every choice of `blocks - (radius + 1)` blocks, which are its key.
///
/// gaoya reads its distance as "less than", but leaves out as many blocks as the distance says, one more than the
/// pigeonhole principle requires. So a distance of 4 means "at most 3" and needs at least five blocks. More blocks give
/// more tables with longer keys: faster queries, slower inserts, more memory.
pub struct Gaoya(SimHashIndex<u64, u64>);

impl Gaoya {
    /// An empty index that finds all fingerprints within `radius` bits; `blocks` must be at least `radius + 2`.
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

/// The fingerprint by gaoya of the words between white space.
#[must_use]
pub fn gaoya_fingerprint(text: &str) -> u64 {
    SimHash::<SimSipHasher64, u64, 64>::new(SimSipHasher64::new(1, 2)).create_signature(whitespace_split(text))
}
