use super::*;

/// A report with something in every part, and text that means harm.
pub(crate) fn sample() -> Report {
    let counts = Counts {
        discovered: 9,
        queued: 1,
        fetched: 4,
        kept: 2,
        exact: 1,
        near: 1,
        redirected: 1,
        failed: 2,
        excluded: 1,
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
        hosts: vec![Host {
            host: "a.example".into(),
            counts,
        }],
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
