//! The log file.

use std::fs;

use serde_json::Value;

use crate::support::crawl::Crawl;
use crate::support::page::{NO_LINKS, article, home};
#[cfg(feature = "otlp")]
use crate::support::site::Answer;
use crate::support::site::Site;

fn site() -> Site {
    Site::of([("/", home(&["/a"])), ("/a", article(1, NO_LINKS))])
}

#[test]
fn a_json_log_has_time_level_target_and_fields_and_the_next_run_appends_to_it() {
    let site = site();
    let mut crawl = Crawl::of(site.url("/"));
    crawl.add_seed("no url");
    for run in 1..=2 {
        crawl
            .end(&["--log-file", "crawl.log", "--log-format", "json", "--quiet"])
            .succeeded();
        let log = fs::read_to_string(crawl.path("crawl.log")).unwrap();
        let events: Vec<Value> = log.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
        for event in &events {
            let is_text = |field: &str| event[field].is_string();
            assert!(is_text("timestamp") && is_text("level") && is_text("target"), "{event}");
            assert!(event["fields"]["message"].is_string(), "{event}");
        }
        let with = |level: &str, part: &str| {
            let is_it = |event: &&Value| event["level"] == level && event.to_string().contains(part);
            events.iter().filter(is_it).count()
        };
        assert_eq!(with("WARN", "seeds.txt, line 2: skipped"), run, "{log}");
        assert_eq!(with("INFO", "configuration read"), run, "{log}");
    }
}

#[test]
fn a_log_file_does_not_change_standard_error() {
    let site = site();
    let mut crawl = Crawl::of(site.url("/"));
    crawl.add_seed("no url");
    let ended = crawl.end(&["--log-file", "crawl.log", "-v"]).succeeded();
    assert!(
        ended.stderr.contains("WARN seeds.txt, line 2") && ended.stderr.contains("DEBUG"),
        "{ended:?}"
    );
    let log = fs::read_to_string(crawl.path("crawl.log")).unwrap();
    assert!(log.contains("DEBUG") && log.contains("decided"), "{log}");
    let json = crawl.end(&["--log-format", "json"]).succeeded().stderr;
    let first = json.lines().next().unwrap();
    let event: Value = serde_json::from_str(first).unwrap();
    assert_eq!(event["level"], "WARN", "{json}");
}

#[test]
fn a_log_file_that_cannot_be_opened_ends_the_command_at_once() {
    let crawl = Crawl::of("http://127.0.0.1:1/");
    let ended = crawl.end(&["--log-file", "no/such/folder/crawl.log"]).with_code(2);
    ended.complains_of(&["--log-file no/such/folder/crawl.log", "an existing folder"]);
    assert!(!crawl.data().exists(), "a data folder was made");
}

#[cfg(target_os = "linux")]
#[test]
fn a_full_disk_loses_log_lines_and_nothing_else() {
    let site = site();
    let crawl = Crawl::of(site.url("/"));
    let ended = crawl.end(&["--log-file", "/dev/full"]).succeeded();
    ended
        .says(&["kept 2"])
        .complains_of(&["log lines could not be written to /dev/full"]);
}

#[cfg(feature = "otlp")]
#[test]
fn the_spans_of_a_crawl_are_posted_to_the_collector() {
    let (site, collector) = (site(), Site::scripted(|_| Answer::text("")));
    let crawl = Crawl::of(site.url("/"));
    let ended = crawl.end(&["--otlp", &collector.url("")]).succeeded();
    assert_eq!(ended.stderr, "", "neither a warning nor a span");
    let requests = collector.requests();
    assert!(!requests.is_empty());
    for request in requests {
        assert_eq!((&request.method[..], &request.path[..]), ("POST", "/v1/traces"));
    }
}

#[cfg(feature = "otlp")]
#[test]
fn a_collector_that_refuses_spans_is_warned_of_and_the_crawl_goes_on() {
    let (site, collector) = (site(), Site::scripted(|_| Answer::status(403)));
    let crawl = Crawl::of(site.url("/"));
    let ended = crawl.end(&["--otlp", &collector.url("/of/team")]).succeeded();
    let said = ["takes no spans", "/of/team", "403", "spans did not reach the collector"];
    ended.says(&["kept 2"]).complains_of(&said);
}

#[cfg(not(feature = "otlp"))]
#[test]
fn a_program_without_opentelemetry_says_how_to_build_one_that_has_it() {
    let crawl = Crawl::of("http://127.0.0.1:1/");
    let ended = crawl.end(&["--otlp", "http://127.0.0.1:4318"]).with_code(2);
    ended.complains_of(&["--otlp", "--features otlp"]);
    assert!(!crawl.data().exists(), "a data folder was made");
}
