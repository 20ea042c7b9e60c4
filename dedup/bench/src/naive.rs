//! Two baselines for benchmarks (Manku, Jain, Das Sarma 2007): search for every neighbour of the query, or store every
//! neighbour of each stored fingerprint. The block-keyed index is a compromise between them.

use std::collections::HashMap;
use std::hash::{BuildHasherDefault, Hasher};

use dedup::DedupError;

use crate::range_index::RangeIndex;

/// Ids by fingerprint.
type Ids = HashMap<u64, Vec<u64>, BuildHasherDefault<Identity>>;

/// The identity as a hasher: a fingerprint is a hash already.
#[derive(Debug, Default)]
struct Identity(u64);

impl Hasher for Identity {
    fn write(&mut self, bytes: &[u8]) {
        // Never called for a u64, but correct: equal keys have equal hashes.
        bytes
            .iter()
            .for_each(|byte| self.0 = self.0.rotate_left(8) ^ u64::from(*byte));
    }

    fn write_u64(&mut self, fingerprint: u64) {
        self.0 = fingerprint;
    }

    fn finish(&self) -> u64 {
        self.0
    }
}

/// The words of 64 bits with at most `radius` ones: C(64,0) + … + C(64,radius), which is 43,745 for a radius of 3.
fn differences(radius: u32) -> Vec<u64> {
    let mut all = vec![0];
    let mut last = 0..1;
    for _ in 0..radius {
        let start = all.len();
        for at in last {
            let mask: u64 = all[at];
            // Only bits above the highest one, so that each word arises once.
            all.extend((u64::BITS - mask.leading_zeros()..64).map(|bit| mask | 1 << bit));
        }
        last = start..all.len();
    }
    all
}

/// A hash map of the stored fingerprints, searched for every neighbour of the query.
#[derive(Debug)]
pub struct NeighboursOfQuery {
    differences: Vec<u64>,
    stored: Ids,
}

impl NeighboursOfQuery {
    /// An empty index. A query takes 43,745 look-ups for a radius of 3 and 679,121 for 4.
    #[must_use]
    pub fn new(radius: u32) -> Self {
        Self {
            differences: differences(radius),
            stored: Ids::default(),
        }
    }
}

impl RangeIndex for NeighboursOfQuery {
    fn insert(&mut self, id: u64, fingerprint: u64) -> Result<(), DedupError> {
        self.stored.entry(fingerprint).or_default().push(id);
        Ok(())
    }

    fn near(&mut self, fingerprint: u64, found: &mut Vec<u64>) -> Result<(), DedupError> {
        let ids = |difference| self.stored.get(&(fingerprint ^ difference));
        found.extend(self.differences.iter().filter_map(ids).flatten());
        Ok(())
    }
}

/// A hash map of all neighbours of the stored fingerprints, searched for the query.
#[derive(Debug)]
pub struct NeighboursOfStored {
    differences: Vec<u64>,
    neighbours: Ids,
}

impl NeighboursOfStored {
    /// An empty index, for few fingerprints: with a radius of 3 each takes about 3 MB.
    #[must_use]
    pub fn new(radius: u32) -> Self {
        Self {
            differences: differences(radius),
            neighbours: Ids::default(),
        }
    }
}

impl RangeIndex for NeighboursOfStored {
    fn insert(&mut self, id: u64, fingerprint: u64) -> Result<(), DedupError> {
        for difference in &self.differences {
            self.neighbours.entry(fingerprint ^ difference).or_default().push(id);
        }
        Ok(())
    }

    fn near(&mut self, fingerprint: u64, found: &mut Vec<u64>) -> Result<(), DedupError> {
        found.extend(self.neighbours.get(&fingerprint).into_iter().flatten());
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_number_of_neighbours_is_the_published_one() {
        assert_eq!(
            [0, 1, 2, 3].map(|radius| differences(radius).len()),
            [1, 65, 2_081, 43_745]
        );
        let mut all = differences(3);
        all.sort_unstable();
        all.dedup();
        assert_eq!(all.len(), 43_745);
        assert!(all.iter().all(|difference| difference.count_ones() <= 3));
    }
}
