//! The source of the texts that the report compares.

use storage::Store;

use crate::error::RunError;

/// Extracted texts of pages, by sequence number.
pub(crate) trait Texts {
    /// The extracted text of a page; `None` if the store does not have it.
    ///
    /// # Errors
    /// The text cannot be read.
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

/// A source without texts.
#[cfg(test)]
#[derive(Debug, Clone, Copy)]
pub(super) struct NoTexts;

#[cfg(test)]
impl Texts for NoTexts {
    fn text_of(&self, _page: u64) -> Result<Option<String>, RunError> {
        Ok(None)
    }
}
