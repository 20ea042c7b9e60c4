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

/// Upper bound on a text from a server, in bytes: a row of a URL must not be as long as the server chooses.
const MAX_BYTES: usize = 500;

/// `text`, or its beginning and an ellipsis.
#[must_use]
pub fn stored_text(text: &str) -> String {
    if text.len() <= MAX_BYTES {
        return text.to_owned();
    }
    format!("{}…", &text[..text.floor_char_boundary(MAX_BYTES)])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn long_text_is_cut_between_characters() {
        assert_eq!(stored_text("short"), "short");
        let cut = stored_text(&"标".repeat(1_000));
        assert!(cut.ends_with("标…") && cut.len() <= MAX_BYTES + 3);
    }
}
