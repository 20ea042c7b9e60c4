//! Pause, drops and delays.

use super::*;
use crate::control::in_force::{Delayed, Dropped, InForce};
use crate::control::steer::Steer;
use crate::messages::Orders;

/// The event of orders that come to this.
fn ordered(in_force: &InForce) -> Event {
    Event::Ordered(Box::new(Orders {
        steer: Steer::of(in_force),
        queued: Vec::new(),
        known: Vec::new(),
        sitemaps: Vec::new(),
        restored: Vec::new(),
        done: None,
    }))
}

fn restored(host: &str, urls: u64) -> Event {
    match ordered(&InForce::default()) {
        Event::Ordered(mut orders) => {
            orders.restored.push((host.to_owned(), urls));
            Event::Ordered(orders)
        }
        other => other,
    }
}

/// The order that pauses a crawl.
pub(super) fn pause() -> Event {
    ordered(&paused())
}

fn paused() -> InForce {
    InForce {
        paused: Some(1),
        ..InForce::default()
    }
}

fn dropping(what: &[&str]) -> InForce {
    let dropped = what.iter().map(|what| Dropped {
        what: (*what).to_owned(),
        since: 1,
    });
    InForce {
        dropped: dropped.collect(),
        ..InForce::default()
    }
}

fn delaying(host: &str, seconds: f64) -> InForce {
    InForce {
        delays: vec![Delayed {
            host: host.to_owned(),
            seconds,
            since: 1,
        }],
        ..InForce::default()
    }
}

fn excluded(step: Step) -> (u64, String) {
    match step {
        Step::Exclude { queued, reason } => (queued.seq, reason),
        other => panic!("nothing excluded but {other:?}"),
    }
}

#[test]
fn a_paused_crawl_starts_nothing_and_does_not_end() {
    let mut frontier = Frontier::new(&settings(|_| {}), WINDOW, 0);
    frontier.add(site("a.example", 2), at(0));
    assert_eq!(started(frontier.next(at(0))), "http://a.example/0");
    frontier.on(ordered(&paused()), at(1));
    frontier.on(ended("a.example"), at(2));
    frontier.on(decided("a.example", 0, true), at(3));
    frontier.add(site("b.example", 1), at(4));
    assert!(matches!(frontier.next(at(900_000)), Step::Wait(None)));
    frontier.on(ordered(&InForce::default()), at(900_000));
    let mut urls = [started(frontier.next(at(900_000))), started(frontier.next(at(900_000)))];
    urls.sort();
    assert_eq!(urls, ["http://a.example/1", "http://b.example/0"]);
    frontier.on(ordered(&paused()), at(900_001));
    for host in ["a.example", "b.example"] {
        frontier.on(ended(host), at(900_002));
        frontier.on(decided(host, u64::from(host == "a.example"), true), at(900_002));
    }
    assert!(
        matches!(frontier.next(at(990_000)), Step::Wait(None)),
        "nothing is left, but it is paused"
    );
    frontier.on(Event::Stop, at(990_001));
    assert!(matches!(frontier.next(at(990_001)), Step::Finished(Ending::Stopped)));
}

#[test]
fn a_crawl_that_begins_paused_starts_with_resume() {
    let frontier = Frontier::new(&settings(|_| {}), WINDOW, 0);
    let mut frontier = frontier.steered_by(Steer::of(&paused()));
    frontier.add(site("a.example", 1), at(0));
    assert!(matches!(frontier.next(at(0)), Step::Wait(None)));
    frontier.on(ordered(&InForce::default()), at(5));
    assert_eq!(started(frontier.next(at(5))), "http://a.example/0");
}

#[test]
fn a_dropped_host_excludes_its_urls_without_waiting_for_its_gate() {
    let mut frontier = Frontier::new(&settings(|_| {}), WINDOW, 0);
    frontier.add(site("a.example", 3), at(0));
    assert_eq!(started(frontier.next(at(0))), "http://a.example/0");
    frontier.on(ordered(&dropping(&["a.example"])), at(1));
    let reason = "dropped by the order: a.example".to_owned();
    let mut found = [excluded(frontier.next(at(1))), excluded(frontier.next(at(1)))];
    found.sort();
    assert_eq!(found, [(1, reason.clone()), (2, reason)]);
    assert!(
        matches!(frontier.next(at(1)), Step::Wait(None)),
        "the request under way ends"
    );
    for seq in 0..3 {
        if seq == 0 {
            frontier.on(ended("a.example"), at(2));
        }
        frontier.on(decided("a.example", seq, false), at(2));
    }
    assert!(matches!(frontier.next(at(3)), Step::Finished(Ending::Exhausted)));
}

#[test]
fn a_pattern_excludes_what_matches_and_restored_urls_come_from_the_store() {
    let mut frontier = Frontier::new(&settings(|c| c.politeness.delay_ms = 0), WINDOW, 0);
    frontier.on(ordered(&dropping(&["regex:/0$"])), at(0));
    frontier.add(site("a.example", 2), at(0));
    assert_eq!(excluded(frontier.next(at(0))).0, 0);
    assert_eq!(started(frontier.next(at(0))), "http://a.example/1");
    frontier.on(decided("a.example", 0, false), at(1));
    frontier.on(ended("a.example"), at(1));
    frontier.on(decided("a.example", 1, true), at(1));
    frontier.on(restored("a.example", 1), at(2));
    assert!(matches!(frontier.next(at(2)), Step::Refill(Refill { host, .. }) if host == "a.example"));
}

#[test]
fn a_delay_counts_at_once_whether_it_is_longer_or_shorter() {
    let mut frontier = Frontier::new(&settings(|_| {}), WINDOW, 0);
    frontier.add(site("a.example", 3), at(0));
    started(frontier.next(at(0)));
    frontier.on(ended("a.example"), at(100));
    assert!(matches!(frontier.next(at(100)), Step::Wait(Some(until)) if until == at(1_100)));
    frontier.on(ordered(&delaying("a.example", 60.0)), at(200));
    // The turn that was scheduled comes, and there is nothing to do yet.
    assert!(matches!(frontier.next(at(1_100)), Step::Wait(Some(until)) if until == at(60_200)));
    frontier.on(ordered(&delaying("a.example", 2.0)), at(1_500));
    assert!(matches!(frontier.next(at(1_500)), Step::Wait(Some(until)) if until == at(2_100)));
    assert_eq!(started(frontier.next(at(2_100))), "http://a.example/1");
    frontier.on(ended("a.example"), at(2_200));
    frontier.on(ordered(&InForce::default()), at(2_300));
    assert!(
        matches!(frontier.next(at(2_300)), Step::Wait(Some(until)) if until == at(3_200)),
        "the configuration"
    );
}

#[test]
fn a_delay_that_was_ordered_before_a_host_came_holds() {
    let frontier = Frontier::new(&settings(|_| {}), WINDOW, 0);
    let mut frontier = frontier.steered_by(Steer::of(&delaying("*.example", 9.0)));
    frontier.add(site("a.example", 2), at(0));
    started(frontier.next(at(0)));
    frontier.on(ended("a.example"), at(100));
    assert!(matches!(frontier.next(at(100)), Step::Wait(Some(until)) if until == at(9_100)));
}
