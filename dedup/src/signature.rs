//! What a verdict goes by: everything that is kept of a text.

use serde::{Deserialize, Serialize};

use crate::simhash::Fingerprint;
use crate::sketch::Sketch;

/// Names a document; given by the caller, who may read an order into it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub struct DocId(pub u64);

/// 128-bit hash of a normalised text.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct Digest(pub u128);

/// A text's traces, made by an [`Analyzer`](crate::Analyzer). Signatures of different schemes must not be compared.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct Signature {
    /// Of the normalised text; `None` for a text without a token.
    pub digest: Option<Digest>,
    /// `None` for a text under the scheme's floor.
    pub fingerprint: Option<Fingerprint>,
    /// `None` for a text under the scheme's floor.
    pub sketch: Option<Sketch>,
    /// The hashes of all shingles, ascending; only of a text under the floor, whose similarity is computed exactly.
    pub shingles: Vec<u64>,
    /// Hash of the numbers of the text, dates left out, whatever their order: prices, sizes, model numbers.
    pub numbers: u64,
    /// Tokens of the text, a date or clock time counting as one.
    pub tokens: u32,
}
