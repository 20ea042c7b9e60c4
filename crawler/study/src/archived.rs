//! The archived body of a page, read again for what a crawl does not store.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use http::header::{CONTENT_TYPE, HeaderMap, HeaderValue};
use page::{Metadata, Options, Page};
use storage::{PageRecord, StorageError, Store};
use url::Url;

/// A body with what a reading needs of its response.
#[derive(Debug)]
pub struct ArchivedBody {
    /// The URL of the page.
    pub url: Url,
    headers: HeaderMap,
    bytes: Vec<u8>,
    /// Unix ms.
    fetched_at: u64,
}

impl ArchivedBody {
    /// The body of a page. `None` if the archive has none: the body of a duplicate is not stored.
    ///
    /// # Errors
    ///
    /// If its record cannot be read from the archive.
    pub fn of(store: &Store, page: &PageRecord) -> Result<Option<Self>, StorageError> {
        let (Some(location), Ok(url)) = (page.response, Url::parse(&page.url)) else {
            return Ok(None);
        };
        let record = store.archive().record(location)?;
        let content_type = HeaderValue::from_str(&page.content_type).ok();
        Ok(record.http_payload().map(|payload| Self {
            url,
            headers: content_type.map(|value| (CONTENT_TYPE, value)).into_iter().collect(),
            bytes: payload.to_vec(),
            fetched_at: page.fetched_at,
        }))
    }

    /// When the page was fetched.
    #[must_use]
    pub fn fetched(&self) -> SystemTime {
        UNIX_EPOCH + Duration::from_millis(self.fetched_at)
    }

    /// The page. `None` if the body is not one. As in a crawl, a panic of a parser concerns only this page.
    #[must_use]
    pub fn read(&self, options: &Options) -> Option<Page> {
        let read = || page::read(&self.bytes, &self.headers, &self.url, options);
        catch_unwind(AssertUnwindSafe(read)).ok()?.ok()
    }

    /// What the page says about itself. `None` if it is no HTML.
    #[must_use]
    pub fn metadata(&self) -> Option<Metadata> {
        let read = || page::metadata(&self.bytes, &self.headers, &self.url, self.fetched());
        catch_unwind(AssertUnwindSafe(read)).ok()?
    }
}
