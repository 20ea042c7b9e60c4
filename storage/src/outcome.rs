//! The outcome of a URL that was in process, as the caller reports it.

use crate::frontier::QueuedUrl;
use crate::page::PageDraft;
use crate::revisits::Visit;
use crate::warc::EncodedCapture;

/// The outcome of a URL that was in process: the argument of [`Store::finish`](crate::Store::finish).
#[derive(Debug, Clone)]
pub enum Outcome {
    /// The caller fetched a page and gave it a verdict.
    Page {
        /// The page.
        draft: Box<PageDraft>,
        /// Its records for the archive; `None` archives nothing but the metadata record.
        capture: Option<EncodedCapture>,
    },
    /// The server redirected the request, or the HTML of the page did. The caller passes the target as an outlink.
    Redirect {
        /// The target.
        to: String,
        /// HTTP status; one of success (2xx) if the HTML of the page redirects.
        status: u16,
    },
    /// The fetch failed for good.
    Failed {
        /// A short fixed word by which reports group failures: `timeout`, `dns`, `http`, ….
        kind: String,
        /// HTTP status, if there was one.
        status: Option<u16>,
        /// The details, for people.
        detail: String,
    },
    /// A rule forbids the fetch: robots, scope, ….
    Excluded {
        /// The rule.
        reason: String,
    },
    /// The fetch failed for now. The URL returns to the end of its priority and depth in the queue, with one more attempt counted.
    Retry,
    /// A visit to a page that [was fetched before](QueuedUrl::revisits) brought no other page.
    Visited {
        /// The visit's finding.
        visit: Visit,
        /// When the visit was made, milliseconds since the Unix epoch.
        at: u64,
        /// Bytes over the wire for a body.
        wire_bytes: u64,
        /// The records of an unchanged page.
        capture: Option<EncodedCapture>,
    },
    /// The caller did not fetch the URL. It returns to the queue with another priority.
    Postponed {
        /// Its new [`priority`](QueuedUrl::priority).
        priority: u8,
    },
}

/// The result of [`Store::finish`](crate::Store::finish).
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Finished {
    /// The outlinks that were not known before. They are in the queue now.
    pub newly_queued: Vec<QueuedUrl>,
    /// The URL itself at its new place, if it returned to the queue.
    pub requeued: Option<QueuedUrl>,
    /// The sequence number of the page, if there is one.
    pub page_id: Option<u64>,
}
