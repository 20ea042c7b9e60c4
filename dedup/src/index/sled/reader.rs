//! Read-only access to an index on disk, for a few queries.
//!
//! [`SledIndex`](super::SledIndex) serves a crawl: when opened, it loads into memory the data that thousands of queries
//! need. For one or two queries, a scan over all fingerprints is cheaper: 10^5 comparisons take a millisecond.

use std::cell::OnceCell;

use sled::Db;

use super::meta::Meta;
use super::options::SledOptions;
use super::shape::Shape;
use super::signatures::Signatures;
use super::trees::Trees;
use super::{REMOVALS, read_u64};
use crate::duplicate_rule::DuplicateRule;
use crate::error::DedupError;
use crate::fingerprint::Fingerprint;
use crate::index::{Index, Neighbour};
use crate::short::prefix;
use crate::signature::{Digest, DocId, Signature};

/// An [`Index`] in sled trees that is only read.
///
/// Opening it is faster than opening a [`SledIndex`](super::SledIndex), and each query is slower.
pub struct SledReader {
    trees: Trees,
    shape: Shape,
    /// The first row of the log.
    log: u64,
    /// The documents of the log, by id.
    recent: Vec<LogEntry>,
    /// The prefix shingles of the documents in the log; read on the first query of a short text.
    shingles: OnceCell<Vec<(u64, DocId)>>,
    removed: Vec<DocId>,
    applied: u64,
}

/// A document of the log.
#[derive(Debug, Clone, Copy)]
struct LogEntry {
    id: DocId,
    row: u64,
    digest: Option<Digest>,
    fingerprint: Option<Fingerprint>,
}

impl std::fmt::Debug for SledReader {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("SledReader")
            .field("shape", &self.shape)
            .field("recent", &self.recent.len())
            .field("applied", &self.applied)
            .finish_non_exhaustive()
    }
}

impl SledReader {
    /// Opens the index in `db` for reading; `None` if there is none, or if it is being cleared.
    ///
    /// # Errors
    /// [`DedupError::OtherScheme`] or [`DedupError::OtherLayout`]: the index was made for another scheme or layout. Or
    /// the trees cannot be read.
    pub fn open(
        db: &Db,
        scheme_id: &str,
        rule: &DuplicateRule,
        options: &SledOptions,
    ) -> Result<Option<Self>, DedupError> {
        if !Meta::is_in(db) {
            return Ok(None);
        }
        let meta = Meta::open(db)?;
        if meta.is_being_cleared()? {
            return Ok(None);
        }
        let shape = Shape::new(rule, options)?;
        if !meta.matches(scheme_id, &shape)? {
            return Ok(None);
        }
        let applied = meta.applied()?;
        let mut removed = Vec::new();
        for key in db.open_tree(REMOVALS)?.iter().keys() {
            removed.push(DocId(read_u64(&key?).ok_or(DedupError::Corrupt(REMOVALS))?));
        }
        let (trees, log) = (Trees::open(db, shape)?, meta.merged()?);
        let recent = log_entries(&trees.signatures, log)?;
        Ok(Some(Self {
            trees,
            shape,
            log,
            recent,
            shingles: OnceCell::new(),
            removed,
            applied,
        }))
    }

    /// The sequence up to which the owner's catalogue is in the index.
    #[must_use]
    pub fn applied(&self) -> u64 {
        self.applied
    }

    fn recent(&self, id: DocId) -> Option<&LogEntry> {
        let at = self.recent.binary_search_by_key(&id, |recent| recent.id).ok()?;
        self.recent.get(at)
    }

    /// Whether a document found in the sorted trees counts: it is neither in the log too nor being removed.
    fn counts(&self, id: DocId) -> bool {
        self.recent(id).is_none() && !self.removed.contains(&id)
    }

    fn recent_shingles(&self) -> Result<&[(u64, DocId)], DedupError> {
        if let Some(shingles) = self.shingles.get() {
            return Ok(shingles);
        }
        let mut shingles = Vec::new();
        self.trees.signatures.for_each_from(self.log, |_, id, bytes| {
            let signature = Signature::from_row(bytes)?;
            let prefix = prefix(&signature.shingles, self.shape.min_similarity_short);
            shingles.extend(prefix.iter().map(|shingle| (*shingle, id)));
            Ok(())
        })?;
        shingles.sort_unstable();
        Ok(self.shingles.get_or_init(|| shingles))
    }
}

impl Index for SledReader {
    fn finds_all_of(&self, rule: &DuplicateRule) -> bool {
        self.shape.finds_all_of(rule)
    }

    fn exact(&self, digest: Digest) -> Result<Option<DocId>, DedupError> {
        let in_trees = self.trees.exact(digest, |id| self.counts(id))?;
        let is_it = |recent: &&LogEntry| recent.digest == Some(digest) && !self.removed.contains(&recent.id);
        let recent = self.recent.iter().find(is_it).map(|recent| recent.id);
        Ok(in_trees.into_iter().chain(recent).min())
    }

    fn near(&self, fingerprint: Fingerprint, found: &mut Vec<Neighbour>) -> Result<(), DedupError> {
        if fingerprint.width() != self.shape.layout.width() {
            return Ok(());
        }
        let max_distance = self.shape.layout.max_distance();
        for recent in &self.recent {
            let distance = recent.fingerprint.map(|other| other.distance(fingerprint));
            if let Some(distance) = distance.filter(|distance| *distance <= max_distance)
                && !self.removed.contains(&recent.id)
            {
                let id = recent.id;
                found.push(Neighbour { distance, id });
            }
        }
        self.trees.for_each_within(fingerprint, max_distance, |neighbour| {
            if self.counts(neighbour.id) {
                found.push(neighbour);
            }
        })
    }

    fn with_shingle(&self, shingle: u64, found: &mut Vec<DocId>) -> Result<(), DedupError> {
        let recent = self.recent_shingles()?;
        let from = recent.partition_point(|(other, _)| *other < shingle);
        let ids = recent[from..].iter().take_while(|(other, _)| *other == shingle);
        found.extend(ids.map(|(_, id)| *id).filter(|id| !self.removed.contains(id)));
        self.trees.with_shingle(shingle, |id| {
            if self.counts(id) {
                found.push(id);
            }
        })
    }

    fn signature(&self, id: DocId) -> Result<Option<Signature>, DedupError> {
        if self.removed.contains(&id) {
            return Ok(None);
        }
        self.trees.signatures.get(id, self.recent(id).map(|recent| recent.row))
    }

    /// Reads each row once: among look-alikes, a query asks for most documents.
    fn for_each_signature(&self, ids: &[DocId], each: &mut dyn FnMut(DocId, Signature)) -> Result<(), DedupError> {
        let there: Vec<DocId> = ids.iter().copied().filter(|id| !self.removed.contains(id)).collect();
        let in_log = |id| self.recent(id).map(|recent| recent.row);
        self.trees.signatures.for_each_of(&there, in_log, each)
    }

    fn insert(&mut self, _id: DocId, _signature: &Signature) -> Result<(), DedupError> {
        Err(DedupError::ReadOnly)
    }

    fn remove(&mut self, _id: DocId) -> Result<bool, DedupError> {
        Err(DedupError::ReadOnly)
    }

    fn clear(&mut self) -> Result<(), DedupError> {
        Err(DedupError::ReadOnly)
    }

    fn len(&self) -> Result<usize, DedupError> {
        let mut documents = 0;
        self.trees
            .signatures
            .for_each_id(|id| documents += usize::from(!self.removed.contains(&id)))?;
        Ok(documents)
    }
}

/// The documents of the log, which begins with the row `first`, by id.
fn log_entries(signatures: &Signatures, first: u64) -> Result<Vec<LogEntry>, DedupError> {
    let mut entries = Vec::new();
    signatures.for_each_from(first, |row, id, bytes| {
        // Decode only the first two fields of the signature: the others are long and rarely needed.
        let ((digest, fingerprint), _) = postcard::take_from_bytes(bytes)?;
        entries.push(LogEntry {
            id,
            row,
            digest,
            fingerprint,
        });
        Ok(())
    })?;
    entries.sort_unstable_by_key(|entry| entry.id);
    Ok(entries)
}
