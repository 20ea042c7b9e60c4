//! Reads the archive: single records, and the texts of pages.

use crate::error::StorageError;
use crate::origins::number_of;
use crate::page::PageRecord;
use crate::store::Store;
use crate::warc::Record;
use crate::warc::location::WarcLocation;
use crate::warc::metadata::duplicate::{self, StoredText};
use crate::warc::reader::{MAX_RECORD_BYTES, decode_member, field_of_member};
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
        let mut record = self.archived(location)?;
        let damaged = |reason| self.damaged(location, reason);
        let Some(stored) = duplicate::stored_in(&mut record) else {
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
        let damaged = |reason| self.damaged(location, reason);
        let Some(base) = self.number_in(location.file, named)? else {
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

    /// The page that a record in the `file` of the archive calls `named`; `None` if the page was lost.
    pub(crate) fn number_in(&self, file: u32, named: u64) -> Result<Option<u64>, StorageError> {
        match self.origins.of_file(file) {
            Some(origin) => number_of(&self.state, origin, named),
            None => Ok(Some(named)),
        }
    }

    /// The archived or staged record at a location, with its digest checked.
    ///
    /// # Errors
    /// As [`text_of`](Self::text_of).
    pub fn archived(&self, location: WarcLocation) -> Result<Record, StorageError> {
        let member = self.archive.member(location)?;
        decode_member(&member, MAX_RECORD_BYTES).map_err(|reason| self.damaged(location, reason))
    }

    /// The `WARC-Record-ID` of the record at a location; `None` if its header cannot be read.
    ///
    /// # Errors
    /// [`StorageError::Io`] if the archive cannot be read.
    pub fn record_id_at(&self, location: WarcLocation) -> Result<Option<String>, StorageError> {
        let member = self.archive.member(location)?;
        Ok(field_of_member(&member, "WARC-Record-ID"))
    }

    fn damaged(&self, location: WarcLocation, reason: String) -> StorageError {
        StorageError::ArchiveDamaged {
            path: self.archive.path(location.file),
            offset: location.offset,
            reason,
        }
    }
}
