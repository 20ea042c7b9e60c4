//! Tune: sliders, the configuration, and deciding again.

use serde_json::Value;

use super::command;
use super::served::Served;
use crate::support::crawl::Crawl;
use crate::support::page::{home, page, replaced, words};
use crate::support::site::Site;

/// Texts with less and less similar variants, so that every threshold decides about some.
fn variants() -> Site {
    let mut pages = vec![("/".to_owned(), home(&["/0"]))];
    let texts: Vec<String> = (0..4)
        .flat_map(|seed| {
            let text = words(seed, 300);
            let edited = [4, 10, 25, 45, 80].map(|edits| replaced(&text, 30, edits, 100 + seed));
            std::iter::once(text).chain(edited)
        })
        .collect();
    for (number, text) in texts.iter().enumerate() {
        let next = [format!("/{}", number + 1)];
        let links = if number + 1 < texts.len() { &next[..] } else { &[] };
        pages.push((format!("/{number}"), page(&format!("Page {number}"), text, links)));
    }
    Site::of(pages)
}

/// A crawl of the variants, in which every page has a verdict.
fn crawled_variants(site: &Site) -> Crawl {
    let crawl = Crawl::of(site.url("/")).one_at_a_time().set("scope.max_depth", 100);
    let crawl = crawl.set("steering.enabled", false);
    crawl.run();
    crawl
}

#[test]
fn the_sliders_count_as_tune_does() {
    let site = variants();
    let crawl = crawled_variants(&site);
    let served = Served::start(&crawl);
    let shown = served.json("/api/tune");
    let tuned = command(&crawl, "tune", &[]);
    for key in [
        "pages",
        "stored",
        "in_force",
        "sample",
        "settings",
        "labels",
        "recommendation",
    ] {
        assert_eq!(shown[key], tuned[key], "{key}");
    }
    assert!(shown["settings"].as_array().unwrap().len() > 100);
    for (distance, similarity) in [
        ("10", "0.9"),
        ("10", "0.6"),
        ("3", "0.76"),
        ("0", "0.85"),
        ("10", "0.76"),
    ] {
        let query = format!("max_distance={distance}&min_similarity={similarity}");
        let shown = served.json(&format!("/api/tune/changes?{query}"));
        let at = format!("{distance},{similarity}");
        let mut changes = command(&crawl, "tune", &["--at", &at, "--show", "100"])["changes"].take();
        for pair in changes["pairs"].as_array_mut().unwrap() {
            // The sliders read no texts.
            pair["jaccard"] = Value::Null;
        }
        assert_eq!(shown, changes, "{at}");
        assert_eq!(shown["pairs"].as_array().unwrap().is_empty(), at == "10,0.76", "{at}");
    }
    served
        .get("/api/tune/changes?max_distance=10&min_similarity=0.61")
        .with(404);
    served.get("/api/tune/changes?min_similarity=0.6").with(400);
    served.get("/tune").with(200);
}

#[test]
fn a_setting_is_shown_before_it_is_written_and_then_decides() {
    let site = variants();
    let crawl = crawled_variants(&site).set("dedup.min_similarity", "0.76 # mine");
    crawl.command(&[]);
    let served = Served::start(&crawl);
    served.json("/api/tune");
    let file = crawl.path("test.toml");
    let before = std::fs::read_to_string(&file).unwrap();
    let setting = "{\"max_distance\": 10, \"min_similarity\": 0.9}";
    let plan = served.post("/api/config/plan", setting).with(200).json();
    assert_eq!(
        plan["removed"],
        serde_json::json!(["dedup.min_similarity = 0.76 # mine"])
    );
    assert_eq!(plan["added"], serde_json::json!(["dedup.min_similarity = 0.9 # mine"]));
    assert_eq!(
        (&plan["is_written"], &plan["overridden_by"]),
        (&false.into(), &serde_json::json!([]))
    );
    assert_eq!(std::fs::read_to_string(&file).unwrap(), before);
    for setting in [
        "{\"max_distance\": 10, \"min_similarity\": 0.123}",
        "{\"max_distance\": 99}",
        "{}",
        "[]",
    ] {
        served.post("/api/config", setting).with(400);
    }
    let refused = served.post("/api/config", "{\"max_distance\": 14, \"min_similarity\": 0.9}");
    let refused = refused.with(400).body;
    assert!(refused.contains("--distances 14"), "{refused}");
    let view = served.get("/tune").with(200).body;
    assert!(view.contains("--distances ") && view.contains("12,14"), "{view}");
    assert_eq!(std::fs::read_to_string(&file).unwrap(), before);

    served.post("/api/config", setting).with(200);
    assert_eq!(
        std::fs::read_to_string(&file).unwrap(),
        before.replace("0.76 #", "0.9 #")
    );
    let kept = served.json("/api/overview")["counts"]["kept"].as_u64().unwrap();
    served.post("/api/redecide", "{}").with(200);
    let ended = served.wait_until("/api/redecide", |standing| standing["state"] != "running");
    assert_eq!(ended["state"], "done", "{ended}");
    assert!(
        ended["text"].as_str().unwrap().contains("all pages have a new verdict"),
        "{ended}"
    );
    let after = served.wait_until("/api/overview", |answer| {
        answer["counts"]["kept"].as_u64().unwrap() > kept
    });
    let report = crawl.report();
    assert_eq!(after["counts"], report["counts"]);
    assert_eq!(served.json("/api/tune")["in_force"]["min_similarity"], 0.9);
    served.get("/").with(200);
}
