//! Segments of the log in an object store, while workers die, answers are lost, and objects with them.

#![allow(clippy::unwrap_used, clippy::expect_used)]

mod support;

use std::collections::BTreeSet;
use std::sync::Arc;

use fleet::{Entry, Fleet, FleetError, Judged, LogSlice, SegmentRow, SegmentStore};
use redis::Value;
use support::objects::{Objects, ReadOnly, worker_with};
use support::{Follower, Server, entry, is_kept, judged, shorten, worker};

/// Appends pages of a worker, and lets the follower read them.
async fn found(fleet: &Fleet, numbers: std::ops::Range<u64>, follower: &mut Follower) {
    let entries: Vec<Entry> = numbers.map(|sequence| entry(fleet, sequence)).collect();
    fleet.append(&entries).await.unwrap();
    follower.read_all(fleet).await.unwrap();
}

/// A worker with a store, and three segments of 200 pages. The entries of the first two have left the log.
async fn three_segments(server: &Server) -> (Arc<Objects>, Fleet, Follower) {
    let objects = Objects::new();
    let fleet = worker_with(objects.clone(), &server.address(), 1).await;
    let mut follower = Follower::default();
    for first in [0, 200, 400] {
        found(&fleet, first..first + 200, &mut follower).await;
        assert!(shorten(&fleet, follower.position, 200).await.unwrap());
    }
    (objects, fleet, follower)
}

/// The rows of all segments, as the servers have them.
fn places_of_rows(server: &Server, key: &str) -> BTreeSet<String> {
    let Value::Array(rows) = server.ask(&["ZRANGE", key, "0", "-1"]) else {
        panic!("no rows")
    };
    let places = rows.iter().filter_map(|row| {
        let Value::BulkString(row) = row else { panic!("{row:?}") };
        let text = String::from_utf8_lossy(row).into_owned();
        let place = &text[text.find("memory://")?..];
        // The number of pieces, 0, is behind it.
        Some(place.trim_end_matches('\0').to_owned())
    });
    places.collect()
}

fn number(server: &Server, field: &str) -> u64 {
    match server.ask(&["HGET", "{crawl/log}p", field]) {
        Value::BulkString(digits) => String::from_utf8(digits).unwrap().parse().unwrap(),
        other => panic!("{field}: {other:?}"),
    }
}

/// Workers append, read, and shorten the log, two of them into a store and one on the servers. Some die while they write a segment, before
/// its object is there or after it; at times the store is away.
#[tokio::test]
async fn whoever_reads_segments_from_the_store_and_from_the_servers_learns_all_of_the_log_in_order() {
    let server = Server::start(&[]);
    let (mut written, mut failed) = ([0; 3], 0);
    for seed in 0..12_u64 {
        let mut random = fastrand::Rng::with_seed(seed);
        let (address, objects) = (format!("{}?name=seed{seed}", server.address()), Objects::new());
        let fleets = [
            worker_with(objects.clone(), &address, 1).await,
            worker_with(objects.clone(), &address, 2).await,
            worker_with(Arc::new(ReadOnly(objects.clone())), &address, 3).await,
        ];
        let mut followers = vec![Follower::default(); 3];
        let mut appended: Vec<Judged> = Vec::new();
        let mut sequences = [0_u64; 3];
        for _ in 0..120 {
            let at = random.usize(0..3);
            let (fleet, follower) = (&fleets[at], &mut followers[at]);
            match random.u8(0..8) {
                0..=2 => {
                    let more = random.u64(1..40);
                    let more: Vec<Entry> = (0..more).map(|page| entry(fleet, sequences[at] + page)).collect();
                    sequences[at] += more.len() as u64;
                    fleet.append(&more).await.unwrap();
                    appended.extend(more.into_iter().map(judged));
                }
                3 | 4 => follower.read_all(fleet).await.unwrap(),
                5 => followers.push(Follower::default()),
                _ => {
                    let (is_away, loses_answers) = (random.u8(0..8) == 0, random.u8(0..4) == 0);
                    let entries = random.usize(1..80);
                    let Some(draft) = fleet.begin_segment(follower.position, entries).await.unwrap() else {
                        continue;
                    };
                    let kept: Vec<bool> = draft.pages().map(is_kept).collect();
                    objects.is_away(is_away);
                    objects.loses_answers(loses_answers);
                    match fleet.end_segment(draft, &kept).await {
                        Ok(is_named) => written[at] += usize::from(is_named),
                        Err(error) => {
                            assert!(matches!(error, FleetError::Store { .. }) && at < 2, "{error}");
                            failed += 1;
                        }
                    }
                    objects.is_away(false);
                    objects.loses_answers(false);
                }
            }
        }
        for follower in &mut followers {
            follower.read_all(&fleets[0]).await.unwrap();
            assert_eq!(follower.pages, appended, "seed {seed}");
        }
        // The worker that keeps its segments on the servers removes no object of another one.
        let named = places_of_rows(&server, &format!("{{seed{seed}/log}}g"));
        let there: BTreeSet<String> = objects.segments().into_iter().collect();
        assert!(named.is_subset(&there), "seed {seed}: {named:?} {there:?}");
    }
    assert!(
        written.iter().all(|written| *written > 15) && failed > 15,
        "{written:?} written, {failed} failed"
    );
}

#[tokio::test]
async fn a_late_worker_reads_segments_that_the_servers_do_not_hold() {
    let server = Server::start(&[]);
    let (objects, _, follower) = three_segments(&server).await;
    assert_eq!(objects.segments().len(), 3);
    assert_eq!(server.ask(&["KEYS", "{crawl/log/*"]), Value::Array(Vec::new()));
    let status = fleet::status(&server.address(), "crawl").await.unwrap();
    assert_eq!(status.log.stored_bytes, status.log.segment_bytes);
    assert!(
        status.to_string().contains("MiB of this in the object store"),
        "{status}"
    );
    let late = worker_with(Arc::new(ReadOnly(objects.clone())), &server.address(), 2).await;
    let mut reader = Follower::default();
    reader.read_all(&late).await.unwrap();
    assert_eq!((reader.segments, &reader.pages), (2, &follower.pages));
    // What it reads next is known before: the second row, and not the third, whose entries the log still has.
    let LogSlice::Segment(first) = late.read_log(fleet::Position::default(), 10).await.unwrap() else {
        panic!("the beginning of the log is in a segment")
    };
    let behind: Vec<SegmentRow> = late.segments_behind(first.end, 9).await.unwrap();
    assert_eq!(behind.len(), 1);
    assert_eq!(behind[0].place(), Some(objects.segments()[1].as_str()));
    assert!(late.segments_behind(behind[0].end, 9).await.unwrap().is_empty());
}

#[tokio::test]
async fn segments_that_are_on_the_servers_stay_readable_when_the_workers_get_a_store() {
    let server = Server::start(&[]);
    let before = worker(&server.address(), 1).await;
    let mut follower = Follower::default();
    for first in [0, 100] {
        found(&before, first..first + 100, &mut follower).await;
        assert!(shorten(&before, follower.position, 100).await.unwrap());
    }
    let objects = Objects::new();
    let after = worker_with(objects.clone(), &server.address(), 1).await;
    for first in [200, 300] {
        found(&after, first..first + 100, &mut follower).await;
        assert!(shorten(&after, follower.position, 100).await.unwrap());
    }
    assert_eq!(objects.segments().len(), 2);
    let mut late = Follower::default();
    late.read_all(&after).await.unwrap();
    assert_eq!((late.segments, &late.pages), (3, &follower.pages));
    // Without a store, the worker says which segment it cannot read.
    let error = Follower::default().read_all(&before).await.unwrap_err();
    let place = &objects.segments()[0];
    assert!(
        matches!(&error, FleetError::Segment { .. }) && error.to_string().contains(place),
        "{error}"
    );
}

#[tokio::test]
async fn an_object_that_no_row_names_is_removed_by_the_next_worker() {
    let server = Server::start(&[]);
    let objects = Objects::new();
    let dead = worker_with(objects.clone(), &server.address(), 1).await;
    let other = worker_with(objects.clone(), &server.address(), 2).await;
    let mut follower = Follower::default();
    found(&dead, 0..100, &mut follower).await;
    let draft = dead.begin_segment(follower.position, 50).await.unwrap().unwrap();
    let kept: Vec<bool> = draft.pages().map(is_kept).collect();
    objects.loses_answers(true);
    let error = dead.end_segment(draft, &kept).await.unwrap_err();
    objects.loses_answers(false);
    assert!(
        error.is_transient() && error.to_string().contains("the answer is lost"),
        "{error}"
    );
    let unnamed = objects.segments();
    assert_eq!(unnamed.len(), 1);
    // The other one need not wait for the time of the draft.
    assert!(shorten(&other, follower.position, 50).await.unwrap());
    assert_eq!(objects.segments().len(), 1);
    assert!(!objects.segments().contains(&unnamed[0]));
    // A worker that is killed between the object and its row has the draft until its time runs out.
    found(&dead, 100..200, &mut follower).await;
    let draft = dead.begin_segment(follower.position, 50).await.unwrap().unwrap();
    let held = objects.hold_back().await;
    let kept: Vec<bool> = draft.pages().map(is_kept).collect();
    let writing = tokio::spawn({
        let dead = dead.clone();
        async move { dead.end_segment(draft, &kept).await }
    });
    tokio::task::yield_now().await;
    writing.abort();
    drop(held);
    assert!(writing.await.unwrap_err().is_cancelled());
    assert!(!shorten(&other, follower.position, 50).await.unwrap());
    server.ask(&["HSET", "{crawl/log}p", "until", "1"]);
    while shorten(&other, follower.position, 50).await.unwrap() {}
    assert_eq!(
        objects.segments().into_iter().collect::<BTreeSet<_>>(),
        places_of_rows(&server, "{crawl/log}g")
    );
    let mut late = Follower::default();
    late.read_all(&other).await.unwrap();
    assert_eq!(late.pages, follower.pages);
}

#[tokio::test]
async fn a_last_segment_whose_object_is_lost_or_damaged_is_written_again_from_the_log() {
    for damage in ["missing", "cut off", "another byte"] {
        let server = Server::start(&[]);
        let (objects, fleet, mut follower) = three_segments(&server).await;
        let last = objects.segments().pop().unwrap();
        objects.change(&last, |mut bytes| match damage {
            "missing" => None,
            "cut off" => Some(bytes[..bytes.len() - 1].to_vec()),
            _ => {
                bytes[20] ^= 1;
                Some(bytes)
            }
        });
        found(&fleet, 600..700, &mut follower).await;
        assert!(
            !shorten(&fleet, follower.position, 100).await.unwrap(),
            "it is found missing"
        );
        while shorten(&fleet, follower.position, 100).await.unwrap() {}
        let mut late = Follower::default();
        late.read_all(&fleet).await.unwrap();
        assert_eq!(late.pages, follower.pages, "{damage}");
        assert!(late.segments > 3, "{damage}");
        assert_eq!(number(&server, "b"), number(&server, "o"));
    }
}

fn rows(server: &Server) -> i64 {
    server.count(&["ZCARD", "{crawl/log}g"])
}

#[tokio::test]
async fn if_all_objects_are_lost_the_fleet_goes_on_and_the_rows_name_them() {
    let server = Server::start(&[]);
    let (objects, fleet, mut follower) = three_segments(&server).await;
    let all = objects.segments();
    all.iter().for_each(|place| objects.change(place, |_| None));
    for first in [600, 700] {
        found(&fleet, first..first + 100, &mut follower).await;
        let mut times = 0;
        while times < 3 || shorten(&fleet, follower.position, 100).await.unwrap() {
            times += 1;
        }
    }
    assert!(rows(&server) >= 4, "{}", rows(&server));
    let error = Follower::default().read_all(&fleet).await.unwrap_err();
    assert!(
        matches!(&error, FleetError::Segment { place, .. } if *place == all[0]),
        "{error}"
    );
}

#[tokio::test]
async fn a_store_that_has_become_another_one_costs_no_row() {
    let server = Server::start(&[]);
    let (objects, fleet, mut follower) = three_segments(&server).await;
    let before = rows(&server);
    // As a folder that is not mounted any more.
    objects
        .places()
        .iter()
        .for_each(|place| objects.change(place, |_| None));
    found(&fleet, 600..700, &mut follower).await;
    for _ in 0..3 {
        let error = fleet.begin_segment(follower.position, 50).await.unwrap_err();
        assert!(matches!(error, FleetError::OtherStore { .. }), "{error}");
    }
    assert_eq!(rows(&server), before);
}

#[tokio::test]
async fn a_mark_that_somebody_has_removed_is_written_again() {
    let server = Server::start(&[]);
    let (objects, fleet, mut follower) = three_segments(&server).await;
    let mark = objects.places().pop().unwrap();
    assert!(mark.contains("/store-"), "{mark}");
    objects.change(&mark, |_| None);
    let other = worker_with(objects.clone(), &server.address(), 2).await;
    other.prove_shared().await.unwrap();
    assert!(objects.places().contains(&mark));
    found(&fleet, 600..700, &mut follower).await;
    assert!(shorten(&other, follower.position, 50).await.unwrap());
}

#[tokio::test]
async fn what_is_no_name_of_a_draft_removes_nothing() {
    let server = Server::start(&[]);
    let (objects, fleet, mut follower) = three_segments(&server).await;
    let folder = objects.segments()[0].rsplit_once('/').unwrap().0.to_owned();
    let victim = format!("{folder}/../../victim");
    objects.put(&victim, vec![1]).await.unwrap();
    server.ask(&["HSET", "{crawl/log}p", "draft", "../../victim"]);
    found(&fleet, 600..700, &mut follower).await;
    assert!(shorten(&fleet, follower.position, 50).await.unwrap());
    assert!(objects.places().contains(&victim));
}

#[tokio::test]
async fn a_worker_that_needs_an_object_which_is_lost_or_damaged_names_it_and_says_what_to_do() {
    let server = Server::start(&[]);
    let (objects, fleet, _) = three_segments(&server).await;
    let first = objects.segments().remove(0);
    for (damage, said) in [(Some(vec![1, 2, 3]), "is damaged"), (None, "is missing")] {
        objects.change(&first, |_| damage);
        let error = Follower::default().read_all(&fleet).await.unwrap_err();
        assert!(!error.is_transient(), "{error}");
        let text = error.to_string();
        for said in [&first, said, "storage.archive_url", "start every worker again"] {
            assert!(text.contains(said), "{text}");
        }
    }
}

#[tokio::test]
async fn while_the_store_is_away_the_log_keeps_its_entries_until_the_workers_wait() {
    const SEGMENT: usize = 100;
    let server = Server::start(&[]);
    let (objects, fleet, mut follower) = three_segments(&server).await;
    objects.is_away(true);
    let mut first = 600;
    while !fleet.is_log_too_long(false, SEGMENT) {
        found(&fleet, first..first + 50, &mut follower).await;
        first += 50;
        let error = fleet.begin_segment(follower.position, 50).await.unwrap_err();
        assert!(
            error.is_transient() && error.to_string().contains("nobody answers"),
            "{error}"
        );
        fleet.log_end().await.unwrap();
    }
    assert_eq!(fleet.uncovered(), 4 * SEGMENT as u64);
    let mut late = Follower::default();
    assert!(late.read_all(&fleet).await.unwrap_err().is_transient());
    objects.is_away(false);
    while shorten(&fleet, follower.position, SEGMENT).await.unwrap() {}
    fleet.log_end().await.unwrap();
    assert!(!fleet.is_log_too_long(true, SEGMENT));
    late.read_all(&fleet).await.unwrap();
    assert_eq!(late.pages, follower.pages);
}

#[tokio::test]
async fn a_worker_that_the_store_refuses_gives_its_turn_to_another_one_at_once() {
    let server = Server::start(&[]);
    let (objects, other, mut follower) = three_segments(&server).await;
    let refused = worker_with(objects.clone(), &server.address(), 2).await;
    found(&other, 600..800, &mut follower).await;
    let is_refusal = |error: FleetError| {
        assert!(
            matches!(&error, FleetError::StoreRefuses { reason, .. } if reason == "403") && !error.is_transient(),
            "{error}"
        );
    };
    let draft = refused.begin_segment(follower.position, 50).await.unwrap().unwrap();
    let kept: Vec<bool> = draft.pages().map(is_kept).collect();
    objects.refuses(true);
    is_refusal(refused.end_segment(draft, &kept).await.unwrap_err());
    objects.refuses(false);
    assert!(shorten(&other, follower.position, 50).await.unwrap());
    objects.refuses(true);
    is_refusal(refused.begin_segment(follower.position, 50).await.unwrap_err());
    is_refusal(Follower::default().read_all(&refused).await.unwrap_err());
    objects.refuses(false);
    assert!(shorten(&other, follower.position, 50).await.unwrap());
}

#[tokio::test]
async fn a_worker_with_another_store_of_the_same_name_writes_no_segment() {
    let server = Server::start(&[]);
    let (objects, fleet, mut follower) = three_segments(&server).await;
    let mark = objects.places().pop().unwrap();
    assert!(mark.contains("/store-"), "{mark}");
    let folder_of_its_own = Objects::new();
    let stray = worker_with(folder_of_its_own.clone(), &server.address(), 2).await;
    found(&fleet, 600..700, &mut follower).await;
    let error = stray.begin_segment(follower.position, 50).await.unwrap_err();
    assert_eq!(error, FleetError::OtherStore { place: mark });
    assert!(!error.is_transient() && folder_of_its_own.places().is_empty());
    assert!(shorten(&fleet, follower.position, 50).await.unwrap());
    // Two workers that begin at once agree on one mark.
    let server = Server::start(&[]);
    let objects = Objects::new();
    let workers = [
        worker_with(objects.clone(), &server.address(), 1).await,
        worker_with(objects.clone(), &server.address(), 2).await,
    ];
    let begin = |fleet: Fleet| async move { fleet.begin_segment(fleet::Position(1, 1), 1).await };
    let (one, two) = tokio::join!(begin(workers[0].clone()), begin(workers[1].clone()));
    assert!(one.unwrap().is_none() && two.unwrap().is_none());
    assert_eq!(objects.places().len(), 1);
}

#[tokio::test]
async fn a_worker_whose_store_hangs_leaves_the_segment_to_another_one() {
    let server = Server::start(&[]);
    let (objects, other, mut follower) = three_segments(&server).await;
    let join = fleet::JoinOptions {
        segments: Some(objects.clone()),
        lease: std::time::Duration::from_millis(300),
        ..support::options(&server.address(), 2)
    };
    let stuck = Fleet::join(join).await.unwrap();
    found(&other, 600..800, &mut follower).await;
    let draft = stuck.begin_segment(follower.position, 50).await.unwrap().unwrap();
    let kept: Vec<bool> = draft.pages().map(is_kept).collect();
    objects.hangs(true);
    let written = tokio::time::timeout(std::time::Duration::from_secs(20), stuck.end_segment(draft, &kept));
    let error = written.await.expect("it gives up").unwrap_err();
    assert!(
        matches!(&error, FleetError::Store { .. }) && error.is_transient(),
        "{error}"
    );
    // It removes what the draft may have written, and reads the last segment.
    let begun = tokio::time::timeout(
        std::time::Duration::from_secs(20),
        stuck.begin_segment(follower.position, 50),
    );
    assert!(matches!(
        begun.await.expect("it gives up"),
        Err(FleetError::Store { .. })
    ));
    objects.hangs(false);
    // The other one need not wait.
    assert!(shorten(&other, follower.position, 50).await.unwrap());
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_worker_may_write_a_segment_for_longer_than_its_draft_lasts_at_first() {
    let server = Server::start(&[]);
    let (objects, slow, mut follower) = three_segments(&server).await;
    let other = worker_with(objects.clone(), &server.address(), 2).await;
    found(&slow, 600..800, &mut follower).await;
    let draft = slow.begin_segment(follower.position, 50).await.unwrap().unwrap();
    let first = number(&server, "until");
    let held = objects.hold_back().await;
    let kept: Vec<bool> = draft.pages().map(is_kept).collect();
    let writing = tokio::spawn(async move { slow.end_segment(draft, &kept).await });
    let lease_ms = other.lease().as_millis() as u64;
    support::wait_for(
        "more time than the draft had at first",
        std::time::Duration::from_secs(20),
        || number(&server, "until") > first + lease_ms,
    );
    assert!(other.begin_segment(follower.position, 50).await.unwrap().is_none());
    drop(held);
    assert!(writing.await.unwrap().unwrap());
    assert!(shorten(&other, follower.position, 50).await.unwrap());
}
