//! Names: the crawler looks them up before the first request, and tries the names of one domain a few at a time.

use std::net::IpAddr;

use storage::Via;
use web::fetch::{FetchError, Route};

use super::super::lookups::{ADDRESS_LIFE, MAX_LOOKUPS, MAX_NEW_LOOKUPS};
use super::super::trials::{PLACES, PLACES_FOR_PROVEN, REQUESTS};
use super::*;
use crate::steering::DuplicateOf;

/// Settings with look-ups of names.
fn looking_up(change: impl FnOnce(&mut Config)) -> Settings {
    settings(|config| {
        config.fetch.proxy = String::new();
        change(config);
    })
}

fn looked_up_by(step: Step) -> String {
    match step {
        Step::LookUp(host) => host,
        other => panic!("no look-up but {other:?}"),
    }
}

fn found(host: &str, last: u8) -> Event {
    Event::LookedUp {
        host: host.into(),
        route: Route::Addresses([IpAddr::from([192, 0, 2, last])].into()),
    }
}

/// A URL that a page links to, on a new name of one domain.
fn linked(seq: u64, name: usize) -> QueuedUrl {
    QueuedUrl {
        via: Some(Via::Page(0)),
        ..queued(seq, &format!("http://n{name}.site.example/{seq}"))
    }
}

/// The hosts whose URLs can be fetched now. A refill for a host brings the URLs that `left` returns.
fn all_started(frontier: &mut Frontier, now: Now, left: impl Fn(&str) -> Vec<QueuedUrl>) -> Vec<(String, u64)> {
    let mut hosts = Vec::new();
    loop {
        match frontier.next(now) {
            Step::Start(Task::Page { queued, .. }, _) => hosts.push((queued.host, queued.seq)),
            Step::Refill(Refill { host, skip, .. }) => {
                let urls = left(&host).into_iter().filter(|url| !skip.contains(&url.seq)).collect();
                let more = false;
                frontier.on(Event::Refilled { host, urls, more }, now);
            }
            Step::Wait(_) | Step::Finished(_) => return hosts,
            other => panic!("{other:?}"),
        }
    }
}

fn duplicate(host: &str, seq: u64) -> Event {
    Event::Decided {
        host: host.into(),
        seq,
        page: Some(JudgedPage {
            duplicate_of: Some(DuplicateOf {
                page: 0,
                new_links: None,
                url: "http://www.site.example/".into(),
                is_exact: true,
            }),
            ..JudgedPage::new(seq, &format!("http://{host}/{seq}"), None, None)
        }),
        is_visit: false,
        queued: Vec::new(),
    }
}

#[test]
fn the_gate_of_an_address_holds_for_the_first_request_of_each_of_its_hosts() {
    let settings = looking_up(|config| {
        config.politeness.robots = true;
        config.politeness.parallel_per_address = 1;
        config.politeness.address_delay_ms = 400;
    });
    let mut frontier = Frontier::new(&settings, WINDOW, 0);
    for host in ["a.example", "b.example", "192.0.2.1"] {
        frontier.add(site(host, 1), at(0));
    }
    let mut names: Vec<_> = (0..2).map(|_| looked_up_by(frontier.next(at(0)))).collect();
    names.sort();
    assert_eq!(names, ["a.example", "b.example"], "an address needs no look-up");
    assert_eq!(started(frontier.next(at(0))), "http://192.0.2.1/robots.txt");
    frontier.on(found("a.example", 1), at(10));
    frontier.on(found("b.example", 1), at(20));
    assert!(matches!(frontier.next(at(20)), Step::Wait(None)));
    frontier.on(ended("192.0.2.1"), at(100));
    assert!(matches!(frontier.next(at(100)), Step::Wait(Some(t)) if t == at(500)));
    assert_eq!(started(frontier.next(at(500))), "http://a.example/robots.txt");
    assert!(matches!(frontier.next(at(9_000)), Step::Wait(None)), "one at a time");
}

#[test]
fn a_look_up_needs_no_ticket_and_has_a_bound_of_its_own() {
    let mut frontier = Frontier::new(&looking_up(|_| {}), WINDOW, 0);
    let names = MAX_LOOKUPS + 5;
    for number in 0..names {
        frontier.add(site(&format!("h{number}.example"), 1), at(0));
    }
    let mut running: Vec<_> = (0..MAX_LOOKUPS).map(|_| looked_up_by(frontier.next(at(0)))).collect();
    assert!(!frontier.tickets.are_out());
    for number in 0..5 {
        assert!(matches!(frontier.next(at(0)), Step::Wait(None)));
        let standing = frontier.standing(at(0));
        assert!(standing.count(HostStateKind::Name) >= MAX_LOOKUPS as u64);
        let host = running.pop().unwrap();
        frontier.on(found(&host, number), at(0));
        running.push(looked_up_by(frontier.next(at(0))));
        // The host whose name is known makes its request, and frees the ticket.
        let Step::Start(Task::Page { queued, .. }, passage) = frontier.next(at(0)) else {
            panic!("{host} has an address")
        };
        assert!(matches!(passage.route, Route::Addresses(_)));
        assert_eq!(queued.host, host);
        frontier.on(ended(&host), at(0));
        frontier.on(decided(&host, queued.seq, true), at(0));
    }
}

/// A page names hosts of many domains, and no name server of theirs ever answers.
#[test]
fn new_names_that_are_never_found_leave_places_to_the_names_of_seeds() {
    let mut frontier = Frontier::new(&looking_up(|_| {}), 1_000, 0);
    let dead = |n: u64| QueuedUrl {
        via: Some(Via::Page(0)),
        ..queued(n, &format!("http://www.dead{n}.example/"))
    };
    frontier.add((0..500).map(dead).collect(), at(0));
    let mut running = 0;
    let mut looks_up = |frontier: &mut Frontier| loop {
        match frontier.next(at(0)) {
            Step::LookUp(name) if name.starts_with("www.dead") => running += 1,
            Step::LookUp(name) => return Some(name),
            // Names on trial leave their URLs to the store until then.
            Step::Refill(Refill { host, .. }) => {
                let url = QueuedUrl {
                    via: Some(Via::Page(0)),
                    ..queued(1_000, &format!("http://{host}/"))
                };
                let (urls, more) = (vec![url], false);
                frontier.on(Event::Refilled { host, urls, more }, at(0));
            }
            Step::Start(..) => {}
            Step::Wait(_) => return None,
            other => panic!("{other:?}"),
        }
    };
    assert_eq!(looks_up(&mut frontier), None);
    for n in 0..100 {
        let host = format!("seed{n}.example");
        frontier.add(site(&host, 1), at(0));
        assert_eq!(looks_up(&mut frontier), Some(host.clone()));
        frontier.on(found(&host, 1), at(0));
    }
    assert_eq!(running, MAX_NEW_LOOKUPS);
}

#[test]
fn a_failed_look_up_is_the_failure_of_the_request_and_is_repeated_before_the_next() {
    let mut frontier = Frontier::new(&looking_up(|_| {}), WINDOW, 0).with_seed(3);
    frontier.add(site("a.example", 2), at(0));
    looked_up_by(frontier.next(at(0)));
    let failed = Route::Unresolved(FetchError::Dns("no such name".into()));
    let route = failed.clone();
    frontier.on(
        Event::LookedUp {
            host: "a.example".into(),
            route,
        },
        at(10),
    );
    assert!(matches!(
        frontier.next(at(10)),
        Step::Start(_, passage) if matches!(passage.route, Route::Unresolved(FetchError::Dns(_)))
    ));
    let unreachable = Event::RequestEnded {
        host: "a.example".into(),
        signal: HostSignal::Unreachable,
        failure: Some("name not resolved: no such name".into()),
        contact: Contact::default(),
    };
    frontier.on(unreachable, at(10));
    frontier.on(decided("a.example", 0, false), at(10));
    let Step::Wait(Some(rested)) = frontier.next(at(10)) else {
        panic!("the host rests")
    };
    assert!(rested >= at(5_000));
    assert_eq!(looked_up_by(frontier.next(rested)), "a.example");
}

#[test]
fn an_address_is_looked_up_again_when_it_is_old() {
    let mut frontier = Frontier::new(&looking_up(|_| {}), WINDOW, 0);
    frontier.add(site("a.example", 2), at(0));
    looked_up_by(frontier.next(at(0)));
    frontier.on(found("a.example", 1), at(0));
    started(frontier.next(at(0)));
    frontier.on(ended("a.example"), at(100));
    frontier.on(decided("a.example", 0, true), at(100));
    assert_eq!(looked_up_by(frontier.next(ADDRESS_LIFE)), "a.example");
}

#[test]
fn new_names_of_a_domain_wait_until_one_shows_a_new_page_and_none_is_lost() {
    let names = 20;
    let fast = settings(|config| config.politeness.delay_ms = 0);
    let mut frontier = Frontier::new(&fast, 4 * names, 0);
    frontier.add(site("www.site.example", 1), at(0));
    let left = |host: &str| {
        let name = host[1..].split('.').next().unwrap().parse::<usize>().unwrap();
        vec![linked(name as u64 + 1, name)]
    };
    frontier.add((0..names).map(|name| linked(name as u64 + 1, name)).collect(), at(0));
    let mut open = all_started(&mut frontier, at(0), left);
    assert_eq!(open.len(), 1 + PLACES, "the seed's host needs no place: {open:?}");
    assert_eq!(
        frontier.standing(at(0)).count(HostStateKind::Trial),
        (names - PLACES) as u64
    );
    let (mut asked, mut places) = (open.clone(), 1 + PLACES);
    while let Some((host, seq)) = open.pop() {
        frontier.on(ended(&host), at(1));
        // Only the first name has a page that is new.
        let is_new = seq == 1;
        let event = if is_new {
            decided(&host, seq, true)
        } else {
            duplicate(&host, seq)
        };
        frontier.on(event, at(1));
        places += if is_new { PLACES_FOR_PROVEN } else { 0 };
        let further = all_started(&mut frontier, at(1), left);
        asked.extend(further.iter().cloned());
        open.extend(further);
        assert!(open.len() <= places, "{open:?}");
    }
    asked.sort();
    asked.dedup();
    assert_eq!(asked.len(), 1 + names);
    assert!(matches!(frontier.next(at(1)), Step::Finished(Ending::Exhausted)));
}

/// The answer to a request for a robots.txt that failed.
fn robots_failed(frontier: &mut Frontier, errand: Errand, host: &str, now: Now) {
    frontier.on(
        Event::RequestEnded {
            host: host.into(),
            signal: HostSignal::Unreachable,
            failure: Some("no connection".into()),
            contact: Contact::default(),
        },
        now,
    );
    let answer = RobotsAnswer::Unreachable("no connection".into());
    frontier.on(Event::Robots { errand, answer }, now);
}

#[test]
fn names_with_a_dead_robots_txt_leave_their_places_to_the_next_names() {
    let with_robots = settings(|config| {
        config.politeness.delay_ms = 0;
        config.politeness.robots = true;
    });
    let mut frontier = Frontier::new(&with_robots, WINDOW, 0);
    let (dead, good) = (2 * PLACES, 3);
    let urls_of = |name: usize| (0..3).map(move |page| linked((10 * name + page) as u64, name));
    frontier.add((0..dead + good).flat_map(urls_of).collect(), at(0));
    let name_of = |host: &str| host[1..].split('.').next().unwrap().parse::<usize>().unwrap();
    let (mut asked, mut now) = (HashSet::new(), at(0));
    loop {
        match frontier.next(now) {
            Step::Start(Task::Errand { host, errand }, _) if name_of(&host) < dead => {
                robots_failed(&mut frontier, errand, &host, now);
            }
            Step::Start(Task::Errand { host, errand }, _) => {
                frontier.on(ended(&host), now);
                let answer = rules("");
                frontier.on(Event::Robots { errand, answer }, now);
            }
            Step::Start(Task::Page { queued, .. }, _) => {
                frontier.on(ended(&queued.host), now);
                frontier.on(duplicate(&queued.host, queued.seq), now);
                asked.insert(queued.host);
            }
            Step::Refill(Refill { host, skip, .. }) => {
                let urls = urls_of(name_of(&host)).filter(|url| !skip.contains(&url.seq)).collect();
                let more = false;
                frontier.on(Event::Refilled { host, urls, more }, now);
            }
            Step::Wait(Some(until)) => now = until,
            Step::Finished(_) => break,
            other => panic!("{other:?}"),
        }
    }
    assert_eq!(asked.len(), good, "every name with a robots.txt is asked: {asked:?}");
}

#[test]
fn a_waiting_name_holds_no_url_in_memory() {
    assert!(
        size_of::<Host>() <= 1_024,
        "{} bytes for each of a million waiting names",
        size_of::<Host>()
    );
    let mut frontier = Frontier::new(&settings(|_| {}), WINDOW, 0);
    let pages = 50;
    let of_name = |name: u64| (name * pages..(name + 1) * pages).map(move |seq| linked(seq, name as usize));
    for name in 0..=PLACES as u64 {
        frontier.add(of_name(name).collect(), at(0));
    }
    let left = |host: &str| of_name(host[1..].split('.').next().unwrap().parse().unwrap()).collect();
    assert_eq!(all_started(&mut frontier, at(0), left).len(), PLACES);
    let waiting = frontier
        .hosts
        .values()
        .filter(|host| host.queue.is_empty() && host.queue.has_stored());
    assert_eq!(waiting.count(), 1);
}

#[test]
fn a_name_with_many_duplicates_lets_others_have_their_turn_and_goes_on_after_them() {
    let fast = settings(|config| {
        config.politeness.delay_ms = 0;
        config.steering.enabled = false;
    });
    let mut frontier = Frontier::new(&fast, 1_000, 0);
    let pages = 2 * u64::from(REQUESTS);
    let of_name = |name: usize| (0..pages).map(move |page| linked(name as u64 * pages + page, name));
    for name in 0..PLACES + 1 {
        frontier.add(of_name(name).collect(), at(0));
    }
    let left = |host: &str| of_name(host[1..].split('.').next().unwrap().parse().unwrap()).collect();
    let mut asked: Vec<(String, u64)> = Vec::new();
    let mut open = all_started(&mut frontier, at(0), left);
    while let Some((host, seq)) = open.pop() {
        frontier.on(ended(&host), at(1));
        frontier.on(duplicate(&host, seq), at(1));
        asked.push((host, seq));
        let done: std::collections::HashSet<u64> = asked.iter().chain(&open).map(|(_, seq)| *seq).collect();
        let rest = |host: &str| -> Vec<QueuedUrl> {
            let urls: Vec<QueuedUrl> = left(host);
            urls.into_iter().filter(|url| !done.contains(&url.seq)).collect()
        };
        open.extend(all_started(&mut frontier, at(1), rest));
    }
    asked.sort();
    asked.dedup();
    assert_eq!(asked.len() as u64, pages * (PLACES as u64 + 1), "each URL is fetched");
}

#[test]
fn a_name_is_not_held_for_the_robots_txt_of_another_name_that_waits() {
    let settings = settings(|config| {
        config.politeness.delay_ms = 0;
        config.politeness.robots = true;
    });
    let mut frontier = Frontier::new(&settings, 100, 0);
    let names = 3 * PLACES;
    frontier.add((0..names).map(|name| linked(name as u64, name)).collect(), at(0));
    let mut robots = 0;
    for _ in 0..1_000 {
        match frontier.next(at(0)) {
            Step::Start(Task::Errand { host, errand }, _) => {
                robots += 1;
                frontier.on(ended(&host), at(0));
                // The robots.txt of every name redirects to that of the last name.
                let rules_at = format!("http://n{}.site.example/robots.txt", names - 1);
                let answer = if errand.url().as_str() == rules_at {
                    rules("")
                } else {
                    RobotsAnswer::Moved(Url::parse(&rules_at).unwrap())
                };
                frontier.on(Event::Robots { errand, answer }, at(0));
            }
            Step::Start(Task::Page { queued, .. }, _) => {
                frontier.on(ended(&queued.host), at(0));
                frontier.on(duplicate(&queued.host, queued.seq), at(0));
            }
            Step::Refill(Refill { host, skip, .. }) => {
                let name: usize = host[1..].split('.').next().unwrap().parse().unwrap();
                let urls = vec![linked(name as u64, name)].into_iter();
                let urls = urls.filter(|url| !skip.contains(&url.seq)).collect();
                frontier.on(
                    Event::Refilled {
                        host,
                        urls,
                        more: false,
                    },
                    at(0),
                );
            }
            Step::Finished(Ending::Exhausted) => {
                assert!(robots >= names, "{robots}");
                assert!(frontier.hosts.values().all(|host| host.urls == 0));
                return;
            }
            other => panic!("{other:?}"),
        }
    }
    panic!("it does not end")
}

#[test]
fn a_name_proven_in_an_earlier_run_needs_no_place() {
    let mut frontier = Frontier::new(&settings(|_| {}), 100, 0);
    let names = 3 * PLACES;
    for name in 0..names {
        let counts = Counts {
            kept: u64::from(name % 2 == 0),
            ..stored(1)
        };
        frontier.add_stored_host(&format!("n{name}.site.example"), &counts);
    }
    let left = |host: &str| {
        let name = host[1..].split('.').next().unwrap().parse().unwrap();
        vec![linked(name as u64, name)]
    };
    let started = all_started(&mut frontier, at(0), left);
    assert_eq!(
        started.len(),
        names,
        "the proven names widen the domain for the others: {started:?}"
    );
}

#[test]
fn a_host_whose_robots_txt_failed_for_good_ends_the_run_at_once() {
    for pages in [1, 5] {
        let mut frontier = Frontier::new(&settings(|config| config.politeness.robots = true), WINDOW, 0).with_seed(1);
        frontier.add(site("a.example", pages), at(0));
        let mut now = at(0);
        for tries in 1.. {
            match frontier.next(now) {
                Step::Start(Task::Errand { host, errand }, _) => {
                    let unreachable = Event::RequestEnded {
                        host,
                        signal: HostSignal::Unreachable,
                        failure: Some("no connection".into()),
                        contact: Contact::default(),
                    };
                    frontier.on(unreachable, now);
                    let answer = RobotsAnswer::Unreachable("no connection".into());
                    frontier.on(Event::Robots { errand, answer }, now);
                }
                Step::Wait(Some(until)) => now = until,
                Step::Finished(Ending::Exhausted) => break,
                other => panic!("{tries}: {other:?}"),
            }
        }
        // Between the three tries, the host rests for 5 and 10 seconds; each rest is longer by up to a half.
        assert!((at(15_000)..at(22_501)).contains(&now), "{now:?}");
        assert_eq!(frontier.given_up().len(), 1, "and its URLs stay in the store");
    }
}

#[test]
fn on_trial_a_page_goes_before_the_sitemaps() {
    let settings = settings(|config| {
        config.politeness.delay_ms = 0;
        config.politeness.robots = true;
    });
    for (via, expected) in [(Some(Via::Page(0)), ["page", "sitemap"]), (None, ["sitemap", "page"])] {
        let mut frontier = Frontier::new(&settings, WINDOW, 0);
        let page = QueuedUrl { via, ..linked(1, 1) };
        frontier.add(vec![page.clone()], at(0));
        let mut requests = Vec::new();
        while requests.len() < 2 {
            match frontier.next(at(0)) {
                Step::Start(Task::Errand { host, errand }, _) => {
                    frontier.on(ended(&host), at(0));
                    if let Errand::Robots { .. } = errand {
                        let answer = rules("Sitemap: http://n1.site.example/sitemap.xml\n");
                        frontier.on(Event::Robots { errand, answer }, at(0));
                    } else {
                        requests.push("sitemap");
                    }
                }
                Step::Start(Task::Page { queued, .. }, _) => {
                    frontier.on(ended(&queued.host), at(0));
                    requests.push("page");
                }
                Step::Refill(Refill { host, .. }) => {
                    let (urls, more) = (vec![page.clone()], false);
                    frontier.on(Event::Refilled { host, urls, more }, at(0));
                }
                other => panic!("{other:?}"),
            }
        }
        assert_eq!(requests, expected);
    }
}
