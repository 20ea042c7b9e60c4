//! Rows of bytes in order, of which the first may be in a file.

use std::borrow::Cow;
use std::sync::Arc;

use super::{Column, Extents, Spill};
use crate::error::DedupError;

/// A sequence of rows, found by number. A row takes its bytes and eight more.
#[derive(Debug, Clone, Default)]
pub struct Rows {
    /// End of each row, counted from the first byte of the first row.
    ends: Column<u64>,
    /// The bytes from `spilled` on.
    tail: Vec<u8>,
    /// Number of bytes in the file.
    spilled: u64,
    extents: Extents,
    file: Option<Arc<Spill>>,
}

impl Rows {
    /// Number of rows.
    #[must_use]
    pub fn len(&self) -> usize {
        self.ends.len()
    }

    /// Whether there is no row.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Bytes in memory that [`spill`](Self::spill) frees.
    #[must_use]
    pub fn tail_bytes(&self) -> usize {
        self.ends.tail_bytes() + self.tail.capacity()
    }

    /// Appends a row.
    pub fn push(&mut self, row: &[u8]) {
        if self.tail.capacity() - self.tail.len() < row.len() {
            // An eighth more, as the elements of a column.
            self.tail.reserve_exact(row.len() + (self.tail.len() / 8).max(64));
        }
        self.tail.extend_from_slice(row);
        self.ends.push(self.spilled + self.tail.len() as u64);
    }

    /// The row with this number, counted from 0.
    ///
    /// # Errors
    /// The file cannot be read.
    pub fn get(&self, number: usize) -> Result<Option<Cow<'_, [u8]>>, DedupError> {
        if number >= self.len() {
            return Ok(None);
        }
        let start = number.checked_sub(1).map_or(0, |before| self.ends.get(before));
        let end = self.ends.get(number);
        let len = end.saturating_sub(start) as usize;
        let Some(from) = start.checked_sub(self.spilled) else {
            let mut row = Vec::new();
            if let Some(file) = &self.file {
                // The ends were read from the file, too. If that failed, they may be anything.
                file.check()?;
                row.resize(len, 0);
                file.read(self.extents.place(start), &mut row);
                file.check()?;
            }
            return Ok(Some(Cow::Owned(row)));
        };
        let row = self.tail.get(from as usize..from as usize + len);
        Ok(row.map(Cow::Borrowed))
    }

    /// Moves all rows to the file.
    ///
    /// # Errors
    /// The file cannot be written. The rows then stay in memory.
    pub fn spill(&mut self, file: &Arc<Spill>) -> Result<(), DedupError> {
        if !self.tail.is_empty() {
            let at = file.append(&self.tail)?;
            self.extents.push(self.spilled, at);
            self.file = Some(Arc::clone(file));
            self.spilled += self.tail.len() as u64;
            self.tail = Vec::new();
        }
        self.ends.spill(file)
    }
}
