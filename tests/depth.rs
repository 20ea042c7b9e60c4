//! `scope.max_depth` counts the links of the shortest path, whichever path the crawler finds first.

use std::collections::BTreeSet;
use std::sync::Arc;

use crate::support::crawl::Crawl;
use crate::support::gate::Gate;
use crate::support::page::{article, home};
use crate::support::site::{Answer, Site};

/// A long path and a short one to the same page, and pages behind it. The short one comes late: it waits until the page was asked for.
fn site() -> Site {
    let asked_for_page = Arc::new(Gate::closed());
    Site::scripted(move |asked| match asked.path.as_str() {
        "/" => home(&["/long-1", "/short"]),
        "/long-1" => article(1, &["/long-2"]),
        "/long-2" => article(2, &["/page"]),
        "/short" => {
            assert!(asked_for_page.pass());
            article(3, &["/page"])
        }
        "/page" => {
            asked_for_page.open();
            article(4, &["/moved", "/behind-1"])
        }
        "/moved" => Answer::redirect("/target"),
        "/target" => article(5, &["/behind-target"]),
        "/behind-1" => article(6, &["/behind-2"]),
        "/behind-2" => article(7, &["/behind-3"]),
        "/behind-3" => article(8, &["/behind-4"]),
        "/behind-target" => article(9, &["/"]),
        _ => Answer::status(404),
    })
}

fn asked(site: &Site) -> BTreeSet<String> {
    let times = site.times_asked();
    assert!(times.values().all(|times| *times == 1), "{times:?}");
    times.into_keys().filter(|path| path != "/robots.txt").collect()
}

fn paths<const N: usize>(paths: [&str; N]) -> BTreeSet<String> {
    paths.map(str::to_owned).into()
}

const WITHIN_THREE: [&str; 8] = [
    "/",
    "/long-1",
    "/long-2",
    "/short",
    "/page",
    "/moved",
    "/target",
    "/behind-1",
];

#[test]
fn a_shorter_path_that_is_found_late_brings_the_pages_behind_it() {
    let site = site();
    let crawl = Crawl::of(site.url("/")).set("scope.max_depth", 3);
    crawl.run();
    assert_eq!(asked(&site), paths(WITHIN_THREE));
    let depths = crawl.export().into_iter().map(|page| page["depth"].clone());
    assert_eq!(depths.max_by_key(|depth| depth.as_u64()), Some(3.into()));
    crawl.read("verify", &[]).succeeded();
}

#[test]
fn a_greater_depth_and_a_seed_that_is_known_continue_where_the_crawl_ended() {
    let site = site();
    let mut crawl = Crawl::of(site.url("/")).set("scope.max_depth", 3);
    crawl.run();
    crawl.change("scope.max_depth", 4);
    crawl.run();
    let further = union(paths(WITHIN_THREE), paths(["/behind-2", "/behind-target"]));
    assert_eq!(asked(&site), further);
    // The page is at depth 0 now, so what is at most four links behind it belongs to the crawl. A rebuild forgets none of that.
    crawl.read("rebuild", &["--config", "test.toml"]).succeeded();
    crawl.add_seed(&site.url("/page"));
    crawl.run();
    assert_eq!(asked(&site), union(further, paths(["/behind-3", "/behind-4"])));
    crawl.run();
    crawl.read("verify", &[]).succeeded();
}

fn union(some: BTreeSet<String>, others: BTreeSet<String>) -> BTreeSet<String> {
    some.into_iter().chain(others).collect()
}
