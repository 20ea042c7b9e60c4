//! The share of a host in the slow lanes of the interpreter, and its documents that the run leaves.

use url::Url;

use super::{WINDOW, at, decided, ended, queued, settings, site, started};
use crate::frontier::Frontier;
use crate::frontier::slow_lanes::SlowLanes;
use crate::messages::{Ending, Event, Step};

const HOSTILE: &str = "hostile.example";

const GOOD: &str = "good.example";

fn entered(bytes: usize) -> Event {
    Event::LaneEntered {
        host: HOSTILE.into(),
        bytes,
    }
}

fn left(bytes: usize) -> Event {
    Event::LaneLeft {
        host: HOSTILE.into(),
        bytes,
    }
}

fn without_delay() -> config::settings::Settings {
    settings(|config| config.politeness.delay_ms = 0)
}

/// Starts the next page, and lets its request end. Returns its host.
fn fetched(frontier: &mut Frontier) -> Option<String> {
    match frontier.next(at(0)) {
        Step::Wait(_) => None,
        step => {
            let host = Url::parse(&started(step)).unwrap().host_str().unwrap().to_owned();
            if host == HOSTILE {
                frontier.on(entered(0), at(0));
            }
            frontier.on(ended(&host), at(0));
            Some(host)
        }
    }
}

#[test]
fn a_host_whose_answers_are_never_read_leaves_the_tickets_to_the_others() {
    let mut frontier = Frontier::new(&without_delay(), WINDOW, 0);
    frontier.add(site(HOSTILE, 300), at(0));
    frontier.add(site(GOOD, 40), at(0));
    let (mut hostile, mut good) = (0, 0);
    while let Some(host) = fetched(&mut frontier) {
        if host == HOSTILE {
            hostile += 1;
        } else {
            frontier.on(decided(GOOD, good, true), at(0));
            good += 1;
        }
    }
    assert_eq!((hostile, good), (SlowLanes::MAX_ANSWERS, 40));
}

#[test]
fn a_host_goes_on_when_one_of_its_answers_has_left_the_lane() {
    let mut frontier = Frontier::new(&without_delay(), WINDOW, 0);
    frontier.add(site(HOSTILE, 300), at(0));
    while fetched(&mut frontier).is_some() {}
    frontier.on(left(0), at(0));
    frontier.on(decided(HOSTILE, 0, true), at(0));
    assert!(fetched(&mut frontier).is_some());
    assert_eq!(fetched(&mut frontier), None);
}

/// The recorder may be faster than the news that an answer has left its lane.
#[test]
fn a_crawl_does_not_end_while_a_host_waits_for_its_share() {
    let mut frontier = Frontier::new(&without_delay(), WINDOW, 0);
    frontier.add(site(HOSTILE, SlowLanes::MAX_ANSWERS as u64 + 1), at(0));
    while fetched(&mut frontier).is_some() {}
    for seq in 0..SlowLanes::MAX_ANSWERS as u64 {
        frontier.on(decided(HOSTILE, seq, true), at(0));
    }
    assert!(matches!(frontier.next(at(0)), Step::Wait(_)));
    for _ in 0..SlowLanes::MAX_ANSWERS {
        frontier.on(left(0), at(1));
    }
    let last = format!("http://{HOSTILE}/{}", SlowLanes::MAX_ANSWERS);
    assert_eq!(started(frontier.next(at(1))), last);
}

#[test]
fn large_answers_of_a_host_are_few() {
    let settings = without_delay();
    let share = settings.fetch.memory_bytes / 2 / SlowLanes::MEMORY_SHARE;
    let mut frontier = Frontier::new(&settings, WINDOW, 0);
    frontier.add(site(HOSTILE, 300), at(0));
    started(frontier.next(at(0)));
    frontier.on(entered(share + 1), at(0));
    frontier.on(ended(HOSTILE), at(0));
    assert!(matches!(frontier.next(at(0)), Step::Wait(None)));
    frontier.on(left(share + 1), at(1));
    assert_eq!(started(frontier.next(at(1))), format!("http://{HOSTILE}/1"));
}

#[test]
fn sitemaps_and_pages_of_a_host_have_one_share() {
    let settings = settings(|config| {
        config.politeness.delay_ms = 0;
        config.politeness.robots = true;
    });
    let mut frontier = Frontier::new(&settings, WINDOW, 0);
    frontier.add(site(HOSTILE, 9), at(0));
    let errand = super::robots_of(frontier.next(at(0)));
    frontier.on(ended(HOSTILE), at(0));
    let sitemaps = (0..9).map(|n| format!("Sitemap: http://{HOSTILE}/{n}.xml\n"));
    let answer = super::rules(&sitemaps.collect::<String>());
    frontier.on(Event::Robots { errand, answer }, at(0));
    let mut asked = Vec::new();
    while let step @ Step::Start(..) = frontier.next(at(0)) {
        asked.push(started(step));
        frontier.on(entered(0), at(0));
        frontier.on(ended(HOSTILE), at(0));
    }
    assert_eq!(asked.len(), SlowLanes::MAX_ANSWERS);
    let sitemaps = asked.iter().filter(|url| url.ends_with(".xml")).count();
    assert_eq!(sitemaps, SlowLanes::MAX_ANSWERS / 2, "{asked:?}");
    frontier.on(left(0), at(0));
    assert!(matches!(frontier.next(at(0)), Step::Start(..)));
}

#[test]
fn documents_that_are_left_stay_queued_and_are_counted() {
    let mut frontier = Frontier::new(&without_delay(), WINDOW, 0);
    frontier.add(site(HOSTILE, 3), at(0));
    for seq in 0..3 {
        started(frontier.next(at(0)));
        frontier.on(ended(HOSTILE), at(0));
        let document = queued(seq, &format!("http://{HOSTILE}/{seq}"));
        let event = match seq {
            0 => decided(HOSTILE, 0, false),
            _ => Event::DocumentLeft {
                queued: document,
                why: "too slow".into(),
            },
        };
        frontier.on(event, at(0));
    }
    assert!(matches!(frontier.next(at(1)), Step::Finished(Ending::Exhausted)));
    let given_up = frontier.given_up();
    assert_eq!(given_up.len(), 1);
    assert_eq!(
        (given_up[0].documents, given_up[0].last_failure.as_str()),
        (2, "too slow")
    );
}
