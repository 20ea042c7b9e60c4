//! The signatures of all documents, several per row, in the order of insertion.
//!
//! ```text
//! tree              key            value
//! dedup-signatures  number u64 BE  documents, see `documents`
//! dedup-places      see `packed`   id of a document │ number of its row
//! ```
//!
//! A signature is the largest part of a document, so it is written once: into the row where it stays. The meta tree has the number of the first row
//! of the [log](super::log). The log is this row and all rows after it. A merge enters their documents in the other trees.
//!
//! A row is short, because sled keeps up to sixteen rows in a node, reads and writes whole nodes, and writes a node of more than 128 KiB to a
//! separate file each time it changes. A row is written in one step, so it holds a document completely or not at all.

use sled::{Db, IVec, Tree};

use super::documents::{documents, find, push, without};
use super::packed::{Entry, PackedTree};
use super::{PLACES, SIGNATURES, read_u64};
use crate::error::DedupError;
use crate::signature::{DocId, Signature};

/// Documents per row, at most.
const ROW_DOCUMENTS: usize = 32;

/// Bytes after which a row is full.
const ROW_BYTES: usize = 3 * 1024;

/// The signatures of all documents.
pub(super) struct Signatures {
    rows: Tree,
    places: PackedTree,
}

impl Signatures {
    pub fn open(db: &Db, row_bytes: usize) -> Result<Self, DedupError> {
        let places = db.open_tree(PLACES)?;
        Ok(Self {
            rows: db.open_tree(SIGNATURES)?,
            places: PackedTree::new(places, PLACES, 8, row_bytes, Box::new(|id| id as u64)),
        })
    }

    /// The tree of rows.
    pub fn tree(&self) -> &Tree {
        &self.rows
    }

    /// Whether a document that is not in the log is there.
    pub fn contains(&self, id: DocId) -> Result<bool, DedupError> {
        Ok(self.place_of(id)?.is_some())
    }

    /// The signature of a document, which is in a row of the log if that is given.
    pub fn get(&self, id: DocId, in_log: Option<u64>) -> Result<Option<Signature>, DedupError> {
        let mut found = None;
        self.for_each_of(&[id], |_| in_log, &mut |_, signature| found = Some(signature))?;
        Ok(found)
    }

    /// Calls `each` with the signature of each of the documents `ids`. `in_log` gives the rows of those in the log. Documents of one row that
    /// follow one another cost one read.
    pub fn for_each_of(
        &self,
        ids: &[DocId],
        in_log: impl Fn(DocId) -> Option<u64>,
        each: &mut dyn FnMut(DocId, Signature),
    ) -> Result<(), DedupError> {
        let mut open: Option<(u64, IVec)> = None;
        for &id in ids {
            let number = match in_log(id) {
                Some(number) => number,
                None => match self.place_of(id)? {
                    Some(number) => number,
                    None => continue,
                },
            };
            if open.as_ref().is_none_or(|(other, _)| *other != number) {
                open = self.rows.get(number.to_be_bytes())?.map(|row| (number, row));
            }
            if let Some((_, row)) = &open
                && let Some(signature) = find(row, id)?
            {
                each(id, signature);
            }
        }
        Ok(())
    }

    /// Calls `each` with the number of the row, the id and the encoded signature of every document in the rows from `first` on.
    pub fn for_each_from(
        &self,
        first: u64,
        mut each: impl FnMut(u64, DocId, &[u8]) -> Result<(), DedupError>,
    ) -> Result<(), DedupError> {
        for row in self.rows.range(first.to_be_bytes()..) {
            let (key, row) = row?;
            let number = read_u64(&key).ok_or(DedupError::Corrupt(SIGNATURES))?;
            for document in documents(&row) {
                let (id, signature) = document?;
                each(number, id, signature)?;
            }
        }
        Ok(())
    }

    /// Calls `each` with the id of every document.
    pub fn for_each_id(&self, mut each: impl FnMut(DocId)) -> Result<(), DedupError> {
        self.for_each_from(0, |_, id, _| {
            each(id);
            Ok(())
        })
    }

    /// Notes the rows of documents that leave the log.
    pub fn place(&self, places: &mut [Entry]) -> Result<(), DedupError> {
        self.places.merge(places)
    }

    /// Removes a document, which is in a row of the log if that is given.
    pub fn remove(&self, id: DocId, in_log: Option<u64>) -> Result<(), DedupError> {
        let place = self.place_of(id)?;
        for number in in_log.into_iter().chain(place) {
            self.remove_from(number, id)?;
        }
        // Last, so that a removal that was interrupted finds the row again.
        match place {
            Some(number) => self.places.remove(place_in(number, id)),
            None => Ok(()),
        }
    }

    fn remove_from(&self, number: u64, id: DocId) -> Result<(), DedupError> {
        let key = number.to_be_bytes();
        let Some(row) = self.rows.get(key)? else {
            return Ok(());
        };
        match without(&row, id)? {
            rest if rest.is_empty() => self.rows.remove(key)?,
            rest => self.rows.insert(key, rest)?,
        };
        Ok(())
    }

    /// The row of a document that is not in the log.
    fn place_of(&self, id: DocId) -> Result<Option<u64>, DedupError> {
        let mut place = None;
        self.places.of_key(id.0, |entry| {
            place = Some(entry.id);
            Ok(())
        })?;
        Ok(place)
    }
}

/// A row of documents that is to be written.
#[derive(Default)]
pub(super) struct LogRow {
    pub number: u64,
    pub documents: Vec<DocId>,
    pub bytes: Vec<u8>,
}

/// The entry that says that a document is in a row.
pub(super) fn place_in(number: u64, id: DocId) -> Entry {
    Entry {
        word: id.0.into(),
        id: number,
    }
}

/// Rows of documents, given with their encoded signatures. The first has the number `first`.
pub(super) fn rows_of<'s>(
    first: u64,
    documents: impl Iterator<Item = (DocId, &'s [u8])>,
) -> Result<Vec<LogRow>, DedupError> {
    let (mut rows, mut last) = (Vec::new(), LogRow::default());
    for (id, signature) in documents {
        push(&mut last.bytes, id, signature)?;
        last.documents.push(id);
        if last.documents.len() == ROW_DOCUMENTS || last.bytes.len() >= ROW_BYTES {
            rows.push(std::mem::take(&mut last));
        }
    }
    rows.extend(Some(last).filter(|last| !last.documents.is_empty()));
    for (row, number) in rows.iter_mut().zip(first..) {
        row.number = number;
    }
    Ok(rows)
}
