//! The parts that were found: sorted by digest, for look-ups from all threads.
//!
//! ```text
//! fences   first key │ first key │ …      in memory, 16 bytes for 170 parts
//! rows     170 parts │ 170 parts │ …      24 bytes for each part; in the temporary file if they have more memory than the bound
//! ```

use std::sync::Arc;

use dedup::{DedupError, Digest, Rows, Spill};

use super::counted::{Counted, Key};

/// Parts in a row, which has at most 4 KiB.
const ROW: usize = 170;

/// The parts, numbered in the order of their digests.
#[derive(Debug, Default)]
pub(super) struct Table {
    fences: Vec<Key>,
    rows: Rows,
    row: Vec<u8>,
    len: u64,
}

/// A part.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Part {
    /// Its number in the table.
    pub number: u64,
    /// The number of documents that have it.
    pub documents: u64,
}

impl Table {
    /// Adds a part whose key is greater than those before. Beyond `most_bytes` of memory, the parts go to `file`.
    ///
    /// # Errors
    /// The file cannot be written.
    pub(super) fn push(&mut self, part: Counted, most_bytes: usize, file: &Arc<Spill>) -> Result<(), DedupError> {
        if self.row.is_empty() {
            self.fences.push(part.key);
        }
        part.write(&mut self.row);
        self.len += 1;
        if self.row.len() < ROW * Counted::BYTES {
            return Ok(());
        }
        self.end_row();
        if self.rows.tail_bytes() > most_bytes {
            self.rows.spill(file)?;
        }
        Ok(())
    }

    /// No part is added after this.
    pub(super) fn end(&mut self) {
        if !self.row.is_empty() {
            self.end_row();
        }
    }

    fn end_row(&mut self) {
        self.rows.push(&self.row);
        self.row.clear();
    }

    /// Number of parts.
    pub(super) fn len(&self) -> u64 {
        self.len
    }

    /// # Errors
    /// The file cannot be read.
    pub(super) fn get(&self, digest: Digest) -> Result<Option<Part>, DedupError> {
        let key = Key::from(digest.0);
        let Some(number) = self.fences.partition_point(|fence| *fence <= key).checked_sub(1) else {
            return Ok(None);
        };
        let row = self.rows.get(number)?.unwrap_or_default();
        let (parts, _) = row.as_chunks::<{ Counted::BYTES }>();
        let part = |bytes: &[u8; Counted::BYTES]| Counted::read_all(bytes).next().unwrap_or_default();
        let found = parts.binary_search_by_key(&key, |bytes| part(bytes).key);
        Ok(found.ok().map(|at| Part {
            number: (number * ROW + at) as u64,
            documents: part(&parts[at]).count,
        }))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cli::dedup::parts::counter::tests::temporary;

    #[test]
    fn every_part_is_found_in_memory_and_in_the_file_and_nothing_else() {
        for most_bytes in [0, 20_000, usize::MAX] {
            for len in [0, 1, ROW as u64, 5_000] {
                let (mut table, file) = (Table::default(), temporary());
                for number in 0..len {
                    let key = Key::from(u128::from(number * 2 + 1) << 62);
                    let count = number + 7;
                    table.push(Counted { key, count }, most_bytes, &file).unwrap();
                }
                table.end();
                assert_eq!(table.len(), len);
                let get = |word: u64| table.get(Digest(u128::from(word) << 62)).unwrap();
                for number in 0..len {
                    let documents = number + 7;
                    assert_eq!(get(number * 2 + 1), Some(Part { number, documents }));
                }
                assert!((0..=len).all(|number| get(number * 2).is_none()));
                let is_too_much = len / ROW as u64 * (ROW * Counted::BYTES) as u64 > most_bytes as u64;
                assert_eq!(file.written_bytes() > 0, is_too_much);
            }
        }
    }
}
