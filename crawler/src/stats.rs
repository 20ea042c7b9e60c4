//! Counters of the run under way, read by the progress display. The report never uses them: it counts in the store.

use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Mutex, PoisonError};

use storage::Refresh;

/// See the module's text.
#[derive(Debug, Default)]
pub struct Stats {
    requests: AtomicU64,
    bytes: AtomicU64,
    kept: AtomicU64,
    exact: AtomicU64,
    near: AtomicU64,
    failed: AtomicU64,
    excluded: AtomicU64,
    redirected: AtomicU64,
    queued: AtomicU64,
    due: AtomicU64,
    hosts_waiting: AtomicU64,
    refresh: Mutex<Option<Refresh>>,
    links_to_other_hosts: AtomicU64,
    links_too_deep: AtomicU64,
    links_over_budget: AtomicU64,
    stopping: AtomicBool,
}

/// The counters at one moment.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Snapshot {
    /// Requests ended, robots.txt and sitemaps included.
    pub requests: u64,
    /// Bytes of body received.
    pub bytes: u64,
    /// Pages that say something new.
    pub kept: u64,
    /// Pages with the text of a kept page.
    pub exact: u64,
    /// Pages with nearly the text of a kept page.
    pub near: u64,
    /// URLs that failed for good.
    pub failed: u64,
    /// URLs that were not to be stored.
    pub excluded: u64,
    /// URLs that redirect.
    pub redirected: u64,
    /// URLs waiting, in process included.
    pub queued: u64,
    /// Visits waiting to pages that were fetched before.
    pub due: u64,
    /// The refresh under way.
    pub refresh: Option<Refresh>,
    /// Hosts with something to fetch.
    pub hosts_waiting: u64,
    /// Links that lead out of the scope.
    pub links_to_other_hosts: u64,
    /// Links deeper than `max_depth`.
    pub links_too_deep: u64,
    /// Links on pages of hosts that had used up `scope.max_urls_per_host`, known ones among them.
    pub links_over_budget: u64,
    /// No new URL is taken any more.
    pub stopping: bool,
}

impl Snapshot {
    /// Pages with a verdict.
    #[must_use]
    pub fn pages(&self) -> u64 {
        self.kept + self.exact + self.near
    }
}

impl Stats {
    /// A request has ended.
    pub fn request(&self, body_bytes: u64) {
        self.requests.fetch_add(1, Ordering::Relaxed);
        self.bytes.fetch_add(body_bytes, Ordering::Relaxed);
    }

    /// A link leads out of the crawl.
    pub fn link_outside(&self, too_deep: bool) {
        let counter = if too_deep {
            &self.links_too_deep
        } else {
            &self.links_to_other_hosts
        };
        counter.fetch_add(1, Ordering::Relaxed);
    }

    /// Links are not taken in, for their host has used up its budget.
    pub fn links_over_budget(&self, links: usize) {
        self.links_over_budget.fetch_add(links as u64, Ordering::Relaxed);
    }

    /// Takes over the store's counts, which are those of the whole crawl.
    pub fn decided(&self, counts: &storage::Counts) {
        for (counter, value) in [
            (&self.kept, counts.kept),
            (&self.exact, counts.exact),
            (&self.near, counts.near),
            (&self.failed, counts.failed),
            (&self.excluded, counts.excluded),
            (&self.redirected, counts.redirected),
            (&self.queued, counts.queued),
            (&self.due, counts.due),
        ] {
            counter.store(value, Ordering::Relaxed);
        }
    }

    /// Takes over what the refresh under way came to.
    pub fn refreshed(&self, refresh: Option<Refresh>) {
        *self.refresh.lock().unwrap_or_else(PoisonError::into_inner) = refresh;
    }

    /// Hosts with something to fetch.
    pub fn set_hosts_waiting(&self, hosts: usize) {
        self.hosts_waiting.store(hosts as u64, Ordering::Relaxed);
    }

    /// The run was asked to stop.
    pub fn set_stopping(&self) {
        self.stopping.store(true, Ordering::Relaxed);
    }

    /// All counters now; each is right, their sum may be a moment out of step.
    #[must_use]
    pub fn snapshot(&self) -> Snapshot {
        let read = |counter: &AtomicU64| counter.load(Ordering::Relaxed);
        Snapshot {
            requests: read(&self.requests),
            bytes: read(&self.bytes),
            kept: read(&self.kept),
            exact: read(&self.exact),
            near: read(&self.near),
            failed: read(&self.failed),
            excluded: read(&self.excluded),
            redirected: read(&self.redirected),
            queued: read(&self.queued),
            due: read(&self.due),
            refresh: *self.refresh.lock().unwrap_or_else(PoisonError::into_inner),
            hosts_waiting: read(&self.hosts_waiting),
            links_to_other_hosts: read(&self.links_to_other_hosts),
            links_too_deep: read(&self.links_too_deep),
            links_over_budget: read(&self.links_over_budget),
            stopping: self.stopping.load(Ordering::Relaxed),
        }
    }
}
