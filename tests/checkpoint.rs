//! What a killed crawl had learned from its verdicts is there for the next run, and for the report.

use std::fs;
use std::path::PathBuf;

use serde_json::Value;

use crate::support::crawl::Crawl;
use crate::support::page::{home, page, words};
use crate::support::process::Running;
use crate::support::site::{Answer, Site};

/// Notices of a board.
const NOTICES: u64 = 30;

/// Notices under session ids, each of which leads to itself under the next id and to the next notice; and a calendar without an end.
fn board() -> Site {
    Site::scripted(|asked| {
        let (path, query) = asked.path.split_once('?').unwrap_or((&asked.path, ""));
        let last: u64 = path.rsplit('/').next().and_then(|text| text.parse().ok()).unwrap_or(0);
        if path == "/" {
            return home(&["/notice/1?sid=1", "/diary/2026/1"]);
        }
        if path.starts_with("/diary/2026/") {
            return page("Diary", &words(7, 200), &[format!("/diary/2026/{}", last + 1)]);
        }
        if !path.starts_with("/notice/") || last > NOTICES {
            return Answer::status(404);
        }
        let id: u64 = query.trim_start_matches("sid=").parse().unwrap_or(0);
        let links = [
            format!("/notice/{last}?sid={}", id + 1),
            format!("/notice/{}?sid={}", last + 1, id + 1),
        ];
        page("Notice", &words(100 + last, 200), &links)
    })
}

fn crawl(site: &Site) -> Crawl {
    Crawl::of(site.url("/"))
        .set("scope.max_depth", 1_000)
        .set("politeness.delay_ms", 5)
        .set("storage.checkpoint_pages", 10)
}

fn start(crawl: &Crawl, flag: &str) -> Running {
    Running::start(&mut crawl.command(&[flag]))
}

/// A crawl that was killed behind a checkpoint.
fn killed(site: &Site) -> Crawl {
    let crawl = crawl(site);
    let mut run = start(&crawl, "-vv");
    run.wait_for_stderr("checkpoint of steering written");
    run.kill();
    assert!(file(&crawl).is_file());
    crawl
}

fn file(crawl: &Crawl) -> PathBuf {
    crawl.data().join("steering.checkpoint")
}

/// Rules and traps as the report shows them.
fn steering(crawl: &Crawl) -> Value {
    crawl.report()["steering"].take()
}

/// Runs the crawl to its end. Returns how often it passed over the checkpoint.
fn passed_over(crawl: &Crawl) -> usize {
    let ended = start(crawl, "-v").wait().succeeded();
    ended.stderr.matches("is passed over").count()
}

#[test]
fn a_run_continues_from_what_the_killed_one_learned_and_would_learn_the_same_without() {
    let site = board();
    let crawl = killed(&site);
    let learned = steering(&crawl);
    let checkpoint = fs::read(file(&crawl)).unwrap();
    fs::remove_file(file(&crawl)).unwrap();
    assert_eq!(steering(&crawl), learned);
    fs::write(file(&crawl), &checkpoint).unwrap();
    assert_eq!(passed_over(&crawl), 0);
    assert_ne!(
        fs::read(file(&crawl)).unwrap(),
        checkpoint,
        "the end of the run wrote another"
    );
    let learned = steering(&crawl);
    let rules = learned["rules"].as_array().unwrap();
    assert!(
        rules
            .iter()
            .any(|rule| rule["rule"].as_str().unwrap().ends_with("parameter sid"))
    );
    fs::remove_file(file(&crawl)).unwrap();
    assert_eq!(steering(&crawl), learned);
    crawl.read("verify", &[]).succeeded();
}

#[test]
fn a_checkpoint_that_does_not_fit_is_named_in_one_line_and_nothing_else_changes() {
    let site = board();
    let crawl = killed(&site);
    let mut damaged = fs::read(file(&crawl)).unwrap();
    let middle = damaged.len() / 2;
    damaged[middle] ^= 1;
    fs::write(file(&crawl), damaged).unwrap();
    assert_eq!(passed_over(&crawl), 1);
    let pages = crawl.report()["counts"]["kept"].as_u64();
    assert_eq!(pages, Some(1 + NOTICES + 1), "the home page, each notice and the diary");
}

#[test]
fn a_rebuilt_state_learns_again_and_a_compacted_one_does_not() {
    let site = board();
    let crawl = killed(&site);
    crawl.read("gc", &[]).succeeded();
    assert!(file(&crawl).is_file());
    assert_eq!(passed_over(&crawl), 0);
    crawl.read("rebuild", &[]).succeeded();
    assert_eq!(passed_over(&crawl), 1);
    assert_eq!(passed_over(&crawl), 0, "the run before has replaced it");
}
