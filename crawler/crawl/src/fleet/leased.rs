//! The frontier's side of the leases: which hosts this worker may ask, and what the desk sees of the frontier: that it has nothing left to do,
//! and which addresses it asks.

use std::collections::HashSet;

use fleet::Partition;
use web::politeness::{AddressKey, Now};

use super::asked::Asked;
use super::idle::IdleSign;
use super::ownership::Ownership;
use crate::admission::{Admission, HostGroup, Permit};

/// The group of the hosts of a partition.
pub(super) fn group(partition: Partition) -> HostGroup {
    HostGroup(partition.0)
}

/// The partition of a group.
pub(super) fn partition(group: HostGroup) -> Partition {
    Partition(group.0)
}

/// The hosts of a worker: a group is a partition, and a permit lasts as long as the lease of its partition is certain.
///
/// A lease can run out while its partition stays here, for example if no server of the fleet answers.
#[derive(Debug)]
pub(crate) struct Leased {
    ownership: Ownership,
    sign: IdleSign,
    asked: Asked,
    here: HashSet<HostGroup>,
    /// The number of the last message of the desk.
    seen: u64,
    /// Whether the whole fleet is done.
    is_done: bool,
}

impl Leased {
    /// The hosts of a worker that has none yet. It shows by the `sign` when it has nothing to do, and notes the addresses that it has `asked`.
    #[must_use]
    pub fn new(ownership: Ownership, sign: IdleSign, asked: Asked) -> Self {
        Self {
            ownership,
            sign,
            asked,
            here: HashSet::new(),
            seen: 0,
            is_done: false,
        }
    }
}

impl Admission for Leased {
    fn group_of(&self, host: &str) -> HostGroup {
        group(self.ownership.partition_of(host))
    }

    fn is_here(&self, group: HostGroup) -> bool {
        self.here.contains(&group)
    }

    fn permit(&self, group: HostGroup, now: Now) -> Option<Permit> {
        let may_start = self.is_here(group) && self.ownership.may_ask(partition(group), now);
        may_start.then(|| {
            let ownership = self.ownership.clone();
            Permit::until(move || ownership.certain_end(partition(group)))
        })
    }

    fn comes(&mut self, group: HostGroup) -> bool {
        self.here.insert(group)
    }

    fn goes(&mut self, group: HostGroup) {
        self.here.remove(&group);
    }

    fn asks(&self, address: AddressKey) {
        self.asked.note(address);
    }

    fn hears(&mut self, number: u64) {
        self.seen = self.seen.max(number);
    }

    fn ends(&mut self) {
        self.is_done = true;
    }

    fn is_busy(&self) {
        // What a worker does to leave does not take back that the fleet is done.
        if !self.is_done {
            self.sign.is_busy();
        }
    }

    fn is_idle(&self, is_settled: bool) -> bool {
        if !self.is_done && is_settled {
            self.sign.is_idle_after(self.seen);
        }
        !self.is_done
    }
}

#[cfg(test)]
mod tests {
    use std::time::{Duration, Instant};

    use fleet::Epoch;

    use super::*;

    #[tokio::test]
    async fn a_request_ends_when_its_lease_is_not_certain_any_more() {
        let ownership = Ownership::new(8, Instant::now());
        let mut leased = Leased::new(ownership.clone(), IdleSign::default(), Asked::default());
        let group = leased.group_of("a.example");
        ownership.hold(partition(group), Epoch(1), Duration::from_secs(3_600));
        assert!(leased.permit(group, Now::ZERO).is_none(), "its hosts have not come");
        assert!(leased.comes(group) && !leased.comes(group));
        let permit = leased.permit(group, Now::ZERO).unwrap();
        assert_eq!(permit.guard(async { 1 }).await, Some(1));
        ownership.lose(partition(group));
        assert_eq!(permit.guard(std::future::pending::<()>()).await, None);
        assert!(leased.permit(group, Now::ZERO).is_none());
    }

    #[test]
    fn the_sign_shows_the_last_message_that_was_seen_before_there_was_nothing_to_do() {
        let sign = IdleSign::default();
        let ownership = Ownership::new(8, Instant::now());
        let mut leased = Leased::new(ownership, sign.clone(), Asked::default());
        leased.hears(4);
        leased.hears(3);
        assert!(leased.is_idle(false) && !sign.shows(4), "hosts that go are not settled");
        assert!(leased.is_idle(true) && sign.shows(4));
        leased.is_busy();
        assert!(!sign.shows(4));
        leased.ends();
        assert!(!leased.is_idle(true));
    }
}
