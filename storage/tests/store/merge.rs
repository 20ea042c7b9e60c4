//! One data folder of several: pages, verdicts, texts and URLs are those of one crawl.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

use storage::warc::{
    Compression, DuplicateText, EncodedCapture, RefersTo, RevisitCapture, RevisitProfile, payload_digest,
};
use storage::{
    FETCHED_ELSEWHERE, Fate, IS_LEFT, MergeSource, OpenOptions, Outcome, PageElsewhere, PageRecord, RebuildStep,
    Rebuilt, StorageError, Store, UrlState, Verdict, Visit, Worker,
};

use super::rebuild::{findings, rebuilt};
use super::support::*;

/// The fields of a worker of the crawl "f".
fn named(number: u16) -> Vec<(&'static str, String)> {
    let crawl = "f".to_owned();
    Worker { number, crawl }.fields()
}

/// A worker of the crawl "f", with a file for each page.
fn worker(dir: &Path, number: u16) -> Store {
    let warcinfo = named(number);
    let options = OpenOptions {
        warcinfo,
        roll_bytes: 1,
        now_ms: NOW_MS + u64::from(number),
        ..options()
    };
    Store::open(dir, &options).unwrap()
}

fn source(dir: &Path) -> MergeSource {
    MergeSource {
        dir: dir.to_owned(),
        name: dir.display().to_string(),
    }
}

fn try_merge(dir: &Path, sources: &[&Path], will_redecide: bool) -> Result<(Rebuilt, Vec<String>), StorageError> {
    let mut problems = Vec::new();
    let mut say = |step| {
        if let RebuildStep::Problem(what) = step {
            problems.push(what);
        }
    };
    let sources: Vec<_> = sources.iter().map(|dir| source(dir)).collect();
    let merge = storage::merge(dir, &sources, will_redecide, &OpenOptions::existing(), &mut say)?;
    let done = merge.finish(&mut say)?;
    Ok((done, problems))
}

fn merged(dir: &Path, sources: &[&Path]) -> Store {
    let (_, problems) = try_merge(dir, sources, false).unwrap();
    assert_eq!(problems, [] as [&str; 0]);
    assert_eq!(findings(dir), []);
    let store = Store::open(dir, &OpenOptions::existing()).unwrap();
    assert_sound(&store);
    store
}

/// Fetches `path` at `at` milliseconds, as a kept page or as a duplicate.
fn fetch(store: &mut Store, host: &str, path: &str, at: u64, verdict: Verdict) -> u64 {
    let link = link(host, path);
    let mut found = store.discover(std::slice::from_ref(&link)).unwrap();
    let queued = match found.pop() {
        Some(queued) => queued,
        None => store
            .queue()
            .urls()
            .map(Result::unwrap)
            .find(|queued| queued.url == link.url && queued.revisits.is_none())
            .unwrap(),
    };
    let body = format!("<p>{}", queued.url);
    let mut draft = draft(verdict);
    draft.fetched_at = NOW_MS + at;
    draft.payload_digest = payload_digest(body.as_bytes());
    let capture = match verdict.of() {
        None => Some(capture(&queued.url, body.as_bytes(), &text_of(&queued.url))),
        Some(of) => Some(revisit(&queued.url, of, PageElsewhere::unpacked(of).is_none())),
    };
    let outcome = Outcome::Page {
        draft: Box::new(draft),
        capture,
    };
    let next = [super::support::link(host, &format!("{path}/next"))];
    let id = store.finish(&queued, outcome, &next).unwrap().page_id.unwrap();
    store.commit().unwrap();
    id
}

/// The records of a duplicate, whose text is archived as the difference from the text of page `of` if that is `here`.
fn revisit(url: &str, of: u64, here: bool) -> EncodedCapture {
    let text = format!("duplicate {url}");
    let base = format!("text of page {of}");
    RevisitCapture {
        url,
        fetched_at: NOW_MS,
        ip: None,
        request: None,
        status: 200,
        reason: "OK",
        headers: vec![],
        payload_bytes: Some(7),
        payload_digest: payload_digest(format!("<p>{url}").as_bytes()),
        profile: RevisitProfile::SameText,
        refers_to: Some(RefersTo {
            url: "https://h/kept",
            fetched_at: NOW_MS,
            record_id: None,
        }),
        text: here.then_some(DuplicateText::Difference {
            of,
            base: &base,
            text: &text,
        }),
    }
    .encode(Compression::default())
    .unwrap()
}

fn exact_of(worker: u16, sequence: u64) -> Verdict {
    let of = PageElsewhere { worker, sequence }.packed();
    Verdict::Exact { of }
}

/// The pages by URL.
fn by_url(store: &Store) -> BTreeMap<String, (u64, PageRecord)> {
    let pages = store.pages_from(0).map(Result::unwrap);
    pages.map(|(id, page)| (page.url.clone(), (id, page))).collect()
}

fn files(dir: &Path) -> BTreeMap<PathBuf, Vec<u8>> {
    let mut found = BTreeMap::new();
    for entry in fs::read_dir(dir).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            found.extend(files(&path));
        } else {
            found.insert(path.clone(), fs::read(&path).unwrap());
        }
    }
    found
}

/// Three workers: page 1 of the second is kept, and the others have duplicates of it. The clock of the third is an hour slow.
fn workers(dir: &Path) -> [PathBuf; 3] {
    let dirs = [1, 2, 3].map(|number: u16| dir.join(format!("worker-{number}")));
    let mut stores: Vec<Store> = (1..).zip(&dirs).map(|(number, dir)| worker(dir, number)).collect();
    let kept = fetch(&mut stores[1], "b", "kept", 5_000, Verdict::Unique);
    assert_eq!(kept, 1);
    fetch(&mut stores[0], "a", "own", 5_500, Verdict::Unique);
    fetch(&mut stores[0], "a", "own/next", 5_600, Verdict::Unique);
    fetch(&mut stores[0], "a", "copy", 6_000, exact_of(2, 1));
    fetch(&mut stores[2], "c", "copy", 2_000, exact_of(2, 1));
    fetch(&mut stores[2], "c", "later", 2_100, Verdict::Unique);
    fetch(&mut stores[1], "b", "copy", 7_000, exact_of(3, 2));
    stores[1].begin_refresh(1).unwrap();
    let again = stores[1].revisit(&[1], 0).unwrap();
    let visited = Outcome::Visited {
        visit: Visit::Unchanged,
        at: NOW_MS + 9_000,
        wire_bytes: 3,
        capture: None,
    };
    stores[1].finish(&again[0], visited, &[]).unwrap();
    let moved = stores[1].discover(&[link("b", "moved")]).unwrap();
    let to = "https://b/kept".to_owned();
    stores[1]
        .finish(&moved[0], Outcome::Redirect { to, status: 301 }, &[])
        .unwrap();
    stores[1].commit().unwrap();
    dirs
}

#[test]
fn verdicts_of_other_workers_name_pages_of_the_merged_folder() {
    let dir = tempfile::tempdir().unwrap();
    let dirs = workers(dir.path());
    let before: Vec<_> = dirs.iter().map(|dir| files(dir)).collect();
    let target = dir.path().join("merged");
    let store = merged(&target, &dirs.each_ref().map(PathBuf::as_path));
    let pages = by_url(&store);
    let kept = pages["https://b/kept"].0;
    for copy in ["https://a/copy", "https://c/copy"] {
        assert_eq!(pages[copy].1.verdict, Verdict::Exact { of: kept });
        assert!(
            pages[copy].0 > kept,
            "a duplicate comes after the kept page, whatever the clocks say"
        );
    }
    let later = pages["https://c/later"].0;
    assert_eq!(pages["https://b/copy"].1.verdict, Verdict::Exact { of: later });
    assert_eq!(store.revisits().visits(kept).unwrap().unwrap().count, 1);
    assert!(matches!(
        store.url_state("b", "https://b/moved").unwrap(),
        Some(UrlState::Redirect { .. })
    ));
    let counts = store.counts();
    assert_eq!((counts.kept, counts.exact, counts.redirected), (4, 3, 1));
    let own = &pages["https://a/own/next"].1;
    assert_eq!(own.depth, 0);
    assert!(
        store
            .queue()
            .urls()
            .map(Result::unwrap)
            .all(|queued| queued.url.ends_with("/next"))
    );
    drop(store);
    for (dir, before) in dirs.iter().zip(before) {
        assert!(files(dir) == before, "the merge changes no source");
    }
}

#[test]
fn texts_are_read_by_the_numbers_of_their_folder() {
    let dir = tempfile::tempdir().unwrap();
    let dirs = [dir.path().join("1"), dir.path().join("2")];
    for (number, dir) in (1..).zip(&dirs) {
        let mut store = worker(dir, number);
        let host = format!("h{number}");
        // The text of a kept page is "text of page 1" for its duplicate.
        let queued = store.discover(&[link(&host, "kept")]).unwrap();
        let outcome = Outcome::Page {
            draft: Box::new(draft(Verdict::Unique)),
            capture: Some(capture(&queued[0].url, b"x", "text of page 1")),
        };
        store.finish(&queued[0], outcome, &[]).unwrap();
        fetch(&mut store, &host, "copy", 10, Verdict::Exact { of: 1 });
    }
    let target = dir.path().join("merged");
    try_merge(&target, &[&dirs[0], &dirs[1]], false).unwrap();
    for _ in 0..2 {
        let store = Store::open(&target, &OpenOptions::existing()).unwrap();
        let pages = by_url(&store);
        for host in ["h1", "h2"] {
            let url = format!("https://{host}/copy");
            let text = store.text_of(&pages[&url].1).unwrap();
            assert_eq!(text, Some(format!("duplicate {url}")));
        }
        drop(store);
        rebuilt(&target);
    }
}

#[test]
fn a_merged_folder_goes_on_and_is_rebuilt_with_the_same_numbers() {
    let dir = tempfile::tempdir().unwrap();
    let dirs = workers(dir.path());
    let target = dir.path().join("merged");
    let mut store = merged(&target, &dirs.each_ref().map(PathBuf::as_path));
    let kept = by_url(&store)["https://b/kept"].0;
    fetch(&mut store, "new", "page", 20_000, Verdict::Unique);
    fetch(&mut store, "new", "copy", 20_001, Verdict::Exact { of: kept });
    let before = by_url(&store);
    let queued = store.queue().urls().count();
    drop(store);
    assert_eq!(findings(&target), []);
    let (done, problems) = rebuilt(&target);
    assert_eq!((problems, done.pages), (vec![], 9));
    let store = Store::open(&target, &OpenOptions::existing()).unwrap();
    assert_eq!(by_url(&store), before);
    assert_eq!(store.queue().urls().count(), queued);
    // The redirect is in no archive, and in the old state.
    let moved = store.url_state("b", "https://b/moved").unwrap();
    assert!(matches!(moved, Some(UrlState::Redirect { .. })), "{moved:?}");
}

#[test]
fn a_damaged_file_of_a_merged_folder_changes_no_other_number() {
    let dir = tempfile::tempdir().unwrap();
    let dirs = workers(dir.path());
    let target = dir.path().join("merged");
    let store = merged(&target, &dirs.each_ref().map(PathBuf::as_path));
    let before = by_url(&store);
    drop(store);
    let mut warcs: Vec<_> = files(&target.join("warc")).into_keys().collect();
    warcs.retain(|path| path.extension().is_some_and(|extension| extension == "gz"));
    // The first file has the first page of the first worker. It is a link.
    fs::remove_file(&warcs[0]).unwrap();
    let (done, problems) = rebuilt(&target);
    assert_eq!(done.pages, 6, "{problems:?}");
    let store = Store::open(&target, &OpenOptions::existing()).unwrap();
    let mut after = by_url(&store);
    let lost = &before["https://a/own"];
    after.insert("https://a/own".to_owned(), lost.clone());
    let numbers = |pages: &BTreeMap<String, (u64, PageRecord)>| -> Vec<_> {
        pages
            .iter()
            .map(|(url, (id, page))| (url.clone(), *id, page.verdict))
            .collect()
    };
    assert_eq!(numbers(&after), numbers(&before));
    drop(store);
    let numbers_file = warcs.last().unwrap();
    fs::remove_file(numbers_file).unwrap();
    let refused = storage::Rebuild::begin(&target, &OpenOptions::existing(), &mut |_| ()).unwrap_err();
    assert!(matches!(refused, StorageError::NumbersMissing { .. }), "{refused}");
}

#[test]
fn of_two_pages_of_a_url_the_kept_one_is_current() {
    let dir = tempfile::tempdir().unwrap();
    let dirs = [dir.path().join("1"), dir.path().join("2")];
    let mut first = worker(&dirs[0], 1);
    let mut second = worker(&dirs[1], 2);
    fetch(&mut first, "a", "kept", 0, Verdict::Unique);
    // The first worker lost the lease of host "b", and its page was a duplicate in the log.
    fetch(&mut second, "b", "both", 100, Verdict::Unique);
    fetch(&mut first, "b", "both", 200, exact_of(2, 1));
    // Here it was the first that counted, and a duplicate names it.
    fetch(&mut first, "c", "both", 300, Verdict::Unique);
    fetch(&mut second, "c", "both", 400, exact_of(1, 3));
    fetch(&mut second, "c", "copy", 500, exact_of(1, 3));
    // Both were kept; nothing names the second.
    fetch(&mut second, "d", "both", 600, Verdict::Unique);
    fetch(&mut first, "d", "both", 700, Verdict::Unique);
    // The second fetched a page that the first had given up.
    let id = fetch(&mut first, "e", "both", 800, Verdict::Unique);
    let again = first.revisit(&[id], 0).unwrap();
    let reason = FETCHED_ELSEWHERE.to_owned();
    first.finish(&again[0], Outcome::Excluded { reason }, &[]).unwrap();
    first.commit().unwrap();
    fetch(&mut second, "e", "both", 900, Verdict::Unique);
    drop((first, second));
    let target = dir.path().join("merged");
    let store = merged(&target, &[&dirs[0], &dirs[1]]);
    let current = |host: &str| {
        store
            .page_by_url(host, &format!("https://{host}/both"))
            .unwrap()
            .unwrap()
            .1
    };
    let times = ["b", "c", "d", "e"].map(|host| {
        let page = current(host);
        assert!(page.is_kept());
        page.fetched_at - NOW_MS
    });
    assert_eq!(times, [100, 300, 600, 900]);
    assert_eq!((store.counts().kept, store.counts().exact), (5, 1));
    let versions = store
        .pages_from(0)
        .map(Result::unwrap)
        .filter(|(_, page)| page.fate != Fate::Current);
    assert_eq!(versions.count(), 4);
    let before = by_url(&store);
    drop(store);
    rebuilt(&target);
    assert_eq!(by_url(&Store::open(&target, &OpenOptions::existing()).unwrap()), before);
}

#[test]
fn a_page_that_was_withdrawn_is_queued_unless_another_worker_has_it() {
    for reason in IS_LEFT {
        let dir = tempfile::tempdir().unwrap();
        let dirs = [dir.path().join("1"), dir.path().join("2")];
        let mut first = worker(&dirs[0], 1);
        let mut second = worker(&dirs[1], 2);
        for name in ["nobody", "another"] {
            let id = fetch(&mut first, "a", name, 100, exact_of(2, 1));
            let again = first.revisit(&[id], 0).unwrap();
            let reason = reason.to_owned();
            first.finish(&again[0], Outcome::Excluded { reason }, &[]).unwrap();
            first.commit().unwrap();
        }
        fetch(&mut second, "b", "kept", 0, Verdict::Unique);
        fetch(&mut second, "a", "another", 200, exact_of(2, 1));
        drop((first, second));
        let store = merged(&dir.path().join("merged"), &[&dirs[0], &dirs[1]]);
        let state = |name: &str| store.url_state("a", &format!("https://a/{name}")).unwrap();
        assert_eq!(state("nobody"), Some(UrlState::Queued), "{reason}");
        assert!(matches!(state("another"), Some(UrlState::Page(_))), "{reason}");
    }
}

#[test]
fn a_merge_that_is_cut_off_starts_again() {
    let dir = tempfile::tempdir().unwrap();
    let dirs = workers(dir.path());
    let sources = dirs.each_ref().map(PathBuf::as_path);
    let target = dir.path().join("merged");
    let named: Vec<_> = sources.iter().map(|dir| source(dir)).collect();
    let begun = storage::merge(&target, &named, false, &OpenOptions::existing(), &mut |_| ()).unwrap();
    drop(begun);
    for refused in [
        Store::open(&target, &options()).unwrap_err(),
        storage::Rebuild::begin(&target, &OpenOptions::existing(), &mut |_| ()).unwrap_err(),
        storage::compact(&target, &OpenOptions::existing(), &mut |_| ()).unwrap_err(),
    ] {
        assert!(matches!(refused, StorageError::MergeUnfinished { .. }), "{refused}");
    }
    // Other folders than before: what the first attempt brought is not theirs.
    let begun = storage::merge(&target, &named[1..2], false, &OpenOptions::existing(), &mut |_| ()).unwrap();
    drop(begun);
    fs::write(target.join("warc/crawl-20260321093000-00000.part"), "x").unwrap();
    let store = merged(&target, &sources);
    assert_eq!((store.counts().kept, store.counts().exact), (4, 3));
    drop(store);
    let refused = try_merge(&target, &sources, false).unwrap_err();
    assert!(matches!(refused, StorageError::MergeTarget { .. }), "{refused}");
}

#[test]
fn what_cannot_be_merged_is_refused_and_changes_nothing() {
    let dir = tempfile::tempdir().unwrap();
    let dirs = workers(dir.path());
    let target = dir.path().join("merged");
    let alone = dir.path().join("alone");
    let mut store = open(&alone);
    fetch(&mut store, "x", "page", 0, Verdict::Unique);
    let running = try_merge(&target, &[&alone], false).unwrap_err();
    assert!(matches!(running, StorageError::Locked { .. }), "{running}");
    drop(store);
    let other = dir.path().join("other");
    let mut store = Store::open(
        &other,
        &OpenOptions {
            now_ms: NOW_MS + 77,
            ..OpenOptions::new("scheme-2")
        },
    )
    .unwrap();
    fetch(&mut store, "y", "page", 0, Verdict::Unique);
    drop(store);
    let twin = dir.path().join("twin");
    let warcinfo = named(1);
    let mut store = Store::open(
        &twin,
        &OpenOptions {
            warcinfo,
            now_ms: NOW_MS + 99,
            ..options()
        },
    )
    .unwrap();
    fetch(&mut store, "z", "page", 0, Verdict::Unique);
    drop(store);
    let none = dir.path().join("none");
    let cases: [(&[&Path], &str); 6] = [
        (&[&dirs[0], &alone], "--redecide"),
        (&[&alone, &other], "scheme-2"),
        (&[&dirs[0], &twin], "worker 1 of the crawl \"f\""),
        (&[&dirs[0], &none], "holds no crawl"),
        (&[&target], "folder for the result"),
        (&[&dirs[0], &target], "folder for the result"),
    ];
    for (sources, words) in cases {
        let refused = try_merge(&target, sources, false).unwrap_err().to_string();
        assert!(refused.contains(words), "{refused}");
        fs::remove_dir_all(&target).ok();
    }
    // An independent crawl alone, and several with new verdicts.
    merged(&target, &[&alone]);
    let refused = try_merge(&dir.path().join("again"), &[&target, &dirs[0]], true).unwrap_err();
    assert!(refused.to_string().contains("result of a merge"), "{refused}");
    let (done, _) = try_merge(&dir.path().join("redecided"), &[&alone, &other, &dirs[0]], true).unwrap();
    assert_eq!(done.pages, 4);
}

#[test]
fn a_folder_twice_an_empty_one_and_a_lost_kept_page() {
    let dir = tempfile::tempdir().unwrap();
    let dirs = workers(dir.path());
    let empty = dir.path().join("empty");
    drop(worker(&empty, 9));
    let copy = dir.path().join("copy");
    copy_folder(&dirs[0], &copy);
    let sources: [&Path; 6] = [&dirs[0], &copy, &dirs[0], &dirs[1], &empty, &dirs[2]];
    let (done, problems) = try_merge(&dir.path().join("merged"), &sources, false).unwrap();
    assert_eq!((done.pages, done.problems), (7, 0), "{problems:?}");
    assert!(problems.iter().any(|what| what.contains("each file is taken once")));
    assert!(problems.iter().any(|what| what.contains("has no WARC file")));
    // The second worker's folder is missing: duplicates of its page are fetched again.
    let target = dir.path().join("without");
    let (done, problems) = try_merge(&target, &[&dirs[0], &dirs[2]], false).unwrap();
    assert_eq!((done.kept, done.lost), (3, 2), "{problems:?}");
    let store = Store::open(&target, &OpenOptions::existing()).unwrap();
    assert_sound(&store);
    for (host, url) in [("a", "https://a/copy"), ("c", "https://c/copy")] {
        assert_eq!(store.url_state(host, url).unwrap(), Some(UrlState::Queued));
    }
}

#[test]
fn a_url_that_one_worker_has_queued_and_another_has_finished_is_finished() {
    let dir = tempfile::tempdir().unwrap();
    let dirs = [dir.path().join("one"), dir.path().join("two")];
    for (number, folder) in (1..).zip(&dirs) {
        let mut store = worker(folder, number);
        fetch(
            &mut store,
            "h",
            &format!("/of-{number}"),
            u64::from(number),
            Verdict::Unique,
        );
        let queued = store.discover(&[link("h", "/gone")]).unwrap().pop().unwrap();
        if number == 2 {
            let outcome = Outcome::Failed {
                kind: "soft_404".to_owned(),
                status: Some(200),
                detail: "the page says so".to_owned(),
            };
            store.finish(&queued, outcome, &[]).unwrap();
        }
        store.commit().unwrap();
    }
    let store = merged(&dir.path().join("merged"), &[&dirs[0], &dirs[1]]);
    let gone = link("h", "/gone");
    let state = store.url_state(&gone.host, &gone.url).unwrap();
    assert!(matches!(state, Some(UrlState::Failed(_))), "{state:?}");
}

#[test]
fn a_page_that_yielded_is_a_duplicate_and_one_that_yielded_to_a_missing_page_stays() {
    let dir = tempfile::tempdir().unwrap();
    let dirs = [dir.path().join("1"), dir.path().join("2")];
    let mut first = worker(&dirs[0], 1);
    let mut second = worker(&dirs[1], 2);
    fetch(&mut first, "a", "kept", 0, Verdict::Unique);
    fetch(&mut second, "b", "same", 100, Verdict::Unique);
    fetch(&mut second, "b", "copy", 200, Verdict::Exact { of: 1 });
    fetch(&mut second, "b", "third", 300, Verdict::Unique);
    second.yield_page(1, exact_of(1, 1)).unwrap();
    second.yield_page(3, exact_of(3, 1)).unwrap();
    second.commit().unwrap();
    // Both workers fetched this URL, and the second one's page yielded.
    fetch(&mut second, "c", "both", 400, Verdict::Unique);
    second.yield_page(4, exact_of(1, 2)).unwrap();
    fetch(&mut first, "c", "both", 500, Verdict::Unique);
    second.commit().unwrap();
    drop((first, second));
    let target = dir.path().join("merged");
    let (done, problems) = try_merge(&target, &[&dirs[0], &dirs[1]], false).unwrap();
    assert_eq!((done.kept, problems.len()), (3, 1), "{problems:?}");
    assert!(problems[0].contains("it stays kept"), "{problems:?}");
    assert_eq!(findings(&target), []);
    let store = Store::open(&target, &OpenOptions::existing()).unwrap();
    let pages = by_url(&store);
    let kept = pages["https://a/kept"].0;
    for url in ["https://b/same", "https://b/copy"] {
        let representative = store.catalogue().representative_of(pages[url].0).unwrap();
        assert_eq!(representative, Some(kept), "{url}");
    }
    assert!(store.page_by_url("b", "https://b/third").unwrap().unwrap().1.is_kept());
    let both = store.page_by_url("c", "https://c/both").unwrap().unwrap().1;
    assert_eq!((both.is_kept(), both.fetched_at), (true, NOW_MS + 500));
}
