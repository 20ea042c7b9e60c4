//! The order of turns among hosts and at an address.

use std::collections::HashMap;
use std::net::IpAddr;
use std::time::{Duration, UNIX_EPOCH};

use storage::HostRecord;
use web::politeness::{Contact, HostSignal, Now};

use super::{BEGIN, settings};
use crate::frontier::Frontier;
use crate::messages::{Event, Step, Task};

/// The hosts in the order they are asked, each request ending at once.
fn order_of(frontier: &mut Frontier, address: Option<IpAddr>, requests: usize) -> Vec<String> {
    let mut order = Vec::new();
    let mut now = Now::ZERO;
    while order.len() < requests {
        match frontier.next(now) {
            Step::Start(Task::Page { queued, .. }, _) => {
                let contact = Contact { address, latency: None };
                let ended = Event::RequestEnded {
                    host: queued.host.clone(),
                    signal: HostSignal::Answered,
                    failure: None,
                    contact,
                };
                frontier.on(ended, now);
                frontier.on(super::decided(&queued.host, queued.seq, true), now);
                order.push(queued.host);
            }
            Step::Wait(Some(until)) => now = until,
            other => panic!("{other:?}"),
        }
    }
    order
}

#[test]
fn the_hosts_of_an_address_take_turns() {
    let settings = settings(|config| {
        config.politeness.parallel_per_address = 1;
        config.politeness.delay_ms = 100;
        config.politeness.address_delay_ms = 100;
    });
    let mut frontier = Frontier::new(&settings, 40, 0);
    for number in 1..=5 {
        frontier.add(super::site(&format!("h{number}.example"), 20), Now::ZERO);
    }
    let order = order_of(&mut frontier, Some([192, 0, 2, 1].into()), 100);
    for round in order.chunks(5) {
        let mut round = round.to_vec();
        round.sort();
        round.dedup();
        assert_eq!(round.len(), 5, "{order:?}");
    }
}

#[test]
fn a_host_that_rested_is_not_kept_waiting_by_hosts_without_delay() {
    let settings = settings(|config| {
        config.politeness.delay_ms = 0;
        config.fetch.parallel = 1;
    });
    let mut frontier = Frontier::new(&settings, 40, 0)
        .begun_at(UNIX_EPOCH + Duration::from_millis(BEGIN))
        .with_seed(1);
    let rests_until = BEGIN + 50;
    frontier.restore(
        "c.example",
        &HostRecord {
            rests_until,
            failures: 1,
            ..HostRecord::default()
        },
    );
    for host in ["a.example", "b.example", "c.example"] {
        frontier.add(super::site(host, 50), Now::ZERO);
    }
    let mut asked = HashMap::new();
    let mut now = Now::ZERO;
    // A request a millisecond: c is ready after fifty of them.
    for _ in 0..80 {
        let Step::Start(Task::Page { queued, .. }, _) = frontier.next(now) else {
            panic!("nothing to do")
        };
        *asked.entry(queued.host.clone()).or_insert(0) += 1;
        now += Duration::from_millis(1);
        frontier.on(super::ended(&queued.host), now);
        frontier.on(super::decided(&queued.host, queued.seq, true), now);
    }
    assert!(asked["c.example"] >= 9, "{asked:?}");
}
