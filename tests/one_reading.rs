//! The same bytes are the same page for a crawl, for `inspect`, for `check` and for `dedup`.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;

use encoding_rs::GBK;
use serde_json::Value;

use crate::support::crawl::Crawl;
use crate::support::page::words;
use crate::support::process::{crawler, run};
use crate::support::site::{Answer, Site};

const CHINESE: &str = "大熊猫是生活在中国西部高山竹林里的一种熊，身上的毛只有黑白两色，眼睛周围各有一块黑斑。";

/// The bytes of a page and how a server declares them. A file has the name of the case, whose ending stands for the type.
struct Case {
    name: &'static str,
    content_type: Option<&'static str>,
    bytes: Vec<u8>,
}

/// What a way of reading says about a page, as far as it says it.
#[derive(Debug, Default, PartialEq, Clone)]
struct Reading {
    title: Value,
    text: Value,
    language: Value,
    page_type: Value,
    canonical: Value,
    fingerprint: Value,
    /// The paths of its links.
    links: BTreeSet<String>,
}

fn html(name: &str, head: &str, text: &str) -> String {
    format!(
        "<!doctype html><html lang=\"en\"><head><title>Title of {name}</title>{head}</head><body><main><p>{text}.</p>\
         <a href=\"to-{name}\">more of it</a></main></body></html>"
    )
}

fn utf_16le(text: &str) -> Vec<u8> {
    text.encode_utf16().flat_map(u16::to_le_bytes).collect()
}

/// Pages that every way reads.
fn pages() -> Vec<Case> {
    const HTML: Option<&str> = Some("text/html");
    let case = |name, content_type, bytes| Case {
        name,
        content_type,
        bytes,
    };
    let chinese = |n: u32| (0..12).map(|m| format!("第{n}第{m}段{CHINESE}")).collect::<String>();
    let page = |name, head, seed| html(name, head, &words(seed, 150));
    let gbk = |text: &str| GBK.encode(text).0.into_owned();
    let marked = [b"\xff\xfe".to_vec(), utf_16le(&page("utf16.html", "", 3))].concat();
    let nested = format!(
        "{}{}",
        page("nested.html", "", 4),
        "<ul><li>".repeat(600) + &words(5, 40)
    );
    vec![
        case("utf8.html", HTML, page("utf8.html", "", 1).into()),
        case(
            "gbk.html",
            HTML,
            gbk(&html("gbk.html", "<meta charset=gbk>", &chinese(1))),
        ),
        case("detected.html", HTML, gbk(&html("detected.html", "", &chinese(2)))),
        case("utf16.html", HTML, marked),
        case("untyped.html", None, page("untyped.html", "", 2).into()),
        case(
            "plain.txt",
            Some("text/plain"),
            format!("<p>\n  {}\n", words(6, 150)).into(),
        ),
        case("nested.html", HTML, nested.into()),
        case(
            "canonical.html",
            HTML,
            page("canonical.html", "<link rel=canonical href=/the-canonical>", 7).into(),
        ),
        case(
            "elsewhere.html",
            HTML,
            page("elsewhere.html", "<link rel=canonical href=https://example.net/a>", 8).into(),
        ),
        case("empty.html", HTML, Vec::new()),
        case(
            "noindex.html",
            HTML,
            page("noindex.html", "<meta name=robots content=noindex>", 9).into(),
        ),
        case(
            "lost.html",
            HTML,
            b"<title>404 Not Found</title><p>We could not find it. <a href=to-lost.html>Home</a>".to_vec(),
        ),
    ]
}

/// Bytes that no way reads.
fn no_pages() -> Vec<Case> {
    let unmarked = utf_16le(&html("unmarked.html", "", &words(10, 150)));
    let case = |name, content_type, bytes| Case {
        name,
        content_type,
        bytes,
    };
    let pdf = format!("%PDF-1.4\n{}", words(11, 150)).into_bytes();
    let noise = (0..2000_u32)
        .map(|n| (n.wrapping_mul(2_654_435_761) >> 24) as u8)
        .collect();
    vec![
        case("unmarked.html", None, unmarked),
        case("binary.html", None, b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR".to_vec()),
        case("pdf.html", Some("text/html"), pdf),
        case("untyped-font.html", None, b"wOF2\0\x01\0\0\0\0".repeat(50)),
        case("noise.html", Some("application/xhtml+xml"), noise),
    ]
}

/// A crawl of the cases, which also lie as files in its folder.
fn crawled(cases: &[Case]) -> (Site, Crawl) {
    let site = Site::of(cases.iter().map(|case| {
        let answer = match case.content_type {
            Some(media_type) => Answer::of_type(media_type, case.bytes.clone()),
            None => Answer::untyped(case.bytes.clone()),
        };
        (format!("/{}", case.name), answer)
    }));
    let seeds: Vec<String> = cases.iter().map(|case| site.url(&format!("/{}", case.name))).collect();
    let crawl = Crawl::of(seeds.join("\n"))
        .set("scope.max_depth", 1)
        .set("steering.enabled", false);
    let ended = crawl.end(&[]);
    let has_page = crawl.outcomes(&site).values().any(|outcome| outcome == "kept");
    ended.with_code(if has_page { 0 } else { 5 });
    for case in cases {
        fs::write(crawl.path(case.name), &case.bytes).unwrap();
    }
    (site, crawl)
}

/// One JSON object a line, whatever the exit code.
fn lines(crawl: &Crawl, arguments: &[&str]) -> Vec<Value> {
    let ended = run(crawler(arguments).current_dir(crawl.path("")));
    assert!(!ended.stderr.contains("panicked"), "{ended:?}");
    let lines = ended.stdout.lines().map(|line| serde_json::from_str(line).unwrap());
    lines.collect()
}

fn inspected(crawl: &Crawl, arguments: &[&str]) -> Value {
    let fixed = ["inspect", "page", "--config", "test.toml", "--format", "json"];
    lines(crawl, &[&fixed[..], arguments].concat()).remove(0)
}

fn reading(fields: &Value, links: BTreeSet<String>) -> Reading {
    let field = |name: &str| fields[name].clone();
    Reading {
        title: field("title"),
        text: field("text"),
        language: field("language"),
        page_type: field("page_type"),
        canonical: field("canonical"),
        fingerprint: field("fingerprint"),
        links,
    }
}

/// The page as `inspect` shows it.
fn of_inspect(answer: &Value) -> Reading {
    let links = answer["outlinks"].as_array().unwrap().iter();
    let path = |link: &Value| {
        url::Url::parse(link["url"].as_str().unwrap())
            .unwrap()
            .path()
            .to_owned()
    };
    reading(answer, links.map(path).collect())
}

/// Whether a crawl stores a page that `inspect` shows so.
fn is_stored(answer: &Value) -> bool {
    answer["soft_404"] == false && answer["robots"]["noindex"] == false
}

#[test]
fn the_same_bytes_are_the_same_page_in_all_four_ways() {
    let cases = pages();
    let (site, crawl) = crawled(&cases);
    let paths: BTreeSet<String> = site.paths().into_iter().collect();
    let export = crawl.read("export", &["--verdict", "all"]).succeeded().stdout;
    let export: Vec<Value> = export.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    let names: Vec<&str> = cases.iter().map(|case| case.name).collect();
    lines(&crawl, &[&["dedup", "--kept", "kept.jsonl"], &names[..]].concat());
    let kept = fs::read_to_string(crawl.path("kept.jsonl")).unwrap();
    let by_id = |lines: Vec<Value>| -> BTreeMap<String, Value> {
        let id = |line: &Value| line["id"].as_str().unwrap().to_owned();
        lines.into_iter().map(|line| (id(&line), line)).collect()
    };
    let kept = by_id(kept.lines().map(|line| serde_json::from_str(line).unwrap()).collect());
    let fingerprints = by_id(lines(
        &crawl,
        &[&["fingerprint", "--json", "--quiet"], &names[..]].concat(),
    ));

    for name in names {
        let url = site.url(&format!("/{name}"));
        let on_the_web = inspected(&crawl, &[&url]);
        let in_a_file = inspected(&crawl, &[name, "--url", &url]);
        let expected = of_inspect(&on_the_web);
        assert_eq!(of_inspect(&in_a_file), expected, "{name} as a file");
        assert_eq!(is_stored(&in_a_file), is_stored(&on_the_web), "{name} as a file");

        let link = format!("/to-{name}");
        assert_eq!(
            expected.links.contains(&link),
            paths.contains(&link),
            "the link of {name}"
        );
        let exported = export.iter().find(|page| page["url"] == url.as_str());
        assert_eq!(exported.is_some(), is_stored(&on_the_web), "{name} in the crawl");
        if let Some(page) = exported {
            assert_eq!(reading(page, expected.links.clone()), expected, "{name} in the crawl");
        }

        for source in [name, &url] {
            let answer = crawl.read(
                "check",
                &[source, "--url", &url, "--config", "test.toml", "--format", "json"],
            );
            let answer: Value = serde_json::from_str(&answer.stdout).unwrap_or_else(|_| panic!("{answer:?}"));
            assert_eq!(answer["title"], expected.title, "{name} in check");
            assert_eq!(answer["fingerprint"], expected.fingerprint, "{name} in check");
            assert_eq!(answer["digest"], on_the_web["digest"], "{name} in check");
            let is_found = answer["verdict"] == "exact" && answer["nearest"][0]["url"] == url.as_str();
            let has_text = expected.text != "";
            assert_eq!(is_found, exported.is_some() && has_text, "{name} in check: {answer}");
        }

        let or_empty = |value: &Value| value.as_str().unwrap_or_default().to_owned();
        assert_eq!(kept[name]["text"], expected.text, "{name} in dedup");
        assert_eq!(
            or_empty(&kept[name]["title"]),
            or_empty(&expected.title),
            "{name} in dedup"
        );
        assert_eq!(
            fingerprints[name]["fingerprint"], expected.fingerprint,
            "{name} in dedup"
        );
    }
}

#[test]
fn a_rule_of_the_user_holds_in_all_four_ways() {
    let chosen = words(20, 150);
    let body = format!(
        "<!doctype html><title>Ruled</title><main><p>{}</p></main><div class=told>{chosen}<b class=share>Share</b></div>",
        words(21, 300)
    );
    let site = Site::of([
        ("/ruled.html", Answer::html(body.clone())),
        ("/other", Answer::html(html("other", "", &words(22, 150)))),
    ]);
    let url = site.url("/ruled.html");
    let rule = "[{ host = '127.0.0.1', match = 'ruled', content = ['.told'], drop = ['.share'] }, \
                { match = '^http://file', content = ['.told'], drop = ['.share'] }]";
    let crawl = Crawl::of(format!("{url}\n{}", site.url("/other"))).set("extract", rule);
    crawl.run();
    fs::write(crawl.path("ruled.html"), &body).unwrap();

    let export = crawl.export();
    let text_of = |url: &str| export.iter().find(|page| page["url"] == url).unwrap()["text"].clone();
    assert_eq!(text_of(&url), chosen.as_str());
    assert_ne!(text_of(&site.url("/other")), chosen.as_str());
    for arguments in [&[url.as_str()][..], &["ruled.html", "--url", &url], &["ruled.html"]] {
        let answer = inspected(&crawl, arguments);
        assert_eq!(answer["text"], chosen.as_str(), "{arguments:?}");
        assert_eq!(answer["extract"]["effect"], "content", "{arguments:?}");
    }
    let answer = crawl.read("check", &["ruled.html", "--url", &url, "--config", "test.toml"]);
    answer.with_code(11);
    let mut files = fs::read_dir(crawl.path("data/warc"))
        .unwrap()
        .map(|file| file.unwrap().path());
    let warc = files.find(|file| file.to_str().unwrap().ends_with(".warc.gz")).unwrap();
    for source in ["ruled.html", warc.to_str().unwrap()] {
        lines(
            &crawl,
            &["dedup", "--config", "test.toml", "--kept", "kept.jsonl", source],
        );
        let kept = fs::read_to_string(crawl.path("kept.jsonl")).unwrap();
        let kept: Vec<Value> = kept.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
        assert!(
            kept.iter().any(|page| page["text"] == chosen.as_str()),
            "{source}: {kept:?}"
        );
    }
    let fingerprint = |command: &[&str]| lines(&crawl, command).remove(0)["fingerprint"].clone();
    assert_eq!(
        fingerprint(&[
            "fingerprint",
            "--json",
            "--quiet",
            "--config",
            "test.toml",
            "ruled.html"
        ]),
        inspected(&crawl, &[&url])["fingerprint"]
    );
}

#[test]
fn bytes_that_are_no_page_are_none_in_all_four_ways() {
    let cases = no_pages();
    let (site, crawl) = crawled(&cases);
    assert_eq!(crawl.export(), Vec::<Value>::new());
    let outcomes = crawl.outcomes(&site);
    for (path, reason) in [
        ("/binary.html", "no content type, and not text"),
        ("/pdf.html", "declared text/html, but the bytes are application/pdf"),
        ("/untyped-font.html", "no content type, and not text"),
        (
            "/noise.html",
            "declared application/xhtml+xml, but the bytes are binary data",
        ),
    ] {
        assert_eq!(outcomes[path], format!("excluded {reason}"));
    }
    for case in &cases {
        let url = site.url(&format!("/{}", case.name));
        for source in [case.name, &url] {
            assert!(inspected(&crawl, &[source])["error"].is_string(), "{source}");
            let check = crawl.read("check", &[source, "--config", "test.toml", "--format", "json"]);
            check.with_code(1);
        }
        assert_eq!(lines(&crawl, &["dedup", "--quiet", case.name]), Vec::<Value>::new());
    }
}

#[test]
fn a_response_without_content_is_no_page_for_inspect_either() {
    let site = Site::of([("/", Answer::status(204))]);
    let crawl = Crawl::of(site.url("/"));
    crawl.run_without_page();
    assert_eq!(crawl.export(), Vec::<Value>::new());
    let answer = inspected(&crawl, &[&site.url("/")]);
    assert_eq!(answer["error"], "HTTP status 204: no content");
}
