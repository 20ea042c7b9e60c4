//! Settings that change while the run lasts.

use super::*;
use config::settings::Adjustable;

/// The event that gives these keys other values.
fn adjusted(values: &[(&str, &str)]) -> Event {
    let own = [("politeness.robots", "false"), ("politeness.guess_sitemap", "false")];
    let all = own.iter().chain(values);
    let all: Vec<_> = all
        .map(|(key, value)| ((*key).to_owned(), (*value).to_owned()))
        .collect();
    Event::Adjusted(Box::new(Adjustable::of(&all).unwrap()))
}

fn waits_until(step: Step, until: Now) {
    assert!(matches!(step, Step::Wait(Some(at)) if at == until), "{step:?}");
}

#[test]
fn another_delay_counts_at_once_whether_it_is_longer_or_shorter() {
    let mut frontier = Frontier::new(&settings(|_| {}), WINDOW, 0);
    frontier.add(site("a.example", 3), at(0));
    started(frontier.next(at(0)));
    frontier.on(ended("a.example"), at(100));
    waits_until(frontier.next(at(100)), at(1_100));
    frontier.on(adjusted(&[("politeness.delay_ms", "60000")]), at(200));
    waits_until(frontier.next(at(1_100)), at(60_200));
    frontier.on(adjusted(&[("politeness.delay_ms", "2000")]), at(1_500));
    waits_until(frontier.next(at(1_500)), at(2_100));
    frontier.on(adjusted(&[("politeness.delay_ms", "0")]), at(1_600));
    assert_eq!(started(frontier.next(at(1_600))), "http://a.example/1");
    // A host that comes later has the delay, too.
    frontier.on(adjusted(&[("politeness.delay_ms", "5000")]), at(1_700));
    frontier.add(site("b.example", 2), at(1_700));
    assert_eq!(started(frontier.next(at(1_700))), "http://b.example/0");
    frontier.on(ended("b.example"), at(1_800));
    waits_until(frontier.next(at(1_800)), at(6_800));
}

#[test]
fn a_host_that_waits_at_its_address_goes_on_when_the_delay_of_addresses_is_shorter() {
    let delays = |c: &mut Config| c.politeness.address_delay_ms = 1_000;
    let mut frontier = Frontier::new(&settings(delays), WINDOW, 0);
    for host in ["a.example", "b.example"] {
        frontier.add(site(host, 2), at(0));
        started(frontier.next(at(0)));
    }
    for host in ["a.example", "b.example"] {
        let contact = Contact {
            address: Some("192.0.2.1".parse().unwrap()),
            ..Contact::default()
        };
        let ended = Event::RequestEnded {
            host: host.into(),
            signal: HostSignal::Answered,
            failure: None,
            contact,
        };
        frontier.on(ended, at(100));
    }
    let first = started(frontier.next(at(1_100)));
    waits_until(frontier.next(at(1_100)), at(2_100));
    frontier.on(adjusted(&[("politeness.address_delay_ms", "0")]), at(1_200));
    let second = started(frontier.next(at(1_200)));
    assert_ne!(first, second);
    assert!(second.ends_with("/1"), "{second}");
}

#[test]
fn more_requests_at_a_time_keep_the_delay_to_the_one_that_is_open() {
    let mut frontier = Frontier::new(&settings(|_| {}), WINDOW, 0);
    frontier.add(site("a.example", 3), at(0));
    started(frontier.next(at(0)));
    frontier.on(adjusted(&[("politeness.parallel_per_host", "2")]), at(100));
    waits_until(frontier.next(at(100)), at(1_100));
    assert_eq!(started(frontier.next(at(1_100))), "http://a.example/1");
    assert!(matches!(frontier.next(at(5_000)), Step::Wait(None)), "two are open");
}

#[test]
fn another_bound_on_pages_counts_at_once() {
    let mut frontier = Frontier::new(&settings(|c| c.scope.max_pages = 1), WINDOW, 0);
    frontier.add(site("a.example", 9), at(0));
    let fetch = |frontier: &mut Frontier, seq: u64, now: u64| {
        assert_eq!(started(frontier.next(at(now))), format!("http://a.example/{seq}"));
        frontier.on(ended("a.example"), at(now));
        frontier.on(decided("a.example", seq, true), at(now));
    };
    fetch(&mut frontier, 0, 0);
    frontier.on(
        adjusted(&[("scope.max_pages", "5"), ("scope.max_pages_per_host", "2")]),
        at(1),
    );
    fetch(&mut frontier, 1, 1_000);
    assert!(
        matches!(frontier.next(at(9_000)), Step::Finished(Ending::Exhausted)),
        "of this host"
    );
    frontier.on(
        adjusted(&[("scope.max_pages", "5"), ("scope.max_pages_per_host", "0")]),
        at(9_000),
    );
    fetch(&mut frontier, 2, 9_000);
    frontier.on(adjusted(&[("scope.max_pages", "3")]), at(9_100));
    assert!(matches!(frontier.next(at(20_000)), Step::Finished(Ending::PageLimit)));
}
