//! Overfull buckets, split a second time (Wang, Wang 2019): a copy of their fingerprints, keyed by blocks of the
//! remaining bits.
//!
//! ```text
//! tree                 key                             value
//! dedup-splits         block number u8 │ block u64 BE  approximate number of entries  u64 BE
//! dedup-split-i-j      see [packed]                    the fingerprints of the split buckets of block i, keyed by
//!                                                      block i and sub-block j
//!
//! fingerprint          ┌── above ──┬── block i ──┬── below ──┐
//! the remaining bits   │  sub 3 │  sub 2 │  sub 1 │  sub 0  │   above │ below, in four even sub-blocks
//! ```
//!
//! The theorem of [`layout`] applies again. In a bucket whose block differs from the query's in b bits,
//! a fingerprint within k differs in at most k − b of the remaining bits. Divide k − b + 1 among the sub-blocks and
//! search each within its share less one: every such fingerprint is found. If that reads more rows than the bucket has,
//! the search reads the whole bucket instead.
//!
//! A bucket counts as split when `dedup-splits` has a row for it. That row is written after all fingerprints of the
//! bucket are in the other trees; a split that was interrupted starts again. Removals search these trees whether or not
//! the bucket counts as split.

use std::collections::HashMap;

use sled::{Db, Tree};

use super::packed::{Entry, PackedTree};
use super::shape::Shape;
use super::{SPLIT, SPLITS};
use crate::error::DedupError;
use crate::layout::{self, Block, Layout, ball, radius};

/// Sub-blocks of the remaining bits.
const SUB_BLOCKS: usize = 4;
/// Consecutive rows that can be read in the time of one probe.
const ROWS_PER_PROBE: u64 = 4;
/// Entries copied in memory at once.
const COPIED: usize = 1 << 16;

/// The split buckets of all blocks.
pub(super) struct Splits {
    db: Db,
    shape: Shape,
    registry: Tree,
    /// Number of entries of each split bucket, by block number and key.
    split: HashMap<(usize, u64), u64>,
    /// The trees of each block; none before a bucket of the block is split.
    trees: Vec<Vec<PackedTree>>,
}

impl Splits {
    pub fn open(db: &Db, shape: Shape) -> Result<Self, DedupError> {
        let mut splits = Self {
            db: db.clone(),
            shape,
            registry: db.open_tree(SPLITS)?,
            split: HashMap::new(),
            trees: shape.layout.blocks().map(|_| Vec::new()).collect(),
        };
        for row in &splits.registry {
            let (key, value) = row?;
            let corrupt = || DedupError::Corrupt(SPLITS);
            let (number, block) = key.split_first().ok_or_else(corrupt)?;
            let number = Some(usize::from(*number)).filter(|number| *number < splits.trees.len());
            let block = super::read_u64(block).ok_or_else(corrupt)?;
            let count = super::read_u64(&value).ok_or_else(corrupt)?;
            splits.split.insert((number.ok_or_else(corrupt)?, block), count);
        }
        let names = db.tree_names();
        for number in 0..shape.layout.blocks().len() {
            if names.iter().any(|name| **name == *tree_name(number, 0).as_bytes()) {
                splits.open_trees(number)?;
            }
        }
        Ok(splits)
    }

    fn open_trees(&mut self, number: usize) -> Result<(), DedupError> {
        if self.trees[number].is_empty() {
            let shape = self.shape;
            let open = |sub| {
                let tree = self.db.open_tree(tree_name(number, sub))?;
                let key_of = Box::new(move |word| {
                    let sub_block = SubBlock::new(shape.layout, number, sub);
                    sub_block.key(shape.key(word, number), sub_block.of(word))
                });
                Ok(PackedTree::new(
                    tree,
                    SPLIT,
                    shape.word_bytes(),
                    shape.row_bytes,
                    key_of,
                ))
            };
            self.trees[number] = (0..SUB_BLOCKS).map(open).collect::<Result<_, DedupError>>()?;
        }
        Ok(())
    }

    /// Whether a bucket is split.
    pub fn contains(&self, number: usize, key: u64) -> bool {
        self.split.contains_key(&(number, key))
    }

    /// Adds those new entries of a block's tree whose buckets are split.
    pub fn add(&mut self, number: usize, entries: &[Entry]) -> Result<(), DedupError> {
        if self.trees[number].is_empty() {
            return Ok(());
        }
        let shape = self.shape;
        let key_of = |entry: &Entry| (number, shape.key(entry.word, number));
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

    /// Removes an entry if it is there.
    pub fn remove(&self, number: usize, entry: Entry) -> Result<(), DedupError> {
        self.trees[number].iter().try_for_each(|tree| tree.remove(entry))
    }

    /// Calls `each` once with every entry of a bucket whose remaining bits differ from the query's in at most
    /// `distance`, and with some other entries. Returns `false`, without a call, if the bucket is not split or cheaper
    /// to read whole. `key` is the key of the bucket, not of the query.
    pub fn near(
        &self,
        (number, key): (usize, u64),
        query: u128,
        distance: u32,
        mut each: impl FnMut(Entry),
    ) -> Result<bool, DedupError> {
        let Some(count) = self.split.get(&(number, key)) else {
            return Ok(false);
        };
        let rows = count / self.shape.entries_of_row() as u64;
        let sub_blocks = [0, 1, 2, 3].map(|sub| SubBlock::new(self.shape.layout, number, sub));
        let radii = [0, 1, 2, 3].map(|sub| radius(SUB_BLOCKS, distance, sub));
        let searched = || {
            sub_blocks
                .iter()
                .zip(radii)
                .filter_map(|(sub, radius)| Some((sub, radius?)))
        };
        let probes: u64 = searched().map(|(sub, radius)| ball(sub.bits, radius)).sum();
        if probes.saturating_mul(ROWS_PER_PROBE) >= rows {
            return Ok(false);
        }
        for (at, tree) in self.trees[number].iter().enumerate() {
            let (sub_block, Some(radius)) = (sub_blocks[at], radii[at]) else {
                continue;
            };
            for mask in layout::masks(sub_block.bits, radius) {
                tree.of_key(sub_block.key(key, sub_block.of(query) ^ mask as u64), |entry| {
                    let met = |lower: usize| {
                        let difference = sub_blocks[lower].of(query ^ entry.word);
                        radii[lower].is_some_and(|radius| difference.count_ones() <= radius)
                    };
                    if !(0..at).any(met) {
                        each(entry);
                    }
                    Ok(())
                })?;
            }
        }
        Ok(true)
    }
}

/// A part of the bits outside a block.
#[derive(Debug, Clone, Copy)]
struct SubBlock {
    block: Block,
    shift: u32,
    bits: u32,
}

impl SubBlock {
    fn new(layout: Layout, number: usize, sub: usize) -> Self {
        let block = layout.block(number);
        let remaining = layout.width().bits() - block.bits;
        let (each, wider) = (remaining as usize / SUB_BLOCKS, remaining as usize % SUB_BLOCKS);
        Self {
            block,
            shift: (sub * each + sub.min(wider)) as u32,
            bits: (each + usize::from(sub < wider)) as u32,
        }
    }

    /// The bits of a word in this sub-block.
    fn of(self, word: u128) -> u64 {
        let Block { shift, bits, .. } = self.block;
        // Two shifts: one shift by all 128 bits would overflow.
        let above = word >> shift >> bits << shift;
        let remaining = above | word & ((1 << shift) - 1);
        (remaining >> self.shift) as u64 & ((1 << self.bits) - 1)
    }

    /// The key of a bucket and a sub-block together.
    fn key(self, bucket: u64, sub_block: u64) -> u64 {
        bucket << self.bits | sub_block
    }
}

/// Whether the buckets of a block can be split: there are bits outside the block, and block and sub-block fit a key.
pub(super) fn can_split(layout: Layout, number: usize) -> bool {
    let sub = SubBlock::new(layout, number, 0);
    sub.bits > 0 && sub.bits + sub.block.bits <= u64::BITS
}

fn tree_name(number: usize, sub: usize) -> String {
    format!("{SPLIT}{number}-{sub}")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fingerprint::Width;

    #[test]
    fn block_and_sub_blocks_contain_every_bit_once() {
        for (width, blocks) in [(Width::W64, 4), (Width::W64, 5), (Width::W128, 8), (Width::W32, 2)] {
            let layout = Layout::new(width, blocks, 3).unwrap();
            for number in 0..blocks {
                assert!(can_split(layout, number));
                let subs = [0, 1, 2, 3].map(|sub| SubBlock::new(layout, number, sub));
                for bit in 0..width.bits() {
                    let word = 1_u128 << bit;
                    let in_subs: u32 = subs.iter().map(|sub| sub.of(word).count_ones()).sum();
                    let in_block = layout.key(word, number).count_ones();
                    assert_eq!(in_subs + in_block, 1, "bit {bit} of {number}");
                }
            }
        }
        assert!(!can_split(Layout::new(Width::W64, 1, 0).unwrap(), 0));
    }
}
