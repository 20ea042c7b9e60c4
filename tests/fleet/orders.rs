//! What the user tells a running fleet: more seeds, other settings; and what the servers say of its settings.

use super::*;

#[test]
fn seeds_are_added_to_a_running_fleet() {
    // Slow enough that the worker has not ended when the seeds come.
    let (redis, site) = (Redis::start(&[]), site(Duration::from_millis(1_500)));
    let home = |number| format!("http://{}:{}/", host(number), site.port());
    // A worker of one host. Its scope has no other host.
    let worker = Crawl::of(home(0))
        .set("identity.contact_url", "\"https://example.org/worker-1\"")
        .set("politeness.parallel_per_host", 1)
        .set("fleet.address", format!("\"{}\"", address(&redis)))
        .set("fleet.lease_seconds", LEASE.as_secs());
    let running = worker.start();
    site.wait_for_requests(2);
    let config = worker.path("test.toml");
    let add = |arguments: &[&str]| {
        let mut command = crawler(["fleet", "seeds", "add", &address(&redis)]);
        run(command.args(arguments).arg("--config").arg(&config))
    };
    wait_until("the servers know its seed", || {
        let json = run(&mut crawler(["fleet", "status", "--format", "json", &address(&redis)])).succeeded();
        let status: serde_json::Value = serde_json::from_str(&json.stdout).unwrap();
        status["partitions"]["known"].as_u64() > Some(0)
    });
    let file = worker.path("more.txt");
    std::fs::write(&file, format!("# more\n{}\nhttp://[bad/\n{}\n", home(3), home(0))).unwrap();
    let told = add(&["--seeds", file.to_str().unwrap()]).succeeded();
    let told = told.says(&["2 seeds: 1 are new", "The crawl knew 1 of them before"]);
    assert!(told.stderr.contains("line 3"), "{}", told.stderr);
    add(&[&home(3)]).succeeded().says(&["1 seeds: 0 are new"]);
    add(&["no url at all"]).with_code(2).complains_of(&["no url at all"]);
    run(&mut crawler(["fleet", "seeds", "add", &address(&redis)])).with_code(2);
    running.wait().succeeded();
    let of = |number: usize| {
        all_pages(&site)
            .into_iter()
            .filter(move |page| page.starts_with(&format!("{}:", host(number))))
    };
    let expected: BTreeSet<String> = of(0).chain(of(3)).collect();
    assert_eq!(times(&site).keys().cloned().collect::<BTreeSet<_>>(), expected);
    // Another configuration writes URLs in another way.
    let other = worker.path("other.toml");
    std::fs::write(&other, "canonicalize.drop_index_file = true\n").unwrap();
    let mut command = crawler(["fleet", "seeds", "add", &address(&redis), &home(5), "--config"]);
    let told = run(command.arg(other)).with_code(1);
    told.complains_of(&["canonicalize.drop_index_file (the others: false; this worker: true)"]);
    let shown = run(&mut crawler(["fleet", "config", &address(&redis)])).succeeded();
    shown.says(&["politeness.parallel_per_host = 1", "rule of the verdicts"]);
    let json = run(&mut crawler(["fleet", "config", "--format", "json", &address(&redis)])).succeeded();
    let json: serde_json::Value = serde_json::from_str(&json.stdout).unwrap();
    assert_eq!(json["terms"]["partitions"], 1024);
}

#[test]
fn settings_change_for_workers_that_run_and_for_those_that_come_later() {
    let (redis, site) = (
        Redis::start(&["--appendonly", "yes", "--appendfsync", "always"]),
        site(Duration::from_millis(20)),
    );
    let config = |arguments: &[&str]| run(crawler(["fleet", "config", &address(&redis)]).args(arguments));
    let one = worker(1, &site, &redis).set("politeness.delay_ms", 3_600_000);
    let running = one.start();
    // Of each host, it has the robots.txt; the first page comes an hour later.
    site.wait_for_requests(HOSTS);
    assert!(times(&site).is_empty(), "{:?}", times(&site));
    for (change, reason) in [
        ("dedup.max_distance=3", "all verdicts of a crawl follow one rule"),
        ("fleet.verdicts=worker", "to its end"),
        ("scope.max_depth=9", "the links of pages before would be missing"),
        ("politeness.delay=1", "did you mean politeness.delay_ms?"),
        ("politeness.delay_ms=-1", "politeness.delay_ms"),
    ] {
        // Of several changes, all are made or none.
        config(&["politeness.latency_factor=1", change])
            .with_code(2)
            .complains_of(&[reason]);
    }
    config(&[])
        .succeeded()
        .says(&["politeness.delay_ms = 3600000\n", "politeness.latency_factor = 2.0\n"]);
    let told = config(&["politeness.delay_ms=3000000", "scope.max_pages=1000"]).succeeded();
    told.says(&[
        "Every worker takes the change over",
        "politeness.delay_ms = 3000000 (changed; the workers started with 3600000)",
        "scope.max_pages = 1000 (changed; each worker started with its own value)",
    ]);
    let pending = || status_of(&redis)["unchanged"].clone();
    wait_until("the worker says that it has taken the change over", || {
        pending() == serde_json::json!([])
    });
    assert_eq!(
        status_of(&redis)["changed"][0],
        serde_json::json!(["politeness.delay_ms", "3000000"])
    );
    // It comes with a third value, which does not hold either. It gets hosts that the first one has asked.
    let two = worker(2, &site, &redis).set("politeness.delay_ms", 7_200_000);
    let late = two.start();
    late.wait_for_stderr("politeness.delay_ms = 3000000 (this worker: 7200000)");
    worker(3, &site, &redis)
        .set("politeness.delay_ms", 0)
        .set("politeness.max_retries", 9)
        .end(&[])
        .with_code(1)
        .complains_of(&["politeness.max_retries (the others: 2; this worker: 9)"]);
    let pages = times(&site).values().sum::<usize>();
    assert!(pages < HOSTS, "no delay has passed: {pages}");
    config(&["politeness.delay_ms=0"]).succeeded();
    for worker in [running, late] {
        worker.wait().succeeded();
    }
    assert_eq!(times(&site).keys().cloned().collect::<BTreeSet<_>>(), all_pages(&site));
    let json = config(&["--format", "json", "politeness.delay_ms=default"]).succeeded();
    let json: serde_json::Value = serde_json::from_str(&json.stdout).unwrap();
    assert_eq!(json["changed"], serde_json::json!([["scope.max_pages", "1000"]]));
    let unknown = run(&mut crawler([
        "fleet",
        "config",
        "--name",
        "other",
        &address(&redis),
        "scope.max_pages=1",
    ]));
    unknown.with_code(1).complains_of(&["do not know the crawl"]);
}

fn status_of(redis: &Redis) -> serde_json::Value {
    let json = run(&mut crawler(["fleet", "status", "--format", "json", &address(redis)])).succeeded();
    serde_json::from_str(&json.stdout).unwrap()
}
