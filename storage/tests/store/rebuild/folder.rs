//! Rebuilds and compactions in a data folder: old states, other crawls, links.

use storage::{OpenOptions, Rebuild, StorageError, Store, Verdict};

use super::super::support::*;
use super::{eventful, findings, page, pages, rebuilt};

#[test]
fn an_unfinished_rebuild_starts_again_and_the_old_state_is_kept() {
    let dir = tempfile::tempdir().unwrap();
    let before = pages(&eventful(dir.path()));
    let rebuild = Rebuild::begin(dir.path(), &OpenOptions::existing(), &mut |_| ()).unwrap();
    let refused = Store::open(dir.path(), &options()).unwrap_err();
    assert!(matches!(refused, StorageError::Locked { .. }), "{refused}");
    drop(rebuild);
    assert_eq!(pages(&open(dir.path())), before, "untouched");
    std::fs::write(dir.path().join("state.rebuilding/left"), "by a kill").unwrap();
    for name in ["state.before-rebuild", "state.before-rebuild-2"] {
        rebuilt(dir.path());
        assert!(dir.path().join(name).join("db").is_file());
        assert_eq!(pages(&open(dir.path())), before);
    }
    let done = storage::compact(dir.path(), &OpenOptions::existing(), &mut |_| ()).unwrap();
    assert_eq!(done.removed, ["state.before-rebuild", "state.before-rebuild-2"]);
    assert!(done.after < done.before, "{done:?}");
    assert_eq!(findings(dir.path()), []);
    assert_eq!(pages(&open(dir.path())), before);
}

#[test]
fn gc_removes_only_folders_of_this_crate() {
    let dir = tempfile::tempdir().unwrap();
    drop(eventful(dir.path()));
    let theirs = [
        "state.bak",
        "state.before-rebuild-mine",
        "state.before-gc-02",
        "state.before-rebuild-1",
        "state.2026",
        "state.rebuilding.old",
    ];
    let ours = [
        "state.before-gc",
        "state.before-rebuild",
        "state.before-rebuild-12",
        "state.rebuilding",
    ];
    for name in theirs.iter().chain(&ours) {
        std::fs::create_dir(dir.path().join(name)).unwrap();
        std::fs::write(dir.path().join(name).join("db"), "x").unwrap();
    }
    let done = storage::compact(dir.path(), &OpenOptions::existing(), &mut |_| ()).unwrap();
    assert_eq!(done.removed, ours);
    for name in theirs {
        assert!(dir.path().join(name).join("db").is_file(), "{name}");
    }
    assert!(ours.iter().all(|name| !dir.path().join(name).exists()));
}

#[cfg(unix)]
#[test]
fn a_state_that_is_a_link_is_not_replaced() {
    let (dir, disk) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
    drop(eventful(dir.path()));
    let (state, elsewhere) = (dir.path().join("state"), disk.path().join("state"));
    copy_folder(&state, &elsewhere);
    std::fs::remove_dir_all(&state).unwrap();
    std::os::unix::fs::symlink(&elsewhere, &state).unwrap();
    let refused = [
        storage::compact(dir.path(), &OpenOptions::existing(), &mut |_| ()).unwrap_err(),
        Rebuild::begin(dir.path(), &OpenOptions::existing(), &mut |_| ()).unwrap_err(),
    ];
    for refused in refused {
        assert!(matches!(refused, StorageError::StateLinked { .. }), "{refused}");
    }
    assert!(state.is_symlink() && elsewhere.join("db").is_file());
    assert_eq!(findings(dir.path()), []);
}

#[test]
fn files_of_another_crawl_are_ignored() {
    let dir = tempfile::tempdir().unwrap();
    let before = pages(&eventful(dir.path()));
    let foreign = tempfile::tempdir().unwrap();
    let later = OpenOptions {
        now_ms: NOW_MS + 365 * 86_400_000,
        ..options()
    };
    let mut store = Store::open(foreign.path(), &later).unwrap();
    let urls = store.discover(&[link("h", "a")]).unwrap();
    store
        .finish(&urls[0], page("https://h/a", Verdict::Unique), &[])
        .unwrap();
    store.commit().unwrap();
    drop(store);
    let file = only_warc(foreign.path());
    std::fs::copy(&file, dir.path().join("warc").join(file.file_name().unwrap())).unwrap();
    let (_, problems) = rebuilt(dir.path());
    assert_eq!(pages(&open(dir.path())), before);
    assert!(
        problems.iter().any(|what| what.contains("of another crawl")),
        "{problems:?}"
    );
    std::fs::remove_dir_all(dir.path().join("state")).unwrap();
    let refused = Rebuild::begin(dir.path(), &OpenOptions::existing(), &mut |_| ()).unwrap_err();
    assert!(matches!(refused, StorageError::SeveralCrawls { .. }), "{refused}");
    let said = refused.to_string();
    assert!(
        said.contains("crawl-20260321093000") && said.contains("crawl-20270321093000"),
        "{said}"
    );
}
