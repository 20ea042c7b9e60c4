//! The block-keyed buckets in memory.
//!
//! A bucket is a run of 8-byte entries, so a look into it costs one miss of the cache and nothing else is read for the
//! entries that are not near:
//!
//! ```text
//! entry   │ slot: 32 bits │ tag: 32 bits of the fingerprint, of the two blocks above the bucket's own │
//! slot    │ fingerprint, 8 bytes │ id, 8 bytes │ one for all four tables
//! ```
//!
//! The tag lets one entry of 10^6 pass at a distance of 3, one of 1,000 at 7, one of 40 at 10; only these look at their slot.
//! Random fingerprints cost 57 bytes each at 10^6.

use super::Neighbour;
use crate::error::DedupError;
use crate::fingerprint::Fingerprint;
use crate::layout::Layout;
use crate::signature::DocId;

const BLOCK_BITS: u32 = 16;
const BLOCKS: usize = 4;
pub(super) const MAX_BUCKET_BITS: u32 = 18;

fn word(fingerprint: Fingerprint) -> u64 {
    fingerprint.bits() as u64
}

fn block(fingerprint: u64, number: usize) -> u16 {
    (fingerprint >> (16 * number)) as u16
}

/// Buckets of one block.
const BUCKETS: usize = 1 << BLOCK_BITS;

/// A table of buckets for each block that the layout searches.
#[derive(Debug, Clone)]
pub(super) struct BlockIndex {
    layout: Layout,
    tables: Vec<Table>,
    slots: Vec<(Fingerprint, DocId)>,
    /// Slots of what was removed, used again first.
    free: Vec<u32>,
}

#[derive(Debug, Clone)]
struct Table {
    /// Which block.
    number: usize,
    masks: Vec<u16>,
    buckets: Vec<Vec<u64>>,
}

impl Table {
    fn bucket(&self, fingerprint: Fingerprint) -> &Vec<u64> {
        &self.buckets[usize::from(block(word(fingerprint), self.number))]
    }

    fn bucket_mut(&mut self, fingerprint: Fingerprint) -> &mut Vec<u64> {
        &mut self.buckets[usize::from(block(word(fingerprint), self.number))]
    }

    fn tag(&self, fingerprint: Fingerprint) -> u32 {
        word(fingerprint).rotate_right(BLOCK_BITS * (self.number as u32 + 1)) as u32
    }
}

fn entry(slot: u32, tag: u32) -> u64 {
    u64::from(slot) << 32 | u64::from(tag)
}

fn slot(entry: u64) -> usize {
    (entry >> 32) as usize
}

impl BlockIndex {
    pub(super) fn new(layout: Layout) -> Self {
        let searched = (0..BLOCKS).filter(|number| layout.block(*number).radius.is_some());
        let table = |number| Table {
            number,
            masks: layout.masks(number).into_iter().map(|mask| mask as u16).collect(),
            buckets: vec![Vec::new(); BUCKETS],
        };
        Self {
            layout,
            tables: searched.map(table).collect(),
            slots: Vec::new(),
            free: Vec::new(),
        }
    }

    pub(super) fn layout(&self) -> Layout {
        self.layout
    }

    pub(super) fn max_distance(&self) -> u32 {
        self.layout.max_distance()
    }

    pub(super) fn insert(&mut self, id: DocId, fingerprint: Fingerprint) -> Result<(), DedupError> {
        let slot = match self.free.pop() {
            Some(slot) => slot,
            None => {
                let slot = u32::try_from(self.slots.len()).map_err(|_| DedupError::Full)?;
                self.slots.push((fingerprint, id));
                slot
            }
        };
        self.slots[slot as usize] = (fingerprint, id);
        for table in &mut self.tables {
            let tag = table.tag(fingerprint);
            let bucket = table.bucket_mut(fingerprint);
            if bucket.len() == bucket.capacity() {
                // A quarter more, not double: the buckets are most of the memory.
                bucket.reserve_exact((bucket.len() / 4).max(3));
            }
            bucket.push(entry(slot, tag));
        }
        Ok(())
    }

    pub(super) fn contains(&self, id: DocId, fingerprint: Fingerprint) -> bool {
        self.entry(id, fingerprint).is_some()
    }

    /// Its entry in the smallest of its buckets: another may hold a quarter of all.
    fn entry(&self, id: DocId, fingerprint: Fingerprint) -> Option<u64> {
        let table = self.tables.iter().min_by_key(|table| table.bucket(fingerprint).len())?;
        let mut entries = table.bucket(fingerprint).iter().copied();
        entries.find(|entry| self.slots[slot(*entry)] == (fingerprint, id))
    }

    pub(super) fn remove(&mut self, id: DocId, fingerprint: Fingerprint) {
        let Some(found) = self.entry(id, fingerprint) else {
            return;
        };
        for table in &mut self.tables {
            let bucket = table.bucket_mut(fingerprint);
            if let Some(at) = bucket.iter().position(|entry| slot(*entry) == slot(found)) {
                bucket.swap_remove(at);
            }
        }
        self.free.push(slot(found) as u32);
    }

    pub(super) fn near(&self, fingerprint: Fingerprint, found: &mut Vec<Neighbour>) {
        let max_distance = self.layout.max_distance();
        for table in &self.tables {
            let (key, tag) = (block(word(fingerprint), table.number), table.tag(fingerprint));
            for mask in &table.masks {
                for &entry in &table.buckets[usize::from(key ^ mask)] {
                    if (entry as u32 ^ tag).count_ones() > max_distance {
                        continue;
                    }
                    let (other, id) = self.slots[slot(entry)];
                    let difference = word(fingerprint) ^ word(other);
                    let distance = difference.count_ones();
                    if distance <= max_distance && self.layout.is_first_meeting(difference.into(), table.number) {
                        found.push(Neighbour { distance, id });
                    }
                }
            }
        }
    }
}
