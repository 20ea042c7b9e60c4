//! A bound on the similarity of two short texts that costs a few instructions. Texts of one template share some of their shingles with
//! thousands of others, and few of these pairs are similar.

use dedup::Signature;

/// Room for rounding errors, so that no similar pair is ruled out.
const ROUNDING: f64 = 1e-6;

/// The shingles of a text as a set of 256 bits, and their number.
///
/// Each bit that differs stands for at least one shingle that only one of the two texts has.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct ShortText {
    bits: [u64; 4],
    shingles: u32,
}

impl ShortText {
    /// The text with this signature.
    pub fn of(signature: &Signature) -> Self {
        let mut bits = [0; 4];
        for shingle in &signature.shingles {
            bits[(shingle >> 6 & 3) as usize] |= 1 << (shingle & 63);
        }
        Self {
            bits,
            shingles: signature.shingles.len() as u32,
        }
    }

    /// Whether the Jaccard index of the shingles may be at least `similarity`. False is certain.
    pub fn may_reach(&self, other: &Self, similarity: f32) -> bool {
        let pairs = self.bits.iter().zip(&other.bits);
        let differing: u32 = pairs.map(|(a, b)| (a ^ b).count_ones()).sum();
        let differing = differing.max(self.shingles.abs_diff(other.shingles));
        let both = u64::from(self.shingles) + u64::from(other.shingles);
        let shared = both.saturating_sub(differing.into()) as f64 / 2.0;
        shared >= (f64::from(similarity) - ROUNDING) * (both as f64 - shared)
    }
}

#[cfg(test)]
mod tests {
    use dedup::short::jaccard;
    use proptest::prelude::*;

    use super::*;

    fn signature(shingles: impl IntoIterator<Item = u64>) -> Signature {
        Signature {
            shingles: shingles.into_iter().collect(),
            ..Signature::default()
        }
    }

    proptest! {
        #[test]
        fn no_pair_that_reaches_a_similarity_is_ruled_out(
            a in prop::collection::btree_set(0_u64..400, 0..60),
            b in prop::collection::btree_set(0_u64..400, 0..60),
            common in prop::collection::btree_set(400_u64..2_000, 0..60),
        ) {
            let [a, b] = [a, b].map(|own| signature(own.into_iter().chain(common.iter().copied())));
            let similarity = jaccard(&a.shingles, &b.shingles);
            prop_assert!(ShortText::of(&a).may_reach(&ShortText::of(&b), similarity));
        }
    }

    #[test]
    fn pairs_that_share_little_are_ruled_out() {
        let [a, b] = [0..40, 20..60].map(|range| ShortText::of(&signature(range)));
        assert!(!a.may_reach(&b, 0.6));
        assert!(a.may_reach(&a, 1.0));
    }
}
