//! The hosts that others ask: they are not in memory, and no request to them starts here.
//!
//! ```text
//! group   elsewhere ──came──▶ here ──goes──▶ leaving ──nothing in process──▶ freed, elsewhere
//! host    in the store ──a pass over the hosts──▶ in memory ──goes──▶ in the store, with its treatment
//! ```
//!
//! The permits of a group can run out while it stays here. The hosts then wait in memory, each from its next turn on, until its permits are
//! certain again.

use std::collections::{BTreeMap, HashMap, HashSet};

use url::Url;
use web::host_key::HostKey;
use web::politeness::{AddressKey, Contact, HostSignal, Now};

use super::Frontier;
use super::host::Host;
use super::host_logins::LoginState;
use super::state::LineEvent;
use super::waiting::WaitingUrl;
use crate::admission::{Admission, Alone, HostGroup, Permit};
use crate::messages::{Errand, GroupEvent, Task};

/// The groups of hosts, as the frontier sees them.
#[derive(Debug)]
pub(super) struct Groups {
    admission: Box<dyn Admission>,
    /// Whether groups come and go.
    are_in_motion: bool,
    /// The groups that leave, with their hosts that are still in memory because an answer is to come, or because their treatment is not
    /// saved.
    leaving: BTreeMap<HostGroup, HashSet<String>>,
    /// Hosts whose turn came when they had no permit.
    without_permit: Vec<String>,
    /// Sitemaps of the seeds file whose hosts are elsewhere. They count here if their groups come.
    sitemaps: HashMap<HostGroup, Vec<Url>>,
}

impl Groups {
    /// The one group of a process that crawls alone.
    pub fn alone() -> Self {
        Self {
            are_in_motion: false,
            ..Self::new(Box::new(Alone))
        }
    }

    /// The groups, of which none has come yet.
    pub fn new(admission: Box<dyn Admission>) -> Self {
        Self {
            admission,
            are_in_motion: true,
            leaving: BTreeMap::new(),
            without_permit: Vec::new(),
            sitemaps: HashMap::new(),
        }
    }

    /// The group of a host that is not in memory.
    pub fn of(&self, host: &str) -> HostGroup {
        self.admission.group_of(host)
    }

    /// Whether the hosts of the group are this process's.
    pub fn is_here(&self, group: HostGroup) -> bool {
        self.admission.is_here(group)
    }

    /// The permit for a request that starts now.
    pub fn permit(&self, group: HostGroup, now: Now) -> Option<Permit> {
        self.admission.permit(group, now)
    }

    /// A request to an address starts.
    pub fn ask(&self, address: AddressKey) {
        self.admission.asks(address);
    }

    /// Puts a host into the line of those that wait for a permit.
    pub fn await_permit(&mut self, host: &str) {
        self.without_permit.push(host.to_owned());
    }

    /// Takes out the hosts that wait for a permit.
    fn take_without_permit(&mut self) -> Vec<String> {
        std::mem::take(&mut self.without_permit)
    }

    /// A group comes. Returns the sitemaps that waited for it; `None` if it was here.
    fn comes(&mut self, group: HostGroup) -> Option<Vec<Url>> {
        self.admission
            .comes(group)
            .then(|| self.sitemaps.remove(&group).unwrap_or_default())
    }

    /// A group begins to leave.
    fn goes(&mut self, group: HostGroup) {
        self.admission.goes(group);
        self.leaving.entry(group).or_default();
    }

    /// A host of a group that leaves.
    fn leaves(&mut self, group: HostGroup, host: String) {
        self.leaving.entry(group).or_default().insert(host);
    }

    /// Removes the hosts that have left from memory. Returns a group with none left.
    pub fn next_freed(&mut self, hosts: &mut HashMap<String, Box<Host>>) -> Option<HostGroup> {
        for names in self.leaving.values_mut() {
            names.retain(|name| {
                let is_needed = hosts.get(name).is_some_and(|host| host.is_needed());
                if !is_needed {
                    hosts.remove(name);
                }
                is_needed
            });
        }
        let freed = self.leaving.iter().find(|(_, names)| names.is_empty());
        let freed = freed.map(|(group, _)| *group)?;
        self.leaving.remove(&freed);
        Some(freed)
    }

    /// Keeps a sitemap that another origin names for the time when its group comes.
    pub fn keep_sitemap(&mut self, url: Url) {
        if let Some(host) = HostKey::from_url(&url) {
            self.sitemaps.entry(self.of(host.as_str())).or_default().push(url);
        }
    }

    /// The frontier may have something to do.
    pub fn are_busy(&self) {
        self.admission.is_busy();
    }

    /// The frontier has nothing to do. Returns whether a group may come, so that the run goes on.
    pub fn may_come(&self) -> bool {
        self.admission
            .is_idle(self.leaving.is_empty() && self.without_permit.is_empty())
    }
}

impl Frontier {
    /// The frontier of a process that gets its hosts by groups, as `admission` says. Call this before adding any host.
    #[must_use]
    pub fn admitted_by(mut self, admission: Box<dyn Admission>) -> Self {
        self.addresses.assume_requests();
        self.intake.is_in_part();
        self.groups = Groups::new(admission);
        self
    }

    /// Whether the hosts come from the store with their groups, so that the start of a run adds none.
    #[must_use]
    pub fn has_groups(&self) -> bool {
        self.groups.are_in_motion
    }

    /// Whether the host is this process's now.
    pub(super) fn is_here(&self, name: &str) -> bool {
        let group = self.hosts.get(name).map(|host| host.group);
        self.groups.is_here(group.unwrap_or_else(|| self.groups.of(name)))
    }

    /// Whether an answer for the host may be taken in.
    pub(super) fn is_in_memory_or_here(&self, name: &str) -> bool {
        self.hosts.contains_key(name) || self.is_here(name)
    }

    /// Puts a host into the line of those that wait for a permit.
    pub(super) fn await_permit(&mut self, name: &str) {
        let host = self.host(name);
        host.line = host.line.on(LineEvent::HasNoPermit);
        self.groups.await_permit(name);
    }

    /// Groups of hosts came, go or changed.
    pub(super) fn on_groups(&mut self, event: GroupEvent, now: Now) {
        match event {
            GroupEvent::Came { groups, number } => {
                self.groups.admission.hears(number);
                for group in groups {
                    self.on_group_came(group, now);
                }
                // A group that comes again may have been here all the time.
                self.on_permits_renewed(now);
            }
            GroupEvent::Go(groups) => self.on_groups_go(&groups, now),
            GroupEvent::Renewed => self.on_permits_renewed(now),
            GroupEvent::Arrived { queued, number } => {
                self.groups.admission.hears(number);
                self.add(queued, now);
            }
            GroupEvent::Shared(addresses) => {
                for (address, sharers) in addresses {
                    self.addresses.share(address, sharers);
                    self.schedule_address(address, now);
                }
            }
            GroupEvent::CutOff(task) => self.on_request_cut_off(*task, now),
            GroupEvent::Done => self.groups.admission.ends(),
        }
    }

    fn on_group_came(&mut self, group: HostGroup, now: Now) {
        if let Some(sitemaps) = self.groups.comes(group) {
            self.intake.load_again();
            self.add_sitemaps(sitemaps, now);
        }
    }

    fn on_groups_go(&mut self, groups: &[HostGroup], now: Now) {
        for &group in groups {
            self.groups.goes(group);
        }
        let names = self.hosts.iter().filter(|(_, host)| groups.contains(&host.group));
        let names: HashSet<String> = names.map(|(name, _)| name.clone()).collect();
        self.schedule.forget(&names);
        self.lookups.forget(&names);
        self.addresses.forget(&names);
        self.groups.without_permit.retain(|name| !names.contains(name));
        let (hosts, all) = (&self.hosts, &self.groups);
        self.intake.forget(|name| groups.contains(&all.of(name)));
        let group_of = |name: &str| hosts.get(name).map_or_else(|| all.of(name), |host| host.group);
        for url in self.named_sitemaps.take_where(|name| groups.contains(&group_of(name))) {
            self.groups.keep_sitemap(url);
        }
        for name in names {
            self.host_leaves(name, now);
        }
    }

    fn host_leaves(&mut self, name: String, now: Now) {
        self.trials.release(&name);
        let host = self.host(&name);
        let group = host.group;
        for errand in host.leave() {
            self.errand_leaves(errand, &name, now);
        }
        self.groups.leaves(group, name);
    }

    /// Gives a turn to every host that waited for a permit.
    fn on_permits_renewed(&mut self, now: Now) {
        for name in self.groups.take_without_permit() {
            let host = self.host(&name);
            host.line = host.line.on(LineEvent::PermitIsCertain);
            self.schedule(&name, now);
        }
    }

    /// A request was cut off at the end of its permit. What it was for waits again.
    fn on_request_cut_off(&mut self, task: Task, now: Now) {
        let name = match &task {
            Task::Page { queued, .. } => queued.host.clone(),
            Task::Errand { host, .. } => host.clone(),
        };
        self.tickets.end_request();
        self.tickets.end();
        self.pass_gates(&name, HostSignal::Answered, Contact::default(), now);
        let is_here = self.is_here(&name);
        match task {
            Task::Page { queued, .. } => {
                self.leave_process(&queued);
                if is_here {
                    self.host(&name).queue.put_back(WaitingUrl::new(queued));
                }
            }
            Task::Errand { errand, .. } if is_here => match errand {
                Errand::Robots { .. } | Errand::Login(_) => self.host(&name).first_errands.push_front(errand),
                Errand::Sitemap { .. } => self.host(&name).sitemaps.push_front(errand),
                Errand::Subrequest(subrequest) => {
                    let max_pages = self.settings.max_in_browser;
                    let part = self.host(&name).browser_part(max_pages);
                    part.subrequests.push_front(subrequest);
                }
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
                self.give_up_errand(errand, &format!("{name}, which is asked elsewhere from now on"), now);
            }
            Errand::Robots { .. } => {}
            // The host may come back without its sitemap having been read.
            Errand::Sitemap { url, .. } => self.sitemaps_seen.forget(url),
            // The page learns it when the errand is dropped.
            Errand::Subrequest(_) => {}
            // The log-in begins again if a page here needs it.
            Errand::Login(errand) => self.set_login(errand.login, LoginState::Needed, now),
        }
    }
}
