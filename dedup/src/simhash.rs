//! SimHash (Charikar 2002): a fingerprint whose Hamming distance grows with the angle between two texts' features.
//!
//! Each feature is a hash of `width` bits ([`hyperplane`]). Bit by bit the weights of the features that have it set are
//! added, those of the others subtracted; a bit of the fingerprint is 1 where the sum is above zero.
//!
//! This is random-hyperplane hashing: write the text as a vector with a place for every feature and the feature's weight
//! there; take for bit i the vector that holds ±1 for bit i of each feature's hash. The sum is the dot product of the two,
//! so the bit says on which side of the i-th of `width` random hyperplanes the text lies.

use crate::fingerprint::{Fingerprint, Width};
use crate::hash::rehash;

/// On which side of each hyperplane a feature stands: bit i is set for +1. The narrower widths are the low bits of the
/// wider ones; the upper half of 128 bits is a second hash of the feature.
#[must_use]
pub fn hyperplane(feature: u64, width: Width) -> u128 {
    match width {
        Width::W32 => u128::from(feature as u32),
        Width::W64 => u128::from(feature),
        Width::W128 => u128::from(upper(feature)) << 64 | u128::from(feature),
    }
}

fn upper(feature: u64) -> u64 {
    rehash(feature, 0)
}

/// The sums behind a fingerprint: bit by bit, the weights of the features whose hash has the bit set minus those of the
/// others. Whole numbers, so that neither the order of the features nor the machine makes a difference.
#[derive(Debug, Clone)]
pub struct Accumulator {
    width: Width,
    sums: [i64; 128],
    has_weight: bool,
}

impl Accumulator {
    /// Sums of no feature.
    #[must_use]
    pub fn new(width: Width) -> Self {
        Self {
            width,
            sums: [0; 128],
            has_weight: false,
        }
    }

    /// Adds a feature by its hash. The unit of the weight is the caller's; up to 2^31 features cannot overflow.
    pub fn add(&mut self, feature: u64, weight: u32) {
        let (low, high) = self.sums.split_at_mut(64);
        add_signed(low, feature, weight);
        if self.width == Width::W128 {
            add_signed(high, upper(feature), weight);
        }
        self.has_weight |= weight > 0;
    }

    /// The sums, bit 0 first, as many as the width has bits.
    #[must_use]
    pub fn sums(&self) -> &[i64] {
        &self.sums[..self.width.bits() as usize]
    }

    /// A bit is 1 where its sum is above zero. `None` without a feature that weighs anything: nothing has no fingerprint.
    #[must_use]
    pub fn fingerprint(&self) -> Option<Fingerprint> {
        let bits = self
            .sums()
            .iter()
            .rev()
            .fold(0, |bits, sum| bits << 1 | u128::from(*sum > 0));
        self.has_weight.then(|| Fingerprint::new(self.width, bits))
    }
}

/// Adds `weight` where the bit is set and subtracts it where it is not, without a branch.
fn add_signed(sums: &mut [i64], bits: u64, weight: u32) {
    let weight = i64::from(weight);
    for (bit, sum) in sums.iter_mut().enumerate() {
        let sign = (bits >> bit & 1) as i64 - 1;
        *sum += (weight ^ sign) - sign;
    }
}

/// The fingerprint of features that all weigh the same; one that occurs more often stands there as often, so its weight
/// is its frequency. `None` without a feature.
///
/// The same as adding each to an [`Accumulator`] with weight 1 (a property test says so), at a fiftieth of the cost: the
/// sums of all 64 bits are counted at once, in words that hold one binary digit of every sum (Harley and Seal's
/// carry-save adders; Muła, Kurz, Lemire 2018).
#[must_use]
pub fn of_equal_weights(features: &[u64], width: Width) -> Option<Fingerprint> {
    if features.is_empty() {
        return None;
    }
    let mut bits = u128::from(majority(features, |feature| feature));
    if width == Width::W128 {
        bits |= u128::from(majority(features, upper)) << 64;
    }
    Some(Fingerprint::new(width, bits))
}

/// The bits that are set in more than half of the hashes of the features.
fn majority(features: &[u64], hash: impl Fn(u64) -> u64) -> u64 {
    let digits = ones_per_bit(features, hash);
    let half = features.len() / 2;
    // All 64 counts are compared with the half at once, highest digit first, as numbers are.
    let (mut more, mut equal) = (0, u64::MAX);
    for (i, digit) in digits.iter().enumerate().rev() {
        let digit_of_half = 0_u64.wrapping_sub((half >> i & 1) as u64);
        more |= equal & digit & !digit_of_half;
        equal &= !(digit ^ digit_of_half);
    }
    more
}

/// Binary digits of a count of features.
const DIGITS: usize = usize::BITS as usize;

/// In how many of the hashes each bit is set: the i-th word holds the i-th binary digit of each of the 64 counts.
fn ones_per_bit(features: &[u64], hash: impl Fn(u64) -> u64) -> [u64; DIGITS] {
    let mut digits = [0; DIGITS];
    let (eights, rest) = features.as_chunks::<8>();
    let [mut ones, mut twos, mut fours] = [0; 3];
    for eight in eights {
        let w = eight.map(&hash);
        let a = add(&mut ones, w[0], w[1]);
        let b = add(&mut ones, w[2], w[3]);
        let c = add(&mut ones, w[4], w[5]);
        let d = add(&mut ones, w[6], w[7]);
        let (e, f) = (add(&mut twos, a, b), add(&mut twos, c, d));
        let eight = add(&mut fours, e, f);
        carry(&mut digits[3..], eight);
    }
    digits[..3].copy_from_slice(&[ones, twos, fours]);
    for feature in rest {
        carry(&mut digits, hash(*feature));
    }
    digits
}

/// Adds two words to a digit of the counts; returns what carries over to the next digit.
fn add(digit: &mut u64, a: u64, b: u64) -> u64 {
    let half = *digit ^ a;
    let over = (*digit & a) | (half & b);
    *digit = half ^ b;
    over
}

/// Adds a word to the lowest of some digits.
fn carry(digits: &mut [u64], mut word: u64) {
    for digit in digits {
        (*digit, word) = (*digit ^ word, *digit & word);
        if word == 0 {
            return;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn accumulated(features: &[(u64, u32)], width: Width) -> Accumulator {
        let mut accumulator = Accumulator::new(width);
        features
            .iter()
            .for_each(|&(hash, weight)| accumulator.add(hash, weight));
        accumulator
    }

    /// The hashes are written most significant bit first, as in the sources.
    fn sums(features: &[(u64, u32)], bits: usize) -> Vec<i64> {
        let accumulator = accumulated(features, Width::W64);
        accumulator.sums()[..bits].iter().rev().copied().collect()
    }

    #[test]
    fn the_worked_example_of_two_features() {
        let features = [(0b10_0101, 4), (0b10_1011, 5)];
        assert_eq!(sums(&features[..1], 6), [4, -4, -4, 4, -4, 4]);
        assert_eq!(sums(&features, 6), [9, -9, 1, -1, 1, 9]);
        let fingerprint = accumulated(&features, Width::W32).fingerprint().unwrap();
        assert_eq!(fingerprint.bits() & 0b11_1111, 0b10_1011);
    }

    #[test]
    fn the_worked_example_of_a_fractional_weight() {
        // 0.57 in hundredths.
        assert_eq!(sums(&[(0b10_0110, 57)], 6), [57, -57, -57, 57, 57, -57]);
    }

    #[test]
    fn a_sum_of_zero_is_a_zero_bit() {
        let accumulator = accumulated(&[(u64::MAX, 1), (0, 1)], Width::W64);
        assert_eq!(accumulator.fingerprint(), Some(0_u64.into()));
    }

    #[test]
    fn nothing_has_no_fingerprint() {
        for width in Width::ALL {
            assert_eq!(Accumulator::new(width).fingerprint(), None);
            assert_eq!(accumulated(&[(7, 0)], width).fingerprint(), None);
            assert_eq!(of_equal_weights(&[], width), None);
        }
    }

    #[test]
    fn narrower_fingerprints_are_the_low_bits_of_wider_ones() {
        let features: Vec<u64> = (0..99).map(|n| rehash(n, 7)).collect();
        let [narrow, middle, wide] = Width::ALL.map(|width| of_equal_weights(&features, width).unwrap().bits());
        assert_eq!(
            (narrow, middle),
            (middle & u128::from(u32::MAX), wide & u128::from(u64::MAX))
        );
        assert!((wide >> 64).abs_diff(middle) > 0);
    }

    proptest! {
        /// The definition of random-hyperplane hashing, in exact numbers: the sign of the dot product of the text's
        /// vector with one random vector of ±1 a bit.
        #[test]
        fn a_fingerprint_is_the_signs_of_dot_products_with_random_hyperplanes(
            text in prop::collection::vec((any::<u64>(), 0_u32..5_000), 1..40),
        ) {
            for width in Width::ALL {
                let vector: Vec<i128> = text.iter().map(|&(_, weight)| i128::from(weight)).collect();
                let mut signs = 0;
                for bit in 0..width.bits() {
                    let side = |&(feature, _): &(u64, u32)| if hyperplane(feature, width) >> bit & 1 == 1 { 1 } else { -1 };
                    let random: Vec<i128> = text.iter().map(side).collect();
                    let dot: i128 = vector.iter().zip(&random).map(|(d, r)| d * r).sum();
                    signs |= u128::from(dot > 0) << bit;
                }
                let expected = vector.iter().any(|weight| *weight > 0).then(|| Fingerprint::new(width, signs));
                prop_assert_eq!(accumulated(&text, width).fingerprint(), expected);
            }
        }

        #[test]
        fn counting_all_bits_at_once_is_adding_each_with_weight_one(
            features in prop::collection::vec(any::<u64>(), 0..300),
        ) {
            for width in Width::ALL {
                let each: Vec<_> = features.iter().map(|&feature| (feature, 1)).collect();
                prop_assert_eq!(of_equal_weights(&features, width), accumulated(&each, width).fingerprint());
            }
        }
    }
}
