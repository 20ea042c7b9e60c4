//! Pages that hold bytes which look like records of the crawl, in an archive with damage.

use std::io::{Cursor, Write};
use std::path::{Path, PathBuf};

use flate2::Compression;
use flate2::write::GzEncoder;
use storage::warc::{LocatedRecord, Record, WarcLocation, WarcReader};
use storage::{Fate, OpenOptions, Outcome, Rebuild, RebuildStep, Rebuilt, Verdict};

use super::super::support::*;
use super::{eventful, findings, page, queued, take};

/// A `metadata` record that says of page 1 that it may not be stored, in a commit far away.
fn forged() -> Vec<u8> {
    let block = "commit: 5000000000\r\nevent: moved\r\npage: 1\r\nexcluded: said by a page\r\n";
    let head = "WARC/1.1\r\nWARC-Type: metadata\r\nWARC-Record-ID: <urn:uuid:1>\r\nWARC-Date: 2026-03-21T09:30:00Z\r\n\
        WARC-Target-URI: https://h/a\r\nContent-Type: application/warc-fields";
    gzip(&format!(
        "{head}\r\nContent-Length: {}\r\n\r\n{block}\r\n\r\n",
        block.len()
    ))
}

fn gzip(record: &str) -> Vec<u8> {
    let mut member = GzEncoder::new(Vec::new(), Compression::fast());
    member.write_all(record.as_bytes()).unwrap();
    member.finish().unwrap()
}

/// A page that does not compress, so that the archive has most of its bytes as they are.
fn hostile(url: &str) -> Outcome {
    let mut random = 1_u64;
    let mut noise = |bytes: usize| -> Vec<u8> {
        let mut next = || {
            random = random.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
            (random >> 56) as u8
        };
        (0..bytes).map(|_| next()).collect()
    };
    let body = (0..10)
        .flat_map(|_| [noise(40_000), forged()].concat())
        .collect::<Vec<u8>>();
    let mut draft = draft(Verdict::Unique);
    draft.payload_digest = storage::warc::payload_digest(&body);
    Outcome::Page {
        draft: Box::new(draft),
        capture: Some(capture(url, &body, &text_of(url))),
    }
}

/// The pages `a`, `evil` and `b`, each in a commit. Returns the place of the body of `evil`.
fn with_hostile_page(dir: &Path) -> WarcLocation {
    let mut store = open(dir);
    store
        .discover(&[link("h", "a"), link("h", "evil"), link("h", "b")])
        .unwrap();
    for path in ["a", "evil", "b"] {
        let queued = take(&mut store, path);
        let outcome = match path {
            "evil" => hostile(&queued.url),
            _ => page(&queued.url, Verdict::Unique),
        };
        store.finish(&queued, outcome, &[]).unwrap();
        store.commit().unwrap();
    }
    let at = store.page(2).unwrap().unwrap().response.unwrap();
    drop(store);
    at
}

/// Flips a bit of the only WARC file.
fn flip(dir: &Path, at: u64) {
    flip_in(&first_warc(dir), at);
}

fn flip_in(path: &Path, at: u64) {
    let mut bytes = std::fs::read(path).unwrap();
    bytes[at as usize] ^= 0x10;
    std::fs::write(path, bytes).unwrap();
}

/// The first WARC file. A rebuild writes the index beside it.
fn first_warc(dir: &Path) -> PathBuf {
    dir.join("warc/crawl-20260321093000-00000.warc.gz")
}

/// A rebuild, with the URLs to be fetched again and the problems.
fn rebuilt_with(dir: &Path) -> (Rebuilt, Vec<String>, Vec<String>) {
    let mut problems = Vec::new();
    let mut say = |step| {
        if let RebuildStep::Problem(what) = step {
            problems.push(what);
        }
    };
    let mut rebuild = Rebuild::begin(dir, &OpenOptions::existing(), &mut say).unwrap();
    let undecided = rebuild.take_undecided();
    let done = rebuild.finish(&mut say).unwrap();
    (done, undecided, problems)
}

fn records_of(path: &Path) -> Vec<LocatedRecord> {
    let reader = WarcReader::new(Cursor::new(std::fs::read(path).unwrap()));
    reader.filter_map(|read| read.unwrap().ok()).collect()
}

fn is_forged(record: &Record) -> bool {
    record.block.starts_with(b"commit: 5000000000")
}

#[test]
fn what_a_damaged_page_holds_is_no_record_of_the_crawl() {
    let dir = tempfile::tempdir().unwrap();
    let at = with_hostile_page(dir.path());
    flip(dir.path(), at.offset + 100);
    let found = records_of(&first_warc(dir.path()));
    let count = found.iter().filter(|located| is_forged(&located.record)).count();
    assert!(count > 0, "the archive has bytes of the page as they are");

    let (done, _, problems) = rebuilt_with(dir.path());
    assert_eq!((done.pages, done.lost), (2, 1), "{problems:?}");
    let refused = problems.iter().filter(|what| what.contains("does not name the head"));
    assert_eq!(refused.count(), count, "{problems:?}");
    let store = open(dir.path());
    assert_eq!(store.page(1).unwrap().unwrap().fate, Fate::Current);
    assert_eq!(store.page(3).unwrap().unwrap().fate, Fate::Current, "behind the damage");
    assert_eq!(queued(&store), ["https://h/evil"]);
    drop(store);
    assert_eq!(
        std::fs::read_to_string(dir.path().join("last-commit"))
            .unwrap()
            .trim()
            .len(),
        1,
        "no commit of a page"
    );
}

#[test]
fn a_torn_page_behind_the_end_of_the_archive_names_no_commit() {
    let dir = tempfile::tempdir().unwrap();
    let mut store = open(dir.path());
    let urls = store.discover(&[link("h", "a"), link("h", "evil")]).unwrap();
    store
        .finish(&urls[0], page("https://h/a", Verdict::Unique), &[])
        .unwrap();
    store.commit().unwrap();
    let before = tempfile::tempdir().unwrap();
    copy_folder(dir.path(), before.path());
    store.finish(&urls[1], hostile("https://h/evil"), &[]).unwrap();
    store.commit().unwrap();
    let at = store.page(2).unwrap().unwrap().response.unwrap();
    drop(store);
    // A kill while the last commit is written.
    let bytes = std::fs::read(first_warc(dir.path())).unwrap();
    let torn = &bytes[..(at.offset + at.length - 10) as usize];
    std::fs::write(first_warc(before.path()), torn).unwrap();
    let found = records_of(&first_warc(before.path()));
    assert!(found.iter().any(|located| is_forged(&located.record)));
    let store = open(before.path());
    assert_eq!((store.counts().kept, store.counts().queued), (1, 1));
}

/// An old copy of the state must not cut off the records of later commits, even if a record between them is damaged.
#[test]
fn a_commit_behind_damage_is_seen() {
    let dir = tempfile::tempdir().unwrap();
    let mut store = open(dir.path());
    let urls = store
        .discover(&[link("h", "a"), link("h", "b"), link("h", "c")])
        .unwrap();
    store
        .finish(&urls[0], page("https://h/a", Verdict::Unique), &[])
        .unwrap();
    store.commit().unwrap();
    let before = tempfile::tempdir().unwrap();
    copy_folder(dir.path(), before.path());
    for queued in &urls[1..] {
        store.finish(queued, page(&queued.url, Verdict::Unique), &[]).unwrap();
        store.commit().unwrap();
    }
    let at = store.page(2).unwrap().unwrap().response.unwrap();
    drop(store);
    std::fs::copy(first_warc(dir.path()), first_warc(before.path())).unwrap();
    for place in [at.offset + at.length / 2, at.offset + at.length + 20] {
        flip(before.path(), place);
        let refused = refusal(before.path());
        assert!(
            matches!(refused, storage::StorageError::RolledBack { expected, found: 1, .. } if expected == 2),
            "{refused}"
        );
    }
}

#[test]
fn behind_a_damaged_head_nothing_is_lost() {
    let dir = tempfile::tempdir().unwrap();
    let at = with_hostile_page(dir.path());
    flip(dir.path(), 30);
    let (done, undecided, problems) = rebuilt_with(dir.path());
    assert_eq!((done.pages, done.lost, undecided.len()), (3, 0, 0), "{problems:?}");
    flip(dir.path(), at.offset + 100);
    let (done, _, problems) = rebuilt_with(dir.path());
    assert_eq!((done.pages, done.lost), (2, 1), "{problems:?}");
    // New records go to a file whose head can be named.
    let mut store = open(dir.path());
    let queued = take(&mut store, "evil");
    store.finish(&queued, page(&queued.url, Verdict::Unique), &[]).unwrap();
    store.commit().unwrap();
    let place = store.page(store.next_page_id() - 1).unwrap().unwrap().response.unwrap();
    assert_eq!(place.file, 1);
}

#[test]
fn every_metadata_record_of_an_event_names_the_head_of_its_file() {
    let dir = tempfile::tempdir().unwrap();
    drop(eventful(dir.path()));
    // Another run continues the last file.
    let mut store = open(dir.path());
    let queued = store.discover(&[link("h", "later")]).unwrap();
    store
        .finish(&queued[0], page("https://h/later", Verdict::Unique), &[])
        .unwrap();
    store.commit().unwrap();
    drop(store);
    let (mut files, mut named) = (0, 0);
    for entry in std::fs::read_dir(dir.path().join("warc")).unwrap() {
        let path = entry.unwrap().path();
        if path.extension().is_none_or(|extension| extension != "gz") {
            continue;
        }
        let records = records_of(&path);
        files += 1;
        let id = records[0].record.field("WARC-Record-ID").unwrap();
        for located in records.iter().filter(|located| located.record.kind() == "metadata") {
            assert_eq!(located.record.field("WARC-Warcinfo-ID"), Some(id));
            named += 1;
        }
    }
    assert!(files > 2 && named > 10, "{files} {named}");
    assert_eq!(findings(dir.path()), []);
}

/// Writes the file as versions did that named no head.
fn make_old(path: &Path) {
    let old = records_of(path).into_iter().flat_map(|located| {
        let Record { fields, block, .. } = located.record;
        let fields = fields.iter().filter(|(name, _)| name != "WARC-Warcinfo-ID");
        let head: String = fields.map(|(name, value)| format!("{name}: {value}\r\n")).collect();
        let block = String::from_utf8(block).unwrap();
        gzip(&format!("WARC/1.1\r\n{head}\r\n{block}\r\n\r\n"))
    });
    let bytes: Vec<u8> = old.collect();
    std::fs::write(path, bytes).unwrap();
}

#[test]
fn records_that_name_no_head_count_up_to_the_first_damage() {
    let dir = tempfile::tempdir().unwrap();
    let mut store = open(dir.path());
    let urls = store
        .discover(&[link("h", "a"), link("h", "b"), link("h", "c")])
        .unwrap();
    for queued in &urls {
        store.finish(queued, page(&queued.url, Verdict::Unique), &[]).unwrap();
    }
    store.commit().unwrap();
    drop(store);
    let path = first_warc(dir.path());
    make_old(&path);
    let (done, undecided, problems) = rebuilt_with(dir.path());
    assert_eq!((done.pages, undecided.len()), (3, 0), "{problems:?}");
    let is_body_of_b = |located: &&LocatedRecord| {
        located.record.kind() == "response" && located.record.field("WARC-Target-URI") == Some("https://h/b")
    };
    let records = records_of(&path);
    let body = records.iter().find(is_body_of_b).unwrap();
    flip_in(&path, body.offset + body.length / 2);
    let (done, undecided, problems) = rebuilt_with(dir.path());
    assert_eq!(done.pages, 1, "{problems:?}");
    assert!(
        ["https://h/b", "https://h/c"]
            .iter()
            .all(|url| undecided.iter().any(|found| found == url)),
        "{undecided:?}"
    );
}
