//! The outbox: what a worker of a crawl by several workers must tell the others. A letter becomes durable together with the outcome that it
//! tells of, so that a crash loses neither one without the other. The store does not read letters.
//!
//! The owner sends the committed letters in their order, and removes them when they have arrived. After a crash between the two it sends
//! them again, so a letter must do no harm if it arrives twice. A rebuilt state has an empty outbox.

use serde::{Deserialize, Serialize};

use crate::batch::KeyValue;
use crate::commit::Piece;
use crate::error::StorageError;
use crate::format::{self, MAX_PACKED_ROW_BYTES};
use crate::frontier::QueuedUrl;
use crate::state::State;

/// The table of ⟨[[`Letter`]]⟩.
const OUTBOX: u8 = b'o';

/// The row's name in the error for a damaged state.
const LETTERS: &str = "a row of the outbox";

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

/// The outbox. The numbers of its rows ascend while a store is open; an empty outbox starts again at 1 when it is opened.
pub struct Outbox {
    state: State,
    /// No row has a lower number, except rows that are about to be removed.
    first: u64,
    /// The number of the next row.
    next: u64,
}

/// Encoded letters, by rows.
pub(crate) struct Sealed(Vec<Vec<u8>>);

impl Sealed {
    /// As few rows as their size allows.
    pub fn of(letters: Vec<Letter>) -> Result<Self, StorageError> {
        let (mut rows, mut row, mut bytes) = (Vec::new(), Vec::new(), 0);
        for letter in letters {
            if bytes + letter.bytes.len() > MAX_PACKED_ROW_BYTES && !row.is_empty() {
                rows.push(format::encode(&std::mem::take(&mut row))?);
                bytes = 0;
            }
            bytes += letter.bytes.len() + 4;
            row.push(letter);
        }
        if !row.is_empty() {
            rows.push(format::encode(&row)?);
        }
        Ok(Self(rows))
    }

    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }
}

impl Outbox {
    pub(crate) fn open(state: State) -> Result<Self, StorageError> {
        let number = |row: Option<Result<KeyValue, StorageError>>| match row.transpose()? {
            Some((key, _)) => number_of(&state, &key).map(Some),
            None => Ok(None),
        };
        let first = number(state.scan([OUTBOX]).next())?;
        let last = number(state.scan([OUTBOX]).next_back())?;
        Ok(Self {
            first: first.unwrap_or(1),
            next: last.map_or(1, |last| last + 1),
            state,
        })
    }

    /// The committed letters behind row number `after`, in order, each with the number of its row. Letters that were put in together may
    /// share a row. Ends after the row with which there are at least `at_most` letters.
    ///
    /// # Errors
    /// Errors of the state.
    pub fn letters(&self, after: u64, at_most: usize) -> Result<Vec<(u64, Letter)>, StorageError> {
        let from = self.first.max(after.saturating_add(1));
        let mut found = Vec::new();
        if from >= self.next {
            return Ok(found);
        }
        for row in self.state.scan_from(&format::numbered(OUTBOX, from)) {
            let (key, value) = row?;
            let number = number_of(&self.state, &key)?;
            let letters: Vec<Letter> = self.state.decode(LETTERS, &value)?;
            found.extend(letters.into_iter().map(|letter| (number, letter)));
            if found.len() >= at_most {
                break;
            }
        }
        Ok(found)
    }

    /// The number of the last row that was put in, also if it was removed since; 0 if there was none.
    #[must_use]
    pub fn last(&self) -> u64 {
        self.next - 1
    }

    /// Whether the outbox is empty, with staged changes.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.first >= self.next
    }

    /// Puts letters into a piece that is about to be staged. Cannot fail.
    pub(crate) fn put(&mut self, letters: Sealed, piece: &mut Piece) {
        for row in letters.0 {
            piece.set(format::numbered(OUTBOX, self.next), row);
            self.next += 1;
        }
    }

    /// Removes the committed rows up to number `up_to`, or up to the last one.
    pub(crate) fn remove(&self, up_to: u64, piece: &mut Piece) -> Result<(), StorageError> {
        for row in self.state.scan_from(&format::numbered(OUTBOX, self.first)) {
            let (key, _) = row?;
            match format::number(OUTBOX, &key) {
                Some(number) if number <= up_to => piece.remove(&*key),
                _ => break,
            }
        }
        Ok(())
    }

    /// Notes that those removals are staged.
    pub(crate) fn removed(&mut self, up_to: u64) {
        self.first = self.first.max(up_to.min(self.last()) + 1);
    }
}

fn number_of(state: &State, key: &[u8]) -> Result<u64, StorageError> {
    format::number(OUTBOX, key).ok_or_else(|| state.corrupt(LETTERS))
}
