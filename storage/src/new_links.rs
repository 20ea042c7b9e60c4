//! The links of a duplicate to which no page with its text linked before. Steering learns from them after a restart.
//!
//! The crawler derives the rows from the pages and does not archive them. A rebuilt state has no such rows. For steering, a duplicate
//! without a row proves nothing.

use crate::error::StorageError;
use crate::format;
use crate::store::Store;

/// The name of the row in the error message for a damaged state.
const NEW_LINKS: &str = "the new links of a page";

impl Store {
    /// Records the new links of page number `page`, a duplicate. Durable with the next commit.
    ///
    /// # Errors
    /// Errors of the state.
    pub fn record_new_links(&mut self, page: u64, links: &[String]) -> Result<(), StorageError> {
        let row = format::encode_versioned(&links)?;
        self.stage_rows(vec![(format::new_links_key(page).to_vec(), Some(row))])
    }

    /// The committed new links of page number `page`; `None` if they are unknown.
    ///
    /// # Errors
    /// Errors of the state.
    pub fn new_links(&self, page: u64) -> Result<Option<Vec<String>>, StorageError> {
        let row = self.state.get(format::new_links_key(page))?;
        row.map(|row| format::decode_versioned(&row).ok_or_else(|| self.state.corrupt(NEW_LINKS)))
            .transpose()
    }
}
