//! Kept pages that were nearly dropped.

pub(super) mod search;

use serde::Serialize;

/// A kept page and the most similar page kept before it.
///
/// The two fingerprints differ by at most one bit more than the rule allows. Short texts are at most 0.2 less similar than the rule
/// requires.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub(crate) struct NearMiss {
    /// The kept page.
    pub url: String,
    /// The page kept before it.
    pub near: String,
    /// Hamming distance of the fingerprints, in bits; null if a text is too short for a fingerprint.
    pub distance: Option<u32>,
    /// The similarity that the rule measures, 0 to 1.
    pub similarity: f32,
    /// Why the page was kept.
    pub because: Because,
    /// Sequence number of `url`.
    #[serde(skip)]
    pub id: u64,
    /// Sequence number of `near`.
    #[serde(skip)]
    pub near_id: u64,
}

/// Why a near miss is not a duplicate.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Because {
    /// The fingerprints are too far apart.
    Distance,
    /// The texts are not similar enough.
    Similarity,
    /// The numbers in the texts differ.
    Numbers,
    /// No reason under the rule in force: another rule kept the page, or the order of the pages has changed.
    Nothing,
}

impl Because {
    /// The reason in words.
    #[must_use]
    pub fn words(self) -> &'static str {
        match self {
            Self::Distance => "the fingerprints are too far apart",
            Self::Similarity => "the texts are not similar enough",
            Self::Numbers => "the numbers in the texts differ",
            Self::Nothing => "the rule in force would have dropped it",
        }
    }
}
