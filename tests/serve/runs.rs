//! Views and runs on the same folder.

use std::sync::Arc;

use super::served::{Served, encoded};
use crate::support::crawl::Crawl;
use crate::support::gate::Gate;
use crate::support::page::{NO_LINKS, article, home};
use crate::support::process::Running;
use crate::support::site::{Answer, Site};

#[test]
fn a_crawl_runs_beside_the_server_which_then_shows_it() {
    let site = Site::of([
        ("/", home(&["/a"])),
        ("/a", article(1, NO_LINKS)),
        ("/b", article(2, NO_LINKS)),
    ]);
    let mut crawl = Crawl::of(site.url("/"));
    crawl.run();
    let served = Served::start(&crawl);
    assert_eq!(served.json("/api/overview")["counts"]["kept"], 2);
    crawl.add_seed(&site.url("/b"));
    crawl.run();
    let after = served.wait_until("/api/overview", |answer| answer["counts"]["kept"] == 3);
    assert_eq!(after["counts"], crawl.report()["counts"]);
    served.process.interrupt();
    served.process.wait().succeeded();
}

#[test]
fn deciding_again_says_that_a_crawl_holds_the_folder() {
    let gate = Arc::new(Gate::closed());
    let held = gate.clone();
    let site = Site::scripted(move |asked| match asked.path.as_str() {
        "/" => home(&["/a"]),
        "/a" => article(1, NO_LINKS),
        "/b" => {
            assert!(held.pass(), "nobody opened the gate");
            article(2, NO_LINKS)
        }
        _ => Answer::status(404),
    });
    let mut crawl = Crawl::of(site.url("/"));
    crawl.run();
    let served = Served::start(&crawl);
    served.json("/api/overview");
    crawl.add_seed(&site.url("/b"));
    let running = crawl.start();
    gate.wait_for_arrival();
    served.post("/api/redecide", "{}").with(200);
    let ended = served.wait_until("/api/redecide", |standing| standing["state"] != "running");
    let text = ended["text"].as_str().unwrap();
    assert!(ended["state"] == "failed" && text.contains("in use"), "{ended}");
    gate.open();
    running.wait().succeeded();
}

#[test]
fn the_views_follow_a_run_in_its_own_process() {
    let gate = Arc::new(Gate::closed());
    let held = gate.clone();
    let site = Site::scripted(move |asked| match asked.path.as_str() {
        "/" => home(&["/a", "/copy", "/last"]),
        "/a" | "/copy" => article(1, NO_LINKS),
        "/last" => {
            assert!(held.pass(), "nobody opened the gate");
            article(2, NO_LINKS)
        }
        _ => Answer::status(404),
    });
    let crawl = Crawl::of(site.url("/"));
    let process = Running::start(&mut crawl.command(&["--serve", "127.0.0.1:0"]));
    process.wait_for_stderr("/\n");
    let stderr = process.stderr();
    let url = stderr.lines().find_map(|line| line.strip_prefix("views: http://"));
    let served = Served {
        address: url.unwrap().trim_end_matches('/').parse().unwrap(),
        process,
        token: String::new(),
    };
    gate.wait_for_arrival();
    served.wait_until("/api/overview", |answer| answer["counts"]["fetched"] == 3);
    let copy = served.json("/api/pages?verdict=exact");
    assert_eq!(copy["total"], 1, "{copy}");
    served.json(&format!("/api/explain?url={}", encoded(&site.url("/a"))));
    gate.open();
    served.process.wait().succeeded().says(&["Finished", "kept 3"]);
}
