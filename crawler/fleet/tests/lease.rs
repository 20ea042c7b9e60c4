//! Leases on a real server.

#![allow(clippy::unwrap_used, clippy::expect_used)]

mod support;

use std::io::{Read, Write};
use std::net::{TcpListener, TcpStream};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::{Duration, Instant};

use fleet::{Committed, Fleet, FleetError, Grant, JoinOptions, LeaseState, Partition, PartitionChanges, Terms};
use support::{Server, beat, changes, options, waiting, worker};

#[tokio::test]
async fn two_workers_never_own_a_partition_at_once() {
    let server = Server::start(&[]);
    let workers = [worker(&server.address(), 1).await, worker(&server.address(), 2).await];
    let (one, two) = tokio::join!(workers[0].acquire(12, &[]), workers[1].acquire(12, &[]));
    let mut all: Vec<Partition> = one
        .unwrap()
        .iter()
        .chain(&two.unwrap())
        .map(|grant| grant.partition)
        .collect();
    all.sort();
    assert_eq!(all, (0..16).map(Partition).collect::<Vec<_>>());
    // Neither takes what the other has, nor what it holds itself.
    assert_eq!(workers[0].acquire(16, &[]).await.unwrap(), []);
}

#[tokio::test]
async fn a_released_partition_is_taken_at_once_and_remembers_its_last_owner() {
    let server = Server::start(&[]);
    let (one, two) = (worker(&server.address(), 1).await, worker(&server.address(), 2).await);
    let wanted = [Partition(7)];
    let first = one.acquire(1, &wanted).await.unwrap()[0];
    assert_eq!((first.partition, first.since), (Partition(7), first.epoch));
    one.release(&[(first.partition, first.epoch)]).await.unwrap();
    let again = one.acquire(1, &wanted).await.unwrap()[0];
    assert!(again.since == first.epoch && again.epoch > first.epoch);
    one.release(&[(again.partition, again.epoch)]).await.unwrap();
    let others = two.acquire(1, &wanted).await.unwrap()[0];
    assert_eq!((others.partition, others.since), (Partition(7), others.epoch));
    assert!(others.epoch > again.epoch);
    // A release under an old epoch changes nothing.
    one.release(&[(again.partition, again.epoch)]).await.unwrap();
    let states = two.check_leases(&[(others.partition, others.epoch)]).await.unwrap();
    assert!(matches!(states[0], LeaseState::Held { .. }));
}

/// Passes everything on to a server, and so many of its answers.
struct Proxy {
    port: u16,
    answers: Arc<AtomicUsize>,
}

impl Proxy {
    fn start(server: u16) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let port = listener.local_addr().unwrap().port();
        let answers = Arc::new(AtomicUsize::new(usize::MAX));
        let left = answers.clone();
        std::thread::spawn(move || {
            for client in listener.incoming().map_while(Result::ok) {
                let server = TcpStream::connect(("127.0.0.1", server)).unwrap();
                let (mut from_client, mut to_server) = (client.try_clone().unwrap(), server.try_clone().unwrap());
                std::thread::spawn(move || std::io::copy(&mut from_client, &mut to_server));
                let (left, mut from_server, mut to_client) = (left.clone(), server, client);
                std::thread::spawn(move || {
                    let mut buffer = [0; 65_536];
                    while let Ok(length @ 1..) = from_server.read(&mut buffer) {
                        let passes = left.fetch_update(Ordering::Relaxed, Ordering::Relaxed, |left| match left {
                            usize::MAX => Some(left),
                            _ => left.checked_sub(1),
                        });
                        if passes.is_ok() && to_client.write_all(&buffer[..length]).is_err() {
                            return;
                        }
                    }
                });
            }
        });
        Self { port, answers }
    }
}

/// Takes all 16 partitions as soon as they can be taken, and lives meanwhile.
async fn takes_all(fleet: &Fleet) -> Vec<Grant> {
    let mut taken = Vec::new();
    for _ in 0..100 {
        beat(fleet).await;
        taken.extend(fleet.acquire(16, &[]).await.unwrap());
        if taken.len() == 16 {
            break;
        }
        tokio::time::sleep(Duration::from_millis(100)).await;
    }
    assert_eq!(taken.len(), 16);
    taken
}

#[tokio::test]
async fn a_silent_worker_loses_its_partitions_and_writes_nothing_any_more() {
    let server = Server::start(&[]);
    let (one, two) = (worker(&server.address(), 1).await, worker(&server.address(), 2).await);
    let began = Instant::now();
    let held = one.acquire(16, &[]).await.unwrap();
    assert_eq!(held.len(), 16);
    let grant = held[0];
    let first = changes(&[], &["https://a.example/1"]);
    assert!(matches!(
        one.commit(grant.partition, grant.epoch, &first).await.unwrap(),
        Committed::Done {
            queue_end: 1,
            is_read: false
        }
    ));
    // Nobody renews: after the lease another worker takes everything. The first one still believes that it is the owner.
    takes_all(&two).await;
    assert!(began.elapsed() >= one.lease(), "{:?}", began.elapsed());
    let late = changes(&["https://a.example/1"], &["https://a.example/2"]);
    assert_eq!(
        one.commit(grant.partition, grant.epoch, &late).await.unwrap(),
        Committed::Stale
    );
    assert_eq!(support::queued(&two, grant.partition).await, ["https://a.example/1"]);
    let states = one.check_leases(&[(grant.partition, grant.epoch)]).await.unwrap();
    assert_eq!(states, [LeaseState::Lost]);
    // It learns that it has lost everything, and takes part again.
    assert!(beat(&one).await.lapsed);
    assert!(!beat(&one).await.lapsed);
    assert_eq!(one.acquire(16, &[]).await.unwrap(), []);
}

#[tokio::test]
async fn a_lease_that_ran_out_goes_on_if_nobody_has_ended_it() {
    let server = Server::start(&[]);
    let one = worker(&server.address(), 1).await;
    let grant = one.acquire(1, &[]).await.unwrap()[0];
    tokio::time::sleep(one.lease() + Duration::from_millis(100)).await;
    assert!(!beat(&one).await.lapsed);
    let change = changes(&["https://a.example/1"], &[]);
    let committed = one.commit(grant.partition, grant.epoch, &change).await.unwrap();
    assert!(matches!(committed, Committed::Done { .. }));
}

#[tokio::test]
async fn after_a_time_without_servers_the_workers_keep_what_they_had() {
    let server = Server::start(&[]);
    let (one, two) = (worker(&server.address(), 1).await, worker(&server.address(), 2).await);
    let (first, second) = (one.acquire(8, &[]).await.unwrap(), two.acquire(8, &[]).await.unwrap());
    server.signal("STOP");
    tokio::time::sleep(one.lease() * 2).await;
    server.signal("CONT");
    // All leases have run out. The one that comes back first takes nothing from the other.
    for _ in 0..3 {
        beat(&one).await;
        assert_eq!(one.acquire(16, &[]).await.unwrap(), []);
    }
    assert!(!beat(&two).await.lapsed);
    for (fleet, grants) in [(&one, first), (&two, second)] {
        let held: Vec<_> = grants.iter().map(|grant| (grant.partition, grant.epoch)).collect();
        let states = fleet.check_leases(&held).await.unwrap();
        assert!(states.iter().all(|state| *state != LeaseState::Lost));
    }
}

#[tokio::test]
async fn a_worker_that_leaves_gives_everything_back_at_once() {
    let server = Server::start(&[]);
    let (one, two) = (worker(&server.address(), 1).await, worker(&server.address(), 2).await);
    assert_eq!(one.acquire(16, &[]).await.unwrap().len(), 16);
    one.leave().await.unwrap();
    assert_eq!(two.acquire(16, &[]).await.unwrap().len(), 16);
}

#[tokio::test]
async fn a_claim_whose_answer_did_not_come_is_taken_back() {
    let server = Server::start(&[]);
    let proxy = Proxy::start(server.port);
    let one = Fleet::join(JoinOptions {
        patience: Duration::from_millis(300),
        ..options(&format!("redis://127.0.0.1:{}", proxy.port), 1)
    })
    .await
    .unwrap();
    let two = worker(&server.address(), 2).await;
    // One partition, so that the server has all scripts. Then the answer to the question for free partitions comes, and no other.
    assert_eq!(one.acquire(1, &[]).await.unwrap().len(), 1);
    proxy.answers.store(1, Ordering::Relaxed);
    assert!(one.acquire(15, &[]).await.unwrap_err().is_transient());
    proxy.answers.store(usize::MAX, Ordering::Relaxed);
    beat(&two).await;
    assert_eq!(
        two.acquire(15, &[]).await.unwrap(),
        [],
        "the rows name a worker that lives"
    );
    let mut taken = 0;
    for _ in 0..50 {
        beat(&one).await;
        beat(&two).await;
        taken += two.acquire(15 - taken, &[]).await.unwrap().len();
        if taken == 15 {
            return;
        }
        tokio::time::sleep(Duration::from_millis(100)).await;
    }
    panic!("{taken} of 15 partitions");
}

#[tokio::test]
async fn a_worker_that_comes_back_takes_its_own_partitions_and_no_others() {
    let server = Server::start(&[]);
    let (one, two) = (worker(&server.address(), 1).await, worker(&server.address(), 2).await);
    let own = one.acquire(3, &[]).await.unwrap();
    let foreign = two.acquire(1, &[]).await.unwrap()[0].partition;
    let again = worker(&server.address(), 1).await;
    let own: Vec<Partition> = own.iter().map(|grant| grant.partition).collect();
    let wanted: Vec<Partition> = own.iter().copied().chain([foreign]).collect();
    let back = again.reclaim(&wanted).await.unwrap();
    assert_eq!(back.iter().map(|grant| grant.partition).collect::<Vec<_>>(), own);
}

#[tokio::test]
async fn the_owner_of_a_queue_learns_that_it_has_something_to_read() {
    let server = Server::start(&[]);
    let (one, two) = (worker(&server.address(), 1).await, worker(&server.address(), 2).await);
    let grant = one.acquire(1, &[Partition(7)]).await.unwrap()[0];
    assert_eq!(beat(&one).await.news, []);
    two.enqueue(&[(Partition(7), vec![waiting("https://a.example/1")])])
        .await
        .unwrap();
    assert_eq!(beat(&one).await.news, [Partition(7)]);
    assert_eq!(beat(&one).await.news, [], "it has said that it knows");
    one.read_queue(Partition(7), Some(grant.epoch), 0, 10).await.unwrap();
    // What the owner has found and stored itself is no news, and it need not read it.
    let own = PartitionChanges {
        are_stored: true,
        ..changes(&[], &["https://a.example/2"])
    };
    let committed = one.commit(grant.partition, grant.epoch, &own).await.unwrap();
    assert_eq!(
        committed,
        Committed::Done {
            queue_end: 2,
            is_read: true
        }
    );
    // A URL that is known, too.
    two.enqueue(&[(Partition(7), vec![waiting("https://a.example/2")])])
        .await
        .unwrap();
    assert_eq!(beat(&one).await.news, []);
    // After that of another worker, there is something to read.
    two.enqueue(&[(Partition(7), vec![waiting("https://a.example/3")])])
        .await
        .unwrap();
    let own = PartitionChanges {
        are_stored: true,
        ..changes(&[], &["https://a.example/4"])
    };
    let committed = one.commit(grant.partition, grant.epoch, &own).await.unwrap();
    assert_eq!(
        committed,
        Committed::Done {
            queue_end: 4,
            is_read: false
        }
    );
    assert_eq!(beat(&one).await.news, [Partition(7)]);
}

#[tokio::test]
async fn a_worker_that_starts_again_has_its_number_and_its_partitions_at_once() {
    let server = Server::start(&[]);
    let before = worker(&server.address(), 1).await;
    assert_eq!(before.acquire(5, &[]).await.unwrap().len(), 5);
    let crawl = before.crawl();
    let after = Fleet::join(JoinOptions {
        crawl: Some(crawl),
        ..options(&server.address(), 1)
    })
    .await
    .unwrap();
    assert_eq!(after.worker(), before.worker());
    let grants = after.acquire(16, &[]).await.unwrap();
    assert_eq!(grants.len(), 16);
    assert_eq!(grants.iter().filter(|grant| grant.since < grant.epoch).count(), 5);
    // The process before is told so, should it still run.
    let error = before.heartbeat(&fleet::WorkerReport::default()).await.unwrap_err();
    assert_eq!(error, FleetError::Replaced { worker: 1 });
}

#[tokio::test]
async fn a_partition_whose_note_names_a_worker_that_does_not_hold_it_is_found() {
    let server = Server::start(&[]);
    let many = |folder| JoinOptions {
        terms: Terms {
            partitions: 256,
            ..options(&server.address(), folder).terms
        },
        ..options(&server.address(), folder)
    };
    // The process ends without a word. The next one of its folder lives and does not ask for these partitions.
    let before = Fleet::join(many(1)).await.unwrap();
    assert_eq!(before.acquire(256, &[]).await.unwrap().len(), 256);
    drop(before);
    let (after, other) = (Fleet::join(many(1)).await.unwrap(), Fleet::join(many(2)).await.unwrap());
    let mut taken = 0;
    for _ in 0..80 {
        beat(&after).await;
        beat(&other).await;
        taken += other.acquire(256 - taken, &[]).await.unwrap().len();
        if taken == 256 {
            return;
        }
        tokio::time::sleep(Duration::from_millis(100)).await;
    }
    panic!("{taken} of 256 partitions after more than twice the time of a lease");
}

#[tokio::test]
async fn a_grant_tells_since_when_nobody_else_was_the_owner_and_what_was_done_before() {
    let server = Server::start(&[]);
    let (one, two) = (worker(&server.address(), 1).await, worker(&server.address(), 2).await);
    let wanted = [Partition(7)];
    let first = one.acquire(1, &wanted).await.unwrap()[0];
    assert!(!first.inherits, "nothing was done before");
    let done = changes(&["https://a.example/1"], &[]);
    one.commit(first.partition, first.epoch, &done).await.unwrap();
    one.release(&[(first.partition, first.epoch)]).await.unwrap();
    let own = one.acquire(1, &wanted).await.unwrap()[0];
    assert!(!own.inherits, "the worker has done it itself");
    one.release(&[(own.partition, own.epoch)]).await.unwrap();
    let other = two.acquire(1, &wanted).await.unwrap()[0];
    assert!(other.inherits && other.since == other.epoch);
    // A process that repeats its claim, because the answer did not come, was the owner already. It learns the same.
    let again = worker(&server.address(), 2).await.acquire(1, &wanted).await.unwrap()[0];
    assert!(again.inherits && again.epoch > other.epoch);
    assert_eq!(again.since, other.since);
}
