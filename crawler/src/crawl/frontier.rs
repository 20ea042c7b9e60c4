//! The sole owner of the frontier's order: decides which URL is fetched next, and when.
//!
//! A state machine without input or output: events go in with the time, steps come out. The pipeline feeds it and
//! carries out what it says, so its tests are tables of events and never sleep.
//!
//! Every job in the pipeline holds one of `window` tickets from the step that starts it to the event that ends it.
//! That bounds the memory of the whole and makes each channel between the stages long enough never to block.

mod addresses;
mod errands;
mod host;
mod memory;

mod queue;
mod standing;
mod visits;

use std::cmp::Reverse;
use std::collections::{BinaryHeap, HashMap, HashSet};
use std::time::{Duration, SystemTime};

use storage::QueuedUrl;
use web::politeness::{AddressKey, Contact, CrawlClock, HostSignal, Now};

use crate::config::settings::{Settings, TrapLimits};
use crate::crawl::messages::{Ending, Event, Step, Task};
use crate::crawl::steering::{JudgedPage, Steering};
use addresses::Addresses;
use host::{Host, HostStep};

pub use standing::{HostStanding, HostStateKind, Standing};

/// URLs of one host held in memory; the rest waits in the store.
const BUFFER: usize = 1_024;

/// The frontier's order over all hosts. See the module's text.
#[derive(Debug)]
pub struct Frontier {
    hosts: HashMap<String, Host>,
    addresses: Addresses,
    /// Who may have something to do, by when; each at most once.
    due: BinaryHeap<Reverse<(Now, u64, Who)>>,
    /// Hosts that have asked for a longer rest than the run waits for, by its end.
    snoozed: BinaryHeap<Reverse<(Now, String)>>,
    /// Hosts whose treatment has changed since it was last saved.
    unsaved: Vec<String>,
    /// Sitemaps that were ever to be fetched: two indexes may name one another.
    sitemaps_seen: HashSet<String>,
    clock: CrawlClock,
    /// When the run began, Unix ms.
    started_at: u64,
    after_interruption: bool,
    /// What rests owe to chance.
    random: fastrand::Rng,
    rules: FrontierSettings,
    /// What the verdicts so far say of the URLs that wait.
    steering: Steering,
    window: usize,
    tickets_out: usize,
    requests_open: usize,
    /// URLs never fetched before that have a ticket.
    pages_in_process: u64,
    pages_decided: u64,
    /// Visits to pages fetched before that are still to be made, in process included.
    visits_left: u64,
    /// Whether new URLs are taken: not while `max_pages` are decided or in process.
    takes_new: bool,
    turn: u64,
    stopping: bool,
}

/// Who waits for a time.
#[derive(Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Who {
    Host(String),
    /// The hosts that wait at an address.
    Address(AddressKey),
}

/// The settings that the frontier goes by.
#[derive(Debug, Clone, Copy)]
struct FrontierSettings {
    politeness: web::politeness::Politeness,
    parallel: usize,
    max_pages: Option<u64>,
    max_pages_per_host: Option<u64>,
    traps: TrapLimits,
    steers: bool,
}

impl Frontier {
    /// An empty frontier of which `pages_decided` pages were decided in earlier runs.
    #[must_use]
    pub fn new(settings: &Settings, window: usize, pages_decided: u64) -> Self {
        let clock = CrawlClock::default();
        Self {
            hosts: HashMap::new(),
            addresses: Addresses::new(&clock, &settings.politeness),
            due: BinaryHeap::new(),
            snoozed: BinaryHeap::new(),
            unsaved: Vec::new(),
            sitemaps_seen: HashSet::new(),
            clock,
            started_at: memory::unix_ms(SystemTime::now()),
            after_interruption: false,
            random: fastrand::Rng::new(),
            rules: FrontierSettings {
                politeness: settings.politeness,
                parallel: settings.fetch.parallel,
                max_pages: settings.limits.max_pages,
                max_pages_per_host: settings.limits.max_pages_per_host,
                traps: settings.limits.traps,
                steers: settings.steering.enabled,
            },
            steering: Steering::new(settings.steering.clone()),
            window,
            tickets_out: 0,
            requests_open: 0,
            pages_in_process: 0,
            pages_decided,
            visits_left: 0,
            takes_new: true,
            turn: 0,
            stopping: false,
        }
    }

    /// The same for a run that began at this time: the one that every [`Now`] counts from.
    #[must_use]
    pub fn begun_at(self, started_at: SystemTime) -> Self {
        Self {
            started_at: memory::unix_ms(started_at),
            ..self
        }
    }

    /// The same with chances that can be repeated.
    #[must_use]
    #[cfg(test)]
    pub fn with_seed(self, seed: u64) -> Self {
        Self {
            random: fastrand::Rng::with_seed(seed),
            ..self
        }
    }

    /// A host with so many URLs queued in the store from before, and how many of its pages were decided then.
    pub fn add_stored_host(&mut self, host: &str, queued: u64, pages_decided: u64) {
        let has_queued = queued > 0;
        let entry = self.host(host);
        entry.urls += queued;
        if has_queued {
            // What an earlier run left may be wanted now: the settings may be others, or the verdicts.
            entry.queue.look_at_left();
        }
        entry.queue.in_store |= has_queued;
        entry.pages_decided = pages_decided;
        entry.is_stored = true;
        if self.after_interruption {
            self.was_asked(host, Duration::ZERO);
        }
        self.schedule(host, Now::ZERO);
    }

    /// Visits in the store to pages of a host that were fetched before.
    pub fn add_stored_visits(&mut self, host: &str, visits: u64) {
        self.visits_left += visits;
        let entry = self.host(host);
        entry.urls += visits;
        entry.queue.visits.in_store |= visits > 0;
        self.schedule(host, Now::ZERO);
    }

    /// What earlier verdicts teach; to be told before any host is added.
    pub fn steering_mut(&mut self) -> &mut Steering {
        &mut self.steering
    }

    /// URLs that are new to the frontier.
    pub fn add(&mut self, urls: Vec<QueuedUrl>, now: Now) {
        for queued in urls {
            let host = queued.host.clone();
            let entry = self.host(&host);
            entry.urls += 1;
            entry.offer(queued);
            self.schedule(&host, now);
        }
    }

    /// Takes in what a stage reports.
    pub fn on(&mut self, event: Event, now: Now) {
        self.clock.set(now);
        match event {
            Event::RequestEnded {
                host,
                signal,
                failure,
                contact,
            } => {
                self.requests_open -= 1;
                self.request_ended(&host, signal, contact, now);
                let entry = self.host(&host);
                entry.last_failure = match signal {
                    HostSignal::Answered => failure,
                    _ => failure.or(entry.last_failure.take()),
                };
                if entry.gate.is_retired() {
                    for errand in entry.drain_errands() {
                        self.give_up(errand, &host, now);
                    }
                }
                self.schedule(&host, now);
            }
            Event::Decided {
                host,
                seq,
                page,
                is_visit,
                queued,
            } => {
                self.tickets_out -= 1;
                let comes_again = queued.iter().any(|queued| queued.revisits.is_some());
                self.visits_left = self.visits_left.saturating_sub(u64::from(is_visit && !comes_again));
                self.pages_in_process -= u64::from(!is_visit);
                self.pages_decided += u64::from(page.is_some());
                let entry = self.host(&host);
                entry.urls = entry.urls.saturating_sub(1);
                entry.decided(seq, page.as_ref());
                self.learn(&host, seq, page.as_ref());
                self.add(queued, now);
                self.schedule(&host, now);
            }
            Event::Respelled { queued, url } => {
                self.tickets_out -= 1;
                self.pages_in_process -= is_new(&queued);
                let host = queued.host.clone();
                // It may come to wait; the next to test the rule need not.
                self.steering.end_test(&host, queued.seq);
                self.host(&host).respell(queued, url);
                self.schedule(&host, now);
            }
            Event::Robots { errand, answer } => {
                self.tickets_out -= 1;
                self.robots(errand, answer, now);
            }
            Event::Sitemap { queued, further } => {
                self.tickets_out -= 1;
                self.add(queued, now);
                for errand in further {
                    self.add_errand(errand, now);
                }
            }
            Event::Refilled { host, urls, more } => {
                self.tickets_out -= 1;
                self.host(&host).queue.refilled(urls, more);
                self.schedule(&host, now);
            }
            Event::Stop => self.stopping = true,
        }
    }

    /// The next thing to do.
    pub fn next(&mut self, now: Now) -> Step {
        self.clock.set(now);
        self.note_page_limit(now);
        if let Some(step) = self.held_back() {
            return step;
        }
        self.wake(now);
        while let Some(Reverse((at, _, _))) = self.due.peek() {
            if *at > now {
                let wakes_at = self.wakes_at().unwrap_or(*at);
                return Step::Wait(Some(wakes_at.min(*at)));
            }
            let Some(Reverse((_, _, who))) = self.due.pop() else {
                break;
            };
            let step = match who {
                Who::Host(name) => self.visit(&name, false, now),
                Who::Address(key) => self.visit_next_at(key, now),
            };
            if let Some(step) = step {
                return step;
            }
        }
        let ending = if self.takes_new {
            Ending::Exhausted
        } else {
            Ending::PageLimit
        };
        match self.idle(ending) {
            Step::Wait(None) => Step::Wait(self.wakes_at()),
            step => step,
        }
    }

    /// What the host does now, if anything. Its turn at its address may have come already.
    fn visit(&mut self, name: &str, has_turn: bool, now: Now) -> Option<Step> {
        let takes_new = self.takes_new;
        let host = self.host(name);
        host.is_due = false;
        let asks = host.has_work(takes_new) && !host.needs_refill(takes_new);
        let is_ready = host.gate.ready_at().is_some_and(|at| at <= now);
        let key = host.address;
        if let Some(key) = key.filter(|_| asks && is_ready && !has_turn)
            && !self.addresses.admits(key, now)
        {
            self.host(name).is_due = true;
            self.addresses.wait(key, name);
            self.schedule_address(key, now);
            return None;
        }
        let host = self.hosts.get_mut(name);
        let step = host.and_then(|host| host.step(name, takes_new, &mut self.steering, now));
        if let Some(key) = key
            && step.as_ref().is_some_and(HostStep::is_request)
        {
            self.addresses.start(key, now);
        }
        self.schedule(name, now);
        step.map(|step| self.issue(step, name))
    }

    /// What the host does whose turn it is at the address.
    fn visit_next_at(&mut self, key: AddressKey, now: Now) -> Option<Step> {
        let name = self.addresses.next(key, now);
        let step = name.and_then(|name| self.visit(&name, true, now));
        self.schedule_address(key, now);
        step
    }

    /// Tells the gates that the request passed.
    fn request_ended(&mut self, name: &str, signal: HostSignal, contact: Contact, now: Now) {
        let mut random = self.random.fork();
        let host = self.host(name);
        let (before, open) = (host.address, host.gate.open());
        host.gate.finish(now, signal, contact.latency, &mut random);
        if contact.address.is_some() {
            host.remote = contact.address;
        }
        let key = contact.address.map(|address| AddressKey::new(address, name)).or(before);
        host.address = key;
        if let Some(key) = key {
            if before != Some(key) && self.addresses.moved(name, before, key, open) {
                // It waits there no longer, and is scheduled anew once this event is taken in.
                self.host(name).is_due = false;
            }
            self.addresses.finish(key, now, signal, contact);
            self.schedule_address(key, now);
        }
        if let Some(before) = before {
            self.schedule_address(before, now);
        }
        self.mark_unsaved(name);
    }

    /// Hosts whose long rest is over have something to do again.
    fn wake(&mut self, now: Now) {
        while self.wakes_at().is_some_and(|at| at <= now)
            && let Some(Reverse((at, name))) = self.snoozed.pop()
        {
            self.push_due(at, Who::Host(name));
        }
    }

    fn wakes_at(&self) -> Option<Now> {
        self.snoozed.peek().map(|Reverse((at, _))| *at)
    }

    /// Whether URLs are left because they are foretold to be duplicates.
    #[must_use]
    pub fn holds_urls_back(&self) -> bool {
        self.hosts.values().any(|host| host.queue.leaves_some)
    }

    /// Takes new URLs, or no more, by the page limit. What of it is in process may come to nothing, and then it has room again.
    fn note_page_limit(&mut self, now: Now) {
        let is_reached = |limit| self.pages_decided + self.pages_in_process >= limit;
        let takes_new = !self.rules.max_pages.is_some_and(is_reached);
        let again = takes_new && !self.takes_new;
        self.takes_new = takes_new;
        if again {
            let names: Vec<String> = self.hosts.keys().cloned().collect();
            names.iter().for_each(|name| self.schedule(name, now));
        }
    }

    /// A bound that stops all work: asked to stop, all tickets out, all requests open, or the page limit without a visit
    /// that is to be made.
    fn held_back(&self) -> Option<Step> {
        if self.stopping {
            return Some(self.idle(Ending::Stopped));
        }
        if self.tickets_out >= self.window || self.requests_open >= self.rules.parallel {
            return Some(Step::Wait(None));
        }
        (!self.takes_new && self.visits_left == 0).then(|| self.idle(Ending::PageLimit))
    }

    fn idle(&self, ending: Ending) -> Step {
        if self.tickets_out > 0 {
            Step::Wait(None)
        } else {
            Step::Finished(ending)
        }
    }

    /// Gives the step a ticket.
    fn issue(&mut self, step: HostStep, host: &str) -> Step {
        self.tickets_out += 1;
        match step {
            HostStep::Page { queued, url } => {
                self.requests_open += 1;
                self.pages_in_process += is_new(&queued);
                Step::Start(Task::Page { queued, url })
            }
            HostStep::Exclude { queued, reason } => {
                self.pages_in_process += is_new(&queued);
                Step::Exclude { queued, reason }
            }
            HostStep::Fail { queued, unfit } => {
                self.pages_in_process += is_new(&queued);
                Step::Fail { queued, unfit }
            }
            HostStep::Postpone { queued, priority } => {
                self.pages_in_process += is_new(&queued);
                Step::Postpone { queued, priority }
            }
            HostStep::Errand(errand) => {
                self.requests_open += 1;
                Step::Start(Task::Errand {
                    host: host.to_owned(),
                    errand,
                })
            }
            HostStep::Recall(errand) => Step::Recall(errand),
            HostStep::Refill { skip, from } => Step::Refill {
                host: host.to_owned(),
                limit: BUFFER,
                skip,
                from,
            },
        }
    }

    /// Takes a verdict into account for the URLs that wait.
    fn learn(&mut self, host: &str, seq: u64, page: Option<&JudgedPage>) {
        self.steering.end_test(host, seq);
        let is_woken = page.is_some_and(|page| self.steering.decided(host, page));
        if is_woken {
            self.host(host).queue.look_at_left();
        }
    }

    fn host(&mut self, name: &str) -> &mut Host {
        if !self.hosts.contains_key(name) {
            let host = Host::new(name, &self.clock, &self.rules);
            self.hosts.insert(name.to_owned(), host);
        }
        #[allow(clippy::expect_used, reason = "inserted above where it was missing")]
        self.hosts.get_mut(name).expect("a host that was just inserted")
    }

    /// Notes when the host may have something to do, if it has anything.
    fn schedule(&mut self, name: &str, now: Now) {
        let takes_new = self.takes_new;
        let host = self.host(name);
        if host.is_due || !host.has_work(takes_new) {
            return;
        }
        let Some(at) = host.ready_at(takes_new, now) else {
            return;
        };
        let snoozes = !host.needs_refill(takes_new) && host.gate.snoozes_until(now).is_some();
        host.is_due = true;
        if snoozes {
            self.snoozed.push(Reverse((at, name.to_owned())));
        } else {
            // Not before now: who was ready long ago goes before who is ready now, but only once.
            self.push_due(at.max(now), Who::Host(name.to_owned()));
        }
    }

    /// Notes when a host that waits at the address may be asked, if one does.
    fn schedule_address(&mut self, key: AddressKey, now: Now) {
        if let Some(at) = self.addresses.schedule(key) {
            self.push_due(at.max(now), Who::Address(key));
        }
    }

    fn push_due(&mut self, at: Now, who: Who) {
        self.due.push(Reverse((at, self.turn, who)));
        self.turn += 1;
    }
}

/// 1 for a URL that was never fetched before.
fn is_new(queued: &QueuedUrl) -> u64 {
    u64::from(queued.revisits.is_none())
}

#[cfg(test)]
mod tests;
