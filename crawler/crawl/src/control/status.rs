//! What is in force, and which orders wait.

use serde::Serialize;

use super::entry::Ordered;
use super::giver::Giver;
use crate::delays;
use crate::frontier::HostStanding;
use error::RunError;
use terminal::units::utc;

/// Hosts whose delays are named.
const HOSTS: usize = 5;

/// What is in force.
#[derive(Debug, Serialize)]
pub struct Status {
    /// Whether a crawl runs.
    pub running: bool,
    /// RFC 3339, UTC, as every time here.
    pub paused_since: Option<String>,
    /// The drops.
    pub dropped: Vec<DroppedSince>,
    /// The delays.
    pub delays: Vec<DelaySince>,
    /// The delays that count now at the hosts with the most URLs, while a crawl runs.
    pub hosts: Vec<DelayNow>,
    /// Orders that the crawl has not taken.
    pub waiting: Vec<Waiting>,
    /// Lines of the journal that are no orders.
    pub damaged_lines: u64,
}

/// A drop that stands.
#[derive(Debug, Serialize)]
pub struct DroppedSince {
    /// A host or pattern.
    pub what: String,
    /// When it was ordered.
    pub since: String,
}

/// A delay that stands.
#[derive(Debug, Serialize)]
pub struct DelaySince {
    /// The host.
    pub host: String,
    /// Seconds between two requests.
    pub seconds: f64,
    /// When it was ordered.
    pub since: String,
    /// What counts now at the hosts of the order, in words; `None` if no crawl runs, or the hosts are not among those with the most URLs.
    pub now: Option<String>,
}

/// The delay of a host, as it is now.
#[derive(Debug, Serialize)]
pub struct DelayNow {
    /// The host.
    pub host: String,
    /// Seconds between two requests.
    pub seconds: f64,
    /// The rule that sets it: `configuration`, `order`, `robots`, `latency` or `slowed`.
    pub rule: &'static str,
    /// The delay, the rule and the other rules, in words.
    pub reason: String,
}

impl DelayNow {
    fn of(host: &HostStanding) -> Self {
        Self {
            host: host.host.clone(),
            seconds: host.delays.longest().as_secs_f64(),
            rule: delays::word(host),
            reason: delays::reason(host),
        }
    }
}

/// An order that waits.
#[derive(Debug, Serialize)]
pub struct Waiting {
    /// Its word.
    pub order: &'static str,
    /// When it was given.
    pub at: String,
}

/// The time of an order.
#[must_use]
pub fn time(id: u64) -> String {
    utc(id / 1_000)
}

impl Status {
    /// The status of a crawl.
    ///
    /// # Errors
    /// The store cannot be read.
    pub fn of(crawl: &Giver<'_>) -> Result<Self, RunError> {
        let taken = crawl.store.run_notes().orders()?.unwrap_or_default();
        let is_waiting = |ordered: &&Ordered| ordered.id > taken && crawl.entries.answer_to(ordered.id).is_none();
        let in_force = &crawl.in_force;
        let standing = crawl.run_now().map(|now| now.standing);
        let hosts = standing.iter().flat_map(|standing| standing.largest.iter().take(HOSTS));
        let hosts = hosts.map(DelayNow::of).collect();
        let dropped = in_force.dropped.iter().map(|dropped| DroppedSince {
            what: dropped.what.clone(),
            since: time(dropped.since),
        });
        let delays = in_force.delays.iter().map(|delayed| DelaySince {
            host: delayed.host.clone(),
            seconds: delayed.seconds,
            since: time(delayed.since),
            now: standing
                .as_ref()
                .and_then(|standing| delays::now(standing, &delayed.host)),
        });
        let waiting = crawl.entries.orders().filter(is_waiting).map(|ordered| Waiting {
            order: ordered.order.word(),
            at: time(ordered.id),
        });
        Ok(Self {
            running: crawl.is_running(),
            paused_since: in_force.paused.map(time),
            dropped: dropped.collect(),
            delays: delays.collect(),
            hosts,
            waiting: waiting.collect(),
            damaged_lines: crawl.entries.damaged,
        })
    }
}
