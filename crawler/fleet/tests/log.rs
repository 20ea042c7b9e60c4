//! The log on a real server.

#![allow(clippy::unwrap_used, clippy::expect_used)]

mod support;

use fleet::{Entry, Fleet, Position};
use support::{Server, entry, worker};

async fn all(fleet: &Fleet, step: usize) -> Vec<(Position, Entry)> {
    let (mut all, mut after) = (Vec::new(), Position::default());
    loop {
        let some = support::entries(fleet.read_log(after, step).await.unwrap());
        let Some((last, _)) = some.last() else { break };
        after = *last;
        let full = some.len() == step;
        all.extend(some);
        if !full {
            break;
        }
    }
    all
}

#[tokio::test]
async fn all_readers_see_the_entries_of_two_workers_in_one_order() {
    let server = Server::start(&[]);
    let workers = [worker(&server.address(), 1).await, worker(&server.address(), 2).await];
    assert_eq!(all(&workers[0], 10).await, []);
    let appending = workers.clone().map(|fleet| {
        tokio::spawn(async move {
            let mut next = 0;
            while next < 400 {
                let some: Vec<Entry> = (next..400.min(next + 1 + next % 50))
                    .map(|sequence| entry(&fleet, sequence))
                    .collect();
                next += some.len() as u64;
                fleet.append(&some).await.unwrap();
            }
        })
    });
    for appended in appending {
        appended.await.unwrap();
    }
    let order = all(&workers[0], 7).await;
    assert_eq!(order.len(), 800);
    assert!(order.is_sorted_by(|one, two| one.0 < two.0));
    for step in [1, 64, 5_000] {
        assert_eq!(all(&workers[1], step).await, order);
    }
    for fleet in &workers {
        let own = order.iter().filter(|(_, entry)| entry.page.worker == fleet.worker());
        assert!(own.map(|(_, entry)| entry.page.sequence).eq(0..400));
    }
    assert_eq!(workers[0].log_end().await.unwrap(), order.last().unwrap().0);
}

#[tokio::test]
async fn a_repeated_entry_comes_twice_and_reading_goes_on_in_the_middle_of_an_item() {
    let server = Server::start(&[]);
    let fleet = worker(&server.address(), 1).await;
    let entries: Vec<Entry> = (0..10).map(|sequence| entry(&fleet, sequence)).collect();
    fleet.append(&entries).await.unwrap();
    fleet.append(&entries[5..]).await.unwrap();
    let first = support::entries(fleet.read_log(Position::default(), 4).await.unwrap());
    let rest = support::entries(fleet.read_log(first[3].0, 100).await.unwrap());
    let sequences: Vec<u64> = first
        .iter()
        .chain(&rest)
        .map(|(_, entry)| entry.page.sequence)
        .collect();
    assert_eq!(sequences, [0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 5, 6, 7, 8, 9]);
}

#[tokio::test]
async fn what_was_not_confirmed_is_not_read() {
    let server = Server::start(&[]);
    let fleet = worker(&server.address(), 1).await;
    fleet.append(&[entry(&fleet, 1)]).await.unwrap();
    // As of a worker that died between appending and confirming.
    let item = server.ask(&["XRANGE", "{crawl/log}s", "-", "+"]);
    assert!(matches!(item, redis::Value::Array(ref items) if items.len() == 1));
    server.ask(&["XADD", "{crawl/log}s", "*", "e", "no entry at all"]);
    assert_eq!(all(&fleet, 10).await.len(), 1);
}
