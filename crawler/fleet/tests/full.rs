//! Servers that refuse a command for a reason that somebody can remove: the workers wait, and are told what to do.

#![allow(clippy::unwrap_used, clippy::expect_used)]

mod support;

use std::time::Duration;

use fleet::{Entry, Fleet, FleetError, JoinOptions, PageId, Partition, WorkerReport};
use support::{Server, options, queued, waiting};

async fn impatient(server: &Server) -> Fleet {
    let options = JoinOptions {
        patience: Duration::from_millis(300),
        ..options(&server.address(), 1)
    };
    Fleet::join(options).await.unwrap()
}

fn entry(fleet: &Fleet) -> Entry {
    Entry {
        page: PageId {
            worker: fleet.worker(),
            sequence: 1,
        },
        url: "https://a.example/".to_owned(),
        signature: vec![1; 160],
    }
}

fn waits_and_says(error: &FleetError, what: &str) {
    assert!(error.is_transient(), "{error}");
    let text = error.to_string();
    assert!(text.contains(what) && text.contains("127.0.0.1"), "{text}");
}

#[tokio::test]
async fn a_server_without_memory_is_waited_for() {
    let server = Server::start(&[]);
    let fleet = impatient(&server).await;
    let url = [(Partition(3), vec![waiting("https://a.example/1")])];
    server.ask(&["CONFIG", "SET", "maxmemory", "1"]);
    let failed = [
        fleet.enqueue(&url).await.unwrap_err(),
        fleet.append(&[entry(&fleet)]).await.unwrap_err(),
        fleet.acquire(1, &[]).await.map(drop).unwrap_err(),
        fleet.heartbeat(&WorkerReport::default()).await.unwrap_err(),
    ];
    failed.iter().for_each(|error| waits_and_says(error, "raise maxmemory"));
    server.ask(&["CONFIG", "SET", "maxmemory", "0"]);
    fleet.enqueue(&url).await.unwrap();
    fleet.append(&[entry(&fleet)]).await.unwrap();
    fleet.heartbeat(&WorkerReport::default()).await.unwrap();
    assert_eq!(queued(&fleet, Partition(3)).await.len(), 1);
}

#[tokio::test]
async fn a_key_of_another_program_is_named_as_such() {
    let server = Server::start(&[]);
    let fleet = impatient(&server).await;
    server.ask(&["SET", "{crawl/3}q", "not a list"]);
    let url = [(Partition(3), vec![waiting("https://a.example/1")])];
    let error = fleet.enqueue(&url).await.unwrap_err();
    waits_and_says(&error, "another program has written a key of this crawl");
    server.ask(&["DEL", "{crawl/3}q"]);
    fleet.enqueue(&url).await.unwrap();
    assert_eq!(queued(&fleet, Partition(3)).await.len(), 1);
}
