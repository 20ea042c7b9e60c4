//! The trees of documents: their signatures, and the sorted trees.

use sled::Db;

use super::packed::{Entry, PackedTree};
use super::shape::Shape;
use super::signatures::{Signatures, place_in};
use super::{DIGESTS, FINGERPRINTS, SHINGLES};
use crate::error::DedupError;
use crate::fingerprint::Fingerprint;
use crate::index::Neighbour;
use crate::short::prefix;
use crate::signature::{Digest, DocId, Signature};

/// The trees of an index.
pub(super) struct Trees {
    shape: Shape,
    fingerprints: PackedTree,
    digests: PackedTree,
    shingles: PackedTree,
    pub signatures: Signatures,
}

impl Trees {
    pub fn open(db: &Db, shape: Shape) -> Result<Self, DedupError> {
        let packed = |name, word_bytes, key_of| -> Result<PackedTree, DedupError> {
            let tree = db.open_tree(name)?;
            Ok(PackedTree::new(tree, name, word_bytes, shape.row_bytes, key_of))
        };
        Ok(Self {
            shape,
            fingerprints: packed(FINGERPRINTS, shape.word_bytes(), shape.key_of())?,
            digests: packed(DIGESTS, 8, Box::new(|upper_half| upper_half as u64))?,
            shingles: packed(SHINGLES, 8, Box::new(|shingle| shingle as u64))?,
            signatures: Signatures::open(db, shape.row_bytes)?,
        })
    }

    /// Calls `each` with every document within `max_distance` bits, by a scan over all fingerprints.
    pub fn for_each_within(
        &self,
        fingerprint: Fingerprint,
        max_distance: u32,
        mut each: impl FnMut(Neighbour),
    ) -> Result<(), DedupError> {
        let query = fingerprint.bits();
        self.fingerprints.for_each(|Entry { word, id }| {
            let distance = (word ^ query).count_ones();
            if distance <= max_distance {
                each(Neighbour {
                    distance,
                    id: DocId(id),
                });
            }
            Ok(())
        })
    }

    /// Adds the documents of the log, which begins with the row `first`, to the sorted trees. A document that is there already, after an
    /// interrupted merge, is not added twice.
    pub fn merge(&self, first: u64) -> Result<(), DedupError> {
        let (mut fingerprints, mut digests, mut shingles) = (Vec::new(), Vec::new(), Vec::new());
        let mut places = Vec::new();
        self.signatures.for_each_from(first, |row, id, bytes| {
            let signature = Signature::from_row(bytes)?;
            let entry = |word| Entry { word, id: id.0 };
            fingerprints.extend(signature.fingerprint.map(|fingerprint| entry(fingerprint.bits())));
            digests.extend(signature.digest.map(|digest| entry(digest.0 >> 64)));
            let prefix = prefix(&signature.shingles, self.shape.min_similarity_short);
            shingles.extend(prefix.iter().map(|shingle| entry((*shingle).into())));
            places.push(place_in(row, id));
            Ok(())
        })?;
        self.signatures.place(&mut places)?;
        self.digests.merge(&mut digests)?;
        self.shingles.merge(&mut shingles)?;
        self.fingerprints.merge(&mut fingerprints)
    }

    /// Removes a document and its entries. It is in a row of the log if that is given.
    pub fn remove(&self, id: DocId, signature: &Signature, in_log: Option<u64>) -> Result<(), DedupError> {
        self.signatures.remove(id, in_log)?;
        let entry = |word| Entry { word, id: id.0 };
        for shingle in prefix(&signature.shingles, self.shape.min_similarity_short) {
            self.shingles.remove(entry((*shingle).into()))?;
        }
        if let Some(digest) = signature.digest {
            self.digests.remove(entry(digest.0 >> 64))?;
        }
        if let Some(fingerprint) = signature.fingerprint {
            self.fingerprints.remove(entry(fingerprint.bits()))?;
        }
        Ok(())
    }

    /// The first document with a digest among those for which `counts` holds.
    pub fn exact(&self, digest: Digest, counts: impl Fn(DocId) -> bool) -> Result<Option<DocId>, DedupError> {
        let mut ids = Vec::new();
        self.digests.of_key((digest.0 >> 64) as u64, |entry| {
            ids.push(DocId(entry.id));
            Ok(())
        })?;
        for id in ids.into_iter().filter(|id| counts(*id)) {
            // The tree holds only half of the digest.
            let signature = self.signatures.get(id, None)?;
            if signature.is_some_and(|signature| signature.digest == Some(digest)) {
                return Ok(Some(id));
            }
        }
        Ok(None)
    }

    /// Calls `each` with every document with a shingle.
    pub fn with_shingle(&self, shingle: u64, mut each: impl FnMut(DocId)) -> Result<(), DedupError> {
        self.shingles.of_key(shingle, |Entry { id, .. }| {
            each(DocId(id));
            Ok(())
        })
    }
}
