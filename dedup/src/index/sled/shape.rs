//! The settings that determine how the trees are read and written.

use crate::duplicate_rule::DuplicateRule;
use crate::error::DedupError;
use crate::layout::{Block, Layout};

use super::options::SledOptions;
use super::packed::KeyOf;

/// The settings that determine how the trees are read and written.
#[derive(Debug, Clone, Copy)]
pub(super) struct Shape {
    pub layout: Layout,
    pub min_similarity_short: f32,
    pub row_bytes: usize,
    pub overfull: f64,
}

impl Shape {
    /// The shape of an index for `rule` with `options`.
    pub fn new(rule: &DuplicateRule, options: &SledOptions) -> Result<Self, DedupError> {
        Ok(Self {
            layout: options.layout_for(rule)?,
            min_similarity_short: rule.min_similarity_short,
            row_bytes: options.row_bytes,
            overfull: options.overfull,
        })
    }

    /// The name of the shape in the meta tree.
    pub fn name(&self) -> String {
        let (bits, blocks) = (self.layout.width().bits(), self.layout.blocks().len());
        format!(
            "{bits} bits in {blocks} packed, signatures in order, short>={}",
            self.min_similarity_short
        )
    }

    /// Whether an index of this shape finds every document that `rule` may accept.
    pub fn finds_all_of(&self, rule: &DuplicateRule) -> bool {
        rule.max_distance <= self.layout.max_distance() && rule.min_similarity_short >= self.min_similarity_short
    }

    /// Bytes of a fingerprint.
    pub fn word_bytes(&self) -> usize {
        self.layout.width().bits() as usize / 8
    }

    /// Computes the place of a fingerprint in its tree: its first block, cut to the lower 64 bits.
    pub fn key_of(&self) -> KeyOf {
        let Block { shift, bits, .. } = self.layout.block(0);
        let mask = u128::MAX >> (u128::BITS - bits);
        Box::new(move |fingerprint| ((fingerprint >> shift) & mask) as u64)
    }
}
