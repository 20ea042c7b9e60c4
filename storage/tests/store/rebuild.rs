//! The state made anew from the archive is the one that was lost.

use std::path::Path;

use storage::{
    Discovered, Fate, Finding, FindingKind, Findings, OpenOptions, Outcome, PageRecord, Rebuild, RebuildStep, Rebuilt,
    Replaced, StorageError, Store, UrlState, Verdict, Visit,
};

use super::support::*;

fn rebuilt(dir: &Path) -> (Rebuilt, Vec<String>) {
    let mut problems = Vec::new();
    let mut say = |step| {
        if let RebuildStep::Problem(what) = step {
            problems.push(what);
        }
    };
    let rebuild = Rebuild::begin(dir, &OpenOptions::existing(), &mut say).unwrap();
    let done = rebuild.finish(&mut say).unwrap();
    (done, problems)
}

pub fn findings(dir: &Path) -> Vec<Finding> {
    let mut found = Vec::new();
    let store = Store::open_untouched(dir, &OpenOptions::existing()).unwrap();
    let mut tell = |finding| found.push(finding);
    store.verify(&mut Findings::new(&mut tell, &mut || ())).unwrap();
    found
}

fn pages(store: &Store) -> Vec<(u64, PageRecord)> {
    store.pages_from(0).map(Result::unwrap).collect()
}

fn queued(store: &Store) -> Vec<String> {
    let mut urls: Vec<String> = store.queue().map(|queued| queued.unwrap().url).collect();
    urls.sort();
    urls
}

/// A page whose draft agrees with its body, as `crawler` makes it.
fn page(url: &str, verdict: Verdict) -> Outcome {
    let body = format!("<p>{url}");
    let mut draft = draft(verdict);
    draft.payload_digest = storage::warc::payload_digest(body.as_bytes());
    draft.title = format!("{url}\r\nsignature: AA==\r\n\\ \u{2028}");
    draft.validators.etag = Some("\"a \\b\"".into());
    Outcome::Page {
        draft: Box::new(draft),
        capture: (verdict == Verdict::Unique).then(|| capture(url, body.as_bytes(), &text_of(url))),
    }
}

/// Pages with every verdict, links, a replaced page, versions, visits, pages that are gone and moved, a redirect and a failure.
fn eventful(dir: &Path) -> Store {
    let mut store = Store::open(
        dir,
        &OpenOptions {
            roll_bytes: 6_000,
            ..options()
        },
    )
    .unwrap();
    let seeds: Vec<_> = ["a", "b", "c", "d", "e", "f"]
        .iter()
        .map(|path| link("h", path))
        .collect();
    let urls = store.discover(&seeds).unwrap();
    let deep = Discovered {
        depth: 3,
        priority: 2,
        redirects: 1,
        via: Some("https://h/sitemap xml".into()),
        ..link("other:81", "x y\\")
    };
    let near = Verdict::Near {
        of: 1,
        distance: Some(3),
        similarity: 0.875,
    };
    store
        .finish(&urls[0], page("https://h/a", Verdict::Unique), &[link("h", "g"), deep])
        .unwrap();
    store
        .finish(&urls[1], page("https://h/b", near), &[link("h", "i")])
        .unwrap();
    store
        .finish(&urls[2], page("https://h/c", Verdict::Unique), &[])
        .unwrap();
    let mut replacing = page("https://h/d", Verdict::Unique);
    if let Outcome::Page { draft, .. } = &mut replacing {
        draft.replaces = Some(Replaced {
            page: 3,
            verdict: Verdict::Exact { of: 4 },
        });
    }
    store.finish(&urls[3], replacing, &[link("h", "j")]).unwrap();
    let to = "https://h/j".to_owned();
    store
        .finish(&urls[4], Outcome::Redirect { to, status: 301 }, &[])
        .unwrap();
    let (kind, status, detail) = ("timeout".to_owned(), None, String::new());
    store
        .finish(&urls[5], Outcome::Failed { kind, status, detail }, &[])
        .unwrap();
    for path in ["j", "i", "g"] {
        let queued = take(&mut store, path);
        store.finish(&queued, page(&queued.url, Verdict::Unique), &[]).unwrap();
    }
    store.commit().unwrap();
    // 5 is j, 6 is i, 7 is g.
    store.begin_refresh(1).unwrap();
    for (id, outcome) in [
        (1, page("https://h/a", Verdict::Unique)),
        (4, visited(Visit::Unchanged)),
        (5, visited(Visit::Missing)),
        (
            6,
            Outcome::Excluded {
                reason: "robots\r\n".into(),
            },
        ),
        (
            7,
            Outcome::Redirect {
                to: "https://h/k".into(),
                status: 308,
            },
        ),
    ] {
        let queued = store.revisit(&[id], 0).unwrap().remove(0);
        store.finish(&queued, outcome, &[link("h", "k")]).unwrap();
    }
    store.commit().unwrap();
    // 8 is the second version of a.
    for (id, outcome) in [
        (5, visited(Visit::Missing)),
        (8, visited(Visit::Unchanged)),
        (4, visited(Visit::Unchanged)),
    ] {
        let queued = store.revisit(&[id], 0).unwrap().remove(0);
        store.finish(&queued, outcome, &[]).unwrap();
        store.commit().unwrap();
    }
    store
}

fn take(store: &mut Store, path: &str) -> storage::QueuedUrl {
    store.commit().unwrap();
    let queued = store
        .queue()
        .map(Result::unwrap)
        .find(|queued| queued.url == format!("https://h/{path}"));
    queued.unwrap()
}

fn visited(visit: Visit) -> Outcome {
    let capture = None;
    Outcome::Visited {
        visit,
        at: NOW_MS + 1_000,
        wire_bytes: 3,
        capture,
    }
}

#[test]
fn every_page_comes_back_as_it_was_with_its_history_and_the_links_wait() {
    let dir = tempfile::tempdir().unwrap();
    let store = eventful(dir.path());
    let (before, counts) = (pages(&store), store.counts());
    let visits: Vec<_> = before.iter().map(|(id, _)| store.visits(*id).unwrap()).collect();
    assert_eq!(counts.gone, 1);
    drop(store);
    assert_eq!(findings(dir.path()), []);
    let archived = std::fs::read_dir(dir.path().join("warc")).unwrap().count();
    assert!(archived > 1, "several files");
    let mark = std::fs::read_to_string(dir.path().join("last-commit")).unwrap();
    std::fs::remove_dir_all(dir.path().join("state")).unwrap();

    let (done, problems) = rebuilt(dir.path());
    assert_eq!(problems, [] as [&str; 0]);
    assert_eq!(
        (done.files, done.pages, done.lost, done.visits),
        (archived as u64, 5, 0, 7)
    );
    assert_eq!(findings(dir.path()), []);
    let mut store = open(dir.path());
    assert_eq!(pages(&store), before);
    let visits_now: Vec<_> = before.iter().map(|(id, _)| store.visits(*id).unwrap()).collect();
    assert_eq!(visits_now, visits);
    // What has no record in the archive waits: the redirect and the failure were seeds, which the next run brings again.
    assert_eq!(queued(&store), ["https://h/k", "https://other:81/x y\\"]);
    let deep = store
        .queue()
        .map(Result::unwrap)
        .find(|queued| queued.host == "other:81")
        .unwrap();
    assert_eq!((deep.depth, deep.priority, deep.redirects), (3, 2, 1));
    let now = store.counts();
    assert_eq!(
        (now.kept, now.exact, now.near, now.gone),
        (counts.kept, counts.exact, counts.near, counts.gone)
    );
    assert_eq!(
        (now.bytes_kept, now.bytes_fetched),
        (counts.bytes_kept, counts.bytes_fetched)
    );
    assert_eq!(store.started_at(), NOW_MS);
    // It goes on at the end of the archive, with a later commit than any before.
    let again = take(&mut store, "k");
    store.finish(&again, page("https://h/k", Verdict::Unique), &[]).unwrap();
    store.commit().unwrap();
    drop(store);
    let mark_now = std::fs::read_to_string(dir.path().join("last-commit")).unwrap();
    assert!(mark_now.trim().parse::<u64>().unwrap() > mark.trim().parse().unwrap());
    assert_eq!(findings(dir.path()), []);
    assert!(!dir.path().join("state.rebuilding").exists());
}

#[test]
fn an_unfinished_rebuild_is_begun_again_and_the_old_state_is_kept() {
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
    let done = storage::compact(dir.path(), 1 << 20, &mut |_| ()).unwrap();
    assert_eq!(done.removed, ["state.before-rebuild", "state.before-rebuild-2"]);
    assert!(done.after < done.before, "{done:?}");
    assert_eq!(findings(dir.path()), []);
    assert_eq!(pages(&open(dir.path())), before);
}

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

/// Flips a bit in the middle of a record.
fn damage(dir: &Path, at: storage::WarcLocation) {
    let path = dir.join(format!("warc/crawl-20260321093000-{:05}.warc.gz", at.file));
    let mut bytes = std::fs::read(&path).unwrap();
    bytes[(at.offset + at.length / 2) as usize] ^= 0x10;
    std::fs::write(path, bytes).unwrap();
}

/// The record behind this one, which is the metadata record of a page.
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
    assert_eq!((done.pages, done.lost, done.queued), (1, 1, 1));
    assert!(
        problems
            .iter()
            .any(|what| what.starts_with("https://h/a: its metadata record is lost")),
        "{problems:?}"
    );
    assert_eq!(queued(&open(dir.path())), ["https://h/a"]);
}

#[test]
fn a_version_stays_current_though_the_one_before_it_is_lost() {
    for is_record_lost in [false, true] {
        let dir = tempfile::tempdir().unwrap();
        let numbers = versions(dir.path(), 3);
        assert_eq!(numbers, [1, 2, 3]);
        let store = open(dir.path());
        let second = store.page(2).unwrap().unwrap();
        drop(store);
        damage(
            dir.path(),
            match is_record_lost {
                true => behind(second.text.unwrap()),
                false => second.response.unwrap(),
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
    let waiting: Vec<_> = store.queue().map(Result::unwrap).collect();
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

#[test]
fn files_of_another_crawl_are_not_taken_for_this_one() {
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

#[test]
fn gc_removes_what_is_its_own_and_nothing_of_the_users() {
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
    let done = storage::compact(dir.path(), 1 << 20, &mut |_| ()).unwrap();
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
        storage::compact(dir.path(), 1 << 20, &mut |_| ()).unwrap_err(),
        Rebuild::begin(dir.path(), &OpenOptions::existing(), &mut |_| ()).unwrap_err(),
    ];
    for refused in refused {
        assert!(matches!(refused, StorageError::StateLinked { .. }), "{refused}");
    }
    assert!(state.is_symlink() && elsewhere.join("db").is_file());
    assert_eq!(findings(dir.path()), []);
}

#[test]
fn a_folder_without_an_archive_has_nothing_to_be_rebuilt_from() {
    let dir = tempfile::tempdir().unwrap();
    drop(open(dir.path()));
    let refused = Rebuild::begin(dir.path(), &options(), &mut |_| ()).unwrap_err();
    assert!(matches!(refused, StorageError::NothingArchived { .. }), "{refused}");
    let nowhere = dir.path().join("nowhere");
    assert!(Rebuild::begin(&nowhere, &options(), &mut |_| ()).is_err());
    assert!(!nowhere.exists());
}

#[test]
fn a_missing_file_stops_a_run_costs_its_pages_and_is_no_matter_after_a_rebuild() {
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
    // Put back, all is well.
    std::fs::rename(&kept_aside, &first).unwrap();
    drop(open(dir.path()));
    std::fs::remove_file(&first).unwrap();
    let (done, problems) = rebuilt(dir.path());
    assert!(done.pages < before.fetched() && done.kept > 0, "{done:?}");
    assert!(problems.iter().any(|what| what.contains("file 00000")), "{problems:?}");
    assert_eq!(findings(dir.path()), []);
    drop(open(dir.path()));
    // Nor after a compaction, which keeps the note of it.
    storage::compact(dir.path(), 1 << 20, &mut |_| ()).unwrap();
    drop(open(dir.path()));
    assert_eq!(findings(dir.path()), []);
}
