//! A refresh tries the URLs without a page again, and pages that all redirect to one URL stay.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use super::{always_due, of, phased, refresh_in, refreshed, set_days};
use crate::support::crawl::Crawl;
use crate::support::outcomes::{count, expected};
use crate::support::page::{NO_LINKS, article, home};
use crate::support::site::{Answer, Site};

/// A site on which pages are missing, hidden, forbidden or elsewhere for a time.
fn half_open() -> (Site, Arc<AtomicUsize>) {
    const PATHS: &[&str] = &[
        "/soon",
        "/down",
        "/latest",
        "/hidden",
        "/shut",
        "/left",
        "/for-good",
        "/never",
    ];
    phased(|phase, asked| match (asked.path.as_str(), phase) {
        ("/robots.txt", _) => Answer::text("User-agent: *\nDisallow: /shut"),
        ("/", _) => home(PATHS),
        ("/for-good", _) => Answer::redirect("/version-1"),
        ("/never", _) | ("/soon", 0) => Answer::status(404),
        ("/down", 0) => Answer::status(502),
        ("/latest", 0) => Answer::status(302).with("location", "/version-1"),
        ("/latest", _) => Answer::status(302).with("location", "/version-2"),
        ("/hidden", 0) => article(1, NO_LINKS).with("x-robots-tag", "noindex"),
        (path, _) => {
            let number = [
                "/soon",
                "/down",
                "/hidden",
                "/shut",
                "/left",
                "/version-1",
                "/version-2",
            ]
            .iter()
            .position(|known| *known == path);
            number.map_or(Answer::status(404), |number| article(number as u64, NO_LINKS))
        }
    })
}

#[test]
fn a_refresh_tries_the_urls_without_a_page_again_once_in_an_interval() {
    let (site, phase) = half_open();
    let mut crawl = Crawl::of(site.url("/"))
        .set("politeness.max_retries", 0)
        .set("scope.exclude", "[\"glob:/none/**\"]");
    crawl.run();
    let before = expected([
        ("/", "kept"),
        ("/version-1", "kept"),
        ("/soon", "failed http_404"),
        ("/never", "failed http_404"),
        ("/down", "failed http_502"),
        ("/latest", "redirect to /version-1"),
        ("/for-good", "redirect to /version-1"),
        ("/hidden", "excluded noindex"),
        ("/shut", "excluded robots.txt: Disallow: /shut"),
        ("/left", "kept"),
    ]);
    assert_eq!(crawl.outcomes(&site), before);
    phase.store(1, Ordering::SeqCst);
    crawl.change("politeness.robots", false);
    let requests = site.requests().len();
    crawl.end(&["--refresh"]).succeeded();
    assert_eq!(site.requests().len(), requests, "nothing is due yet");

    set_days(&mut crawl, 7);
    crawl.end(&refresh_in(8).each_ref().map(String::as_str)).succeeded();
    let mut after = before;
    for path in ["/soon", "/down", "/hidden", "/shut", "/version-2"] {
        after.insert(path.to_owned(), "kept".to_owned());
    }
    after.insert("/latest".to_owned(), "redirect to /version-2".to_owned());
    assert_eq!(crawl.outcomes(&site), after);
    let times = site.times_asked();
    assert_eq!((times["/for-good"], times["/never"], times["/soon"]), (1, 2, 2));

    // The next refresh of the same week asks only for pages.
    crawl.end(&["--refresh"]).succeeded();
    assert_eq!(site.times_asked()["/never"], 2);
}

#[test]
fn a_url_without_a_page_keeps_its_outcome_if_the_crawl_has_no_room_for_its_page() {
    let (site, phase) = half_open();
    let mut crawl = always_due(site.url("/")).set("politeness.max_retries", 0);
    crawl.run();
    let before = crawl.outcomes(&site);
    phase.store(1, Ordering::SeqCst);
    for limit in ["max_pages", "max_pages_per_host"] {
        crawl.change(&format!("scope.{limit}"), 3);
        crawl.end(&["--refresh"]);
        assert_eq!(crawl.outcomes(&site), before, "{limit}");
        crawl.change(&format!("scope.{limit}"), 0);
    }
    // There is room for two more pages.
    crawl.change("scope.max_pages", 5);
    crawl.end(&["--refresh"]);
    let after = crawl.outcomes(&site);
    let changed = before
        .iter()
        .filter(|(path, outcome)| after.get(*path) != Some(outcome));
    assert_eq!(changed.count(), 2, "{after:?}");
}

#[test]
fn a_refresh_tries_what_a_removed_pattern_excluded() {
    let (site, _) = half_open();
    let mut crawl = always_due(site.url("/"));
    crawl.add_seed(&site.url("/left"));
    crawl.change("scope.exclude", "[\"glob:/left\", \"glob:/soon\"]");
    crawl.run();
    assert_eq!(crawl.outcomes(&site)["/left"], "excluded scope.exclude has glob:/left");
    crawl.change("scope.exclude", "[\"glob:/soon\"]");
    crawl.end(&["--refresh"]).succeeded();
    assert_eq!(crawl.outcomes(&site)["/left"], "kept");
}

#[test]
fn pages_that_all_redirect_to_one_url_have_not_moved() {
    const PATHS: &[&str] = &["/1", "/2", "/3", "/4", "/5", "/6"];
    let (site, phase) = phased(|phase, asked| match (asked.path.as_str(), phase) {
        ("/", _) => home(PATHS),
        ("/login", _) => article(90, NO_LINKS),
        (_, 1) => Answer::redirect("/login"),
        (path, _) => path[1..]
            .parse()
            .map_or(Answer::status(404), |number| article(number, NO_LINKS)),
    });
    let crawl = always_due(site.url("/"));
    crawl.run();
    phase.store(1, Ordering::SeqCst);
    crawl.end(&["--refresh"]).succeeded();
    let wanted = [("due", 7), ("new", 1), ("unchanged", 1), ("missing", 4), ("moved", 2)];
    assert_eq!(refreshed(&crawl.report()), of(wanted));
    phase.store(2, Ordering::SeqCst);
    crawl.end(&["--refresh"]).succeeded();
    assert_eq!(
        count(&crawl.report(), "kept"),
        6,
        "the four pages, the home page and the log-in"
    );
}
