//! Leases on a real server.

#![allow(clippy::unwrap_used, clippy::expect_used)]

mod support;

use std::time::Duration;

use fleet::{Committed, Fleet, FleetError, JoinOptions, LeaseState, Partition, Terms};
use support::{Server, changes, options, worker};

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
    let renewals = two.renew(&[(others.partition, others.epoch)]).await.unwrap();
    assert!(matches!(renewals[0].state, LeaseState::Held { .. }));
}

#[tokio::test]
async fn a_silent_worker_loses_its_partitions_and_writes_nothing_any_more() {
    let server = Server::start(&[]);
    let (one, two) = (worker(&server.address(), 1).await, worker(&server.address(), 2).await);
    let held = one.acquire(16, &[]).await.unwrap();
    assert_eq!(held.len(), 16);
    let grant = held[0];
    let first = changes(&[], &["https://a.example/1"]);
    assert_eq!(
        one.commit(grant.partition, grant.epoch, &first).await.unwrap(),
        Committed::Done
    );
    // Nobody renews: after the lease another worker takes everything. The first one still believes that it is the owner.
    let mut taken = Vec::new();
    for _ in 0..100 {
        taken.extend(two.acquire(16, &[]).await.unwrap());
        if taken.len() == 16 {
            break;
        }
        tokio::time::sleep(Duration::from_millis(100)).await;
    }
    assert_eq!(taken.len(), 16);
    let late = changes(&["https://a.example/1"], &["https://a.example/2"]);
    assert_eq!(
        one.commit(grant.partition, grant.epoch, &late).await.unwrap(),
        Committed::Stale
    );
    assert_eq!(support::queued(&two, grant.partition).await, ["https://a.example/1"]);
    let renewals = one.renew(&[(grant.partition, grant.epoch)]).await.unwrap();
    assert_eq!(renewals[0].state, LeaseState::Lost);
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
    for _ in 0..50 {
        after.heartbeat(&fleet::WorkerReport::default()).await.unwrap();
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
