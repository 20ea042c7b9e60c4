//! What the object store of `storage.archive_url` has of a fleet: the segments of the log of kept pages, which a worker that joins late reads there,
//! and the full WARC files of every worker.

use std::fs;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};

use serde_json::Value;
use storage::{OpenOptions, PageRecord, Store};

use super::*;
use crate::support::gate::Gate;
use crate::support::page::{page, replaced, words};

/// Pages like no other that are answered before each of the gates: enough for a segment.
const STAGE: usize = 8;

/// Entries of a segment.
const ENTRIES: usize = 3;

/// Pages of each host, in the order of its links.
const PATHS: [&str; 4] = ["/own", "/own-too", "/same", "/near"];

/// Pages that one process keeps: three of each host, and two that all hosts have in common.
const KEPT: usize = 3 * HOSTS + 2;

/// A site whose hosts have a text in common (`/same`), and another one nearly (`/near`). The other pages are like none; they wait at the first
/// gate after some of them, at the next gate after some more.
fn gated_site(gates: &[Arc<Gate>]) -> Site {
    let (answered, gates) = (AtomicUsize::new(0), gates.to_vec());
    Site::of_many_hosts(move |asked| {
        let (name, _) = asked.host.split_once(':').unwrap();
        let number: u64 = name.rsplit('.').next().unwrap().parse::<u64>().unwrap() - 1;
        let own = |from: u64, links: &[&str]| {
            let stage = answered.fetch_add(1, Ordering::Relaxed) / STAGE;
            gates.iter().take(stage).for_each(|gate| assert!(gate.pass()));
            article(from + number, links)
        };
        match asked.path.as_str() {
            "/" => own(100, &PATHS),
            "/own" => own(200, &["/"]),
            "/own-too" => own(300, &["/"]),
            "/same" => page("Same", &words(1, 300), &["/"]),
            "/near" => page("Near", &replaced(&words(2, 300), 90, 2, number), &["/"]),
            _ => Answer::status(404),
        }
    })
}

fn status(redis: &Redis) -> Value {
    let json = run(&mut crawler(["fleet", "status", "--format", "json", &address(redis)])).succeeded();
    serde_json::from_str(&json.stdout).unwrap()
}

fn worker_with_store(number: usize, site: &Site, redis: &Redis, store: &Path) -> Crawl {
    worker(number, site, redis)
        .set("steering.enabled", false)
        .set("fleet.segment_entries", ENTRIES)
        .set("storage.archive_url", format!("\"file://{}\"", store.display()))
}

fn store_of(worker: &Crawl) -> Store {
    Store::open_untouched(&worker.data(), &OpenOptions::existing()).unwrap()
}

/// The URLs of the pages that a worker keeps.
fn kept_by(worker: &Crawl) -> BTreeSet<String> {
    let store = store_of(worker);
    let pages = store.pages_from(0).map(|row| row.unwrap().1);
    pages.filter(PageRecord::is_kept).map(|page| page.url).collect()
}

/// The segments in the store, in the order of the log.
fn segments_in(store: &Path) -> Vec<PathBuf> {
    let folders = fs::read_dir(store).unwrap().map(|entry| entry.unwrap().path());
    let crawl = folders
        .into_iter()
        .find(|path| path.file_name().unwrap().to_string_lossy().starts_with("fleet-"))
        .unwrap();
    let files = fs::read_dir(crawl.join("segments")).unwrap();
    let mut files: Vec<PathBuf> = files.map(|entry| entry.unwrap().path()).collect();
    files.sort_by_key(|path| path.file_stem().unwrap().to_str().unwrap().parse::<u64>().unwrap());
    files
}

#[test]
fn a_worker_that_joins_late_reads_the_segments_from_the_object_store() {
    let (redis, bucket) = (Redis::start(&[]), tempfile::tempdir().unwrap());
    let gates: Vec<Arc<Gate>> = (0..3).map(|_| Arc::new(Gate::closed())).collect();
    let site = gated_site(&gates);
    let workers: Vec<Crawl> = (1..=2)
        .map(|number| worker_with_store(number, &site, &redis, bucket.path()))
        .collect();
    let first = workers[0].start();
    for (segments, gate) in (1..).zip(&gates) {
        gate.wait_for_arrival();
        wait_until("the first worker has written another segment", || {
            status(&redis)["log"]["segments"].as_u64() >= Some(segments)
        });
        if segments == 3 {
            first.interrupt();
            first.wait_for_stderr("stopping: finishing the URLs in process");
        }
        gate.open();
    }
    first.wait().with_code(130);
    let of_first = kept_by(&workers[0]);
    assert!(times(&site).len() < HOSTS * 5, "it stopped before the end");
    workers[1].run();
    assert_eq!(times(&site).len(), HOSTS * 5, "every page was asked for");
    let of_second = kept_by(&workers[1]);
    assert!(of_first.is_disjoint(&of_second));
    assert_eq!(of_first.len() + of_second.len(), KEPT, "{of_first:?} {of_second:?}");
    // The second one knows every page of the first one, also those that only the segments have.
    let elsewhere: BTreeSet<String> = store_of(&workers[1])
        .pages_elsewhere()
        .all()
        .map(|row| row.unwrap().1.url)
        .collect();
    assert_eq!(elsewhere, of_first);
    workers.iter().for_each(|worker| {
        worker.read("verify", &[]).succeeded();
    });
    let log = status(&redis)["log"].clone();
    assert_eq!(
        log["stored_bytes"], log["segment_bytes"],
        "none of them is in Redis: {log}"
    );
    let segments = segments_in(bucket.path());
    assert_eq!(segments.len() as u64, log["segments"].as_u64().unwrap());

    // A worker that needs a segment which is not there says so.
    fs::remove_file(&segments[0]).unwrap();
    worker_with_store(3, &site, &redis, bucket.path())
        .end(&[])
        .with_code(1)
        .complains_of(&[segments[0].to_str().unwrap(), "is missing", "storage.archive_url"]);
    // One with another store is not let in while others live; the workers agree where the segments are.
    let rules = run(&mut crawler(["fleet", "config", &address(&redis)])).succeeded();
    rules.says(&["storage.archive_url", bucket.path().to_str().unwrap()]);

    // Whoever needs the crawl no more removes its segments with it, and no WARC file.
    let delete = |arguments: &[&str]| run(crawler(["fleet", "delete", &address(&redis)]).args(arguments));
    let store = format!("file://{}", bucket.path().display());
    delete(&[])
        .with_code(2)
        .complains_of(&["nothing was deleted", &format!("--store {store}")]);
    wait_until("no worker lives", || delete(&["--store", &store]).code == Some(0));
    let left = fs::read_dir(bucket.path())
        .unwrap()
        .map(|entry| entry.unwrap().file_name());
    let left: Vec<String> = left.map(|name| name.into_string().unwrap()).collect();
    assert!(
        !left.is_empty() && left.iter().all(|name| !name.starts_with("fleet-")),
        "{left:?}"
    );
    delete(&["--store", &store])
        .with_code(1)
        .complains_of(&["do not know the crawl"]);
}

#[test]
fn workers_wait_while_the_object_store_takes_no_segments_and_go_on_then() {
    let (redis, gates) = (Redis::start(&[]), [(); 2].map(|()| Arc::new(Gate::closed())));
    let site = gated_site(&gates);
    let folder = tempfile::tempdir().unwrap();
    // A file stands in the place of the store.
    let store = folder.path().join("store");
    fs::write(&store, "no folder").unwrap();
    let worker = worker_with_store(1, &site, &redis, &store);
    let running = worker.start();
    running.wait_for_stderr("the object store does not take");
    gates[0].open();
    running.wait_for_stderr("the log of kept pages is too long");
    gates[1].open();
    fs::remove_file(&store).unwrap();
    running
        .wait()
        .succeeded()
        .complains_of(&["the workers make no requests", "the object store answers again"]);
    assert_eq!(times(&site).len(), HOSTS * 5, "every page was asked for");
    assert_eq!(kept_by(&worker).len(), KEPT);
    assert!(!segments_in(&store).is_empty());
}

/// A small S3 on loopback, with one bucket. `refuses` says what it forbids: whose access key asks, with which method, for which key.
fn s3(refuses: impl Fn(&str, &str, &str) -> bool + Send + Sync + 'static) -> Site {
    let objects = Mutex::new(BTreeMap::new());
    Site::scripted(move |asked| {
        let signed = asked.headers["authorization"].to_str().unwrap();
        let who = signed.split_once("Credential=").unwrap().1.split_once('/').unwrap().0;
        let key = asked.path.strip_prefix("/bucket/").unwrap().to_owned();
        if refuses(who, &asked.method, &key) {
            return Answer::status(403);
        }
        let mut objects = objects.lock().unwrap();
        match asked.method.as_str() {
            "PUT" => {
                objects.insert(key, asked.bytes.clone());
                Answer::status(200).with("etag", "\"1\"")
            }
            "DELETE" => Answer::status(if objects.remove(&key).is_some() { 204 } else { 404 }),
            _ => match objects.get(&key) {
                None => Answer::status(404),
                Some(object) => Answer::untyped(object.as_ref())
                    .with("etag", "\"1\"")
                    .with("last-modified", "Sat, 21 Mar 2026 09:30:00 GMT"),
            },
        }
    })
}

/// The run of a worker whose segments are in that store. Its access key has its number.
fn run_with_s3(number: usize, worker: &Crawl, store: &Site) -> Running {
    Running::start(worker.command(&[]).envs([
        ("AWS_ENDPOINT", store.url("").trim_end_matches('/')),
        ("AWS_ALLOW_HTTP", "true"),
        ("AWS_REGION", "us-east-1"),
        ("AWS_ACCESS_KEY_ID", &format!("key-{number}")),
        ("AWS_SECRET_ACCESS_KEY", "secret"),
    ]))
}

fn worker_with_s3(number: usize, site: &Site, redis: &Redis) -> Crawl {
    worker_with_store(number, site, redis, Path::new("")).set("storage.archive_url", "\"s3://bucket/crawls\"")
}

#[test]
fn a_worker_that_the_object_store_refuses_at_its_start_ends_and_says_which_right_is_missing() {
    let (redis, site, store) = (Redis::start(&[]), site(Duration::ZERO), s3(|_, _, _| true));
    let refused = worker_with_s3(1, &site, &redis);
    let ended = run_with_s3(1, &refused, &store).wait().with_code(1);
    ended.complains_of(&[
        "the object store refuses to take s3://bucket/crawls/fleet-",
        "lack the right to put objects there",
    ]);
    assert!(times(&site).is_empty(), "it asked for a page");
}

#[test]
fn a_worker_that_is_refused_a_segment_leaves_the_fleet_and_the_others_end_the_crawl() {
    let (redis, store) = (
        Redis::start(&[]),
        s3(|who, method, key| who == "key-2" && method == "GET" && key.contains("/segments/")),
    );
    let gates: Vec<Arc<Gate>> = (0..3).map(|_| Arc::new(Gate::closed())).collect();
    let site = gated_site(&gates);
    let workers: Vec<Crawl> = (1..=2).map(|number| worker_with_s3(number, &site, &redis)).collect();
    let first = run_with_s3(1, &workers[0], &store);
    for (segments, gate) in (1..).zip(&gates) {
        gate.wait_for_arrival();
        wait_until("the first worker has written another segment", || {
            status(&redis)["log"]["segments"].as_u64() >= Some(segments)
        });
        if segments == 3 {
            let refused = run_with_s3(2, &workers[1], &store).wait().with_code(1);
            refused.complains_of(&[
                "the object store refuses to give",
                "lack the right to read objects there",
                "leaves the fleet",
            ]);
            assert_eq!(status(&redis)["workers"][1]["state"], "left");
        }
        gate.open();
    }
    first.wait().succeeded();
    assert_eq!(times(&site).len(), HOSTS * 5, "every page was asked for");
}

#[test]
fn a_lost_disk_costs_only_the_pages_of_the_file_that_its_worker_had_begun() {
    let (redis, bucket) = (
        Redis::start(&["--appendonly", "yes", "--appendfsync", "always"]),
        tempfile::tempdir().unwrap(),
    );
    let site = site(Duration::from_millis(50));
    let workers: Vec<Crawl> = (1..=2)
        .map(|number| worker_with_store(number, &site, &redis, bucket.path()))
        .collect();
    // The end of a run ends a file, too.
    let lost = &workers[1];
    let running = lost.start();
    site.wait_for_requests(24);
    running.interrupt();
    running.wait().with_code(130);
    let in_full_file = kept_by(lost);
    let asked = site.requests().len();
    let mut running = lost.start();
    site.wait_for_requests(asked + 12);
    running.kill();
    let list = fs::read_to_string(lost.data().join("archived")).unwrap();
    let folder = list.lines().next().unwrap().strip_prefix("folder ").unwrap();
    fs::remove_dir_all(lost.data()).unwrap();
    workers[0].run();
    let merged = Crawl::of(format!("http://{}:{}/", host(0), site.port()));
    let mut merge = crawler(["merge", "--data"]);
    let of_lost = format!("file://{}/{folder}", bucket.path().display());
    run(merge.arg(merged.data()).arg(workers[0].data()).arg(of_lost)).succeeded();
    merged.end(&[]).succeeded();
    assert_eq!(count(&merged.report(), "fetched"), (HOSTS * PAGES) as u64);
    let again: Vec<_> = times(&site).into_iter().filter(|(_, times)| *times > 1).collect();
    assert!(!in_full_file.is_empty());
    for url in in_full_file {
        let place = url.strip_prefix("http://").unwrap();
        assert!(again.iter().all(|(page, _)| page != place), "{url} is asked for again");
    }
}
