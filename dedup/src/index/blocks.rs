//! The block-keyed buckets in memory.

use super::Neighbour;
use crate::layout::{BLOCKS, Layout, block, is_first_meeting};
use crate::signature::DocId;
use crate::simhash::Fingerprint;

/// Buckets of one block.
const BUCKETS: usize = 1 << 16;

/// A bucket keeps whole fingerprints next to one another, so that most entries are rejected by one pass over memory
/// that is read anyway; the ids are touched for neighbours alone.
#[derive(Debug, Clone, Default)]
struct Bucket {
    fingerprints: Vec<u64>,
    ids: Vec<DocId>,
}

/// Four tables of buckets, one a block.
#[derive(Debug, Clone)]
pub(super) struct BlockIndex {
    max_distance: u32,
    layout: Layout,
    masks: Vec<u16>,
    tables: Vec<Vec<Bucket>>,
}

impl BlockIndex {
    pub(super) fn new(layout: Layout, max_distance: u32) -> Self {
        Self {
            max_distance,
            layout,
            masks: layout.masks(),
            tables: vec![vec![Bucket::default(); BUCKETS]; BLOCKS],
        }
    }

    pub(super) fn insert(&mut self, id: DocId, fingerprint: Fingerprint) {
        for (number, table) in self.tables.iter_mut().enumerate() {
            let bucket = &mut table[usize::from(block(fingerprint.0, number))];
            bucket.fingerprints.push(fingerprint.0);
            bucket.ids.push(id);
        }
    }

    pub(super) fn remove(&mut self, id: DocId, fingerprint: Fingerprint) {
        for (number, table) in self.tables.iter_mut().enumerate() {
            let bucket = &mut table[usize::from(block(fingerprint.0, number))];
            if let Some(at) = bucket.ids.iter().position(|&other| other == id) {
                bucket.fingerprints.swap_remove(at);
                bucket.ids.swap_remove(at);
            }
        }
    }

    pub(super) fn near(&self, fingerprint: Fingerprint, found: &mut Vec<Neighbour>) {
        for (number, table) in self.tables.iter().enumerate() {
            let key = block(fingerprint.0, number);
            for mask in &self.masks {
                let bucket = &table[usize::from(key ^ mask)];
                for (at, other) in bucket.fingerprints.iter().enumerate() {
                    let difference = fingerprint.0 ^ other;
                    let distance = difference.count_ones();
                    if distance <= self.max_distance && is_first_meeting(difference, number, self.layout.radius()) {
                        let id = bucket.ids[at];
                        found.push(Neighbour { distance, id });
                    }
                }
            }
        }
    }
}
