//! The verdict on one document.

use serde::{Deserialize, Serialize};

use crate::signature::DocId;

/// Whether a document says anything new.
///
/// A [`Collection`](crate::Collection) stores it: another order of the variants or fields is another format.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub enum Verdict {
    /// The document says something new.
    Unique,
    /// Its normalised text equals the text of a kept document.
    Exact {
        /// The kept document.
        of: DocId,
    },
    /// Its text is nearly the text of a kept document.
    Near {
        /// The kept document.
        of: DocId,
        /// Hamming distance of the fingerprints; `None` where a short text, which has no fingerprint, was compared by
        /// its shingles.
        distance: Option<u32>,
        /// The value that confirmed the verdict, 0 to 1: the estimated Jaccard index of the shingles, the exact one for
        /// short texts, or the sum of the [combined rule](crate::Confirm::Combined).
        similarity: f32,
    },
}

impl Verdict {
    /// The kept document that says the same; `None` for a unique document.
    #[must_use]
    pub fn of(&self) -> Option<DocId> {
        match *self {
            Self::Unique => None,
            Self::Exact { of } | Self::Near { of, .. } => Some(of),
        }
    }
}
