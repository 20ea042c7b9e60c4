//! Peers that are Rust crates.

use std::fmt;

use dedup::DedupError;
use gaoya::simhash::{SimHash, SimHashIndex, SimSipHasher64};
use gaoya::text::whitespace_split;

use crate::range_index::RangeIndex;

/// gaoya's index: tables keyed by every choice of `blocks - (radius + 1)` of the blocks.
///
/// It takes its distance as "less than", and for that one makes one choice of blocks more than the pigeonhole principle
/// asks: "less than 4" over four blocks would leave no block to key by.
pub struct Gaoya(SimHashIndex<u64, u64>);

impl Gaoya {
    /// An index that finds all within `radius` bits, with the number of blocks that answers fastest at 10^6 in less than
    /// a gigabyte.
    #[must_use]
    pub fn new(radius: u32) -> Self {
        let distance = radius as usize + 1;
        let spare = if radius <= 3 { 1 } else { 2 };
        Self(SimHashIndex::new(distance + spare, distance))
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

    fn near(&self, fingerprint: u64, found: &mut Vec<u64>) -> Result<(), DedupError> {
        found.extend(self.0.query(&fingerprint).into_iter().copied());
        Ok(())
    }
}

/// gaoya's fingerprint of the words between white space, as they stand.
#[must_use]
pub fn gaoya_fingerprint(text: &str) -> u64 {
    SimHash::<SimSipHasher64, u64, 64>::new(SimSipHasher64::new(1, 2)).create_signature(whitespace_split(text))
}
