//! How many bits may differ in a block and the blocks after it.
//!
//! The pigeonhole principle says that a near pair differs in at most rᵢ bits of some block i, where the radii have the sum
//! k + 1 − m for m blocks. The pigeonring principle (Qin, Xiao 2018, "Pigeonring: A Principle for Faster Thresholded
//! Similarity Search", PVLDB 12) says more. Let the blocks be in a ring. Then there is a block from which on every chain
//! is sparse: l blocks from i on differ in at most rᵢ + … + rᵢ₊ₗ₋₁ + l − 1 bits, for every l at once. The proof is the
//! cycle lemma: the numbers rⱼ + 1 − (bits that differ in block j) have a positive sum, so one rotation of them has only
//! positive partial sums.
//!
//! The tag of an entry is the bits that follow its key, so it belongs to a chain. At k = 10 and four blocks, a tag may
//! differ in 6 bits of 32 and not in 8 if the key differs in two: one tag in 3,700 passes, and not one in 290. Each
//! tag that passes costs two reads from memory, of the slot and of the fingerprint.

use super::word::TAG_BITS;
use crate::layout::{Block, Layout};

/// For each searched block of the layout, the largest number of bits in which key and tag of a near pair differ together,
/// in the table where the ring says that they meet.
pub(super) fn most_differing(layout: Layout) -> Vec<u32> {
    let blocks: Vec<Block> = layout.blocks().collect();
    let searched = (0..blocks.len()).filter(|number| blocks[*number].radius.is_some());
    searched
        .map(|number| {
            let chain = blocks[number..].iter().chain(&blocks[..number]);
            // A block without a radius takes no share of k + 1.
            let shares = chain.scan(0, |bits_before, block| {
                let is_in_chain = *bits_before < blocks[number].bits + TAG_BITS;
                *bits_before += block.bits;
                is_in_chain.then(|| block.radius.map_or(0, |radius| radius + 1))
            });
            shares.sum::<u32>() - 1
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fingerprint::Width;

    #[test]
    fn a_chain_of_all_blocks_may_differ_in_the_distance() {
        let of = |width, blocks, distance| most_differing(Layout::new(width, blocks, distance).unwrap());
        // Radii 2, 2, 2, 1: three blocks, with two more.
        assert_eq!(of(Width::W64, 4, 10), [8, 7, 7, 7]);
        // Three blocks with radius 0.
        assert_eq!(of(Width::W64, 4, 3), [2, 2, 2, 2]);
        assert_eq!(of(Width::W64, 1, 1), [1]);
        assert_eq!(of(Width::W32, 2, 5), [5, 5]);
        // Only the first three of eight blocks are searched.
        assert_eq!(of(Width::W128, 8, 2), [2, 1, 0]);
    }
}
