//! The outcome of a page that stands in the way of the one that was asked for, as stores and reports name it, and the pages that may be such
//! ones.

use page::{Answer, Page, WallKind};
use xxhash_rust::xxh3::xxh3_64;

/// A page that may be a wall which no rule knows: see [`page::Notice`].
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Notice {
    /// The hash of what it shows.
    pub digest: u64,
    /// Words of main text.
    pub words: usize,
}

impl Notice {
    /// The notice that a page is; `None` for every other page.
    #[must_use]
    pub fn of(answer: &Answer<'_>, page: &Page) -> Option<Self> {
        page::notice(answer, page).map(|notice| Self {
            digest: xxh3_64(notice.shown.as_bytes()),
            words: notice.words,
        })
    }
}

/// Walls in a row after which a URL is asked for once: more than the requests that are open to one host at a time.
pub(crate) const IN_A_ROW: u32 = 32;

/// The beginning of the kind of failure.
const PREFIX: &str = "blocked_";

/// The kind of failure of a wall: `blocked_challenge`, `blocked_login`, …
#[must_use]
pub fn failure(kind: WallKind) -> String {
    format!("{PREFIX}{}", kind.name())
}

/// Whether a failure of this kind is a wall. Then a page was fetched: not the one that was asked for.
#[must_use]
pub fn is_wall(failure: &str) -> bool {
    advice(failure).is_some()
}

/// What the user can do about URLs that failed in this way, as one sentence; `None` if the failure is none of a wall.
#[must_use]
pub(crate) fn advice(failure: &str) -> Option<&'static str> {
    let name = failure.strip_prefix(PREFIX)?;
    let mut kinds = WallKind::ALL.into_iter();
    Some(kinds.find(|kind| kind.name() == name)?.advice())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_failure_by_a_wall_has_an_advice_and_others_have_none() {
        for kind in WallKind::ALL {
            assert_eq!(advice(&failure(kind)), Some(kind.advice()));
        }
        for other in ["http_403", "blocked_", "blocked_other", "challenge"] {
            assert_eq!(advice(other), None);
        }
    }
}
