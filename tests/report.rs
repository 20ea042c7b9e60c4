//! The report of a crawl: near misses, savings, thresholds, differences, and its width.

use crate::support::crawl::Crawl;
use crate::support::outcomes::{count, list};
use crate::support::page::{home, page, replaced, reversed, words};
use crate::support::process::{crawler, run};
use crate::support::site::Site;

/// A crawl of a text, an exact copy, an edited copy that is dropped, and a further edited copy that is not similar enough.
fn crawled() -> (Site, Crawl) {
    let first = words(1, 300);
    let edited = replaced(&first, 100, 3, 7);
    let further = reversed(&reversed(&first, 40, 28), 160, 28);
    let site = Site::of([
        ("/", home(&["/0"])),
        ("/0", page("First", &first, &["/copy"])),
        ("/copy", page("Copy", &first, &["/edited"])),
        ("/edited", page("Edited", &edited, &["/further"])),
        ("/further", page("Further", &further, &["/missing"])),
    ]);
    let crawl = Crawl::of(site.url("/"));
    crawl.run();
    (site, crawl)
}

#[test]
fn a_near_miss_is_reported_with_the_page_that_it_resembles() {
    let (site, crawl) = crawled();
    let report = crawl.report();
    let [miss] = list(&report, "near_misses") else {
        panic!("{report:#}")
    };
    assert_eq!(
        (&miss["url"], &miss["near"], &miss["because"]),
        (
            &site.url("/further").into(),
            &site.url("/0").into(),
            &"similarity".into()
        )
    );
    // The same words in another order: 232 of 360 shingles are equal.
    assert_eq!(miss["distance"], 0);
    let similarity = miss["similarity"].as_f64().unwrap();
    assert!((similarity - 232.0 / 360.0).abs() < 0.08, "{similarity}");

    let sum = |rows: &str, of: &str| -> u64 {
        let rows = list(&report["histograms"], rows).iter();
        rows.map(|row| row[of].as_u64().unwrap()).sum()
    };
    assert_eq!((sum("distances", "dropped"), sum("distances", "near_misses")), (1, 1));
    assert_eq!(
        (sum("similarities", "dropped"), sum("similarities", "near_misses")),
        (1, 1)
    );
    assert_eq!(report["histograms"]["exact"], 1);
    assert_eq!(report["failure_groups"][0]["kind"], "http_404");
}

#[test]
fn savings_and_timeline_agree_with_the_counts() {
    let (_site, crawl) = crawled();
    let report = crawl.report();
    let counts = &report["counts"];
    let (kept, all) = (count(&report, "bytes_kept"), count(&report, "bytes_fetched"));
    // The site uses no Content-Encoding.
    assert_eq!(
        report["saved"]["duplicate_bytes"].as_u64().unwrap(),
        all - kept,
        "{counts}"
    );
    let intervals = list(&report["timeline"], "intervals");
    for name in ["kept", "exact", "near"] {
        let sum: u64 = intervals.iter().map(|interval| interval[name].as_u64().unwrap()).sum();
        assert_eq!(sum, count(&report, name), "{name}");
    }
}

#[test]
fn the_thresholds_are_those_of_the_configuration() {
    let (_site, crawl) = crawled();
    std::fs::write(crawl.path("loose.toml"), "[dedup]\nmin_similarity = 0.5\n").unwrap();
    let of = |arguments: &[&str]| -> serde_json::Value {
        let arguments = [&["--format", "json"], arguments].concat();
        serde_json::from_str(&crawl.read("report", &arguments).succeeded().stdout).unwrap()
    };
    let loose = of(&["--config", "loose.toml"]);
    assert_eq!(loose["thresholds"]["min_similarity"], 0.5);
    assert_eq!(loose["near_misses"][0]["because"], "nothing", "this rule would drop it");
    assert_eq!(of(&[])["thresholds"]["max_distance"], 10);
    crawl
        .read("report", &["--config", "missing.toml"])
        .with_code(2)
        .complains_of(&["missing.toml"]);
}

#[test]
fn the_html_shows_the_differences() {
    let (site, crawl) = crawled();
    let html = crawl.read("report", &["--format", "html"]).succeeded().stdout;
    let old = words(1, 300);
    let first_edited = old.split(' ').nth(100).unwrap();
    let other = words(7, 3);
    assert!(
        html.contains(&format!("<del>{first_edited}")),
        "the words of the kept page"
    );
    assert!(html.contains(&format!("<ins>{other}")), "the words of the dropped page");
    assert!(html.contains(&site.url("/further")));
    assert!(
        !html.contains("<p class=\"note\">The store does not have"),
        "every text is in the store"
    );
}

#[test]
fn the_screen_is_as_wide_as_the_terminal_and_full_is_the_long_listing() {
    let (site, crawl) = crawled();
    for columns in ["60", "80", "120"] {
        let mut process = crawler(["report", "--data"]);
        process.arg(crawl.data()).env("COLUMNS", columns);
        let screen = run(&mut process).succeeded();
        let width: usize = columns.parse().unwrap();
        for line in screen.stdout.lines() {
            // A command is never cut.
            let is_command = line.trim_start().starts_with("crawler ");
            assert!(is_command || line.chars().count() <= width, "{columns}: {line}");
        }
        screen.says(&[
            "2 of 5 pages said nothing new (40.0 %)",
            "Near pairs by",
            "1 http_404",
            "crawler tune",
        ]);
    }
    let full = crawl.read("report", &["--full"]).succeeded();
    full.says(&[&site.url("/missing"), "dropped: the same text as a kept page"]);
}
