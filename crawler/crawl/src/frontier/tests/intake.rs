//! Unread seeds, and hosts without room in memory.

use std::collections::{BTreeMap, HashMap};
use std::time::UNIX_EPOCH;

use storage::{Counts, HostRecord, Via};

use super::*;
use crate::frontier::rules_memory::MAX_RULES_BYTES;
use crate::frontier::state::OriginState;
use crate::messages::{HostsWanted, StoredHost};
use crate::steering::PRIORITY_HELD_BACK;

/// A store with URLs, by host.
#[derive(Default)]
struct Stored {
    urls: BTreeMap<String, Vec<QueuedUrl>>,
}

impl Stored {
    /// Hosts of one page each.
    fn of(hosts: usize) -> Self {
        let url = |n: usize| queued(n as u64, &format!("http://h{n:05}.example/"));
        let urls = (0..hosts).map(url).map(|queued| (queued.host.clone(), vec![queued]));
        Self { urls: urls.collect() }
    }

    fn load(&self, wanted: &HostsWanted) -> Event {
        let mut names: Vec<&String> = self.urls.keys().collect();
        let mut behind = None;
        match wanted {
            HostsWanted::Named(named) => names.retain(|name| named.contains(name)),
            HostsWanted::Behind { name, limit } => {
                names.retain(|found| *found > name);
                behind = names.get(*limit).map(|_| names[limit - 1].clone());
                names.truncate(*limit);
            }
        }
        let hosts = names.into_iter().map(|name| StoredHost {
            name: name.clone(),
            counts: Counts {
                queued: self.urls[name].len() as u64,
                ..Counts::default()
            },
            record: None,
            urls: self.urls[name].clone(),
        });
        Event::HostsLoaded {
            hosts: hosts.collect(),
            behind,
        }
    }

    /// Crawls to the end, and returns the number of requests for each URL and the largest number of hosts in memory.
    fn crawl(mut self, frontier: &mut Frontier) -> (HashMap<String, u32>, usize) {
        let (mut asked, mut most, mut now) = (HashMap::new(), 0, at(0));
        loop {
            match frontier.next(now) {
                Step::Start(Task::Page { queued, .. }, _) => {
                    *asked.entry(queued.url.clone()).or_default() += 1;
                    self.urls.remove(&queued.host);
                    frontier.on(ended(&queued.host), now);
                    frontier.on(decided(&queued.host, queued.seq, true), now);
                    frontier.take_unsaved();
                }
                Step::LoadHosts(wanted) => frontier.on(self.load(&wanted), now),
                Step::Wait(Some(until)) => now = until,
                Step::Finished(Ending::Exhausted) => return (asked, most),
                other => panic!("{other:?}"),
            }
            most = most.max(frontier.hosts.len());
        }
    }
}

fn all_once(asked: &HashMap<String, u32>, hosts: usize) -> bool {
    asked.len() == hosts && asked.values().all(|times| *times == 1)
}

#[test]
fn a_crawl_of_more_hosts_than_the_memory_holds_fetches_each_once() {
    let mut frontier = Frontier::new(&settings(|_| {}), WINDOW, 0).with_room_for(50);
    let stored = Stored::of(3_000);
    frontier.add(stored.urls.values().flatten().cloned().collect(), at(0));
    let (asked, most) = stored.crawl(&mut frontier);
    assert!(all_once(&asked, 3_000), "{} of 3,000", asked.len());
    assert!(most <= 50, "{most} hosts in memory");
}

#[test]
fn the_hosts_that_earlier_runs_left_come_in_as_there_is_room() {
    let mut frontier = Frontier::new(&settings(|_| {}), WINDOW, 0).with_room_for(50);
    frontier.loads_hosts(0);
    let (asked, most) = Stored::of(3_000).crawl(&mut frontier);
    assert!(all_once(&asked, 3_000), "{} of 3,000", asked.len());
    assert!(most <= 50, "{most} hosts in memory");
}

#[test]
fn names_that_wait_for_a_trial_do_not_keep_the_hosts_of_other_domains_out() {
    let mut frontier = Frontier::new(&settings(|_| {}), WINDOW, 0).with_room_for(20);
    let linked = |seq: u64, host: &str| QueuedUrl {
        via: Some(Via::Page(0)),
        ..queued(seq, &format!("http://{host}/"))
    };
    let names = (0..200).map(|n| linked(n, &format!("n{n:03}.site.example")));
    let urls = names.chain([linked(1_000, "z.example")]);
    let stored = Stored {
        urls: urls.map(|url| (url.host.clone(), vec![url])).collect(),
    };
    frontier.loads_hosts(0);
    let mut now = at(0);
    for _ in 0..5_000 {
        match frontier.next(now) {
            Step::Start(Task::Page { queued, .. }, _) if queued.host == "z.example" => return,
            // The names with a place never answer.
            Step::Start(..) => {}
            Step::Refill(Refill { host, skip, .. }) => {
                let mut urls = stored.urls[&host].clone();
                urls.retain(|url| !skip.contains(&url.seq));
                let more = false;
                frontier.on(Event::Refilled { host, urls, more }, now);
            }
            Step::LoadHosts(wanted) => frontier.on(stored.load(&wanted), now),
            Step::Wait(Some(until)) => now = until,
            other => panic!("{other:?}"),
        }
        assert!(frontier.hosts.len() <= 20 + 1);
    }
    panic!("the other host is never asked");
}

#[test]
fn hosts_that_are_given_up_make_room_are_counted_and_are_not_asked_again() {
    let settings = settings(|config| {
        config.politeness.delay_ms = 0;
        config.politeness.retry_delay_ms = 1;
    });
    let mut frontier = Frontier::new(&settings, WINDOW, 0).with_room_for(20);
    let stored = Stored::of(1_500);
    frontier.loads_hosts(0);
    let (mut requests, mut now) = (0, at(0));
    loop {
        match frontier.next(now) {
            Step::Start(Task::Page { queued, .. }, _) => {
                requests += 1;
                let host = queued.host.clone();
                frontier.on(
                    Event::RequestEnded {
                        host: host.clone(),
                        signal: HostSignal::Unreachable,
                        failure: Some("no connection".into()),
                        contact: Contact::default(),
                    },
                    now,
                );
                let (seq, again) = (
                    queued.seq,
                    QueuedUrl {
                        seq: queued.seq + 1_500,
                        ..queued
                    },
                );
                frontier.on(
                    Event::Decided {
                        host,
                        seq,
                        page: None,
                        is_visit: false,
                        queued: vec![again],
                    },
                    now,
                );
                frontier.take_unsaved();
            }
            Step::LoadHosts(wanted) => frontier.on(stored.load(&wanted), now),
            Step::Wait(Some(until)) => now = until,
            Step::Finished(_) => break,
            other => panic!("{other:?}"),
        }
        assert!(frontier.hosts.len() <= 20);
    }
    assert!(requests % 1_500 == 0 && requests <= 1_500 * 5, "{requests} requests");
    assert_eq!(frontier.given_up().len() as u64 + frontier.further_given_up(), 1_500);
}

#[test]
fn a_host_that_awaits_its_urls_from_the_store_stays_in_memory() {
    let mut frontier = Frontier::new(&settings(|_| {}), WINDOW, 0).with_room_for(1);
    frontier.loads_hosts(0);
    let stored = Stored::of(2);
    let Step::LoadHosts(wanted) = frontier.next(at(0)) else {
        panic!()
    };
    let Event::HostsLoaded { mut hosts, behind } = stored.load(&wanted) else {
        panic!()
    };
    let urls = std::mem::take(&mut hosts[0].urls);
    frontier.on(Event::HostsLoaded { hosts, behind }, at(0));
    let Step::Refill(refill) = frontier.next(at(0)) else {
        panic!()
    };
    // Between them, the frontier searches for hosts to release.
    assert!(matches!(frontier.next(at(0)), Step::Wait(_)));
    assert!(matches!(frontier.next(at(2_000)), Step::Wait(_)));
    let refilled = |urls| Event::Refilled {
        host: refill.host.clone(),
        urls,
        more: false,
    };
    frontier.on(refilled(urls), at(2_000));
    assert_eq!(started(frontier.next(at(2_000))), "http://h00000.example/");
    frontier.on(ended("h00000.example"), at(2_000));
    frontier.on(decided("h00000.example", 0, true), at(2_000));
    frontier.take_unsaved();
    // URLs that an earlier run held back are judged again.
    assert!(matches!(frontier.next(at(2_000)), Step::Refill(_)));
    frontier.on(refilled(Vec::new()), at(2_000));
    let Step::Wait(Some(until)) = frontier.next(at(2_000)) else {
        panic!()
    };
    assert!(matches!(frontier.next(until.max(at(5_000))), Step::LoadHosts(_)));
}

#[test]
fn a_host_that_came_for_an_errand_gets_its_urls_from_the_store() {
    let mut frontier = Frontier::new(&settings(|_| {}), WINDOW, 0).with_room_for(1);
    frontier.add(site("a.example", 1), at(0));
    frontier.add(site("b.example", 1), at(0));
    // The robots.txt of another host leads here.
    frontier.host("b.example");
    let mut stored = Stored::default();
    stored.urls.insert("b.example".into(), site("b.example", 1));
    let loaded = stored.load(&HostsWanted::Named(vec!["b.example".into()]));
    frontier.on(loaded, at(0));
    let steps = [frontier.next(at(0)), frontier.next(at(0))];
    let asks_for = |host: &str| {
        steps
            .iter()
            .any(|step| matches!(step, Step::Refill(refill) if refill.host == host))
    };
    assert!(asks_for("b.example"), "{steps:?}");
}

#[test]
fn the_run_does_not_end_before_its_seeds_are_read() {
    let mut frontier = Frontier::new(&settings(|_| {}), WINDOW, 0);
    frontier.reads_seeds();
    let read = |queued, more| Event::SeedsRead {
        queued,
        known: Vec::new(),
        sitemaps: Vec::new(),
        more,
    };
    assert!(matches!(frontier.next(at(0)), Step::ReadSeeds));
    assert!(matches!(frontier.next(at(0)), Step::Wait(None)));
    frontier.on(read(site("a.example", 1), true), at(1));
    assert!(matches!(frontier.next(at(1)), Step::ReadSeeds));
    assert_eq!(started(frontier.next(at(1))), "http://a.example/0");
    frontier.on(ended("a.example"), at(2));
    frontier.on(decided("a.example", 0, true), at(2));
    assert!(matches!(frontier.next(at(2)), Step::Wait(None)));
    frontier.on(read(Vec::new(), false), at(3));
    assert!(matches!(frontier.next(at(3)), Step::Finished(Ending::Exhausted)));
}

#[test]
fn a_stop_does_not_wait_for_the_seeds() {
    let mut frontier = Frontier::new(&settings(|_| {}), WINDOW, 0);
    frontier.reads_seeds();
    assert!(matches!(frontier.next(at(0)), Step::ReadSeeds));
    frontier.on(Event::Stop, at(1));
    assert!(matches!(frontier.next(at(1)), Step::Finished(Ending::Stopped)));
    assert!(frontier.has_unread_seeds());
}

#[test]
fn the_rules_of_all_hosts_have_a_bound() {
    let mut frontier = Frontier::new(&settings(|c| c.politeness.robots = true), 1_000, 0);
    let lines: String = (0..30_000).map(|n| format!("Disallow: /{n:05}\n")).collect();
    let text = format!("User-agent: *\n{lines}");
    for n in 0..60 {
        let host = format!("h{n}.example");
        frontier.add(site(&host, 1), at(0));
        let errand = robots_of(frontier.next(at(0)));
        frontier.on(ended(&host), at(0));
        let answer = rules(&text);
        frontier.on(Event::Robots { errand, answer }, at(0));
    }
    let rules = frontier.hosts.values().flat_map(|host| host.origins.values());
    let bytes: usize = rules
        .map(|state| match state {
            OriginState::Open { robots, .. } => robots.heap_bytes(),
            other => panic!("{other:?}"),
        })
        .sum();
    assert!((1..=MAX_RULES_BYTES).contains(&bytes), "{bytes} bytes");
    assert!(frontier.hosts.values().any(|host| host.origins.is_empty()));
}

/// The hosts that the frontier asks the store for by name, after other steps of the next seconds.
fn next_named(frontier: &mut Frontier, now: &mut Now) -> Vec<String> {
    for _ in 0..100 {
        match frontier.next(*now) {
            Step::LoadHosts(HostsWanted::Named(names)) => return names,
            // The store queues it behind all others.
            Step::Postpone { queued, priority } => {
                let (host, seq) = (queued.host.clone(), queued.seq);
                let again = QueuedUrl {
                    priority,
                    seq: seq + 100,
                    ..queued
                };
                let event = Event::Decided {
                    host,
                    seq,
                    page: None,
                    is_visit: false,
                    queued: vec![again],
                };
                frontier.on(event, *now);
                frontier.take_unsaved();
            }
            Step::Wait(Some(until)) => *now = until,
            other => panic!("{other:?}"),
        }
    }
    panic!("no host is asked for");
}

fn loaded(host: &str, record: Option<HostRecord>, urls: Vec<QueuedUrl>) -> Event {
    Event::HostsLoaded {
        hosts: vec![StoredHost {
            name: host.into(),
            counts: stored(urls.len() as u64),
            record,
            urls,
        }],
        behind: None,
    }
}

#[test]
fn a_robots_txt_that_leads_to_a_host_in_the_store_waits_for_the_treatment_of_that_host() {
    let begin = UNIX_EPOCH + Duration::from_millis(BEGIN);
    let settings = settings(|config| config.politeness.robots = true);
    let mut frontier = Frontier::new(&settings, WINDOW, 0).begun_at(begin).with_room_for(1);
    frontier.add(site("a.example", 1), at(0));
    frontier.add(site("b.example", 1), at(0));
    let errand = robots_of(frontier.next(at(0)));
    frontier.on(ended("a.example"), at(10));
    let answer = RobotsAnswer::Moved(Url::parse("http://b.example/robots.txt").unwrap());
    frontier.on(Event::Robots { errand, answer }, at(10));
    let mut now = at(10);
    assert_eq!(next_named(&mut frontier, &mut now), ["b.example"]);
    assert!(
        matches!(frontier.next(now), Step::Wait(_)),
        "no request before the answer of the store"
    );
    let rests = HostRecord {
        rests_until: BEGIN + 60_000,
        ..HostRecord::default()
    };
    frontier.on(loaded("b.example", Some(rests), Vec::new()), now);
    let asked_at = loop {
        match frontier.next(now) {
            Step::Start(Task::Errand { host, .. }, _) if host == "b.example" => break now,
            Step::Wait(Some(until)) => now = until,
            other => panic!("{other:?}"),
        }
    };
    assert_eq!(asked_at, at(60_000));
}

/// A frontier with room for one host, which has released `a.example` because all its URLs are held back, and a time after that.
fn with_a_released_host() -> (Frontier, Now) {
    let settings = settings(|config| config.steering.apply = vec!["a.example: parameter sid".into()]);
    let mut frontier = Frontier::new(&settings, WINDOW, 0).with_room_for(1);
    frontier.add(vec![queued(0, "http://a.example/p")], at(0));
    frontier.add(site("b.example", 1), at(0));
    assert_eq!(started(frontier.next(at(0))), "http://a.example/p");
    frontier.on(ended("a.example"), at(10));
    let page = JudgedPage::new(1, "http://a.example/p", None, None);
    frontier.on(
        Event::Decided {
            host: "a.example".into(),
            seq: 0,
            page: Some(page),
            is_visit: false,
            queued: vec![queued(1, "http://a.example/p?sid=1")],
        },
        at(10),
    );
    frontier.take_unsaved();
    let mut now = at(10);
    assert_eq!(next_named(&mut frontier, &mut now), ["b.example"]);
    assert!(frontier.released.is_set_aside("a.example") && frontier.released.hold_urls_back());
    frontier.on(loaded("b.example", None, site("b.example", 1)), now);
    assert_eq!(started(frontier.next(now)), "http://b.example/0");
    frontier.on(ended("b.example"), now);
    (frontier, now)
}

#[test]
fn a_released_host_whose_urls_are_held_back_comes_back_for_a_new_url() {
    for (url, comes_back) in [(Some("http://a.example/new"), true), (None, false)] {
        let (mut frontier, mut now) = with_a_released_host();
        frontier.on(
            Event::Decided {
                host: "b.example".into(),
                seq: 0,
                page: None,
                is_visit: false,
                queued: url.map(|url| queued(2, url)).into_iter().collect(),
            },
            now,
        );
        frontier.take_unsaved();
        if comes_back {
            assert_eq!(next_named(&mut frontier, &mut now), ["a.example"]);
            let held_back = QueuedUrl {
                priority: PRIORITY_HELD_BACK,
                ..queued(101, "http://a.example/p?sid=1")
            };
            let urls = vec![held_back, queued(2, "http://a.example/new")];
            frontier.on(loaded("a.example", None, urls), now);
            assert_eq!(started(frontier.next(now)), "http://a.example/new");
        } else {
            assert!(matches!(frontier.next(at(60_000)), Step::Finished(Ending::Exhausted)));
        }
    }
}

/// Steering names the host when a new page of another host ends the trap.
#[test]
fn a_released_host_whose_urls_are_held_back_comes_back_for_a_review() {
    let (mut frontier, mut now) = with_a_released_host();
    frontier.on(decided("b.example", 0, false), now);
    frontier.take_unsaved();
    frontier.review("a.example");
    assert_eq!(next_named(&mut frontier, &mut now), ["a.example"]);
    let event = loaded("a.example", None, Vec::new());
    let Event::HostsLoaded { mut hosts, behind } = event else {
        panic!()
    };
    hosts[0].counts = stored(1);
    frontier.on(Event::HostsLoaded { hosts, behind }, now);
    let step = frontier.next(now);
    assert!(
        matches!(&step, Step::Refill(refill) if refill.host == "a.example"),
        "{step:?}"
    );
}
