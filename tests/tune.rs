//! `crawler tune`: the verdicts of a crawl at other thresholds, without a request.

use std::collections::BTreeSet;
use std::fs;

use serde_json::Value;

use crate::support::crawl::Crawl;
use crate::support::outcomes::{count, list, urls_that};
use crate::support::page::{home, page, replaced, words};
use crate::support::process::{Ended, crawler, run};
use crate::support::site::{Answer, Site};

/// Words of a text; it has 296 runs of five.
const WORDS: usize = 300;

/// Replaced words of the variants of a text: `n` words in one place change `n + 4` runs.
const EDITS: [usize; 6] = [1, 8, 20, 40, 70, 140];

/// Texts with less and less similar variants, each page linked from the page before, and an article that its print version names as
/// canonical.
fn site() -> Site {
    let mut texts = Vec::new();
    for seed in 0..8 {
        let text = words(seed, WORDS);
        texts.push(text.clone());
        texts.extend(EDITS.map(|edited| replaced(&text, 17 * (seed as usize + 1) % 100, edited, 100 + seed)));
    }
    texts.push(words(3, WORDS));
    let count = texts.len();
    let linked = |n: usize| {
        if n + 1 < count {
            vec![format!("/{}", n + 1)]
        } else {
            vec!["/print".to_owned()]
        }
    };
    let mut pages: Vec<(String, Answer)> = texts
        .iter()
        .enumerate()
        .map(|(n, text)| (format!("/{n}"), page(&format!("Page {n}"), text, &linked(n))))
        .collect();
    let article = words(50, WORDS);
    let print = page("Print", &article, &["/article"]).with("link", "</article>; rel=canonical");
    pages.push(("/".to_owned(), home(&["/0"])));
    pages.push(("/print".to_owned(), print));
    pages.push(("/article".to_owned(), page("Article", &article, &["/"])));
    Site::of(pages)
}

fn crawled(site: &Site) -> Crawl {
    let crawl = in_one_order(site);
    crawl.run();
    crawl
}

/// A crawl along the links of [`site`], each on the page before.
fn in_one_order(site: &Site) -> Crawl {
    let crawl = Crawl::of(site.url("/")).one_at_a_time();
    crawl.set("steering.enabled", false).set("scope.max_depth", 100)
}

/// `crawler tune` with the configuration of the crawl.
fn tune(crawl: &Crawl, arguments: &[&str]) -> Ended {
    let with_config = [&["--config", "test.toml"], arguments].concat();
    crawl.read("tune", &with_config)
}

fn tuned(crawl: &Crawl, arguments: &[&str]) -> Value {
    let json = [&["--format", "json"], arguments].concat();
    serde_json::from_str(&tune(crawl, &json).succeeded().stdout).unwrap()
}

/// The results of a setting.
fn setting(answer: &Value, max_distance: u64, min_similarity: f64) -> Value {
    let found = list(answer, "settings").iter().find(|setting| {
        setting["max_distance"] == max_distance
            && setting["min_similarity"] == min_similarity
            && setting["confirm"] == "sketch"
    });
    found.unwrap().clone()
}

#[test]
fn a_setting_keeps_what_a_fresh_crawl_by_it_keeps() {
    let site = site();
    let crawl = crawled(&site);
    for (max_distance, min_similarity) in [(10, 0.76), (10, 0.5), (4, 0.76), (0, 0.9), (10, 0.95)] {
        let at = format!("{max_distance},{min_similarity}");
        let answer = tuned(&crawl, &["--at", &at, "--kept", "kept.txt"]);
        let predicted = fs::read_to_string(crawl.path("kept.txt")).unwrap();
        let predicted: BTreeSet<&str> = predicted
            .lines()
            .map(|url| url.strip_prefix(&site.url("")).unwrap())
            .collect();
        let fresh = in_one_order(&site)
            .set("dedup.max_distance", max_distance)
            .set("dedup.min_similarity", min_similarity);
        fresh.run();
        let outcomes = fresh.outcomes(&site);
        let kept: BTreeSet<&str> = urls_that(&outcomes, |outcome| outcome == "kept").into_iter().collect();
        assert_eq!(predicted, kept, "at {at}");
        let of_setting = setting(&answer, max_distance, min_similarity);
        let dropped = count(&fresh.report(), "fetched") - kept.len() as u64;
        assert_eq!(of_setting["dropped"], dropped, "at {at}");
    }
}

#[test]
fn the_estimate_is_computed_from_the_exact_texts() {
    let site = site();
    let crawl = crawled(&site);
    let answer = tuned(&crawl, &["--at", "10,0.5", "--show", "100"]);
    let pages = answer["pages"].as_u64().unwrap();
    assert_eq!(answer["sample"]["judged"], pages, "every text is stored: {answer}");
    assert_eq!(answer["stored"]["as_replayed"], pages);
    assert_eq!(
        (&answer["recommendation"]["stays"], &answer["in_force"]["max_distance"]),
        (&true.into(), &10.into())
    );
    let nothing_found = setting(&answer, 0, 0.9);
    // An earlier page shares 0.8 of the runs with each variant of up to 40 replaced words (the one of 40 with the one of 20, which
    // begins like it), with the copy and with the article. Each of these 34 pages that a setting keeps is missed.
    let with_duplicate = nothing_found["missed"].as_u64().unwrap() + nothing_found["right"].as_u64().unwrap();
    assert_eq!(with_duplicate, 34, "{nothing_found}");
    let recall = &nothing_found["recall"];
    assert!(
        recall["low"].as_f64() < recall["estimate"].as_f64() && recall["estimate"].as_f64() < recall["high"].as_f64()
    );
    assert_eq!(setting(&answer, 10, 0.76)["wrong"], 0);
    for pair in list(&answer["changes"], "pairs") {
        let verdicts = [pair["from"].as_str().unwrap(), pair["to"].as_str().unwrap()];
        assert!(verdicts == ["kept", "near"] || verdicts == ["near", "kept"], "{pair}");
        let (estimated, exact) = (pair["similarity"].as_f64().unwrap(), pair["jaccard"].as_f64().unwrap());
        assert!((estimated - exact).abs() < 0.12, "{pair}");
        assert!(pair["url"].as_str().unwrap().starts_with(&site.url("/")), "{pair}");
    }
    let number = |name: &str| answer["changes"][name].as_u64().unwrap() as usize;
    let pairs = list(&answer["changes"], "pairs").len();
    assert!(number("newly_dropped") > 0 && pairs == number("newly_dropped") + number("newly_kept"));
}

#[test]
fn the_tables_name_the_settings_in_force_and_recommended() {
    let site = site();
    let crawl = crawled(&site);
    let ended = tune(&crawl, &["--at", "10,0.5", "--csv", "t.csv", "--svg", "t.svg"]).succeeded();
    let ended = ended.says(&[
        "Pages dropped",
        "F1 of these settings",
        "*",
        "█",
        "Recommended: stay at distance 10, similarity 0.76",
    ]);
    ended.says(&["kept → dropped", "--write"]);
    let csv = fs::read_to_string(crawl.path("t.csv")).unwrap();
    let columns = csv.lines().next().unwrap().split(',').count();
    assert!(csv.lines().count() > 100 && csv.lines().all(|line| line.split(',').count() == columns));
    assert!(fs::read_to_string(crawl.path("t.svg")).unwrap().ends_with("</svg>\n"));
}

#[test]
fn write_changes_the_value_and_nothing_else() {
    use std::os::unix::fs::{PermissionsExt, symlink};

    let site = site();
    let crawl = crawled(&site);
    let before = "# mine\r\n[dedup]   # what is dropped\r\nmin_similarity   =  0.76  # not 0.8\r\n\r\n# as found\r\nmax_distance = 10\r\n\r\n\
                  [politeness]\r\ndelay_ms = 0";
    let (file, link) = (crawl.path("real.toml"), crawl.path("my.toml"));
    fs::write(&file, before).unwrap();
    fs::set_permissions(&file, fs::Permissions::from_mode(0o640)).unwrap();
    symlink("real.toml", &link).unwrap();
    let write = |at: &str| {
        crawl
            .read("tune", &["--config", "my.toml", "--at", at, "--write"])
            .succeeded()
    };
    write("7,0.8").says(&[
        "dedup.max_distance = 7 (was 10)",
        "dedup.min_similarity = 0.8 (was 0.76)",
        "rebuild",
    ]);
    let after = before
        .replace("=  0.76  #", "=  0.8  #")
        .replace("max_distance = 10", "max_distance = 7");
    assert_eq!(fs::read_to_string(&file).unwrap(), after);
    assert!(link.is_symlink());
    assert_eq!(fs::metadata(&file).unwrap().permissions().mode() & 0o777, 0o640);
    write("7,0.8").says(&["my.toml needs no change"]);
    assert_eq!(fs::read_to_string(&file).unwrap(), after);
    write("10").says(&["dedup.max_distance = 10 (was 7)"]);
    assert_eq!(
        fs::read_to_string(&file).unwrap(),
        before.replace("=  0.76  #", "=  0.8  #")
    );
    // No temporary file is left.
    let names: Vec<_> = fs::read_dir(crawl.path(""))
        .unwrap()
        .map(|entry| entry.unwrap().file_name())
        .collect();
    assert!(
        names.iter().all(|name| !name.to_string_lossy().starts_with(".tmp")),
        "{names:?}"
    );
}

#[test]
fn write_makes_a_configuration_where_there_is_none() {
    let site = site();
    let folder = tempfile::tempdir().unwrap();
    let here = |arguments: &[&str]| run(crawler(arguments).current_dir(folder.path()));
    here(&["run", &site.url("/"), "--allow-private", "--delay", "0s", "--quiet"]).succeeded();
    let ended = here(&["tune", "--at", "7", "--write", "--format", "json"]).succeeded();
    let config = folder.path().join("config.toml");
    assert_eq!(fs::read_to_string(&config).unwrap(), "[dedup]\nmax_distance = 7\n");
    let written = serde_json::from_str::<Value>(&ended.stdout).unwrap()["written"].clone();
    assert_eq!(
        (&written["keys"][0]["key"], &written["keys"][0]["to"]),
        (&"dedup.max_distance".into(), &"7".into())
    );
    // The recommended setting, which is now in force, changes nothing.
    here(&["tune", "--write", "--distances", "7", "--similarities", "0.76"]).succeeded();
    assert_eq!(fs::read_to_string(&config).unwrap(), "[dedup]\nmax_distance = 7\n");
}

#[test]
fn write_loses_no_other_setting_of_a_configuration_that_is_gone() {
    let site = site();
    let crawl = crawled(&site);
    fs::remove_file(crawl.path("test.toml")).unwrap();
    let refused = crawl.read("tune", &["--at", "7", "--write"]).with_code(2);
    refused.complains_of(&["is gone", "data/settings/1.toml", "--config"]);
    assert!(!crawl.path("test.toml").exists() && !crawl.path("config.toml").exists());
}

#[test]
fn labels_override_the_estimate() {
    let site = site();
    let crawl = crawled(&site);
    let url = |path: &str| site.url(path);
    let without_scheme = |path: &str| url(path).replacen("http://", "", 1);
    // /1 is /0 with one other word, /4 with forty (0.74 alike), /7 another text.
    let lines = [
        format!("{}\t{}\tduplicate", url("/0"), url("/1")),
        format!("{}\t{}\tdifferent", url("/0"), url("/2")),
        format!("{}#top\t{}\t0.1", url("/0"), url("/7")),
        "# a comment".to_owned(),
        format!("{}\t{}\tduplicate", url("/0"), url("/nowhere\u{1b}[31m")),
        "no tabs\u{1b}[31m".to_owned(),
        format!("{}\t{}\tdifferent", without_scheme("/1"), url("/0")),
        format!("{}\t{}\tDUPLICATE", without_scheme("/1"), url("/0")),
    ];
    fs::write(crawl.path("labels.tsv"), format!("\u{feff}{}", lines.join("\n"))).unwrap();
    let ended = tune(&crawl, &["--pairs", "labels.tsv", "--format", "json"]).succeeded();
    let ended = ended.complains_of(&[
        "labels.tsv:5: ",
        "is not a page of this crawl",
        "labels.tsv:6: it needs two URLs",
        "labels.tsv:7: an earlier line says 1 for this pair; this line says 0, which counts",
        "labels.tsv:8: an earlier line says 0 for this pair; this line says 1, which counts",
    ]);
    assert!(!ended.stderr.contains("labels.tsv:1: "), "{}", ended.stderr);
    assert!(!ended.stderr.contains("\u{1b}[31m"), "{}", ended.stderr);
    let answer: Value = serde_json::from_str(&ended.stdout).unwrap();
    let labels = &answer["labels"];
    assert_eq!(
        (&labels["pairs"], &labels["bad_lines"], &labels["unknown_urls"]),
        (&3.into(), &1.into(), &1.into())
    );
    assert_eq!(labels["said_otherwise"], 2);
    // The setting in force drops /2 as a duplicate of /0, or of /1, which it drops as a duplicate of /0.
    let in_force = setting(&answer, 10, 0.76);
    assert_eq!(
        (&in_force["labels_contradicted"], &in_force["wrong"]),
        (&1.into(), &1.into())
    );
    assert_eq!(
        setting(&answer, 0, 0.9)["labels_contradicted"],
        1,
        "/0 and /1 are both kept"
    );
    let recommended = &answer["recommendation"]["setting"];
    let (distance, similarity) = (
        recommended["max_distance"].as_u64().unwrap(),
        recommended["min_similarity"].as_f64().unwrap(),
    );
    let of_recommended = setting(&answer, distance, similarity);
    assert!(of_recommended["f1"]["estimate"].as_f64() >= in_force["f1"]["estimate"].as_f64());
    tune(&crawl, &["--pairs", "labels.tsv"])
        .succeeded()
        .says(&["Of 3 labelled pairs", "labels against"]);
}

#[test]
fn a_crawl_without_duplicates_has_nothing_to_tune() {
    let site = Site::of([
        ("/", home(&["/0", "/1"])),
        ("/0", page("One", &words(1, WORDS), &["/"])),
        ("/1", page("Two", &words(2, WORDS), &["/"])),
    ]);
    let crawl = crawled(&site);
    let answer = tuned(&crawl, &[]);
    assert_eq!((&answer["pages"], &answer["stored"]["dropped"]), (&3.into(), &0.into()));
    assert_eq!(answer["recommendation"]["why"], "nothing_judged");
    assert!(answer["settings"][0]["f1"].is_null() && answer["settings"][0]["precision"].is_null());
    assert!(list(&answer["changes"], "pairs").is_empty());
    tune(&crawl, &["--sample", "0"])
        .succeeded()
        .says(&["no page could be judged", "–"]);
    tune(&crawl, &["--csv", "none.csv"])
        .succeeded()
        .says(&["nothing could be judged"]);
    let csv = fs::read_to_string(crawl.path("none.csv")).unwrap();
    assert!(csv.lines().skip(1).all(|line| line.ends_with(",,,,,,,,,,0")), "{csv}");

    let forbidden = Site::of([("/robots.txt", Answer::text("User-agent: *\nDisallow: /\n"))]);
    let crawl = in_one_order(&forbidden);
    crawl.run_without_page();
    let answer = tuned(&crawl, &["--write"]);
    assert_eq!(
        (&answer["pages"], &answer["recommendation"]["why"]),
        (&0.into(), &"nothing_judged".into())
    );
    assert!(list(&answer["written"], "keys").is_empty());
    tune(&crawl, &["--svg", "t.svg"])
        .succeeded()
        .says(&["0 pages replayed"]);
}

#[test]
fn impossible_settings_end_with_exit_code_2() {
    let site = Site::of([("/", home(&["/0"]))]);
    let crawl = crawled(&site);
    let fails = |arguments: &[&str], parts: &[&str]| {
        tune(&crawl, arguments).with_code(2).complains_of(parts);
    };
    fails(&["--distances", "60"], &["60"]);
    fails(&["--similarities", "1.5"], &["above 0 and at most 1"]);
    fails(&["--at", "ten"], &["10,0.76"]);
    fails(&["--pairs", "missing.tsv"], &["missing.tsv"]);
    fails(&["--csv", "data/t.csv"], &["data folder"]);
    let many: Vec<String> = (1..=60).map(|n| format!("0.{n:03}")).collect();
    fails(&["--similarities", &many.join(",")], &["more than the 512"]);
    fs::write(crawl.path("other.toml"), "[dedup]\nbits = 128\n").unwrap();
    let ended = crawl.read("tune", &["--config", "other.toml"]).with_code(2);
    ended.complains_of(&[
        "has simhash64; only the configuration has simhash128",
        "--config",
        "crawler rebuild",
    ]);
    fs::write(
        crawl.path("alone.toml"),
        "[dedup]\nconfirm = \"distance\"\nmax_distance = 3\n",
    )
    .unwrap();
    let ended = crawl
        .read("tune", &["--config", "alone.toml", "--at", "4,0.8"])
        .with_code(2);
    ended.complains_of(&["name the distance alone"]);
    let mut nowhere = crawler(["tune", "--data", "nowhere"]);
    run(nowhere.current_dir(crawl.path(""))).with_code(1);
}

#[test]
fn a_rule_of_another_kind_is_tuned_by_its_distance() {
    let site = site();
    let crawl = crawled(&site);
    for (kind, max_distance) in [("distance", 3), ("combined", 10)] {
        let config = format!("[dedup]\nconfirm = \"{kind}\" # so\nmax_distance = {max_distance}\n");
        fs::write(crawl.path("kind.toml"), &config).unwrap();
        let ended = crawl.read(
            "tune",
            &["--config", "kind.toml", "--at", "5", "--write", "--format", "json"],
        );
        let answer: Value = serde_json::from_str(&ended.succeeded().stdout).unwrap();
        assert_eq!(
            (&answer["in_force"]["confirm"], &answer["changes"]["at"]["confirm"]),
            (&kind.into(), &kind.into())
        );
        assert_eq!(answer["recommendation"]["setting"]["confirm"], kind);
        let written = fs::read_to_string(crawl.path("kind.toml")).unwrap();
        assert_eq!(
            written,
            config.replace(&format!("max_distance = {max_distance}"), "max_distance = 5")
        );
    }
}
