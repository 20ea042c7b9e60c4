//! Rows about visits: further fetches of pages that the crawl has fetched before.

use serde::{Deserialize, Serialize};

use crate::page::none_at_the_end;
use crate::warc::location::WarcLocation;

/// The finding of a visit that brought no other page.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Visit {
    /// The same page: the server says so (304), or the body is the same.
    Unchanged,
    /// No page: 404, 410, a temporary redirect, a body that is not a page. After two of these in a row the page is
    /// [gone](crate::Fate::Gone).
    Missing,
    /// No answer that says anything about the page. The store concludes nothing from it.
    Unanswered,
}

/// The visits to a page, from which a crawler estimates how often the page changes. A page without a second visit has no such row.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct Visits {
    /// Fetch of the first version of the page, milliseconds since the Unix epoch.
    pub first_at: u64,
    /// The last visit that said anything about the page, milliseconds since the Unix epoch.
    pub last_at: u64,
    /// Visits since the first fetch that said anything about the page.
    pub count: u32,
    /// Of these, visits that found another page than the visit before.
    pub changes: u32,
    /// Visits in a row that found no page: 404, 410, …
    pub missing: u8,
    /// A further visit is in the queue.
    pub is_waiting: bool,
}

/// The record of a visit that found its page unchanged.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct ArchivedVisit {
    /// HTTP status in the block; 0 if it is empty.
    pub status: u16,
    pub location: WarcLocation,
    /// SHA-1 of the fetched body, which may be other bytes with the same text; for a 304, the page's digest.
    pub digest: [u8; 20],
    /// `Content-Type` of a `response` record; `None` for a `revisit`. Rows of earlier versions end before this field.
    #[serde(deserialize_with = "none_at_the_end")]
    pub response_type: Option<String>,
}

/// Counts of one refresh of a crawl.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct RefreshCounts {
    /// Start of the refresh, milliseconds since the Unix epoch.
    pub started_at: u64,
    /// Pages that were due.
    pub due: u64,
    /// Pages fetched for the first time during the refresh.
    pub new: u64,
    /// Pages with a new version.
    pub changed: u64,
    /// Unchanged pages.
    pub unchanged: u64,
    /// Pages missing (404, 410, a temporary redirect, …) for the first time.
    pub missing: u64,
    /// Pages missing for the second time in a row.
    pub gone: u64,
    /// Pages that are redirected, or that a rule excludes now.
    pub moved: u64,
    /// Visits without an answer that says anything about the page.
    pub unanswered: u64,
}
