//! `crawler serve --fleet`: one page of the whole fleet.

use serde_json::Value;

use super::*;
use crate::serve::served::Served;
use crate::support::page::NO_LINKS;

/// A server of the fleet alone, in a folder without a crawl.
fn served(redis: &Redis) -> (Served, tempfile::TempDir) {
    let folder = tempfile::tempdir().unwrap();
    let address = address(redis);
    let mut command = crawler(["serve", "--fleet", &address, "--listen", "127.0.0.1:0"]);
    (Served::by(command.current_dir(folder.path())), folder)
}

/// The text of a part of a page, without its markup.
fn text(html: &str) -> String {
    let parts = html.split('<').map(|part| part.rsplit('>').next().unwrap());
    parts.collect::<Vec<_>>().join(" ")
}

/// The row of a worker.
#[track_caller]
fn row(page: &str, worker: usize) -> String {
    let begin = format!("<th scope=\"row\" role=\"rowheader\" class=\"n\" data-label=\"worker\">{worker}</th>");
    let (_, rest) = page
        .split_once(&begin)
        .unwrap_or_else(|| panic!("worker {worker} is not in {page}"));
    rest.split_once("</tr>").unwrap().0.to_owned()
}

fn cell<'a>(row: &'a str, name: &str) -> &'a str {
    let (_, rest) = row.split_once(&format!("data-label=\"{name}\">")).unwrap();
    rest.split_once('<').unwrap().0
}

fn tile<'a>(page: &'a str, name: &str) -> &'a str {
    let (_, rest) = page
        .split_once(&format!("<dt>{name}</dt><dd><span class=\"value\">"))
        .unwrap();
    rest.split_once('<').unwrap().0
}

#[test]
fn the_page_of_a_fleet_has_the_figures_of_its_workers() {
    let redis = Redis::start(&["--appendonly", "yes", "--appendfsync", "always"]);
    let site = Site::scripted(|asked| match asked.path.as_str() {
        "/" => article(1, &["/copy", "/other", "/missing"]),
        "/copy" => article(1, NO_LINKS),
        "/other" => article(2, NO_LINKS),
        _ => Answer::status(404),
    });
    let worker = Crawl::of(site.url("/"))
        .set("fleet.address", format!("\"{}\"", address(&redis)))
        .set("fleet.lease_seconds", LEASE.as_secs());
    worker.run();
    let (served, _folder) = served(&redis);
    let status = served.json("/api/fleet");
    let command = run(&mut crawler(["fleet", "status", "--format", "json", &address(&redis)])).succeeded();
    let printed: Value = serde_json::from_str(&command.stdout).unwrap();
    for key in ["name", "crawl", "terms", "totals", "workers", "partitions", "log"] {
        assert_eq!(status[key], printed[key], "{key}");
    }
    let told = run(&mut crawler(["fleet", "status", &address(&redis)])).succeeded();
    told.says(&["pages: 0.0/s, 2 kept, 1 duplicates (33.3 %); 1 URLs failed"]);
    for path in ["/", "/fleet"] {
        let page = served.get(path).with(200).body;
        for (name, value) in [
            ("pages/s", "0.0"),
            ("URLs found", "4"),
            ("URLs waiting", "0"),
            ("URLs finished", "4"),
            ("kept", "2"),
            ("duplicates", "1"),
            ("duplicates, %", "33.3"),
            ("failed", "1"),
        ] {
            assert_eq!(tile(&page, name), value, "{name} in {page}");
        }
        let row = row(&page, 1);
        for (name, value) in [("kept", "2"), ("duplicates", "1"), ("failed", "1"), ("partitions", "0")] {
            assert_eq!(cell(&row, name), value, "{name} in {row}");
        }
        let text = text(&page);
        for part in [
            "No worker is alive, 1 left.",
            "1,024 partitions: 0 with a worker",
            &redis.host(),
            "crawl crawl",
        ] {
            assert!(text.contains(part), "{part} is not in {text}");
        }
    }
    assert_eq!(served.get("/pages").status, 404);
}

#[test]
fn the_page_of_a_fleet_follows_its_workers_and_says_whose_lease_has_run_out() {
    let (redis, site) = (
        Redis::start(&["--appendonly", "yes", "--appendfsync", "always"]),
        // Slow enough that both workers still have pages to fetch when a busy machine comes to look.
        site(Duration::from_millis(1_500)),
    );
    let workers = (1..=2).map(|number| worker(number, &site, &redis).set("fleet.lease_seconds", 3 * LEASE.as_secs()));
    let workers: Vec<Crawl> = workers.collect();
    let mut running: Vec<Running> = workers.iter().map(Crawl::start).collect();
    let (served, _folder) = served(&redis);
    let all = |status: &Value, holds: &dyn Fn(&Value) -> bool| {
        let workers = status["workers"].as_array().unwrap();
        workers.len() == 2 && workers.iter().all(holds)
    };
    let start = Instant::now();
    while served
        .send("GET /api/fleet", &[&format!("Host: {}", served.address)], "")
        .status
        != 200
    {
        assert!(start.elapsed() < PATIENCE, "no worker has joined");
    }
    let is_at_work = |worker: &Value| {
        worker["state"] == "live" && worker["leases"] != 0 && worker["report"]["pages_per_second"].as_f64() > Some(0.0)
    };
    let status = served.wait_until("/api/fleet", |status| all(status, &is_at_work));
    assert!(status["totals"]["pages_per_second"].as_f64() > Some(0.0), "{status}");
    let page = served.get("/").with(200).body;
    for worker in [1, 2] {
        let row = text(&row(&page, worker));
        assert!(row.contains("alive"), "{row}");
    }
    // A browser without scripts asks again by itself, and one with scripts replaces the part.
    assert!(
        page.contains("<noscript><meta http-equiv=\"refresh\"") && page.contains("data-from=\"/fleet\""),
        "{page}"
    );
    running[0].kill();
    let killed = served.wait_until("/api/fleet", |status| {
        let workers = status["workers"].as_array().unwrap();
        workers.iter().any(|worker| worker["state"] == "silent")
    });
    let number = killed["workers"].as_array().unwrap().iter();
    let number = number.clone().find(|worker| worker["state"] == "silent").unwrap()["number"].as_u64();
    let page = served.get("/").with(200).body;
    let row = text(&row(&page, number.unwrap() as usize));
    assert!(row.contains("lease run out, silent for"), "{row}");
    running.remove(1).interrupt();
}

#[test]
fn the_page_of_a_fleet_says_that_redis_is_away_and_asks_again() {
    let mut redis = Redis::start(&["--appendonly", "yes", "--appendfsync", "always"]);
    let site = site(Duration::ZERO);
    worker(1, &site, &redis).run();
    let (served, _folder) = served(&redis);
    let send = |path: &str| served.send(&format!("GET {path}"), &[&format!("Host: {}", served.address)], "");
    let kept = tile(&send("/").with(200).body, "kept").to_owned();
    redis.kill();
    let start = Instant::now();
    let away = loop {
        let page = send("/").with(200).body;
        if page.contains("role=\"alert\"") {
            break page;
        }
        assert!(start.elapsed() < PATIENCE, "{page}");
    };
    let said = text(&away);
    for part in [
        "Redis cannot be reached since",
        "no answer from Redis at",
        "asks again every three seconds",
        "the last ones that the servers told",
    ] {
        assert!(said.contains(part), "{part} is not in {said}");
    }
    assert_eq!(tile(&away, "kept"), kept);
    let refused = send("/api/fleet").with(503);
    assert!(
        refused.json()["error"]
            .as_str()
            .unwrap()
            .contains("no answer from Redis"),
        "{refused:?}"
    );
    // A server that starts meanwhile has no figures.
    let (late, _other_folder) = {
        let folder = tempfile::tempdir().unwrap();
        let address = address(&redis);
        let mut command = crawler(["serve", "--fleet", &address, "--listen", "127.0.0.1:0"]);
        (Served::by(command.current_dir(folder.path())), folder)
    };
    let page = late.get("/").with(200).body;
    assert!(
        page.contains("Redis cannot be reached") && page.contains("There are no figures yet"),
        "{page}"
    );
    redis.restart();
    for served in [&served, &late] {
        served.wait_until("/api/fleet", |status| status["workers"][0]["state"] == "left");
        let page = served.get("/").with(200).body;
        assert!(
            !page.contains("role=\"alert\"") && tile(&page, "kept") == kept,
            "{page}"
        );
    }
}

#[test]
fn the_page_of_a_fleet_is_bound_like_every_view() {
    let redis = Redis::start(&[]);
    let (served, _folder) = served(&redis);
    let host = format!("Host: {}", served.address);
    for path in ["/", "/fleet", "/nothing", "/assets/style.css"] {
        let got = served.send(&format!("GET {path}"), &[&host], "");
        for field in [
            "default-src 'none'; script-src 'self'; style-src 'self';",
            "x-content-type-options: nosniff",
            "cache-control: no-store",
            "frame-ancestors 'none'",
        ] {
            assert!(got.head.contains(field), "{path}: {got:?}");
        }
        let foreign = format!("Host: rebound.example:{}", served.address.port());
        served.send(&format!("GET {path}"), &[&foreign], "").with(421);
    }
    let page = served.get("/").with(200).body;
    assert!(page.contains("the servers do not know the crawl"), "{page}");
    assert!(!page.contains("<style") && !page.contains(" style="), "{page}");
    served.send("GET /api/fleet", &[&host], "").with(404);
    served.post("/api/control", "{}").with(404);
    assert_eq!(served.send("POST /api/fleet", &[&host], "{}").status, 403);
}

#[test]
fn a_data_folder_and_a_fleet_are_served_together() {
    let redis = Redis::start(&[]);
    let site = site(Duration::ZERO);
    let worker = worker(1, &site, &redis);
    worker.run();
    // The address comes from the configuration, where it may have a password.
    let mut command = crawler(["serve", "--fleet", "--data", "data", "--config", "test.toml"]);
    let served = Served::by(command.args(["--listen", "127.0.0.1:0"]).current_dir(worker.path("")));
    for path in ["/", "/pages", "/fleet"] {
        let page = served.get(path).with(200).body;
        assert!(
            page.contains("<a href=\"/fleet\"") && page.contains("<a href=\"/pages\""),
            "{page}"
        );
        assert_eq!(page.matches("aria-current=\"page\"").count(), 1, "{path}");
    }
    let kept = count(&worker.report(), "kept");
    assert_eq!(served.json("/api/overview")["counts"]["kept"], kept);
    assert_eq!(served.json("/api/fleet")["totals"]["kept"], kept);
    for (arguments, part) in [
        (vec!["--fleet", "http://127.0.0.1"], "it must begin with redis://"),
        (vec!["--fleet", &address(&redis), "--name", "a b"], "letters, digits"),
        (vec!["--fleet"], "fleet.address"),
        (vec!["--name", "crawl"], "--fleet"),
    ] {
        let folder = tempfile::tempdir().unwrap();
        let mut command = crawler(["serve", "--listen", "127.0.0.1:0"]);
        let ended = run(command.args(arguments).current_dir(folder.path()));
        ended.with_code(2).complains_of(&[part]);
    }
}
