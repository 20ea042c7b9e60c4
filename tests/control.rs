//! `crawler control`: a crawl is steered while it runs and before it runs, and loses nothing by it.

use std::fs::{self, OpenOptions};
use std::io::Write;
use std::sync::Arc;

use serde_json::Value;

use crate::support::crawl::Crawl;
use crate::support::gate::Gate;
use crate::support::outcomes::{count, expected, urls_that};
use crate::support::page::{NO_LINKS, article, home};
use crate::support::process::{Ended, Running, crawler, run};
use crate::support::site::{Answer, Site};

/// Times that a test asks for a state that comes within moments.
const TRIES: usize = 2_000;

/// The other pages of the site.
const PAGES: [&str; 6] = ["/a", "/b", "/old/c", "/old/d", "/new/e", "/new/f"];

/// A home page, which waits for the gate, and links to `linked` among [`PAGES`].
fn site_with(linked: &'static [&'static str]) -> (Site, Arc<Gate>) {
    let gate = Arc::new(Gate::closed());
    let held = gate.clone();
    let site = Site::scripted(move |asked| match asked.path.as_str() {
        "/" if held.pass() => home(linked),
        path => match PAGES.iter().position(|page| *page == path) {
            Some(number) => article(number as u64 + 1, NO_LINKS),
            None => Answer::status(404),
        },
    });
    (site, gate)
}

/// A crawl that has asked for the home page and waits for it.
fn begun(site: &Site, gate: &Gate) -> (Crawl, Running) {
    let crawl = Crawl::of(site.url("/"));
    let running = crawl.start();
    gate.wait_for_arrival();
    (crawl, running)
}

/// A crawl that has ended with one page decided, and the others queued.
fn ended_early(site: &Site, gate: &Gate) -> Crawl {
    gate.open();
    let mut crawl = Crawl::of(site.url("/")).one_at_a_time().set("scope.max_pages", 1);
    crawl.end(&[]).with_code(6);
    crawl.change("scope.max_pages", 1_000);
    crawl
}

/// Gives an order.
#[track_caller]
fn control(crawl: &Crawl, arguments: &[&str]) -> Ended {
    crawl.read("control", arguments)
}

/// Gives an order that a crawl takes, and which says each of `parts`.
#[track_caller]
fn order(crawl: &Crawl, arguments: &[&str], parts: &[&str]) {
    let answer = control(crawl, arguments).succeeded().says(parts);
    assert_eq!(answer.stdout.trim_end().lines().count(), 1, "{answer:?}");
    assert!(!answer.stdout.contains("written down"), "{answer:?}");
}

#[track_caller]
fn status(crawl: &Crawl) -> Value {
    let answer = control(crawl, &["status", "--format", "json"]).succeeded();
    serde_json::from_str(&answer.stdout).unwrap()
}

/// The lines of the journal.
fn journal(crawl: &Crawl) -> Vec<Value> {
    let text = fs::read_to_string(crawl.data().join("control.jsonl")).unwrap();
    text.lines()
        .filter_map(|line| serde_json::from_str(line).ok())
        .collect()
}

/// Waits until the report has this count.
#[track_caller]
fn wait_for(crawl: &Crawl, name: &str, wanted: u64) {
    let is_there = (0..TRIES).any(|_| count(&crawl.report(), name) == wanted);
    assert!(is_there, "{name} is not {wanted}: {}", crawl.report()["counts"]);
}

#[track_caller]
fn assert_once(site: &Site, paths: &[&str]) {
    let times = site.times_asked();
    for path in paths {
        assert_eq!(times.get(*path), Some(&1), "{path} in {times:?}");
    }
}

#[test]
fn a_pause_stops_requests_and_resume_goes_on_with_everything() {
    let (site, gate) = site_with(&["/a", "/b"]);
    let (crawl, running) = begun(&site, &gate);
    order(&crawl, &["pause"], &["paused", "crawler control resume"]);
    order(&crawl, &["pause"], &["paused already"]);
    gate.open();
    // The request under way ends, and what it brought is committed.
    wait_for(&crawl, "fetched", 1);
    // Another round of the loop, in which a request would have started.
    order(&crawl, &["add", &site.url("/new/e")], &["1 URL queued"]);
    assert_eq!(site.pages_asked(), ["/"]);
    assert!(status(&crawl)["paused_since"].is_string());
    running.wait_for_stderr("the crawl is paused since");
    order(&crawl, &["resume"], &["resumed"]);
    running.wait().succeeded();
    assert_once(&site, &["/", "/a", "/b", "/new/e"]);
    assert_eq!(count(&crawl.report(), "kept"), 4);
    assert!(status(&crawl)["paused_since"].is_null());
    order(&crawl, &["resume"], &["not paused"]);
}

#[test]
fn a_crawl_that_is_killed_in_a_pause_is_paused_when_it_starts_again() {
    let (site, gate) = site_with(&["/a", "/b"]);
    let (crawl, mut running) = begun(&site, &gate);
    order(&crawl, &["pause"], &["paused"]);
    gate.open();
    wait_for(&crawl, "fetched", 1);
    running.kill();
    let running = crawl.start();
    running.wait_for_stderr("paused since");
    running.wait_for_stderr("crawler control resume");
    order(&crawl, &["add", &site.url("/new/e")], &["1 URL queued"]);
    assert_eq!(site.pages_asked(), ["/"], "no request of the second run");
    order(&crawl, &["resume"], &["resumed"]);
    running.wait().succeeded();
    assert_once(&site, &["/", "/a", "/b", "/new/e"]);
}

#[test]
fn a_stop_ends_the_run_as_ctrl_c_does_and_only_that_run() {
    let (site, gate) = site_with(&["/a"]);
    let (crawl, running) = begun(&site, &gate);
    order(&crawl, &["stop"], &["stopping"]);
    running.wait().with_code(130);
    order(&crawl, &["stop"], &["no crawl runs in data"]);
    assert_eq!(count(&crawl.report(), "queued"), 1);
    gate.open();
    crawl.run();
    assert_eq!(count(&crawl.report(), "kept"), 2);
}

#[test]
fn a_stop_ends_a_paused_crawl() {
    let (site, gate) = site_with(&["/a"]);
    let (crawl, running) = begun(&site, &gate);
    order(&crawl, &["pause"], &["paused"]);
    gate.open();
    wait_for(&crawl, "fetched", 1);
    order(&crawl, &["stop"], &["stopping"]);
    running.wait().with_code(130);
    assert_eq!(site.pages_asked(), ["/"]);
    assert!(status(&crawl)["paused_since"].is_string(), "the pause stands");
}

#[test]
fn orders_without_a_run_take_effect_with_the_next_one() {
    let (site, gate) = site_with(&["/a", "/old/c"]);
    let crawl = ended_early(&site, &gate);
    let waits = [
        "written down",
        "no crawl runs in data",
        "takes effect with the next run",
    ];
    for arguments in [
        &["pause"][..],
        &["drop", "glob:/old/**"],
        &["add", &site.url("/new/e"), &site.url("/old/d")],
        &["resume"],
    ] {
        control(&crawl, arguments).succeeded().says(&waits);
    }
    let waiting = status(&crawl);
    let waiting = waiting["waiting"].as_array().unwrap();
    let words: Vec<&str> = waiting.iter().map(|order| order["order"].as_str().unwrap()).collect();
    assert_eq!(words, ["pause", "drop", "add", "resume"]);
    crawl.run();
    let dropped = "excluded dropped by the order: glob:/old/**";
    let wanted = expected([("/", "kept"), ("/a", "kept"), ("/new/e", "kept"), ("/old/c", dropped)]);
    assert_eq!(crawl.outcomes(&site), wanted);
    assert_eq!(site.pages_asked(), ["/", "/a", "/new/e"]);
    assert_eq!(status(&crawl)["waiting"], Value::Array(Vec::new()));
    let journal = journal(&crawl);
    let answers: Vec<&str> = journal.iter().filter_map(|line| line["text"].as_str()).collect();
    assert_eq!(answers.len(), 4, "{journal:#?}");
    assert!(answers[2].starts_with("1 URL queued; 1 refused: "), "{answers:?}");
}

#[test]
fn added_urls_are_seeds_that_obey_the_scope_and_are_queued_once_over_a_kill() {
    let (site, gate) = site_with(&["/a"]);
    let crawl = Crawl::of(site.url("/"))
        .one_at_a_time()
        .set("scope.exclude", "[\"glob:/old/**\"]");
    let mut running = crawl.start();
    gate.wait_for_arrival();
    let other = site.localhost_url("/b");
    fs::write(
        crawl.path("more.txt"),
        format!("# more\n\n{other}\n{}\n", site.url("/")),
    )
    .unwrap();
    let (new, excluded) = (site.url("/new/e"), site.url("/old/c"));
    let arguments = ["add", &new, &new, &excluded, "--file", "more.txt", "--format", "json"];
    let answer: Value = serde_json::from_str(&control(&crawl, &arguments).succeeded().stdout).unwrap();
    assert_eq!(
        (&answer["queued"], &answer["known"]),
        (&2.into(), &1.into()),
        "{answer:#}"
    );
    assert_eq!(
        answer["refused"][0]["reason"],
        "excluded: scope.exclude has glob:/old/**"
    );
    running.kill();
    // Without the answer, as if the kill had come before it.
    let path = crawl.data().join("control.jsonl");
    let text = fs::read_to_string(&path).unwrap();
    fs::write(&path, text.split_inclusive('\n').next().unwrap()).unwrap();
    gate.open();
    crawl.run();
    assert_once(&site, &["/a", "/b", "/new/e"]);
    assert!(!site.pages_asked().contains(&"/old/c".to_owned()));
    assert_eq!(count(&crawl.report(), "discovered"), 4);
    let text = journal(&crawl)[1]["text"].as_str().unwrap().to_owned();
    assert!(text.contains("taken by an earlier run"), "{text}");
    for page in crawl.export() {
        let depth = u64::from(page["url"].as_str().unwrap().ends_with("/a"));
        assert_eq!(page["depth"], depth, "{page}");
    }
    crawl.read("verify", &[]).succeeded();
}

#[test]
fn what_is_dropped_is_excluded_with_the_reason_and_what_is_restored_is_fetched() {
    let held = Arc::new(Gate::closed());
    let waits = held.clone();
    let site = Site::scripted(
        move |asked| match (asked.host.starts_with("localhost"), asked.path.as_str()) {
            (false, "/") => home(&["/a", "/old/c", "/old/d"]),
            (false, "/a") if waits.pass() => article(1, &["/old/late"]),
            (false, "/old/c") => article(2, NO_LINKS),
            (false, "/old/d") => article(3, NO_LINKS),
            (false, "/old/late") => article(4, NO_LINKS),
            (true, "/") => article(5, NO_LINKS),
            _ => Answer::status(404),
        },
    );
    let crawl = Crawl::of(site.url("/")).one_at_a_time();
    let running = crawl.start();
    held.wait_for_arrival();
    let dropped = "dropped by the order: glob:/old/**";
    order(
        &crawl,
        &["drop", "glob:/old/**"],
        &["dropped glob:/old/**", "what is stored stays"],
    );
    order(&crawl, &["drop", "glob:/old/**"], &["dropped already"]);
    order(&crawl, &["drop", "LOCALHOST"], &["dropped localhost"]);
    let added = control(&crawl, &["add", &site.localhost_url("/")]).with_code(1);
    added.says(&["1 refused", "dropped by the order: localhost"]);
    held.open();
    running.wait().succeeded();
    let outcome = format!("excluded {dropped}");
    let outcomes = crawl.outcomes(&site);
    assert_eq!(
        urls_that(&outcomes, |found| found == outcome),
        ["/old/c", "/old/d", "/old/late"]
    );
    crawl.read("explain", &[&site.url("/old/c")]).says(&[dropped]);
    crawl.read("verify", &[]).succeeded();
    control(&crawl, &["restore", "/old/"]).with_code(2);
    control(&crawl, &["restore", "glob:/old/**", "localhost"]).succeeded();
    crawl.run();
    assert!(
        journal(&crawl).last().unwrap()["text"]
            .as_str()
            .unwrap()
            .contains("3 URLs queued again")
    );
    assert_eq!(count(&crawl.report(), "excluded"), 0);
    assert_eq!(count(&crawl.report(), "kept"), 5);
    assert_once(&site, &["/", "/a", "/old/c", "/old/d", "/old/late"]);
    crawl.read("verify", &[]).succeeded();
}

#[test]
fn a_dropped_host_is_excluded_without_a_request() {
    let gate = Arc::new(Gate::closed());
    let held = gate.clone();
    let site = Site::of_many_hosts(move |asked| match asked.path.as_str() {
        "/robots.txt" if held.pass() => Answer::status(404),
        _ => article(1, NO_LINKS),
    });
    let host = format!("127.0.0.2:{}", site.port());
    let mut crawl = Crawl::of(format!("http://127.0.0.1:{}/", site.port())).one_at_a_time();
    for page in ["/b", "/new/e", "/new/f"] {
        crawl.add_seed(&format!("http://{host}{page}"));
    }
    // The robots.txt of the first host waits, and it is the only request that may be open.
    let running = crawl.start();
    gate.wait_for_arrival();
    let counted = format!("dropped {host}: 3 URLs in the queue will be excluded");
    order(&crawl, &["drop", &host], &[&counted]);
    order(&crawl, &["restore", &host], &["0 URLs queued again"]);
    order(&crawl, &["drop", &host], &[&counted]);
    gate.open();
    running.wait().succeeded();
    assert_eq!(count(&crawl.report(), "excluded"), 3);
    let hosts: Vec<String> = site.requests().into_iter().map(|request| request.host).collect();
    assert!(!hosts.contains(&host), "not even for robots.txt: {hosts:?}");
}

#[test]
fn a_delay_counts_at_once_and_so_does_its_end() {
    let (site, gate) = site_with(&["/a", "/b"]);
    let (crawl, running) = begun(&site, &gate);
    let host = url::Url::parse(&site.url("/")).unwrap().host_str().unwrap().to_owned();
    order(&crawl, &["delay", &host, "86400"], &["86400 s", "robots.txt"]);
    gate.open();
    wait_for(&crawl, "fetched", 1);
    let state = status(&crawl);
    assert_eq!(
        (&state["delays"][0]["host"], &state["delays"][0]["seconds"]),
        (&host.into(), &86_400.0.into())
    );
    order(&crawl, &["add", &site.url("/new/e")], &["1 URL queued"]);
    assert_eq!(site.pages_asked(), ["/"]);
    order(&crawl, &["delay", "127.0.0.1", "default"], &["configuration"]);
    running.wait().succeeded();
    assert_once(&site, &["/", "/a", "/b", "/new/e"]);
}

#[test]
fn an_order_that_does_not_count_names_the_rule_that_does() {
    let gate = Arc::new(Gate::closed());
    let held = gate.clone();
    let site = Site::scripted(move |asked| match asked.path.as_str() {
        "/robots.txt" if held.pass() => Answer::text("User-agent: *\nCrawl-delay: 50\n"),
        "/" => home(&["/a"]),
        _ => Answer::status(404),
    });
    let crawl = Crawl::of(site.url("/")).set("politeness.delay_ms", 10);
    let running = crawl.start();
    gate.wait_for_arrival();
    gate.open();
    let host = url::Url::parse(&site.url("/")).unwrap();
    let host = host.host_str().unwrap();
    let is_told = (0..TRIES).any(|_| {
        let answer = control(&crawl, &["delay", host, "20"]).succeeded();
        answer
            .stdout
            .contains("by the Crawl-delay of its robots.txt; your order asks for 20.0 s")
    });
    assert!(is_told, "{}", status(&crawl));
    let unknown = ["knows no URL of b.example yet", "check the name"];
    order(&crawl, &["delay", "b.example", "3s"], &unknown);
    order(&crawl, &["drop", "b.example", "glob:/none/**"], &unknown);
    let unknown = ["knows no URL of c.example, *.d.example yet", "check the names"];
    order(&crawl, &["drop", "c.example", "*.d.example"], &unknown);
    let state = status(&crawl);
    assert_eq!(state["hosts"][0]["rule"], "robots", "{state}");
    assert_eq!(state["hosts"][0]["seconds"], 50.0, "{state}");
    let ordered = state["delays"]
        .as_array()
        .unwrap()
        .iter()
        .find(|delay| delay["host"] == host);
    assert!(ordered.unwrap()["now"].as_str().unwrap().contains("50.0 s"), "{state}");
    control(&crawl, &["status"])
        .succeeded()
        .says(&["now ", "50.0 s by the Crawl-delay of its robots.txt"]);
    order(&crawl, &["stop"], &["stopping"]);
    running.wait().with_code(130);
}

#[test]
fn a_line_that_a_kill_cut_short_is_no_order_and_harms_no_other() {
    let (site, gate) = site_with(&["/a", "/b"]);
    let crawl = ended_early(&site, &gate);
    control(&crawl, &["drop", "regex:/b$"]).succeeded();
    let mut file = OpenOptions::new()
        .append(true)
        .open(crawl.data().join("control.jsonl"))
        .unwrap();
    file.write_all(b"{\"id\":1,\"order\":\"pau").unwrap();
    drop(file);
    control(&crawl, &["add", &site.url("/new/e")]).succeeded();
    crawl
        .run()
        .complains_of(&["control.jsonl: lines that are no orders, so that they have no effect: 1"]);
    assert_eq!(site.pages_asked(), ["/", "/a", "/new/e"]);
    assert_eq!(status(&crawl)["damaged_lines"], 1);
    control(&crawl, &["status"])
        .succeeded()
        .says(&["No crawl is running", "regex:/b$"]);
}

#[test]
fn what_is_no_order_is_refused_with_what_to_do() {
    let (site, gate) = site_with(&["/a"]);
    let crawl = ended_early(&site, &gate);
    fs::write(crawl.path("bad.txt"), "https://a.example/\nnot a url\n").unwrap();
    for (arguments, parts) in [
        (&["add", "not a url"][..], &["not a url", "is no URL to add"][..]),
        (&["add", "--file", "bad.txt"], &["bad.txt, line 2", "not a URL"]),
        (&["add", "--file", "none.txt"], &["cannot read none.txt"]),
        (&["add"], &["<URL>"]),
        (
            &["drop", "https://a.example/"],
            &["write a host such as example.org", "glob:"],
        ),
        (&["drop", "regex:("], &["regular expression"]),
        (&["restore", "a.example"], &["a.example is not dropped; nothing is"]),
        (&["delay", "a.example", "-1"], &["-1", "write seconds from 0 to 86400"]),
        (&["delay", "a.example", "soon"], &["write seconds from 0 to 86400"]),
        (
            &["delay", "https://a.example", "1"],
            &["write a host such as example.org"],
        ),
        (&["halt"], &["halt"]),
    ] {
        let refused = control(&crawl, arguments).with_code(2).complains_of(parts);
        assert_eq!(refused.stdout, "", "{arguments:?}");
    }
    assert!(!crawl.data().join("control.jsonl").exists(), "nothing was ordered");
    let empty = crawl.path("empty");
    let nowhere = run(crawler(["control", "--data"]).arg(&empty).arg("pause")).with_code(1);
    nowhere.complains_of(&["empty"]);
    assert!(!empty.exists());
}

#[test]
fn a_url_without_a_page_is_queued_again_when_it_is_added_again() {
    let site = Site::scripted(|asked| match asked.path.as_str() {
        "/" => home(&["/elsewhere", "/missing"]),
        "/elsewhere" => Answer::status(302).with("location", "/"),
        _ => Answer::status(404),
    });
    let crawl = Crawl::of(site.url("/"));
    crawl.run();
    let urls = [site.url("/elsewhere"), site.url("/missing"), site.url("/")];
    let arguments: Vec<&str> = std::iter::once("add").chain(urls.iter().map(String::as_str)).collect();
    control(&crawl, &arguments).succeeded();
    crawl.run();
    let times = site.times_asked();
    assert_eq!((times["/elsewhere"], times["/missing"], times["/"]), (2, 2, 1));
}
