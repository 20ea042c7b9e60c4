//! The buckets of one block, and the overfull buckets among them, which are split a second time.

use std::collections::HashMap;

use super::group::{BUCKETS, Bucket, Group, LANES};
use super::split::{Skew, search_cost, spreading_cuts};
use super::word::{Cut, Word};

/// A bucket for each number, in groups.
#[derive(Debug, Clone)]
pub(super) struct Table {
    pub(super) cut: Cut,
    groups: Vec<Group>,
    /// Number of entries, including those of split buckets.
    len: usize,
    /// Number of pairs of entries in one bucket.
    pairs: u64,
    /// The overfull buckets.
    splits: HashMap<u32, Box<Split>>,
    /// Overfull buckets that no split improves, with the length at which a split is tried again.
    unsplittable: HashMap<u32, usize>,
}

impl Table {
    pub(super) fn new(cut: Cut) -> Self {
        let buckets = 1_usize << cut.bucket_bits;
        Self {
            cut,
            groups: vec![Group::new(); buckets.div_ceil(BUCKETS)],
            len: 0,
            pairs: 0,
            splits: HashMap::new(),
            unsplittable: HashMap::new(),
        }
    }

    fn bucket_of<W: Word>(&self, word: W) -> (u32, u32) {
        let rotated = self.cut.rotated(word);
        (self.cut.bucket(self.cut.key(rotated)), self.cut.tag(rotated))
    }

    #[inline(always)]
    fn group(&self, bucket: u32) -> &Group {
        &self.groups[bucket as usize / BUCKETS]
    }

    #[inline(always)]
    pub(super) fn prefetch(&self, bucket: u32) {
        self.group(bucket).prefetch(bucket as usize % BUCKETS);
    }

    pub(super) fn prefetch_for<W: Word>(&self, word: W) {
        self.prefetch(self.bucket_of(word).0);
    }

    pub(super) fn prefetch_end_for<W: Word>(&self, word: W) {
        let bucket = self.bucket_of(word).0;
        self.group(bucket).prefetch_end(bucket as usize % BUCKETS);
    }

    /// The entries of a bucket; `None` if the bucket was split.
    #[inline(always)]
    pub(super) fn bucket(&self, bucket: u32) -> Option<Bucket<'_>> {
        self.group(bucket).bucket(bucket as usize % BUCKETS)
    }

    pub(super) fn split(&self, bucket: u32) -> Option<&Split> {
        self.splits.get(&bucket).map(Box::as_ref)
    }

    pub(super) fn buckets(&self) -> impl Iterator<Item = u32> + use<> {
        0..1 << self.cut.bucket_bits
    }

    /// Number of pairs of entries in one bucket.
    #[cfg(test)]
    pub(super) fn pairs(&self) -> u64 {
        self.pairs
    }

    /// How many times as many entries an entry meets in its bucket as among random words; 1 for these, and for few entries.
    pub(super) fn crowding(&self) -> f64 {
        // A pair is in one bucket by chance once in as many pairs as there are buckets.
        let by_chance =
            self.len as f64 * self.len.saturating_sub(1) as f64 / 2.0 / f64::from(1_u32 << self.cut.bucket_bits);
        (self.pairs as f64 / by_chance.max(1.0)).max(1.0)
    }

    /// Number of entries in the bucket of a word.
    pub(super) fn len_at<W: Word>(&self, word: W) -> usize {
        let bucket = self.bucket_of(word).0;
        match (self.bucket(bucket), self.split(bucket)) {
            (Some(entries), _) => entries.slots.len(),
            (None, split) => split.map_or(0, Split::len),
        }
    }

    /// Adds an entry. `words` holds the fingerprints of all slots, including this one; a split reads them.
    pub(super) fn insert<W: Word>(&mut self, word: W, slot: u32, words: &[W], skew: &Skew) {
        self.len += 1;
        let (bucket, tag) = self.bucket_of(word);
        let (group, at) = (bucket as usize / BUCKETS, bucket as usize % BUCKETS);
        if self.groups[group].bucket(at).is_none() {
            if let Some(split) = self.splits.get_mut(&bucket) {
                self.pairs += split.len() as u64;
                split.insert(word, slot);
            }
            return;
        }
        let len = self.groups[group].push(at, tag, slot);
        self.pairs += len as u64 - 1;
        if len >= skew.floor && skew.is_overfull(len, self.len, self.cut.bucket_bits) {
            self.consider_split(bucket, len, words, skew);
        }
    }

    #[cold]
    fn consider_split<W: Word>(&mut self, bucket: u32, len: usize, words: &[W], skew: &Skew) {
        if self.unsplittable.get(&bucket).is_some_and(|retry| len < *retry) {
            return;
        }
        let Some(entries) = self.bucket(bucket) else {
            return;
        };
        match Split::new(self.cut, entries.slots, words, skew) {
            Some(split) => {
                self.unsplittable.remove(&bucket);
                self.splits.insert(bucket, Box::new(split));
                self.groups[bucket as usize / BUCKETS].move_out(bucket as usize % BUCKETS);
            }
            None => {
                self.unsplittable.insert(bucket, 2 * len);
            }
        }
    }

    /// Adds an entry to a table of a [`Split`], whose buckets are never split again.
    pub(super) fn push<W: Word>(&mut self, word: W, slot: u32) {
        let (bucket, tag) = self.bucket_of(word);
        let len = self.groups[bucket as usize / BUCKETS].push(bucket as usize % BUCKETS, tag, slot);
        self.pairs += len as u64 - 1;
        self.len += 1;
    }

    /// Removes an entry. A bucket stays split until it is empty.
    pub(super) fn remove<W: Word>(&mut self, word: W, slot: u32) {
        let bucket = self.bucket_of(word).0;
        let (group, at) = (bucket as usize / BUCKETS, bucket as usize % BUCKETS);
        let was_there = match self.splits.get_mut(&bucket) {
            Some(split) => split.remove(word, slot),
            None => self.groups[group].remove(at, slot),
        };
        self.len -= usize::from(was_there);
        if self.splits.get(&bucket).is_some_and(|split| split.len() == 0) {
            self.splits.remove(&bucket);
            self.groups[group].take_back(at);
        }
        if was_there {
            self.pairs -= self.len_at(word) as u64;
        }
    }

    /// The slots whose key and tag equal those of `word`.
    pub(super) fn slots_like<W: Word>(&self, word: W) -> impl Iterator<Item = u32> {
        let (bucket, tag) = self.bucket_of(word);
        let entries = self.bucket(bucket).into_iter();
        entries.flat_map(move |entries| {
            let tags = entries.tags.as_flattened().iter();
            tags.zip(entries.slots)
                .filter(move |(other, _)| **other == tag)
                .map(|(_, slot)| *slot)
        })
    }

    pub(super) fn split_for<W: Word>(&self, word: W) -> Option<&Split> {
        self.split(self.bucket_of(word).0)
    }

    /// Number of split buckets.
    #[cfg(test)]
    pub(super) fn splits(&self) -> usize {
        self.splits.len()
    }

    pub(super) fn len(&self) -> usize {
        self.len
    }
}

/// The entries of an overfull bucket.
#[derive(Debug, Clone)]
pub(super) struct Split {
    /// A table for each block that spreads the entries, the best first; at least one.
    pub(super) tables: Vec<Table>,
}

impl Split {
    /// The entries of a bucket of the table of `cut`, split; `None` if a split costs more than it saves.
    fn new<W: Word>(cut: Cut, slots: &[u32], words: &[W], skew: &Skew) -> Option<Self> {
        let cuts = spreading_cuts(cut, slots, words, skew)?;
        let mut split = Self {
            tables: cuts.into_iter().map(Table::new).collect(),
        };
        for &slot in slots {
            split.insert(words[slot as usize], slot);
        }
        Some(split)
    }

    pub(super) fn len(&self) -> usize {
        self.tables[0].len()
    }

    fn insert<W: Word>(&mut self, word: W, slot: u32) {
        self.tables.iter_mut().for_each(|table| table.push(word, slot));
    }

    fn remove<W: Word>(&mut self, word: W, slot: u32) -> bool {
        let before = self.len();
        self.tables.iter_mut().for_each(|table| table.remove(word, slot));
        self.len() < before
    }

    /// Whether a search within `distance` costs less than a scan over all entries.
    pub(super) fn search_pays(&self, distance: u32, probe: u64) -> bool {
        let table = &self.tables[0];
        // A scan reads at least one lot of each bucket.
        let scan = (table.len() + (LANES << table.cut.bucket_bits)) as u64;
        let cuts = self.tables.iter().map(|table| table.cut);
        search_cost(cuts, distance, table.len(), probe).is_some_and(|cost| cost < scan)
    }
}
