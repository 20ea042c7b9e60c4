//! The signatures of the documents of an index in memory, and the tables that find documents by digest and by shingle.
//!
//! ```text
//! positions   id ─▶ position ─▶ id
//! rows        position ─▶ signature        seldom read; the first ones may be in a file
//! digests     digest ─▶ position           of the first document that came with it
//! shingles    shingle of a prefix ─▶ positions
//! ```
//!
//! Removed documents stay in rows and tables until they are an eighth of all; then everything is built again without them.

use std::collections::{BTreeSet, HashMap};
use std::sync::Arc;

use serde::{Deserialize, Serialize};

use super::positions::Positions;
use crate::error::DedupError;
use crate::index::table::Table;
use crate::short::prefix;
use crate::signature::{Digest, DocId, Signature};
use crate::spill::{Rows, Spill};

/// Removed documents that are never worth building everything again.
const FEW: usize = 1_024;

/// What an index keeps of a document beside fingerprint, sketch and bands.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(super) struct Kept {
    /// Without its bands, and without its sketch if `sketch_at` says where that is.
    pub(super) signature: Signature,
    /// Slot of the fingerprint, if the sketch is there.
    pub(super) sketch_at: Option<u32>,
}

impl Kept {
    pub(super) fn new(signature: &Signature, slot: Option<u32>) -> Self {
        let sketch_at = slot.filter(|_| signature.sketch.is_some());
        Self {
            signature: Signature {
                sketch: signature.sketch.filter(|_| sketch_at.is_none()),
                bands: None,
                ..signature.clone()
            },
            sketch_at,
        }
    }
}

#[derive(Debug, Clone)]
pub(super) struct Documents {
    positions: Positions,
    rows: Rows,
    digests: Table,
    /// Further documents with a digest; empty unless the caller inserts documents without a check.
    same_digests: HashMap<Digest, BTreeSet<DocId>>,
    shingles: Table,
    min_similarity_short: f32,
}

impl Documents {
    pub(super) fn new(min_similarity_short: f32) -> Self {
        Self {
            positions: Positions::default(),
            rows: Rows::default(),
            digests: Table::default(),
            same_digests: HashMap::new(),
            shingles: Table::default(),
            min_similarity_short,
        }
    }

    pub(super) fn min_similarity_short(&self) -> f32 {
        self.min_similarity_short
    }

    pub(super) fn len(&self) -> usize {
        self.positions.len()
    }

    pub(super) fn contains(&self, id: DocId) -> bool {
        self.positions.position(id).is_some()
    }

    /// What is kept of a document.
    pub(super) fn get(&self, id: DocId) -> Result<Option<Kept>, DedupError> {
        self.positions
            .position(id)
            .map_or(Ok(None), |position| self.at(position))
    }

    fn at(&self, position: u32) -> Result<Option<Kept>, DedupError> {
        let row = self.rows.get(position as usize)?;
        Ok(row.map(|row| postcard::from_bytes(&row)).transpose()?)
    }

    /// The document with this digest that has the least id.
    pub(super) fn exact(&self, digest: Digest) -> Result<Option<DocId>, DedupError> {
        let first = self.first_with(digest)?;
        let further = self.same_digests.get(&digest).and_then(BTreeSet::first);
        Ok(first.into_iter().chain(further.copied()).min())
    }

    /// The document with this digest that the table names.
    fn first_with(&self, digest: Digest) -> Result<Option<DocId>, DedupError> {
        let mut found = Vec::new();
        self.digests.find(hash(digest), &mut found);
        for position in found {
            if let Some(id) = self.positions.id(position)
                && self
                    .at(position)?
                    .is_some_and(|kept| kept.signature.digest == Some(digest))
            {
                return Ok(Some(id));
            }
        }
        Ok(None)
    }

    /// Appends to `found` the documents with one of these shingles in their prefix, and seldom others, some several times; `false` if the
    /// tables name more than `most`.
    pub(super) fn with_shingles(&self, shingles: &[u64], most: usize, found: &mut Vec<DocId>) -> bool {
        shingles.iter().for_each(|shingle| self.shingles.prefetch(*shingle));
        let mut positions = Vec::new();
        for shingle in shingles {
            self.shingles.find(*shingle, &mut positions);
            if positions.len() > most {
                return false;
            }
        }
        found.extend(positions.into_iter().filter_map(|position| self.positions.id(position)));
        true
    }

    /// Adds a document that is not there.
    pub(super) fn insert(&mut self, id: DocId, kept: &Kept) -> Result<(), DedupError> {
        let row = postcard::to_stdvec(kept)?;
        let position = self.positions.insert(id).ok_or(DedupError::Full)?;
        self.rows.push(&row);
        if let Some(digest) = kept.signature.digest {
            if self.first_with(digest)?.is_some() {
                self.same_digests.entry(digest).or_default().insert(id);
            } else {
                self.digests.insert(hash(digest), position);
            }
        }
        for shingle in prefix(&kept.signature.shingles, self.min_similarity_short) {
            self.shingles.insert(*shingle, position);
        }
        Ok(())
    }

    /// Removes a document. Returns what was kept of it.
    pub(super) fn remove(&mut self, id: DocId) -> Result<Option<Kept>, DedupError> {
        let Some(kept) = self.get(id)? else {
            return Ok(None);
        };
        self.positions.remove(id);
        if let Some(digest) = kept.signature.digest
            && let Some(further) = self.same_digests.get_mut(&digest)
        {
            let next = (!further.remove(&id)).then(|| further.pop_first()).flatten();
            if further.is_empty() {
                self.same_digests.remove(&digest);
            }
            // The table names one of the others now.
            if let Some(position) = next.and_then(|next| self.positions.position(next)) {
                self.digests.insert(hash(digest), position);
            }
        }
        if self.positions.removed() > FEW + self.len() / 8 {
            self.build_again()?;
        }
        Ok(Some(kept))
    }

    fn build_again(&mut self) -> Result<(), DedupError> {
        let mut built = Self::new(self.min_similarity_short);
        for (id, position) in self.positions.iter() {
            if let Some(kept) = self.at(position)? {
                built.insert(id, &kept)?;
            }
        }
        *self = built;
        Ok(())
    }

    /// Bytes in memory that [`spill`](Self::spill) frees.
    pub(super) fn tail_bytes(&self) -> usize {
        self.rows.tail_bytes()
    }

    /// About the bytes in memory.
    pub(super) fn resident_bytes(&self) -> usize {
        self.rows.tail_bytes()
            + self.positions.resident_bytes()
            + self.digests.resident_bytes()
            + self.shingles.resident_bytes()
    }

    /// Moves to a file a part of a table. Returns whether there was one to move.
    pub(super) fn spill_a_part(&mut self, file: &Arc<Spill>) -> Result<bool, DedupError> {
        Ok(self.shingles.spill_a_part(file)? || self.digests.spill_a_part(file)?)
    }

    /// Moves the rows to a file.
    pub(super) fn spill(&mut self, file: &Arc<Spill>) -> Result<(), DedupError> {
        self.rows.spill(file)
    }
}

fn hash(digest: Digest) -> u64 {
    digest.0 as u64 ^ (digest.0 >> 64) as u64
}
