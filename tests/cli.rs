//! The commands: their help, their forms, their exit codes.

use std::fs;
use std::process::Stdio;

use crate::support::crawl::Crawl;
use crate::support::outcomes::{expected, list};
use crate::support::page::{NO_LINKS, home, page, words};
use crate::support::process::{crawler, run};
use crate::support::site::{Answer, Site};

/// Two articles, a copy of one, a page that is missing.
fn finished() -> (Site, Crawl) {
    let text = words(1, 120);
    let site = Site::of([
        ("/", home(&["/a", "/missing"])),
        ("/a", page("First &amp; last", &text, &["/copy", "/b"])),
        ("/copy", page("Copy", &text, NO_LINKS)),
        ("/b", page("Second", &words(2, 120), NO_LINKS)),
    ]);
    let crawl = Crawl::of(site.url("/"));
    crawl.run();
    (site, crawl)
}

#[test]
fn the_help_of_every_command_names_its_flags() {
    for (command, flags) in [
        (
            &[][..],
            &[
                "run",
                "report",
                "export",
                "demo",
                "dedup",
                "config",
                "completions",
                "man",
                "--log-file",
                "--log-format",
                "--verbose",
                "--quiet",
                "--version",
                "Exit codes",
            ][..],
        ),
        (
            &["run"],
            &[
                "--seeds",
                "--config",
                "--data",
                "--max-pages",
                "--max-duration",
                "--allow-private",
                "--status",
                "--status-public",
                "--status-linger",
                "Ctrl-C",
            ],
        ),
        (
            &["report"],
            &[
                "--data", "--config", "--format", "--full", "--output", "text", "json", "html",
            ],
        ),
        (
            &["export"],
            &[
                "--data",
                "--format",
                "--output",
                "jsonl",
                "csv",
                "parquet",
                "markdown",
                "text",
                "cdxj",
                "--host",
                "--language",
                "--since",
                "--until",
                "--match",
                "--verdict",
                ".partial",
                "Exit codes",
            ],
        ),
        (
            &["evaluate"],
            &[
                "--pages",
                "--pairs",
                "--features",
                "--weights",
                "--bits",
                "--distances",
                "--confirm",
                "--csv",
                "--svg",
            ],
        ),
        (&["layouts"], &["--bits", "--distance", "--documents", "pigeonhole"]),
        (&["demo"], &["--data", "--config", "--serve"]),
        (
            &["dedup"],
            &[
                "--output",
                "--kept",
                "--format",
                "--id-field",
                "--text-field",
                "--title-field",
                "--url-field",
                "--config",
                "--max-distance",
                "--min-similarity",
                "--candidates",
                "--max-document-bytes",
                "Exit codes",
                ".partial",
            ],
        ),
    ] {
        run(crawler(command).arg("--help")).succeeded().says(flags);
    }
    run(&mut crawler(["--version"]))
        .succeeded()
        .says(&[env!("CARGO_PKG_VERSION")]);
}

#[test]
fn the_layouts_of_a_distance_are_listed_with_their_costs() {
    let layouts = ["layouts", "--distance", "3", "--documents", "17179869184"];
    // Four tables of 16 bits at 2^34 fingerprints: 4 · 2^18 candidates (Manku, Jain, Das Sarma 2007).
    run(&mut crawler(layouts))
        .succeeded()
        .says(&["prefix bits", "1 048 576", "never takes them at this distance"]);
    run(&mut crawler(["layouts", "--distance", "10"]))
        .succeeded()
        .says(&["check µs", "0.99999", "kept pages on"]);
    run(&mut crawler(["layouts", "--bits", "32", "--distance", "40"]))
        .with_code(2)
        .complains_of(&[
            "32 bits cannot guarantee a Hamming distance of 40",
            "choose at most 11 bits",
        ]);
}

#[test]
fn an_invalid_command_line_ends_with_exit_code_2() {
    for arguments in [
        &[][..],
        &["crawl"],
        &["run"],
        &["run", "--seeds", "s.txt", "--max-pages", "0"],
        &["run", "--seeds", "s.txt", "--max-duration", "soon"],
        &["run", "--seeds", "s.txt", "--max-duration", "0s"],
        &["dedup"],
        &["dedup", "no-such-file"],
        &["dedup", "-", "--format", "odt"],
        &["dedup", "-", "--max-distance", "40"],
        &["dedup", "-", "--min-similarity", "0"],
        &["dedup", "-", "--max-document-bytes", "0"],
        &["dedup", "-", "--kept", "-"],
        &["dedup", "-", "-"],
        &["report", "--format", "xml"],
        &["export", "--format", "pdf"],
        &["report", "--quiet", "--verbose"],
    ] {
        let ended = run(&mut crawler(arguments)).with_code(2);
        assert!(
            ended.stdout.is_empty() && !ended.stderr.is_empty(),
            "{arguments:?}: {ended:?}"
        );
        // Without an argument, the help is the answer.
        assert!(
            arguments.is_empty() || ended.stderr.starts_with("crawler: "),
            "{arguments:?}: {ended:?}"
        );
    }
}

#[test]
fn a_slip_on_the_command_line_is_answered_with_what_to_write() {
    let folder = tempfile::tempdir().unwrap();
    let fails = |arguments: &[&str], parts: &[&str]| {
        run(crawler(arguments).current_dir(folder.path()))
            .with_code(2)
            .complains_of(parts);
    };
    fails(&[], &["Log to standard error: -v decisions"]);
    fails(&["crawl", "https://a.example/"], &["`crawler run URL` crawls a site"]);
    let url = "https://a.example/";
    fails(
        &["run", url, "--max-pages", "ten"],
        &["write a whole number from 1, such as 1000"],
    );
    fails(&["run", url, "--delay", "fast"], &["write one such as 250ms or 2s"]);
    fails(&["run", url, "--delay", "3"], &["the unit is missing; write 3s"]);
    fails(
        &["run", "http://"],
        &["empty host", "write a URL such as https://example.org/"],
    );
    fails(&["run", "not a url"], &["https://example.org/"]);
    assert!(!folder.path().join("data").exists());
}

#[test]
fn a_site_that_does_not_answer_is_named_with_what_to_check() {
    let folder = tempfile::tempdir().unwrap();
    let here = |arguments: &[&str]| run(crawler(arguments).current_dir(folder.path()));
    let listener = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    let url = format!("http://{}/", listener.local_addr().unwrap());
    drop(listener);
    fs::write(folder.path().join("config.toml"), "politeness.retry_delay_ms = 1\n").unwrap();
    let ended = here(&["run", &url, "--allow-private", "--delay", "0"]).with_code(5);
    ended
        .says(&["check scheme, name and port of the URL"])
        .complains_of(&["no seed led to a page: 1 host was given up"]);
    let report = here(&["report"]).succeeded();
    assert!(!report.stdout.contains("crawler tune"), "{}", report.stdout);
    let blocked = folder.path().join("file");
    fs::write(&blocked, "").unwrap();
    let ended = here(&["run", &url, "--data", "file/data"]).with_code(1);
    assert!(!ended.stderr.contains("crawling "), "{}", ended.stderr);
}

#[test]
fn the_text_report_shows_counts_clusters_hosts_and_failures() {
    let (site, crawl) = finished();
    let report = crawl.read("report", &["--full"]).succeeded();
    let (a, copy, missing) = (site.url("/a"), site.url("/copy"), site.url("/missing"));
    report.says(&[
        "kept",
        "exact",
        &a,
        &copy,
        "First & last",
        "0 bits",
        "1.000",
        "http_404",
        &missing,
        "Hosts",
    ]);
}

#[test]
fn the_json_report_has_its_documented_form() {
    let (site, crawl) = finished();
    let report = crawl.report();
    for name in [
        "discovered",
        "queued",
        "fetched",
        "kept",
        "exact",
        "near",
        "redirected",
        "failed",
        "excluded",
    ] {
        assert!(report["counts"][name].is_u64(), "{name}");
    }
    let clusters = list(&report, "clusters");
    let cluster = clusters
        .iter()
        .find(|cluster| !list(cluster, "duplicates").is_empty())
        .unwrap();
    // The link to the copy stands on the page itself, so the copy is met later.
    let wanted = serde_json::json!({
        "kept": site.url("/a"),
        "title": "First & last",
        "duplicates": [{"url": site.url("/copy"), "verdict": "exact", "distance": 0, "similarity": 1.0}],
    });
    assert_eq!(cluster, &wanted);
    assert_eq!(
        report["hosts"][0]["host"],
        site.url("/").trim_start_matches("http://").trim_end_matches('/')
    );
    let failure = serde_json::json!({
        "url": site.url("/missing"), "kind": "http_404", "status": 404, "detail": "HTTP status 404", "via": site.url("/"),
    });
    assert_eq!(list(&report, "failures"), [failure]);
}

#[test]
fn an_output_file_is_written_whole_and_equals_standard_output() {
    let (_site, crawl) = finished();
    for (command, arguments) in [
        ("report", &["--format", "text"][..]),
        ("report", &["--format", "json"]),
        ("report", &["--format", "html"]),
        ("export", &["--format", "jsonl"]),
    ] {
        let shown = crawl.read(command, arguments).succeeded().stdout;
        fs::write(crawl.path("out"), "what was there before, and longer than nothing").unwrap();
        let written = crawl
            .read(command, &[arguments, &["--output", "out"]].concat())
            .succeeded();
        assert_eq!(written.stdout, "");
        assert_eq!(
            fs::read_to_string(crawl.path("out")).unwrap(),
            shown,
            "{command} {arguments:?}"
        );
        assert!(!crawl.path("out.partial").exists());
    }
}

#[test]
fn an_output_file_that_cannot_be_written_is_named() {
    let (_site, crawl) = finished();
    for command in ["report", "export"] {
        let ended = crawl.read(command, &["--output", "no/such/folder/out"]).with_code(1);
        ended.complains_of(&["no/such/folder/out"]);
    }
}

#[test]
fn an_exported_line_has_the_documented_fields() {
    let (site, crawl) = finished();
    let lines = crawl.export();
    assert_eq!(lines.len(), 3);
    let line = lines.iter().find(|line| line["url"] == site.url("/a")).unwrap();
    assert_eq!(line["title"], "First & last");
    let first_word = words(1, 1);
    assert!(line["text"].as_str().unwrap().starts_with(&first_word), "{line}");
    assert_eq!(line["language"], "en");
    let fetched_at = line["fetched_at"].as_str().unwrap();
    assert!(
        fetched_at.starts_with("20") && fetched_at.ends_with('Z') && fetched_at.contains('T'),
        "{fetched_at}"
    );
    let fingerprint = line["fingerprint"].as_str().unwrap();
    assert!(
        fingerprint.len() == 16 && u64::from_str_radix(fingerprint, 16).is_ok(),
        "{fingerprint}"
    );
    assert_eq!((&line["status"], &line["encoding"]), (&200.into(), &"UTF-8".into()));
    let home = lines.iter().find(|line| line["url"] == site.url("/")).unwrap();
    assert_eq!(
        (&home["text"], &home["fingerprint"]),
        (&"".into(), &serde_json::Value::Null)
    );
}

#[test]
fn a_folder_without_a_crawl_is_named_and_left_as_it_is() {
    let folder = tempfile::tempdir().unwrap();
    for command in ["report", "export"] {
        for data in [".", "nothing-here"] {
            let ended = run(crawler([command, "--data", data]).current_dir(folder.path()));
            ended
                .with_code(1)
                .complains_of(&[data, "holds no crawl", "crawler run"]);
        }
    }
    assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 0);
}

#[test]
fn a_damaged_state_is_reported_as_an_error() {
    let (_site, crawl) = finished();
    for entry in fs::read_dir(crawl.data().join("state")).unwrap() {
        let path = entry.unwrap().path();
        if path.is_file() {
            fs::write(path, [0x5a; 4096]).unwrap();
        }
    }
    crawl.read("report", &[]).with_code(1).complains_of(&["data", "state"]);
    crawl.end(&[]).with_code(1).complains_of(&["data", "state"]);
}

#[test]
fn a_reader_that_stops_reading_is_no_error() {
    let (_site, crawl) = finished();
    for arguments in [
        &["report"][..],
        &["report", "--format", "json"],
        &["report", "--format", "html"],
        &["export"],
    ] {
        let (reader, writer) = std::io::pipe().unwrap();
        drop(reader);
        let mut process = crawler(arguments);
        process
            .current_dir(crawl.path(""))
            .stdout(Stdio::from(writer))
            .stderr(Stdio::piped());
        let ended = process.spawn().unwrap().wait_with_output().unwrap();
        let stderr = String::from_utf8_lossy(&ended.stderr);
        assert_eq!((ended.status.code(), stderr.as_ref()), (Some(0), ""), "{arguments:?}");
    }
}

/// A title that would do harm, in its HTML spelling.
const HARMFUL_TITLE: &str = "&lt;script&gt;alert(1)&lt;/script&gt;&lt;img src=x onerror=alert(2)&gt;\u{1b}[2J\u{202e}";

#[test]
fn a_title_does_no_harm_to_a_browser_or_a_terminal() {
    let site = Site::scripted(move |asked| match asked.path.as_str() {
        "/" => home(&[
            "/a?x='&quot;<script>alert(3)</script>",
            "/missing?<script>alert(4)</script>",
            "/b",
        ]),
        "/robots.txt" => Answer::status(404),
        path if path.starts_with("/missing") => Answer::status(404),
        _ => page(HARMFUL_TITLE, &words(1, 100), NO_LINKS),
    });
    let crawl = Crawl::of(site.url("/"));
    crawl.run();
    let html = crawl.read("report", &["--format", "html"]).succeeded().stdout;
    assert!(html.contains("alert(1)"), "the title is not shown");
    let scripts = html.matches("<script").count() - html.matches("<script type=\"application/json\"").count();
    assert_eq!((scripts, html.contains("<img")), (1, false), "{html}");
    assert!(!html.contains("http-equiv=\"refresh\"") && html.contains("default-src 'none'"));
    let text = crawl.read("report", &[]).succeeded().stdout;
    assert!(text.contains("alert(1)"), "{text}");
    assert!(!text.contains('\u{1b}') && !text.contains('\u{202e}'), "{text:?}");
    assert_eq!(crawl.export().len(), 2);
}

#[test]
fn quiet_prints_the_result_of_a_run_and_nothing_else() {
    let site = Site::of([("/", home(NO_LINKS))]);
    let ended = Crawl::of(site.url("/"))
        .set("identity.contact_url", "\"\"")
        .end(&["--quiet"])
        .succeeded();
    assert_eq!(ended.stderr, "");
    assert!(
        ended.stdout.starts_with("Finished in ") && ended.stdout.contains("kept 1"),
        "{}",
        ended.stdout
    );
}

#[test]
fn verbose_logs_every_verdict() {
    let site = Site::of([("/", home(NO_LINKS))]);
    let ended = Crawl::of(site.url("/")).end(&["-v"]).succeeded();
    ended.complains_of(&["decided", &site.url("/")]);
}

#[test]
fn a_log_outside_a_terminal_has_no_colours() {
    let site = Site::of([("/", home(NO_LINKS))]);
    let ended = Crawl::of(site.url("/")).end(&["-vv"]).succeeded();
    assert!(
        !ended.stderr.is_empty() && !ended.stderr.contains('\u{1b}'),
        "{}",
        ended.stderr
    );
}

#[test]
fn a_run_with_a_closed_standard_output_still_finishes_the_crawl() {
    let site = Site::of([("/", home(&["/a"])), ("/a", page("A", &words(1, 100), NO_LINKS))]);
    let crawl = Crawl::of(site.url("/"));
    let (reader, writer) = std::io::pipe().unwrap();
    drop(reader);
    let mut process = crawl.command(&[]);
    process.stdout(Stdio::from(writer)).stderr(Stdio::piped());
    let ended = process.spawn().unwrap().wait_with_output().unwrap();
    let stderr = String::from_utf8_lossy(&ended.stderr);
    assert!(ended.status.success() && !stderr.contains("panicked"), "{stderr}");
    assert_eq!(crawl.outcomes(&site), expected([("/", "kept"), ("/a", "kept")]));
}
