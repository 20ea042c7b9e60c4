//! The differences between the key of a query and the keys that it searches.

use super::word::Word;
use crate::layout::{MAX_PROBES, ball, masks};

/// For each width of key that some table has: all words of that width, by rising number of ones.
#[derive(Debug, Clone)]
pub(super) struct Masks<W> {
    of_bits: Vec<OfBits<W>>,
}

#[derive(Debug, Clone)]
struct OfBits<W> {
    words: Vec<W>,
    /// Number of words with at most 0, 1, … ones.
    within: Vec<usize>,
}

impl<W: Word> Masks<W> {
    /// The masks for keys of these widths, up to the widest radius that a search within `max_distance` may use.
    pub(super) fn new(key_bits: impl Iterator<Item = u32>, max_distance: u32) -> Self {
        let none = OfBits {
            words: Vec::new(),
            within: vec![0],
        };
        let mut of_bits = vec![none; W::WIDTH.bits() as usize + 1];
        for bits in key_bits {
            let affordable = |radius: &u32| ball(bits, *radius) <= MAX_PROBES;
            let widest = (0..=max_distance).take_while(affordable).last().unwrap_or(0);
            of_bits[bits as usize] = OfBits {
                words: masks(bits, widest).into_iter().map(W::truncate).collect(),
                within: (0..=widest).map(|radius| ball(bits, radius) as usize).collect(),
            };
        }
        Self { of_bits }
    }

    /// The masks of `bits` bits with at most `radius` ones.
    #[inline(always)]
    pub(super) fn within(&self, bits: u32, radius: u32) -> &[W] {
        let OfBits { words, within } = &self.of_bits[bits as usize];
        &words[..within[radius as usize]]
    }
}
