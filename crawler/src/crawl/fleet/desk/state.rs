//! What the parts of the desk know of the partitions.

use std::collections::{HashMap, HashSet, VecDeque};

use fleet::{Epoch, Grant, Partition, Position};

/// A lease.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Lease {
    pub epoch: Epoch,
    /// What was done under an earlier lease than this one counts no more, because another worker has owned the partition since; `None` if
    /// no other has.
    pub since: Option<Epoch>,
}

/// The knowledge of the desk.
#[derive(Debug, Default)]
pub(super) struct State {
    /// The leases, those of partitions that are being released included.
    pub leases: HashMap<Partition, Lease>,
    /// As in [`Lease`], of every partition that this process has had.
    since: HashMap<Partition, Option<Epoch>>,
    /// The partitions that the frontier was told to leave, and has not left.
    pub leaving: HashSet<Partition>,
    /// Leases of such partitions that came again.
    pub pending: HashMap<Partition, Grant>,
    /// The partitions that the frontier has left, and the number of the last row of the outbox that may be about them.
    pub left: VecDeque<(Partition, u64)>,
    /// New leases that the opening has not begun with.
    pub to_open: Vec<Grant>,
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
    /// Whether the worker has asked for the partitions that it had in its last run.
    pub has_asked: bool,
    /// Whether the run takes no more partitions.
    pub is_ending: bool,
}

impl State {
    /// Notes a lease.
    pub fn grant(&mut self, grant: &Grant) {
        let since = self.since.entry(grant.partition).or_default();
        if !grant.was_mine {
            *since = Some(grant.epoch);
        }
        let lease = Lease {
            epoch: grant.epoch,
            since: *since,
        };
        self.leases.insert(grant.partition, lease);
        // The servers count how far the owner of this grant has read.
        self.positions.remove(&grant.partition);
        self.ends.remove(&grant.partition);
    }

    /// The lease under which something may be written that was done under the lease `of`; `None` if another worker has had the partition
    /// since, or has it.
    pub fn valid(&self, partition: Partition, of: Option<Epoch>) -> Option<Epoch> {
        let lease = self.leases.get(&partition)?;
        let of = of?;
        lease.since.is_none_or(|since| since <= of).then_some(lease.epoch)
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

    fn grant(epoch: u64, was_mine: bool) -> Grant {
        Grant {
            partition: P,
            epoch: Epoch(epoch),
            was_mine,
        }
    }

    #[test]
    fn what_was_done_counts_while_nobody_else_has_had_the_partition() {
        let mut state = State::default();
        assert_eq!(state.valid(P, Some(Epoch(1))), None, "not this worker's");
        state.grant(&grant(3, true));
        assert_eq!(state.valid(P, Some(Epoch(1))), Some(Epoch(3)), "of an earlier run");
        assert_eq!(state.valid(P, None), None, "done after the loss");
        state.grant(&grant(5, false));
        assert_eq!(state.valid(P, Some(Epoch(3))), None);
        state.grant(&grant(6, true));
        assert_eq!(state.valid(P, Some(Epoch(5))), Some(Epoch(6)));
        assert_eq!(state.valid(P, Some(Epoch(3))), None);
    }
}
