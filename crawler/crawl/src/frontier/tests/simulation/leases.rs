//! The leases of a simulated fleet. Other workers take partitions, ask their hosts, and give them back.

use std::collections::{BTreeMap, BTreeSet};
use std::time::{Duration, Instant};

use fleet::{Epoch, Partition};
use storage::HostRecord;

use super::world::World;
use crate::admission::HostGroup;
use crate::fleet::asked::Asked;
use crate::fleet::idle::IdleSign;
use crate::fleet::leased::Leased;
use crate::fleet::ownership::Ownership;
use crate::frontier::Frontier;
use crate::messages::{Event, GroupEvent};

/// Length of a lease, in milliseconds.
const LEASE: u64 = 4_000;

/// Time of the world after which this worker gets all partitions and keeps them, so that the crawl comes to its end.
const UNREST: u64 = 60_000;

pub(super) struct Leases {
    ownership: Ownership,
    sign: IdleSign,
    started_at: u64,
    /// When the leases of this worker end on the server.
    ends: BTreeMap<Partition, u64>,
    /// The partitions that the frontier was told to leave, because they are released or were lost.
    releasing: BTreeSet<Partition>,
    lost: BTreeSet<Partition>,
    /// Number of the last message to the frontier.
    number: u64,
    next_at: u64,
    is_over: bool,
}

impl Leases {
    pub(super) fn begin(started_at: u64, frontier: Frontier) -> (Self, Frontier) {
        let (ownership, sign) = (Ownership::new(64, Instant::now()), IdleSign::default());
        let leases = Self {
            ownership: ownership.clone(),
            sign: sign.clone(),
            started_at,
            ends: BTreeMap::new(),
            releasing: BTreeSet::new(),
            lost: BTreeSet::new(),
            number: 0,
            next_at: started_at + 10,
            is_over: false,
        };
        (
            leases,
            frontier.admitted_by(Box::new(Leased::new(ownership, sign, Asked::default()))),
        )
    }

    pub(super) fn next_at(&self) -> u64 {
        if self.is_over { u64::MAX } else { self.next_at }
    }

    /// The time of the world at which a lease is not certain any more for the frontier.
    fn certain_until(end: u64) -> u64 {
        let asked = Duration::from_millis(end - LEASE);
        let until = Ownership::certain_until(asked, Duration::from_millis(LEASE));
        u64::try_from(until.as_millis()).unwrap()
    }
}

impl World {
    /// Fails if this worker has no lease of the host.
    pub(super) fn assert_lease(&self, host: &str, wall: u64) {
        let Some(leases) = &self.leases else { return };
        let partition = leases.ownership.partition_of(host);
        let end = leases.ends.get(&partition);
        assert!(
            end.is_some_and(|end| wall < *end),
            "{host} is asked at {wall}, lease {end:?}"
        );
        assert!(!leases.releasing.contains(&partition), "{host} is being released");
    }

    /// The frontier has left a partition.
    pub(super) fn freed(&mut self, group: HostGroup) {
        let partition = Partition(group.0);
        let open = self.open.iter().map(|open| self.servers[open.host].name.clone());
        let leases = self.leases.as_mut().unwrap();
        let mut open = open.filter(|name| leases.ownership.partition_of(name) == partition);
        assert_eq!(open.next(), None, "a request is open");
        if !leases.lost.remove(&partition) && leases.releasing.remove(&partition) {
            leases.ends.remove(&partition);
            leases.ownership.lose(partition);
        }
    }

    /// Renews, loses, releases and grants leases, and lets other workers ask hosts.
    pub(super) fn move_leases(&mut self, frontier: &mut Frontier, wall: u64) {
        let mut leases = self.leases.take().unwrap();
        self.cut_off(&leases, frontier, wall);
        let is_unrest = wall < leases.started_at + UNREST;
        let partitions: BTreeSet<Partition> = self
            .servers
            .iter()
            .map(|server| leases.ownership.partition_of(&server.name))
            .collect();
        for partition in partitions {
            let chance = if is_unrest { self.random.u32(0..10) } else { 9 };
            let end = leases.ends.get(&partition).copied();
            match (end, chance) {
                (Some(end), 0) if end <= wall => {
                    leases.ends.remove(&partition);
                    leases.ownership.lose(partition);
                    if !leases.releasing.remove(&partition) {
                        frontier.on(
                            Event::Groups(GroupEvent::Go(vec![HostGroup(partition.0)])),
                            self.now(wall),
                        );
                    }
                    leases.lost.insert(partition);
                    self.asked_by_another(&leases, partition, wall);
                }
                (Some(end), 1) if wall < end && !leases.releasing.contains(&partition) => {
                    leases.ownership.release(partition);
                    leases.releasing.insert(partition);
                    frontier.on(
                        Event::Groups(GroupEvent::Go(vec![HostGroup(partition.0)])),
                        self.now(wall),
                    );
                }
                // While the server is away, nothing is renewed.
                (Some(_), 2..7) => {}
                (Some(_), _) => {
                    leases.ends.insert(partition, wall + LEASE);
                    let until = Ownership::certain_until(self.now(wall), Duration::from_millis(LEASE));
                    if leases.ownership.hold(partition, Epoch(1), until) {
                        frontier.on(Event::Groups(GroupEvent::Renewed), self.now(wall));
                    }
                }
                (None, 0..5) => self.asked_by_another(&leases, partition, wall),
                (None, _) if leases.lost.contains(&partition) => {}
                (None, _) => self.granted(&mut leases, partition, frontier, wall),
            }
        }
        leases.next_at = wall + self.random.u64(50..1_500);
        let is_all_held = leases.releasing.is_empty() && leases.lost.is_empty();
        if !is_unrest && is_all_held && leases.sign.shows(leases.number) {
            frontier.on(Event::Groups(GroupEvent::Done), self.now(wall));
            leases.is_over = true;
        }
        // An open request ends with its lease.
        let lapses = leases.ends.values().map(|end| Leases::certain_until(*end));
        let lapse = lapses.filter(|at| *at > wall).min().unwrap_or(u64::MAX);
        leases.next_at = leases.next_at.min(lapse);
        self.leases = Some(leases);
    }

    fn granted(&mut self, leases: &mut Leases, partition: Partition, frontier: &mut Frontier, wall: u64) {
        leases.ends.insert(partition, wall + LEASE);
        let until = Ownership::certain_until(self.now(wall), Duration::from_millis(LEASE));
        leases.ownership.hold(partition, Epoch(1), until);
        // The store learns how others treated the hosts. The last owner may have asked them until now.
        for server in &self.servers {
            if leases.ownership.partition_of(&server.name) == partition
                && let Some(record) = self.saved.get_mut(&server.name)
            {
                record.asked_at = wall;
            }
        }
        leases.number += 1;
        let came = GroupEvent::Came {
            groups: vec![HostGroup(partition.0)],
            number: leases.number,
        };
        frontier.on(Event::Groups(came), self.now(wall));
    }

    /// Requests without a certain lease are cut off.
    fn cut_off(&mut self, leases: &Leases, frontier: &mut Frontier, wall: u64) {
        let mut index = 0;
        while index < self.open.len() {
            let partition = leases.ownership.partition_of(&self.servers[self.open[index].host].name);
            let end = leases.ends.get(&partition);
            if end.is_some_and(|end| wall < Leases::certain_until(*end)) {
                index += 1;
                continue;
            }
            let open = self.open.swap_remove(index);
            let rules = self.settings.politeness;
            let server = &mut self.servers[open.host];
            server.seen.end(wall, rules.parallel_per_host);
            if open.is_at_address {
                let seen = self.by_address.entry(server.address).or_default();
                seen.end(wall, rules.parallel_per_address);
            }
            let lapsed = GroupEvent::CutOff(Box::new(open.task));
            frontier.on(Event::Groups(lapsed), self.now(wall));
        }
    }

    /// Another worker asks the hosts of the partition that may be asked now. It may fetch one of their URLs.
    fn asked_by_another(&mut self, leases: &Leases, partition: Partition, wall: u64) {
        let base = self.settings.politeness.delay.as_millis() as u64;
        for server in &mut self.servers {
            let seen = &mut server.seen;
            let is_ready = seen.asked_at.is_none_or(|at| at + seen.delay <= wall) && seen.rests_until <= wall;
            if leases.ownership.partition_of(&server.name) != partition || !is_ready || server.left.len() < 2 {
                continue;
            }
            assert_eq!(seen.open, 0, "two workers ask {} at once", server.name);
            seen.asked_at = Some(wall);
            seen.delay = base.max(server.crawl_delay);
            let record: &mut HostRecord = self.saved.entry(server.name.clone()).or_default();
            record.crawl_delay_ms = server.crawl_delay;
            if let Some(seq) = server.left.keys().min().copied().filter(|_| self.random.bool()) {
                server.left.remove(&seq);
            }
        }
    }
}
