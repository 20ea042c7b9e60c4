//! Traps, and what the verdicts save: the site's log is the witness.

use serde_json::Value;

use crate::support::crawl::Crawl;
use crate::support::page::{NO_LINKS, article, home, page, words};
use crate::support::site::{Answer, Site};

/// The number at the end of `/a/b/7`.
fn number(path: &str) -> u64 {
    path.rsplit('/')
        .next()
        .and_then(|text| text.parse().ok())
        .unwrap_or_default()
}

fn rule<'a>(report: &'a Value, end: &str) -> &'a Value {
    let rules = report["steering"]["rules"].as_array().unwrap();
    let found = rules.iter().find(|rule| rule["rule"].as_str().unwrap().ends_with(end));
    found.unwrap_or_else(|| panic!("no rule {end} in {rules:?}"))
}

fn asked_for(site: &Site, beginning: &str) -> usize {
    site.paths().iter().filter(|path| path.starts_with(beginning)).count()
}

#[test]
fn paths_and_queries_that_grow_without_end_are_excluded_and_named() {
    let site = Site::scripted(|asked| match asked.path.split('?').next() {
        Some("/") => home(&["/loop/a/", "/list?p=0"]),
        // Every page is new, so no verdict stops these.
        Some(path) if path.starts_with("/loop/") => article(path.len() as u64, &[format!("{path}a/")]),
        Some("/list") => article(asked.path.len() as u64, &[format!("{}&p=0", asked.path)]),
        _ => Answer::status(404),
    });
    let crawl = Crawl::of(site.url("/"))
        .set("scope.max_depth", 200)
        .set("scope.max_query_parameters", 5);
    crawl.run();
    let outcomes = crawl.outcomes(&site);
    assert_eq!(
        outcomes["/loop/a/a/a/a/"],
        "excluded trap: more than 3 times /a in the path (scope.max_segment_repeats)"
    );
    assert_eq!(
        outcomes["/list?p=0&p=0&p=0&p=0&p=0&p=0"],
        "excluded trap: more than 5 parameters (scope.max_query_parameters)"
    );
    assert_eq!((asked_for(&site, "/loop/"), asked_for(&site, "/list")), (3, 5));
}

#[test]
fn an_endless_calendar_ends_and_its_rule_is_shown_with_evidence() {
    let site = Site::scripted(|asked| match asked.path.as_str() {
        "/" => home(&["/diary/2026/1".to_owned(), "/a".to_owned()]),
        "/a" => article(1, NO_LINKS),
        path if path.starts_with("/diary/2026/") => {
            let next = format!("/diary/2026/{}", number(path) + 1);
            page("Diary", &words(7, 200), &[next])
        }
        _ => Answer::status(404),
    });
    let crawl = Crawl::of(site.url("/")).set("scope.max_depth", 1_000);
    crawl.run().says(&["held back", "crawler rules"]);
    let report = crawl.report();
    assert!(asked_for(&site, "/diary/") <= 6, "{:?}", site.paths());
    let diary = rule(&report, ": numbers of /diary/#/#");
    assert_eq!(
        (&diary["standing"], &diary["contradicted"]),
        (&"held_back".into(), &0.into())
    );
    assert_eq!(report["steering"]["held_back"], 1);
    let rules = crawl.read("rules", &[]).succeeded();
    rules.says(&["numbers of /diary/#/#", "held back", "/diary/2026/2 was"]);
    let json: Value = serde_json::from_str(&crawl.read("rules", &["--format", "json"]).succeeded().stdout).unwrap();
    assert_eq!(json["rules"], report["steering"]["rules"]);
}

/// Ten notices, each under ten session ids; `/notice/3` alone changes with the id.
fn board() -> Site {
    Site::scripted(|asked| {
        let (path, id) = asked.path.split_once("?sid=").unwrap_or((&asked.path, "0"));
        let links = |id: &str| (0..10).map(|n| format!("/notice/{n}?sid={id}")).collect::<Vec<_>>();
        match path {
            "/" => home(&(0..10).map(|n| format!("/board?sid=x{n}")).collect::<Vec<_>>()),
            "/board" => page("Board", &words(99, 200), &links(id)),
            "/notice/3" => article(
                1_000 + id.as_bytes().iter().map(|&b| u64::from(b)).sum::<u64>(),
                NO_LINKS,
            ),
            _ => article(number(path), NO_LINKS),
        }
    })
}

#[test]
fn a_parameter_that_sometimes_matters_loses_no_page() {
    let site = board();
    let crawl = Crawl::of(site.url("/"));
    crawl.run();
    let kept = crawl.report();
    let kept: Vec<&str> = kept["clusters"]
        .as_array()
        .unwrap()
        .iter()
        .map(|cluster| cluster["kept"].as_str().unwrap())
        .collect();
    let variants = kept.iter().filter(|url| url.contains("/notice/3?")).count();
    assert_eq!(variants, 10, "each says something new: {kept:?}");
    assert_eq!(kept.len(), 1 + 1 + 9 + 10);
}

#[test]
fn a_rule_is_applied_on_request_and_the_report_says_so() {
    let site = board();
    let host = site.url("").trim_start_matches("http://").to_owned();
    let crawl = Crawl::of(site.url("/")).set("steering.apply", format!("[\"{host}: parameter sid\"]"));
    crawl.run();
    assert_eq!(asked_for(&site, "/notice/"), 10, "{:?}", site.paths());
    let left = &crawl.report()["steering"]["held_back"];
    assert_eq!(left, 9, "the boards; what they would have linked to was never found");
    crawl
        .read("rules", &["--config", "test.toml"])
        .succeeded()
        .says(&["applied"]);
}

#[test]
fn what_is_no_rule_is_refused_with_an_example() {
    let crawl = Crawl::of("http://127.0.0.1:9/").set("steering.apply", "[\"sid\"]");
    crawl
        .end(&[])
        .with_code(2)
        .complains_of(&["steering.apply", "is not a rule", "parameter sid"]);
}

#[test]
fn a_restart_knows_what_the_verdicts_taught() {
    let site = Site::scripted(|asked| match asked.path.as_str() {
        "/" => home(&["/diary/2026/1"]),
        path => page("Diary", &words(7, 200), &[format!("/diary/2026/{}", number(path) + 1)]),
    });
    let mut crawl = Crawl::of(site.url("/")).set("scope.max_depth", 1_000);
    crawl.run();
    let before = site.paths().len();
    crawl.run().says(&["0 requests"]);
    crawl.change("steering.leave", "\"nothing\"");
    crawl.end(&["--max-pages", "30"]).with_code(6);
    assert!(site.paths().len() > before, "what was left is fetched on request");
}

#[test]
fn a_host_that_has_used_up_its_urls_gets_no_more() {
    let site = Site::scripted(|asked| {
        let seed = asked.path.bytes().fold(7_u64, |sum, byte| sum * 31 + u64::from(byte));
        let links: Vec<String> = (0..10).map(|n| format!("{}{n}/", asked.path)).collect();
        match asked.path.as_str() {
            "/robots.txt" => Answer::status(404),
            _ => article(seed, &links),
        }
    });
    let crawl = Crawl::of(site.url("/"))
        .set("scope.max_urls_per_host", 25)
        .set("scope.max_segment_repeats", 100);
    crawl.run().says(&["scope.max_urls_per_host"]);
    let known = crawl.report()["counts"]["discovered"].as_u64().unwrap();
    assert!((25..=35).contains(&known), "{known}: one page may go beyond");
    crawl.run().says(&["0 requests"]);
}

#[test]
fn an_applied_rule_that_was_wrong_can_be_taken_back() {
    let site = Site::scripted(|asked| match asked.path.as_str() {
        "/" => home(&(0..20).map(|n| format!("/item?id={n}")).collect::<Vec<_>>()),
        path if path.starts_with("/item") => {
            article(path.bytes().map(u64::from).sum::<u64>() + path.len() as u64, NO_LINKS)
        }
        _ => Answer::status(404),
    });
    let host = site.url("").trim_start_matches("http://").to_owned();
    let mut crawl = Crawl::of(site.url("/")).set("steering.apply", format!("[\"{host}: parameter id\"]"));
    crawl.run();
    assert_eq!(asked_for(&site, "/item"), 1);
    crawl.change("steering.apply", "[]");
    crawl.run().says(&["still queued 0"]);
    assert_eq!(asked_for(&site, "/item"), 20);
}

#[test]
fn pages_behind_a_gap_are_found() {
    let site = Site::scripted(|asked| match asked.path.as_str() {
        "/" => home(&["/archive/9/20"]),
        path if path.starts_with("/archive/") => {
            let n = number(path);
            let before: Vec<String> = (n > 1).then(|| format!("/archive/9/{}", n - 1)).into_iter().collect();
            // Nothing was written in the months from 7 to 14.
            let text = if (7..=14).contains(&n) {
                words(1, 100)
            } else {
                words(100 + n, 200)
            };
            page("Archive", &text, &before)
        }
        _ => Answer::status(404),
    });
    let crawl = Crawl::of(site.url("/")).set("scope.max_depth", 1_000);
    crawl.run();
    assert_eq!(asked_for(&site, "/archive/"), 20, "{:?}", site.paths());
}

#[test]
fn a_page_that_redirects_to_another_spelling_of_itself_holds_up_nobody() {
    let site = Site::scripted(|asked| {
        let seed = asked.path.bytes().map(u64::from).sum::<u64>();
        match asked.path.as_str() {
            "/" => home(&(0..30).map(|n| format!("/p?s={n}")).collect::<Vec<_>>()),
            "/robots.txt" => Answer::status(404),
            path if path.starts_with("/p?s=") && asked.times == 1 && seed % 3 == 0 => {
                Answer::redirect(&format!("http://user:pw@{}{path}", asked.host))
            }
            path => page("Page", &words(seed * 1_000 + path.len() as u64, 150), NO_LINKS),
        }
    });
    let crawl = Crawl::of(site.url("/"));
    crawl.run().says(&["still queued 0"]);
}
