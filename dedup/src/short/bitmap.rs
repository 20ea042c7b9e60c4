//! A bound on the Jaccard index of two short texts that costs a few instructions.
//!
//! Each shingle flips one bit of the bitmap of its text. If d shingles are in only one of two texts, their bitmaps differ in at most d
//! bits, and so do folds of the bitmaps by exclusive or. A Jaccard index of at least t allows d ≤ (|A| + |B|) · (1 − t) / (1 + t).
//! (Sandes, Teodoro, Melo, "Bitmap filter: Speeding up exact set similarity joins with bitwise operations", Information Systems 88,
//! 2020.)

/// Words of a bitmap.
const WORDS: usize = 4;

/// Fixed-point unit of a [`Share`].
const UNIT: u32 = 1 << 12;

/// A text with more shingles passes always.
const MAX_SIZE: u32 = u32::MAX / UNIT / 4;

/// The shingles of a text as 256 bits, and their number.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Bitmap {
    pub(crate) bits: [u64; WORDS],
    pub(crate) size: u32,
}

impl Bitmap {
    /// The bitmap of a set of shingles.
    #[must_use]
    pub fn new(shingles: &[u64]) -> Self {
        let mut bits = [0; WORDS];
        for shingle in shingles {
            // The highest bits of a hash are as good as any.
            let bit = (shingle >> 56) as usize;
            bits[bit / 64] ^= 1 << (bit % 64);
        }
        Self {
            bits,
            size: shingles.len().min(MAX_SIZE as usize) as u32,
        }
    }

    /// Whether the Jaccard index of the two texts may be at least `min_similarity`. `false` is certain.
    #[must_use]
    pub fn may_reach(&self, other: &Self, min_similarity: f32) -> bool {
        Share::new(min_similarity).allows(self, other)
    }

    /// The bits, folded into 32 by exclusive or.
    pub(crate) fn fold(&self) -> u32 {
        let fold = self.bits.iter().fold(0, |fold, word| fold ^ word);
        (fold ^ fold >> 32) as u32
    }
}

/// The share of |A| + |B| in which two similar texts may differ, in units of 1 / [`UNIT`].
#[derive(Debug, Clone, Copy)]
pub(crate) struct Share(u32);

impl Share {
    pub(crate) fn new(min_similarity: f32) -> Self {
        let share = (1.0 - f64::from(min_similarity)) / (1.0 + f64::from(min_similarity));
        // One unit more: a Jaccard index that is rounded up to the threshold counts too.
        Self((share * f64::from(UNIT)).ceil() as u32 + 1)
    }

    /// Whether texts of these sizes may be similar if their bitmaps, or folds of them, differ in so many bits.
    #[inline(always)]
    pub(crate) fn allows_bits(self, sizes: [u32; 2], bits: u32) -> bool {
        let [a, b] = sizes;
        let difference = a.abs_diff(b).max(bits);
        let allowed = a.min(MAX_SIZE).wrapping_add(b.min(MAX_SIZE)).wrapping_mul(self.0);
        (a >= MAX_SIZE) | (b >= MAX_SIZE) | (difference.min(MAX_SIZE) * UNIT <= allowed)
    }

    #[inline(always)]
    pub(crate) fn allows(self, a: &Bitmap, b: &Bitmap) -> bool {
        let mut differing = 0;
        for (a, b) in a.bits.iter().zip(&b.bits) {
            differing += (a ^ b).count_ones();
        }
        self.allows_bits([a.size, b.size], differing)
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::hash::rehash;
    use crate::short::jaccard;

    fn hashed(set: impl IntoIterator<Item = u64>) -> Vec<u64> {
        let mut hashed: Vec<u64> = set.into_iter().map(|number| rehash(number, 7)).collect();
        hashed.sort_unstable();
        hashed
    }

    proptest! {
        #[test]
        fn no_pair_that_reaches_a_similarity_is_ruled_out(
            a in prop::collection::btree_set(0_u64..400, 0..60),
            b in prop::collection::btree_set(0_u64..400, 0..60),
            common in prop::collection::btree_set(400_u64..2_000, 0..60),
        ) {
            let [a, b] = [a, b].map(|own| hashed(own.into_iter().chain(common.iter().copied())));
            let similarity = jaccard(&a, &b);
            prop_assert!(Bitmap::new(&a).may_reach(&Bitmap::new(&b), similarity));
        }
    }

    #[test]
    fn pairs_that_share_little_are_ruled_out() {
        let [a, b] = [0..40, 20..60].map(|range| Bitmap::new(&hashed(range)));
        assert!(!a.may_reach(&b, 0.6));
        assert!(a.may_reach(&a, 1.0));
    }
}
