//! How a run ends: its exit code, and its summary for programs.

use serde_json::Value;

use crate::support::crawl::Crawl;
use crate::support::page::{NO_LINKS, article, home};
use crate::support::process::Ended;
use crate::support::site::{Answer, Site};

fn site() -> Site {
    Site::of([
        ("/", home(&["/a", "/b", "/missing"])),
        ("/a", article(1, NO_LINKS)),
        ("/b", article(2, NO_LINKS)),
        ("/robots.txt", Answer::text("")),
    ])
}

fn summary(ended: &Ended) -> Value {
    let mut lines = ended.stdout.lines();
    let summary = serde_json::from_str(lines.next().unwrap()).unwrap();
    assert_eq!(lines.next(), None, "{ended:?}");
    summary
}

#[test]
fn the_summary_for_programs_has_the_ending_and_the_counts() {
    let site = site();
    let crawl = Crawl::of(site.url("/")).one_at_a_time();
    let limited = crawl.end(&["--format", "json", "--max-pages", "2"]).with_code(6);
    let limited = summary(&limited);
    assert_eq!(
        (&limited["ending"], &limited["counts"]["kept"]),
        (&"page_limit".into(), &2.into())
    );

    let finished = summary(&crawl.end(&["--format", "json"]).succeeded());
    assert_eq!(finished["ending"], "finished");
    let counts = &finished["counts"];
    assert_eq!(
        (&counts["kept"], &counts["failed"], &counts["queued"]),
        (&3.into(), &1.into(), &0.into())
    );
    assert_eq!(finished["failed_seeds_count"], 0);
}

#[test]
fn the_summary_for_programs_names_seeds_and_hosts_that_failed() {
    let site = site();
    let mut crawl = Crawl::of(site.url("/missing"));
    crawl.add_seed("http://127.0.0.1:1/");
    let ended = summary(&crawl.end(&["--format", "json"]).with_code(5));
    assert_eq!(ended["failed_seeds"][0]["url"], site.url("/missing"));
    assert_eq!(ended["failed_seeds"][0]["kind"], "http_404");
    assert!(ended["failed_seeds"][0]["advice"].is_string(), "{ended}");
    assert_eq!(ended["given_up"][0]["host"], "127.0.0.1:1");
    assert!(ended["given_up"][0]["last_failure"].is_string(), "{ended}");
}

#[test]
fn a_flag_sets_the_delay_between_requests() {
    let site = site();
    // A delay of hours in the file: the crawl ends only because the flag overrides it.
    let crawl = Crawl::of(site.url("/")).set("politeness.delay_ms", 3_600_000);
    let ended = crawl.end(&["--delay", "0s", "--format", "json"]).succeeded();
    assert_eq!(summary(&ended)["counts"]["kept"], 3);
    let refused = crawl.end(&["--delay", "soon"]).with_code(2);
    refused.complains_of(&["--delay", "250ms"]);
}
