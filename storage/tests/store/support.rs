//! Helpers for most tests.

use std::path::Path;

use storage::warc::{Capture, Compression, EncodedCapture};
use storage::{Discovered, Fate, OpenOptions, Outcome, PageDraft, PageRecord, QueuedUrl, StorageError, Store, Verdict};

/// 21 March 2026, 09:30:00.125 UTC.
pub const NOW_MS: u64 = 1_774_085_400_125;

pub fn options() -> OpenOptions {
    OpenOptions {
        cache_bytes: 4 << 20,
        now_ms: NOW_MS,
        ..OpenOptions::new("scheme-1")
    }
}

pub fn open(dir: &Path) -> Store {
    Store::open(dir, &options()).unwrap()
}

pub fn refusal(dir: &Path) -> StorageError {
    Store::open(dir, &options()).expect_err("the store should not open")
}

/// `link("h", "a")` is `https://h/a`.
pub fn link(host: &str, path: &str) -> Discovered {
    Discovered {
        url: format!("https://{host}/{path}"),
        host: host.to_owned(),
        ..Discovered::default()
    }
}

pub fn draft(verdict: Verdict) -> PageDraft {
    PageDraft {
        title: "A title".to_owned(),
        fetched_at: NOW_MS,
        status: 200,
        content_type: "text/html".to_owned(),
        encoding: "UTF-8".to_owned(),
        body_bytes: 100,
        wire_bytes: 40,
        text_chars: 30,
        language: Some("en".to_owned()),
        verdict,
        signature: vec![1, 2, 3],
        elapsed_ms: 12,
        canonical: None,
        replaces: None,
        ..PageDraft::default()
    }
}

pub fn capture(url: &str, body: &[u8], text: &str) -> EncodedCapture {
    capture_as(Compression::default(), url, body, text)
}

pub fn capture_as(compression: Compression, url: &str, body: &[u8], text: &str) -> EncodedCapture {
    let capture = Capture {
        url,
        fetched_at: NOW_MS,
        ip: Some("192.0.2.7".parse().unwrap()),
        request: Some(b"GET / HTTP/1.1\r\nHost: h\r\n\r\n"),
        status: 200,
        reason: "OK",
        headers: vec![
            ("Content-Type", b"text/html"),
            ("Content-Encoding", b"gzip"),
            ("Content-Length", b"7"),
        ],
        payload: body,
        truncated: None,
        rendered: None,
        text,
    };
    capture.encode(compression).unwrap()
}

/// A kept page whose body and text name its URL.
pub fn kept(queued: &QueuedUrl) -> Outcome {
    kept_as(Compression::default(), queued)
}

pub fn kept_as(compression: Compression, queued: &QueuedUrl) -> Outcome {
    let capture = capture_as(
        compression,
        &queued.url,
        format!("<p>{}", queued.url).as_bytes(),
        &text_of(&queued.url),
    );
    Outcome::Page {
        draft: Box::new(draft(Verdict::Unique)),
        capture: Some(capture),
    }
}

pub fn exact(of: u64) -> Outcome {
    Outcome::Page {
        draft: Box::new(draft(Verdict::Exact { of })),
        capture: None,
    }
}

pub fn text_of(url: &str) -> String {
    format!("text of {url}")
}

/// The decoded body of a page, if it was archived.
pub fn body_of(store: &Store, page: &PageRecord) -> Option<Vec<u8>> {
    let record = store.archive().record(page.response?).unwrap();
    Some(record.http_payload().unwrap().to_vec())
}

/// Copies a folder with its current contents.
pub fn copy_folder(from: &Path, to: &Path) {
    std::fs::create_dir_all(to).unwrap();
    for entry in std::fs::read_dir(from).unwrap() {
        let entry = entry.unwrap();
        let target = to.join(entry.file_name());
        if entry.file_type().unwrap().is_dir() {
            copy_folder(&entry.path(), &target);
        } else {
            std::fs::copy(entry.path(), target).unwrap();
        }
    }
}

/// The only WARC file of the folder.
pub fn only_warc(dir: &Path) -> std::path::PathBuf {
    let mut files: Vec<_> = std::fs::read_dir(dir.join("warc"))
        .unwrap()
        .map(|entry| entry.unwrap().path())
        .collect();
    assert_eq!(files.len(), 1, "{files:?}");
    files.remove(0)
}

/// Asserts the invariants of a store: the counts agree with the rows, and every kept page has its body and text.
pub fn assert_sound(store: &Store) {
    let mut total = storage::Counts::default();
    for host in store.hosts().all() {
        total += host.unwrap().1;
    }
    assert_eq!(total, store.counts());
    assert_eq!(
        total.discovered,
        total.queued
            + total.kept
            + total.exact
            + total.near
            + total.redirected
            + total.failed
            + total.excluded
            + total.gone
    );
    assert_eq!(store.urls().count() as u64, total.discovered);
    let (mut next, mut current, mut bytes_kept) = (1, 0, 0);
    for page in store.pages_from(0) {
        let (sequence, page) = page.unwrap();
        // A number whose commit was lost, or whose page a rebuild did not find, stays unused.
        assert!(sequence >= next);
        next = sequence + 1;
        current += u64::from(page.fate == Fate::Current);
        bytes_kept += u64::from(page.is_kept()) * page.body_bytes;
        if matches!(page.fate, Fate::Current | Fate::Gone { .. }) {
            assert_eq!(
                store.page_by_url(&page.host, &page.url).unwrap(),
                Some((sequence, page.clone()))
            );
        }
        if page.response.is_some() {
            assert_eq!(store.text_of(&page).unwrap(), Some(text_of(&page.url)));
            assert_eq!(body_of(store, &page), Some(format!("<p>{}", page.url).into_bytes()));
        }
    }
    assert!(next <= store.next_page_id());
    assert_eq!((current, bytes_kept), (total.fetched(), total.bytes_kept));
    let due = store
        .queue()
        .urls()
        .filter(|row| row.as_ref().unwrap().revisits.is_some());
    assert_eq!(due.count() as u64, total.due);
}
