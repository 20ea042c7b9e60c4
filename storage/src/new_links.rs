//! The links of a duplicate to which no page with its text linked before. Steering learns from them after a restart.
//!
//! The crawler derives the rows from the pages and does not archive them. A rebuilt state has no such rows. For steering, a duplicate
//! without a row proves nothing.

use crate::commit::Piece;
use crate::error::StorageError;
use crate::format;
use crate::state::{Rows, State};

/// The table of ⟨[String]⟩, by page.
const NEW_LINKS: u8 = b'l';

/// The new links of duplicates. [`Store::new_links`](crate::Store::new_links) makes it.
pub struct NewLinks<'a> {
    state: &'a State,
}

impl<'a> NewLinks<'a> {
    pub(crate) fn new(state: &'a State) -> Self {
        Self { state }
    }

    /// The committed new links of page number `page`; `None` if they are unknown.
    ///
    /// # Errors
    /// Errors of the state.
    pub fn of(&self, page: u64) -> Result<Option<Vec<String>>, StorageError> {
        let key = format::numbered(NEW_LINKS, page);
        self.state.versioned_row(key, "the new links of a page")
    }

    pub(crate) fn set(page: u64, links: &[String], piece: &mut Piece) -> Result<(), StorageError> {
        piece.set(format::numbered(NEW_LINKS, page), format::encode_versioned(&links)?);
        Ok(())
    }

    /// Iterates over the rows, for another state with the same numbers of pages.
    pub(crate) fn rows(&self) -> Rows {
        self.state.scan([NEW_LINKS])
    }
}
