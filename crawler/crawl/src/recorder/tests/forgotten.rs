//! What a worker does where the log forgets another worker.

use fleet::{Entry, Judged, PageId, Position, Segment, WorkerNumber};

use super::by_log::{Log, Worker, link};
use super::*;
use crate::fleet::letter::Mail;
use crate::fleet::messages::FromDesk;

const LOST: WorkerNumber = WorkerNumber(2);

impl Worker {
    /// Fetches a page with this text.
    fn fetches(&mut self, url: &str, text: u64) {
        let store = self.world.recorder().books.store_mut();
        let queued = store.discover(&[link(url)]).unwrap().remove(0);
        self.world.texts.insert(url.to_owned(), text);
        let page = self.world.page(queued);
        self.world.record(page);
        self.world.recorder().commit().unwrap();
    }

    /// The URLs that it asks the fleet to fetch again, each with the worker whose page is lost, if it is the URL of such a page.
    fn asks_again(&mut self) -> Vec<(String, Option<WorkerNumber>)> {
        let letters = self.world.recorder().books.store().outbox().letters(0, usize::MAX);
        let again = letters
            .unwrap()
            .into_iter()
            .filter_map(|(_, letter)| match Mail::read(&letter)? {
                Mail::Again(again) => Some((again.url.url, again.lost)),
                _ => None,
            });
        let mut again: Vec<_> = again.collect();
        again.sort();
        again.dedup();
        again
    }

    fn rows_of_others(&mut self) -> usize {
        self.world.recorder().books.store().pages_elsewhere().all().count()
    }
}

#[test]
fn the_duplicates_of_a_lost_page_and_the_page_itself_are_asked_for_again() {
    for (is_killed, is_segment) in [(false, false), (true, false), (false, true), (true, true)] {
        let (mut one, mut lost) = (Worker::new(1, 1), Worker::new(LOST.0, 1));
        let mut log = Log::new();
        lost.fetches("https://h/0", 0);
        lost.send(&mut log);
        one.fetches("https://h/own", 7);
        one.send(&mut log);
        one.read(&log, usize::MAX);
        one.fetches("https://h/1", 1);
        one.world.recorder().commit().unwrap();
        let pages = one.world.pages();
        let of = PageId {
            worker: LOST,
            sequence: 1,
        };
        assert_eq!(pages[1].1.verdict.of(), Some(of.packed()), "a near-duplicate");
        assert_eq!((one.kept().len(), one.rows_of_others()), (1, 1));

        let end = Position(log.len() as u64 + 1, 0);
        let entry = Entry::that_forgets(LOST);
        let hear = |one: &mut Worker| {
            one.world.hear(if is_segment {
                let pages = vec![Judged::Kept(entry.clone())];
                FromDesk::Segment(Segment { end, pages })
            } else {
                FromDesk::Log(vec![(end, entry.clone())])
            });
        };
        hear(&mut one);
        if is_killed {
            // The entry comes again. What it has staged is lost with the process.
            one.is_killed();
            hear(&mut one);
        }
        one.world.recorder().commit().unwrap();
        assert_eq!(one.world.position(), end);
        let url = |number| format!("https://h/{number}");
        assert_eq!(one.asks_again(), [(url(0), Some(LOST)), (url(1), None)]);
        assert_eq!(one.world.pages()[1].1.fate, Fate::Moved);
        assert_eq!(one.kept().len(), 1, "its own page stays");
        // The rows leave when the index is durable.
        one.world.log_is_read();
        one.world.recorder().commit().unwrap();
        assert_eq!(one.rows_of_others(), 0);
        let recorder = one.world.recorder();
        assert_eq!(recorder.judge.dedup().index().len().unwrap(), 1);
    }
}
