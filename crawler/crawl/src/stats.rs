//! The figures of the run under way. The progress display, the status page and the metrics read the same [`Snapshot`]. The report
//! does not: it counts in the store.

mod lately;
mod run_now;
mod trend;
mod worker;

use std::collections::BTreeMap;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError};
use std::time::{Duration, Instant, SystemTime};

use prometheus_client::metrics::histogram::Histogram;
use storage::{Counts, RefreshCounts, Verdict};
use url::Url;

use crate::failures::{FailedSeed, FailedSeeds, FailedSitemaps};
use crate::frontier::Standing;
use crate::messages::Ending;
use run_now::RequestsUnderWay;

pub use lately::Lately;
pub(crate) use run_now::UnderWay;
pub use run_now::{OpenRequest, RunNow};
pub use trend::{Bound, Rates, RunLimits, TimeLeft, Trend, about};
pub use worker::{WorkerStanding, WorkerStats};

/// Upper bounds of the buckets of fetch times, in seconds.
const FETCH_SECONDS: [f64; 12] = [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 5.0, 10.0, 30.0];

/// Upper bounds of the buckets of commit times, in seconds.
const COMMIT_SECONDS: [f64; 10] = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 1.0, 5.0];

/// Bound on the kinds of failure with a count of their own: a server can choose among many HTTP statuses.
const MAX_KINDS: usize = 1_000;

/// The figures of a run, which the stages update.
#[derive(Debug)]
pub struct Stats {
    began: Instant,
    started_at: SystemTime,
    figures: Mutex<Snapshot>,
    /// Threads count each link here, without waiting for each other.
    links_to_other_hosts: AtomicU64,
    links_too_deep: AtomicU64,
    links_of_nofollow: AtomicU64,
    /// The first host out of the scope to which a link leads.
    other_host: OnceLock<String>,
    /// Whether a display reads the states of the hosts; without one, the frontier computes them seldom.
    watched: AtomicBool,
    requests_under_way: RequestsUnderWay,
    worker: WorkerStats,
    failed_seeds: Mutex<FailedSeeds>,
    failed_sitemaps: Mutex<FailedSitemaps>,
    fetch_seconds: Histogram,
    commit_seconds: Histogram,
}

impl Default for Stats {
    fn default() -> Self {
        Self {
            began: Instant::now(),
            started_at: SystemTime::now(),
            figures: Mutex::default(),
            links_to_other_hosts: AtomicU64::default(),
            links_too_deep: AtomicU64::default(),
            links_of_nofollow: AtomicU64::default(),
            other_host: OnceLock::new(),
            watched: AtomicBool::default(),
            requests_under_way: RequestsUnderWay::default(),
            worker: WorkerStats::default(),
            failed_seeds: Mutex::default(),
            failed_sitemaps: Mutex::default(),
            fetch_seconds: Histogram::new(FETCH_SECONDS),
            commit_seconds: Histogram::new(COMMIT_SECONDS),
        }
    }
}

/// The figures at one moment.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Snapshot {
    /// Time since the run began, or its duration if it is over.
    pub elapsed: Duration,
    /// Requests ended in this run, robots.txt and sitemaps included.
    pub requests: u64,
    /// Bytes of bodies received in this run, as they came over the wire.
    pub bytes: u64,
    /// The counts of the whole crawl, earlier runs included.
    pub counts: Counts,
    /// Pages decided in this run.
    pub verdicts: Verdicts,
    /// URLs that finally failed in this run, by kind.
    pub failures: BTreeMap<String, u64>,
    /// How the last URLs ended.
    pub lately: Lately,
    /// The refresh under way.
    pub refresh: Option<RefreshCounts>,
    /// The states of the hosts, a moment ago.
    pub standing: Arc<Standing>,
    /// The URL of the last request that began, for a display.
    pub last_request: Option<Url>,
    /// Requests under way.
    pub open_requests: u64,
    /// Those that may be under way at one time.
    pub parallel: u64,
    /// The part of this worker in a crawl by several; `None` if one process crawls alone.
    pub worker: Option<WorkerStanding>,
    /// The pages that the browser had.
    pub rendered: RenderedPages,
    /// Pages of this run with scripts and hardly any text that no browser rendered.
    pub unrendered: u64,
    /// Links that lead to hosts out of the scope.
    pub links_to_other_hosts: u64,
    /// The first of these hosts.
    pub other_host: Option<String>,
    /// Links deeper than `max_depth`.
    pub links_too_deep: u64,
    /// Links that were not followed because the site asks for this: all links of a page with the robots directive `nofollow`, and links with
    /// `rel=nofollow` if `scope.follow_nofollow` is false.
    pub links_of_nofollow: u64,
    /// Links to hosts that had used up `scope.max_urls_per_host`; links to known URLs count too.
    pub links_over_budget: u64,
    /// Number of lines read from the seeds file; `None` when all are read.
    pub seed_lines: Option<u64>,
    /// Whether the run takes no more new URLs.
    pub stopping: bool,
    /// Whether the user has paused the crawl.
    pub paused: bool,
    /// Why the run ended, once it has.
    pub ending: Option<Ending>,
}

/// The pages that the browser had in this run.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct RenderedPages {
    /// Pages that it rendered.
    pub pages: u64,
    /// Pages that it could not render.
    pub failed: u64,
    /// Time in the browser, summed over its tabs.
    pub elapsed: Duration,
}

/// Pages decided, by verdict.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Verdicts {
    /// Unique pages.
    pub kept: u64,
    /// Pages with the text of a kept page.
    pub exact: u64,
    /// Pages with nearly the text of a kept page.
    pub near: u64,
}

impl Verdicts {
    /// All pages decided.
    #[must_use]
    pub fn total(&self) -> u64 {
        self.kept + self.exact + self.near
    }
}

impl Snapshot {
    /// Pages with a verdict, in the whole crawl.
    #[must_use]
    pub fn pages(&self) -> u64 {
        self.counts.fetched()
    }

    /// URLs and revisits that wait, those in process included.
    #[must_use]
    pub fn waiting(&self) -> u64 {
        self.counts.queued + self.counts.due
    }

    /// Duplicates in percent of the pages; 0 without a page.
    #[must_use]
    pub fn duplicate_percent(&self) -> f64 {
        100.0 * self.counts.dropped() as f64 / self.pages().max(1) as f64
    }
}

impl Stats {
    /// Counts a request that took `elapsed`, with a body of `body_bytes` bytes.
    pub fn request(&self, elapsed: Duration, body_bytes: u64) {
        let mut figures = self.figures();
        figures.requests += 1;
        figures.bytes += body_bytes;
        drop(figures);
        self.fetch_seconds.observe(elapsed.as_secs_f64());
    }

    /// Counts requests that were sent again because their connection was closed.
    pub fn repeats(&self, requests: u64) {
        if requests > 0 {
            self.figures().requests += requests;
        }
    }

    /// Counts a page with scripts and hardly any text that no browser rendered.
    pub fn unrendered(&self) {
        self.figures().unrendered += 1;
    }

    /// Counts a page that the browser had for this time.
    pub fn rendered(&self, elapsed: Duration, has_rendered: bool) {
        let rendered = &mut self.figures().rendered;
        rendered.elapsed += elapsed;
        if has_rendered {
            rendered.pages += 1;
        } else {
            rendered.failed += 1;
        }
    }

    /// Counts a commit that took `elapsed`.
    pub fn commit(&self, elapsed: Duration) {
        self.commit_seconds.observe(elapsed.as_secs_f64());
    }

    /// Counts a decided page.
    pub fn verdict(&self, verdict: &Verdict) {
        let mut figures = self.figures();
        figures.lately.page();
        let verdicts = &mut figures.verdicts;
        *match verdict {
            Verdict::Unique => &mut verdicts.kept,
            Verdict::Exact { .. } => &mut verdicts.exact,
            Verdict::Near { .. } => &mut verdicts.near,
        } += 1;
    }

    /// Counts a URL that finally failed.
    pub fn failure(&self, kind: &str) {
        let mut figures = self.figures();
        figures.lately.failed(kind);
        let failures = &mut figures.failures;
        if let Some(count) = failures.get_mut(kind) {
            *count += 1;
        } else if failures.len() < MAX_KINDS {
            failures.insert(kind.to_owned(), 1);
        } else {
            *failures.entry("other".to_owned()).or_default() += 1;
        }
    }

    /// Notes a seed that led to no page.
    pub(crate) fn failed_seed(&self, seed: impl FnOnce() -> FailedSeed) {
        lock(&self.failed_seeds).add(seed);
    }

    /// Notes a sitemap that could not be read.
    pub(crate) fn failed_sitemap(&self, url: &Url, why: &str) {
        lock(&self.failed_sitemaps).add(url, why);
    }

    /// The sitemaps that could not be read in this run.
    #[must_use]
    pub fn failed_sitemaps(&self) -> FailedSitemaps {
        lock(&self.failed_sitemaps).clone()
    }

    /// The seeds that led to no page in this run.
    #[must_use]
    pub fn failed_seeds(&self) -> FailedSeeds {
        lock(&self.failed_seeds).clone()
    }

    /// Counts a link that lies deeper than `max_depth`.
    pub fn link_too_deep(&self) {
        self.links_too_deep.fetch_add(1, Ordering::Relaxed);
    }

    /// Counts a link to a host out of the scope.
    pub fn link_to_other_host(&self, host: &str) {
        self.links_to_other_hosts.fetch_add(1, Ordering::Relaxed);
        self.other_host.get_or_init(|| host.to_owned());
    }

    /// Counts links that the site asks not to follow.
    pub fn links_of_nofollow(&self, links: usize) {
        self.links_of_nofollow.fetch_add(links as u64, Ordering::Relaxed);
    }

    /// Counts links that the crawl does not take in, because their hosts have used up their budget of URLs.
    pub fn links_over_budget(&self, links: usize) {
        self.figures().links_over_budget += links as u64;
    }

    /// Sets the number of lines read from the seeds file; `None` when all are read.
    pub fn seeds_read(&self, lines: Option<u64>) {
        self.figures().seed_lines = lines;
    }

    /// Sets the counts of the whole crawl.
    pub fn decided(&self, counts: &Counts) {
        self.figures().counts = *counts;
    }

    /// Sets the figures of the refresh under way.
    pub fn refreshed(&self, refresh: Option<RefreshCounts>) {
        self.figures().refresh = refresh;
    }

    /// Sets the number of requests that may be under way at one time.
    pub(crate) fn may_have_open(&self, parallel: usize) {
        self.figures().parallel = parallel as u64;
    }

    /// Notes that a display will read [`Snapshot::standing`] and [`Snapshot::last_request`].
    pub fn watch(&self) {
        self.watched.store(true, Ordering::Relaxed);
    }

    /// Whether a display reads [`Snapshot::standing`].
    #[must_use]
    pub fn is_watched(&self) -> bool {
        self.watched.load(Ordering::Relaxed)
    }

    /// Sets the states of the hosts.
    pub fn stands(&self, standing: Standing) {
        self.figures().standing = Arc::new(standing);
    }

    /// The part of this worker in a crawl by several.
    #[must_use]
    pub fn worker(&self) -> &WorkerStats {
        &self.worker
    }

    /// Notes whether the user has paused the crawl.
    pub fn set_paused(&self, is_paused: bool) {
        self.figures().paused = is_paused;
    }

    /// Notes that the run was asked to stop.
    pub fn set_stopping(&self) {
        self.figures().stopping = true;
    }

    /// Notes that the run is over.
    pub fn ended(&self, ending: Ending, counts: &Counts) {
        let mut figures = self.figures();
        figures.counts = *counts;
        figures.ending = Some(ending);
        figures.elapsed = self.began.elapsed();
    }

    /// When the run began.
    #[must_use]
    pub fn started_at(&self) -> SystemTime {
        self.started_at
    }

    /// The duration of each request of this run, up to the last byte read, in seconds.
    #[must_use]
    pub fn fetch_seconds(&self) -> &Histogram {
        &self.fetch_seconds
    }

    /// The duration of each commit of this run, in seconds.
    #[must_use]
    pub fn commit_seconds(&self) -> &Histogram {
        &self.commit_seconds
    }

    /// The figures now. Each is correct, but during a run they may be a moment apart.
    #[must_use]
    pub fn snapshot(&self) -> Snapshot {
        let figures = self.figures().clone();
        Snapshot {
            elapsed: match figures.ending {
                Some(_) => figures.elapsed,
                None => self.began.elapsed(),
            },
            open_requests: self.requests_under_way.count(),
            worker: self.worker.standing(),
            links_to_other_hosts: self.links_to_other_hosts.load(Ordering::Relaxed),
            other_host: self.other_host.get().cloned(),
            links_too_deep: self.links_too_deep.load(Ordering::Relaxed),
            links_of_nofollow: self.links_of_nofollow.load(Ordering::Relaxed),
            ..figures
        }
    }

    fn figures(&self) -> MutexGuard<'_, Snapshot> {
        lock(&self.figures)
    }
}

/// Locks even after a panic in another thread, which leaves the figures correct.
fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
