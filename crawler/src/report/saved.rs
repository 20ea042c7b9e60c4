//! What a crawl that decides before it stores has saved.

use serde::Serialize;

/// See the module's text.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize)]
pub struct Saved {
    /// Bytes of decoded body of duplicates that were fetched and not stored, those of earlier versions included.
    pub duplicate_bytes: u64,
    /// Requests that steering did not make.
    pub requests: u64,
    /// What these would have fetched, in bytes, at the mean of the pages of their host.
    pub unfetched_bytes: u64,
}
