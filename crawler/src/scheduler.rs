//! The sole owner of the frontier's order: decides which URL is fetched next, and when.
//!
//! A state machine without input or output: events go in with the time, steps come out. The pipeline feeds it and
//! carries out what it says, so its tests are tables of events and never sleep.
//!
//! Every job in the pipeline holds one of `window` tickets from the step that starts it to the event that ends it.
//! That bounds the memory of the whole and makes each channel between the stages long enough never to block.

mod host;

use std::cmp::Reverse;
use std::collections::{BinaryHeap, HashMap, HashSet};
use std::sync::Arc;

use storage::QueuedUrl;
use url::Url;

use crate::politeness::{CrawlClock, HostSignal, Now};
use crate::robots::Robots;
use crate::settings::Settings;
use host::{Host, HostStep};

/// URLs of one host held in memory; the rest waits in the store.
const BUFFER: usize = 1_024;

/// Sitemaps taken from one robots.txt.
const MAX_SITEMAPS: usize = 100;

/// Redirects of a robots.txt that are followed; past them it counts as unavailable (RFC 9309, section 2.3.1.2).
const MAX_ROBOTS_REDIRECTS: u8 = 5;

/// Tries of a robots.txt that come to nothing, after which its host is left alone for this run.
const MAX_ROBOTS_FAILURES: u8 = 3;

/// A request to make.
#[derive(Debug, Clone)]
pub enum Task {
    /// A page of the frontier.
    Page {
        /// Its row in the frontier.
        queued: QueuedUrl,
        /// The same URL, parsed.
        url: Url,
    },
    /// An errand of the crawler's own.
    Errand {
        /// The host whose gate it passed.
        host: String,
        /// What to fetch.
        errand: Errand,
    },
}

/// A request that serves the crawl but is no page of it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Errand {
    /// robots.txt.
    Robots {
        /// The host that waits for it (a redirect may lead to another host's gate).
        for_host: String,
        /// `scheme://authority` that it rules.
        origin: String,
        /// Where it is asked for.
        url: Url,
        /// Redirects followed so far.
        redirects: u8,
        /// Tries that came to nothing so far.
        failures: u8,
    },
    /// A sitemap.
    Sitemap {
        /// Where it lies.
        url: Url,
        /// Sitemap indexes above it.
        depth: u8,
        /// Redirects followed so far.
        redirects: u8,
    },
}

impl Errand {
    /// Where it is asked for.
    #[must_use]
    pub fn url(&self) -> &Url {
        match self {
            Self::Robots { url, .. } | Self::Sitemap { url, .. } => url,
        }
    }
}

/// What came of a robots.txt.
#[derive(Debug)]
pub enum RobotsAnswer {
    /// Its rules.
    Rules(Robots),
    /// It lies elsewhere.
    Moved(Url),
    /// Neither rules nor a clear "there are none": nothing may be fetched (RFC 9309, section 2.3.1.4).
    Unreachable,
}

/// What the stages report.
#[derive(Debug)]
pub enum Event {
    /// A request has ended; its host's gate may open again.
    RequestEnded {
        /// The host that was asked.
        host: String,
        /// What the answer says of it.
        signal: HostSignal,
        /// What went wrong, in words.
        failure: Option<String>,
    },
    /// A page of the frontier has its outcome.
    Decided {
        /// Its row in the frontier.
        host: String,
        /// As in [`QueuedUrl`].
        seq: u64,
        /// Whether it was a page with a verdict (and not a redirect, a failure, …).
        is_page: bool,
        /// URLs that are new to the crawl, or come again.
        queued: Vec<QueuedUrl>,
    },
    /// A robots.txt errand has ended.
    Robots {
        /// The errand.
        errand: Errand,
        /// What came of it.
        answer: RobotsAnswer,
    },
    /// A sitemap errand has ended.
    Sitemap {
        /// Pages that are new to the crawl.
        queued: Vec<QueuedUrl>,
        /// Further sitemaps to fetch.
        further: Vec<Errand>,
    },
    /// The store's answer to [`Step::Refill`].
    Refilled {
        /// The host that was asked for.
        host: String,
        /// In the frontier's order.
        urls: Vec<QueuedUrl>,
        /// Whether the store holds more.
        more: bool,
    },
    /// Take no new URL, let what is in process end.
    Stop,
}

/// What to do next.
#[derive(Debug)]
pub enum Step {
    /// Make this request.
    Start(Task),
    /// Ask the store for more of a host's URLs, in order, without those handed out.
    Refill {
        /// The host.
        host: String,
        /// How many at most.
        limit: usize,
        /// Handed out and not decided, by `seq`.
        skip: HashSet<u64>,
    },
    /// Record a URL as excluded without a request.
    Exclude {
        /// Its row in the frontier.
        queued: QueuedUrl,
        /// Why: the rule of robots.txt that forbids it, or what is wrong with it.
        reason: String,
    },
    /// Nothing to do until an event, or until this time.
    Wait(Option<Now>),
    /// The crawl is over.
    Finished(Ending),
}

/// A host that a run gave up; its URLs stay queued.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct Retired {
    /// The host.
    pub host: String,
    /// What went wrong last, in words.
    pub last_failure: String,
}

/// Why a run ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Ending {
    /// Nothing is left to fetch (but URLs of retired hosts, or above a host's limit).
    Exhausted,
    /// `max_pages` are decided.
    PageLimit,
    /// Somebody asked to stop, or the time was up.
    Stopped,
}

/// The frontier's order over all hosts. See the module's text.
#[derive(Debug)]
pub struct Scheduler {
    hosts: HashMap<String, Host>,
    /// Hosts that may have something to do, by when; each at most once.
    due: BinaryHeap<Reverse<(Now, u64, String)>>,
    clock: CrawlClock,
    rules: Rules,
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
}

impl Scheduler {
    /// An empty frontier of which `pages_decided` pages were decided in earlier runs.
    #[must_use]
    pub fn new(settings: &Settings, window: usize, pages_decided: u64) -> Self {
        Self {
            hosts: HashMap::new(),
            due: BinaryHeap::new(),
            clock: CrawlClock::default(),
            rules: Rules {
                politeness: settings.politeness,
                parallel: settings.fetch.parallel,
                max_pages: settings.limits.max_pages,
                max_pages_per_host: settings.limits.max_pages_per_host,
            },
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
        let entry = self.host(host);
        entry.in_store |= has_queued;
        entry.pages_decided = pages_decided;
        self.schedule(host, Now::ZERO);
    }

    /// URLs that are new to the frontier.
    pub fn add(&mut self, urls: Vec<QueuedUrl>, now: Now) {
        for queued in urls {
            let host = queued.host.clone();
            self.host(&host).offer(queued, BUFFER);
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
                self.schedule(&host, now);
            }
            Event::Decided {
                host,
                seq,
                is_page,
                queued,
            } => {
                self.tickets_out -= 1;
                self.pages_in_process -= 1;
                self.pages_decided += u64::from(is_page);
                self.host(&host).decided(seq, is_page);
                self.add(queued, now);
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
                self.host(&host).refilled(urls, more);
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
            let host = self.host(&name);
            host.is_due = false;
            let step = host.step(&name, now);
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
        let retired = self.hosts.iter().filter(|(_, host)| host.gate.is_retired());
        let mut retired: Vec<_> = retired
            .map(|(name, host)| Retired {
                host: name.clone(),
                last_failure: host.last_failure.clone().unwrap_or_default(),
            })
            .collect();
        retired.sort();
        retired
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
            RobotsAnswer::Rules(robots) => self.obey(&for_host, origin, robots, now),
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
            RobotsAnswer::Moved(_) => self.obey(&for_host, origin, Robots::allow_all(), now),
            RobotsAnswer::Unreachable if failures + 1 >= MAX_ROBOTS_FAILURES => {
                self.host(&for_host).gate.retire();
            }
            // The gate of the host that failed spaces the tries.
            RobotsAnswer::Unreachable => {
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

    fn obey(&mut self, host: &str, origin: String, robots: Robots, now: Now) {
        let politeness = self.rules.politeness;
        let entry = self.host(host);
        if let Some(delay) = robots.crawl_delay() {
            entry.gate.slow_down_to(delay.min(politeness.max_crawl_delay), now);
        }
        let sitemaps: Vec<_> = robots
            .sitemaps()
            .iter()
            .filter_map(|text| Url::parse(text).ok())
            .collect();
        entry.robots.insert(origin, Some(Arc::new(robots)));
        self.schedule(host, now);
        if politeness.sitemaps {
            for url in sitemaps.into_iter().take(MAX_SITEMAPS) {
                self.add_sitemap(url, now);
            }
        }
    }

    fn add_sitemap(&mut self, url: Url, now: Now) {
        let errand = Errand::Sitemap {
            url,
            depth: 0,
            redirects: 0,
        };
        self.add_errand(errand, now);
    }

    fn add_errand(&mut self, errand: Errand, now: Now) {
        if let Some(host) = crate::host_key::HostKey::from_url(errand.url()) {
            let host = host.as_str().to_owned();
            self.host(&host).errands.push_back(errand);
            self.schedule(&host, now);
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
