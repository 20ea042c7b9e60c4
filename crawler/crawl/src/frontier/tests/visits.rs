//! Revisits.

use storage::Revisit;

use super::*;
use crate::revisits::PRIORITY_VISIT;
use crate::steering::PRIORITY_HELD_BACK;

/// A visit to a page of the host `a.example`.
fn visit(seq: u64, path: &str) -> QueuedUrl {
    QueuedUrl {
        priority: PRIORITY_VISIT,
        revisits: Some(Box::new(Revisit::default())),
        ..queued(seq, &format!("http://a.example/{path}"))
    }
}

fn visits(seqs: std::ops::Range<u64>) -> Vec<QueuedUrl> {
    seqs.map(|seq| visit(seq, &format!("v{seq}"))).collect()
}

fn visited(seq: u64) -> Event {
    Event::Decided {
        host: "a.example".into(),
        seq,
        page: None,
        is_visit: true,
        queued: Vec::new(),
    }
}

fn fast(change: impl FnOnce(&mut Config)) -> Settings {
    settings(|config| {
        config.politeness.delay_ms = 0;
        change(config);
    })
}

/// Starts requests one after the other and answers each with a page. Returns the paths that were asked for, and the ending.
fn drain(frontier: &mut Frontier) -> (Vec<String>, Ending) {
    let mut asked = Vec::new();
    loop {
        match frontier.next(at(0)) {
            Step::Start(Task::Page { queued, .. }, _) => {
                asked.push(queued.url["http://a.example/".len()..].to_owned());
                frontier.on(ended("a.example"), at(0));
                let is_visit = queued.revisits.is_some();
                let event = if is_visit {
                    visited(queued.seq)
                } else {
                    decided("a.example", queued.seq, true)
                };
                frontier.on(event, at(0));
            }
            Step::Finished(ending) => return (asked, ending),
            other => panic!("{other:?}"),
        }
    }
}

#[test]
fn visits_and_new_urls_of_a_host_take_turns() {
    let mut frontier = Frontier::new(&fast(|_| {}), WINDOW, 0);
    frontier.add_stored_visits("b.example", 0);
    frontier.add(visits(10..14), at(0));
    frontier.add(site("a.example", 2), at(0));
    let (asked, ending) = drain(&mut frontier);
    assert_eq!(asked, ["0", "v10", "1", "v11", "v12", "v13"]);
    assert_eq!(ending, Ending::Exhausted);
}

#[test]
fn at_the_page_limit_visits_are_made_and_new_urls_wait() {
    let mut frontier = Frontier::new(&fast(|config| config.scope.max_pages = 3), WINDOW, 2);
    frontier.add_stored_visits("a.example", 3);
    let refill = frontier.next(at(0));
    let Step::Refill(Refill { from, .. }) = refill else {
        panic!("{refill:?}")
    };
    assert_eq!(from, Some((PRIORITY_VISIT, 0, 0)));
    let refilled = Event::Refilled {
        host: "a.example".into(),
        urls: visits(10..13),
        more: false,
    };
    frontier.on(refilled, at(0));
    frontier.add(site("a.example", 3), at(0));
    let (asked, ending) = drain(&mut frontier);
    assert_eq!(asked, ["0", "v10", "v11", "v12"]);
    assert_eq!(ending, Ending::PageLimit);
}

#[test]
fn a_new_url_without_a_page_makes_room_for_another_while_visits_are_made() {
    let mut frontier = Frontier::new(&fast(|config| config.scope.max_pages = 1), WINDOW, 0);
    frontier.add_stored_visits("b.example", 1);
    frontier.add(site("a.example", 2), at(0));
    assert!(matches!(frontier.next(at(0)), Step::Refill(Refill { .. })));
    assert_eq!(started(frontier.next(at(0))), "http://a.example/0");
    frontier.on(ended("a.example"), at(0));
    assert!(
        matches!(frontier.next(at(0)), Step::Wait(None)),
        "it may become the last page"
    );
    frontier.on(decided("a.example", 0, false), at(0));
    assert_eq!(started(frontier.next(at(0))), "http://a.example/1");
}

#[test]
fn a_visit_is_neither_a_trap_nor_held_back() {
    let mut frontier = Frontier::new(&fast(|_| {}), WINDOW, 0);
    let deep = visit(10, "a/a/a/a/a/a/a/a/a/a");
    frontier.add(vec![deep], at(0));
    let (asked, ending) = drain(&mut frontier);
    assert_eq!((asked.len(), ending), (1, Ending::Exhausted));
    assert!(frontier.into_holder().is_none());
}

#[test]
fn a_refill_of_new_urls_does_not_take_the_visits_behind_them() {
    let mut frontier = Frontier::new(&fast(|_| {}), WINDOW, 0);
    frontier.add_stored_host("a.example", &stored(1));
    frontier.add_stored_visits("a.example", 1);
    assert!(matches!(frontier.next(at(0)), Step::Refill(Refill { from: None, .. })));
    let mut urls = site("a.example", 1);
    urls.extend(visits(10..11));
    let refilled = |urls, more| Event::Refilled {
        host: "a.example".into(),
        urls,
        more,
    };
    frontier.on(refilled(urls, false), at(0));
    assert!(matches!(
        frontier.next(at(0)),
        Step::Refill(Refill {
            from: Some((PRIORITY_VISIT, ..)),
            ..
        })
    ));
    frontier.on(refilled(visits(10..11), false), at(0));
    let mut asked = Vec::new();
    loop {
        match frontier.next(at(0)) {
            // The review of the held-back URLs; the visits stand behind them.
            Step::Refill(Refill { from, .. }) => {
                assert_eq!(from.map(|(priority, ..)| priority), Some(PRIORITY_HELD_BACK));
                frontier.on(refilled(visits(11..12), false), at(0));
            }
            Step::Start(Task::Page { queued, .. }, _) => {
                frontier.on(ended("a.example"), at(0));
                let is_visit = queued.revisits.is_some();
                let event = if is_visit {
                    visited(queued.seq)
                } else {
                    decided("a.example", queued.seq, true)
                };
                frontier.on(event, at(0));
                asked.push(queued.url);
            }
            Step::Finished(ending) => {
                assert_eq!(ending, Ending::Exhausted);
                break;
            }
            other => panic!("{other:?}"),
        }
    }
    asked.sort();
    assert_eq!(asked, ["http://a.example/0", "http://a.example/v10"]);
}
