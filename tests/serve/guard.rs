//! Who is answered, and what binds an answer.

use std::net::TcpListener;

use super::served::Served;
use super::{crawled, site};
use crate::support::process::{crawler, run};
use crate::support::site::{Answer, Site};

#[test]
fn only_requests_that_name_the_server_are_answered() {
    let crawl = crawled(&site());
    let served = Served::start(&crawl);
    let port = served.address.port();
    for (host, status) in [
        (vec![format!("Host: {}", served.address)], 200),
        (vec![format!("Host: localhost:{port}")], 200),
        (vec![format!("Host: rebound.example:{port}")], 421),
        (vec!["Host: 127.0.0.1:1".to_owned()], 421),
        (vec![], 400),
        (
            vec![format!("Host: localhost:{port}"), "Host: rebound.example".to_owned()],
            421,
        ),
    ] {
        for path in ["/", "/api/report", "/assets/style.css"] {
            let lines: Vec<&str> = host.iter().map(String::as_str).collect();
            let got = served.send(&format!("GET {path}"), &lines, "");
            let is_refused = status != 200 && (got.status == 421 || got.status == 400);
            assert!(got.status == status || is_refused, "{host:?} {path}: {got:?}");
            assert!(is_refused || !got.body.contains("does not name"), "{got:?}");
        }
    }
}

#[test]
fn every_answer_has_the_headers_that_bind_a_page() {
    let crawl = crawled(&site());
    let served = Served::start(&crawl);
    for path in [
        "/",
        "/pages",
        "/nothing",
        "/api/pages",
        "/api/nothing",
        "/assets/report.js",
        "/page?url=no%20url",
    ] {
        let got = served.get(path);
        for field in [
            "x-content-type-options: nosniff",
            "referrer-policy: no-referrer",
            "cache-control: no-store",
            "cross-origin-resource-policy: same-origin",
            "default-src 'none'; script-src 'self'; style-src 'self';",
            "frame-ancestors 'none'",
        ] {
            assert!(got.head.contains(field), "{path}: {got:?}");
        }
        assert!(
            !got.head.contains("unsafe-inline") && !got.head.contains("access-control"),
            "{got:?}"
        );
        // What the policy would refuse is not in the pages either.
        for part in ["<style", " style=", "javascript:", " onclick="] {
            assert!(
                !got.head.contains("text/html") || !got.body.contains(part),
                "{path}: {part}"
            );
        }
    }
    let options = served.send("OPTIONS /", &[&format!("Host: {}", served.address)], "");
    assert_eq!(options.status, 405);
}

#[test]
fn a_write_needs_the_own_origin_and_the_token() {
    let crawl = crawled(&site());
    let served = Served::start(&crawl);
    let host = format!("Host: {}", served.address);
    let own = format!("Origin: http://{}", served.address);
    let token = format!("X-Crawler-Token: {}", served.token);
    for lines in [
        vec![host.as_str()],
        vec![&host, &own],
        vec![&host, &own, "X-Crawler-Token: 00"],
        vec![&host, "Origin: http://foreign.example", &token],
        vec![&host, "Origin: null", &token],
        vec![&host, &own, "Sec-Fetch-Site: cross-site", &token],
    ] {
        let got = served.send("POST /api/nothing", &lines, "{}").with(403);
        assert!(got.json()["error"].is_string(), "{got:?}");
    }
    served
        .send("POST /api/nothing", &["Host: foreign.example", &own, &token], "{}")
        .with(421);
    served.post("/api/nothing", "{}").with(404);
}

#[test]
fn an_unusable_address_or_folder_ends_the_command() {
    let site = Site::of([("/", Answer::html("<p>nothing"))]);
    let crawl = crawled(&site);
    let taken = TcpListener::bind("127.0.0.1:0").unwrap();
    let address = taken.local_addr().unwrap().to_string();
    for (arguments, code, part) in [
        (
            ["--data", "data", "--listen", address.as_str()],
            2,
            "port 0 for a free one",
        ),
        (["--data", "data", "--listen", "0.0.0.0:0"], 2, "--public"),
        (["--data", "data", "--listen", "example.org:80"], 2, "127.0.0.1"),
        (["--listen", "127.0.0.1:0", "--data", "nowhere"], 1, "holds no crawl"),
    ] {
        let ended = run(crawler(["serve"]).args(arguments).current_dir(crawl.path("")));
        ended.with_code(code).complains_of(&[part]);
    }
}
