//! Rebuilds from a damaged or incomplete archive.

use std::io::{Read, Write};
use std::path::Path;

use flate2::Compression;
use flate2::read::GzDecoder;
use flate2::write::GzEncoder;
use storage::{Fate, FindingKind, OpenOptions, Rebuild, RebuildStep, StorageError, UrlState, Verdict};

use super::super::support::*;
use super::{eventful, findings, page, queued, rebuilt, take};

#[test]
fn a_lost_body_and_its_duplicates_are_queued_again_and_a_torn_tail_is_cut() {
    let dir = tempfile::tempdir().unwrap();
    let mut store = open(dir.path());
    let urls = store
        .discover(&[link("h", "a"), link("h", "b"), link("h", "c")])
        .unwrap();
    store
        .finish(&urls[0], page("https://h/a", Verdict::Unique), &[link("h", "d")])
        .unwrap();
    store
        .finish(&urls[1], page("https://h/b", Verdict::Exact { of: 1 }), &[])
        .unwrap();
    store
        .finish(&urls[2], page("https://h/c", Verdict::Unique), &[])
        .unwrap();
    store.commit().unwrap();
    let at = store.page(1).unwrap().unwrap().response.unwrap();
    drop(store);
    let path = only_warc(dir.path());
    let whole = std::fs::read(&path).unwrap();
    let mut bytes = whole.clone();
    bytes[(at.offset + at.length / 2) as usize] ^= 0x10;
    bytes.extend_from_slice(b"\x1f\x8b\x08torn");
    std::fs::write(&path, bytes).unwrap();
    let kinds: Vec<FindingKind> = findings(dir.path()).iter().map(|finding| finding.kind).collect();
    assert_eq!(kinds, [FindingKind::Body, FindingKind::Archive]);

    let (done, problems) = rebuilt(dir.path());
    assert_eq!((done.pages, done.kept, done.lost), (1, 1, 2));
    assert_eq!(
        problems.len(),
        4,
        "the damage, the page, its duplicate, the tail: {problems:?}"
    );
    let store = open(dir.path());
    assert_eq!(queued(&store), ["https://h/a", "https://h/b", "https://h/d"]);
    assert_eq!(store.url_state("h", "https://h/c").unwrap(), Some(UrlState::Page(3)));
    assert_eq!(std::fs::read(&path).unwrap().len(), whole.len(), "the tail is cut");
}

#[test]
fn a_page_whose_metadata_record_is_cut_off_is_fetched_again_once() {
    let dir = tempfile::tempdir().unwrap();
    versions(dir.path(), 1);
    let path = only_warc(dir.path());
    let bytes = std::fs::read(&path).unwrap();
    std::fs::write(&path, &bytes[..bytes.len() - 1]).unwrap();
    let begin = |problems: &mut Vec<String>| {
        let mut say = |step| {
            if let RebuildStep::Problem(what) = step {
                problems.push(what);
            }
        };
        let mut rebuild = Rebuild::begin(dir.path(), &OpenOptions::existing(), &mut say).unwrap();
        let undecided = rebuild.take_undecided();
        for _ in &undecided {
            rebuild.fetch_again(link("h", "a"));
        }
        rebuild.finish(&mut say).unwrap();
        undecided.len()
    };
    let mut problems = Vec::new();
    assert_eq!(begin(&mut problems), 1);
    let mut store = open(dir.path());
    let queued = take(&mut store, "a");
    store
        .finish(&queued, page("https://h/a", Verdict::Unique), &[])
        .unwrap();
    store.commit().unwrap();
    drop(store);
    problems.clear();
    assert_eq!((begin(&mut problems), problems), (0, vec![]));
    assert_eq!(findings(dir.path()), []);
}

/// Flips a bit in the middle of a record.
fn damage(dir: &Path, at: storage::WarcLocation) {
    let path = dir.join(format!("warc/crawl-20260321093000-{:05}.warc.gz", at.file));
    let mut bytes = std::fs::read(&path).unwrap();
    bytes[(at.offset + at.length / 2) as usize] ^= 0x10;
    std::fs::write(path, bytes).unwrap();
}

/// The record behind this one: the metadata record of the page.
fn behind(at: storage::WarcLocation) -> storage::WarcLocation {
    storage::WarcLocation {
        offset: at.offset + at.length,
        length: 80,
        ..at
    }
}

/// The page `https://h/a` in as many versions, and the numbers of these.
fn versions(dir: &Path, count: usize) -> Vec<u64> {
    let mut store = open(dir);
    let mut queued = store.discover(&[link("h", "a")]).unwrap();
    let mut numbers = Vec::new();
    for _ in 0..count {
        let finished = store
            .finish(&queued[0], page("https://h/a", Verdict::Unique), &[])
            .unwrap();
        store.commit().unwrap();
        numbers.push(finished.page_id.unwrap());
        queued = store.revisit(&numbers[numbers.len() - 1..], 0).unwrap();
    }
    numbers
}

#[test]
fn a_page_without_its_metadata_record_is_fetched_again() {
    let dir = tempfile::tempdir().unwrap();
    let mut store = open(dir.path());
    let urls = store.discover(&[link("h", "a"), link("h", "b")]).unwrap();
    store
        .finish(&urls[0], page("https://h/a", Verdict::Unique), &[link("h", "c")])
        .unwrap();
    store
        .finish(&urls[1], page("https://h/b", Verdict::Unique), &[])
        .unwrap();
    store.commit().unwrap();
    let text = store.page(1).unwrap().unwrap().text.unwrap();
    drop(store);
    damage(dir.path(), behind(text));
    let mut problems = Vec::new();
    let mut say = |step| {
        if let RebuildStep::Problem(what) = step {
            problems.push(what);
        }
    };
    let mut rebuild = Rebuild::begin(dir.path(), &OpenOptions::existing(), &mut say).unwrap();
    assert_eq!(rebuild.take_undecided(), ["https://h/a"]);
    rebuild.fetch_again(link("h", "a"));
    let done = rebuild.finish(&mut say).unwrap();
    // The link on the lost page is in the old state.
    assert_eq!((done.pages, done.lost, done.queued), (1, 1, 2));
    assert!(
        problems
            .iter()
            .any(|what| what.starts_with("https://h/a: its metadata record is lost")),
        "{problems:?}"
    );
    assert_eq!(queued(&open(dir.path())), ["https://h/a", "https://h/c"]);
}

#[test]
fn a_page_whose_metadata_record_cannot_be_decoded_is_fetched_again() {
    let dir = tempfile::tempdir().unwrap();
    let mut store = open(dir.path());
    let urls = store.discover(&[link("h", "a")]).unwrap();
    store
        .finish(&urls[0], page("https://h/a", Verdict::Unique), &[])
        .unwrap();
    store.commit().unwrap();
    let text = store.page(1).unwrap().unwrap().text.unwrap();
    drop(store);
    let path = only_warc(dir.path());
    let bytes = std::fs::read(&path).unwrap();
    let (before, metadata) = bytes.split_at((text.offset + text.length) as usize);
    let mut record = String::new();
    GzDecoder::new(metadata).read_to_string(&mut record).unwrap();
    assert!(record.contains("event: page"), "{record}");
    let record = record.replace("event: page", "event: else");
    let mut member = GzEncoder::new(before.to_vec(), Compression::fast());
    let without_digest = record.replace("WARC-Block-Digest", "X-Other");
    member.write_all(without_digest.as_bytes()).unwrap();
    std::fs::write(&path, member.finish().unwrap()).unwrap();
    let mut rebuild = Rebuild::begin(dir.path(), &OpenOptions::existing(), &mut |_| ()).unwrap();
    assert_eq!(rebuild.take_undecided(), ["https://h/a"]);
}

#[test]
fn a_version_stays_current_if_the_one_before_it_is_lost() {
    for is_record_lost in [false, true] {
        let dir = tempfile::tempdir().unwrap();
        let numbers = versions(dir.path(), 3);
        assert_eq!(numbers, [1, 2, 3]);
        let store = open(dir.path());
        let second = store.page(2).unwrap().unwrap();
        drop(store);
        damage(
            dir.path(),
            if is_record_lost {
                behind(second.text.unwrap())
            } else {
                second.response.unwrap()
            },
        );
        let (done, problems) = rebuilt(dir.path());
        assert_eq!((done.pages, done.lost), (1, 0), "{problems:?}");
        let store = open(dir.path());
        assert_eq!(store.url_state("h", "https://h/a").unwrap(), Some(UrlState::Page(3)));
        assert_eq!(store.page(3).unwrap().unwrap().previous, Some(1));
        assert_eq!(store.page(1).unwrap().unwrap().fate, Fate::Superseded { by: 3 });
        assert_eq!(queued(&store), [] as [&str; 0]);
        drop(store);
        let left = findings(dir.path());
        assert!(
            left.iter().all(|finding| finding.kind == FindingKind::Archive),
            "{left:?}"
        );
    }
}

#[test]
fn an_older_version_stays_and_is_visited_again_if_the_newest_is_lost() {
    let dir = tempfile::tempdir().unwrap();
    versions(dir.path(), 2);
    let newest = open(dir.path()).page(2).unwrap().unwrap();
    damage(dir.path(), newest.response.unwrap());
    let (done, _) = rebuilt(dir.path());
    assert_eq!((done.pages, done.lost), (1, 1));
    let store = open(dir.path());
    assert_eq!(store.url_state("h", "https://h/a").unwrap(), Some(UrlState::Page(1)));
    let waiting: Vec<_> = store.queue().urls().map(Result::unwrap).collect();
    assert_eq!(waiting.len(), 1);
    assert_eq!(waiting[0].revisits.as_ref().unwrap().page, 1);
    drop(store);
    let left = findings(dir.path());
    assert!(
        left.iter().all(|finding| finding.kind == FindingKind::Archive),
        "{left:?}"
    );
}

#[test]
fn a_lost_page_that_others_link_to_is_counted_as_lost() {
    let dir = tempfile::tempdir().unwrap();
    let mut store = open(dir.path());
    let first = store.discover(&[link("h", "a")]).unwrap();
    store
        .finish(&first[0], page("https://h/a", Verdict::Unique), &[link("h", "b")])
        .unwrap();
    let second = take(&mut store, "b");
    store
        .finish(&second, page("https://h/b", Verdict::Unique), &[])
        .unwrap();
    store.commit().unwrap();
    let at = store.page(2).unwrap().unwrap().response.unwrap();
    drop(store);
    damage(dir.path(), at);
    let (done, _) = rebuilt(dir.path());
    assert_eq!((done.lost, done.queued), (1, 1));
}

/// Its metadata record stays in the archive with that number.
#[test]
fn no_other_page_gets_the_number_of_a_lost_page() {
    let dir = tempfile::tempdir().unwrap();
    versions(dir.path(), 2);
    let newest = open(dir.path()).page(2).unwrap().unwrap();
    damage(dir.path(), newest.response.unwrap());
    rebuilt(dir.path());
    let store = open(dir.path());
    assert_eq!(store.next_page_id(), 3);
}

#[test]
fn a_missing_file_stops_a_run_and_a_rebuild_continues_without_its_pages() {
    let dir = tempfile::tempdir().unwrap();
    let before = eventful(dir.path()).counts();
    let first = dir.path().join("warc/crawl-20260321093000-00000.warc.gz");
    let kept_aside = dir.path().join("aside");
    std::fs::rename(&first, &kept_aside).unwrap();
    assert!(
        findings(dir.path())
            .iter()
            .any(|finding| finding.kind == FindingKind::Archive)
    );
    let refused = refusal(dir.path());
    assert!(
        matches!(&refused, StorageError::ArchiveMissing { path } if *path == first),
        "{refused}"
    );
    // With the file back, the store opens.
    std::fs::rename(&kept_aside, &first).unwrap();
    drop(open(dir.path()));
    std::fs::remove_file(&first).unwrap();
    let (done, problems) = rebuilt(dir.path());
    assert!(done.pages < before.fetched() && done.kept > 0, "{done:?}");
    assert!(problems.iter().any(|what| what.contains("file 00000")), "{problems:?}");
    assert_eq!(findings(dir.path()), []);
    drop(open(dir.path()));
    // A compaction keeps the note about the missing file.
    storage::compact(dir.path(), &OpenOptions::existing(), &mut |_| ()).unwrap();
    drop(open(dir.path()));
    assert_eq!(findings(dir.path()), []);
}
