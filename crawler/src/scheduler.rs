//! The sole owner of the frontier's order: decides which URL is fetched next, and when.
//!
//! A state machine without input or output: events go in with the time, steps come out. The pipeline feeds it and
//! carries out what it says, so its tests are tables of events and never sleep.
//!
//! Every job in the pipeline holds one of `window` tickets from the step that starts it to the event that ends it.
//! That bounds the memory of the whole and makes each channel between the stages long enough never to block.

mod host;
mod messages;
mod queue;

use std::cmp::Reverse;
use std::collections::{BinaryHeap, HashMap, HashSet};
use std::sync::Arc;

use storage::QueuedUrl;
use url::Url;

use crate::host_key::HostKey;
use crate::politeness::{CrawlClock, Now};
use crate::robots::Robots;
use crate::settings::Settings;
use crate::steering::{Decision, Steering};
use crate::trap;
use host::{Host, HostStep, Origin};
pub use messages::{Ending, Errand, Event, Retired, RobotsAnswer, Step, Task};

/// URLs of one host held in memory; the rest waits in the store.
const BUFFER: usize = 1_024;

/// Sitemaps fetched from one host, indexes included.
const MAX_SITEMAPS: usize = 1_000;

/// Redirects of a robots.txt that are followed; past them it counts as unavailable (RFC 9309, section 2.3.1.2).
const MAX_ROBOTS_REDIRECTS: u8 = 5;

/// Tries of a robots.txt that come to nothing, after which its origin is left alone for this run.
const MAX_ROBOTS_FAILURES: u8 = 3;

/// The frontier's order over all hosts. See the module's text.
#[derive(Debug)]
pub struct Scheduler {
    hosts: HashMap<String, Host>,
    /// Hosts that may have something to do, by when; each at most once.
    due: BinaryHeap<Reverse<(Now, u64, String)>>,
    /// Sitemaps that were ever to be fetched: two indexes may name one another.
    sitemaps_seen: HashSet<String>,
    clock: CrawlClock,
    rules: Rules,
    /// What the verdicts so far say of the URLs that wait.
    steering: Steering,
    window: usize,
    tickets_out: usize,
    requests_open: usize,
    pages_in_process: u64,
    pages_decided: u64,
    turn: u64,
    stopping: bool,
}

/// The settings that the scheduler goes by.
#[derive(Debug, Clone, Copy)]
struct Rules {
    politeness: crate::settings::Politeness,
    parallel: usize,
    max_pages: Option<u64>,
    max_pages_per_host: Option<u64>,
    traps: trap::Limits,
    steers: bool,
}

impl Scheduler {
    /// An empty frontier of which `pages_decided` pages were decided in earlier runs.
    #[must_use]
    pub fn new(settings: &Settings, window: usize, pages_decided: u64) -> Self {
        Self {
            hosts: HashMap::new(),
            due: BinaryHeap::new(),
            sitemaps_seen: HashSet::new(),
            clock: CrawlClock::default(),
            rules: Rules {
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
            turn: 0,
            stopping: false,
        }
    }

    /// A host with URLs in the store from before, and how many of its pages were decided then.
    pub fn add_stored_host(&mut self, host: &str, has_queued: bool, pages_decided: u64) {
        let takes_left = self.steering.takes_left(host);
        let entry = self.host(host);
        if takes_left {
            entry.queue.wake();
        }
        entry.queue.in_store |= has_queued;
        entry.pages_decided = pages_decided;
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
            self.host(&host).offer(queued);
            self.schedule(&host, now);
        }
    }

    /// Takes in what a stage reports.
    pub fn on(&mut self, event: Event, now: Now) {
        self.clock.set(now);
        match event {
            Event::RequestEnded { host, signal, failure } => {
                self.requests_open -= 1;
                let entry = self.host(&host);
                entry.gate.finish(now, signal);
                entry.last_failure = failure.or(entry.last_failure.take());
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
                queued,
            } => {
                self.tickets_out -= 1;
                self.pages_in_process -= 1;
                self.pages_decided += u64::from(page.is_some());
                self.host(&host).decided(seq, page.as_ref());
                self.learn(&host, seq, page.as_ref());
                self.add(queued, now);
                self.schedule(&host, now);
            }
            Event::Respelled { queued, url } => {
                self.tickets_out -= 1;
                self.pages_in_process -= 1;
                let host = queued.host.clone();
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
        if let Some(step) = self.held_back() {
            return step;
        }
        while let Some(Reverse((at, _, _))) = self.due.peek() {
            if *at > now {
                return Step::Wait(Some(*at));
            }
            let Some(Reverse((_, _, name))) = self.due.pop() else {
                break;
            };
            let step = match self.hosts.get_mut(&name) {
                Some(host) => {
                    host.is_due = false;
                    host.step(&name, &mut self.steering, now)
                }
                None => None,
            };
            self.schedule(&name, now);
            if let Some(step) = step {
                return self.issue(step, &name);
            }
        }
        self.idle(Ending::Exhausted)
    }

    /// Hosts that this run gave up.
    #[must_use]
    pub fn retired(&self) -> Vec<Retired> {
        let mut retired = Vec::new();
        for (name, host) in &self.hosts {
            if host.gate.is_retired() {
                retired.push(Retired {
                    host: name.clone(),
                    last_failure: host.last_failure.clone().unwrap_or_default(),
                });
            }
            retired.extend(host.closed().map(|(origin, reason)| Retired {
                host: origin.to_owned(),
                last_failure: reason.to_owned(),
            }));
        }
        retired.sort();
        retired
    }

    /// Whether URLs are left because they are foretold to be duplicates.
    #[must_use]
    pub fn has_left(&self) -> bool {
        self.hosts.values().any(|host| host.queue.has_left)
    }

    /// Hosts with something to fetch, now or later.
    #[must_use]
    pub fn hosts_waiting(&self) -> usize {
        self.due.len()
    }

    /// A bound that stops new work: asked to stop, all tickets out, all requests open, or the page limit.
    fn held_back(&self) -> Option<Step> {
        if self.stopping {
            return Some(self.idle(Ending::Stopped));
        }
        if self.tickets_out >= self.window || self.requests_open >= self.rules.parallel {
            return Some(Step::Wait(None));
        }
        let limit = self.rules.max_pages?;
        (self.pages_decided + self.pages_in_process >= limit).then(|| self.idle(Ending::PageLimit))
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
                self.pages_in_process += 1;
                Step::Start(Task::Page { queued, url })
            }
            HostStep::Exclude { queued, reason } => {
                self.pages_in_process += 1;
                Step::Exclude { queued, reason }
            }
            HostStep::Postpone { queued, priority } => {
                self.pages_in_process += 1;
                Step::Postpone { queued, priority }
            }
            HostStep::Errand(errand) => {
                self.requests_open += 1;
                Step::Start(Task::Errand {
                    host: host.to_owned(),
                    errand,
                })
            }
            HostStep::Refill { skip } => Step::Refill {
                host: host.to_owned(),
                limit: BUFFER,
                skip,
            },
        }
    }

    /// Takes a verdict into account for the URLs that wait.
    fn learn(&mut self, host: &str, seq: u64, page: Option<&Decision>) {
        self.steering.end_test(host, seq);
        let is_woken = page.is_some_and(|page| self.steering.decided(host, page));
        if is_woken {
            self.host(host).queue.wake();
        }
    }

    fn robots(&mut self, errand: Errand, answer: RobotsAnswer, now: Now) {
        let Errand::Robots {
            for_host,
            origin,
            url,
            redirects,
            failures,
        } = errand
        else {
            return;
        };
        match answer {
            RobotsAnswer::Rules(robots, sitemaps) => self.obey(&for_host, origin, robots, sitemaps, now),
            RobotsAnswer::Moved(to) if redirects < MAX_ROBOTS_REDIRECTS => {
                let moved = Errand::Robots {
                    for_host,
                    origin,
                    url: to,
                    redirects: redirects + 1,
                    failures,
                };
                self.add_errand(moved, now);
            }
            RobotsAnswer::Moved(_) => self.obey(&for_host, origin, Robots::allow_all(), Vec::new(), now),
            RobotsAnswer::Unreachable(reason) if failures + 1 >= MAX_ROBOTS_FAILURES => {
                self.close(&for_host, origin, format!("robots.txt: {reason}"), now);
            }
            // The gate of the host that failed spaces the tries.
            RobotsAnswer::Unreachable(_) => {
                let again = Errand::Robots {
                    for_host,
                    origin,
                    url,
                    redirects,
                    failures: failures + 1,
                };
                self.add_errand(again, now);
            }
        }
    }

    fn obey(&mut self, host: &str, origin: String, robots: Robots, sitemaps: Vec<Url>, now: Now) {
        let politeness = self.rules.politeness;
        let entry = self.host(host);
        if let Some(delay) = robots.crawl_delay() {
            entry.gate.slow_down_to(delay.min(politeness.max_crawl_delay), now);
        }
        entry.settle(origin, Origin::Open(Arc::new(robots)));
        self.schedule(host, now);
        if politeness.sitemaps {
            for url in sitemaps {
                let errand = Errand::Sitemap {
                    url,
                    depth: 0,
                    redirects: 0,
                };
                self.add_errand(errand, now);
            }
        }
    }

    /// Fetches nothing more of an origin in this run.
    fn close(&mut self, host: &str, origin: String, reason: String, now: Now) {
        self.host(host).settle(origin, Origin::Closed(reason));
        self.schedule(host, now);
    }

    fn add_errand(&mut self, errand: Errand, now: Now) {
        let Some(key) = HostKey::from_url(errand.url()) else {
            return self.give_up(errand, "a URL without a host", now);
        };
        let name = key.as_str().to_owned();
        if self.host(&name).gate.is_retired() {
            return self.give_up(errand, &name, now);
        }
        match &errand {
            Errand::Robots { .. } => self.host(&name).robots_errands.push_back(errand),
            Errand::Sitemap { url, .. } => {
                let is_new = self.sitemaps_seen.insert(url.to_string());
                let host = self.host(&name);
                if !is_new || host.sitemaps_taken >= MAX_SITEMAPS {
                    return;
                }
                host.sitemaps_taken += 1;
                host.sitemaps.push_back(errand);
            }
        }
        self.schedule(&name, now);
    }

    /// An errand that no host will run: whoever waits for it learns so.
    fn give_up(&mut self, errand: Errand, at: &str, now: Now) {
        match errand {
            Errand::Robots { for_host, origin, .. } => {
                self.close(&for_host, origin, format!("robots.txt is not to be had from {at}"), now);
            }
            Errand::Sitemap { url, .. } => tracing::info!(%url, at, "sitemap given up"),
        }
    }

    fn host(&mut self, name: &str) -> &mut Host {
        if !self.hosts.contains_key(name) {
            let host = Host::new(&self.clock, &self.rules);
            self.hosts.insert(name.to_owned(), host);
        }
        #[allow(clippy::expect_used, reason = "inserted above where it was missing")]
        self.hosts.get_mut(name).expect("a host that was just inserted")
    }

    /// Notes when the host may have something to do, if it has anything.
    fn schedule(&mut self, name: &str, now: Now) {
        let turn = self.turn;
        let host = self.host(name);
        if host.is_due || !host.has_work() {
            return;
        }
        let Some(at) = host.ready_at(now) else { return };
        host.is_due = true;
        self.turn += 1;
        self.due.push(Reverse((at, turn, name.to_owned())));
    }
}

#[cfg(test)]
mod tests;
