//! Records with their verdicts.

use std::fs;

use serde_json::{Value, json};

use super::{Folder, documents, jsonl, lines, page, verdicts};
use crate::support::page::words;

const ADDED: [&str; 5] = ["verdict", "of", "distance", "similarity", "cluster"];

#[test]
fn every_record_is_written_with_its_verdict_and_its_own_fields() {
    let folder = Folder::new().with("in.jsonl", jsonl(&documents()) + "no JSON\n");
    let ended = folder
        .dedup(&["in.jsonl", "--annotate", "annotated.jsonl"])
        .with_code(3);
    let (decided, annotated) = (
        lines(&ended.stdout),
        lines(&fs::read_to_string(folder.path("annotated.jsonl")).unwrap()),
    );
    let input = lines(&jsonl(&documents()));
    assert_eq!(annotated.len(), input.len());
    for ((mut annotated, verdict), record) in annotated.into_iter().zip(decided).zip(input) {
        for name in ADDED {
            assert_eq!(annotated[name], verdict[name], "{annotated}");
            annotated.as_object_mut().unwrap().remove(name);
        }
        assert_eq!(annotated, record);
    }
    // A second run gives the same file: what the first one has added is no field of the record.
    folder
        .dedup(&["annotated.jsonl", "--annotate", "again.jsonl", "--output", "out"])
        .succeeded();
    let read = |name: &str| fs::read_to_string(folder.path(name)).unwrap();
    assert_eq!(read("again.jsonl"), read("annotated.jsonl"));
}

#[test]
fn the_cluster_of_a_document_is_the_kept_one() {
    let folder = Folder::new().with("in.jsonl", jsonl(&documents()));
    let ended = folder.dedup(&["in.jsonl"]).succeeded();
    let clusters: Vec<Value> = lines(&ended.stdout)
        .iter()
        .map(|line| line["cluster"].clone())
        .collect();
    assert_eq!(clusters, ["d1", "d2", "d1", "d2", "d5", "d5"].map(Value::from));
}

#[test]
fn rows_and_pages_are_annotated_too() {
    let text = words(1, 80);
    let folder = Folder::new()
        .with("table.csv", format!("id,text,colour\n1,{text},red\n2,{text},blue\n"))
        .with("page.html", page("A title", &words(2, 120)));
    folder
        .dedup(&[
            "table.csv",
            "page.html",
            "--annotate",
            "out.jsonl",
            "--kept",
            "kept.jsonl",
            "--output",
            "verdicts",
        ])
        .succeeded();
    let annotated = lines(&fs::read_to_string(folder.path("out.jsonl")).unwrap());
    let short: Vec<Value> = annotated
        .iter()
        .map(|line| json!([line["id"], line["colour"], line["verdict"], line["cluster"]]))
        .collect();
    let expected = [
        json!(["1", "red", "unique", "1"]),
        json!(["2", "blue", "exact", "1"]),
        json!(["page.html", null, "unique", "page.html"]),
    ];
    assert_eq!(short, expected);
    assert_eq!(annotated[2]["title"], "A title");
    let kept = lines(&fs::read_to_string(folder.path("kept.jsonl")).unwrap());
    assert_eq!(kept.len(), 2);
    assert!(kept.iter().all(|line| line.get("verdict").is_none()));
}

#[test]
fn records_go_to_standard_output_if_the_verdicts_do_not() {
    let folder = Folder::new().with("in.jsonl", jsonl(&documents()));
    let ended = folder
        .dedup(&["in.jsonl", "--annotate", "-", "--output", "out"])
        .succeeded();
    let out = fs::read_to_string(folder.path("out")).unwrap();
    assert_eq!(verdicts(&ended.stdout), verdicts(&out));
    for same in [&["--annotate", "-"][..], &["--kept", "x", "--annotate", "x"]] {
        folder
            .dedup(&[&["in.jsonl"], same].concat())
            .with_code(2)
            .complains_of(&["--annotate"]);
    }
}
