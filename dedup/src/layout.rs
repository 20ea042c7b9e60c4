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
//! block. Let block i be searched within rᵢ bits: every bucket whose key differs from the query's block in at most rᵢ.
//! Two fingerprints whose blocks all differ in more than that differ in at least Σ (rᵢ + 1) bits. So **if
//! k < Σ (rᵢ + 1), every pair within k bits is found**, and since a wide radius is dear, the k + 1 are dealt out evenly:
//!
//! | k | radii | buckets a query | |
//! |---|---|---|---|
//! | 0 | 0 − − − | 1 | a block without a share need not be searched |
//! | 3 | 0 0 0 0 | 4 | |
//! | 5 | 1 1 0 0 | 36 | |
//! | 7 | 1 1 1 1 | 68 | |
//! | 10 | 2 2 2 1 | 428 | radius 2 everywhere would be 548 |
//! | 11 | 2 2 2 2 | 548 | |
//!
//! A larger threshold has no layout and cannot be configured.

/// Blocks of a fingerprint.
pub const BLOCKS: usize = 4;
/// Bits of a block.
pub const BLOCK_BITS: u32 = 16;
/// Largest Hamming distance that a layout guarantees.
pub const MAX_DISTANCE: u32 = 11;

/// How far around each block is searched.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Layout {
    max_distance: u32,
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
        Ok(Self { max_distance: distance })
    }

    /// Every pair within this many bits is found.
    #[must_use]
    pub fn max_distance(self) -> u32 {
        self.max_distance
    }

    /// Bits by which a searched key may differ from the query's block; `None` for a block that need not be searched.
    #[must_use]
    pub fn radius(self, number: usize) -> Option<u32> {
        let pigeons = self.max_distance as usize + 1;
        let share = pigeons / BLOCKS + usize::from(number < pigeons % BLOCKS);
        share.checked_sub(1).map(|radius| radius as u32)
    }

    /// The differences of the searched keys from the query's block, the masks of at most the radius's bits, fewest first.
    #[must_use]
    pub fn masks(self, number: usize) -> Vec<u16> {
        let within = |mask: &u16| self.radius(number).is_some_and(|radius| mask.count_ones() <= radius);
        let mut masks: Vec<u16> = (0..=u16::MAX).filter(within).collect();
        masks.sort_by_key(|mask| (mask.count_ones(), *mask));
        masks
    }

    /// Whether a pair that differs in `difference` is met first in block `number`: it is met in every block within that
    /// block's radius, and counted in the lowest of these.
    #[must_use]
    pub fn is_first_meeting(self, difference: u64, number: usize) -> bool {
        let met = |lower| {
            self.radius(lower)
                .is_some_and(|radius| block(difference, lower).count_ones() <= radius)
        };
        !(0..number).any(met)
    }
}

/// The bits of a fingerprint of 64.
pub(crate) fn word(fingerprint: crate::Fingerprint) -> u64 {
    fingerprint.bits() as u64
}

/// A block of a fingerprint, 0 the lowest.
#[must_use]
pub fn block(fingerprint: u64, number: usize) -> u16 {
    (fingerprint >> (BLOCK_BITS as usize * number)) as u16
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn the_probes_are_those_of_the_literature() {
        let probes = |distance| {
            let layout = Layout::for_distance(distance).unwrap();
            (0..BLOCKS).map(|number| layout.masks(number).len()).sum::<usize>()
        };
        assert_eq!([0, 3, 5, 7, 10, 11].map(probes), [1, 4, 36, 68, 428, 548]);
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
            let met = |number: &usize| layout.masks(*number).contains(&block(difference, *number));
            let first = |number: &usize| met(number) && layout.is_first_meeting(difference, *number);
            prop_assert_eq!((0..BLOCKS).filter(first).count(), 1);
        }
    }
}
