//! What ends a call to the fleet.

use std::time::Duration;

/// Why the fleet did not do what it was asked.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum FleetError {
    /// The address of the fleet cannot be used.
    #[error(
        "the address of the fleet cannot be used: {0}; it looks like redis://host:6379, for a cluster redis://host:6379,host:6380"
    )]
    Address(String),
    /// No answer within the bound. Nothing is lost: whoever calls keeps what it has, and calls again.
    #[error("no answer from Redis at {address} for {} s: {reason}; check that the servers run and can be reached from here", waited.as_secs())]
    Unreachable {
        /// The servers that were asked.
        address: String,
        /// How long the call tried.
        waited: Duration,
        /// What the last attempt met.
        reason: String,
    },
    /// A server cannot take a write before somebody has done what the text says. Nothing is lost, as with [`Self::Unreachable`].
    #[error("Redis cannot take what this worker writes: {0}")]
    Hindered(String),
    /// The object store does not take or give a segment of the log now. Nothing is lost, as with [`Self::Unreachable`].
    #[error("the object store does not {action} {place}: {reason}")]
    Store {
        /// `take`, `give`.
        action: &'static str,
        /// Where the object is.
        place: String,
        /// What the store said.
        reason: String,
    },
    /// The object store refuses to take or give a segment of the log until somebody has done what the text says.
    #[error("the object store refuses to {action} {place}: {reason}")]
    StoreRefuses {
        /// `take`, `give`.
        action: &'static str,
        /// Where the object is.
        place: String,
        /// What the store said, and what to do.
        reason: String,
    },
    /// The object store has lost a segment of the log.
    #[error(
        "the segment of the log at {place} {fault}, and a worker cannot go on without it. Check that this machine reaches the same object store as the other workers (storage.archive_url), and that nobody has removed or changed the object. If the store keeps old versions, restore the object. Workers that have read the segment go on. If the object is lost for good, stop all workers, delete the crawl (crawler fleet delete, with --store), and start every worker again with its data folder: together, the folders bring the log back"
    )]
    Segment {
        /// Where its object is to be.
        place: String,
        /// What is wrong with it.
        fault: &'static str,
    },
    /// This worker has another object store than the others.
    #[error(
        "the object store of this worker does not have {place}, although the other workers have written this object: this worker has another store with the same URL, for example a folder of its own machine. Let all workers use one store (storage.archive_url), or keep the segments of the log in Redis (fleet.segments = \"redis\"), for all workers alike"
    )]
    OtherStore {
        /// The mark that is missing.
        place: String,
    },
    /// The settings that the user has changed for all workers cannot hold beside this worker's own.
    #[error(
        "the settings that were changed for the whole fleet cannot be combined with this worker's own settings: {0}. Change the configuration of this worker, or take the change back: crawler fleet config ADDRESS KEY=default"
    )]
    Settings(String),
    /// A server answered with an error that another attempt does not heal.
    #[error("Redis at {address} refused a command: {message}")]
    Refused {
        /// The server.
        address: String,
        /// Its answer, and what to do.
        message: String,
    },
    /// The crawl on the servers has other terms than this worker.
    #[error(
        "the crawl {name:?} on the servers has {what} {theirs}, this worker has {ours}; all workers need the same: change the configuration of this worker, or choose another crawl with ?name=NAME"
    )]
    Terms {
        /// The crawl.
        name: String,
        /// Which of the terms.
        what: &'static str,
        /// That of the crawl.
        theirs: String,
        /// That of this worker.
        ours: String,
    },
    /// The workers that live fetch by other rules than this one.
    #[error(
        "the workers of the crawl {name:?} fetch by other rules than this one: {differences}; start this worker with the same configuration. To change delays and bounds for all workers, use crawler fleet config. To change other settings, stop all workers (crawler fleet drain), take the order back (crawler fleet drain --resume), and start all workers with the new configuration"
    )]
    Rules {
        /// The crawl.
        name: String,
        /// The keys of the configuration, each with both values.
        differences: String,
    },
    /// The data folder has worked for another crawl.
    #[error(
        "the data folder belongs to the crawl {ours:016x}, and the crawl {name:?} on the servers is {theirs:016x}; use a new data folder, or the address of its own crawl"
    )]
    OtherCrawl {
        /// The crawl on the servers, by name.
        name: String,
        /// Its identity.
        theirs: u64,
        /// The crawl of the folder.
        ours: u64,
    },
    /// The servers have lost the crawl.
    #[error(
        "the servers do not know the crawl {name:?} (any more): were they started without their data? Start Redis with its append-only file. If the data is lost, start every worker again with its data folder: together, the folders bring the crawl back"
    )]
    Forgotten {
        /// The crawl.
        name: String,
    },
    /// The user has said that this worker will not come back.
    #[error(
        "worker {worker} was forgotten (crawler fleet forget): the crawl {name:?} goes on without this worker. Start with a new data folder. If you want the pages of this one, merge it with the others at the end"
    )]
    Dismissed {
        /// The crawl.
        name: String,
        /// The number.
        worker: u16,
    },
    /// A worker that is to be forgotten lives.
    #[error(
        "worker {worker} lives, or has lived until now: its lease lasts for {seconds} s more. Only a worker that will not come back can be forgotten: stop it, and ask again when its lease has run out"
    )]
    Alive {
        /// The number.
        worker: u16,
        /// What is left of its lease.
        seconds: u64,
    },
    /// A crawl that is to be deleted has a worker that lives.
    #[error(
        "worker {worker} of the crawl {name:?} lives, or has lived until now: its lease lasts for {seconds} s more. Stop all workers (crawler fleet drain), and run the command again when their leases have run out"
    )]
    Lives {
        /// The crawl.
        name: String,
        /// The number.
        worker: u64,
        /// What is left of its lease.
        seconds: u64,
    },
    /// A worker that is to be forgotten has never joined.
    #[error(
        "the crawl {name:?} has no worker {worker}: its workers have the numbers from 1 to {last}; `crawler fleet status` shows them"
    )]
    NoWorker {
        /// The crawl.
        name: String,
        /// The number.
        worker: u16,
        /// The highest number.
        last: u64,
    },
    /// The servers had lost the crawl, and another data folder got the number of this one.
    #[error(
        "the servers had lost the crawl {name:?}, and another worker has got the number {worker} of this data folder since; start with a new data folder, and merge this one with the others at the end"
    )]
    NumberTaken {
        /// The crawl.
        name: String,
        /// The number.
        worker: u16,
    },
    /// A second process has joined with the same data folder.
    #[error(
        "another process has joined the fleet as worker {worker}: two processes use copies of one data folder; give each its own"
    )]
    Replaced {
        /// The number of both.
        worker: u16,
    },
    /// The crawl has no number left for this worker.
    #[error("the crawl has given all its 65,535 worker numbers; every new data folder takes one")]
    NoNumber,
    /// What the servers hold cannot be read.
    #[error(
        "the data of the fleet on the servers cannot be read: {0}; all workers must run the same version of the crawler"
    )]
    Damaged(String),
}

impl FleetError {
    /// Whether the same call can succeed later. The caller keeps what it wanted to send.
    #[must_use]
    pub fn is_transient(&self) -> bool {
        matches!(self, Self::Unreachable { .. } | Self::Hindered(_) | Self::Store { .. })
    }
}
