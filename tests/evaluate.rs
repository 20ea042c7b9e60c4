//! `crawler evaluate` on pages with known duplicates.

use std::fs;

use crate::support::crawl::Crawl;
use crate::support::page::{home, page, replaced, words};
use crate::support::process::{crawler, run};
use crate::support::site::Site;

/// A page, a copy with another word at its end, one that shares half of it, and one that shares nothing.
fn corpus() -> tempfile::TempDir {
    let folder = tempfile::tempdir().unwrap();
    let (a, b) = (words(1, 200), words(2, 200));
    let half = format!("{} {}", &a[..a.len() / 2], words(3, 100));
    let pages = [
        ("a", a.clone()),
        ("copy", format!("{a} changed")),
        ("half", half),
        ("b", b),
    ];
    let lines = pages.map(|(id, text)| format!("{{\"id\":\"{id}\",\"text\":\"{text}\"}}\n"));
    fs::write(folder.path().join("pages.jsonl"), lines.concat()).unwrap();
    fs::write(
        folder.path().join("pairs.tsv"),
        "a\tcopy\t0.99\na\thalf\t0.35\ncopy\thalf\t0.35\n",
    )
    .unwrap();
    folder
}

fn evaluate(folder: &tempfile::TempDir, more: &[&str]) -> std::process::Command {
    let mut command = crawler(["evaluate", "--pages", "pages.jsonl", "--pairs", "pairs.tsv"]);
    command.args(more).current_dir(folder.path());
    command
}

#[test]
fn each_combination_is_a_line_of_the_table_the_csv_and_the_plot() {
    let folder = corpus();
    let grid = [
        "--features=words,3-grams",
        "--weights=tf,log-tf",
        "--bits=64,128",
        "--distances=3,10",
        "--confirm=distance,0.8",
        "--csv=out.csv",
        "--svg=out.svg",
    ];
    run(&mut evaluate(&folder, &grid))
        .succeeded()
        .says(&["precision", "3-grams", "log-tf"]);
    let csv = fs::read_to_string(folder.path().join("out.csv")).unwrap();
    let rows: Vec<Vec<&str>> = csv.lines().skip(1).map(|line| line.split(',').collect()).collect();
    assert_eq!(rows.len(), 2 * 2 * 2 * 2 * 2);
    let header: Vec<&str> = csv.lines().next().unwrap().split(',').collect();
    let column = |name| header.iter().position(|field| *field == name).unwrap();
    // Confirmed by shingles, a wide radius finds the copy and nothing else.
    let confirmed = rows
        .iter()
        .filter(|row| row[column("confirm")] == "0.8" && row[column("max_distance")] == "10");
    let mut seen = 0;
    for row in confirmed {
        let counts = ["right", "wrong", "missed", "unique"].map(|name| row[column(name)]);
        assert_eq!(counts, ["1", "0", "0", "3"], "{row:?}");
        seen += 1;
    }
    assert_eq!(seen, 8);
    let svg = fs::read_to_string(folder.path().join("out.svg")).unwrap();
    assert_eq!(svg.matches("<polyline").count(), 16);
    assert!(svg.starts_with("<svg") && svg.trim_end().ends_with("</svg>"));
}

#[test]
fn an_invalid_line_of_the_truth_is_named_and_ends_with_exit_code_2() {
    let folder = corpus();
    fs::write(folder.path().join("pairs.tsv"), "a\tcopy\t0.99\na half\n").unwrap();
    run(&mut evaluate(&folder, &[]))
        .with_code(2)
        .complains_of(&["pairs.tsv, line 2", "tabs"]);
    run(&mut evaluate(&folder, &["--confirm=nothing"]))
        .with_code(2)
        .complains_of(&["distance, combined"]);
    run(&mut evaluate(&folder, &["--features=letters"]))
        .with_code(2)
        .complains_of(&["2-shingles"]);
    run(&mut evaluate(&folder, &["--distances=99"]))
        .with_code(2)
        .complains_of(&["99"]);
}

#[test]
fn an_export_and_the_labels_of_a_report_are_pages_and_pairs() {
    let text = words(1, 300);
    let site = Site::of([
        ("/", home(&["/0"])),
        ("/0", page("First", &text, &["/edited"])),
        ("/edited", page("Edited", &replaced(&text, 100, 3, 7), &["/"])),
    ]);
    // Every page is kept, so that the export holds both texts.
    let crawl = Crawl::of(site.url("/")).set("dedup.max_distance", 0);
    crawl.run();
    crawl
        .read("export", &["--verdict", "all", "-o", "pages.jsonl"])
        .succeeded();
    let pairs = format!(
        "# my labels\n{a}\t{b}\tduplicate\n{a}\t{home}\tdifferent\n{a}\thttp://other.example/\tdifferent\n",
        a = site.url("/0"),
        b = site.url("/edited"),
        home = site.url("/"),
    );
    fs::write(crawl.path("labels.tsv"), pairs).unwrap();
    let mut command = crawler([
        "evaluate",
        "--pages",
        "pages.jsonl",
        "--pairs",
        "labels.tsv",
        "--csv",
        "out.csv",
    ]);
    command
        .args(["--distances=10", "--confirm=0.76"])
        .current_dir(crawl.path(""));
    let ended = run(&mut command).succeeded();
    ended.complains_of(&["left out 1 pair of labels.tsv", "not in pages.jsonl"]);
    let csv = fs::read_to_string(crawl.path("out.csv")).unwrap();
    let mut lines = csv.lines().map(|line| line.split(',').collect::<Vec<_>>());
    let (header, row) = (lines.next().unwrap(), lines.next().unwrap());
    let of = |name| row[header.iter().position(|field| *field == name).unwrap()];
    assert_eq!(["right", "wrong", "missed"].map(of), ["1", "0", "0"]);
}

#[test]
fn ids_may_be_numbers_and_pages_without_a_text_are_left_out() {
    let folder = corpus();
    let pages = format!(
        "{{\"id\":1,\"text\":\"{0}\",\"title\":null}}\n{{\"id\":2,\"text\":\"{0}\"}}\n{{\"id\":3,\"text\":null}}\n",
        words(1, 100)
    );
    fs::write(folder.path().join("pages.jsonl"), pages).unwrap();
    fs::write(folder.path().join("pairs.tsv"), "1\t2\t1\n").unwrap();
    run(&mut evaluate(&folder, &["--distances=10"]))
        .succeeded()
        .complains_of(&["left out 1 page without a text"]);
    fs::write(folder.path().join("pages.jsonl"), "{\"id\":3,\"text\":null}\n").unwrap();
    run(&mut evaluate(&folder, &[]))
        .with_code(2)
        .complains_of(&["pages.jsonl holds no page with a text"]);
    fs::write(folder.path().join("pages.jsonl"), "{\"text\":\"a\"}\n").unwrap();
    run(&mut evaluate(&folder, &[]))
        .with_code(2)
        .complains_of(&["pages.jsonl, line 1", "neither an id nor a url"]);
}
