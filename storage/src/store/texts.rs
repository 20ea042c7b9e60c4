//! Reads the texts of pages.

use super::Store;
use crate::error::StorageError;
use crate::page::PageRecord;
use crate::warc::WarcLocation;
use crate::warc::metadata::duplicate::{self, StoredText};
use crate::warc::text_delta;

/// Length of the longest chain of texts of which each is stored as the difference from the next. Each redecision may add one.
const MAX_TEXT_STEPS: u32 = 64;

impl Store {
    /// The extracted text of a page, kept or not, with staged changes. `None` for a page whose text is not archived.
    ///
    /// # Errors
    /// [`StorageError::Io`] if the archive cannot be read, [`StorageError::ArchiveDamaged`] if the record is torn or
    /// its digest does not match. The text of a duplicate also needs the record of the text that it is stored as a difference from.
    pub fn text_of(&self, page: &PageRecord) -> Result<Option<String>, StorageError> {
        self.text_before(page, u64::MAX, MAX_TEXT_STEPS)
    }

    /// The text of a page, over a chain of at most `steps` further texts. Each must belong to a page with a number below `before`: a
    /// text is stored as the difference from the text of an earlier page.
    fn text_before(&self, page: &PageRecord, before: u64, steps: u32) -> Result<Option<String>, StorageError> {
        let Some(location) = page.text else { return Ok(None) };
        let record = self.archive.record(location)?;
        let damaged = |reason| self.archive.damaged(location, reason);
        let Some(stored) = duplicate::text_in(&record) else {
            let text = String::from_utf8(record.block);
            return text.map(Some).map_err(|_| damaged("the text is not UTF-8".to_owned()));
        };
        let StoredText { of, frame } = stored.map_err(damaged)?;
        let base = match of {
            Some(named) => self.base_of(named, location, before, steps)?,
            None => String::new(),
        };
        match frame {
            Some(frame) => text_delta::apply(&base, &frame).map(Some).map_err(damaged),
            None => Ok(Some(base)),
        }
    }

    /// The text of the page that the record at `location` calls `named`, from which its own text differs.
    fn base_of(&self, named: u64, location: WarcLocation, before: u64, steps: u32) -> Result<String, StorageError> {
        let damaged = |reason| self.archive.damaged(location, reason);
        let Some(base) = self.archive.number_in(location.file, named)? else {
            return Err(damaged(format!(
                "it is the difference from the text of page {named} of the folder that it comes from, which is missing"
            )));
        };
        let earlier = self.latest_page(base)?.filter(|_| base < before);
        let text = match (earlier, steps.checked_sub(1)) {
            (Some(page), Some(steps)) => self.text_before(&page, base, steps)?,
            _ => None,
        };
        text.ok_or_else(|| {
            damaged(format!(
                "it is the difference from the text of page {base}, which is missing"
            ))
        })
    }
}
