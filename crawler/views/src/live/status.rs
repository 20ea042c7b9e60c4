//! The status of a running crawl over HTTP: a web page, JSON, and Prometheus metrics. `docs/src/metrics.md` documents them.
//!
//! The server has its own thread and runtime and only reads the [`Stats`], so that no client can slow the crawl. It ends with the
//! crawl. Unless `--status-public` is set, it answers only on loopback.
//!
//! - `guard`: which requests it answers; `server`: the paths
//! - `figures`: the JSON; `page`: the web page; `metrics`: Prometheus, written by `families`; `fleet`: a worker's part in all of them

mod families;
pub(crate) mod figures;
mod fleet;
mod guard;
mod metrics;
mod page;
mod server;

use std::net::SocketAddr;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Instant;

use super::listen::Flags;
use crawl::stats::{Rates, RunLimits, Snapshot, Stats, TimeLeft, Trend};

pub use guard::is_for_this_machine;
pub use server::Server;

/// The flags of the status server.
pub const FLAGS: Flags = Flags {
    address: "--status",
    public: "--status-public",
    risk: "the status shows them hosts and failures",
};

/// The server's source: the figures of one run.
#[derive(Debug)]
pub struct View {
    stats: Arc<Stats>,
    limits: RunLimits,
    trend: Mutex<Trend>,
}

/// The figures at one moment.
#[derive(Debug)]
struct Sight {
    snapshot: Snapshot,
    rates: Rates,
    time_left: Option<TimeLeft>,
}

impl View {
    /// A view of a run's `stats`; `limits` bound the run.
    #[must_use]
    pub fn new(stats: Arc<Stats>, limits: RunLimits) -> Self {
        stats.watch();
        Self {
            stats,
            limits,
            trend: Mutex::default(),
        }
    }

    fn look(&self) -> Sight {
        let (now, snapshot) = (Instant::now(), self.stats.snapshot());
        let mut trend = self.trend.lock().unwrap_or_else(PoisonError::into_inner);
        let mut rates = trend.look(now, &snapshot);
        if snapshot.ending.is_some() {
            rates = Rates::default();
        }
        let time_left = trend.time_left(now, &snapshot, self.limits);
        Sight {
            snapshot,
            rates,
            time_left,
        }
    }
}

/// The URL of the status page.
#[must_use]
pub fn url(address: SocketAddr) -> String {
    format!("http://{address}/")
}
