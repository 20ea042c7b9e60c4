//! What is in force, and which orders wait.

use serde::Serialize;

use super::entry::Ordered;
use super::giver::Giver;
use error::RunError;
use terminal::units::utc;

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
        let dropped = in_force.dropped.iter().map(|dropped| DroppedSince {
            what: dropped.what.clone(),
            since: time(dropped.since),
        });
        let delays = in_force.delays.iter().map(|delayed| DelaySince {
            host: delayed.host.clone(),
            seconds: delayed.seconds,
            since: time(delayed.since),
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
            waiting: waiting.collect(),
            damaged_lines: crawl.entries.damaged,
        })
    }
}
