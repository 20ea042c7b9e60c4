//! A cache of the texts of kept pages. The archive stores the text of a duplicate as the difference from the kept page's text.

use std::collections::VecDeque;

use storage::{PageRecord, StorageError, Store};

use crate::error::RunError;

/// Bound on the bytes of the texts. A single longer text is held too.
const MAX_BYTES: usize = 1 << 20;

/// The texts used last, the latest first: the duplicates of a page often come one after the other.
#[derive(Debug, Default)]
pub(super) struct KeptTexts {
    texts: VecDeque<(u64, String)>,
    bytes: usize,
}

impl KeptTexts {
    /// The text of the page `of`, whose record is `kept`; `None` if it cannot be read. The crawl continues without it: the signature
    /// identifies the duplicate, and `verify` reports the damage.
    pub(super) fn of(&mut self, store: &Store, of: u64, kept: &PageRecord) -> Result<Option<&str>, RunError> {
        match self.texts.iter().position(|(page, _)| *page == of) {
            Some(at) => {
                if let Some(found) = self.texts.remove(at) {
                    self.texts.push_front(found);
                }
            }
            None => match store.text_of(kept) {
                Ok(Some(text)) => self.put(of, text),
                Ok(None) => return Ok(None),
                Err(error @ (StorageError::Io { .. } | StorageError::ArchiveDamaged { .. })) => {
                    tracing::warn!("the text of a duplicate is not archived: {error}");
                    return Ok(None);
                }
                Err(error) => return Err(error.into()),
            },
        }
        Ok(self.texts.front().map(|(_, text)| text.as_str()))
    }

    fn put(&mut self, page: u64, text: String) {
        self.bytes += text.len();
        self.texts.push_front((page, text));
        while self.bytes > MAX_BYTES && self.texts.len() > 1 {
            self.bytes -= self.texts.pop_back().map_or(0, |(_, text)| text.len());
        }
    }
}
