//! What there is to say of a crawl at work: `/status.json`. Fields are only ever added; `docs/metrics.md` describes them.

use std::collections::BTreeMap;
use std::time::SystemTime;

use serde::Serialize;

use super::{Sight, View};
use crate::crawl::clock::unix_millis;
use crate::crawl::frontier::HostStateKind;
use crate::crawl::messages::Ending;
use crate::crawl::stats::{Bound, Snapshot};
use crate::report::{Counts, utc};

/// See the module's text.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Figures {
    /// Of the crawler.
    pub version: &'static str,
    /// When the run began: RFC 3339, UTC.
    pub started_at: String,
    /// How long it has been at work, or was.
    pub elapsed_seconds: f64,
    /// `running`, `stopping`, `ended`.
    pub state: &'static str,
    /// The same in words.
    pub text: &'static str,
    /// Why it ended: `exhausted`, `page_limit`, `stopped`; null while it is at work.
    pub ending: Option<&'static str>,
    /// Of the whole crawl, as in the report.
    pub counts: Counts,
    /// Duplicates of 100 pages, in the whole crawl.
    pub duplicate_percent: f64,
    /// Of this run.
    pub run: Run,
    /// Over the last five seconds.
    pub rates: Rates,
    /// What bounds the run.
    pub limits: Limits,
    /// When it will be over as it goes now; null where nothing foretells that.
    pub time_left: Option<TimeLeft>,
    /// What the visits of `--refresh` came to; null without it.
    pub refresh: Option<Refresh>,
    /// Hosts with something to fetch, by what they are doing.
    pub hosts: BTreeMap<&'static str, u64>,
    /// The hosts with the most URLs, at most five, most first.
    pub largest_hosts: Vec<Host>,
    /// Resident memory of the process; null where the system does not say.
    pub memory_bytes: Option<u64>,
}

/// What this run did.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Run {
    /// Requests ended, robots.txt and sitemaps included.
    pub requests: u64,
    /// Bytes of body, as they came over the wire.
    pub fetched_bytes: u64,
    /// URLs that failed for good, by kind.
    pub failures: BTreeMap<String, u64>,
    /// Links that were not followed, by reason: `other_host`, `too_deep`, `over_budget`.
    pub links_not_followed: BTreeMap<&'static str, u64>,
}

/// How fast it goes.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct Rates {
    /// Requests ended.
    pub requests_per_second: f64,
    /// Pages decided.
    pub pages_per_second: f64,
    /// Bytes of body received.
    pub bytes_per_second: f64,
}

/// What bounds the run; null is no limit.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct Limits {
    /// Pages decided in the whole crawl.
    pub max_pages: Option<u64>,
    /// Time of this run.
    pub max_duration_seconds: Option<f64>,
}

/// An estimate.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct TimeLeft {
    /// From now.
    pub seconds: f64,
    /// What will end it: `pages`, `duration`, `queue`.
    pub bound: &'static str,
    /// As coarse as it is uncertain: `about 3 min left`.
    pub text: String,
}

/// Visits to pages that were fetched before.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
pub struct Refresh {
    /// Visits that were due when it began.
    pub due: u64,
    /// Of these, still to be made.
    pub left: u64,
    /// Pages that have changed.
    pub changed: u64,
    /// Pages that are as they were.
    pub unchanged: u64,
    /// Pages that are gone.
    pub gone: u64,
}

/// A host.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Host {
    /// Its name.
    pub host: String,
    /// URLs that wait, in process included.
    pub urls: u64,
    /// What it is doing: one of the words of `hosts`.
    pub state: &'static str,
    /// The same in words.
    pub text: &'static str,
    /// When its wait ends: RFC 3339, UTC; null where that is not known.
    pub until: Option<String>,
    /// What went wrong last, for a host that rests or was given up.
    pub failure: Option<String>,
}

impl Figures {
    /// What is so now.
    #[must_use]
    pub fn of(view: &View) -> Self {
        let Sight {
            snapshot,
            rates,
            time_left,
        } = view.look();
        let ending = snapshot.ending.map(|ending| match ending {
            Ending::Exhausted => "exhausted",
            Ending::PageLimit => "page_limit",
            Ending::Stopped => "stopped",
        });
        let state = match (ending, snapshot.stopping) {
            (Some(_), _) => "ended",
            (None, true) => "stopping",
            (None, false) => "running",
        };
        let standing = &snapshot.standing;
        Self {
            version: env!("CARGO_PKG_VERSION"),
            started_at: utc(unix_millis(view.stats.started_at())),
            elapsed_seconds: snapshot.elapsed.as_secs_f64(),
            state,
            text: describe(&snapshot),
            ending,
            counts: snapshot.counts.into(),
            duplicate_percent: snapshot.duplicate_percent(),
            run: Run {
                requests: snapshot.requests,
                fetched_bytes: snapshot.bytes,
                failures: snapshot.failures.clone(),
                links_not_followed: [
                    ("other_host", snapshot.links_to_other_hosts),
                    ("too_deep", snapshot.links_too_deep),
                    ("over_budget", snapshot.links_over_budget),
                ]
                .into(),
            },
            rates: Rates {
                requests_per_second: rates.requests,
                pages_per_second: rates.pages,
                bytes_per_second: rates.bytes,
            },
            limits: Limits {
                max_pages: view.limits.max_pages,
                max_duration_seconds: view.limits.max_duration.map(|time| time.as_secs_f64()),
            },
            time_left: time_left.map(|left| TimeLeft {
                seconds: left.time.as_secs_f64(),
                bound: match left.bound {
                    Bound::Pages => "pages",
                    Bound::Duration => "duration",
                    Bound::Queue => "queue",
                },
                text: left.describe(),
            }),
            refresh: snapshot.refresh.map(|refresh| Refresh {
                due: refresh.due,
                left: snapshot.counts.due,
                changed: refresh.changed,
                unchanged: refresh.unchanged,
                gone: refresh.gone,
            }),
            hosts: HostStateKind::ALL
                .into_iter()
                .map(|state| (state.as_str(), standing.count(state)))
                .collect(),
            largest_hosts: standing
                .largest
                .iter()
                .map(|host| Host {
                    host: host.host.clone(),
                    urls: host.urls,
                    state: host.state.as_str(),
                    text: host.state.describe(),
                    until: host.until.map(utc),
                    failure: host.failure.clone(),
                })
                .collect(),
            memory_bytes: memory_bytes(),
        }
    }

    /// The time now, for whoever reads it later.
    #[must_use]
    pub fn now() -> String {
        utc(unix_millis(SystemTime::now()))
    }
}

/// How it stands, in a line.
fn describe(snapshot: &Snapshot) -> &'static str {
    match snapshot.ending {
        Some(Ending::PageLimit) => "Over: the page limit is reached",
        Some(Ending::Stopped) => "Over: stopped",
        Some(Ending::Exhausted) => "Over: nothing is left to fetch",
        None if snapshot.stopping => "Stopping: what is in process is being finished",
        None => "Running",
    }
}

/// Resident memory of this process, where `/proc` has it.
pub(super) fn memory_bytes() -> Option<u64> {
    let status = std::fs::read_to_string("/proc/self/status").ok()?;
    let line = status.lines().find_map(|line| line.strip_prefix("VmRSS:"))?;
    let kibibytes: u64 = line.trim().strip_suffix("kB")?.trim().parse().ok()?;
    Some(kibibytes * 1_024)
}
