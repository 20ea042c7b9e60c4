//! What the parts of the desk know of the partitions.

use std::collections::{HashMap, HashSet, VecDeque};
use std::time::Duration;

use fleet::{Epoch, Grant, Partition, Position};
use web::politeness::Now;

/// A lease.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Lease {
    pub epoch: Epoch,
    /// What was done under an earlier lease than this one counts no more, because another worker has owned the partition since.
    pub since: Epoch,
}

/// A partition that is to be prepared for the frontier.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct ToOpen {
    pub partition: Partition,
    /// Whether nobody else has had it since it was opened last.
    pub is_known: bool,
    /// Whether its owners have left states of hosts.
    pub has_hosts: bool,
}

/// In a busy fleet, a worker is always a little behind the end of the log. So much counts as being there.
const SHORT_LAG_MS: u64 = 2_000;

/// An entry that forgets a worker comes back from the log sooner than this.
const TELL_LOG_AGAIN: Duration = Duration::from_secs(5);

/// The knowledge of the desk.
#[derive(Debug, Default)]
pub(super) struct State {
    /// The leases, those of partitions that are being released included.
    pub leases: HashMap<Partition, Lease>,
    /// The partitions that were prepared for the frontier, with `since` of their leases then. While that is the same, nobody else has had
    /// the partition, and there is nothing to prepare.
    pub opened: HashMap<Partition, Epoch>,
    /// The partitions that the frontier was told to leave, and has not left.
    pub leaving: HashSet<Partition>,
    /// Leases of such partitions that came again.
    pub pending: HashMap<Partition, Grant>,
    /// The partitions that the frontier has left, and the number of the last row of the outbox that may be about them.
    pub left: VecDeque<(Partition, u64)>,
    /// New leases that the opening has not begun with.
    pub to_open: Vec<ToOpen>,
    /// The partitions whose URLs are being compared with the fleet, before the frontier gets them.
    pub opening: HashSet<Partition>,
    /// Where the queue of each partition ends, and up to where it was read.
    pub ends: HashMap<Partition, u64>,
    pub positions: HashMap<Partition, u64>,
    /// Number of the last message that brought work.
    pub number: u64,
    /// The last row of the outbox that has arrived.
    pub sent: u64,
    /// Where the log was read and applied up to, and whether the last reading found its end.
    pub read: Position,
    pub applied: Option<Position>,
    pub is_log_read: bool,
    /// The end of the log when it was looked at last.
    pub log_end: Position,
    /// Whether the table of digests was seen to have one.
    pub has_digests: bool,
    /// Whether the log was read to its end and applied once.
    pub has_caught_up: bool,
    /// Whether the recorder was told that the log has lost entries, and has not begun anew.
    pub is_log_lost: bool,
    /// Whether the worker has asked for the partitions that it had in its last run.
    pub has_asked: bool,
    /// Whether this worker still brings back what its folder knows: the servers had lost the crawl.
    pub brings_back: bool,
    /// Whether the folder is not restored yet: when all are back, its verdicts are compared with those of the others.
    pub is_restoring: bool,
    /// Whether the workers decide without a log, so that none forgets another one.
    pub without_log: bool,
    /// The workers that still do, by the last beat, and whether this worker's recorder is to hear of their end.
    pub awaited: Vec<u16>,
    pub awaits_all: bool,
    /// Those that the last warning named.
    pub told_of: Vec<u16>,
    /// The workers that were forgotten, those that the index has forgotten, and the last place of the log that says so.
    pub forgotten: Vec<u16>,
    pub forgot: HashSet<u16>,
    pub forgot_at: Position,
    /// When entries that forget these workers were added to the log.
    pub told_log: HashMap<u16, Now>,
    /// The settings that the user has changed for all workers, as the last heartbeat had them; `None` before the first one.
    pub changed: Option<Vec<(String, String)>>,
    /// Whether this worker has taken these over, and the number of the last changes that it has.
    pub holds_changes: bool,
    pub changes: u64,
    /// Whether the run takes no more partitions.
    pub is_ending: bool,
    /// When the last renewal of this worker's lease was asked for, and when the partitions were checked last.
    pub renewed_at: Now,
    pub checked_at: Now,
}

impl State {
    /// The knowledge at the start. A worker without a log has read it.
    pub fn new(has_log: bool) -> Self {
        Self {
            applied: (!has_log).then(Position::default),
            is_log_read: !has_log,
            without_log: !has_log,
            ..Self::default()
        }
    }

    /// Whether no worker may take partitions, because not all folders are brought back.
    pub fn waits_for_folders(&self) -> bool {
        self.brings_back || !self.awaited.is_empty()
    }

    /// Whether letters can be sent: those of an earlier run wait until it is known which partitions are still this worker's. After the servers
    /// have lost the crawl, none is.
    pub fn may_send(&self) -> bool {
        self.has_asked || self.waits_for_folders()
    }

    /// The workers that the log is to forget, and about which nobody has added an entry a moment ago.
    pub fn to_forget(&self, now: Now) -> Vec<u16> {
        let is_applied = self.applied.is_some_and(|applied| applied >= self.read);
        let is_due = |worker: &u16| self.told_log.get(worker).is_none_or(|at| now > *at + TELL_LOG_AGAIN);
        let wanted = self.forgotten.iter().filter(|worker| !self.forgot.contains(worker));
        wanted.filter(|worker| is_applied && is_due(worker)).copied().collect()
    }

    /// Notes a lease.
    pub fn grant(&mut self, grant: &Grant) {
        let lease = Lease {
            epoch: grant.epoch,
            since: grant.since,
        };
        self.leases.insert(grant.partition, lease);
        // The servers count how far the owner of this grant has read.
        self.positions.insert(grant.partition, 0);
        self.ends.insert(grant.partition, grant.queue_end);
    }

    /// The lease under which something may be written that was done under the lease `of`; `None` if another worker has had the partition
    /// since, or has it.
    pub fn valid(&self, partition: Partition, of: Option<Epoch>) -> Option<Epoch> {
        let lease = self.leases.get(&partition)?;
        let of = of?;
        (lease.since <= of).then_some(lease.epoch)
    }

    /// Notes where a queue ends after a commit. Returns whether there is something to read.
    pub fn committed(&mut self, partition: Partition, epoch: Epoch, queue_end: u64, is_read: bool) -> bool {
        if self.leases.get(&partition).is_none_or(|lease| lease.epoch != epoch) {
            return false;
        }
        self.ends.insert(partition, queue_end);
        if is_read {
            self.positions.insert(partition, queue_end);
        }
        !is_read
    }

    /// Begins to open a partition.
    pub fn open(&mut self, grant: &Grant) {
        let is_known = self.opened.get(&grant.partition) == Some(&grant.since);
        self.opening.insert(grant.partition);
        self.to_open.push(ToOpen {
            partition: grant.partition,
            is_known,
            has_hosts: grant.has_hosts,
        });
    }

    /// Notes that the recorder has applied the log up to here.
    pub fn log_is_applied(&mut self, position: Position) {
        if !self.is_log_lost {
            self.applied = Some(position);
        }
    }

    /// Notes that the log has lost entries. What the recorder has applied counts no more.
    pub fn log_is_lost(&mut self) {
        self.is_log_lost = true;
        self.is_log_read = false;
        self.applied = None;
        self.read = Position::default();
    }

    /// Notes that the recorder has begun the log anew.
    pub fn log_begins_anew(&mut self) {
        self.is_log_lost = false;
        self.has_caught_up = false;
        self.forgot.clear();
        self.told_log.clear();
        self.forgot_at = Position::default();
        self.applied = Some(Position::default());
    }

    /// Notes that a partition is open.
    pub fn is_open(&mut self, partition: Partition) {
        self.opening.remove(&partition);
        if let Some(lease) = self.leases.get(&partition) {
            self.opened.insert(partition, lease.since);
        }
    }

    /// Whether this worker has not yet been at the end of the log. Until then it takes no new partitions: it could not decide on their pages for
    /// minutes, and the log would grow meanwhile.
    pub fn catches_up(&mut self) -> bool {
        let is_at_end = self.applied.is_some_and(|applied| applied >= self.read)
            || self.log_lag_ms().is_some_and(|lag| lag < SHORT_LAG_MS);
        self.has_caught_up |= self.is_log_read && self.applied.is_some() && is_at_end;
        !self.has_caught_up
    }

    /// How far the end of the log is ahead of what is applied, in milliseconds between the two entries; `None` while no entry is applied and the
    /// log has some.
    pub fn log_lag_ms(&self) -> Option<u64> {
        let (applied, end) = (self.applied.unwrap_or_default(), self.log_end.max(self.read));
        let is_known = applied > Position::default() || end == Position::default();
        is_known.then(|| end.0.saturating_sub(applied.0))
    }

    /// Whether the log has had an entry.
    pub fn has_log(&self) -> bool {
        self.log_end.max(self.read).max(self.applied.unwrap_or_default()) > Position::default()
    }

    /// The number of partitions whose queues are not read to the end.
    pub fn unread(&self) -> usize {
        let is_read = |partition| match (self.positions.get(partition), self.ends.get(partition)) {
            (Some(at), Some(end)) => at >= end,
            _ => false,
        };
        self.leases.keys().filter(|partition| !is_read(*partition)).count()
    }

    /// Whether everything was read from the servers, and nothing is on its way to the frontier.
    pub fn is_quiet(&self) -> bool {
        self.has_asked
            && !self.waits_for_folders()
            && !self.is_restoring
            && (self.without_log || self.forgotten.iter().all(|worker| self.forgot.contains(worker)))
            && self.leaving.is_empty()
            && self.pending.is_empty()
            && self.opening.is_empty()
            && self.unread() == 0
            && self.is_log_read
            && self.applied.is_none_or(|applied| applied >= self.read)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const P: Partition = Partition(1);

    fn grant(epoch: u64, since: u64) -> Grant {
        Grant {
            partition: P,
            epoch: Epoch(epoch),
            since: Epoch(since),
            inherits: false,
            queue_end: 0,
            has_hosts: false,
        }
    }

    #[test]
    fn what_was_done_counts_while_nobody_else_has_had_the_partition() {
        let mut state = State::default();
        assert_eq!(state.valid(P, Some(Epoch(1))), None, "not this worker's");
        state.grant(&grant(3, 1));
        assert_eq!(state.valid(P, Some(Epoch(1))), Some(Epoch(3)), "of an earlier run");
        assert_eq!(state.valid(P, None), None, "done after the loss");
        state.grant(&grant(5, 5));
        assert_eq!(state.valid(P, Some(Epoch(3))), None);
        state.grant(&grant(6, 5));
        assert_eq!(state.valid(P, Some(Epoch(5))), Some(Epoch(6)));
        assert_eq!(state.valid(P, Some(Epoch(3))), None);
    }

    #[test]
    fn a_partition_is_prepared_again_if_another_worker_has_had_it() {
        let mut state = State::default();
        for (epoch, since, is_known) in [(1, 1, false), (2, 1, true), (6, 5, false), (7, 5, true)] {
            state.grant(&grant(epoch, since));
            state.open(&grant(epoch, since));
            let opened = state.to_open.pop().map(|open| open.is_known);
            assert_eq!(opened, Some(is_known), "epoch {epoch} since {since}");
            state.is_open(P);
        }
    }

    #[test]
    fn a_worker_catches_up_once_and_its_lag_is_that_to_the_end_of_the_log() {
        let at = |ms: u64| Position(ms, 0);
        let mut state = State::default();
        assert!(state.catches_up(), "the recorder has not said how far it is");
        assert_eq!(state.log_lag_ms(), Some(0), "the log is empty");
        state.log_end = at(90_000);
        assert_eq!(state.log_lag_ms(), None);
        state.log_is_applied(at(1_000));
        (state.read, state.log_end) = (at(5_000), at(90_000));
        assert!(state.catches_up());
        assert_eq!(state.log_lag_ms(), Some(89_000), "not only what was read counts");
        state.is_log_read = true;
        assert!(state.catches_up(), "it is far behind");
        state.log_is_applied(at(89_000));
        assert!(!state.catches_up());
        state.is_log_read = false;
        state.log_end = at(900_000);
        assert!(!state.catches_up(), "later it is merely late");
    }

    #[test]
    fn a_worker_without_a_log_is_never_behind_it() {
        let mut state = State::new(false);
        assert!(!state.catches_up() && !state.has_log());
        assert_eq!(state.log_lag_ms(), Some(0));
        state.has_asked = true;
        assert!(state.is_quiet());
        // It may have slept for a day.
        state.has_caught_up = false;
        assert!(!state.catches_up());
    }

    #[test]
    fn a_partition_that_was_not_prepared_to_the_end_is_prepared_again() {
        let mut state = State::default();
        state.grant(&grant(1, 1));
        state.open(&grant(1, 1));
        state.grant(&grant(2, 1));
        state.open(&grant(2, 1));
        assert!(state.to_open.iter().all(|open| !open.is_known) && state.to_open.len() == 2);
    }
}
