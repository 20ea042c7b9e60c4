//! Records of the sitemaps that a crawl has read, so that the next run does not fetch them again.

use serde::{Deserialize, Serialize};

use crate::commit::Piece;
use crate::error::StorageError;
use crate::format::{self, MAX_PACKED_ROW_BYTES};
use crate::state::{Rows, State};

/// The table of ⟨[`SitemapRow`]⟩.
const SITEMAPS: u8 = b's';

/// Upper bound on the bytes of the list of sitemaps to which one sitemap leads. A sitemap with a longer list has no record, so the next
/// run fetches it again.
const MAX_ONWARD_BYTES: usize = 256 * 1024;

/// A sitemap that the crawler has read. The frontier knows its pages.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct StoredSitemap {
    /// Time of the fetch, milliseconds since the Unix epoch.
    pub fetched_at: u64,
    /// The sitemaps that it names, or the sitemap to which it redirects.
    pub onward: Vec<OnwardSitemap>,
}

/// A sitemap to which another sitemap leads.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct OnwardSitemap {
    /// Its URL.
    pub url: String,
    /// Number of sitemap indexes that led to it.
    pub depth: u8,
    /// Redirects in a row that led to it.
    pub redirects: u8,
}

#[derive(Serialize, Deserialize)]
struct SitemapRow {
    fetched_at: u64,
    /// The list of [`OnwardSitemap`] as a raw DEFLATE stream (RFC 1951).
    onward: Vec<u8>,
}

/// The sitemaps that runs have read. [`Store::sitemaps`](crate::Store::sitemaps) makes it.
pub struct Sitemaps<'a> {
    state: &'a State,
}

impl<'a> Sitemaps<'a> {
    pub(crate) fn new(state: &'a State) -> Self {
        Self { state }
    }

    /// The committed record of a sitemap of the host; `None` if no run has read it.
    ///
    /// # Errors
    /// Errors of the state.
    pub fn read(&self, host: &str, url: &str) -> Result<Option<StoredSitemap>, StorageError> {
        let Some(row) = self.state.get(format::paired(SITEMAPS, host, url))? else {
            return Ok(None);
        };
        let read = || {
            let row: SitemapRow = format::decode_versioned(&row)?;
            let onward = format::inflated(&row.onward, MAX_ONWARD_BYTES)?;
            Some(StoredSitemap {
                fetched_at: row.fetched_at,
                onward: postcard::from_bytes(&onward).ok()?,
            })
        };
        read().map(Some).ok_or_else(|| self.state.corrupt("a sitemap"))
    }

    pub(crate) fn set(host: &str, url: &str, sitemap: &StoredSitemap, piece: &mut Piece) -> Result<(), StorageError> {
        format::check_url(host, url)?;
        let onward = format::encode(&sitemap.onward)?;
        let row = format::encode_versioned(&SitemapRow {
            fetched_at: sitemap.fetched_at,
            onward: format::deflated(&onward),
        })?;
        let key = format::paired(SITEMAPS, host, url);
        if onward.len() <= MAX_ONWARD_BYTES && row.len() <= MAX_PACKED_ROW_BYTES {
            piece.set(key, row);
        } else {
            piece.remove(key);
        }
        Ok(())
    }

    /// Iterates over the rows, for another state.
    pub(crate) fn rows(&self) -> Rows {
        self.state.scan([SITEMAPS])
    }
}
