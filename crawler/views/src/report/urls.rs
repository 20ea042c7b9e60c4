//! URLs with an outcome other than a page: failures, exclusions and redirects.

use serde::Serialize;
use storage::{Store, UrlState};

use super::failures::{self, Failure};
use crawl::redirect::is_in_html;
use error::RunError;

/// A URL whose page the crawl must not store.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Excluded {
    pub url: String,
    /// The robots.txt rule, `noindex`, or a content type that is not a page.
    pub reason: String,
}

/// A URL that redirects.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Redirect {
    pub url: String,
    /// The target.
    pub to: String,
    /// HTTP status.
    pub status: u16,
    /// Whether the HTML of the page redirects, by a meta refresh or a script, and not the server.
    pub in_html: bool,
}

/// All of them, each list by host and URL.
#[derive(Debug, Default)]
pub(super) struct Urls {
    pub failures: Vec<Failure>,
    pub excluded: Vec<Excluded>,
    pub redirects: Vec<Redirect>,
}

impl Urls {
    pub fn read(store: &Store) -> Result<Self, RunError> {
        let mut urls = Self::default();
        for row in store.urls() {
            let known = row?;
            let url = known.url;
            match known.state {
                UrlState::Failed(failure) => urls.failures.push(Failure {
                    url,
                    kind: failure.kind,
                    status: failure.status,
                    detail: failure.detail,
                    via: failures::via(store, failure.via)?,
                    host: known.host,
                }),
                UrlState::Excluded { reason } => urls.excluded.push(Excluded { url, reason }),
                UrlState::Redirect { to, status } => urls.redirects.push(Redirect {
                    in_html: is_in_html(status),
                    url,
                    to,
                    status,
                }),
                UrlState::Queued | UrlState::Page(_) => {}
            }
        }
        Ok(urls)
    }
}
