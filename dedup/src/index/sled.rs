//! The index in sled trees. The caller owns the database.
//!
//! ```text
//! insert ─▶ pending ── persist ─▶ rows of signatures, the last ones are the log ── merge ─▶ sorted trees
//!           memory                tree, the log is searched in memory
//! ```
//!
//! ```text
//! tree              key            value
//! dedup-meta        name of the row      "scheme" · "layout" text, "applied" u64 BE, "clearing" while the index is being
//!                                        erased, "mark" the owner's mark, "unmarked" ids that are being written before
//!                                        the next mark, "merged" u64 BE, the first row of the log
//! dedup-signatures  see `signatures`   whole documents, in the order of insertion
//! dedup-places      see `signatures`   rows of the documents, by id
//! dedup-removals    id u64 BE          signature of a document that is being removed
//! dedup-block-0     see `packed`       fingerprints, keyed by their first block
//! dedup-digests     see `packed`       upper halves of digests
//! dedup-shingles    see `packed`       prefix shingles of short texts
//! ```
//!
//! **What is in memory.** What a verdict compares of every document: its fingerprint, its sketch, the bitmap of a short
//! text, about 200 bytes together, and 160 more for its bands if they may [give candidates](SledOptions::candidates); and a
//! filter of the digests, of four to eight bytes. The index loads them from the signatures when it is opened. So a query reads no
//! fingerprint from a tree, and the signatures of look-alikes only where the rule confirms them. A [`SledReader`] loads
//! nothing, and scans the tree of fingerprints instead.
//!
//! **Why a log.** A document has a place in each of the trees. Each write costs sled about 10 µs and, once the trees are
//! larger than its cache, another 10 µs to read the row. So documents are first written whole, many to a row, where their
//! signatures stay, and are searched in memory. When there are so many that most rows of the sorted trees would be written
//! anyway (131,072 documents or more, or when the owner [settles](SledIndex::settle) the index), one merge writes all of them
//! into these trees in the order of their keys: each row once.
//!
//! **Crash safety.** After a crash, sled recovers a prefix of its writes. [`SledIndex::persist`] appends to the log and
//! then notes the sequence up to which the owner's catalogue is applied. So every document up to that mark is in the
//! index. Each later document is in the log completely or not at all; when the owner inserts the later documents again,
//! the index skips those that it has.
//!
//! - A merge first writes the documents to the trees. Then it notes the new first row of the log, which is the one after these
//!   documents. An interrupted merge runs again. It duplicates nothing, because an entry has one place in a tree. Meanwhile the index ignores the answers of the
//!   trees about a document in the log.
//! - A removal first notes the document with its signature, then removes the entries. The next opening finishes an
//!   interrupted removal.
//! - [`SledIndex::persist_marked`] is exact: after a crash the index holds the documents before the mark and no later one.
//!   It first notes the new documents, and the next opening removes those whose mark is missing.
//! - Nothing is written before the owner calls `persist`: a document whose page may yet be lost must not be found after
//!   a crash.
//! - Only a merge flushes, to free space. Otherwise the owner flushes, in its own order. The owner need not wait
//!   for the index, because it can rebuild the index.
//!
//! **Settings of the database.** The caller opens it. A cache of 16 MiB is enough. `flush_every_ms(None)` leaves flushing
//! to the owner. Keep the default segment size: with 256 KiB the file grows by a sixth, with 1 MiB the memory of the
//! process does. `mode` has no effect in sled 0.34. sled writes a snapshot of its page table only when it opens, so each
//! opening reads all segments written since the last one, whether or not the process was killed: 0.2 s at 10^6. The
//! example `sled_index_bench` measures all this.

mod digests;
mod documents;
mod highest;
mod log;
mod meta;
mod options;
mod packed;
mod persist;
mod reader;
mod recent;
mod shape;
mod signatures;
mod trees;

use std::collections::HashMap;

use sled::{Db, Tree};

use self::digests::Digests;
use self::highest::Highest;
use self::log::Log;
use self::meta::Meta;
pub use self::options::SledOptions;
pub use self::persist::LogWriter;
pub use self::reader::SledReader;
use self::recent::Recent;
use self::shape::Shape;
use self::trees::Trees;
use super::resident::Resident;
use super::{Index, Neighbour, Plan, by_prefix};
use crate::duplicate_rule::DuplicateRule;
use crate::error::DedupError;
use crate::fingerprint::Fingerprint;
use crate::hash::Mixing;
use crate::signature::{Digest, DocId, Signature};

/// Names of the trees.
const REMOVALS: &str = "dedup-removals";
const DIGESTS: &str = "dedup-digests";
const SHINGLES: &str = "dedup-shingles";
const SIGNATURES: &str = "dedup-signatures";
const PLACES: &str = "dedup-places";
const FINGERPRINTS: &str = "dedup-block-0";

/// How the names of trees begin that earlier versions made and none reads: of further blocks, of split buckets, and of a log of its own.
const UNREAD: [&str; 3] = ["dedup-block-", "dedup-split", "dedup-log"];

/// Upper bound on the short texts that a query scans in memory, which takes some 0.2 ms. Beyond it, the trees of shingles
/// answer: ten reads, unless the texts are of one template.
const SCANNED_SHORT_TEXTS: usize = 1 << 19;

/// An [`Index`] in sled trees.
///
/// Inserted documents are in memory until [`persist`](Self::persist) writes them.
pub struct SledIndex {
    db: Db,
    meta: Meta,
    removals: Tree,
    log: Log,
    trees: Trees,
    shape: Shape,
    options: SledOptions,
    applied: u64,
    mark: Option<Vec<u8>>,
    /// What a verdict compares of every document.
    resident: Resident,
    /// The digests of all documents.
    digests: Digests,
    highest: Highest,
    /// The pending documents and those in the log.
    recent: Recent,
    pending: Pending,
    /// Writes a part of the pending documents, perhaps on another thread.
    writing: Option<LogWriter>,
    /// Removals that are noted and not finished; empty, except after an error.
    unfinished: Vec<(DocId, Signature)>,
}

/// The documents inserted since the last persist.
#[derive(Default)]
struct Pending {
    /// Encoded as for the log.
    signatures: HashMap<DocId, Vec<u8>, Mixing>,
    order: Vec<DocId>,
}

impl std::fmt::Debug for SledIndex {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("SledIndex")
            .field("shape", &self.shape)
            .field("options", &self.options)
            .field("applied", &self.applied)
            .field("pending", &self.pending.order.len())
            .field("log", &self.log.len())
            .finish_non_exhaustive()
    }
}

impl SledIndex {
    /// Opens the index in `db` with the default options, or makes one.
    ///
    /// # Errors
    /// [`DedupError::OtherScheme`] or [`DedupError::OtherLayout`]: the index was made for another scheme or layout. Or
    /// the trees cannot be read.
    pub fn open(db: &Db, scheme_id: &str, rule: &DuplicateRule) -> Result<Self, DedupError> {
        Self::open_with(db, scheme_id, rule, SledOptions::default())
    }

    /// As [`SledIndex::open`], with `options`. Finishes a removal or an erasure that an earlier process began.
    ///
    /// # Errors
    /// As [`SledIndex::open`].
    pub fn open_with(db: &Db, scheme_id: &str, rule: &DuplicateRule, options: SledOptions) -> Result<Self, DedupError> {
        Self::open_shaped(db, scheme_id, Shape::new(rule, &options)?, options)
    }

    fn open_shaped(db: &Db, scheme_id: &str, shape: Shape, options: SledOptions) -> Result<Self, DedupError> {
        let meta = Meta::open(db)?;
        if meta.is_being_cleared()? {
            Self::erase(db)?;
        }
        meta.note_or_compare(scheme_id, &shape)?;
        let (applied, mark) = (meta.applied()?, meta.mark()?);
        let trees = Trees::open(db, shape)?;
        let mut resident = Resident::new(shape.layout, shape.overfull)?;
        resident.take_from(options.candidates);
        resident.seed(options.seed);
        let mut recent = Recent::new(shape.min_similarity_short);
        let (mut digests, mut highest) = (Digests::default(), Highest::default());
        let mut note = |id, signature: &Signature| {
            highest.note(id);
            signature.digest.into_iter().for_each(|digest| digests.insert(digest));
        };
        let mut log = Log::new(meta.merged()?);
        trees.signatures.for_each_from(0, |row, id, signature| {
            let signature = Signature::from_row_with_bands(signature)?;
            if row >= log.first() {
                log.note_document(id, row);
                recent.insert(id, &signature);
            }
            note(id, &signature);
            resident.insert(id, &signature).map(drop)
        })?;
        if !resident.has_all_bands() {
            resident.forget_bands();
        }
        let mut index = Self {
            db: db.clone(),
            removals: db.open_tree(REMOVALS)?,
            meta,
            log,
            trees,
            shape,
            options,
            applied,
            mark,
            resident,
            digests,
            highest,
            recent,
            pending: Pending::default(),
            writing: None,
            unfinished: Vec::new(),
        };
        index.resume_removals()?;
        for id in index.meta.unmarked()? {
            index.remove(DocId(id))?;
        }
        index.meta.forget_unmarked()?;
        Ok(index)
    }

    /// Removes the index from `db`. The next opening makes an empty one.
    ///
    /// # Errors
    /// The trees cannot be removed.
    pub fn erase(db: &Db) -> Result<(), DedupError> {
        // If a crash interrupts this, the next opening does it again: the note in the meta tree is removed last.
        let meta = Meta::open(db)?;
        meta.begin_clearing()?;
        for name in db.tree_names() {
            if UNREAD.iter().any(|unread| name.starts_with(unread.as_bytes())) {
                db.drop_tree(name)?;
            }
        }
        for name in [REMOVALS, FINGERPRINTS, DIGESTS, SHINGLES, PLACES, SIGNATURES] {
            db.drop_tree(name)?;
        }
        meta.finish_clearing()
    }

    /// Whether there is an index in `db`, complete or not.
    #[must_use]
    pub fn is_in(db: &Db) -> bool {
        Meta::is_in(db)
    }

    /// Calls `each` once with the id of every document, in any order.
    ///
    /// # Errors
    /// The index cannot be read.
    pub fn for_each_id(&self, mut each: impl FnMut(DocId)) -> Result<(), DedupError> {
        self.pending.order.iter().copied().for_each(&mut each);
        self.trees.signatures.for_each_id(|id| {
            // A writer may have written pending documents already.
            if !self.pending.signatures.contains_key(&id) && !self.is_being_removed(id) {
                each(id);
            }
        })
    }

    /// Whether bands may give the candidates of a check: the options allow it, and every document with a sketch has bands.
    #[must_use]
    pub fn may_use_bands(&self) -> bool {
        self.resident.may_use_bands()
    }

    /// Frees what removed documents have left in the tables in memory. After that, the answers are those of an index that never had them; before
    /// it, a check may leave bands to the blocks sooner.
    pub fn purge(&mut self) {
        self.resident.purge();
    }

    /// The sequence up to which the owner's catalogue is in the index; 0 if nothing is.
    #[must_use]
    pub fn applied(&self) -> u64 {
        self.applied
    }

    /// Finishes the removals that an earlier process began.
    fn resume_removals(&mut self) -> Result<(), DedupError> {
        for row in &self.removals {
            let (key, value) = row?;
            let id = DocId(read_u64(&key).ok_or(DedupError::Corrupt(REMOVALS))?);
            self.unfinished.push((id, postcard::from_bytes(&value)?));
        }
        for (id, signature) in &self.unfinished {
            self.recent.remove(*id, signature);
            self.resident.remove(*id, signature);
        }
        self.finish_removals()
    }

    fn finish_removals(&mut self) -> Result<(), DedupError> {
        while let Some((id, signature)) = self.unfinished.last() {
            self.trees.remove(*id, signature, self.log.row_of(*id))?;
            self.log.forget(*id);
            self.removals.remove(id.0.to_be_bytes())?;
            self.unfinished.pop();
        }
        Ok(())
    }

    /// Whether a document found in the sorted trees does not count: it is in the log too, or it is being removed.
    fn is_elsewhere(&self, id: DocId) -> bool {
        self.log.contains(id) || self.is_being_removed(id)
    }

    fn is_being_removed(&self, id: DocId) -> bool {
        self.unfinished.iter().any(|(other, _)| *other == id)
    }

    fn contains(&self, id: DocId) -> Result<bool, DedupError> {
        if !self.highest.may_have(id) {
            return Ok(false);
        }
        Ok(self.pending.signatures.contains_key(&id) || self.is_written(id)?)
    }

    fn is_written(&self, id: DocId) -> Result<bool, DedupError> {
        Ok(self.log.contains(id) || self.trees.signatures.contains(id)?)
    }
}

impl Index for SledIndex {
    fn finds_all_of(&self, rule: &DuplicateRule) -> bool {
        self.shape.finds_all_of(rule)
    }

    fn exact(&self, digest: Digest) -> Result<Option<DocId>, DedupError> {
        if !self.digests.may_contain(digest) {
            return Ok(None);
        }
        let in_trees = self.trees.exact(digest, |id| !self.is_elsewhere(id))?;
        let recent = self.recent.exact(digest);
        Ok(in_trees.into_iter().chain(recent).min())
    }

    fn near(&self, fingerprint: Fingerprint, found: &mut Vec<Neighbour>) -> Result<(), DedupError> {
        self.resident.near(fingerprint, found);
        Ok(())
    }

    fn candidates(
        &self,
        query: &Signature,
        rule: &DuplicateRule,
        found: &mut Vec<Neighbour>,
    ) -> Result<(), DedupError> {
        self.resident.candidates(query, rule, found);
        Ok(())
    }

    fn short_candidates(
        &self,
        query: &Signature,
        rule: &DuplicateRule,
        found: &mut Vec<DocId>,
    ) -> Result<(), DedupError> {
        if self.resident.short_texts() > SCANNED_SHORT_TEXTS {
            return by_prefix(self, query, rule, found);
        }
        self.resident.short_candidates(query, rule, found);
        Ok(())
    }

    fn plan(&self) -> Option<Plan> {
        Some(self.resident.plan())
    }

    fn with_shingle(&self, shingle: u64, found: &mut Vec<DocId>) -> Result<(), DedupError> {
        self.recent.with_shingle(shingle, found);
        self.trees.with_shingle(shingle, |id| {
            if !self.is_elsewhere(id) {
                found.push(id);
            }
        })
    }

    fn signature(&self, id: DocId) -> Result<Option<Signature>, DedupError> {
        if let Some(signature) = self.pending.signatures.get(&id) {
            return Ok(Some(Signature::from_row(signature)?));
        }
        self.trees.signatures.get(id, self.log.row_of(id))
    }

    fn prefetch_insertion(&self, signature: &Signature) {
        signature
            .digest
            .into_iter()
            .for_each(|digest| self.digests.prefetch(digest));
        self.resident.prefetch_insertion(signature);
    }

    fn insert(&mut self, id: DocId, signature: &Signature) -> Result<(), DedupError> {
        self.finish_removals()?;
        if self.contains(id)? {
            return Ok(());
        }
        let keeps_bands = self.resident.keeps_bands(signature);
        let row = if keeps_bands {
            signature.to_row()?
        } else {
            postcard::to_stdvec(signature)?
        };
        self.resident.insert(id, signature)?;
        self.recent.insert(id, signature);
        self.highest.note(id);
        signature
            .digest
            .into_iter()
            .for_each(|digest| self.digests.insert(digest));
        self.pending.order.push(id);
        self.pending.signatures.insert(id, row);
        Ok(())
    }

    fn remove(&mut self, id: DocId) -> Result<bool, DedupError> {
        self.finish_writes()?;
        let Some(signature) = self.signature(id)? else {
            return Ok(false);
        };
        if self.is_written(id)? {
            self.removals
                .insert(id.0.to_be_bytes(), postcard::to_stdvec(&signature)?)?;
        }
        if self.pending.signatures.remove(&id).is_some() {
            self.pending.order.retain(|&other| other != id);
        }
        self.recent.remove(id, &signature);
        self.resident.remove(id, &signature);
        self.unfinished.push((id, signature));
        self.finish_removals()?;
        Ok(true)
    }

    fn clear(&mut self) -> Result<(), DedupError> {
        self.writing.iter().for_each(LogWriter::run);
        let scheme = self.meta.scheme()?;
        Self::erase(&self.db)?;
        *self = Self::open_shaped(&self.db, &scheme, self.shape, self.options.clone())?;
        Ok(())
    }

    /// Reads all rows of the signatures.
    fn len(&self) -> Result<usize, DedupError> {
        let mut documents = 0;
        self.for_each_id(|_| documents += 1)?;
        Ok(documents)
    }
}

fn read_u64(bytes: &[u8]) -> Option<u64> {
    bytes.try_into().ok().map(u64::from_be_bytes)
}
