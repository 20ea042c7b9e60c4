//! Fingerprints and their ids in memory, found by Hamming distance.
//!
//! ```text
//! tables    block 0 │ block 1 │ …          a table for each block that the layout searches
//!             │
//!             └▶ bucket 0 │ bucket 1 │ …   of each key; a key wider than 18 bits is hashed to its bucket
//!                  │
//!                  └▶ tags   32 bits of the fingerprint beside the block
//!                     slots  where the whole of it is:
//! words     0 │ 1 │ 2 │ …                  fingerprints
//! ids       0 │ 1 │ 2 │ …
//! ```
//!
//! The naive index keeps fingerprint and id in each bucket: 16 bytes a table, and every one of them is read by every query
//! that meets the bucket. Here a query reads four bytes an entry. The tag lets through only what differs from the query in
//! at most k − c bits, where c is by how much the bucket's key differs already: at k = 3 one entry in 800,000, at 10 one in
//! 300; only of these the fingerprint is looked at. The answer is exact whatever tag and hash let through, and a pair met
//! in several buckets is reported once.
//!
//! The parts, from the memory up: `group` lays entries out, `table` finds buckets, `split` cuts overfull ones a second
//! time, `search` puts a query together, `word` and `masks` do the bits.

mod group;
mod masks;
mod search;
mod split;
mod table;
mod word;

pub(crate) use self::word::MAX_BUCKET_BITS;
pub use self::word::Word;

use self::masks::Masks;
use self::search::Search;
use self::split::{PROBE, Skew, cuts_beside};
use self::table::Table;
use self::word::Cut;
use crate::cpu;
use crate::error::DedupError;
use crate::layout::{Layout, LayoutError};

/// Fingerprints that an index holds at most.
const MAX_SLOTS: usize = 1 << 31;

/// An entry of the index near a query.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct Near {
    /// The id that was given with the fingerprint.
    pub id: u64,
    /// Hamming distance in bits.
    pub distance: u32,
}

/// A multi-map of fingerprints to ids that finds all within a Hamming distance.
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
    tables: Vec<Table>,
    words: Vec<W>,
    ids: Vec<u64>,
    /// Slots of what was removed, used again first.
    free: Vec<u32>,
}

/// μ of the improved SimHash: a bucket may hold 1 + μ times the mean before it is split.
pub const DEFAULT_SKEW: f64 = 2.0;

impl<W: Word> FingerprintIndex<W> {
    /// An empty index that finds what `layout` guarantees.
    ///
    /// # Errors
    /// The layout is of another width than `W`.
    pub fn new(layout: Layout) -> Result<Self, LayoutError> {
        Self::with_skew(layout, DEFAULT_SKEW)
    }

    /// As [`FingerprintIndex::new`]; a bucket with more than (1 + `mu`) × the mean is split a second time where that pays.
    /// The answers are the same whatever it is.
    ///
    /// # Errors
    /// The layout is of another width than `W`.
    pub fn with_skew(layout: Layout, mu: f64) -> Result<Self, LayoutError> {
        Self::with_probe_cost(layout, mu, PROBE)
    }

    /// `probe`: what a look into a bucket costs, in entries; it decides which splits pay.
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
        let beside = cuts.iter().filter(|cut| cut.bits_beside() > 0);
        let beside: Vec<_> = beside.flat_map(|cut| cuts_beside(*cut, max_distance)).collect();
        let key_bits = cuts.iter().chain(&beside).map(|cut| cut.bits);
        Ok(Self {
            layout,
            skew: Skew {
                mu,
                probe,
                // No split of fewer entries pays: its buckets alone cost more to look into.
                floor: (2 * probe).max(2) as usize,
                max_distance,
            },
            masks: Masks::new(key_bits, max_distance),
            tables: cuts.into_iter().map(Table::new).collect(),
            words: Vec::new(),
            ids: Vec::new(),
            free: Vec::new(),
        })
    }

    /// What it was made for.
    #[must_use]
    pub fn layout(&self) -> Layout {
        self.layout
    }

    /// Entries in the index.
    #[must_use]
    pub fn len(&self) -> usize {
        self.words.len() - self.free.len()
    }

    /// Whether there is none.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Takes all entries out.
    pub fn clear(&mut self) {
        self.tables.iter_mut().for_each(|table| *table = Table::new(table.cut));
        (self.words, self.ids, self.free) = (Vec::new(), Vec::new(), Vec::new());
    }

    /// Adds an entry, also where the same is there already.
    ///
    /// # Errors
    /// [`DedupError::Full`]: it holds 2^31 entries.
    pub fn insert(&mut self, fingerprint: W, id: u64) -> Result<(), DedupError> {
        // All that will be read is asked for before the first of it is.
        self.tables.iter().for_each(|table| table.prefetch_for(fingerprint));
        let slot = self.put(fingerprint, id)?;
        self.tables.iter().for_each(|table| table.prefetch_end_for(fingerprint));
        for table in &mut self.tables {
            table.insert(fingerprint, slot, &self.words, &self.skew);
        }
        Ok(())
    }

    fn put(&mut self, fingerprint: W, id: u64) -> Result<u32, DedupError> {
        if let Some(slot) = self.free.pop() {
            (self.words[slot as usize], self.ids[slot as usize]) = (fingerprint, id);
            return Ok(slot);
        }
        let slot = self.words.len();
        if slot == MAX_SLOTS {
            return Err(DedupError::Full);
        }
        if slot == self.words.capacity() {
            // An eighth more, not double: of 10^8 fingerprints the double is a gigabyte.
            self.words.reserve_exact((slot / 8).max(64));
            self.ids.reserve_exact((slot / 8).max(64));
        }
        self.words.push(fingerprint);
        self.ids.push(id);
        Ok(slot as u32)
    }

    /// Whether this entry is in the index.
    #[must_use]
    pub fn contains(&self, fingerprint: W, id: u64) -> bool {
        self.slot(fingerprint, id).is_some()
    }

    /// Takes one such entry out; whether there was one.
    pub fn remove(&mut self, fingerprint: W, id: u64) -> bool {
        let Some(slot) = self.slot(fingerprint, id) else {
            return false;
        };
        self.tables.iter_mut().for_each(|table| table.remove(fingerprint, slot));
        self.free.push(slot);
        true
    }

    /// Where an entry is, looked for in the smallest of its buckets: another may hold a quarter of all.
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

    /// Appends to `found` every id with a fingerprint that differs in at most the layout's
    /// [`max_distance`](Layout::max_distance) bits, each once, at the distance of the nearest, ascending by id.
    pub fn near(&self, fingerprint: W, found: &mut Vec<Near>) {
        let before = found.len();
        cpu::dispatch(self.search(fingerprint, found));
        each_id_once(found, before);
    }

    fn search<'a>(&'a self, query: W, found: &'a mut Vec<Near>) -> Search<'a, W> {
        Search {
            tables: &self.tables,
            masks: &self.masks,
            words: &self.words,
            ids: &self.ids,
            query,
            distance: self.layout.max_distance(),
            probe: self.skew.probe,
            found,
        }
    }
}

/// Sorts what was found after the first `before` and drops what repeats an id: a pair is met in every block in which it
/// differs little.
fn each_id_once(found: &mut Vec<Near>, before: usize) {
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
