//! The log: the documents of the index that are not in its sorted trees yet.
//!
//! ```text
//! tree       key            value
//! dedup-log  number u64 BE  documents, in the order of insertion
//! ```
//!
//! A row is short, because sled keeps up to sixteen rows in a node, and writes a node of more than 128 KiB to a separate file each time it
//! changes. A row is written in one step, so the log holds a document completely or not at all.

use std::collections::HashMap;

use sled::Tree;

use super::LOG;
use super::documents::{documents, find, push, without};
use super::meta::Meta;
use super::persist::{LogRow, LogWriter};
use crate::error::DedupError;
use crate::hash::Mixing;
use crate::signature::{DocId, Signature};

/// Documents per row, at most.
const ROW_DOCUMENTS: usize = 32;

/// Bytes after which a row is full.
const ROW_BYTES: usize = 6 * 1024;

/// The log of an index.
pub(super) struct Log {
    tree: Tree,
    /// The row of each document.
    rows: HashMap<DocId, u64, Mixing>,
    next_row: u64,
}

impl Log {
    /// Reads the log and calls `each` with every document.
    pub fn open(
        tree: Tree,
        mut each: impl FnMut(DocId, &Signature) -> Result<(), DedupError>,
    ) -> Result<Self, DedupError> {
        let (mut rows, mut next_row) = (HashMap::default(), 0);
        for row in &tree {
            let (key, value) = row?;
            let number = key[..].try_into().map_err(|_| DedupError::Corrupt(LOG))?;
            let number = u64::from_be_bytes(number);
            next_row = number + 1;
            for document in documents(&value) {
                let (id, signature) = document?;
                rows.insert(id, number);
                each(id, &Signature::from_row_with_bands(signature)?)?;
            }
        }
        Ok(Self { tree, rows, next_row })
    }

    /// Number of documents.
    pub fn len(&self) -> usize {
        self.rows.len()
    }

    pub fn for_each_id(&self, each: &mut impl FnMut(DocId)) {
        self.rows.keys().copied().for_each(each);
    }

    pub fn contains(&self, id: DocId) -> bool {
        self.rows.contains_key(&id)
    }

    /// The signature of a document; `None` if the log does not hold it, for example because a merge has moved it.
    pub fn get(&self, id: DocId) -> Result<Option<Signature>, DedupError> {
        let Some(number) = self.rows.get(&id) else {
            return Ok(None);
        };
        match self.tree.get(number.to_be_bytes())? {
            Some(row) => find(&row, id),
            None => Ok(None),
        }
    }

    /// Rows of documents, given with their encoded signatures, that the log does not hold yet, for a writer. They are in the log as soon as they are [noted](Self::note).
    pub fn rows_of<'s>(
        &mut self,
        documents: impl Iterator<Item = (DocId, &'s [u8])>,
    ) -> Result<Vec<LogRow>, DedupError> {
        let (mut rows, mut last) = (Vec::new(), LogRow::default());
        for (id, signature) in documents {
            if self.contains(id) {
                continue;
            }
            push(&mut last.bytes, id, signature)?;
            last.documents.push(id);
            if last.documents.len() == ROW_DOCUMENTS || last.bytes.len() >= ROW_BYTES {
                rows.push(std::mem::take(&mut last));
            }
        }
        rows.extend(Some(last).filter(|last| !last.documents.is_empty()));
        for row in &mut rows {
            row.number = self.next_row;
            self.next_row += 1;
        }
        Ok(rows)
    }

    /// What writes rows and a mark into the log and `meta`.
    pub fn writer(&self, rows: Vec<LogRow>, meta: &Meta, applied: Option<u64>, due: Vec<DocId>) -> LogWriter {
        LogWriter::new((self.tree.clone(), meta.clone()), rows, applied, due)
    }

    /// Notes a row that is written.
    pub fn note(&mut self, row: &LogRow) {
        self.rows.extend(row.documents.iter().map(|id| (*id, row.number)));
    }

    /// Calls `each` with the value of every row, which [`documents`] reads.
    pub fn for_each_row(&self, mut each: impl FnMut(&[u8]) -> Result<(), DedupError>) -> Result<(), DedupError> {
        for row in &self.tree {
            each(&row?.1)?;
        }
        Ok(())
    }

    /// Removes a document if the log holds it.
    pub fn remove(&mut self, id: DocId) -> Result<(), DedupError> {
        let Some(number) = self.rows.get(&id) else {
            return Ok(());
        };
        let key = number.to_be_bytes();
        if let Some(row) = self.tree.get(key)? {
            match without(&row, id)? {
                rest if rest.is_empty() => self.tree.remove(key)?,
                rest => self.tree.insert(key, rest)?,
            };
        }
        self.rows.remove(&id);
        Ok(())
    }

    /// Removes all documents, the oldest rows first.
    pub fn clear(&mut self) -> Result<(), DedupError> {
        for key in self.tree.iter().keys() {
            self.tree.remove(key?)?;
        }
        self.rows.clear();
        Ok(())
    }
}
