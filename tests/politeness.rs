//! How often a host is asked, by the server's own clock.

use std::sync::Arc;
use std::time::Duration;

use crate::support::crawl::Crawl;
use crate::support::gate::Gate;
use crate::support::outcomes::expected;
use crate::support::page::{NO_LINKS, article, home};
use crate::support::site::{Answer, Request, Site};

const DELAY: Duration = Duration::from_millis(50);

/// A polite crawl: one request at a time, [`DELAY`] between two.
fn polite(site: &Site) -> Crawl {
    Crawl::of(site.url("/"))
        .set("politeness.parallel_per_host", 1)
        .set("politeness.delay_ms", DELAY.as_millis())
}

/// Asserts that each request came at least `delay` after the answer to the one before. The answer was ready before the
/// crawler had it and the request left before it arrived, so the server sees no less than the crawler waited.
#[track_caller]
fn assert_spaced(requests: &[Request], delay: Duration) {
    for pair in requests.windows(2) {
        let answered = pair[0].answered.expect("an answer before the next request");
        let gap = pair[1].received.checked_duration_since(answered);
        let gap = gap.unwrap_or_else(|| panic!("{} and {} were open at once", pair[0].path, pair[1].path));
        assert!(gap >= delay, "{gap:?} between {} and {}", pair[0].path, pair[1].path);
    }
}

fn small_site(robots: &str) -> Site {
    Site::of([
        ("/robots.txt", Answer::text(robots)),
        ("/", home(&["/a", "/moved", "/missing", "/b"])),
        ("/a", article(1, NO_LINKS)),
        ("/moved", Answer::redirect("/c")),
        ("/b", article(2, NO_LINKS)),
        ("/c", article(3, NO_LINKS)),
    ])
}

#[test]
fn one_request_at_a_time_and_the_delay_between_any_two() {
    let site = small_site("");
    polite(&site).run();
    let requests = site.requests();
    assert_eq!(
        requests.len(),
        7,
        "robots.txt, redirect and failure included: {:?}",
        site.paths()
    );
    assert_spaced(&requests, DELAY);
}

#[test]
fn a_crawl_delay_in_robots_txt_slows_the_crawl_down() {
    let site = small_site("User-agent: *\nCrawl-delay: 0.12\n");
    polite(&site).run();
    assert_spaced(&site.requests(), Duration::from_millis(120));
}

#[test]
fn a_crawl_delay_is_cut_to_the_configured_maximum() {
    let site = small_site("User-agent: *\nCrawl-delay: 86400\n");
    polite(&site).set("politeness.max_crawl_delay_ms", 60).run();
    assert_eq!(site.requests().len(), 7);
    assert_spaced(&site.requests(), Duration::from_millis(60));
}

#[test]
fn starts_are_spaced_where_several_requests_may_be_open() {
    let site = small_site("");
    polite(&site).set("politeness.parallel_per_host", 4).run();
    let requests = site.requests();
    assert_eq!(requests.len(), 7);
    // Spaced at the crawler; on the way a request may be late by some milliseconds, which brings the next one closer.
    let all = requests[6].received - requests[0].received;
    assert!(all >= DELAY * 6 - DELAY / 2, "{all:?}");
}

#[test]
fn two_hosts_are_asked_at_the_same_time() {
    let both = Arc::new(Gate::for_callers(2));
    let met = both.clone();
    let site = Site::scripted(move |asked| match asked.path.as_str() {
        // Neither page is answered before both are asked for.
        "/" if met.pass() => article(u64::from(asked.host.starts_with("localhost")), NO_LINKS),
        _ => Answer::status(404),
    });
    let mut crawl = polite(&site);
    crawl.add_seed(&site.localhost_url("/"));
    crawl.run();
    let other = site.localhost_url("/");
    assert_eq!(crawl.outcomes(&site), expected([("/", "kept"), (&other, "kept")]));
    for name in ["127.0.0.1", "localhost"] {
        let of_host: Vec<Request> = site
            .requests()
            .into_iter()
            .filter(|request| request.host.starts_with(name))
            .collect();
        assert_eq!(of_host.len(), 2, "robots.txt and page of {name}");
        assert_spaced(&of_host, DELAY);
    }
}

#[test]
fn retry_after_is_honoured_and_the_page_is_kept_later() {
    for status in [429, 503] {
        let site = Site::scripted(move |asked| match asked.path.as_str() {
            "/" => home(&["/busy", "/other"]),
            "/busy" if asked.times == 1 => Answer::status(status).with("retry-after", "1"),
            "/busy" => article(1, NO_LINKS),
            "/other" => article(2, NO_LINKS),
            _ => Answer::status(404),
        });
        let crawl = polite(&site);
        crawl.run();
        let kept = expected([("/", "kept"), ("/busy", "kept"), ("/other", "kept")]);
        assert_eq!(crawl.outcomes(&site), kept, "{status}");
        let requests = site.requests();
        let refused = requests.iter().position(|request| request.path == "/busy").unwrap();
        let rest = requests[refused + 1].received - requests[refused].answered.unwrap();
        assert!(
            rest >= Duration::from_secs(1),
            "the whole host rests after {status}, not {rest:?}"
        );
    }
}

#[test]
fn a_host_that_keeps_refusing_is_given_up_with_its_urls_queued() {
    let site = Site::scripted(|asked| match asked.path.as_str() {
        "/" => home(&["/1", "/2", "/3", "/4", "/5", "/6", "/7", "/8", "/9"]),
        "/robots.txt" => Answer::status(404),
        _ => Answer::status(503),
    });
    let crawl = polite(&site)
        .set("politeness.delay_ms", 0)
        .set("politeness.max_retries", 9);
    crawl
        .run()
        .says(&["was given up for this run (HTTP status 503)", "still queued 9"]);
    assert_eq!(
        site.requests().len(),
        7,
        "robots.txt, the home page, and five refusals in a row"
    );
    assert_eq!(crawl.outcomes(&site), expected([("/", "kept")]));
}

#[test]
fn the_user_agent_names_product_version_and_contact() {
    let site = small_site("");
    let crawl = Crawl::of(site.url("/"))
        .set("identity.product", "\"ExampleBot\"")
        .set("identity.contact_url", "\"https://example.org/our-bot\"");
    crawl.run();
    let wanted = format!(
        "ExampleBot/{} (+https://example.org/our-bot)",
        env!("CARGO_PKG_VERSION")
    );
    assert!(!site.requests().is_empty());
    for request in site.requests() {
        assert_eq!(request.user_agent, wanted, "{}", request.path);
    }
}

#[test]
fn a_user_agent_without_a_contact_is_warned_of() {
    let site = small_site("");
    let crawl = Crawl::of(site.url("/")).set("identity.contact_url", "\"\"");
    crawl.run().complains_of(&["identity.contact_url"]);
    assert!(
        site.requests()
            .iter()
            .all(|request| request.user_agent == concat!("crawler/", env!("CARGO_PKG_VERSION")))
    );
}
