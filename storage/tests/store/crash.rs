//! Recovery after a process ended without a commit.

use std::collections::HashSet;
use std::fs::OpenOptions;
use std::io::Write;

use storage::{StorageError, Store};

use super::support::*;

fn nothing_skipped() -> HashSet<u64> {
    HashSet::new()
}

#[test]
fn uncommitted_urls_are_in_the_queue_again() {
    let dir = tempfile::tempdir().unwrap();
    let mut store = open(dir.path());
    let queued = store.discover(&[link("h", "a"), link("h", "b")]).unwrap();
    store.finish(&queued[0], kept(&queued[0]), &[]).unwrap();
    store.commit().unwrap();
    store.finish(&queued[1], kept(&queued[1]), &[link("h", "c")]).unwrap();
    drop(store);

    let mut store = open(dir.path());
    assert_sound(&store);
    assert_eq!(
        (store.counts().kept, store.counts().discovered, store.next_page_id()),
        (1, 2, 2)
    );
    assert_eq!(store.refill("h", 9, &nothing_skipped()).unwrap(), [queued[1].clone()]);
    let outlinks = store
        .finish(&queued[1], kept(&queued[1]), &[link("h", "c")])
        .unwrap()
        .newly_queued;
    assert_eq!(outlinks.len(), 1);
    store.commit().unwrap();
    assert_sound(&store);
}

#[test]
fn a_copy_of_the_folder_between_two_commits_is_the_earlier_one() {
    let dir = tempfile::tempdir().unwrap();
    let mut store = open(dir.path());
    let links: Vec<_> = (0..30).map(|n| link("h", &n.to_string())).collect();
    let queued = store.discover(&links).unwrap();
    for (n, queued) in queued.iter().enumerate() {
        store
            .finish(queued, kept(queued), &[link("i", &n.to_string())])
            .unwrap();
        if n % 5 == 4 {
            store.commit().unwrap();
        }
        let committed = (n as u64 + 1) / 5 * 5;
        let copy = tempfile::tempdir().unwrap();
        copy_folder(dir.path(), copy.path());
        let copied = open(copy.path());
        assert_sound(&copied);
        assert_eq!(copied.counts().kept, committed);
        if committed > 0 {
            let left = copied.refill("h", 99, &nothing_skipped()).unwrap();
            assert_eq!(left.len() as u64, 30 - committed);
        }
    }
}

#[test]
fn a_tail_of_the_archive_without_committed_rows_is_cut_off() {
    let dir = tempfile::tempdir().unwrap();
    let mut store = open(dir.path());
    let queued = store.discover(&[link("h", "a"), link("h", "b")]).unwrap();
    store.finish(&queued[0], kept(&queued[0]), &[]).unwrap();
    store.commit().unwrap();
    drop(store);
    let path = only_warc(dir.path());
    let committed = std::fs::read(&path).unwrap();
    let tails: [&[u8]; 3] = [b"\x1f\x8b\x08torn", &committed, &[0; 5_000]];
    for tail in tails {
        OpenOptions::new()
            .append(true)
            .open(&path)
            .unwrap()
            .write_all(tail)
            .unwrap();
        // A file that the interrupted commit began, and a file of another program.
        let next = path.with_file_name("crawl-20260321093000-00001.warc.gz");
        let other = path.with_file_name("crawl-20250101000000-00007.warc.gz");
        std::fs::write(&next, tail).unwrap();
        std::fs::write(&other, tail).unwrap();
        let store = open(dir.path());
        assert_eq!(std::fs::read(&path).unwrap(), committed);
        assert!(!next.exists());
        assert_eq!(std::fs::read(&other).unwrap(), tail);
        std::fs::remove_file(other).unwrap();
        assert_sound(&store);
    }
    let mut store = open(dir.path());
    store.finish(&queued[1], kept(&queued[1]), &[]).unwrap();
    store.commit().unwrap();
    assert_sound(&store);
}

#[test]
fn an_archive_that_lacks_committed_records_is_named() {
    let dir = tempfile::tempdir().unwrap();
    let mut store = open(dir.path());
    let queued = store.discover(&[link("h", "a")]).unwrap();
    store.finish(&queued[0], kept(&queued[0]), &[]).unwrap();
    store.commit().unwrap();
    drop(store);
    let path = only_warc(dir.path());
    let whole = std::fs::read(&path).unwrap();
    std::fs::write(&path, &whole[..whole.len() - 1]).unwrap();
    let error = refusal(dir.path());
    assert!(
        matches!(&error, StorageError::ArchiveShort { expected, found, .. } if *expected == *found + 1),
        "{error}"
    );
    std::fs::remove_file(&path).unwrap();
    assert!(matches!(
        refusal(dir.path()),
        StorageError::ArchiveShort { found: 0, .. }
    ));
    std::fs::write(&path, &whole).unwrap();
    assert_sound(&open(dir.path()));
}

#[test]
fn an_old_copy_of_the_state_does_not_cut_off_later_records() {
    let dir = tempfile::tempdir().unwrap();
    let mut store = open(dir.path());
    let queued = store.discover(&[link("h", "a"), link("h", "b")]).unwrap();
    store.finish(&queued[0], kept(&queued[0]), &[]).unwrap();
    store.commit().unwrap();
    let old = tempfile::tempdir().unwrap();
    copy_folder(&dir.path().join("state"), old.path());
    store.finish(&queued[1], kept(&queued[1]), &[]).unwrap();
    store.commit().unwrap();
    drop(store);
    let archived = std::fs::read(only_warc(dir.path())).unwrap();
    std::fs::remove_dir_all(dir.path().join("state")).unwrap();
    copy_folder(old.path(), &dir.path().join("state"));
    let error = refusal(dir.path());
    assert!(
        matches!(
            error,
            StorageError::RolledBack {
                expected: 2,
                found: 1,
                ..
            }
        ),
        "{error}"
    );
    assert_eq!(std::fs::read(only_warc(dir.path())).unwrap(), archived);
}

#[test]
fn a_damaged_record_of_the_archive_is_an_error_with_its_place() {
    let dir = tempfile::tempdir().unwrap();
    let mut store = open(dir.path());
    let queued = store.discover(&[link("h", "a")]).unwrap().remove(0);
    store.finish(&queued, kept(&queued), &[]).unwrap();
    store.commit().unwrap();
    let page = store.page(1).unwrap().unwrap();
    let at = page.text.unwrap();
    let path = only_warc(dir.path());
    let mut bytes = std::fs::read(&path).unwrap();
    bytes[(at.offset + at.length / 2) as usize] ^= 1;
    std::fs::write(&path, bytes).unwrap();
    let error = store.text_of(&page).unwrap_err();
    assert!(
        matches!(&error, StorageError::ArchiveDamaged { offset, .. } if *offset == at.offset),
        "{error}"
    );
    assert!(body_of(&store, &page).is_some());
}

#[test]
fn memory_is_bounded_if_the_caller_never_commits() {
    let dir = tempfile::tempdir().unwrap();
    let mut store: Store = open(dir.path());
    let mut most = 0;
    for n in 0..90 {
        let links: Vec<_> = (0..1_000).map(|m| link("h", &format!("{n}/{m}"))).collect();
        store.discover(&links).unwrap();
        most = most.max(store.pending());
    }
    assert!(most <= (1 << 16) + 2_000, "{most}");
    assert!(store.pending() < most);
}

#[test]
fn an_old_copy_of_the_state_is_refused_by_the_commits_in_the_archive() {
    let dir = tempfile::tempdir().unwrap();
    let old = tempfile::tempdir().unwrap();
    let mut store = open(dir.path());
    for n in 0..4 {
        let queued = store.discover(&[link("h", &n.to_string())]).unwrap();
        store.finish(&queued[0], kept(&queued[0]), &[]).unwrap();
        store.commit().unwrap();
        if n == 0 {
            copy_folder(&dir.path().join("state"), &old.path().join("state"));
        }
    }
    drop(store);
    std::fs::remove_dir_all(dir.path().join("state")).unwrap();
    copy_folder(&old.path().join("state"), &dir.path().join("state"));
    let archive = std::fs::read(only_warc(dir.path())).unwrap();
    for mark in ["", "1\n", "nonsense"] {
        std::fs::write(dir.path().join("last-commit"), mark).unwrap();
        let error = refusal(dir.path());
        assert!(
            matches!(&error, StorageError::RolledBack { found: 1, .. }),
            "{mark:?}: {error}"
        );
        assert!(Store::open_untouched(dir.path(), &options()).is_err());
        assert_eq!(std::fs::read(only_warc(dir.path())).unwrap(), archive);
    }
}
