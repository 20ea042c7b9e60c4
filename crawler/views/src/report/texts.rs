//! The source of the titles and texts that the report shows and compares.

use storage::Store;

use error::RunError;

/// Titles and extracted texts of pages, by sequence number.
pub trait Texts {
    /// The title of a page; empty if it has none.
    ///
    /// # Errors
    /// The page cannot be read.
    fn title_of(&self, page: u64) -> Result<String, RunError>;

    /// The extracted text of a page; `None` if the store does not have it.
    ///
    /// # Errors
    /// The text cannot be read.
    fn text_of(&self, page: u64) -> Result<Option<String>, RunError>;
}

impl Texts for Store {
    fn title_of(&self, page: u64) -> Result<String, RunError> {
        Ok(self.page(page)?.map_or_else(String::new, |page| page.title))
    }

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
    fn title_of(&self, _page: u64) -> Result<String, RunError> {
        Ok(String::new())
    }

    fn text_of(&self, _page: u64) -> Result<Option<String>, RunError> {
        Ok(None)
    }
}
