//! Addresses, long rests, robots.txt kept for a day, and the facts that a later run starts with.

use std::net::IpAddr;
use std::time::UNIX_EPOCH;

use storage::HostRecord;

use super::*;

const HOUR: u64 = 60 * 60 * 1_000;

fn unix(ms: u64) -> SystemTime {
    UNIX_EPOCH + at(ms)
}

fn address(last: u8) -> IpAddr {
    IpAddr::from([192, 0, 2, last])
}

fn answered_from(host: &str, last: u8) -> Event {
    Event::RequestEnded {
        host: host.into(),
        signal: HostSignal::Answered,
        failure: None,
        contact: Contact {
            address: Some(address(last)),
            latency: None,
        },
    }
}

fn busy(host: &str, seconds: u64) -> Event {
    Event::RequestEnded {
        host: host.into(),
        signal: HostSignal::Busy {
            retry_after: Some(Duration::from_secs(seconds)),
        },
        failure: Some("HTTP status 503".into()),
        contact: Contact::default(),
    }
}

fn again(host: &str, seq: u64) -> Event {
    Event::Decided {
        host: host.into(),
        seq,
        page: None,
        is_visit: false,
        queued: vec![queued(seq + 100, &format!("http://{host}/{seq}"))],
    }
}

fn one_at_an_address(config: &mut Config) {
    config.politeness.parallel_per_address = 1;
    config.politeness.address_delay_ms = 400;
}

#[test]
fn two_names_of_one_address_wait_for_one_another_once_it_is_known() {
    let mut frontier = Frontier::new(&settings(one_at_an_address), WINDOW, 0);
    frontier.add(site("a.example", 2), at(0));
    frontier.add(site("b.example", 2), at(0));
    for _ in 0..2 {
        started(frontier.next(at(0)));
    }
    frontier.on(answered_from("a.example", 1), at(10));
    frontier.on(answered_from("b.example", 1), at(100));
    assert_eq!(started(frontier.next(at(1_010))), "http://a.example/1");
    assert!(matches!(frontier.next(at(1_100)), Step::Wait(None)), "one at a time");
    frontier.on(answered_from("a.example", 1), at(2_000));
    assert!(matches!(frontier.next(at(2_000)), Step::Wait(Some(t)) if t == at(2_400)));
    assert_eq!(started(frontier.next(at(2_400))), "http://b.example/1");
}

#[test]
fn an_address_that_others_ask_too_gets_a_part_of_the_requests() {
    let mut frontier = Frontier::new(&settings(one_at_an_address), WINDOW, 0);
    for host in ["a.example", "b.example"] {
        frontier.add(site(host, 2), at(0));
        started(frontier.next(at(0)));
        frontier.on(answered_from(host, 1), at(0));
    }
    let key = AddressKey::new(address(1), "a.example");
    let others = AddressKey::new(address(2), "a.example");
    frontier.on(Event::Groups(GroupEvent::Shared(vec![(others, 9), (key, 3)])), at(10));
    // The delay of the hosts is over.
    assert_eq!(started(frontier.next(at(1_200))), "http://a.example/1");
    frontier.on(answered_from("a.example", 1), at(1_300));
    assert!(
        matches!(frontier.next(at(1_300)), Step::Wait(Some(t)) if t == at(2_500)),
        "three times 400 ms"
    );
    frontier.on(Event::Groups(GroupEvent::Shared(vec![(key, 1)])), at(1_400));
    assert!(matches!(frontier.next(at(1_400)), Step::Wait(_)));
    assert_eq!(started(frontier.next(at(2_500))), "http://b.example/1");
}

#[test]
fn a_host_that_moves_takes_its_open_requests_along() {
    let mut frontier = Frontier::new(
        &settings(|c| {
            c.politeness.delay_ms = 0;
            c.politeness.parallel_per_address = 2;
            c.politeness.parallel_per_host = 2;
        }),
        WINDOW,
        0,
    );
    frontier.add(site("a.example", 9), at(0));
    frontier.add(site("192.0.2.1", 9), at(0));
    for _ in 0..3 {
        started(frontier.next(at(0)));
    }
    // Both of a's requests are open, and one of the address's; a turns out to be there.
    started(frontier.next(at(0)));
    frontier.on(answered_from("a.example", 1), at(1));
    assert!(
        matches!(frontier.next(at(1)), Step::Wait(None)),
        "three requests are open at an address for two"
    );
    frontier.on(answered_from("a.example", 2), at(2));
    assert_eq!(started(frontier.next(at(2))), "http://a.example/2", "it has moved");
}

#[test]
fn a_long_retry_after_lets_the_run_end_and_is_kept_by_the_next() {
    let mut first = Frontier::new(&settings(|_| {}), WINDOW, 0)
        .begun_at(unix(BEGIN))
        .with_seed(1);
    first.add(site("a.example", 2), at(0));
    started(first.next(at(0)));
    first.on(busy("a.example", 3_600), at(500));
    first.on(again("a.example", 0), at(500));
    assert!(matches!(first.next(at(500)), Step::Finished(Ending::Exhausted)));
    let gone = &first.given_up()[0];
    assert_eq!(
        (gone.host.as_str(), gone.last_failure.as_str(), gone.rests_until),
        ("a.example", "HTTP status 503", Some(BEGIN + HOUR + 501))
    );
    let [(_, state)] = &first.take_unsaved()[..] else {
        panic!("one host to save")
    };
    assert!(!state.retired && !first.has_unsaved());
    let begins_again = |later: u64| {
        let mut frontier = Frontier::new(&settings(|_| {}), WINDOW, 0)
            .begun_at(unix(BEGIN + later))
            .with_seed(1);
        frontier.restore("a.example", state);
        frontier.add(site("a.example", 2), at(0));
        frontier
    };
    assert!(matches!(begins_again(HOUR / 2).next(at(0)), Step::Finished(_)));
    let nearly = begins_again(HOUR).next(at(0));
    assert!(matches!(nearly, Step::Wait(Some(t)) if t == at(501)), "{nearly:?}");
    started(begins_again(HOUR + 501).next(at(0)));
}

#[test]
fn a_run_that_still_goes_on_asks_the_host_at_the_end_of_its_long_rest() {
    let mut frontier = Frontier::new(&settings(|_| {}), WINDOW, 0);
    frontier.add(site("a.example", 2), at(0));
    started(frontier.next(at(0)));
    frontier.add(site("b.example", 1), at(0));
    started(frontier.next(at(0)));
    frontier.on(busy("a.example", 3_600), at(0));
    frontier.on(again("a.example", 0), at(0));
    // The request to b is still open.
    assert!(matches!(frontier.next(at(0)), Step::Wait(Some(t)) if t == at(HOUR)));
    assert_eq!(started(frontier.next(at(HOUR))), "http://a.example/1");
}

#[test]
fn a_restart_asks_no_earlier_than_the_run_before_would_have() {
    let mut first = Frontier::new(&settings(|_| {}), WINDOW, 0)
        .begun_at(unix(BEGIN))
        .with_seed(1);
    first.add(site("a.example", 2), at(0));
    started(first.next(at(0)));
    first.on(answered_from("a.example", 1), at(300));
    first.on(decided("a.example", 0, true), at(300));
    let [(name, state)] = &first.take_unsaved()[..] else {
        panic!("one host to save")
    };
    assert_eq!(
        (name.as_str(), state.asked_at, state.address),
        ("a.example", BEGIN + 301, Some(address(1)))
    );
    for (began, killed, waits) in [
        (500, false, 801),
        (5_000, false, 0),
        (500, true, 1_000),
        (5_000, true, 1_000),
    ] {
        let mut frontier = Frontier::new(&settings(|_| {}), WINDOW, 0)
            .begun_at(unix(BEGIN + began))
            .with_seed(1);
        if killed {
            frontier.was_interrupted();
        }
        frontier.restore(name, state);
        frontier.add_stored_host("a.example", &stored(0));
        frontier.add(vec![queued(1, "http://a.example/1")], at(0));
        match frontier.next(at(0)) {
            Step::Wait(Some(until)) => assert_eq!(until, at(waits), "{began} {killed}"),
            step => assert_eq!((started(step).as_str(), waits), ("http://a.example/1", 0)),
        }
    }
}

#[test]
fn the_address_of_a_restored_host_is_known_from_the_start() {
    let mut frontier = Frontier::new(&settings(one_at_an_address), WINDOW, 0)
        .begun_at(unix(BEGIN))
        .with_seed(1);
    for host in ["a.example", "b.example"] {
        let state = HostRecord {
            address: Some(address(1)),
            ..HostRecord::default()
        };
        frontier.restore(host, &state);
        frontier.add(site(host, 1), at(0));
    }
    started(frontier.next(at(0)));
    assert!(matches!(frontier.next(at(0)), Step::Wait(None)));
}

#[test]
fn a_host_keeps_the_delay_after_an_earlier_run_asked_another_host_of_its_address() {
    let mut frontier = Frontier::new(&settings(one_at_an_address), WINDOW, 0)
        .begun_at(unix(BEGIN))
        .with_seed(1);
    for (host, asked_at) in [("a.example", BEGIN - 100), ("b.example", BEGIN - 9_000)] {
        let state = HostRecord {
            address: Some(address(1)),
            asked_at,
            ..HostRecord::default()
        };
        frontier.restore(host, &state);
    }
    frontier.add(site("b.example", 1), at(0));
    assert!(matches!(frontier.next(at(0)), Step::Wait(Some(t)) if t == at(300)));
}

#[test]
fn a_host_given_up_gets_one_try_in_the_next_run_and_not_before_its_rest_is_over() {
    let state = HostRecord {
        rests_until: BEGIN + 90_000,
        failures: 5,
        retired: true,
        last_failure: Some("no connection".into()),
        ..HostRecord::default()
    };
    let mut frontier = Frontier::new(&settings(|_| {}), WINDOW, 0)
        .begun_at(unix(BEGIN))
        .with_seed(1);
    frontier.restore("a.example", &state);
    frontier.add(site("a.example", 2), at(0));
    assert!(matches!(frontier.next(at(0)), Step::Wait(Some(t)) if t == at(90_000)));
    started(frontier.next(at(90_000)));
    let unreachable = Event::RequestEnded {
        host: "a.example".into(),
        signal: HostSignal::Unreachable,
        failure: Some("still none".into()),
        contact: Contact::default(),
    };
    frontier.on(unreachable, at(90_000));
    frontier.on(again("a.example", 0), at(90_000));
    assert!(matches!(frontier.next(at(90_000)), Step::Finished(_)));
    let [(_, state)] = &frontier.take_unsaved()[..] else {
        panic!("one host to save")
    };
    assert!(state.retired && state.rests_until > BEGIN + 90_000);
    assert_eq!(state.last_failure.as_deref(), Some("still none"));
}

fn with_robots() -> Frontier {
    Frontier::new(&settings(fast_with_robots), WINDOW, 0)
        .begun_at(unix(BEGIN))
        .with_seed(1)
}

fn recalled(step: Step) -> Errand {
    match step {
        Step::Recall(errand) => errand,
        other => panic!("no recall but {other:?}"),
    }
}

#[test]
fn a_robots_txt_of_the_last_day_is_not_fetched_again() {
    let mut frontier = with_robots();
    frontier.add_stored_host("a.example", &stored(0));
    frontier.add(site("a.example", 3), at(0));
    let errand = recalled(frontier.next(at(0)));
    assert!(
        matches!(frontier.next(at(0)), Step::Wait(None)),
        "the page waits for it"
    );
    let robots = Robots::parse(b"User-agent: *\nDisallow: /0\nCrawl-delay: 2\n", "crawler");
    let answer = RobotsAnswer::Recalled(robots, Vec::new(), BEGIN - 20 * HOUR);
    frontier.on(Event::Robots { errand, answer }, at(0));
    assert!(matches!(frontier.next(at(2_000)), Step::Exclude { .. }));
    assert_eq!(started(frontier.next(at(2_000))), "http://a.example/1");
    frontier.on(ended("a.example"), at(2_000));
    // Four hours later it is a day old.
    assert_eq!(started(frontier.next(at(4 * HOUR))), "http://a.example/robots.txt");
}

#[test]
fn a_robots_txt_that_is_old_or_forgotten_is_fetched() {
    let all = || Robots::parse(b"", "crawler");
    for answer in [
        RobotsAnswer::Forgotten,
        RobotsAnswer::Recalled(all(), Vec::new(), BEGIN - 24 * HOUR),
        RobotsAnswer::Recalled(all(), Vec::new(), BEGIN + HOUR),
    ] {
        let mut frontier = with_robots();
        frontier.add_stored_host("a.example", &stored(0));
        frontier.add(site("a.example", 1), at(0));
        let errand = recalled(frontier.next(at(0)));
        frontier.on(Event::Robots { errand, answer }, at(0));
        let errand = robots_of(frontier.next(at(0)));
        assert_eq!(errand.url().as_str(), "http://a.example/robots.txt");
        frontier.on(ended("a.example"), at(0));
        frontier.on(
            Event::Robots {
                errand,
                answer: rules(""),
            },
            at(0),
        );
        assert_eq!(started(frontier.next(at(0))), "http://a.example/0");
    }
}

#[test]
fn a_robots_txt_that_is_unreachable_after_a_day_forbids_everything_until_it_is_fetched_again() {
    let mut frontier = with_robots();
    frontier.add(site("a.example", 3), at(0));
    let errand = robots_of(frontier.next(at(0)));
    frontier.on(ended("a.example"), at(0));
    frontier.on(
        Event::Robots {
            errand,
            answer: rules(""),
        },
        at(0),
    );
    started(frontier.next(at(24 * HOUR - 1)));
    frontier.on(ended("a.example"), at(24 * HOUR - 1));
    frontier.on(decided("a.example", 0, true), at(24 * HOUR - 1));
    let errand = robots_of(frontier.next(at(24 * HOUR)));
    frontier.on(ended("a.example"), at(24 * HOUR));
    frontier.on(unreachable(errand), at(24 * HOUR));
    // Tried again, it is there and says something new.
    let errand = robots_of(frontier.next(at(24 * HOUR)));
    frontier.on(ended("a.example"), at(24 * HOUR));
    let answer = rules("User-agent: *\nDisallow: /1\n");
    frontier.on(Event::Robots { errand, answer }, at(24 * HOUR));
    assert!(matches!(frontier.next(at(24 * HOUR)), Step::Exclude { .. }));
    assert_eq!(started(frontier.next(at(24 * HOUR))), "http://a.example/2");
}

#[test]
fn an_origin_given_up_for_its_robots_txt_is_saved_as_given_up_with_the_reason() {
    let mut frontier = with_robots();
    frontier.add(site("a.example", 3), at(0));
    for _ in 0..3 {
        let errand = robots_of(frontier.next(at(0)));
        let failed = Event::RequestEnded {
            host: "a.example".into(),
            signal: HostSignal::Unreachable,
            failure: Some("no connection".into()),
            contact: Contact::default(),
        };
        frontier.on(failed, at(0));
        frontier.on(unreachable(errand), at(0));
    }
    assert!(matches!(frontier.next(at(0)), Step::Finished(_)));
    let [(_, state)] = &frontier.take_unsaved()[..] else {
        panic!("one host to save")
    };
    assert!(state.retired);
    assert_eq!(
        state.last_failure.as_deref(),
        Some("http://a.example: robots.txt: no connection")
    );
}
