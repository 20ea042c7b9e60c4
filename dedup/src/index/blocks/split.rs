//! When an overfull bucket is split, and by which blocks of the remaining bits.
//!
//! Real fingerprints are skewed: in one index of 4 million, a quarter had the same first block, and every probe of that
//! bucket scanned a million entries. The improved SimHash (Wang, Wang 2019) cuts a bucket with more than (1 + μ) × the
//! mean a second time:
//!
//! ```text
//! the word     │  block 3  │  block 2  │ its block │  block 0  │
//! rotated       │    3    │    2    │    1    │    0    │        48 bits outside the block, in four of 12
//! ```
//!
//! The index still finds every near pair. If the keys of query and bucket differ in c bits, a near pair differs in at
//! most k − c of the other bits, and the pigeonhole principle applies to those as to the whole word, for any choice of
//! blocks. So the split leaves out blocks that do not spread the bucket's entries, and gives the other blocks their
//! share of the radius. If no block spreads the entries, or if probing the blocks would cost more than the scan, the
//! bucket stays whole until it has doubled.

use super::word::{Cut, Word};
use crate::layout::{MAX_PROBES, ball, radius};

/// Bits of a block of an overfull bucket, and of the numbers of its buckets.
const BLOCK_BITS: u32 = 12;
/// The cost of a probe, in entries scanned.
pub(super) const PROBE: u64 = 256;

/// When a bucket is split.
#[derive(Debug, Clone, Copy)]
pub(super) struct Skew {
    /// μ: a bucket may hold (1 + μ) × the mean.
    pub(super) mu: f64,
    /// Buckets with fewer entries are never split.
    pub(super) floor: usize,
    /// The cost of a probe, in entries.
    pub(super) probe: u64,
    /// The largest distance that is searched.
    pub(super) max_distance: u32,
}

impl Skew {
    pub(super) fn is_overfull(&self, len: usize, of: usize, bucket_bits: u32) -> bool {
        len as f64 > (1.0 + self.mu) * of as f64 / f64::from(bucket_bits).exp2()
    }
}

/// The blocks by which to split a bucket of the table of `cut`, best first; `None` if a split costs more than it saves.
pub(super) fn spreading_cuts<W: Word>(cut: Cut, slots: &[u32], words: &[W], skew: &Skew) -> Option<Vec<Cut>> {
    let mut spread: Vec<(f64, Cut)> = cuts_outside(cut, skew.max_distance)
        .into_iter()
        .map(|cut| (mean_met(cut, slots, words), cut))
        .filter(|(met, _)| *met <= slots.len() as f64 / 8.0)
        .collect();
    if spread.is_empty() {
        return None;
    }
    spread.sort_by(|a, b| a.0.total_cmp(&b.0));
    let met: f64 = spread.iter().map(|(met, _)| met).sum();
    let cuts: Vec<Cut> = spread.into_iter().map(|(_, cut)| cut).collect();
    let cost = search_cost(cuts.iter().copied(), skew.max_distance, slots.len(), skew.probe)?;
    (met as u64 + cost < slots.len() as u64).then_some(cuts)
}

/// The cost, in entries scanned, of a search within `distance` by blocks of `len` entries; `None` if it takes more
/// probes than any search may.
pub(super) fn search_cost(
    cuts: impl ExactSizeIterator<Item = Cut>,
    distance: u32,
    len: usize,
    probe: u64,
) -> Option<u64> {
    let blocks = cuts.len();
    let mut cost = 0;
    for (number, cut) in cuts.enumerate() {
        let Some(radius) = radius(blocks, distance, number) else {
            continue;
        };
        let probes = ball(cut.bits, radius);
        if probes > MAX_PROBES {
            return None;
        }
        cost += probes * probe + ((probes * len as u64) >> cut.bucket_bits);
    }
    Some(cost)
}

/// The blocks of the bits outside a block of the whole word: at most as many as a search within `max_distance` probes.
pub(super) fn cuts_outside(cut: Cut, max_distance: u32) -> Vec<Cut> {
    let span = cut.bits_outside();
    let blocks = (span / BLOCK_BITS).max(2).min(max_distance + 1).min(span);
    cut.outside(blocks, BLOCK_BITS).collect()
}

/// The mean number of entries in the bucket of an entry, if these entries are cut by `cut`.
fn mean_met<W: Word>(cut: Cut, slots: &[u32], words: &[W]) -> f64 {
    let mut lens = vec![0_u32; 1 << cut.bucket_bits];
    for &slot in slots {
        lens[cut.bucket(cut.key(cut.rotated(words[slot as usize]))) as usize] += 1;
    }
    let squares = lens.iter().map(|len| f64::from(*len) * f64::from(*len));
    squares.sum::<f64>() / slots.len() as f64
}
