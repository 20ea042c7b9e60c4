//! `crawler fingerprint` and `crawler idf`: fingerprints and their features.

use std::fs;

use serde_json::Value;

use crate::support::page::words;
use crate::support::process::{Ended, crawler, run};

/// A folder with three texts, of which two share most words.
fn corpus() -> tempfile::TempDir {
    let folder = tempfile::tempdir().unwrap();
    for (name, text) in [
        ("a.txt", format!("harbour {}", words(1, 120))),
        ("b.txt", format!("harbour {} tide tide tide", words(1, 120))),
        ("c.txt", words(2, 120)),
    ] {
        fs::write(folder.path().join(name), text).unwrap();
    }
    folder
}

fn crawler_in(folder: &tempfile::TempDir, arguments: &[&str]) -> Ended {
    run(crawler(arguments).current_dir(folder.path()))
}

fn fingerprint(folder: &tempfile::TempDir, more: &[&str]) -> Value {
    let arguments = [&["fingerprint", "b.txt", "--json", "--top", "1000"], more].concat();
    serde_json::from_str(&crawler_in(folder, &arguments).succeeded().stdout).unwrap()
}

fn weight(line: &Value, feature: &str) -> f64 {
    let features = line["features"].as_array().unwrap();
    let found = features.iter().find(|entry| entry["feature"] == feature);
    found.unwrap_or_else(|| panic!("no feature {feature} in {line}"))["weight"]
        .as_f64()
        .unwrap()
}

#[test]
fn features_are_listed_by_descending_weight() {
    let folder = corpus();
    let line = fingerprint(&folder, &[]);
    assert_eq!((weight(&line, "tide"), weight(&line, "harbour")), (3.0, 1.0));
    assert_eq!(line["fingerprint"].as_str().unwrap().len(), 16);
    let weights: Vec<f64> = line["features"]
        .as_array()
        .unwrap()
        .iter()
        .map(|f| f["weight"].as_f64().unwrap())
        .collect();
    assert!(weights.is_sorted_by(|a, b| a >= b), "{weights:?}");
    crawler_in(&folder, &["fingerprint", "b.txt"])
        .succeeded()
        .says(&["b.txt", "tide", "tokens"]);
}

#[test]
fn a_text_too_short_for_a_fingerprint_is_reported() {
    let folder = corpus();
    fs::write(folder.path().join("short.txt"), "a few words").unwrap();
    crawler_in(&folder, &["fingerprint", "short.txt"])
        .succeeded()
        .says(&["none: a fingerprint needs 50 words (or 300 Chinese characters)"]);
}

#[test]
fn an_idf_table_raises_rare_features_and_is_part_of_the_scheme() {
    let folder = corpus();
    crawler_in(&folder, &["idf", ".", "--output", "table.idf"])
        .succeeded()
        .says(&["3 documents", "idf_table"]);
    fs::write(
        folder.path().join("idf.toml"),
        "[dedup]\nweights = \"tf-idf\"\nidf_table = \"table.idf\"\n",
    )
    .unwrap();
    let line = fingerprint(&folder, &["--config", "idf.toml"]);
    // In one of three documents three times, in two of three once.
    assert!((weight(&line, "tide") - 3.0 * 3_f64.ln()).abs() < 0.01);
    assert!((weight(&line, "harbour") - 1.5_f64.ln()).abs() < 0.01);
    let plain = fingerprint(&folder, &[]);
    assert_ne!(line["scheme"], plain["scheme"]);
    assert_ne!(line["fingerprint"], plain["fingerprint"]);
}

#[test]
fn an_unusable_table_is_named_with_advice() {
    let folder = corpus();
    crawler_in(&folder, &["idf", ".", "--output", "table.idf"]).succeeded();
    fs::write(folder.path().join("no.idf"), "not a table").unwrap();
    for (config, parts) in [
        ("weights = \"improved\"", ["dedup.idf_table", "table"]),
        (
            "weights = \"improved\"\nidf_table = \"missing.idf\"",
            ["missing.idf", "cannot be opened"],
        ),
        (
            "weights = \"improved\"\nidf_table = \"no.idf\"",
            ["no.idf", "build one from a corpus"],
        ),
        (
            "weights = \"improved\"\nfeatures = \"3-grams\"\nidf_table = \"table.idf\"",
            ["table.idf", "3-grams"],
        ),
        ("weights = \"heavy\"", ["dedup.weights", "tf-idf"]),
        ("bits = 48", ["dedup.bits = 48", "32, 64 or 128"]),
        ("segmenter = \"none\"", ["dedup.segmenter", "dictionary"]),
    ] {
        fs::write(folder.path().join("c.toml"), format!("[dedup]\n{config}\n")).unwrap();
        crawler_in(&folder, &["fingerprint", "a.txt", "--config", "c.toml"])
            .with_code(2)
            .complains_of(&parts);
    }
}
