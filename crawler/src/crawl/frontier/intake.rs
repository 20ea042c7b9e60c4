//! Brings the unread seeds into memory, and loads and releases the hosts of a crawl that has too many hosts for the memory.
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
//! reaches. The frontier releases a host when the host has nothing left to do and its gate would let a request pass. So a released host
//! has no delay that the store does not know. Hosts in a long rest stay in memory and do not count. If the memory is full, names that
//! wait for a trial return to the store, except the first name of each line, so that the names of one domain leave room for the hosts of
//! others.

use std::collections::{HashMap, HashSet, VecDeque};
use std::hash::{BuildHasher, RandomState};
use std::time::Duration;

use storage::{Counts, QueuedUrl};
use web::politeness::Now;

use super::Frontier;
use super::host::Host;
use super::state::{Line, Work};
use super::trials::PLACES;
use crate::crawl::messages::{Errand, GivenUp, HostsWanted, Step, StoredHost};

/// Bound on the hosts in memory with something to do. At one request a second each, they have work for ten times as many requests as a
/// machine can make. They take about 25 MB.
pub(in crate::crawl) const MAX_HOSTS: usize = 20_000;

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

/// Bound on the released hosts that the summary of the run can name. It counts the others.
const MAX_RELEASED_NAMED: usize = 1_000;

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

/// Why the run does not load a released host again, although the store has URLs of it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Aside {
    GivenUp,
    /// It has as many pages as the run may take of it.
    OverLimit,
    /// All its URLs are held back. A new URL, or a verdict that releases them, ends this.
    HeldBack,
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
    /// Hashes of released hosts that the run does not load again, although the store has URLs of these hosts.
    set_aside: HashMap<u64, Aside>,
    key: RandomState,
    /// Errands for hosts that are not in memory. They wait until the store has loaded their hosts.
    parked: HashMap<String, Vec<Errand>>,
    /// The released hosts that the run gave up, up to a bound, and the number of the others.
    given_up: Vec<GivenUp>,
    further_given_up: u64,
    holds_urls_back: bool,
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
            set_aside: HashMap::new(),
            key: RandomState::new(),
            parked: HashMap::new(),
            given_up: Vec::new(),
            further_given_up: 0,
            holds_urls_back: false,
            max_hosts: MAX_HOSTS,
        }
    }
}

impl Intake {
    /// Whether the frontier has more hosts to load.
    fn has_more(&self) -> bool {
        !self.parked.is_empty() || !self.named.is_empty() || self.pass != Pass::Done || self.passes_again
    }

    /// Leaves a host in the store for later.
    fn leave(&mut self, name: &str) {
        self.is_partial = true;
        match self.aside(name) {
            Some(Aside::GivenUp | Aside::OverLimit) => return,
            Some(Aside::HeldBack) => {
                self.set_aside.remove(&self.key.hash_one(name));
            }
            None => {}
        }
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

    fn aside(&self, name: &str) -> Option<Aside> {
        if self.set_aside.is_empty() {
            return None;
        }
        self.set_aside.get(&self.key.hash_one(name)).copied()
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
        self.visits_left = visits;
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

    /// Whether the URL's host is in memory or gets a place now. Otherwise the URL stays in the store.
    pub(super) fn has_place_for(&mut self, queued: &QueuedUrl) -> bool {
        if self.hosts.contains_key(&queued.host) {
            return true;
        }
        if !self.intake.is_partial && self.hosts.len() < self.intake.max_hosts {
            return true;
        }
        self.intake.leave(&queued.host);
        false
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
        if self.counted_hosts() >= self.load_below() && self.intake.sweep_at <= now {
            self.intake.sweep_at = now + SWEEP_INTERVAL;
            self.release_hosts(now);
        }
        if self.counted_hosts() >= self.load_below() {
            return None;
        }
        let room = self.intake.max_hosts - self.counted_hosts();
        let wanted = self.intake.next_wanted(room, self.takes_new)?;
        self.intake.loading = match wanted {
            HostsWanted::Named(_) => Loading::Named,
            HostsWanted::Behind { .. } => Loading::Pass,
        };
        Some(Step::LoadHosts(wanted))
    }

    fn load_below(&self) -> usize {
        LOAD_BELOW.min(self.intake.max_hosts)
    }

    /// Hosts in memory that are not in a long rest.
    fn counted_hosts(&self) -> usize {
        self.hosts.len().saturating_sub(self.schedule.resting_hosts())
    }

    /// Whether the frontier waits for seeds or hosts.
    pub(super) fn is_taking_in(&self) -> bool {
        self.intake.seeds != SeedsState::Read || self.intake.loading != Loading::Nothing
    }

    /// When the intake has its next step, if it waits for room.
    pub(super) fn intake_wakes_at(&self) -> Option<Now> {
        let intake = &self.intake;
        let has_more = self.takes_new && intake.has_more() || intake.pass != Pass::Done;
        let waits = intake.loading == Loading::Nothing && has_more;
        waits.then_some(intake.sweep_at)
    }

    /// Whether the run has not read its seeds to the end.
    #[must_use]
    pub fn has_unread_seeds(&self) -> bool {
        self.intake.seeds != SeedsState::Read
    }

    /// Adds seeds that the store has queued, and the hosts of seeds that the store knew.
    pub(super) fn seeds_read(&mut self, queued: Vec<QueuedUrl>, known: &[String], more: bool, now: Now) {
        self.intake.seeds = if more { SeedsState::Unread } else { SeedsState::Read };
        self.add(queued, now);
        for host in known {
            self.want(host, now);
        }
    }

    /// Adds hosts from the store.
    pub(super) fn hosts_loaded(&mut self, hosts: Vec<StoredHost>, behind: Option<String>) {
        if std::mem::take(&mut self.intake.loading) == Loading::Pass {
            self.intake.pass = behind.map_or(Pass::Done, Pass::Behind);
        }
        for host in hosts {
            let errands = self.intake.parked.remove(&host.name).unwrap_or_default();
            if self.intake.aside(&host.name).is_some() && errands.is_empty() {
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
        let visits_left = self.visits_left;
        self.add_stored_visits(&name, counts.due);
        // The run counted these revisits when it began.
        self.visits_left = visits_left;
        if urls.is_empty() {
            return self.add_stored_host(&name, &counts);
        }
        self.add_stored_host(&name, &Counts::default());
        let now = self.clock.now();
        if urls.iter().any(super::is_seed) {
            self.want(&name, now);
        }
        let host = self.host(&name);
        host.memory.may_have_answers = record.is_some();
        for queued in urls {
            host.urls += 1;
            host.offer(queued);
        }
        self.schedule(&name, now);
    }

    /// Releases the hosts that have nothing left to do, and the addresses that no host needs.
    fn release_hosts(&mut self, now: Now) {
        let takes_new = self.takes_new;
        let idle = self.hosts.iter().filter(|(_, host)| host.is_idle(takes_new, now));
        let names: Vec<String> = idle.map(|(name, _)| name.clone()).collect();
        for name in names {
            if let Some(host) = self.hosts.remove(&name) {
                self.note_released(name, &host);
            }
        }
        self.release_waiting_names();
        let needed: HashSet<_> = self.hosts.values().filter_map(|host| host.address).collect();
        self.addresses.release(&needed, now);
    }

    /// Releases the hosts whose names wait for a trial, except the first of each line. Another pass brings them back.
    fn release_waiting_names(&mut self) {
        let kept = PLACES.min(self.intake.max_hosts / 4);
        let hosts = &self.hosts;
        let may_leave = |name: &str| {
            let host = hosts.get(name);
            host.is_none_or(|host| host.line == Line::Trial && host.holds_only_sitemaps())
        };
        for name in self.trials.shorten_lines(kept, may_leave) {
            self.hosts.remove(&name);
            self.intake.is_partial = true;
            self.intake.passes_again = true;
        }
    }

    fn note_released(&mut self, name: String, host: &Host) {
        self.intake.is_partial = true;
        if host.urls == 0 && !host.is_given_up() {
            return;
        }
        if !host.is_given_up() && !self.takes_new {
            // The host has new URLs, so it may be needed again.
            self.intake.passes_again = true;
            return;
        }
        self.intake.holds_urls_back |= host.queue.holds_back_some();
        let aside = if host.is_given_up() {
            Aside::GivenUp
        } else if host.may_take_page() {
            Aside::HeldBack
        } else {
            Aside::OverLimit
        };
        self.intake.set_aside.insert(self.intake.key.hash_one(&name), aside);
        let left = self.left_unfinished(&name, host);
        for given_up in left {
            if self.intake.given_up.len() < MAX_RELEASED_NAMED {
                self.intake.given_up.push(given_up);
            } else {
                self.intake.further_given_up += 1;
            }
        }
    }

    /// The released hosts that the run left unfinished, up to a bound.
    pub(super) fn released_given_up(&self) -> &[GivenUp] {
        &self.intake.given_up
    }

    /// The number of unfinished hosts that [`given_up`](Self::given_up) does not name.
    #[must_use]
    pub fn further_given_up(&self) -> u64 {
        self.intake.further_given_up
    }

    /// Whether a released host has URLs that are held back.
    pub(super) fn released_hold_urls_back(&self) -> bool {
        self.intake.holds_urls_back
    }

    /// Whether the host was given up and then released.
    pub(super) fn was_given_up(&self, name: &str) -> bool {
        self.intake.aside(name) == Some(Aside::GivenUp)
    }

    /// Loads a released host again if all its URLs were held back.
    pub(super) fn readmit(&mut self, name: &str) {
        if self.intake.aside(name) == Some(Aside::HeldBack) {
            self.intake.leave(name);
        }
    }

    /// Keeps an errand for a host that may be in the store until the host is in memory, with its treatment. Returns the errand if the host has
    /// its place in memory, or gets one now; drops a sitemap if too many errands wait.
    pub(super) fn park(&mut self, name: &str, errand: Errand) -> Option<Errand> {
        let is_new_host = !self.hosts.contains_key(name);
        if !is_new_host || !self.intake.is_partial && self.hosts.len() < self.intake.max_hosts {
            return Some(errand);
        }
        self.intake.is_partial = true;
        if self.intake.parked.len() < MAX_PARKED || matches!(errand, Errand::Robots { .. }) {
            self.intake.parked.entry(name.to_owned()).or_default().push(errand);
        }
        None
    }
}

impl Host {
    /// Whether the store has everything that the memory has about the host, and the host waits for no answer.
    fn holds_nothing(&self) -> bool {
        self.holds_only_sitemaps() && self.sitemaps.is_empty() && self.sitemaps_to_recall.is_empty()
    }

    /// The same, except for sitemaps, which a later run can ask for.
    fn holds_only_sitemaps(&self) -> bool {
        !self.memory.is_unsaved
            && !self.is_busy()
            && self.awaiting_robots.is_empty()
            && self.respelled.is_empty()
            && self.robots_errands.is_empty()
    }

    /// Whether the host has nothing left to do and waits for no answer, and the store knows its treatment.
    fn is_idle(&self, takes_new: bool, now: Now) -> bool {
        self.line == Line::None
            && self.holds_nothing()
            && self.work(takes_new) == Work::Nothing
            && (self.is_given_up() || self.gate.ready_at().is_some_and(|at| at <= now))
    }
}
