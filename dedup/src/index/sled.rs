//! The index in sled trees, for a caller that owns the database.
//!
//! ```text
//! insert ─▶ pending ── persist ─▶ log ── merge, every 131,072 documents, or settle ─▶ sorted trees
//!           memory                tree, and what is looked up of it in memory
//! ```
//!
//! ```text
//! tree              key            value
//! dedup-meta        name of the row      "scheme" · "layout" text, "applied" · "fingerprints" u64 BE, "block-trees" u8,
//!                                        "clearing" while it lasts
//! dedup-log         see [log]          whole documents, in the order of insertion
//! dedup-removals    id u64 BE          the signature of a document that is being removed
//! dedup-block-0…3   see [packed]       fingerprints by one of their blocks
//! dedup-digests     see [packed]       the upper halves of digests
//! dedup-shingles    see [packed]       the shingles of the prefixes of short texts
//! dedup-split…      see [split]        overfull buckets, split a second time
//! dedup-signatures  see [documents]    signatures
//! ```
//!
//! **Why a log.** A fingerprint belongs at four places of four trees and its digest at a fifth, each of which costs sled
//! some 10 µs to write and, once the trees are larger than its cache, as much again to read. So documents first go into
//! a log, 32 to a row, and are looked up in memory; when there are enough of them that most rows of the trees would be
//! written anyway, all go into the trees in one sweep in the order of their keys, which writes each row once.
//!
//! **What survives a crash.** sled recovers a prefix of what was written. [`SledIndex::persist`] appends to the log and
//! then notes up to which sequence the owner's catalogue is applied, so after a crash the mark tells what is there for
//! certain; of the documents behind it each is in the log whole or not at all, and when the owner inserts them again, the
//! former are passed over. A merge takes documents out of the log after it has written them to the trees; cut off, it is
//! done again, and since an entry has one place in a tree, that doubles nothing; meanwhile an answer from the trees is
//! passed over if its document is in the log. A removal is noted with all that it must take out before anything is taken
//! out, and finished at the next open. Nothing is written before the owner calls `persist`: a document whose page may yet be
//! lost must not be found after a crash. Nor is anything flushed, but by a merge, to get room: the owner does, in its own
//! order, and need not wait for the index, which can be made again.
//!
//! **Settings of the database.** The caller opens it. In [`Residence::Disk`] give sled a cache that holds the sorted trees,
//! some 110 bytes a document: `cache_capacity(112 << 20)` for 10^6, `1 << 30` for 10^7, where
//! [`recent_documents`](SledOptions::recent_documents) should be half a million. With a tenth of that cache every lookup is
//! five reads of pages in several pieces, and the index of 10^7 is six times slower and takes twice the disk. In
//! [`Residence::Memory`] 16 MiB will do. `flush_every_ms(None)` leaves the rhythm to the owner.
//! The segment size is best left alone (with 256 KiB the file is a sixth larger, with 1 MiB the process), and `mode` does
//! nothing in sled 0.34. sled takes a snapshot of its page table at open only, so each open reads all segments written since
//! the last one, whether or not the process was killed: 0.2 s at 10^6. Measured by the example `sled_index_bench`.

mod documents;
mod log;
mod look;
mod options;
mod packed;
mod recent;
mod split;
mod trees;

use std::collections::HashMap;

use sled::{Db, Tree};

use self::log::Log;
pub use self::look::SledLook;
pub(crate) use self::options::DEFAULT_ROW_BYTES;
pub use self::options::{Residence, SledOptions};
use self::recent::Recent;
use self::trees::{Shape, Trees};
use super::buckets::Buckets;
use super::{Index, Neighbour};
use crate::error::DedupError;
use crate::fingerprint::Fingerprint;
use crate::rule::Rule;
use crate::signature::{Digest, DocId, Signature};

const META: &str = "dedup-meta";
const LOG: &str = "dedup-log";
const REMOVALS: &str = "dedup-removals";
const DIGESTS: &str = "dedup-digests";
const SHINGLES: &str = "dedup-shingles";
const SIGNATURES: &str = "dedup-signatures";
const BLOCK: &str = "dedup-block-";
const SPLIT: &str = "dedup-split-";
const SPLITS: &str = "dedup-splits";

/// Rows of the meta tree.
const SCHEME: &str = "scheme";
const LAYOUT: &str = "layout";
const APPLIED: &str = "applied";
const CLEARING: &str = "clearing";

/// Prefix shingles of short texts that are kept in memory until the next merge, a recent document.
const RECENT_SHINGLES: usize = 8;

/// Documents from which on a log is long: reading them takes some milliseconds.
const LONG_LOG: usize = 4_096;

/// An [`Index`] in sled trees. See the module's text.
pub struct SledIndex {
    db: Db,
    meta: Tree,
    removals: Tree,
    log: Log,
    trees: Trees,
    shape: Shape,
    options: SledOptions,
    applied: u64,
    /// Every fingerprint, if they are to reside in memory.
    resident: Option<Buckets>,
    /// What is pending or in the log.
    recent: Recent,
    pending: Pending,
    /// Removals that are noted and not finished: none, but after an error.
    unfinished: Vec<(DocId, Signature)>,
}

/// What was inserted since the last persist.
#[derive(Default)]
struct Pending {
    signatures: HashMap<DocId, Signature>,
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
    /// Opens the index in `db`, or begins one, with the buckets resident in memory.
    ///
    /// # Errors
    /// [`DedupError::OtherScheme`] and [`DedupError::OtherLayout`] where the trees were made otherwise; the trees cannot
    /// be read.
    pub fn open(db: &Db, scheme_id: &str, rule: &Rule) -> Result<Self, DedupError> {
        Self::open_with(db, scheme_id, rule, SledOptions::default())
    }

    /// As [`SledIndex::open`], with the buckets where `residence` says.
    ///
    /// # Errors
    /// As [`SledIndex::open`].
    pub fn open_in(db: &Db, scheme_id: &str, rule: &Rule, residence: Residence) -> Result<Self, DedupError> {
        let options = SledOptions {
            residence,
            ..SledOptions::default()
        };
        Self::open_with(db, scheme_id, rule, options)
    }

    /// As [`SledIndex::open`], kept as `options` say. What an earlier process has left undone is done first; an
    /// index that has only resided in memory gets the trees of its other blocks, which takes some seconds at 10^6.
    ///
    /// # Errors
    /// As [`SledIndex::open`].
    pub fn open_with(db: &Db, scheme_id: &str, rule: &Rule, options: SledOptions) -> Result<Self, DedupError> {
        let shape = Shape {
            layout: options.layout_for(rule)?,
            min_similarity_short: rule.min_similarity_short,
            row_bytes: options.row_bytes,
            overfull: options.overfull,
        };
        Self::open_shaped(db, scheme_id, shape, options)
    }

    fn open_shaped(db: &Db, scheme_id: &str, shape: Shape, options: SledOptions) -> Result<Self, DedupError> {
        if db.open_tree(META)?.contains_key(CLEARING)? {
            Self::erase(db)?;
        }
        let meta = db.open_tree(META)?;
        check(&meta, SCHEME, scheme_id, |found, wanted| DedupError::OtherScheme {
            found,
            wanted,
        })?;
        let blocks = shape.layout.blocks().len();
        check(&meta, LAYOUT, &shape.name(), |found, wanted| DedupError::OtherLayout {
            found,
            wanted,
        })?;
        let applied = meta
            .get(APPLIED)?
            .map_or(Ok(0), |value| read_u64(&value).ok_or(DedupError::Corrupt(META)))?;
        let on_disk = options.residence == Residence::Disk;
        let trees = Trees::open(db, &meta, shape, if on_disk { blocks } else { 1 })?;
        let mut resident = if on_disk { None } else { Some(trees.load()?) };
        let mut recent = Recent::new(on_disk.then_some(shape.layout), shape.min_similarity_short)?;
        let log = Log::open(db.open_tree(LOG)?, |id, signature| {
            recent.insert(id, signature)?;
            match (&mut resident, signature.fingerprint) {
                // A merge that was cut off has put it into the tree already.
                (Some(resident), Some(fingerprint)) if !resident.contains(id, fingerprint) => {
                    resident.insert(id, fingerprint)
                }
                _ => Ok(()),
            }
        })?;
        let mut index = Self {
            db: db.clone(),
            removals: db.open_tree(REMOVALS)?,
            meta,
            log,
            trees,
            shape,
            options,
            applied,
            resident,
            recent,
            pending: Pending::default(),
            unfinished: Vec::new(),
        };
        index.resume_removals()?;
        Ok(index)
    }

    /// Removes the index from `db`, so that the next open begins one.
    ///
    /// # Errors
    /// The trees cannot be removed.
    pub fn erase(db: &Db) -> Result<(), DedupError> {
        // Cut off anywhere, it is done again at the next open. The meta tree goes last: while it is there, so is the note.
        let meta = db.open_tree(META)?;
        meta.insert(CLEARING, &[])?;
        for name in db.tree_names() {
            if name.starts_with(BLOCK.as_bytes()) || name.starts_with(SPLIT.as_bytes()) {
                db.drop_tree(name)?;
            }
        }
        for name in [LOG, REMOVALS, DIGESTS, SHINGLES, SIGNATURES, SPLITS] {
            db.drop_tree(name)?;
        }
        // Its own rows by hand, the note last: dropping a tree is more than one step to sled.
        for key in meta.iter().keys() {
            let key = key?;
            if key != CLEARING {
                meta.remove(key)?;
            }
        }
        meta.remove(CLEARING)?;
        Ok(())
    }

    /// Whether there is an index in `db`, complete or not.
    #[must_use]
    pub fn is_in(db: &Db) -> bool {
        db.tree_names().iter().any(|name| *name == META.as_bytes())
    }

    /// Every document in the index, each once, in any order.
    ///
    /// # Errors
    /// The index cannot be read.
    pub fn for_each_id(&self, mut each: impl FnMut(DocId)) -> Result<(), DedupError> {
        self.pending.order.iter().copied().for_each(&mut each);
        self.log.for_each_id(&mut each);
        self.trees.signatures.for_each_id(|id| {
            if !self.is_elsewhere(id) {
                each(id);
            }
        })
    }

    /// The sequence up to which the owner's catalogue is in the index; 0 for nothing.
    #[must_use]
    pub fn applied(&self) -> u64 {
        self.applied
    }

    /// Writes all that was inserted and notes that the owner's catalogue is applied up to `sequence`. Now and then it
    /// merges the log into the trees, which takes a second at 10^6 and some ten at 10^7.
    ///
    /// # Errors
    /// The trees cannot be written; the documents stay in memory and the next call tries again.
    pub fn persist(&mut self, sequence: u64) -> Result<(), DedupError> {
        self.finish_removals()?;
        let Pending { signatures, order } = &self.pending;
        let documents = order.iter().filter_map(|id| Some((*id, signatures.get(id)?)));
        self.log.append(documents)?;
        if sequence > self.applied {
            self.meta.insert(APPLIED, &sequence.to_be_bytes())?;
            self.applied = sequence;
        }
        self.pending = Pending::default();
        let recent = self.options.recent_documents.max(1);
        if self.log.len() >= recent || self.recent.shingles() >= recent * RECENT_SHINGLES {
            self.merge()?;
        }
        Ok(())
    }

    /// Merges a long log now rather than when it is full: for a pause, so that the next open and every
    /// [look](SledLook) are quick. A short one is left.
    ///
    /// # Errors
    /// As [`persist`](Self::persist).
    pub fn settle(&mut self) -> Result<(), DedupError> {
        if self.log.len() >= LONG_LOG && self.pending.order.is_empty() {
            self.merge()?;
        }
        Ok(())
    }

    /// The log into the trees; nothing may be pending.
    fn merge(&mut self) -> Result<(), DedupError> {
        self.trees.merge(&self.log)?;
        self.log.clear()?;
        let blocks = self.resident.is_none().then_some(self.shape.layout);
        self.recent = Recent::new(blocks, self.shape.min_similarity_short)?;
        Ok(())
    }

    /// What an earlier process had begun to remove.
    fn resume_removals(&mut self) -> Result<(), DedupError> {
        for row in &self.removals {
            let (key, value) = row?;
            let id = DocId(read_u64(&key).ok_or(DedupError::Corrupt(REMOVALS))?);
            self.unfinished.push((id, postcard::from_bytes(&value)?));
        }
        for (id, signature) in &self.unfinished {
            forget(&mut self.recent, &mut self.resident, *id, signature);
        }
        self.finish_removals()
    }

    fn finish_removals(&mut self) -> Result<(), DedupError> {
        while let Some((id, signature)) = self.unfinished.last() {
            self.trees.remove(*id, signature)?;
            self.log.remove(*id)?;
            self.removals.remove(id.0.to_be_bytes())?;
            self.unfinished.pop();
        }
        Ok(())
    }

    /// Whether an answer of the trees does not count: the document is looked up in memory, or being removed.
    fn is_elsewhere(&self, id: DocId) -> bool {
        self.log.contains(id) || self.unfinished.iter().any(|(other, _)| *other == id)
    }

    fn contains(&self, id: DocId) -> Result<bool, DedupError> {
        Ok(self.pending.signatures.contains_key(&id) || self.is_written(id)?)
    }

    fn is_written(&self, id: DocId) -> Result<bool, DedupError> {
        Ok(self.log.contains(id) || self.trees.signatures.contains(id)?)
    }
}

impl Index for SledIndex {
    fn finds_all_of(&self, rule: &Rule) -> bool {
        rule.max_distance <= self.shape.layout.max_distance()
            && rule.min_similarity_short >= self.shape.min_similarity_short
    }

    fn exact(&self, digest: Digest) -> Result<Option<DocId>, DedupError> {
        let in_trees = self.trees.exact(digest, |id| !self.is_elsewhere(id))?;
        let recent = self.recent.exact(digest);
        Ok(in_trees.into_iter().chain(recent).min())
    }

    fn near(&self, fingerprint: Fingerprint, found: &mut Vec<Neighbour>) -> Result<(), DedupError> {
        if let Some(resident) = &self.resident {
            resident.near(fingerprint, found);
            return Ok(());
        }
        self.recent.near(fingerprint, found);
        self.trees.near(fingerprint, |neighbour| {
            if !self.is_elsewhere(neighbour.id) {
                found.push(neighbour);
            }
        })
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
            return Ok(Some(signature.clone()));
        }
        match self.log.get(id)? {
            Some(signature) => Ok(Some(signature)),
            None => self.trees.signatures.get(id),
        }
    }

    fn insert(&mut self, id: DocId, signature: &Signature) -> Result<(), DedupError> {
        self.finish_removals()?;
        if self.contains(id)? {
            return Ok(());
        }
        if let (Some(resident), Some(fingerprint)) = (&mut self.resident, signature.fingerprint) {
            resident.insert(id, fingerprint)?;
        }
        self.recent.insert(id, signature)?;
        self.pending.order.push(id);
        self.pending.signatures.insert(id, signature.clone());
        Ok(())
    }

    fn remove(&mut self, id: DocId) -> Result<bool, DedupError> {
        self.finish_removals()?;
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
        forget(&mut self.recent, &mut self.resident, id, &signature);
        self.unfinished.push((id, signature));
        self.finish_removals()?;
        Ok(true)
    }

    fn clear(&mut self) -> Result<(), DedupError> {
        let scheme = self.meta.get(SCHEME)?.ok_or(DedupError::Corrupt(META))?;
        Self::erase(&self.db)?;
        let scheme = String::from_utf8_lossy(&scheme);
        *self = Self::open_shaped(&self.db, &scheme, self.shape, self.options.clone())?;
        Ok(())
    }

    /// Counts the rows: as slow as reading all of them.
    fn len(&self) -> Result<usize, DedupError> {
        let mut documents = self.pending.order.len() + self.log.len();
        self.trees.signatures.for_each_id(|id| {
            documents += usize::from(!self.is_elsewhere(id));
        })?;
        Ok(documents)
    }
}

/// Takes a document out of memory.
fn forget(recent: &mut Recent, resident: &mut Option<Buckets>, id: DocId, signature: &Signature) {
    recent.remove(id, signature);
    if let (Some(resident), Some(fingerprint)) = (resident, signature.fingerprint) {
        resident.remove(id, fingerprint);
    }
}

fn block_tree(number: usize) -> String {
    format!("{BLOCK}{number}")
}

/// Notes what the index is made for, or compares it with what is noted.
fn check(meta: &Tree, key: &str, wanted: &str, error: impl Fn(String, String) -> DedupError) -> Result<(), DedupError> {
    match meta.get(key)? {
        None => {
            meta.insert(key, wanted)?;
            Ok(())
        }
        Some(found) if *found == *wanted.as_bytes() => Ok(()),
        Some(found) => Err(error(String::from_utf8_lossy(&found).into_owned(), wanted.to_owned())),
    }
}

fn read_u64(bytes: &[u8]) -> Option<u64> {
    bytes.try_into().ok().map(u64::from_be_bytes)
}
