//! The recorders of several workers while the log of claims is shortened, and after the servers have lost the end of it.

use std::collections::BTreeSet;

use dedup::DocId;
use fleet::{Judged, Position, Segment};
use tokio::sync::oneshot;

use super::by_log::{Log, Worker, link, pass};
use super::*;
use crate::fleet::messages::FromDesk;

/// What has left the log.
#[derive(Default)]
struct Segments {
    all: Vec<Segment>,
    trimmed: Position,
}

impl Segments {
    /// The worker writes the next segment, of at most so many entries.
    fn write(&mut self, log: &Log, worker: &mut Worker, at_most: usize) {
        let covered = self.all.last().map_or(Position::default(), |last| last.end);
        let applied = worker.world.position();
        let behind = log
            .iter()
            .filter(|(position, _)| *position > covered && *position <= applied);
        let entries: Vec<_> = behind.take(at_most).cloned().collect();
        let Some((end, _)) = entries.last().cloned() else {
            return;
        };
        let ids: Vec<_> = entries.iter().map(|(_, entry)| entry.page).collect();
        let (answer, mut judged) = oneshot::channel();
        let pages = ids.clone();
        worker.world.hear(FromDesk::Judge { pages, end, answer });
        let (answer, mut unjudged) = oneshot::channel();
        let beyond = Position(u64::MAX, 0);
        worker.world.hear(FromDesk::Judge {
            pages: ids,
            end: beyond,
            answer,
        });
        assert!(unjudged.try_recv().is_err(), "the log is not applied so far");
        let kept = judged.try_recv().unwrap();
        let pages = entries.into_iter().zip(kept).map(|((_, entry), is_kept)| {
            if is_kept {
                Judged::Kept(entry)
            } else {
                Judged::Dropped(entry.page)
            }
        });
        self.all.push(Segment {
            end,
            pages: pages.collect(),
        });
        self.trimmed = end;
    }

    /// The worker reads what has left the log, and then the log.
    fn read(&self, log: &Log, worker: &mut Worker, at_most: usize) -> usize {
        let mut read = 0;
        loop {
            let position = worker.world.position();
            if position >= self.trimmed {
                break;
            }
            let segment = self.all.iter().find(|segment| segment.end > position).unwrap();
            worker.world.hear(FromDesk::Segment(segment.clone()));
            read += 1;
        }
        worker.read(log, at_most);
        read
    }
}

fn commit_and_send(worker: &mut Worker, log: &mut Log) {
    worker.world.recorder().commit().unwrap();
    let last = worker.send(log);
    worker.world.hear(FromDesk::Sent(last));
    worker.world.recorder().commit().unwrap();
}

/// Reads the log to its end, and fetches what is to be fetched again. Returns how many pages that are.
fn read_and_fetch(worker: &mut Worker, log: &Log) -> usize {
    worker.read(log, usize::MAX);
    let again = worker.world.log_is_read();
    worker.world.recorder().commit().unwrap();
    let fetched = again.len();
    for queued in again {
        let page = worker.world.page(queued);
        worker.world.record(page);
    }
    fetched
}

/// All workers keep what one pass over the log keeps, and every duplicate repeats such a page.
fn assert_agreed(workers: &mut [Worker], log: &Log, seed: u64) {
    let expected = pass(log, &workers[0].world.settings);
    let mut kept = BTreeSet::new();
    for worker in workers {
        assert_eq!(worker.world.letters(), 0, "seed {seed}");
        let recorder = worker.world.recorder();
        recorder.commit().unwrap();
        assert!(recorder.books.store().outbox().is_empty());
        assert_eq!(
            recorder.judge.dedup().index().len().unwrap(),
            expected.len(),
            "seed {seed}"
        );
        for (id, signature) in &expected {
            let found = recorder.judge.dedup().index().signature(DocId(*id)).unwrap();
            assert_eq!(found.as_ref(), Some(signature));
        }
        for (sequence, page) in worker.world.pages() {
            let (Some(of), Fate::Current) = (page.verdict.of(), page.fate) else {
                continue;
            };
            let of = match page.verdict.of_elsewhere() {
                Some(_) => of,
                None => fleet::PageId {
                    worker: worker.me,
                    sequence: of,
                }
                .packed(),
            };
            assert!(
                expected.contains_key(&of),
                "page {sequence} of {:?} repeats a kept page, seed {seed}",
                worker.me
            );
        }
        kept.extend(worker.kept());
    }
    let expected: BTreeSet<u64> = expected.into_keys().collect();
    assert_eq!(kept, expected, "seed {seed}");
}

#[test]
fn killed_workers_that_find_the_log_shortened_keep_the_pages_of_one_pass_over_it() {
    let mut read = 0;
    for seed in 0..4 {
        let mut random = fastrand::Rng::with_seed(seed);
        let mut workers: Vec<Worker> = (1..=3).map(|n| Worker::new(n, 100 * seed + u64::from(n))).collect();
        let (mut log, mut segments) = (Log::new(), Segments::default());
        for step in 0..120 {
            if step == 80 {
                workers.push(Worker::new(4, 100 * seed + 4)); // it joins late
            }
            let at = random.usize(0..workers.len());
            let worker = &mut workers[at];
            match random.u8(0..12) {
                0 => worker.is_killed(),
                1 => {
                    worker.world.recorder().books.store_mut().commit().unwrap();
                    // The catalogue is durable, the index is not.
                    worker.is_killed();
                }
                2 | 3 => commit_and_send(worker, &mut log),
                4 => worker.world.recorder().commit().unwrap(),
                5 => segments.write(&log, worker, random.usize(1..10)),
                // The first worker sleeps most of the time.
                6 | 7 if at > 0 || step % 40 == 0 => read += segments.read(&log, worker, random.usize(0..6)),
                _ if worker.world.texts.len() < URLS => worker.world.discover(),
                _ => {}
            }
        }
        for _ in 0..12 {
            workers.iter_mut().for_each(|worker| commit_and_send(worker, &mut log));
            for worker in &mut workers {
                segments.read(&log, worker, usize::MAX);
            }
        }
        assert_agreed(&mut workers, &log, seed);
    }
    assert!(read > 8, "{read} segments read");
}

#[test]
fn verdicts_that_rest_on_lost_entries_of_the_log_are_made_again() {
    let (mut lost_entries, mut made_again) = (0, 0);
    for seed in 0..8 {
        let mut workers: Vec<Worker> = (1..=3).map(|n| Worker::new(n, 100 * seed + u64::from(n))).collect();
        let mut log = Log::new();
        for round in 0..6 {
            for worker in &mut workers {
                (0..3).for_each(|_| worker.world.discover());
                commit_and_send(worker, &mut log);
            }
            // The third worker has read nothing of what will be lost.
            let readers = if round < 3 { 3 } else { 2 };
            workers[..readers]
                .iter_mut()
                .for_each(|worker| worker.read(&log, usize::MAX));
        }
        // A server without a replica dies. What is appended later has later positions.
        let keeps = log.len() - log.len() / 3;
        lost_entries += log.len() - keeps;
        let end = log.last().unwrap().0;
        log.truncate(keeps);
        let append = |worker: &mut Worker, log: &mut Log| {
            let before = log.len();
            commit_and_send(worker, log);
            for (behind, (position, _)) in (1..).zip(&mut log[before..]) {
                *position = Position(end.0 + before as u64 + behind, 0);
            }
        };
        // The second worker is the first that sees it: the pages of the first one are not in the log then.
        for at in [1, 2, 0] {
            let worker = &mut workers[at];
            if worker.world.position() > log[keeps - 1].0 {
                worker.world.hear(FromDesk::LogLost);
            }
            for _ in 0..30 {
                made_again += read_and_fetch(worker, &log);
                append(worker, &mut log);
            }
        }
        for _ in 0..25 {
            for worker in &mut workers {
                made_again += read_and_fetch(worker, &log);
                append(worker, &mut log);
            }
        }
        assert_agreed(&mut workers, &log, seed);
    }
    assert!(
        lost_entries > 10 && made_again > 10,
        "{lost_entries} lost, {made_again} fetched again"
    );
}

#[test]
fn a_claim_that_does_not_come_back_is_sent_again() {
    let mut worker = Worker::new(1, 1);
    let queued = worker
        .world
        .recorder()
        .books
        .store_mut()
        .discover(&[link("https://h/0")])
        .unwrap()
        .remove(0);
    worker.world.texts.insert("https://h/0".to_owned(), 0);
    let page = worker.world.page(queued);
    worker.world.record(page);
    let mut log = Log::new();
    commit_and_send(&mut worker, &mut log);
    // A server that took over does not count the entry.
    assert_eq!(log.len(), 1);
    log.clear();
    for times in 0..30 {
        worker.world.log_is_read();
        if !worker.world.recorder().books.store_mut().outbox().is_empty() {
            assert!(times > 16, "messages of the desk may have been under way");
            break;
        }
    }
    commit_and_send(&mut worker, &mut log);
    assert_eq!(log.len(), 1);
    worker.read(&log, usize::MAX);
    assert_eq!(worker.world.letters(), 0);
    assert!(worker.world.log_is_read().is_empty());
}
