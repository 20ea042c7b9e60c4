//! What an index finds for a document.

use crate::signature::DocId;

/// A document whose fingerprint is near the fingerprint of a query.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct Neighbour {
    /// Hamming distance of the two fingerprints in bits.
    pub distance: u32,
    /// The document.
    pub id: DocId,
}

/// What may decide the verdict on a document: found by [`Index::look_up`](super::Index::look_up).
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct LookUp {
    /// The document with the same digest. If there is one, the other fields may be empty.
    pub exact: Option<DocId>,
    /// The [candidates](super::Index::candidates).
    pub near: Vec<Neighbour>,
    /// The [short candidates](super::Index::short_candidates).
    pub short: Vec<DocId>,
}
