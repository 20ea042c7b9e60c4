use storage::HostState;

use super::*;

/// A report with something in every part, and text that means harm.
pub(crate) fn sample() -> Report {
    let counts = Counts {
        discovered: 10,
        queued: 1,
        fetched: 4,
        kept: 2,
        exact: 1,
        near: 1,
        redirected: 1,
        failed: 2,
        excluded: 1,
        gone: 1,
        due: 3,
        bytes_fetched: 123_456,
        bytes_kept: 65_432,
    };
    let duplicate = |url: &str, verdict, distance, similarity| Duplicate {
        url: url.into(),
        verdict,
        distance,
        similarity,
    };
    Report {
        counts,
        clusters: vec![
            Cluster {
                kept: "http://a.example/1".into(),
                title: "<script>alert(1)</script> \"quoted\" \u{202e}turned\u{1b}[31m".into(),
                duplicates: vec![
                    duplicate("http://a.example/2", DuplicateVerdict::Exact, Some(0), Some(1.0)),
                    duplicate("http://a.example/3?<b>", DuplicateVerdict::Near, Some(5), Some(0.912)),
                ],
            },
            Cluster {
                kept: "http://a.example/4".into(),
                title: "x".repeat(10_000),
                duplicates: Vec::new(),
            },
        ],
        orphans: vec![Orphan {
            duplicate: duplicate("http://a.example/9", DuplicateVerdict::Near, Some(2), Some(0.95)),
            of: "http://a.example/<b>".into(),
        }],
        refresh: refreshed(),
        hosts: vec![
            Host::new("a.example".into(), counts, HostState::default(), 0),
            left_alone(),
        ],
        failures: vec![
            Failure {
                url: "http://a.example/5".into(),
                kind: "http_404".into(),
                status: Some(404),
                detail: "HTTP status 404".into(),
                via: Some("http://a.example/1".into()),
            },
            Failure {
                url: "http://a.example/6".into(),
                kind: "timeout".into(),
                status: None,
                detail: "timed out".into(),
                via: None,
            },
        ],
        excluded: vec![Excluded {
            url: "http://a.example/7".into(),
            reason: "robots.txt: Disallow: /7".into(),
        }],
        redirects: vec![Redirect {
            url: "http://a.example/8".into(),
            to: "http://a.example/1".into(),
            status: 301,
        }],
        steering: steering::Steering {
            left: 7,
            left_bytes: 70_000,
            snoozed: 2,
            rules: vec![steering::LearnedRule {
                rule: "a.example: parameter <sid>".into(),
                meaning: "parameter <sid> never changes the page".into(),
                state: "left",
                confirmed: 5,
                exact: 5,
                contradicted: 0,
                queued: 7,
                examples: vec![steering::Example {
                    url: "http://a.example/2?<sid>=1".into(),
                    same_as: "http://a.example/1".into(),
                }],
            }],
            patterns: vec![steering::Pattern {
                host: "a.example".into(),
                pattern: "/print/*".into(),
                pages: 12,
                duplicates: 11,
            }],
        },
    }
}

/// Of a page that changed and one that is gone.
fn refreshed() -> refresh::Refreshed {
    let last = storage::Refresh {
        started_at: 1_774_085_400_000,
        due: 7,
        new: 1,
        changed: 1,
        unchanged: 2,
        gone: 1,
        ..storage::Refresh::default()
    };
    refresh::Refreshed {
        refreshes: vec![refresh::Refresh::from(&last)],
        changed: vec![refresh::Changed {
            url: "http://a.example/4?<b>".into(),
            at: "2026-03-21T09:31:00Z".into(),
            verdict: "near",
            was: "kept",
        }],
        gone: vec![refresh::Gone {
            url: "http://a.example/\u{1b}[31m".into(),
            at: "2026-03-21T09:32:00Z".into(),
        }],
    }
}

/// A host whose failure has something to tell terminals and browsers.
fn left_alone() -> Host {
    let counts = Counts {
        discovered: 2,
        queued: 2,
        ..Counts::default()
    };
    let state = HostState {
        rests_until: 3_600_000,
        failures: 5,
        retired: true,
        last_failure: Some("no connection: \u{1b}[31m<script>".into()),
        ..HostState::default()
    };
    Host::new("dead.example".into(), counts, state, 0)
}

#[test]
fn a_host_that_is_left_alone_is_in_every_form_with_the_reason() {
    let report = sample();
    let text = report.render(ReportFormat::Text).unwrap();
    let section = text.split("Hosts left alone").nth(1).unwrap();
    for part in [
        "dead.example",
        "retired",
        "2 queued",
        "no connection",
        "1970-01-01T01:00:00Z",
    ] {
        assert!(section.contains(part), "{part} is not in {section}");
    }
    assert!(!section.lines().nth(1).unwrap().contains(" a.example"));
    let json: serde_json::Value = serde_json::from_str(&report.render(ReportFormat::Json).unwrap()).unwrap();
    let (well, dead) = (&json["hosts"][0], &json["hosts"][1]);
    assert_eq!(
        (&well["last_failure"], &well["rests_until"]),
        (&serde_json::Value::Null, &serde_json::Value::Null)
    );
    assert_eq!((&dead["state"], &dead["queued"]), (&"retired".into(), &2.into()));
    assert_eq!(dead["rests_until"], "1970-01-01T01:00:00Z");
    let html = report.render(ReportFormat::Html).unwrap();
    assert!(html.contains("Left alone") && html.contains("dead.example"));
}

#[test]
fn what_a_refresh_came_to_is_in_every_form() {
    let report = sample();
    let text = report.render(ReportFormat::Text).unwrap();
    let section = text
        .split("Last refresh (of 1), begun 2026-03-21T09:30:00Z")
        .nth(1)
        .unwrap();
    for part in [
        "changed  http://a.example/4?<b>  near (was kept)",
        "unchanged",
        "2026-03-21T09:32:00Z",
    ] {
        assert!(section.contains(part), "{part} is not in {section}");
    }
    assert!(
        text.contains("near  http://a.example/9  of http://a.example/<b>"),
        "{text}"
    );
    assert!(text.contains("visits still to be made"));
    let json: serde_json::Value = serde_json::from_str(&report.render(ReportFormat::Json).unwrap()).unwrap();
    let last = &json["refresh"]["refreshes"][0];
    assert_eq!(
        (&last["due"], &last["unchanged"], &last["gone"]),
        (&7.into(), &2.into(), &1.into())
    );
    assert_eq!(json["refresh"]["changed"][0]["was"], "kept");
    assert_eq!(json["orphans"][0]["verdict"], "near");
    assert_eq!(
        (&json["counts"]["gone"], &json["counts"]["due"]),
        (&1.into(), &3.into())
    );
    let html = report.render(ReportFormat::Html).unwrap();
    assert!(html.contains("Last refresh") && html.contains("Pages that are gone"));
}

#[test]
fn the_json_has_the_documented_fields() {
    let json: serde_json::Value = serde_json::from_str(&sample().render(ReportFormat::Json).unwrap()).unwrap();
    assert_eq!(json["counts"]["kept"], 2);
    assert_eq!(json["clusters"][0]["kept"], "http://a.example/1");
    let near = &json["clusters"][0]["duplicates"][1];
    assert_eq!(near["verdict"], "near");
    assert_eq!(near["distance"], 5);
    assert!((near["similarity"].as_f64().unwrap() - 0.912).abs() < 1e-6);
    assert_eq!(json["clusters"][1]["duplicates"].as_array().unwrap().len(), 0);
    assert_eq!(json["hosts"][0]["host"], "a.example");
    assert_eq!(json["hosts"][0]["near"], 1);
    assert_eq!(json["failures"][0]["kind"], "http_404");
    assert_eq!(json["failures"][1]["status"], serde_json::Value::Null);
    assert_eq!(json["excluded"][0]["reason"], "robots.txt: Disallow: /7");
}

#[test]
fn what_came_from_the_web_is_text_in_the_html() {
    let html = sample().render(ReportFormat::Html).unwrap();
    assert!(!html.contains("<script") && !html.contains("?<b>"));
    assert!(html.contains("&#60;script&#62;alert(1)"), "shown as text");
    assert!(html.len() < 20_000, "long titles are cut: {}", html.len());
}

#[test]
fn the_html_asks_no_host_for_anything() {
    let html = sample().render(ReportFormat::Html).unwrap();
    for asks in ["src=", "href=", "url(", "@import", "<link", "<iframe"] {
        assert!(!html.contains(asks), "{asks}");
    }
    assert!(html.contains("default-src 'none'"));
}

#[test]
fn the_text_fits_the_terminal_and_tells_it_nothing() {
    let text = sample().render(ReportFormat::Text).unwrap();
    assert!(!text.contains('\u{1b}') && !text.contains('\u{202e}'));
    assert!(text.contains("2 of 4 pages said nothing new (50.0 %)"), "{text}");
    assert!(text.contains("near    5 bits  0.912"), "{text}");
    assert!(
        text.contains("http_404") && text.contains("robots.txt: Disallow: /7"),
        "{text}"
    );
}

#[test]
fn an_empty_crawl_has_a_report_too() {
    let empty = Report {
        counts: Counts::default(),
        clusters: Vec::new(),
        orphans: Vec::new(),
        refresh: refresh::Refreshed::default(),
        hosts: Vec::new(),
        failures: Vec::new(),
        excluded: Vec::new(),
        redirects: Vec::new(),
        steering: steering::Steering::default(),
    };
    for format in [ReportFormat::Text, ReportFormat::Json, ReportFormat::Html] {
        assert!(!empty.render(format).unwrap().is_empty());
    }
}
