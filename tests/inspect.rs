//! `crawler inspect`: how the crawler reads one page, robots.txt, URL or sitemap.

mod robots;

use std::fs;
use std::io::Write;
use std::process::Stdio;

use serde_json::{Value, json};
use tempfile::TempDir;

use crate::support::page::words;
use crate::support::process::{Ended, crawler, run};
use crate::support::site::{Answer, Site};

const ROBOTS: &[u8] = b"# hello\r\nUser-agent: *\r\nDisallow: /a\r\nAllow: /a/b # not it\r\nCrawl-delay: 1.5\r\nSitemap: /s.xml\r\n\r\nUser-agent: FooBot\r\nDisallow: /c\r\n";

/// A folder with these files, and a configuration that lets a test be fast.
fn folder(files: &[(&str, &[u8])]) -> TempDir {
    let folder = TempDir::new().unwrap();
    let config = "[politeness]\ndelay_ms = 0\n[fetch]\nallow_private_addresses = true\n";
    fs::write(folder.path().join("config.toml"), config).unwrap();
    for (name, content) in files {
        fs::write(folder.path().join(name), content).unwrap();
    }
    folder
}

#[track_caller]
fn inspect(folder: &TempDir, arguments: &[&str]) -> Ended {
    run(crawler(["inspect"]).args(arguments).current_dir(folder.path()))
}

/// The same with something on standard input.
#[track_caller]
fn inspect_piped(folder: &TempDir, arguments: &[&str], input: &[u8]) -> Ended {
    let mut file = tempfile::tempfile().unwrap();
    file.write_all(input).unwrap();
    std::io::Seek::rewind(&mut file).unwrap();
    let mut command = crawler(["inspect"]);
    run(command
        .args(arguments)
        .current_dir(folder.path())
        .stdin(Stdio::from(file)))
}

fn json_lines(ended: &Ended) -> Vec<Value> {
    ended
        .stdout
        .lines()
        .map(|line| serde_json::from_str(line).unwrap())
        .collect()
}

fn article(head: &str, body: &str) -> Vec<u8> {
    let text = words(1, 120);
    format!("<!doctype html><html lang=en><head><title>A title</title>{head}</head><body><article><p>{text}</p>{body}</article></body></html>")
        .into_bytes()
}

#[test]
fn selectors_can_be_tried_without_a_configuration() {
    let page = article("", "<p class=note>A note. <b class=share>Share</b></p>");
    let folder = folder(&[("page.html", &page)]);
    let shown = |arguments: &[&str]| {
        let arguments = [&["page", "page.html", "--format", "json"], arguments].concat();
        let page = json_lines(&inspect(&folder, &arguments).succeeded()).remove(0);
        (page["text"].as_str().unwrap().to_owned(), page["extract"].clone())
    };
    let effect = |effect: &str| json!({ "rule": "the command line", "effect": effect });
    let whole = shown(&[]);
    assert!(whole.0.contains("A note. Share") && whole.1.is_null(), "{whole:?}");
    let chosen = shown(&["--content", ".note", "--drop", ".share"]);
    assert_eq!(chosen, ("A note.".to_owned(), effect("content")));
    let dropped = shown(&["--drop", ".note", "--drop", ".missing"]);
    assert!(
        !dropped.0.contains("A note.") && dropped.1 == effect("drop"),
        "{dropped:?}"
    );
    assert_eq!(shown(&["--content", ".missing"]), (whole.0, effect("nothing")));
    for (arguments, line) in [
        (
            ["--content", ".note"],
            "main text     the content that the command line names",
        ),
        (
            ["--drop", ".note"],
            "main text     found in what the command line leaves",
        ),
        (
            ["--content", "h6"],
            "main text     no element matches the command line, so the page is read as without it",
        ),
    ] {
        let arguments = [&["page", "page.html"], &arguments[..]].concat();
        inspect(&folder, &arguments).succeeded().says(&[line]);
    }
    for (flag, selector) in [("--content", "p:has(a)"), ("--drop", "p >")] {
        let ended = inspect(&folder, &["page", "page.html", flag, selector]).with_code(2);
        ended.complains_of(&[flag, selector]);
    }
}

#[test]
fn a_page_is_shown_with_every_property_that_a_crawl_uses() {
    let head = "<meta charset=gbk><meta name=robots content=nofollow><link rel=canonical href=/c>";
    let page = article(
        head,
        "<a href=x.html rel=nofollow>x</a> <a href=//other.example/y#z>y</a>",
    );
    let folder = folder(&[("page.html", &page)]);
    let url = "https://example.org/docs/a?utm_source=q";
    let ended = inspect(&folder, &["page", "page.html", "--url", url, "--format", "json"]).succeeded();
    let mut page = json_lines(&ended).remove(0);
    for (key, expected) in [
        ("source", json!("page.html")),
        ("url", json!(url)),
        ("status", Value::Null),
        ("media_type", json!("text/html")),
        ("charset", json!("GBK")),
        ("charset_source", json!("meta")),
        ("charset_errors", json!(false)),
        ("title", json!("A title")),
        ("canonical", json!("https://example.org/c")),
        ("canonical_url", json!("https://example.org/docs/a")),
        ("similarity", json!("sketch")),
        ("soft_404", json!(false)),
        ("truncated", Value::Null),
    ] {
        assert_eq!(page[key], expected, "{key}");
    }
    let kinds = [
        "article",
        "listing",
        "product",
        "forum",
        "documentation",
        "service",
        "unknown",
    ];
    assert!(
        kinds.contains(&page["page_type"].as_str().unwrap()),
        "{}",
        page["page_type"]
    );
    let asked =
        |noindex: bool, nofollow: bool| json!({"noindex": noindex, "nofollow": nofollow, "unavailable_after": null});
    assert_eq!(
        (&page["robots"]["noindex"], &page["robots"]["nofollow"]),
        (&json!(false), &json!(true))
    );
    assert_eq!(page["robots"]["meta"], asked(false, true));
    assert_eq!(page["robots"]["header"], asked(false, false));
    let link = |url: &str, kind: &str, nofollow: bool| json!({"url": url, "kind": kind, "nofollow": nofollow});
    assert_eq!(
        page["outlinks"].take(),
        json!([
            link("https://example.org/c", "link:canonical", false),
            link("https://example.org/docs/x.html", "a", true),
            link("https://other.example/y", "a", false),
        ])
    );
    assert!(page["text"].as_str().unwrap().starts_with(&words(1, 120)));
    assert!(page["word_count"].as_u64().unwrap() >= 120);
    assert_eq!(page["fingerprint"].as_str().unwrap().len(), 16);
    assert_eq!(page["digest"].as_str().unwrap().len(), 32);
}

#[test]
fn a_page_is_shown_with_its_structure_and_with_what_it_says_about_itself() {
    let ld = r#"<script type="application/ld+json">{"@type":"NewsArticle","headline":"Plan of the harbour","datePublished":"2024-03-05T10:00:00+01:00",
        "author":[{"@type":"Person","name":"Ida Holm"}],"publisher":{"@type":"Organization","name":"Harbour News"}}</script>"#;
    let body = format!(
        "<article><h1>Plan of the harbour</h1><p>By Ida Holm</p><p>{} <a href=/map>the map</a>.</p><h2>Steps</h2><ol><li>Dredge it.</li>\
         <li>Build the wall.</li></ol><pre><code class=language-sh>make  all</code></pre><table><tr><th>Year<th>Boats</tr><tr><td>2023<td>17</tr>\
         </table><p>{}</p></article>",
        words(1, 60),
        words(2, 60)
    );
    let html = format!(
        "<html lang=en><head><title>Plan of the harbour | Harbour News</title>{ld}</head><body>{body}</body></html>"
    );
    let folder = folder(&[("a.html", html.as_bytes()), ("none.html", b"")]);
    let url = "https://example.org/news/plan";
    let ended = inspect(&folder, &["page", "a.html", "--url", url, "--format", "json"]).succeeded();
    let page = json_lines(&ended).remove(0);
    let said = &page["metadata"];
    assert_eq!(said["title"]["value"], "Plan of the harbour", "{said}");
    assert_eq!(said["authors"], json!({"value": ["Ida Holm"], "source": "JSON-LD"}));
    assert_eq!(
        said["published"],
        json!({"value": "2024-03-05T10:00:00+01:00", "source": "JSON-LD"})
    );
    assert_eq!(said["site_name"], json!({"value": "Harbour News", "source": "JSON-LD"}));
    assert_eq!(said["licence"], Value::Null);
    let markdown = page["markdown"].as_str().unwrap();
    for part in [
        "# Plan of the harbour\n",
        " [the map](https://example.org/map).\n",
        "\n## Steps\n\n1. Dredge it.\n2. Build the wall.\n",
        "\n```sh\nmake  all\n```\n",
        "\n| Year | Boats |\n| --- | --- |\n| 2023 | 17 |\n",
    ] {
        assert!(markdown.contains(part), "{part}: {markdown}");
    }
    let ended = inspect(&folder, &["page", "a.html", "--url", url, "--format", "markdown"]).succeeded();
    assert_eq!(ended.stdout, markdown);
    let ended = inspect(&folder, &["page", "a.html", "--url", url]).succeeded();
    ended.says(&[
        "authors       Ida Holm (JSON-LD)",
        "own title     Plan of the harbour (",
    ]);
}

#[test]
fn a_page_has_the_same_fingerprint_as_in_a_crawl() {
    let site = Site::of([(
        "/",
        Answer::of_type("text/html", article("", "")).with("x-robots-tag", "nofollow"),
    )]);
    let crawl = crate::support::crawl::Crawl::of(site.url("/"));
    crawl.run();
    let kept = crawl.export().remove(0);
    let folder = folder(&[]);
    let page = json_lines(&inspect(&folder, &["page", &site.url("/"), "--format", "jsonl"]).succeeded()).remove(0);
    for key in ["url", "title", "text", "language", "fingerprint", "status"] {
        assert_eq!(page[key], kept[key], "{key}");
    }
    assert_eq!(
        (&page["charset"], &kept["encoding"]),
        (&json!("UTF-8"), &json!("UTF-8"))
    );
    assert_eq!(
        page["robots"]["header"],
        json!({"noindex": false, "nofollow": true, "unavailable_after": null})
    );
    assert_eq!(page["charset_source"], "utf8");
}

#[test]
fn each_page_is_one_line_and_an_unreadable_one_does_not_stop_the_others() {
    let mut gzip = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast());
    gzip.write_all(&article("", "")).unwrap();
    let folder = folder(&[
        ("a.html", &article("", "")),
        ("b.html.gz", &gzip.finish().unwrap()),
        ("c.txt", b"\xd6\xd0\xce\xc4 <b>not markup</b>"),
        ("empty.html", b""),
        ("picture", b"\x89PNG\r\n\x1a\n\0\0\0\r"),
    ]);
    let arguments = [
        "page",
        "a.html",
        "none.html",
        "b.html.gz",
        "c.txt",
        "empty.html",
        "picture",
        "--format",
        "jsonl",
    ];
    let ended = inspect(&folder, &arguments).with_code(3);
    assert!(
        ended.stderr.contains("2 lines, records or files of the input"),
        "{}",
        ended.stderr
    );
    let pages = json_lines(&ended);
    assert_eq!(pages.len(), 6);
    assert_eq!(pages[1]["source"], "none.html");
    assert!(
        pages[1]["error"].as_str().unwrap().contains("cannot be read"),
        "{}",
        pages[1]
    );
    assert_eq!(
        (&pages[0]["digest"], &pages[0]["text"]),
        (&pages[2]["digest"], &pages[2]["text"])
    );
    assert_eq!(pages[3]["text"], "中文 <b>not markup</b>");
    assert_eq!(
        (&pages[3]["media_type"], &pages[3]["similarity"]),
        (&json!("text/plain"), &json!("short"))
    );
    assert_eq!(
        (&pages[4]["fingerprint"], &pages[4]["similarity"]),
        (&Value::Null, &json!("none"))
    );
    assert_eq!(pages[5]["error"], "it is image/png, not a text");
}

#[test]
fn a_saved_page_is_read_from_its_message_and_a_collection_is_refused() {
    let saved = "From: <Saved by Blink>\r\nSnapshot-Content-Location: http://a.example/dir/\r\nMIME-Version: 1.0\r\nContent-Type: \
                 multipart/related; boundary=\"B\"\r\n\r\n--B\r\nContent-Type: text/html\r\nContent-Transfer-Encoding: \
                 quoted-printable\r\n\r\n<meta charset=3Dutf-8><title>T</title><p>caf=C3=A9 <a href=3Dx>x</a></p>\r\n--B--\r\n";
    let folder = folder(&[
        ("x.mhtml", saved.as_bytes()),
        ("records.json", b"[{\"text\": \"x\"}]"),
        ("table.csv", b"id,text\n1,x\n"),
    ]);
    let ended = inspect(
        &folder,
        &["page", "x.mhtml", "records.json", "table.csv", "--format", "jsonl"],
    )
    .with_code(3);
    let pages = json_lines(&ended);
    assert_eq!((&pages[0]["title"], &pages[0]["text"]), (&json!("T"), &json!("café x")));
    assert_eq!(pages[0]["url"], "http://a.example/dir/");
    assert_eq!(pages[0]["outlinks"][0]["url"], "http://a.example/dir/x");
    for collection in &pages[1..3] {
        assert!(
            collection["error"].as_str().unwrap().contains("crawler dedup"),
            "{collection}"
        );
    }
}

#[test]
fn a_page_on_standard_input_has_a_placeholder_for_its_url() {
    let folder = folder(&[]);
    let page = b"\xef\xbb\xbf<p>Hello <a href=/x>there</a> <a href=http://h.example/y>and there</a>";
    let found = json_lines(&inspect_piped(&folder, &["page", "-", "--format", "json"], page).succeeded()).remove(0);
    assert_eq!((&found["source"], &found["url"]), (&json!("-"), &Value::Null));
    assert_eq!(found["charset_source"], "bom");
    assert_eq!(found["outlinks"][0]["url"], "http://file.invalid/x");
    assert_eq!(found["outlinks"][1]["url"], "http://h.example/y");
    let text = inspect_piped(&folder, &["page", "-"], page).succeeded();
    text.says(&[
        "none (see --url)",
        "UTF-8 (by its byte order mark)",
        "no restriction",
        "Hello there and there",
    ]);
}

#[test]
fn a_page_is_fetched_as_a_crawl_does_and_only_if_its_robots_txt_allows_it() {
    let robots = "User-agent: *\nDisallow: /private\n";
    let site = Site::of([
        ("/robots.txt", Answer::text(robots)),
        ("/", Answer::redirect("/a")),
        (
            "/a",
            Answer::html(article(
                "<meta name=robots content='unavailable_after: 2030-01-02T00:00:00Z'>",
                "",
            ))
            .with("x-robots-tag", "crawler: noindex")
            .with("link", "</b>; rel=canonical")
            .gzipped(),
        ),
        ("/to-private", Answer::redirect("/private")),
        ("/private", Answer::html(article("", ""))),
        ("/round", Answer::redirect("/round")),
        ("/tar", Answer::of_type("application/x-tar", "files")),
    ]);
    let folder = folder(&[]);
    let page = |path: &str, more: &[&str], code: i32| {
        let url = site.url(path);
        let arguments = [&["page", &url, "--format", "json"], more].concat();
        json_lines(&inspect(&folder, &arguments).with_code(code)).remove(0)
    };
    let found = page("/", &[], 0);
    assert_eq!((&found["url"], &found["status"]), (&json!(site.url("/a")), &json!(200)));
    assert_eq!(
        (
            &found["robots"]["header"]["noindex"],
            &found["robots"]["meta"]["noindex"]
        ),
        (&json!(true), &json!(false))
    );
    assert_eq!(found["robots"]["unavailable_after"], "2030-01-02T00:00:00Z");
    assert_eq!(
        (&found["canonical"], &found["outlinks"][0]["kind"]),
        (&json!(site.url("/b")), &json!("header:link"))
    );
    assert_eq!(site.paths(), ["/robots.txt", "/", "/a"]);
    for (path, reason) in [
        (
            "/private",
            "its robots.txt forbids it (line 2: Disallow: /private); --ignore-robots",
        ),
        ("/to-private", "its robots.txt forbids it (line 2: Disallow: /private)"),
        ("/round", "form a loop"),
        ("/tar", "content type application/x-tar: not a page"),
        ("/none", "HTTP status 404"),
    ] {
        let error = page(path, &[], 3)["error"].to_string();
        assert!(error.contains(reason), "{path}: {error}");
    }
    assert!(!site.paths().contains(&"/private".to_owned()));
    assert_eq!(page("/to-private", &["--ignore-robots"], 0)["title"], "A title");
}

#[test]
fn a_private_address_is_refused_unless_it_is_allowed() {
    let site = Site::of([("/a", Answer::html(article("", "")))]);
    let folder = folder(&[("none.toml", b"politeness.delay_ms = 0\n")]);
    let url = site.url("/a");
    let refused = ["page", &url, "--config", "none.toml", "--format", "json"];
    let refused = inspect(&folder, &refused).with_code(3);
    assert!(refused.stdout.contains("--allow-private"), "{}", refused.stdout);
    assert_eq!(site.requests().len(), 0);
    let robots = ["robots", &url, "--agent", "x", "/", "--config", "none.toml"];
    inspect(&folder, &robots)
        .with_code(2)
        .complains_of(&["--allow-private"]);
    inspect(&folder, &["page", &url, "--config", "none.toml", "--allow-private"]).succeeded();
}

#[test]
fn urls_are_shown_in_their_canonical_form_by_the_rules_of_the_configuration() {
    let folder = folder(&[("sort.toml", b"[canonicalize]\nsort_query = true\n")]);
    let urls = [
        "HTTP://www.Example.com:80/a/../b?b=1&a=2&utm_source=x#f",
        "ftp://example.org/",
        "http://[::1]:8080/",
    ];
    let ended = inspect(&folder, &[&["url"], &urls[..]].concat()).with_code(3);
    let expected = "http://www.example.com/b?b=1&a=2\thttp://(com,example,www,)/b?b=1&a=2\twww.example.com\n\
        error\tscheme `ftp` is neither http nor https\tftp://example.org/\n\
        http://[::1]:8080/\thttp://([::1]:8080)/\t[::1]:8080\n";
    assert_eq!(ended.stdout, expected);
    let arguments = ["url", "--config", "sort.toml", "--format", "json"];
    let answers = json_lines(&inspect_piped(&folder, &arguments, b"http://h/?b&a\nnothing\n").with_code(3));
    assert_eq!(answers[0]["canonical"], "http://h/?a&b");
    assert_eq!(
        (&answers[0]["surt"], &answers[0]["host_key"]),
        (&json!("http://(h,)/?a&b"), &json!("h"))
    );
    assert!(answers[0]["rules"].as_str().unwrap().contains("sort_query"));
    assert_eq!(
        answers[1],
        json!({"url": "nothing", "error": "not a URL: relative URL without a base"})
    );
}

#[test]
fn a_sitemap_is_shown_with_its_kind_and_urls_even_if_it_is_broken() {
    let urlset = "<urlset><url><loc>https://a.example/1</loc></url><url><loc>/2</loc></url>";
    let index = "<sitemapindex><sitemap><loc>https://a.example/s.xml</loc></sitemap></sitemapindex>";
    let mut gzip = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast());
    gzip.write_all(index.as_bytes()).unwrap();
    let site = Site::of([("/maps/s.xml", Answer::xml(format!("{urlset}</urlset>")).gzipped())]);
    let folder = folder(&[
        ("broken.xml", urlset.as_bytes()),
        ("index.xml.gz", &gzip.finish().unwrap()),
        ("page.html", b"<html>"),
    ]);
    let ended = inspect(&folder, &["sitemap", "broken.xml"]).with_code(3);
    assert_eq!(ended.stdout, "urlset, 2 URLs\nhttps://a.example/1\n/2\n");
    ended.complains_of(&["broken.xml: it ends with unclosed elements: 1"]);
    let sitemap = |argument: &str, code: i32| {
        let ended = inspect(&folder, &["sitemap", argument, "--format", "json"]).with_code(code);
        let lines = json_lines(&ended);
        assert_eq!(lines.len(), 1);
        (
            lines[0]["kind"].clone(),
            lines[0]["urls"].clone(),
            lines[0]["error"].clone(),
        )
    };
    assert_eq!(
        sitemap("index.xml.gz", 0),
        (json!("index"), json!(["https://a.example/s.xml"]), Value::Null)
    );
    assert_eq!(
        sitemap(&site.url("/maps/s.xml"), 0),
        (
            json!("urlset"),
            json!(["https://a.example/1", site.url("/2")]),
            Value::Null
        )
    );
    assert_eq!(
        sitemap("page.html", 3),
        (Value::Null, json!([]), json!("<html> is not a sitemap"))
    );
    assert_eq!(sitemap(&site.url("/none"), 3).2, "HTTP status 404");
    let text = inspect_piped(&folder, &["sitemap", "-"], b"https://a.example/t\nnonsense\n").succeeded();
    assert_eq!(text.stdout, "text, 1 URLs, 1 skipped\nhttps://a.example/t\n");
}

#[test]
fn the_help_names_every_field_of_the_json() {
    let folder = folder(&[("a.html", b"<a href=/x>x</a>"), ("robots.txt", ROBOTS)]);
    for (arguments, more) in [
        (&["page", "a.html"][..], &["error"][..]),
        (&["robots", "robots.txt", "--agent", "x", "/"], &["error"]),
        (&["url", "http://h/"], &["error"]),
        (&["sitemap", "a.html"], &[]),
    ] {
        let help = inspect(&folder, &[arguments[0], "--help"]).succeeded();
        let answers = run(crawler(["inspect"])
            .args(arguments)
            .arg("--format=json")
            .current_dir(folder.path()));
        let answer = json_lines(&answers).remove(0);
        let fields = answer.as_object().unwrap().keys().map(String::as_str);
        let quoted: Vec<String> = fields
            .chain(more.iter().copied())
            .map(|name| format!("\"{name}\""))
            .collect();
        help.says(&quoted.iter().map(String::as_str).collect::<Vec<_>>());
    }
}

#[test]
fn invalid_arguments_end_with_exit_code_2() {
    let folder = folder(&[]);
    inspect(&folder, &["page", "a", "b", "--url", "http://h/"])
        .with_code(2)
        .complains_of(&["single page"]);
    inspect(&folder, &["page", "a", "--url", "file:///a"])
        .with_code(2)
        .complains_of(&["absolute http or https URL"]);
    inspect(&folder, &["page"]).with_code(2).complains_of(&["FILE|URL"]);
}
