//! Indices of the signatures of kept documents: one trait, in memory, in sled and in Redis, with identical answers.

mod bands;
mod blocks;
mod buckets;
mod candidates;
mod look_up;
mod memory;
mod plan;
#[cfg(feature = "redis")]
mod redis;
mod resident;
mod scan;
mod sled;
mod sweep;
mod table;

pub use self::bands::BandIndex;
pub(crate) use self::blocks::MAX_BUCKET_BITS;
pub use self::blocks::{DEFAULT_SKEW, FingerprintIndex, NearFingerprint, Word};
pub use self::candidates::Candidates;
pub use self::look_up::{LookUp, Neighbour};
pub use self::memory::MemoryIndex;
pub use self::plan::Plan;
#[cfg(feature = "redis")]
pub(crate) use self::redis::{Commit, Committed, MOST_DECISIONS};
#[cfg(feature = "redis")]
pub use self::redis::{InvalidAddress, RedisAddress, RedisIndex, RedisOptions, ServerError};
pub use self::scan::{Candidate, SignatureScan};
pub use self::sled::{LogWriter, SledIndex, SledOptions, SledReader};
use crate::duplicate_rule::DuplicateRule;
use crate::error::DedupError;
use crate::fingerprint::Fingerprint;
use crate::short::prefix;
use crate::signature::{Digest, DocId, Signature};
use crate::verdict::Verdict;

/// The number of texts that the lists of the shingles of a query may name before a scan over all `texts` short texts finds its
/// candidates sooner.
fn most_listed_short_texts(texts: usize) -> usize {
    // To read a signature costs as much as to scan some hundred texts.
    16 + texts / 128
}

/// The short texts that share a shingle of the prefix of `query` (see [`crate::short`]), some several times.
fn by_prefix(
    index: &(impl Index + ?Sized),
    query: &Signature,
    rule: &DuplicateRule,
    found: &mut Vec<DocId>,
) -> Result<(), DedupError> {
    for shingle in prefix(&query.shingles, rule.min_similarity_short) {
        index.with_shingle(*shingle, found)?;
    }
    Ok(())
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

    /// Appends to `found` every document with a fingerprint that `rule`, for which the index [finds
    /// all](Self::finds_all_of), may confirm as a near-duplicate of `query`, each once, in any order. It may append
    /// others within the distance. An index with other [`Candidates`] than those of blocks may miss few; an index that holds the sketches leaves out those that the rule cannot confirm, and all but the
    /// nearest 64 of those that are about [something else](crate::Subject).
    ///
    /// # Errors
    /// The index cannot be read.
    fn candidates(
        &self,
        query: &Signature,
        _rule: &DuplicateRule,
        found: &mut Vec<Neighbour>,
    ) -> Result<(), DedupError> {
        match query.fingerprint {
            Some(fingerprint) => self.near(fingerprint, found),
            None => Ok(()),
        }
    }

    /// Appends to `found` every document that `rule`, for which the index [finds all](Self::finds_all_of), may confirm
    /// by the shingles of the short text `query`, in any order, perhaps several times. It may append others.
    ///
    /// # Errors
    /// The index cannot be read.
    fn short_candidates(
        &self,
        query: &Signature,
        rule: &DuplicateRule,
        found: &mut Vec<DocId>,
    ) -> Result<(), DedupError> {
        by_prefix(self, query, rule, found)
    }

    /// Looks up everything that may decide the verdict on `query` by `rule`. The exact document is the one for which `counts`
    /// holds. An index behind a network overrides this method, to answer in one round trip.
    ///
    /// # Errors
    /// The index cannot be read.
    fn look_up(
        &self,
        query: &Signature,
        rule: &DuplicateRule,
        counts: &dyn Fn(DocId) -> bool,
    ) -> Result<LookUp, DedupError> {
        let mut found = LookUp::default();
        if let Some(digest) = query.digest {
            found.exact = self.exact(digest)?.filter(|id| counts(*id));
        }
        if found.exact.is_none() {
            self.candidates(query, rule, &mut found.near)?;
            if !query.shingles.is_empty() {
                self.short_candidates(query, rule, &mut found.short)?;
            }
        }
        Ok(found)
    }

    /// How the index searches now. While the plan stays the same, an inserted document changes only the answers to queries that have its
    /// digest, a shingle or a band in common with it, or a fingerprint within the distance. `None`: other processes change the index too, so
    /// nobody knows.
    fn plan(&self) -> Option<Plan> {
        None
    }

    /// Decides on a document by `rule` and inserts it if it is unique, as one step among all processes that share the
    /// index. `None`: the index has one owner, and the [`Deduplicator`](crate::Deduplicator) makes the step itself, under
    /// its lock.
    ///
    /// # Errors
    /// The index cannot be read or written.
    fn check_and_insert(
        &self,
        _id: DocId,
        _signature: &Signature,
        _rule: &DuplicateRule,
    ) -> Result<Option<Verdict>, DedupError> {
        Ok(None)
    }

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

    /// Calls `each` with the signature of each of the documents `ids` that is there, in any order. `ids` is ascending.
    ///
    /// # Errors
    /// The index cannot be read.
    fn for_each_signature(&self, ids: &[DocId], each: &mut dyn FnMut(DocId, Signature)) -> Result<(), DedupError> {
        for id in ids {
            if let Some(signature) = self.signature(*id)? {
                each(*id, signature);
            }
        }
        Ok(())
    }

    /// Brings into the cache what the insertion of a document reads first. Call it some microseconds before.
    fn prefetch_insertion(&self, _signature: &Signature) {}

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
