//! How often a host is asked, by the server's own clock.

use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant, SystemTime};

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
    for status in [408, 429, 500, 502, 503, 504] {
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
fn retry_after_makes_the_host_rest_whatever_its_status_and_fails_no_other_page() {
    for (status, outcome) in [
        (302, "redirect to /other"),
        (403, "failed http_403"),
        (413, "failed http_413"),
    ] {
        let site = Site::scripted(move |asked| match asked.path.as_str() {
            "/" => home(&["/busy", "/other"]),
            "/busy" => Answer::status(status)
                .with("location", "/other")
                .with("retry-after", "1"),
            "/other" => article(2, NO_LINKS),
            _ => Answer::status(404),
        });
        let crawl = polite(&site);
        crawl.run();
        let all = expected([("/", "kept"), ("/busy", outcome), ("/other", "kept")]);
        assert_eq!(crawl.outcomes(&site), all);
        let requests = site.requests();
        let refused = requests.iter().position(|request| request.path == "/busy").unwrap();
        let rest = requests[refused + 1].received - requests[refused].answered.unwrap();
        assert!(rest >= Duration::from_secs(1), "{rest:?} after {status}");
    }
}

#[test]
fn a_deployment_behind_a_proxy_costs_no_page() {
    let faults_until = Arc::new(Mutex::new(None));
    let site = Site::scripted(move |asked| {
        let mut until = faults_until.lock().unwrap();
        match asked.path.as_str() {
            "/" => home(&["/1", "/2", "/3"]),
            "/robots.txt" | "/sitemap.xml" => Answer::status(404),
            _ if Instant::now() < *until.get_or_insert_with(|| Instant::now() + Duration::from_secs(2)) => {
                Answer::status(502)
            }
            path => article(path.as_bytes()[1].into(), NO_LINKS),
        }
    });
    let crawl = polite(&site).set("politeness.retry_delay_ms", 250);
    crawl.run();
    let all = expected([("/", "kept"), ("/1", "kept"), ("/2", "kept"), ("/3", "kept")]);
    assert_eq!(crawl.outcomes(&site), all);
}

#[test]
fn the_summary_says_how_to_try_urls_again_that_failed_by_a_fault_of_the_server() {
    let site = Site::scripted(|asked| match asked.path.as_str() {
        "/" => home(&["/1", "/2"]),
        "/1" | "/2" => Answer::status(502),
        _ => Answer::status(404),
    });
    polite(&site).run().says(&[
        "2 URLs failed because of the server (5xx)",
        "control add --file FILE",
        "try them again",
    ]);
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

#[test]
fn two_names_of_one_address_share_its_delay_once_it_is_known() {
    let site = small_site("");
    let mut crawl = polite(&site)
        .set("politeness.parallel_per_address", 1)
        .set("politeness.address_delay_ms", DELAY.as_millis());
    crawl.add_seed(&site.localhost_url("/"));
    crawl.run();
    let requests = site.requests();
    assert_eq!(requests.len(), 14);
    let first_contact = requests
        .iter()
        .position(|request| request.host.starts_with("localhost"));
    // One request of the other name may have been sent before localhost's address was known, and arrive after.
    assert_spaced(&requests[first_contact.unwrap() + 1..], DELAY);
    // The next run knows it from the start.
    let before = requests.len();
    for page in ["/new", "/newer"] {
        crawl.add_seed(&site.url(page));
        crawl.add_seed(&site.localhost_url(page));
    }
    crawl.run();
    let requests = &site.requests()[before..];
    assert_eq!(requests.len(), 4, "no robots.txt again: {requests:?}");
    assert_spaced(requests, DELAY);
}

#[test]
fn no_more_requests_are_open_at_one_address_than_it_allows() {
    let all = Arc::new(Gate::for_callers(2));
    let held = all.clone();
    let site = Site::scripted(move |asked| match asked.path.as_str() {
        "/robots.txt" => Answer::status(404),
        "/" => home(&["/a", "/b", "/c", "/d"]),
        // Two come together; a third would be in the log before either is answered.
        path if held.pass() => article(path.len() as u64, NO_LINKS),
        _ => Answer::status(500),
    });
    let mut crawl = polite(&site)
        .set("politeness.delay_ms", 0)
        .set("politeness.parallel_per_host", 2)
        .set("politeness.parallel_per_address", 2);
    crawl.add_seed(&site.localhost_url("/"));
    crawl.run();
    let requests = site.requests();
    let pages = requests.iter().filter(|request| request.path.len() == 2);
    assert_eq!(pages.clone().count(), 8);
    for request in pages {
        let open = requests.iter().filter(|other| {
            other.received <= request.received && other.answered.is_none_or(|answered| answered > request.received)
        });
        assert!(open.count() <= 2, "{requests:?}");
    }
}

#[test]
fn a_retry_after_that_is_a_date_is_honoured() {
    let asked_for = Arc::new(Mutex::new(None));
    let date = asked_for.clone();
    let site = Site::scripted(move |asked| match asked.path.as_str() {
        "/" if asked.times == 1 => {
            let now = (Instant::now(), SystemTime::now());
            let until = httpdate::fmt_http_date(now.1 + Duration::from_secs(2));
            // A date is whole seconds: what is meant is the beginning of the second.
            let wait = httpdate::parse_http_date(&until)
                .unwrap()
                .duration_since(now.1)
                .unwrap();
            *date.lock().unwrap() = Some(now.0 + wait);
            Answer::status(503).with("retry-after", &until)
        }
        "/" => home(NO_LINKS),
        _ => Answer::status(404),
    });
    let crawl = polite(&site);
    crawl.run();
    assert_eq!(crawl.outcomes(&site), expected([("/", "kept")]));
    let asked_for = asked_for.lock().unwrap().unwrap();
    let requests = site.requests();
    assert_eq!(site.paths(), ["/robots.txt", "/", "/"]);
    assert!(
        requests[2].received >= asked_for,
        "{:?} too early",
        asked_for - requests[2].received
    );
}

#[test]
fn a_long_retry_after_ends_the_run_and_the_next_run_asks_for_nothing() {
    let site = Site::scripted(|asked| match asked.path.as_str() {
        "/" => home(&["/a", "/b"]),
        "/robots.txt" => Answer::status(404),
        _ => Answer::status(503).with("retry-after", "3600"),
    });
    let crawl = polite(&site);
    for _ in 0..2 {
        crawl
            .run()
            .says(&["is resting until", "(HTTP status 503)", "still queued 2"]);
        assert_eq!(site.requests().len(), 3, "{:?}", site.paths());
    }
    let host = &crawl.report()["hosts"][0];
    assert_eq!(
        (&host["standing"], &host["last_failure"]),
        (&"resting".into(), &"HTTP status 503".into())
    );
    assert!(host["rests_until"].as_str().unwrap().ends_with('Z'), "{host}");
}

#[test]
fn an_unreachable_seed_is_in_the_report_with_its_last_failure() {
    let nobody = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    let address = nobody.local_addr().unwrap();
    drop(nobody);
    let crawl = Crawl::of(format!("http://{address}/"));
    crawl
        .run_without_page()
        .says(&["was given up for this run", "still queued 1"]);
    let report = crawl.report();
    let host = &report["hosts"][0];
    assert_eq!((&host["standing"], &host["queued"]), (&"given_up".into(), &1.into()));
    let reason = host["last_failure"].as_str().unwrap();
    assert!(reason.contains("robots.txt: no connection"), "{reason}");
    let text = crawl.read("report", &["--full"]).succeeded();
    text.says(&[
        "Hosts resting or given up",
        &address.to_string(),
        "given up",
        "no connection",
    ]);
}

/// Long against what a start of the crawler takes.
const LONG_DELAY: Duration = Duration::from_millis(1_500);

/// Two runs on one site, the first ended by `end`; both runs' requests must be [`LONG_DELAY`] apart.
fn restarted(end: impl FnOnce(&Site, &Crawl)) {
    let site = small_site("");
    let crawl = polite(&site).set("politeness.delay_ms", LONG_DELAY.as_millis());
    end(&site, &crawl);
    crawl.end(&["--max-pages", "2"]).with_code(6);
    let requests = site.requests();
    let robots = requests.iter().filter(|request| request.path == "/robots.txt");
    assert_eq!(robots.count(), 1, "{:?}", site.paths());
    assert!(requests.len() >= 3, "{:?}", site.paths());
    assert_spaced(&requests, LONG_DELAY);
}

#[test]
fn a_restart_asks_no_earlier_than_the_run_before_would_have() {
    restarted(|_, crawl| {
        crawl.end(&["--max-pages", "1"]).with_code(6);
    });
}

#[test]
fn a_crawler_that_was_killed_asks_no_earlier_when_it_is_started_again() {
    restarted(|site, crawl| {
        let mut killed = crawl.start();
        // Whether the home page was safe by then or is asked for again: not before its time.
        site.wait_for_requests(2);
        while site.requests()[1].answered.is_none() {
            std::thread::yield_now();
        }
        killed.kill();
    });
}

#[test]
fn what_robots_txt_says_holds_in_the_next_run_without_asking_again() {
    let site = Site::scripted(|asked| match asked.path.as_str() {
        "/robots.txt" => Answer::text(format!(
            "User-agent: *\nDisallow: /b\nSitemap: http://{}/map.txt\n",
            asked.host
        )),
        "/map.txt" => Answer::text(format!("http://{}/c\n", asked.host)),
        "/" => home(&["/a", "/b"]),
        "/a" => article(1, NO_LINKS),
        "/c" => article(3, NO_LINKS),
        _ => Answer::status(404),
    });
    let crawl = Crawl::of(site.url("/")).one_at_a_time();
    crawl.end(&["--max-pages", "1"]).with_code(6);
    crawl.run();
    let forbidden = "excluded robots.txt: Disallow: /b";
    let all = expected([("/", "kept"), ("/a", "kept"), ("/b", forbidden), ("/c", "kept")]);
    assert_eq!(crawl.outcomes(&site), all);
    let asked = |wanted: &str| site.paths().iter().filter(|path| *path == wanted).count();
    assert_eq!((asked("/robots.txt"), asked("/b")), (1, 0));
}
