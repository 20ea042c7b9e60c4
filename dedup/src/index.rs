//! Where the signatures of kept documents are looked up: one trait, in memory and in sled, answering identically.

mod blocks;
mod buckets;
pub(crate) mod footprint;
mod memory;
mod scan;
mod sled;

pub use self::blocks::{DEFAULT_SKEW, FingerprintIndex, Near, Word};
pub use self::memory::MemoryIndex;
pub use self::scan::{Seen, SignatureScan};
pub use self::sled::{Residence, SledIndex, SledLook, SledOptions};
use crate::error::DedupError;
use crate::fingerprint::Fingerprint;
use crate::rule::Rule;
use crate::signature::{Digest, DocId, Signature};

/// A document whose fingerprint is near that of a query.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct Neighbour {
    /// Hamming distance of the two fingerprints in bits.
    pub distance: u32,
    /// The document.
    pub id: DocId,
}

/// An index of signatures. It finds; what is near enough is decided by the [`Deduplicator`](crate::Deduplicator).
pub trait Index {
    /// Whether every document that `rule` may accept is found: the index was made for a distance as great and a
    /// similarity of short texts as small.
    fn finds_all_of(&self, rule: &Rule) -> bool;

    /// The document with this digest.
    ///
    /// # Errors
    /// The index cannot be read.
    fn exact(&self, digest: Digest) -> Result<Option<DocId>, DedupError>;

    /// Every document whose fingerprint differs in at most the `max_distance` bits that the index was made for, each once, in any order;
    /// `found` is appended to.
    ///
    /// # Errors
    /// The index cannot be read.
    fn near(&self, fingerprint: Fingerprint, found: &mut Vec<Neighbour>) -> Result<(), DedupError>;

    /// The short texts in whose prefix (see [`crate::short`]) a shingle lies, in any order; `found` is appended to.
    ///
    /// # Errors
    /// The index cannot be read.
    fn with_shingle(&self, shingle: u64, found: &mut Vec<DocId>) -> Result<(), DedupError>;

    /// What is kept of a document.
    ///
    /// # Errors
    /// The index cannot be read.
    fn signature(&self, id: DocId) -> Result<Option<Signature>, DedupError>;

    /// Adds a document. One that is there already is left as it is.
    ///
    /// # Errors
    /// The index cannot be written.
    fn insert(&mut self, id: DocId, signature: &Signature) -> Result<(), DedupError>;

    /// Takes a document out; whether it was there.
    ///
    /// # Errors
    /// The index cannot be written.
    fn remove(&mut self, id: DocId) -> Result<bool, DedupError>;

    /// Takes every document out, so that it can be made anew.
    ///
    /// # Errors
    /// The index cannot be written.
    fn clear(&mut self) -> Result<(), DedupError>;

    /// Documents in the index.
    ///
    /// # Errors
    /// The index cannot be read.
    fn len(&self) -> Result<usize, DedupError>;

    /// Whether there is none.
    ///
    /// # Errors
    /// The index cannot be read.
    fn is_empty(&self) -> Result<bool, DedupError> {
        Ok(self.len()? == 0)
    }
}
