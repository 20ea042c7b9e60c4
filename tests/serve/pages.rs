//! Overview, Pages, and the description for programs.

use super::served::{Served, encoded};
use super::{command, crawled, site};
use crate::support::outcomes::count;
use crate::support::page::words;

#[test]
fn the_views_answer_as_the_commands_do() {
    let site = site();
    let crawl = crawled(&site);
    let served = Served::start(&crawl);
    let report = command(&crawl, "report", &[]);
    assert_eq!(served.json("/api/report"), report);
    assert_eq!(served.json("/api/overview")["counts"], report["counts"]);
    for path in ["/a", "/copy", "/near", "/missing?%3Cscript%3Ealert(3)%3C/script%3E"] {
        let url = site.url(path);
        let shown = served.json(&format!("/api/explain?url={}", encoded(&url)));
        assert_eq!(shown, command(&crawl, "explain", &[&url]), "{path}");
    }
    let unknown = served
        .get(&format!("/api/explain?url={}", encoded(&site.url("/nowhere"))))
        .with(404);
    assert_eq!(unknown.json()["state"], "unknown");
    let page = served
        .get(&format!("/page?url={}", encoded(&site.url("/near"))))
        .with(200)
        .body;
    for part in ["near-duplicate", "Versions and visits", "<ins>", "Text", &words(1, 5)] {
        assert!(page.contains(part), "{part} is not in {page}");
    }
}

#[test]
fn pages_are_found_by_words_host_verdict_and_language() {
    let site = site();
    let crawl = crawled(&site);
    let served = Served::start(&crawl);
    let titles = |query: &str| -> Vec<String> {
        let answer = served.json(&format!("/api/pages?{query}"));
        let rows = answer["rows"].as_array().unwrap();
        assert_eq!(answer["total"], rows.len());
        rows.iter()
            .map(|row| row["title"].as_str().unwrap().to_owned())
            .collect()
    };
    let report = crawl.report();
    assert_eq!(titles("").len() as u64, count(&report, "fetched"));
    assert_eq!(titles("verdict=kept").len() as u64, count(&report, "kept"));
    assert_eq!(titles("verdict=exact"), ["Copy"]);
    assert_eq!(titles("verdict=near"), ["Nearly"]);
    assert_eq!(titles("verdict=dropped"), ["Copy", "Nearly"]);
    assert_eq!(titles("q=ARTICLE+first"), ["First article"]);
    assert_eq!(titles(&format!("q={}", encoded(&site.url("/near")))), ["Nearly"]);
    assert!(titles("host=elsewhere.example").is_empty() && titles("language=de").is_empty());
    served.get("/api/pages?verdict=unsure").with(400);
    served.get("/api/pages?page=0").with(400);
    served.get("/api/pages?page=2").with(404);
    let cluster = &served.json("/api/pages?verdict=near")["rows"][0]["cluster"];
    let kept = &served.json("/api/pages?q=first")["rows"][0];
    assert_eq!((cluster, &kept["cluster"]), (&kept["id"], &kept["id"]));
}

#[test]
fn what_comes_from_the_web_is_text_in_every_view() {
    let site = site();
    let crawl = crawled(&site);
    let served = Served::start(&crawl);
    let harm = format!("/page?url={}", encoded(&site.url("/harm")));
    let missing = format!("/page?url={}", encoded(&site.url("/missing?<script>alert(3)</script>")));
    let searched = format!("/pages?q={}", encoded("\"><script>alert(4)</script>"));
    for path in [
        "/",
        "/pages",
        &harm,
        &missing,
        &searched,
        "/duplicates",
        "/duplicates/clusters",
    ] {
        let body = served.get(path).with(200).body;
        assert!(
            !body.contains("<script>") && !body.contains("<img") && !body.contains('\u{202e}'),
            "{path}: {body}"
        );
    }
    let body = served.get(&harm).body;
    assert!(body.contains("alert(1)") && body.contains("[U+202E]"), "{body}");
    assert!(body.contains("rel=\"noopener noreferrer\""), "{body}");
}

#[test]
fn the_description_for_programs_lists_every_path_that_answers() {
    let crawl = crawled(&site());
    let served = Served::start(&crawl);
    let described = served.json("/api/openapi.json");
    assert_eq!(described["openapi"], "3.1.0");
    let source = include_str!("../../crawler/views/src/serve/views.rs");
    let routes: Vec<&str> = source
        .split('"')
        .filter(|text| text.starts_with("/api/") && !text.contains(' '))
        .filter(|path| *path != "/api/openapi.json")
        .collect();
    let paths = described["paths"].as_object().unwrap();
    assert!(routes.len() >= 4, "{routes:?}");
    for route in &routes {
        assert!(paths.contains_key(*route), "{route} is not described");
    }
    for path in paths.keys() {
        assert!(routes.contains(&path.as_str()), "{path} has no answer");
    }
    let text = described.to_string();
    for (reference, _) in text
        .split("\"$ref\":\"#")
        .skip(1)
        .filter_map(|rest| rest.split_once('"'))
    {
        assert!(described.pointer(reference).is_some(), "{reference} leads nowhere");
    }
}
