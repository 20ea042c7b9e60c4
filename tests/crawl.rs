//! How far a crawl goes, and that it goes there once.

use std::sync::Arc;

use crate::support::crawl::Crawl;
use crate::support::gate::Gate;
use crate::support::outcomes::{count, expected};
use crate::support::page::{NO_LINKS, article, home};
use crate::support::site::{Answer, Site};

/// `/0` links to `/1`, that to `/2`, and so on: as many articles.
fn chain(length: u64) -> Site {
    Site::of((0..length).map(|n| (format!("/{n}"), article(n, &[format!("/{}", n + 1)]))))
}

/// A home page with links to so many articles.
fn star(articles: u64) -> Site {
    let links: Vec<String> = (1..=articles).map(|n| format!("/{n}")).collect();
    let articles = (1..=articles).map(|n| (format!("/{n}"), article(n, NO_LINKS)));
    Site::of([("/".to_owned(), home(&links))].into_iter().chain(articles))
}

#[test]
fn every_page_is_asked_for_exactly_once() {
    let links = ["/a", "/b", "/a#part", "/b?", "/./a", "/a?utm_source=mail", "/"];
    let site = Site::of([
        ("/", home(&links)),
        ("/a", article(1, &links)),
        ("/b", article(2, &["a", "b", "#top"])),
    ]);
    let crawl = Crawl::of(site.url("/"));
    crawl.run();
    assert_eq!(
        crawl.outcomes(&site),
        expected([("/", "kept"), ("/a", "kept"), ("/b", "kept")])
    );
    let times = site.times_asked();
    assert_eq!(times.len(), 3, "{times:?}");
    assert!(times.values().all(|&times| times == 1), "{times:?}");
}

#[test]
fn max_pages_is_met_exactly_and_a_higher_one_goes_on() {
    let site = star(30);
    let crawl = Crawl::of(site.url("/")).set("scope.max_pages", 7);
    crawl
        .end(&[])
        .with_code(6)
        .says(&["Page limit reached", "raise --max-pages"]);
    assert_eq!(count(&crawl.report(), "fetched"), 7);
    crawl.end(&["--max-pages", "12"]).with_code(6);
    assert_eq!(count(&crawl.report(), "fetched"), 12);
    assert_eq!(site.times_asked().len(), 12);
    // The configuration's limit is met already.
    crawl.end(&[]).with_code(6);
    assert_eq!(count(&crawl.report(), "fetched"), 12);
    crawl.end(&["--max-pages", "1000"]).succeeded().says(&["Finished"]);
    assert_eq!(count(&crawl.report(), "fetched"), 31);
    assert!(site.times_asked().values().all(|&times| times == 1));
}

#[test]
fn failures_and_redirects_do_not_count_as_pages() {
    let site = Site::of([
        ("/", home(&["/gone", "/moved", "/a", "/b"])),
        ("/moved", Answer::redirect("/b")),
        ("/a", article(1, NO_LINKS)),
        ("/b", article(2, NO_LINKS)),
    ]);
    let crawl = Crawl::of(site.url("/")).one_at_a_time().set("scope.max_pages", 2);
    crawl.end(&[]).with_code(6);
    assert_eq!(
        crawl.outcomes(&site),
        expected([
            ("/", "kept"),
            ("/gone", "failed http_404"),
            ("/moved", "redirect to /b"),
            ("/a", "kept")
        ])
    );
}

#[test]
fn max_pages_per_host_leaves_the_other_hosts_alone() {
    let site = star(9);
    let mut crawl = Crawl::of(site.url("/")).set("scope.max_pages_per_host", 4);
    crawl.add_seed(&site.localhost_url("/"));
    crawl.run();
    let report = crawl.report();
    let fetched: Vec<u64> = report["hosts"]
        .as_array()
        .unwrap()
        .iter()
        .map(|host| host["fetched"].as_u64().unwrap())
        .collect();
    assert_eq!(fetched, [4, 4]);
    assert_eq!(count(&report, "queued"), 12);
}

#[test]
fn max_depth_is_inclusive_and_counts_links_from_a_seed() {
    let site = chain(6);
    let crawl = Crawl::of(site.url("/0")).set("scope.max_depth", 2);
    crawl.run().says(&["1 link lay deeper than scope.max_depth = 2"]);
    assert_eq!(
        crawl.outcomes(&site),
        expected([("/0", "kept"), ("/1", "kept"), ("/2", "kept")])
    );
    assert_eq!(site.times_asked().len(), 3);
}

#[test]
fn links_to_another_host_or_port_are_not_asked_for() {
    let other_port = Site::of([("/", article(1, NO_LINKS))]);
    let other_url = other_port.url("/");
    let site = Site::scripted(move |asked| match asked.path.as_str() {
        "/" => home(&[
            &other_url,
            &format!("http://{}/x", asked.host.replace("127.0.0.1", "localhost")),
            "/a",
        ]),
        "/a" => article(2, NO_LINKS),
        _ => Answer::status(404),
    });
    let crawl = Crawl::of(site.url("/"));
    crawl.run().says(&[
        "2 links led to other hosts, such as 127.0.0.1:",
        ", and were not followed",
    ]);
    assert_eq!(crawl.outcomes(&site), expected([("/", "kept"), ("/a", "kept")]));
    assert!(other_port.paths().is_empty());
    assert!(
        site.requests()
            .iter()
            .all(|request| request.host.starts_with("127.0.0.1"))
    );
}

#[test]
fn a_seed_that_has_moved_brings_its_new_host_with_it() {
    let new = Site::of([("/", home(&["/a"])), ("/a", article(1, NO_LINKS))]);
    let old = Site::of([("/", Answer::redirect(&new.url("/")))]);
    let crawl = Crawl::of(old.url("/"));
    crawl.run();
    let to_new = format!("redirect to {}", new.url("/"));
    assert_eq!(
        crawl.outcomes(&old),
        expected([("/", &to_new), (&new.url("/"), "kept"), (&new.url("/a"), "kept")])
    );
}

#[test]
fn a_moved_seed_still_brings_its_host_when_the_crawl_goes_on() {
    let new = Site::of([
        ("/", home(&["/a", "/b"])),
        ("/a", article(1, &["/c"])),
        ("/b", article(2, NO_LINKS)),
        ("/c", article(3, NO_LINKS)),
    ]);
    let old = Site::of([("/", Answer::redirect(&new.url("/")))]);
    let crawl = Crawl::of(old.url("/")).one_at_a_time();
    crawl.end(&["--max-pages", "1"]).with_code(6);
    assert_eq!(new.times_asked().len(), 1);
    crawl.run();
    assert_eq!(count(&crawl.report(), "kept"), 4);
}

#[test]
fn a_link_that_redirects_elsewhere_does_not_widen_the_scope() {
    let other = Site::of([("/", article(1, NO_LINKS))]);
    let site = Site::of([("/", home(&["/away"])), ("/away", Answer::redirect(&other.url("/")))]);
    let crawl = Crawl::of(site.url("/"));
    crawl.run();
    let away = format!("redirect to {}", other.url("/"));
    assert_eq!(crawl.outcomes(&site), expected([("/", "kept"), ("/away", &away)]));
    assert!(other.paths().is_empty());
}

#[test]
fn redirects_are_followed_up_to_the_limit() {
    let hop = |n: u32| (format!("/r{n}"), Answer::redirect(&format!("/r{}", n + 1)));
    let pages = (0..9).map(hop).chain([("/r9".to_owned(), article(1, NO_LINKS))]);
    let site = Site::of(pages);
    let crawl = Crawl::of(site.url("/r0")).set("fetch.max_redirects", 3);
    crawl.run_without_page();
    assert_eq!(
        crawl.outcomes(&site),
        expected([
            ("/r0", "redirect to /r1"),
            ("/r1", "redirect to /r2"),
            ("/r2", "redirect to /r3"),
            ("/r3", "failed too_many_redirects"),
        ])
    );
    let enough = Crawl::of(site.url("/r0")).set("fetch.max_redirects", 9);
    enough.run();
    assert_eq!(enough.outcomes(&site).get("/r9").map(String::as_str), Some("kept"));
}

#[test]
fn a_circle_of_redirects_ends() {
    let site = Site::of([
        ("/a", Answer::redirect("/b")),
        ("/b", Answer::redirect("/a")),
        ("/self", Answer::redirect("/self")),
    ]);
    let mut crawl = Crawl::of(site.url("/a"));
    crawl.add_seed(&site.url("/self"));
    crawl.run_without_page();
    let outcomes = crawl.outcomes(&site);
    assert_eq!(outcomes["/self"], "failed redirect_loop");
    assert_eq!(
        (outcomes["/a"].as_str(), outcomes["/b"].as_str()),
        ("redirect to /b", "failed redirect_loop")
    );
    assert_eq!(site.times_asked().values().sum::<usize>(), 3);
}

#[test]
fn a_page_that_fails_does_not_end_the_run() {
    let never = Arc::new(Gate::closed());
    let held = never.clone();
    let site = Site::scripted(move |asked| match asked.path.as_str() {
        "/" => home(&[
            "/missing", "/broken", "/large", "/garbled", "/silent", "/nowhere", "/image", "/good",
        ]),
        "/broken" => Answer::status(500),
        "/large" => Answer::html("x ".repeat(40_000)),
        "/garbled" => Answer::html("this is no gzip").with("content-encoding", "gzip"),
        "/silent" => {
            held.pass();
            Answer::status(204)
        }
        "/nowhere" => Answer::status(302),
        "/image" => Answer::of_type("image/png", "PNG"),
        "/good" => article(1, NO_LINKS),
        _ => Answer::status(404),
    });
    let crawl = Crawl::of(site.url("/"))
        .set("fetch.max_body_bytes", 70_000)
        .set("fetch.timeout_ms", 1_000)
        .set("politeness.max_retries", 1);
    crawl.run().says(&["Finished", "failed 6"]);
    never.open();
    assert_eq!(
        crawl.outcomes(&site),
        expected([
            ("/", "kept"),
            ("/missing", "failed http_404"),
            ("/broken", "failed http_500"),
            ("/large", "failed body_too_large"),
            ("/garbled", "failed content_encoding"),
            ("/silent", "failed timeout"),
            ("/nowhere", "failed bad_redirect"),
            ("/image", "excluded content type image/png"),
            ("/good", "kept"),
        ])
    );
    let times = site.times_asked();
    assert_eq!(
        (times["/missing"], times["/broken"], times["/silent"]),
        (1, 2, 2),
        "only what may pass is tried again"
    );
}

#[test]
fn a_seed_that_nobody_answers_is_a_failure_not_an_error() {
    let url = Site::of([("/", home(NO_LINKS))]).url("/");
    let crawl = Crawl::of(url)
        .set("politeness.max_retries", 0)
        .set("politeness.robots", false);
    crawl.run_without_page();
    let report = crawl.report();
    assert_eq!(report["failures"][0]["kind"], "connect");
    assert_eq!(report["failures"][0]["via"], serde_json::Value::Null);
}

#[test]
fn a_failure_names_the_page_that_links_to_it() {
    let site = Site::of([("/", home(&["/missing"]))]);
    let crawl = Crawl::of(site.url("/"));
    crawl.run();
    let failure = &crawl.report()["failures"][0];
    assert_eq!(failure["via"], site.url("/"));
    assert_eq!(failure["status"], 404);
}

#[test]
fn a_seed_that_failed_without_an_answer_is_tried_again_by_the_next_run() {
    let site = Site::of([("/".to_owned(), home(NO_LINKS))]);
    let mut crawl = Crawl::of(site.url("/")).set("fetch.allow_private_addresses", false);
    crawl.add_seed(&site.url("/missing"));
    crawl.run_without_page();
    assert_eq!(
        crawl.outcomes(&site),
        expected([
            ("/", "failed forbidden_address"),
            ("/missing", "failed forbidden_address")
        ])
    );
    crawl.change("fetch.allow_private_addresses", true);
    crawl.run();
    let all = expected([("/", "kept"), ("/missing", "failed http_404")]);
    assert_eq!(crawl.outcomes(&site), all);
    let asked = site.requests().len();
    crawl.run().says(&["0 requests"]);
    assert_eq!((crawl.outcomes(&site), site.requests().len()), (all, asked));
}
