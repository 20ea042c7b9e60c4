//! `crawler explain`: why the crawl kept or dropped a page, and the state of every other URL.

use std::fs;

use serde_json::Value;
use unicode_width::UnicodeWidthStr;

use crate::support::archive::damage_text_of;
use crate::support::crawl::Crawl;
use crate::support::page::{NO_LINKS, article, home, html, page, replaced, words};
use crate::support::process::{Ended, crawler, run};
use crate::support::site::{Answer, Site};

const HOSTILE: &str = "&lt;b&gt; \u{1b}[31mred\u{1b}]0;owned\u{7} \u{202e}fdp.exe\u{202c} \u{200f}";

const CHINESE: &str = "大熊猫是生活在中国西部高山竹林里的一种熊，身上的毛只有黑白两色，眼睛周围各有一块黑斑。";

/// The crawl decides on `/a` before the pages that it links to, because only `/a` links to them.
fn site() -> Site {
    let text = words(1, 300);
    let chinese: String = (0..12).map(|n| format!("第{n}段{CHINESE}")).collect();
    Site::of([
        ("/", home(&["/a"])),
        (
            "/a",
            page(
                "The first",
                &text,
                &[
                    "/same",
                    "/near",
                    "/moved",
                    "/lost",
                    "/file.tar",
                    "/hostile",
                    "/memo",
                    "/zh/1",
                ],
            ),
        ),
        ("/same", page("The same", &text, NO_LINKS)),
        ("/near", page("Nearly", &replaced(&text, 100, 4, 2), NO_LINKS)),
        ("/moved", Answer::redirect("/near")),
        ("/file.tar", Answer::of_type("application/x-tar", "files")),
        ("/hostile", page(HOSTILE, &words(3, 120), NO_LINKS)),
        ("/memo", page("Memo", &words(4, 20), NO_LINKS)),
        ("/zh/1", page("大熊猫", &chinese, &["/zh/2"])),
        (
            "/zh/2",
            page("又一个大熊猫", &chinese.replacen("高山", "平原", 1), NO_LINKS),
        ),
    ])
}

fn crawled() -> (Site, Crawl) {
    let site = site();
    let crawl = Crawl::of(site.url("/"));
    crawl.run();
    (site, crawl)
}

#[track_caller]
fn explain(crawl: &Crawl, url: &str, arguments: &[&str]) -> Ended {
    crawl.read("explain", &[&[url], arguments].concat())
}

#[track_caller]
fn answer(crawl: &Crawl, url: &str) -> Value {
    let ended = explain(crawl, url, &["--format", "json"]);
    serde_json::from_str(&ended.stdout).unwrap()
}

#[track_caller]
fn fits(text: &str, width: usize) {
    for line in text.lines() {
        assert!(line.width() <= width, "{} columns: {line}", line.width());
        assert!(!line.contains(char::is_control), "{line:?}");
    }
}

#[test]
fn a_near_duplicate_is_explained_with_all_the_evidence() {
    let (site, crawl) = crawled();
    let answer = answer(&crawl, &site.url("/near"));
    assert_eq!((&answer["state"], &answer["verdict"]), (&"page".into(), &"near".into()));
    assert_eq!(
        (&answer["title"], &answer["is_kept"]),
        (&"Nearly".into(), &false.into())
    );
    let kept = &answer["compared_with"];
    assert_eq!(
        (&kept["url"], &kept["is_duplicate"]),
        (&site.url("/a").into(), &true.into())
    );
    assert_eq!(answer["kept_page"]["url"], site.url("/a"));
    assert_eq!(answer["nearest"][0]["url"], site.url("/a"));
    let report = crawl.report();
    let cluster = report["clusters"]
        .as_array()
        .unwrap()
        .iter()
        .find(|cluster| cluster["kept"] == site.url("/a"));
    let decided = cluster.unwrap()["duplicates"]
        .as_array()
        .unwrap()
        .iter()
        .find(|page| page["url"] == site.url("/near"));
    assert_eq!(kept["distance"], decided.unwrap()["distance"]);
    let names: Vec<_> = kept["checks"]
        .as_array()
        .unwrap()
        .iter()
        .map(|check| check["name"].as_str().unwrap())
        .collect();
    assert_eq!(names, ["distance", "similarity", "own_words"]);
    let blocks = answer["blocks"].as_array().unwrap();
    let differing: u64 = blocks.iter().map(|block| block["differing"].as_u64().unwrap()).sum();
    assert_eq!((blocks.len(), Some(differing)), (4, kept["distance"].as_u64()));
    assert!(blocks.iter().any(|block| block["finds"] == true), "{blocks:?}");
    assert_eq!(answer["features"].as_array().unwrap().len(), 8);
    let diff = &answer["diff"];
    assert_eq!(
        (&diff["from"], &diff["to"]),
        (&site.url("/a").into(), &site.url("/near").into())
    );
    assert_eq!((&diff["removed"], &diff["added"]), (&4.into(), &4.into()));

    let text = explain(&crawl, &site.url("/near"), &[]).succeeded();
    let text = text
        .says(&[
            "Dropped: it is a near-duplicate of",
            "finds ",
            "Difference in words",
            "[-",
            "{+",
        ])
        .stdout;
    fits(&text, 80);
    let without = explain(&crawl, &site.url("/near"), &["--no-diff"]).succeeded().stdout;
    assert!(!without.contains("Difference in words"), "{without}");
}

#[test]
fn every_kind_of_url_has_its_answer() {
    let (site, crawl) = crawled();
    for (path, code, state, summary) in [
        (
            "/a",
            0,
            "page",
            "Kept: it is not a duplicate of any page kept before it.",
        ),
        ("/same", 0, "page", "Dropped: it is an exact duplicate of"),
        ("/memo", 0, "page", "Kept:"),
        ("/moved", 0, "redirect", "the server redirects to"),
        ("/lost", 0, "failed", "HTTP status 404"),
        ("/file.tar", 0, "excluded", "content type application/x-tar"),
        ("/nowhere", 4, "unknown", "does not know this URL"),
    ] {
        let url = site.url(path);
        assert_eq!(answer(&crawl, &url)["state"], state, "{path}");
        let text = explain(&crawl, &url, &[]).with_code(code).stdout;
        let joined = text.split_whitespace().collect::<Vec<_>>().join(" ");
        assert!(joined.contains(summary), "{path}: {text}");
        fits(&text, 80);
    }
    assert_eq!(
        answer(&crawl, &site.url("/moved"))["target"]["compared_with"]["url"],
        site.url("/a")
    );
    let failed = answer(&crawl, &site.url("/lost"));
    assert_eq!(
        (&failed["kind"], &failed["via"]),
        (&"http_404".into(), &site.url("/a").into())
    );
    explain(&crawl, "mailto:someone@example.org", &[]).with_code(2);
    explain(&crawl, "ftp://example.org/", &[])
        .with_code(2)
        .complains_of(&["neither http nor https"]);
}

#[test]
fn a_url_is_known_in_any_spelling() {
    let (site, crawl) = crawled();
    let url = site.url("/a");
    for typed in [
        url.replace("http:", "HTTP:") + "#part",
        url.replace("http://", ""),
        url.replace("/a", "/x/../a?utm_source=mail"),
    ] {
        assert_eq!(answer(&crawl, &typed)["url"], url, "{typed}");
    }
    let unknown = answer(&crawl, &site.url("/A/?x=1"));
    assert_eq!(
        (&unknown["state"], &unknown["alike"][0]),
        (&"unknown".into(), &url.into())
    );
}

#[test]
fn a_waiting_url_has_its_place_and_the_rule_that_holds_it_back() {
    let links: Vec<String> = (0..20).map(|n| format!("/{n}")).collect();
    let site = Site::scripted(move |asked| match asked.path.as_str() {
        "/" => home(&links),
        path => article(path[1..].parse().unwrap_or(99), NO_LINKS),
    });
    let crawl = Crawl::of(site.url("/")).one_at_a_time();
    crawl.end(&["--max-pages", "2"]).with_code(6);
    let last = answer(&crawl, &site.url("/19"));
    assert_eq!(
        (&last["state"], &last["via"]),
        (&"queued".into(), &site.url("/").into())
    );
    assert!(last["place"].as_u64().is_some_and(|place| place > 10), "{last}");
    assert_eq!((&last["depth"], &last["steering"]), (&1.into(), &Value::Null));
    explain(&crawl, &site.url("/19"), &[])
        .succeeded()
        .says(&["Queued: it is number"]);

    let trap = Site::scripted(|asked| match asked.path.strip_prefix("/diary/2026/") {
        None => home(&["/diary/2026/1"]),
        Some(day) => page(
            "Diary",
            &words(7, 200),
            &[format!("/diary/2026/{}", day.parse().unwrap_or(0) + 1)],
        ),
    });
    let crawl = Crawl::of(trap.url("/")).set("scope.max_depth", 1_000);
    crawl.run();
    let visited = trap.paths().iter().filter(|path| path.starts_with("/diary/")).count();
    let left = answer(&crawl, &trap.url(&format!("/diary/2026/{}", visited + 1)));
    assert_eq!(left["state"], "queued");
    assert!(left["summary"].as_str().unwrap().starts_with("Held back:"), "{left}");
    assert!(
        left["steering"].as_str().unwrap().contains("numbers in /diary/#/#"),
        "{left}"
    );
}

#[test]
fn control_characters_of_a_page_do_not_reach_the_terminal() {
    let (site, crawl) = crawled();
    let text = explain(&crawl, &site.url("/hostile"), &[]).succeeded().stdout;
    fits(&text, 80);
    assert!(
        !text.contains(['\u{202e}', '\u{202c}', '\u{200f}', '\u{1b}']),
        "{text:?}"
    );
    assert!(text.contains("<b> \u{fffd}[31mred"), "{text}");
    let title = answer(&crawl, &site.url("/hostile"))["title"]
        .as_str()
        .unwrap()
        .to_owned();
    assert!(title.contains("fdp.exe"), "{title}");
}

#[test]
fn chinese_is_compared_by_character_and_fits_the_terminal() {
    let (site, crawl) = crawled();
    let diff = &answer(&crawl, &site.url("/zh/2"))["diff"];
    assert_eq!((&diff["removed"], &diff["added"]), (&2.into(), &2.into()));
    let text = explain(&crawl, &site.url("/zh/2"), &[])
        .succeeded()
        .says(&["[-高山-]", "{+平原+}"])
        .stdout;
    fits(&text, 80);
    let mut wide = crawler(["explain", &site.url("/zh/2"), "--data"]);
    let wide = run(wide.arg(crawl.data()).env("COLUMNS", "130")).succeeded().stdout;
    fits(&wide, 130);
    let both = wide.lines().find(|line| line.contains("[-高山-]"));
    assert!(wide.contains('|') && both.is_some(), "{wide}");
}

#[test]
fn versions_of_a_page_are_its_history() {
    let site = Site::scripted(|asked| match asked.path.as_str() {
        "/" => home(&["/news"]),
        "/news" => page(
            &format!("News {}", asked.times),
            &words(10 + asked.times as u64, 150),
            NO_LINKS,
        ),
        _ => Answer::status(404),
    });
    let crawl = Crawl::of(site.url("/"));
    crawl.run();
    crawl
        .end(&["--refresh", "--refresh-as-of", "2100-01-01T00:00:00Z"])
        .succeeded();
    let page = answer(&crawl, &site.url("/news"));
    assert_eq!((&page["title"], &page["is_kept"]), (&"News 2".into(), &true.into()));
    let first = page["history"][0]["what"].as_str().unwrap();
    assert!(
        first.contains("an earlier version was kept") && first.contains("News 1"),
        "{first}"
    );
    explain(&crawl, &site.url("/news"), &[])
        .succeeded()
        .says(&["History", "“News 1”"]);
}

#[test]
fn under_another_scheme_the_verdict_stays_and_the_evidence_is_left_out() {
    let (site, crawl) = crawled();
    fs::write(crawl.path("other.toml"), "dedup.bits = 128").unwrap();
    let config = crawl.path("other.toml");
    let arguments = ["--config", config.to_str().unwrap(), "--format", "json"];
    let ended = explain(&crawl, &site.url("/near"), &arguments).succeeded();
    let answer: Value = serde_json::from_str(&ended.stdout).unwrap();
    assert_eq!(
        (&answer["verdict"], &answer["diff"]["added"]),
        (&"near".into(), &4.into())
    );
    assert_eq!(answer["nearest"].as_array().unwrap().len(), 0);
    assert!(
        answer["notes"][0].as_str().unwrap().contains("crawler rebuild"),
        "{answer}"
    );
}

#[test]
fn a_damaged_text_is_a_note_and_the_verdict_stays() {
    // The text of a duplicate is stored as a difference from the text of its kept page, so damage to either text prevents the
    // comparison.
    for (damaged, asked, verdict) in [
        ("/near", "/near", "near"),
        ("/a", "/near", "near"),
        ("/a", "/a", "kept"),
    ] {
        let (site, crawl) = crawled();
        damage_text_of(&crawl.data(), &site.url(damaged));
        let answer = answer(&crawl, &site.url(asked));
        assert_eq!((&answer["verdict"], &answer["diff"]), (&verdict.into(), &Value::Null));
        if verdict == "near" {
            assert_eq!(answer["compared_with"]["is_duplicate"], true);
        }
        let notes = answer["notes"].as_array().unwrap();
        let is_told = |note: &Value| note.as_str().unwrap().contains("cannot be read");
        assert!(notes.iter().any(is_told), "{damaged}, {asked}: {notes:?}");
        let text = explain(&crawl, &site.url(asked), &[]).succeeded().stdout;
        fits(&text, 80);
        let joined = text.split_whitespace().collect::<Vec<_>>().join(" ");
        assert!(
            joined.contains("cannot be read") && joined.contains(".warc.gz"),
            "{text}"
        );
    }
}

#[test]
fn a_note_names_the_damaged_one_of_two_texts() {
    // Both are kept, as the rule asks for more than they have in common.
    let site = Site::of([
        ("/", home(&["/one"])),
        ("/one", page("One", &words(1, 300), &["/two"])),
        ("/two", page("Two", &replaced(&words(1, 300), 150, 3, 2), NO_LINKS)),
    ]);
    let crawl = Crawl::of(site.url("/"))
        .set("dedup.min_similarity", 0.99)
        .one_at_a_time();
    crawl.run();
    damage_text_of(&crawl.data(), &site.url("/one"));
    let arguments = ["--config", "test.toml", "--format", "json"];
    let ended = explain(&crawl, &site.url("/two"), &arguments).succeeded();
    let answer: Value = serde_json::from_str(&ended.stdout).unwrap();
    assert_eq!(
        (&answer["verdict"], &answer["nearest"][0]["url"]),
        (&"kept".into(), &site.url("/one").into())
    );
    assert!(!answer["features"].as_array().unwrap().is_empty());
    let note = answer["notes"][0].as_str().unwrap();
    assert!(
        note.starts_with("The difference cannot be shown") && note.contains(&site.url("/one")),
        "{note}"
    );
}

#[test]
fn a_missing_store_is_an_error() {
    let (site, crawl) = crawled();
    let ended = run(crawler(["explain", &site.url("/"), "--data"]).arg(crawl.path("nothing")));
    ended.with_code(1).complains_of(&["nothing"]);
}

#[test]
fn a_kept_page_that_the_configured_rule_would_drop_says_so() {
    let site = site();
    let mut crawl = Crawl::of(site.url("/")).set("dedup.min_similarity", 0.999);
    crawl.run();
    fs::copy(crawl.path("test.toml"), crawl.path("before.toml")).unwrap();
    crawl.change("dedup.min_similarity", 0.76);
    crawl.command(&[]);
    let near = answer(&crawl, &site.url("/near"));
    let summary = near["summary"].as_str().unwrap();
    assert!(
        summary.starts_with(
            "Kept under the rule that was in force at the time. Under the configured rule it would be a duplicate"
        ) && summary.contains("crawler rebuild --redecide"),
        "{summary}"
    );
    assert_eq!(
        (&near["verdict"], &near["duplicate_by_rule"]["url"]),
        (&"kept".into(), &site.url("/a").into())
    );
    // It does not depend on the number of listed pages, and the first page is a duplicate of none.
    let few = explain(&crawl, &site.url("/near"), &["--top", "0"]).succeeded();
    few.says(&["Kept under the rule that was in force at the time."]);
    assert_eq!(answer(&crawl, &site.url("/a"))["duplicate_by_rule"], Value::Null);
    let config = crawl.path("before.toml");
    let same_rule = explain(&crawl, &site.url("/near"), &["--config", config.to_str().unwrap()]);
    same_rule.succeeded().says(&["Kept: it is not a duplicate of any page"]);
}

#[test]
fn a_page_that_is_kept_without_its_body_says_so() {
    let (site, mut crawl) = crawled();
    crawl.change("dedup.min_similarity", 0.999);
    crawl.command(&[]);
    crawl
        .read("rebuild", &["--config", "test.toml", "--redecide"])
        .succeeded();
    let arguments = ["--config", "test.toml", "--format", "json"];
    let ended = explain(&crawl, &site.url("/near"), &arguments).succeeded();
    let near: Value = serde_json::from_str(&ended.stdout).unwrap();
    assert_eq!(
        (&near["verdict"], &near["crawled_as"], &near["is_without_body"]),
        (&"kept".into(), &"near".into(), &true.into())
    );
    let summary = near["summary"].as_str().unwrap();
    for said in [
        "the crawl dropped it as a near-duplicate of",
        "a rebuild decided all pages again",
        "the next run fetches its body",
    ] {
        assert!(summary.contains(said), "{said}: {summary}");
    }
    let history: Vec<_> = near["history"]
        .as_array()
        .unwrap()
        .iter()
        .map(|event| event["what"].as_str().unwrap())
        .collect();
    assert_eq!(
        history[..2],
        [
            "fetched and dropped as a near-duplicate",
            "kept when a rebuild decided all pages again"
        ]
    );
    let other = answer(&crawl, &site.url("/a"));
    assert_eq!(
        (&other["crawled_as"], &other["is_without_body"]),
        (&Value::Null, &false.into())
    );
    fits(&explain(&crawl, &site.url("/near"), &[]).succeeded().stdout, 80);
    // Once it is fetched there is a version with a body.
    crawl.run();
    let fetched = explain(&crawl, &site.url("/near"), &arguments).succeeded();
    let fetched: Value = serde_json::from_str(&fetched.stdout).unwrap();
    assert_eq!(
        (&fetched["verdict"], &fetched["is_without_body"]),
        (&"kept".into(), &false.into())
    );
}

#[test]
fn an_exact_duplicate_too_short_for_a_fingerprint_is_no_bit_apart() {
    let site = Site::of([
        ("/", home(&["/one", "/two"])),
        ("/one", page("Word", "harbour", NO_LINKS)),
        ("/two", page("Word", "harbour", NO_LINKS)),
    ]);
    let crawl = Crawl::of(site.url("/"));
    crawl.run();
    let both = ["/one", "/two"].map(|path| answer(&crawl, &site.url(path)));
    let duplicates: Vec<_> = both.iter().filter(|page| page["verdict"] == "exact").collect();
    assert_eq!(duplicates.len(), 1, "{both:?}");
    assert_eq!(duplicates[0]["compared_with"]["distance"], 0);
}

#[test]
fn suggested_urls_differ_in_few_characters() {
    let site = Site::of([
        ("/", home(&["/search?q=%3Ealert%289%29", "/contact-us"])),
        ("/search?q=%3Ealert%289%29", page("Search", &words(8, 100), NO_LINKS)),
        ("/contact-us", page("Contact", &words(9, 100), NO_LINKS)),
    ]);
    let crawl = Crawl::of(site.url("/"));
    crawl.run();
    let alike = |path: &str| {
        let answer = answer(&crawl, &site.url(path));
        assert_eq!(answer["state"], "unknown", "{path}");
        answer["alike"].clone()
    };
    assert_eq!(alike("/nothing"), Value::Array(Vec::new()));
    assert_eq!(
        alike("/search?q=%3Ealert(9)"),
        Value::Array(vec![site.url("/search?q=%3Ealert%289%29").into()])
    );
    assert_eq!(alike("/contcat-us"), Value::Array(vec![site.url("/contact-us").into()]));
    let text = explain(&crawl, &site.url("/nothing"), &[]).with_code(4).stdout;
    assert!(!text.contains("similar spelling"), "{text}");
}

#[test]
fn long_urls_are_cut_and_a_missing_content_type_is_named() {
    let site = Site::of([
        ("/", home(&["/plain"])),
        ("/plain", Answer::of_type("", html("Plain", &words(5, 100), NO_LINKS))),
    ]);
    let crawl = Crawl::of(site.url("/"));
    crawl.run();
    let ended = explain(&crawl, &site.url(&"/x".repeat(50_000)), &[]).with_code(2);
    assert!(ended.stderr.len() < 1_000, "{} bytes", ended.stderr.len());
    ended.complains_of(&["canonicalize.max_url_bytes"]);
    explain(&crawl, &site.url("/plain"), &[])
        .succeeded()
        .says(&["status 200, no content type"]);
}
