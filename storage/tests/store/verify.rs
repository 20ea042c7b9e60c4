//! Verification finds each kind of fault.

use std::path::Path;

use storage::{FindingKind, OpenOptions, Outcome, Store, Verdict};

use super::rebuild::findings;
use super::support::*;

/// Two kept pages, a duplicate, a failure and two queued URLs.
fn crawled(dir: &Path) -> Store {
    let mut store = open(dir);
    let paths = ["a", "b", "c", "d"].map(|path| link("h", path));
    let urls = store.discover(&paths).unwrap();
    for queued in &urls[..2] {
        store
            .finish(queued, kept(queued), &[link("i", "x"), link("i", "y")])
            .unwrap();
    }
    store.finish(&urls[2], exact(1), &[]).unwrap();
    let (kind, status, detail) = ("dns".to_owned(), None, String::new());
    store
        .finish(&urls[3], Outcome::Failed { kind, status, detail }, &[])
        .unwrap();
    store.commit().unwrap();
    store
}

fn kinds(dir: &Path) -> Vec<FindingKind> {
    let mut kinds: Vec<FindingKind> = findings(dir).into_iter().map(|finding| finding.kind).collect();
    kinds.sort();
    kinds.dedup();
    kinds
}

#[test]
fn a_sound_store_with_the_tail_of_a_killed_run_has_no_findings_and_keeps_the_tail() {
    let dir = tempfile::tempdir().unwrap();
    drop(crawled(dir.path()));
    assert_eq!(findings(dir.path()), []);
    let path = only_warc(dir.path());
    let mut bytes = std::fs::read(&path).unwrap();
    bytes.extend_from_slice(b"\x1f\x8b\x08torn");
    std::fs::write(&path, &bytes).unwrap();
    assert_eq!(findings(dir.path()), []);
    assert_eq!(std::fs::read(&path).unwrap(), bytes, "verification changes nothing");
}

#[test]
fn rows_that_do_not_agree_are_found() {
    // The first byte of a key is its table.
    for (table, expected) in [
        (b'q', FindingKind::Counts),
        (b'h', FindingKind::Counts),
        (b'p', FindingKind::Page),
    ] {
        let dir = tempfile::tempdir().unwrap();
        let store = crawled(dir.path());
        let state = store.index_db().unwrap().open_tree("state").unwrap();
        let (key, _) = state.scan_prefix([table]).next().unwrap().unwrap();
        state.remove(key).unwrap();
        drop((state, store));
        if table == b'p' {
            // The URL names the missing page, so verification ends with an error.
            let store = Store::open_untouched(dir.path(), &OpenOptions::existing()).unwrap();
            assert!(store.page(1).unwrap().is_none());
            continue;
        }
        assert!(kinds(dir.path()).contains(&expected), "{}", char::from(table));
    }
}

#[test]
fn the_body_of_another_page_is_found() {
    let dir = tempfile::tempdir().unwrap();
    let store = crawled(dir.path());
    let at = |page: u64| store.page(page).unwrap().unwrap().response.unwrap();
    let (first, second) = (at(1), at(2));
    drop(store);
    let path = only_warc(dir.path());
    let mut bytes = std::fs::read(&path).unwrap();
    let member = bytes[first.offset as usize..(first.offset + first.length) as usize].to_vec();
    if member.len() as u64 == second.length {
        bytes[second.offset as usize..(second.offset + second.length) as usize].copy_from_slice(&member);
    } else {
        bytes[(second.offset + second.length / 2) as usize] ^= 1;
    }
    std::fs::write(&path, bytes).unwrap();
    assert!(kinds(dir.path()).contains(&FindingKind::Body));
}

#[test]
fn a_digest_that_does_not_match_is_found() {
    let dir = tempfile::tempdir().unwrap();
    let mut store = open(dir.path());
    let queued = store.discover(&[link("h", "a")]).unwrap().remove(0);
    let Outcome::Page { mut draft, capture } = kept(&queued) else {
        panic!("a page")
    };
    draft.verdict = Verdict::Unique;
    draft.payload_digest = [7; 20];
    store.finish(&queued, Outcome::Page { draft, capture }, &[]).unwrap();
    store.commit().unwrap();
    drop(store);
    assert_eq!(kinds(dir.path()), [FindingKind::Body]);
}

/// A store with an index of its archive, and the path of the index.
fn indexed(dir: &Path) -> std::path::PathBuf {
    storage::cdxj::write_index(&mut crawled(dir)).unwrap()
}

#[test]
fn every_changed_byte_and_every_cut_of_the_index_file_is_found() {
    let dir = tempfile::tempdir().unwrap();
    let path = indexed(dir.path());
    assert_eq!(findings(dir.path()), []);
    let bytes = std::fs::read(&path).unwrap();
    let damaged = (0..bytes.len()).step_by(7).flat_map(|at| {
        let mut flipped = bytes.clone();
        flipped[at] ^= 1 << (at % 7);
        [flipped, bytes[..at].to_vec()]
    });
    let lines: Vec<&[u8]> = bytes.split_inclusive(|byte| *byte == b'\n').collect();
    let in_other_order = lines.iter().rev().copied().collect::<Vec<_>>().concat();
    let twice = [&bytes[..], lines[lines.len() - 1]].concat();
    for damaged in damaged.chain([in_other_order, twice, bytes[..bytes.len() - 1].to_vec()]) {
        std::fs::write(&path, &damaged).unwrap();
        assert_eq!(
            kinds(dir.path()),
            [FindingKind::IndexFile],
            "{:?}",
            String::from_utf8_lossy(&damaged)
        );
    }
    std::fs::remove_file(&path).unwrap();
    assert_eq!(kinds(dir.path()), [FindingKind::IndexFile]);
    storage::cdxj::write_index(&mut open(dir.path())).unwrap();
    assert_eq!((std::fs::read(&path).unwrap(), findings(dir.path())), (bytes, vec![]));
}

#[test]
fn a_capture_of_a_killed_run_may_be_missing_in_the_index_file_and_an_earlier_one_may_not() {
    let dir = tempfile::tempdir().unwrap();
    let path = indexed(dir.path());
    let mut store = open(dir.path());
    let queued = store.discover(&[link("h", "later")]).unwrap().remove(0);
    store.finish(&queued, kept(&queued), &[]).unwrap();
    store.commit().unwrap();
    drop(store);
    assert_eq!(findings(dir.path()), []);
    let text = std::fs::read_to_string(&path).unwrap();
    let (_, without_the_first) = text.split_once('\n').unwrap();
    std::fs::write(&path, without_the_first).unwrap();
    assert_eq!(kinds(dir.path()), [FindingKind::IndexFile]);
}

#[test]
fn a_rebuild_writes_the_index_file_again() {
    let dir = tempfile::tempdir().unwrap();
    let path = indexed(dir.path());
    let bytes = std::fs::read(&path).unwrap();
    std::fs::write(&path, bytes.to_ascii_uppercase()).unwrap();
    assert_eq!(kinds(dir.path()), [FindingKind::IndexFile]);
    super::rebuild::rebuilt(dir.path());
    assert_eq!((std::fs::read(&path).unwrap(), findings(dir.path())), (bytes, vec![]));
}

#[test]
fn a_page_whose_row_differs_from_its_metadata_record_is_found() {
    let dir = tempfile::tempdir().unwrap();
    let store = crawled(dir.path());
    let state = store.index_db().unwrap().open_tree("state").unwrap();
    for (key, value) in state.scan_prefix([b'p']).map(Result::unwrap) {
        let title = value.windows(7).position(|window| window == b"A title").unwrap();
        let mut other = value.to_vec();
        other[title] = b'B';
        state.insert(key, other).unwrap();
    }
    drop((state, store));
    let found = findings(dir.path());
    assert_eq!(found.len(), 3, "{found:?}");
    for finding in found {
        assert_eq!(finding.kind, FindingKind::Page);
        assert!(finding.what.ends_with(": title"), "{}", finding.what);
    }
}

#[test]
fn a_url_that_its_hash_does_not_find_and_a_row_of_a_page_that_is_not_there_are_found() {
    for (table, key, value) in [
        (b'k', None, vec![]),
        (b'v', Some(99_u64), vec![0; 6]),
        (b'g', Some(1), vec![9, 9]),
    ] {
        let dir = tempfile::tempdir().unwrap();
        let store = crawled(dir.path());
        let state = store.index_db().unwrap().open_tree("state").unwrap();
        match key {
            Some(number) => {
                let key = [&[table][..], &number.to_be_bytes()].concat();
                state.insert(key, value).unwrap();
            }
            None => {
                let (key, _) = state.scan_prefix([table]).next().unwrap().unwrap();
                state.remove(key).unwrap();
            }
        }
        drop((state, store));
        assert!(kinds(dir.path()).contains(&FindingKind::State), "{}", char::from(table));
    }
}
