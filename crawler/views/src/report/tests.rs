use storage::HostRecord;

use super::clusters::Duplicate;
use super::texts::NoTexts;
use dedup::DuplicateRule;

use super::*;

/// A report with an entry in every part, and with hostile text.
pub fn sample() -> Report {
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
        id: 0,
        of: 1,
    };
    Report {
        as_of: None,
        about: About {
            data: "my data".to_owned(),
            seeds: vec!["http://a.example/1".to_owned()],
            further: 3,
            is_open: false,
        },
        counts,
        documents: vec![DocumentCount {
            kind: "html",
            fetched: 4,
            kept: 2,
        }],
        clusters: vec![
            Cluster {
                kept: "http://a.example/1".into(),
                title: "<script>alert(1)</script> \"quoted\" \u{202e}turned\u{1b}[31m".into(),
                worker: None,
                duplicates: vec![
                    duplicate("http://a.example/2", DuplicateVerdict::Exact, Some(0), Some(1.0)),
                    duplicate("http://a.example/3?<b>", DuplicateVerdict::Near, Some(5), Some(0.912)),
                ],
                id: 1,
            },
            Cluster {
                kept: "http://a.example/4".into(),
                title: "x".repeat(10_000),
                worker: None,
                duplicates: Vec::new(),
                id: 4,
            },
        ],
        orphans: vec![Orphan {
            duplicate: duplicate("http://a.example/9", DuplicateVerdict::Near, Some(2), Some(0.95)),
            of: "http://a.example/<b>".into(),
            of_id: 8,
        }],
        refresh: refreshed(),
        hosts: vec![
            Host::new("a.example".into(), counts, HostRecord::default(), 0),
            given_up(),
        ],
        failures: vec![
            Failure {
                url: "http://a.example/5".into(),
                kind: "http_404".into(),
                status: Some(404),
                detail: "HTTP status 404".into(),
                via: Some("http://a.example/1".into()),
                host: "a.example".into(),
            },
            Failure {
                url: "http://a.example/6".into(),
                kind: "timeout".into(),
                status: None,
                detail: "timed out".into(),
                via: None,
                host: "a.example".into(),
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
            in_html: false,
        }],
        steering: steering::Steering {
            held_back: 7,
            held_back_bytes: 70_000,
            deprioritised: 2,
            rules: vec![steering::LearnedRule {
                rule: "a.example: parameter <sid>".into(),
                meaning: "parameter <sid> never changes the page".into(),
                standing: "held_back",
                confirmed: 5,
                exact: 5,
                contradicted: 0,
                queued: 7,
                saved_requests: 7,
                saved_bytes: 70_000,
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
            traps: vec![steering::Trap {
                host: "a.example".into(),
                pattern: "/t/{mixed}/*?*".into(),
                kind: "trap",
                duplicates: 128,
                saved_requests: 0,
                saved_bytes: 0,
            }],
        },
        rendering: Rendering::default(),
        saved: Saved {
            duplicate_bytes: 40_000,
            requests: 7,
            unfetched_bytes: 70_000,
        },
        thresholds: Thresholds::from(&DuplicateRule::default()),
        variants: 1,
        histograms: Histograms {
            compared: 2,
            exact: 1,
            distances: vec![thresholds::AtDistance {
                distance: 5,
                dropped: 1,
                near_misses: 1,
            }],
            similarities: vec![thresholds::AtSimilarity {
                from: 0.74,
                to: 0.76,
                dropped: 0,
                near_misses: 1,
            }],
        },
        near_misses: vec![NearMiss {
            url: "http://a.example/4?</script>".into(),
            near: "http://a.example/1".into(),
            distance: Some(5),
            similarity: 0.75,
            because: near_misses::Because::Similarity,
            id: 4,
            near_id: 1,
        }],
        failure_groups: vec![FailureGroup {
            kind: "http_404".into(),
            host: "a.example".into(),
            count: 1,
            advice: None,
        }],
        timeline: Timeline {
            started_at: Some("2026-03-21T09:30:00Z".into()),
            ended_at: Some("2026-03-21T09:30:02Z".into()),
            seconds: 2,
            active_seconds: 2,
            interval_seconds: 1,
            intervals: vec![timeline::Interval {
                at: "2026-03-21T09:30:00Z".into(),
                kept: 2,
                exact: 1,
                near: 1,
            }],
        },
        provisional: false,
        redecided: Some(redecided::Redecided {
            at: "2026-03-21T10:00:00Z".into(),
            schemes_before: vec!["simhash64".into()],
            scheme: "simhash128".into(),
            rule: "at most 3 bits apart".into(),
            newly_kept: 1,
            newly_dropped: 0,
            otherwise: 2,
            without_text: 0,
            without_body: 1,
            changed: vec![redecided::ChangedVerdict {
                url: "http://a.example/again?<i>".into(),
                was: "near",
                verdict: "kept",
                of: None,
                id: 4,
            }],
        }),
    }
}

#[test]
fn every_form_shows_the_pages_decided_again() {
    let report = sample();
    let screen = report.screen(80);
    assert!(screen.contains("1 dropped page is now kept, 0 kept pages are now dropped"));
    let text = rendered(&report, Format::Text);
    assert!(
        text.contains("1 dropped page is now kept") && text.contains("kept  was near   http://a.example/again?<i>")
    );
    let html = rendered(&report, Format::Html);
    assert!(html.contains("Decided again") && html.contains("http://a.example/again?&#60;i&#62;"));
    let json: serde_json::Value = serde_json::from_str(&rendered(&report, Format::Json)).unwrap();
    assert_eq!(json["redecided"]["changed"][0]["was"], "near");
}

/// A report with lists that are longer than the HTML allows.
fn large() -> Report {
    let mut report = sample();
    for number in 0..60_000 {
        report.failures.push(Failure {
            url: format!("http://a.example/<b>/{number}/{}", "long/".repeat(20)),
            ..report.failures[0].clone()
        });
        report.clusters.push(Cluster {
            kept: format!("http://a.example/kept/{number}/{}", "long/".repeat(20)),
            ..report.clusters[0].clone()
        });
    }
    report
}

fn rendered(report: &Report, format: Format) -> String {
    report.render(format, &NoTexts, &Waiting::new(true)).unwrap()
}

/// A refresh that found one page changed and one gone.
fn refreshed() -> Refreshes {
    let last = storage::RefreshCounts {
        started_at: 1_774_085_400_000,
        due: 7,
        new: 1,
        changed: 1,
        unchanged: 2,
        gone: 1,
        ..storage::RefreshCounts::default()
    };
    Refreshes {
        refreshes: vec![refresh::RefreshResult::from(&last)],
        changed: vec![refresh::ChangedPage {
            url: "http://a.example/4?<b>".into(),
            at: "2026-03-21T09:31:00Z".into(),
            verdict: "near",
            was: "kept",
        }],
        gone: vec![refresh::GonePage {
            url: "http://a.example/\u{1b}[31m".into(),
            at: "2026-03-21T09:32:00Z".into(),
        }],
    }
}

/// A host that was given up after a failure with hostile text.
fn given_up() -> Host {
    let counts = Counts {
        discovered: 2,
        queued: 2,
        ..Counts::default()
    };
    let state = HostRecord {
        rests_until: 3_600_000,
        failures: 5,
        retired: true,
        last_failure: Some("no connection: \u{1b}[31m<script>".into()),
        ..HostRecord::default()
    };
    Host::new("dead.example".into(), counts, state, 0)
}

#[test]
fn every_form_shows_a_host_that_was_given_up_with_the_reason() {
    let report = sample();
    let text = rendered(&report, Format::Text);
    let section = text.split("Hosts resting or given up").nth(1).unwrap();
    for part in [
        "dead.example",
        "given up",
        "2 queued",
        "no connection",
        "1970-01-01T01:00:00Z",
    ] {
        assert!(section.contains(part), "{part} is not in {section}");
    }
    assert!(!section.lines().nth(1).unwrap().contains(" a.example"));
    let json: serde_json::Value = serde_json::from_str(&rendered(&report, Format::Json)).unwrap();
    let (well, dead) = (&json["hosts"][0], &json["hosts"][1]);
    assert_eq!(
        (&well["last_failure"], &well["rests_until"]),
        (&serde_json::Value::Null, &serde_json::Value::Null)
    );
    assert_eq!(well["standing"], "ready");
    assert_eq!((&dead["standing"], &dead["queued"]), (&"given_up".into(), &2.into()));
    assert_eq!(dead["rests_until"], "1970-01-01T01:00:00Z");
    let html = rendered(&report, Format::Html);
    assert!(html.contains("Resting or given up") && html.contains("dead.example"));
}

#[test]
fn every_form_shows_the_results_of_a_refresh() {
    let report = sample();
    let text = rendered(&report, Format::Text);
    let section = text
        .split("Last refresh (of 1), started 2026-03-21T09:30:00Z")
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
    let json: serde_json::Value = serde_json::from_str(&rendered(&report, Format::Json)).unwrap();
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
    let html = rendered(&report, Format::Html);
    assert!(html.contains("Last refresh") && html.contains("Pages that are gone"));
}

#[test]
fn the_json_has_the_documented_fields() {
    let json: serde_json::Value = serde_json::from_str(&rendered(&sample(), Format::Json)).unwrap();
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
fn the_json_has_near_misses_and_savings() {
    let json: serde_json::Value = serde_json::from_str(&rendered(&sample(), Format::Json)).unwrap();
    let miss = &json["near_misses"][0];
    assert_eq!(
        (&miss["near"], &miss["because"]),
        (&"http://a.example/1".into(), &"similarity".into())
    );
    assert_eq!(json["thresholds"]["max_distance"], 10);
    assert_eq!(json["histograms"]["distances"][0]["near_misses"], 1);
    assert_eq!(json["saved"]["duplicate_bytes"], 40_000);
    assert_eq!(json["failure_groups"][0]["count"], 1);
    assert_eq!(json["timeline"]["intervals"][0]["kept"], 2);
    assert_eq!(json["steering"]["rules"][0]["saved_requests"], 7);
}

#[test]
fn text_from_the_web_is_text_in_the_html() {
    let html = rendered(&sample(), Format::Html);
    let scripts: Vec<&str> = html.split("<script").skip(1).collect();
    for script in &scripts[..scripts.len() - 1] {
        assert!(script.starts_with(" type=\"application/json\" id="), "{script}");
    }
    assert!(
        scripts.last().unwrap().starts_with('>'),
        "the last one is the script of the page"
    );
    assert!(!html.contains("?<b>") && !html.contains("<b>"));
    assert!(!html.contains("?</script>"));
    assert!(html.contains("&#60;script&#62;alert(1)"), "shown as text");
    assert!(!html.contains('\u{202e}') && !html.contains('\u{1b}'));
    assert!(html.contains("[U+202E]turned[U+001B][31m"));
}

#[test]
fn the_html_has_a_bound_for_any_crawl() {
    let (small, large) = (rendered(&sample(), Format::Html), rendered(&large(), Format::Html));
    assert!(small.len() < 60_000, "{}", small.len());
    assert!(large.len() < 12_000_000, "{}", large.len());
    assert!(large.contains("are not shown, to limit the size of this page"));
    let failures = large.split("id=\"failures-list-rest\">").nth(1).unwrap();
    let rest: Vec<Vec<serde_json::Value>> = serde_json::from_str(failures.split("</script>").next().unwrap()).unwrap();
    assert!(
        rest.len() > 1_000 && rest.iter().all(|row| row.len() == 4),
        "{}",
        rest.len()
    );
}

#[test]
fn the_html_has_every_section() {
    let html = rendered(&sample(), Format::Html);
    for id in [
        "summary",
        "thresholds",
        "doubtful",
        "clusters",
        "hosts",
        "steering",
        "failures",
        "excluded",
        "redirects",
        "refresh",
        "timeline",
    ] {
        assert!(html.contains(&format!("<section id=\"{id}\"")), "{id}");
        assert!(html.contains(&format!("<a href=\"#{id}\">")), "{id}");
    }
}

#[test]
fn the_html_makes_no_request() {
    let html = rendered(&sample(), Format::Html);
    for asks in ["src=", "url(", "@import", "<link", "<iframe", "http-equiv=\"refresh\""] {
        assert!(!html.contains(asks), "{asks}");
    }
    for link in html.split("href=\"").skip(1) {
        let (target, rest) = link.split_once('"').unwrap();
        let is_web = target.starts_with("http://a.example/") && rest.starts_with(" rel=\"noopener noreferrer\">");
        assert!(target.starts_with('#') || is_web, "{target}");
    }
    let policy = html.split("Content-Security-Policy\" content=\"").nth(1).unwrap();
    let policy = policy.split('"').next().unwrap();
    assert!(
        policy.starts_with("default-src 'none'; style-src 'sha256-") && !policy.contains("unsafe"),
        "{policy}"
    );
}

#[test]
fn the_text_cannot_control_the_terminal() {
    let text = rendered(&sample(), Format::Text);
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
        as_of: None,
        about: About::default(),
        counts: Counts::default(),
        clusters: Vec::new(),
        orphans: Vec::new(),
        refresh: Refreshes::default(),
        hosts: Vec::new(),
        failures: Vec::new(),
        excluded: Vec::new(),
        redirects: Vec::new(),
        steering: steering::Steering::default(),
        documents: Vec::new(),
        rendering: Rendering::default(),
        saved: Saved::default(),
        thresholds: Thresholds::from(&DuplicateRule::default()),
        variants: 0,
        histograms: Histograms::of(&[], &[], &[], (10, 0)),
        near_misses: Vec::new(),
        failure_groups: Vec::new(),
        timeline: Timeline::default(),
        redecided: None,
        provisional: false,
    };
    for format in [Format::Text, Format::Json, Format::Html] {
        assert!(!rendered(&empty, format).is_empty());
        assert!(!rendered(&empty, format).contains("provisional:"));
    }
    let provisional = Report {
        provisional: true,
        ..empty
    };
    for format in [Format::Text, Format::Html] {
        assert!(rendered(&provisional, format).contains("The verdicts across workers are provisional"));
    }
    assert!(rendered(&provisional, Format::Json).contains("\"provisional\": true"));
    assert!(provisional.screen(80).contains("provisional"));
}
