//! Commits on a full disk.

use std::collections::HashSet;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use super::*;
use crate::commit::apply::Application;
use crate::warc::medium::failing::FullDisk;
use crate::warc::medium::{Folder, Medium};
use crate::warc::{Capture, Compression};
use crate::{Discovered, Outcome, PageDraft, Verdict};

fn marks(dir: &tempfile::TempDir) -> Box<dyn Medium> {
    Box::new(Folder::new(dir.path().to_owned()))
}

fn kept(url: &str) -> Outcome {
    let draft = PageDraft {
        title: String::new(),
        fetched_at: 0,
        status: 200,
        content_type: String::new(),
        encoding: String::new(),
        body_bytes: 4,
        wire_bytes: 4,
        text_chars: 4,
        language: None,
        verdict: Verdict::Unique,
        signature: Vec::new(),
        elapsed_ms: 0,
        canonical: None,
        replaces: None,
        ..PageDraft::default()
    };
    let (headers, payload, text) = (Vec::new(), &b"body"[..], "text");
    let (fetched_at, status, reason, ip, request, truncated) = (0, 200, "OK", None, None, None);
    let capture = Capture {
        url,
        fetched_at,
        ip,
        request,
        status,
        reason,
        headers,
        payload,
        truncated,
        rendered: None,
        text,
    }
    .encode(Compression::default())
    .unwrap();
    Outcome::Page {
        draft: Box::new(draft),
        capture: Some(capture),
    }
}

fn link(path: &str) -> Discovered {
    Discovered {
        url: format!("https://h/{path}"),
        host: "h".to_owned(),
        ..Discovered::default()
    }
}

#[test]
fn a_full_disk_commits_nothing_and_the_commit_can_be_repeated() {
    let dir = tempfile::tempdir().unwrap();
    let bytes_left = Arc::new(AtomicU64::new(100));
    let options = OpenOptions::new("s");
    let full = FullDisk {
        folder: Folder::new(dir.path().join("warc")),
        bytes_left: bytes_left.clone(),
    };
    let mut store = Store::open_with(dir.path(), &options, Box::new(full), marks(&dir)).unwrap();
    let queued = store.discover(&[link("a"), link("b")]).unwrap();
    store.commit().unwrap();
    store.finish(&queued[0], kept(&queued[0].url), &[link("c")]).unwrap();
    for _ in 0..2 {
        let error = store.commit().unwrap_err();
        assert!(error.to_string().contains("free some space"), "{error}");
        assert!(store.page(1).unwrap().is_none());
        assert!(store.url_state("h", "https://h/c").unwrap().is_none());
        assert_eq!(store.hosts().all().next().unwrap().unwrap().1.queued, 2);
    }
    // The queue is that of what is staged, whether it can be committed or not.
    let waiting = store.refill("h", 9, &HashSet::new()).unwrap();
    let waiting: Vec<&str> = waiting.iter().map(|queued| &*queued.url).collect();
    assert_eq!(waiting, ["https://h/b", "https://h/c"]);
    // There is room again; what was finished meanwhile goes with it.
    bytes_left.store(u64::MAX, Ordering::Relaxed);
    store.finish(&queued[1], kept(&queued[1].url), &[]).unwrap();
    assert_eq!(store.commit().unwrap(), 2);
    for page in store.pages_from(1).map(|page| page.unwrap().1) {
        assert_eq!(store.text_of(&page).unwrap().as_deref(), Some("text"));
    }
    assert_eq!(store.counts().kept, 2);
}

#[test]
fn a_process_that_ends_on_a_full_disk_leaves_the_last_commit() {
    let dir = tempfile::tempdir().unwrap();
    let options = OpenOptions::new("s");
    let full = |bytes: u64| FullDisk {
        folder: Folder::new(dir.path().join("warc")),
        bytes_left: Arc::new(AtomicU64::new(bytes)),
    };
    for bytes in [0, 1, 200, 500] {
        let mut store = Store::open_with(dir.path(), &options, Box::new(full(bytes)), marks(&dir)).unwrap();
        let known = store.counts().discovered;
        assert_eq!(store.counts().queued, known);
        store.discover(&[link("a")]).unwrap();
        store.commit().unwrap();
        let queued = store.refill("h", 1, &HashSet::new()).unwrap().remove(0);
        store.finish(&queued, kept(&queued.url), &[link("b")]).unwrap();
        assert!(store.commit().is_err());
    }
    let store = Store::open(dir.path(), &options).unwrap();
    assert_eq!((store.counts().discovered, store.counts().queued), (1, 1));
    assert_eq!(
        std::fs::read_dir(store.warc_dir()).unwrap().count(),
        0,
        "no committed record, no file"
    );
    assert_eq!(store.refill("h", 9, &HashSet::new()).unwrap().len(), 1);
}

#[test]
fn a_commit_that_fails_beside_the_owner_halts_the_store_and_leaves_the_last_commit() {
    let dir = tempfile::tempdir().unwrap();
    let options = OpenOptions::new("s");
    let bytes_left = Arc::new(AtomicU64::new(u64::MAX));
    let full = Box::new(FullDisk {
        folder: Folder::new(dir.path().join("warc")),
        bytes_left: bytes_left.clone(),
    });
    let mut store = Store::open_with(dir.path(), &options, full, marks(&dir)).unwrap();
    let queued = store.discover(&[link("a"), link("b")]).unwrap();
    store.finish(&queued[0], kept(&queued[0].url), &[]).unwrap();
    store.begin_commit().unwrap();
    store.commit().unwrap();
    bytes_left.store(0, Ordering::Relaxed);
    store.finish(&queued[1], kept(&queued[1].url), &[link("c")]).unwrap();
    store.begin_commit().unwrap();
    let error = loop {
        match store.is_committing() {
            Ok(true) => std::thread::yield_now(),
            Ok(false) => panic!("the commit cannot be complete"),
            Err(error) => break error,
        }
    };
    assert!(error.to_string().contains("free some space"), "{error}");
    assert!(matches!(store.is_committing(), Err(StorageError::Halted)));
    assert!(matches!(store.commit(), Err(StorageError::Halted)));
    assert!(store.finish(&queued[1], kept(&queued[1].url), &[]).is_err());
    drop(store);
    let store = Store::open(dir.path(), &options).unwrap();
    assert_eq!((store.counts().kept, store.counts().queued), (1, 1));
}

#[test]
fn records_of_a_later_file_are_read_while_those_before_are_written() {
    let dir = tempfile::tempdir().unwrap();
    let options = OpenOptions {
        roll_bytes: 1,
        ..OpenOptions::new("s")
    };
    let mut store = Store::open(dir.path(), &options).unwrap();
    let queued = store.discover(&[link("a"), link("b")]).unwrap();
    store.finish(&queued[0], kept(&queued[0].url), &[]).unwrap();
    store.begin_commit().unwrap();
    store.finish(&queued[1], kept(&queued[1].url), &[]).unwrap();
    for page in 1..=2 {
        let page = store.latest_page(page).unwrap().unwrap();
        assert_eq!(store.text_of(&page).unwrap().as_deref(), Some("text"));
    }
}

#[test]
fn links_that_a_crash_made_known_before_their_page_survive_a_rebuild() {
    let dir = tempfile::tempdir().unwrap();
    let options = OpenOptions::new("s");
    let mut store = Store::open(dir.path(), &options).unwrap();
    let queued = store.discover(&[link("a"), link("b")]).unwrap();
    store.commit().unwrap();
    store
        .finish(&queued[0], kept(&queued[0].url), &[link("c"), link("d")])
        .unwrap();
    // The crash comes after the links and before the page.
    store.archive.sync().unwrap();
    let job = store.seal(None, None);
    assert!(Application::new(&job.target).apply_links(&job.commit).unwrap());
    store.state.flush().unwrap();
    drop(job);
    drop(store);

    let mut store = Store::open(dir.path(), &options).unwrap();
    let urls = |store: &Store| {
        let mut urls: Vec<String> = store.queue().urls().map(|queued| queued.unwrap().url).collect();
        urls.sort();
        urls
    };
    assert_eq!(
        urls(&store),
        ["https://h/a", "https://h/b", "https://h/c", "https://h/d"]
    );
    // Two pages name the links, in a later process than the first one after the crash.
    store.finish(&queued[1], kept(&queued[1].url), &[link("c")]).unwrap();
    store.commit().unwrap();
    drop(store);
    let mut store = Store::open(dir.path(), &options).unwrap();
    assert!(
        store
            .finish(&queued[0], kept(&queued[0].url), &[link("c"), link("d")])
            .unwrap()
            .newly_queued
            .is_empty()
    );
    store.commit().unwrap();
    drop(store);
    crate::Rebuild::begin(dir.path(), &options, &mut |_| ())
        .unwrap()
        .finish(&mut |_| ())
        .unwrap();
    let store = Store::open(dir.path(), &options).unwrap();
    assert_eq!(urls(&store), ["https://h/c", "https://h/d"]);
    assert!(!store.links.has_early_note());
}
