//! The blocks of a fingerprint and the theorem that makes the index find all that it must.
//!
//! ```text
//! bit 63          48 47          32 31          16 15           0
//!     ┌─────────────┬──────────────┬──────────────┬─────────────┐
//!     │   block 3   │   block 2    │   block 1    │   block 0   │
//!     └─────────────┴──────────────┴──────────────┴─────────────┘
//! ```
//!
//! Four blocks of 16 bits (Manku, Jain, Das Sarma 2007), each the key of a bucket that holds the fingerprints with that
//! block. Let two fingerprints differ in k bits. Were every block to differ in more than r of them, they would differ in
//! at least 4 · (r + 1) bits. So **if k < 4 · (r + 1), some block differs in at most r bits**, and looking into every
//! bucket within r bits of each of the query's blocks finds the pair: radius 0 for k ≤ 3, radius 1 for k ≤ 7, radius 2
//! for k ≤ 11, at 4, 68 and 548 buckets a query. A larger threshold has no layout and cannot be configured.

/// Blocks of a fingerprint.
pub const BLOCKS: usize = 4;
/// Bits of a block.
pub const BLOCK_BITS: u32 = 16;
/// Largest Hamming distance that a layout guarantees.
pub const MAX_DISTANCE: u32 = 11;

/// How far around each block is searched.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Layout {
    radius: u32,
}

/// A threshold that no layout guarantees.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("a Hamming distance of {0} is more than the index can guarantee to find; choose 0 to {MAX_DISTANCE}")]
pub struct DistanceTooLarge(pub u32);

impl Layout {
    /// The cheapest layout that finds every pair within `distance` bits.
    ///
    /// # Errors
    /// There is none: `distance` is above [`MAX_DISTANCE`].
    pub fn for_distance(distance: u32) -> Result<Self, DistanceTooLarge> {
        if distance > MAX_DISTANCE {
            return Err(DistanceTooLarge(distance));
        }
        Ok(Self {
            radius: distance / BLOCKS as u32,
        })
    }

    /// Bits by which a searched key may differ from the query's block.
    #[must_use]
    pub fn radius(self) -> u32 {
        self.radius
    }

    /// The differences of the searched keys from the query's block: the masks of at most `radius` bits, fewest first.
    #[must_use]
    pub fn masks(self) -> Vec<u16> {
        let mut masks: Vec<u16> = (0..=u16::MAX).filter(|mask| mask.count_ones() <= self.radius).collect();
        masks.sort_by_key(|mask| (mask.count_ones(), *mask));
        masks
    }
}

/// A block of a fingerprint, 0 the lowest.
#[must_use]
pub fn block(fingerprint: u64, number: usize) -> u16 {
    (fingerprint >> (BLOCK_BITS as usize * number)) as u16
}

/// Whether a pair that differs in `difference` is met first in block `number`: it is met in every block that differs in
/// at most `radius` bits, and counted in the lowest of these.
#[must_use]
pub fn is_first_meeting(difference: u64, number: usize, radius: u32) -> bool {
    (0..number).all(|lower| block(difference, lower).count_ones() > radius)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn the_probes_are_those_of_the_literature() {
        let probes = |distance| BLOCKS * Layout::for_distance(distance).unwrap().masks().len();
        assert_eq!([0, 3, 4, 7, 8, 11].map(probes), [4, 4, 68, 68, 548, 548]);
        assert_eq!(Layout::for_distance(12), Err(DistanceTooLarge(12)));
    }

    proptest! {
        /// The theorem, and that a pair is met first exactly once.
        #[test]
        fn every_pair_within_the_distance_is_met_first_in_exactly_one_block(
            distance in 0..=MAX_DISTANCE,
            bits in prop::collection::hash_set(0_u32..64, 0..=MAX_DISTANCE as usize),
        ) {
            let layout = Layout::for_distance(distance).unwrap();
            let difference = bits.iter().fold(0_u64, |all, bit| all | 1 << bit);
            prop_assume!(difference.count_ones() <= distance);
            let met = |number: &usize| block(difference, *number).count_ones() <= layout.radius();
            let first = |number: &usize| met(number) && is_first_meeting(difference, *number, layout.radius());
            prop_assert_eq!((0..BLOCKS).filter(first).count(), 1);
        }
    }
}
