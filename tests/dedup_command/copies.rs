//! Records as Parquet: the rows of the input.

use std::fs;

use serde_json::Value;

use super::{Folder, lines};

/// Rows with structs, lists and times, made by another program.
const STRUCTS: &[u8] = include_bytes!("structs.parquet");

/// Fields of its columns.
const FIELDS: [&str; 4] = ["--text-field", "doc.text", "--id-field", "doc.id"];

fn folder() -> Folder {
    Folder::new()
        .with("in/a.parquet", STRUCTS)
        .with("in/b.parquet", STRUCTS)
        .with("lines.jsonl", "{\"text\":\"x\"}\n")
}

fn with_fields<'a>(arguments: &[&'a str]) -> Vec<&'a str> {
    [arguments, &FIELDS].concat()
}

#[test]
fn kept_rows_are_those_of_the_json_lines() {
    let folder = folder();
    for keep in ["first", "longest"] {
        let run = |kept: &str| {
            let arguments = ["in", "--kept", kept, "--keep", keep, "--output", "out"];
            folder.dedup(&with_fields(&arguments)).with_code(3)
        };
        run("kept.jsonl");
        run("kept.parquet").complains_of(&["kept.parquet has 2 rows"]);
        // The copy as JSON lines: its rows are all unique.
        let again = ["kept.parquet", "--kept", "again.jsonl", "--output", "out"];
        folder.dedup(&with_fields(&again)).succeeded();
        let read = |name: &str| fs::read_to_string(folder.path(name)).unwrap();
        assert_eq!(read("again.jsonl"), read("kept.jsonl"), "{keep}");
        assert!(!folder.path("kept.parquet.rows.partial").exists());
    }
}

#[test]
fn annotated_rows_have_the_verdicts_as_columns() {
    let folder = folder();
    let run = |input: &str, annotated: &str| {
        let arguments = [input, "--annotate", annotated, "--output", "out"];
        folder.dedup(&with_fields(&arguments))
    };
    run("in", "first.jsonl").with_code(3);
    run("in", "first.parquet")
        .with_code(3)
        .complains_of(&["first.parquet has 6 rows"]);
    // The verdict is the text here, so that the copy tells its columns: rows with one verdict are equal, and the kept ones are one of each.
    let arguments = [
        "first.parquet",
        "--text-field",
        "verdict",
        "--id-field",
        "seen",
        "--kept",
        "verdicts.jsonl",
        "--output",
        "out",
    ];
    folder.dedup(&arguments).succeeded();
    let of_lines = lines(&fs::read_to_string(folder.path("first.jsonl")).unwrap());
    let found = lines(&fs::read_to_string(folder.path("verdicts.jsonl")).unwrap());
    let first = |verdict: &str| of_lines.iter().find(|line| line["verdict"] == verdict).unwrap().clone();
    // A row without an id makes the column of ids one of texts.
    let as_texts = |mut line: Value| {
        for name in ["of", "cluster"] {
            line[name] = line[name].as_u64().map(|id| id.to_string()).into();
        }
        line
    };
    assert_eq!(found, ["unique", "exact"].map(|verdict| as_texts(first(verdict))));
    // Annotated again, the columns make way.
    run("first.parquet", "again.parquet").succeeded();
    run("again.parquet", "again.jsonl").succeeded();
    run("first.parquet", "once.jsonl").succeeded();
    let read = |name: &str| fs::read_to_string(folder.path(name)).unwrap();
    assert_eq!(read("again.jsonl"), read("once.jsonl"));
}

#[test]
fn what_cannot_be_copied_is_refused_before_anything_is_read() {
    let folder = folder().with("damaged.parquet", &STRUCTS[..STRUCTS.len() / 2]);
    for (arguments, part) in [
        (
            &["lines.jsonl", "--kept", "k.parquet"][..],
            "lines.jsonl is no Parquet file",
        ),
        (&["in", "--output", "o.parquet"], "--output writes JSON lines"),
        (
            &["in", "--kept", "k.parquet", "--annotate", "a.jsonl"],
            "give both files the ending .parquet",
        ),
        (
            &["damaged.parquet", "--kept", "k.parquet"],
            "no input is a Parquet file that can be read",
        ),
    ] {
        folder.dedup(&with_fields(arguments)).with_code(2).complains_of(&[part]);
        assert!(!folder.path("k.parquet").exists());
    }
    // One damaged file of several is reported, and the others are copied.
    let arguments = ["in", "damaged.parquet", "--kept", "k.parquet", "--output", "out"];
    let complaint = "damaged.parquet: cannot read the Parquet file";
    folder
        .dedup(&with_fields(&arguments))
        .with_code(3)
        .complains_of(&[complaint, "k.parquet has 2 rows"]);
}

#[test]
fn rows_are_copied_after_an_interrupted_run_too() {
    let folder = folder();
    let arguments = [
        "in",
        "--kept",
        "kept.parquet",
        "--annotate",
        "all.parquet",
        "--output",
        "out",
        "--resume",
    ];
    folder.dedup(&with_fields(&arguments)).with_code(3);
    let read = |name: &str| fs::read(folder.path(name)).unwrap();
    let (kept, all) = (read("kept.parquet"), read("all.parquet"));
    folder.dedup(&with_fields(&arguments)).with_code(3);
    assert_eq!((read("kept.parquet"), read("all.parquet")), (kept, all));
    assert!(!folder.path("out.resume").exists());
}
