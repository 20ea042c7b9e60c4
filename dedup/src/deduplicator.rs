//! Checks documents against an index and inserts the unique ones, in one step and from any thread.

use std::sync::atomic::{self, AtomicU64};
use std::sync::{PoisonError, RwLock, RwLockReadGuard, RwLockWriteGuard};

use crate::batch::Inserted;
use crate::cores::on_all_cores;
use crate::decide::decide;
use crate::duplicate_rule::DuplicateRule;
use crate::error::DedupError;
use crate::index::Index;
use crate::signature::{DocId, Signature};
use crate::verdict::Verdict;

/// Decides whether documents are duplicates, against an index of the unique documents.
///
/// Only unique documents enter the index. A duplicate never causes another verdict, so in a chain A ~ B ~ C no document
/// is dropped because it resembles a dropped one.
///
/// Threads may share a deduplicator. They compute verdicts in parallel. A document enters the index in the same step in
/// which it is found unique: of two near-duplicates that arrive at the same time, exactly one enters. Where several
/// processes share the index, the step is [the index's own](Index::check_and_insert).
#[derive(Debug)]
pub struct Deduplicator<I> {
    index: RwLock<I>,
    /// Number of changes to the index, written under its lock. A thread whose verdict is older than the last change
    /// decides again.
    changes: AtomicU64,
    rule: DuplicateRule,
}

impl<I: Index> Deduplicator<I> {
    /// A deduplicator that applies `rule`. The index must have been made for the same rule or a wider one.
    ///
    /// # Errors
    /// [`DedupError::Rule`]: the rule is invalid. [`DedupError::NarrowIndex`]: the index does not find every document
    /// that `rule` may accept.
    pub fn new(index: I, rule: DuplicateRule) -> Result<Self, DedupError> {
        rule.validate()?;
        if !index.finds_all_of(&rule) {
            return Err(DedupError::NarrowIndex);
        }
        Ok(Self {
            index: RwLock::new(index),
            changes: AtomicU64::new(0),
            rule,
        })
    }

    /// The verdict on a document. The document does not enter the index.
    ///
    /// # Errors
    /// The index cannot be read.
    pub fn check(&self, signature: &Signature) -> Result<Verdict, DedupError> {
        verdict(&*self.index(), &self.rule, signature, |_| true)
    }

    /// The verdict on a document that a person has compared with the documents `different` and found to say something else: it is
    /// a near-duplicate of none of them, whatever the rule says. It can still be an exact duplicate of one.
    ///
    /// The verdict is given as if `except` were not in the index: for a new version of `except`, or for `except` itself. An index
    /// names one document per digest. Kept documents have different digests, so `except` hides no other document.
    ///
    /// # Errors
    /// The index cannot be read.
    pub fn check_beside(
        &self,
        signature: &Signature,
        different: &[DocId],
        except: Option<DocId>,
    ) -> Result<Verdict, DedupError> {
        let index = &*self.index();
        let counts = |id| Some(id) != except;
        let found = index.look_up(signature, &self.rule, &counts)?;
        let may_be_near = |id| counts(id) && !different.contains(&id);
        decide(&self.rule, signature, found, may_be_near, |ids, each| {
            index.for_each_signature(ids, each)
        })
    }

    /// The verdict on a document as if only the documents with an id below `id` were in the index: the verdict that
    /// they gave at the time, if ids ascend.
    ///
    /// # Errors
    /// The index cannot be read.
    pub fn check_before(&self, signature: &Signature, id: DocId) -> Result<Verdict, DedupError> {
        verdict(&*self.index(), &self.rule, signature, |other| other < id)
    }

    /// The verdict on a document. A unique document enters the index as `id`, in the same step.
    ///
    /// # Errors
    /// The index cannot be read or written.
    pub fn check_and_insert(&self, id: DocId, signature: &Signature) -> Result<Verdict, DedupError> {
        let (mut found, seen) = {
            let index = self.index();
            if let Some(found) = index.check_and_insert(id, signature, &self.rule)? {
                return Ok(found);
            }
            let found = verdict(&*index, &self.rule, signature, |_| true)?;
            (found, self.changes.load(atomic::Ordering::Relaxed))
        };
        if found == Verdict::Unique {
            let mut index = self.index_mut();
            if self.changes.load(atomic::Ordering::Relaxed) != seen {
                found = verdict(&*index, &self.rule, signature, |_| true)?;
            }
            if found == Verdict::Unique {
                index.insert(id, signature)?;
                self.changes.fetch_add(1, atomic::Ordering::Relaxed);
            }
        }
        Ok(found)
    }

    /// The verdicts of [`check_and_insert`](Self::check_and_insert) on these documents, one after the other. All cores check them, so a batch of
    /// some hundred documents takes less time than the same documents one by one. An index that several processes share, whose
    /// [plan](Index::plan) nobody knows, is asked one by one.
    ///
    /// # Errors
    /// The index cannot be read or written. Some of the documents may be in it then.
    pub fn check_and_insert_all(&self, documents: &[(DocId, Signature)]) -> Result<Vec<Verdict>, DedupError>
    where
        I: Sync,
    {
        let (foreseen, plan, seen) = {
            let index = self.index();
            let Some(plan) = index.plan() else {
                drop(index);
                let documents = documents.iter();
                return documents
                    .map(|(id, signature)| self.check_and_insert(*id, signature))
                    .collect();
            };
            let (frozen, rule) = (&*index, &self.rule);
            let foreseen = on_all_cores(documents, |(_, signature)| verdict(frozen, rule, signature, |_| true));
            let foreseen: Vec<Verdict> = foreseen.into_iter().collect::<Result<_, _>>()?;
            (foreseen, plan, self.changes.load(atomic::Ordering::Relaxed))
        };
        let mut index = self.index_mut();
        let mut stands = self.changes.load(atomic::Ordering::Relaxed) == seen;
        let mut inserted = Inserted::by(&self.rule);
        let mut verdicts = Vec::with_capacity(documents.len());
        for (at, ((id, signature), foreseen)) in documents.iter().zip(foreseen).enumerate() {
            if let Some((_, next)) = documents.get(at + 1) {
                index.prefetch_insertion(next);
            }
            let found = if stands && !inserted.concerns(signature) {
                foreseen
            } else {
                verdict(&*index, &self.rule, signature, |_| true)?
            };
            if found == Verdict::Unique {
                index.insert(*id, signature)?;
                self.changes.fetch_add(1, atomic::Ordering::Relaxed);
                inserted.add(signature);
                stands &= index.plan() == Some(plan);
            }
            verdicts.push(found);
        }
        Ok(verdicts)
    }

    /// Adds a document that the caller knows to be unique, for example to bring an index up to a catalogue.
    ///
    /// # Errors
    /// The index cannot be written.
    pub fn insert(&self, id: DocId, signature: &Signature) -> Result<(), DedupError> {
        let mut index = self.index_mut();
        self.changes.fetch_add(1, atomic::Ordering::Relaxed);
        index.insert(id, signature)
    }

    /// Removes a document from the index. Returns whether it was there.
    ///
    /// # Errors
    /// The index cannot be written.
    pub fn remove(&self, id: DocId) -> Result<bool, DedupError> {
        let mut index = self.index_mut();
        self.changes.fetch_add(1, atomic::Ordering::Relaxed);
        index.remove(id)
    }

    /// Read access to the index. Insertions wait until the guard is dropped.
    pub fn index(&self) -> RwLockReadGuard<'_, I> {
        // A panic during an insertion leaves an entry without a signature, which `verdict` skips.
        self.index.read().unwrap_or_else(PoisonError::into_inner)
    }

    /// Write access to the index, to persist it. Every other thread waits until the guard is dropped.
    pub fn index_mut(&self) -> RwLockWriteGuard<'_, I> {
        self.index.write().unwrap_or_else(PoisonError::into_inner)
    }
}

/// The verdict by `rule` on a document, against the documents in `index` for which `counts` holds.
fn verdict(
    index: &impl Index,
    rule: &DuplicateRule,
    signature: &Signature,
    counts: impl Fn(DocId) -> bool + Copy,
) -> Result<Verdict, DedupError> {
    let found = index.look_up(signature, rule, &counts)?;
    decide(rule, signature, found, counts, |ids, each| {
        index.for_each_signature(ids, each)
    })
}
