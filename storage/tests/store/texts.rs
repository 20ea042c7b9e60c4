//! The archive stores the text of a duplicate as the difference from its kept page's text, and gives it back in full.

use storage::warc::{Compression, DuplicateText, RefersTo, RevisitCapture, RevisitProfile, payload_digest};
use storage::{OpenOptions, Outcome, PageRecord, Rebuild, StorageError, Store, Verdict};

use super::rebuild::findings;
use super::support::*;

const BASE: &str =
    "The tide table of the harbour master is printed every spring, and nobody reads it before the first flood.";

/// A duplicate of page 1 whose text is stored as the difference from another page's text.
fn duplicate(url: &str, of: u64, base: &str, text: &str) -> Outcome {
    let verdict = Verdict::Near {
        of: 1,
        distance: Some(1),
        similarity: 0.9,
    };
    let revisit = RevisitCapture {
        url,
        fetched_at: NOW_MS,
        ip: None,
        request: None,
        status: 200,
        reason: "OK",
        headers: Vec::new(),
        payload_bytes: Some(text.len() as u64),
        payload_digest: payload_digest(text.as_bytes()),
        profile: RevisitProfile::SameText,
        refers_to: Some(RefersTo {
            url: "https://h/0",
            fetched_at: NOW_MS,
            record_id: None,
        }),
        text: Some(DuplicateText::Difference { of, base, text }),
    };
    let mut draft = draft(verdict);
    draft.payload_digest = payload_digest(text.as_bytes());
    Outcome::Page {
        draft: Box::new(draft),
        capture: Some(revisit.encode(Compression::default()).unwrap()),
    }
}

/// A kept page, its duplicate, and a page whose text is stored as the difference from the duplicate's text.
fn store_with_texts(dir: &std::path::Path) -> (Store, [String; 3]) {
    let texts = [
        BASE.to_owned(),
        BASE.replace("spring", "autumn"),
        BASE.replace("spring", "autumn").replace("printed", "翻印"),
    ];
    let mut store = Store::open(dir, &options()).unwrap();
    let links: Vec<_> = (0..3).map(|n| link("h", &n.to_string())).collect();
    let urls = store.discover(&links).unwrap();
    let body = b"<p>0";
    let mut first = draft(Verdict::Unique);
    first.payload_digest = payload_digest(body);
    let first = Outcome::Page {
        draft: Box::new(first),
        capture: Some(capture(&urls[0].url, body, &texts[0])),
    };
    store.finish(&urls[0], first, &[]).unwrap();
    for (n, of) in [(1, 1), (2, 2)] {
        let page = duplicate(&urls[n].url, of, &texts[n - 1], &texts[n]);
        store.finish(&urls[n], page, &[]).unwrap();
    }
    (store, texts)
}

fn texts_of(store: &Store) -> Vec<Option<String>> {
    let page = |id| store.latest_page(id).unwrap().unwrap();
    (1..=3).map(|id| store.text_of(&page(id)).unwrap()).collect()
}

#[test]
fn texts_of_duplicates_can_be_read_staged_committed_reopened_and_rebuilt() {
    let dir = tempfile::tempdir().unwrap();
    let (mut store, texts) = store_with_texts(dir.path());
    let expected = texts.map(Some).to_vec();
    assert_eq!(texts_of(&store), expected, "staged");
    store.commit().unwrap();
    assert_eq!(texts_of(&store), expected, "committed");
    drop(store);
    assert_eq!(texts_of(&open(dir.path())), expected, "reopened");
    assert_eq!(findings(dir.path()), []);
    std::fs::remove_dir_all(dir.path().join("state")).unwrap();
    let rebuild = Rebuild::begin(dir.path(), &OpenOptions::existing(), &mut |_| ()).unwrap();
    assert_eq!(rebuild.finish(&mut |_| ()).unwrap().pages, 3);
    assert_eq!(texts_of(&open(dir.path())), expected, "rebuilt");
    assert_eq!(findings(dir.path()), []);
}

#[test]
fn the_text_of_a_duplicate_takes_few_bytes_in_a_record_that_nobody_takes_for_a_page() {
    let dir = tempfile::tempdir().unwrap();
    let (mut store, _) = store_with_texts(dir.path());
    store.commit().unwrap();
    let page = store.page(2).unwrap().unwrap();
    assert_eq!((page.response, page.revisit), (None, None));
    let record = store.archive().record(page.text.unwrap()).unwrap();
    assert_eq!(
        (record.kind(), record.field("Content-Type")),
        ("metadata", Some("application/warc-fields"))
    );
    let block = String::from_utf8(record.block).unwrap();
    let line = |name: &str| block.lines().find_map(|line| line.strip_prefix(name));
    assert_eq!(line("text-of: "), Some("1"));
    let delta = line("text-delta: ").unwrap();
    assert!(delta.len() < 80, "{} bytes", delta.len());
}

#[test]
fn a_text_that_equals_its_base_takes_only_the_number_of_the_base() {
    let dir = tempfile::tempdir().unwrap();
    let (mut store, texts) = store_with_texts(dir.path());
    let urls = store.discover(&[link("h", "9")]).unwrap();
    let same = duplicate(&urls[0].url, 1, &texts[0], &texts[0]);
    store.finish(&urls[0], same, &[]).unwrap();
    store.commit().unwrap();
    let page = store.page(4).unwrap().unwrap();
    assert_eq!(store.text_of(&page).unwrap().as_ref(), Some(&texts[0]));
    let record = store.archive().record(page.text.unwrap()).unwrap();
    assert!(!String::from_utf8(record.block).unwrap().contains("text-delta"));
    drop(store);
    assert_eq!(findings(dir.path()), []);
}

#[test]
fn a_text_whose_base_is_missing_is_reported_as_damaged() {
    let dir = tempfile::tempdir().unwrap();
    let (mut store, _) = store_with_texts(dir.path());
    store.commit().unwrap();
    let page = store.page(2).unwrap().unwrap();
    // A text stored as the difference from itself, or from a later one, would lead to an endless chain.
    let of_itself = duplicate("https://h/9", 4, BASE, BASE);
    let urls = store.discover(&[link("h", "9")]).unwrap();
    store.finish(&urls[0], of_itself, &[]).unwrap();
    store.commit().unwrap();
    let fourth: PageRecord = store.page(4).unwrap().unwrap();
    let error = store.text_of(&fourth).unwrap_err();
    assert!(matches!(error, StorageError::ArchiveDamaged { .. }), "{error}");
    assert!(error.to_string().contains("page 4"), "{error}");
    assert!(store.text_of(&page).unwrap().is_some());
    drop(store);
    assert!(findings(dir.path()).iter().any(|found| found.what.contains("page 4")));
}

#[test]
fn the_text_of_a_duplicate_of_another_workers_page_is_archived_whole() {
    let of = storage::PageElsewhere { worker: 2, sequence: 8 };
    let dir = tempfile::tempdir().unwrap();
    let mut store = open(dir.path());
    let queued = store.discover(&[link("h", "a")]).unwrap();
    let revisit = RevisitCapture {
        url: &queued[0].url,
        fetched_at: NOW_MS,
        ip: None,
        request: None,
        status: 200,
        reason: "OK",
        headers: Vec::new(),
        payload_bytes: Some(4),
        payload_digest: payload_digest(b"body"),
        profile: RevisitProfile::SameText,
        refers_to: None,
        text: Some(DuplicateText::Whole(BASE)),
    };
    let mut page = draft(Verdict::Exact { of: of.packed() });
    page.payload_digest = payload_digest(b"body");
    let outcome = Outcome::Page {
        draft: Box::new(page),
        capture: Some(revisit.encode(Compression::default()).unwrap()),
    };
    store.finish(&queued[0], outcome, &[]).unwrap();
    store.commit().unwrap();
    drop(store);
    for _ in 0..2 {
        assert_eq!(super::rebuild::findings(dir.path()), []);
        let store = open(dir.path());
        let page = store.page(1).unwrap().unwrap();
        assert_eq!(store.text_of(&page).unwrap().as_deref(), Some(BASE));
        assert_eq!(page.verdict.of_elsewhere(), Some(of));
        drop(store);
        super::rebuild::rebuilt(dir.path());
    }
}
