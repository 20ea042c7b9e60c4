//! What the data of a crawl costs: memory by entry, commands and bytes by page.

#![allow(clippy::unwrap_used, clippy::expect_used)]

mod support;

use std::time::Instant;

use fleet::{Commit, DigestClaim, Entry, Fleet, PageId, Partition, Position};
use redis::Value;
use support::objects::{Objects, worker_with};
use support::{Follower, Server, changes, options, waiting};

/// About 55 bytes, as URLs of real crawls.
fn url(number: u64) -> String {
    format!(
        "https://www.example-{}.org/section/article-{number:010}.html",
        number % 7
    )
}

fn used(server: &Server) -> f64 {
    server.ask(&["MEMORY", "PURGE"]);
    server.info("memory", "used_memory")
        - server.info("memory", "used_memory_scripts")
        - server.info("memory", "mem_clients_normal")
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_known_url_takes_at_most_120_bytes() {
    let server = Server::start(&[]);
    let fleet = support::worker(&server.address(), 1).await;
    let before = used(&server);
    let (partitions, each) = (16, 12_500);
    for first in (0..each).step_by(250) {
        let rows: Vec<_> = (0..partitions)
            .map(|partition| {
                let some = (first..first + 250).map(|number| waiting(&url(u64::from(partition) * each + number)));
                (Partition(partition), some.collect())
            })
            .collect();
        fleet.enqueue(&rows).await.unwrap();
    }
    let count = f64::from(partitions) * each as f64;
    let waiting = (used(&server) - before) / count;
    assert_eq!(
        server.ask(&["OBJECT", "ENCODING", "{crawl/5}k17"]),
        Value::BulkString(b"listpack".to_vec())
    );
    // All of them finished.
    let grants = fleet.acquire(16, &[]).await.unwrap();
    for first in (0..each).step_by(250) {
        let commits: Vec<Commit> = grants
            .iter()
            .map(|grant| {
                let urls: Vec<String> = (first..first + 250)
                    .map(|number| url(u64::from(grant.partition.0) * each + number))
                    .collect();
                let urls: Vec<&str> = urls.iter().map(String::as_str).collect();
                Commit {
                    partition: grant.partition,
                    epoch: grant.epoch,
                    changes: changes(&urls, &[]),
                }
            })
            .collect();
        fleet.commit_all(&commits).await.unwrap();
    }
    let finished = (used(&server) - before) / count;
    eprintln!(
        "bytes a URL: {waiting:.1} waiting, {finished:.1} finished ({} bytes long)",
        url(1).len()
    );
    assert!(waiting <= 120.0, "{waiting}");
    assert!(finished <= 60.0, "{finished}");
}

#[tokio::test]
async fn an_entry_of_the_log_takes_at_most_250_bytes() {
    let server = Server::start(&[]);
    for (together, number) in [(1, 20_000), (7, 20_000), (64, 20_000)] {
        let fleet = Fleet::join(options(&format!("{}?name=log{together}", server.address()), 1))
            .await
            .unwrap();
        let before = used(&server);
        for first in (0..number).step_by(together) {
            let entries: Vec<Entry> = (first..first + together)
                .map(|number| Entry {
                    page: PageId {
                        worker: fleet.worker(),
                        sequence: number as u64,
                    },
                    url: url(number as u64),
                    signature: vec![number as u8; 160],
                })
                .collect();
            fleet.append(&entries).await.unwrap();
        }
        let Value::Int(usage) = server.ask(&["MEMORY", "USAGE", &format!("{{log{together}/log}}s"), "SAMPLES", "0"])
        else {
            panic!("no usage")
        };
        let entry = usage as f64 / f64::from(number as u32);
        let grown = (used(&server) - before) / f64::from(number as u32);
        eprintln!("bytes an entry, {together} a call: {entry:.1} by MEMORY USAGE, {grown:.1} by INFO");
        assert!(grown <= 250.0, "{together} a call: {grown}");
        // MEMORY USAGE estimates the tree of a stream, at five times what it takes.
        assert!(entry <= 260.0, "{together} a call: {entry}");
    }
}

/// An entry as a crawl of ordinary pages makes it: 16 bytes of a digest, 8 of a fingerprint, 128 of a sketch, 8 of a hash of numbers.
fn random_entry(fleet: &Fleet, number: u64, random: &mut fastrand::Rng) -> Entry {
    let mut signature = vec![0; 165];
    random.fill(&mut signature);
    Entry {
        page: PageId {
            worker: fleet.worker(),
            sequence: number,
        },
        url: url(number),
        signature,
    }
}

/// One page in a hundred is a duplicate of one that another worker claimed at the same time.
fn kept(pages: impl Iterator<Item = PageId>) -> Vec<bool> {
    pages.map(|page| !page.sequence.is_multiple_of(100)).collect()
}

#[tokio::test]
async fn the_memory_of_the_log_is_bounded_and_an_entry_of_a_segment_takes_less_than_one_of_the_log() {
    const SEGMENT: u64 = 16_384;
    let server = Server::start(&[]);
    let fleet = support::worker(&server.address(), 1).await;
    let mut random = fastrand::Rng::with_seed(1);
    let everything = Position(u64::MAX, u64::MAX);
    let before = used(&server);
    let (mut unsegmented, mut log) = (0.0, Vec::new());
    for round in 1..=8_u64 {
        let first = (round - 1) * SEGMENT;
        for some in (first..first + SEGMENT).step_by(64) {
            let entries: Vec<Entry> = (some..some + 64)
                .map(|number| random_entry(&fleet, number, &mut random))
                .collect();
            fleet.append(&entries).await.unwrap();
        }
        if round == 1 {
            unsegmented = (used(&server) - before) / SEGMENT as f64;
        }
        while let Some(draft) = fleet.begin_segment(everything, SEGMENT as usize).await.unwrap() {
            let kept = kept(draft.pages());
            assert!(fleet.end_segment(draft, &kept).await.unwrap());
        }
        let Value::Int(bytes) = server.ask(&["MEMORY", "USAGE", "{crawl/log}s", "SAMPLES", "0"]) else {
            panic!("no usage")
        };
        log.push(bytes);
    }
    let all = used(&server) - before;
    server.ask(&["DEL", "{crawl/log}s"]);
    let Value::BulkString(covered) = server.ask(&["HGET", "{crawl/log}p", "d"]) else {
        panic!("no segment")
    };
    let covered: f64 = String::from_utf8(covered).unwrap().parse().unwrap();
    let segments = (used(&server) - before) / covered;
    eprintln!(
        "bytes an entry: {unsegmented:.1} in the log, {segments:.1} in a segment ({covered} entries); the log has {:.1} MB, all {:.1} MB for {} entries",
        log.iter().max().map_or(0.0, |most| *most as f64 / 1e6),
        all / 1e6,
        8 * SEGMENT
    );
    assert!(segments < unsegmented, "{segments} {unsegmented}");
    assert!(segments <= 200.0, "{segments}");
    // The log holds between one segment and three, however many entries it has had.
    let bound = 3.0 * SEGMENT as f64 * 260.0;
    assert!(log.iter().all(|bytes| (*bytes as f64) < bound), "{log:?}");
}

#[tokio::test]
async fn an_entry_of_a_segment_in_an_object_store_takes_less_than_a_byte_of_the_servers() {
    const SEGMENT: u64 = 16_384;
    let (server, objects) = (Server::start(&[]), Objects::new());
    let fleet = worker_with(objects.clone(), &server.address(), 1).await;
    let mut random = fastrand::Rng::with_seed(1);
    for round in 1..=8_u64 {
        for some in ((round - 1) * SEGMENT..round * SEGMENT).step_by(64) {
            let entries: Vec<Entry> = (some..some + 64)
                .map(|number| random_entry(&fleet, number, &mut random))
                .collect();
            fleet.append(&entries).await.unwrap();
        }
        let everything = Position(u64::MAX, u64::MAX);
        while let Some(draft) = fleet.begin_segment(everything, SEGMENT as usize).await.unwrap() {
            let kept = kept(draft.pages());
            assert!(fleet.end_segment(draft, &kept).await.unwrap());
        }
    }
    let log = fleet::status(&server.address(), "crawl").await.unwrap().log;
    let Value::Array(keys) = server.ask(&["KEYS", "{crawl/log*"]) else {
        panic!("no keys")
    };
    let keys = keys.iter().map(|key| match key {
        Value::BulkString(key) => std::str::from_utf8(key).unwrap(),
        other => panic!("{other:?}"),
    });
    let usage = |key: &str| match server.ask(&["MEMORY", "USAGE", key, "SAMPLES", "0"]) {
        Value::Int(bytes) => bytes as f64,
        other => panic!("{key}: {other:?}"),
    };
    // All but the log itself, whose length is bounded.
    let usages = keys.filter(|key| *key != "{crawl/log}s").map(usage);
    let bytes = usages.sum::<f64>() / log.segment_entries as f64;
    eprintln!(
        "bytes an entry: {bytes:.2} of Redis, {:.1} in the object store; {} segments with {} entries",
        log.stored_bytes as f64 / log.segment_entries as f64,
        log.segments,
        log.segment_entries
    );
    assert_eq!(log.segments, objects.segments().len() as u64);
    let late = worker_with(objects, &server.address(), 2).await;
    let (began, mut follower) = (Instant::now(), Follower::default());
    follower.read_all(&late).await.unwrap();
    assert_eq!(follower.pages.len() as u64, 8 * SEGMENT);
    eprintln!(
        "a late worker reads {} segments and the rest of the log in {:.2?}",
        follower.segments,
        began.elapsed()
    );
    assert!(log.segment_entries >= 7 * SEGMENT && bytes <= 1.0, "{bytes}");
}

#[tokio::test]
async fn a_claimed_digest_takes_at_most_40_bytes() {
    const EACH: u64 = 500_000;
    let server = Server::start(&[]);
    let fleet = support::worker(&server.address(), 1).await;
    let mut random = fastrand::Rng::with_seed(1);
    let before = used(&server);
    let (mut shown, mut claimed) = (Vec::new(), 0);
    while claimed < 3 * EACH {
        // Numbers as late in a crawl of some 10^8 pages by a worker: they take the most bytes.
        let claims: Vec<DigestClaim> = (0..5_000)
            .map(|at| DigestClaim {
                digest: random.u128(..),
                page: PageId {
                    worker: fleet.worker(),
                    sequence: 100_000_000 + claimed + at,
                },
            })
            .collect();
        let keepers = fleet.claim_digests(&claims).await.unwrap();
        assert!(keepers.iter().eq(claims.iter().map(|claim| &claim.page)));
        claimed += 5_000;
        if claimed.is_multiple_of(EACH) {
            shown.push((used(&server) - before) / claimed as f64);
        }
    }
    eprintln!("bytes a digest: {shown:.1?}, at {EACH} more each time");
    assert!(shown.iter().all(|bytes| *bytes <= 40.0), "{shown:?}");
}
