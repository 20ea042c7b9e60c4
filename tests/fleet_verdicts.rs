//! Workers that decide near-duplicates among their own pages: exact duplicates across workers are found at once, the others by the verdicts
//! that a merge takes.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};
use std::time::Duration;

use serde_json::Value;
use storage::{OpenOptions, PageRecord, Store};

use crate::support::crawl::Crawl;
use crate::support::outcomes::count;
use crate::support::page::{home, page, replaced, words};
use crate::support::process::{Ended, Running, crawler, run};
use crate::support::redis::Redis;
use crate::support::site::{Answer, Site};

/// Hosts of the site, each a registrable domain of its own.
const HOSTS: u64 = 12;

/// Texts that one process keeps: those of the home pages, the one that all hosts have, the one that all hosts have nearly, and one of each host.
const TEXTS: u64 = HOSTS + 1 + 1 + HOSTS;

fn host(number: u64) -> String {
    format!("127.1.0.{}", number % HOSTS + 1)
}

/// A site whose hosts have a text in common (`/same`), and another one nearly (`/near`). The last page of each host repeats one of its own.
fn site(pause: Duration) -> Site {
    Site::of_many_hosts(move |asked| {
        std::thread::sleep(pause);
        let (name, port) = asked.host.split_once(':').unwrap();
        let number: u64 = name.rsplit('.').next().unwrap().parse::<u64>().unwrap() - 1;
        let own = words(100 + number, 300);
        match asked.path.as_str() {
            "/" => {
                let paths = ["/same", "/near", "/own", "/own-again"].map(str::to_owned);
                let next = format!("http://{}:{port}/", host(number + 1));
                home(&paths.into_iter().chain([next]).collect::<Vec<_>>())
            }
            "/same" => page("Same", &words(1, 300), &["/"]),
            "/near" => page("Near", &replaced(&words(2, 300), 90, 2, number), &["/"]),
            "/own" => page("Own", &own, &["/"]),
            "/own-again" => page("Own", &replaced(&own, 90, 2, 1), &["/"]),
            _ => Answer::status(404),
        }
    })
}

fn worker(number: usize, site: &Site, redis: &Redis) -> Crawl {
    let seeds: Vec<String> = (0..HOSTS)
        .map(|number| format!("http://{}:{}/", host(number), site.port()))
        .collect();
    Crawl::of(seeds.join("\n"))
        .set(
            "identity.contact_url",
            format!("\"https://example.org/worker-{number}\""),
        )
        .set("politeness.parallel_per_host", 1)
        .set("fleet.address", format!("\"redis://{}\"", redis.host()))
        .set("fleet.lease_seconds", 1)
        .set("fleet.verdicts", "\"worker\"")
}

fn on(dir: &Path, command: &str, arguments: &[&str]) -> Ended {
    let mut process = crawler([command, "--data"]);
    run(process.arg(dir).args(arguments))
}

fn merge(workers: &[Crawl], target: &Path, arguments: &[&str]) -> Ended {
    let mut process = crawler(["merge"]);
    let folders = workers.iter().map(Crawl::data);
    run(process.args(folders).arg("--data").arg(target).args(arguments))
}

fn report(dir: &Path) -> Value {
    serde_json::from_str(&on(dir, "report", &["--format", "json"]).succeeded().stdout).unwrap()
}

/// The URL of each page, with its verdict and the URL of the page that it names.
fn verdicts(dir: &Path) -> BTreeMap<String, (String, Option<String>)> {
    let store = Store::open_untouched(dir, &OpenOptions::existing()).unwrap();
    let verdict = |(_, page): (u64, PageRecord)| {
        let of = page.verdict.of().map(|of| store.page(of).unwrap().unwrap().url);
        (page.url, (format!("{:?}", page.verdict.with_of(0)), of))
    };
    store.pages_from(0).map(Result::unwrap).map(verdict).collect()
}

/// The URLs of the kept pages.
fn kept(dir: &Path) -> Vec<String> {
    let store = Store::open_untouched(dir, &OpenOptions::existing()).unwrap();
    let pages = store.pages_from(0).map(|row| row.unwrap().1);
    pages.filter(PageRecord::is_kept).map(|page| page.url).collect()
}

/// Two workers that have crawled the whole site together, one of them killed and started again.
fn crawled(site: &Site, redis: &Redis) -> Vec<Crawl> {
    let workers: Vec<Crawl> = (1..=2).map(|number| worker(number, site, redis)).collect();
    let mut running: Vec<Running> = workers.iter().map(Crawl::start).collect();
    let by = |number: usize| {
        let agent = format!("worker-{number}");
        let requests = site.requests();
        requests
            .iter()
            .filter(|request| request.user_agent.contains(&agent))
            .count()
    };
    let until = std::time::Instant::now() + crate::support::PATIENCE;
    while by(1) < 4 || by(2) < 4 {
        assert!(std::time::Instant::now() < until, "both workers get hosts");
        std::thread::sleep(Duration::from_millis(20));
    }
    running[0].kill();
    running[0] = workers[0].start();
    for worker in running {
        worker.wait().succeeded();
    }
    workers
}

#[test]
fn exact_duplicates_are_found_across_workers_and_the_others_by_the_verdicts_of_a_merge() {
    let redis = Redis::start(&["--appendonly", "yes", "--appendfsync", "always"]);
    let site = site(Duration::from_millis(250));
    let workers = crawled(&site, &redis);

    // The common text is kept once. The one that is nearly the same everywhere is kept by each worker that has it, and that of a host whose pages
    // two workers have, by both.
    let reports: Vec<Value> = workers.iter().map(Crawl::report).collect();
    let kept: Vec<String> = workers.iter().flat_map(|worker| kept(&worker.data())).collect();
    let that_end_in = |path: &str| kept.iter().filter(|url| url.ends_with(path)).count() as u64;
    assert_eq!(that_end_in("/same"), 1, "{kept:?}");
    assert!((1..=2).contains(&that_end_in("/near")), "{kept:?}");
    assert_eq!(that_end_in("/"), HOSTS);
    assert!(
        (HOSTS..=2 * HOSTS).contains(&(that_end_in("/own") + that_end_in("/own-again"))),
        "{kept:?}"
    );
    for (worker, report) in workers.iter().zip(&reports) {
        assert_eq!(report["provisional"], true);
        worker.read("report", &[]).succeeded().says(&["provisional"]);
        worker.read("verify", &[]).succeeded().says(&["No finding"]);
    }
    let status = run(&mut crawler(["fleet", "status", &format!("redis://{}", redis.host())])).succeeded();
    status.says(&["verdicts: provisional", "digests"]);

    // The folder before the verdicts are decided, and the texts of all its pages.
    let provisional = workers[0].path("provisional");
    merge(&workers, &provisional, &[]).succeeded();
    assert_eq!(report(&provisional)["provisional"], true);
    on(&provisional, "verify", &[]).succeeded().says(&["No finding"]);
    let texts = workers[0].path("texts.parquet");
    let mut export = crawler(["export", "--include-duplicates", "--fields", "url,text", "--data"]);
    run(export.arg(&provisional).arg("-o").arg(&texts)).succeeded();

    // As Spark decides them: one pass in the order of the merge.
    let given = workers[0].path("verdicts");
    fs::create_dir(&given).unwrap();
    fs::write(given.join("_SUCCESS"), "").unwrap();
    let mut decide = crawler(["dedup", "--quiet"]);
    run(decide
        .arg(&texts)
        .arg("--annotate")
        .arg(given.join("part-00000.parquet")))
    .succeeded();
    let merged = workers[0].path("merged");
    let arguments = ["--verdicts", given.to_str().unwrap()];
    merge(&workers, &merged, &arguments)
        .succeeded()
        .says(&["all pages have a new verdict (the verdicts of "]);
    on(&merged, "verify", &[]).succeeded().says(&["No finding"]);
    let one = report(&merged);
    assert_eq!((count(&one, "kept"), &one["provisional"]), (TEXTS, &Value::Bool(false)));
    assert_eq!(count(&one, "fetched"), HOSTS * 5);

    // One process over the same order decides so.
    let again = workers[0].path("again");
    merge(&workers, &again, &["--redecide"]).succeeded();
    assert_eq!(verdicts(&merged), verdicts(&again));
    assert_eq!(report(&again)["provisional"], false);

    // Everything else works as of one crawl.
    let url = verdicts(&merged)
        .into_iter()
        .find_map(|(url, (_, of))| of.map(|_| url))
        .unwrap();
    let mut explain = crawler(["explain", &url, "--data"]);
    run(explain.arg(&merged)).succeeded().says(&["duplicate"]);
    on(&merged, "tune", &[]).succeeded();
    let kept = on(&merged, "export", &["--format", "jsonl"]).succeeded().stdout;
    // The home pages have links alone.
    assert_eq!(kept.lines().count() as u64, TEXTS - HOSTS);
    on(&merged, "gc", &[]).succeeded();
    assert_eq!(verdicts(&merged), verdicts(&again));
}

#[test]
fn a_worker_that_decides_otherwise_is_not_let_in() {
    let (redis, site) = (Redis::start(&[]), site(Duration::from_millis(100)));
    let one = worker(1, &site, &redis);
    let running = one.start();
    site.wait_for_requests(1);
    let other = worker(2, &site, &redis).set("fleet.verdicts", "\"fleet\"");
    other
        .end(&[])
        .with_code(1)
        .complains_of(&["fleet.verdicts (the others: \"worker\"; this worker: \"fleet\")"]);
    running.wait().succeeded();
}

#[test]
fn verdicts_that_cannot_be_those_of_the_pages_are_refused_with_what_to_do() {
    let site = Site::of(
        [("/", home(&["/1", "/2", "/3"]))]
            .into_iter()
            .chain((1..=3).map(|number| {
                (
                    ["/1", "/2", "/3"][number - 1],
                    page("A page", &words(number as u64, 200), &["/"]),
                )
            })),
    );
    let crawl = Crawl::of(site.url("/"));
    crawl.run();
    let row = |path: &str, verdict: &str, of: Option<&str>| {
        serde_json::json!({"id": site.url(path), "verdict": verdict, "of": of.map(|of| site.url(of))}).to_string()
    };
    let all: BTreeSet<String> = ["/", "/1", "/2", "/3"].map(|path| row(path, "kept", None)).into();
    let (first, third) = (row("/1", "kept", None), row("/3", "kept", None));
    let with = |changed: &[(&String, String)]| -> String {
        let rows = all.iter().map(|line| {
            let new = changed.iter().find(|(old, _)| *old == line);
            new.map_or(line.clone(), |(_, new)| new.clone())
        });
        rows.filter(|line| !line.is_empty()).collect::<Vec<_>>().join("\n")
    };
    let cases: [(&str, String, &[&str]); 9] = [
        ("nothing", String::new(), &["no row", "write.parquet"]),
        (
            "unknown",
            with(&[]) + "\n" + &row("/other", "kept", None),
            &["/other", "no page of this merge", "export the merge"],
        ),
        (
            "lacking",
            with(&[(&first, String::new())]),
            &["/1", "no verdict", "--include-duplicates"],
        ),
        (
            "dropped",
            with(&[
                (&first, row("/1", "exact", Some("/2"))),
                (&third, row("/3", "near", Some("/1"))),
            ]),
            &["/3", "/1, which is not kept itself", "one run"],
        ),
        ("twice", with(&[]) + "\n" + &first, &["/1", "has two verdicts"]),
        (
            "nameless",
            with(&[(&first, row("/1", "near", None))]),
            &["/1", "names no page", "`verdict` and `of`"],
        ),
        (
            "unheard",
            with(&[(&first, row("/1", "alike", None))]),
            &["/1", "\"alike\"", "kept (or unique), exact or near"],
        ),
        ("foreign", "{\"name\": \"x\"}".to_owned(), &["columns", "verdict"]),
        (
            "no-page",
            with(&[(&first, row("/1", "near", Some("/other")))]),
            &["/other", "in the row of", "/1"],
        ),
    ];
    let sources = [crawl];
    for (name, rows, complaints) in cases {
        let folder = sources[0].path(name);
        fs::create_dir(&folder).unwrap();
        if !rows.is_empty() {
            fs::write(folder.join("part.jsonl"), rows).unwrap();
        }
        let target: PathBuf = sources[0].path("merged");
        merge(&sources, &target, &["--verdicts", folder.to_str().unwrap()])
            .with_code(1)
            .complains_of(complaints)
            .complains_of(&["cannot read the verdicts of"]);
    }
    let folder = sources[0].path("good");
    fs::create_dir(&folder).unwrap();
    fs::write(
        folder.join("part.jsonl"),
        with(&[(&first, row("/1", "near", Some("/2")))]),
    )
    .unwrap();
    let target = sources[0].path("merged");
    merge(&sources, &target, &["--verdicts", folder.to_str().unwrap()]).succeeded();
    assert_eq!(count(&report(&target), "near"), 1);
    on(&target, "verify", &[]).succeeded().says(&["No finding"]);
}
