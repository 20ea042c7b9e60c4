//! Control: a crawl is steered from the browser as by `crawler control`.

use std::fs::{self, File};
use std::sync::Arc;
use std::thread;

use serde_json::{Value, json};

use super::crawled;
use super::served::Served;
use crate::support::crawl::Crawl;
use crate::support::gate::Gate;
use crate::support::page::{NO_LINKS, article, home};
use crate::support::process::Running;
use crate::support::site::{Answer, Site};

/// A home page, which waits for the gate, with links to two pages; a third page that nothing links to.
fn held_site() -> (Site, Arc<Gate>) {
    let gate = Arc::new(Gate::closed());
    let held = gate.clone();
    let site = Site::scripted(move |asked| match asked.path.as_str() {
        "/" if held.pass() => home(&["/a", "/old/b"]),
        "/a" => article(1, NO_LINKS),
        "/old/b" => article(2, NO_LINKS),
        "/new" => article(3, NO_LINKS),
        _ => Answer::status(404),
    });
    (site, gate)
}

/// A crawl that waits for its home page, with the server beside it.
fn begun(site: &Site, gate: &Gate) -> (Crawl, Running, Served) {
    let crawl = Crawl::of(site.url("/")).one_at_a_time();
    let running = crawl.start();
    gate.wait_for_arrival();
    let served = Served::start(&crawl);
    (crawl, running, served)
}

/// A finished crawl of a small site.
fn finished() -> (Site, Crawl) {
    let site = Site::of([("/", home(&["/a"])), ("/a", article(1, NO_LINKS))]);
    let crawl = crawled(&site);
    (site, crawl)
}

/// Gives an order that the crawl takes.
#[track_caller]
fn order(served: &Served, order: &Value, part: &str) -> Value {
    given(served, order, "done", part)
}

#[track_caller]
fn given(served: &Served, order: &Value, state: &str, part: &str) -> Value {
    let told = served.post("/api/control", &order.to_string()).with(200).json();
    assert_eq!(told["state"], state, "{told:#}");
    assert!(told["text"].as_str().unwrap().contains(part), "{told:#}");
    told
}

#[track_caller]
fn shows(served: &Served, path: &str, parts: &[&str]) -> String {
    let body = served.get(path).with(200).body;
    for part in parts {
        assert!(body.contains(part), "{path}: {part} is not in {body}");
    }
    body
}

#[test]
fn a_running_crawl_is_paused_resumed_and_stopped() {
    let (site, gate) = held_site();
    let (crawl, running, served) = begun(&site, &gate);
    let body = shows(
        &served,
        "/control",
        &["The crawl is running.", "Pause …", "Stop …", "No order was given."],
    );
    assert!(!body.contains("Resume …"), "{body}");
    order(&served, &json!({"order": "pause"}), "paused");
    given(&served, &json!({"order": "pause"}), "unchanged", "paused already");
    let body = shows(&served, "/control", &["The crawl is paused", "Resume …", ">done<"]);
    assert!(!body.contains("Pause …"), "{body}");
    for path in ["/", "/pages"] {
        let head = [">paused</span>", "paused since", "href=\"/control\""];
        shows(&served, path, &head);
    }
    assert!(served.json("/api/overview")["paused_since"].is_string());
    order(&served, &json!({"order": "resume"}), "resumed");
    assert!(served.json("/api/overview")["paused_since"].is_null());
    order(&served, &json!({"order": "pause"}), "paused");
    gate.open();
    served.wait_until("/api/overview", |answer| answer["counts"]["fetched"] == 1);
    assert_eq!(site.pages_asked(), ["/"]);
    order(&served, &json!({"order": "stop"}), "stopping");
    running.wait().with_code(130);
    given(&served, &json!({"order": "stop"}), "unchanged", "no crawl runs");
    let body = shows(
        &served,
        "/control",
        &[
            "No crawl is running",
            "The next run starts paused",
            "takes effect with the next run",
        ],
    );
    assert!(!body.contains("Stop …"), "{body}");
    let shown = served.json("/api/control");
    let status = crawl
        .read("control", &["status", "--format", "json"])
        .succeeded()
        .stdout;
    for (key, value) in serde_json::from_str::<Value>(&status).unwrap().as_object().unwrap() {
        assert_eq!(&shown[key], value, "{key}");
    }
    let words: Vec<&Value> = shown["orders"]
        .as_array()
        .unwrap()
        .iter()
        .map(|order| &order["ordered"]["order"])
        .collect();
    assert_eq!(words, ["stop", "pause", "resume", "pause"], "the newest first");
}

#[test]
fn urls_are_added_patterns_dropped_and_restored_and_delays_changed() {
    let (site, gate) = held_site();
    let (crawl, running, served) = begun(&site, &gate);
    let added = json!({"order": "add", "urls": [site.url("/new"), site.url("/")]});
    let told = order(&served, &added, "1 URL queued");
    assert_eq!((&told["queued"], &told["known"]), (&1.into(), &1.into()));
    let what = json!({"order": "drop", "what": ["glob:/old/**", "OTHER.example"]});
    order(&served, &what, "dropped glob:/old/**, other.example");
    order(
        &served,
        &json!({"order": "delay", "host": "Slow.example", "seconds": "2.5"}),
        "2.5 s",
    );
    shows(
        &served,
        "/control",
        &[
            "glob:/old/**",
            "other.example",
            "Restore …",
            "slow.example",
            "2.5 s",
            "Back to default …",
        ],
    );
    let refused = json!({"order": "add", "urls": [site.url("/old/x")]});
    given(&served, &refused, "refused", "dropped by the order: glob:/old/**");
    shows(&served, "/control", &["badge failed\">refused"]);
    order(
        &served,
        &json!({"order": "restore", "what": ["other.example"]}),
        "restored",
    );
    order(
        &served,
        &json!({"order": "delay", "host": "slow.example", "seconds": "default"}),
        "configuration",
    );
    let status = served.json("/api/control");
    assert_eq!(status["dropped"].as_array().unwrap().len(), 1, "{status:#}");
    assert_eq!(status["delays"], json!([]));
    gate.open();
    running.wait().succeeded();
    let mut asked = site.pages_asked();
    asked.sort();
    assert_eq!(asked, ["/", "/a", "/new"]);
    let journal = fs::read_to_string(crawl.data().join("control.jsonl")).unwrap();
    assert_eq!(
        journal.lines().count(),
        12,
        "six orders, each with its answer: {journal}"
    );
}

#[test]
fn an_order_without_a_run_takes_effect_with_the_next_one() {
    let (site, crawl) = finished();
    let served = Served::start(&crawl);
    shows(
        &served,
        "/control",
        &[
            "No crawl is running",
            "takes effect with the next run",
            "Start the next run paused …",
        ],
    );
    let added = json!({"order": "add", "urls": [site.url("/new")]});
    given(&served, &added, "waiting", "takes effect with the next run");
    shows(
        &served,
        "/control",
        &[
            ">waiting<",
            "An order that you give now takes effect with the next run.",
        ],
    );
    crawl.run();
    assert!(site.pages_asked().contains(&"/new".to_owned()));
    shows(&served, "/control", &[">done<", "1 URL queued"]);
}

#[test]
fn what_is_no_order_is_refused_with_the_reason() {
    let (_site, crawl) = finished();
    let served = Served::start(&crawl);
    for (order, part) in [
        (json!({}), "send an order"),
        (json!({"order": "halt"}), "halt"),
        (json!({"order": "add", "urls": ["not a url"]}), "is no URL to add"),
        (
            json!({"order": "drop", "what": ["https://a.example/"]}),
            "write a host such as example.org",
        ),
        (
            json!({"order": "restore", "what": ["a.example"]}),
            "is not dropped; nothing is",
        ),
        (
            json!({"order": "delay", "host": "a.example", "seconds": "soon"}),
            "write seconds from 0 to 86400",
        ),
    ] {
        let refused = served.post("/api/control", &order.to_string()).with(400).json();
        assert!(refused["error"].as_str().unwrap().contains(part), "{refused}");
    }
    let host = format!("Host: {}", served.address);
    let own = format!("Origin: http://{}", served.address);
    let pause = "{\"order\": \"pause\"}";
    served.send("POST /api/control", &[&host, &own], pause).with(403);
    let token = format!("X-Crawler-Token: {}", served.token);
    let foreign = [host.as_str(), "Origin: http://foreign.example", &token];
    served.send("POST /api/control", &foreign, pause).with(403);
    served.send("GET /api/control?order=pause", &[&host], pause).with(200);
    assert!(!crawl.data().join("control.jsonl").exists(), "nothing was ordered");
}

#[test]
fn what_an_order_names_is_text() {
    let (site, crawl) = finished();
    let served = Served::start(&crawl);
    let pattern = "regex:\"'><script>alert(1)</script><img src=x>\u{202e}";
    let url = format!("{}?\"><script>alert(2)</script>", site.url("/new"));
    given(
        &served,
        &json!({"order": "drop", "what": [pattern]}),
        "waiting",
        "next run",
    );
    given(&served, &json!({"order": "add", "urls": [url]}), "waiting", "next run");
    let dropped = &served.json("/api/control")["dropped"][0]["what"];
    assert_eq!(dropped, pattern);
    crawl.run();
    for _ in 0..2 {
        let body = shows(&served, "/control", &["alert(1)", "alert(2)", "[U+202E]"]);
        let is_text = !body.contains("<script>") && !body.contains("<img") && !body.contains('\u{202e}');
        assert!(is_text, "{body}");
        // Its button takes back what was dropped, to the letter.
        let (_, button) = body.split_once("data-order=\"{").unwrap_or_default();
        if let Some((order, _)) = button.split_once('"') {
            let order = format!("{{{order}").replace("&#34;", "\"").replace("&#39;", "'");
            let order = order.replace("&#60;", "<").replace("&#62;", ">");
            let order: Value = serde_json::from_str(&order).unwrap();
            assert_eq!(order, json!({"order": "restore", "what": [pattern]}));
            given(&served, &order, "waiting", "next run");
        }
    }
    assert_eq!(served.json("/api/control")["dropped"], json!([]));
}

#[test]
#[cfg(unix)]
fn who_may_not_order_is_told_why() {
    use std::os::unix::fs::{PermissionsExt, chown};
    let (_site, crawl) = finished();
    let served = Served::start(&crawl);
    // Another owner, which only root can name; otherwise a folder that cannot be written to.
    if chown(crawl.data(), Some(65_534), None).is_err() {
        fs::set_permissions(crawl.data().join("lock"), fs::Permissions::from_mode(0o444)).unwrap();
    }
    let body = shows(&served, "/control", &["No order can be given here", "data folder"]);
    assert!(!body.contains("data-order") && !body.contains("<form"), "{body}");
    let refused = served.post("/api/control", "{\"order\": \"pause\"}").with(403).json();
    assert!(refused["error"].as_str().unwrap().contains("data folder"), "{refused}");
    assert!(served.json("/api/control")["why_not"].is_string());
    assert!(!crawl.data().join("control.jsonl").exists());
}

#[test]
fn an_order_that_waits_holds_up_no_other_request() {
    let (site, gate) = held_site();
    let (crawl, running, served) = begun(&site, &gate);
    order(&served, &json!({"order": "pause"}), "paused");
    served.json("/api/overview");
    let journal = File::options()
        .append(true)
        .open(crawl.data().join("control.jsonl"))
        .unwrap();
    journal.lock().unwrap();
    thread::scope(|threads| {
        let waits = threads.spawn(|| order(&served, &json!({"order": "resume"}), "resumed"));
        for path in ["/", "/control", "/pages", "/api/control"] {
            served.get(path).with(200);
        }
        assert!(!waits.is_finished(), "it waits for the journal");
        drop(journal);
        waits.join().unwrap();
    });
    gate.open();
    running.wait().succeeded();
}
