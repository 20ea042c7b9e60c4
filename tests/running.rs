//! A crawl that runs, read by the other commands.

use std::fs;
use std::sync::Arc;

use serde_json::Value;

use crate::support::crawl::Crawl;
use crate::support::gate::Gate;
use crate::support::outcomes::{count, list};
use crate::support::page::{NO_LINKS, article, home, page, replaced, words};
use crate::support::process::Running;
use crate::support::site::{Answer, Site};

/// Says that an answer is of a crawl that runs.
const RUNNING: &str = "a crawl is running in data";

/// Times that a test asks for a state that comes within moments.
const TRIES: usize = 2_000;

/// A page, a near-duplicate that it links to, another page, and one whose answer waits for the gate.
fn held_site() -> (Site, Arc<Gate>) {
    let gate = Arc::new(Gate::closed());
    let held = gate.clone();
    let text = words(1, 200);
    let near = replaced(&text, 90, 2, 7);
    let site = Site::scripted(move |asked| match asked.path.as_str() {
        "/" => home(&["/text", "/other", "/held"]),
        "/text" => page("Text", &text, &["/near"]),
        "/near" => page("Near", &near, NO_LINKS),
        "/other" => article(2, NO_LINKS),
        "/held" if held.pass() => article(3, NO_LINKS),
        _ => Answer::status(404),
    });
    (site, gate)
}

/// A crawl of it that has committed all pages except the held one.
fn held_crawl(site: &Site, gate: &Gate) -> (Crawl, Running) {
    let crawl = Crawl::of(site.url("/"));
    let running = crawl.start();
    gate.wait_for_arrival();
    let is_there = (0..TRIES).any(|_| crawl.data().join("state").exists() && fetched(&crawl) == Some(4));
    assert!(is_there, "{}", running.stderr());
    (crawl, running)
}

fn fetched(crawl: &Crawl) -> Option<u64> {
    let report = crawl.read("report", &["--format", "json"]);
    let report: Value = serde_json::from_str(&report.stdout).ok()?;
    Some(count(&report, "fetched"))
}

#[test]
fn every_reading_command_answers_while_a_crawl_runs() {
    let (site, gate) = held_site();
    let (crawl, running) = held_crawl(&site, &gate);
    let holder = format!("process {} (crawler run, since ", running.id());
    let says = [RUNNING, holder.as_str(), "this is its state as of "];
    let near = site.url("/near");

    crawl
        .read("report", &[])
        .succeeded()
        .complains_of(&says)
        .says(&["The crawl is running: this is its state as of ", "4"]);
    crawl
        .read("report", &["--full"])
        .succeeded()
        .says(&["The crawl is running"]);
    let html = crawl.read("report", &["--format", "html"]).succeeded();
    html.says(&["The crawl is running: this is its state as of "]);
    let report = crawl.report();
    assert_eq!((count(&report, "kept"), count(&report, "near")), (3, 1));
    assert!(report["as_of"]["commit"].as_u64() > Some(0), "{}", report["as_of"]);

    crawl
        .read("explain", &[&near])
        .succeeded()
        .complains_of(&says)
        .says(&["it is a near-duplicate of"]);
    crawl.read("explain", &[&site.url("/held")]).succeeded();
    crawl.read("explain", &[&site.url("/unknown")]).with_code(4);
    fs::write(crawl.path("near.txt"), replaced(&words(1, 200), 20, 2, 9)).unwrap();
    fs::write(crawl.path("new.txt"), words(20_000, 200)).unwrap();
    crawl
        .read("check", &["near.txt"])
        .with_code(10)
        .complains_of(&says)
        .says(&[&site.url("/text")]);
    crawl.read("check", &["new.txt"]).succeeded();
    crawl
        .read("tune", &[])
        .succeeded()
        .complains_of(&says)
        .says(&["4 pages replayed"]);
    crawl.read("rules", &[]).succeeded().complains_of(&says);
    assert_eq!(crawl.export().len(), 3, "the kept pages");
    let verified = crawl
        .read("verify", &["--format", "json"])
        .succeeded()
        .complains_of(&says);
    verified.says(&["the index was not checked, because the process that crawls holds it"]);

    gate.open();
    running.wait().succeeded();
    let after = crawl.read("report", &["--format", "json"]).succeeded();
    assert!(!after.stderr.contains(RUNNING), "{}", after.stderr);
    assert!(!crawl.data().join("crawler.sock").exists());
    let after: Value = serde_json::from_str(&after.stdout).unwrap();
    assert_eq!((count(&after, "fetched"), &after["as_of"]), (5, &Value::Null));
}

#[test]
fn commands_that_write_say_who_holds_the_folder_and_how_to_stop_it() {
    let (site, gate) = held_site();
    let (crawl, running) = held_crawl(&site, &gate);
    let holder = format!("process {} (crawler run, since ", running.id());
    let stop = "crawler control stop --data data";
    for command in ["rebuild", "gc"] {
        crawl
            .read(command, &[])
            .with_code(1)
            .complains_of(&["data is in use by", &holder, stop]);
    }
    gate.open();
    running.wait().succeeded();
}

#[test]
fn a_killed_crawl_leaves_nothing_that_hinders_readers_or_the_next_run() {
    let (site, gate) = held_site();
    let (crawl, mut running) = held_crawl(&site, &gate);
    running.kill();
    drop(running);
    assert!(
        crawl.data().join("crawler.sock").exists(),
        "a killed process removes nothing"
    );
    let report = crawl.read("report", &["--format", "json"]).succeeded();
    assert!(!report.stderr.contains(RUNNING), "{}", report.stderr);
    crawl.read("verify", &[]).succeeded();
    gate.open();
    crawl.run();
    assert_eq!(count(&crawl.report(), "fetched"), 5);
    crawl.read("verify", &[]).succeeded();
}

#[test]
fn each_report_of_a_crawl_at_full_speed_is_of_one_commit() {
    let pages = 600;
    let last = Arc::new(Gate::closed());
    let held = last.clone();
    let site = Site::scripted(move |asked| {
        let Ok(number) = asked.path[1..].parse::<u64>() else {
            return if asked.path == "/" {
                home(&["/1"])
            } else {
                Answer::status(404)
            };
        };
        // The crawl ends only after the reports.
        if number == pages {
            held.pass();
        }
        let links: Vec<String> = (2 * number..=2 * number + 1)
            .filter(|number| *number <= pages)
            .map(|number| format!("/{number}"))
            .collect();
        article(number % 400, &links)
    });
    // A third of the pages repeats others, and every page is to be fetched.
    let crawl = Crawl::of(site.url("/")).set("steering.enabled", false);
    let running = crawl.start();
    site.wait_for_requests(20);
    let mut commits = Vec::new();
    for _ in 0..TRIES {
        let report = crawl.report();
        commits.push(report["as_of"]["commit"].as_u64().unwrap());
        let of = |name| count(&report, name);
        assert_eq!(
            of("fetched"),
            of("kept") + of("exact") + of("near"),
            "{}",
            report["counts"]
        );
        let decided = of("fetched") + of("redirected") + of("failed") + of("excluded");
        assert_eq!(of("discovered"), of("queued") + decided, "{}", report["counts"]);
        assert_eq!(list(&report, "clusters").len() as u64, of("kept"));
        if of("queued") <= 1 && of("fetched") > pages / 2 {
            break;
        }
    }
    assert!(commits.is_sorted(), "{commits:?}");
    last.open();
    running.wait().succeeded();
    assert_eq!(count(&crawl.report(), "fetched"), pages + 1);
    assert!(site.times_asked().values().all(|&times| times == 1));
}
