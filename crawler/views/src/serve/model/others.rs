//! The URLs without a current page: what became of each, as rows.

use serde::Serialize;
use storage::{Store, UrlState, Via};

use super::outcome::Outcome;
use crawl::steering::PRIORITY_HELD_BACK;
use error::RunError;

/// Upper bound on the queued URLs that are listed: a queue may be many times as long as the crawl, and the model is in memory.
const QUEUED: usize = 100_000;

/// Upper bound on the failed, excluded and redirected URLs that are listed, for the same reason.
const FINISHED: usize = 200_000;

/// A URL without a current page.
#[derive(Debug, Clone, Serialize)]
pub(crate) struct Other {
    pub url: Box<str>,
    pub host: Box<str>,
    pub outcome: Outcome,
    /// The target of a redirect, the reason of a failure or an exclusion; empty if there is none.
    pub note: Box<str>,
    /// The URL, or the number of the page, that led to it; `None` for a seed, and where the crawl does not say it.
    #[serde(skip)]
    pub via: Option<Source>,
    /// The URL in lower case.
    #[serde(skip)]
    pub key: Box<str>,
}

/// What led to a URL first.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Source {
    /// The page with this number.
    Page(u64),
    /// A redirect, or a sitemap.
    Url(Box<str>),
}

impl Source {
    pub fn of(via: Option<&Via>) -> Option<Self> {
        via.map(|via| match via {
            Via::Page(id) => Self::Page(*id),
            Via::Url(url) => Self::Url((**url).into()),
        })
    }
}

/// The rows, and how many URLs have no room among them.
#[derive(Debug, Default)]
pub(super) struct Others {
    pub rows: Vec<Other>,
    pub left_out: u64,
}

impl Others {
    pub fn read(store: &Store) -> Result<Self, RunError> {
        let mut others = Self::default();
        let mut listed = 0;
        for row in store.urls() {
            let known = row?;
            let (outcome, note, via) = match known.state {
                UrlState::Failed(failure) => {
                    let note = format!("{}: {}", failure.kind, failure.detail);
                    (Outcome::Failed, note, Source::of(failure.via.as_ref()))
                }
                UrlState::Excluded { reason } => (Outcome::Excluded, reason, None),
                UrlState::Redirect { to, status } => (Outcome::Redirected, format!("{status}, to {to}"), None),
                UrlState::Queued | UrlState::Page(_) => continue,
            };
            if listed == FINISHED {
                others.left_out += 1;
                continue;
            }
            listed += 1;
            others.add(known.url, known.host, outcome, note, via);
        }
        others.read_queue(store)?;
        Ok(others)
    }

    fn read_queue(&mut self, store: &Store) -> Result<(), RunError> {
        let mut listed = 0;
        for row in store.queue().urls() {
            let row = row?;
            // A page that is due for a visit is among the pages.
            if row.revisits.is_some() {
                continue;
            }
            if listed == QUEUED {
                self.left_out += 1;
                continue;
            }
            listed += 1;
            let outcome = if row.priority >= PRIORITY_HELD_BACK {
                Outcome::HeldBack
            } else {
                Outcome::Queued
            };
            let via = Source::of(row.via.as_ref());
            self.add(row.url, row.host, outcome, String::new(), via);
        }
        Ok(())
    }

    /// Adds a row.
    pub fn add(&mut self, url: String, host: String, outcome: Outcome, note: String, via: Option<Source>) {
        self.rows.push(Other {
            key: url.to_lowercase().into(),
            url: url.into(),
            host: host.into(),
            outcome,
            note: note.into(),
            via,
        });
    }
}
