//! What became of a URL.

use serde::{Deserialize, Serialize};

use crate::frontier::{QueuedUrl, Via};
use crate::page::PageDraft;
use crate::warc::EncodedCapture;

/// What became of a URL that was handed out; what [`Store::finish`](crate::Store::finish) is told.
#[derive(Debug, Clone)]
pub enum Outcome {
    /// A page was fetched and decided.
    Page {
        /// What is known of it.
        draft: Box<PageDraft>,
        /// Its body and text for the archive; `None` for a page that is not kept.
        capture: Option<EncodedCapture>,
    },
    /// The server sent us elsewhere. The target itself is discovered as an outlink.
    Redirect {
        /// The target.
        to: String,
        /// HTTP status.
        status: u16,
    },
    /// It could not be had, for good.
    Failed {
        /// A short fixed word that reports can be grouped by: `timeout`, `dns`, `http`, ….
        kind: String,
        /// HTTP status, where there was one.
        status: Option<u16>,
        /// The details, for people.
        detail: String,
    },
    /// It was not fetched because a rule forbids it: robots, scope, ….
    Excluded {
        /// The rule.
        reason: String,
    },
    /// It goes back to the queue, behind its equals, with one more attempt counted.
    Retry,
    /// Only for a URL that [was fetched before](crate::QueuedUrl::revisits): looked at again, without another page.
    Visited {
        /// What the visit found.
        visit: Visit,
        /// When it was made, milliseconds since the Unix epoch.
        at: u64,
        /// Bytes that came over the wire for a body.
        wire_bytes: u64,
        /// The `revisit` record of an unchanged page.
        capture: Option<EncodedCapture>,
    },
    /// It was not tried and goes back to the queue, to another place.
    Postponed {
        /// Its new [`priority`](QueuedUrl::priority).
        priority: u8,
    },
}

/// What another visit to a page found, where it was not a changed page.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Visit {
    /// The same page: by the server's word (304), or by its body.
    Unchanged,
    /// No page: 404, 410, a temporary redirect, a body that is none. The second time running, the page is [gone](crate::Fate::Gone).
    Missing,
    /// No answer that says anything about the page. Nothing is concluded from it.
    Unanswered,
}

/// What the store knows of a URL.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub enum UrlState {
    /// In the queue, or handed out and not finished.
    Queued,
    /// Fetched: the page of this sequence number.
    Page(u64),
    /// Redirected.
    Redirect {
        /// The target.
        to: String,
        /// HTTP status.
        status: u16,
    },
    /// Failed for good.
    Failed(Failure),
    /// Forbidden by a rule.
    Excluded {
        /// The rule.
        reason: String,
    },
}

/// Why a URL failed, and where it came from.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Failure {
    /// See [`Outcome::Failed`].
    pub kind: String,
    /// HTTP status, where there was one.
    pub status: Option<u16>,
    /// The details, for people.
    pub detail: String,
    /// How often it was tried.
    pub attempts: u8,
    /// Links from a seed.
    pub depth: u16,
    /// What links to it; `None` for a seed.
    pub via: Option<Via>,
}

/// What [`Store::finish`](crate::Store::finish) did.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Finished {
    /// The outlinks not known before, now in the queue.
    pub newly_queued: Vec<QueuedUrl>,
    /// The URL itself, if it went back to the queue: its new place.
    pub requeued: Option<QueuedUrl>,
    /// The sequence number of the page, if there is one.
    pub page_id: Option<u64>,
}
