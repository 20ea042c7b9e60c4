//! What keeps a page that was dropped, from the answer of `explain` to the run that continues the crawl.

use std::fs;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use serde_json::Value;

use crate::support::crawl::Crawl;
use crate::support::page::{NO_LINKS, home, page, replaced, words};
use crate::support::process::{crawler, run};
use crate::support::site::{Answer, Site};

/// Two lamps that differ in their power, and a text that differs from the first lamp in a few words.
fn site() -> Site {
    let text = words(1, 300);
    let lamp = |watts: u32| format!("{text} It takes {watts} watts");
    Site::of([
        ("/", home(&["/lamp"])),
        ("/lamp", page("Lamp", &lamp(40), &["/stronger", "/near"])),
        ("/stronger", page("Lamp", &lamp(60), NO_LINKS)),
        ("/near", page("Lamp", &replaced(&lamp(40), 100, 4, 2), NO_LINKS)),
    ])
}

fn explained(crawl: &Crawl, url: &str) -> Value {
    let ended = crawl.read("explain", &[url, "--format", "json"]).succeeded();
    serde_json::from_str(&ended.stdout).unwrap()
}

/// What has happened to a page.
fn history(crawl: &Crawl, url: &str) -> Vec<String> {
    let answer = explained(crawl, url);
    let events = answer["history"].as_array().unwrap().iter();
    events.map(|event| event["what"].as_str().unwrap().to_owned()).collect()
}

/// The answer for people, without its line breaks.
fn in_one_line(crawl: &Crawl, url: &str) -> String {
    let told = crawl.read("explain", &[url]).succeeded().stdout;
    told.split_whitespace().collect::<Vec<_>>().join(" ")
}

#[test]
fn a_dropped_page_is_kept_by_the_key_that_changes_least() {
    let site = site();
    let mut crawl = Crawl::of(site.url("/")).one_at_a_time();
    crawl.run();
    let (stronger, near) = (site.url("/stronger"), site.url("/near"));
    let remedy = &explained(&crawl, &stronger)["remedy"];
    assert_eq!(
        (&remedy["by_numbers"], &remedy["is_exact"]),
        (&true.into(), &false.into()),
        "{remedy}"
    );
    let told = in_one_line(&crawl, &stronger);
    for part in [
        "If it should have been kept",
        "dedup.numbers_must_match = true",
        "rebuild --redecide",
    ] {
        assert!(told.contains(part), "{part} is not in {told}");
    }
    let remedy = &explained(&crawl, &near)["remedy"];
    assert_eq!(remedy["by_numbers"], false, "{remedy}");
    let setting = &remedy["setting"];
    assert!(setting["words"].as_str().unwrap().starts_with("a "), "{remedy}");
    assert_eq!(explained(&crawl, &site.url("/lamp"))["remedy"], Value::Null);

    crawl.change("dedup.numbers_must_match", true);
    // The command writes the configuration.
    crawl.command(&[]);
    crawl
        .read("rebuild", &["--redecide", "--config", "test.toml"])
        .succeeded();
    assert_eq!(explained(&crawl, &stronger)["is_kept"], true);
    assert_eq!(explained(&crawl, &near)["is_kept"], false);
}

#[test]
fn a_short_page_is_kept_by_the_key_of_short_texts() {
    let text = words(1, 40);
    let short = |changed: usize| replaced(&text, 20, changed, 2);
    let site = Site::of([
        ("/", home(&["/first"])),
        ("/first", page("One", &text, &["/near"])),
        ("/near", page("One", &short(1), NO_LINKS)),
    ]);
    let mut crawl = Crawl::of(site.url("/"))
        .one_at_a_time()
        .set("dedup.min_similarity_short", "0.6");
    crawl.run();
    let near = site.url("/near");
    let answer = explained(&crawl, &near);
    assert_eq!(
        (&answer["verdict"], &answer["fingerprint"]),
        (&"near".into(), &Value::Null)
    );
    let setting = &answer["remedy"]["setting"];
    let least = setting["min_similarity_short"].as_f64().unwrap();
    assert!(
        least > answer["compared_with"]["similarity"].as_f64().unwrap(),
        "{answer}"
    );
    let told = in_one_line(&crawl, &near);
    for part in [
        &format!("With dedup.min_similarity_short = {least:?} in the configuration, the crawl keeps it"),
        "fingerprint none: a fingerprint needs 50 words (or 300 Chinese characters), the text has 4",
    ] {
        assert!(told.contains(part), "{part} is not in {told}");
    }
    assert!(!told.contains("tune --at"), "{told}");
    crawl.change("dedup.min_similarity_short", least);
    crawl.command(&[]);
    let redecide = ["--redecide", "--config", "test.toml"];
    crawl.read("rebuild", &redecide).succeeded();
    assert_eq!(explained(&crawl, &near)["is_kept"], true);
}

#[test]
fn a_label_keeps_one_page_whatever_the_rule_says() {
    let is_later = Arc::new(AtomicBool::new(false));
    let later = is_later.clone();
    let text = format!("{} It takes 40 watts", words(1, 300));
    // `/near` and `/other` differ from the first lamp in a few words each, and `/near` changes once more.
    let site = Site::scripted(move |asked| match asked.path.as_str() {
        "/" => home(&["/lamp"]),
        "/lamp" => page("Lamp", &text, &["/near", "/other", "/copy"]),
        "/copy" => page("Lamp", &text, NO_LINKS),
        "/near" => page(
            "Lamp",
            &replaced(&text, 100, if later.load(Ordering::Relaxed) { 5 } else { 4 }, 2),
            NO_LINKS,
        ),
        "/other" => page("Lamp", &replaced(&text, 200, 4, 3), NO_LINKS),
        _ => Answer::status(404),
    });
    let crawl = Crawl::of(site.url("/"))
        .one_at_a_time()
        .set("refresh.min_interval", "\"0s\"")
        .set("refresh.first_interval", "\"0s\"");
    crawl.run();
    let [lamp, near, other, copy] = ["/lamp", "/near", "/other", "/copy"].map(|path| site.url(path));
    let is_kept = |url: &str| explained(&crawl, url)["is_kept"] == true;
    assert!(!is_kept(&near) && !is_kept(&other));

    // As the answer about the dropped page says.
    let exception = &explained(&crawl, &near)["remedy"]["exception"];
    assert_eq!(*exception, format!("crawler label {near} --different"));
    crawl.read("label", &[&near, "--different"]).succeeded().says(&[
        "Labelled as different",
        &lamp,
        &near,
        "rebuild --redecide",
    ]);
    assert!(!is_kept(&near), "a label changes no verdict by itself");
    assert!(in_one_line(&crawl, &near).contains("A label says that the two pages differ"));
    let redecide = ["--redecide", "--config", "test.toml"];
    crawl.read("rebuild", &redecide).succeeded();
    assert!(is_kept(&near) && !is_kept(&other));
    assert_eq!(explained(&crawl, &near)["is_exception"], true);
    let told = in_one_line(&crawl, &near);
    assert!(told.contains("near-duplicate of"), "{told}");
    let verified = crawl.read("verify", &["--config", "test.toml"]).succeeded();
    assert!(verified.stdout.contains("differ by a label"), "{}", verified.stdout);

    // The runs that fetch its body, and then another version of it, decide as the label says.
    crawl.run();
    assert!(is_kept(&near) && !is_kept(&other));
    let first = [
        "fetched and dropped as a near-duplicate",
        "kept when a rebuild decided all pages again",
        "fetched again for its body",
    ];
    assert_eq!(history(&crawl, &near), first);
    crawl.read("rebuild", &redecide).succeeded();
    let [dropped, kept, body] = first;
    assert_eq!(history(&crawl, &near), [dropped, body, kept]);
    is_later.store(true, Ordering::Relaxed);
    crawl.end(&["--refresh"]).succeeded();
    assert!(is_kept(&near));

    let withdrawn = crawl.read("label", &[&near, "--withdraw"]).succeeded();
    withdrawn.says(&[
        "Took back the label",
        &lamp,
        "The rule alone decides on the pair again",
        "rebuild --redecide",
    ]);
    crawl.read("rebuild", &redecide).succeeded();
    assert!(!is_kept(&near));
    let nothing = crawl.read("label", &[&near, &lamp, "--withdraw"]).with_code(2);
    nothing.complains_of(&["have no label"]);
    // Evidence for `tune`, and no exception.
    let same = crawl.read("label", &[&near, "--same"]).succeeded();
    assert!(!same.stdout.contains("rebuild"), "{}", same.stdout);
    let not_dropped = crawl.read("label", &[&lamp, "--different"]).with_code(2);
    not_dropped.complains_of(&["was not dropped for another page"]);
    let exact = crawl.read("label", &[&copy, "--different"]).with_code(2);
    exact.complains_of(&["have the same text"]);
    let unknown = crawl.read("label", &[&site.url("/none"), "--same"]).with_code(2);
    unknown.complains_of(&["is not a page of this crawl"]);
}

#[test]
fn a_page_that_a_narrower_rule_keeps_still_shows_the_pages_near_it() {
    let site = site();
    let mut crawl = Crawl::of(site.url("/")).one_at_a_time();
    crawl.run();
    let near = site.url("/near");
    let distance = explained(&crawl, &near)["compared_with"]["distance"].as_u64().unwrap();
    assert!(distance > 0);
    crawl.change("dedup.max_distance", 0);
    crawl.command(&[]);
    crawl
        .read("rebuild", &["--redecide", "--config", "test.toml"])
        .succeeded();
    let answer = explained(&crawl, &near);
    assert_eq!(answer["is_kept"], true);
    let nearest = answer["nearest"].as_array().unwrap();
    assert!(nearest.iter().any(|page| page["url"] == site.url("/lamp")), "{answer}");
    let told = in_one_line(&crawl, &near);
    assert!(told.contains("The nearest pages are further away"), "{told}");
}

#[test]
fn a_run_without_seeds_continues_the_crawl_or_names_the_command_that_does() {
    let site = site();
    let folder = tempfile::tempdir().unwrap();
    let here = |arguments: &[&str]| run(crawler(arguments).current_dir(folder.path()));
    fs::write(folder.path().join("config.toml"), "politeness.delay_ms = 0\n").unwrap();
    here(&["run"]).with_code(2).complains_of(&["name what to crawl"]);
    let seed = site.url("/");
    let first = ["run", &seed, "--allow-private", "--max-pages", "1", "--delay", "1ms"];
    here(&first).with_code(6);
    let refused = here(&["run"]).with_code(2);
    refused.complains_of(&["to continue as it did: `crawler run --max-pages 1 --delay 1ms --allow-private`"]);
    let more = ["run", "--max-pages", "100", "--allow-private", "--delay", "1ms"];
    here(&more)
        .succeeded()
        .complains_of(&["continuing the crawl in the folder data", "--delay"]);
    let report: Value = serde_json::from_str(&here(&["report", "--format", "json"]).stdout).unwrap();
    assert_eq!(report["counts"]["fetched"], 4, "links of the known hosts are followed");
    assert_eq!(site.times_asked()["/lamp"], 1);
}

#[test]
fn a_configuration_that_only_the_data_folder_names_must_be_named_to_continue() {
    let site = site();
    let crawl = Crawl::of(site.url("/"));
    crawl.run();
    let refused = crawl.read("run", &[]).with_code(2);
    refused.complains_of(&["to continue as it did: `crawler run --config test.toml`"]);
    crawl
        .read("run", &["--config", "test.toml"])
        .succeeded()
        .complains_of(&["continuing the crawl", "from test.toml"])
        .says(&["in all runs: kept"]);
}

#[test]
fn another_site_in_the_folder_of_a_crawl_is_told() {
    let (one, other) = (site(), Site::of([("/", home(NO_LINKS))]));
    let crawl = Crawl::of(one.url("/"));
    crawl.run();
    let add = |url: &str| crawl.read("run", &[url, "--config", "test.toml"]).succeeded();
    let host = |site: &Site| site.url("").trim_start_matches("http://").to_owned();
    let told = format!(
        "data holds a crawl of {}; {} will be in the same crawl",
        host(&one),
        host(&other)
    );
    add(&other.url("/")).complains_of(&[&told]);
    let again = add(&other.url("/"));
    assert!(!again.stderr.contains("holds a crawl of"), "{}", again.stderr);
}

#[test]
fn robots_txt_is_not_ignored_in_silence() {
    let site = Site::scripted(|asked| match asked.path.as_str() {
        "/robots.txt" => Answer::text("User-agent: *\nDisallow: /\n"),
        _ => home(NO_LINKS),
    });
    let folder = tempfile::tempdir().unwrap();
    let mut command = crawler(["run", &site.url("/"), "--allow-private"]);
    command
        .env("CRAWLER_POLITENESS_ROBOTS", "false")
        .current_dir(folder.path());
    run(&mut command).succeeded().complains_of(&[
        "no robots.txt is obeyed",
        "environment variable CRAWLER_POLITENESS_ROBOTS",
        "from the built-in settings and --allow-private and CRAWLER_POLITENESS_ROBOTS",
    ]);
}
