//! The log: which documents are in no sorted tree yet, and in which rows they are.
//!
//! The log is the last rows of the [signatures](super::signatures): those from a number on that the meta tree has.

use std::collections::HashMap;

use super::signatures::{LogRow, rows_of};
use crate::error::DedupError;
use crate::hash::Mixing;
use crate::signature::DocId;

/// The documents of the log.
pub(super) struct Log {
    /// The row of each document.
    rows: HashMap<DocId, u64, Mixing>,
    /// The first row of the log.
    first: u64,
    next: u64,
}

impl Log {
    /// A log that begins with the row `first`, without documents.
    pub fn new(first: u64) -> Self {
        Self {
            rows: HashMap::default(),
            first,
            next: first,
        }
    }

    /// The first row of the log.
    pub fn first(&self) -> u64 {
        self.first
    }

    /// The row that is written next.
    pub fn next(&self) -> u64 {
        self.next
    }

    /// Number of documents.
    pub fn len(&self) -> usize {
        self.rows.len()
    }

    pub fn contains(&self, id: DocId) -> bool {
        self.rows.contains_key(&id)
    }

    /// The row of a document; `None` if the log does not hold it, for example because a merge has moved it.
    pub fn row_of(&self, id: DocId) -> Option<u64> {
        self.rows.get(&id).copied()
    }

    /// Rows of documents, given with their encoded signatures. They are in the log as soon as they are [noted](Self::note).
    pub fn rows_of<'s>(
        &mut self,
        documents: impl Iterator<Item = (DocId, &'s [u8])>,
    ) -> Result<Vec<LogRow>, DedupError> {
        let rows = rows_of(self.next, documents)?;
        self.next += rows.len() as u64;
        Ok(rows)
    }

    /// Notes a row that is written.
    pub fn note(&mut self, row: &LogRow) {
        row.documents.iter().for_each(|id| self.note_document(*id, row.number));
    }

    /// Notes a document of a row. The rows of a log ascend.
    pub fn note_document(&mut self, id: DocId, row: u64) {
        self.rows.insert(id, row);
        self.next = self.next.max(row + 1);
    }

    /// Forgets a document that is removed.
    pub fn forget(&mut self, id: DocId) {
        self.rows.remove(&id);
    }
}
