//! The log on a real server while workers shorten it.

#![allow(clippy::unwrap_used, clippy::expect_used)]

mod support;

use std::collections::BTreeSet;

use fleet::{Entry, Judged, LogSlice, Position};
use redis::Value;
use support::{Follower, Server, entry, is_kept, judged, shorten, worker};

fn keys(server: &Server, pattern: &str) -> usize {
    match server.ask(&["KEYS", pattern]) {
        Value::Array(keys) => keys.len(),
        other => panic!("{other:?}"),
    }
}

fn items(server: &Server) -> i64 {
    server.count(&["XLEN", "{crawl/log}s"])
}

/// Workers append, read, sleep, shorten the log, and die while they write a segment, in a random order.
#[tokio::test]
async fn whoever_reads_the_log_in_whatever_steps_learns_all_of_it_in_order() {
    let server = Server::start(&[]);
    let (mut segments, mut by_segment) = (0, 0);
    for seed in 0..12_u64 {
        let mut random = fastrand::Rng::with_seed(seed);
        let address = format!("{}?name=seed{seed}", server.address());
        let fleets = [
            worker(&address, 1).await,
            worker(&address, 2).await,
            worker(&address, 3).await,
        ];
        let mut followers = vec![Follower::default(); 3];
        let mut appended: Vec<Judged> = Vec::new();
        let mut sequences = [0_u64; 3];
        for _ in 0..150 {
            let at = random.usize(0..3);
            let (fleet, follower) = (&fleets[at], &mut followers[at]);
            match random.u8(0..10) {
                0..=3 => {
                    let more: Vec<Entry> = (0..random.u64(1..40))
                        .map(|number| entry(fleet, sequences[at] + number))
                        .collect();
                    sequences[at] += more.len() as u64;
                    fleet.append(&more).await.unwrap();
                    appended.extend(more.into_iter().map(judged));
                }
                4 | 5 => {
                    follower.read(fleet, random.usize(1..60)).await.unwrap();
                }
                // One of the workers sleeps most of the time.
                6 if at != 2 => follower.read_all(fleet).await.unwrap(),
                7 => followers.push(Follower::default()),
                8 => {
                    if let Some(draft) = fleet
                        .begin_segment(follower.position, random.usize(1..80))
                        .await
                        .unwrap()
                    {
                        let kept: Vec<bool> = draft.pages().map(is_kept).collect();
                        match random.u8(0..3) {
                            // It dies. Another process of the worker goes on.
                            0 => drop(draft),
                            _ => segments += usize::from(fleet.end_segment(draft, &kept).await.unwrap()),
                        }
                    }
                }
                _ => {
                    let late = random.usize(0..followers.len());
                    followers[late].read(&fleets[at], random.usize(1..60)).await.unwrap();
                }
            }
        }
        for follower in &mut followers {
            follower.read_all(&fleets[0]).await.unwrap();
            assert_eq!(follower.pages, appended, "seed {seed}");
            by_segment += usize::from(follower.segments > 0);
        }
    }
    assert!(
        segments > 25 && by_segment > 50,
        "{segments} segments, {by_segment} read some"
    );
}

#[tokio::test]
async fn the_log_keeps_the_last_segment_and_what_comes_behind_it() {
    let server = Server::start(&[]);
    let fleet = worker(&server.address(), 1).await;
    let mut follower = Follower::default();
    for round in 0..20_u64 {
        for sequence in 0..100 {
            fleet.append(&[entry(&fleet, round * 100 + sequence)]).await.unwrap();
        }
        follower.read_all(&fleet).await.unwrap();
        while shorten(&fleet, follower.position, 100).await.unwrap() {}
        assert!(fleet.uncovered() < 200);
        assert!(items(&server) <= 200, "{} items in round {round}", items(&server));
    }
    assert_eq!(follower.segments, 0, "who is up to date needs no segment");
    let mut late = Follower::default();
    late.read_all(&fleet).await.unwrap();
    assert_eq!(late.pages, follower.pages);
    assert_eq!((late.segments, late.pages.len()), (19, 2_000));
}

#[tokio::test]
async fn a_worker_that_slept_while_it_wrote_a_segment_names_nothing() {
    let server = Server::start(&[]);
    let (slow, quick) = (worker(&server.address(), 1).await, worker(&server.address(), 2).await);
    let entries: Vec<Entry> = (0..200).map(|sequence| entry(&slow, sequence)).collect();
    slow.append(&entries).await.unwrap();
    let mut follower = Follower::default();
    follower.read_all(&slow).await.unwrap();
    let draft = slow.begin_segment(follower.position, 50).await.unwrap().unwrap();
    let kept: Vec<bool> = draft.pages().map(is_kept).collect();
    assert!(!shorten(&quick, follower.position, 50).await.unwrap(), "one at a time");
    // As if its time had run out.
    server.ask(&["HSET", "{crawl/log}p", "until", "1"]);
    assert!(shorten(&quick, follower.position, 60).await.unwrap());
    assert!(!slow.end_segment(draft, &kept).await.unwrap());
    assert_eq!(
        keys(&server, "{crawl/log/*"),
        1,
        "the pieces that nobody names are gone"
    );
    let mut late = Follower::default();
    server.ask(&["HSET", "{crawl/log}p", "m", "9999999999999-0"]); // as if all were trimmed
    late.read(&quick, 10).await.unwrap();
    assert_eq!(late.pages, follower.pages[..late.pages.len()]);
    assert_eq!(late.pages.len(), 60 / 15 * 15);
}

#[tokio::test]
async fn the_pieces_of_a_worker_that_died_are_removed() {
    let server = Server::start(&[]);
    let (dead, other) = (worker(&server.address(), 1).await, worker(&server.address(), 2).await);
    let entries: Vec<Entry> = (0..100).map(|sequence| entry(&dead, sequence)).collect();
    dead.append(&entries).await.unwrap();
    let mut follower = Follower::default();
    follower.read_all(&other).await.unwrap();
    assert!(dead.begin_segment(follower.position, 50).await.unwrap().is_some());
    let Value::BulkString(draft) = server.ask(&["HGET", "{crawl/log}p", "draft"]) else {
        panic!("no draft")
    };
    let draft = String::from_utf8(draft).unwrap();
    for piece in 0..3 {
        server.ask(&["SET", &format!("{{crawl/log/{draft}}}{piece}"), "bytes"]);
    }
    server.ask(&["HSET", "{crawl/log}p", "until", "1"]);
    assert!(shorten(&other, follower.position, 50).await.unwrap());
    assert_eq!(keys(&server, &format!("{{crawl/log/{draft}}}*")), 0);
    assert_eq!(keys(&server, "{crawl/log/*"), 1);
}

#[tokio::test]
async fn a_segment_that_the_servers_have_lost_is_written_again_from_the_log() {
    let server = Server::start(&[]);
    let fleet = worker(&server.address(), 1).await;
    let mut follower = Follower::default();
    for first in [0, 200, 400] {
        let entries: Vec<Entry> = (first..first + 200).map(|sequence| entry(&fleet, sequence)).collect();
        fleet.append(&entries).await.unwrap();
        follower.read_all(&fleet).await.unwrap();
        assert!(shorten(&fleet, follower.position, 150).await.unwrap());
    }
    let Value::BulkString(number) = server.ask(&["HGET", "{crawl/log}p", "e"]) else {
        panic!("no number")
    };
    let last = format!("{{crawl/log/{}.*", String::from_utf8(number).unwrap());
    let Value::Array(pieces) = server.ask(&["KEYS", &last]) else {
        panic!("no keys")
    };
    for piece in pieces {
        let Value::BulkString(piece) = piece else {
            panic!("{piece:?}")
        };
        server.ask(&["DEL", std::str::from_utf8(&piece).unwrap()]);
    }
    assert!(
        !shorten(&fleet, follower.position, 100).await.unwrap(),
        "it is found missing"
    );
    while shorten(&fleet, follower.position, 100).await.unwrap() {}
    let mut late = Follower::default();
    late.read_all(&fleet).await.unwrap();
    assert_eq!(late.pages, follower.pages);
    assert!(late.segments > 3);
}

#[tokio::test]
async fn a_segment_covers_only_what_counts_and_is_applied() {
    let server = Server::start(&[]);
    let fleet = worker(&server.address(), 1).await;
    let entries: Vec<Entry> = (0..90).map(|sequence| entry(&fleet, sequence)).collect();
    for some in entries.chunks(30) {
        fleet.append(some).await.unwrap();
    }
    let mut follower = Follower::default();
    follower.read(&fleet, 40).await.unwrap();
    // As of a worker that died between appending and confirming.
    server.ask(&["XADD", "{crawl/log}s", "*", "e", "no entry at all"]);
    let draft = fleet.begin_segment(follower.position, 80).await.unwrap().unwrap();
    assert_eq!(draft.pages().len(), 30, "the items that are applied as a whole");
    follower.read_all(&fleet).await.unwrap();
    let draft = fleet.begin_segment(follower.position, 80).await.unwrap().unwrap();
    let pages: BTreeSet<u64> = draft.pages().map(|page| page.sequence).collect();
    assert!(pages.len() <= 80 && pages.iter().copied().eq(0..pages.len() as u64));
    let draft = fleet
        .begin_segment(Position(u64::MAX, u64::MAX), 90)
        .await
        .unwrap()
        .unwrap();
    assert_eq!(draft.pages().len(), 90);
    // A server that took over has lost what the segment is to cover.
    let kept = vec![true; 90];
    server.ask(&["SET", "{crawl/log}c", "1-0"]);
    assert!(!fleet.end_segment(draft, &kept).await.unwrap());
    assert_eq!(keys(&server, "{crawl/log/*"), 0);
}

#[tokio::test]
async fn a_worker_that_is_behind_writes_up_to_its_place_or_leaves_the_segment_to_another() {
    let server = Server::start(&[]);
    let (behind, ahead) = (worker(&server.address(), 1).await, worker(&server.address(), 2).await);
    let entries: Vec<Entry> = (0..300).map(|sequence| entry(&behind, sequence)).collect();
    behind.append(&entries).await.unwrap();
    let mut follower = Follower::default();
    assert!(
        behind.begin_segment(follower.position, 100).await.unwrap().is_none(),
        "it has applied nothing"
    );
    follower.read(&behind, 60).await.unwrap();
    let draft = behind.begin_segment(follower.position, 100).await.unwrap().unwrap();
    assert!(ahead.begin_segment(follower.position, 100).await.unwrap().is_none());
    behind.leave_segment(draft).await.unwrap();
    assert!(shorten(&ahead, follower.position, 100).await.unwrap());
    let end = ahead.log_end().await.unwrap();
    assert!((240..300).contains(&ahead.uncovered()) && end > follower.position);
    assert!(
        !shorten(&behind, follower.position, 100).await.unwrap(),
        "what it has applied is covered"
    );
    follower.read_all(&behind).await.unwrap();
    assert!(shorten(&behind, follower.position, 100).await.unwrap());
}

#[tokio::test]
async fn workers_that_find_twice_as_many_pages_as_they_decide_on_wait_for_the_log() {
    const SEGMENT: usize = 4_096;
    let server = Server::start(&[]);
    let fleets = [
        worker(&server.address(), 1).await,
        worker(&server.address(), 2).await,
        worker(&server.address(), 3).await,
    ];
    let mut followers = [Follower::default(), Follower::default(), Follower::default()];
    let (mut found, mut is_waiting) = ([0_u64; 3], [false; 3]);
    let (mut longest, mut most_bytes, mut waits) = (0, 0.0_f64, 0);
    for round in 0..240 {
        for (at, fleet) in fleets.iter().enumerate() {
            fleet.log_end().await.unwrap();
            let was_waiting = is_waiting[at];
            is_waiting[at] = fleet.is_log_too_long(was_waiting, SEGMENT);
            waits += usize::from(is_waiting[at] && !was_waiting);
            // The three find 1,200 pages in a round, and each decides on 600 of them.
            if !is_waiting[at] {
                let pages: Vec<Entry> = (0..400).map(|number| entry(fleet, found[at] + number)).collect();
                found[at] += 400;
                fleet.append(&pages).await.unwrap();
            }
            followers[at].read(fleet, 600).await.unwrap();
            if fleet.uncovered() >= SEGMENT as u64 {
                shorten(fleet, followers[at].position, SEGMENT).await.unwrap();
            }
            longest = longest.max(fleet.uncovered());
        }
        if round % 20 == 0 {
            most_bytes = most_bytes.max(server.info("memory", "used_memory"));
        }
    }
    let (found, decided) = (found.iter().sum::<u64>(), followers[0].pages.len() as u64);
    eprintln!("{found} found, {decided} decided, {waits} waits, {longest} entries in the log, {most_bytes} bytes");
    assert!(longest <= 4 * SEGMENT as u64 + 3 * 400, "{longest} entries");
    assert!(
        found > 100_000 && found < decided + 6 * SEGMENT as u64,
        "{found}, {decided}"
    );
    assert!(waits >= 3, "{waits} waits");
    assert!(most_bytes < 20e6, "{most_bytes} bytes");
}

#[tokio::test]
async fn a_reader_learns_that_the_log_has_lost_what_it_has_read() {
    let server = Server::start(&[]);
    let fleet = worker(&server.address(), 1).await;
    fleet.append(&[entry(&fleet, 1)]).await.unwrap();
    let mut follower = Follower::default();
    follower.read_all(&fleet).await.unwrap();
    let before = follower.position;
    fleet.append(&[entry(&fleet, 2)]).await.unwrap();
    follower.read_all(&fleet).await.unwrap();
    let Value::BulkString(last) = server.ask(&["GET", "{crawl/log}c"]) else {
        panic!("nothing counts")
    };
    server.ask(&["XDEL", "{crawl/log}s", std::str::from_utf8(&last).unwrap()]);
    assert_eq!(fleet.read_log(follower.position, 10).await.unwrap(), LogSlice::Lost);
    assert_eq!(fleet.read_log(before, 10).await.unwrap(), LogSlice::Entries(Vec::new()));
}
