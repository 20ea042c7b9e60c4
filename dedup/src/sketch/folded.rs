//! A sketch laid out so that its first words already bound the difference of two sketches.
//!
//! ```text
//! sketch   A (512 bits) │ B (512 bits)
//! half     H = A ⊕ B = C (256 bits) │ D (256 bits)
//! quarter  Q = C ⊕ D
//! folded   Q │ D │ B       256 + 256 + 512 bits, from which C, H and A follow
//! ```
//!
//! A bit of A ⊕ B changes only if exactly one of its two bits changes. So **two folds differ in at most as many bits as
//! what was folded**: the quarters differ in at most as many bits as the halves, and these in at most as many as the
//! sketches. A search for sketches that differ in at most d bits rules out most others by their quarters, 32 bytes
//! each, and is exact.
//!
//! A fold rules out more than a piece of the same size. Where sketches differ in a share p of their bits, their halves
//! differ in a share of 2p(1 − p), and quarters fold twice. Sets with a Jaccard index of 0.5 differ in p = 1/4 of the
//! bits: in 120 ± 8 of 256 bits of the quarters, and in 64 ± 7 bits of a piece of 256 bits. At a bound of d = 122
//! (similarity 0.76) the quarters rule out a third of these sets and the halves, 192 ± 11 of 512, all of them. A piece
//! of 512 bits, 128 ± 10, rules out two thirds. (Bitmap filter: Sandes, Teodoro, Melo, "Bitmap filter: Speeding up
//! exact set similarity joins with bitwise operations", Information Systems 88, 2020.)

use super::{Sketch, WORDS};

/// Words of a quarter.
const QUARTER: usize = WORDS / 4;
/// Words of a half.
const HALF: usize = WORDS / 2;

/// 256 bits.
pub(crate) type Quarter = [u64; QUARTER];
/// 512 bits.
pub(crate) type Half = [u64; HALF];

/// A folded sketch.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Folded {
    /// Q: the fold of the half.
    pub(crate) quarter: Quarter,
    /// D: completes the quarter to the half.
    pub(crate) to_half: Quarter,
    /// B: completes the half to the sketch.
    pub(crate) to_whole: Half,
}

impl Folded {
    pub(crate) fn new(sketch: &Sketch) -> Self {
        let half = half(sketch);
        Self {
            quarter: std::array::from_fn(|word| half[word] ^ half[word + QUARTER]),
            to_half: std::array::from_fn(|word| half[word + QUARTER]),
            to_whole: std::array::from_fn(|word| sketch.0[word + HALF]),
        }
    }

    pub(crate) fn sketch(&self) -> Sketch {
        let half: Half = std::array::from_fn(|word| {
            let completed = self.to_half[word % QUARTER];
            if word < QUARTER {
                self.quarter[word] ^ completed
            } else {
                completed
            }
        });
        Sketch(std::array::from_fn(|word| {
            let completed = self.to_whole[word % HALF];
            if word < HALF { half[word] ^ completed } else { completed }
        }))
    }
}

/// The first fold of a sketch: 512 bits.
pub(crate) fn half(sketch: &Sketch) -> Half {
    std::array::from_fn(|word| sketch.0[word] ^ sketch.0[word + HALF])
}

/// Number of bits in which two pieces of equal length differ.
#[inline(always)]
pub(crate) fn differing<const N: usize>(a: &[u64; N], b: &[u64; N]) -> u32 {
    let mut differing = 0;
    for (a, b) in a.iter().zip(b) {
        differing += (a ^ b).count_ones();
    }
    differing
}

/// Whether `a` and `b`, of which each is given in its three parts, differ in at most `most` bits.
#[inline(always)]
pub(crate) fn differ_at_most(most: u32, a: &Folded, b: (&Quarter, &Quarter, &Half)) -> bool {
    let (quarter, to_half, to_whole) = b;
    if differing(&a.quarter, quarter) > most {
        return false;
    }
    let mut half = [0; HALF];
    for word in 0..QUARTER {
        let completed = a.to_half[word] ^ to_half[word];
        half[word] = a.quarter[word] ^ quarter[word] ^ completed;
        half[word + QUARTER] = completed;
    }
    if differing(&half, &[0; HALF]) > most {
        return false;
    }
    let mut whole = 0;
    for (word, half) in half.iter().enumerate() {
        let completed = a.to_whole[word] ^ to_whole[word];
        whole += completed.count_ones() + (half ^ completed).count_ones();
    }
    whole <= most
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    /// Two sketches that differ in `flips`, some of which are in the same place of two halves.
    fn sketches() -> impl Strategy<Value = (Sketch, Sketch)> {
        let words = || prop::array::uniform16(any::<u64>());
        let flips = prop::collection::vec(0..1_024_usize, 0..400);
        (words(), flips, words(), any::<bool>()).prop_map(|(a, flips, other, are_strangers)| {
            let mut b = if are_strangers { other } else { a };
            flips.iter().for_each(|flip| b[flip / 64] ^= 1 << (flip % 64));
            (Sketch(a), Sketch(b))
        })
    }

    proptest! {
        #[test]
        fn folds_lose_nothing_and_rule_out_exactly_the_sketches_that_differ_more((a, b) in sketches(), most in 0..600_u32) {
            let (folded_a, folded_b) = (Folded::new(&a), Folded::new(&b));
            prop_assert_eq!(folded_a.sketch(), a);
            let parts = (&folded_b.quarter, &folded_b.to_half, &folded_b.to_whole);
            let whole = differing(&a.0, &b.0);
            prop_assert_eq!(differ_at_most(most, &folded_a, parts), whole <= most);
            let halves = differing(&half(&a), &half(&b));
            prop_assert!(differing(&folded_a.quarter, &folded_b.quarter) <= halves && halves <= whole);
        }
    }
}
