//! A state that is rebuilt from the archive is the same as the lost one.

mod damage;
mod folder;
mod forged;

use std::path::Path;

use storage::{
    Discovered, Finding, Findings, OpenOptions, Outcome, PageRecord, Rebuild, RebuildStep, Rebuilt, Replaced,
    StorageError, Store, Verdict, Visit,
};

use super::support::*;

pub fn rebuilt(dir: &Path) -> (Rebuilt, Vec<String>) {
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
    storage::verify(&store, &mut Findings::new(&mut tell, &mut |_| ())).unwrap();
    found
}

fn pages(store: &Store) -> Vec<(u64, PageRecord)> {
    store.pages_from(0).map(Result::unwrap).collect()
}

fn queued(store: &Store) -> Vec<String> {
    let mut urls: Vec<String> = store.queue().urls().map(|queued| queued.unwrap().url).collect();
    urls.sort();
    urls
}

/// A page whose draft agrees with its body.
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
        .urls()
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
fn a_rebuild_restores_every_page_with_its_history_and_queues_the_links() {
    let dir = tempfile::tempdir().unwrap();
    let store = eventful(dir.path());
    let (before, counts) = (pages(&store), store.counts());
    let visits: Vec<_> = before
        .iter()
        .map(|(id, _)| store.revisits().visits(*id).unwrap())
        .collect();
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
    let visits_now: Vec<_> = before
        .iter()
        .map(|(id, _)| store.revisits().visits(*id).unwrap())
        .collect();
    assert_eq!(visits_now, visits);
    // URLs without a record in the archive are queued. The redirect and the failure were seeds, which the next run brings again.
    assert_eq!(queued(&store), ["https://h/k", "https://other:81/x y\\"]);
    let deep = store
        .queue()
        .urls()
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
    // The crawl continues at the end of the archive, with a later commit than any before.
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
fn a_folder_without_an_archive_cannot_be_rebuilt() {
    let dir = tempfile::tempdir().unwrap();
    drop(open(dir.path()));
    let refused = Rebuild::begin(dir.path(), &options(), &mut |_| ()).unwrap_err();
    assert!(matches!(refused, StorageError::NothingArchived { .. }), "{refused}");
    let nowhere = dir.path().join("nowhere");
    assert!(Rebuild::begin(&nowhere, &options(), &mut |_| ()).is_err());
    assert!(!nowhere.exists());
}
