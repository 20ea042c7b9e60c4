//! The digests and shingles of the documents that are not in the sorted trees yet: pending ones and those in the log.

use std::collections::BTreeSet;

use crate::short::prefix;
use crate::signature::{Digest, DocId, Signature};

/// The searches of [`Index`](crate::Index) over recent documents.
pub(super) struct Recent {
    digests: BTreeSet<(u128, DocId)>,
    shingles: BTreeSet<(u64, DocId)>,
    min_similarity_short: f32,
}

impl Recent {
    pub fn new(min_similarity_short: f32) -> Self {
        Self {
            digests: BTreeSet::new(),
            shingles: BTreeSet::new(),
            min_similarity_short,
        }
    }

    /// Number of shingles.
    pub fn shingles(&self) -> usize {
        self.shingles.len()
    }

    pub fn insert(&mut self, id: DocId, signature: &Signature) {
        self.digests.extend(signature.digest.map(|digest| (digest.0, id)));
        self.shingles
            .extend(self.prefix_of(signature).map(|shingle| (shingle, id)));
    }

    pub fn remove(&mut self, id: DocId, signature: &Signature) {
        if let Some(digest) = signature.digest {
            self.digests.remove(&(digest.0, id));
        }
        for shingle in self.prefix_of(signature) {
            self.shingles.remove(&(shingle, id));
        }
    }

    /// The first document with a digest.
    pub fn exact(&self, digest: Digest) -> Option<DocId> {
        let mut ids = self.digests.range((digest.0, DocId(0))..=(digest.0, DocId(u64::MAX)));
        ids.next().map(|(_, id)| *id)
    }

    pub fn with_shingle(&self, shingle: u64, found: &mut Vec<DocId>) {
        let ids = self.shingles.range((shingle, DocId(0))..=(shingle, DocId(u64::MAX)));
        found.extend(ids.map(|(_, id)| *id));
    }

    fn prefix_of<'s>(&self, signature: &'s Signature) -> impl Iterator<Item = u64> + use<'s> {
        prefix(&signature.shingles, self.min_similarity_short).iter().copied()
    }
}
