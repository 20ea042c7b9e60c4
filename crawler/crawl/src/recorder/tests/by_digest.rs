//! The recorders of several workers, with a table of digests that a fake desk carries. Kills come between any two commits, between the
//! catalogue's commit and the index's, and between a claim and its answer; answers are lost, and come twice.

use std::collections::{BTreeMap, BTreeSet, HashMap};

use dedup::DocId;
use fleet::PageId;
use storage::{Findings, PageElsewhere};

use super::by_log::{Worker, link, many_yield};
use super::*;
use crate::fleet::letter::Mail;
use crate::fleet::messages::FromDesk;

/// The table: the page of the first claim of each digest.
type Table = HashMap<u128, PageId>;

fn worker(number: u16, seed: u64) -> Worker {
    Worker::that(false, number, seed)
}

impl Worker {
    /// What the desk does: claims go into the table. Returns the answers, and the last row.
    fn claim(&mut self, table: &mut Table) -> (Vec<(u64, PageId)>, u64) {
        let letters = self.outbox();
        let last = letters.last().map_or(0, |(row, _)| *row);
        let claims = letters.iter().filter_map(|(_, letter)| match Mail::read(letter) {
            Some(Mail::Digest(claim)) => Some(claim),
            _ => None,
        });
        let answers = claims.map(|claim| {
            let page = PageId {
                worker: self.me,
                sequence: claim.page,
            };
            (claim.page, *table.entry(claim.digest).or_insert(page))
        });
        (answers.collect(), last)
    }

    /// The claims go out, and their answers come back.
    fn settle(&mut self, table: &mut Table) {
        self.world.recorder().commit().unwrap();
        let (answers, last) = self.claim(table);
        self.world.hear(FromDesk::Claimed(answers));
        self.world.hear(FromDesk::Sent(last));
    }

    /// Stores a page with a text at a path of the host.
    fn fetch(&mut self, path: &str, text: u64) {
        let url = format!("https://h/{path}");
        let store = self.world.recorder().books.store_mut();
        let queued = store.discover(&[link(&url)]).unwrap().remove(0);
        self.world.texts.insert(url, text);
        let page = self.world.page(queued);
        self.world.record(page);
    }
}

fn run(seed: u64) -> (usize, usize) {
    let mut random = fastrand::Rng::with_seed(seed);
    let mut workers: Vec<Worker> = (1..=3).map(|n| worker(n, 100 * seed + u64::from(n))).collect();
    let mut table = Table::new();
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
                worker.claim(&mut table);
                // The claims are in the table, and nobody has the answers.
                worker.is_killed();
            }
            3 => {
                let (answers, last) = worker.claim(&mut table);
                worker.world.hear(FromDesk::Claimed(answers));
                if random.bool() {
                    worker.world.hear(FromDesk::Sent(last));
                }
                if random.bool() {
                    worker.world.recorder().books.store_mut().commit().unwrap();
                }
                worker.is_killed();
            }
            4 | 5 => {
                let (answers, last) = worker.claim(&mut table);
                for _ in 0..random.usize(1..3) {
                    worker.world.hear(FromDesk::Claimed(answers.clone()));
                }
                worker.world.hear(FromDesk::Sent(last));
            }
            6 => worker.world.recorder().commit().unwrap(),
            _ if worker.world.texts.len() < URLS => worker.world.discover(),
            _ => {}
        }
    }
    for _ in 0..12 {
        workers.iter_mut().for_each(|worker| worker.settle(&mut table));
    }
    prove(&mut workers, &table, seed)
}

/// All that must hold at the end. Returns how many pages have yielded, and how many are duplicates of another worker's page.
fn prove(workers: &mut [Worker], table: &Table, seed: u64) -> (usize, usize) {
    let all: BTreeMap<u16, BTreeSet<u64>> = workers.iter().map(|worker| (worker.me.0, worker.kept())).collect();
    let kept: BTreeSet<u64> = all.values().flatten().copied().collect();
    let has: BTreeSet<u64> = table.values().map(|page| page.packed()).collect();
    assert_eq!(
        kept, has,
        "who has a digest keeps its page, and nobody else does; seed {seed}"
    );
    let (mut yielded, mut elsewhere) = (0, 0);
    for worker in workers {
        assert_eq!(worker.world.letters(), 0);
        let recorder = worker.world.recorder();
        recorder.commit().unwrap();
        recorder.commit().unwrap();
        assert!(recorder.books.store().outbox().is_empty());
        assert_eq!(recorder.books.store_mut().catalogue().departed().unwrap(), [0; 0]);
        let counts = recorder.books.store_mut().counts();
        assert_eq!(counts.queued, 0, "nothing waits for ever, seed {seed}");
        assert_eq!(counts.discovered, worker.world.texts.len() as u64);
        let me = worker.me.0;
        let recorder = worker.world.recorder.as_ref().unwrap();
        let mut indexed = BTreeSet::new();
        let index = recorder.judge.dedup().index();
        let mut enter = |id: DocId| {
            indexed.insert(id.0);
        };
        index.for_each_id(&mut enter).unwrap();
        let rows = recorder.books.store().pages_elsewhere();
        let named: BTreeSet<u64> = rows.all().map(|row| row.unwrap().0.packed()).collect();
        let expected: BTreeSet<u64> = all[&me].union(&named).copied().collect();
        assert_eq!(indexed, expected, "worker {me}, seed {seed}");
        drop(index);
        let store = recorder.books.store();
        for (_, page) in worker.world.pages() {
            let Some(of) = page.verdict.of() else { continue };
            let of = match page.verdict.of_elsewhere() {
                Some(of) => of.packed(),
                None => PageElsewhere {
                    worker: me,
                    sequence: of,
                }
                .packed(),
            };
            assert!(kept.contains(&of), "a duplicate of a kept page, seed {seed}");
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
        // Among its own pages, it decides as one process does.
        let rule = worker.world.settings.rule.clone();
        let alone = Deduplicator::new(MemoryIndex::new(&rule).unwrap(), rule).unwrap();
        for (sequence, page) in worker.world.pages().into_iter().filter(|(_, page)| page.is_kept()) {
            let signature = decode_signature(&page.signature).unwrap();
            let verdict = alone.check_and_insert(DocId(sequence), &signature).unwrap();
            assert_eq!(
                verdict,
                dedup::Verdict::Unique,
                "two kept pages of worker {me}, seed {seed}"
            );
        }
    }
    (yielded, elsewhere)
}

#[test]
fn killed_workers_keep_each_text_once_and_lose_none() {
    many_yield(run);
}

#[test]
fn the_second_worker_with_a_text_yields_and_its_next_copies_cost_no_claim() {
    let mut table = Table::new();
    let (mut one, mut two) = (worker(1, 1), worker(2, 2));
    one.fetch("a", 0);
    one.settle(&mut table);
    two.fetch("b", 0);
    // A copy waits for the claim.
    two.fetch("c", 0);
    two.world.recorder().commit().unwrap();
    assert_eq!(two.world.pages().len(), 1);
    two.settle(&mut table);
    two.world.recorder().commit().unwrap();
    let of = PageElsewhere { worker: 1, sequence: 1 };
    let verdicts: Vec<Verdict> = two.world.pages().iter().map(|(_, page)| page.verdict).collect();
    assert_eq!(verdicts, [Verdict::Exact { of: of.packed() }; 2]);
    let is_stored: Vec<bool> = two
        .world
        .pages()
        .iter()
        .map(|(_, page)| page.response.is_some())
        .collect();
    assert_eq!(is_stored, [true, false], "the copy that waited costs no body");
    // Nearly the same text is not compared with pages of the other worker, but with this one.
    two.fetch("d", 2);
    two.world.recorder().commit().unwrap();
    assert_eq!(two.world.pages()[2].1.verdict.of_elsewhere(), Some(of));
    assert_eq!(one.kept().len() + two.kept().len(), 1);
    assert!(
        two.world
            .recorder()
            .books
            .store()
            .run_notes()
            .are_provisional()
            .unwrap()
    );
}

#[test]
fn the_pages_of_a_folder_without_its_index_are_claimed_again() {
    let mut table = Table::new();
    let mut one = worker(1, 3);
    (0..8).for_each(|_| one.world.discover());
    one.settle(&mut table);
    one.world.recorder().commit().unwrap();
    let (kept, claimed) = (one.kept(), table.clone());
    one.world.recorder = None;
    let rebuild = storage::Rebuild::begin(one.world.dir.path(), &OpenOptions::existing(), &mut |_| ()).unwrap();
    rebuild.finish(&mut |_| ()).unwrap();
    one.world.open();
    assert_eq!(one.world.letters(), one.outbox().len() as u64);
    let (answers, _) = one.claim(&mut table);
    assert_eq!(answers.len(), kept.len());
    one.settle(&mut table);
    one.world.recorder().commit().unwrap();
    assert_eq!(
        (one.kept(), &table),
        (kept, &claimed),
        "nothing but the claims is repeated"
    );
    assert_eq!(one.world.letters(), 0);
}
