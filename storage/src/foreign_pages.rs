//! Rows about the kept pages of other workers.
//!
//! The bodies and texts of those pages lie in the folders of their workers. This folder has what the workers tell each other of a kept page:
//! its URL and its signature. The owner stores these rows before its index of all workers' pages is durable, so that the index holds no page
//! without its row. No archive holds the rows: after a rebuild they are missing until the worker has read the log of the fleet again.

use crate::error::StorageError;
use crate::foreign::{ForeignPage, ForeignRecord};
use crate::format;
use crate::state::Rows;
use crate::store::Store;

/// The row's name in the error for a damaged state.
const FOREIGN_ROW: &str = "the row of another worker's page";

impl Store {
    /// Notes a kept page of another worker. Durable with the next commit. Does no harm if the page is noted already.
    ///
    /// # Errors
    /// Errors of the state.
    pub fn note_foreign(&mut self, page: ForeignPage, record: &ForeignRecord) -> Result<(), StorageError> {
        let row = format::encode_versioned(record)?;
        self.stage_rows(vec![(format::foreign_key(page.packed()), Some(row))])
    }

    /// The committed row of another worker's page, by its packed number; `None` if this folder has no such row.
    ///
    /// # Errors
    /// Errors of the state.
    pub fn foreign_page(&self, packed: u64) -> Result<Option<ForeignRecord>, StorageError> {
        let Some(row) = self.state.get(format::foreign_key(packed))? else {
            return Ok(None);
        };
        let record = format::decode_versioned(&row).ok_or_else(|| self.state.corrupt(FOREIGN_ROW))?;
        Ok(Some(record))
    }

    /// The committed rows of other workers' pages, in the order of their packed numbers.
    pub fn foreign_pages(&self) -> ForeignPages {
        ForeignPages {
            rows: self.state.scan([format::FOREIGN]),
        }
    }
}

/// Iterates over the kept pages of other workers.
pub struct ForeignPages {
    rows: Rows,
}

impl Iterator for ForeignPages {
    type Item = Result<(ForeignPage, ForeignRecord), StorageError>;

    fn next(&mut self) -> Option<Self::Item> {
        let row = self.rows.next()?;
        Some(row.and_then(|(key, value)| {
            let page = format::foreign_number(&key).and_then(ForeignPage::unpacked);
            let record = format::decode_versioned(&value);
            page.zip(record).ok_or_else(|| self.rows.corrupt(FOREIGN_ROW))
        }))
    }
}
