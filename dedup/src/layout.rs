//! The blocks of a fingerprint, and the theorem by which the index finds every near-duplicate.
//!
//! ```text
//! bit 63          48 47          32 31          16 15           0
//!     ┌─────────────┬──────────────┬──────────────┬─────────────┐
//!     │   block 3   │   block 2    │   block 1    │   block 0   │      64 bits in four blocks
//!     └─────────────┴──────────────┴──────────────┴─────────────┘
//! bit 63               43 42               22 21              0
//!     ┌──────────────────┬───────────────────┬────────────────┐
//!     │   block 2 (21)   │   block 1 (21)    │  block 0 (22)  │        in three
//!     └──────────────────┴───────────────────┴────────────────┘
//! ```
//!
//! A fingerprint is cut into m blocks of about equal size. Each block is the key of a bucket, which holds all
//! fingerprints with that block (Manku, Jain, Das Sarma 2007). Let a query search block i within rᵢ bits, that is,
//! every bucket whose key differs from the query's block in at most rᵢ bits. If all blocks of two fingerprints differ
//! in more bits than that, the fingerprints differ in at least Σ (rᵢ + 1) bits. So **if k < Σ (rᵢ + 1), a query finds
//! every fingerprint within k bits**. The number of probes grows fast with a radius, so k + 1 is divided evenly among
//! the blocks, wider blocks first. With four blocks of 16:
//!
//! | k | radii | probes per query | |
//! |---|---|---|---|
//! | 0 | 0 − − − | 1 | a block without a share is not searched |
//! | 3 | 0 0 0 0 | 4 | |
//! | 5 | 1 1 0 0 | 36 | |
//! | 7 | 1 1 1 1 | 68 | |
//! | 10 | 2 2 2 1 | 428 | radius 2 everywhere would be 548 |
//! | 11 | 2 2 2 2 | 548 | |
//!
//! Fewer and wider blocks meet fewer candidates and take less memory, but need more probes; more and narrower blocks
//! do the opposite. A layout with more than [`MAX_PROBES`] probes is an error, so a threshold that no layout
//! guarantees cannot be configured.

mod costs;
mod error;

pub use self::costs::{Costs, trade_offs};
pub use self::error::LayoutError;
use crate::fingerprint::Width;

/// Upper bound on the buckets that a query probes. With more, a scan over all fingerprints is as fast.
pub(crate) const MAX_PROBES: u64 = 1 << 14;

/// Bits of a block if only the distance is given: a table of 2^16 buckets fits the cache, and with 10^6 fingerprints a
/// bucket holds 15.
const BLOCK_BITS: u32 = 16;

/// How fingerprints are cut into blocks, and the radius within which each block is searched.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Layout {
    width: Width,
    blocks: usize,
    max_distance: u32,
}

/// A block of a layout.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Block {
    /// Position of its lowest bit.
    pub shift: u32,
    /// Number of bits, at least 1.
    pub bits: u32,
    /// Number of bits in which a searched key may differ from the query's; `None` for a block that is not searched.
    pub radius: Option<u32>,
}

impl Block {
    /// Number of buckets that a query probes in this block's table.
    #[must_use]
    pub(crate) fn probes(self) -> u64 {
        self.radius.map_or(0, |radius| ball(self.bits, radius))
    }
}

impl Layout {
    /// The layout in blocks of 16 bits that finds every pair within `distance` bits: four blocks for a width of 64.
    ///
    /// # Errors
    /// The distance is too large for the width.
    pub fn for_distance(width: Width, distance: u32) -> Result<Self, LayoutError> {
        Self::new(width, (width.bits() / BLOCK_BITS) as usize, distance)
    }

    /// The layout in `blocks` blocks that finds every pair within `max_distance` bits with the fewest probes.
    ///
    /// # Errors
    /// The width cannot be cut into this many blocks, the distance is not less than the width, or a query would take
    /// more than 16,384 probes.
    pub fn new(width: Width, blocks: usize, max_distance: u32) -> Result<Self, LayoutError> {
        let bits = width.bits();
        if blocks == 0 || blocks > bits as usize {
            return Err(LayoutError::Blocks { blocks, bits });
        }
        let layout = Self {
            width,
            blocks,
            max_distance,
        };
        let is_possible = |blocks, max_distance| {
            let layout = Self {
                width,
                blocks,
                max_distance,
            };
            max_distance < bits && layout.probes() <= MAX_PROBES
        };
        if is_possible(blocks, max_distance) {
            return Ok(layout);
        }
        let mut smaller_distances = (0..bits.min(max_distance)).rev();
        let mut more_blocks = blocks + 1..=bits as usize;
        Err(LayoutError::Distance {
            distance: max_distance,
            bits,
            blocks,
            largest: smaller_distances.find(|distance| is_possible(blocks, *distance)),
            enough_blocks: more_blocks.find(|blocks| is_possible(*blocks, max_distance)),
        })
    }

    /// Width of the fingerprints.
    #[must_use]
    pub fn width(self) -> Width {
        self.width
    }

    /// The distance, in bits, within which every pair is found.
    #[must_use]
    pub fn max_distance(self) -> u32 {
        self.max_distance
    }

    /// The blocks, lowest first.
    pub fn blocks(self) -> impl ExactSizeIterator<Item = Block> {
        (0..self.blocks).map(move |number| self.block(number))
    }

    /// Block `number`; block 0 is the lowest.
    #[must_use]
    pub(crate) fn block(self, number: usize) -> Block {
        let (each, wider) = (
            self.width.bits() as usize / self.blocks,
            self.width.bits() as usize % self.blocks,
        );
        Block {
            shift: (number * each + number.min(wider)) as u32,
            bits: (each + usize::from(number < wider)) as u32,
            radius: radius(self.blocks, self.max_distance, number),
        }
    }

    /// The bits of block `number` in a fingerprint: the key of its bucket.
    #[must_use]
    pub fn key(self, fingerprint: u128, number: usize) -> u128 {
        let Block { shift, bits, .. } = self.block(number);
        (fingerprint >> shift) & (u128::MAX >> (u128::BITS - bits))
    }

    /// The differences between the query's block and the searched keys: all words with at most `radius` ones, fewest
    /// first.
    #[cfg(feature = "redis")]
    #[must_use]
    pub(crate) fn masks(self, number: usize) -> Vec<u128> {
        let block = self.block(number);
        block.radius.map_or_else(Vec::new, |radius| masks(block.bits, radius))
    }

    /// Number of buckets that a query probes.
    #[must_use]
    pub(crate) fn probes(self) -> u64 {
        self.blocks().map(Block::probes).fold(0, u64::saturating_add)
    }

    /// The mean number of entries in the buckets that a query probes, for each fingerprint of an index of random ones.
    #[must_use]
    pub(crate) fn mean_entries_per_document(self) -> f64 {
        let of_block = |block: Block| block.probes() as f64 / 2_f64.powi(block.bits as i32);
        self.blocks().map(of_block).sum()
    }

    /// Whether `number` is the lowest block in which a search meets a pair that differs in `difference`. A search meets
    /// a pair in every block whose radius covers its difference, and reports it once.
    #[must_use]
    #[cfg(any(test, feature = "redis"))]
    pub(crate) fn is_first_meeting(self, difference: u128, number: usize) -> bool {
        let met = |lower| {
            let radius = self.block(lower).radius;
            radius.is_some_and(|radius| self.key(difference, lower).count_ones() <= radius)
        };
        !(0..number).any(met)
    }
}

/// The radius of block `number` if `distance + 1` is divided among this many blocks: its share less one; `None` without
/// a share.
pub(crate) fn radius(blocks: usize, distance: u32, number: usize) -> Option<u32> {
    let pigeons = distance as usize + 1;
    let share = pigeons / blocks + usize::from(number < pigeons % blocks);
    share.checked_sub(1).map(|radius| radius as u32)
}

/// The number of words of `bits` bits with at most `radius` ones; `u64::MAX` if there are more.
pub(crate) fn ball(bits: u32, radius: u32) -> u64 {
    let mut binomial = 1_u128;
    let mut sum = 1_u128;
    for ones in 1..=radius.min(bits) {
        // C(n, i) = C(n, i − 1) · (n − i + 1) / i; sums above `u64::MAX` are not needed.
        binomial = binomial * u128::from(bits - ones + 1) / u128::from(ones);
        sum += binomial;
        if sum > u128::from(u64::MAX) {
            return u64::MAX;
        }
    }
    sum as u64
}

/// All words of `bits` bits with at most `radius` ones, fewest first.
pub(crate) fn masks(bits: u32, radius: u32) -> Vec<u128> {
    let mut masks = vec![0_u128];
    let mut begin = 0;
    for _ in 0..radius.min(bits) {
        let end = masks.len();
        // Each new bit is above the highest one, so that each word arises once.
        for at in begin..end {
            let lowest = u128::BITS - masks[at].leading_zeros();
            masks.extend((lowest..bits).map(|bit| masks[at] | 1 << bit).collect::<Vec<_>>());
        }
        begin = end;
    }
    masks
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn the_numbers_of_probes_are_the_published_ones() {
        let probes = |distance| Layout::for_distance(Width::W64, distance).unwrap().probes();
        assert_eq!([0, 3, 5, 7, 10, 11].map(probes), [1, 4, 36, 68, 428, 548]);
        for (distance, radius) in [(3, 0), (7, 1), (11, 2)] {
            let mut blocks = Layout::for_distance(Width::W64, distance).unwrap().blocks();
            assert!(blocks.all(|block| block.radius == Some(radius)));
        }
    }

    #[test]
    fn every_width_has_a_layout_for_a_distance_of_ten() {
        for width in Width::ALL {
            assert!(Layout::for_distance(width, 10).unwrap().probes() < MAX_PROBES);
        }
    }

    #[test]
    fn the_blocks_divide_the_whole_width_evenly() {
        for width in Width::ALL {
            for blocks in 1..=width.bits() as usize {
                let layout = Layout::new(width, blocks, 0).unwrap();
                let mut next = 0;
                for block in layout.blocks() {
                    assert_eq!(block.shift, next);
                    assert!(block.bits.abs_diff(width.bits() / blocks as u32) <= 1);
                    next += block.bits;
                }
                assert_eq!(next, width.bits());
            }
        }
    }

    #[test]
    fn a_distance_that_no_layout_guarantees_is_refused_with_an_alternative() {
        let message = |made: Result<Layout, LayoutError>| made.unwrap_err().to_string();
        let too_far = message(Layout::for_distance(Width::W64, 30));
        assert!(
            too_far.contains("at most 20 ") && too_far.contains("5 blocks or more"),
            "{too_far}"
        );
        assert!(Layout::for_distance(Width::W64, 20).is_ok() && Layout::new(Width::W64, 5, 30).is_ok());
        let too_wide = message(Layout::for_distance(Width::W32, 32));
        assert!(
            too_wide.contains("at most 11 ") && !too_wide.contains("or more"),
            "{too_wide}"
        );
        assert!(message(Layout::new(Width::W64, 65, 3)).contains("1 to 64"));
        assert!(message(Layout::new(Width::W64, 0, 3)).contains("1 to 64"));
        assert!(message(Layout::new(Width::W32, 4, u32::MAX)).contains("choose"));
    }

    #[test]
    fn the_masks_are_all_words_with_at_most_radius_ones() {
        for (bits, radius) in [(1, 0), (1, 1), (16, 2), (12, 3), (21, 2), (5, 5)] {
            let mut within: Vec<_> = (0..1_u128 << bits).filter(|word| word.count_ones() <= radius).collect();
            within.sort_by_key(|word| word.count_ones());
            let mut masks = masks(bits, radius);
            assert!(masks.is_sorted_by_key(|mask| mask.count_ones()));
            assert_eq!(masks.len() as u64, ball(bits, radius));
            masks.sort_by_key(|mask| (mask.count_ones(), *mask));
            assert_eq!(masks, within);
        }
        assert_eq!(ball(128, 128), u64::MAX);
    }

    fn layout() -> impl Strategy<Value = Layout> {
        let parts = (prop::sample::select(Width::ALL.to_vec()), 1_usize..=24, 0_u32..=20);
        parts.prop_filter_map("more probes than a layout may take", |(width, blocks, distance)| {
            Layout::new(width, blocks, distance).ok()
        })
    }

    proptest! {
        /// The theorem; and each pair has exactly one first block.
        #[test]
        fn every_pair_within_the_distance_is_met_first_in_exactly_one_block(
            layout in layout(),
            bits in prop::collection::vec(any::<prop::sample::Index>(), 0..=20),
        ) {
            let place = |bit: &prop::sample::Index| bit.index(layout.width().bits() as usize);
            let mut difference = 0_u128;
            for bit in bits.iter().take(layout.max_distance() as usize) {
                difference |= 1 << place(bit);
            }
            let met = |number: &usize| {
                let radius = layout.block(*number).radius;
                radius.is_some_and(|radius| layout.key(difference, *number).count_ones() <= radius)
            };
            let first = |number: &usize| met(number) && layout.is_first_meeting(difference, *number);
            prop_assert_eq!((0..layout.blocks().len()).filter(first).count(), 1);
        }

        /// No search is wider than needed: with one bit less in any radius, some pair is missed.
        #[test]
        fn the_shares_of_the_blocks_add_up_to_the_distance_and_one(layout in layout()) {
            let pigeons: u32 = layout.blocks().filter_map(|block| block.radius).map(|radius| radius + 1).sum();
            prop_assert_eq!(pigeons, layout.max_distance() + 1);
            prop_assert!(layout.blocks().all(|block| block.radius.is_none_or(|radius| radius < block.bits)));
        }
    }
}
