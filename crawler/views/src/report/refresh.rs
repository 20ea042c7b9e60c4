//! The results of visiting pages again.

use serde::Serialize;
use storage::{Fate, Store};

use error::RunError;
use storage::VerdictKind;
use terminal::units::utc;

/// All refreshes, the pages that the last one found changed, and the pages that are gone.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize)]
pub(crate) struct Refreshes {
    /// In order of time; empty for a crawl without a refresh.
    pub refreshes: Vec<RefreshResult>,
    /// Pages with a new version from the last refresh, in the order of their verdicts.
    pub changed: Vec<ChangedPage>,
    /// Pages that any refresh found gone, in the order of their first verdicts.
    pub gone: Vec<GonePage>,
}

/// The visits of one refresh by result. `due` is the sum of `changed` to `unanswered` and the visits still to be made.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub(crate) struct RefreshResult {
    /// When it started, RFC 3339.
    pub started_at: String,
    /// Visits that were due.
    pub due: u64,
    /// Pages fetched for the first time during the refresh.
    pub new: u64,
    /// Pages with a new version.
    pub changed: u64,
    /// Pages without a change.
    pub unchanged: u64,
    /// Visits that found no page (404, 410, a temporary redirect, …) for the first time.
    pub missing: u64,
    /// Visits that found no page for the second time in a row.
    pub gone: u64,
    /// Pages that now redirect, or that the crawl must no longer store.
    pub moved: u64,
    /// Visits without an answer about the page.
    pub unanswered: u64,
}

/// A page with a new version.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub(crate) struct ChangedPage {
    pub url: String,
    /// When the new version was fetched, RFC 3339.
    pub at: String,
    /// `kept`, `exact` or `near`: the verdict on the new version.
    pub verdict: &'static str,
    /// The verdict on the version before.
    pub was: &'static str,
}

/// A page that is gone.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub(crate) struct GonePage {
    pub url: String,
    /// When the second visit found no page, RFC 3339.
    pub at: String,
}

impl Refreshes {
    /// Reads the results from `store`.
    ///
    /// # Errors
    /// The store cannot be read.
    pub fn read(store: &Store) -> Result<Self, RunError> {
        let refreshes = store.revisits().refreshes()?;
        let Some(last) = refreshes.last() else {
            return Ok(Self::default());
        };
        let mut read = Self {
            refreshes: refreshes.iter().map(RefreshResult::from).collect(),
            ..Self::default()
        };
        for row in store.pages_from(0) {
            let (_, page) = row?;
            if let Fate::Gone { at } = page.fate {
                read.gone.push(GonePage {
                    url: page.url,
                    at: utc(at),
                });
            } else if let Some(previous) = page.previous
                && page.fetched_at >= last.started_at
            {
                let was = store.page(previous)?;
                let was = was.map_or(VerdictKind::Kept, |page| page.verdict.kind());
                read.changed.push(ChangedPage {
                    url: page.url,
                    at: utc(page.fetched_at),
                    verdict: page.verdict.kind().name(),
                    was: was.name(),
                });
            }
        }
        Ok(read)
    }
}

impl From<&storage::RefreshCounts> for RefreshResult {
    fn from(refresh: &storage::RefreshCounts) -> Self {
        Self {
            started_at: utc(refresh.started_at),
            due: refresh.due,
            new: refresh.new,
            changed: refresh.changed,
            unchanged: refresh.unchanged,
            missing: refresh.missing,
            gone: refresh.gone,
            moved: refresh.moved,
            unanswered: refresh.unanswered,
        }
    }
}

impl RefreshResult {
    /// The name, the number and the meaning of each result.
    #[must_use]
    pub fn outcomes(&self) -> [(&'static str, u64, &'static str); 8] {
        [
            ("due", self.due, "visits of this refresh"),
            ("new", self.new, "pages fetched for the first time during the refresh"),
            (
                "changed",
                self.changed,
                "pages with a new version, which has its own verdict",
            ),
            (
                "unchanged",
                self.unchanged,
                "pages unchanged by the server's answer (304) or by their text",
            ),
            ("missing", self.missing, "no page (404, 410, …) for the first time"),
            (
                "gone",
                self.gone,
                "no page at two visits in a row; the archive still has them",
            ),
            (
                "moved",
                self.moved,
                "pages that now redirect or must no longer be stored",
            ),
            ("unanswered", self.unanswered, "visits without an answer about the page"),
        ]
    }
}
