//! Indices of the signatures of kept documents: one trait, in memory and in sled, with identical answers.

mod blocks;
mod buckets;
mod memory;
mod scan;
mod sled;

pub(crate) use self::blocks::MAX_BUCKET_BITS;
pub use self::blocks::{DEFAULT_SKEW, FingerprintIndex, NearFingerprint, Word};
pub use self::memory::MemoryIndex;
pub use self::scan::{Candidate, SignatureScan};
pub(crate) use self::sled::DEFAULT_ROW_BYTES;
pub use self::sled::{Residence, SledIndex, SledOptions, SledReader};
use crate::duplicate_rule::DuplicateRule;
use crate::error::DedupError;
use crate::fingerprint::Fingerprint;
use crate::signature::{Digest, DocId, Signature};

/// A document whose fingerprint is near the fingerprint of a query.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct Neighbour {
    /// Hamming distance of the two fingerprints in bits.
    pub distance: u32,
    /// The document.
    pub id: DocId,
}

/// An index of signatures. It finds candidates; the [`Deduplicator`](crate::Deduplicator) decides on them.
pub trait Index {
    /// Whether the index finds every document that `rule` may accept: it was made for at least the rule's distance and
    /// at most its similarity of short texts.
    fn finds_all_of(&self, rule: &DuplicateRule) -> bool;

    /// The first document with this digest.
    ///
    /// # Errors
    /// The index cannot be read.
    fn exact(&self, digest: Digest) -> Result<Option<DocId>, DedupError>;

    /// Appends to `found` every document whose fingerprint is within the `max_distance` that the index was made for,
    /// each once, in any order.
    ///
    /// # Errors
    /// The index cannot be read.
    fn near(&self, fingerprint: Fingerprint, found: &mut Vec<Neighbour>) -> Result<(), DedupError>;

    /// Appends to `found` the short texts with this shingle in their prefix (see [`crate::short`]), in any order.
    ///
    /// # Errors
    /// The index cannot be read.
    fn with_shingle(&self, shingle: u64, found: &mut Vec<DocId>) -> Result<(), DedupError>;

    /// The signature of a document.
    ///
    /// # Errors
    /// The index cannot be read.
    fn signature(&self, id: DocId) -> Result<Option<Signature>, DedupError>;

    /// Adds a document. A document that is already in the index stays unchanged.
    ///
    /// # Errors
    /// The index cannot be written.
    fn insert(&mut self, id: DocId, signature: &Signature) -> Result<(), DedupError>;

    /// Removes a document. Returns whether it was there.
    ///
    /// # Errors
    /// The index cannot be written.
    fn remove(&mut self, id: DocId) -> Result<bool, DedupError>;

    /// Removes all documents.
    ///
    /// # Errors
    /// The index cannot be written.
    fn clear(&mut self) -> Result<(), DedupError>;

    /// Number of documents.
    ///
    /// # Errors
    /// The index cannot be read.
    fn len(&self) -> Result<usize, DedupError>;

    /// Whether the index has no document.
    ///
    /// # Errors
    /// The index cannot be read.
    fn is_empty(&self) -> Result<bool, DedupError> {
        Ok(self.len()? == 0)
    }
}
