//! The number of URLs with each outcome.

use serde::Serialize;

/// `discovered` is the sum of `queued`, `kept`, `exact`, `near`, `redirected`, `failed`, `excluded` and `gone`; `fetched` is the
/// sum of `kept`, `exact` and `near`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize)]
pub struct Counts {
    /// Known URLs.
    pub discovered: u64,
    /// URLs still to be fetched.
    pub queued: u64,
    /// Pages with a verdict.
    pub fetched: u64,
    /// Pages that say something new.
    pub kept: u64,
    /// Pages with the same normalised text as a kept page.
    pub exact: u64,
    /// Pages with nearly the text of a kept page.
    pub near: u64,
    /// URLs that redirect.
    pub redirected: u64,
    /// URLs that failed permanently.
    pub failed: u64,
    /// URLs whose page the crawl must not store: robots.txt, noindex, not a page.
    pub excluded: u64,
    /// Pages that existed at an earlier visit and no longer exist.
    pub gone: u64,
    /// Visits still to be made to pages fetched before. Other counts include these pages too.
    pub due: u64,
    /// Body bytes received over the network for pages with a verdict.
    pub bytes_fetched: u64,
    /// Body bytes of kept pages after decoding Content-Encoding.
    pub bytes_kept: u64,
}

impl Counts {
    /// Pages that say what a kept page says.
    pub(super) fn dropped(&self) -> u64 {
        self.exact + self.near
    }

    /// The share of the pages with a verdict that were dropped, in percent; 0 if there are none.
    pub(super) fn dropped_percent(&self) -> f64 {
        if self.fetched == 0 {
            return 0.0;
        }
        100.0 * self.dropped() as f64 / self.fetched as f64
    }
}

impl From<storage::Counts> for Counts {
    fn from(counts: storage::Counts) -> Self {
        Self {
            discovered: counts.discovered,
            queued: counts.queued,
            fetched: counts.fetched(),
            kept: counts.kept,
            exact: counts.exact,
            near: counts.near,
            redirected: counts.redirected,
            failed: counts.failed,
            excluded: counts.excluded,
            gone: counts.gone,
            due: counts.due,
            bytes_fetched: counts.bytes_fetched,
            bytes_kept: counts.bytes_kept,
        }
    }
}
