//! The queue of a partition against a model, on a real server.

#![allow(clippy::unwrap_used, clippy::expect_used)]

mod support;

use std::collections::BTreeSet;

use fleet::{Committed, Partition, UrlHash};
use support::{Server, changes, queued, waiting, worker};

/// Random calls by several workers over several partitions: what is known and not finished is in the queue, exactly that.
#[tokio::test]
async fn the_queue_is_its_model() {
    let server = Server::start(&[]);
    let fleet = worker(&server.address(), 1).await;
    let other = worker(&server.address(), 2).await;
    for seed in 0..4 {
        let mut random = fastrand::Rng::with_seed(seed);
        let grants = fleet.acquire(3, &[]).await.unwrap();
        let mut known = vec![BTreeSet::new(); 3];
        let mut done = vec![BTreeSet::new(); 3];
        for (index, grant) in grants.iter().enumerate() {
            known[index].extend(queued(&fleet, grant.partition).await);
        }
        let url = |random: &mut fastrand::Rng, partition: usize| {
            format!("https://site{partition}.example/{seed}/{}", random.u16(..900))
        };
        for _ in 0..120 {
            let index = random.usize(..3);
            let grant = grants[index];
            let some: Vec<String> = (0..random.usize(..40)).map(|_| url(&mut random, index)).collect();
            // Also some that nobody queued: a redirect led there.
            let mut finished: Vec<String> = (0..random.usize(..30)).map(|_| url(&mut random, index)).collect();
            finished.retain(|url| known[index].contains(url) || random.u8(..20) == 0);
            known[index].extend(some.iter().cloned());
            if random.bool() {
                let rows = vec![(grant.partition, some.iter().map(|url| waiting(url)).collect())];
                other.enqueue(&rows).await.unwrap();
                if random.bool() {
                    other.enqueue(&rows).await.unwrap();
                }
            } else {
                let change = changes(
                    &finished.iter().map(String::as_str).collect::<Vec<_>>(),
                    &some.iter().map(String::as_str).collect::<Vec<_>>(),
                );
                for _ in 0..=usize::from(random.bool()) {
                    let committed = fleet.commit(grant.partition, grant.epoch, &change).await.unwrap();
                    assert!(matches!(committed, Committed::Done { .. }));
                }
                known[index].extend(finished.iter().cloned());
                done[index].extend(finished);
            }
        }
        let mut sum = 0;
        for (index, grant) in grants.iter().enumerate() {
            let expected: Vec<String> = known[index].difference(&done[index]).cloned().collect();
            assert_eq!(queued(&fleet, grant.partition).await, expected);
            sum += expected.len();
            let all: Vec<&String> = known[index].iter().collect();
            let hashes: Vec<UrlHash> = all.iter().map(|url| UrlHash::of(url)).collect();
            let answers = fleet.done(grant.partition, &hashes).await.unwrap();
            for (url, answer) in all.iter().zip(answers) {
                assert_eq!(answer, done[index].contains(*url), "{url}");
            }
        }
        assert!(sum > 0);
        let leases: Vec<_> = grants.iter().map(|grant| (grant.partition, grant.epoch)).collect();
        fleet.release(&leases).await.unwrap();
    }
}

/// A reader that goes on from where it was sees each waiting URL, while the owner finishes URLs and the queue is made shorter.
#[tokio::test]
async fn a_reader_misses_nothing_while_finished_rows_leave() {
    let server = Server::start(&[]);
    let fleet = worker(&server.address(), 1).await;
    let grant = fleet.acquire(1, &[Partition(3)]).await.unwrap()[0];
    let urls: Vec<String> = (0..3_000).map(|number| format!("https://a.example/{number}")).collect();
    let mut random = fastrand::Rng::with_seed(1);
    let (mut seen, mut from, mut finished) = (BTreeSet::new(), 0, 0);
    for some in urls.chunks(150) {
        let rows = some.iter().map(|url| waiting(url)).collect();
        fleet.enqueue(&[(Partition(3), rows)]).await.unwrap();
        let slice = fleet
            .read_queue(Partition(3), Some(grant.epoch), from, 200)
            .await
            .unwrap();
        from = slice.next;
        seen.extend(slice.urls.into_iter().map(|url| url.url));
        let done: Vec<&str> = seen
            .iter()
            .filter(|_| random.u8(..10) < 9)
            .map(String::as_str)
            .collect();
        finished += done.len();
        for _ in 0..2 {
            fleet
                .commit(Partition(3), grant.epoch, &changes(&done, &[]))
                .await
                .unwrap();
        }
    }
    loop {
        let slice = fleet
            .read_queue(Partition(3), Some(grant.epoch), from, 200)
            .await
            .unwrap();
        seen.extend(slice.urls.into_iter().map(|url| url.url));
        from = slice.next;
        if slice.next == slice.end {
            break;
        }
    }
    assert_eq!(seen.len(), 3_000, "{finished}");
    let rows = server.ask(&["LLEN", "{crawl/3}q"]);
    assert!(matches!(rows, redis::Value::Int(rows) if rows < 1_500), "{rows:?}");
    // Beyond the end, as after the loss of the end: from the beginning again.
    let slice = fleet
        .read_queue(Partition(3), Some(grant.epoch), 1 << 40, 10)
        .await
        .unwrap();
    assert!(slice.next < slice.end);
}

#[tokio::test]
async fn a_site_that_chooses_its_urls_can_fill_one_small_set() {
    let server = Server::start(&[]);
    let fleet = support::worker(&server.address(), 1).await;
    // The set is chosen by the lowest bits. When it is split, all these URLs move.
    let urls: Vec<String> = (0..)
        .map(|number| format!("https://a.example/{number}"))
        .filter(|url| (UrlHash::of(url).0 >> 11) & 63 == 63)
        .take(13_000)
        .collect();
    for some in urls.chunks(500) {
        let rows = some.iter().map(|url| waiting(url)).collect();
        fleet.enqueue(&[(Partition(3), rows)]).await.unwrap();
    }
    let found: BTreeSet<String> = support::queued(&fleet, Partition(3)).await.into_iter().collect();
    assert_eq!(found, urls.into_iter().collect());
}

#[tokio::test]
async fn host_states_stay_with_the_partition() {
    let server = Server::start(&[]);
    let (one, two) = (worker(&server.address(), 1).await, worker(&server.address(), 2).await);
    let grant = one.acquire(1, &[Partition(0)]).await.unwrap()[0];
    let mut change = changes(&[], &[]);
    change.hosts = (0..1_200)
        .map(|host| (format!("h{host}.example"), vec![host as u8; 40]))
        .collect();
    one.commit(grant.partition, grant.epoch, &change).await.unwrap();
    change.hosts = vec![("h5.example".to_owned(), vec![9])];
    one.commit(grant.partition, grant.epoch, &change).await.unwrap();
    one.release(&[(grant.partition, grant.epoch)]).await.unwrap();
    let states = two.host_states(Partition(0)).await.unwrap();
    assert_eq!(states.len(), 1_200);
    assert!(states.contains(&("h5.example".to_owned(), vec![9])));
}
