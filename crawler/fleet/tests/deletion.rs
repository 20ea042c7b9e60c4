//! A crawl is deleted when no worker lives, with all its keys and nothing else.

#![allow(clippy::unwrap_used, clippy::expect_used)]

mod support;

use fleet::{Deletion, Fleet, FleetError, Partition};
use redis::Value;
use support::objects::{Objects, worker_with};
use support::{Cluster, Follower, Server, beat, entry, shorten, waiting, worker};

/// Finds URLs in every partition, and pages.
async fn works(fleet: &Fleet) {
    let urls = (0..fleet.partitions()).map(|partition| {
        let urls = (0..300).map(|number| waiting(&format!("https://a.example/{partition}/{number}")));
        (Partition(partition), urls.collect())
    });
    fleet.enqueue(&urls.collect::<Vec<_>>()).await.unwrap();
    let entries: Vec<_> = (0..200).map(|sequence| entry(fleet, sequence)).collect();
    fleet.append(&entries).await.unwrap();
    let mut follower = Follower::default();
    follower.read_all(fleet).await.unwrap();
    assert!(shorten(fleet, follower.position, 100).await.unwrap());
}

#[tokio::test]
async fn a_crawl_without_a_live_worker_is_deleted_and_no_other_one() {
    let server = Server::start(&[]);
    let (address, objects) = (server.address(), Objects::new());
    let one = worker_with(objects.clone(), &address, 1).await;
    works(&one).await;
    let other = worker(&format!("{address}?name=crawl.2"), 1).await;
    works(&other).await;
    let of_other = server.count(&["DBSIZE"]) - keys(&server, "{crawl/*");

    let deletion = Deletion::of(&address, "crawl").await.unwrap();
    assert_eq!(deletion.folder(), format!("fleet-{:016x}", one.crawl()));
    assert!(deletion.stores().iter().eq(["memory://bucket"]));
    let lives = deletion.begin().await.unwrap_err();
    assert!(matches!(&lives, FleetError::Lives { worker: 1, .. }), "{lives}");
    assert!(!beat(&one).await.drain, "a refusal changes nothing");
    one.leave().await.unwrap();
    deletion.begin().await.unwrap();
    // A worker that starts meanwhile stops at once.
    let late = worker_with(objects.clone(), &address, 2).await;
    assert!(beat(&late).await.drain);
    late.leave().await.unwrap();
    let before = keys(&server, "{crawl/*");
    assert_eq!(i64::try_from(deletion.end().await.unwrap()).unwrap(), before);
    assert_eq!(keys(&server, "{crawl/*"), 0);
    assert_eq!(server.count(&["DBSIZE"]), of_other);
    assert!(!objects.segments().is_empty(), "the objects are the caller's matter");
    for gone in [deletion.begin().await, Deletion::of(&address, "crawl").await.map(drop)] {
        assert!(matches!(gone, Err(FleetError::Forgotten { .. })));
    }
}

fn keys(server: &Server, pattern: &str) -> i64 {
    match server.ask(&["KEYS", pattern]) {
        Value::Array(keys) => keys.len() as i64,
        other => panic!("{other:?}"),
    }
}

#[tokio::test]
async fn the_keys_are_removed_from_every_server_of_a_cluster() {
    let cluster = Cluster::start();
    let one = worker(&cluster.address(), 1).await;
    works(&one).await;
    one.leave().await.unwrap();
    let deletion = Deletion::of(&cluster.address(), "crawl").await.unwrap();
    assert!(deletion.stores().is_empty());
    deletion.begin().await.unwrap();
    assert!(deletion.end().await.unwrap() > 100);
    for server in &cluster.servers[..3] {
        assert_eq!(server.count(&["DBSIZE"]), 0);
    }
}
