//! A crawl that is killed repeatedly ends with the same result as an undisturbed one.
//!
//! This process starts itself as a child that crawls a synthetic graph of pages. It lets the child finish a random number of pages,
//! kills it (SIGKILL on Unix), checks the store, and starts the next child, until the crawl is complete.

#![expect(clippy::unwrap_used, reason = "a test fails by panicking")]

use std::collections::{BTreeMap, BTreeSet, HashSet};
use std::io::{BufRead, BufReader, Write};
use std::path::Path;
use std::process::{Command, Stdio};

use storage::warc::{Capture, Compression, WarcReader};
use storage::{Discovered, Letter, OpenOptions, Outcome, PageDraft, QueuedUrl, Store, UrlState, Verdict};

const HOSTS: u64 = 3;
const PAGES: u64 = 1_500;
const KILLS: u64 = 20;
const COMMIT_EVERY: u64 = 7;

/// The letters about a URL: it is finished, or it is new.
const DONE: u8 = 1;
const NEW: u8 = 2;

fn main() {
    let mut arguments = std::env::args().skip_while(|argument| argument != "--crawl").skip(1);
    if let (Some(dir), Some(run)) = (arguments.next(), arguments.next()) {
        crawl(Path::new(&dir), compression_of(run.parse().unwrap()), |line| {
            println!("{line}")
        });
        return;
    }
    let undisturbed = tempfile::tempdir().unwrap();
    crawl(undisturbed.path(), Compression::Gzip, |_| ());
    let expected = catalogue(&open(undisturbed.path()));
    assert_eq!(expected.len() as u64, PAGES);

    let killed = tempfile::tempdir().unwrap();
    let mut random = 7;
    let mut deaths = 0;
    for run in 0..KILLS {
        let pages = next(&mut random) % (PAGES / KILLS * 2);
        deaths += u64::from(crawl_and_kill(killed.path(), run, pages));
        look_at(killed.path());
    }
    crawl(killed.path(), Compression::Gzip, |_| ());
    look_at(killed.path());
    let store = open(killed.path());
    assert_eq!(catalogue(&store), expected);
    assert_eq!(letters(&store, NEW).len() as u64, PAGES, "each URL was told of as new");
    println!("killed {deaths} times at random moments: the catalogue of {PAGES} URLs is that of an undisturbed crawl");
}

fn open(dir: &Path) -> Store {
    open_as(dir, None)
}

fn open_as(dir: &Path, compression: Option<Compression>) -> Store {
    let options = OpenOptions {
        compression,
        roll_bytes: 50_000,
        cache_bytes: 4 << 20,
        ..OpenOptions::new("killed")
    };
    Store::open(dir, &options).unwrap()
}

/// The users change their minds.
fn compression_of(run: u64) -> Compression {
    if run % 3 == 1 {
        Compression::Gzip
    } else {
        Compression::Zstd
    }
}

/// Crawls to the end, and reports each finished page and each commit. Most commits are written beside the next pages.
fn crawl(dir: &Path, compression: Compression, say: fn(&str)) {
    let mut store = open_as(dir, Some(compression));
    let seeds: Vec<_> = (0..HOSTS).map(link).collect();
    store.discover_with(&seeds, None, |new| about(NEW, new)).unwrap();
    let mut finished = 0;
    loop {
        let mut queue = Vec::new();
        for host in 0..HOSTS {
            queue.extend(store.refill(&format!("h{host}"), 40, &HashSet::new()).unwrap());
        }
        if queue.is_empty() {
            break;
        }
        for queued in queue {
            finish(&mut store, &queued, compression);
            finished += 1;
            say("finished");
            if finished % (4 * COMMIT_EVERY) == 0 {
                store.commit().unwrap();
                say("committed");
            } else if finished % COMMIT_EVERY == 0 && !store.is_committing().unwrap() {
                store.begin_commit().unwrap();
                say("a commit began");
            }
        }
    }
    store.commit().unwrap();
}

/// Whether the child was alive when it was killed.
fn crawl_and_kill(dir: &Path, run: u64, after_lines: u64) -> bool {
    let this = std::env::current_exe().unwrap();
    let mut child = Command::new(this)
        .arg("--crawl")
        .arg(dir)
        .arg(run.to_string())
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    let lines = BufReader::new(child.stdout.take().unwrap()).lines();
    let read = lines.take(after_lines as usize).filter(Result::is_ok).count();
    child.kill().unwrap();
    let status = child.wait().unwrap();
    read as u64 == after_lines && !status.success()
}

fn finish(store: &mut Store, queued: &QueuedUrl, compression: Compression) {
    let number = number_of(queued);
    let links: Vec<_> = (1..=4).map(|n| (number * 3 + n) % PAGES).map(link).collect();
    let outcome = match number % 10 {
        7 => Outcome::Failed {
            kind: "timeout".into(),
            status: None,
            detail: "30 s".into(),
        },
        8 => Outcome::Redirect {
            to: link(number / 2).url,
            status: 301,
        },
        9 => Outcome::Page {
            draft: Box::new(draft(Verdict::Exact { of: 1 })),
            capture: None,
        },
        _ => {
            let capture = capture(&queued.url, &body(&queued.url)).encode(compression).unwrap();
            Outcome::Page {
                draft: Box::new(draft(Verdict::Unique)),
                capture: Some(capture),
            }
        }
    };
    let mail = |ended: &storage::Ended<'_>| {
        let mut letters = about(DONE, &[queued]);
        letters.extend(about(NEW, &ended.links));
        letters
    };
    store.finish_with(queued, outcome, &links[..].into(), mail).unwrap();
}

fn about(kind: u8, urls: &[&QueuedUrl]) -> Vec<Letter> {
    let letter = |queued: &&QueuedUrl| Letter {
        kind,
        bytes: queued.url.clone().into_bytes(),
    };
    urls.iter().map(letter).collect()
}

/// The URLs that the letters of this kind in the outbox tell of.
fn letters(store: &Store, kind: u8) -> BTreeSet<String> {
    let letters = store.outbox().letters(0, usize::MAX).unwrap();
    let urls = letters.into_iter().filter(|(_, letter)| letter.kind == kind);
    urls.map(|(_, letter)| String::from_utf8(letter.bytes).unwrap())
        .collect()
}

/// Asserts the invariants after a kill.
fn look_at(dir: &Path) {
    let store = open(dir);
    let mut kept = 0;
    for page in store.pages_from(0) {
        let (sequence, page) = page.unwrap();
        assert_eq!(
            store.url_state(&page.host, &page.url).unwrap(),
            Some(UrlState::Page(sequence))
        );
        if page.verdict == Verdict::Unique {
            assert_eq!(store.text_of(&page).unwrap().as_deref(), Some(page.url.as_str()));
            let record = store.archive().record(page.response.unwrap()).unwrap();
            assert_eq!(record.http_payload(), Some(&body(&page.url)[..]));
            kept += 1;
        }
    }
    let counts = store.counts();
    assert_eq!(counts.kept, kept);
    assert!(
        counts.fetched() < store.next_page_id(),
        "a number that a lost commit gave out stays unused"
    );
    let ended = counts.fetched() + counts.failed + counts.redirected + counts.excluded;
    assert_eq!(counts.discovered, counts.queued + ended);
    let finished = store.urls().map(Result::unwrap);
    let finished = finished.filter(|known| known.state != UrlState::Queued);
    let finished: BTreeSet<String> = finished.map(|known| known.url).collect();
    assert_eq!(
        letters(&store, DONE),
        finished,
        "a letter for each outcome, and no other"
    );
    assert_eq!(responses(dir), kept, "the archive holds the kept pages and no others");
}

fn responses(dir: &Path) -> u64 {
    let mut responses = 0;
    for entry in std::fs::read_dir(dir.join("warc")).unwrap() {
        for record in WarcReader::new(std::fs::File::open(entry.unwrap().path()).unwrap()) {
            responses += u64::from(record.unwrap().unwrap().record.kind() == "response");
        }
    }
    responses
}

/// Every URL with its outcome. Pages are without their numbers, which depend on the order.
fn catalogue(store: &Store) -> BTreeMap<String, String> {
    let known = store.urls().map(Result::unwrap).map(|known| {
        let state = match known.state {
            UrlState::Page(sequence) => format!("{:?}", store.page(sequence).unwrap().unwrap().verdict),
            // The first page that links to it depends on the order too.
            UrlState::Failed(failure) => format!("failed: {}", failure.kind),
            state => format!("{state:?}"),
        };
        (known.url, state)
    });
    known.collect()
}

fn link(number: u64) -> Discovered {
    let host = format!("h{}", number % HOSTS);
    Discovered {
        url: format!("https://{host}/{number}"),
        host,
        ..Discovered::default()
    }
}

fn number_of(queued: &QueuedUrl) -> u64 {
    queued.url.rsplit('/').next().unwrap().parse().unwrap()
}

fn body(url: &str) -> Vec<u8> {
    let mut body = Vec::new();
    write!(body, "<p>{url}</p>").unwrap();
    let mut random = url.len() as u64;
    body.extend((0..400).map(|_| (next(&mut random) >> 32) as u8));
    body
}

fn capture<'a>(url: &'a str, payload: &'a [u8]) -> Capture<'a> {
    let (fetched_at, status, reason, headers) = (0, 200, "OK", Vec::new());
    Capture {
        url,
        fetched_at,
        ip: None,
        request: None,
        status,
        reason,
        headers,
        payload,
        truncated: None,
        rendered: None,
        text: url,
    }
}

fn draft(verdict: Verdict) -> PageDraft {
    PageDraft {
        title: String::new(),
        fetched_at: 0,
        status: 200,
        content_type: String::new(),
        encoding: String::new(),
        body_bytes: 400,
        wire_bytes: 400,
        text_chars: 10,
        language: None,
        verdict,
        signature: vec![0; 8],
        elapsed_ms: 0,
        canonical: None,
        replaces: None,
        ..PageDraft::default()
    }
}

/// xorshift64.
fn next(state: &mut u64) -> u64 {
    *state ^= *state << 13;
    *state ^= *state >> 7;
    *state ^= *state << 17;
    *state
}
