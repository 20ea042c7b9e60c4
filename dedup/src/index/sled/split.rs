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
use super::trees::Shape;
use super::{SPLIT, SPLITS};
use crate::error::DedupError;
use crate::layout::{self, Block, Layout, ball, radius};

/// Sub-blocks of the remaining bits.
const SUB_BLOCKS: usize = 4;
/// Rows of a bucket that are read in the time of a look for one row elsewhere.
const ROWS_A_LOOK: u64 = 4;
/// Entries that are copied in memory at a time.
const COPIED: usize = 1 << 16;

/// See the module's text.
pub(super) struct Splits {
    db: Db,
    shape: Shape,
    registry: Tree,
    /// Entries of each split bucket, by block number and block.
    split: HashMap<(usize, u64), u64>,
    /// The trees of each block; none before a bucket of it is split.
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

    /// Adds new entries of a block's tree, as far as their buckets are split.
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

    /// Takes an entry out, if it is there.
    pub fn remove(&self, number: usize, entry: Entry) -> Result<(), DedupError> {
        self.trees[number].iter().try_for_each(|tree| tree.remove(entry))
    }

    /// Calls `each` once with every entry of a bucket whose remaining bits differ from the query's in at most `distance`,
    /// and with others; whether it did, or the bucket is better read as it is. `key` is the bucket's, not the query's.
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
        let looks: u64 = searched().map(|(sub, radius)| ball(sub.bits, radius)).sum();
        if looks.saturating_mul(ROWS_A_LOOK) >= rows {
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

/// A piece of the bits beside a block.
#[derive(Debug, Clone, Copy)]
struct SubBlock {
    beside: Block,
    shift: u32,
    bits: u32,
}

impl SubBlock {
    fn new(layout: Layout, number: usize, sub: usize) -> Self {
        let beside = layout.block(number);
        let remaining = layout.width().bits() - beside.bits;
        let (each, wider) = (remaining as usize / SUB_BLOCKS, remaining as usize % SUB_BLOCKS);
        Self {
            beside,
            shift: (sub * each + sub.min(wider)) as u32,
            bits: (each + usize::from(sub < wider)) as u32,
        }
    }

    /// Its bits of a word.
    fn of(self, word: u128) -> u64 {
        let Block { shift, bits, .. } = self.beside;
        // In two steps: the uppermost block has nothing above it.
        let above = word >> shift >> bits << shift;
        let remaining = above | word & ((1 << shift) - 1);
        (remaining >> self.shift) as u64 & ((1 << self.bits) - 1)
    }

    /// The key of bucket and sub-block together.
    fn key(self, bucket: u64, sub_block: u64) -> u64 {
        bucket << self.bits | sub_block
    }
}

/// Whether the buckets of a block can be split: they have bits beside them, and both fit a key.
pub(super) fn can_split(layout: Layout, number: usize) -> bool {
    let sub = SubBlock::new(layout, number, 0);
    sub.bits > 0 && sub.bits + sub.beside.bits <= u64::BITS
}

fn tree_name(number: usize, sub: usize) -> String {
    format!("{SPLIT}{number}-{sub}")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fingerprint::Width;

    #[test]
    fn block_and_sub_blocks_hold_every_bit_once() {
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
