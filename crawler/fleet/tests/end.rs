//! The end of a crawl: told to all workers, and not before.

#![allow(clippy::unwrap_used, clippy::expect_used)]

mod support;

use std::time::Duration;

use fleet::{Fleet, FleetError, Order, Partition, Pulse, Visitor, WorkerReport, change, order, status};
use support::{Server, changes, options, waiting, worker};

fn report(idle: bool) -> WorkerReport {
    WorkerReport {
        idle,
        ..WorkerReport::default()
    }
}

/// Several heartbeats of all workers, all with the same word; the last answers.
async fn rounds(fleets: &[(&Fleet, bool)], number: usize) -> Vec<Pulse> {
    let mut pulses = Vec::new();
    for _ in 0..number {
        pulses.clear();
        tokio::time::sleep(Duration::from_millis(2)).await;
        for (fleet, idle) in fleets {
            pulses.push(fleet.heartbeat(&report(*idle)).await.unwrap());
        }
    }
    pulses
}

#[tokio::test]
async fn a_crawl_ends_when_all_are_idle_and_all_queues_are_read() {
    let server = Server::start(&[]);
    let (one, two) = (worker(&server.address(), 1).await, worker(&server.address(), 2).await);
    one.acquire(8, &[]).await.unwrap();
    let ended = |pulses: &[Pulse]| pulses.iter().map(|pulse| pulse.finished).collect::<Vec<_>>();
    // Half of the partitions have no owner: somebody may have left work there.
    assert_eq!(ended(&rounds(&[(&one, true), (&two, true)], 6).await), [false, false]);
    let second = two.acquire(8, &[]).await.unwrap();
    // One of them is busy.
    assert_eq!(ended(&rounds(&[(&one, true), (&two, false)], 6).await), [false, false]);
    // Both are idle.
    let both = [(&one, true), (&two, true)];
    let pulses = rounds(&both, 6).await;
    assert_eq!(ended(&pulses), [true, true]);
    assert_eq!(pulses.iter().map(|pulse| pulse.share).collect::<Vec<_>>(), [8, 8]);
    // A URL comes into the queue of the second: not before it has read it and is idle again.
    one.enqueue(&[(second[0].partition, vec![waiting("https://a.example/")])])
        .await
        .unwrap();
    assert_eq!(ended(&rounds(&both, 6).await), [false, false]);
    let pulse = two.heartbeat(&report(true)).await.unwrap();
    assert!(pulse.news.is_empty(), "it was told before, and has said so");
    assert_eq!(
        two.read_queue(second[0].partition, Some(second[0].epoch), 0, 10)
            .await
            .unwrap()
            .urls
            .len(),
        1
    );
    // It holds the URL back: it is still waiting, and nevertheless all is done.
    tokio::time::sleep(Duration::from_millis(450)).await; // the workers look again after a fifth of the lease
    assert_eq!(ended(&rounds(&both, 6).await), [true, true]);
    assert_eq!(one.waiting().await.unwrap(), 1);
    // Every change begins the proof anew, as soon as its worker has told of it.
    let change = changes(&["https://a.example/"], &[]);
    two.commit(second[0].partition, second[0].epoch, &change).await.unwrap();
    assert!(!rounds(&both, 1).await[1].finished);
    assert_eq!(ended(&rounds(&both, 6).await), [true, true]);
}

#[tokio::test]
async fn workers_that_leave_one_after_the_other_all_know_of_the_end() {
    let server = Server::start(&[]);
    let mut fleets = Vec::new();
    for folder in 1..=4 {
        fleets.push(worker(&server.address(), folder).await);
    }
    for fleet in &fleets {
        fleet.acquire(4, &[]).await.unwrap();
    }
    let all: Vec<(&Fleet, bool)> = fleets.iter().map(|fleet| (fleet, true)).collect();
    assert!(rounds(&all, 6).await.iter().all(|pulse| pulse.finished));
    for left in 1..4 {
        fleets[left - 1].leave().await.unwrap();
        let pulses = rounds(&all[left..], 1).await;
        assert!(pulses.iter().all(|pulse| pulse.finished), "{left} have left");
    }
    // Whoever joins may bring work.
    let _new = worker(&server.address(), 5).await;
    assert!(!rounds(&all[3..], 1).await[0].finished);
}

#[tokio::test]
async fn a_worker_that_still_reads_the_log_takes_no_share_and_lets_no_crawl_end() {
    let server = Server::start(&[]);
    let (one, late) = (worker(&server.address(), 1).await, worker(&server.address(), 2).await);
    one.acquire(16, &[]).await.unwrap();
    let catches_up = WorkerReport {
        catches_up: true,
        ..WorkerReport::default()
    };
    for _ in 0..6 {
        late.heartbeat(&catches_up).await.unwrap();
        let pulse = one.heartbeat(&report(true)).await.unwrap();
        assert_eq!((pulse.live, pulse.share, pulse.finished), (2, 16, false));
        tokio::time::sleep(Duration::from_millis(2)).await;
    }
    late.heartbeat(&report(false)).await.unwrap();
    assert_eq!(one.heartbeat(&report(true)).await.unwrap().share, 8);
}

#[tokio::test]
async fn workers_fetch_by_the_same_rules_and_a_crawl_may_change_them() {
    let server = Server::start(&[]);
    let with_delay = |folder: u64, delay: &str| {
        let mut options = options(&server.address(), folder);
        options.rules = vec![("politeness.delay_ms".to_owned(), delay.to_owned())];
        options
    };
    let one = Fleet::join(with_delay(1, "1000")).await.unwrap();
    let error = Fleet::join(with_delay(2, "0")).await.map(drop).unwrap_err();
    let told = "politeness.delay_ms (the others: 1000; this worker: 0)";
    assert!(error.to_string().contains(told) && !error.is_transient(), "{error}");
    let two = Fleet::join(with_delay(2, "1000")).await.unwrap();
    assert_eq!(two.worker().0, 2, "a refusal takes no number");
    for fleet in [one, two] {
        fleet.leave().await.unwrap();
    }
    Fleet::join(with_delay(1, "0")).await.unwrap();
    assert!(Fleet::join(with_delay(2, "1000")).await.is_err());
}

#[tokio::test]
async fn a_change_of_rules_holds_for_all_workers_whatever_they_bring() {
    let server = Server::start(&[]);
    let address = server.address();
    let with = |folder: u64, delay: &str, retries: &str| {
        let mut options = options(&server.address(), folder);
        let rules = [("politeness.delay_ms", delay), ("politeness.max_retries", retries)];
        options.rules = rules.map(|(key, value)| (key.to_owned(), value.to_owned())).to_vec();
        options
    };
    let delay = |value: Option<&str>| vec![("politeness.delay_ms".to_owned(), value.map(ToOwned::to_owned))];
    let unknown = change(&address, "crawl", &delay(Some("7"))).await;
    assert!(matches!(unknown, Err(FleetError::Forgotten { .. })));
    let one = Fleet::join(with(1, "1000", "2")).await.unwrap();
    assert_eq!(one.heartbeat(&report(false)).await.unwrap().changed, []);
    let changes = [
        delay(Some("7")),
        vec![("scope.max_pages".to_owned(), Some("9".to_owned()))],
    ]
    .concat();
    let expected = [("politeness.delay_ms", "7"), ("scope.max_pages", "9")];
    let expected = expected.map(|(key, value)| (key.to_owned(), value.to_owned()));
    assert_eq!(change(&address, "crawl", &changes).await.unwrap(), expected);
    assert_eq!(one.heartbeat(&report(false)).await.unwrap().changed, expected);
    // A worker with another value of a changed rule is let in, and one with another value of another rule is not.
    let two = Fleet::join(with(2, "500", "2")).await.unwrap();
    assert_eq!(two.heartbeat(&report(false)).await.unwrap().changed, expected);
    assert!(
        two.rules()
            .contains(&("politeness.delay_ms".to_owned(), "1000".to_owned())),
        "the value of the crawl"
    );
    let error = Fleet::join(with(3, "500", "0"))
        .await
        .map(drop)
        .unwrap_err()
        .to_string();
    assert!(error.contains("max_retries") && !error.contains("delay_ms"), "{error}");
    let visitor = Visitor::new(&address, "crawl").await.unwrap();
    assert_eq!(visitor.agreed().changed, expected);
    // It survives the workers.
    for fleet in [&one, &two] {
        fleet.leave().await.unwrap();
    }
    let one = Fleet::join(with(1, "1000", "2")).await.unwrap();
    assert_eq!(one.heartbeat(&report(false)).await.unwrap().changed, expected);
    assert_eq!(change(&address, "crawl", &delay(None)).await.unwrap(), expected[1..]);
    assert_eq!(one.heartbeat(&report(false)).await.unwrap().changed, expected[1..]);
    assert!(
        Fleet::join(with(2, "500", "2")).await.is_err(),
        "no change covers it any more"
    );
    // A value that all workers have brought since, after a stop, is that of the crawl.
    change(&address, "crawl", &delay(Some("7"))).await.unwrap();
    one.leave().await.unwrap();
    let one = Fleet::join(with(1, "7", "2")).await.unwrap();
    let two = Fleet::join(with(2, "7", "2")).await.unwrap();
    change(&address, "crawl", &delay(None)).await.unwrap();
    for fleet in [one, two] {
        let own = ("politeness.delay_ms".to_owned(), "7".to_owned());
        assert!(fleet.rules().contains(&own), "{:?}", fleet.rules());
    }
}

#[tokio::test]
async fn the_status_names_the_workers_that_have_not_taken_over_a_change() {
    let server = Server::start(&[]);
    let address = server.address();
    let fleets = [worker(&address, 1).await, worker(&address, 2).await];
    let beat = async |fleet: &Fleet, changes: u64| {
        let report = WorkerReport {
            changes,
            ..WorkerReport::default()
        };
        fleet.heartbeat(&report).await.unwrap().changes
    };
    for fleet in &fleets {
        assert_eq!(beat(fleet, 0).await, 0);
    }
    assert_eq!(status(&address, "crawl").await.unwrap().unchanged, [0; 0]);
    let delay = |value: Option<&str>| [("politeness.delay_ms".to_owned(), value.map(ToOwned::to_owned))];
    change(&address, "crawl", &delay(Some("7"))).await.unwrap();
    let first = beat(&fleets[0], 0).await;
    beat(&fleets[0], first).await;
    let seen = status(&address, "crawl").await.unwrap();
    assert_eq!(seen.unchanged, [2]);
    let text = seen.to_string();
    for said in [
        "politeness.delay_ms = 7",
        "have not taken over the last change of settings yet: 2\n",
    ] {
        assert!(text.contains(said), "{text}");
    }
    // Another change, and none.
    change(&address, "crawl", &delay(Some("8"))).await.unwrap();
    let second = beat(&fleets[1], 0).await;
    beat(&fleets[1], second).await;
    assert_eq!(status(&address, "crawl").await.unwrap().unchanged, [1]);
    change(&address, "crawl", &delay(None)).await.unwrap();
    for fleet in &fleets {
        beat(fleet, first).await;
    }
    assert_eq!(status(&address, "crawl").await.unwrap().unchanged, [1, 2]);
    for fleet in &fleets {
        let none = beat(fleet, first).await;
        beat(fleet, none).await;
    }
    assert_eq!(status(&address, "crawl").await.unwrap().unchanged, [0; 0]);
    // A worker that is gone keeps nobody waiting.
    change(&address, "crawl", &delay(Some("7"))).await.unwrap();
    for fleet in fleets {
        fleet.leave().await.unwrap();
    }
    assert_eq!(status(&address, "crawl").await.unwrap().unchanged, [0; 0]);
}

#[tokio::test]
async fn a_change_that_no_worker_takes_over_lets_no_worker_with_other_rules_in() {
    let server = Server::start(&[]);
    let with = |folder: u64, mode: &str, delay: &str| {
        let mut options = options(&server.address(), folder);
        let rules = [("scope.mode", mode), ("politeness.delay_ms", delay)];
        options.rules = rules.map(|(key, value)| (key.to_owned(), value.to_owned())).to_vec();
        options.valid_changes = |changed| {
            let is_valid = |(key, value): &&(String, String)| key.ends_with("_ms") && value.parse::<u32>().is_ok();
            changed.iter().filter(is_valid).cloned().collect()
        };
        options
    };
    let one = Fleet::join(with(1, "host", "1000")).await.unwrap();
    // Whoever can write to Redis can write this.
    let write = |changed: &str| server.ask(&["HSET", "{crawl/fleet}m", "changed", changed]);
    for (changed, refused) in [
        ("scope.mode\teverything", "scope.mode"),
        ("politeness.delay_ms\t-1\nscope.mode\teverything", "politeness.delay_ms"),
        ("politeness.delay_ms\t7\nscope.mode\teverything", "scope.mode"),
    ] {
        write(changed);
        let error = Fleet::join(with(2, "everything", "0")).await.map(drop).unwrap_err();
        assert!(
            matches!(&error, FleetError::Rules { differences, .. } if differences.contains(refused)),
            "{changed:?}: {error}"
        );
    }
    // A change that counts beside it does count.
    let two = Fleet::join(with(2, "host", "0")).await.unwrap();
    assert_eq!(two.worker().0, 2);
    // A worker that has lost its lease joins by the same rules.
    for fleet in [&one, &two] {
        server.ask(&["HDEL", "{crawl/fleet}l", &lease_of(&server, fleet.worker().0)]);
        assert!(fleet.heartbeat(&report(false)).await.unwrap().lapsed);
    }
}

/// The incarnation of a worker that has a lease.
fn lease_of(server: &Server, worker: u16) -> String {
    let redis::Value::Array(leases) = server.ask(&["HGETALL", "{crawl/fleet}l"]) else {
        panic!("no leases")
    };
    let text = |value: &redis::Value| match value {
        redis::Value::BulkString(bytes) => String::from_utf8(bytes.clone()).unwrap(),
        other => panic!("{other:?}"),
    };
    let mut leases = leases.chunks(2).map(|pair| (text(&pair[0]), text(&pair[1])));
    let of_worker = leases.find(|(_, lease)| lease.ends_with(&format!("|{worker}")));
    of_worker.unwrap().0
}

#[tokio::test]
async fn the_user_can_stop_a_fleet_and_see_it() {
    let server = Server::start(&[]);
    let address = server.address();
    assert!(matches!(
        status(&address, "crawl").await,
        Err(FleetError::Forgotten { .. })
    ));
    assert!(matches!(
        order(&address, "crawl", Order::Drain, true).await,
        Err(FleetError::Forgotten { .. })
    ));
    let one = worker(&address, 1).await;
    one.acquire(5, &[]).await.unwrap();
    one.enqueue(&[(Partition(15), vec![waiting("https://a.example/")])])
        .await
        .unwrap();
    assert!(!rounds(&[(&one, false)], 1).await[0].drain);
    for (drains, pauses) in [
        (true, false),
        (true, true),
        (false, true),
        (false, false),
        (true, false),
    ] {
        order(&address, "crawl", Order::Drain, drains).await.unwrap();
        order(&address, "crawl", Order::Pause, pauses).await.unwrap();
        let pulse = &rounds(&[(&one, false)], 1).await[0];
        assert_eq!((pulse.drain, pulse.pause), (drains, pauses));
    }
    let seen = status(&address, "crawl").await.unwrap();
    assert!(seen.drain);
    assert_eq!(
        (seen.partitions.leased, seen.partitions.free, seen.partitions.waiting),
        (5, 11, 1)
    );
    assert_eq!(
        (seen.workers.len(), seen.workers[0].leases, seen.workers[0].state),
        (1, 5, "live")
    );
    assert_eq!(seen.servers.len(), 1);
    assert!(seen.to_string().contains("machine-1"), "{seen}");
    one.leave().await.unwrap();
    let seen = status(&address, "crawl").await.unwrap();
    assert_eq!((seen.partitions.leased, seen.workers[0].state), (0, "left"));
}

#[tokio::test]
async fn workers_that_do_not_fit_are_refused_in_words() {
    let server = Server::start(&[]);
    let address = server.address();
    let one = worker(&address, 1).await;
    let mut other = options(&address, 2);
    other.terms.rule = "k=7".to_owned();
    let message = Fleet::join(other).await.map(drop).unwrap_err().to_string();
    assert!(message.contains("k=3") && message.contains("k=7"), "{message}");
    let mut foreign = options(&address, 2);
    foreign.crawl = Some(one.crawl() ^ 1);
    let error = Fleet::join(foreign).await.map(drop).unwrap_err();
    assert!(matches!(error, FleetError::OtherCrawl { .. }), "{error}");
    // Another crawl on the same server.
    let named = options(&format!("{address}?name=other"), 2);
    let other = Fleet::join(named).await.unwrap();
    assert_eq!(other.worker().0, 1);
    assert_ne!(other.crawl(), one.crawl());
    // A server without its data.
    server.ask(&["FLUSHALL"]);
    let error = one.heartbeat(&report(true)).await.unwrap_err();
    assert!(matches!(error, FleetError::Forgotten { .. }), "{error}");
    let mut again = options(&address, 1);
    again.crawl = Some(one.crawl());
    assert!(matches!(
        Fleet::join(again).await.map(drop),
        Err(FleetError::Forgotten { .. })
    ));
}
