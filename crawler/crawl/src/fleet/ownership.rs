//! The partitions that this worker owns, and until when it may ask their hosts. The desk writes the table, the frontier and the network
//! read it before each request.
//!
//! ```text
//! elsewhere ──hold──▶ held until T ──release──▶ releasing ──lose──▶ elsewhere
//!                       │  ▲ renewed: T moves          ▲
//!                       └──┴── lose: another worker has it
//! ```
//!
//! A request starts before T, and a request that is still open at T is cut off ([`Ownership::certain_end`]). The margin between T and the end
//! of the lease on the server bounds the difference between the two clocks; it does not have room for the longest request. With such room, a
//! lease would have to last for minutes, and so long would nobody ask the hosts of a worker that was killed.
//!
//! Times are of the clock that the run began with. It counts while the process is stopped, so a worker that is woken too late starts
//! nothing. It does not count while the whole machine sleeps.

use std::fmt;
use std::sync::atomic::{AtomicBool, AtomicU8, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use fleet::{Epoch, Partition};
use web::domain_of_host;
use web::politeness::Now;

/// Why a worker makes no requests although it has leases.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[repr(u8)]
pub(crate) enum Pause {
    /// The log is too long.
    Log = 1,
    /// The user wants it.
    Order = 2,
    /// The servers do not take the letters.
    Post = 4,
}

/// The end of a lease comes earlier here than on the server, by one part in this many of the lease. Clocks differ by less.
const MARGIN_SHARE: u32 = 10;

/// The partitions of this worker. Its clones share one table.
#[derive(Clone)]
pub(crate) struct Ownership {
    table: Arc<Mutex<Vec<Holding>>>,
    /// See [`stores_links`](Self::stores_links).
    inherits: Arc<[AtomicBool]>,
    /// See [`pause`](Self::pause).
    pauses: Arc<AtomicU8>,
    /// From when times count.
    start: Instant,
}

/// What this worker has of one partition.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
enum Holding {
    #[default]
    Elsewhere,
    Held {
        epoch: Epoch,
        until: Now,
        /// Whether somebody wanted to ask a host after `until`, and now waits for a longer lease.
        is_awaited: bool,
    },
    /// No request starts. Those that are open end before `until`.
    Releasing { epoch: Epoch, until: Now },
}

impl fmt::Debug for Ownership {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Ownership")
            .field("held", &self.held())
            .finish_non_exhaustive()
    }
}

impl Ownership {
    /// A worker that owns none of the `partitions` of the crawl. Times count from `start`, the beginning of the run.
    #[must_use]
    pub fn new(partitions: u16, start: Instant) -> Self {
        let table = vec![Holding::default(); usize::from(partitions.max(1))];
        let inherits = table.iter().map(|_| AtomicBool::default()).collect();
        Self {
            table: Arc::new(Mutex::new(table)),
            inherits,
            pauses: Arc::default(),
            start,
        }
    }

    /// Says whether this worker waits with new requests although it has leases. Who wanted to make one waits for the next renewal. Returns
    /// whether that is news.
    pub fn pause(&self, why: Pause, is_paused: bool) -> bool {
        let before = if is_paused {
            self.pauses.fetch_or(why as u8, Ordering::AcqRel)
        } else {
            self.pauses.fetch_and(!(why as u8), Ordering::AcqRel)
        };
        is_paused != (before & why as u8 != 0)
    }

    /// Whether this worker waits for this reason: see [`pause`](Self::pause).
    #[must_use]
    pub fn is_paused_for(&self, why: Pause) -> bool {
        self.pauses.load(Ordering::Acquire) & why as u8 != 0
    }

    /// The time that a lease certainly lasts, if it was asked for at `asked` and granted for `lease`.
    #[must_use]
    pub fn certain_until(asked: Now, lease: Duration) -> Now {
        asked + lease - lease / MARGIN_SHARE
    }

    /// The time now.
    #[must_use]
    pub fn now(&self) -> Now {
        self.start.elapsed()
    }

    /// The partition of a host key.
    #[must_use]
    pub fn partition_of(&self, host: &str) -> Partition {
        let partitions = u16::try_from(self.table().len()).unwrap_or(u16::MAX);
        Partition::of_site(domain_of_host(host), partitions)
    }

    /// Whether a request to a host of the partition may start.
    #[must_use]
    pub fn may_ask(&self, partition: Partition, now: Now) -> bool {
        let is_paused = self.pauses.load(Ordering::Acquire) != 0;
        match self.table().get_mut(usize::from(partition.0)) {
            Some(Holding::Held { until, is_awaited, .. }) => {
                let may_ask = !is_paused && now < *until;
                *is_awaited |= !may_ask;
                may_ask
            }
            _ => false,
        }
    }

    /// Whether the URLs of the partition belong into the store of this worker: it has the lease, or had it and nobody else has it as far
    /// as this worker knows.
    #[must_use]
    pub fn is_mine(&self, partition: Partition) -> bool {
        !matches!(self.holding(partition), Holding::Elsewhere)
    }

    /// Notes whether other workers have finished URLs of the partition before this worker got it.
    pub fn inherits(&self, partition: Partition, inherits: bool) {
        if let Some(of) = self.inherits.get(usize::from(partition.0)) {
            of.store(inherits, Ordering::Release);
        }
    }

    /// Whether a link that this worker finds goes straight into its store. In a partition that other workers have had, the store does not
    /// know what they have finished, but the servers do: there, a link goes to the servers first, and comes back from them if it is new.
    #[must_use]
    pub fn stores_links(&self, partition: Partition) -> bool {
        let inherits = self.inherits.get(usize::from(partition.0));
        self.is_mine(partition) && !inherits.is_some_and(|inherits| inherits.load(Ordering::Acquire))
    }

    /// The partitions that this worker holds, without those that it releases.
    #[must_use]
    pub fn held(&self) -> Vec<Partition> {
        let table = self.table();
        let held = (0..)
            .zip(table.iter())
            .filter(|(_, of)| matches!(of, Holding::Held { .. }));
        held.map(|(number, _)| Partition(number)).collect()
    }

    /// The lease under which this worker works on the partition; `None` if it is elsewhere.
    #[must_use]
    pub fn epoch(&self, partition: Partition) -> Option<Epoch> {
        match self.holding(partition) {
            Holding::Held { epoch, .. } | Holding::Releasing { epoch, .. } => Some(epoch),
            Holding::Elsewhere => None,
        }
    }

    /// Notes a lease that was granted or renewed. Returns whether somebody waits for it. A partition that is being released stays so.
    pub fn hold(&self, partition: Partition, epoch: Epoch, until: Now) -> bool {
        match self.table().get_mut(usize::from(partition.0)) {
            Some(Holding::Releasing { until: before, .. }) => {
                *before = until;
                false
            }
            Some(of) => {
                let is_awaited = !matches!(of, Holding::Held { is_awaited: false, .. });
                *of = Holding::Held {
                    epoch,
                    until,
                    is_awaited: false,
                };
                is_awaited
            }
            None => false,
        }
    }

    /// No request to the partition starts from now on.
    pub fn release(&self, partition: Partition) {
        if let Some(of) = self.table().get_mut(usize::from(partition.0))
            && let Holding::Held { epoch, until, .. } = *of
        {
            *of = Holding::Releasing { epoch, until };
        }
    }

    /// The partition is another worker's, or nobody's.
    pub fn lose(&self, partition: Partition) {
        if let Some(of) = self.table().get_mut(usize::from(partition.0)) {
            *of = Holding::Elsewhere;
        }
    }

    /// Until when requests to the partition may go on, as far as this worker knows now; `None` if its lease is lost.
    #[must_use]
    pub fn certain_end(&self, partition: Partition) -> Option<Instant> {
        match self.holding(partition) {
            Holding::Held { until, .. } | Holding::Releasing { until, .. } => Some(self.start + until),
            Holding::Elsewhere => None,
        }
    }

    fn holding(&self, partition: Partition) -> Holding {
        self.table().get(usize::from(partition.0)).copied().unwrap_or_default()
    }

    fn table(&self) -> MutexGuard<'_, Vec<Holding>> {
        // Each change is one assignment, so a panic elsewhere leaves no half of one.
        self.table.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const P: Partition = Partition(3);
    const E: Epoch = Epoch(1);

    fn at(ms: u64) -> Now {
        Duration::from_millis(ms)
    }

    #[test]
    fn a_request_needs_a_lease_that_is_certain() {
        let table = Ownership::new(8, Instant::now());
        assert!(!table.may_ask(P, at(0)));
        assert!(table.hold(P, E, Ownership::certain_until(at(100), at(1_000))));
        assert!(table.may_ask(P, at(999)));
        assert!(!table.may_ask(P, at(1_000)), "a tenth of the lease is the margin");
        assert!(!table.may_ask(Partition(4), at(999)));
        assert!(!table.may_ask(Partition(999), at(0)), "no partition of the crawl");
    }

    #[test]
    fn a_pause_holds_requests_back_until_a_renewal_after_it() {
        let table = Ownership::new(8, Instant::now());
        table.hold(P, E, at(1_000));
        table.pause(Pause::Log, true);
        assert!(!table.may_ask(P, at(0)) && table.is_mine(P));
        assert!(table.certain_end(P).is_some(), "what is open may end");
        table.pause(Pause::Log, false);
        assert!(table.hold(P, E, at(2_000)), "somebody waits");
        assert!(table.may_ask(P, at(0)));
    }

    #[test]
    fn a_renewal_says_whether_somebody_waits_for_it() {
        let table = Ownership::new(8, Instant::now());
        table.hold(P, E, at(1_000));
        assert!(!table.hold(P, E, at(2_000)));
        assert!(!table.may_ask(P, at(2_000)));
        assert!(table.hold(P, E, at(3_000)));
        assert!(!table.hold(P, E, at(4_000)));
    }

    #[test]
    fn a_link_into_a_partition_that_others_have_had_goes_to_the_servers() {
        let table = Ownership::new(8, Instant::now());
        assert!(!table.stores_links(P), "elsewhere");
        table.hold(P, E, at(1_000));
        assert!(table.stores_links(P));
        table.inherits(P, true);
        assert!(!table.stores_links(P) && table.is_mine(P));
        table.inherits(P, false);
        assert!(table.stores_links(P));
    }

    #[test]
    fn a_partition_that_is_released_is_asked_no_more_and_renewed_all_the_same() {
        let table = Ownership::new(8, Instant::now());
        table.hold(P, E, at(60_000));
        table.release(P);
        assert!(!table.may_ask(P, at(0)) && table.is_mine(P) && table.held().is_empty());
        assert!(table.certain_end(P).is_some(), "what is open may end");
        table.hold(P, E, at(90_000));
        assert!(!table.may_ask(P, at(0)));
        table.lose(P);
        assert!(table.certain_end(P).is_none() && !table.is_mine(P));
    }
}
