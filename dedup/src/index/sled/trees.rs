//! The sorted trees, which are searched on disk.

use sled::Db;

use super::documents::{Signatures, documents};
use super::log::Log;
use super::meta::Meta;
use super::packed::{Entry, PackedTree};
use super::shape::Shape;
use super::split::{Splits, can_split};
use super::{DIGESTS, SHINGLES, SIGNATURES, block_tree};
use crate::error::DedupError;
use crate::fingerprint::Fingerprint;
use crate::index::Neighbour;
use crate::short::prefix;
use crate::signature::{Digest, DocId, Signature};

/// Buckets with fewer rows are not split: probing four sub-blocks is not cheaper.
const LEAST_SPLIT_ROWS: usize = 16;

/// Fingerprints copied from one block tree to another in memory at once.
const COPIED: usize = 1 << 18;

/// The sorted trees of an index.
pub(super) struct Trees {
    shape: Shape,
    /// The trees of the first block or of all blocks.
    blocks: Vec<PackedTree>,
    /// The masks of each block.
    masks: Vec<Vec<u128>>,
    splits: Splits,
    meta: Meta,
    fingerprints: u64,
    digests: PackedTree,
    shingles: PackedTree,
    pub signatures: Signatures,
}

impl Trees {
    /// Opens the trees of at least `blocks` blocks. Makes missing trees from the first one.
    pub fn open(db: &Db, meta: &Meta, shape: Shape, blocks: usize) -> Result<Self, DedupError> {
        let all = shape.layout.blocks().len();
        let known = meta.block_trees()?.min(all);
        let packed = |name: &str, error, word_bytes, key_of| -> Result<PackedTree, DedupError> {
            Ok(PackedTree::new(
                db.open_tree(name)?,
                error,
                word_bytes,
                shape.row_bytes,
                key_of,
            ))
        };
        let of_block = |number| {
            let key_of = Box::new(move |word| shape.key(word, number));
            packed(&block_tree(number), "dedup-block", shape.word_bytes(), key_of)
        };
        let mut trees = Self {
            shape,
            blocks: (0..known.max(1)).map(of_block).collect::<Result<_, _>>()?,
            masks: (0..all).map(|number| shape.layout.masks(number)).collect(),
            splits: Splits::open(db, shape)?,
            meta: meta.clone(),
            fingerprints: meta.fingerprints()?,
            digests: packed(DIGESTS, DIGESTS, 8, Box::new(|upper_half| upper_half as u64))?,
            shingles: packed(SHINGLES, SHINGLES, 8, Box::new(|shingle| shingle as u64))?,
            signatures: Signatures::open(db.open_tree(SIGNATURES)?)?,
        };
        for number in trees.blocks.len()..blocks {
            // A tree left by an interrupted attempt lacks later fingerprints.
            db.drop_tree(block_tree(number))?;
            let tree = of_block(number)?;
            trees.blocks[0].copy_to(&tree, COPIED)?;
            trees.blocks.push(tree);
        }
        if trees.blocks.len() > known {
            meta.set_block_trees(trees.blocks.len())?;
        }
        Ok(trees)
    }

    /// Calls `each` with every document within `max_distance` bits, by a scan over all fingerprints.
    pub fn for_each_within(
        &self,
        fingerprint: Fingerprint,
        max_distance: u32,
        mut each: impl FnMut(Neighbour),
    ) -> Result<(), DedupError> {
        let query = fingerprint.bits();
        self.blocks[0].for_each(|Entry { word, id }| {
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

    /// Adds the documents of the log. A document that is there already, after an interrupted merge, is not added twice.
    pub fn merge(&mut self, log: &Log) -> Result<(), DedupError> {
        let (mut fingerprints, mut digests, mut shingles) = (Vec::new(), Vec::new(), Vec::new());
        let mut writer = self.signatures.writer();
        log.for_each_row(|row| {
            for document in documents(row) {
                let (id, bytes) = document?;
                let signature: Signature = postcard::from_bytes(bytes)?;
                let entry = |word| Entry { word, id: id.0 };
                fingerprints.extend(signature.fingerprint.map(|fingerprint| entry(fingerprint.bits())));
                digests.extend(signature.digest.map(|digest| entry(digest.0 >> 64)));
                let prefix = prefix(&signature.shingles, self.shape.min_similarity_short);
                shingles.extend(prefix.iter().map(|shingle| entry((*shingle).into())));
                writer.add(id, bytes)?;
            }
            Ok(())
        })?;
        writer.finish()?;
        self.digests.merge(&mut digests)?;
        self.shingles.merge(&mut shingles)?;
        self.fingerprints += fingerprints.len() as u64;
        self.meta.set_fingerprints(self.fingerprints)?;
        for number in 0..self.blocks.len() {
            let long = self.blocks[number].merge(&mut fingerprints)?;
            self.splits.add(number, &fingerprints)?;
            for key in long {
                self.split_if_overfull(number, key)?;
            }
        }
        Ok(())
    }

    fn split_if_overfull(&mut self, number: usize, key: u64) -> Result<(), DedupError> {
        // With only the first tree, queries search in memory and read no bucket.
        if self.blocks.len() < self.shape.layout.blocks().len()
            || self.splits.contains(number, key)
            || !can_split(self.shape.layout, number)
        {
            return Ok(());
        }
        let mean = self.fingerprints as f64 / f64::from(self.shape.layout.block(number).bits).exp2();
        let least = LEAST_SPLIT_ROWS * self.shape.entries_of_row();
        let bound = ((1.0 + self.shape.overfull) * mean).max(least as f64);
        let mut entries = 0_u64;
        self.blocks[number].of_key(key, |_| {
            entries += 1;
            Ok(())
        })?;
        if entries as f64 > bound {
            self.splits.split(number, key, &self.blocks[number])?;
        }
        Ok(())
    }

    /// Removes every entry of a document.
    pub fn remove(&self, id: DocId, signature: &Signature) -> Result<(), DedupError> {
        self.signatures.remove(id)?;
        let entry = |word| Entry { word, id: id.0 };
        for shingle in prefix(&signature.shingles, self.shape.min_similarity_short) {
            self.shingles.remove(entry((*shingle).into()))?;
        }
        if let Some(digest) = signature.digest {
            self.digests.remove(entry(digest.0 >> 64))?;
        }
        if let Some(fingerprint) = signature.fingerprint {
            for (number, tree) in self.blocks.iter().enumerate() {
                tree.remove(entry(fingerprint.bits()))?;
                self.splits.remove(number, entry(fingerprint.bits()))?;
            }
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
            let signature = self.signatures.get(id)?;
            if signature.is_some_and(|signature| signature.digest == Some(digest)) {
                return Ok(Some(id));
            }
        }
        Ok(None)
    }

    /// Calls `each` with every document whose fingerprint is within the distance of the layout.
    pub fn near(&self, fingerprint: Fingerprint, mut each: impl FnMut(Neighbour)) -> Result<(), DedupError> {
        let (layout, query) = (self.shape.layout, fingerprint.bits());
        if fingerprint.width() != layout.width() {
            return Ok(());
        }
        for (number, tree) in self.blocks.iter().enumerate() {
            for mask in &self.masks[number] {
                let mut meet = |Entry { word, id }| {
                    let difference = query ^ word;
                    let distance = difference.count_ones();
                    let is_of_bucket = layout.key(difference, number) == *mask;
                    if distance <= layout.max_distance() && is_of_bucket && layout.is_first_meeting(difference, number)
                    {
                        each(Neighbour {
                            distance,
                            id: DocId(id),
                        });
                    }
                };
                let key = self.shape.key(query, number) ^ *mask as u64;
                let remaining = layout.max_distance() - mask.count_ones();
                if !self.splits.near((number, key), query, remaining, &mut meet)? {
                    tree.of_key(key, |entry| {
                        meet(entry);
                        Ok(())
                    })?;
                }
            }
        }
        Ok(())
    }

    /// Calls `each` with every document with a shingle.
    pub fn with_shingle(&self, shingle: u64, mut each: impl FnMut(DocId)) -> Result<(), DedupError> {
        self.shingles.of_key(shingle, |Entry { id, .. }| {
            each(DocId(id));
            Ok(())
        })
    }
}
