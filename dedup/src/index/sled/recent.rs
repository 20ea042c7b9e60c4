//! The digests and shingles of the documents that are not in the sorted trees yet: pending ones and those in the log.

use std::collections::hash_map::Entry;
use std::collections::{BTreeSet, HashMap};

use crate::short::prefix;
use crate::signature::{Digest, DocId, Signature};

/// The searches of [`Index`](crate::Index) over recent documents.
pub(super) struct Recent {
    /// The first document with a digest.
    digests: HashMap<Digest, DocId>,
    /// The few others: kept documents have different digests.
    repeated: BTreeSet<(u128, DocId)>,
    shingles: BTreeSet<(u64, DocId)>,
    min_similarity_short: f32,
}

impl Recent {
    pub fn new(min_similarity_short: f32) -> Self {
        Self {
            digests: HashMap::new(),
            repeated: BTreeSet::new(),
            shingles: BTreeSet::new(),
            min_similarity_short,
        }
    }

    /// Number of shingles.
    pub fn shingles(&self) -> usize {
        self.shingles.len()
    }

    pub fn insert(&mut self, id: DocId, signature: &Signature) {
        if let Some(digest) = signature.digest {
            match self.digests.entry(digest) {
                Entry::Vacant(first) => drop(first.insert(id)),
                Entry::Occupied(mut first) => {
                    let second = id.max(*first.get());
                    first.insert(id.min(*first.get()));
                    self.repeated
                        .extend((second != *first.get()).then_some((digest.0, second)));
                }
            }
        }
        self.shingles
            .extend(self.prefix_of(signature).map(|shingle| (shingle, id)));
    }

    pub fn remove(&mut self, id: DocId, signature: &Signature) {
        if let Some(digest) = signature.digest {
            let is_repeated = self.repeated.remove(&(digest.0, id));
            if !is_repeated && self.digests.get(&digest) == Some(&id) {
                let mut others = self.repeated.range((digest.0, DocId(0))..=(digest.0, DocId(u64::MAX)));
                match others.next().copied() {
                    Some(next) => {
                        self.repeated.remove(&next);
                        self.digests.insert(digest, next.1);
                    }
                    None => drop(self.digests.remove(&digest)),
                }
            }
        }
        for shingle in self.prefix_of(signature) {
            self.shingles.remove(&(shingle, id));
        }
    }

    /// The first document with a digest.
    pub fn exact(&self, digest: Digest) -> Option<DocId> {
        self.digests.get(&digest).copied()
    }

    pub fn with_shingle(&self, shingle: u64, found: &mut Vec<DocId>) {
        let ids = self.shingles.range((shingle, DocId(0))..=(shingle, DocId(u64::MAX)));
        found.extend(ids.map(|(_, id)| *id));
    }

    fn prefix_of<'s>(&self, signature: &'s Signature) -> impl Iterator<Item = u64> + use<'s> {
        prefix(&signature.shingles, self.min_similarity_short).iter().copied()
    }
}
