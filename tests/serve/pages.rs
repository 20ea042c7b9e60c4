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
    for part in [
        "near-duplicate",
        "Versions and visits",
        "<ins>",
        "Text",
        &words(1, 5),
        "Dropped: it is a near-duplicate of <a href=\"/page?url=",
        "If it should have been kept",
        "/duplicates/pair?kept=",
        "Tune shows what else that changes",
    ] {
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
fn every_url_is_found_by_its_outcome() {
    let site = site();
    let crawl = crawled(&site);
    let served = Served::start(&crawl);
    let report = crawl.report();
    for outcome in ["kept", "exact", "near", "redirected", "failed", "excluded"] {
        let answer = served.json(&format!("/api/pages?outcome={outcome}"));
        assert_eq!(answer["total"], count(&report, outcome), "{outcome}");
        let rows = answer["rows"].as_array().unwrap();
        assert!(rows.iter().all(|row| row["outcome"] == outcome), "{answer:#}");
    }
    let all = served.json("/api/pages?outcome=any");
    assert_eq!(all["total"], count(&report, "discovered"));
    let failed = &served.json("/api/pages?outcome=failed")["rows"][0];
    assert_eq!(failed["url"], site.url("/missing?%3Cscript%3Ealert(3)%3C/script%3E"));
    assert!(failed["note"].as_str().unwrap().contains("404"), "{failed}");
    let page = served.get("/pages?outcome=failed").with(200).body;
    assert!(
        page.contains("class=\"badge failed\"") && page.contains("404"),
        "{page}"
    );
    let dropped = served.get("/pages?outcome=dropped").with(200).body;
    let url = site.url("/a").replace(':', "%3A").replace('/', "%2F");
    let kept = format!("repeats <a href=\"/page?url={url}\">");
    assert!(dropped.contains(&kept), "{kept} is not in {dropped}");
    let missing = format!("/page?url={}", encoded(&site.url("/")));
    let first = served.get(&missing).with(200).body;
    assert!(
        first.contains("First found on this page") && first.contains("badge failed"),
        "{first}"
    );
}

#[test]
fn a_list_is_sorted_and_saved_as_a_file() {
    let site = site();
    let crawl = crawled(&site);
    let served = Served::start(&crawl);
    let urls = |query: &str| -> Vec<String> {
        let answer = served.json(&format!("/api/pages?outcome=any&{query}"));
        let rows = answer["rows"].as_array().unwrap();
        rows.iter().map(|row| row["url"].as_str().unwrap().to_owned()).collect()
    };
    let mut sorted = urls("sort=url");
    assert!(sorted.is_sorted() && sorted.len() > 3, "{sorted:?}");
    sorted.reverse();
    assert_eq!(urls("sort=-url"), sorted);
    served.get("/api/pages?sort=colour").with(400);
    let page = served.get("/pages?sort=-url").with(200).body;
    assert!(
        page.contains("aria-sort=\"descending\"") && page.contains("href=\"/pages?sort=url\""),
        "{page}"
    );
    for (path, first) in [
        ("/pages.csv?outcome=near", "url,title,outcome,why,language,fetched"),
        ("/duplicates.csv", "kept,other,verdict,similarity,bits,label"),
        ("/duplicates/clusters.csv", "kept,dropped,verdict"),
    ] {
        let file = served.get(path).with(200);
        assert!(
            file.head.contains("content-disposition: attachment; filename="),
            "{file:?}"
        );
        assert_eq!(file.body.lines().next(), Some(first), "{path}");
        assert!(file.body.contains(&site.url("/near")), "{path}: {}", file.body);
    }
}

#[test]
fn the_views_say_which_crawl_they_show_and_as_of_when() {
    let site = site();
    let crawl = crawled(&site);
    let served = Served::start(&crawl);
    let host = site
        .url("/")
        .trim_start_matches("http://")
        .trim_end_matches('/')
        .to_owned();
    for path in ["/", "/pages", "/hosts", "/duplicates", "/tune", "/check"] {
        let page = served.get(path).with(200).body;
        let (header, _) = page.split_once("</header>").unwrap();
        for part in [&*host, "class=\"badge", "<time datetime=\"20", " UTC\""] {
            assert!(header.contains(part), "{path}: {part} is not in {header}");
        }
        assert_eq!(
            page.matches("aria-current=\"page\"").count(),
            if path == "/duplicates" { 2 } else { 1 },
            "{path}"
        );
    }
    let overview = served.get("/").with(200).body;
    for part in [
        "Is it well?",
        "1 URL failed",
        "/pages?outcome=failed",
        "The most doubtful pairs",
    ] {
        assert!(overview.contains(part), "{part} is not in {overview}");
    }
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
        "/hosts",
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
