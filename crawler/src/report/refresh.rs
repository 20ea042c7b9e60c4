//! What looking at pages again came to.

use serde::Serialize;
use storage::{Fate, Store, Verdict};

use super::hosts::utc;
use crate::error::RunError;

/// All refreshes, and the pages that the last one found changed or gone.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize)]
pub struct Refreshed {
    /// The first first; empty for a crawl that was never refreshed.
    pub refreshes: Vec<Refresh>,
    /// Pages of which the last refresh stored a new version, in the order they were decided.
    pub changed: Vec<Changed>,
    /// Pages that are gone, whichever refresh found out, in the order they were first decided.
    pub gone: Vec<Gone>,
}

/// What one refresh came to: `due` is the sum of `changed` to `unanswered`, and of the visits that are still to be made.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Refresh {
    /// When it began, RFC 3339.
    pub started_at: String,
    /// Pages that were due.
    pub due: u64,
    /// Pages fetched for the first time meanwhile.
    pub new: u64,
    /// Pages of which there is a new version.
    pub changed: u64,
    /// Pages found as they were.
    pub unchanged: u64,
    /// No page (404, 410, a temporary redirect, …) for the first time.
    pub missing: u64,
    /// No page for the second time running.
    pub gone: u64,
    /// Redirected, or not to be stored any more.
    pub moved: u64,
    /// Visits without an answer that says anything about the page.
    pub unanswered: u64,
}

/// A page with a new version.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Changed {
    /// Its URL.
    pub url: String,
    /// When the new version was fetched, RFC 3339.
    pub at: String,
    /// `kept`, `exact` or `near`: the verdict on the new version.
    pub verdict: &'static str,
    /// The same of the version before.
    pub was: &'static str,
}

/// A page that is gone.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Gone {
    /// Its URL.
    pub url: String,
    /// When it was found so the second time, RFC 3339.
    pub at: String,
}

impl Refreshed {
    /// Reads the account from `store`.
    ///
    /// # Errors
    /// The store cannot be read.
    pub fn read(store: &Store) -> Result<Self, RunError> {
        let refreshes = store.refreshes()?;
        let Some(last) = refreshes.last() else {
            return Ok(Self::default());
        };
        let mut refreshed = Self {
            refreshes: refreshes.iter().map(Refresh::from).collect(),
            ..Self::default()
        };
        for row in store.pages_from(0) {
            let (_, page) = row?;
            if let Fate::Gone { at } = page.fate {
                refreshed.gone.push(Gone {
                    url: page.url,
                    at: utc(at),
                });
            } else if let Some(previous) = page.previous
                && page.fetched_at >= last.started_at
            {
                let was = store.page(previous)?.map_or("kept", |page| word(page.verdict));
                refreshed.changed.push(Changed {
                    url: page.url,
                    at: utc(page.fetched_at),
                    verdict: word(page.verdict),
                    was,
                });
            }
        }
        Ok(refreshed)
    }
}

impl From<&storage::RefreshCounts> for Refresh {
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

impl Refresh {
    /// The outcomes by name, in the order of the account.
    #[must_use]
    pub fn outcomes(&self) -> [(&'static str, u64, &'static str); 8] {
        [
            ("due", self.due, "pages to be looked at again"),
            ("new", self.new, "fetched for the first time meanwhile"),
            ("changed", self.changed, "have a new version, with a verdict of its own"),
            (
                "unchanged",
                self.unchanged,
                "by the server's word (304), or by their text",
            ),
            ("missing", self.missing, "no page (404, 410, …) for the first time"),
            ("gone", self.gone, "no page twice running: marked, still in the archive"),
            ("moved", self.moved, "redirected, or not to be stored any more"),
            (
                "unanswered",
                self.unanswered,
                "no answer that says anything about the page",
            ),
        ]
    }
}

fn word(verdict: Verdict) -> &'static str {
    match verdict {
        Verdict::Unique => "kept",
        Verdict::Exact { .. } => "exact",
        Verdict::Near { .. } => "near",
    }
}
