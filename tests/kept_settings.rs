//! A crawl keeps its settings, and the commands that read it judge by them, whatever the folder that they run in.

use std::fs;

use serde_json::Value;
use tempfile::TempDir;

use crate::support::crawl::Crawl;
use crate::support::page::{NO_LINKS, home, page, replaced, words};
use crate::support::process::{Ended, crawler, run};
use crate::support::site::Site;

/// A crawl under a rule by which only equal texts are near-duplicates, and another folder with a text that differs from a page in few words.
fn crawled() -> (Crawl, TempDir) {
    let site = Site::of([
        ("/", home(&["/article"])),
        ("/article", page("Article", &words(1, 400), NO_LINKS)),
    ]);
    let crawl = Crawl::of(site.url("/")).set("dedup.min_similarity", "1.0");
    crawl.run();
    let elsewhere = tempfile::tempdir().unwrap();
    fs::write(elsewhere.path().join("copy.txt"), replaced(&words(1, 400), 200, 6, 2)).unwrap();
    (crawl, elsewhere)
}

/// `crawler check copy.txt` in the other folder.
fn check(crawl: &Crawl, elsewhere: &TempDir, arguments: &[&str]) -> Ended {
    let mut command = crawler(["check", "copy.txt", "--format", "json", "--data"]);
    run(command.arg(crawl.data()).args(arguments).current_dir(elsewhere.path()))
}

fn verdict(ended: &Ended) -> String {
    let answer: Value = serde_json::from_str(&ended.stdout).unwrap();
    answer["verdict"].as_str().unwrap().to_owned()
}

#[test]
fn another_folder_judges_by_the_settings_of_the_crawl_and_says_so() {
    let (crawl, elsewhere) = crawled();
    let own = check(&crawl, &elsewhere, &[]).complains_of(&["settings from", "test.toml"]);
    assert_eq!(verdict(&own), "contained");

    // The file of the crawl counts as it is now, so that a changed threshold has its effect.
    let text = fs::read_to_string(crawl.path("test.toml")).unwrap();
    fs::write(crawl.path("test.toml"), text.replace("= 1.0", "= 0.76")).unwrap();
    assert_eq!(verdict(&check(&crawl, &elsewhere, &[])), "near");

    // Without that file the settings of the run count.
    fs::remove_file(crawl.path("test.toml")).unwrap();
    let kept = check(&crawl, &elsewhere, &[]).complains_of(&["settings from", "data/settings/"]);
    assert_eq!(verdict(&kept), "contained");
}

#[test]
fn a_configuration_of_another_crawl_applies_only_if_it_is_named() {
    let (crawl, elsewhere) = crawled();
    fs::write(elsewhere.path().join("config.toml"), "dedup.min_similarity = 0.76\n").unwrap();
    let own = check(&crawl, &elsewhere, &[]).complains_of(&["not from ./config.toml", "--config config.toml uses it"]);
    assert_eq!(verdict(&own), "contained");
    assert_eq!(
        verdict(&check(&crawl, &elsewhere, &["--config", "config.toml"])),
        "near"
    );
}

#[test]
fn tune_writes_to_no_file_that_only_the_data_folder_names() {
    let (crawl, elsewhere) = crawled();
    let before = fs::read_to_string(crawl.path("test.toml")).unwrap();
    let mut command = crawler(["tune", "--at", "10,0.8", "--write", "--data"]);
    let ended = run(command.arg(crawl.data()).current_dir(elsewhere.path())).with_code(2);
    ended.complains_of(&["test.toml", "to write to it: --config"]);
    assert_eq!(fs::read_to_string(crawl.path("test.toml")).unwrap(), before);
    // In its own folder it does.
    crawl
        .read("tune", &["--at", "10,0.8", "--write"])
        .succeeded()
        .says(&["test.toml"]);
    assert!(
        fs::read_to_string(crawl.path("test.toml"))
            .unwrap()
            .contains("min_similarity = 0.8")
    );
    assert!(!elsewhere.path().join("config.toml").exists());
}

#[test]
fn a_data_folder_cannot_make_a_command_connect_through_its_proxy() {
    let (crawl, elsewhere) = crawled();
    let proxy = Site::of([("/", home(NO_LINKS))]);
    let mut text = fs::read_to_string(crawl.path("test.toml")).unwrap();
    text.push_str(&format!(
        "fetch.proxy = \"{}\"\nfetch.cookies_file = \"missing\"\n",
        proxy.url("")
    ));
    fs::write(crawl.path("test.toml"), text).unwrap();
    let mut command = crawler(["check", "http://no-such-host.invalid/", "--data"]);
    let ended = run(command.arg(crawl.data()).current_dir(elsewhere.path()));
    assert!(ended.stderr.contains("not resolved"), "{ended:?}");
    assert_eq!(proxy.paths(), Vec::<String>::new());
}

#[test]
fn the_configuration_in_the_current_folder_counts_whole() {
    let site = Site::of([("/", home(NO_LINKS))]);
    let folder = tempfile::tempdir().unwrap();
    let config = "fetch.allow_private_addresses = true\npoliteness.delay_ms = 0\n";
    fs::write(folder.path().join("config.toml"), config).unwrap();
    let here = |arguments: &[&str]| run(crawler(arguments).current_dir(folder.path()));
    here(&["run", &site.url("/"), "--quiet"]).succeeded();
    // Without its configuration, the command would not connect to a private address.
    let ended = here(&["check", &site.url("/"), "--format", "json"]);
    assert!(ended.stdout.contains("\"verdict\""), "{ended:?}");
}

#[test]
fn new_verdicts_bring_their_settings() {
    let (crawl, elsewhere) = crawled();
    fs::write(elsewhere.path().join("other.toml"), "dedup.min_similarity = 0.76\n").unwrap();
    let mut command = crawler(["rebuild", "--redecide", "--config", "other.toml", "--data"]);
    run(command.arg(crawl.data()).current_dir(elsewhere.path())).succeeded();
    assert_eq!(verdict(&check(&crawl, &elsewhere, &[])), "near");
}
