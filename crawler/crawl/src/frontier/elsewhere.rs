//! The hosts that other workers of a fleet ask: they are not in memory, and no request to them starts here.
//!
//! ```text
//! partition   elsewhere ──came──▶ here ──goes──▶ leaving ──nothing in process──▶ freed, elsewhere
//! host        in the store ──a pass over the hosts──▶ in memory ──goes──▶ in the store, with its treatment
//! ```
//!
//! A lease can run out while the partition stays here, for example if the server of the fleet does not answer. The hosts then wait in
//! memory, each from its next turn on, until the lease is certain again.

use std::collections::{BTreeMap, HashMap, HashSet};

use fleet::partition::Partition;
use url::Url;
use web::host_key::HostKey;
use web::politeness::{Contact, HostSignal, Now};

use super::Frontier;
use super::state::LineEvent;
use super::waiting::WaitingUrl;
use crate::fleet::idle::IdleSign;
use crate::fleet::ownership::Ownership;
use crate::messages::{Errand, FleetEvent, Task};

/// This worker's part of the crawl.
#[derive(Debug)]
pub(super) struct FleetPart {
    ownership: Ownership,
    sign: IdleSign,
    here: HashSet<Partition>,
    /// The partitions that leave, with their hosts that are still in memory because an answer is to come, or because their treatment is
    /// not saved.
    leaving: BTreeMap<Partition, HashSet<String>>,
    /// Hosts whose turn came after their lease had run out.
    without_lease: Vec<String>,
    /// Sitemaps of the seeds file that belong to other workers. They count here if their partitions come.
    sitemaps: HashMap<Partition, Vec<Url>>,
    /// The number of the last message of the desk.
    seen: u64,
    /// Whether the whole fleet is done.
    is_done: bool,
}

impl Frontier {
    /// The frontier of a worker in a fleet. It shows by the `sign` when it has nothing to do. Call this before adding any host.
    #[must_use]
    pub fn of_fleet(mut self, ownership: Ownership, sign: IdleSign) -> Self {
        self.addresses.assume_requests();
        self.intake.is_in_part();
        self.fleet = Some(Box::new(FleetPart {
            ownership,
            sign,
            here: HashSet::new(),
            leaving: BTreeMap::new(),
            without_lease: Vec::new(),
            sitemaps: HashMap::new(),
            seen: 0,
            is_done: false,
        }));
        self
    }

    /// Whether the host belongs to this worker now. Without a fleet every host does.
    pub(super) fn is_here(&self, name: &str) -> bool {
        let Some(fleet) = &self.fleet else {
            return true;
        };
        let partition = self.hosts.get(name).map(|host| host.partition);
        let partition = partition.unwrap_or_else(|| fleet.ownership.partition_of(name));
        fleet.here.contains(&partition)
    }

    /// Whether an answer for the host may be taken in.
    pub(super) fn is_in_memory_or_here(&self, name: &str) -> bool {
        self.hosts.contains_key(name) || self.is_here(name)
    }

    pub(super) fn partition_of(&self, name: &str) -> Partition {
        let fleet = self.fleet.as_ref();
        fleet.map_or(Partition(0), |fleet| fleet.ownership.partition_of(name))
    }

    /// Whether a request to a host of the partition may start now.
    pub(super) fn has_lease(&self, partition: Partition, now: Now) -> bool {
        let may_ask = |fleet: &FleetPart| fleet.here.contains(&partition) && fleet.ownership.may_ask(partition, now);
        self.fleet.as_deref().is_none_or(may_ask)
    }

    /// Puts a host into the line of those that wait for a lease.
    pub(super) fn await_lease(&mut self, name: &str) {
        let host = self.host(name);
        host.line = host.line.on(LineEvent::LeaseHasRunOut);
        if let Some(fleet) = &mut self.fleet {
            fleet.without_lease.push(name.to_owned());
        }
    }

    /// The host whose name is to be looked up next.
    pub(super) fn begin_look_up(&mut self, now: Now) -> Option<String> {
        loop {
            let name = self.lookups.begin()?;
            let partition = self.host(&name).partition;
            if self.has_lease(partition, now) {
                return Some(name);
            }
            self.lookups.end(&name);
            self.await_lease(&name);
        }
    }

    /// Takes in news from the fleet.
    pub(super) fn fleet_event(&mut self, event: FleetEvent, now: Now) {
        match event {
            FleetEvent::Came { partitions, number } => {
                self.note_message(number);
                for partition in partitions {
                    self.partition_came(partition, now);
                }
                // A partition that a lease brings back may have been here all the time.
                self.end_wait_for_leases(now);
            }
            FleetEvent::Go(partitions) => self.partitions_go(&partitions, now),
            FleetEvent::Renewed => self.end_wait_for_leases(now),
            FleetEvent::Arrived { queued, number } => {
                self.note_message(number);
                self.add(queued, now);
            }
            FleetEvent::Lapsed(task) => self.lapsed(*task, now),
            FleetEvent::Done => {
                if let Some(fleet) = &mut self.fleet {
                    fleet.is_done = true;
                }
            }
        }
    }

    fn note_message(&mut self, number: u64) {
        if let Some(fleet) = &mut self.fleet {
            fleet.seen = fleet.seen.max(number);
        }
    }

    fn partition_came(&mut self, partition: Partition, now: Now) {
        let Some(fleet) = &mut self.fleet else { return };
        if !fleet.here.insert(partition) {
            return;
        }
        let sitemaps = fleet.sitemaps.remove(&partition).unwrap_or_default();
        self.intake.load_again();
        self.add_sitemaps(sitemaps, now);
    }

    fn partitions_go(&mut self, partitions: &[Partition], now: Now) {
        let Some(fleet) = &mut self.fleet else { return };
        let mut going = HashSet::new();
        for &partition in partitions {
            fleet.here.remove(&partition);
            fleet.leaving.entry(partition).or_default();
            going.insert(partition);
        }
        let names = self.hosts.iter().filter(|(_, host)| going.contains(&host.partition));
        let names: HashSet<String> = names.map(|(name, _)| name.clone()).collect();
        self.schedule.forget(&names);
        self.lookups.forget(&names);
        self.addresses.forget(&names);
        fleet.without_lease.retain(|name| !names.contains(name));
        let ownership = fleet.ownership.clone();
        self.intake.forget(|name| going.contains(&ownership.partition_of(name)));
        self.leave_named_sitemaps();
        for name in names {
            self.host_leaves(name, now);
        }
    }

    fn host_leaves(&mut self, name: String, now: Now) {
        self.trials.release(&name);
        let host = self.host(&name);
        let partition = host.partition;
        for errand in host.leave_worker() {
            self.errand_leaves(errand, &name, now);
        }
        if let Some(fleet) = &mut self.fleet {
            fleet.leaving.entry(partition).or_default().insert(name);
        }
    }

    /// Removes the hosts that have left from memory. Returns a partition with none left.
    pub(super) fn next_freed(&mut self) -> Option<Partition> {
        let fleet = self.fleet.as_deref_mut()?;
        let hosts = &mut self.hosts;
        for names in fleet.leaving.values_mut() {
            names.retain(|name| {
                let is_needed = hosts.get(name).is_some_and(|host| host.is_needed());
                if !is_needed {
                    hosts.remove(name);
                }
                is_needed
            });
        }
        let freed = fleet.leaving.iter().find(|(_, names)| names.is_empty());
        let freed = freed.map(|(partition, _)| *partition)?;
        fleet.leaving.remove(&freed);
        Some(freed)
    }

    /// Gives a turn to every host whose lease had run out.
    fn end_wait_for_leases(&mut self, now: Now) {
        let Some(fleet) = &mut self.fleet else { return };
        for name in std::mem::take(&mut fleet.without_lease) {
            let host = self.host(&name);
            host.line = host.line.on(LineEvent::LeaseIsCertain);
            self.schedule(&name, now);
        }
    }

    /// A request was cut off at the end of its lease. What it was for waits again.
    fn lapsed(&mut self, task: Task, now: Now) {
        let name = match &task {
            Task::Page { queued, .. } => queued.host.clone(),
            Task::Errand { host, .. } => host.clone(),
        };
        self.requests_open -= 1;
        self.end_ticket();
        self.pass_gates(&name, HostSignal::Answered, Contact::default(), now);
        let is_here = self.is_here(&name);
        match task {
            Task::Page { queued, .. } => {
                self.pages_in_process -= super::is_new(&queued);
                self.steering.end_test(&name, queued.seq);
                let host = self.host(&name);
                host.awaits_verdict = false;
                host.queue.end(queued.seq);
                host.logins.as_mut().and_then(|logins| logins.end(queued.seq));
                if is_here {
                    host.queue.put_back(WaitingUrl::new(queued));
                }
            }
            Task::Errand { errand, .. } if is_here => match errand {
                Errand::Robots { .. } | Errand::Login(_) => self.host(&name).first_errands.push_front(errand),
                Errand::Sitemap { .. } => self.host(&name).sitemaps.push_front(errand),
                Errand::Subrequest(subrequest) => self.browser_part(&name).subrequests.push_front(subrequest),
            },
            Task::Errand { errand, .. } => self.errand_leaves(errand, &name, now),
        }
        self.schedule(&name, now);
    }

    /// Ends an errand to a host that leaves.
    fn errand_leaves(&mut self, errand: Errand, name: &str, now: Now) {
        match &errand {
            // A host that stays may wait for this robots.txt.
            Errand::Robots { for_host, .. } if for_host != name => {
                self.give_up_errand(
                    errand,
                    &format!("{name}, which goes to another worker of the fleet"),
                    now,
                );
            }
            Errand::Robots { .. } => {}
            // The host may come back without its sitemap having been read.
            Errand::Sitemap { url, .. } => self.forget_sitemap(url),
            // The page learns it when the errand is dropped.
            Errand::Subrequest(_) => {}
            Errand::Login(errand) => self.login_leaves(errand.login, now),
        }
    }

    /// Keeps a sitemap that another origin names for the time when its partition comes.
    pub(super) fn leave_sitemap(&mut self, url: Url) {
        let Some(host) = HostKey::from_url(&url) else { return };
        let partition = self.partition_of(host.as_str());
        if let Some(fleet) = &mut self.fleet {
            fleet.sitemaps.entry(partition).or_default().push(url);
        }
    }

    /// The sitemaps that wait for the robots.txt of a host that is not here any more.
    fn leave_named_sitemaps(&mut self) {
        let origins = self.named_sitemaps.iter();
        let leaves = |waiting: &Vec<Errand>| {
            let host = waiting.first().and_then(|errand| HostKey::from_url(errand.url()));
            host.is_some_and(|host| !self.is_here(host.as_str()))
        };
        let origins: Vec<String> = origins
            .filter(|(_, waiting)| leaves(waiting))
            .map(|(origin, _)| origin.clone())
            .collect();
        for origin in origins {
            for errand in self.named_sitemaps.remove(&origin).unwrap_or_default() {
                self.leave_sitemap(errand.url().clone());
            }
        }
    }

    /// Whether this worker has nothing to do but is not at the end, because the fleet is not. Shows that it has nothing to do.
    pub(super) fn waits_for_fleet(&mut self) -> bool {
        let Some(fleet) = self.fleet.as_deref() else {
            return false;
        };
        if fleet.is_done {
            return false;
        }
        if fleet.leaving.is_empty() && fleet.without_lease.is_empty() {
            fleet.sign.is_idle_after(fleet.seen);
        }
        true
    }

    /// Shows that there may be something to do.
    pub(super) fn note_busy(&self) {
        if let Some(fleet) = &self.fleet {
            fleet.sign.is_busy();
        }
    }
}
