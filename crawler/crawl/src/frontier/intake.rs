//! Brings the unread seeds into memory, and loads the hosts of a crawl that has too many hosts for the memory.
//!
//! ```text
//! seeds file ──ReadSeeds──▶ store ──▶ hosts in memory ──nothing left to do──▶ released; what it has queued stays in the store
//!                             │             ▲
//!                             └─LoadHosts───┘ as long as there is room
//! ```
//!
//! A crawl of up to [`MAX_HOSTS`] hosts has all of them in memory. In a larger crawl, the store holds the other hosts, with their URLs,
//! their counts and their treatment. The frontier loads a host when it has released another: first the hosts that were named last, up to
//! [`MAX_NAMED`], then the others in the order of their names. So a crawl follows the order of its seeds file as far as the memory
//! reaches.

use std::collections::{HashMap, HashSet, VecDeque};
use std::time::Duration;

use storage::{Counts, QueuedUrl};
use web::politeness::Now;

use super::Frontier;
use crate::messages::{Errand, HostsWanted, Step, StoredHost};

/// Bound on the hosts in memory with something to do. At one request a second each, they have work for ten times as many requests as a
/// machine can make. They take about 25 MB.
pub(crate) const MAX_HOSTS: usize = 20_000;

/// The frontier loads further hosts when it has fewer than this.
const LOAD_BELOW: usize = MAX_HOSTS / 4 * 3;

/// Hosts that the frontier loads at a time. The store reads their rows in a few milliseconds.
const LOADED_AT_A_TIME: usize = 1_000;

/// Bound on the names of hosts to load that the frontier remembers.
const MAX_NAMED: usize = 10_000;

/// Hosts in the store for which errands wait to be loaded. A hostile sitemap index can name thousands.
const MAX_PARKED: usize = 1_000;

/// Shortest time between two searches for hosts that can be released.
const SWEEP_INTERVAL: Duration = Duration::from_secs(1);

/// The seeds file.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
enum SeedsState {
    /// The recorder reads a batch.
    Asked,
    /// There are more.
    Unread,
    #[default]
    Read,
}

/// The progress of a pass over the hosts in the store, in the order of their names.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
enum Pass {
    #[default]
    Done,
    /// The hosts after this name are still without an offer.
    Behind(String),
}

/// The request to the store, until it answers.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
enum Loading {
    #[default]
    Nothing,
    Named,
    /// The next hosts of the pass.
    Pass,
}

/// The seeds, and the hosts that are not in memory.
#[derive(Debug)]
pub(super) struct Intake {
    seeds: SeedsState,
    /// Whether the store may have hosts with URLs that are not in memory.
    is_partial: bool,
    /// The next hosts to load. `are_named` holds the same names.
    named: VecDeque<String>,
    are_named: HashSet<String>,
    pass: Pass,
    /// Whether the frontier left a host in the store and did not remember its name since the pass began, so that another pass must
    /// follow.
    passes_again: bool,
    loading: Loading,
    /// When to look again for hosts that can be released.
    sweep_at: Now,
    /// Errands for hosts that are not in memory. They wait until the store has loaded their hosts.
    parked: HashMap<String, Vec<Errand>>,
    /// Whether a sitemap was dropped because too many errands wait.
    has_dropped_sitemaps: bool,
    max_hosts: usize,
}

impl Default for Intake {
    fn default() -> Self {
        Self {
            seeds: SeedsState::Read,
            is_partial: false,
            named: VecDeque::new(),
            are_named: HashSet::new(),
            pass: Pass::Done,
            passes_again: false,
            loading: Loading::Nothing,
            sweep_at: Now::ZERO,
            parked: HashMap::new(),
            has_dropped_sitemaps: false,
            max_hosts: MAX_HOSTS,
        }
    }
}

impl Intake {
    /// A host was released that the store may offer again.
    pub(super) fn note_released(&mut self, must_come_again: bool) {
        self.is_partial = true;
        self.passes_again |= must_come_again;
    }

    /// Bound on the hosts in memory.
    pub(super) fn max_hosts(&self) -> usize {
        self.max_hosts
    }

    /// The store may have hosts that are not in memory.
    pub(super) fn is_in_part(&mut self) {
        self.is_partial = true;
    }

    /// The store has hosts that the frontier does not know. It loads them in another pass.
    pub(super) fn load_again(&mut self) {
        self.is_partial = true;
        self.passes_again = true;
    }

    /// Forgets the names and errands of hosts that leave.
    pub(super) fn forget(&mut self, is_leaving: impl Fn(&str) -> bool) {
        self.named.retain(|name| !is_leaving(name));
        self.are_named.retain(|name| !is_leaving(name));
        self.parked.retain(|name, _| !is_leaving(name));
    }

    fn load_below(&self) -> usize {
        LOAD_BELOW.min(self.max_hosts)
    }

    /// Whether the frontier waits for seeds or hosts.
    pub(super) fn is_taking_in(&self) -> bool {
        self.seeds != SeedsState::Read || self.loading != Loading::Nothing
    }

    /// When the intake has its next step, if it waits for room. New URLs count only if the crawl `takes_new`.
    pub(super) fn wakes_at(&self, takes_new: bool) -> Option<Now> {
        let has_more = takes_new && self.has_more() || self.pass != Pass::Done;
        let waits = self.loading == Loading::Nothing && has_more;
        waits.then_some(self.sweep_at)
    }

    /// Whether the frontier has more hosts to load.
    fn has_more(&self) -> bool {
        !self.parked.is_empty() || !self.named.is_empty() || self.pass != Pass::Done || self.passes_again
    }

    /// Remembers a host in the store for later.
    fn remember(&mut self, name: &str) {
        if self.are_named.contains(name) {
            return;
        }
        if self.named.len() < MAX_NAMED {
            self.are_named.insert(name.to_owned());
            self.named.push_back(name.to_owned());
        } else {
            self.passes_again = true;
        }
    }

    /// The next hosts to load, at most `room`. New URLs count only if the crawl `takes_new`.
    fn next_wanted(&mut self, room: usize, takes_new: bool) -> Option<HostsWanted> {
        let limit = room.min(LOADED_AT_A_TIME);
        if takes_new && !self.named.is_empty() {
            let names: Vec<String> = self.named.drain(..limit.min(self.named.len())).collect();
            for name in &names {
                self.are_named.remove(name);
            }
            return Some(HostsWanted::Named(names));
        }
        if self.pass == Pass::Done && takes_new && std::mem::take(&mut self.passes_again) {
            self.pass = Pass::Behind(String::new());
        }
        match &self.pass {
            Pass::Done => None,
            Pass::Behind(name) => Some(HostsWanted::Behind {
                name: name.clone(),
                limit,
            }),
        }
    }
}

impl Frontier {
    /// The run reads seeds, from its first step on.
    pub fn reads_seeds(&mut self) {
        self.intake.seeds = SeedsState::Unread;
    }

    /// The store has more hosts than there is room for, and `visits` revisits. The frontier loads them from the first step on.
    pub fn loads_hosts(&mut self, visits: u64) {
        self.pages.set_visits(visits);
        self.addresses.assume_requests();
        self.intake.is_partial = true;
        self.intake.pass = Pass::Behind(String::new());
    }

    /// With room for other than [`MAX_HOSTS`] hosts.
    #[cfg(test)]
    pub(super) fn with_room_for(mut self, hosts: usize) -> Self {
        self.intake.max_hosts = hosts;
        self
    }

    /// Whether the run knows the time of the last request to each host. A killed run may have sent requests to hosts that this run has
    /// not loaded.
    #[must_use]
    pub fn knows_all_requests(&self) -> bool {
        !self.after_interruption || !self.intake.is_partial
    }

    /// Whether the host is in memory or gets a place now. Otherwise its URLs stay in the store.
    pub(super) fn has_place_for(&mut self, host: &str) -> bool {
        if !self.is_here(host) {
            return false;
        }
        if self.hosts.contains_key(host) {
            return true;
        }
        if !self.intake.is_partial && self.hosts.len() < self.intake.max_hosts {
            return true;
        }
        self.leave(host);
        false
    }

    /// Leaves a host in the store for later, unless the run does not need it again.
    pub(super) fn leave(&mut self, name: &str) {
        self.intake.is_partial = true;
        if self.is_here(name) && self.released.takes_back(name) {
            self.intake.remember(name);
        }
    }

    /// The next step of the intake. It needs no ticket.
    pub(super) fn take_in_more(&mut self, now: Now) -> Option<Step> {
        if self.intake.seeds == SeedsState::Unread {
            self.intake.seeds = SeedsState::Asked;
            return Some(Step::ReadSeeds);
        }
        if self.intake.loading != Loading::Nothing || !self.intake.has_more() {
            return None;
        }
        if !self.intake.parked.is_empty() {
            self.intake.loading = Loading::Named;
            let names = self.intake.parked.keys().take(LOADED_AT_A_TIME).cloned().collect();
            return Some(Step::LoadHosts(HostsWanted::Named(names)));
        }
        if self.counted_hosts() >= self.intake.load_below() && self.intake.sweep_at <= now {
            self.intake.sweep_at = now + SWEEP_INTERVAL;
            self.release_hosts(now);
        }
        if self.counted_hosts() >= self.intake.load_below() {
            return None;
        }
        let room = self.intake.max_hosts - self.counted_hosts();
        let wanted = self.intake.next_wanted(room, self.pages.takes_new())?;
        self.intake.loading = match wanted {
            HostsWanted::Named(_) => Loading::Named,
            HostsWanted::Behind { .. } => Loading::Pass,
        };
        Some(Step::LoadHosts(wanted))
    }

    /// Hosts in memory that are not in a long rest.
    fn counted_hosts(&self) -> usize {
        self.hosts.len().saturating_sub(self.schedule.resting_hosts())
    }

    /// Whether the run has not read its seeds to the end.
    #[must_use]
    pub fn has_unread_seeds(&self) -> bool {
        self.intake.seeds != SeedsState::Read
    }

    /// Adds seeds that the store has queued, and the hosts of seeds that the store knew.
    pub(super) fn on_seeds_read(&mut self, queued: Vec<QueuedUrl>, known: &[String], more: bool, now: Now) {
        self.intake.seeds = if more { SeedsState::Unread } else { SeedsState::Read };
        self.add(queued, now);
        for host in known {
            self.want(host, now);
        }
    }

    /// Adds hosts from the store.
    pub(super) fn on_hosts_loaded(&mut self, hosts: Vec<StoredHost>, behind: Option<String>) {
        if std::mem::take(&mut self.intake.loading) == Loading::Pass {
            self.intake.pass = behind.map_or(Pass::Done, Pass::Behind);
        }
        for host in hosts {
            let errands = self.intake.parked.remove(&host.name).unwrap_or_default();
            if !self.is_here(&host.name) {
                continue;
            }
            if self.released.is_set_aside(&host.name) && errands.is_empty() {
                continue;
            }
            let waiting = host.counts.queued + host.counts.due;
            match self.hosts.get_mut(&host.name) {
                None => self.take_in(host),
                // An errand brought the host into memory, without its URLs.
                Some(known) if known.urls < waiting => {
                    known.urls = waiting;
                    known.queue.note_stored();
                    known.queue.visits.in_store |= host.counts.due > 0;
                    self.schedule(&host.name, self.clock.now());
                }
                Some(_) => {}
            }
            for errand in errands {
                self.add_errand(errand, self.clock.now());
            }
        }
    }

    fn take_in(&mut self, stored: StoredHost) {
        let StoredHost {
            name,
            counts,
            record,
            urls,
        } = stored;
        if let Some(record) = &record {
            self.restore(&name, record);
        }
        // The run counted these revisits when it began.
        self.note_stored_visits(&name, counts.due);
        if urls.is_empty() {
            return self.add_stored_host(&name, &counts);
        }
        self.add_stored_host(&name, &Counts::default());
        let now = self.clock.now();
        if urls.iter().any(super::is_seed) {
            self.want(&name, now);
        }
        let most = self.buffer_of_a_host();
        let host = self.host(&name);
        host.queue.bound(most);
        host.memory.may_have_answers = record.is_some();
        for queued in urls {
            host.urls += 1;
            host.offer(queued);
        }
        self.schedule(&name, now);
    }

    /// Keeps an errand for a host that may be in the store until the host is in memory, with its treatment. Returns the errand if the host has
    /// its place in memory, or gets one now; drops a sitemap if too many errands wait.
    pub(super) fn park(&mut self, name: &str, errand: Errand) -> Option<Errand> {
        let is_new_host = !self.hosts.contains_key(name);
        if !is_new_host || !self.intake.is_partial && self.hosts.len() < self.intake.max_hosts {
            return Some(errand);
        }
        self.intake.is_partial = true;
        if self.intake.parked.len() < MAX_PARKED || !matches!(errand, Errand::Sitemap { .. }) {
            self.intake.parked.entry(name.to_owned()).or_default().push(errand);
        } else if !std::mem::replace(&mut self.intake.has_dropped_sitemaps, true) {
            tracing::info!(
                host = name,
                waiting_hosts = self.intake.parked.len(),
                "sitemap skipped: too many hosts in the store wait for errands; this run logs no further ones"
            );
        }
        None
    }
}
