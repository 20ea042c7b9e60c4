//! SimHash (Charikar 2002): fingerprints whose Hamming distance grows with the angle between the feature vectors of two
//! texts.
//!
//! Each feature has a hash of `width` bits. For each bit, add the weights of the features whose hash has the bit set
//! and subtract the weights of the others. The bit of the fingerprint is 1 if the sum is above zero.
//!
//! This is random-hyperplane hashing. Write the text as a vector of the weights of all features. For bit i, take the
//! vector with +1 for each feature whose hash has bit i set and −1 for each other feature. The sum is the dot product
//! of the two vectors, so the bit says on which side of the i-th of `width` random hyperplanes the text lies.
//!
//! A feature is itself a hash of 64 bits, and its low bits serve for widths of 32 and 64. For a width of 128, a second
//! hash is the upper half.

use crate::fingerprint::{Fingerprint, Width};
use crate::hash::rehash;

/// The upper half of a feature's 128 bits.
fn upper(feature: u64) -> u64 {
    rehash(feature, 0)
}

/// The sums of a fingerprint: for each bit, the weights of the features whose hash has the bit set minus the weights of
/// the others. Sums of integers depend neither on the order of the features nor on the machine.
#[derive(Debug, Clone)]
pub(crate) struct Accumulator {
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

    /// Adds a feature by its hash. The caller chooses the unit of the weights. Up to 2^31 features cannot overflow.
    pub fn add(&mut self, feature: u64, weight: u32) {
        let (low, high) = self.sums.split_at_mut(64);
        add_signed(low, feature, weight);
        if self.width == Width::W128 {
            add_signed(high, upper(feature), weight);
        }
        self.has_weight |= weight > 0;
    }

    /// One sum per bit, bit 0 first.
    #[must_use]
    pub fn sums(&self) -> &[i64] {
        &self.sums[..self.width.bits() as usize]
    }

    /// The fingerprint of the sums. `None` if no feature has a weight above 0: an empty text has no fingerprint.
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

/// Adds `weight` for each bit that is set and subtracts it for each other bit, without a branch.
fn add_signed(sums: &mut [i64], bits: u64, weight: u32) {
    let weight = i64::from(weight);
    for (bit, sum) in sums.iter_mut().enumerate() {
        let sign = (bits >> bit & 1) as i64 - 1;
        *sum += (weight ^ sign) - sign;
    }
}

/// The fingerprint of occurrences of features, each with weight 1: the weight of a feature is its frequency. `None`
/// without a feature.
///
/// Equal to adding each occurrence to an [`Accumulator`] with weight 1, as a property test shows, at a fiftieth of the
/// cost. It counts all 64 bits at once, in words that hold one binary digit of every count (carry-save adders by Harley
/// and Seal; Muła, Kurz, Lemire 2018).
#[must_use]
pub(crate) fn of_equal_weights(features: &[u64], width: Width) -> Option<Fingerprint> {
    if features.is_empty() {
        return None;
    }
    let mut bits = u128::from(majority(features, |feature| feature));
    if width == Width::W128 {
        bits |= u128::from(majority(features, upper)) << 64;
    }
    Some(Fingerprint::new(width, bits))
}

/// The bits that are set in more than half of the features' hashes.
fn majority(features: &[u64], hash: impl Fn(u64) -> u64) -> u64 {
    let digits = ones_per_bit(features, hash);
    let half = features.len() / 2;
    // Compares all 64 counts with half the number of features at once, highest digit first.
    let (mut more, mut equal) = (0, u64::MAX);
    for (i, digit) in digits.iter().enumerate().rev() {
        let digit_of_half = 0_u64.wrapping_sub((half >> i & 1) as u64);
        more |= equal & digit & !digit_of_half;
        equal &= !(digit ^ digit_of_half);
    }
    more
}

/// Number of binary digits of a count.
const DIGITS: usize = usize::BITS as usize;

/// For each bit, the number of hashes in which it is set: the i-th word holds the i-th binary digit of all 64 counts.
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

/// Adds two words to a digit of the counts. Returns the carry to the next digit.
fn add(digit: &mut u64, a: u64, b: u64) -> u64 {
    let half = *digit ^ a;
    let over = (*digit & a) | (half & b);
    *digit = half ^ b;
    over
}

/// Adds a word to the lowest of these digits.
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

    fn hash(feature: u64, width: Width) -> u128 {
        match width {
            Width::W32 => u128::from(feature as u32),
            Width::W64 => u128::from(feature),
            Width::W128 => u128::from(upper(feature)) << 64 | u128::from(feature),
        }
    }

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
    fn features_without_weight_have_no_fingerprint() {
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
        /// The definition of random-hyperplane hashing in exact numbers: the sign of the dot product of the text's
        /// vector with one random vector of ±1 per bit.
        #[test]
        fn a_fingerprint_is_the_signs_of_dot_products_with_random_hyperplanes(
            text in prop::collection::vec((any::<u64>(), 0_u32..5_000), 1..40),
        ) {
            for width in Width::ALL {
                let vector: Vec<i128> = text.iter().map(|&(_, weight)| i128::from(weight)).collect();
                let mut signs = 0;
                for bit in 0..width.bits() {
                    let side = |&(feature, _): &(u64, u32)| if hash(feature, width) >> bit & 1 == 1 { 1 } else { -1 };
                    let random: Vec<i128> = text.iter().map(side).collect();
                    let dot: i128 = vector.iter().zip(&random).map(|(d, r)| d * r).sum();
                    signs |= u128::from(dot > 0) << bit;
                }
                let expected = vector.iter().any(|weight| *weight > 0).then(|| Fingerprint::new(width, signs));
                prop_assert_eq!(accumulated(&text, width).fingerprint(), expected);
            }
        }

        #[test]
        fn counting_all_bits_at_once_equals_adding_each_with_weight_one(
            features in prop::collection::vec(any::<u64>(), 0..300),
        ) {
            for width in Width::ALL {
                let each: Vec<_> = features.iter().map(|&feature| (feature, 1)).collect();
                prop_assert_eq!(of_equal_weights(&features, width), accumulated(&each, width).fingerprint());
            }
        }
    }
}
