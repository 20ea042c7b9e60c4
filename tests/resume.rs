//! Crawls that end before their time, and go on.

use std::sync::Arc;
use std::time::{Duration, Instant};

use crate::support::archive::archived;
use crate::support::crawl::Crawl;
use crate::support::gate::Gate;
use crate::support::outcomes::{Outcomes, count, expected, urls_that};
use crate::support::page::{NO_LINKS, article, home, page, replaced, words};
use crate::support::process::{Running, run};
use crate::support::site::{Answer, Request, Site};

/// Pages of the tree, its home page aside.
const PAGES: usize = 200;

/// Texts among them: the pages `n` and `n + TEXTS` are near-duplicates.
const TEXTS: usize = 120;

/// What a crash may cost.
const WINDOW: Duration = Duration::from_secs(1);

/// A binary tree: `/n` links to `/2n` and `/2n+1`, so a lost outlink is a lost branch.
fn tree() -> Site {
    let pages = (1..=PAGES).map(|n| {
        let links: Vec<String> = [2 * n, 2 * n + 1]
            .into_iter()
            .filter(|n| *n <= PAGES)
            .map(|n| format!("/{n}"))
            .collect();
        let text = words((n % TEXTS) as u64, 200);
        let text = if n <= TEXTS {
            text
        } else {
            replaced(&text, 90, 2, n as u64)
        };
        (format!("/{n}"), page(&format!("Page {n}"), &text, &links))
    });
    Site::of([("/".to_owned(), home(&["/1"]))].into_iter().chain(pages))
}

#[test]
fn names_that_wait_for_their_trial_when_a_run_ends_are_asked_by_the_next_run() {
    let names = 30;
    let site = Site::scripted(move |asked| {
        let port = asked.host.rsplit(':').next().unwrap();
        let name = asked.host.split('.').next().unwrap();
        let link = |name| format!("http://n{name}.wild.localhost:{port}/");
        match (asked.path.as_str(), name) {
            ("/robots.txt", _) => Answer::status(404),
            (_, "www") => home(&(0..names).map(link).collect::<Vec<_>>()),
            _ => article(name[1..].parse::<u64>().unwrap() % 3, NO_LINKS),
        }
    });
    let port = site.url("").rsplit(':').next().unwrap().to_owned();
    let mut crawl = Crawl::of(format!("http://www.wild.localhost:{port}/"))
        .set("scope.mode", "\"subdomains\"")
        .set("scope.max_pages", 10);
    crawl.end(&[]).with_code(6);
    assert_eq!(count(&crawl.report(), "queued"), names + 1 - 10);
    crawl.change("scope.max_pages", 1_000);
    crawl.run();
    assert_eq!(count(&crawl.report(), "queued"), 0);
    assert_eq!(count(&crawl.report(), "kept"), 1 + 3);
    let pages = site.requests().into_iter().filter(|asked| asked.path == "/");
    let mut hosts: Vec<String> = pages.map(|asked| asked.host).collect();
    assert_eq!(hosts.len() as u64, names + 1);
    hosts.sort();
    hosts.dedup();
    assert_eq!(hosts.len() as u64, names + 1, "each name once");
}

/// Slow enough that a kill falls into the middle, by the crawler's own politeness: 50 requests a second.
fn unhurried(site: &Site) -> Crawl {
    Crawl::of(site.url("/")).set("politeness.delay_ms", 20)
}

/// Asserts that every page of the tree was decided, and of every text exactly one page kept.
#[track_caller]
fn assert_complete(crawl: &Crawl, site: &Site) {
    let outcomes: Outcomes = crawl.outcomes(site);
    assert_eq!(count(&crawl.report(), "queued"), 0);
    assert_eq!(outcomes.len(), PAGES + 1);
    let text_of = |path: &str| path[1..].parse::<usize>().ok().map(|n| n % TEXTS);
    let mut kept: Vec<_> = urls_that(&outcomes, |outcome| outcome == "kept")
        .into_iter()
        .map(text_of)
        .collect();
    kept.sort_unstable();
    let wanted: Vec<Option<usize>> = [None].into_iter().chain((0..TEXTS).map(Some)).collect();
    assert_eq!(kept, wanted, "the home page and each text once");
    for (path, outcome) in &outcomes {
        if let Some(of) = outcome.strip_prefix("near of ") {
            assert_eq!(text_of(of), text_of(path), "{path} is {outcome}");
        }
    }
    let records = archived(&crawl.data());
    assert!(
        records
            .values()
            .all(|page| page.responses.len() + page.revisits.len().max(page.duplicates.len()) == 1),
        "every page is archived once, as a response or as a duplicate"
    );
    let with_response = records.into_iter().filter(|(_, page)| !page.responses.is_empty());
    let mut archived: Vec<String> = with_response.map(|(url, _)| url).collect();
    let mut kept: Vec<String> = urls_that(&outcomes, |outcome| outcome == "kept")
        .into_iter()
        .map(|path| site.url(path))
        .collect();
    archived.sort_unstable();
    kept.sort_unstable();
    assert_eq!(archived, kept, "what is kept is what is archived");
}

/// Crawls the tree with a kill in each life, after so many of its requests, and a last life to the end.
///
/// Together these are fewer requests than there are pages, so that no life finishes before its kill.
fn killed(site: &Site, mut crawl: Crawl, requests_of_lives: &[usize]) {
    assert!(requests_of_lives.iter().sum::<usize>() < PAGES);
    let mut kills = Vec::new();
    for requests in requests_of_lives {
        let before = site.requests().len();
        begin_life(&mut crawl, kills.len());
        let mut life = crawl.start();
        site.wait_for_requests(before + requests);
        life.kill();
        kills.push(Instant::now());
    }
    begin_life(&mut crawl, kills.len());
    crawl.run().says(&["Finished", "still queued 0"]);
    assert_complete(&crawl, site);
    assert_only_the_last_second_again(&site.requests(), &kills);
}

/// Every request names the life that it was sent in: the server may read it when that life is over.
const LIFE: &str = "https://example.org/life/";

fn begin_life(crawl: &mut Crawl, number: usize) {
    crawl.change("identity.contact_url", format!("\"{LIFE}{number}\""));
}

fn life_of(request: &Request) -> usize {
    let (_, number) = request.user_agent.split_once(LIFE).unwrap();
    number.trim_end_matches(')').parse().unwrap()
}

/// Asserts that what was asked for again was asked for in an earlier life, shortly before its kill.
#[track_caller]
fn assert_only_the_last_second_again(requests: &[Request], kills: &[Instant]) {
    for (n, request) in requests
        .iter()
        .enumerate()
        .filter(|(_, request)| request.path != "/robots.txt")
    {
        let Some(again) = requests[n + 1..].iter().find(|later| later.path == request.path) else {
            continue;
        };
        let life = life_of(request);
        assert!(
            life < life_of(again),
            "{} was asked for twice in life {life}",
            request.path
        );
        let before = kills[life].saturating_duration_since(request.received);
        assert!(
            before <= WINDOW,
            "{} was asked for again, {before:?} before kill {life}",
            request.path
        );
    }
}

#[test]
fn killed_at_any_moment_the_crawl_goes_on_where_it_was() {
    let site = tree();
    // robots.txt alone, a page or two, more than a second's.
    killed(&site, unhurried(&site), &[1, 3, 40, 70, 5, 60]);
}

#[test]
fn killed_at_full_speed_nothing_is_lost_and_nothing_kept_twice() {
    let site = tree();
    let crawl = Crawl::of(site.url("/")).set("politeness.parallel_per_host", 32);
    killed(&site, crawl.set("storage.commit_interval_ms", 1), &[20, 80, 90]);
}

#[test]
fn a_page_limit_met_again_and_again_fetches_nothing_twice() {
    let site = tree();
    let crawl = Crawl::of(site.url("/"));
    for limit in ["17", "18", "90", "190"] {
        crawl.end(&["--max-pages", limit]).with_code(6);
    }
    crawl.run();
    assert_complete(&crawl, &site);
    assert!(site.times_asked().values().all(|&times| times == 1));
}

/// A home page, and an article that is not answered before the gate is open.
fn held_site() -> (Site, Arc<Gate>) {
    let gate = Arc::new(Gate::closed());
    let held = gate.clone();
    let site = Site::scripted(move |asked| match asked.path.as_str() {
        "/" => home(&["/held", "/later"]),
        "/held" if held.pass() => article(1, &["/last"]),
        "/later" => article(2, NO_LINKS),
        "/last" => article(3, NO_LINKS),
        _ => Answer::status(404),
    });
    (site, gate)
}

/// A crawl of it that waits for that answer.
fn held_crawl(site: &Site, gate: &Gate) -> (Crawl, Running) {
    let crawl = Crawl::of(site.url("/")).one_at_a_time();
    let running = crawl.start();
    gate.wait_for_arrival();
    (crawl, running)
}

fn all_kept() -> Outcomes {
    expected([("/", "kept"), ("/held", "kept"), ("/later", "kept"), ("/last", "kept")])
}

#[test]
fn a_second_process_on_the_same_data_folder_is_refused() {
    let (site, gate) = held_site();
    let (crawl, first) = held_crawl(&site, &gate);
    let holder = format!("process {}", first.id());
    crawl
        .end(&[])
        .with_code(1)
        .complains_of(&["data is in use by", &holder, "choose another data folder"]);
    gate.open();
    first.wait().succeeded();
    assert_eq!(crawl.outcomes(&site), all_kept());
}

#[test]
fn commands_that_read_wait_for_each_other() {
    let site = Site::of([("/", home(NO_LINKS))]);
    let crawl = Crawl::of(site.url("/"));
    crawl.run();
    std::thread::scope(|scope| {
        let readers: Vec<_> = (0..6).map(|_| scope.spawn(|| crawl.read("report", &[]))).collect();
        for reader in readers {
            reader.join().unwrap().succeeded();
        }
    });
}

#[test]
fn an_interrupt_lets_what_is_in_process_end_and_the_next_run_finishes() {
    let (site, gate) = held_site();
    let (crawl, running) = held_crawl(&site, &gate);
    running.interrupt();
    running.wait_for_stderr("stopping: finishing the URLs in process");
    gate.open();
    let stopped = running.wait().with_code(130);
    stopped.says(&["Stopped", "still queued 2", "the same command continues the crawl"]);
    assert_eq!(crawl.outcomes(&site), expected([("/", "kept"), ("/held", "kept")]));
    crawl.run();
    assert_eq!(crawl.outcomes(&site), all_kept());
    assert!(
        site.times_asked().values().all(|&times| times == 1),
        "{:?}",
        site.times_asked()
    );
}

#[test]
fn a_second_interrupt_ends_at_once_and_loses_nothing() {
    let (site, gate) = held_site();
    let (crawl, running) = held_crawl(&site, &gate);
    running.interrupt();
    running.wait_for_stderr("stopping: finishing the URLs in process");
    running.interrupt();
    running
        .wait()
        .with_code(130)
        .complains_of(&["run the same command to go on"]);
    gate.open();
    crawl.run();
    assert_eq!(crawl.outcomes(&site), all_kept());
}

#[test]
fn the_end_of_the_time_given_stops_a_run_like_an_interrupt() {
    let (site, gate) = held_site();
    let crawl = Crawl::of(site.url("/")).one_at_a_time().set("fetch.timeout_ms", 600);
    let ended = run(&mut crawl.command(&["--max-duration", "300ms"])).with_code(6);
    ended.says(&["Stopped by --max-duration", "the same command continues the crawl"]);
    assert!(!site.paths().contains(&"/later".to_owned()), "{:?}", site.paths());
    gate.open();
    crawl.run();
    assert_eq!(crawl.outcomes(&site), all_kept());
}
