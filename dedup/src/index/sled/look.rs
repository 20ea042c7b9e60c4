//! A few questions to an index that is on disk, without opening it: read, never written.
//!
//! [`SledIndex`](super::SledIndex) is made for a crawl: at open it reads all that is looked up in memory, which is worth it for thousands of
//! questions. For one or two it is cheaper to pass over all fingerprints: 10^5 of them are compared in a millisecond.

use std::cell::OnceCell;

use sled::{Db, Tree};

use super::documents::{documents, find};
use super::options::SledOptions;
use super::trees::{Shape, Trees};
use super::{APPLIED, CLEARING, LAYOUT, LOG, META, REMOVALS, SCHEME, SledIndex, read_u64};
use crate::error::DedupError;
use crate::fingerprint::Fingerprint;
use crate::index::{Index, Neighbour};
use crate::rule::Rule;
use crate::short::prefix;
use crate::signature::{Digest, DocId, Signature};

/// An [`Index`] that is only read. See the module's text.
pub struct SledLook {
    trees: Trees,
    shape: Shape,
    log: Tree,
    /// What is in the log, by id.
    recent: Vec<Recent>,
    /// The shingles of the prefixes of what is in the log: asked for by short texts alone.
    shingles: OnceCell<Vec<(u64, DocId)>>,
    removed: Vec<DocId>,
    applied: u64,
}

/// A document of the log.
#[derive(Debug, Clone, Copy)]
struct Recent {
    id: DocId,
    row: u64,
    digest: Option<Digest>,
    fingerprint: Option<Fingerprint>,
}

impl std::fmt::Debug for SledLook {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("SledLook")
            .field("shape", &self.shape)
            .field("recent", &self.recent.len())
            .field("applied", &self.applied)
            .finish_non_exhaustive()
    }
}

impl SledLook {
    /// Looks at the index in `db`; `None` if there is none, or it is being cleared.
    ///
    /// # Errors
    /// [`DedupError::OtherScheme`] and [`DedupError::OtherLayout`] where the index was made otherwise; the trees cannot be read.
    pub fn open(db: &Db, scheme_id: &str, rule: &Rule, options: &SledOptions) -> Result<Option<Self>, DedupError> {
        if !SledIndex::is_in(db) {
            return Ok(None);
        }
        let meta = db.open_tree(META)?;
        if meta.contains_key(CLEARING)? {
            return Ok(None);
        }
        let shape = Shape {
            layout: options.layout_for(rule)?,
            min_similarity_short: rule.min_similarity_short,
            row_bytes: options.row_bytes,
            overfull: options.overfull,
        };
        let (Some(scheme), Some(layout)) = (meta.get(SCHEME)?, meta.get(LAYOUT)?) else {
            return Ok(None);
        };
        let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
        if *scheme != *scheme_id.as_bytes() {
            return Err(DedupError::OtherScheme {
                found: text(&scheme),
                wanted: scheme_id.to_owned(),
            });
        }
        let made_for = shape.name();
        if *layout != *made_for.as_bytes() {
            return Err(DedupError::OtherLayout {
                found: text(&layout),
                wanted: made_for,
            });
        }
        let applied = match meta.get(APPLIED)? {
            Some(row) => read_u64(&row).ok_or(DedupError::Corrupt(META))?,
            None => 0,
        };
        let mut removed = Vec::new();
        for key in db.open_tree(REMOVALS)?.iter().keys() {
            removed.push(DocId(read_u64(&key?).ok_or(DedupError::Corrupt(REMOVALS))?));
        }
        let log = db.open_tree(LOG)?;
        let mut recent = Vec::new();
        for row in &log {
            let (key, value) = row?;
            let row = read_u64(&key).ok_or(DedupError::Corrupt(LOG))?;
            for document in documents(&value) {
                let (id, bytes) = document?;
                // A signature begins with these two; what comes after them is long and seldom wanted.
                let ((digest, fingerprint), _) = postcard::take_from_bytes(bytes)?;
                recent.push(Recent {
                    id,
                    row,
                    digest,
                    fingerprint,
                });
            }
        }
        recent.sort_unstable_by_key(|recent| recent.id);
        Ok(Some(Self {
            trees: Trees::open(db, &meta, shape, 1)?,
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

    fn recent(&self, id: DocId) -> Option<&Recent> {
        let at = self.recent.binary_search_by_key(&id, |recent| recent.id).ok()?;
        self.recent.get(at)
    }

    /// Whether an answer of the trees counts: no document that is in the log too, or is being removed.
    fn counts(&self, id: DocId) -> bool {
        self.recent(id).is_none() && !self.removed.contains(&id)
    }

    fn recent_shingles(&self) -> Result<&[(u64, DocId)], DedupError> {
        if let Some(shingles) = self.shingles.get() {
            return Ok(shingles);
        }
        let mut shingles = Vec::new();
        for row in self.log.iter().values() {
            for document in documents(&row?) {
                let (id, bytes) = document?;
                let signature: Signature = postcard::from_bytes(bytes)?;
                let prefix = prefix(&signature.shingles, self.shape.min_similarity_short);
                shingles.extend(prefix.iter().map(|shingle| (*shingle, id)));
            }
        }
        shingles.sort_unstable();
        Ok(self.shingles.get_or_init(|| shingles))
    }
}

impl Index for SledLook {
    fn finds_all_of(&self, rule: &Rule) -> bool {
        rule.max_distance <= self.shape.layout.max_distance()
            && rule.min_similarity_short >= self.shape.min_similarity_short
    }

    fn exact(&self, digest: Digest) -> Result<Option<DocId>, DedupError> {
        let in_trees = self.trees.exact(digest, |id| self.counts(id))?;
        let is_it = |recent: &&Recent| recent.digest == Some(digest) && !self.removed.contains(&recent.id);
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
        match self.recent(id) {
            Some(recent) => match self.log.get(recent.row.to_be_bytes())? {
                Some(row) => find(&row, id),
                None => Ok(None),
            },
            None => self.trees.signatures.get(id),
        }
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
        let recent = self.recent.iter().filter(|recent| !self.removed.contains(&recent.id));
        let mut documents = recent.count();
        self.trees
            .signatures
            .for_each_id(|id| documents += usize::from(self.counts(id)))?;
        Ok(documents)
    }
}
