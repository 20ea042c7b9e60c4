//! Addresses that several workers ask, on a real server.

#![allow(clippy::unwrap_used, clippy::expect_used)]

mod support;

use std::time::Duration;

use support::{Cluster, Server, wait_for, worker};

const LONG: Duration = Duration::from_secs(3_600);

fn addresses(numbers: std::ops::Range<usize>) -> Vec<String> {
    numbers
        .map(|number| format!("10.0.{}.{}", number / 256, number % 256))
        .collect()
}

#[tokio::test]
async fn each_worker_learns_how_many_ask_an_address() {
    let server = Server::start(&[]);
    let [one, two] = [worker(&server.address(), 1).await, worker(&server.address(), 2).await];
    assert_eq!(one.share(&[], LONG).await.unwrap(), []);
    // More than go into one call.
    assert_eq!(one.share(&addresses(0..5_000), LONG).await.unwrap(), vec![1; 5_000]);
    let shared = two.share(&addresses(4_900..5_100), LONG).await.unwrap();
    assert_eq!(shared, [vec![2; 100], vec![1; 100]].concat());
    let again = one.share(&addresses(4_899..4_901), LONG).await.unwrap();
    assert_eq!(again, [1, 2], "a worker counts once, however often it says so");
}

#[tokio::test]
async fn a_worker_that_asks_no_more_counts_no_more_and_leaves_nothing() {
    let server = Server::start(&[]);
    let [one, two] = [worker(&server.address(), 1).await, worker(&server.address(), 2).await];
    let address = ["192.0.2.1:8080".to_owned()];
    two.share(&address, Duration::from_millis(50)).await.unwrap();
    let mut shared = one.share(&address, LONG).await.unwrap();
    while shared != [1] {
        assert_eq!(shared, [2]);
        shared = one.share(&address, LONG).await.unwrap();
    }
    let keys = || {
        let keys = server.ask(&["KEYS", "*s192*"]);
        matches!(keys, redis::Value::Array(keys) if !keys.is_empty())
    };
    assert!(keys());
    one.share(&address, Duration::from_millis(50)).await.unwrap();
    wait_for("the address is gone", Duration::from_secs(20), || !keys());
}

#[tokio::test]
async fn the_addresses_spread_over_a_cluster() {
    let cluster = Cluster::start();
    let [one, two] = [worker(&cluster.address(), 1).await, worker(&cluster.address(), 2).await];
    let all = addresses(0..300);
    assert_eq!(one.share(&all, LONG).await.unwrap(), vec![1; 300]);
    assert_eq!(two.share(&all, LONG).await.unwrap(), vec![2; 300]);
    let with_keys = cluster
        .servers
        .iter()
        .filter(|server| matches!(server.ask(&["DBSIZE"]), redis::Value::Int(keys) if keys > 50));
    assert!(with_keys.count() > 1, "one server has them all");
}
