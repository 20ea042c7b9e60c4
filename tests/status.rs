//! The status of a running crawl over HTTP: its figures, its guard, and that no client can delay the crawl.

use std::io::{Read, Write};
use std::net::{SocketAddr, TcpListener, TcpStream};
use std::process::Command;
use std::sync::Arc;
use std::time::Instant;

use serde_json::Value;

use crate::support::PATIENCE;
use crate::support::crawl::Crawl;
use crate::support::gate::Gate;
use crate::support::page::{NO_LINKS, article, home};
use crate::support::process::Running;
use crate::support::site::{Answer, Site};

/// A running crawl with a known status address.
pub struct Watched {
    pub process: Running,
    address: SocketAddr,
}

impl Watched {
    fn start(crawl: &Crawl, arguments: &[&str]) -> Self {
        let arguments: Vec<&str> = ["--status", "127.0.0.1:0"].iter().chain(arguments).copied().collect();
        Self::of(&mut crawl.command(&arguments))
    }

    /// A command with `--status`.
    pub fn of(command: &mut Command) -> Self {
        let process = Running::start(command);
        process.wait_for_stderr("/\n");
        let stderr = process.stderr();
        let url = stderr
            .lines()
            .find_map(|line| line.strip_prefix("status: http://"))
            .unwrap();
        let address = url.trim_end_matches('/').parse().unwrap();
        Self { process, address }
    }

    /// Head and body.
    pub fn get(&self, path: &str) -> (String, String) {
        ask(
            self.address,
            &format!("GET {path} HTTP/1.1\r\nHost: {}\r\n", self.address),
        )
    }

    fn figures(&self) -> Value {
        serde_json::from_str(&self.get("/status.json").1).unwrap()
    }

    /// Requests the figures until `holds` accepts them.
    #[track_caller]
    fn wait_until(&self, holds: impl Fn(&Value) -> bool) -> Value {
        let start = Instant::now();
        loop {
            let figures = self.figures();
            if holds(&figures) {
                return figures;
            }
            assert!(
                start.elapsed() < PATIENCE,
                "the figures never met the condition: {figures:#}"
            );
        }
    }
}

/// Head and body of the answer to a request with this head.
fn ask(address: SocketAddr, head: &str) -> (String, String) {
    let mut stream = TcpStream::connect(address).unwrap();
    // One write: the server may answer a refused head before its end.
    stream
        .write_all(format!("{head}Connection: close\r\n\r\n").as_bytes())
        .unwrap();
    let mut answer = String::new();
    stream.read_to_string(&mut answer).unwrap();
    let (head, body) = answer.split_once("\r\n\r\n").unwrap();
    (head.to_owned(), body.to_owned())
}

fn metric(metrics: &str, sample: &str) -> u64 {
    let line = metrics
        .lines()
        .find_map(|line| line.strip_prefix(sample)?.strip_prefix(' '));
    line.unwrap_or_else(|| panic!("{sample} is not in {metrics}"))
        .parse()
        .unwrap()
}

/// A site with every outcome. It answers `/last` after the gate opens.
fn site(gate: &Arc<Gate>) -> Site {
    let gate = gate.clone();
    let links = ["/a", "/b", "/copy", "/gone", "/moved", "/image", "/last"];
    Site::scripted(move |asked| match asked.path.as_str() {
        "/" => home(&links),
        "/a" | "/copy" => article(1, NO_LINKS),
        "/b" => article(2, NO_LINKS),
        "/moved" => Answer::redirect("/b"),
        "/image" => Answer::of_type("image/png", "no page"),
        "/last" => {
            assert!(gate.pass(), "nobody opened the gate");
            article(3, NO_LINKS)
        }
        _ => Answer::status(404),
    })
}

#[test]
fn the_figures_after_the_end_are_those_of_the_report() {
    let gate = Arc::new(Gate::closed());
    gate.open();
    let site = site(&gate);
    let crawl = Crawl::of(site.url("/"));
    let watched = Watched::start(&crawl, &["--status-linger", "1h"]);
    watched.process.wait_for_stderr("stays available for 1h");
    let report = crawl.report();
    let figures = watched.figures();
    assert_eq!(figures["counts"], report["counts"]);
    assert_eq!(
        (&figures["state"], &figures["ending"]),
        (&"ended".into(), &"exhausted".into())
    );
    assert_eq!(report["counts"]["fetched"], 5, "{report:#}");
    assert_eq!(figures["run"]["failures"], serde_json::json!({ "http_404": 1 }));
    assert_eq!(figures["run"]["requests"], site.requests().len());
    let (_, metrics) = watched.get("/metrics");
    for outcome in ["kept", "exact", "near", "redirected", "failed", "excluded", "gone"] {
        let told = metric(&metrics, &format!("crawler_decided_urls{{outcome=\"{outcome}\"}}"));
        assert_eq!(report["counts"][outcome], told, "{outcome}");
    }
    for verdict in ["kept", "exact", "near"] {
        let told = metric(&metrics, &format!("crawler_pages_total{{verdict=\"{verdict}\"}}"));
        assert_eq!(report["counts"][verdict], told, "{verdict}");
    }
    assert_eq!(metric(&metrics, "crawler_failures_total{kind=\"http_404\"}"), 1);
    assert_eq!(
        metric(&metrics, "crawler_fetch_seconds_count"),
        site.requests().len() as u64
    );
    assert_eq!(metric(&metrics, "crawler_running"), 0);
    let (_, page) = watched.get("/");
    for (name, count) in report["counts"].as_object().unwrap() {
        // The bytes are not on the page.
        if !name.starts_with("bytes") {
            let shown = format!("data-number=\"counts.{name}\">{count}<");
            assert!(page.contains(&shown), "{shown} is not in {page}");
        }
    }
    watched.process.interrupt();
    watched.process.wait().succeeded().says(&["Finished", "kept 4"]);
    assert!(
        TcpStream::connect(watched.address).is_err(),
        "the server ends with the process"
    );
}

#[test]
fn a_running_crawl_shows_its_state() {
    let gate = Arc::new(Gate::closed());
    let site = site(&gate);
    let crawl = Crawl::of(site.url("/"));
    let watched = Watched::start(&crawl, &["--max-pages", "100"]);
    gate.wait_for_arrival();
    let figures = watched.wait_until(|figures| figures["counts"]["queued"] == 1 && figures["hosts"]["fetching"] == 1);
    assert_eq!(figures["state"], "running");
    assert_eq!(figures["limits"]["max_pages"], 100);
    assert_eq!(figures["counts"]["fetched"], 4, "{figures:#}");
    let host = site.url("").replace("http://", "");
    let figures = watched.wait_until(|figures| figures["largest_hosts"][0]["urls"] == 1);
    assert_eq!(figures["largest_hosts"][0]["host"], host.as_str());
    assert_eq!(figures["largest_hosts"][0]["state"], "fetching");
    let (_, metrics) = watched.get("/metrics");
    assert_eq!(metric(&metrics, "crawler_queued_urls"), 1);
    assert_eq!(metric(&metrics, "crawler_hosts{state=\"fetching\"}"), 1);
    assert_eq!(metric(&metrics, "crawler_running"), 1);
    gate.open();
    watched.process.wait().succeeded();
}

#[test]
fn a_resting_host_is_shown_with_its_reason() {
    let site = Site::scripted(|_| Answer::status(503).with("retry-after", "300"));
    let crawl = Crawl::of(site.url("/"));
    let watched = Watched::start(&crawl, &[]);
    let figures = watched.wait_until(|figures| figures["hosts"]["resting"] == 1);
    let host = &figures["largest_hosts"][0];
    assert_eq!(
        (&host["state"], &host["failure"]),
        (&"resting".into(), &"HTTP status 503".into())
    );
    assert!(
        host["until"].as_str().is_some_and(|until| until.ends_with('Z')),
        "{host}"
    );
    watched.process.interrupt();
    watched.process.wait().with_code(130);
}

#[test]
fn the_server_answers_only_permitted_requests() {
    let gate = Arc::new(Gate::closed());
    let site = site(&gate);
    let crawl = Crawl::of(site.url("/"));
    let watched = Watched::start(&crawl, &[]);
    let own = format!("Host: {}\r\n", watched.address);
    for (head, status) in [
        (format!("GET / HTTP/1.1\r\n{own}"), "200"),
        (format!("HEAD /metrics HTTP/1.1\r\n{own}"), "200"),
        (format!("GET /status.json?x=1 HTTP/1.1\r\n{own}"), "200"),
        ("GET /metrics HTTP/1.0\r\n".to_owned(), "200"),
        ("GET /metrics HTTP/1.1\r\nHost: localhost:80\r\n".to_owned(), "200"),
        ("GET /metrics HTTP/1.1\r\nHost: rebound.example\r\n".to_owned(), "421"),
        (format!("GET /etc/passwd HTTP/1.1\r\n{own}"), "404"),
        (format!("POST / HTTP/1.1\r\n{own}Content-Length: 0\r\n"), "405"),
        (
            format!("OPTIONS /metrics HTTP/1.1\r\n{own}Origin: http://other.example\r\n"),
            "405",
        ),
        (
            format!("GET / HTTP/1.1\r\n{own}Filling: {}\r\n", "x".repeat(60_000)),
            "431",
        ),
        ("nonsense\r\n".to_owned(), "400"),
    ] {
        let (answer, body) = ask(watched.address, &head);
        let shown = &head[..head.len().min(80)];
        assert!(
            answer.starts_with(&format!("HTTP/1.1 {status}")) || answer.starts_with(&format!("HTTP/1.0 {status}")),
            "{shown}: {answer}"
        );
        assert!(!answer.to_lowercase().contains("access-control"), "{answer}");
        if ["200", "404", "405", "421"].contains(&status) {
            for field in [
                "cache-control: no-store",
                "x-content-type-options: nosniff",
                "content-security-policy: default-src 'none'",
            ] {
                assert!(answer.contains(field), "{shown}: {answer}");
            }
        }
        assert!(!head.starts_with("HEAD") || body.is_empty());
    }
    let (head, page) = watched.get("/");
    let nonce = page
        .split_once("<script nonce=\"")
        .unwrap()
        .1
        .split_once('"')
        .unwrap()
        .0;
    assert!(head.contains(&format!("script-src 'nonce-{nonce}'")), "{head}");
    gate.open();
    watched.process.wait().succeeded();
}

#[test]
fn unfinished_requests_do_not_delay_the_crawl() {
    let gate = Arc::new(Gate::closed());
    let site = site(&gate);
    let crawl = Crawl::of(site.url("/"));
    let watched = Watched::start(&crawl, &[]);
    let slow: Vec<TcpStream> = (0..100)
        .map(|_| {
            let mut stream = TcpStream::connect(watched.address).unwrap();
            stream.write_all(b"GET / HTTP/1.1\r\nHost: local").unwrap();
            stream
        })
        .collect();
    gate.wait_for_arrival();
    gate.open();
    watched.process.wait().succeeded().says(&["Finished", "kept 4"]);
    drop(slow);
}

#[test]
fn an_unusable_address_ends_the_command_before_the_crawl() {
    let taken = TcpListener::bind("127.0.0.1:0").unwrap();
    let taken = taken.local_addr().map(|address| (taken, address.to_string())).unwrap();
    let crawl = Crawl::of("http://127.0.0.1:1/");
    for (arguments, part) in [
        (vec!["--status", taken.1.as_str()], "port 0 for a free one"),
        (vec!["--status", "0.0.0.0:0"], "--status-public"),
        (vec!["--status", "example.org:80"], "127.0.0.1:9100"),
        (vec!["--status-linger", "1s"], "--status <ADDRESS:PORT>"),
    ] {
        crawl.end(&arguments).with_code(2).complains_of(&[part]);
        assert!(!crawl.data().exists(), "a data folder was made");
    }
}
