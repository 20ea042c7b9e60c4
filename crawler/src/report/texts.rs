//! Where diffs take the texts of pages from.

use storage::Store;

use crate::error::RunError;

/// Texts of pages, by their sequence numbers.
pub trait Texts {
    /// The extracted text of a page; `None` where none is kept, as of the duplicates of a crawl of an older version.
    ///
    /// # Errors
    /// It cannot be read.
    fn text_of(&self, page: u64) -> Result<Option<String>, RunError>;
}

impl Texts for Store {
    fn text_of(&self, page: u64) -> Result<Option<String>, RunError> {
        match self.page(page)? {
            Some(page) => Ok(Store::text_of(self, &page)?),
            None => Ok(None),
        }
    }
}

/// Nothing to compare: for the forms of a report that show no diff.
#[derive(Debug, Clone, Copy)]
pub struct NoTexts;

impl Texts for NoTexts {
    fn text_of(&self, _page: u64) -> Result<Option<String>, RunError> {
        Ok(None)
    }
}
