//! `crawler label`: the most doubtful pairs, asked on standard input.

use std::fs;
use std::io::{Seek, Write};
use std::process::Stdio;

use serde_json::Value;

use crate::support::crawl::Crawl;
use crate::support::page::{NO_LINKS, home, page, replaced, words};
use crate::support::process::{Ended, crawler, run};
use crate::support::site::Site;

/// Words of a text.
const WORDS: usize = 300;

/// A crawl of a text and of variants that are less and less similar, on both sides of the threshold.
fn crawled() -> (Site, Crawl) {
    let text = words(1, WORDS);
    let variants = [8, 15, 20, 25, 30, 35, 40, 60].map(|edited| {
        let edited_text = replaced(&text, 20, edited, 100 + edited as u64);
        (format!("/v{edited}"), page("Notes", &edited_text, &["/"]))
    });
    let links: Vec<&str> = std::iter::once("/text")
        .chain(variants.iter().map(|(path, _)| path.as_str()))
        .collect();
    let mut pages = vec![
        ("/".to_owned(), home(&links)),
        ("/text".to_owned(), page("Notes", &text, &["/"])),
    ];
    pages.extend(variants);
    let site = Site::of(pages);
    let crawl = Crawl::of(site.url("/")).one_at_a_time().set("steering.enabled", false);
    crawl.run();
    (site, crawl)
}

fn label(crawl: &Crawl, answers: &str, arguments: &[&str]) -> Ended {
    let mut file = tempfile::tempfile().unwrap();
    file.write_all(answers.as_bytes()).unwrap();
    file.rewind().unwrap();
    let mut command = crawler(["label", "--data"]);
    command.arg(crawl.data()).args(arguments);
    run(command.stdin(Stdio::from(file))).succeeded()
}

fn labels(crawl: &Crawl) -> Vec<Value> {
    let lines = fs::read_to_string(crawl.data().join("labels.jsonl")).unwrap_or_default();
    lines.lines().map(|line| serde_json::from_str(line).unwrap()).collect()
}

#[test]
fn each_answer_is_a_label_and_a_labelled_pair_is_not_asked_for_again() {
    let (_site, crawl) = crawled();
    // An unclear answer is asked for again, and the end of the input ends the command.
    label(&crawl, "s\nperhaps\nd\n\n", &["--limit", "4"]).says(&[
        "Pair 1 of 4",
        "similarity 0.",
        "Pair 4 of 4",
        "2 new labels in ",
        "1 same, 1 different. `crawler tune` judges by them.",
    ]);
    let first = labels(&crawl);
    let words: Vec<&str> = first.iter().map(|label| label["label"].as_str().unwrap()).collect();
    assert_eq!(words, ["duplicate", "different"]);
    assert_ne!(first[0]["b"], first[1]["b"]);
    label(&crawl, "d\nq\n", &[]).says(&["1 new label in ", "0 same, 1 different"]);
    let all = labels(&crawl);
    assert_eq!(all[..2], first);
    assert!(first.iter().all(|label| label["b"] != all[2]["b"]), "{all:?}");
    let tuned = crawl.read("tune", &["--format", "json", "--at", "10,0.76"]).succeeded();
    let tuned: Value = serde_json::from_str(&tuned.stdout).unwrap();
    assert_eq!(tuned["labels"]["pairs"], 3);
}

#[test]
fn nothing_is_asked_without_a_doubtful_pair() {
    let site = Site::of(vec![("/".to_owned(), home(NO_LINKS))]);
    let crawl = Crawl::of(site.url("/"));
    crawl.run();
    label(&crawl, "", &[]).says(&["No doubtful pair is left without a label."]);
    label(&crawl, "", &["--limit", "1"]);
    assert!(labels(&crawl).is_empty());
}
