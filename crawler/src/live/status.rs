//! A crawl at work, seen from outside: a live page, its figures as JSON, and Prometheus metrics, over HTTP.
//!
//! The server has a thread and a runtime of its own, reads nothing but the [`Stats`] and gives way to nobody: whatever its
//! clients do, the crawl goes on at its pace, and the server ends with it. It answers on loopback alone unless it is told
//! otherwise; see `docs/metrics.md`.
//!
//! - `listen` where, `guard` to whom, `server` how: bounded in connections and time
//! - `figures` what there is to say, `page` for people, `metrics` for Prometheus

mod figures;
mod guard;
mod listen;
mod metrics;
mod page;
mod server;

use std::net::SocketAddr;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Instant;

use crate::crawl::stats::{Rates, RunLimits, Snapshot, Stats, TimeLeft, Trend};

pub use listen::{Address, NotListening, listen};
pub use server::Server;

/// What the server looks at.
#[derive(Debug)]
pub struct View {
    stats: Arc<Stats>,
    limits: RunLimits,
    trend: Mutex<Trend>,
}

/// What it sees at one moment.
#[derive(Debug)]
struct Sight {
    snapshot: Snapshot,
    rates: Rates,
    time_left: Option<TimeLeft>,
}

impl View {
    /// A look at `stats` of a run within `limits`.
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

/// The URL of the page.
#[must_use]
pub fn url(address: SocketAddr) -> String {
    format!("http://{address}/")
}
