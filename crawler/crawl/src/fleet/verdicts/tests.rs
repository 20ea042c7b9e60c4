//! Several workers and one log: whatever the order in which they fetch, claim, read the log, crash and are refused, all keep the same pages,
//! which are those of one pass over the log. So do workers that find the beginning of the log in segments, because they join late or sleep.

mod forgotten;

use std::collections::{BTreeMap, BTreeSet, VecDeque};

use dedup::{Analyzer, Scheme};
use fleet::{Entry, Segment};
use storage::PageElsewhere;

use super::*;
use crate::index::{decode_signature, encode_signature};

/// Different texts, each in variants that are nearly the same. The first two variants are equal.
const BASES: u64 = 6;
const VARIANTS: u64 = 5;

type Log = Deduplicator<MemoryIndex>;
type Claim = (Position, PageId, Vec<u8>);

struct Texts {
    rule: DuplicateRule,
    signatures: Vec<Signature>,
    /// The pairs of duplicates.
    duplicates: BTreeSet<(u64, u64)>,
}

impl Texts {
    fn new() -> Self {
        let analyzer = Analyzer::new(&Scheme::default());
        let text_of = |number: u64| {
            let (base, variant) = (number / VARIANTS, (number % VARIANTS).saturating_sub(1));
            let mut random = fastrand::Rng::with_seed(base);
            let mut words: Vec<String> = (0..150).map(|_| (0..7).map(|_| random.lowercase()).collect()).collect();
            for place in 0..2 * variant as usize {
                words[100 + place] = format!("altered{variant}");
            }
            words.join(" ")
        };
        let mut texts = Self {
            rule: DuplicateRule::default(),
            signatures: (0..BASES * VARIANTS).map(|n| analyzer.analyze(&text_of(n))).collect(),
            duplicates: BTreeSet::new(),
        };
        for (one, signature) in (0..).zip(&texts.signatures) {
            let alone = texts.empty();
            alone.insert(DocId(1), signature).unwrap();
            let others = (0..).zip(&texts.signatures);
            let others = others.filter(|(_, other)| alone.check(other).unwrap() != dedup::Verdict::Unique);
            texts.duplicates.extend(others.map(|(other, _)| (one, other)));
        }
        texts
    }

    fn empty(&self) -> Log {
        Deduplicator::new(MemoryIndex::new(&self.rule).unwrap(), self.rule.clone()).unwrap()
    }

    fn are_duplicates(&self, one: u64, other: u64) -> bool {
        self.duplicates.contains(&(one, other))
    }
}

/// What has left the log.
#[derive(Default)]
struct Segments {
    all: Vec<Segment>,
    /// Up to here, the log is trimmed.
    trimmed: Position,
}

impl Segments {
    /// A worker writes the next segment, and the log is trimmed up to some segment's end.
    fn write(&mut self, log: &[Claim], worker: &Worker, random: &mut fastrand::Rng) {
        let covered = self.all.last().map_or(Position::default(), |last| last.end);
        let applied = worker.verdicts.position();
        let behind = log
            .iter()
            .filter(|(position, ..)| *position > covered && *position <= applied);
        let claims: Vec<&Claim> = behind.take(random.usize(1..12)).collect();
        let Some((end, ..)) = claims.last() else { return };
        let pages = claims.iter().map(|(_, page, signature)| {
            if keeps(&worker.log, *page).unwrap() {
                Judged::Kept(Entry {
                    page: *page,
                    url: String::new(),
                    signature: signature.clone(),
                })
            } else {
                Judged::Dropped(*page)
            }
        });
        self.all.push(Segment {
            end: *end,
            pages: pages.collect(),
        });
        self.trimmed = self.all[random.usize(0..self.all.len())].end.max(self.trimmed);
    }
}

fn entry((position, page, signature): Claim) -> (Position, Entry) {
    let url = String::new();
    (position, Entry { page, url, signature })
}

/// What a commit makes durable.
#[derive(Clone, Default)]
struct Durable {
    /// Text and verdict of each page.
    pages: BTreeMap<u64, (u64, Verdict)>,
    /// Pages whose claims are not sent.
    outbox: VecDeque<u64>,
    /// Texts of URLs that wait.
    queue: VecDeque<u64>,
}

struct Worker {
    me: WorkerNumber,
    now: Durable,
    committed: Durable,
    log: Log,
    /// The index of the log with its mark, as it was persisted.
    persisted: (MemoryIndex, Option<Vec<u8>>),
    verdicts: Verdicts,
    /// Texts of fetched pages, by the page whose claim they wait for.
    held: Vec<(u64, u64)>,
    next_page: u64,
    waited: usize,
    /// Segments that it has read.
    segments: usize,
}

impl Worker {
    fn new(number: u16, texts: &Texts) -> Self {
        let me = WorkerNumber(number);
        let (verdicts, _) = Verdicts::open(me, None, (Width::W64, &texts.rule)).unwrap();
        Self {
            me,
            now: Durable::default(),
            committed: Durable::default(),
            log: texts.empty(),
            persisted: (MemoryIndex::new(&texts.rule).unwrap(), None),
            verdicts,
            held: Vec::new(),
            next_page: 1,
            waited: 0,
            segments: 0,
        }
    }

    fn fetch(&mut self, texts: &Texts) {
        if let Some(text) = self.now.queue.pop_front() {
            self.decide(text, texts);
        }
    }

    fn decide(&mut self, text: u64, texts: &Texts) {
        let signature = &texts.signatures[text as usize];
        let verdict = match self.verdicts.decide(&self.log, signature).unwrap() {
            Decision::Duplicate(verdict) => verdict,
            Decision::Wait(on) => {
                assert!(self.verdicts.is_claimed(on));
                self.waited += 1;
                return self.held.push((on, text));
            }
            Decision::Keep => {
                self.verdicts.kept(self.next_page, signature).unwrap();
                self.now.outbox.push_back(self.next_page);
                Verdict::Unique
            }
        };
        self.now.pages.insert(self.next_page, (text, verdict));
        self.next_page += 1;
    }

    /// Sends the committed letters, and crashes before it can note that, if `is_cut_off`.
    fn send(&mut self, log: &mut Vec<Claim>, is_cut_off: bool, texts: &Texts) {
        for page in std::mem::take(&mut self.committed.outbox) {
            let (text, _) = self.now.pages[&page];
            let id = PageId {
                worker: self.me,
                sequence: page,
            };
            let signature = encode_signature(&texts.signatures[text as usize]).unwrap();
            log.push((Position(log.len() as u64 / 3 + 1, log.len() as u64 % 3), id, signature));
            if is_cut_off {
                self.committed.outbox.push_back(page);
            } else {
                self.now.outbox.retain(|other| *other != page);
            }
        }
    }

    /// The fleet refuses a committed claim that was never sent: another worker fetches the URL.
    fn is_refused(&mut self, log: &[Claim], texts: &Texts) -> Option<u64> {
        let is_sent = |sequence| {
            let id = PageId {
                worker: self.me,
                sequence,
            };
            log.iter().any(|(_, page, _)| *page == id)
        };
        let at = self.committed.outbox.iter().position(|page| !is_sent(*page))?;
        let page = self.committed.outbox.remove(at)?;
        self.now.outbox.retain(|other| *other != page);
        self.verdicts.forget(page).unwrap();
        let (text, _) = self.now.pages.remove(&page)?;
        self.resolve(&BTreeSet::from([page]), texts);
        // A refusal that is not durable comes again, because its letter is still in the outbox.
        self.commit(true);
        Some(text)
    }

    fn read(&mut self, log: &[Claim], segments: &Segments, at_most: usize, texts: &Texts) {
        while self.verdicts.position() < segments.trimmed {
            let position = self.verdicts.position();
            let segment = segments.all.iter().find(|segment| segment.end > position).unwrap();
            self.take_segment(segment, texts);
            if at_most < usize::MAX {
                return;
            }
        }
        let behind = log.iter().filter(|(position, ..)| *position > self.verdicts.position());
        let mut resolved = BTreeSet::new();
        let entries: Vec<(Position, Entry)> = behind.take(at_most).cloned().map(entry).collect();
        let applied = self.verdicts.apply(&self.log, &entries).unwrap();
        for (applied, (_, Entry { page, .. })) in applied.into_iter().zip(entries) {
            assert_ne!(applied, Applied::Nothing, "each claim is new and can be read");
            self.note(applied, page);
            if page.worker == self.me {
                resolved.insert(page.sequence);
            }
        }
        self.resolve(&resolved, texts);
    }

    fn take_segment(&mut self, segment: &Segment, texts: &Texts) {
        let mut resolved = BTreeSet::new();
        for judged in &segment.pages {
            let page = match judged {
                Judged::Kept(entry) => entry.page,
                Judged::Dropped(page) => *page,
            };
            let applied = self.verdicts.take_over(&self.log, judged).unwrap();
            self.note(applied, page);
            if page.worker == self.me {
                resolved.insert(page.sequence);
            }
        }
        self.verdicts.ends_segment(segment.end);
        self.segments += 1;
        self.resolve(&resolved, texts);
    }

    fn note(&mut self, applied: Applied, page: PageId) {
        match applied {
            Applied::Confirmed(page) => assert_eq!(self.now.pages[&page].1, Verdict::Unique),
            Applied::Yields(page, verdict) => {
                let known = self.now.pages.get_mut(&page).unwrap();
                if known.1 == Verdict::Unique {
                    known.1 = verdict;
                }
            }
            Applied::Entered | Applied::Dropped => assert_ne!(page.worker, self.me),
            Applied::Nothing | Applied::Forgets(_) => {}
        }
    }

    fn resolve(&mut self, resolved: &BTreeSet<u64>, texts: &Texts) {
        let (again, held) = self.held.drain(..).partition(|(on, _)| resolved.contains(on));
        self.held = held;
        let again: Vec<(u64, u64)> = again;
        for (_, text) in again {
            self.decide(text, texts);
        }
    }

    /// Commits the catalogue and, unless it is cut off, the index after it.
    fn commit(&mut self, is_cut_off: bool) {
        self.committed = self.now.clone();
        // A page in process is queued until it has its outcome.
        self.committed.queue.extend(self.held.iter().map(|(_, text)| *text));
        if !is_cut_off {
            let mark = self.verdicts.mark().unwrap();
            self.persisted = (self.log.index().clone(), Some(mark));
        }
    }

    fn crash(&mut self, texts: &Texts) {
        self.now = self.committed.clone();
        self.held.clear();
        let (index, mark) = self.persisted.clone();
        self.log = Deduplicator::new(index, texts.rule.clone()).unwrap();
        let open = Verdicts::open(self.me, mark.as_deref(), (Width::W64, &texts.rule)).unwrap();
        self.verdicts = open.0;
        for page in open.1.into_iter().chain(self.now.outbox.clone()) {
            let kept = self
                .now
                .pages
                .get(&page)
                .filter(|(_, verdict)| *verdict == Verdict::Unique);
            if let Some((text, _)) = kept {
                self.verdicts.kept(page, &texts.signatures[*text as usize]).unwrap();
            }
        }
    }

    fn kept(&self) -> BTreeSet<u64> {
        let kept = self
            .now
            .pages
            .iter()
            .filter(|(_, (_, verdict))| *verdict == Verdict::Unique);
        kept.map(|(page, _)| *page).collect()
    }
}

/// The kept pages of a log, by one pass over it, and the verdicts on the others.
fn pass(log: &[Claim], texts: &Texts) -> (BTreeSet<u64>, BTreeMap<u64, dedup::Verdict>) {
    let one = texts.empty();
    let mut kept = BTreeSet::new();
    let mut dropped = BTreeMap::new();
    for (_, page, signature) in log {
        let id = page.packed();
        let verdict = one.check(&decode_signature(signature).unwrap()).unwrap();
        if verdict == dedup::Verdict::Unique {
            one.insert(DocId(id), &decode_signature(signature).unwrap()).unwrap();
            kept.insert(id);
        } else if !kept.contains(&id) {
            dropped.entry(id).or_insert(verdict);
        }
    }
    (kept, dropped)
}

/// What a run came to.
#[derive(Default)]
struct Ran {
    waited: usize,
    kept: usize,
    segments: usize,
    yielded: usize,
}

fn run(seed: u64, texts: &Texts, has_segments: bool) -> Ran {
    let mut random = fastrand::Rng::with_seed(seed);
    let mut workers: Vec<Worker> = (1..=random.u16(2..5))
        .map(|number| Worker::new(number, texts))
        .collect();
    let mut log = Vec::new();
    let mut segments = Segments::default();
    let (mut refused, mut fetched) = (Vec::new(), 0);
    for step in 0..300 {
        if has_segments && step % 100 == 50 {
            // It joins late.
            workers.push(Worker::new(workers.len() as u16 + 1, texts));
        }
        let worker = random.usize(0..workers.len());
        if has_segments && random.u8(0..4) == 0 {
            segments.write(&log, &workers[worker], &mut random);
        }
        // The first worker sleeps through a part of the run.
        if has_segments && worker == 0 && (100..200).contains(&step) {
            continue;
        }
        let worker = &mut workers[worker];
        match random.u8(0..12) {
            0..=3 => {
                let text = random.u64(0..BASES * VARIANTS);
                worker.now.queue.push_back(text);
                worker.committed.queue.push_back(text);
                fetched += 1;
                worker.fetch(texts);
            }
            4 | 5 => worker.commit(random.u8(0..4) == 0),
            6 | 7 => worker.send(&mut log, random.u8(0..4) == 0, texts),
            8 => worker.crash(texts),
            9 if random.bool() => refused.extend(worker.is_refused(&log, texts)),
            _ => worker.read(&log, &segments, random.usize(0..4), texts),
        }
    }
    // Another worker fetches what was refused.
    for text in refused {
        let worker = random.usize(0..workers.len());
        workers[worker].now.queue.push_back(text);
    }
    for _ in 0..3 + BASES * VARIANTS {
        for worker in &mut workers {
            while !worker.now.queue.is_empty() {
                worker.fetch(texts);
            }
            worker.commit(false);
            worker.send(&mut log, false, texts);
        }
        workers
            .iter_mut()
            .for_each(|worker| worker.read(&log, &segments, usize::MAX, texts));
    }

    let (expected, dropped) = pass(&log, texts);
    let mut yielded = 0;
    let mut text_of = BTreeMap::new();
    for worker in &workers {
        assert_eq!(worker.held, [], "nothing waits for ever");
        assert!(!worker.verdicts.has_claims());
        let own = |sequence| {
            PageId {
                worker: worker.me,
                sequence,
            }
            .packed()
        };
        let own_in_log = expected
            .iter()
            .filter(|id| PageElsewhere::unpacked(**id).is_some_and(|page| page.worker == worker.me.0));
        let kept: BTreeSet<u64> = worker.kept().into_iter().map(own).collect();
        assert_eq!(
            kept,
            own_in_log.copied().collect(),
            "worker {:?}, seed {seed}",
            worker.me
        );
        for (page, (_, verdict)) in &worker.now.pages {
            if let Some(in_log) = dropped.get(&own(*page)) {
                yielded += 1;
                assert_eq!(
                    *verdict,
                    worker.verdicts.stored(*in_log),
                    "page {page} of {:?}, seed {seed}",
                    worker.me
                );
            }
        }
        text_of.extend(worker.now.pages.iter().map(|(page, (text, _))| (own(*page), *text)));
        assert_eq!(worker.log.index().len().unwrap(), expected.len());
        for id in &expected {
            assert!(worker.log.index().signature(DocId(*id)).unwrap().is_some());
        }
    }
    for one in &expected {
        for other in expected.range(one + 1..) {
            assert!(
                !texts.are_duplicates(text_of[one], text_of[other]),
                "{one} and {other} are kept"
            );
        }
    }
    let mut pages = 0;
    for worker in &workers {
        for (text, verdict) in worker.now.pages.values() {
            pages += 1;
            let Some(of) = verdict.of() else { continue };
            assert!(of < 1 << 48 || PageElsewhere::unpacked(of).unwrap().worker != worker.me.0);
            let of = if of < 1 << 48 {
                PageId {
                    worker: worker.me,
                    sequence: of,
                }
                .packed()
            } else {
                of
            };
            assert!(expected.contains(&of), "a duplicate of a kept page");
            assert!(texts.are_duplicates(text_of[&of], *text));
        }
    }
    assert_eq!(pages, fetched, "each fetched page has a verdict, seed {seed}");
    Ran {
        waited: workers.iter().map(|worker| worker.waited).sum(),
        kept: expected.len(),
        segments: workers.iter().map(|worker| worker.segments).sum(),
        yielded,
    }
}

fn run_all(seeds: std::ops::Range<u64>, has_segments: bool) -> Ran {
    let texts = Texts::new();
    let mut all = Ran::default();
    for seed in seeds {
        let ran = run(seed, &texts, has_segments);
        all.waited += ran.waited;
        all.kept += ran.kept;
        all.segments += ran.segments;
        all.yielded += ran.yielded;
    }
    all
}

#[test]
fn all_workers_keep_the_pages_of_one_pass_over_the_log() {
    let Ran { waited, kept, .. } = run_all(0..20, false);
    assert!(waited > 50 && kept > 100, "{waited} waited, {kept} kept");
}

#[test]
fn workers_that_read_segments_come_to_the_verdicts_of_one_pass_over_the_log() {
    let ran = run_all(100..140, true);
    assert!(ran.segments > 200, "{} segments read", ran.segments);
    assert!(
        ran.yielded > 100 && ran.kept > 200,
        "{} yielded, {} kept",
        ran.yielded,
        ran.kept
    );
}

#[test]
fn of_near_duplicates_claimed_at_once_the_first_in_the_log_is_kept() {
    let texts = Texts::new();
    let mut workers = [Worker::new(1, &texts), Worker::new(2, &texts)];
    let mut log = Vec::new();
    for worker in &mut workers {
        // Two near-duplicates in flight at once: the second one waits for the claim of the first.
        worker.now.queue.extend([0, 2, 7]);
        (0..3).for_each(|_| worker.fetch(&texts));
        assert_eq!(worker.held, [(1, 2)]);
        worker.commit(false);
    }
    workers[1].send(&mut log, false, &texts);
    workers[0].send(&mut log, false, &texts);
    for worker in &mut workers {
        worker.read(&log, &Segments::default(), usize::MAX, &texts);
        assert_eq!(worker.held, []);
    }
    let kept = workers.map(|worker| (worker.kept(), worker.now.pages[&1].1, worker.now.pages[&3].1.of()));
    let other = PageElsewhere { worker: 2, sequence: 1 }.packed();
    assert_eq!(kept[0].0, BTreeSet::new());
    assert_eq!(kept[0].1, Verdict::Exact { of: other });
    assert_eq!(
        kept[0].2,
        Some(other),
        "the page that waited is a duplicate of the page that stays"
    );
    assert_eq!(
        (kept[1].0.len(), kept[1].2),
        (2, Some(1)),
        "an own page has its number in the catalogue"
    );
}

#[test]
fn a_claim_that_cannot_be_read_counts_for_nobody() {
    let texts = Texts::new();
    let mut worker = Worker::new(1, &texts);
    let id = |worker| PageId {
        worker: WorkerNumber(worker),
        sequence: 9,
    };
    let signature = encode_signature(&texts.signatures[0]).unwrap();
    let mut apply = |claims: &[(u64, u16, &[u8])]| {
        let claims = claims.iter();
        let entries: Vec<_> = claims
            .map(|(at, worker, bytes)| entry((Position(1, *at), id(*worker), bytes.to_vec())))
            .collect();
        worker.verdicts.apply(&worker.log, &entries).unwrap()
    };
    assert_eq!(apply(&[(0, 2, b"\xff")]), [Applied::Nothing]);
    assert_eq!(
        apply(&[
            (0, 2, &signature),
            (1, 2, &signature),
            (2, 3, b"\xff"),
            (3, 3, &signature),
            (4, 2, &signature)
        ]),
        [
            // The place was read already.
            Applied::Nothing,
            Applied::Entered,
            Applied::Nothing,
            Applied::Dropped,
            // It is claimed again.
            Applied::Entered,
        ]
    );
}
