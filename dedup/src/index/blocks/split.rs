//! An overfull bucket, searched by blocks of the remaining bits.
//!
//! Real fingerprints crowd: of one reader's 4 million a quarter had the same first block, and every look into that bucket
//! was a scan of a million. The cure is that of the improved SimHash (Wang, Wang 2019): a bucket beyond (1 + μ) × the mean
//! is cut a second time.
//!
//! ```text
//! the word     │  block 3  │  block 2  │ its block │  block 0  │
//! turned       │    3    │    2    │    1    │    0    │        48 bits beside the block, in four of 12
//! ```
//!
//! Recall stays a theorem: the keys of query and bucket differ in c bits, so a near pair differs in at most k − c of the
//! others, and the pigeonhole principle guarantees these by the same argument as at the top. It holds of any of the
//! blocks, so those that do not spread the bucket's entries (all alike there too) are left out, and the radius dealt to
//! the others; where none spreads, or looking into so many buckets would cost more than the scan, the bucket stays as it
//! is, to be tried again when it has doubled.

use super::group::LANES;
use super::table::Table;
use super::word::{Cut, Word};
use crate::layout::{MAX_PROBES, ball, radius};

/// Bits of a block of an overfull bucket, and of its buckets' numbers.
const BLOCK_BITS: u32 = 12;
/// A look into a bucket costs as much as scanning so many entries of one.
pub(super) const PROBE: u64 = 256;

/// When a bucket is split.
#[derive(Debug, Clone, Copy)]
pub(super) struct Skew {
    /// μ: a bucket may hold (1 + μ) × the mean.
    pub(super) mu: f64,
    /// Nothing under it is split.
    pub(super) floor: usize,
    /// The cost of a look, in entries.
    pub(super) probe: u64,
    /// The largest distance that is searched.
    pub(super) max_distance: u32,
}

impl Skew {
    pub(super) fn is_overfull(&self, len: usize, of: usize, bucket_bits: u32) -> bool {
        len as f64 > (1.0 + self.mu) * of as f64 / f64::from(bucket_bits).exp2()
    }
}

/// The entries of an overfull bucket.
#[derive(Debug, Clone)]
pub(super) struct Split {
    /// A table for each block that spreads the entries, the best first; at least one.
    pub(super) tables: Vec<Table>,
}

impl Split {
    /// The entries of a bucket of the table of `cut`, split; `None` where that does not pay.
    pub(super) fn new<W: Word>(cut: Cut, slots: &[u32], words: &[W], skew: &Skew) -> Option<Self> {
        let cuts = cuts_beside(cut, skew.max_distance);
        let mut spread: Vec<(f64, Cut)> = cuts
            .into_iter()
            .map(|cut| (mean_met(cut, slots, words), cut))
            .filter(|(met, _)| *met <= slots.len() as f64 / 8.0)
            .collect();
        spread.sort_by(|a, b| a.0.total_cmp(&b.0));
        if spread.is_empty() {
            return None;
        }
        let mut split = Self {
            tables: spread.iter().map(|(_, cut)| Table::new(*cut)).collect(),
        };
        let met: f64 = spread.iter().map(|(met, _)| met).sum();
        if met as u64 + split.cost(skew.max_distance, slots.len(), skew.probe)? >= slots.len() as u64 {
            return None;
        }
        for &slot in slots {
            split.insert(words[slot as usize], slot);
        }
        Some(split)
    }

    pub(super) fn len(&self) -> usize {
        self.tables[0].len()
    }

    pub(super) fn insert<W: Word>(&mut self, word: W, slot: u32) {
        self.tables.iter_mut().for_each(|table| table.push(word, slot));
    }

    pub(super) fn remove<W: Word>(&mut self, word: W, slot: u32) -> bool {
        let before = self.len();
        self.tables.iter_mut().for_each(|table| table.remove(word, slot));
        self.len() < before
    }

    /// Whether a search within `distance` costs less than a scan over all entries.
    pub(super) fn search_pays(&self, distance: u32, probe: u64) -> bool {
        let table = &self.tables[0];
        // A lot at least is read of each bucket.
        let scan = (table.len() + (LANES << table.cut.bucket_bits)) as u64;
        self.cost(distance, table.len(), probe).is_some_and(|cost| cost < scan)
    }

    /// What a search within `distance` costs, in entries scanned; `None` for more looks than any search may take.
    fn cost(&self, distance: u32, len: usize, probe: u64) -> Option<u64> {
        let blocks = self.tables.len();
        let mut cost = 0;
        for (number, table) in self.tables.iter().enumerate() {
            let Some(radius) = radius(blocks, distance, number) else {
                continue;
            };
            let probes = ball(table.cut.bits, radius);
            if probes > MAX_PROBES {
                return None;
            }
            cost += probes * probe + ((probes * len as u64) >> table.cut.bucket_bits);
        }
        Some(cost)
    }
}

/// The blocks of the bits beside a block of the whole word: no more than a search within `max_distance` looks into.
pub(super) fn cuts_beside(cut: Cut, max_distance: u32) -> Vec<Cut> {
    let span = cut.bits_beside();
    let blocks = (span / BLOCK_BITS).max(2).min(max_distance + 1).min(span);
    cut.beside(blocks, BLOCK_BITS).collect()
}

/// How many entries share the bucket of an entry of these, on average.
fn mean_met<W: Word>(cut: Cut, slots: &[u32], words: &[W]) -> f64 {
    let mut lens = vec![0_u32; 1 << cut.bucket_bits];
    for &slot in slots {
        lens[cut.bucket(cut.key(cut.turned(words[slot as usize]))) as usize] += 1;
    }
    let squares = lens.iter().map(|len| f64::from(*len) * f64::from(*len));
    squares.sum::<f64>() / slots.len() as f64
}
