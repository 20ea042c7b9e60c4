//! The servers of a simulated crawl and the store beside it. They check every request.

use std::collections::HashMap;
use std::net::IpAddr;
use std::time::{Duration, UNIX_EPOCH};

use storage::{Counts, HostRecord, QueuedUrl, Via};
use url::Url;
use web::fetch::{FetchError, Route};
use web::politeness::{Contact, HostSignal, Now};

use super::super::{BEGIN, queued, rules, stored};
use super::Plan;
use super::leases::Leases;
use crate::frontier::slow_lanes::SlowLanes;
use crate::frontier::{Frontier, MAX_LOOKUPS};
use crate::messages::{Errand, Event, HostsWanted, Refill, RobotsAnswer, Step, StoredHost, Task};
use crate::steering::{DuplicateOf, JudgedPage};
use config::settings::Settings;

/// The requests that a server has seen. Times are Unix ms.
#[derive(Debug, Default)]
pub(super) struct Seen {
    pub(super) open: usize,
    /// The start or the end of the last request, whichever the delay counts from.
    pub(super) asked_at: Option<u64>,
    /// The delay that was in force then.
    pub(super) delay: u64,
    /// No request may come before this time.
    pub(super) rests_until: u64,
}

#[derive(Debug)]
pub(super) struct Server {
    pub(super) name: String,
    pub(super) address: IpAddr,
    /// Whether the crawler knows the address.
    is_known: bool,
    pub(super) crawl_delay: u64,
    /// The crawler has read its robots.txt.
    has_robots: Option<u64>,
    /// URLs without an outcome.
    pub(super) left: HashMap<u64, QueuedUrl>,
    pub(super) seen: Seen,
}

pub(super) struct Open {
    /// Whether the request counts at an address. A request whose name did not resolve connects to none.
    pub(super) is_at_address: bool,
    ends_at: u64,
    pub(super) host: usize,
    pub(super) task: Task,
    signal: HostSignal,
    latency: u64,
}

pub(super) struct World {
    plan: Plan,
    pub(super) settings: Settings,
    pub(super) random: fastrand::Rng,
    pub(super) servers: Vec<Server>,
    pub(super) by_address: HashMap<IpAddr, Seen>,
    pub(super) open: Vec<Open>,
    /// The answers in a slow lane, each with its bytes and the end of its stay.
    lanes: Vec<(u64, usize, Open)>,
    /// The end of each look-up, and the host whose name it is.
    look_ups: Vec<(u64, usize)>,
    pub(super) saved: HashMap<String, HostRecord>,
    pub(super) started_at: u64,
    next_seq: u64,
    pub(super) requests: u64,
    pub(super) leases: Option<Leases>,
}

impl World {
    pub(super) fn new(plan: &Plan) -> Self {
        let mut random = fastrand::Rng::with_seed(plan.seed);
        let mut next_seq = 0;
        let mut literals = Vec::new();
        let servers = (0..plan.hosts).map(|n| {
            let address = IpAddr::from([192, 0, 2, random.u8(0..plan.addresses)]);
            let is_known = random.bool() && !literals.contains(&address);
            let name = if is_known {
                literals.push(address);
                address.to_string()
            } else {
                let domain = if plan.is_one_domain { "site.example" } else { "example" };
                format!("h{n}.{domain}")
            };
            let pages = (0..random.u64(1..8)).map(|page| {
                next_seq += 1;
                let via = plan.is_one_domain.then_some(Via::Page(0));
                let page = queued(next_seq, &format!("http://{name}/{page}"));
                (next_seq, QueuedUrl { via, ..page })
            });
            let left = pages.collect();
            Server {
                address,
                is_known,
                crawl_delay: if random.u8(0..3) == 0 { 2_500 } else { 0 },
                has_robots: None,
                left,
                seen: Seen::default(),
                name,
            }
        });
        let servers = servers.collect();
        Self {
            settings: plan.settings(),
            plan: plan.clone(),
            random,
            servers,
            by_address: HashMap::new(),
            open: Vec::new(),
            lanes: Vec::new(),
            look_ups: Vec::new(),
            saved: HashMap::new(),
            started_at: BEGIN,
            next_seq,
            requests: 0,
            leases: None,
        }
    }

    fn host(&self, name: &str) -> usize {
        self.servers.iter().position(|server| server.name == name).unwrap()
    }

    pub(super) fn now(&self, wall: u64) -> Now {
        Duration::from_millis(wall - self.started_at)
    }

    /// Runs from `wall` on, up to the end or until this many requests were made in all. Returns the time.
    pub(super) fn run(&mut self, frontier: &mut Frontier, mut wall: u64, until_requests: u64) -> u64 {
        for _ in 0..200_000 {
            if self.requests >= until_requests {
                return wall;
            }
            match frontier.next(self.now(wall)) {
                Step::Start(task, passage) => self.start(task, &passage.route, wall),
                Step::LookUp(host) => {
                    self.assert_lease(&host, wall);
                    assert!(self.look_ups.len() < MAX_LOOKUPS);
                    let ends_at = wall + self.random.u64(0..2_000);
                    self.look_ups.push((ends_at, self.host(&host)));
                }
                Step::Exclude { queued, .. } => panic!("{} excluded", queued.url),
                Step::Fail { queued, .. } => panic!("{} failed without a request", queued.url),
                Step::Postpone { queued, .. } => panic!("{} postponed, and nothing is a duplicate", queued.url),
                Step::Recall(errand) => {
                    let server = &self.servers[self.host(&for_host(&errand))];
                    let answer = match (server.has_robots, self.robots_of(server)) {
                        (Some(at), RobotsAnswer::Rules(robots, sitemaps)) => {
                            RobotsAnswer::Recalled(robots, sitemaps, at)
                        }
                        _ => RobotsAnswer::Forgotten,
                    };
                    frontier.on(Event::Robots { errand, answer }, self.now(wall));
                }
                Step::Refill(Refill {
                    host,
                    limit,
                    skip,
                    from,
                }) => {
                    let left = &self.servers[self.host(&host)].left;
                    let is_wanted =
                        |url: &&QueuedUrl| !skip.contains(&url.seq) && Some((url.priority, url.depth, url.seq)) > from;
                    let mut urls: Vec<_> = left.values().filter(is_wanted).cloned().collect();
                    urls.sort_by_key(|url| url.seq);
                    assert!(urls.len() <= limit);
                    let more = false;
                    frontier.on(Event::Refilled { host, urls, more }, self.now(wall));
                }
                Step::LoadHosts(wanted) => {
                    let loaded = self.loaded(&wanted);
                    frontier.on(loaded, self.now(wall));
                }
                Step::ReadSeeds => panic!("there are no seeds"),
                Step::Freed(group) => self.freed(group),
                Step::Finished(_) => return wall,
                Step::Wait(until) => {
                    let until = until.map(|until| self.started_at + until.as_nanos().div_ceil(1_000_000) as u64);
                    let requests = self
                        .open
                        .iter()
                        .enumerate()
                        .map(|(index, open)| (open.ends_at, 0, index));
                    let look_ups = self.look_ups.iter().enumerate();
                    let look_ups = look_ups.map(|(index, (ends_at, _))| (*ends_at, 1, index));
                    let leases = self.leases.as_ref().map(|leases| (leases.next_at(), 2, 0));
                    let lanes = self.lanes.iter().enumerate();
                    let lanes = lanes.map(|(index, (ends_at, ..))| (*ends_at, 3, index));
                    match (requests.chain(look_ups).chain(leases).chain(lanes).min(), until) {
                        (Some((ends_at, kind, index)), until) if until.is_none_or(|until| ends_at <= until) => {
                            wall = wall.max(ends_at);
                            match kind {
                                0 => self.end(index, frontier, wall),
                                2 => self.move_leases(frontier, wall),
                                3 => self.leave_lane(index, frontier, wall),
                                _ => self.end_look_up(index, frontier, wall),
                            }
                        }
                        (_, Some(until)) => wall = wall.max(until).max(wall + u64::from(until <= wall)),
                        (_, None) => panic!("it waits for nothing"),
                    }
                }
            }
            self.saved.extend(frontier.take_unsaved());
        }
        panic!("it does not end")
    }

    /// The hosts with URLs, as the store has them.
    fn loaded(&self, wanted: &HostsWanted) -> Event {
        let mut servers: Vec<&Server> = self.servers.iter().filter(|server| !server.left.is_empty()).collect();
        servers.sort_by(|a, b| a.name.cmp(&b.name));
        let mut behind = None;
        match wanted {
            HostsWanted::Named(names) => servers.retain(|server| names.contains(&server.name)),
            HostsWanted::Behind { name, limit } => {
                servers.retain(|server| server.name > *name);
                if servers.len() > *limit {
                    servers.truncate(*limit);
                    behind = servers.last().map(|server| server.name.clone());
                }
            }
        }
        let stored = |server: &Server| StoredHost {
            name: server.name.clone(),
            counts: Counts {
                queued: server.left.len() as u64,
                ..Counts::default()
            },
            record: self.saved.get(&server.name).cloned(),
            urls: Vec::new(),
        };
        let hosts = servers.into_iter().map(stored).collect();
        Event::HostsLoaded { hosts, behind }
    }

    fn end_look_up(&mut self, index: usize, frontier: &mut Frontier, wall: u64) {
        let (_, host) = self.look_ups.swap_remove(index);
        let server = &mut self.servers[host];
        let route = if self.random.u32(0..100) < self.plan.failing {
            Route::Unresolved(FetchError::Dns("failed".into()))
        } else {
            server.is_known = true;
            let address = server.address;
            self.count_at_address(host);
            Route::Addresses([address].into())
        };
        let host = self.servers[host].name.clone();
        frontier.on(Event::LookedUp { host, route }, self.now(wall));
    }

    /// Counts the open requests of the host at its address.
    fn count_at_address(&mut self, host: usize) {
        let seen = self.by_address.entry(self.servers[host].address).or_default();
        for open in self
            .open
            .iter_mut()
            .filter(|open| open.host == host && !open.is_at_address)
        {
            open.is_at_address = true;
            seen.open += 1;
        }
    }

    fn start(&mut self, task: Task, route: &Route, wall: u64) {
        self.requests += 1;
        let name = match &task {
            Task::Page { queued, .. } => queued.host.clone(),
            Task::Errand { host, .. } => host.clone(),
        };
        self.assert_lease(&name, wall);
        let host = self.host(&name);
        let rules = self.settings.politeness;
        let server = &mut self.servers[host];
        let base = rules.delay.as_millis() as u64;
        let crawl_delay = server.has_robots.map_or(0, |_| server.crawl_delay);
        server
            .seen
            .start(&name, wall, base.max(crawl_delay), rules.parallel_per_host);
        let is_at_address = server.is_known && !matches!(route, Route::Unresolved(_));
        if is_at_address {
            let seen = self.by_address.entry(server.address).or_default();
            let delay = rules.address_delay.as_millis() as u64;
            seen.start(&server.address.to_string(), wall, delay, rules.parallel_per_address);
        }
        assert_eq!(
            matches!(route, Route::Direct),
            !self.plan.looks_up || server.name.starts_with("192."),
            "{name}"
        );
        let latency = self.random.u64(0..3_000);
        let signal = match self.random.u32(0..100) {
            _ if matches!(route, Route::Unresolved(_)) => HostSignal::Absent,
            n if n >= self.plan.failing => HostSignal::Answered,
            n if n % 3 == 0 => HostSignal::Unreachable,
            n => HostSignal::Busy {
                retry_after: (n % 3 == 1).then(|| Duration::from_secs(self.random.u64(0..60))),
            },
        };
        self.open.push(Open {
            is_at_address,
            ends_at: wall + latency + self.random.u64(0..500),
            host,
            task,
            signal,
            latency,
        });
    }

    fn end(&mut self, index: usize, frontier: &mut Frontier, wall: u64) {
        let (host, signal) = (self.open[index].host, self.open[index].signal);
        let answers = !matches!(signal, HostSignal::Unreachable | HostSignal::Absent);
        if answers && !self.servers[host].is_known {
            self.servers[host].is_known = true;
            self.count_at_address(host);
        }
        let open = self.open.swap_remove(index);
        let rules = self.settings.politeness;
        let server = &mut self.servers[host];
        server.seen.end(wall, rules.parallel_per_host);
        if open.is_at_address {
            let seen = self.by_address.entry(server.address).or_default();
            seen.end(wall, rules.parallel_per_address);
        }
        let least = rules.retry_delay.min(rules.max_wait * 2 / 3).as_millis() as u64;
        let rest = match open.signal {
            HostSignal::Answered => 0,
            // The servers of the simulation give neither.
            HostSignal::Waits(_) | HostSignal::Faulty { .. } => unreachable!(),
            HostSignal::Busy { retry_after } => least.max(retry_after.unwrap_or_default().as_millis() as u64),
            HostSignal::Unreachable => least,
            // The first rest of a host that has never answered is at most a second.
            HostSignal::Absent => least.min(1_000),
        };
        if rest > 0 {
            server.seen.rests_until = server.seen.rests_until.max(wall + rest);
        }
        let name = server.name.clone();
        let ended = Event::RequestEnded {
            host: name,
            signal: open.signal,
            failure: (rest > 0).then(|| "failed".to_owned()),
            contact: Contact {
                address: answers.then_some(server.address),
                latency: answers.then(|| Duration::from_millis(open.latency)),
            },
        };
        let now = self.now(wall);
        let is_page = matches!(open.task, Task::Page { .. });
        if is_page && open.signal == HostSignal::Answered && self.random.u32(0..100) < self.plan.slow {
            return self.enter_lane(open, ended, frontier, wall);
        }
        frontier.on(ended, now);
        let event = self.meaning(open, wall);
        frontier.on(event, now);
    }

    /// The answer waits for a slow lane. The frontier learns of it before or after the end of the request.
    fn enter_lane(&mut self, open: Open, ended: Event, frontier: &mut Frontier, wall: u64) {
        let bytes = self.random.usize(0..3_000_000);
        let host = self.servers[open.host].name.clone();
        let mut events = [Event::LaneEntered { host, bytes }, ended];
        if self.random.bool() {
            events.reverse();
        }
        let now = self.now(wall);
        events.into_iter().for_each(|event| frontier.on(event, now));
        let of_host = |open: &Open, host| open.host == host;
        let others = self.lanes.iter().filter(|(_, _, other)| of_host(other, open.host));
        let bytes_of_others: usize = others.clone().map(|(_, bytes, _)| bytes).sum();
        // The requests that were open when the host got its share.
        let further = self.settings.politeness.parallel_per_host;
        assert!(others.count() < SlowLanes::MAX_ANSWERS - 1 + further);
        let max_bytes = self.settings.fetch.memory_bytes / 2 / SlowLanes::MEMORY_SHARE;
        assert!(bytes_of_others <= max_bytes + further * 3_000_000);
        self.lanes.push((wall + self.random.u64(0..20_000), bytes, open));
    }

    fn leave_lane(&mut self, index: usize, frontier: &mut Frontier, wall: u64) {
        let (_, bytes, open) = self.lanes.swap_remove(index);
        let host = self.servers[open.host].name.clone();
        let mut events = [Event::LaneLeft { host, bytes }, self.meaning(open, wall)];
        // The verdict may come before the thread of the lane says so.
        if self.random.bool() {
            events.reverse();
        }
        let now = self.now(wall);
        events.into_iter().for_each(|event| frontier.on(event, now));
    }

    fn meaning(&mut self, open: Open, wall: u64) -> Event {
        let is_well = open.signal == HostSignal::Answered;
        match open.task {
            Task::Errand { errand, .. } => {
                let answer = if is_well {
                    self.servers[open.host].has_robots = Some(wall);
                    self.robots_of(&self.servers[open.host])
                } else {
                    RobotsAnswer::Unreachable("failed".into())
                };
                Event::Robots { errand, answer }
            }
            Task::Page { queued: page, .. } => {
                let left = &mut self.servers[open.host].left;
                left.remove(&page.seq);
                let mut again = Vec::new();
                if !is_well {
                    self.next_seq += 1;
                    again.push(QueuedUrl {
                        seq: self.next_seq,
                        ..page.clone()
                    });
                    left.insert(self.next_seq, again[0].clone());
                }
                Event::Decided {
                    host: page.host,
                    seq: page.seq,
                    page: is_well.then(|| JudgedPage {
                        duplicate_of: self.duplicate_of(),
                        ..JudgedPage::new(page.seq, &page.url, None, None)
                    }),
                    is_visit: false,
                    queued: again,
                }
            }
        }
    }

    /// The verdict on a page.
    fn duplicate_of(&mut self) -> Option<DuplicateOf> {
        (self.plan.is_one_domain && self.random.bool()).then(|| DuplicateOf {
            page: 0,
            url: "http://other.example/".to_owned(),
            is_exact: false,
            new_links: None,
        })
    }

    fn robots_of(&self, server: &Server) -> RobotsAnswer {
        rules(&format!(
            "User-agent: *\nCrawl-delay: {}\n",
            server.crawl_delay as f64 / 1_000.0
        ))
    }

    /// Starts another run in the place of the last, whose open requests are cut off.
    pub(super) fn restart(&mut self, wall: u64, is_killed: bool) -> Frontier {
        self.started_at = wall + self.random.u64(0..600);
        let cut = std::mem::take(&mut self.open);
        self.look_ups.clear();
        let read = std::mem::take(&mut self.lanes);
        for open in &cut {
            let rules = self.settings.politeness;
            let server = &mut self.servers[open.host];
            server.seen.end(wall, rules.parallel_per_host);
            if open.is_at_address {
                let seen = self.by_address.entry(server.address).or_default();
                seen.end(wall, rules.parallel_per_address);
            }
        }
        let mut frontier = self.frontier();
        assert!(
            is_killed || cut.is_empty() && read.is_empty(),
            "a stop lets what is in process end"
        );
        if is_killed {
            frontier.was_interrupted();
        }
        if self.plan.has_fleet {
            return frontier;
        }
        if self.servers.len() > self.plan.room {
            frontier.loads_hosts(0);
            return frontier;
        }
        for server in &self.servers {
            if let Some(state) = self.saved.get(&server.name) {
                frontier.restore(&server.name, state);
            }
            frontier.add_stored_host(&server.name, &stored(server.left.len() as u64));
        }
        frontier
    }

    pub(super) fn frontier(&mut self) -> Frontier {
        let frontier = Frontier::new(&self.settings, 40, 0)
            .begun_at(UNIX_EPOCH + Duration::from_millis(self.started_at))
            .with_seed(self.random.u64(..))
            .with_room_for(self.plan.room);
        if !self.plan.has_fleet {
            return frontier;
        }
        let (leases, frontier) = Leases::begin(self.started_at, frontier);
        self.leases = Some(leases);
        frontier
    }
}

fn for_host(errand: &Errand) -> String {
    match errand {
        Errand::Robots { for_host, .. } => for_host.clone(),
        Errand::Sitemap { url, .. } => Url::to_string(url),
        Errand::Subrequest(subrequest) => subrequest.page_host().to_owned(),
        Errand::Login(errand) => errand.url.to_string(),
    }
}

impl Seen {
    fn start(&mut self, who: &str, wall: u64, delay: u64, parallel: usize) {
        assert!(self.open < parallel, "{who}: {} requests are open already", self.open);
        assert!(
            wall >= self.rests_until,
            "{who} rests until {}, it is {wall}",
            self.rests_until
        );
        if let Some(at) = self.asked_at {
            assert!(
                wall >= at + self.delay,
                "{who} asked at {at}, again at {wall}, delay {}",
                self.delay
            );
        }
        self.open += 1;
        self.delay = delay;
        if parallel > 1 {
            self.asked_at = Some(wall);
        }
    }

    pub(super) fn end(&mut self, wall: u64, parallel: usize) {
        self.open -= 1;
        if parallel == 1 {
            self.asked_at = Some(wall);
        }
    }
}
