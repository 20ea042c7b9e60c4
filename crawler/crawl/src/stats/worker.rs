//! The part of this worker in a crawl by several.

use std::sync::Mutex;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, SystemTime};

use super::lock;
use crate::clock::unix_millis;

/// The part of a worker in its crawl, at one moment.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct WorkerStanding {
    /// Workers that live, this one included.
    pub workers: u64,
    /// Partitions that the worker owns.
    pub leases: u64,
    /// Letters that the servers do not have yet.
    pub letters: u64,
    /// Since when the servers do not answer, milliseconds since the Unix epoch; `None` if they do.
    pub away_since: Option<u64>,
    /// Whether writes go to one server only, because the replicas of a primary are gone.
    pub is_unprotected: bool,
    /// Commands to the servers in this run, those sent once more included.
    pub commands: u64,
    /// Bytes of these commands, about.
    pub bytes: u64,
    /// Commands that were sent once more.
    pub repeats: u64,
    /// Writes about a partition that the servers refused, because another worker owned it by then.
    pub refused: u64,
    /// Whether any worker has kept a page, as far as this one knows.
    pub has_kept: bool,
    /// Time between the last entry of the log of kept pages that the worker has applied and the end of the log; zero if it has applied all.
    pub log_lag: Duration,
}

/// The figures of a worker, which the thread updates that speaks with the servers.
#[derive(Debug, Default)]
pub struct WorkerStats {
    /// `None` until the worker has heard from the servers, and for ever if one process crawls alone.
    standing: Mutex<Option<WorkerStanding>>,
    refused: AtomicU64,
}

impl WorkerStats {
    /// Changes the standing.
    pub fn stands(&self, change: impl FnOnce(&mut WorkerStanding)) {
        change(lock(&self.standing).get_or_insert_default());
    }

    /// Notes whether the servers answer.
    pub fn servers_answer(&self, answer: bool) {
        self.stands(|standing| {
            standing.away_since = if answer {
                None
            } else {
                standing.away_since.or_else(|| Some(unix_millis(SystemTime::now())))
            };
        });
    }

    /// Whether any worker has kept a page, as far as this one knows; no if one process crawls alone.
    pub fn others_have_kept(&self) -> bool {
        lock(&self.standing).is_some_and(|standing| standing.has_kept)
    }

    /// Counts writes that the servers have refused.
    pub fn refused(&self, writes: usize) {
        self.refused.fetch_add(writes as u64, Ordering::Relaxed);
    }

    /// The standing now.
    pub fn standing(&self) -> Option<WorkerStanding> {
        let refused = self.refused.load(Ordering::Relaxed);
        lock(&self.standing).map(|standing| WorkerStanding { refused, ..standing })
    }
}
