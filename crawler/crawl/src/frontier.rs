//! The sole owner of the crawl's order: decides which URL is fetched next, and when.
//!
//! The frontier is a state machine without I/O. Events go in with their time ([`Frontier::on`]), steps come out
//! ([`Frontier::next`]); the pipeline feeds it and carries out the steps. Its tests are tables of events and never sleep.
//!
//! Every job in the pipeline holds one of `window` tickets, from the step that starts the job to the event that ends it. The
//! tickets bound the memory of the pipeline, and each channel between its stages has room for all of them, so no send blocks.
//!
//! - `events`: takes in the reports of the stages
//! - `state`: the states of hosts, origins and URLs, and the events that change them
//! - `host`: one host; `queue`: its URLs in order; `visits`: its revisits; `waiting`: a URL in memory
//! - `host::step`: the choice of a host's next step; `errands`: robots.txt and sitemaps
//! - `tickets`: the jobs in the pipeline; `pages`: the limit of pages, and the revisits
//! - `logins`: the log-ins that pages wait for; `host_logins`: those of one host
//! - `intake`: brings seeds and hosts into memory; `released`: releases hosts
//! - `groups`: the hosts that come and go, because others ask them too
//! - `schedule`: the order of turns; `addresses`: the gates of the addresses
//! - `steered`: the standing orders of the user; `adjusted`: settings that change while the run lasts
//! - `lookups`: the names whose addresses are not known yet; `trials`: the new names of one domain, a few at a time
//! - `rules_memory`: the bound on the rules of robots.txt
//! - `rendering`: the pages in the browser, and their requests; `browser_part`: those of one host
//! - `slow_lanes`: the large answers and documents that wait to be read
//! - `memory`: the facts that outlive a run; `standing`: the states of all hosts at one moment

mod addresses;
mod adjusted;
mod browser_part;
mod errands;
mod events;
mod groups;
mod host;
mod host_logins;
mod intake;
mod logins;
mod lookups;
mod memory;
mod named_sitemaps;
mod pages;
mod queue;
mod released;
mod rendering;
mod rules_memory;
mod schedule;
mod slow_lanes;
mod standing;
mod state;
mod steered;
mod tickets;
mod trials;
mod visits;
mod waiting;

use std::collections::HashMap;
use std::sync::Arc;
use std::time::SystemTime;

use storage::{Counts, QueuedUrl};
use web::politeness::{CrawlClock, Now};

use crate::clock::unix_millis;
use crate::control::steer::Steer;
use crate::messages::{Ending, Step};
use crate::steering::Steering;
use addresses::Addresses;
use config::settings::{HostRules, Settings};
use errands::SitemapsSeen;
use groups::Groups;
use host::{Bars, Host};
use intake::Intake;
use logins::CrawlLogins;
use lookups::Lookups;
use memory::Unsaved;
use named_sitemaps::NamedSitemaps;
use pages::Pages;
use released::Released;
use rendering::Rendering;
use rules_memory::RulesMemory;
use schedule::Schedule;
use slow_lanes::Lanes;
use state::{EventTime, LineEvent};
use tickets::Tickets;
use trials::Trials;

pub(super) use intake::MAX_HOSTS;
pub use lookups::MAX_LOOKUPS;
pub use standing::{HostStanding, HostStateKind, Standing};

/// Bound on the URLs of one host in memory; the others wait in the store.
const BUFFER: usize = 1_024;

/// Bound on the URLs of all hosts in memory, so far as each may have [`LEAST_BUFFER`]. A URL takes about 400 bytes.
const BUFFERS: usize = 1 << 19;

/// Enough for half a minute of a host without another question to the store.
const LEAST_BUFFER: usize = 32;

/// The order over all hosts.
#[derive(Debug)]
pub struct Frontier {
    /// Each host has a heap block of its own, because a growing map moves its values and reserves room for twice as many.
    hosts: HashMap<String, Box<Host>>,
    addresses: Addresses,
    lookups: Lookups,
    trials: Trials,
    schedule: Schedule,
    intake: Intake,
    released: Released,
    rules: RulesMemory,
    unsaved: Unsaved,
    sitemaps_seen: SitemapsSeen,
    named_sitemaps: NamedSitemaps,
    logins: CrawlLogins,
    /// Which hosts are this process's.
    groups: Groups,
    clock: CrawlClock,
    /// When the run began, Unix ms.
    started_at: u64,
    after_interruption: bool,
    /// The random part of the rests of hosts.
    random: fastrand::Rng,
    settings: FrontierSettings,
    /// Forecasts for the waiting URLs, learned from the verdicts so far.
    steering: Steering,
    tickets: Tickets,
    /// The pages in the browser, which have no ticket.
    rendering: Rendering,
    lanes: Lanes,
    pages: Pages,
    stopping: bool,
}

/// The settings that the frontier needs.
#[derive(Debug, Clone)]
struct FrontierSettings {
    politeness: web::politeness::Politeness,
    hosts: HostRules,
    /// The standing orders.
    steer: Steer,
    max_pages_per_host: Option<u64>,
    bars: Arc<Bars>,
    steers: bool,
    /// Pages of one host that the browser may have at one time.
    max_in_browser: usize,
    /// Bytes of the bodies that arrive, of all hosts together.
    arriving_bytes: usize,
    /// Whether the crawler looks up a name before the first request to its host. It does not if a proxy opens the connections.
    looks_up_names: bool,
}

impl Frontier {
    /// An empty frontier. Earlier runs of the crawl have decided `pages_decided` pages.
    #[must_use]
    pub fn new(settings: &Settings, window: usize, pages_decided: u64) -> Self {
        let clock = CrawlClock::default();
        Self {
            hosts: HashMap::new(),
            addresses: Addresses::new(&clock, &settings.politeness),
            lookups: Lookups::default(),
            trials: Trials::default(),
            schedule: Schedule::default(),
            intake: Intake::default(),
            released: Released::default(),
            rules: RulesMemory::default(),
            unsaved: Unsaved::default(),
            sitemaps_seen: SitemapsSeen::default(),
            named_sitemaps: NamedSitemaps::default(),
            logins: CrawlLogins::new(&settings.logins),
            groups: Groups::alone(),
            clock,
            started_at: unix_millis(SystemTime::now()),
            after_interruption: false,
            random: fastrand::Rng::new(),
            settings: FrontierSettings {
                politeness: settings.politeness,
                hosts: settings.hosts.clone(),
                steer: Steer::default(),
                max_pages_per_host: settings.limits.max_pages_per_host,
                bars: Arc::new(Bars::of(settings)),
                steers: settings.steering.enabled,
                max_in_browser: settings.render.tabs + 1,
                arriving_bytes: settings.fetch.memory_bytes / 2,
                looks_up_names: settings.fetch.proxy.is_none(),
            },
            steering: Steering::new(settings.steering.clone()),
            tickets: Tickets::new(window, settings.fetch.parallel),
            rendering: Rendering::new(settings.render.tabs),
            lanes: Lanes::default(),
            pages: Pages::new(settings.limits.max_pages, pages_decided),
            stopping: false,
        }
    }

    /// The frontier of a run that began at `started_at`, from which every [`Now`] counts.
    #[must_use]
    pub fn begun_at(self, started_at: SystemTime) -> Self {
        Self {
            started_at: unix_millis(started_at),
            ..self
        }
    }

    /// Notes that a seed has this host, so that its name needs no trial.
    fn want(&mut self, name: &str, now: Now) {
        let Some(host) = self.hosts.get_mut(name) else {
            return;
        };
        if !host.is_wanted {
            host.is_wanted = true;
            host.line = host.line.on(LineEvent::NameIsAdmitted);
            self.trials.release(name);
            self.schedule(name, now);
        }
    }

    /// Adds a host of earlier runs, with the `counts` of the store.
    pub fn add_stored_host(&mut self, host: &str, counts: &Counts) {
        let queued = counts.queued;
        if counts.kept > 0 {
            self.prove(host);
        }
        let entry = self.host(host);
        entry.urls += queued;
        if queued > 0 {
            // The settings or the verdicts may have changed, so held-back URLs are judged again.
            entry.queue.review_held_back();
            entry.queue.note_stored();
        }
        entry.pages_decided = counts.fetched();
        entry.memory.may_have_answers = true;
        if self.after_interruption {
            self.may_have_been_asked(host);
        }
        self.schedule(host, self.clock.now());
    }

    /// Adds revisits of a host that are queued in the store.
    pub fn add_stored_visits(&mut self, host: &str, visits: u64) {
        self.pages.add_visits(visits);
        self.note_stored_visits(host, visits);
    }

    fn note_stored_visits(&mut self, host: &str, visits: u64) {
        let entry = self.host(host);
        entry.urls += visits;
        entry.queue.visits.in_store |= visits > 0;
        self.schedule(host, self.clock.now());
    }

    /// Steering, to replay the verdicts of earlier runs. Call this before adding any host.
    pub fn steering_mut(&mut self) -> &mut Steering {
        &mut self.steering
    }

    /// Adds URLs that are new to the frontier.
    pub fn add(&mut self, urls: Vec<QueuedUrl>, now: Now) {
        for queued in urls {
            if !self.has_place_for(&queued.host) {
                continue;
            }
            let (host, is_seed) = (queued.host.clone(), is_seed(&queued));
            self.host(&host).urls += 1;
            if is_seed {
                self.want(&host, now);
            }
            let most = self.buffer_of_a_host();
            let entry = self.host(&host);
            entry.queue.bound(most);
            entry.offer(queued);
            self.schedule(&host, now);
        }
    }

    /// Bound on the URLs of one host in memory, as long as there are so many hosts.
    fn buffer_of_a_host(&self) -> usize {
        (BUFFERS / self.hosts.len().max(1)).clamp(LEAST_BUFFER, BUFFER)
    }

    /// The next thing to do.
    pub fn next(&mut self, now: Now) -> Step {
        self.clock.set(now);
        self.groups.are_busy();
        if let Some(group) = self.groups.next_freed(&mut self.hosts) {
            return Step::Freed(group);
        }
        self.apply_page_limit(now);
        if !self.stopping
            && let Some(step) = self.take_in_more(now)
        {
            return step;
        }
        if let Some(step) = self.bound_reached() {
            return step;
        }
        self.end_long_rests(now);
        loop {
            if !self.is_paused() {
                self.admit_names(now);
            }
            if let Some(host) = self.begin_look_up(now) {
                return Step::LookUp(host);
            }
            let Some(who) = self.schedule.pop_due(now) else {
                if self.end_idle_turns() {
                    continue;
                }
                break;
            };
            if let Some(step) = self.take_turn(who, now) {
                self.tickets.issue(&step);
                self.pages.begin(&step);
                return step;
            }
        }
        let intake_wakes_at = self.intake.wakes_at(self.pages.takes_new());
        let wakes_at = self.schedule.wakes_at().into_iter().chain(intake_wakes_at).min();
        if self.schedule.has_due() || intake_wakes_at.is_some() || self.lookups.are_running() {
            return Step::Wait(wakes_at);
        }
        let ending = if self.pages.takes_new() {
            Ending::Exhausted
        } else {
            Ending::PageLimit
        };
        match self.idle(ending) {
            Step::Wait(None) => Step::Wait(wakes_at),
            Step::Finished(Ending::Exhausted) if self.groups.may_come() => Step::Wait(wakes_at),
            step => step,
        }
    }

    /// How many jobs are in the pipeline.
    pub fn jobs(&self) -> usize {
        self.tickets.out()
    }

    /// Judges the held-back URLs of a host again.
    fn review(&mut self, name: &str) {
        match self.hosts.get_mut(name) {
            Some(host) => {
                host.queue.review_held_back();
                self.schedule(name, self.clock.now());
            }
            None => self.readmit(name),
        }
    }

    /// Steering with its rules and counts; `None` if no URL is held back.
    #[must_use]
    pub fn into_holder(self) -> Option<Steering> {
        let holds_back = self.released.hold_urls_back() || self.hosts.values().any(|host| host.queue.holds_back_some());
        holds_back.then_some(self.steering)
    }

    /// Gives every host a turn if the page limit lets the run take new URLs again.
    fn apply_page_limit(&mut self, now: Now) {
        if self.pages.apply_limit() {
            let names: Vec<String> = self.hosts.keys().cloned().collect();
            names.iter().for_each(|name| self.schedule(name, now));
        }
    }

    /// The step if a bound stops all work: the run is stopping, all tickets are out, the crawl has as many requests
    /// open as it may have, or the page limit is reached and no revisit is left.
    fn bound_reached(&self) -> Option<Step> {
        if self.stopping {
            return Some(self.idle(Ending::Stopped));
        }
        if self.tickets.are_used_up() {
            return Some(Step::Wait(None));
        }
        // A page in the browser still has requests to make.
        let is_done = self.pages.are_done() && self.rendering.is_empty();
        is_done.then(|| self.idle(Ending::PageLimit))
    }

    fn idle(&self, ending: Ending) -> Step {
        // A host that has its share in the slow lanes goes on when an answer leaves them.
        let is_at_work = self.tickets.are_out() || self.lanes.are_used() || !self.rendering.is_empty();
        let waits_for_user = self.is_paused() && ending != Ending::Stopped;
        if is_at_work || waits_for_user || ending == Ending::Exhausted && self.intake.is_taking_in() {
            Step::Wait(None)
        } else {
            Step::Finished(ending)
        }
    }

    /// A URL is in process no more, without an outcome. Returns the session with which it was asked for.
    fn leave_process(&mut self, queued: &QueuedUrl) -> Option<u64> {
        self.pages.leave(queued);
        // It may have to wait, so another URL may test the rule meanwhile.
        self.steering.end_test(&queued.host, queued.seq);
        self.host(&queued.host).leave_process(queued.seq)
    }

    fn host(&mut self, name: &str) -> &mut Host {
        if !self.hosts.contains_key(name) {
            let logins = self.logins.of_host(name);
            let host = Host::new(name, self.groups.of(name), logins, &self.clock, &self.settings);
            self.hosts.insert(name.to_owned(), Box::new(host));
        }
        #[allow(clippy::expect_used, reason = "inserted above where it was missing")]
        self.hosts.get_mut(name).expect("a host that was just inserted")
    }

    fn time(&self, now: Now) -> EventTime {
        EventTime {
            now,
            run_started_at: self.started_at,
        }
    }
}

/// Whether nothing linked to the URL.
fn is_seed(queued: &QueuedUrl) -> bool {
    queued.via.is_none()
}

#[cfg(test)]
mod tests;
