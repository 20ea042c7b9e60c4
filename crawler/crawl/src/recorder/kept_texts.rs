//! A cache of what the archive holds of kept pages: their texts, and the ids of their records. The archive stores the text of a duplicate as
//! the difference from the kept page's text.

use std::collections::VecDeque;

use storage::warc::WarcLocation;
use storage::{PageRecord, StorageError, Store};

use error::RunError;

/// Bound on the bytes of the texts. A single longer text is held too.
const MAX_BYTES: usize = 1 << 20;

/// Number of ids.
const MAX_IDS: usize = 64;

/// The texts used last, the latest first: the duplicates of a page often come one after the other.
#[derive(Debug, Default)]
pub(super) struct KeptTexts {
    texts: VecDeque<(u64, String)>,
    bytes: usize,
    ids: VecDeque<(WarcLocation, Option<String>)>,
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

    /// The `WARC-Record-ID` of the record at a location.
    pub(super) fn record_id(&mut self, store: &Store, location: WarcLocation) -> Result<Option<String>, RunError> {
        if let Some((_, id)) = self.ids.iter().find(|(known, _)| *known == location) {
            return Ok(id.clone());
        }
        let id = match store.archive().record_id(location) {
            Err(error @ StorageError::Io { .. }) => {
                tracing::warn!("a revisit record lacks the id of its response: {error}");
                None
            }
            id => id?,
        };
        self.ids.push_front((location, id.clone()));
        self.ids.truncate(MAX_IDS);
        Ok(id)
    }

    fn put(&mut self, page: u64, text: String) {
        self.bytes += text.len();
        self.texts.push_front((page, text));
        while self.bytes > MAX_BYTES && self.texts.len() > 1 {
            self.bytes -= self.texts.pop_back().map_or(0, |(_, text)| text.len());
        }
    }
}
