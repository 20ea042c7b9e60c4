//! Several workers crawl together: each URL is asked once, each host by one worker at a time, and what a worker leaves goes on elsewhere.

mod depths;
mod object_store;
mod orders;
mod page;
mod restore;
mod shared_address;

use std::collections::{BTreeMap, BTreeSet};
use std::time::{Duration, Instant};

use crate::support::PATIENCE;
use crate::support::crawl::Crawl;
use crate::support::outcomes::count;
use crate::support::page::article;
use crate::support::process::{Running, crawler, run};
use crate::support::redis::Redis;
use crate::support::site::{Answer, Request, Site};

/// Hosts of the site.
const HOSTS: usize = 12;

/// Pages of each host: the home page links to all others, and to the next host.
const PAGES: usize = 6;

/// Length of a lease.
const LEASE: Duration = Duration::from_secs(1);

fn host(number: usize) -> String {
    format!("127.1.0.{}", number % HOSTS + 1)
}

/// A site of many hosts, each answer after `pause`.
fn site(pause: Duration) -> Site {
    Site::of_many_hosts(move |asked| {
        std::thread::sleep(pause);
        let (name, port) = asked.host.split_once(':').unwrap();
        let number: usize = name.rsplit('.').next().unwrap().parse::<usize>().unwrap() - 1;
        match asked.path.as_str() {
            "/robots.txt" => Answer::status(404),
            "/" => {
                let own = (1..PAGES).map(|page| format!("/{page}"));
                let next = format!("http://{}:{port}/", host(number + 1));
                let deep = format!("http://{}:{port}/{}", host(number + 5), 1 + number % (PAGES - 1));
                let links: Vec<String> = own.chain([next, deep]).collect();
                article(seed(number, 0), &links)
            }
            path => {
                let page: usize = path[1..].parse().unwrap();
                article(seed(number, page), &["/"])
            }
        }
    })
}

fn seed(host: usize, page: usize) -> u64 {
    (host * 100 + page) as u64
}

/// What `--fleet` names.
fn address(redis: &Redis) -> String {
    format!("redis://{}", redis.host())
}

/// A worker of the fleet. Its number is in the User-Agent.
fn worker(number: usize, site: &Site, redis: &Redis) -> Crawl {
    let seeds: Vec<String> = (0..HOSTS)
        .map(|host_number| format!("http://{}:{}/", host(host_number), site.port()))
        .collect();
    Crawl::of(seeds.join("\n"))
        .set(
            "identity.contact_url",
            format!("\"https://example.org/worker-{number}\""),
        )
        .set("politeness.parallel_per_host", 1)
        .set("fleet.address", format!("\"{}\"", address(redis)))
        .set("fleet.lease_seconds", LEASE.as_secs())
}

/// Every page of the site.
fn all_pages(site: &Site) -> BTreeSet<String> {
    let urls = (0..HOSTS).flat_map(|number| (0..PAGES).map(move |page| (number, page)));
    let url = |(number, page)| match page {
        0 => format!("{}:{}/", host(number), site.port()),
        page => format!("{}:{}/{page}", host(number), site.port()),
    };
    urls.map(url).collect()
}

/// How often each page was asked for, by `host/path`.
fn times(site: &Site) -> BTreeMap<String, usize> {
    let mut times = BTreeMap::new();
    for request in site.requests().iter().filter(|request| request.path != "/robots.txt") {
        *times.entry(format!("{}{}", request.host, request.path)).or_default() += 1;
    }
    times
}

/// Asserts that no two workers have a request open at one host at once.
fn assert_one_worker_at_a_time(site: &Site) {
    let mut by_host: BTreeMap<String, Vec<Request>> = BTreeMap::new();
    for request in site.requests() {
        by_host.entry(request.host.clone()).or_default().push(request);
    }
    for (host, requests) in by_host {
        for pair in requests.windows(2) {
            let is_other = pair[0].user_agent != pair[1].user_agent;
            let ended = pair[0].answered;
            assert!(
                !is_other || ended.is_none_or(|ended| ended <= pair[1].received),
                "{host}: {} and {} at once",
                pair[0].path,
                pair[1].path
            );
        }
    }
}

/// Waits until `holds`.
#[track_caller]
fn wait_until(what: &str, holds: impl Fn() -> bool) {
    let until = Instant::now() + PATIENCE;
    while !holds() {
        assert!(Instant::now() < until, "it never came: {what}");
        std::thread::sleep(Duration::from_millis(20));
    }
}

/// The number of pages that all folders have.
fn fetched(workers: &[Crawl]) -> u64 {
    workers.iter().map(|worker| count(&worker.report(), "fetched")).sum()
}

#[test]
fn three_workers_fetch_every_page_of_many_hosts_once() {
    let (redis, site) = (
        Redis::start(&["--appendonly", "yes", "--appendfsync", "always"]),
        site(Duration::from_millis(10)),
    );
    let workers: Vec<Crawl> = (1..=3).map(|number| worker(number, &site, &redis)).collect();
    let running: Vec<Running> = workers.iter().map(Crawl::start).collect();
    for worker in running {
        worker.wait().succeeded();
    }
    let times = times(&site);
    assert_eq!(times.keys().cloned().collect::<BTreeSet<_>>(), all_pages(&site));
    let twice: Vec<_> = times.iter().filter(|(_, times)| **times > 1).collect();
    assert!(twice.is_empty(), "asked more than once: {twice:?}");
    assert_one_worker_at_a_time(&site);
    assert_eq!(fetched(&workers), (HOSTS * PAGES) as u64);
}

#[test]
fn the_hosts_of_a_killed_worker_go_on_elsewhere() {
    let (redis, site) = (
        Redis::start(&["--appendonly", "yes", "--appendfsync", "always"]),
        site(Duration::from_millis(60)),
    );
    let workers: Vec<Crawl> = (1..=2).map(|number| worker(number, &site, &redis)).collect();
    let mut running: Vec<Running> = workers.iter().map(Crawl::start).collect();
    let is_asked_by = |number: usize| {
        let agent = format!("worker-{number}");
        site.requests()
            .iter()
            .filter(|request| request.user_agent.contains(&agent))
            .count()
            > 8
    };
    wait_until("both workers are at work", || is_asked_by(1) && is_asked_by(2));
    let killed = Instant::now();
    running[0].kill();
    running.remove(1).wait().succeeded();
    assert_eq!(times(&site).keys().cloned().collect::<BTreeSet<_>>(), all_pages(&site));
    assert_one_worker_at_a_time(&site);
    // What the killed worker had not told anybody is asked for again, and nothing else. It tells of a page when the page is durable.
    let times = times(&site);
    for request in site.requests() {
        let is_again = times
            .get(&format!("{}{}", request.host, request.path))
            .is_some_and(|times| *times > 1);
        let age = killed.saturating_duration_since(request.received);
        assert!(
            !is_again || age < Duration::from_secs(2),
            "{} was asked {age:?} before the kill",
            request.path
        );
    }
}

#[test]
fn a_worker_that_wakes_after_its_lease_asks_no_host_of_another() {
    let (redis, site) = (
        Redis::start(&["--appendonly", "yes", "--appendfsync", "always"]),
        site(Duration::from_millis(60)),
    );
    let workers: Vec<Crawl> = (1..=2).map(|number| worker(number, &site, &redis)).collect();
    let mut running: Vec<Running> = workers.iter().map(Crawl::start).collect();
    let asked_by_first = || {
        site.requests()
            .iter()
            .filter(|request| request.user_agent.contains("worker-1"))
            .count()
    };
    wait_until("the first worker is at work", || asked_by_first() > 8);
    running[0].signal("STOP");
    std::thread::sleep(3 * LEASE);
    running[0].signal("CONT");
    for worker in running.drain(..) {
        worker.wait().succeeded();
    }
    assert_eq!(times(&site).keys().cloned().collect::<BTreeSet<_>>(), all_pages(&site));
    assert_one_worker_at_a_time(&site);
}

#[test]
fn nothing_is_lost_while_redis_is_away() {
    let (mut redis, site) = (
        Redis::start(&["--appendonly", "yes", "--appendfsync", "always"]),
        site(Duration::from_millis(60)),
    );
    let workers: Vec<Crawl> = (1..=2).map(|number| worker(number, &site, &redis)).collect();
    let running: Vec<Running> = workers.iter().map(Crawl::start).collect();
    site.wait_for_requests(20);
    redis.kill();
    for worker in &running {
        worker.wait_for_stderr("no answer from Redis");
    }
    let asked = site.requests().len();
    std::thread::sleep(LEASE);
    assert_eq!(site.requests().len(), asked, "a host is asked without a lease");
    redis.restart();
    for worker in running {
        worker.wait_for_stderr("answer again");
        worker.wait().succeeded();
    }
    let times = times(&site);
    assert_eq!(times.keys().cloned().collect::<BTreeSet<_>>(), all_pages(&site));
    assert_one_worker_at_a_time(&site);
}

#[test]
fn a_stopped_worker_leaves_its_hosts_to_the_others_at_once() {
    let (redis, site) = (
        Redis::start(&["--appendonly", "yes", "--appendfsync", "always"]),
        site(Duration::from_millis(60)),
    );
    let workers: Vec<Crawl> = (1..=2)
        // Nobody waits for the end of such a lease here.
        .map(|number| worker(number, &site, &redis).set("fleet.lease_seconds", 30))
        .collect();
    let stopped = workers[0].start();
    // It works, so it takes the signal as a wish to stop.
    site.wait_for_requests(1);
    let other = workers[1].start();
    site.wait_for_requests(20);
    stopped.interrupt();
    stopped.wait().with_code(130);
    other.wait().succeeded();
    assert_eq!(times(&site).keys().cloned().collect::<BTreeSet<_>>(), all_pages(&site));
    assert_one_worker_at_a_time(&site);
}

#[test]
fn what_a_lost_disk_held_is_fetched_again_after_a_merge() {
    let (redis, site) = (
        Redis::start(&["--appendonly", "yes", "--appendfsync", "always"]),
        // Long enough that every worker gets hosts.
        site(Duration::from_millis(400)),
    );
    let workers: Vec<Crawl> = (1..=3).map(|number| worker(number, &site, &redis)).collect();
    let running: Vec<Running> = workers.iter().map(Crawl::start).collect();
    for worker in running {
        worker.wait().succeeded();
    }
    // Of one of the workers that had pages, no folder is left.
    let lost = (0..workers.len())
        .filter(|number| count(&workers[*number].report(), "fetched") > 0)
        .min_by_key(|number| count(&workers[*number].report(), "fetched"))
        .unwrap();
    let pages = count(&workers[lost].report(), "fetched");
    let left = workers.iter().enumerate().filter(|(number, _)| *number != lost);
    let folders: Vec<_> = left.map(|(_, worker)| worker.data()).collect();
    let merged = Crawl::of(format!("http://{}:{}/", host(0), site.port()));
    let mut merge = crawler(["merge", "--data"]);
    let told = run(merge.arg(merged.data()).args(&folders)).succeeded();
    told.says(&[&format!(
        "{pages} pages or their records are lost; the next run fetches the pages again"
    )]);
    merged.end(&[]).succeeded();
    let report = merged.report();
    assert_eq!(count(&report, "fetched"), (HOSTS * PAGES) as u64, "{report}");
}

#[test]
fn workers_that_fetch_by_other_rules_are_not_let_in() {
    let (redis, site) = (Redis::start(&[]), site(Duration::from_millis(100)));
    let one = worker(1, &site, &redis);
    let running = one.start();
    site.wait_for_requests(1);
    worker(2, &site, &redis)
        .set("politeness.delay_ms", 1_000)
        .end(&[])
        .with_code(1)
        .complains_of(&[
            "politeness.delay_ms (the others: 0; this worker: 1000)",
            "crawler fleet drain",
        ]);
    running.interrupt();
    running.wait().with_code(130);
}

#[test]
fn the_fleet_is_seen_and_drained() {
    let (redis, site) = (
        Redis::start(&["--appendonly", "yes", "--appendfsync", "always"]),
        site(Duration::from_millis(200)),
    );
    let worker = worker(1, &site, &redis);
    let running = worker.start();
    site.wait_for_requests(5);
    let json = run(&mut crawler(["fleet", "status", "--format", "json", &address(&redis)])).succeeded();
    let status: serde_json::Value = serde_json::from_str(&json.stdout).unwrap();
    assert_eq!(status["workers"].as_array().unwrap().len(), 1, "{status}");
    run(&mut crawler(["fleet", "drain", &address(&redis)])).succeeded();
    running.wait().succeeded();
    assert!(times(&site).len() < HOSTS * PAGES, "it stopped before the end");
}

#[test]
fn a_paused_fleet_makes_no_requests_until_it_is_resumed() {
    let (redis, site) = (
        Redis::start(&["--appendonly", "yes", "--appendfsync", "always"]),
        site(Duration::from_millis(100)),
    );
    let worker = worker(1, &site, &redis);
    let running = worker.start();
    site.wait_for_requests(5);
    run(&mut crawler(["fleet", "pause", &address(&redis)])).succeeded();
    // A renewal later the worker knows of it, and its last requests have ended.
    std::thread::sleep(LEASE);
    let asked = site.requests().len();
    std::thread::sleep(2 * LEASE);
    assert_eq!(site.requests().len(), asked);
    assert!(times(&site).len() < HOSTS * PAGES, "it waits before the end");
    let status = run(&mut crawler(["fleet", "status", &address(&redis)])).succeeded();
    status.says(&["asked to wait", "paused"]);
    run(&mut crawler(["fleet", "resume", &address(&redis)])).succeeded();
    running.wait().succeeded();
    assert_eq!(count(&worker.report(), "fetched"), (HOSTS * PAGES) as u64);
}

#[test]
fn a_worker_waits_for_a_server_that_cannot_take_its_writes() {
    for (fault, cure, advice) in [
        ("CONFIG SET maxmemory 1", "CONFIG SET maxmemory 0", "raise maxmemory"),
        (
            "SET {crawl/fleet}e 1",
            "DEL {crawl/fleet}e",
            "another program has written a key",
        ),
    ] {
        let (redis, site) = (Redis::start(&[]), site(Duration::from_millis(100)));
        let worker = worker(1, &site, &redis);
        let running = worker.start();
        site.wait_for_requests(5);
        redis.tell(fault);
        running.wait_for_stderr(advice);
        std::thread::sleep(2 * LEASE);
        let asked = site.requests().len();
        std::thread::sleep(LEASE);
        assert_eq!(site.requests().len(), asked, "it waits");
        redis.tell(cure);
        let told = running.wait().succeeded().stderr;
        assert_eq!(count(&worker.report(), "fetched"), (HOSTS * PAGES) as u64);
        let times = |part: &str| told.matches(part).count();
        assert_eq!((times(advice), times("the crawl goes on")), (1, 1), "{told}");
    }
}

#[test]
fn a_fleet_does_not_refresh() {
    let (redis, site) = (
        Redis::start(&["--appendonly", "yes", "--appendfsync", "always"]),
        site(Duration::ZERO),
    );
    let crawl = worker(1, &site, &redis);
    crawl
        .end(&["--refresh"])
        .with_code(2)
        .complains_of(&["a fleet does not refresh"]);
}
