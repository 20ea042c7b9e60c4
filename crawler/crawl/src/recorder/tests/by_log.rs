//! The recorders of several workers, with one log of claims that a fake desk carries. Kills come between any two commits, and between
//! the catalogue's commit and the index's.

use std::collections::{BTreeMap, BTreeSet};

use dedup::{DocId, MemoryIndex, Signature};
use fleet::{Entry, Epoch, PageId, Position, UrlHash, WaitingUrl, WorkerNumber};
use storage::{FETCHED_ELSEWHERE, Findings, KeptElsewhere, Letter, PageElsewhere};

use super::fake_desk::{HOST, arrived};
use super::*;
use crate::fleet::letter::Mail;
use crate::fleet::messages::FromDesk;

pub(super) type Log = Vec<(Position, Entry)>;

pub(super) struct Worker {
    pub(super) world: World,
    pub(super) me: WorkerNumber,
}

impl Worker {
    pub(super) fn new(number: u16, seed: u64) -> Self {
        Self::that(true, number, seed)
    }

    /// A worker that decides by the log, or by the table of digests.
    pub(super) fn that(has_log: bool, number: u16, seed: u64) -> Self {
        let me = WorkerNumber(number);
        let mut desk = FakeDesk::new(me);
        desk.has_log = has_log;
        Self {
            world: World::with_desk(seed, Some(desk)),
            me,
        }
    }

    /// Ends without a word. What is not committed is lost.
    pub(super) fn is_killed(&mut self) {
        self.world.open();
        self.assert_index_has_rows();
        // A URL that was lost with the commit is found again.
        let texts: Vec<String> = self.world.texts.keys().cloned().collect();
        let links: Vec<Discovered> = texts.into_iter().map(|url| link(&url)).collect();
        self.world.recorder().books.store_mut().discover(&links).unwrap();
        self.fetch_queued();
    }

    /// Fetches everything in the queue of the store, also what was in process.
    pub(super) fn fetch_queued(&mut self) {
        self.world.recorder().books.store_mut().commit().unwrap();
        let queued: Vec<QueuedUrl> = self
            .world
            .recorder()
            .books
            .store_mut()
            .queue()
            .urls()
            .map(Result::unwrap)
            .collect();
        for queued in queued {
            let page = self.world.page(queued);
            self.world.record(page);
        }
    }

    /// What the desk does: claims go into the log. Returns the last row.
    pub(super) fn send(&mut self, log: &mut Log) -> u64 {
        let letters = self.outbox();
        let last = letters.last().map_or(0, |(row, _)| *row);
        for (_, letter) in letters {
            if let Some(Mail::Claim(claim)) = Mail::read(&letter) {
                let page = PageId {
                    worker: self.me,
                    sequence: claim.page,
                };
                let at = Position(log.len() as u64 + 1, 0);
                let (url, signature) = (claim.url, claim.signature);
                log.push((at, Entry { page, url, signature }));
            }
        }
        last
    }

    /// The letters that are committed and have not arrived.
    pub(super) fn outbox(&mut self) -> Vec<(u64, Letter)> {
        let store = self.world.recorder().books.store_mut();
        store.outbox().letters(0, usize::MAX).unwrap()
    }

    pub(super) fn read(&mut self, log: &Log, at_most: usize) {
        let at = self.world.position();
        let news = log.iter().filter(|(position, _)| *position > at).take(at_most).cloned();
        self.world.hear(FromDesk::Log(news.collect()));
    }

    /// Asserts that the index holds no page of another worker without the row about it.
    fn assert_index_has_rows(&mut self) {
        let me = self.me.0;
        let recorder = self.world.recorder();
        let mut indexed = Vec::new();
        recorder
            .judge
            .dedup()
            .index()
            .for_each_id(|id| indexed.push(id.0))
            .unwrap();
        for id in indexed {
            let is_elsewhere = PageElsewhere::unpacked(id).is_some_and(|page| page.worker != me);
            if is_elsewhere {
                let record = recorder.books.store_mut().pages_elsewhere().page(id).unwrap().unwrap();
                let signature = recorder.judge.dedup().index().signature(DocId(id)).unwrap();
                assert_eq!(signature, Some(decode_signature(&record.signature).unwrap()));
            }
        }
    }

    pub(super) fn kept(&self) -> BTreeSet<u64> {
        let pages = self.world.pages().into_iter().filter(|(_, page)| page.is_kept());
        pages
            .map(|(sequence, _)| {
                PageId {
                    worker: self.me,
                    sequence,
                }
                .packed()
            })
            .collect()
    }
}

pub(super) fn link(url: &str) -> Discovered {
    Discovered {
        url: url.to_owned(),
        host: HOST.into(),
        ..Discovered::default()
    }
}

/// The pages that one pass over the log keeps, with their signatures.
pub(super) fn pass(log: &Log, settings: &Settings) -> BTreeMap<u64, Signature> {
    let index = MemoryIndex::new(&settings.rule).unwrap();
    let alone = Deduplicator::new(index, settings.rule.clone()).unwrap();
    let mut kept = BTreeMap::new();
    for (_, entry) in log {
        let (id, signature) = (entry.page.packed(), decode_signature(&entry.signature).unwrap());
        if alone.check(&signature).unwrap() == dedup::Verdict::Unique {
            alone.insert(DocId(id), &signature).unwrap();
            kept.insert(id, signature);
        }
    }
    kept
}

/// What the log says of a page.
fn record_in(log: &Log, id: u64) -> KeptElsewhere {
    let (_, entry) = log.iter().find(|(_, entry)| entry.page.packed() == id).unwrap();
    KeptElsewhere {
        url: entry.url.clone(),
        signature: entry.signature.clone(),
    }
}

fn run(seed: u64) -> (usize, usize) {
    let mut random = fastrand::Rng::with_seed(seed);
    let mut workers: Vec<Worker> = (1..=3).map(|n| Worker::new(n, 100 * seed + u64::from(n))).collect();
    let mut log = Log::new();
    for _ in 0..90 {
        let at = random.usize(0..workers.len());
        let worker = &mut workers[at];
        match random.u8(0..12) {
            0 => worker.is_killed(),
            1 => {
                worker.world.recorder().books.store_mut().commit().unwrap();
                // The catalogue is durable, the index is not.
                worker.is_killed();
            }
            2 => {
                worker.send(&mut log);
                // The claims are in the log, and the outbox does not know it.
                worker.is_killed();
            }
            3 | 4 => {
                let last = worker.send(&mut log);
                worker.world.hear(FromDesk::Sent(last));
            }
            5 => worker.world.recorder().commit().unwrap(),
            6 | 7 => worker.read(&log, random.usize(0..4)),
            _ if worker.world.texts.len() < URLS => worker.world.discover(),
            _ => {}
        }
    }
    for _ in 0..12 {
        for worker in &mut workers {
            worker.world.recorder().commit().unwrap();
            let last = worker.send(&mut log);
            worker.world.hear(FromDesk::Sent(last));
        }
        workers.iter_mut().for_each(|worker| worker.read(&log, usize::MAX));
    }
    let expected = pass(&log, &workers[0].world.settings);
    let (mut yielded, mut elsewhere) = (0, 0);
    for worker in &mut workers {
        assert_eq!(worker.world.letters(), 0);
        let recorder = worker.world.recorder();
        recorder.commit().unwrap();
        recorder.commit().unwrap();
        assert!(recorder.books.store().outbox().is_empty());
        assert_eq!(recorder.books.store_mut().catalogue().departed().unwrap(), [0; 0]);
        assert_eq!(recorder.judge.dedup().index().len().unwrap(), expected.len());
        for (id, signature) in &expected {
            assert_eq!(
                recorder.judge.dedup().index().signature(DocId(*id)).unwrap().as_ref(),
                Some(signature)
            );
        }
        let pages_elsewhere: BTreeMap<u64, KeptElsewhere> = recorder
            .books
            .store_mut()
            .pages_elsewhere()
            .all()
            .map(|row| row.map(|(page, record)| (page.packed(), record)).unwrap())
            .collect();
        let counts = recorder.books.store_mut().counts();
        assert_eq!(counts.queued, 0, "nothing waits for ever, seed {seed}");
        assert_eq!(counts.discovered, worker.world.texts.len() as u64);
        let me = worker.me.0;
        let own = expected
            .keys()
            .filter(|id| PageElsewhere::unpacked(**id).is_some_and(|page| page.worker == me));
        assert_eq!(worker.kept(), own.copied().collect(), "worker {me}, seed {seed}");
        let others = expected
            .iter()
            .filter(|(id, _)| PageElsewhere::unpacked(**id).is_some_and(|page| page.worker != me));
        let others: BTreeMap<u64, KeptElsewhere> = others.map(|(id, _)| (*id, record_in(&log, *id))).collect();
        assert_eq!(pages_elsewhere, others, "worker {me}, seed {seed}");
        let store = worker.world.recorder.as_ref().unwrap().books.store();
        for (sequence, page) in worker.world.pages() {
            let Some(of) = page.verdict.of() else { continue };
            let packed = PageId {
                worker: worker.me,
                sequence: of,
            }
            .packed();
            let of = if page.verdict.of_elsewhere().is_some() {
                of
            } else {
                packed
            };
            assert!(
                expected.contains_key(&of),
                "page {sequence} is a duplicate of a kept page"
            );
            yielded += usize::from(page.response.is_some());
            elsewhere += usize::from(page.verdict.of_elsewhere().is_some());
            let text = text_of(worker.world.texts[&page.url]);
            assert_eq!(
                store.text_of(&page).unwrap(),
                Some(text),
                "its text needs no other folder"
            );
        }
        let mut found = Vec::new();
        let mut tell = |finding| found.push(finding);
        storage::verify(store, &mut Findings::new(&mut tell, &mut |_| ())).unwrap();
        assert_eq!(found, []);
    }
    let texts: BTreeSet<Option<u128>> = expected.values().map(|one| one.digest.map(|digest| digest.0)).collect();
    assert_eq!(texts.len(), expected.len(), "no text is kept twice");
    (yielded, elsewhere)
}

#[test]
fn killed_workers_keep_the_pages_of_one_pass_over_the_log() {
    many_yield(run);
}

/// Runs with eight seeds. A run returns how many pages yielded, and how many are duplicates of other workers' pages: there must be many of both.
pub(super) fn many_yield(run: impl Fn(u64) -> (usize, usize)) {
    let (mut yielded, mut elsewhere) = (0, 0);
    for seed in 0..8 {
        let (more, others) = run(seed);
        yielded += more;
        elsewhere += others;
    }
    assert!(
        yielded > 5 && elsewhere > 10,
        "{yielded} yielded, {elsewhere} of other workers"
    );
}

#[test]
fn what_waits_on_the_servers_and_is_finished_here_is_reported_again() {
    let mut worker = Worker::new(1, 1);
    let links = ["https://h/gone", "https://h/left", "https://h/waits"].map(link);
    let queued = worker.world.recorder().books.store_mut().discover(&links).unwrap();
    let outcomes = [
        Outcome::Failed {
            kind: "http_404".to_owned(),
            status: Some(404),
            detail: String::new(),
        },
        Outcome::Excluded {
            reason: FETCHED_ELSEWHERE.to_owned(),
        },
    ];
    for (queued, outcome) in queued.iter().zip(outcomes) {
        worker
            .world
            .recorder()
            .books
            .store_mut()
            .finish(queued, outcome, &[])
            .unwrap();
    }
    worker.world.recorder().commit().unwrap();
    let last = worker.send(&mut Log::new());
    worker.world.hear(FromDesk::Sent(last));

    let urls = links.map(|link| WaitingUrl {
        url: link.url,
        depth: 1,
        redirects: 0,
        priority: 0,
        is_seed: false,
    });
    let urls = urls.to_vec();
    let again = arrived(worker.world.hear(FromDesk::Arrived { urls, number: 1 }));
    let again: Vec<&str> = again.iter().map(|queued| queued.url.as_str()).collect();
    assert_eq!(again, ["https://h/left"], "this worker is the one to fetch it now");
    worker.world.recorder().commit().unwrap();
    let letters = worker
        .world
        .recorder()
        .books
        .store_mut()
        .outbox()
        .letters(last, usize::MAX)
        .unwrap();
    let done = letters.iter().filter_map(|(_, letter)| match Mail::read(letter)? {
        Mail::Done(done) => Some((done.url, done.epoch, done.page)),
        _ => None,
    });
    let gone = UrlHash::of("https://h/gone").0;
    assert_eq!(done.collect::<Vec<_>>(), [(gone, Some(Epoch(1)), None)]);
}

#[test]
fn a_refused_page_is_withdrawn_and_the_page_that_waited_for_it_is_decided() {
    let mut worker = Worker::new(1, 1);
    for (path, text) in [("0", 0), ("1", 1)] {
        let url = format!("https://h/{path}");
        let queued = worker
            .world
            .recorder()
            .books
            .store_mut()
            .discover(&[link(&url)])
            .unwrap()
            .remove(0);
        worker.world.texts.insert(url, text);
        let page = worker.world.page(queued);
        worker.world.record(page);
    }
    worker.world.recorder().commit().unwrap();
    assert_eq!(worker.world.pages().len(), 1, "the second page waits");
    let refused = |pages: &[u64]| FromDesk::Refused {
        pages: pages.to_vec(),
        number: 1,
    };
    let decided = |events: &[Event]| {
        events
            .iter()
            .filter(|event| matches!(event, Event::Decided { .. }))
            .count()
    };
    let events = worker.world.hear(refused(&[1]));
    assert_eq!(decided(&events), 1, "its ticket ends");
    let again = arrived(events);
    assert_eq!(
        again.len(),
        1,
        "this worker has the partition, and fetches the refused page again"
    );
    // The desk drops the claim with the refused outcome.
    worker.world.hear(FromDesk::Sent(1));
    worker.world.recorder().commit().unwrap();
    let pages = worker.world.pages();
    assert_eq!((pages[0].1.fate, pages[1].1.is_kept()), (Fate::Moved, true));

    // A page that the log has is not withdrawn: other pages may be duplicates of it.
    let mut log = Log::new();
    worker.send(&mut log);
    worker.read(&log, usize::MAX);
    let events = worker.world.hear(refused(&[2]));
    assert!(decided(&events) == 0 && arrived(events).is_empty());
    worker.world.recorder().commit().unwrap();
    assert_eq!(worker.kept().len(), 1);
}

#[test]
fn the_pages_of_a_rebuilt_folder_that_the_log_does_not_have_are_claimed_again() {
    for is_lost in [false, true] {
        rebuild_and_join(is_lost);
    }
}

fn rebuild_and_join(is_lost: bool) {
    let mut worker = Worker::new(1, 3);
    (0..8).for_each(|_| worker.world.discover());
    worker.world.recorder().commit().unwrap();
    let mut log = Log::new();
    for _ in 0..4 {
        let last = worker.send(&mut log);
        worker.world.hear(FromDesk::Sent(last));
        worker.read(&log, usize::MAX);
        worker.world.recorder().commit().unwrap();
    }
    let kept = worker.kept();
    assert_eq!(worker.world.position(), Position(log.len() as u64, 0));
    worker.world.recorder = None;
    let rebuild = storage::Rebuild::begin(worker.world.dir.path(), &OpenOptions::existing(), &mut |_| ()).unwrap();
    rebuild.finish(&mut |_| ()).unwrap();
    worker.world.open();
    assert_eq!(worker.world.position(), Position::default());
    let lost = is_lost.then(|| log.pop().unwrap());
    worker.read(&log, usize::MAX);
    assert!(worker.world.log_is_read().is_empty());
    worker.world.recorder().commit().unwrap();
    let before = log.len();
    let last = worker.send(&mut log);
    worker.world.hear(FromDesk::Sent(last));
    assert_eq!(log.len() - before, usize::from(is_lost));
    worker.read(&log, usize::MAX);
    worker.world.recorder().commit().unwrap();
    assert_eq!(worker.world.letters(), 0);
    assert_eq!(worker.kept(), kept);
    assert_eq!(
        log.last().map(|(_, entry)| &entry.page),
        lost.as_ref().or(log.last()).map(|(_, entry)| &entry.page)
    );
}
