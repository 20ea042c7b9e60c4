//! An index of fingerprints in memory, searched by Hamming distance.
//!
//! ```text
//! tables    block 0 │ block 1 │ …          a table for each block that the layout searches
//!             │
//!             └▶ bucket 0 │ bucket 1 │ …   one per key; a key wider than 18 bits is hashed to its bucket
//!                  │
//!                  └▶ tags   32 bits of the fingerprint outside the block
//!                     slots  position of the fingerprint and its id in:
//! words     0 │ 1 │ 2 │ …                  fingerprints
//! ids       0 │ 1 │ 2 │ …
//! ```
//!
//! The naive index keeps fingerprint and id in each bucket: 16 bytes per table and entry, and a query reads all of them
//! in each bucket that it probes. Here a query reads four bytes per entry, the tag. A tag passes if it differs from the
//! query's in at most q − c bits, where c is the number of bits in which the bucket's key differs, and `chain` has q: one
//! entry in 8 million at k = 3, one in 3,700 at k = 10. The query then compares the fingerprints of the entries that pass, so the answer is
//! exact. It reports a fingerprint that it meets in several buckets once. Where a large share of all entries passes, as
//! among the pages of one template, a sweep over all words answers instead.
//!
//! # Costs
//!
//! At k = 10 and four blocks, 428 probes, random fingerprints (example `blocks_bench`; one thread of a machine with two cores
//! and AVX-512 that ran other programs too):
//!
//! | fingerprints | entries compared | µs of a search | bytes of a fingerprint |
//! |---|---|---|---|
//! | 10^6 | 6,530 | 13 | 57 |
//! | 4 · 10^6 | 26,100 | 30 | 57 |
//! | 10^7 | 65,300 | 61 | 57 |
//! | 1.6 · 10^7 | 104,500 | 90 | 56 |
//! | 3.2 · 10^7 | 209,000 | 171 | 56 |
//! | 6.4 · 10^7 | 418,000 | 300 | 55 |
//!
//! So a search costs about 10 µs, and 5 µs for each million. It waits for memory: sixteen tags take 1.6 ns if they are in the
//! cache, and 9 to 13 ns from memory. Other layouts were measured, and none is better:
//!
//! - 16 bits of each tag read first, and the others where these pass, one entry in a hundred: half as much is read, and a search
//!   is 10 % slower, since it waits once more.
//! - Blocks of 17, 17, 17 and 13 bits: 476 probes meet a fifth fewer entries, in the same time.
//! - Three blocks of 21 and 22 bits, with as many buckets: 3,588 probes meet a fifth of the entries, in 213 µs among 10^7 and 280 µs
//!   among 3.2 · 10^7. They would be the better ones from about 6 · 10^7 on.
//! - Deeper prefetches and larger batches: no difference.
//!
//! [Bands](crate::Bands) cost less than any of these; see [`Candidates`](crate::Candidates).
//!
//! # Parts
//!
//! The parts, bottom up: `chain` bounds the tags, `word` cuts keys out of fingerprints and `masks` enumerates their neighbours; `group` lays out
//! entries; `table` finds buckets and splits overfull ones, as `split` decides; `search` answers a query.

mod chain;
mod group;
mod masks;
mod search;
mod split;
mod table;
mod word;

use std::collections::BTreeSet;

pub(crate) use self::word::MAX_BUCKET_BITS;
pub use self::word::Word;

use self::masks::Masks;
pub(super) use self::search::Accept;
use self::search::Search;
use self::split::{PROBE, Skew, cuts_outside};
use self::table::Table;
use self::word::Cut;
use super::sweep::{Sweep, Visit};
use crate::cpu;
use crate::error::DedupError;
use crate::layout::{Layout, LayoutError};

/// Upper bound on the fingerprints in an index.
const MAX_SLOTS: usize = 1 << 31;

/// Entries over which a sweep goes in the time in which a search reads one bucket, or compares one entry of a bucket. A
/// search that costs more than a sweep gives up, and a sweep answers.
pub(super) const SWEPT_PER_PROBE: usize = 32;

/// An entry near a query.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct NearFingerprint {
    /// The id that was inserted with the fingerprint.
    pub id: u64,
    /// Hamming distance in bits.
    pub distance: u32,
}

/// A multimap from fingerprints to ids that finds every fingerprint within a Hamming distance of a query.
///
/// ```
/// use dedup::{FingerprintIndex, Layout, Width};
///
/// # fn main() -> Result<(), Box<dyn std::error::Error>> {
/// let mut index = FingerprintIndex::new(Layout::for_distance(Width::W64, 3)?)?;
/// index.insert(0xfeed_f00d_cafe_d00d_u64, 7)?;
/// let mut found = Vec::new();
/// index.near(0xfeed_f00d_cafe_d00d ^ 0b1011, &mut found);
/// assert_eq!((found[0].id, found[0].distance), (7, 3));
/// # Ok(())
/// # }
/// ```
#[derive(Debug, Clone)]
pub struct FingerprintIndex<W> {
    layout: Layout,
    skew: Skew,
    masks: Masks<W>,
    /// Number of buckets that a query reads, without those of split buckets.
    probes: usize,
    tables: Vec<Table>,
    /// For each table, the bits in which key and tag may differ together.
    most_in_chain: Vec<u32>,
    words: Vec<W>,
    ids: Vec<u64>,
    /// Slots of removed entries, to be used again first.
    free: BTreeSet<u32>,
}

/// Default μ of the improved SimHash: a bucket with more than 1 + μ times the mean is split.
pub const DEFAULT_SKEW: f64 = 2.0;

impl<W: Word> FingerprintIndex<W> {
    /// An empty index that finds every fingerprint within the distance that `layout` guarantees.
    ///
    /// # Errors
    /// The layout has another width than `W`.
    pub fn new(layout: Layout) -> Result<Self, LayoutError> {
        Self::with_skew(layout, DEFAULT_SKEW)
    }

    /// As [`FingerprintIndex::new`]; splits a bucket with more than (1 + `mu`) × the mean a second time where that
    /// saves time. `mu` does not change the answers.
    pub(crate) fn with_skew(layout: Layout, mu: f64) -> Result<Self, LayoutError> {
        Self::with_probe_cost(layout, mu, PROBE)
    }

    /// `probe` is the cost of a probe, in entries. It decides which splits save time.
    fn with_probe_cost(layout: Layout, mu: f64, probe: u64) -> Result<Self, LayoutError> {
        if layout.width() != W::WIDTH {
            return Err(LayoutError::Width {
                layout: layout.width().bits(),
                words: W::WIDTH.bits(),
            });
        }
        let searched = layout.blocks().filter(|block| block.radius.is_some());
        let cuts: Vec<_> = searched
            .map(|block| Cut::of_word::<W>(block.shift, block.bits))
            .collect();
        let max_distance = layout.max_distance();
        let with_rest = cuts.iter().filter(|cut| cut.bits_outside() > 0);
        let splits: Vec<_> = with_rest.flat_map(|cut| cuts_outside(*cut, max_distance)).collect();
        let key_bits = cuts.iter().chain(&splits).map(|cut| cut.bits);
        Ok(Self {
            layout,
            skew: Skew {
                mu,
                probe,
                // Splitting fewer entries never saves time: the probes of two blocks cost more than the scan.
                floor: (2 * probe).max(2) as usize,
                max_distance,
            },
            masks: Masks::new(key_bits, max_distance),
            probes: layout.probes() as usize,
            tables: cuts.into_iter().map(Table::new).collect(),
            most_in_chain: chain::most_differing(layout),
            words: Vec::new(),
            ids: Vec::new(),
            free: BTreeSet::new(),
        })
    }

    /// The layout of the index.
    #[must_use]
    pub fn layout(&self) -> Layout {
        self.layout
    }

    pub(super) fn skew(&self) -> f64 {
        self.skew.mu
    }

    /// Number of entries.
    #[must_use]
    pub fn len(&self) -> usize {
        self.words.len() - self.free.len()
    }

    /// Whether the index has no entry.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Removes all entries.
    pub fn clear(&mut self) {
        self.tables.iter_mut().for_each(|table| *table = Table::new(table.cut));
        (self.words, self.ids, self.free) = (Vec::new(), Vec::new(), BTreeSet::new());
    }

    /// Adds an entry, even if the index has an equal one.
    ///
    /// # Errors
    /// [`DedupError::Full`]: the index holds 2^31 entries.
    pub fn insert(&mut self, fingerprint: W, id: u64) -> Result<(), DedupError> {
        self.insert_at(fingerprint, id).map(|_| ())
    }

    /// As [`insert`](Self::insert). Returns the slot of the entry: the slot of a removed entry, or the next one.
    pub(super) fn insert_at(&mut self, fingerprint: W, id: u64) -> Result<u32, DedupError> {
        // Prefetch everything before the first read.
        self.prefetch(fingerprint);
        let slot = self.put(fingerprint, id)?;
        self.tables.iter().for_each(|table| table.prefetch_end_for(fingerprint));
        for table in &mut self.tables {
            table.insert(fingerprint, slot, &self.words, &self.skew);
        }
        Ok(slot)
    }

    /// Brings into the cache what an insertion reads first.
    pub(super) fn prefetch(&self, fingerprint: W) {
        self.tables.iter().for_each(|table| table.prefetch_for(fingerprint));
    }

    fn put(&mut self, fingerprint: W, id: u64) -> Result<u32, DedupError> {
        if let Some(slot) = self.free.pop_first() {
            (self.words[slot as usize], self.ids[slot as usize]) = (fingerprint, id);
            return Ok(slot);
        }
        let slot = self.words.len();
        if slot == MAX_SLOTS {
            return Err(DedupError::Full);
        }
        if slot == self.words.capacity() {
            // Grow by an eighth: doubling 10^8 fingerprints would take a gigabyte more.
            self.words.reserve_exact((slot / 8).max(64));
            self.ids.reserve_exact((slot / 8).max(64));
        }
        self.words.push(fingerprint);
        self.ids.push(id);
        Ok(slot as u32)
    }

    /// Whether the index has this entry.
    #[must_use]
    pub fn contains(&self, fingerprint: W, id: u64) -> bool {
        self.slot(fingerprint, id).is_some()
    }

    /// Removes one entry equal to this one. Returns whether there was one.
    pub fn remove(&mut self, fingerprint: W, id: u64) -> bool {
        self.remove_from(fingerprint, id).is_some()
    }

    /// As [`remove`](Self::remove). Returns the slot of the entry.
    pub(super) fn remove_from(&mut self, fingerprint: W, id: u64) -> Option<u32> {
        let slot = self.slot(fingerprint, id)?;
        self.tables.iter_mut().for_each(|table| table.remove(fingerprint, slot));
        self.free.insert(slot);
        Some(slot)
    }

    /// The slot of an entry, searched in the smallest of its buckets, because another bucket may hold a quarter of all
    /// entries.
    fn slot(&self, fingerprint: W, id: u64) -> Option<u32> {
        let smallest = |tables| smallest(tables, fingerprint);
        let table = smallest(&self.tables)?;
        let table = match table.split_for(fingerprint) {
            Some(split) => smallest(&split.tables)?,
            None => table,
        };
        let is_it = |slot: &u32| self.words[*slot as usize] == fingerprint && self.ids[*slot as usize] == id;
        table.slots_like(fingerprint).find(is_it)
    }

    /// Appends to `found` every id with a fingerprint within the layout's [`max_distance`](Layout::max_distance) bits
    /// of `fingerprint`: each id once, with the distance of its nearest fingerprint, ascending by id.
    pub fn near(&self, fingerprint: W, found: &mut Vec<NearFingerprint>) {
        self.near_where(fingerprint, &(), found);
    }

    /// About the bytes in memory. Splits, of which few fingerprints have one, are left out.
    pub(super) fn resident_bytes(&self) -> usize {
        let of_table = |table: &Table| table.len() * 10 + (10 << table.cut.bucket_bits);
        self.words.capacity() * (size_of::<W>() + size_of::<u64>()) + self.tables.iter().map(of_table).sum::<usize>()
    }

    /// How many times as many entries a search meets as among random fingerprints, about. It follows from the entries alone, in whatever order
    /// they came.
    pub(super) fn crowding(&self) -> f64 {
        self.tables.iter().map(Table::crowding).sum::<f64>() / self.tables.len().max(1) as f64
    }

    /// The id in a slot.
    pub(super) fn id(&self, slot: u32) -> u64 {
        self.ids[slot as usize]
    }

    /// As [`near`](Self::near), only for the entries whose slots `accept` accepts.
    pub(super) fn near_where(&self, fingerprint: W, accept: &impl Accept, found: &mut Vec<NearFingerprint>) {
        let before = found.len();
        let sweep_costs = self.words.len() / SWEPT_PER_PROBE;
        let is_complete =
            sweep_costs > self.probes && cpu::dispatch(self.search(fingerprint, accept, sweep_costs, found));
        if !is_complete {
            found.truncate(before);
            cpu::dispatch(self.sweep(fingerprint, accept, found));
        }
        each_id_once(found, before);
    }

    /// As [`near_where`](Self::near_where), only among the entries of these slots, each given once.
    pub(super) fn near_among(&self, query: W, slots: &[u32], accept: &impl Accept, found: &mut Vec<NearFingerprint>) {
        let before = found.len();
        slots.iter().for_each(|slot| cpu::prefetch(&self.words[*slot as usize]));
        for &slot in slots {
            let distance = (self.words[slot as usize] ^ query).ones();
            if distance <= self.layout.max_distance() && accept.accepts(slot as usize, distance) {
                let id = self.ids[slot as usize];
                found.push(NearFingerprint { id, distance });
            }
        }
        each_id_once(found, before);
    }

    fn sweep<'a, A: Accept>(
        &'a self,
        query: W,
        accept: &'a A,
        found: &'a mut Vec<NearFingerprint>,
    ) -> Sweep<'a, W, Swept<'a, A>> {
        let visit = Swept {
            ids: &self.ids,
            free: &self.free,
            accept,
            found,
        };
        Sweep {
            words: &self.words,
            query,
            max_distance: self.layout.max_distance(),
            visit,
        }
    }

    fn search<'a, A: Accept>(
        &'a self,
        query: W,
        accept: &'a A,
        most_compared: usize,
        found: &'a mut Vec<NearFingerprint>,
    ) -> Search<'a, W, A> {
        Search {
            tables: &self.tables,
            most_in_chain: &self.most_in_chain,
            masks: &self.masks,
            words: &self.words,
            ids: &self.ids,
            query,
            distance: self.layout.max_distance(),
            probe: self.skew.probe,
            accept,
            most_compared,
            compared: 0,
            found,
        }
    }
}

/// Takes the near entries of a sweep.
struct Swept<'a, A> {
    ids: &'a [u64],
    free: &'a BTreeSet<u32>,
    accept: &'a A,
    found: &'a mut Vec<NearFingerprint>,
}

impl<A: Accept> Visit for Swept<'_, A> {
    #[inline(always)]
    fn visit(&mut self, at: usize, distance: u32) {
        // In this order: to be asked about an entry may set it aside, and a removed one would take the place of another.
        if !self.free.contains(&(at as u32)) && self.accept.accepts(at, distance) {
            let id = self.ids[at];
            self.found.push(NearFingerprint { id, distance });
        }
    }
}

/// Sorts the entries found after the first `before` and drops repeated ids: a query meets an entry in every block whose
/// radius covers their difference.
fn each_id_once(found: &mut Vec<NearFingerprint>, before: usize) {
    found[before..].sort_unstable();
    let mut kept = before;
    for at in before..found.len() {
        if at == before || found[at].id != found[kept - 1].id {
            found[kept] = found[at];
            kept += 1;
        }
    }
    found.truncate(kept);
}

/// The table in which the fingerprint's bucket holds the fewest entries.
fn smallest<W: Word>(tables: &[Table], fingerprint: W) -> Option<&Table> {
    tables.iter().min_by_key(|table| table.len_at(fingerprint))
}

#[cfg(test)]
mod tests;
