//! Crawls of the demo's site, whose pages have known answers: by the library, by `crawler demo`, by `crawler run`.

use std::collections::HashSet;
use std::path::Path;
use std::sync::Arc;

use config::Config;
use config::settings::Settings;
use crawl::messages::Ending;
use crawl::pipeline;
use crawl::seeds::Seeds;
use crawl::stats::Stats;
use demo::{self, Answer, Area, Expected, Running, TruthSettings};
use storage::{OpenOptions, Store};
use tokio::runtime::Runtime;
use views::report::Report;

use crate::support::crawl::Crawl;
use crate::support::process::{crawler, run};

fn served() -> (Runtime, Running) {
    let runtime = Runtime::new().unwrap();
    let site = runtime.block_on(demo::serve()).unwrap();
    (runtime, site)
}

/// Compares the crawl in `dir` and the site's log with the truth. With `may_hold_back`, steering may have held back duplicates.
fn assert_true(site: &Running, dir: &Path, numbers_must_match: bool, may_hold_back: bool) {
    let store = Store::open(dir, &OpenOptions::existing()).unwrap();
    let truth = truth(site, numbers_must_match, may_hold_back);
    let mut mismatches = demo::check(&truth, &demo::outcomes(&Report::read(&store).unwrap()));
    mismatches.extend(demo::check_requests(&truth, &site.request_log.requests()));
    assert_eq!(mismatches, []);
}

fn truth(site: &Running, numbers_must_match: bool, may_hold_back: bool) -> Vec<Expected> {
    let settings = TruthSettings {
        max_depth: Config::default().scope.max_depth,
        numbers_must_match,
        may_hold_back,
        renders: false,
    };
    demo::truth(&site.base_url, &settings)
}

fn crawl_by_library(numbers_must_match: bool) {
    let (_runtime, site) = served();
    let folder = tempfile::tempdir().unwrap();
    let mut config = Config::default();
    config.politeness.delay_ms = 0;
    config.politeness.parallel_per_host = 8;
    config.politeness.max_retries = 0;
    config.fetch.allow_private_addresses = true;
    config.dedup.numbers_must_match = numbers_must_match;
    config.steering.enabled = false;
    let settings = Settings::new(&config).unwrap();
    let seeds = Seeds::from_text(site.base_url.to_string(), &settings);
    let never = std::future::pending();
    let summary = pipeline::run(
        &settings,
        Some(seeds),
        folder.path(),
        &Arc::new(Stats::default()),
        never,
    )
    .unwrap();
    assert_eq!(summary.ending, Ending::Exhausted);
    assert_true(&site, folder.path(), numbers_must_match, false);
}

#[test]
fn the_library_decides_every_page_of_the_demo_as_its_truth_says() {
    crawl_by_library(false);
}

#[test]
fn variants_of_one_product_are_kept_where_numbers_must_match() {
    crawl_by_library(true);
}

#[test]
fn the_demo_finds_no_mismatch_and_names_its_report() {
    let folder = tempfile::tempdir().unwrap();
    let demo = run(crawler(["demo", "--data", "crawl"]).current_dir(folder.path()));
    demo.succeeded()
        .says(&["have the expected outcome", "crawler report --data crawl"]);
    let html = std::fs::read_to_string(folder.path().join("crawl/report.html")).unwrap();
    assert!(html.starts_with("<!doctype html>") && html.trim_end().ends_with("</html>"));
}

/// The report of the crawl in `data`, below `folder`.
fn report(folder: &Path, data: &str) -> serde_json::Value {
    let ended = run(crawler(["report", "--format", "json", "--data", data]).current_dir(folder));
    serde_json::from_str(&ended.succeeded().stdout).unwrap()
}

#[test]
fn with_a_browser_the_demo_finds_the_pages_that_scripts_draw() {
    let folder = tempfile::tempdir().unwrap();
    let demo = run(crawler(["demo", "--render", "--data", "crawl"]).current_dir(folder.path()));
    demo.succeeded()
        .says(&["have the expected outcome", "pages that scripts draw"]);
    let report = report(folder.path(), "crawl");
    let rendered = report["rendering"]["rendered"].as_u64();
    assert_eq!(rendered, Some(4), "{}", report["rendering"]);
}

#[test]
fn the_demo_needs_a_browser_to_render() {
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(
        folder.path().join("none.toml"),
        "[render]\nbrowser = \"/none/chromium\"\n",
    )
    .unwrap();
    let demo =
        run(crawler(["demo", "--render", "--config", "none.toml", "--data", "crawl"]).current_dir(folder.path()));
    demo.with_code(2)
        .complains_of(&["--render needs Chromium or Chrome", "render.browser"]);
}

#[test]
fn the_demo_takes_the_users_rule_on_numbers() {
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(
        folder.path().join("strict.toml"),
        "[dedup]\nnumbers_must_match = true\n",
    )
    .unwrap();
    let near = |arguments: &[&str]| {
        let demo = run(crawler(["demo"]).args(arguments).current_dir(folder.path()));
        demo.succeeded().says(&["have the expected outcome"]);
        let data = arguments.last().unwrap();
        let report = report(folder.path(), data);
        // The number of fetched pages of other areas depends on steering.
        let clusters = report["clusters"].as_array().unwrap().iter();
        let duplicates = clusters.flat_map(|cluster| cluster["duplicates"].as_array().unwrap());
        let is_variant = |page: &&serde_json::Value| page["url"].as_str().unwrap().contains("/marlow/");
        duplicates
            .filter(is_variant)
            .filter(|page| page["verdict"] == "near")
            .count()
    };
    let (lenient, strict) = (
        near(&["--data", "a"]),
        near(&["--config", "strict.toml", "--data", "b"]),
    );
    assert!(
        strict < lenient,
        "{strict} near-duplicates where numbers must match, {lenient} where not"
    );
}

#[test]
fn the_demo_refuses_a_folder_that_is_not_empty() {
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(folder.path().join("mine.txt"), "keep").unwrap();
    let demo = run(crawler(["demo", "--data", "."]).current_dir(folder.path()));
    demo.with_code(2).complains_of(&["is not empty"]);
    assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 1);
}

#[test]
fn the_binary_crawls_the_demos_site_as_any_other() {
    let (_runtime, site) = served();
    let crawl = Crawl::of(site.base_url.as_str())
        .set("politeness.max_retries", 0)
        .set("steering.enabled", false);
    crawl.run().says(&["Finished", "still queued 0"]);
    assert_true(&site, &crawl.data(), false, false);
}

#[test]
fn one_request_at_a_time_comes_to_the_same_verdicts() {
    let (_runtime, site) = served();
    let crawl = Crawl::of(site.base_url.as_str())
        .one_at_a_time()
        .set("politeness.max_retries", 0);
    crawl.run();
    assert_true(&site, &crawl.data(), false, true);
}

#[test]
fn a_second_run_of_a_finished_crawl_fetches_no_page() {
    let (_runtime, site) = served();
    let crawl = Crawl::of(site.base_url.as_str()).set("politeness.max_retries", 0);
    crawl.run();
    let before = crawl.report();
    crawl.run().says(&["0 requests"]);
    assert_eq!(crawl.report(), before);
    assert_true(&site, &crawl.data(), false, true);
}

/// Requests for duplicates in the endless areas, and the number of these requests without steering.
fn useless_requests(site: &Running) -> (usize, usize) {
    let truth = truth(site, false, true);
    let traps: Vec<&Expected> = truth
        .iter()
        .filter(|page| {
            let is_endless = matches!(page.area, Area::Calendar | Area::Sessions | Area::Facets);
            is_endless && matches!(page.answer, Answer::OneOf { .. } | Answer::Listing)
        })
        .collect();
    let clusters: HashSet<&str> = traps
        .iter()
        .filter_map(|page| match page.answer {
            Answer::OneOf { cluster, .. } => Some(cluster),
            // The request for the catalogue without filters is useful.
            Answer::Listing => Some("catalogue"),
            _ => None,
        })
        .collect();
    let log = site.request_log.requests();
    let asked = traps
        .iter()
        .filter(|page| log.iter().any(|request| request.path_and_query == page.path));
    (asked.count() - clusters.len(), traps.len() - clusters.len())
}

#[test]
fn verdicts_save_four_in_five_of_the_useless_requests_and_lose_no_page() {
    for in_parallel in [true, false] {
        let (_runtime, site) = served();
        let crawl = Crawl::of(site.base_url.as_str()).set("politeness.max_retries", 0);
        let crawl = if in_parallel { crawl } else { crawl.one_at_a_time() };
        crawl.run();
        assert_true(&site, &crawl.data(), false, true);
        let (made, without) = useless_requests(&site);
        println!("{made} of {without} useless requests were made (in parallel: {in_parallel})");
        assert!(made * 5 <= without, "{made} of {without}");
        let report = crawl.report();
        let rules: Vec<&str> = report["steering"]["rules"]
            .as_array()
            .unwrap()
            .iter()
            .filter(|rule| rule["standing"] == "held_back")
            .map(|rule| rule["rule"].as_str().unwrap())
            .collect();
        let host = site.base_url.authority();
        for rule in [
            format!("{host}: parameter sid"),
            format!("{host}: numbers of /calendar/#/#"),
        ] {
            assert!(rules.contains(&rule.as_str()), "{rule} in {rules:?}");
        }
        assert_eq!(report["steering"]["held_back"], report["counts"]["queued"]);
    }
}

#[test]
fn urls_held_back_are_fetched_on_request() {
    let (_runtime, site) = served();
    let crawl = Crawl::of(site.base_url.as_str()).set("politeness.max_retries", 0);
    crawl.run().says(&["held back"]);
    assert!(crawl.report()["counts"]["queued"].as_u64().unwrap() > 0);
    let crawl = crawl.set("steering.leave", "\"nothing\"");
    crawl.run().says(&["still queued 0"]);
    assert_true(&site, &crawl.data(), false, false);
}
