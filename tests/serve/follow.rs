//! Pages that stay open while a crawl goes on, and what the run does now.

use std::sync::Arc;

use serde_json::Value;

use super::served::{Served, encoded};
use super::{crawled, site};
use crate::support::crawl::Crawl;
use crate::support::gate::Gate;
use crate::support::page::{NO_LINKS, article, home};
use crate::support::site::{Answer, Site};

/// A home page with links to two pages; the last of them waits for the gate.
fn held_site() -> (Site, Arc<Gate>) {
    let gate = Arc::new(Gate::closed());
    let held = gate.clone();
    let site = Site::scripted(move |asked| match asked.path.as_str() {
        "/" => home(&["/a", "/last"]),
        "/a" => article(1, NO_LINKS),
        "/last" if held.pass() => article(2, NO_LINKS),
        _ => Answer::status(404),
    });
    (site, gate)
}

#[test]
fn a_page_that_stays_open_learns_what_is_new() {
    let (site, gate) = held_site();
    let crawl = Crawl::of(site.url("/")).one_at_a_time();
    let running = crawl.start();
    gate.wait_for_arrival();
    let served = Served::start(&crawl);
    let before = served.wait_until("/api/state", |state| state["pages"] == 2);
    assert_eq!(before["running"], true, "{before}");
    let marks = format!("data-number=\"{}\" data-pages=\"2\"", before["number"]);
    for (path, held) in [
        ("/", false),
        ("/control", false),
        ("/pages", true),
        ("/hosts", true),
        ("/duplicates", true),
        ("/duplicates/clusters", true),
        ("/tune", true),
        (&format!("/page?url={}", encoded(&site.url("/a"))), true),
    ] {
        let page = served.get(path).with(200).body;
        assert!(page.contains(&marks) && page.contains("id=\"news\""), "{path}: {page}");
        assert_eq!(page.contains("data-held"), held, "{path}: a list waits for its reader");
    }
    gate.open();
    running.wait().succeeded();
    let after = served.wait_until("/api/state", |state| state["pages"] == 3);
    assert!(after["number"].as_u64() > before["number"].as_u64(), "{after}");
    assert_eq!(after["running"], false, "{after}");
}

#[test]
fn a_running_crawl_says_what_its_hosts_wait_for_and_what_is_under_way() {
    let (site, gate) = held_site();
    let crawl = Crawl::of(site.url("/")).one_at_a_time();
    let running = crawl.start();
    gate.wait_for_arrival();
    let served = Served::start(&crawl);
    let is_last = |now: &Value| now["oldest_requests"][0]["url"] == site.url("/last").as_str();
    let is_fetching = |now: &Value| now["largest_hosts"][0]["state"] == "fetching";
    let now = served.wait_until("/api/hosts/now", |now| is_last(now) && is_fetching(now));
    assert_eq!(
        (&now["open_requests"], &now["parallel"]),
        (&1.into(), &1.into()),
        "{now}"
    );
    assert_eq!(now["largest_hosts"][0]["open_requests"], 1, "{now}");
    assert!(now["bound"].as_str().unwrap().contains("fetch.parallel"), "{now}");
    for path in ["/hosts", "/hosts/now"] {
        let page = served.get(path).with(200).body;
        for part in [
            "What each host waits for",
            "Requests under way",
            "/last",
            "fetch.parallel",
            "fetching",
            "set by",
            "0 s by delay_ms of the configuration",
        ] {
            assert!(page.contains(part), "{path}: {part} is not in {page}");
        }
    }
    assert!(served.get("/").with(200).body.contains("href=\"/hosts#now\""));
    gate.open();
    running.wait().succeeded();
    assert_eq!(served.json("/api/hosts/now"), Value::Null);
    let page = served.get("/hosts/now").with(200).body;
    assert!(page.contains("No crawl is running"), "{page}");
    assert!(!served.get("/hosts").with(200).body.contains("What each host waits for"));
}

#[test]
fn the_links_to_a_page_and_on_it_are_read_when_asked_for() {
    let site = Site::of([
        ("/", home(&["/a", "/b"])),
        ("/a", article(1, &["/c", "/missing"])),
        ("/b", article(2, &["/c"])),
        ("/c", article(3, &["/d"])),
        ("/d", article(4, &["/c", "/copy"])),
        ("/copy", article(3, NO_LINKS)),
    ]);
    let crawl = crawled(&site);
    let served = Served::start(&crawl);
    let links = |path: &str| served.json(&format!("/api/links?url={}", encoded(&site.url(path))));
    let urls = |paths: &[&str]| Value::from(paths.iter().map(|path| site.url(path)).collect::<Vec<_>>());
    let found = links("/c");
    let mut from: Vec<&str> = found["from"]
        .as_array()
        .unwrap()
        .iter()
        .filter_map(Value::as_str)
        .collect();
    from.sort_unstable();
    assert_eq!(Value::from(from), urls(&["/a", "/b", "/d"]), "{found:#}");
    assert_eq!(found["from_count"], 3);
    assert_eq!(found["to"][0]["url"], site.url("/d"), "{found:#}");
    assert_eq!((&found["to_count"], &found["unread"]), (&1.into(), &Value::Null));
    // What the seed links to is named by what led to it first.
    assert_eq!(links("/a")["from"], urls(&["/"]));
    assert_eq!(links("/missing")["from"], urls(&["/a"]));
    assert_eq!(links("/nowhere")["from_count"], 0);
    let copy = links("/copy");
    assert_eq!(copy["from"], urls(&["/d"]));
    assert!(copy["unread"].as_str().unwrap().contains("no body"), "{copy}");
    let page = format!("/page?url={}", encoded(&site.url("/a")));
    let short = served.get(&page).with(200).body;
    assert!(
        short.contains("&#38;links=all#links-h") && !short.contains("On this page"),
        "{short}"
    );
    let long = served.get(&format!("{page}&links=all")).with(200).body;
    let (_, on_it) = long.split_once("On this page").unwrap();
    assert!(on_it.contains("badge failed") && on_it.contains("/missing"), "{on_it}");
    assert!(on_it.contains("badge kept"), "{on_it}");
    let missing = served
        .get(&format!("/page?url={}", encoded(&site.url("/missing"))))
        .with(200)
        .body;
    for part in [
        "The server answered 404.",
        "mend the link on the page",
        "/pages?outcome=failed&#38;host=",
    ] {
        assert!(missing.contains(part), "{part} is not in {missing}");
    }
    let dropped = served
        .get(&format!("/page?url={}", encoded(&site.url("/copy"))))
        .with(200)
        .body;
    assert!(dropped.contains("every setting drops it"), "{dropped}");
    served.get("/api/links").with(400);
}

#[test]
fn a_long_list_is_a_whole_file() {
    let crawl = crawled(&site());
    let served = Served::start(&crawl);
    let all = served.json("/api/pages?outcome=any")["total"].as_u64().unwrap();
    let file = served.get("/pages.csv").with(200);
    assert!(
        !file.head.contains("content-length"),
        "it is sent as it is written: {}",
        file.head
    );
    assert_eq!(file.body.lines().count() as u64, all + 1);
    served.get("/duplicates/clusters.csv?sort=colour").with(400);
    served.get("/duplicates/cluster.csv?id=9999").with(404);
}
