//! An index of bands in memory: the documents that share a band with a query.
//!
//! ```text
//! parts     band 0: 16 parts │ band 1: 16 parts │ …      a hash table each
//!             │
//!             ├▶ lots     16 tags, 16 numbers │ …
//!             │             32 bits of the band's hash; the number of the document, read if the tag is equal
//!             └▶ lists    tag ─▶ numbers   of a band that more than 16 documents share
//! numbers   number ─▶ slot                 where fingerprint and sketch of the document are
//! ```
//!
//! A check is 16 look-ups (Leskovec, Rajaraman, Ullman, *Mining of Massive Datasets*, §3.4; [`Bands`] has the
//! probabilities). It prefetches the 16 lots before it reads the first. A document takes about 160 bytes: 8 for each
//! band, and the tables are 80 to 90 % full. They grow by an eighth, one part of 256 at a time.
//!
//! # Crowded bands
//!
//! The pages of one template share bands by the thousand. The usual remedy is a further minimum for such a band, which
//! takes it from J³ to J⁴. It does not pay here. Let a template make up the share p of its pages: their list then becomes
//! shorter by the factor p, and a duplicate is found in it less often by the factor J. For pages with J = 0.6 to one
//! another p is 0.75, and a duplicate has J = 0.8, so recall falls nearly as fast as cost. To skip the crowded bands is
//! worse: at J = 0.8 and p = 0.75, 2.5 % of the duplicates share no other band. Where p is small, so are the lists: a page
//! is in 16 p³ of them.
//!
//! So the bands stay as they are, and their lists are counted before they are read. If a query has more candidates than
//! the blocks of its fingerprint would cost, [`candidates`](BandIndex::candidates) gives up, and the blocks answer. That
//! bounds the work of any check, and costs no recall: 10^5 pages of a template, or 10^5 equal sketches that numbers or own
//! words part, cost what they cost with blocks, and 16 look-ups.
//!
//! # Removal
//!
//! The bands of a document are not kept beside the tables, so its entries cannot be found when it is removed. Only its
//! number is marked. When an eighth of the numbers are marked, each step rebuilds one part without their entries; after
//! the last part, the numbers are used again.

mod numbers;

use std::hash::{BuildHasher, RandomState};
use std::sync::Arc;

use self::numbers::Numbers;
use super::table::{LONGEST, Part, Place, spill_a_part};
use crate::error::DedupError;
use crate::hash::mix;
use crate::sketch::{BANDS, Bands};
use crate::spill::Spill;

/// Parts of the table of a band, by further bits of the hash. To rebuild one of them takes milliseconds at 10^7
/// documents.
const PARTS_OF_BAND: usize = 16;
const PARTS: usize = BANDS * PARTS_OF_BAND;

/// A multimap from the bands of documents to their numbers, in memory.
///
/// ```
/// use dedup::{BandIndex, Bands};
///
/// let bands: [u64; 16] = std::array::from_fn(|band| band as u64);
/// let mut index = BandIndex::default();
/// index.insert(7, &Bands::from(bands));
/// // A query shares one band with it.
/// let query = bands.map(|hash| if hash == 3 { 3 } else { hash + 100 });
/// assert_eq!(index.candidates(&Bands::from(query), 1_000), Some(vec![7]));
/// ```
#[derive(Debug)]
pub struct BandIndex {
    /// Random, so that nobody can write texts whose bands meet in one place of the table.
    seed: u64,
    parts: Vec<Part>,
    numbers: Numbers,
    /// Parts rebuilt since the last purge began.
    purged: usize,
    /// About the bytes of the parts in memory.
    bytes: usize,
    /// Number of parts in a file, the first ones.
    spilled: usize,
}

/// The key of a band.
#[derive(Clone, Copy)]
pub(super) struct Key {
    part: usize,
    tag: u32,
}

impl Default for BandIndex {
    fn default() -> Self {
        Self::with_seed(RandomState::new().hash_one(0))
    }
}

/// A copy is in memory.
impl Clone for BandIndex {
    fn clone(&self) -> Self {
        let parts = self.parts.clone();
        Self {
            seed: self.seed,
            numbers: self.numbers.clone(),
            purged: self.purged,
            bytes: parts.iter().map(Part::resident_bytes).sum(),
            parts,
            spilled: 0,
        }
    }
}

impl BandIndex {
    pub(super) fn with_seed(seed: u64) -> Self {
        Self {
            seed,
            parts: vec![Part::default(); PARTS],
            numbers: Numbers::default(),
            purged: PARTS,
            bytes: 0,
            spilled: 0,
        }
    }

    /// Number of documents.
    #[must_use]
    pub fn len(&self) -> usize {
        self.numbers.len()
    }

    /// Whether there is no document.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Adds the bands of a document at a slot that is not there.
    pub fn insert(&mut self, slot: u32, bands: &Bands) {
        let keys = self.prefetch_insertion(bands);
        let number = self.numbers.insert(slot);
        for Key { part, tag } in keys {
            let part = &mut self.parts[part];
            let before = part.resident_bytes();
            part.insert(tag, number);
            self.bytes = self.bytes + part.resident_bytes() - before;
        }
        self.purge_a_part();
    }

    /// Brings into the cache what an insertion reads first.
    pub(super) fn prefetch_insertion(&self, bands: &Bands) -> [Key; BANDS] {
        let keys = self.keys(bands);
        for key in &keys {
            let part = &self.parts[key.part];
            part.prefetch(key.tag);
            part.prefetch_numbers(key.tag);
        }
        keys
    }

    /// Moves a part to a file. Returns whether there was one to move.
    pub(super) fn spill_a_part(&mut self, file: &Arc<Spill>) -> Result<bool, DedupError> {
        spill_a_part(&mut self.parts, &mut self.spilled, &mut self.bytes, file)
    }

    /// About the bytes in memory.
    #[must_use]
    pub fn resident_bytes(&self) -> usize {
        self.bytes + self.numbers.bytes()
    }

    /// Removes a document, if it is there.
    pub fn remove(&mut self, slot: u32) {
        self.numbers.remove(slot);
        self.purge_a_part();
    }

    /// The slot of every document that shares a band with a query, each once; perhaps a few others. `None` if the lists
    /// of the bands have more than `most` entries together.
    #[must_use]
    pub fn candidates(&self, bands: &Bands, most: usize) -> Option<Vec<u32>> {
        let keys = self.keys(bands);
        keys.iter().for_each(|key| self.parts[key.part].prefetch(key.tag));
        let mut found = [(0, Place::default()); BANDS * LONGEST];
        let mut entries = 0;
        for Key { part, tag } in keys {
            self.parts[part].each_place(tag, |place| {
                self.parts[part].prefetch_number(place);
                found[entries] = (part, place);
                entries += 1;
            });
        }
        let mut numbers = Vec::with_capacity(entries);
        for &(part, place) in &found[..entries] {
            if !self.parts[part].numbers(place, most, &mut numbers) {
                return None;
            }
        }
        numbers.sort_unstable();
        numbers.dedup();
        Some(self.numbers.slots(numbers))
    }

    /// Rebuilds all parts without the entries of removed documents, which otherwise count against the bound of
    /// [`candidates`](Self::candidates) for a while.
    pub(super) fn purge(&mut self) {
        while self.purged < PARTS {
            self.purge_a_part();
        }
        if self.numbers.begin_purge_of_all() {
            self.purged = 0;
            while self.purged < PARTS {
                self.purge_a_part();
            }
        }
    }

    fn keys(&self, bands: &Bands) -> [Key; BANDS] {
        std::array::from_fn(|band| {
            let hash = mix(bands.hashes()[band] ^ self.seed);
            Key {
                part: band * PARTS_OF_BAND + (hash >> 32) as usize % PARTS_OF_BAND,
                tag: Part::tag(hash as u32),
            }
        })
    }

    /// Rebuilds one part, if a purge is under way or due.
    fn purge_a_part(&mut self) {
        if self.purged == PARTS {
            if !self.numbers.begin_purge() {
                return;
            }
            self.purged = 0;
        }
        let numbers = &self.numbers;
        let part = &mut self.parts[self.purged];
        let before = part.resident_bytes();
        part.purge(|number| numbers.is_alive(number));
        self.bytes = self.bytes + part.resident_bytes() - before;
        self.purged += 1;
        if self.purged == PARTS {
            self.numbers.end_purge();
        }
    }
}

#[cfg(test)]
mod tests;
