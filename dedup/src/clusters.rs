//! Which documents were found to be duplicates of which.

use std::collections::{BTreeMap, HashMap};

use crate::deduplicator::Verdict;
use crate::signature::DocId;

/// A kept document and its duplicates.
#[derive(Debug, Clone, PartialEq)]
pub struct Cluster {
    /// The kept document.
    pub representative: DocId,
    /// The others with their verdicts, in the order of decision; never empty.
    pub duplicates: Vec<(DocId, Verdict)>,
}

/// The clusters of a [`Deduplicator`](crate::Deduplicator). A document is in one at most, and a representative is nobody's
/// duplicate: clusters are stars, not chains.
#[derive(Debug, Clone, Default)]
pub(crate) struct Clusters {
    duplicates: BTreeMap<DocId, Vec<(DocId, Verdict)>>,
    representatives: HashMap<DocId, DocId>,
}

impl Clusters {
    /// Notes what was decided; a repeated decision on a document replaces the one before.
    pub(crate) fn record(&mut self, id: DocId, verdict: &Verdict) {
        self.forget(id);
        if let Some(of) = verdict.of() {
            self.representatives.insert(id, of);
            self.duplicates.entry(of).or_default().push((id, *verdict));
        }
    }

    /// Takes a duplicate out of its cluster; whether it was in one.
    pub(crate) fn forget(&mut self, id: DocId) -> bool {
        let Some(of) = self.representatives.remove(&id) else {
            return false;
        };
        if let Some(duplicates) = self.duplicates.get_mut(&of) {
            duplicates.retain(|(other, _)| *other != id);
            if duplicates.is_empty() {
                self.duplicates.remove(&of);
            }
        }
        true
    }

    /// Takes a cluster apart; those that were its duplicates.
    pub(crate) fn dissolve(&mut self, representative: DocId) -> Vec<DocId> {
        let duplicates = self.duplicates.remove(&representative).unwrap_or_default();
        for (id, _) in &duplicates {
            self.representatives.remove(id);
        }
        duplicates.into_iter().map(|(id, _)| id).collect()
    }

    /// All of them, by representative.
    pub(crate) fn list(&self) -> Vec<Cluster> {
        let clusters = self.duplicates.iter().map(|(representative, duplicates)| Cluster {
            representative: *representative,
            duplicates: duplicates.clone(),
        });
        clusters.collect()
    }
}
