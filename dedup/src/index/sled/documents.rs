//! Documents with their signatures, several per row.
//!
//! ```text
//! tree              key                value
//! dedup-signatures  id >> 3  u64 BE    documents, by id
//! document          id varint │ length varint │ signature, as `Signature::to_row`
//! ```
//!
//! The bands follow the signature only in an index that may use them.
//!
//! Eight consecutive ids share a row, so writing them costs an eighth. A row of scattered ids holds one document.

use std::collections::BTreeMap;

use sled::{Batch, Tree};

use super::SIGNATURES;
use super::highest::{Highest, first_of_group};
use crate::error::DedupError;
use crate::signature::{DocId, Signature};

/// log₂ of the number of ids per row.
const ROW_IDS_LOG2: u32 = 3;
/// Rows per batch: sled keeps several copies of a batch in memory.
const BATCH_ROWS: usize = 128;

/// Appends a document to a row.
pub(super) fn push(row: &mut Vec<u8>, id: DocId, signature: &[u8]) -> Result<(), DedupError> {
    // Two varints have at most ten bytes each. The signature follows in one copy: postcard would add it byte by byte.
    let mut head = [0; 20];
    row.extend_from_slice(postcard::to_slice(&(id.0, signature.len() as u64), &mut head)?);
    row.extend_from_slice(signature);
    Ok(())
}

/// The documents of a row, their signatures not yet decoded.
pub(super) fn documents(row: &[u8]) -> impl Iterator<Item = Result<(DocId, &[u8]), DedupError>> {
    let mut rest = row;
    std::iter::from_fn(move || {
        if rest.is_empty() {
            return None;
        }
        let taken = postcard::take_from_bytes::<(u64, &[u8])>(rest);
        rest = taken.as_ref().map_or(&[], |(_, after)| *after);
        Some(
            taken
                .map(|((id, signature), _)| (DocId(id), signature))
                .map_err(DedupError::from),
        )
    })
}

/// The signature of a document in a row.
pub(super) fn find(row: &[u8], id: DocId) -> Result<Option<Signature>, DedupError> {
    for document in documents(row) {
        let (other, signature) = document?;
        if other == id {
            return Ok(Some(Signature::from_row(signature)?));
        }
    }
    Ok(None)
}

/// The tree of signatures, by id.
pub(super) struct Signatures {
    tree: Tree,
    highest: Highest,
}

impl Signatures {
    pub fn open(tree: Tree) -> Result<Self, DedupError> {
        let mut highest = Highest::default();
        let mut last = tree.last()?;
        while let Some((key, row)) = last {
            for document in documents(&row) {
                highest.note(document?.0);
            }
            // The next lower group of ids.
            let number = key[..].try_into().map_err(|_| DedupError::Corrupt(SIGNATURES))?;
            let group = first_of_group(DocId(u64::from_be_bytes(number) << ROW_IDS_LOG2));
            last = tree.range(..row_key(group)).next_back().transpose()?;
        }
        Ok(Self { tree, highest })
    }

    pub fn contains(&self, id: DocId) -> Result<bool, DedupError> {
        if !self.highest.may_have(id) {
            return Ok(false);
        }
        let Some(row) = self.tree.get(row_key(id))? else {
            return Ok(false);
        };
        has(&row, id)
    }

    pub fn get(&self, id: DocId) -> Result<Option<Signature>, DedupError> {
        match self.tree.get(row_key(id))? {
            Some(row) => find(&row, id),
            None => Ok(None),
        }
    }

    /// Calls `each` with the signature of each of the documents `ids`, ascending. Documents of one row cost one read.
    pub fn for_each_of(&self, ids: &[DocId], each: &mut dyn FnMut(DocId, Signature)) -> Result<(), DedupError> {
        for of_row in ids.chunk_by(|a, b| row_key(*a) == row_key(*b)) {
            let Some(row) = self.tree.get(row_key(of_row[0]))? else {
                continue;
            };
            for document in documents(&row) {
                let (id, signature) = document?;
                if of_row.contains(&id) {
                    each(id, Signature::from_row(signature)?);
                }
            }
        }
        Ok(())
    }

    /// Calls `each` with the id of every document.
    pub fn for_each_id(&self, mut each: impl FnMut(DocId)) -> Result<(), DedupError> {
        self.for_each(|id, _| {
            each(id);
            Ok(())
        })
    }

    /// Calls `each` with every document and its encoded signature, by id.
    pub fn for_each(&self, mut each: impl FnMut(DocId, &[u8]) -> Result<(), DedupError>) -> Result<(), DedupError> {
        for row in self.tree.iter().values() {
            for document in documents(&row?) {
                let (id, signature) = document?;
                each(id, signature)?;
            }
        }
        Ok(())
    }

    /// A writer that adds documents; fastest if those of a row come soon after one another.
    pub fn writer(&mut self) -> Writer<'_> {
        Writer {
            signatures: self,
            rows: BTreeMap::new(),
        }
    }

    pub fn remove(&self, id: DocId) -> Result<(), DedupError> {
        let key = row_key(id);
        let Some(row) = self.tree.get(key)? else {
            return Ok(());
        };
        match without(&row, id)? {
            rest if rest.is_empty() => self.tree.remove(key)?,
            rest => self.tree.insert(key, rest)?,
        };
        Ok(())
    }
}

/// Adds documents and skips those that are there already. Only [`Writer::finish`] writes the last ones.
pub(super) struct Writer<'t> {
    signatures: &'t mut Signatures,
    /// The rows that the writer is adding documents to, by their numbers. In the folder of a fleet, the ids of several workers ascend side
    /// by side.
    rows: BTreeMap<u64, Vec<u8>>,
}

impl Writer<'_> {
    pub fn add(&mut self, id: DocId, signature: &[u8]) -> Result<(), DedupError> {
        let number = id.0 >> ROW_IDS_LOG2;
        if self.rows.len() >= BATCH_ROWS && !self.rows.contains_key(&number) {
            self.apply()?;
        }
        let mut row = match self.rows.remove(&number) {
            Some(row) => row,
            None if !self.signatures.highest.may_have(DocId(number << ROW_IDS_LOG2)) => Vec::new(),
            None => {
                let row = self.signatures.tree.get(number.to_be_bytes())?;
                row.map_or_else(Vec::new, |row| row.to_vec())
            }
        };
        if !has(&row, id)? {
            push(&mut row, id, signature)?;
        }
        self.rows.insert(number, row);
        self.signatures.highest.note(id);
        Ok(())
    }

    pub fn finish(mut self) -> Result<(), DedupError> {
        self.apply()
    }

    fn apply(&mut self) -> Result<(), DedupError> {
        let mut batch = Batch::default();
        for (number, row) in std::mem::take(&mut self.rows) {
            batch.insert(&number.to_be_bytes(), row);
        }
        Ok(self.signatures.tree.apply_batch(batch)?)
    }
}

fn has(row: &[u8], id: DocId) -> Result<bool, DedupError> {
    for document in documents(row) {
        if document?.0 == id {
            return Ok(true);
        }
    }
    Ok(false)
}

/// A row without a document.
pub(super) fn without(row: &[u8], id: DocId) -> Result<Vec<u8>, DedupError> {
    let mut rest = Vec::with_capacity(row.len());
    for document in documents(row) {
        let (other, signature) = document?;
        if other != id {
            push(&mut rest, other, signature)?;
        }
    }
    Ok(rest)
}

fn row_key(id: DocId) -> [u8; 8] {
    (id.0 >> ROW_IDS_LOG2).to_be_bytes()
}
