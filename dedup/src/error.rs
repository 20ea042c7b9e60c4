//! What can go wrong with an index; what to do is in the message.

use crate::layout::LayoutError;
use crate::rule::InvalidRule;

/// An error of the index.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum DedupError {
    /// The rule asks for more than any layout guarantees.
    #[error(transparent)]
    Layout(#[from] LayoutError),
    /// The rule cannot be.
    #[error(transparent)]
    Rule(#[from] InvalidRule),
    /// The index holds signatures of another scheme, which say nothing of those of this one.
    #[error(
        "the index was made with scheme {found:?}, not {wanted:?}: the fingerprints must be made anew from the texts"
    )]
    OtherScheme {
        /// What the index was made with.
        found: String,
        /// What was asked for.
        wanted: String,
    },
    /// The index is laid out for another rule; it can be made anew from the signatures.
    #[error("the index was laid out as {found:?}, not {wanted:?}: clear it and insert the signatures again")]
    OtherLayout {
        /// What the index was made for.
        found: String,
        /// What was asked for.
        wanted: String,
    },
    /// The index was made for a narrower rule: recall would be lost in silence.
    #[error("the index was made for a smaller `max_distance` or a greater `min_similarity_short` than the rule's")]
    NarrowIndex,
    /// A row is not what was written.
    #[error("a row of the index's tree {0} is damaged: clear the index and insert the signatures again")]
    Corrupt(&'static str),
    /// The index holds fingerprints of another width.
    #[error("a fingerprint of {found} bits cannot enter an index of {wanted}: make the index by a layout of its width")]
    OtherWidth {
        /// The fingerprint's.
        found: u32,
        /// The index's.
        wanted: u32,
    },
    /// The index in memory holds 2^31 fingerprints at most.
    #[error("the index in memory is full: it holds 2^31 fingerprints")]
    Full,
    /// A signature could not be written or read.
    #[error("a signature of the index is damaged: {0}")]
    Signature(#[from] postcard::Error),
    /// The index is open to be read.
    #[error("the index is open to be read only")]
    ReadOnly,
    /// sled failed.
    #[error("the index cannot be read or written: {0}")]
    Sled(#[from] sled::Error),
}

impl DedupError {
    /// Whether clearing the index and inserting the same signatures again mends it.
    #[must_use]
    pub fn is_other_layout(&self) -> bool {
        matches!(self, Self::OtherLayout { .. })
    }
}
