//! The savings of a crawl that decides before it stores.

use serde::Serialize;

/// Bytes not stored and requests not made.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize)]
pub(crate) struct Saved {
    /// Decoded body bytes of duplicates that were fetched and not stored, including earlier versions.
    pub duplicate_bytes: u64,
    /// Requests for URLs that steering holds back.
    pub requests: u64,
    /// Estimated bytes of these requests, from the mean page size of each host.
    pub unfetched_bytes: u64,
}
