//! SimHash (Charikar 2002): a fingerprint whose Hamming distance grows with the angle between two texts' features.

use crate::fingerprint::Fingerprint;

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
        Some(bits.fold(0, |all, bit| all | bit).into())
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
    let bits: u64 = ones.iter().enumerate().map(bit).fold(0, |all, bit| all | bit);
    Some(bits.into())
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
        assert_eq!(accumulator.fingerprint().unwrap().bits() & 0b11_1111, 0b10_1011);
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
        assert_eq!(accumulator.fingerprint(), Some(0_u64.into()));
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
}
