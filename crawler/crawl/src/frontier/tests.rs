use std::collections::HashSet;
use std::time::Duration;

use url::Url;
use web::host_key::HostKey;
use web::politeness::{AddressKey, Contact, HostSignal};
use web::robots::Robots;

use super::*;
use crate::messages::{Errand, Event, GroupEvent, Refill, RobotsAnswer, Task};
use crate::steering::JudgedPage;
use config::Config;

mod adjusted;
mod gates;
mod intake;
mod logins;
mod names;
mod queue;
mod rendering;
mod simulation;
mod slow_lanes;
mod standing;
mod state;
mod steered;
mod turns;
mod visits;

/// When the runs begin, Unix ms.
const BEGIN: u64 = 1_774_000_000_000;

const WINDOW: usize = 8;

impl Frontier {
    /// The same frontier with repeatable random numbers.
    fn with_seed(self, seed: u64) -> Self {
        Self {
            random: fastrand::Rng::with_seed(seed),
            ..self
        }
    }
}

/// Settings without look-ups of names: a proxy opens the connections.
fn settings(change: impl FnOnce(&mut Config)) -> Settings {
    let mut config = Config::default();
    config.fetch.proxy = "http://proxy.example:3128".into();
    config.politeness.robots = false;
    config.politeness.guess_sitemap = false;
    change(&mut config);
    Settings::new(&config).unwrap()
}

/// The store's counts of a host with this many queued URLs.
fn stored(queued: u64) -> Counts {
    Counts {
        queued,
        ..Counts::default()
    }
}

fn at(ms: u64) -> Now {
    Duration::from_millis(ms)
}

fn queued(seq: u64, url: &str) -> QueuedUrl {
    let host = HostKey::from_url(&Url::parse(url).unwrap()).unwrap();
    QueuedUrl {
        url: url.into(),
        host: host.as_str().into(),
        depth: 0,
        redirects: 0,
        attempts: 0,
        priority: 0,
        via: None,
        seq,
        id: seq,
        revisits: None,
    }
}

fn site(host: &str, pages: u64) -> Vec<QueuedUrl> {
    (0..pages).map(|n| queued(n, &format!("http://{host}/{n}"))).collect()
}

fn ended(host: &str) -> Event {
    Event::RequestEnded {
        host: host.into(),
        signal: HostSignal::Answered,
        failure: None,
        contact: Contact::default(),
    }
}

fn decided(host: &str, seq: u64, is_page: bool) -> Event {
    Event::Decided {
        host: host.into(),
        seq,
        page: is_page.then(|| JudgedPage::new(seq, &format!("http://{host}/{seq}"), None, None)),
        is_visit: false,
        queued: Vec::new(),
    }
}

/// The URL that is to be fetched now.
fn started(step: Step) -> String {
    match step {
        Step::Start(Task::Page { queued, .. }, _) => queued.url,
        Step::Start(Task::Errand { errand, .. }, _) => errand.url().to_string(),
        other => panic!("nothing started but {other:?}"),
    }
}

#[test]
fn one_request_at_a_time_and_a_delay_between_on_one_host() {
    let mut frontier = Frontier::new(&settings(|_| {}), WINDOW, 0);
    frontier.add(site("a.example", 3), at(0));
    assert_eq!(started(frontier.next(at(0))), "http://a.example/0");
    assert!(matches!(frontier.next(at(5)), Step::Wait(None)));
    frontier.on(ended("a.example"), at(300));
    assert!(matches!(frontier.next(at(300)), Step::Wait(Some(t)) if t == at(1_300)));
    assert_eq!(started(frontier.next(at(1_300))), "http://a.example/1");
}

#[test]
fn hosts_run_side_by_side() {
    let mut frontier = Frontier::new(&settings(|_| {}), WINDOW, 0);
    for host in ["a.example", "b.example", "c.example"] {
        frontier.add(site(host, 2), at(0));
    }
    let mut first: Vec<_> = (0..3).map(|_| started(frontier.next(at(0)))).collect();
    first.sort();
    assert_eq!(
        first,
        ["http://a.example/0", "http://b.example/0", "http://c.example/0"]
    );
    assert!(matches!(frontier.next(at(0)), Step::Wait(None)));
}

#[test]
fn no_more_than_a_window_of_tickets_is_out() {
    let settings = settings(|c| {
        c.politeness.delay_ms = 0;
        c.politeness.parallel_per_host = 100;
    });
    let mut frontier = Frontier::new(&settings, WINDOW, 0);
    frontier.add(site("a.example", 20), at(0));
    for _ in 0..WINDOW {
        started(frontier.next(at(0)));
    }
    assert!(matches!(frontier.next(at(0)), Step::Wait(None)));
    frontier.on(ended("a.example"), at(1));
    assert!(
        matches!(frontier.next(at(1)), Step::Wait(None)),
        "a page keeps its ticket until it is decided"
    );
    frontier.on(decided("a.example", 0, true), at(2));
    assert_eq!(started(frontier.next(at(2))), "http://a.example/8");
}

#[test]
fn the_page_limit_counts_what_is_in_process_and_is_met_exactly() {
    let settings = settings(|c| {
        c.politeness.delay_ms = 0;
        c.politeness.parallel_per_host = 100;
        c.scope.max_pages = 5;
    });
    let mut frontier = Frontier::new(&settings, WINDOW, 3);
    frontier.add(site("a.example", 20), at(0));
    started(frontier.next(at(0)));
    started(frontier.next(at(0)));
    assert!(matches!(frontier.next(at(0)), Step::Wait(None)));
    frontier.on(decided("a.example", 0, false), at(1));
    assert_eq!(
        started(frontier.next(at(1))),
        "http://a.example/2",
        "a failure is not a page"
    );
    frontier.on(decided("a.example", 1, true), at(2));
    frontier.on(decided("a.example", 2, true), at(2));
    assert!(matches!(frontier.next(at(2)), Step::Finished(Ending::PageLimit)));
}

#[test]
fn a_stop_lets_what_is_in_process_end() {
    let mut frontier = Frontier::new(&settings(|_| {}), WINDOW, 0);
    frontier.add(site("a.example", 3), at(0));
    started(frontier.next(at(0)));
    frontier.on(Event::Stop, at(1));
    assert!(matches!(frontier.next(at(9_000)), Step::Wait(None)));
    frontier.on(ended("a.example"), at(9_000));
    frontier.on(decided("a.example", 0, true), at(9_000));
    assert!(matches!(frontier.next(at(9_000)), Step::Finished(Ending::Stopped)));
}

fn robots_of(step: Step) -> Errand {
    match step {
        Step::Start(Task::Errand { errand, .. }, _) => errand,
        other => panic!("no errand but {other:?}"),
    }
}

fn rules(text: &str) -> RobotsAnswer {
    let robots = Robots::parse(text.as_bytes(), "crawler");
    let sitemaps = robots.sitemaps().iter().map(|text| Url::parse(text).unwrap()).collect();
    RobotsAnswer::Rules(robots, sitemaps)
}

#[test]
fn robots_txt_comes_before_the_first_page_and_passes_the_gate() {
    let mut frontier = Frontier::new(&settings(|c| c.politeness.robots = true), WINDOW, 0);
    frontier.add(site("a.example", 3), at(0));
    let errand = robots_of(frontier.next(at(0)));
    assert_eq!(errand.url().as_str(), "http://a.example/robots.txt");
    assert!(matches!(frontier.next(at(0)), Step::Wait(None)));
    frontier.on(ended("a.example"), at(10));
    let answer = rules("User-agent: *\nDisallow: /0\nCrawl-delay: 3\n");
    frontier.on(Event::Robots { errand, answer }, at(10));
    assert!(matches!(frontier.next(at(1_010)), Step::Wait(Some(t)) if t == at(3_010)));
    match frontier.next(at(3_010)) {
        Step::Exclude { queued, reason } => {
            assert_eq!(queued.url, "http://a.example/0");
            assert!(reason.contains("robots.txt") && reason.contains("/0"), "{reason}");
        }
        other => panic!("{other:?}"),
    }
    assert_eq!(started(frontier.next(at(3_010))), "http://a.example/1");
}

#[test]
fn a_redirected_robots_txt_passes_the_gate_of_the_host_it_leads_to() {
    let mut frontier = Frontier::new(&settings(|c| c.politeness.robots = true), WINDOW, 0);
    frontier.add(site("a.example", 1), at(0));
    let errand = robots_of(frontier.next(at(0)));
    frontier.on(ended("a.example"), at(10));
    let answer = RobotsAnswer::Moved(Url::parse("http://b.example/robots.txt").unwrap());
    frontier.on(Event::Robots { errand, answer }, at(10));
    let step = frontier.next(at(10));
    assert!(
        matches!(&step, Step::Start(Task::Errand { host, .. }, _) if host == "b.example"),
        "{step:?}"
    );
    let errand = robots_of(step);
    frontier.on(ended("b.example"), at(20));
    let answer = rules("User-agent: *\nDisallow:\n");
    frontier.on(Event::Robots { errand, answer }, at(20));
    assert_eq!(started(frontier.next(at(1_010))), "http://a.example/0");
}

#[test]
fn a_host_without_a_reachable_robots_txt_is_given_up_and_never_asked_for_a_page() {
    let mut frontier = Frontier::new(&settings(|c| c.politeness.robots = true), WINDOW, 0);
    frontier.add(site("a.example", 3), at(0));
    let mut now = at(0);
    let mut tries = 0;
    loop {
        match frontier.next(now) {
            Step::Start(Task::Errand { errand, .. }, _) => {
                tries += 1;
                let ended = Event::RequestEnded {
                    host: "a.example".into(),
                    signal: HostSignal::Unreachable,
                    failure: Some("name not resolved".into()),
                    contact: Contact::default(),
                };
                frontier.on(ended, now);
                let answer = RobotsAnswer::Unreachable("name not resolved".into());
                frontier.on(Event::Robots { errand, answer }, now);
            }
            Step::Wait(Some(until)) => now = until,
            Step::Finished(ending) => break assert_eq!(ending, Ending::Exhausted),
            other => panic!("{other:?}"),
        }
    }
    assert_eq!(tries, 3);
    let given_up = frontier.given_up();
    assert_eq!(
        (given_up[0].host.as_str(), given_up[0].last_failure.as_str()),
        ("http://a.example", "robots.txt: name not resolved")
    );
}

#[test]
fn sitemaps_named_by_robots_txt_are_fetched_once_each() {
    let mut frontier = Frontier::new(
        &settings(|c| {
            c.politeness.robots = true;
            c.politeness.delay_ms = 0;
        }),
        WINDOW,
        0,
    );
    frontier.add(site("a.example", 1), at(0));
    let errand = robots_of(frontier.next(at(0)));
    frontier.on(ended("a.example"), at(0));
    let answer = rules("Sitemap: http://a.example/map.xml\n");
    frontier.on(Event::Robots { errand, answer }, at(0));
    assert_eq!(started(frontier.next(at(0))), "http://a.example/map.xml");
    frontier.on(ended("a.example"), at(1));
    let queued = vec![queued(7, "http://a.example/only-in-map")];
    frontier.on(
        Event::Sitemap {
            queued,
            further: Vec::new(),
            elsewhere: Vec::new(),
        },
        at(1),
    );
    assert_eq!(started(frontier.next(at(1))), "http://a.example/0");
    frontier.on(ended("a.example"), at(2));
    assert_eq!(started(frontier.next(at(2))), "http://a.example/only-in-map");
}

#[test]
fn a_host_rests_before_the_next_try_of_a_sitemap_that_robots_txt_names() {
    for is_guessed in [false, true] {
        let mut frontier = Frontier::new(
            &settings(|c| {
                c.politeness.robots = true;
                c.politeness.guess_sitemap = is_guessed;
                c.politeness.delay_ms = 0;
            }),
            WINDOW,
            0,
        );
        frontier.add(site("a.example", 1), at(0));
        let errand = robots_of(frontier.next(at(0)));
        frontier.on(ended("a.example"), at(0));
        let named = if is_guessed {
            ""
        } else {
            "Sitemap: http://a.example/sitemap.xml\n"
        };
        let answer = rules(named);
        frontier.on(Event::Robots { errand, answer }, at(0));
        let Step::Start(Task::Errand { errand, .. }, _) = frontier.next(at(0)) else {
            panic!("no sitemap")
        };
        frontier.on(ended("a.example"), at(1));
        frontier.on(Event::SitemapAgain(errand), at(1));
        if is_guessed {
            assert_eq!(started(frontier.next(at(1))), "http://a.example/0");
            continue;
        }
        let Step::Wait(Some(until)) = frontier.next(at(1)) else {
            panic!("no rest")
        };
        assert!(until >= at(10_001) && until <= at(15_001), "{until:?}");
        let order = [(); 2].map(|()| {
            let step = started(frontier.next(until));
            frontier.on(ended("a.example"), until);
            step
        });
        assert_eq!(order, ["http://a.example/0", "http://a.example/sitemap.xml"]);
    }
}

#[test]
fn many_hosts_share_the_memory_for_urls() {
    let mut frontier = Frontier::new(&settings(|_| ()), WINDOW, 0);
    let mut most = Vec::new();
    for number in 0..MAX_HOSTS {
        frontier.add_stored_host(&format!("{number}.example"), &stored(1));
        let hosts = number + 1;
        let of_a_host = frontier.buffer_of_a_host();
        assert!(hosts * of_a_host <= BUFFERS.max(hosts * LEAST_BUFFER));
        most.push(of_a_host);
    }
    assert_eq!(
        [most[0], most[511], most[MAX_HOSTS - 1]],
        [BUFFER, BUFFER, LEAST_BUFFER]
    );
    let Step::Refill(Refill { limit, .. }) = frontier.next(at(0)) else {
        panic!("no refill")
    };
    assert_eq!(limit, LEAST_BUFFER);
}

#[test]
fn a_host_with_more_than_the_buffer_asks_the_store_for_the_rest() {
    let mut frontier = Frontier::new(&settings(|c| c.politeness.delay_ms = 0), WINDOW, 0);
    frontier.add_stored_host("a.example", &stored(1));
    let Step::Refill(Refill { host, limit, skip, .. }) = frontier.next(at(0)) else {
        panic!("no refill")
    };
    assert_eq!((host.as_str(), limit, skip.len()), ("a.example", BUFFER, 0));
    assert!(matches!(frontier.next(at(0)), Step::Wait(None)), "one refill at a time");
    frontier.add(vec![queued(99, "http://a.example/late")], at(0));
    let urls = site("a.example", 1);
    frontier.on(Event::Refilled { host, urls, more: true }, at(0));
    assert_eq!(started(frontier.next(at(0))), "http://a.example/0");
    let Step::Refill(Refill { skip, .. }) = frontier.next(at(0)) else {
        panic!("no refill")
    };
    assert_eq!(skip, HashSet::from([0]), "what is in process is not handed out again");
}

#[test]
fn the_urls_over_the_limit_of_a_host_stay_queued() {
    let settings = settings(|c| {
        c.politeness.delay_ms = 0;
        c.scope.max_pages_per_host = 1;
    });
    let mut frontier = Frontier::new(&settings, WINDOW, 0);
    frontier.add(site("a.example", 3), at(0));
    started(frontier.next(at(0)));
    frontier.on(ended("a.example"), at(0));
    assert!(matches!(frontier.next(at(0)), Step::Wait(None)));
    frontier.on(decided("a.example", 0, true), at(0));
    assert!(matches!(frontier.next(at(0)), Step::Finished(Ending::Exhausted)));
}

#[test]
fn lower_priority_numbers_and_smaller_depths_go_first() {
    let settings = settings(|c| c.politeness.delay_ms = 0);
    let mut frontier = Frontier::new(&settings, WINDOW, 0);
    let mut urls = site("a.example", 3);
    (urls[0].depth, urls[1].priority) = (4, 1);
    frontier.add(urls, at(0));
    let mut order = Vec::new();
    for seq in [2, 0, 1] {
        order.push(started(frontier.next(at(0))));
        frontier.on(ended("a.example"), at(0));
        frontier.on(decided("a.example", seq, true), at(0));
    }
    assert_eq!(
        order,
        ["http://a.example/2", "http://a.example/0", "http://a.example/1"]
    );
}

fn unreachable(errand: Errand) -> Event {
    let answer = RobotsAnswer::Unreachable("no connection".into());
    Event::Robots { errand, answer }
}

fn fast_with_robots(config: &mut Config) {
    config.politeness.robots = true;
    config.politeness.delay_ms = 0;
    config.politeness.retry_delay_ms = 0;
}

#[test]
fn an_origin_without_robots_txt_does_not_close_the_other_origin_of_its_host() {
    let mut frontier = Frontier::new(&settings(fast_with_robots), WINDOW, 0);
    frontier.add(
        vec![queued(0, "https://a.example/s"), queued(1, "http://a.example/1")],
        at(0),
    );
    for _ in 0..3 {
        let errand = robots_of(frontier.next(at(0)));
        assert_eq!(errand.url().as_str(), "https://a.example/robots.txt");
        frontier.on(ended("a.example"), at(0));
        if matches!(errand, Errand::Robots { failures: 0, .. }) {
            // Meanwhile the http page asks for its own.
            let http = robots_of(frontier.next(at(0)));
            assert_eq!(http.url().as_str(), "http://a.example/robots.txt");
            frontier.on(ended("a.example"), at(0));
            let answer = rules("");
            frontier.on(Event::Robots { errand: http, answer }, at(0));
            assert_eq!(started(frontier.next(at(0))), "http://a.example/1");
            frontier.on(ended("a.example"), at(0));
            frontier.on(decided("a.example", 1, true), at(0));
        }
        frontier.on(unreachable(errand), at(0));
    }
    assert!(matches!(frontier.next(at(0)), Step::Finished(Ending::Exhausted)));
    assert_eq!(frontier.given_up()[0].host, "https://a.example");
}

#[test]
fn a_robots_txt_that_redirects_to_a_dead_host_closes_the_origin_that_waits_for_it() {
    for to in ["http://./robots.txt", "http://dead.example/robots.txt"] {
        let mut frontier = Frontier::new(&settings(fast_with_robots), WINDOW, 0);
        frontier.add(site("a.example", 2), at(0));
        let mut errand = robots_of(frontier.next(at(0)));
        frontier.on(ended("a.example"), at(0));
        let answer = RobotsAnswer::Moved(Url::parse(to).unwrap());
        frontier.on(Event::Robots { errand, answer }, at(0));
        for _ in 0..3 {
            match frontier.next(at(0)) {
                Step::Start(Task::Errand { errand: next, host }, _) => {
                    errand = next;
                    let signal = HostSignal::Unreachable;
                    frontier.on(
                        Event::RequestEnded {
                            host,
                            signal,
                            failure: None,
                            contact: Contact::default(),
                        },
                        at(0),
                    );
                    frontier.on(unreachable(errand), at(0));
                }
                Step::Finished(_) => break,
                other => panic!("{other:?}"),
            }
        }
        assert!(
            matches!(frontier.next(at(0)), Step::Finished(Ending::Exhausted)),
            "{to}"
        );
        let given_up = frontier.given_up();
        assert!(
            given_up.iter().any(|gone| gone.host == "http://a.example"),
            "{to}: {given_up:?}"
        );
    }
}

#[test]
fn sitemaps_that_name_one_another_are_fetched_once_and_take_turns_with_pages() {
    let mut frontier = Frontier::new(&settings(fast_with_robots), WINDOW, 0);
    frontier.add(site("a.example", 3), at(0));
    let errand = robots_of(frontier.next(at(0)));
    frontier.on(ended("a.example"), at(0));
    let answer = rules("Sitemap: http://a.example/map1\nSitemap: http://a.example/map2\n");
    frontier.on(Event::Robots { errand, answer }, at(0));
    let mut order = Vec::new();
    loop {
        match frontier.next(at(0)) {
            Step::Start(Task::Page { queued, .. }, _) => {
                order.push(queued.url);
                frontier.on(ended("a.example"), at(0));
                frontier.on(decided("a.example", queued.seq, true), at(0));
            }
            Step::Start(Task::Errand { errand, .. }, _) => {
                order.push(errand.url().to_string());
                frontier.on(ended("a.example"), at(0));
                let further = [1, 2].map(|n| Errand::Sitemap {
                    url: Url::parse(&format!("http://a.example/map{n}")).unwrap(),
                    depth: 1,
                    redirects: 0,
                    failures: 0,
                    is_guessed: false,
                });
                frontier.on(
                    Event::Sitemap {
                        queued: Vec::new(),
                        further: further.into(),
                        elsewhere: Vec::new(),
                    },
                    at(0),
                );
            }
            Step::Finished(_) => break,
            other => panic!("{other:?}"),
        }
    }
    let expected = ["map1", "0", "map2", "1", "2"].map(|path| format!("http://a.example/{path}"));
    assert_eq!(order, expected);
}

#[test]
fn a_redirect_to_another_spelling_is_followed_at_once_and_keeps_its_place_in_the_limit() {
    let limited = |config: &mut Config| {
        config.politeness.delay_ms = 0;
        config.scope.max_pages_per_host = 1;
    };
    let mut frontier = Frontier::new(&settings(limited), WINDOW, 0);
    frontier.add(site("a.example", 2), at(0));
    assert_eq!(started(frontier.next(at(0))), "http://a.example/0");
    frontier.on(ended("a.example"), at(0));
    let url = Url::parse("http://a.example/0?PHPSESSID=1").unwrap();
    frontier.on(
        Event::Respelled {
            queued: queued(0, "http://a.example/0"),
            url: url.clone(),
        },
        at(0),
    );
    assert!(matches!(frontier.next(at(0)), Step::Start(Task::Page { url: asked, .. }, _) if asked == url));
    frontier.on(ended("a.example"), at(0));
    frontier.on(decided("a.example", 0, true), at(0));
    assert!(matches!(frontier.next(at(0)), Step::Finished(Ending::Exhausted)));
}
