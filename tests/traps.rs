//! Endless traps of several shapes. The log of the site shows their cost, and that the crawl loses no page beside them.

use crate::support::crawl::Crawl;
use crate::support::page::{NO_LINKS, article, home, page, words};
use crate::support::site::{Answer, Asked, Site};

/// Bound on the requests for a trap of exact duplicates: a run of 128, a sample, and the pages that wait for their verdict when the run
/// ends. These are up to 144, because the site has no delay.
const MAX_EXACT: usize = 400;

/// The same for near-duplicates: a run of 512.
const MAX_NEAR: usize = 900;

/// A number from a text, the same at each run.
fn hash(text: &str) -> u64 {
    text.bytes().fold(0xcbf2_9ce4_8422_2325, |hash, byte| {
        (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3)
    })
}

/// A random segment, different for each page and place.
fn random(path: &str, n: u64) -> String {
    let mut number = hash(&format!("{path} {n}"));
    let letter = |_| {
        number = number
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1_442_695_040_888_963_407);
        char::from(b"abcdefghijklmnopqrstuvwxyz0123456789"[(number >> 58) as usize % 36])
    };
    (0..8).map(letter).collect()
}

/// A site with forty honest pages, half of them in the folder `/t` of most traps, and a trap whose pages link to ten others.
fn site(trap: fn(&str) -> Vec<String>, is_exact: bool) -> Site {
    Site::scripted(move |asked: &Asked| match asked.path.as_str() {
        "/robots.txt" => Answer::status(404),
        "/" => {
            let mut links: Vec<String> = (0..20).map(|n| format!("/page/{n}")).collect();
            links.extend(trap("/"));
            home(&links)
        }
        path if path.starts_with("/page/") => {
            let n: u64 = path.trim_start_matches("/page/").parse().unwrap();
            article(n, &[format!("/t/honest-page-{n}")])
        }
        path if path.starts_with("/t/honest-page") => article(hash(path), NO_LINKS),
        path => {
            let end = if is_exact { String::new() } else { words(hash(path), 2) };
            page("Nothing", &format!("{} {end}", words(7, 200)), &trap(path))
        }
    })
}

fn asked_for(site: &Site, beginning: &str) -> usize {
    site.paths().iter().filter(|path| path.starts_with(beginning)).count()
}

#[track_caller]
fn costs_at_most(trap: fn(&str) -> Vec<String>, is_exact: bool, most: usize) {
    let site = site(trap, is_exact);
    let crawl = Crawl::of(site.url("/")).set("scope.max_depth", 1_000);
    crawl.run().says(&["held back", "trap"]);
    let paths = site.paths();
    let is_honest = |path: &&String| path.starts_with("/page/") || path.starts_with("/t/honest-page-");
    let honest = paths.iter().filter(is_honest).count();
    assert_eq!(honest, 40, "no page beside the trap is lost");
    let cost = paths.len() - honest;
    println!("{cost} requests for the trap");
    assert!(cost <= most, "{cost} requests");
    let report = crawl.report();
    let held_back = report["steering"]["held_back"].as_u64().unwrap();
    let by_trap = report["steering"]["traps"].as_array().unwrap().iter();
    assert_eq!(
        by_trap
            .map(|trap| trap["saved_requests"].as_u64().unwrap())
            .sum::<u64>(),
        held_back
    );
}

#[test]
fn two_random_parameters_end() {
    let trap = |path: &str| {
        (0..10)
            .map(|n| format!("/t?a={}&b={}", random(path, n), random(path, 50 + n)))
            .collect()
    };
    costs_at_most(trap, true, MAX_EXACT);
}

#[test]
fn random_names_of_parameters_end() {
    let trap = |path: &str| {
        (0..10)
            .map(|n| format!("/t?{}={}", random(path, n), random(path, 50 + n)))
            .collect()
    };
    costs_at_most(trap, true, MAX_EXACT);
}

#[test]
fn random_segments_with_nearly_the_same_text_end() {
    let trap = |path: &str| {
        (0..10)
            .map(|n| format!("/t/{}/{}", random(path, n), random(path, 50 + n)))
            .collect()
    };
    costs_at_most(trap, false, MAX_NEAR);
}

#[test]
fn paths_that_grow_by_a_random_segment_end() {
    let trap = |path: &str| {
        let folder = path.trim_end_matches('/').trim_start_matches("/grow");
        (0..10).map(|n| format!("/grow{folder}/{}", random(path, n))).collect()
    };
    costs_at_most(trap, true, MAX_EXACT);
}

#[test]
fn a_new_page_in_the_sample_brings_the_others_back() {
    // Page n links to the pages 10 n to 10 n + 9. The pages up to 1,300 have the same text, and each later page says something new.
    let number = |path: &str| path.rsplit('=').next().and_then(|n| n.parse::<u64>().ok()).unwrap_or(0);
    let path = |n: u64| format!("/t?{}={n}", random("name", n));
    let site = Site::scripted(move |asked| match asked.path.as_str() {
        "/robots.txt" => Answer::status(404),
        "/" => home(&[path(1)]),
        asked => {
            let n = number(asked);
            let links: Vec<String> = (10 * n..10 * n + 10).filter(|n| *n < 2_000).map(path).collect();
            match n {
                0..=1_300 => page("Nothing", &words(7, 200), &links),
                _ => page("Something", &words(1_000 + n, 200), &links),
            }
        }
    });
    let crawl = Crawl::of(site.url("/")).set("scope.max_depth", 1_000);
    crawl.run().says(&["still queued 0"]);
    assert_eq!(asked_for(&site, "/t?"), 1 + 10 + 100 + 1_000);
}

#[test]
fn a_reference_of_like_pages_with_a_new_one_in_two_hundred_is_read_to_its_end() {
    let site = Site::scripted(|asked| match asked.path.as_str() {
        "/robots.txt" => Answer::status(404),
        "/" => home(&(0..10).map(|n| format!("/api/index-{n}")).collect::<Vec<_>>()),
        path => match path.strip_prefix("/api/index-") {
            Some(n) => {
                let n: u64 = n.parse().unwrap();
                let links: Vec<String> = (100 * n..100 * n + 100).map(|n| format!("/api/call/{n}")).collect();
                page("Index", &words(n, 100), &links)
            }
            None => {
                let n: u64 = path.trim_start_matches("/api/call/").parse().unwrap();
                let near = [format!("/api/call/{}", (n + 1) % 1_000)];
                match n % 200 {
                    199 => page("Call", &words(5_000 + n, 200), &near),
                    _ => page("Call", &format!("{} {}", words(7, 200), words(100_000 + n, 2)), &near),
                }
            }
        },
    });
    let crawl = Crawl::of(site.url("/"));
    crawl.run().says(&["still queued 0"]);
    assert_eq!(asked_for(&site, "/api/call/"), 1_000);
}

#[test]
fn a_folder_that_says_nothing_new_is_left_on_request_and_the_report_says_so() {
    let site = Site::scripted(|asked| match asked.path.as_str() {
        "/robots.txt" => Answer::status(404),
        "/" => {
            let mut links: Vec<String> = (0..600).map(|n| format!("/copies/of-{n}")).collect();
            links.extend((0..10).map(|n| format!("/page/{n}")));
            home(&links)
        }
        path if path.starts_with("/copies/") => page("Copy", &words(7, 200), NO_LINKS),
        path => article(hash(path), NO_LINKS),
    });
    let mut crawl = Crawl::of(site.url("/"))
        .set("scope.max_duplicate_share", 0.95)
        .set("scope.duplicate_window", 50);
    crawl
        .run()
        .says(&["held back", "folder", "/copies/", "scope.max_duplicate_share = 0"]);
    let copies = asked_for(&site, "/copies/");
    assert!(copies < 300, "{copies}");
    assert_eq!(asked_for(&site, "/page/"), 10);
    crawl
        .read("report", &["--config", "test.toml"])
        .succeeded()
        .says(&["/copies/", "held back"]);
    crawl.change("scope.max_duplicate_share", 0);
    crawl.run().says(&["still queued 0"]);
    assert_eq!(asked_for(&site, "/copies/"), 600, "nothing is lost");
}
