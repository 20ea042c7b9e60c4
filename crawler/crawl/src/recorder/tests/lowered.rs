//! The depths of finished URLs sink, because another worker has found shorter paths to them.

use std::time::Instant;

use fleet::{UNKNOWN_DEPTH, WaitingUrl};
use storage::{FETCHED_ELSEWHERE, UrlState};

use super::by_log::{Worker, link};
use super::fake_desk::arrived;
use super::*;
use crate::fleet::letter::Mail;
use crate::fleet::messages::FromDesk;
use crate::fleet::ownership::Ownership;

/// A host in another partition than that of the workers of these tests.
fn foreign_host() -> String {
    let ownership = Ownership::new(8, Instant::now());
    let own = ownership.partition_of("h");
    let mut hosts = (0..).map(|number| format!("h{number}"));
    hosts.find(|host| ownership.partition_of(host) != own).unwrap()
}

fn at_depth(url: &str, depth: u16) -> WaitingUrl {
    WaitingUrl {
        url: url.to_owned(),
        depth,
        redirects: 0,
        priority: 0,
        is_seed: false,
    }
}

fn failed() -> Outcome {
    Outcome::Failed {
        kind: "http_404".to_owned(),
        status: Some(404),
        detail: String::new(),
    }
}

/// The letters since the row `last`: the URLs that were found, with their depths, and the number of the others.
fn letters_since(worker: &mut Worker, last: &mut u64) -> (Vec<(String, u16)>, usize) {
    let recorder = worker.world.recorder();
    recorder.commit().unwrap();
    let letters = recorder.books.store_mut().outbox().letters(*last, usize::MAX).unwrap();
    *last = letters.last().map_or(*last, |(row, _)| *row);
    let (mut found, mut others) = (Vec::new(), 0);
    for (_, letter) in letters {
        match Mail::read(&letter) {
            Some(Mail::Found(url)) => found.push((url.url, url.depth)),
            _ => others += 1,
        }
    }
    (found, others)
}

#[test]
fn a_smaller_depth_of_a_finished_url_is_sent_on_and_no_url_is_fetched_again() {
    let mut worker = Worker::new(1, 1);
    let there = format!("https://{}/there", foreign_host());
    let mut last = 0;
    let recorder = worker.world.recorder();
    let links = ["https://h/known", "https://h/left"].map(|url| Discovered { depth: 9, ..link(url) });
    let queued = recorder.books.store_mut().discover(&links).unwrap();
    let outlinks = [
        Discovered {
            depth: 10,
            host: foreign_host(),
            ..link(&there)
        },
        Discovered {
            depth: 10,
            ..link("https://h/behind")
        },
    ];
    let judge = &mut *recorder.judge;
    recorder.books.finish(judge, &queued[0], failed(), &outlinks).unwrap();
    let left = Outcome::Excluded {
        reason: FETCHED_ELSEWHERE.to_owned(),
    };
    recorder.books.store_mut().finish(&queued[1], left, &[]).unwrap();
    assert_eq!(letters_since(&mut worker, &mut last).0, [(there.clone(), 10)]);

    let lower = |worker: &mut Worker, depth| {
        let urls = ["https://h/known", "https://h/left", "https://h/nobody-told-me"].map(|url| at_depth(url, depth));
        let urls = urls.to_vec();
        let queued = arrived(worker.world.hear(FromDesk::Lowered { urls, number: 1 }));
        assert_eq!(queued.len(), 0, "{queued:?}");
    };
    for (depth, sent) in [(5, Some(6)), (7, None), (2, Some(3)), (2, None), (0, Some(1))] {
        lower(&mut worker, depth);
        let found: Vec<(String, u16)> = sent.map(|depth| (there.clone(), depth)).into_iter().collect();
        assert_eq!(letters_since(&mut worker, &mut last), (found, 0), "at depth {depth}");
    }
    let store = worker.world.recorder().books.store_mut();
    let state = |url| store.latest_state("h", url).unwrap();
    assert!(state("https://h/nobody-told-me").is_none());
    assert!(matches!(
        state("https://h/left"),
        Some(UrlState::Excluded { reason }) if reason == FETCHED_ELSEWHERE
    ));
}

#[test]
fn a_depth_that_sinks_while_the_run_ends_is_sent_on() {
    let mut worker = Worker::new(1, 1);
    let there = format!("https://{}/there", foreign_host());
    let mut last = 0;
    let recorder = worker.world.recorder();
    let known = Discovered {
        depth: 9,
        ..link("https://h/known")
    };
    let queued = recorder.books.store_mut().discover(&[known]).unwrap();
    let outlink = Discovered {
        depth: 10,
        host: foreign_host(),
        ..link(&there)
    };
    let judge = &mut *recorder.judge;
    recorder.books.finish(judge, &queued[0], failed(), &[outlink]).unwrap();
    assert_eq!(letters_since(&mut worker, &mut last).0, [(there.clone(), 10)]);

    let urls = vec![at_depth("https://h/known", 3)];
    worker.world.says_last(FromDesk::Lowered { urls, number: 1 });
    worker.world.recorder().end_post().unwrap();
    assert_eq!(letters_since(&mut worker, &mut last).0, [(there, 4)]);
}

#[test]
fn of_the_rows_of_a_waiting_url_the_smallest_depth_counts() {
    let mut worker = Worker::new(1, 1);
    let urls = [
        ("a", 7),
        ("a", 3),
        ("a", 5),
        ("b", UNKNOWN_DEPTH),
        ("c", 4),
        ("c", UNKNOWN_DEPTH),
    ];
    let urls = urls.map(|(name, depth)| at_depth(&format!("https://h/{name}"), depth));
    let urls = urls.to_vec();
    let queued = arrived(worker.world.hear(FromDesk::Arrived { urls, number: 1 }));
    let depths: Vec<(&str, u16)> = queued
        .iter()
        .map(|queued| (queued.url.as_str(), queued.depth))
        .collect();
    assert_eq!(depths, [("https://h/a", 3), ("https://h/b", 1), ("https://h/c", 4)]);
}
