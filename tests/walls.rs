//! Pages that stand in the way of the one that was asked for: they are tried again, and never kept.

mod unknown;

use serde_json::Value;

use crate::support::crawl::Crawl;
use crate::support::outcomes::{count, expected, list};
use crate::support::page::{NO_LINKS, article, home};
use crate::support::process::{crawler, run};
use crate::support::site::{Answer, Site};

/// A challenge of Cloudflare.
fn challenge() -> Answer {
    Answer::html(
        "<!DOCTYPE html><html lang=\"en-US\"><head><title>Just a moment...</title><meta name=\"robots\" content=\"noindex,nofollow\">\
         <meta http-equiv=\"refresh\" content=\"360\"></head><body><div class=\"main-wrapper\" role=\"main\"><noscript><div class=\"h2\">\
         <span id=\"challenge-error-text\">Enable JavaScript and cookies to continue</span></div></noscript></div><script>(function(){\
         window._cf_chl_opt = {cvId: '3',cZone: 'example.org',cRay: '8ff1a4e1de2c30c4'};var a = document.createElement('script');\
         a.src = '/cdn-cgi/challenge-platform/h/b/orchestrate/chl_page/v1';document.head.appendChild(a);}());</script></body></html>",
    )
}

/// The page of a domain that is for sale.
fn parked() -> Answer {
    Answer::html(
        "<html><head><title>harbour.example</title></head><body><h1>harbour.example</h1><p>This domain is for sale.</p>\
         <a href=/advertisement>Buy now</a></body></html>",
    )
}

fn explained(crawl: &Crawl, url: &str) -> Value {
    let arguments = [
        "explain",
        url,
        "--data",
        "data",
        "--config",
        "test.toml",
        "--format",
        "json",
    ];
    let ended = run(crawler(arguments).current_dir(crawl.path("")));
    serde_json::from_str(&ended.succeeded().stdout).unwrap()
}

#[test]
fn a_challenge_is_tried_again_and_the_page_is_kept_when_it_comes() {
    let site = Site::scripted(|asked| match (asked.path.as_str(), asked.times) {
        ("/", 1) => challenge(),
        ("/", _) => home(&["/once", "/twice", "/always", "/never"]),
        ("/once", 1) | ("/twice", 1 | 2) | ("/always", _) => challenge(),
        ("/once" | "/twice" | "/never", _) => article(asked.path.bytes().map(u64::from).sum(), NO_LINKS),
        _ => Answer::status(404),
    });
    let crawl = Crawl::of(site.url("/"));
    crawl.run();
    let outcomes = crawl.outcomes(&site);
    assert_eq!(outcomes["/always"], "failed blocked_challenge");
    for path in ["/", "/once", "/twice", "/never"] {
        assert_eq!(outcomes[path], "kept", "{path}");
    }
    let times = site.times_asked();
    assert_eq!(
        ["/", "/once", "/twice", "/always", "/never"].map(|path| times[path]),
        [2, 2, 3, 3, 1]
    );

    let report = crawl.report();
    let failure = &list(&report, "failures")[0];
    assert_eq!(failure["status"], 200);
    let detail = failure["detail"].as_str().unwrap();
    assert!(
        detail.starts_with("bot challenge: Cloudflare, mark “_cf_chl_opt”"),
        "{detail}"
    );
    let group = &list(&report, "failure_groups")[0];
    assert_eq!(
        (&group["kind"], &group["count"]),
        (&"blocked_challenge".into(), &1.into())
    );
    assert!(group["advice"].as_str().unwrap().contains("operator"), "{group}");
    let text = crawl.read("report", &["--format", "text"]).succeeded().stdout;
    assert!(text.contains("blocked_challenge: Ask the operator"), "{text}");

    let explained = explained(&crawl, &site.url("/always"));
    let summary = explained["summary"].as_str().unwrap();
    assert!(
        summary.contains("bot challenge") && summary.contains("tried 3 times"),
        "{summary}"
    );
}

#[test]
fn one_wall_under_many_urls_is_never_kept_and_is_evidence_for_nothing() {
    let links: Vec<String> = (0..40).map(|n| format!("/item?id={n}")).collect();
    let site = Site::scripted(move |asked| match asked.path.as_str() {
        "/" => home(&links),
        path if path.starts_with("/item?id=") => match path["/item?id=".len()..].parse::<u64>() {
            // Steering would learn from as many duplicates that the parameter changes nothing.
            Ok(n) if n < 36 => parked(),
            Ok(n) => article(n, NO_LINKS),
            Err(_) => Answer::status(404),
        },
        _ => Answer::status(404),
    });
    let crawl = Crawl::of(site.url("/")).one_at_a_time();
    crawl.run();
    let outcomes = crawl.outcomes(&site);
    for n in 0..40 {
        let expected = if n < 36 { "failed blocked_parked" } else { "kept" };
        assert_eq!(outcomes[&format!("/item?id={n}")], expected, "{n}");
    }
    let report = crawl.report();
    assert_eq!((count(&report, "kept"), count(&report, "failed")), (5, 36));
    assert!(list(&report["steering"], "rules").is_empty(), "{}", report["steering"]);
    // It is asked for once, and its links are those of advertisements.
    assert_eq!(site.pages_asked().len(), 41);
    assert!(
        crawl
            .export()
            .iter()
            .all(|page| !page["text"].as_str().unwrap().contains("for sale"))
    );
}

#[test]
fn a_site_that_sends_nothing_but_challenges_is_asked_a_bounded_number_of_times() {
    let links: Vec<String> = (0..60).map(|n| format!("/{n}")).collect();
    let site = Site::scripted(move |asked| match asked.path.as_str() {
        "/" => home(&links),
        "/robots.txt" => Answer::status(404),
        _ => challenge(),
    });
    let crawl = Crawl::of(site.url("/")).one_at_a_time();
    crawl.run();
    let report = crawl.report();
    assert_eq!((count(&report, "kept"), count(&report, "failed")), (1, 60));
    // One request a URL, and one more for each of the first walls.
    assert_eq!(site.pages_asked().len(), 1 + 60 + 31);
}

#[test]
fn without_the_recognition_a_wall_is_a_page() {
    let site = Site::of([
        // Each page is known only from the page before, so they are decided in this order.
        ("/", home(&["/sale"])),
        ("/sale", parked()),
        ("/advertisement", parked()),
    ]);
    let crawl = Crawl::of(site.url("/")).set("fetch.walls", "false").one_at_a_time();
    crawl.run();
    assert_eq!(
        crawl.outcomes(&site),
        expected([("/", "kept"), ("/sale", "kept"), ("/advertisement", "exact of /sale"),])
    );
}

#[test]
fn a_failed_status_stays_one_and_its_detail_names_the_wall_of_the_header() {
    let refused = Answer::status(403).with("cf-mitigated", "challenge");
    let site = Site::of([("/", home(&["/refused"])), ("/refused", refused)]);
    let crawl = Crawl::of(site.url("/"));
    crawl.run();
    let report = crawl.report();
    let failure = &list(&report, "failures")[0];
    assert_eq!(failure["kind"], "http_403");
    assert_eq!(
        failure["detail"],
        "HTTP status 403, bot challenge: Cloudflare, header cf-mitigated: challenge"
    );
}

#[test]
fn a_page_is_inspected_for_walls() {
    let site = Site::of([("/", parked())]);
    let crawl = Crawl::of(site.url("/"));
    crawl.run_without_page();
    std::fs::write(
        crawl.path("page.html"),
        "<h1>harbour.example</h1><p>This domain is for sale.</p>",
    )
    .unwrap();
    let shown = |arguments: &[&str]| {
        let all = [&["inspect", "page", "page.html"], arguments].concat();
        run(crawler(all).current_dir(crawl.path(""))).succeeded().stdout
    };
    let text = shown(&[]);
    assert!(text.contains("parked (sentence “This domain is for sale.”"), "{text}");
    let json: Value = serde_json::from_str(&shown(&["--format", "json"])).unwrap();
    assert_eq!(json["wall"]["kind"], "parked");
}

#[test]
fn check_and_dedup_recognise_walls() {
    let sale = "<title>harbour.example</title><h1>harbour.example</h1><p>This domain is for sale.</p>";
    let site = Site::of([("/", article(1, NO_LINKS)), ("/sale", Answer::html(sale))]);
    let crawl = Crawl::of(site.url("/"));
    crawl.run();
    std::fs::write(crawl.path("sale.html"), sale).unwrap();
    std::fs::write(crawl.path("sold.html"), sale).unwrap();
    std::fs::write(crawl.path("sale.txt"), "This domain is for sale.").unwrap();
    for source in ["sale.html".to_owned(), site.url("/sale")] {
        let ended = crawl.read("check", &[&source, "--config", "test.toml"]).with_code(1);
        assert!(
            ended.stderr.contains("stands in the way") && ended.stderr.contains("parked (sentence"),
            "{}",
            ended.stderr
        );
    }
    crawl.read("check", &["sale.txt"]).with_code(12);
    std::fs::write(crawl.path("off.toml"), "fetch.walls = false\n").unwrap();
    crawl
        .read("check", &["sale.html", "--config", "off.toml"])
        .with_code(12);

    let dedup = |arguments: &[&str]| {
        let all = [&["dedup", "sale.html", "sale.txt", "sold.html"], arguments].concat();
        run(crawler(all).current_dir(crawl.path(""))).succeeded()
    };
    let verdicts =
        |ended: &str| -> Vec<Value> { ended.lines().map(|line| serde_json::from_str(line).unwrap()).collect() };
    let ended = dedup(&["--kept", "kept.jsonl"]);
    let found = verdicts(&ended.stdout);
    assert_eq!(
        found
            .iter()
            .map(|row| row["verdict"].as_str().unwrap())
            .collect::<Vec<_>>(),
        ["blocked", "unique", "blocked"]
    );
    assert_eq!(
        (&found[0]["wall"]["kind"], &found[0]["of"]),
        (&"parked".into(), &Value::Null)
    );
    assert!(
        ended.stderr.contains("unique 1  exact 0  near 0  blocked 2  skipped 0"),
        "{}",
        ended.stderr
    );
    assert_eq!(
        std::fs::read_to_string(crawl.path("kept.jsonl"))
            .unwrap()
            .lines()
            .count(),
        1
    );
    let off = verdicts(&dedup(&["--config", "off.toml"]).stdout);
    assert_eq!(off[2]["verdict"], "exact");
}

#[test]
fn dedup_reads_the_header_fields_of_responses_in_an_archive() {
    let http = "HTTP/1.1 200 OK\r\nContent-Type: text/html\r\ncf-mitigated: challenge\r\n\r\n<p>One moment.</p>";
    let record = format!(
        "WARC/1.1\r\nWARC-Type: response\r\nWARC-Target-URI: https://a.example/x\r\nWARC-Date: 2026-01-01T00:00:00Z\r\n\
         WARC-Record-ID: <urn:uuid:00000000-0000-4000-8000-000000000001>\r\nContent-Type: application/http;msgtype=response\r\n\
         Content-Length: {}\r\n\r\n{http}\r\n\r\n",
        http.len()
    );
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(folder.path().join("one.warc"), record).unwrap();
    let ended = run(crawler(["dedup", "one.warc"]).current_dir(folder.path())).succeeded();
    let row: Value = serde_json::from_str(ended.stdout.trim()).unwrap();
    assert_eq!(
        (&row["verdict"], &row["wall"]["kind"]),
        (&"blocked".into(), &"challenge".into()),
        "{row}"
    );
}
