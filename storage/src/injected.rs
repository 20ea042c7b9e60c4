//! Makes each write to the file system fail once, at each step of a small crawl, and checks that no commit is lost.

use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::Ordering;

use crate::warc::medium::Folder;
use crate::warc::medium::failing::{Faulty, Steps};
use crate::warc::{Capture, Compression};
use crate::{
    Discovered, Finding, Findings, OpenOptions, Outcome, PageDraft, Rebuild, StorageError, Store, Verdict, compact,
};

/// URLs of the crawl.
const URLS: u64 = 8;

/// Upper bound on the steps of the crawls below.
const MOST_STEPS: u64 = 200;

fn options() -> OpenOptions {
    OpenOptions {
        // A new file every few pages.
        roll_bytes: 4_000,
        cache_bytes: 1 << 20,
        now_ms: 1_774_085_400_125,
        ..OpenOptions::new("s")
    }
}

fn open(dir: &Path, steps: &Arc<Steps>) -> Result<Store, StorageError> {
    let faulty = |dir| {
        Box::new(Faulty {
            folder: Folder::new(dir),
            steps: steps.clone(),
        })
    };
    Store::open_with(dir, &options(), faulty(dir.join("warc")), faulty(dir.to_owned()))
}

fn link(number: u64) -> Discovered {
    Discovered {
        url: format!("https://h/{number}"),
        host: "h".to_owned(),
        ..Discovered::default()
    }
}

fn outcome(number: u64, url: &str) -> Outcome {
    let verdict = match number % 4 {
        3 => Verdict::Exact { of: 1 },
        _ => Verdict::Unique,
    };
    let body = format!("<p>{url}{}", "x".repeat(300));
    let capture = Capture {
        url,
        fetched_at: 7,
        ip: None,
        request: None,
        status: 200,
        reason: "OK",
        headers: Vec::new(),
        payload: body.as_bytes(),
        truncated: None,
        rendered: None,
        text: url,
    };
    let draft = PageDraft {
        verdict,
        payload_digest: crate::warc::payload_digest(body.as_bytes()),
        ..PageDraft::default()
    };
    Outcome::Page {
        draft: Box::new(draft),
        capture: (verdict == Verdict::Unique).then(|| capture.encode(Compression::default()).unwrap()),
    }
}

/// The last commit that the store reported to the caller.
#[derive(Default)]
struct Reported {
    pages: u64,
    links: u64,
}

/// Crawls to the end, or to an error.
fn crawl(store: &mut Store, reported: &mut Reported) -> Result<(), StorageError> {
    store.discover(&[link(0)])?;
    store.commit()?;
    reported.links = reported.links.max(1);
    while let Some(queued) = store.refill("h", 1, &std::collections::HashSet::new())?.pop() {
        let number: u64 = queued.url.rsplit('/').next().unwrap().parse().unwrap();
        let links: Vec<_> = [2 * number + 1, 2 * number + 2]
            .into_iter()
            .filter(|n| *n < URLS)
            .map(link)
            .collect();
        store.finish(&queued, outcome(number, &queued.url), &links)?;
        let (pages, discovered) = (store.counts().fetched(), store.counts().discovered);
        // A commit that fails can be repeated.
        if store.commit().is_err() {
            store.commit()?;
        }
        (reported.pages, reported.links) = (pages, discovered);
    }
    Ok(())
}

fn findings(dir: &Path) -> Vec<Finding> {
    let mut found = Vec::new();
    let store = Store::open_untouched(dir, &OpenOptions::existing()).unwrap();
    let mut tell = |finding| found.push(finding);
    crate::verify(&store, &mut Findings::new(&mut tell, &mut |_| ())).unwrap();
    found
}

/// Fails at the step `number`, continues without failure, and asserts that nothing is missing. Returns whether that step was reached.
fn with_failure_at(number: u64, for_good: bool, half_way: bool) -> bool {
    let dir = tempfile::tempdir().unwrap();
    let steps = Arc::new(Steps::default());
    steps.failing.store(number, Ordering::Relaxed);
    steps.for_good.store(for_good, Ordering::Relaxed);
    steps.half_way.store(half_way, Ordering::Relaxed);
    let mut reported = Reported::default();
    let ended = open(dir.path(), &steps).and_then(|mut store| crawl(&mut store, &mut reported));
    let reached = steps.taken.load(Ordering::Relaxed) >= number;
    if let Err(error) = &ended {
        assert!(error.to_string().contains("injected"), "{error}");
    }
    let is_complete = reported.pages == URLS;
    assert!(
        ended.is_err() || !for_good || is_complete,
        "step {number}: it went on without its files"
    );
    let mut store = Store::open(dir.path(), &options()).unwrap();
    let counts = store.counts();
    assert!(
        counts.fetched() >= reported.pages && counts.discovered >= reported.links,
        "step {number}: {counts:?}"
    );
    crawl(&mut store, &mut reported).unwrap();
    assert_eq!(
        (store.counts().fetched(), store.counts().queued),
        (URLS, 0),
        "step {number}"
    );
    drop(store);
    assert_eq!(findings(dir.path()), [], "step {number}");
    reached
}

#[test]
fn a_failure_at_any_step_of_a_crawl_loses_no_commit() {
    for (for_good, half_way) in [(false, true), (true, false)] {
        let steps = (1..MOST_STEPS)
            .take_while(|number| with_failure_at(*number, for_good, half_way))
            .count() as u64;
        assert!(
            (URLS..MOST_STEPS - 1).contains(&steps),
            "{steps} steps were made to fail"
        );
    }
}

#[test]
fn after_a_failure_at_any_step_of_an_exchange_of_states_one_of_them_is_in_place() {
    for number in 1..MOST_STEPS {
        let dir = tempfile::tempdir().unwrap();
        let mut store = Store::open(dir.path(), &options()).unwrap();
        crawl(&mut store, &mut Reported::default()).unwrap();
        let pages: Vec<_> = store.pages_from(0).map(|page| page.unwrap().1).collect();
        drop(store);
        let steps = Arc::new(Steps::default());
        steps.failing.store(number, Ordering::Relaxed);
        steps.for_good.store(true, Ordering::Relaxed);
        steps.half_way.store(number.is_multiple_of(2), Ordering::Relaxed);
        crate::folder::fail_with(steps.clone());
        let rebuilt =
            Rebuild::begin(dir.path(), &options(), &mut |_| ()).and_then(|rebuild| rebuild.finish(&mut |_| ()));
        crate::folder::fail_with(Arc::new(Steps::default()));
        let reached = steps.taken.load(Ordering::Relaxed) >= number;
        assert_eq!(rebuilt.is_err(), reached, "{rebuilt:?}");
        assert_eq!(findings(dir.path()), [], "step {number}");
        let store = Store::open(dir.path(), &options()).unwrap();
        assert!(
            store.pages_from(0).map(|page| page.unwrap().1).eq(pages),
            "step {number}"
        );
        drop(store);
        compact(dir.path(), &options(), &mut |_| ()).unwrap();
        assert_eq!(findings(dir.path()), [], "step {number}");
        if !reached {
            assert!(number > 3, "{number} steps");
            return;
        }
    }
    panic!("every rebuild failed");
}
