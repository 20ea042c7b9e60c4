//! The state of a URL: queued, or its outcome.

use serde::{Deserialize, Serialize};

use crate::frontier::Via;

/// The state of a URL that the store knows.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub enum UrlState {
    /// In the queue, or in process.
    Queued,
    /// Fetched: the page of this sequence number.
    Page(u64),
    /// Redirected.
    Redirect {
        /// The target.
        to: String,
        /// HTTP status; one of success (2xx) if the HTML of the page redirects.
        status: u16,
    },
    /// Failed for good.
    Failed(Failure),
    /// Excluded by a rule.
    Excluded {
        /// The rule.
        reason: String,
    },
}

/// Why a URL failed, and how the crawl found it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Failure {
    /// See [`Outcome::Failed`](crate::Outcome::Failed).
    pub kind: String,
    /// HTTP status, if there was one.
    pub status: Option<u16>,
    /// The details, for people.
    pub detail: String,
    /// Number of attempts.
    pub attempts: u8,
    /// Links from a seed.
    pub depth: u16,
    /// What links to it; `None` for a seed.
    pub via: Option<Via>,
}
