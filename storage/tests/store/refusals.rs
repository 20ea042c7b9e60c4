//! Errors for stores that cannot be opened: each names the fault and the remedy.

use storage::{Discovered, OpenOptions, Outcome, StorageError, Store};

use super::support::*;

#[test]
fn a_store_in_use_names_the_process_and_says_what_to_do() {
    let dir = tempfile::tempdir().unwrap();
    let store = open(dir.path());
    let error = refusal(dir.path());
    assert!(
        matches!(&error, StorageError::Locked { holder: Some(holder), .. } if holder.pid == std::process::id()),
        "{error}"
    );
    assert!(error.to_string().contains("wait for it or stop it"));
    drop(store);
    drop(open(dir.path()));
}

#[test]
fn another_scheme_names_both_and_says_what_to_do() {
    let dir = tempfile::tempdir().unwrap();
    drop(open(dir.path()));
    let error = Store::open(
        dir.path(),
        &OpenOptions {
            scheme: Some("scheme-2".into()),
            ..options()
        },
    )
    .unwrap_err();
    assert!(matches!(error, StorageError::Scheme { .. }));
    for part in ["scheme-1", "scheme-2", "another data folder"] {
        assert!(error.to_string().contains(part), "{error}");
    }
}

#[test]
fn an_older_format_is_refused() {
    let dir = tempfile::tempdir().unwrap();
    let store = open(dir.path());
    let state = store.index_db().unwrap().open_tree("state").unwrap();
    state.insert(b"mformat", &b"CRAWLER\0\x01\0\0\0"[..]).unwrap();
    drop((state, store));
    let error = refusal(dir.path());
    assert!(matches!(error, StorageError::OtherFormat { found: 1, .. }), "{error}");
    assert!(error.to_string().contains("another data folder"), "{error}");
}

#[test]
fn a_newer_format_is_refused() {
    let dir = tempfile::tempdir().unwrap();
    let store = open(dir.path());
    let state = store.index_db().unwrap().open_tree("state").unwrap();
    state.insert(b"mformat", &b"CRAWLER\0\x63\0\0\0"[..]).unwrap();
    drop((state, store));
    let error = refusal(dir.path());
    assert!(matches!(error, StorageError::OtherFormat { found: 99, .. }), "{error}");
}

#[test]
fn no_store_is_created_unless_the_options_say_so() {
    let dir = tempfile::tempdir().unwrap();
    let nowhere = dir.path().join("nowhere");
    let error = Store::open(
        &nowhere,
        &OpenOptions {
            create: false,
            ..options()
        },
    )
    .unwrap_err();
    assert!(matches!(error, StorageError::NoStore { .. }), "{error}");
    assert!(error.to_string().contains("crawler run"));
    assert!(!nowhere.exists());
}

#[test]
fn a_path_that_cannot_be_a_folder_is_named() {
    let file = tempfile::NamedTempFile::new().unwrap();
    let error = refusal(&file.path().join("data"));
    assert!(matches!(error, StorageError::Io { .. }), "{error}");
    assert!(error.to_string().contains(&*file.path().to_string_lossy()));
}

#[test]
fn an_archive_without_a_state_is_not_overwritten() {
    let dir = tempfile::tempdir().unwrap();
    let mut store = open(dir.path());
    let queued = store.discover(&[link("h", "a")]).unwrap().remove(0);
    store.finish(&queued, kept(&queued), &[]).unwrap();
    store.commit().unwrap();
    drop(store);
    let archived = std::fs::read(only_warc(dir.path())).unwrap();
    std::fs::remove_dir_all(dir.path().join("state")).unwrap();
    let error = refusal(dir.path());
    assert!(matches!(error, StorageError::StateMissing { .. }), "{error}");
    assert_eq!(std::fs::read(only_warc(dir.path())).unwrap(), archived);
}

#[test]
fn a_damaged_state_is_an_error_and_leaves_the_archive_alone() {
    let dir = tempfile::tempdir().unwrap();
    let mut store = open(dir.path());
    let links: Vec<_> = (0..3_000).map(|n| link("h", &n.to_string())).collect();
    let queued = store.discover(&links).unwrap();
    for queued in &queued[..50] {
        store.finish(queued, kept(queued), &[]).unwrap();
        store.commit().unwrap();
    }
    drop(store);
    let archived = std::fs::read(only_warc(dir.path())).unwrap();
    let db = dir.path().join("state/db");
    let whole = std::fs::read(&db).unwrap();
    let mut refused = 0;
    for (at, cut) in [
        (10, false),
        (1_000, true),
        (whole.len() / 2, true),
        (whole.len() / 3, false),
        (0, true),
    ] {
        let copy = tempfile::tempdir().unwrap();
        copy_folder(dir.path(), copy.path());
        let mut bytes = whole.clone();
        if cut {
            bytes.truncate(at);
        } else {
            bytes[at..at + 5_000].iter_mut().for_each(|byte| *byte ^= 0xff);
        }
        std::fs::write(copy.path().join("state/db"), bytes).unwrap();
        match Store::open(copy.path(), &options()) {
            // The damage may lie in unused space; then nothing may be missing.
            Ok(store) => assert_eq!(store.counts().kept, 50),
            Err(error) => {
                assert!(error.to_string().contains("put"), "{error}");
                refused += 1;
            }
        }
        assert_eq!(std::fs::read(only_warc(copy.path())).unwrap(), archived);
    }
    assert!(refused >= 3, "{refused}");
}

#[test]
fn a_url_that_cannot_be_a_key_is_refused_and_changes_nothing() {
    let dir = tempfile::tempdir().unwrap();
    let mut store = open(dir.path());
    let page = store.discover(&[link("h", "a")]).unwrap().remove(0);
    let bad = Discovered {
        host: "h\0".into(),
        ..link("h", "b")
    };
    for error in [
        store.discover(&[link("h", "c"), bad.clone()]).map(|_| ()).unwrap_err(),
        store
            .finish(&page, kept(&page), &[link("h", "c"), bad])
            .map(|_| ())
            .unwrap_err(),
    ] {
        assert!(matches!(error, StorageError::InvalidUrl { .. }), "{error}");
    }
    assert_eq!((store.counts().discovered, store.next_page_id()), (1, 1));
    assert_eq!(store.discover(&[link("h", "c")]).unwrap().len(), 1);
}

#[test]
fn a_url_is_finished_once() {
    let dir = tempfile::tempdir().unwrap();
    let mut store = open(dir.path());
    let page = store.discover(&[link("h", "a")]).unwrap().remove(0);
    let again = store.finish(&page, Outcome::Retry, &[]).unwrap().requeued.unwrap();
    assert!(matches!(
        store.finish(&page, kept(&page), &[]),
        Err(StorageError::NotQueued { .. })
    ));
    store.finish(&again, kept(&again), &[]).unwrap();
    assert!(matches!(
        store.finish(&again, kept(&again), &[]),
        Err(StorageError::NotQueued { .. })
    ));
    store.commit().unwrap();
    assert!(matches!(
        store.finish(&again, kept(&again), &[]),
        Err(StorageError::NotQueued { .. })
    ));
    assert_eq!(store.counts().kept, 1);
    assert_sound(&store);
}

#[test]
fn an_unfinished_snapshot_of_the_database_is_no_damage() {
    let dir = tempfile::tempdir().unwrap();
    drop(open(dir.path()));
    // A kill or a full disk leaves a snapshot with the newest name, cut short.
    let left = dir.path().join("state/snap.7FFFFFFFFFFFFFFF.generating");
    std::fs::write(&left, b"cut").unwrap();
    drop(open(dir.path()));
    assert!(!left.exists());
}

#[test]
fn a_file_in_the_place_of_the_data_folder_is_named() {
    let dir = tempfile::tempdir().unwrap();
    let file = dir.path().join("data");
    std::fs::write(&file, "text").unwrap();
    let reading = Store::open_untouched(&file, &OpenOptions::existing()).unwrap_err();
    for error in [refusal(&file), reading] {
        assert!(matches!(error, StorageError::NoFolder { .. }), "{error}");
        assert!(error.to_string().contains("is a file"));
    }
    assert_eq!(std::fs::read_to_string(&file).unwrap(), "text");
}
