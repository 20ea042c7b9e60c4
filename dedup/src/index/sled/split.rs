//! Overfull buckets, split a second time (Wang, Wang 2019): their fingerprints once more, by blocks of the remaining bits.
//!
//! ```text
//! tree                 key                             value
//! dedup-splits         block number u8 │ block u64 BE  entries of the bucket, about  u64 BE
//! dedup-split-i-j      see [packed]                    the fingerprints of the split buckets of block i, by block and
//!                                                      sub-block j together
//!
//! fingerprint          ┌── above ──┬── block i ──┬── below ──┐
//! the remaining bits   │  sub 3 │  sub 2 │  sub 1 │  sub 0  │   above │ below, in four even sub-blocks
//! ```
//!
//! The theorem of [`layout`](crate::layout) again: a bucket whose block differs from the query's in b bits holds what is
//! within k only where the remaining bits differ in at most k − b; deal k − b + 1 out to the sub-blocks, search each
//! within its share less one, and every such fingerprint is found. Where that would look into more rows than the bucket
//! has, the bucket is read as it is.
//!
//! A bucket counts as split when `dedup-splits` says so, which is written after all its fingerprints are in the other
//! trees; one that was cut off is begun again. Removals look into these trees whether or not the bucket counts as split.

use std::collections::HashMap;

use sled::{Db, Tree};

use super::packed::{Entry, PackedTree};
use super::trees::WORD_BYTES;
use super::{SPLIT, SPLITS};
use crate::error::DedupError;
use crate::layout::{BLOCK_BITS, BLOCKS, block};

/// Sub-blocks of the remaining bits.
const SUB_BLOCKS: usize = 4;
/// Bits of a sub-block.
const SUB_BITS: u32 = (WORD_BYTES as u32 * 8 - BLOCK_BITS) / SUB_BLOCKS as u32;
/// Rows of a bucket that are read in the time of a look for one row elsewhere.
const ROWS_A_LOOK: u64 = 4;
/// Entries that are copied in memory at a time.
const COPIED: usize = 1 << 16;

/// See the module's text.
pub(super) struct Splits {
    db: Db,
    row_bytes: usize,
    registry: Tree,
    /// Entries of each split bucket, by block number and block.
    split: HashMap<(usize, u64), u64>,
    /// The trees of each block; none before a bucket of it is split.
    trees: Vec<Vec<PackedTree>>,
}

impl Splits {
    pub fn open(db: &Db, row_bytes: usize) -> Result<Self, DedupError> {
        let mut splits = Self {
            db: db.clone(),
            row_bytes,
            registry: db.open_tree(SPLITS)?,
            split: HashMap::new(),
            trees: (0..BLOCKS).map(|_| Vec::new()).collect(),
        };
        for row in &splits.registry {
            let (key, value) = row?;
            let corrupt = || DedupError::Corrupt(SPLITS);
            let (number, block) = key.split_first().ok_or_else(corrupt)?;
            let number = Some(usize::from(*number)).filter(|number| *number < BLOCKS);
            let block = super::read_u64(block).ok_or_else(corrupt)?;
            let count = super::read_u64(&value).ok_or_else(corrupt)?;
            splits.split.insert((number.ok_or_else(corrupt)?, block), count);
        }
        let names = db.tree_names();
        for number in 0..BLOCKS {
            if names.iter().any(|name| **name == *tree_name(number, 0).as_bytes()) {
                splits.open_trees(number)?;
            }
        }
        Ok(splits)
    }

    fn open_trees(&mut self, number: usize) -> Result<(), DedupError> {
        if self.trees[number].is_empty() {
            let open = |sub| {
                let tree = self.db.open_tree(tree_name(number, sub))?;
                let key_of = Box::new(move |word| sub_key(word as u64, number, sub));
                Ok(PackedTree::new(tree, SPLIT, WORD_BYTES, self.row_bytes, key_of))
            };
            self.trees[number] = (0..SUB_BLOCKS).map(open).collect::<Result<_, DedupError>>()?;
        }
        Ok(())
    }

    /// Whether a bucket is split.
    pub fn contains(&self, number: usize, key: u64) -> bool {
        self.split.contains_key(&(number, key))
    }

    /// Adds new entries of a block's tree, as far as their buckets are split.
    pub fn add(&mut self, number: usize, entries: &[Entry]) -> Result<(), DedupError> {
        if self.trees[number].is_empty() {
            return Ok(());
        }
        let key_of = |entry: &Entry| (number, u64::from(block(entry.word as u64, number)));
        let of_split = entries.iter().filter(|entry| self.split.contains_key(&key_of(entry)));
        let mut new: Vec<Entry> = of_split.copied().collect();
        for tree in &self.trees[number] {
            tree.merge(&mut new)?;
        }
        let mut grown = HashMap::new();
        for entry in &new {
            *grown.entry(key_of(entry)).or_insert(0) += 1;
        }
        for (bucket, more) in grown {
            let count = self.split.get(&bucket).map_or(0, |count| count + more);
            self.register(bucket, count)?;
        }
        Ok(())
    }

    /// Splits a bucket of the tree `of`.
    pub fn split(&mut self, number: usize, key: u64, of: &PackedTree) -> Result<(), DedupError> {
        self.open_trees(number)?;
        let (mut waiting, mut count, trees) = (Vec::new(), 0, &self.trees[number]);
        let mut flush = |waiting: &mut Vec<Entry>| {
            count += waiting.len() as u64;
            trees.iter().try_for_each(|tree| tree.merge(waiting).map(drop))?;
            waiting.clear();
            Ok::<(), DedupError>(())
        };
        of.of_key(key, |entry| {
            waiting.push(entry);
            if waiting.len() >= COPIED {
                flush(&mut waiting)
            } else {
                Ok(())
            }
        })?;
        flush(&mut waiting)?;
        self.register((number, key), count)
    }

    fn register(&mut self, (number, key): (usize, u64), count: u64) -> Result<(), DedupError> {
        let mut row = vec![number as u8];
        row.extend(key.to_be_bytes());
        self.registry.insert(row, &count.to_be_bytes())?;
        self.split.insert((number, key), count);
        Ok(())
    }

    /// Takes an entry out, if it is there.
    pub fn remove(&self, number: usize, entry: Entry) -> Result<(), DedupError> {
        self.trees[number].iter().try_for_each(|tree| tree.remove(entry))
    }

    /// Calls `each` once with every entry of a bucket whose remaining bits differ from the query's in at most `distance`,
    /// and with others; whether it did, or the bucket is better read as it is. `key` is the bucket's, not the query's.
    pub fn near(
        &self,
        (number, key): (usize, u64),
        query: u64,
        distance: u32,
        mut each: impl FnMut(Entry),
    ) -> Result<bool, DedupError> {
        let Some(count) = self.split.get(&(number, key)) else {
            return Ok(false);
        };
        let rows = count / entries_of_row(self.row_bytes) as u64;
        let looks: u64 = (0..SUB_BLOCKS)
            .filter_map(|sub| radius(distance, sub))
            .map(|radius| masks(radius).count() as u64)
            .sum();
        if looks * ROWS_A_LOOK >= rows {
            return Ok(false);
        }
        for (sub, tree) in self.trees[number].iter().enumerate() {
            let Some(radius_of_sub) = radius(distance, sub) else {
                continue;
            };
            let query_sub = sub_block(query, number, sub);
            for mask in masks(radius_of_sub) {
                tree.of_key(key << SUB_BITS | (query_sub ^ mask), |entry| {
                    let met = |lower| {
                        let difference = sub_block(query ^ entry.word as u64, number, lower);
                        radius(distance, lower).is_some_and(|radius| difference.count_ones() <= radius)
                    };
                    if !(0..sub).any(met) {
                        each(entry);
                    }
                    Ok(())
                })?;
            }
        }
        Ok(true)
    }
}

/// Entries of a row, about.
pub(super) fn entries_of_row(row_bytes: usize) -> usize {
    (row_bytes / (WORD_BYTES + 3)).max(1)
}

/// How far around a sub-block to search.
fn radius(distance: u32, sub: usize) -> Option<u32> {
    let pigeons = distance as usize + 1;
    let share = pigeons / SUB_BLOCKS + usize::from(sub < pigeons % SUB_BLOCKS);
    share.checked_sub(1).map(|radius| radius as u32)
}

/// The words of a sub-block of at most `radius` bits.
fn masks(radius: u32) -> impl Iterator<Item = u64> {
    (0..=radius).flat_map(|bits| {
        let least = (1_u64 << bits) - 1;
        std::iter::successors(Some(least), |&word| {
            // The next greater word of as many bits (Gosper).
            let lowest = word & word.wrapping_neg();
            let carried = word.checked_add(lowest).filter(|_| lowest > 0)?;
            Some(carried | (((word ^ carried) >> 2) / lowest))
        })
        .take_while(|word| *word < 1 << SUB_BITS)
    })
}

fn sub_block(word: u64, number: usize, sub: usize) -> u64 {
    let below = BLOCK_BITS * number as u32;
    // In two steps: the uppermost block has nothing above it.
    let above = word >> below >> BLOCK_BITS << below;
    let rest = above | word & ((1 << below) - 1);
    rest >> (SUB_BITS as usize * sub) & ((1 << SUB_BITS) - 1)
}

fn sub_key(word: u64, number: usize, sub: usize) -> u64 {
    u64::from(block(word, number)) << SUB_BITS | sub_block(word, number, sub)
}

fn tree_name(number: usize, sub: usize) -> String {
    format!("{SPLIT}{number}-{sub}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn block_and_sub_blocks_hold_every_bit_once() {
        for number in 0..BLOCKS {
            for bit in 0..64 {
                let word = 1_u64 << bit;
                let in_subs: u32 = (0..SUB_BLOCKS)
                    .map(|sub| sub_block(word, number, sub).count_ones())
                    .sum();
                assert_eq!(in_subs + block(word, number).count_ones(), 1, "bit {bit} of {number}");
            }
        }
    }

    #[test]
    fn the_masks_are_all_words_of_so_few_bits() {
        for radius in 0..4 {
            let mut all: Vec<u64> = masks(radius).collect();
            all.sort_unstable();
            let expected: Vec<u64> = (0..1 << SUB_BITS)
                .filter(|word: &u64| word.count_ones() <= radius)
                .collect();
            assert_eq!(all, expected);
        }
    }
}
