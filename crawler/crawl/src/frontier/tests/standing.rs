//! The states of hosts, computed without changing them.

use std::net::IpAddr;
use std::time::UNIX_EPOCH;

use super::*;

/// The one host with something to do: its state, and when its wait ends.
fn state(frontier: &Frontier, now: Now) -> (HostStateKind, Option<u64>) {
    let standing = frontier.standing(now);
    let [host] = &standing.largest[..] else {
        panic!("{standing:?}")
    };
    assert_eq!(standing.count(host.state), 1, "{standing:?}");
    (host.state, host.until.map(|until| until - BEGIN))
}

fn begun(change: impl FnOnce(&mut Config)) -> Frontier {
    Frontier::new(&settings(change), WINDOW, 0)
        .begun_at(UNIX_EPOCH + at(BEGIN))
        .with_seed(1)
}

fn failed(host: &str, retry_after: Option<u64>) -> Event {
    Event::RequestEnded {
        host: host.into(),
        signal: HostSignal::Busy {
            retry_after: retry_after.map(Duration::from_secs),
        },
        failure: Some("HTTP status 503".into()),
        contact: Contact::default(),
    }
}

#[test]
fn a_host_is_ready_then_fetching_then_keeps_its_delay_then_has_nothing_to_do() {
    let mut frontier = begun(|_| {});
    assert_eq!(frontier.standing(at(0)), Standing::default());
    frontier.add(site("a.example", 2), at(0));
    assert_eq!(state(&frontier, at(0)), (HostStateKind::Ready, None));
    started(frontier.next(at(0)));
    assert_eq!(state(&frontier, at(0)), (HostStateKind::Fetching, None));
    frontier.on(ended("a.example"), at(100));
    assert_eq!(
        state(&frontier, at(100)),
        (HostStateKind::Fetching, None),
        "not decided yet"
    );
    frontier.on(decided("a.example", 0, true), at(150));
    assert_eq!(state(&frontier, at(150)), (HostStateKind::Delay, Some(1_100)));
    assert_eq!(frontier.standing(at(150)).largest[0].urls, 1);
    started(frontier.next(at(1_100)));
    frontier.on(ended("a.example"), at(1_200));
    frontier.on(decided("a.example", 1, true), at(1_200));
    assert_eq!(frontier.standing(at(1_200)), Standing::default());
}

#[test]
fn a_resting_host_shows_the_end_and_the_reason_of_its_rest_until_it_is_given_up() {
    let mut frontier = begun(|_| {});
    frontier.add(site("a.example", 9), at(0));
    started(frontier.next(at(0)));
    frontier.on(failed("a.example", Some(60)), at(0));
    frontier.on(decided("a.example", 0, false), at(0));
    assert_eq!(state(&frontier, at(1)), (HostStateKind::Resting, Some(60_000)));
    let failure = frontier.standing(at(1)).largest[0].failure.clone();
    assert_eq!(failure.as_deref(), Some("HTTP status 503"));
    let mut now = at(60_000);
    for seq in 1..5 {
        started(frontier.next(now));
        frontier.on(failed("a.example", Some(60)), now);
        frontier.on(decided("a.example", seq, false), now);
        now += at(60_000);
    }
    assert_eq!(state(&frontier, now), (HostStateKind::GivenUp, None));
}

#[test]
fn a_host_waits_for_its_robots_txt() {
    let mut frontier = begun(|c| c.politeness.robots = true);
    frontier.add(site("a.example", 2), at(0));
    assert_eq!(started(frontier.next(at(0))), "http://a.example/robots.txt");
    assert_eq!(state(&frontier, at(0)), (HostStateKind::Robots, None));
    frontier.on(ended("a.example"), at(10));
    assert_eq!(
        state(&frontier, at(10)),
        (HostStateKind::Delay, Some(1_010)),
        "its sitemaps may come first"
    );
}

#[test]
fn a_host_waits_for_its_turn_at_an_address() {
    let mut frontier = begun(|c| {
        c.politeness.parallel_per_address = 1;
        c.politeness.address_delay_ms = 400;
    });
    let address = IpAddr::from([192, 0, 2, 1]);
    let answered = |host: &str| Event::RequestEnded {
        host: host.into(),
        signal: HostSignal::Answered,
        failure: None,
        contact: Contact {
            address: Some(address),
            latency: None,
        },
    };
    for host in ["a.example", "b.example"] {
        frontier.add(site(host, 2), at(0));
        started(frontier.next(at(0)));
        frontier.on(answered(host), at(0));
        frontier.on(decided(host, 0, true), at(0));
    }
    started(frontier.next(at(1_000)));
    assert!(matches!(frontier.next(at(1_000)), Step::Wait(None)));
    let standing = frontier.standing(at(1_000));
    let counts = (
        standing.count(HostStateKind::Fetching),
        standing.count(HostStateKind::Address),
    );
    assert_eq!((counts, standing.waiting()), ((1, 1), 1));
}

#[test]
fn a_host_over_a_page_limit_shows_the_limit() {
    for per_host in [true, false] {
        let mut frontier = begun(|c| {
            if per_host {
                c.scope.max_pages_per_host = 1;
            } else {
                c.scope.max_pages = 1;
            }
        });
        frontier.add(site("a.example", 3), at(0));
        started(frontier.next(at(0)));
        frontier.on(ended("a.example"), at(0));
        frontier.on(decided("a.example", 0, true), at(0));
        assert!(matches!(frontier.next(at(5_000)), Step::Finished(_)));
        assert_eq!(
            state(&frontier, at(5_000)),
            (HostStateKind::PageLimit, None),
            "{per_host}"
        );
    }
}

#[test]
fn the_hosts_with_the_most_urls_are_named() {
    let mut frontier = begun(|_| {});
    for number in 0..2_000_u64 {
        frontier.add_stored_host(&format!("{number}.example"), &stored(1 + number * 7 % 2_000));
    }
    let standing = frontier.standing(at(0));
    assert_eq!(
        (standing.count(HostStateKind::Ready), standing.waiting()),
        (2_000, 2_000)
    );
    let urls: Vec<u64> = standing.largest.iter().map(|host| host.urls).collect();
    assert_eq!(urls, (1_901..=2_000).rev().collect::<Vec<_>>());
    assert_eq!(frontier.standing(at(0)), standing, "looking changes nothing");
}
