//! Which pages and fields an export has.

use super::{KEPT, TITLES, finished, lines};
use crate::support::crawl::Crawl;
use crate::support::page::{page, words};
use crate::support::site::{Answer, Site};

#[test]
fn filters_select_the_pages_that_they_name() {
    let (site, crawl) = finished();
    let count = |arguments: &[&str]| lines(crawl.read("export", arguments)).len();
    let port = site.url("").rsplit_once(':').unwrap().1.to_owned();
    for (arguments, pages) in [
        (&["--host", "localhost"][..], 1),
        (&["--host", &format!("localhost:{port}")], 1),
        (&["--host", "localhost:1"], 0),
        (&["--host", "localhost", "--host", "127.0.0.1"], KEPT),
        (&["--host", "*.localhost"], 0),
        (&["--language", "zz"], 0),
        (&["--match", "/other$"], 1),
        (&["--match", "/[12]$", "--match", "/other$"], 3),
        (&["--match", "/other$", "--host", "127.0.0.1"], 0),
        (&["--since", "2020-01-01"], KEPT),
        (&["--since", "2020-01-01", "--until", "2020-12-31"], 0),
        (&["--since", "9000-01-01"], 0),
    ] {
        assert_eq!(count(arguments), pages, "{arguments:?}");
    }
    let page = lines(crawl.read("export", &["--match", "/3$"])).remove(0);
    let at = page["fetched_at"].as_str().unwrap();
    assert_eq!(
        count(&["--match", "/3$", "--since", at, "--until", at]),
        1,
        "both ends are included"
    );
    assert_eq!(
        count(&["--match", "/3$", "--since", &at[..10], "--until", &at[..10]]),
        1
    );
    let ended = crawl
        .read("export", &["--host", "localhost", "-o", "one.jsonl"])
        .succeeded();
    ended.complains_of(&[
        "1 page written to one.jsonl",
        &format!(
            "{KEPT} pages excluded by the filters: 1 duplicate of a kept page (--verdict all has it), {} of other hosts (--host)",
            KEPT - 1
        ),
    ]);
    let quiet = crawl.read("export", &["--quiet", "-o", "one.jsonl"]).succeeded();
    assert_eq!(quiet.stderr, "");
}

#[test]
fn fields_lengths_and_a_limit_select_a_part() {
    let (site, crawl) = finished();
    let read = |arguments: &[&str]| lines(crawl.read("export", arguments));
    let shown = crawl
        .read("export", &["--fields", "title, url,title", "--match", "/1$"])
        .succeeded()
        .stdout;
    assert_eq!(
        shown,
        format!(
            "{{\"title\":{},\"url\":\"{}\"}}\n",
            serde_json::json!(TITLES[1].1),
            site.url("/1")
        )
    );
    let csv = crawl
        .read(
            "export",
            &["--fields", "text,cluster", "--limit", "1", "--format", "csv"],
        )
        .succeeded();
    assert!(csv.stdout.starts_with("text,cluster\r\n"), "{}", csv.stdout);
    let with = read(&["--fields", "url,headline", "--limit", "2"]);
    assert!(with.iter().all(|line| line.get("headline").is_some()));
    let ended = crawl.read("export", &["--limit", "2", "-o", "two.jsonl"]).succeeded();
    ended.complains_of(&["2 pages written", "ended at --limit 2"]);
    let all = read(&[]);
    assert_eq!(read(&["--limit", "2"])[..], all[..2]);
    assert_eq!(read(&["--limit", "1000"]).len(), KEPT);
    let longest = all
        .iter()
        .map(|line| line["text_chars"].as_u64().unwrap())
        .max()
        .unwrap();
    let ended = crawl
        .read(
            "export",
            &["--min-chars", &(longest + 1).to_string(), "-o", "none.jsonl"],
        )
        .succeeded();
    ended.complains_of(&["0 pages written", &format!("{KEPT} with shorter texts (--min-chars)")]);
}

#[test]
fn a_duplicate_names_its_cluster_and_has_its_text_if_asked_for() {
    let (site, crawl) = finished();
    let all = lines(crawl.read("export", &["--include-duplicates"]));
    assert_eq!(all.len(), KEPT + 1);
    let at = |path: &str| all.iter().find(|line| line["url"] == site.url(path)).unwrap();
    let (kept, copy) = (at("/0"), at("/copy"));
    assert_eq!((&kept["cluster"], &copy["cluster"]), (&kept["url"], &kept["url"]));
    assert_eq!(copy["verdict"], "exact");
    assert_eq!(copy["text"], kept["text"]);
    let texts = crawl
        .read("export", &["--include-duplicates", "--format", "text"])
        .succeeded()
        .stdout;
    assert_eq!(texts.split("\x0c\n").count(), KEPT + 1);
}

#[test]
fn a_given_verdict_alone_selects_and_the_flag_adds_the_texts() {
    let (site, crawl) = finished();
    let exported = |arguments: &[&str]| lines(crawl.read("export", &[arguments, &["--include-duplicates"]].concat()));
    assert!(exported(&["--verdict", "near"]).is_empty());
    assert_eq!(exported(&["--verdict", "kept"]).len(), KEPT);
    let exact = exported(&["--verdict", "exact"]);
    assert_eq!(exact.len(), 1);
    assert_eq!(exact[0]["url"], site.url("/copy"));
    assert!(exact[0]["text"].is_string());
    assert_eq!(exported(&["--verdict", "all"]).len(), KEPT + 1);
}

#[test]
fn a_page_without_a_text_is_exported_only_if_asked_for() {
    let site = Site::of([
        ("/", page("Home", &words(1, 50), &["/empty"])),
        (
            "/empty",
            Answer::html("<!doctype html><title>Nothing</title><body></body>"),
        ),
    ]);
    let crawl = Crawl::of(site.url("/"));
    crawl.run();
    let ended = crawl.read("export", &["-o", "out.jsonl"]).succeeded();
    ended.complains_of(&["1 page written", "1 without any text (--include-empty has them)"]);
    assert_eq!(lines(crawl.read("export", &["--include-empty"])).len(), 2);
}
