//! One crawl of several: the same pages, verdicts and figures as if one process had crawled everything.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};
use std::time::Duration;

use serde_json::Value;
use storage::warc::{Capture, Compression, DuplicateText, RefersTo, RevisitCapture, RevisitProfile};
use storage::{Discovered, OpenOptions, Outcome, PageDraft, PageElsewhere, PageRecord, Store, Verdict, Worker};

use crate::support::crawl::Crawl;
use crate::support::outcomes::count;
use crate::support::page::{home, page, replaced, words};
use crate::support::process::{Ended, Running, crawler, run};
use crate::support::site::{Answer, Site};

/// Pages of a site, its home page aside.
const PAGES: u64 = 20;

/// A site of whose texts the first half is the same on all sites, and some of the others are near-duplicates of these.
fn site(seed: u64) -> Site {
    Site::scripted(move |asked| match asked.path.as_str() {
        "/" => {
            let links: Vec<String> = (1..=PAGES)
                .map(|n| format!("/{n}"))
                .chain(["/gone".to_owned()])
                .collect();
            home(&links)
        }
        path => match path[1..].parse::<u64>() {
            Ok(n) if n <= PAGES / 2 => page(&format!("Page {n}"), &words(n, 300), &["/"]),
            Ok(n) if n <= PAGES * 3 / 4 => {
                let text = replaced(&words(n - PAGES / 2, 300), 90, 2, 100 * seed + n);
                page(&format!("Page {n}"), &text, &["/"])
            }
            Ok(n) if n <= PAGES => page(&format!("Page {n}"), &words(1_000 * seed + n, 300), &["/"]),
            _ => Answer::status(404),
        },
    })
}

fn on(dir: &Path, command: &str, arguments: &[&str]) -> Ended {
    let mut process = crawler([command, "--data"]);
    run(process.arg(dir).args(arguments))
}

fn report(dir: &Path) -> Value {
    serde_json::from_str(&on(dir, "report", &["--format", "json"]).succeeded().stdout).unwrap()
}

fn merge(target: &Path, sources: &[&Path], arguments: &[&str]) -> Ended {
    let mut process = crawler(["merge"]);
    run(process.args(sources).arg("--data").arg(target).args(arguments))
}

#[track_caller]
fn verified(dir: &Path) {
    on(dir, "verify", &[]).succeeded().says(&["No finding"]);
}

/// The URL of each page, with its verdict and the URL of its kept page.
fn verdicts(dir: &Path) -> BTreeMap<String, (String, Option<String>)> {
    let store = Store::open_untouched(dir, &OpenOptions::existing()).unwrap();
    let pages = store.pages_from(0).map(Result::unwrap);
    let verdict = |(id, page): (u64, PageRecord)| {
        let kept = store
            .catalogue()
            .representative_of(id)
            .unwrap()
            .filter(|kept| *kept != id);
        let of = kept.map(|kept| store.page(kept).unwrap().unwrap().url);
        let words = format!("{:?}", page.verdict.with_of(0));
        (page.url, (words, of))
    };
    pages.map(verdict).collect()
}

/// One crawl of three sites.
fn crawl_of_all() -> (Vec<Site>, Crawl) {
    let sites: Vec<Site> = (1..=3).map(site).collect();
    let mut crawl = Crawl::of(sites[0].url("/")).set("storage.warc_file_bytes", 20_000);
    for site in &sites[1..] {
        crawl.add_seed(&site.url("/"));
    }
    crawl.run();
    (sites, crawl)
}

/// Splits a crawl into the folders that the workers of a fleet would have: one for each host.
fn split(crawl: &Path, into: &Path) -> Vec<PathBuf> {
    let from = Store::open_untouched(crawl, &OpenOptions::existing()).unwrap();
    let mut workers: BTreeMap<String, (u16, Store, u64)> = BTreeMap::new();
    let mut places: BTreeMap<u64, PageElsewhere> = BTreeMap::new();
    for row in from.pages_from(0) {
        let (id, page) = row.unwrap();
        let number = workers.len() as u16 + 1;
        let (worker, store, next) = workers.entry(page.host.clone()).or_insert_with(|| {
            let named = Worker {
                number,
                crawl: "fleet".to_owned(),
            };
            let options = OpenOptions {
                warcinfo: named.fields(),
                roll_bytes: 20_000,
                now_ms: from.started_at() + u64::from(number),
                ..OpenOptions::new(from.scheme())
            };
            let dir = into.join(format!("worker-{number}"));
            (number, Store::open(&dir, &options).unwrap(), 1)
        });
        let sequence = *next;
        *next += 1;
        let place = PageElsewhere {
            worker: *worker,
            sequence,
        };
        places.insert(id, place);
        let verdict = match page.verdict.of().map(|of| places[&of]) {
            None => page.verdict,
            Some(of) if of.worker == *worker => page.verdict.with_of(of.sequence),
            Some(of) => page.verdict.with_of(of.packed()),
        };
        store_page(store, &from, &page, verdict);
    }
    for (_, store, _) in workers.values_mut() {
        store.commit().unwrap();
    }
    (1..=workers.len())
        .map(|number| into.join(format!("worker-{number}")))
        .collect()
}

/// Stores a page as a worker with this verdict would have stored it.
fn store_page(store: &mut Store, from: &Store, page: &PageRecord, verdict: Verdict) {
    let link = Discovered {
        url: page.url.clone(),
        host: page.host.clone(),
        depth: page.depth,
        ..Discovered::default()
    };
    let queued = store.discover(&[link]).unwrap().pop().unwrap();
    let text = from.text_of(page).unwrap().unwrap();
    let capture = match page.response {
        Some(response) => {
            let record = from.archive().record(response).unwrap();
            let capture = Capture {
                url: &page.url,
                fetched_at: page.fetched_at,
                ip: None,
                request: None,
                status: page.status,
                reason: "OK",
                headers: vec![("content-type", page.content_type.as_bytes())],
                payload: record.http_payload().unwrap(),
                truncated: None,
                rendered: None,
                text: &text,
            };
            capture.encode(Compression::default()).unwrap()
        }
        None => {
            let own = verdict.of().filter(|of| PageElsewhere::unpacked(*of).is_none());
            let base = own.map(|of| {
                (
                    of,
                    store
                        .text_of(&store.latest_page(of).unwrap().unwrap())
                        .unwrap()
                        .unwrap(),
                )
            });
            let capture = RevisitCapture {
                url: &page.url,
                fetched_at: page.fetched_at,
                ip: None,
                request: None,
                status: page.status,
                reason: "OK",
                headers: vec![],
                payload_bytes: Some(page.body_bytes),
                payload_digest: page.payload_digest,
                profile: RevisitProfile::SameText,
                refers_to: Some(RefersTo {
                    url: &page.url,
                    fetched_at: page.fetched_at,
                    record_id: None,
                }),
                text: base.as_ref().map(|(of, base)| DuplicateText::Difference {
                    of: *of,
                    base,
                    text: &text,
                }),
            };
            capture.encode(Compression::default()).unwrap()
        }
    };
    let page = page.clone();
    let draft = PageDraft {
        title: page.title,
        fetched_at: page.fetched_at,
        status: page.status,
        content_type: page.content_type,
        encoding: page.encoding,
        body_bytes: page.body_bytes,
        wire_bytes: page.wire_bytes,
        text_chars: page.text_chars,
        language: page.language,
        page_type: page.page_type,
        rendering: page.rendering,
        verdict,
        signature: page.signature,
        elapsed_ms: page.elapsed_ms,
        canonical: page.canonical,
        replaces: None,
        validators: page.validators,
        payload_digest: page.payload_digest,
        logged_in: page.logged_in,
        is_incomplete: page.is_incomplete,
    };
    let outcome = Outcome::Page {
        draft: Box::new(draft),
        capture: Some(capture),
    };
    store.finish(&queued, outcome, &[]).unwrap();
}

/// A file with the settings of the crawl.
fn config_of(crawl: &Crawl) -> String {
    crawl.path("test.toml").display().to_string()
}

#[test]
fn the_merged_folders_of_a_fleet_are_the_crawl_that_they_are_parts_of() {
    let (sites, crawl) = crawl_of_all();
    let workers = split(&crawl.data(), &crawl.path("fleet"));
    let sources: Vec<&Path> = workers.iter().map(PathBuf::as_path).collect();
    let merged = crawl.path("merged");
    merge(&merged, &sources, &[])
        .succeeded()
        .says(&["Merged 3 folders into", "63 pages"]);
    verified(&merged);
    let before = verdicts(&crawl.data());
    assert_eq!(before.len(), 63);
    let foreign = |(url, (_, of)): &(&String, &(String, Option<String>))| {
        of.as_ref()
            .is_some_and(|of| of.split('/').nth(2) != url.split('/').nth(2))
    };
    assert!(
        before.iter().filter(foreign).count() > 10,
        "duplicates of pages of other workers"
    );
    assert_eq!(verdicts(&merged), before);
    let (one, all) = (report(&crawl.data()), report(&merged));
    for name in ["fetched", "kept", "exact", "near"] {
        assert_eq!(count(&all, name), count(&one, name), "{name}");
    }
    let kept = |dir: &Path| -> BTreeSet<String> {
        let lines = on(dir, "export", &[]).succeeded().stdout;
        let pages = lines.lines().map(|line| serde_json::from_str::<Value>(line).unwrap());
        pages.map(|page| format!("{} {}", page["url"], page["text"])).collect()
    };
    assert_eq!(kept(&merged), kept(&crawl.data()));
    // A replay of the merged pages, in their order, at the thresholds in force decides as the crawl did.
    let config = config_of(&crawl);
    let tuned = |dir: &Path| -> Value {
        let answer = on(dir, "tune", &["--config", &config, "--format", "json"]).succeeded();
        serde_json::from_str::<Value>(&answer.stdout).unwrap()["in_force"].clone()
    };
    assert_eq!(tuned(&merged), tuned(&crawl.data()));
    let (url, (_, of)) = before.iter().find(|row| foreign(row)).unwrap();
    on(&merged, "explain", &[url])
        .with_code(on(&crawl.data(), "explain", &[url]).code.unwrap())
        .says(&[of.as_ref().unwrap()]);
    // The state of the workers has no failure and no queue; the next run finds nothing to fetch but what no page names.
    let asked: usize = sites.iter().map(|site| site.requests().len()).sum();
    let mut goes_on = crawler([
        "run",
        "--seeds",
        "seeds.txt",
        "--config",
        "test.toml",
        "--data",
        "merged",
    ]);
    run(goes_on.current_dir(crawl.path(""))).succeeded();
    let asked_again: usize = sites.iter().map(|site| site.requests().len()).sum();
    assert!(asked_again - asked <= 3, "robots.txt alone: {}", asked_again - asked);
    on(&merged, "rebuild", &[]).succeeded();
    assert_eq!(verdicts(&merged), before);
    verified(&merged);
}

#[test]
fn independent_crawls_are_decided_anew_as_one_crawl_decides_them() {
    let (sites, one) = crawl_of_all();
    let crawls: Vec<Crawl> = sites
        .iter()
        .map(|site| {
            let crawl = Crawl::of(site.url("/"));
            crawl.run();
            crawl
        })
        .collect();
    let folders: Vec<PathBuf> = crawls.iter().map(Crawl::data).collect();
    let sources: Vec<&Path> = folders.iter().map(PathBuf::as_path).collect();
    let merged = one.path("merged");
    merge(&merged, &sources, &[])
        .with_code(1)
        .complains_of(&["not of workers of one crawl", "--redecide"]);
    let config = config_of(&one);
    merge(&merged, &sources, &["--redecide", "--config", &config])
        .succeeded()
        .says(&["63 pages", "new verdict"]);
    on(&merged, "verify", &["--config", &config])
        .succeeded()
        .says(&["No finding"]);
    let (one, all) = (report(&one.data()), report(&merged));
    let dropped = |report: &Value| count(report, "exact") + count(report, "near");
    assert_eq!(dropped(&all), dropped(&one));
    for name in ["fetched", "kept", "failed"] {
        assert_eq!(count(&all, name), count(&one, name), "{name}");
    }
    assert_eq!(count(&all, "failed"), 3, "taken from the states of the folders");
    let mut again = crawler(["run", "--seeds", "seeds.txt", "--config", "test.toml", "--data"]);
    run(again.arg(&merged).current_dir(crawls[0].path(""))).succeeded();
    on(&merged, "verify", &["--config", &config])
        .succeeded()
        .says(&["No finding"]);
}

#[test]
fn a_merge_that_is_killed_is_continued_by_the_same_command() {
    let (_sites, crawl) = crawl_of_all();
    let workers = split(&crawl.data(), &crawl.path("fleet"));
    let merged = crawl.path("merged");
    for delay_ms in [0, 5, 20, 60, 150, 400] {
        let mut process = crawler(["merge"]);
        let mut merging = Running::start(process.args(&workers).arg("--data").arg(&merged));
        std::thread::sleep(Duration::from_millis(delay_ms));
        merging.kill();
        merging.wait();
        if merged.join("merging").exists() {
            on(&merged, "report", &[]).with_code(1).complains_of(&["was cut off"]);
        }
    }
    let sources: Vec<&Path> = workers.iter().map(PathBuf::as_path).collect();
    // The last process may have been too fast for the kill.
    if !merged.join("state").exists() || merged.join("merging").exists() {
        merge(&merged, &sources, &[]).succeeded();
    }
    assert_eq!(verdicts(&merged), verdicts(&crawl.data()));
    verified(&merged);
    merge(&merged, &sources, &[])
        .with_code(1)
        .complains_of(&["holds a crawl already"]);
}

#[test]
fn folders_that_cannot_be_merged_are_named_with_what_to_do() {
    let site = site(1);
    let crawl = Crawl::of(site.url("/"));
    crawl.run();
    let other = Crawl::of(site.url("/")).set("dedup.features", "\"3-grams\"");
    other.run();
    let target = crawl.path("merged");
    let (data, other_data) = (crawl.data(), other.data());
    let nothing = crawl.path("nothing");
    for (sources, words) in [
        (vec![&*data, &*other_data], vec!["were decided by", "--redecide"]),
        (vec![&*data, &*nothing], vec!["holds no crawl"]),
        (vec![&*data, &*target], vec!["folder for the result"]),
    ] {
        merge(&target, &sources, &[]).with_code(1).complains_of(&words);
    }
    // A slow crawl holds its folder.
    let slow = Crawl::of(site.url("/")).set("politeness.delay_ms", 60_000);
    let mut running = slow.start();
    site.wait_for_requests(site.requests().len() + 1);
    while !slow.data().join("state").exists() {
        std::thread::sleep(Duration::from_millis(5));
    }
    merge(&target, &[&slow.data()], &[])
        .with_code(1)
        .complains_of(&["is in use by", "crawler control stop --data"]);
    running.kill();
}

#[test]
fn a_damaged_file_costs_its_pages_alone() {
    let (_sites, crawl) = crawl_of_all();
    let workers = split(&crawl.data(), &crawl.path("fleet"));
    let warc = workers[1].join("warc");
    let mut files: Vec<PathBuf> = fs::read_dir(&warc)
        .unwrap()
        .map(|entry| entry.unwrap().path())
        .collect();
    files.sort();
    let mut bytes = fs::read(&files[0]).unwrap();
    // Half of the file: the order of the pages differs from run to run, and a small stretch may hit no record of a page.
    let quarter = bytes.len() / 4;
    for byte in &mut bytes[quarter..3 * quarter] {
        *byte ^= 0x55;
    }
    fs::write(&files[0], &bytes).unwrap();
    let sources: Vec<&Path> = workers.iter().map(PathBuf::as_path).collect();
    let merged = crawl.path("merged");
    let ended = merge(&merged, &sources, &[])
        .succeeded()
        .complains_of(&["no readable record", "skipped"])
        .says(&["the next run fetches the pages again"]);
    verified(&merged);
    let (before, after) = (verdicts(&crawl.data()), verdicts(&merged));
    assert!(after.len() < before.len());
    assert!(after.iter().all(|(url, verdict)| before[url] == *verdict));
    // The states of the folders know every lost page, also one whose records the damage has taken whole.
    let lost = before.len() - after.len();
    ended.says(&[&format!("  {lost} URLs are queued for the next run")]);
    assert_eq!(fs::read(&files[0]).unwrap(), bytes, "the merge changes no folder");
}

#[test]
fn pages_at_the_lost_end_of_an_archive_are_queued_again() {
    let (_sites, crawl) = crawl_of_all();
    for (name, keeps) in [("short", 3), ("gone", 0)] {
        let workers = split(&crawl.data(), &crawl.path(name));
        let warc = workers[1].join("warc");
        let mut files: Vec<PathBuf> = fs::read_dir(&warc)
            .unwrap()
            .map(|entry| entry.unwrap().path())
            .collect();
        files.retain(|path| path.extension().is_some_and(|end| end == "gz"));
        files.sort();
        let last = files.last().unwrap();
        let bytes = fs::read(last).unwrap();
        match keeps {
            0 => fs::remove_file(last).unwrap(),
            part => fs::write(last, &bytes[..bytes.len() / part]).unwrap(),
        }
        let sources: Vec<&Path> = workers.iter().map(PathBuf::as_path).collect();
        let merged = crawl.path(&format!("merged-{name}"));
        let ended = merge(&merged, &sources, &[]).succeeded();
        verified(&merged);
        let (before, after) = (verdicts(&crawl.data()), verdicts(&merged));
        let lost = before.len() - after.len();
        assert!(lost > 0, "{name}");
        ended.says(&[
            "the next run fetches the pages again",
            &format!("  {lost} URLs are queued for the next run"),
        ]);
    }
}

#[test]
fn full_files_go_to_the_object_store_and_are_merged_from_there() {
    let sites: Vec<Site> = (1..=2).map(site).collect();
    let bucket = tempfile::tempdir().unwrap();
    let url = format!("file://{}/crawls", bucket.path().display());
    let crawls: Vec<Crawl> = sites
        .iter()
        .zip(["gzip", "zstd"])
        .map(|(site, compression)| {
            Crawl::of(site.url("/"))
                .set("storage.compression", format!("{compression:?}"))
                .set("storage.archive_url", format!("{url:?}"))
                .set("storage.warc_file_bytes", 20_000)
        })
        .collect();
    let warcs = |crawl: &Crawl| -> BTreeMap<String, Vec<u8>> {
        let files = fs::read_dir(crawl.data().join("warc"))
            .unwrap()
            .map(|entry| entry.unwrap().path());
        let files = files.filter(|path| path.extension().is_some_and(|end| end == "gz" || end == "zst"));
        files
            .map(|path| {
                (
                    path.file_name().unwrap().to_string_lossy().into_owned(),
                    fs::read(path).unwrap(),
                )
            })
            .collect()
    };
    let stored = |crawl: &Crawl| -> BTreeMap<String, Vec<u8>> {
        let list = fs::read_to_string(crawl.data().join("archived")).unwrap();
        let folder = list.lines().next().unwrap().strip_prefix("folder ").unwrap().to_owned();
        let files = fs::read_dir(bucket.path().join("crawls").join(folder)).unwrap();
        files
            .map(|entry| entry.unwrap())
            .map(|entry| {
                (
                    entry.file_name().to_string_lossy().into_owned(),
                    fs::read(entry.path()).unwrap(),
                )
            })
            .collect()
    };
    for crawl in &crawls {
        // Two runs: the second begins a file of its own, because the last file of the first one is in the store.
        let mut before = 0;
        for (arguments, code) in [(&["--max-pages", "10"][..], 6), (&[], 0)] {
            crawl.end(arguments).with_code(code);
            assert_eq!(stored(crawl), warcs(crawl), "every file, and nothing else");
            assert!(warcs(crawl).len() > before);
            before = warcs(crawl).len();
        }
        crawl.read("verify", &[]).succeeded().says(&["No finding"]);
        // After a rebuild too the last file is not continued.
        crawl.read("rebuild", &[]).succeeded();
        crawl.run();
        assert_eq!(stored(crawl), warcs(crawl));
        crawl.read("verify", &[]).succeeded().says(&["No finding"]);
    }
    let (merged, from_folders) = (crawls[0].path("merged"), crawls[0].path("from-folders"));
    let config = config_of(&crawls[0]);
    let redecide = ["--redecide", "--config", &config];
    let mut process = crawler(["merge", &url]);
    run(process.arg("--data").arg(&merged).args(redecide))
        .succeeded()
        .says(&["Merged 2 folders", "42 pages"]);
    assert!(!merged.join("incoming").exists());
    merge(&from_folders, &[&crawls[0].data(), &crawls[1].data()], &redecide).succeeded();
    assert_eq!(verdicts(&merged), verdicts(&from_folders));
    on(&merged, "verify", &["--config", &config])
        .succeeded()
        .says(&["No finding"]);
    let nothing = format!("{url}/nothing");
    let mut process = crawler(["merge", &nothing]);
    run(process.arg("--data").arg(crawls[0].path("none")))
        .with_code(1)
        .complains_of(&["holds no WARC file"]);
}

#[test]
fn a_store_that_cannot_be_written_holds_up_no_crawl() {
    let site = site(1);
    let place = tempfile::NamedTempFile::new().unwrap();
    let url = format!("file://{}/crawls", place.path().display());
    let mut crawl = Crawl::of(site.url("/")).set("storage.archive_url", format!("{url:?}"));
    crawl
        .run()
        .complains_of(&["1 WARC files are not in", "the next run puts them there"]);
    let bucket = tempfile::tempdir().unwrap();
    let url = format!("file://{}", bucket.path().display());
    crawl.change("storage.archive_url", format!("{url:?}"));
    crawl.run();
    assert_eq!(fs::read_dir(bucket.path()).unwrap().count(), 1);
    crawl.change("storage.archive_url", "\"ftp://host\"");
    crawl.end(&[]).with_code(1).complains_of(&["names no object store"]);
}
