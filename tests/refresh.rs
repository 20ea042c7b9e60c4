//! Pages that are looked at again: `crawler run --refresh`.

mod interrupted;
mod pageless;

use std::collections::BTreeMap;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::{Duration, SystemTime};

use serde_json::Value;

use crate::support::archive::archived;
use crate::support::crawl::Crawl;
use crate::support::gate::Gate;
use crate::support::outcomes::{count, expected, list};
use crate::support::page::{NO_LINKS, article, home, html, page, words};
use crate::support::process::{crawler, run};
use crate::support::site::{Answer, Asked, Request, Site};

const MODIFIED: &str = "Sat, 21 Mar 2026 09:00:00 GMT";
const DAY: Duration = Duration::from_secs(24 * 60 * 60);

/// A site whose answers depend on a phase that the test sets.
fn phased(script: impl Fn(usize, &Asked) -> Answer + Send + Sync + 'static) -> (Site, Arc<AtomicUsize>) {
    let phase = Arc::new(AtomicUsize::new(0));
    let now = phase.clone();
    (
        Site::scripted(move |asked| script(now.load(Ordering::SeqCst), asked)),
        phase,
    )
}

/// A crawl whose pages are all due at every refresh.
fn always_due(seed: String) -> Crawl {
    let crawl = Crawl::of(seed).set("refresh.min_interval", "\"0s\"");
    crawl
        .set("refresh.first_interval", "\"0s\"")
        .set("refresh.max_interval", "\"0s\"")
}

/// A crawl whose pages are due `days` after the last time, whatever they do.
fn due_after(seed: String, days: u64) -> Crawl {
    let mut crawl = Crawl::of(seed);
    set_days(&mut crawl, days);
    crawl
}

fn set_days(crawl: &mut Crawl, days: u64) {
    for key in ["min_interval", "first_interval", "max_interval"] {
        crawl.change(&format!("refresh.{key}"), format!("\"{days}d\""));
    }
}

/// The arguments of a refresh at a time when every page is due that was fetched until now, and none that is fetched later.
fn refresh_in(days: u32) -> [String; 3] {
    let as_of = SystemTime::now() + DAY * days;
    let as_of = humantime::format_rfc3339_millis(as_of).to_string();
    ["--refresh".into(), "--refresh-as-of".into(), as_of]
}

/// What the last refresh came to, zeros left out.
fn refreshed(report: &Value) -> BTreeMap<String, u64> {
    let last = list(&report["refresh"], "refreshes").last().unwrap();
    let counts = last.as_object().unwrap().iter();
    let counts = counts.filter_map(|(name, value)| Some((name.clone(), value.as_u64()?)));
    counts.filter(|(_, value)| *value > 0).collect()
}

fn of<const N: usize>(counts: [(&str, u64); N]) -> BTreeMap<String, u64> {
    counts.map(|(name, value)| (name.to_owned(), value)).into()
}

fn asks<'a>(requests: &'a [Request], path: &str) -> Vec<&'a Request> {
    requests.iter().filter(|request| request.path == path).collect()
}

fn is_304(asked: &Asked, header: &str, value: &str) -> bool {
    asked.headers.get(header).is_some_and(|sent| sent == value)
}

/// Pages that do all that a page can do between two visits.
fn restless() -> (Site, Arc<AtomicUsize>) {
    const PATHS: &[&str] = &[
        "/stays", "/etag", "/dated", "/changes", "/markup", "/once", "/leaves", "/error", "/rude", "/moves", "/hides",
        "/copies",
    ];
    phased(|phase, asked| {
        let first = phase == 0;
        match asked.path.as_str() {
            "/" => home(PATHS),
            "/stays" => article(1, &["/differs"]),
            "/etag" if is_304(asked, "if-none-match", "W/\"v,1\"") => Answer::status(304).with("etag", "W/\"v,1\""),
            "/etag" => article(2, NO_LINKS).with("etag", "W/\"v,1\""),
            "/dated" if is_304(asked, "if-modified-since", MODIFIED) => Answer::status(304),
            "/dated" => article(3, NO_LINKS).with("last-modified", MODIFIED),
            "/changes" if first => article(4, NO_LINKS),
            "/changes" => article(5, &["/new"]),
            "/new" => article(6, NO_LINKS),
            "/markup" if first => article(7, NO_LINKS),
            "/markup" => Answer::html(html("Another title", &words(7, 150), NO_LINKS) + "<!-- made just now -->"),
            "/once" if phase == 1 => Answer::status(404),
            "/once" => article(8, NO_LINKS),
            "/leaves" if first => article(9, NO_LINKS),
            "/leaves" => Answer::status(410),
            "/error" if phase == 1 => Answer::status(500),
            "/error" => article(10, NO_LINKS),
            "/rude" if phase == 1 => Answer::status(304),
            "/rude" => article(11, NO_LINKS),
            "/moves" if first => article(12, NO_LINKS),
            "/moves" => Answer::redirect("/moved"),
            "/moved" => article(13, NO_LINKS),
            "/hides" if first => article(14, NO_LINKS),
            "/hides" => article(14, NO_LINKS).with("x-robots-tag", "noindex"),
            "/copies" if first => article(15, NO_LINKS),
            "/copies" => page("A copy", &words(1, 150), NO_LINKS),
            "/differs" if first => page("The same", &words(1, 150), NO_LINKS),
            "/differs" => article(16, NO_LINKS),
            _ => Answer::status(404),
        }
    })
}

/// A home page and `pages` articles, the last of which is held back once the phase is 1.
fn held_site(pages: usize) -> (Site, Arc<AtomicUsize>, Arc<Gate>) {
    let gate = Arc::new(Gate::closed());
    let held = gate.clone();
    let links: Vec<String> = (1..=pages).map(|n| format!("/{n}")).collect();
    let (site, phase) = phased(move |phase, asked| {
        if asked.path == "/" {
            return home(&links);
        }
        let Some(n) = asked.path[1..].parse().ok().filter(|n| (1..=pages).contains(n)) else {
            return Answer::status(404);
        };
        if phase == 1 && n == pages / 2 {
            held.pass();
        }
        article(n as u64 + if phase == 1 && n % 3 == 0 { 1_000 } else { 0 }, NO_LINKS)
    });
    (site, phase, gate)
}

#[test]
fn every_page_is_found_as_it_is_now() {
    let (site, phase) = restless();
    let crawl = always_due(site.url("/"));
    crawl.run();
    let before = crawl.outcomes(&site);
    assert_eq!(
        (before["/copies"].as_str(), before["/differs"].as_str()),
        ("kept", "exact of /stays")
    );
    assert_eq!(crawl.report()["refresh"]["refreshes"], Value::Array(Vec::new()));
    let first = site.requests();

    phase.store(1, Ordering::SeqCst);
    crawl
        .end(&["--refresh"])
        .succeeded()
        .says(&["refresh: 14 pages due: changed 3  unchanged 5  missing once 2  gone 0  moved 2  unanswered 2; new 2"]);
    let report = crawl.report();
    let wanted = [
        ("due", 14),
        ("new", 2),
        ("changed", 3),
        ("unchanged", 5),
        ("missing", 2),
        ("moved", 2),
        ("unanswered", 2),
    ];
    assert_eq!(refreshed(&report), of(wanted));
    let kept = [
        "/", "/stays", "/etag", "/dated", "/changes", "/new", "/markup", "/once", "/leaves", "/error", "/rude",
    ];
    let mut outcomes = expected([
        ("/moves", "redirect to /moved"),
        ("/moved", "kept"),
        ("/hides", "excluded noindex"),
        ("/copies", "exact of /stays"),
        ("/differs", "kept"),
    ]);
    outcomes.extend(kept.map(|path| (path.to_owned(), "kept".to_owned())));
    assert_eq!(crawl.outcomes(&site), outcomes);
    let changed: Vec<_> = list(&report["refresh"], "changed")
        .iter()
        .map(|page| {
            format!(
                "{} {} was {}",
                &page["url"].as_str().unwrap()[site.url("").len()..],
                page["verdict"],
                page["was"]
            )
        })
        .collect();
    for page in [
        "/changes \"kept\" was \"kept\"",
        "/copies \"exact\" was \"kept\"",
        "/differs \"kept\" was \"exact\"",
    ] {
        assert!(changed.contains(&page.to_owned()), "{page} is not in {changed:?}");
    }

    let all = site.requests();
    let field = |path: &str, n: usize, name: &str| {
        let value = asks(&all, path)[n].headers.get(name);
        value.map(|value| value.to_str().unwrap().to_owned())
    };
    assert!(
        first
            .iter()
            .all(|request| !request.headers.contains_key("if-none-match"))
    );
    assert!(
        first
            .iter()
            .all(|request| !request.headers.contains_key("if-modified-since"))
    );
    assert_eq!(field("/etag", 1, "if-none-match").as_deref(), Some("W/\"v,1\""));
    assert_eq!(field("/etag", 1, "if-modified-since"), None);
    assert_eq!(field("/dated", 1, "if-modified-since").as_deref(), Some(MODIFIED));
    assert_eq!(
        (
            field("/stays", 1, "if-none-match"),
            field("/stays", 1, "if-modified-since")
        ),
        (None, None)
    );
    assert_eq!(asks(&all, "/error").len(), 1 + 3, "tried again like any URL");

    let archive = archived(&crawl.data());
    let profile = |path: &str| {
        let page = &archive[&site.url(path)];
        assert_eq!((page.responses.len(), page.revisits.len()), (1, 1), "{path}");
        page.revisits[0].field("WARC-Profile").unwrap().to_owned()
    };
    assert!(profile("/etag").ends_with("server-not-modified") && profile("/dated").ends_with("server-not-modified"));
    assert!(profile("/stays").ends_with("identical-payload-digest"));
    let markup = &archive[&site.url("/markup")];
    assert_eq!((markup.responses.len(), markup.revisits.len()), (1, 0));
    assert_eq!(markup.of_duplicate("is").as_deref(), Some("same-text"));
    let versions = &archive[&site.url("/changes")];
    assert_eq!((versions.responses.len(), versions.conversions.len()), (2, 2));

    assert_index_has_the_digests_of_the_records(&crawl);

    phase.store(2, Ordering::SeqCst);
    crawl.end(&["--refresh"]).succeeded();
    let report = crawl.report();
    // Neither what is elsewhere nor what is gone is asked for again.
    assert_eq!(refreshed(&report), of([("due", 14), ("unchanged", 13), ("gone", 1)]));
    outcomes.insert("/leaves".into(), "gone".into());
    assert_eq!(crawl.outcomes(&site), outcomes);
    assert_eq!(list(&report["refresh"], "gone")[0]["url"], site.url("/leaves"));
    let exported: Vec<Value> = crawl.export();
    let text_of = |path: &str| {
        let line = exported.iter().find(|line| line["url"] == site.url(path));
        line.map(|line| {
            line["text"]
                .as_str()
                .unwrap()
                .replace(['.', '\n'], "")
                .replace("  ", " ")
        })
    };
    assert_eq!(exported.len() as u64, count(&report, "kept"));
    assert!(
        text_of("/changes").unwrap().contains(&words(5, 30)),
        "{:?}",
        text_of("/changes")
    );
    assert_eq!(text_of("/leaves"), None);

    let asked = asks(&site.requests(), "/leaves").len();
    crawl.end(&["--refresh"]).succeeded();
    assert_eq!(asks(&site.requests(), "/leaves").len(), asked, "it is gone");
    assert_eq!(refreshed(&crawl.report()), of([("due", 13), ("unchanged", 13)]));
    crawl
        .read("report", &[])
        .succeeded()
        .says(&["Last refresh (of 3)", "gone", "unchanged"]);
}

#[test]
fn what_is_not_due_is_not_asked_for_and_without_refresh_nothing_is() {
    let (site, _) = restless();
    let crawl = Crawl::of(site.url("/"));
    crawl.run();
    let before = site.requests().len();
    crawl
        .end(&["--refresh"])
        .succeeded()
        .says(&["refresh: no page was due"]);
    crawl.run();
    assert_eq!(site.requests().len(), before);
    // A tenth of its age is more than the week that the others are given.
    crawl
        .end(&refresh_in(6).each_ref().map(String::as_str))
        .succeeded()
        .says(&["no page was due"]);
    crawl.end(&refresh_in(8).each_ref().map(String::as_str)).succeeded();
    let asked: Vec<_> = site.paths().split_off(before);
    assert!(
        asked.contains(&"/stays".to_owned()) && !asked.contains(&"/dated".to_owned()),
        "{asked:?}"
    );
}

#[test]
fn a_refresh_needs_no_seeds_but_a_crawl() {
    let (site, phase) = restless();
    let crawl = always_due(site.url("/"));
    crawl.run();
    phase.store(1, Ordering::SeqCst);
    let without_seeds = |data: &str| {
        let mut command = crawler(["run", "--refresh", "--config", "test.toml", "--data", data]);
        run(command.current_dir(crawl.path("")))
    };
    without_seeds("data").succeeded().says(&["14 pages due", "new 2"]);
    without_seeds("nowhere").with_code(1).complains_of(&["nowhere"]);
    assert!(!crawl.path("nowhere").join("state").exists());
    run(crawler(["run"]).current_dir(crawl.path("")))
        .with_code(2)
        .complains_of(&["to continue as it did: `crawler run --config test.toml`"]);
}

#[test]
fn visits_do_not_count_against_the_page_limit_and_new_urls_do() {
    let (site, _, gate) = held_site(9);
    gate.open();
    let crawl = always_due(site.url("/"));
    crawl
        .end(&["--max-pages", "5"])
        .with_code(6)
        .says(&["kept 5", "still queued 5"]);
    crawl.end(&["--max-pages", "5", "--refresh"]).with_code(6).says(&[
        "Page limit reached",
        "5 pages due",
        "unchanged 5",
        "kept 5",
        "still queued 5",
    ]);
    crawl.end(&["--max-pages", "7", "--refresh"]).with_code(6).says(&[
        "Page limit reached",
        "5 pages due",
        "kept 7",
        "still queued 3",
    ]);
    crawl
        .end(&["--refresh"])
        .succeeded()
        .says(&["7 pages due", "kept 10", "still queued 0"]);
}

#[test]
fn what_robots_txt_forbids_now_is_not_asked_for_and_stays() {
    let (site, phase) = phased(|phase, asked| match asked.path.as_str() {
        "/robots.txt" if phase == 1 => Answer::text("User-agent: *\nDisallow: /private"),
        "/robots.txt" => Answer::status(500),
        "/" => home(&["/private", "/public"]),
        "/private" => article(1, NO_LINKS),
        "/public" => article(2, NO_LINKS),
        _ => Answer::status(404),
    });
    let mut crawl = always_due(site.url("/")).set("politeness.robots", false);
    crawl.run();
    crawl.change("politeness.robots", true);
    let outcomes = crawl.outcomes(&site);
    // A host of which nothing may be fetched: nothing is concluded, and nothing waits.
    crawl.end(&["--refresh"]).succeeded();
    assert_eq!(refreshed(&crawl.report()), of([("due", 3), ("unanswered", 3)]));
    assert_eq!(crawl.outcomes(&site), outcomes);
    phase.store(1, Ordering::SeqCst);
    crawl.end(&["--refresh"]).succeeded();
    assert_eq!(
        refreshed(&crawl.report()),
        of([("due", 3), ("unchanged", 2), ("unanswered", 1)])
    );
    assert_eq!(
        (crawl.outcomes(&site), asks(&site.requests(), "/private").len()),
        (outcomes, 1)
    );
}

#[test]
fn a_duplicate_whose_kept_page_has_changed_is_decided_anew_by_the_next_refresh() {
    let (site, phase) = phased(|phase, asked| match asked.path.as_str() {
        "/" => home(&["/kept"]),
        "/kept" if phase == 0 => article(1, &["/copy"]),
        "/kept" => article(2, &["/copy"]),
        "/copy" if is_304(asked, "if-none-match", "\"1\"") => Answer::status(304),
        "/copy" => page("Copy", &words(1, 150), NO_LINKS).with("etag", "\"1\""),
        _ => Answer::status(404),
    });
    let mut crawl = always_due(site.url("/"));
    crawl.run();
    phase.store(1, Ordering::SeqCst);
    crawl.end(&["--refresh"]).succeeded();
    // It was not modified, and what it is a duplicate of is a version of the past.
    assert_eq!(crawl.outcomes(&site)["/copy"], "exact of /kept");
    set_days(&mut crawl, 90);
    crawl.end(&["--refresh"]).succeeded();
    assert_eq!(refreshed(&crawl.report()), of([("due", 1), ("changed", 1)]));
    let outcomes = crawl.outcomes(&site);
    assert_eq!(
        outcomes,
        expected([("/", "kept"), ("/kept", "kept"), ("/copy", "kept")])
    );
    let requests = site.requests();
    let asked = asks(&requests, "/copy");
    assert!(asked[1].headers.contains_key("if-none-match") && !asked[2].headers.contains_key("if-none-match"));
}

/// One line a response and revisit, with the digest of what was fetched then.
#[track_caller]
fn assert_index_has_the_digests_of_the_records(crawl: &Crawl) {
    let of = |date: &str, url: &str, digest: &str| format!("{} {url} {digest}", date.replace(['-', ':', 'T', 'Z'], ""));
    let mut archived_digests = Vec::new();
    for (url, page) in archived(&crawl.data()) {
        for record in page.responses.iter().chain(&page.revisits) {
            let field = |name| record.field(name).unwrap();
            let (date, _) = field("WARC-Date").split_once('.').unwrap();
            archived_digests.push(of(date, &url, field("WARC-Payload-Digest")));
        }
    }
    let index = std::fs::read_to_string(crawl.data().join("warc/index.cdxj")).unwrap();
    let lines = index.lines().map(|line| {
        let mut words = line.splitn(3, ' ');
        let (date, json) = (words.nth(1).unwrap(), words.next().unwrap());
        let fields: Value = serde_json::from_str(json).unwrap();
        of(
            date,
            fields["url"].as_str().unwrap(),
            fields["digest"].as_str().unwrap(),
        )
    });
    let mut lines: Vec<String> = lines.collect();
    lines.sort();
    archived_digests.sort();
    assert_eq!(lines, archived_digests);
}

#[test]
fn an_answer_without_the_page_counts_as_none_only_the_second_time() {
    const PATHS: &[&str] = &[
        "/302", "/303", "/307", "/204", "/tar", "/walled", "/301", "/308", "/target",
    ];
    let (site, phase) = phased(|phase, asked| {
        let temporary = |status| Answer::status(status).with("location", "/login");
        match (asked.path.as_str(), phase) {
            ("/", _) => home(PATHS),
            ("/302", 1) => temporary(302),
            ("/303", 1) => temporary(303),
            ("/307", 1) => temporary(307),
            ("/204", 1) => Answer::status(204),
            ("/tar", 1) => Answer::of_type("application/x-tar", "files"),
            ("/walled", 1..) => temporary(302),
            ("/301", 1..) => Answer::status(301).with("location", "/target"),
            ("/308", 1..) => Answer::status(308).with("location", "/target"),
            ("/login", _) => article(90, NO_LINKS),
            (path, _) => match PATHS.iter().position(|known| *known == path) {
                Some(n) => article(n as u64 + 1, NO_LINKS),
                None => Answer::status(404),
            },
        }
    });
    let crawl = always_due(site.url("/"));
    crawl.run();
    phase.store(1, Ordering::SeqCst);
    crawl.end(&["--refresh"]).succeeded();
    let wanted = [("due", 10), ("new", 1), ("unchanged", 2), ("missing", 6), ("moved", 2)];
    assert_eq!(refreshed(&crawl.report()), of(wanted));
    let mut outcomes = expected([("/301", "redirect to /target"), ("/308", "redirect to /target")]);
    let kept = [
        "/", "/302", "/303", "/307", "/204", "/tar", "/walled", "/target", "/login",
    ];
    outcomes.extend(kept.map(|path| (path.to_owned(), "kept".to_owned())));
    assert_eq!(crawl.outcomes(&site), outcomes, "where it leads is looked at");

    phase.store(2, Ordering::SeqCst);
    crawl.end(&["--refresh"]).succeeded();
    assert_eq!(
        refreshed(&crawl.report()),
        of([("due", 9), ("unchanged", 8), ("gone", 1)])
    );
    outcomes.insert("/walled".into(), "gone".into());
    assert_eq!(crawl.outcomes(&site), outcomes);
}

#[test]
fn a_duplicate_says_of_which_kept_page_while_there_is_one() {
    let (site, phase) = phased(|phase, asked| match asked.path.as_str() {
        "/" => home(&["/kept"]),
        "/kept" if phase == 0 => article(1, &["/copy"]),
        "/kept" if phase == 1 => article(2, &["/copy"]),
        "/copy" if is_304(asked, "if-none-match", "\"1\"") => Answer::status(304),
        "/copy" if phase < 2 => page("Copy", &words(1, 150), NO_LINKS).with("etag", "\"1\""),
        "/copy" => Answer::status(500),
        _ => Answer::status(404),
    });
    let crawl = always_due(site.url("/")).set("politeness.max_retries", 0);
    crawl.run();
    let duplicate_of = || {
        let lines = crawl.read("export", &["--verdict", "exact"]).succeeded().stdout;
        let copy: Value = serde_json::from_str(lines.trim()).unwrap();
        copy["duplicate_of"].clone()
    };
    assert_eq!(duplicate_of(), site.url("/kept"));
    phase.store(1, Ordering::SeqCst);
    crawl.end(&["--refresh"]).succeeded();
    assert_eq!(duplicate_of(), site.url("/kept"), "its newer version");
    phase.store(2, Ordering::SeqCst);
    crawl.end(&["--refresh"]).succeeded();
    assert_eq!(duplicate_of(), site.url("/kept"), "missing once");
    crawl.end(&["--refresh"]).succeeded();
    assert_eq!(duplicate_of(), Value::Null);
    assert_eq!(crawl.outcomes(&site)["/copy"], "exact of departed /kept");
}
