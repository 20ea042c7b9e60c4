//! SimHash (Charikar 2002): a fingerprint whose Hamming distance grows with the angle between two texts' features.

use std::fmt;
use std::str::FromStr;

use serde::{Deserialize, Serialize};

/// A 64-bit SimHash.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub struct Fingerprint(#[serde(with = "postcard::fixint::le")] pub u64);

impl Fingerprint {
    /// Bits in which the two differ, 0 to 64.
    #[must_use]
    pub fn distance(self, other: Self) -> u32 {
        hamming_distance(self.0, other.0)
    }
}

/// Bits in which two words differ.
#[must_use]
pub fn hamming_distance(a: u64, b: u64) -> u32 {
    (a ^ b).count_ones()
}

impl fmt::Display for Fingerprint {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:016x}", self.0)
    }
}

/// A text that is not 16 hexadecimal digits.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{0:?} is not a fingerprint: 16 hexadecimal digits")]
pub struct InvalidFingerprint(String);

impl FromStr for Fingerprint {
    type Err = InvalidFingerprint;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let digits = text.len() == 16 && text.bytes().all(|b| b.is_ascii_hexdigit());
        match u64::from_str_radix(text, 16) {
            Ok(bits) if digits => Ok(Self(bits)),
            _ => Err(InvalidFingerprint(text.to_owned())),
        }
    }
}

/// The sums behind a fingerprint: bit by bit, the weights of the features whose hash has the bit set minus those of the
/// others.
#[derive(Debug, Clone)]
pub struct Accumulator {
    sums: [f32; 64],
    features: usize,
}

impl Default for Accumulator {
    fn default() -> Self {
        Self {
            sums: [0.0; 64],
            features: 0,
        }
    }
}

impl Accumulator {
    /// Adds a feature by its hash.
    pub fn add(&mut self, hash: u64, weight: f32) {
        for (bit, sum) in self.sums.iter_mut().enumerate() {
            // +weight where the bit is set, -weight where it is not, without a branch.
            let sign = ((!(hash >> bit) & 1) as u32) << 31;
            *sum += f32::from_bits(weight.to_bits() ^ sign);
        }
        self.features += 1;
    }

    /// The sums, bit 0 first.
    #[must_use]
    pub fn sums(&self) -> &[f32; 64] {
        &self.sums
    }

    /// A bit is 1 where its sum is above zero. `None` without a feature: nothing has no fingerprint.
    #[must_use]
    pub fn fingerprint(&self) -> Option<Fingerprint> {
        if self.features == 0 {
            return None;
        }
        let bits = self
            .sums
            .iter()
            .enumerate()
            .map(|(bit, sum)| u64::from(*sum > 0.0) << bit);
        Some(Fingerprint(bits.fold(0, |all, bit| all | bit)))
    }
}

/// The fingerprint of features that all weigh the same; one that occurs more often stands there as often, so its weight
/// is its frequency. `None` without a feature.
///
/// The same as adding each to an [`Accumulator`] with weight 1 (a property test says so), at a fiftieth of the cost: the
/// sums of all 64 bits are counted at once, in words that hold one binary digit of every sum (Harley and Seal's
/// carry-save adders; Muła, Kurz, Lemire 2018).
#[must_use]
pub fn of_equal_weights(features: &[u64]) -> Option<Fingerprint> {
    if features.is_empty() {
        return None;
    }
    let ones = ones_per_bit(features);
    let bit = |(bit, count): (usize, &u64)| u64::from(2 * count > features.len() as u64) << bit;
    Some(Fingerprint(
        ones.iter().enumerate().map(bit).fold(0, |all, bit| all | bit),
    ))
}

/// How many of the words have each bit set, bit 0 first.
fn ones_per_bit(words: &[u64]) -> [u64; 64] {
    // digits[i] holds the i-th binary digit of each of the 64 counts.
    let mut digits = [0_u64; 64];
    let mut eights = words.chunks_exact(8);
    for w in &mut eights {
        let [ones, twos, fours, ..] = &mut digits;
        let a = add(ones, w[0], w[1]);
        let b = add(ones, w[2], w[3]);
        let c = add(ones, w[4], w[5]);
        let d = add(ones, w[6], w[7]);
        let (e, f) = (add(twos, a, b), add(twos, c, d));
        let eight = add(fours, e, f);
        carry(&mut digits[3..], eight);
    }
    for word in eights.remainder() {
        carry(&mut digits, *word);
    }
    let count = |bit: usize| {
        digits
            .iter()
            .enumerate()
            .map(|(i, digit)| ((digit >> bit) & 1) << i)
            .sum()
    };
    std::array::from_fn(count)
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

    /// The hashes are written most significant bit first, as in the sources.
    fn sums(features: &[(u64, f32)], bits: usize) -> Vec<f32> {
        let mut accumulator = Accumulator::default();
        features
            .iter()
            .for_each(|&(hash, weight)| accumulator.add(hash, weight));
        accumulator.sums()[..bits].iter().rev().copied().collect()
    }

    #[test]
    fn the_worked_example_of_two_features() {
        let features = [(0b10_0101, 4.0), (0b10_1011, 5.0)];
        assert_eq!(sums(&features[..1], 6), [4.0, -4.0, -4.0, 4.0, -4.0, 4.0]);
        assert_eq!(sums(&features, 6), [9.0, -9.0, 1.0, -1.0, 1.0, 9.0]);
        let mut accumulator = Accumulator::default();
        features
            .iter()
            .for_each(|&(hash, weight)| accumulator.add(hash, weight));
        assert_eq!(accumulator.fingerprint().unwrap().0 & 0b11_1111, 0b10_1011);
    }

    #[test]
    fn the_worked_example_of_a_fractional_weight() {
        assert_eq!(sums(&[(0b10_0110, 0.57)], 6), [0.57, -0.57, -0.57, 0.57, 0.57, -0.57]);
    }

    #[test]
    fn a_sum_of_zero_is_a_zero_bit() {
        let mut accumulator = Accumulator::default();
        accumulator.add(u64::MAX, 1.0);
        accumulator.add(0, 1.0);
        assert_eq!(accumulator.fingerprint(), Some(Fingerprint(0)));
    }

    proptest::proptest! {
        #[test]
        fn counting_all_bits_at_once_is_adding_each_with_weight_one(
            features in proptest::collection::vec(0_u64.., 0..300),
        ) {
            let mut accumulator = Accumulator::default();
            features.iter().for_each(|hash| accumulator.add(*hash, 1.0));
            proptest::prop_assert_eq!(of_equal_weights(&features), accumulator.fingerprint());
        }
    }

    #[test]
    fn nothing_has_no_fingerprint() {
        assert_eq!(Accumulator::default().fingerprint(), None);
    }

    #[test]
    fn the_distance_is_the_number_of_differing_bits() {
        assert_eq!(hamming_distance(0b10_0110, 0b10_0011), 2);
        assert_eq!(hamming_distance(0b1_0101, 0b0_0110), 3);
    }

    #[test]
    fn a_fingerprint_is_written_as_16_digits_and_read_back() {
        let fingerprint = Fingerprint(0x00ab_cdef_0123_4567);
        assert_eq!(fingerprint.to_string(), "00abcdef01234567");
        assert_eq!("00abcdef01234567".parse(), Ok(fingerprint));
        for bad in ["", "abc", "+0abcdef01234567", "00abcdef0123456g"] {
            assert!(bad.parse::<Fingerprint>().is_err(), "{bad}");
        }
    }
}
