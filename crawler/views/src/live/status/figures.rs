//! `/status.json`: the figures of a running crawl. Later versions only add keys; `docs/src/metrics.md` documents them.

use std::collections::BTreeMap;
use std::time::SystemTime;

use serde::Serialize;

use super::View;
use super::fleet::FleetFigures;
use crate::live::pace;
use crate::report::Counts;
use crawl::clock::unix_millis;
use crawl::delays;
use crawl::messages::Ending;
use crawl::stats::{Bound, RunNow, Snapshot, TimeLeft};
use crawl::{HostStanding, HostStateKind};
use terminal::units::utc;

/// Hosts in the figures.
const NAMED: usize = 5;

/// The object of `/status.json`.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Figures {
    /// The version of the crawler.
    pub version: &'static str,
    /// When the run started: RFC 3339, UTC.
    pub started_at: String,
    /// Duration of the run so far, or of the whole run after its end.
    pub elapsed_seconds: f64,
    /// `running`, `paused`, `stopping` or `ended`.
    pub state: &'static str,
    /// `state` in words.
    pub text: &'static str,
    /// Why the run ended: `exhausted`, `page_limit` or `stopped`; null while it runs.
    pub ending: Option<&'static str>,
    /// Counts of the whole crawl, as in the report.
    pub counts: Counts,
    /// Percentage of duplicates among the pages of the whole crawl.
    pub duplicate_percent: f64,
    /// Figures of this run.
    pub run: RunFigures,
    /// Rates over the last five seconds.
    pub rates: RatesPerSecond,
    /// The bounds of the run.
    pub limits: RunLimits,
    /// The estimated time until the end; null without an estimate.
    pub time_left: Option<Estimate>,
    /// Results of the visits of `--refresh`; null without it.
    pub refresh: Option<RefreshFigures>,
    /// The part of this worker in its fleet; null without `--fleet`.
    pub fleet: Option<FleetFigures>,
    /// Number of hosts with queued URLs, by state.
    pub hosts: BTreeMap<&'static str, u64>,
    /// At most five hosts, those with the most URLs, in descending order.
    pub largest_hosts: Vec<HostFigures>,
    /// Requests under way.
    pub open_requests: u64,
    /// What bounds the rate, in words.
    pub bound: String,
    /// Resident memory of the process; null if the system does not report it.
    pub memory_bytes: Option<u64>,
}

/// The figures of this run.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct RunFigures {
    /// Completed requests, including robots.txt and sitemaps.
    pub requests: u64,
    /// Body bytes received over the network.
    pub fetched_bytes: u64,
    /// URLs that failed permanently, by kind.
    pub failures: BTreeMap<String, u64>,
    /// Links not followed, by reason: `other_host`, `too_deep`, `over_budget`.
    pub links_not_followed: BTreeMap<&'static str, u64>,
}

/// Rates.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct RatesPerSecond {
    /// Completed requests.
    pub requests_per_second: f64,
    /// Pages with a verdict.
    pub pages_per_second: f64,
    /// Body bytes received.
    pub bytes_per_second: f64,
}

/// The bounds of the run; null means no bound.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct RunLimits {
    /// Pages with a verdict in the whole crawl.
    pub max_pages: Option<u64>,
    /// Duration of this run.
    pub max_duration_seconds: Option<f64>,
}

/// An estimate of the time until the end.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Estimate {
    /// Seconds from now.
    pub seconds: f64,
    /// The bound that ends the run: `pages`, `duration` or `queue`.
    pub bound: &'static str,
    /// The estimate in words, rounded: `about 3 min left`.
    pub text: String,
}

/// Visits to pages fetched before.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
pub struct RefreshFigures {
    /// Visits due at the start.
    pub due: u64,
    /// Visits still to be made.
    pub left: u64,
    /// Changed pages.
    pub changed: u64,
    /// Unchanged pages.
    pub unchanged: u64,
    /// Pages that no longer exist.
    pub gone: u64,
}

/// A host.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct HostFigures {
    pub host: String,
    /// Queued URLs, including URLs in process.
    pub urls: u64,
    /// One of the keys of `hosts`.
    pub state: &'static str,
    /// `state` in words.
    pub text: &'static str,
    /// When the wait ends: RFC 3339, UTC; null if unknown.
    pub until: Option<String>,
    /// The last failure of a host that is resting or given up.
    pub failure: Option<String>,
    /// Requests under way.
    pub open_requests: u64,
    /// The delay between two requests, as it is now.
    pub delay_seconds: f64,
    /// The rule that sets it: `configuration`, `order`, `robots`, `latency` or `slowed`.
    pub delay_rule: &'static str,
    /// The delay, the rule and the other rules, in words.
    pub delay_reason: String,
}

impl Figures {
    /// The figures now.
    #[must_use]
    pub fn of(view: &View) -> Self {
        let sight = view.look();
        let snapshot = &sight.snapshot;
        let standing = &snapshot.standing;
        let (state, ending) = state(snapshot);
        Self {
            version: env!("CARGO_PKG_VERSION"),
            started_at: utc(unix_millis(view.stats.started_at())),
            elapsed_seconds: snapshot.elapsed.as_secs_f64(),
            state,
            text: describe(snapshot),
            ending,
            counts: snapshot.counts.into(),
            duplicate_percent: snapshot.duplicate_percent(),
            run: RunFigures::from(snapshot),
            rates: RatesPerSecond {
                requests_per_second: sight.rates.requests,
                pages_per_second: sight.rates.pages,
                bytes_per_second: sight.rates.bytes,
            },
            limits: RunLimits {
                max_pages: view.limits.max_pages,
                max_duration_seconds: view.limits.max_duration.map(|time| time.as_secs_f64()),
            },
            time_left: sight.time_left.map(Estimate::from),
            refresh: snapshot.refresh.map(|refresh| RefreshFigures {
                due: refresh.due,
                left: snapshot.counts.due,
                changed: refresh.changed,
                unchanged: refresh.unchanged,
                gone: refresh.gone,
            }),
            fleet: snapshot.worker.map(FleetFigures::from),
            hosts: HostStateKind::ALL
                .into_iter()
                .map(|state| (state.as_str(), standing.count(state)))
                .collect(),
            largest_hosts: standing.largest.iter().take(NAMED).map(HostFigures::from).collect(),
            open_requests: snapshot.open_requests,
            bound: match ending {
                None => pace::bound(&RunNow::of(&view.stats)),
                Some(_) => "The run has ended.".to_owned(),
            },
            memory_bytes: memory_bytes(),
        }
    }

    /// The time now: RFC 3339, UTC.
    #[must_use]
    pub fn now() -> String {
        utc(unix_millis(SystemTime::now()))
    }
}

impl From<&Snapshot> for RunFigures {
    fn from(snapshot: &Snapshot) -> Self {
        Self {
            requests: snapshot.requests,
            fetched_bytes: snapshot.bytes,
            failures: snapshot.failures.clone(),
            links_not_followed: [
                ("other_host", snapshot.links_to_other_hosts),
                ("too_deep", snapshot.links_too_deep),
                ("nofollow", snapshot.links_of_nofollow),
                ("over_budget", snapshot.links_over_budget),
            ]
            .into(),
        }
    }
}

impl From<TimeLeft> for Estimate {
    fn from(left: TimeLeft) -> Self {
        Self {
            seconds: left.time.as_secs_f64(),
            bound: match left.bound {
                Bound::Pages => "pages",
                Bound::Duration => "duration",
                Bound::Queue => "queue",
            },
            text: left.describe(),
        }
    }
}

impl From<&HostStanding> for HostFigures {
    fn from(host: &HostStanding) -> Self {
        Self {
            host: host.host.clone(),
            urls: host.urls,
            state: host.state.as_str(),
            text: host.state.describe(),
            until: host.until.map(utc),
            failure: host.failure.clone(),
            open_requests: host.open,
            delay_seconds: host.delays.longest().as_secs_f64(),
            delay_rule: delays::word(host),
            delay_reason: delays::reason(host),
        }
    }
}

/// The values of `state` and `ending`.
fn state(snapshot: &Snapshot) -> (&'static str, Option<&'static str>) {
    match snapshot.ending {
        Some(Ending::Exhausted) => ("ended", Some("exhausted")),
        Some(Ending::PageLimit) => ("ended", Some("page_limit")),
        Some(Ending::Stopped) => ("ended", Some("stopped")),
        None if snapshot.stopping => ("stopping", None),
        None if snapshot.paused => ("paused", None),
        None => ("running", None),
    }
}

/// The state of the run in one line.
fn describe(snapshot: &Snapshot) -> &'static str {
    match snapshot.ending {
        Some(Ending::PageLimit) => "Ended: the page limit is reached",
        Some(Ending::Stopped) => "Ended: stopped",
        Some(Ending::Exhausted) => "Ended: no URL is left to fetch",
        None if snapshot.stopping => "Stopping: finishing the URLs in process",
        None if snapshot.paused => "Paused: no request starts until `crawler control resume`",
        None => "Running",
    }
}

/// Resident memory of this process; `None` without `/proc`.
pub(super) fn memory_bytes() -> Option<u64> {
    let status = std::fs::read_to_string("/proc/self/status").ok()?;
    let line = status.lines().find_map(|line| line.strip_prefix("VmRSS:"))?;
    let kibibytes: u64 = line.trim().strip_suffix("kB")?.trim().parse().ok()?;
    Some(kibibytes * 1_024)
}
