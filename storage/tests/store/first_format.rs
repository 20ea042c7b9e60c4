//! A store in the first frozen format. Every later version must open it and read its contents.
//!
//! `fixtures/format-3` holds each file of a data folder, compressed, and `contents.txt`, the contents at the time of its creation. The
//! fixture of a version never changes; a new version gets another fixture.

use std::fmt::Write as _;
use std::fs;
use std::io::{Read, Write as _};
use std::path::{Path, PathBuf};

use flate2::Compression;
use flate2::read::GzDecoder;
use flate2::write::GzEncoder;
use storage::{
    Discovered, HostRecord, OpenOptions, Outcome, PageRecord, Replaced, Store, StoredRobots, UrlState, Validators,
    Verdict, Via, Visit,
};

use super::support::*;

#[test]
fn a_crawl_in_the_first_format_can_be_read_and_continued() {
    let dir = tempfile::tempdir().unwrap();
    unpack(&fixture(), dir.path());
    let mut store = open(dir.path());
    let contents = contents(&store);
    assert_eq!(contents, fs::read_to_string(fixture().join("contents.txt")).unwrap());
    assert_sound(&store);

    let known = store.counts().discovered;
    let queued = store.refill("h", 10, &Default::default()).unwrap();
    for queued in queued.into_iter().filter(|queued| queued.revisits.is_none()) {
        let links = [link("h", "kept"), link("h", "found-later")];
        store.finish(&queued, kept(&queued), &links).unwrap();
    }
    store.commit().unwrap();
    drop(store);
    let store = open(dir.path());
    assert_sound(&store);
    assert_eq!(store.counts().discovered, known + 1, "known URLs stay known");
}

/// `fill` still makes the contents of the fixture. With `MAKE_FIXTURE` set, the test writes a missing fixture.
#[test]
fn the_fixture_has_the_contents_that_fill_makes() {
    let dir = tempfile::tempdir().unwrap();
    fill(dir.path());
    let store = open(dir.path());
    let contents = contents(&store);
    drop(store);
    if std::env::var_os("MAKE_FIXTURE").is_some() {
        assert!(!fixture().exists(), "a fixture is made once");
        pack(dir.path(), &fixture());
        fs::write(fixture().join("contents.txt"), &contents).unwrap();
    }
    assert_eq!(contents, fs::read_to_string(fixture().join("contents.txt")).unwrap());
}

fn fixture() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/fixtures/format-3")
}

/// Stores at least one of everything, and more URLs than one chunk holds.
fn fill(dir: &Path) {
    let mut store = open(dir);
    let paths = [
        "kept",
        "exact",
        "near",
        "print",
        "canonical",
        "changes",
        "goes",
        "moves",
        "fails",
        "excluded",
        "redirects",
    ];
    let links: Vec<Discovered> = paths.iter().map(|path| link("h", path)).collect();
    let queued = store.discover(&links).unwrap();
    let robots = StoredRobots {
        fetched_at: NOW_MS,
        text: b"User-agent: *\nDisallow: /excluded\n".to_vec(),
    };
    store.record_robots("h", "https://h", Some(&robots)).unwrap();
    let state = HostRecord {
        asked_at: NOW_MS,
        failures: 2,
        last_failure: Some("timeout".to_owned()),
        address: Some("192.0.2.7".parse().unwrap()),
        ..HostRecord::default()
    };
    store.record_hosts(&[("h".to_owned(), state)]).unwrap();
    let near = |of| Verdict::Near {
        of,
        distance: Some(3),
        similarity: 0.875,
    };
    let with = |outcome: Outcome, change: &dyn Fn(&mut storage::PageDraft)| match outcome {
        Outcome::Page { mut draft, capture } => {
            change(&mut draft);
            Outcome::Page { draft, capture }
        }
        other => other,
    };
    let many: Vec<Discovered> = (0..200)
        .map(|n| Discovered {
            depth: 1 + n % 3,
            priority: u8::from(n % 5 == 0),
            ..link(
                if n % 2 == 0 { "h" } else { "other.example:8080" },
                &format!("章/{n}?q=é"),
            )
        })
        .collect();
    store.finish(&queued[0], kept(&queued[0]), &many).unwrap();
    store.finish(&queued[1], exact(1), &[]).unwrap();
    store
        .finish(&queued[2], with(exact(1), &|draft| draft.verdict = near(1)), &[])
        .unwrap();
    store.finish(&queued[3], kept(&queued[3]), &[]).unwrap();
    let canonical = with(kept(&queued[4]), &|draft| {
        draft.canonical = Some("https://h/canonical".to_owned());
        draft.replaces = Some(Replaced {
            page: 4,
            verdict: near(5),
        });
    });
    store.finish(&queued[4], canonical, &[]).unwrap();
    for queued in &queued[5..8] {
        let page = with(kept(queued), &|draft| {
            draft.payload_digest = [7; 20];
            draft.validators = Validators {
                etag: Some("W/\"1\"".to_owned()),
                last_modified: Some("Sat, 21 Mar 2026 09:30:00 GMT".to_owned()),
            };
        });
        store.finish(queued, page, &[]).unwrap();
    }
    let failed = Outcome::Failed {
        kind: "http_500".to_owned(),
        status: Some(500),
        detail: "HTTP status 500".to_owned(),
    };
    store.finish(&queued[8], failed, &[]).unwrap();
    let reason = "robots.txt".to_owned();
    store.finish(&queued[9], Outcome::Excluded { reason }, &[]).unwrap();
    let to = "https://h/kept".to_owned();
    store
        .finish(&queued[10], Outcome::Redirect { to, status: 301 }, &[])
        .unwrap();
    store.commit().unwrap();

    for round in 1..=2 {
        store.begin_refresh(NOW_MS + round).unwrap();
        let due = store.revisit(&[1, 6, 7, 8], 0).unwrap();
        for queued in due {
            let visited = |visit| Outcome::Visited {
                visit,
                at: NOW_MS + round,
                wire_bytes: 5,
                capture: None,
            };
            let outcome = match queued.revisits.as_ref().map(|revisit| revisit.page) {
                Some(6) => with(kept(&queued), &|draft| draft.fetched_at = NOW_MS + round),
                Some(7) => visited(Visit::Missing),
                Some(8) => Outcome::Redirect {
                    to: "https://h/elsewhere".to_owned(),
                    status: 308,
                },
                _ => visited(Visit::Unchanged),
            };
            store.finish(&queued, outcome, &[]).unwrap();
        }
        store.commit().unwrap();
    }
    // A current refresh, a URL that is tried again, and a URL that returned to the queue.
    store.begin_refresh(NOW_MS + 3).unwrap();
    store.revisit(&[1], 0).unwrap();
    store.try_again(&link("h", "fails"), |_| true).unwrap();
    let first = store.refill("h", 9, &Default::default()).unwrap();
    let first = first.iter().find(|queued| queued.revisits.is_none()).unwrap();
    store.finish(first, Outcome::Retry, &[]).unwrap();
    store.begin_run().unwrap();
    store.commit().unwrap();
}

/// The contents of a store, one item a line, as far as later versions must read them.
fn contents(store: &Store) -> String {
    let mut out = String::new();
    let mut line = |text: String| writeln!(out, "{text}").unwrap();
    let counts = store.counts();
    line(format!("scheme {} started {}", store.scheme(), store.started_at()));
    line(format!(
        "discovered {} queued {} kept {} exact {} near {} redirected {} failed {} excluded {} gone {} due {} fetched {} B kept {} B",
        counts.discovered,
        counts.queued,
        counts.kept,
        counts.exact,
        counts.near,
        counts.redirected,
        counts.failed,
        counts.excluded,
        counts.gone,
        counts.due,
        counts.bytes_fetched,
        counts.bytes_kept
    ));
    for row in store.pages_from(0) {
        let (sequence, page) = row.unwrap();
        line(page_line(sequence, &page));
        line(format!("  text {:?}", store.text_of(&page).unwrap()));
        if let Some(visits) = store.revisits().visits(sequence).unwrap() {
            line(format!(
                "  visits from {} to {}: {} changed {} missing {} waiting {}",
                visits.first_at, visits.last_at, visits.count, visits.changes, visits.missing, visits.is_waiting
            ));
        }
    }
    for row in store.urls() {
        let known = row.unwrap();
        let state = match known.state {
            UrlState::Queued => "queued".to_owned(),
            UrlState::Page(page) => format!("page {page}"),
            UrlState::Redirect { to, status } => format!("redirect {status} to {to}"),
            UrlState::Failed(failure) => format!("failed {} {:?} {}", failure.kind, failure.status, failure.detail),
            UrlState::Excluded { reason } => format!("excluded {reason}"),
        };
        let looked_up = store.url_state(&known.host, &known.url).unwrap().is_some();
        line(format!("url {} {} {state} {looked_up}", known.host, known.url));
    }
    for row in store.queue().urls() {
        let queued = row.unwrap();
        line(format!(
            "queue {} {} {} {} {} attempts {} via {} revisits {:?}",
            queued.host,
            queued.priority,
            queued.depth,
            queued.seq,
            queued.url,
            queued.attempts,
            shown(queued.via.as_ref()),
            queued.revisits.map(|revisit| (revisit.page, revisit.validators.etag))
        ));
    }
    for row in store.host_memory().records() {
        let (host, state) = row.unwrap();
        line(format!(
            "host {host} {} {} {:?}",
            state.asked_at, state.failures, state.last_failure
        ));
        let robots = store.host_memory().robots(&host, &format!("https://{host}")).unwrap();
        line(format!(
            "  robots {:?}",
            robots.map(|robots| String::from_utf8(robots.text))
        ));
    }
    for refresh in store.revisits().refreshes().unwrap() {
        line(format!(
            "refresh {} due {} changed {} unchanged {} missing {} gone {} moved {}",
            refresh.started_at,
            refresh.due,
            refresh.changed,
            refresh.unchanged,
            refresh.missing,
            refresh.gone,
            refresh.moved
        ));
    }
    line(format!(
        "departed {:?} interrupted {}",
        store.catalogue().departed().unwrap(),
        store.run_notes().was_interrupted().unwrap()
    ));
    out
}

fn page_line(sequence: u64, page: &PageRecord) -> String {
    format!(
        "page {sequence} {} {} {:?} {:?} title {:?} at {} digest {:?} previous {:?} replaces {:?} canonical {:?} etag {:?} via {}",
        page.host,
        page.url,
        page.verdict,
        page.fate,
        page.title,
        page.fetched_at,
        page.payload_digest[0],
        page.previous,
        page.replaces,
        page.canonical,
        page.validators.etag,
        shown(page.via.as_ref())
    )
}

fn shown(via: Option<&Via>) -> String {
    match via {
        None => "seed".to_owned(),
        Some(Via::Page(page)) => format!("page {page}"),
        Some(Via::Url(url)) => url.to_string(),
    }
}

fn pack(from: &Path, to: &Path) {
    fs::create_dir_all(to).unwrap();
    for entry in fs::read_dir(from).unwrap() {
        let entry = entry.unwrap();
        let name = entry.file_name().into_string().unwrap();
        if entry.file_type().unwrap().is_dir() {
            pack(&entry.path(), &to.join(name));
        } else if name != "lock" {
            let file = fs::File::create(to.join(name + ".gz")).unwrap();
            let mut packed = GzEncoder::new(file, Compression::best());
            packed.write_all(&fs::read(entry.path()).unwrap()).unwrap();
            packed.finish().unwrap();
        }
    }
}

fn unpack(from: &Path, to: &Path) {
    fs::create_dir_all(to).unwrap();
    for entry in fs::read_dir(from).unwrap() {
        let entry = entry.unwrap();
        let name = entry.file_name().into_string().unwrap();
        if entry.file_type().unwrap().is_dir() {
            unpack(&entry.path(), &to.join(name));
        } else if let Some(name) = name.strip_suffix(".gz") {
            let mut bytes = Vec::new();
            GzDecoder::new(fs::File::open(entry.path()).unwrap())
                .read_to_end(&mut bytes)
                .unwrap();
            fs::write(to.join(name), bytes).unwrap();
        }
    }
}

/// The fixture was made with the options of the tests.
#[test]
fn options_without_a_scheme_open_the_fixture() {
    let dir = tempfile::tempdir().unwrap();
    unpack(&fixture(), dir.path());
    let options = OpenOptions {
        cache_bytes: 4 << 20,
        ..OpenOptions::existing()
    };
    assert_eq!(Store::open(dir.path(), &options).unwrap().scheme(), options_scheme());
}

fn options_scheme() -> String {
    options().scheme.unwrap()
}
