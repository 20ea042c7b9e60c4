//! What a worker does with the kept pages of its folder when the servers have lost the crawl.

use std::collections::BTreeSet;

use fleet::{PageId, UrlHash};

use super::by_log::{Log, Worker, link};
use super::*;
use crate::fleet::letter::Mail;
use crate::fleet::messages::FromDesk;

/// Own claims on their way at most.
const WINDOW: usize = 2;

fn depth_of(base: u64) -> u16 {
    3 + base as u16
}

/// A worker that keeps a page of each text, whose claims have come back, and whose servers then lose the crawl.
fn lost(has_log: bool) -> (Worker, BTreeSet<u64>) {
    let mut one = Worker::that(has_log, 1, 1);
    for base in 0..BASES {
        let url = format!("https://h/{base}");
        let store = one.world.recorder().books.store_mut();
        let link = Discovered {
            depth: depth_of(base),
            ..link(&url)
        };
        let queued = store.discover(&[link]).unwrap().remove(0);
        one.world.texts.insert(url, base * VARIANTS);
        let page = one.world.page(queued);
        one.world.record(page);
    }
    comes_back(&mut one, &mut Log::new());
    let kept = one.kept();
    assert_eq!(kept.len() as u64, BASES);
    let desk = one.world.desk.as_mut().unwrap();
    (desk.restores, desk.window) = (true, WINDOW);
    one.world.open();
    (one, kept)
}

/// The claims in the outbox go out and come back. Returns their number.
fn comes_back(one: &mut Worker, log: &mut Log) -> usize {
    one.world.recorder().commit().unwrap();
    let letters = one.outbox();
    let claims = letters.iter().filter_map(|(_, letter)| match Mail::read(letter)? {
        Mail::Claim(claim) => Some(claim.page),
        Mail::Digest(claim) => Some(claim.page),
        _ => None,
    });
    let pages: Vec<u64> = claims.collect();
    let me = one.me;
    let keeper = |sequence| PageId { worker: me, sequence };
    let has_log = one.world.desk.as_ref().unwrap().has_log;
    let last = one.send(log);
    if !has_log {
        let answers = pages.iter().map(|page| (*page, keeper(*page))).collect();
        one.world.hear(FromDesk::Claimed(answers));
    }
    one.world.hear(FromDesk::Sent(last));
    if has_log {
        one.read(log, usize::MAX);
        one.world.log_is_read();
    }
    one.world.recorder().commit().unwrap();
    pages.len()
}

#[test]
fn the_kept_pages_of_a_folder_are_claimed_some_at_a_time() {
    for has_log in [true, false] {
        let (mut one, kept) = lost(has_log);
        let mut log = Log::new();
        let mut claimed = Vec::new();
        while !one.world.is_back() {
            claimed.push(comes_back(&mut one, &mut log));
            assert!(claimed.len() < 20, "it is never back: {claimed:?}");
            // Killed at any place, it begins anew.
            if claimed.len() == 3 {
                one.world.open();
            }
        }
        assert!(claimed.iter().all(|claims| *claims <= WINDOW), "{claimed:?}");
        assert_eq!(one.kept(), kept, "has_log: {has_log}");
        let recorder = one.world.recorder();
        assert_eq!(recorder.judge.dedup().index().len().unwrap(), kept.len());
        if has_log {
            let in_log: BTreeSet<u64> = log.iter().map(|(_, entry)| entry.page.packed()).collect();
            assert_eq!(in_log, kept);
        }
    }
}

#[test]
fn finished_urls_come_back_with_their_depths() {
    let (one, _) = lost(true);
    let mut finished = one.world.desk.unwrap().finished;
    finished.sort_unstable();
    let mut expected: Vec<_> = (0..BASES)
        .map(|base| (UrlHash::of(&format!("https://h/{base}")), Some(depth_of(base))))
        .collect();
    expected.sort_unstable();
    assert_eq!(finished, expected);
}
