//! Checkpoints beside a store.

use std::fs;
use std::path::Path;

use storage::{Discovered, OpenOptions, Outcome, PageDraft, Store, Verdict, Via};

use super::*;
use crate::steering::Keeper;
use crate::steering::replay::{learn_rest, replay};

/// A store with the pages of a random sequence.
struct Crawl {
    dir: tempfile::TempDir,
    store: Store,
    pages: Vec<(String, JudgedPage)>,
}

impl Crawl {
    fn of(seed: u64, pages: usize) -> Self {
        let dir = tempfile::tempdir().unwrap();
        let store = Store::open(dir.path(), &options()).unwrap();
        let mut crawl = Self {
            dir,
            store,
            pages: Vec::new(),
        };
        // A URL may be there once.
        let mut seen = std::collections::HashSet::new();
        let of_sequence = Sequence::of(seed).take(4 * pages).into_iter();
        crawl.pages = of_sequence
            .filter(|(_, page)| seen.insert(page.url.clone()))
            .take(pages)
            .collect();
        crawl
    }

    /// Records the pages from number `from` up to number `to`, and commits.
    fn record(&mut self, from: usize, to: usize) {
        for (host, page) in &self.pages[from - 1..to] {
            let link = Discovered {
                url: page.url.clone(),
                host: host.clone(),
                ..Discovered::default()
            };
            let mut queued = self.store.discover(&[link]).unwrap().remove(0);
            queued.via = page.via.map(Via::Page);
            let id = self.store.next_page_id();
            let of = page.duplicate_of.as_ref().map(|of| of.page).filter(|of| *of < id);
            let links = page.duplicate_of.as_ref().and_then(|of| of.new_links.clone());
            if let Some(links) = links.filter(|_| of.is_some()) {
                self.store.record_new_links(id, &links).unwrap();
            }
            let draft = PageDraft {
                fetched_at: id,
                verdict: of.map_or(Verdict::Unique, |of| Verdict::Exact { of }),
                is_incomplete: page.is_incomplete,
                ..PageDraft::default()
            };
            let draft = Box::new(draft);
            self.store
                .finish(&queued, Outcome::Page { draft, capture: None }, &[])
                .unwrap();
        }
        self.store.commit().unwrap();
    }

    /// Takes a page back, the first from number `id` on that taught anything.
    fn take_back(&mut self, id: usize) {
        let from = id - 1;
        let taught = self.pages[from..]
            .iter()
            .position(|(_, page)| !page.is_incomplete)
            .unwrap();
        self.store.take_back((id + taught) as u64).unwrap().unwrap();
    }

    fn reopen(&mut self) {
        let other = tempfile::tempdir().unwrap();
        self.store = Store::open(other.path(), &options()).unwrap();
        self.store = Store::open(self.dir.path(), &options()).unwrap();
    }

    /// Writes a checkpoint of what all pages so far teach. Returns whether it fits.
    fn write(&self) -> bool {
        let mut steering = Steering::new(policy());
        replay(&self.store, &mut steering).unwrap();
        written(&steering, &self.store)
    }

    fn path(&self) -> std::path::PathBuf {
        self.dir.path().join(NAME)
    }

    /// What all pages teach, without a checkpoint.
    fn full(&self) -> Steering {
        let mut steering = Steering::new(policy());
        assert!(learn_rest(&self.store, &mut steering, || true).unwrap());
        steering
    }

    /// Replays, and checks that it teaches the same. Returns the last page of the checkpoint that was taken.
    #[track_caller]
    fn replayed(&self) -> u64 {
        let mut steering = Steering::new(policy());
        replay(&self.store, &mut steering).unwrap();
        assert_same(&self.full(), &steering);
        steering.restored_to
    }
}

fn options() -> OpenOptions {
    OpenOptions {
        cache_bytes: 1 << 20,
        ..OpenOptions::new("test")
    }
}

fn written(steering: &Steering, store: &Store) -> bool {
    let checkpoint = steering.checkpoint(0, &Turn::default()).unwrap();
    let written = checkpoint.of(store).unwrap();
    let fits = written.is_some();
    written.into_iter().for_each(Written::write);
    fits
}

#[test]
fn a_replay_continues_from_the_checkpoint() {
    let mut crawl = Crawl::of(1, 300);
    crawl.record(1, 200);
    assert_eq!(crawl.replayed(), 0);
    assert!(crawl.write());
    assert_eq!(crawl.replayed(), 200);
    crawl.record(201, 300);
    assert_eq!(crawl.replayed(), 200);
    assert!(crawl.write());
    crawl.reopen();
    assert_eq!(crawl.replayed(), 300);
    fs::remove_file(crawl.path()).unwrap();
    assert_eq!(crawl.replayed(), 0);
}

#[test]
fn a_damaged_or_foreign_file_is_passed_over() {
    let mut crawl = Crawl::of(2, 120);
    crawl.record(1, 120);
    assert!(crawl.write());
    let whole = fs::read(crawl.path()).unwrap();
    let mut files: Vec<Vec<u8>> = vec![Vec::new(), b"no checkpoint".to_vec(), [&whole[..], b"\0"].concat()];
    files.extend([0, 7, 8, 12, 15, 16, 40, whole.len() / 2, whole.len() - 1].map(|cut| whole[..cut].to_vec()));
    for at in (0..whole.len()).step_by(whole.len() / 97) {
        let mut changed = whole.clone();
        changed[at] ^= 0x10;
        files.push(changed);
    }
    for file in files {
        fs::write(crawl.path(), &file).unwrap();
        assert_eq!(crawl.replayed(), 0, "{} bytes", file.len());
    }
    fs::remove_file(crawl.path()).unwrap();
    fs::create_dir(crawl.path()).unwrap();
    assert_eq!(crawl.replayed(), 0, "a folder");
    fs::remove_dir(crawl.path()).unwrap();
    fs::write(crawl.path(), &whole).unwrap();
    assert_eq!(crawl.replayed(), 120);
    let mut other = Crawl::of(2, 120);
    other.record(1, 120);
    fs::write(other.path(), &whole).unwrap();
    assert_eq!(other.replayed(), 0, "of another state with the same pages");
}

#[test]
fn a_file_that_is_whole_and_says_something_else_is_passed_over() {
    let mut crawl = Crawl::of(3, 50);
    crawl.record(1, 50);
    assert!(crawl.write());
    let parts = file::read(&crawl.path(), VERSION).unwrap().unwrap();
    let put = |version: u32, header: &[u8], learned: &[u8]| {
        file::replace(&crawl.path(), &[&file::head(version, header), learned]).unwrap();
        crawl.replayed()
    };
    assert_eq!(put(VERSION + 1, parts.header(), parts.learned()), 0);
    assert_eq!(put(VERSION, &parts.header()[..9], parts.learned()), 0);
    assert_eq!(put(VERSION, parts.header(), &parts.learned()[..99]), 0);
    assert_eq!(put(VERSION, parts.header(), b"\xff\xff\xff\xff\xff\xff\xff\xff\xff"), 0);
    for change in 0..4 {
        let mut header: Header = postcard::from_bytes(parts.header()).unwrap();
        match change {
            0 => header.settings += 1,
            1 => header.last.number = 51,
            2 => header.last.fetched_at += 1,
            _ => header.last.url += "x",
        }
        let header = postcard::to_stdvec(&header).unwrap();
        assert_eq!(put(VERSION, &header, parts.learned()), 0, "change {change}");
    }
    assert_eq!(put(VERSION, parts.header(), parts.learned()), 50);
}

#[test]
fn other_settings_learn_again() {
    let mut crawl = Crawl::of(4, 80);
    crawl.record(1, 80);
    assert!(crawl.write());
    let mut policy = policy();
    policy.apply.push("h0: parameter sid".parse().unwrap());
    let mut steering = Steering::new(policy.clone());
    replay(&crawl.store, &mut steering).unwrap();
    let mut full = Steering::new(policy);
    assert!(learn_rest(&crawl.store, &mut full, || true).unwrap());
    assert_same(&full, &steering);
    assert_eq!((steering.restored_to, crawl.replayed()), (0, 80));
}

#[test]
fn a_page_that_is_taken_back_is_forgotten_with_the_checkpoint_that_has_it() {
    let mut crawl = Crawl::of(5, 100);
    crawl.record(1, 60);
    assert!(crawl.write());
    let mut live = crawl.full();
    crawl.record(61, 90);
    assert!(learn_rest(&crawl.store, &mut live, || true).unwrap());
    let kept_aside = fs::read(crawl.path()).unwrap();
    // A page behind the checkpoint.
    crawl.take_back(75);
    crawl.store.commit().unwrap();
    assert_eq!(crawl.replayed(), 60);
    assert!(!written(&live, &crawl.store), "the run learned from the page");
    assert_eq!(crawl.replayed(), 60);
    // A later run has not.
    assert!(crawl.write());
    assert_eq!(crawl.replayed(), 90);
    // A page in the checkpoint.
    crawl.take_back(20);
    assert_eq!(crawl.replayed(), 90, "no commit has it yet");
    crawl.store.commit().unwrap();
    assert_eq!(crawl.replayed(), 0);
    fs::write(crawl.path(), &kept_aside).unwrap();
    assert_eq!(crawl.replayed(), 0);
    assert!(crawl.write());
    crawl.record(91, 100);
    assert_eq!(crawl.replayed(), 90);
}

#[test]
fn a_page_whose_url_redirects_since_teaches_what_it_taught() {
    let mut crawl = Crawl::of(6, 60);
    crawl.record(1, 60);
    assert!(crawl.write());
    let gone = crawl.store.revisit(&[30], 0).unwrap().remove(0);
    let reason = "robots.txt".to_owned();
    crawl.store.finish(&gone, Outcome::Excluded { reason }, &[]).unwrap();
    crawl.store.commit().unwrap();
    assert_eq!(crawl.replayed(), 60);
    // Without a checkpoint, steering meets the page as one that has moved.
    fs::remove_file(crawl.path()).unwrap();
    assert!(crawl.write());
    assert_eq!(crawl.replayed(), 60);
}

#[test]
fn pages_that_a_crash_took_are_no_pages_of_a_checkpoint() {
    let mut crawl = Crawl::of(8, 100);
    crawl.record(1, 80);
    let before = copy_of(&crawl);
    crawl.record(81, 100);
    assert!(crawl.write());
    fs::copy(crawl.path(), before.path().join(NAME)).unwrap();
    crawl.store = Store::open(before.path(), &options()).unwrap();
    crawl.dir = before;
    assert_eq!(crawl.replayed(), 0);
    // Other pages under the same numbers.
    crawl.pages[80..].reverse();
    crawl.record(81, 100);
    assert_eq!(crawl.replayed(), 0);
}

/// A copy of the data folder.
fn copy_of(crawl: &Crawl) -> tempfile::TempDir {
    fn copy(from: &Path, to: &Path) {
        fs::create_dir_all(to).unwrap();
        for entry in fs::read_dir(from).unwrap() {
            let entry = entry.unwrap();
            let target = to.join(entry.file_name());
            if entry.file_type().unwrap().is_dir() {
                copy(&entry.path(), &target);
            } else if entry.file_type().unwrap().is_file() {
                fs::copy(entry.path(), target).unwrap();
            }
        }
    }
    let to = tempfile::tempdir().unwrap();
    copy(crawl.dir.path(), to.path());
    to
}

#[test]
fn an_unfinished_file_of_a_killed_run_does_no_harm() {
    let mut crawl = Crawl::of(9, 60);
    crawl.record(1, 40);
    assert!(crawl.write());
    fs::write(crawl.path().with_extension("checkpoint.new"), b"half").unwrap();
    assert_eq!(crawl.replayed(), 40);
    crawl.record(41, 60);
    assert!(crawl.write());
    assert_eq!(crawl.replayed(), 60);
    assert!(!crawl.path().with_extension("checkpoint.new").exists());
}

#[test]
fn a_run_has_one_turn_at_a_time() {
    let mut crawl = Crawl::of(10, 40);
    crawl.record(1, 40);
    let steering = crawl.full();
    let turn = Turn::default();
    let checkpoint = steering.checkpoint(0, &turn).unwrap();
    assert!(!turn.is_free());
    let written = checkpoint.of(&crawl.store).unwrap().unwrap();
    assert!(!turn.is_free());
    written.write();
    assert!(turn.is_free() && !turn.is_void());
    crawl.take_back(3);
    crawl.store.commit().unwrap();
    assert!(
        steering
            .checkpoint(0, &turn)
            .unwrap()
            .of(&crawl.store)
            .unwrap()
            .is_none()
    );
    assert!(turn.is_free() && turn.is_void());
}

/// Lets the keeper commit until the run has its next turn.
fn keep(keeper: &mut Keeper, turn: &Turn, store: &Store) {
    while !turn.is_free() {
        keeper.committed(store).unwrap();
        std::thread::yield_now();
    }
}

#[test]
fn a_run_whose_page_was_taken_back_learns_again_from_its_last_checkpoint() {
    let mut crawl = Crawl::of(11, 200);
    let (mut keeper, turn) = (Keeper::new(policy()), Turn::default());
    let mut live = Steering::new(policy());
    let mut is_first = true;
    for (from, to, restored_to) in [(1, 80, 80), (81, 120, 120), (121, 160, 160), (161, 200, 200)] {
        crawl.record(from, to);
        assert!(learn_rest(&crawl.store, &mut live, || true).unwrap());
        if from > 1 {
            // Of the pages since the last checkpoint.
            crawl.take_back(from + 5);
            crawl.store.commit().unwrap();
        }
        if turn.is_void() {
            keeper.learn_again(&crawl.store, turn.clone()).unwrap();
        } else {
            keeper.take(live.checkpoint(0, &turn).unwrap());
        }
        keep(&mut keeper, &turn, &crawl.store);
        assert_eq!(turn.is_void(), !is_first);
        is_first = false;
        assert_eq!(crawl.replayed(), restored_to);
    }
}

#[test]
fn a_run_learns_again_from_no_more_pages_than_there_are() {
    let turn = Turn::default();
    turn.make_void();
    assert!(turn.may_learn_from(900, 1_000));
    assert!(!turn.may_learn_from(0, 1_000) && turn.may_learn_from(100, 1_000));
    assert!(!turn.may_learn_from(990, 1_000));
    assert!(turn.may_learn_from(1_500, 2_000));
}

#[test]
fn a_keeper_that_ends_waits_for_no_learning() {
    let mut crawl = Crawl::of(12, 100);
    crawl.record(1, 100);
    let (mut keeper, turn) = (Keeper::new(policy()), Turn::default());
    turn.make_void();
    keeper.learn_again(&crawl.store, turn.clone()).unwrap();
    keeper.end();
    assert!(turn.is_free());
    assert!([0, 100].contains(&crawl.replayed()));
}
