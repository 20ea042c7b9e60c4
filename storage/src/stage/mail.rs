//! Stages letters, reads the committed ones, and removes those that have arrived.

use super::Piece;
use crate::error::StorageError;
use crate::format;
use crate::outbox::{LETTERS, Letter};
use crate::store::Store;

impl Store {
    /// Puts letters into the outbox that tell of no outcome. Durable with the next commit.
    ///
    /// # Errors
    /// Errors of the state.
    pub fn mail(&mut self, letters: Vec<Letter>) -> Result<(), StorageError> {
        self.make_room()?;
        let rows = self.outbox.rows(letters)?;
        if !rows.is_empty() {
            let mut piece = Piece::at(self.progress);
            self.outbox.put(rows, &mut piece);
            self.stage_piece(piece);
        }
        Ok(())
    }

    /// The committed letters behind row number `after`, in order, each with the number of its row. Letters that were put in together may
    /// share a row. Ends after the row with which there are at least `at_most` letters.
    ///
    /// # Errors
    /// Errors of the state.
    pub fn outbox(&self, after: u64, at_most: usize) -> Result<Vec<(u64, Letter)>, StorageError> {
        let from = self.outbox.first.max(after.saturating_add(1));
        let mut found = Vec::new();
        if from >= self.outbox.next {
            return Ok(found);
        }
        for row in self.state.scan_from(&format::outbox_key(from)) {
            let (key, value) = row?;
            let number = format::outbox_number(&key).ok_or_else(|| self.state.corrupt(LETTERS))?;
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
    pub fn last_letter(&self) -> u64 {
        self.outbox.next - 1
    }

    /// Whether the outbox is empty, with staged changes.
    #[must_use]
    pub fn is_outbox_empty(&self) -> bool {
        self.outbox.first >= self.outbox.next
    }

    /// Removes the committed letters up to row number `up_to`: they have arrived. Durable with the next commit.
    ///
    /// # Errors
    /// Errors of the state.
    pub fn sent(&mut self, up_to: u64) -> Result<(), StorageError> {
        let up_to = up_to.min(self.outbox.next - 1);
        let mut rows = Vec::new();
        for row in self.state.scan_from(&format::outbox_key(self.outbox.first)) {
            let (key, _) = row?;
            match format::outbox_number(&key) {
                Some(number) if number <= up_to => rows.push((key.to_vec(), None)),
                _ => break,
            }
        }
        self.stage_rows(rows)?;
        self.outbox.first = self.outbox.first.max(up_to + 1);
        Ok(())
    }
}
