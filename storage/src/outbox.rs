//! The outbox: what a worker of a crawl by several workers must tell the others. A letter becomes durable together with the outcome that it
//! tells of, so that a crash loses neither one without the other. The store does not read letters.
//!
//! The owner sends the committed letters in their order, and removes them when they have arrived. After a crash between the two it sends
//! them again, so a letter must do no harm if it arrives twice. A rebuilt state has an empty outbox.

use serde::{Deserialize, Serialize};

use crate::error::StorageError;
use crate::format::{self, MAX_PACKED_ROW_BYTES};
use crate::frontier::QueuedUrl;
use crate::stage::{Piece, Row};
use crate::state::State;

/// The row's name in the error for a damaged state.
pub(crate) const LETTERS: &str = "a row of the outbox";

/// A message to the other workers.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Letter {
    /// What it is, in the owner's numbering.
    pub kind: u8,
    /// Its content, as the owner encodes it. At most 64 KiB, because rows of many kilobytes are a burden to sled.
    pub bytes: Vec<u8>,
}

/// The end of a URL's processing, as far as letters may tell of it.
#[derive(Debug)]
pub struct Ended<'a> {
    /// The sequence number of its page, if there is one.
    pub page_id: Option<u64>,
    /// The URLs first found there. A URL is among them a second time only if a crash may have lost the letters about it.
    pub links: Vec<&'a QueuedUrl>,
    /// The URL itself at its new place, if it returns to the queue.
    pub requeued: Option<&'a QueuedUrl>,
}

/// The numbers of the rows. They ascend while a store is open; an empty outbox starts again at 1 when it is opened.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Outbox {
    /// No row has a lower number, except rows that are about to be removed.
    pub first: u64,
    /// The number of the next row.
    pub next: u64,
}

impl Outbox {
    pub fn open(state: &State) -> Result<Self, StorageError> {
        let number = |row: Option<Result<crate::batch::KeyValue, StorageError>>| match row.transpose()? {
            Some((key, _)) => format::outbox_number(&key)
                .map(Some)
                .ok_or_else(|| state.corrupt(LETTERS)),
            None => Ok(None),
        };
        let first = number(state.scan([format::OUTBOX]).next())?;
        let last = number(state.scan([format::OUTBOX]).next_back())?;
        Ok(Self {
            first: first.unwrap_or(1),
            next: last.map_or(1, |last| last + 1),
        })
    }

    /// The rows of these letters: as few as their size allows.
    pub fn rows(&self, letters: Vec<Letter>) -> Result<Vec<Row>, StorageError> {
        let (mut rows, mut row, mut bytes) = (Vec::new(), Vec::new(), 0);
        let mut number = self.next;
        let mut close = |row: &mut Vec<Letter>| -> Result<(), StorageError> {
            if !row.is_empty() {
                let value = format::encode(&std::mem::take(row))?;
                rows.push((format::outbox_key(number), Some(value)));
                number += 1;
            }
            Ok(())
        };
        for letter in letters {
            if bytes + letter.bytes.len() > MAX_PACKED_ROW_BYTES {
                close(&mut row)?;
                bytes = 0;
            }
            bytes += letter.bytes.len() + 4;
            row.push(letter);
        }
        close(&mut row)?;
        Ok(rows)
    }

    /// Adds such rows to a piece that is about to be staged. Cannot fail.
    pub fn put(&mut self, rows: Vec<Row>, piece: &mut Piece) {
        self.next += rows.len() as u64;
        piece.rows.extend(rows);
    }
}
