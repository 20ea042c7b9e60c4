//! A multimap from keys of up to 64 bits to entries, packed into rows of a sled tree.
//!
//! All entries of the tree are in one order, by key, then by id. This sequence is cut into rows of a few kilobytes. The
//! key of a row is the place where it begins:
//!
//! ```text
//! row key    key u64 BE │ id u64 BE                     lower bound of the row's entries; 0 for the first row
//! row value  id bytes b u8 │ entries of word w bytes LE │ id b bytes LE
//! ```
//!
//! A write to sled costs about 10 µs, whatever its size, and each row has an overhead in memory and on disk. So a
//! row holds the entries of many keys. The key is not stored, but computed from the word. The entries of a row have the
//! same size, so those of a key are found by bisection.
//! `b` is the number of bytes of the largest id in the row: three if documents have numbers up to 16 million.
//!
//! Key and id identify an entry, so a tree holds it at most once: writing it again, for example after a crash, changes
//! nothing. Removing it costs the same among a million entries of a key as from one alone.

use std::ops::Bound;

use sled::{Batch, IVec, Tree};

use crate::error::DedupError;

/// Rows per batch: sled keeps several copies of a batch in memory.
const BATCH_ROWS: usize = 64;
/// Batches between two flushes of a merge: 1.5 MB.
const FLUSHED_EVERY: usize = 16;

/// An entry: the word that the key is computed from, and the document.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Entry {
    pub word: u128,
    pub id: u64,
}

/// Computes the key of an entry from its word.
pub(super) type KeyOf = Box<dyn Fn(u128) -> u64 + Send + Sync>;

/// The position of an entry: key, then id.
type Place = (u64, u64);

/// The position where the first row begins.
const START: Place = (0, 0);

/// A tree of packed rows.
pub(super) struct PackedTree {
    tree: Tree,
    name: &'static str,
    word_bytes: usize,
    row_bytes: usize,
    key_of: KeyOf,
}

impl PackedTree {
    /// A tree whose words have `word_bytes` bytes. `name` is for errors. A row that grows beyond `row_bytes` is cut.
    pub fn new(tree: Tree, name: &'static str, word_bytes: usize, row_bytes: usize, key_of: KeyOf) -> Self {
        Self {
            tree,
            name,
            word_bytes,
            row_bytes,
            key_of,
        }
    }

    /// Calls `each` with every entry of a key, by ascending id.
    pub fn of_key(&self, key: u64, mut each: impl FnMut(Entry) -> Result<(), DedupError>) -> Result<(), DedupError> {
        let begin = match self.row_of((key, 0))? {
            Some((_, value)) if !self.scan(&self.row(&value)?, key, &mut each)? => return Ok(()),
            Some((begin, _)) => begin,
            // The first row was removed with its last entry.
            None => IVec::from(&row_key(START)),
        };
        // The entries of the key reach the end of the row and may continue in the next rows.
        let last = row_key((key, u64::MAX));
        let following = (Bound::Excluded(&*begin), Bound::Included(&last[..]));
        for row in self.tree.range::<&[u8], _>(following) {
            if !self.scan(&self.row(&row?.1)?, key, &mut each)? {
                break;
            }
        }
        Ok(())
    }

    /// Calls `each` with every entry of the tree.
    pub fn for_each(&self, mut each: impl FnMut(Entry) -> Result<(), DedupError>) -> Result<(), DedupError> {
        for row in &self.tree {
            let (_, value) = row?;
            self.row(&value)?.entries().try_for_each(&mut each)?;
        }
        Ok(())
    }

    /// Adds entries in any order; an entry that is there already stays as it is.
    pub fn merge(&self, entries: &mut [Entry]) -> Result<(), DedupError> {
        entries.sort_unstable_by_key(|entry| self.place(entry));
        let (mut rest, mut batches) = (&*entries, 0_usize);
        while !rest.is_empty() {
            rest = self.merge_some(rest)?;
            batches += 1;
            // sled reuses space only after the write that freed it is on disk. Without a flush, a merge takes as much disk space as
            // everything it writes, and a fifth more memory. A flush after each batch takes a third of the time of a merge.
            if batches.is_multiple_of(FLUSHED_EVERY) || rest.is_empty() {
                self.tree.flush()?;
            }
        }
        Ok(())
    }

    /// Adds the first of `entries`, as many as fit a batch. Returns the rest.
    fn merge_some<'e>(&self, entries: &'e [Entry]) -> Result<&'e [Entry], DedupError> {
        let at_most = (BATCH_ROWS * self.row_bytes / (self.word_bytes + 8)).max(1);
        let (mut batch, mut rows, mut rest) = (Batch::default(), 0, entries);
        let Some(first) = entries.first() else {
            return Ok(rest);
        };
        let row = self.row_of(self.place(first))?;
        let (mut begin, mut value) = row.unwrap_or_else(|| (IVec::from(&row_key(START)), IVec::default()));
        let mut following = self.tree.range((Bound::Excluded(begin.clone()), Bound::Unbounded));
        while rows < BATCH_ROWS {
            let next = following.next().transpose()?;
            let is_before_next = |entry: &Entry| {
                let end = next.as_ref().map(|(end, _)| end);
                end.is_none_or(|end| row_key(self.place(entry))[..] < **end)
            };
            let of_row = rest.partition_point(is_before_next);
            let (new, later) = rest.split_at(of_row.min(at_most));
            if !new.is_empty() {
                rows += self.write_row(&mut batch, &begin, &value, new)?;
            }
            rest = later;
            // If the new entries of a row exceed a batch, the batch cuts the row. Then the row of the remaining
            // entries must be found again.
            match next {
                Some(next) if !rest.is_empty() && of_row <= at_most => (begin, value) = next,
                _ => break,
            }
        }
        self.tree.apply_batch(batch)?;
        Ok(rest)
    }

    /// Writes a row with its new entries, as one row or several. Returns the number of rows.
    fn write_row(&self, batch: &mut Batch, begin: &IVec, value: &IVec, new: &[Entry]) -> Result<usize, DedupError> {
        let mut entries: Vec<Entry> = new.to_vec();
        entries.extend(self.row(value)?.entries());
        // The sort is stable: of two entries with one place, the new one stays.
        entries.sort_by_key(|entry| self.place(entry));
        entries.dedup_by_key(|entry| self.place(entry));
        let bytes = self.encode(&entries).len();
        let pieces = if bytes <= self.row_bytes {
            1
        } else {
            // Three quarters full, so that the next entry does not cut the row again.
            bytes.div_ceil(self.row_bytes * 3 / 4)
        };
        let mut written = 0;
        for piece in entries.chunks(entries.len().div_ceil(pieces)) {
            let value = self.encode(piece);
            match piece.first() {
                Some(first) if written > 0 => batch.insert(&row_key(self.place(first)), value),
                _ => batch.insert(begin, value),
            }
            written += 1;
        }
        Ok(written)
    }

    /// Removes an entry if it is there.
    pub fn remove(&self, entry: Entry) -> Result<(), DedupError> {
        let Some((begin, value)) = self.row_of(self.place(&entry))? else {
            return Ok(());
        };
        let entries: Vec<Entry> = self.row(&value)?.entries().collect();
        let rest: Vec<Entry> = entries.iter().filter(|other| **other != entry).copied().collect();
        if rest.is_empty() {
            self.tree.remove(begin)?;
        } else if rest.len() < entries.len() {
            self.tree.insert(begin, self.encode(&rest))?;
        }
        Ok(())
    }

    fn place(&self, entry: &Entry) -> Place {
        ((self.key_of)(entry.word), entry.id)
    }

    /// The row that contains `place`.
    fn row_of(&self, place: Place) -> Result<Option<(IVec, IVec)>, DedupError> {
        Ok(self.tree.range(..=row_key(place)).next_back().transpose()?)
    }

    /// Calls `each` with the entries of `key` in a row. Returns whether the row ends before an entry of a greater key.
    fn scan(
        &self,
        row: &Row<'_>,
        key: u64,
        each: &mut impl FnMut(Entry) -> Result<(), DedupError>,
    ) -> Result<bool, DedupError> {
        let (mut from, mut to) = (0, row.len());
        while from < to {
            let middle = usize::midpoint(from, to);
            if (self.key_of)(row.entry(middle).word) < key {
                from = middle + 1;
            } else {
                to = middle;
            }
        }
        for entry in (from..row.len()).map(|at| row.entry(at)) {
            if (self.key_of)(entry.word) != key {
                return Ok(false);
            }
            each(entry)?;
        }
        Ok(true)
    }

    fn row<'v>(&self, value: &'v [u8]) -> Result<Row<'v>, DedupError> {
        Row::new(value, self.word_bytes).ok_or(DedupError::Corrupt(self.name))
    }

    fn encode(&self, entries: &[Entry]) -> Vec<u8> {
        let largest = entries.iter().map(|entry| entry.id).max().unwrap_or(0);
        let id_bytes = (u64::BITS - largest.leading_zeros()).div_ceil(8).max(1) as usize;
        let mut value = Vec::with_capacity(1 + entries.len() * (self.word_bytes + id_bytes));
        value.push(id_bytes as u8);
        for entry in entries {
            value.extend_from_slice(&entry.word.to_le_bytes()[..self.word_bytes]);
            value.extend_from_slice(&entry.id.to_le_bytes()[..id_bytes]);
        }
        value
    }
}

/// The decoded value of a row.
struct Row<'v> {
    entries: &'v [u8],
    word_bytes: usize,
    size: usize,
}

impl<'v> Row<'v> {
    /// `None` for bytes that are not a row. No bytes are an empty row.
    fn new(value: &'v [u8], word_bytes: usize) -> Option<Self> {
        let (id_bytes, entries) = match value {
            [] => (8, value),
            [id_bytes @ 1..=8, entries @ ..] => (usize::from(*id_bytes), entries),
            _ => return None,
        };
        let size = word_bytes + id_bytes;
        entries.len().is_multiple_of(size).then_some(Self {
            entries,
            word_bytes,
            size,
        })
    }

    fn len(&self) -> usize {
        self.entries.len() / self.size
    }

    fn entry(&self, at: usize) -> Entry {
        let (word, id) = self.entries[at * self.size..][..self.size].split_at(self.word_bytes);
        let (mut word_le, mut id_le) = ([0; 16], [0; 8]);
        word_le[..word.len()].copy_from_slice(word);
        id_le[..id.len()].copy_from_slice(id);
        Entry {
            word: u128::from_le_bytes(word_le),
            id: u64::from_le_bytes(id_le),
        }
    }

    fn entries(&self) -> impl Iterator<Item = Entry> + '_ {
        (0..self.len()).map(|at| self.entry(at))
    }
}

fn row_key((key, id): Place) -> [u8; 16] {
    (u128::from(key) << 64 | u128::from(id)).to_be_bytes()
}
