//! What one sees in the folder of one worker of a fleet: a duplicate of another worker's page is shown with that page, and the counts agree.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::time::Duration;

use serde_json::Value;

use crate::serve::served::{Served, encoded};
use crate::support::crawl::Crawl;
use crate::support::outcomes::count;
use crate::support::page::{home, page, replaced, words};
use crate::support::process::{Ended, crawler, run};
use crate::support::redis::Redis;
use crate::support::site::{Answer, Site};

const HOSTS: u64 = 12;

/// Pages of each host: the texts of the first two are the same on all hosts, those of the third are near-duplicates, the last is like no
/// other.
const PAGES: [&str; 4] = ["/copy", "/same", "/near", "/own"];

/// What is requested before the first worker stops: robots.txt and the home page of each host, and a page of most hosts.
const BY_THE_FIRST: usize = 36;

fn site() -> Site {
    Site::of_many_hosts(|asked| {
        std::thread::sleep(Duration::from_millis(20));
        let (name, _) = asked.host.split_once(':').unwrap();
        let number: u64 = name.rsplit('.').next().unwrap().parse().unwrap();
        let text = match asked.path.as_str() {
            "/" => {
                // Each host begins with another page, so that both workers get pages of every kind.
                let mut links = PAGES;
                links.rotate_left(number as usize % PAGES.len());
                return home(&links);
            }
            "/copy" => words(1, 300),
            "/same" => words(2, 300),
            "/near" => replaced(&words(3, 300), 90, 2, 500 + number),
            "/own" => words(100 + number, 300),
            _ => return Answer::status(404),
        };
        page(&format!("{} of {number}", &asked.path[1..]), &text, &["/"])
    })
}

/// Two workers that crawled the site one after the other.
struct Fleet {
    first: Crawl,
    second: Crawl,
    _redis: Redis,
    _site: Site,
}

impl Fleet {
    fn crawled() -> Self {
        let (redis, site) = (Redis::start(&["--appendonly", "yes"]), site());
        let seeds: Vec<String> = (1..=HOSTS)
            .map(|number| format!("http://127.1.0.{number}:{}/", site.port()))
            .collect();
        let worker = || {
            Crawl::of(seeds.join("\n"))
                .set("politeness.parallel_per_host", 1)
                .set("steering.enabled", false)
                .set("fleet.address", format!("\"redis://{}\"", redis.host()))
        };
        let (first, second) = (worker(), worker());
        let running = first.start();
        site.wait_for_requests(BY_THE_FIRST);
        running.interrupt();
        running.wait().with_code(130);
        second.run();
        Self {
            first,
            second,
            _redis: redis,
            _site: site,
        }
    }
}

/// The JSON of a command in the folder of a crawl, whatever its exit code.
fn json(crawl: &Crawl, command: &str, arguments: &[&str]) -> (Ended, Value) {
    let arguments = [arguments, &["--config", "test.toml", "--format", "json"]].concat();
    let ended = crawl.read(command, &arguments);
    let json = serde_json::from_str(&ended.stdout).unwrap_or_else(|error| panic!("{error}: {ended:?}"));
    (ended, json)
}

fn list(value: &Value) -> &Vec<Value> {
    value.as_array().unwrap()
}

fn text<'v>(value: &'v Value, key: &str) -> &'v str {
    value[key].as_str().unwrap()
}

/// What a command has told, without the ends of its lines.
fn words_of(ended: &Ended) -> String {
    ended.stdout.split_whitespace().collect::<Vec<_>>().join(" ")
}

/// The exported pages, by URL.
fn exported(crawl: &Crawl) -> BTreeMap<String, Value> {
    let lines = crawl.read("export", &["--verdict", "all"]).succeeded().stdout;
    let pages = lines.lines().map(|line| serde_json::from_str::<Value>(line).unwrap());
    pages.map(|page| (text(&page, "url").to_owned(), page)).collect()
}

fn kept(pages: &BTreeMap<String, Value>) -> BTreeSet<&str> {
    let kept = pages.iter().filter(|(_, page)| page["verdict"] == "kept");
    kept.map(|(url, _)| url.as_str()).collect()
}

#[test]
fn every_reading_command_shows_the_pages_of_the_other_worker() {
    let fleet = Fleet::crawled();
    let (first, second) = (exported(&fleet.first), exported(&fleet.second));
    let (of_first, of_second) = (kept(&first), kept(&second));
    assert!(of_first.is_disjoint(&of_second) && of_second.len() > 2);

    // export: every duplicate has its kept page.
    let duplicates: Vec<&Value> = second.values().filter(|page| page["verdict"] != "kept").collect();
    let of = |page: &Value| text(page, "duplicate_of").to_owned();
    let of_the_first: Vec<&&Value> = duplicates.iter().filter(|page| of_first.contains(&*of(page))).collect();
    assert!(of_the_first.len() > 4, "{duplicates:#?}");
    assert!(
        duplicates
            .iter()
            .all(|page| of_first.contains(&*of(page)) || of_second.contains(&*of(page)))
    );
    let verdicts: BTreeSet<&str> = of_the_first.iter().map(|page| text(page, "verdict")).collect();
    assert_eq!(verdicts, BTreeSet::from(["exact", "near"]));

    report_and_serve(&fleet, &of_first, &of_second);
    explain(&fleet, &of_the_first, &of_first);
    check(&fleet, &first);
    tune_and_verify(&fleet, of_first.len());
}

/// The clusters have every duplicate once, and the counts are those of the clusters.
#[track_caller]
fn assert_counts_agree(report: &Value) {
    let clusters = list(&report["clusters"]);
    let own = clusters
        .iter()
        .filter(|cluster| cluster.get("worker").is_none())
        .count();
    let dropped: usize = clusters.iter().map(|cluster| list(&cluster["duplicates"]).len()).sum();
    assert_eq!(own as u64, count(report, "kept"));
    assert_eq!(dropped as u64, count(report, "exact") + count(report, "near"));
    assert_eq!(report["orphans"], serde_json::json!([]));
}

fn report_and_serve(fleet: &Fleet, of_first: &BTreeSet<&str>, of_second: &BTreeSet<&str>) {
    let crawl = &fleet.second;
    let (ended, report) = json(crawl, "report", &[]);
    assert_eq!(ended.succeeded().stderr, "", "nothing is damaged");
    assert_counts_agree(&report);
    assert_counts_agree(&fleet.first.report());
    let mut foreign = 0;
    for cluster in list(&report["clusters"]) {
        let url = text(cluster, "kept");
        match cluster.get("worker") {
            None => assert!(of_second.contains(url)),
            Some(worker) => {
                assert!(*worker == 1 && of_first.contains(url), "{cluster}");
                assert!(!list(&cluster["duplicates"]).is_empty());
                foreign += 1;
            }
        }
    }
    assert!(foreign > 0);
    crawl
        .read("report", &["--format", "text"])
        .succeeded()
        .says(&["kept by worker 1"]);
    let file = crawl.path("report.html");
    crawl
        .read("report", &["--format", "html", "--output", file.to_str().unwrap()])
        .succeeded();
    let html = fs::read_to_string(file).unwrap();
    assert!(html.contains("kept by worker 1") && html.contains("in the folder of another worker"));

    let served = Served::start(crawl);
    let clusters = served.json("/api/clusters");
    let cluster = list(&clusters["rows"]).iter().find(|row| row["worker"] == 1).unwrap();
    let page = served
        .get(&format!("/duplicates/cluster?id={}", cluster["id"]))
        .with(200)
        .body;
    assert!(page.contains("Kept by worker 1"), "{page}");
    let (kept, other) = (text(cluster, "kept"), text(&cluster["duplicates"][0], "url"));
    let row = served.json(&format!("/api/pages?q={}", encoded(other)));
    let pair = format!("kept={}&other={}", cluster["id"], row["rows"][0]["id"]);
    let compared = served.json(&format!("/api/pair?{pair}"));
    assert_eq!(
        (&compared["kept"]["worker"], text(&compared["kept"], "url")),
        (&1.into(), kept)
    );
    let page = served.get(&format!("/duplicates/pair?{pair}")).with(200).body;
    assert!(page.contains("in the folder of worker 1"), "{page}");
    let page = served.get(&format!("/page?url={}", encoded(kept))).with(200).body;
    assert!(page.contains("Kept by worker 1 of the fleet"), "{page}");
    let label = serde_json::json!({"a": kept, "b": other, "label": "duplicate"});
    served.post("/api/labels", &label.to_string()).with(200);
    served.json("/api/tune");
}

fn explain(fleet: &Fleet, duplicates: &[&&Value], of_first: &BTreeSet<&str>) {
    let crawl = &fleet.second;
    for page in duplicates {
        let (url, of) = (text(page, "url"), text(page, "duplicate_of"));
        let (ended, answer) = json(crawl, "explain", &[url]);
        ended.succeeded();
        let named = [&answer["compared_with"], &answer["kept_page"]];
        for page in named {
            assert_eq!((&page["worker"], text(page, "url")), (&1.into(), of), "{answer:#}");
        }
        let compared = &answer["compared_with"];
        assert_eq!(compared["distance"], page["distance"], "{answer:#}");
        assert_eq!(compared["is_duplicate"], true);
        assert!(answer["diff"].is_null());
        assert!(
            answer["features"]
                .as_array()
                .is_some_and(|features| !features.is_empty())
        );
        let told = words_of(&crawl.read("explain", &[url]).succeeded());
        for part in ["Worker 1 of the fleet keeps that page", of, "in the folder of worker 1"] {
            assert!(told.contains(part), "{part} is not in {told}");
        }
    }
    for url in of_first {
        let (ended, answer) = json(crawl, "explain", &[url]);
        ended.succeeded();
        assert_eq!(
            (&answer["state"], &answer["worker"]),
            (&"elsewhere".into(), &1.into()),
            "{answer:#}"
        );
    }
}

fn check(fleet: &Fleet, first: &BTreeMap<String, Value>) {
    let crawl = &fleet.second;
    let (url, page) = first
        .iter()
        .find(|(url, page)| url.ends_with("/own") && page["verdict"] == "kept")
        .unwrap();
    fs::write(crawl.path("text.txt"), text(page, "text")).unwrap();
    // The index of another rule is built from the rows about the pages of the other worker.
    fs::write(crawl.path("wide.toml"), "dedup.max_distance = 3\n").unwrap();
    for config in ["test.toml", "wide.toml"] {
        for arguments in [&["text.txt"][..], &["text.txt", "--thorough"]] {
            let arguments = [arguments, &["--config", config, "--format", "json"]].concat();
            let ended = crawl.read("check", &arguments).with_code(11);
            let answer: Value = serde_json::from_str(&ended.stdout).unwrap();
            let nearest = &answer["nearest"][0];
            assert_eq!(
                (&nearest["worker"], text(nearest, "url")),
                (&1.into(), &**url),
                "{answer:#}"
            );
            assert!(text(&answer, "reason").starts_with("Worker 1 of the fleet holds exactly this text"));
        }
    }
    let told = words_of(
        &crawl
            .read("check", &["text.txt", "--config", "test.toml"])
            .with_code(11),
    );
    for part in ["page of worker 1 of the fleet", "in the folder of worker 1"] {
        assert!(told.contains(part), "{part} is not in {told}");
    }
}

fn tune_and_verify(fleet: &Fleet, kept_by_first: usize) {
    for (crawl, others) in [(&fleet.first, None), (&fleet.second, Some(kept_by_first))] {
        let (ended, tuned) = json(crawl, "tune", &[]);
        ended.succeeded();
        assert_eq!(tuned["stored"]["as_replayed"], tuned["pages"], "{tuned:#}");
        if let Some(others) = others {
            assert_eq!(tuned["of_other_workers"], others);
        }
        crawl
            .read("verify", &["--config", "test.toml"])
            .succeeded()
            .says(&["No finding"]);
    }
    let (all, merged) = (fleet.second.path("all"), &fleet.second);
    let mut merge = crawler(["merge"]);
    merge
        .args([fleet.first.data(), fleet.second.data()])
        .arg("--data")
        .arg(&all);
    run(&mut merge).succeeded();
    let of_all = run(crawler(["report", "--format", "json", "--data"]).arg(&all)).succeeded();
    let of_all: Value = serde_json::from_str(&of_all.stdout).unwrap();
    assert_counts_agree(&of_all);
    let of_both = |name| count(&fleet.first.report(), name) + count(&merged.report(), name);
    for name in ["kept", "exact", "near", "fetched"] {
        assert_eq!(count(&of_all, name), of_both(name), "{name}");
    }
}

#[test]
fn orders_about_hosts_are_refused_with_what_to_do_instead() {
    let fleet = Fleet::crawled();
    let host = "127.1.0.1";
    for (arguments, instead) in [
        (&["add", "http://127.1.0.1/new"][..], "start a worker with a seeds file"),
        (&["drop", host], "set scope.exclude in the configuration of all workers"),
        (&["delay", host, "5"], "set delay_ms in a [[host]] section"),
    ] {
        let refused = fleet.first.read("control", arguments).with_code(2);
        refused.complains_of(&["a host belongs to no worker for long", instead]);
    }
    let paused = fleet.first.read("control", &["pause"]).succeeded();
    paused.says(&["takes effect with the next run"]);
}
