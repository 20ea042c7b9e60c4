//! Exact, then candidates, then confirmation: the verdict.

use std::cmp::Ordering;
use std::sync::atomic::{self, AtomicU64};
use std::sync::{Mutex, MutexGuard, PoisonError, RwLock, RwLockReadGuard, RwLockWriteGuard};

use crate::clusters::{Cluster, Clusters};
use crate::error::DedupError;
use crate::fingerprint::Fingerprint;
use crate::index::{Index, Neighbour};
use crate::rule::Rule;
use crate::short::prefix;
use crate::signature::{DocId, Signature};

/// Whether a document says anything new.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Verdict {
    /// It does.
    Unique,
    /// Its normalised text is that of another.
    Exact {
        /// The kept document.
        of: DocId,
    },
    /// Its text is nearly that of another.
    Near {
        /// The kept document.
        of: DocId,
        /// Hamming distance of the fingerprints; `None` where a short text, which has none, was compared exactly.
        distance: Option<u32>,
        /// What confirmed it, 0 to 1: the Jaccard index of the shingles, estimated or of short texts exact; or the sum of
        /// the [combined rule](crate::Confirm::Combined).
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

/// What was taken out.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Removed {
    /// Nothing: the document is not known.
    Nothing,
    /// A duplicate (known only to a deduplicator that [records clusters](Deduplicator::recording_clusters)).
    Duplicate,
    /// A kept document.
    Representative {
        /// Those that were its duplicates, as far as clusters are recorded: nothing stands for what they say any more, so
        /// they should be decided on anew.
        orphans: Vec<DocId>,
    },
}

/// Decides, against an index of the documents that were found to be unique.
///
/// Only unique documents enter the index: a duplicate is never the reason for another verdict, so of a chain A ~ B ~ C
/// no member is dropped for a resemblance to a document that was dropped itself.
///
/// May be shared by threads. Verdicts that need no change are made side by side; a document enters the index in one step
/// with the verdict that it is unique, so of two near-duplicates that arrive at once exactly one does.
#[derive(Debug)]
pub struct Deduplicator<I> {
    index: RwLock<I>,
    /// Counts the changes of the index, under its lock: a verdict found before it may have been overtaken.
    changes: AtomicU64,
    rule: Rule,
    /// `None`: not recorded. Taken after the index's lock, never before it.
    clusters: Option<Mutex<Clusters>>,
}

impl<I: Index> Deduplicator<I> {
    /// A deduplicator by `rule`; `index` must have been made for the same rule or a wider one.
    ///
    /// # Errors
    /// [`DedupError::Rule`]: the rule cannot be. [`DedupError::NarrowIndex`]: the index does not find all that `rule` may
    /// accept.
    pub fn new(index: I, rule: Rule) -> Result<Self, DedupError> {
        rule.validate()?;
        if !index.finds_all_of(&rule) {
            return Err(DedupError::NarrowIndex);
        }
        Ok(Self {
            index: RwLock::new(index),
            changes: AtomicU64::new(0),
            rule,
            clusters: None,
        })
    }

    /// The same, noting from now on which documents are duplicates of which: some 100 bytes of memory a duplicate.
    #[must_use]
    pub fn recording_clusters(self) -> Self {
        Self {
            clusters: Some(Mutex::default()),
            ..self
        }
    }

    /// The rule it decides by.
    #[must_use]
    pub fn rule(&self) -> &Rule {
        &self.rule
    }

    /// The verdict on a document, which stays unknown to the index.
    ///
    /// # Errors
    /// The index cannot be read.
    pub fn check(&self, signature: &Signature) -> Result<Verdict, DedupError> {
        verdict(&*self.index(), &self.rule, signature, None)
    }

    /// As [`check`](Self::check), as if the document `except` were not there: for a new version of it, or for itself.
    ///
    /// An index names one document of a digest. Kept documents have different digests, so none hides behind `except`.
    ///
    /// # Errors
    /// The index cannot be read.
    pub fn check_except(&self, signature: &Signature, except: DocId) -> Result<Verdict, DedupError> {
        verdict(&*self.index(), &self.rule, signature, Some(except))
    }

    /// The verdict on a document; a unique one enters the index as `id`, in the same step.
    ///
    /// # Errors
    /// The index cannot be read or written.
    pub fn check_and_insert(&self, id: DocId, signature: &Signature) -> Result<Verdict, DedupError> {
        let (mut found, seen) = {
            let index = self.index();
            let found = verdict(&*index, &self.rule, signature, None)?;
            (found, self.changes.load(atomic::Ordering::Relaxed))
        };
        if found == Verdict::Unique {
            let mut index = self.index_mut();
            if self.changes.load(atomic::Ordering::Relaxed) != seen {
                found = verdict(&*index, &self.rule, signature, None)?;
            }
            if found == Verdict::Unique {
                index.insert(id, signature)?;
                self.changes.fetch_add(1, atomic::Ordering::Relaxed);
            }
        }
        if let Some(mut clusters) = self.clusters_mut() {
            clusters.record(id, &found);
        }
        Ok(found)
    }

    /// Adds a document known to be unique, as when an index is brought up to what its owner has kept.
    ///
    /// # Errors
    /// The index cannot be written.
    pub fn insert(&self, id: DocId, signature: &Signature) -> Result<(), DedupError> {
        let mut index = self.index_mut();
        self.changes.fetch_add(1, atomic::Ordering::Relaxed);
        index.insert(id, signature)
    }

    /// Takes a document out.
    ///
    /// # Errors
    /// The index cannot be written.
    pub fn remove(&self, id: DocId) -> Result<Removed, DedupError> {
        let mut index = self.index_mut();
        self.changes.fetch_add(1, atomic::Ordering::Relaxed);
        let was_kept = index.remove(id)?;
        let mut clusters = self.clusters_mut();
        if was_kept {
            let orphans = clusters.map(|mut clusters| clusters.dissolve(id));
            return Ok(Removed::Representative {
                orphans: orphans.unwrap_or_default(),
            });
        }
        let was_duplicate = clusters.as_mut().is_some_and(|clusters| clusters.forget(id));
        Ok(if was_duplicate {
            Removed::Duplicate
        } else {
            Removed::Nothing
        })
    }

    /// Empties the index and decides on all `documents` anew, in their order; `decided` is told each verdict. Other
    /// threads wait until it is done.
    ///
    /// # Errors
    /// The index cannot be read or written: it then holds what was decided so far.
    pub fn rebuild(
        &self,
        documents: impl IntoIterator<Item = (DocId, Signature)>,
        mut decided: impl FnMut(DocId, Verdict),
    ) -> Result<(), DedupError> {
        let mut index = self.index_mut();
        self.changes.fetch_add(1, atomic::Ordering::Relaxed);
        index.clear()?;
        if let Some(mut clusters) = self.clusters_mut() {
            *clusters = Clusters::default();
        }
        for (id, signature) in documents {
            let found = verdict(&*index, &self.rule, &signature, None)?;
            if found == Verdict::Unique {
                index.insert(id, &signature)?;
            }
            if let Some(mut clusters) = self.clusters_mut() {
                clusters.record(id, &found);
            }
            decided(id, found);
        }
        Ok(())
    }

    /// The kept documents that have duplicates, with these; empty unless clusters are
    /// [recorded](Deduplicator::recording_clusters). The list is as of now; the deduplicator may be used meanwhile.
    pub fn clusters(&self) -> impl Iterator<Item = Cluster> + use<I> {
        let clusters = self.clusters_mut().map(|clusters| clusters.list());
        clusters.unwrap_or_default().into_iter()
    }

    /// The index, to be read; whoever inserts waits as long as it is held.
    pub fn index(&self) -> RwLockReadGuard<'_, I> {
        // A panic within an insertion leaves a document that lacks its signature, which `verdict` passes over.
        self.index.read().unwrap_or_else(PoisonError::into_inner)
    }

    /// The index, to be persisted; everybody else waits as long as it is held.
    pub fn index_mut(&self) -> RwLockWriteGuard<'_, I> {
        self.index.write().unwrap_or_else(PoisonError::into_inner)
    }

    fn clusters_mut(&self) -> Option<MutexGuard<'_, Clusters>> {
        let lock = self.clusters.as_ref()?;
        Some(lock.lock().unwrap_or_else(PoisonError::into_inner))
    }
}

/// The verdict by `rule` on a document, against what `index` holds besides `except`.
fn verdict(
    index: &impl Index,
    rule: &Rule,
    signature: &Signature,
    except: Option<DocId>,
) -> Result<Verdict, DedupError> {
    if let Some(digest) = signature.digest
        && let Some(of) = index.exact(digest)?.filter(|of| Some(*of) != except)
    {
        return Ok(Verdict::Exact { of });
    }
    let mut best = None;
    if let Some(fingerprint) = signature.fingerprint {
        near(index, rule, signature, fingerprint, except, &mut best)?;
    }
    if !signature.shingles.is_empty() {
        near_short(index, rule, signature, except, &mut best)?;
    }
    Ok(best.map_or(Verdict::Unique, |found: Match| Verdict::Near {
        of: found.id,
        distance: found.distance,
        similarity: found.similarity,
    }))
}

fn near(
    index: &impl Index,
    rule: &Rule,
    signature: &Signature,
    fingerprint: Fingerprint,
    except: Option<DocId>,
    best: &mut Option<Match>,
) -> Result<(), DedupError> {
    let mut neighbours = Vec::new();
    index.near(fingerprint, &mut neighbours)?;
    for Neighbour { distance, id } in neighbours {
        if Some(id) == except {
            continue;
        }
        // An entry that a crash left behind may name a document whose number went to another one since.
        let Some(other) = index.signature(id)?.filter(|other| {
            let fingerprint_now = other.fingerprint.map(|other| other.distance(fingerprint));
            fingerprint_now == Some(distance)
        }) else {
            continue;
        };
        if let Some(similarity) = rule.confirms(signature, &other, distance) {
            let distance = Some(distance);
            better(
                best,
                Match {
                    id,
                    distance,
                    similarity,
                },
            );
        }
    }
    Ok(())
}

/// Compares texts of which at least one has no fingerprint.
fn near_short(
    index: &impl Index,
    rule: &Rule,
    signature: &Signature,
    except: Option<DocId>,
    best: &mut Option<Match>,
) -> Result<(), DedupError> {
    let mut candidates = Vec::new();
    for shingle in prefix(&signature.shingles, rule.min_similarity_short) {
        index.with_shingle(*shingle, &mut candidates)?;
    }
    candidates.sort_unstable();
    candidates.dedup();
    candidates.retain(|id| Some(*id) != except);
    for id in candidates {
        let Some(other) = index.signature(id)? else {
            continue;
        };
        if signature.fingerprint.is_some() && other.fingerprint.is_some() {
            continue;
        }
        if let Some(similarity) = rule.confirms_short(signature, &other) {
            let distance = None;
            better(
                best,
                Match {
                    id,
                    distance,
                    similarity,
                },
            );
        }
    }
    Ok(())
}

/// A confirmed candidate.
#[derive(Debug, Clone, Copy, PartialEq)]
struct Match {
    id: DocId,
    distance: Option<u32>,
    similarity: f32,
}

/// Keeps the more similar, then the nearer, then the older, so that every index gives the same verdict.
fn better(best: &mut Option<Match>, found: Match) {
    let order = |other: &Match| {
        let by_similarity = found.similarity.total_cmp(&other.similarity);
        by_similarity
            .then(other.distance.cmp(&found.distance))
            .then(other.id.cmp(&found.id))
    };
    if best.as_ref().is_none_or(|other| order(other) == Ordering::Greater) {
        *best = Some(found);
    }
}
