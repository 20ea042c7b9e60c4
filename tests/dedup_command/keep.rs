//! Which of several like documents is kept.

use std::collections::BTreeMap;
use std::fs;

use serde_json::{Value, json};

use super::{Folder, families, lines, verdicts};
use crate::support::page::{replaced, words};

/// Two families of three, and one more document.
fn documents() -> Vec<Value> {
    let (first, second) = (words(1, 90), words(2, 40));
    let longer = format!("{first} and more");
    let texts = [
        first.clone(),
        replaced(&first, 20, 1, 7),
        longer,
        second.clone(),
        second.clone(),
        second,
        words(3, 30),
    ];
    let days = [
        "2024-05-01",
        "2024-05-03",
        "2024-05-02",
        "2023-01-01",
        "2025-01-01T10:00:00Z",
        "2025-01-01",
        "",
    ];
    let votes = [
        json!(1),
        json!(2),
        json!("3"),
        json!(5),
        json!(5),
        json!(4.5),
        Value::Null,
    ];
    (0..7)
        .map(|n| json!({"id": n, "text": texts[n], "day": days[n], "meta": {"votes": votes[n]}}))
        .collect()
}

fn jsonl(documents: &[Value]) -> String {
    documents.iter().map(|document| document.to_string() + "\n").collect()
}

#[test]
fn the_chosen_document_of_each_family_is_kept_and_the_output_is_in_input_order() {
    let folder = Folder::new().with("in.jsonl", jsonl(&documents()));
    for (arguments, kept) in [
        (&["--keep", "first"][..], [0, 3, 6]),
        (&["--keep", "longest"], [2, 3, 6]),
        (&["--keep", "newest", "--score-field", "day"], [1, 4, 6]),
        (&["--keep", "best", "--score-field", "meta.votes"], [2, 3, 6]),
    ] {
        let ended = folder
            .dedup(
                &[
                    &["in.jsonl", "--kept", "kept.jsonl", "--annotate", "annotated.jsonl"],
                    arguments,
                ]
                .concat(),
            )
            .succeeded();
        let found = lines(&ended.stdout);
        let ids: Vec<u64> = found.iter().map(|line| line["id"].as_u64().unwrap()).collect();
        assert_eq!(ids, [0, 1, 2, 3, 4, 5, 6]);
        let clusters: Vec<u64> = found.iter().map(|line| line["cluster"].as_u64().unwrap()).collect();
        let [a, b, c] = kept;
        assert_eq!(clusters, [a, a, a, b, b, b, c], "{arguments:?}");
        let read = |name: &str| lines(&fs::read_to_string(folder.path(name)).unwrap());
        let written: Vec<u64> = read("kept.jsonl")
            .iter()
            .map(|line| line["id"].as_u64().unwrap())
            .collect();
        assert_eq!(written, kept, "{arguments:?}");
        assert_eq!(read("annotated.jsonl").len(), 7);
        ended.complains_of(&["unique 3"]);
    }
}

#[test]
fn the_verdicts_are_those_of_the_input_in_the_order_of_the_choice() {
    let count = 1_200;
    let mut documents = lines(&families(count));
    for document in &mut documents {
        // Some have no score, some the same.
        let n = document["n"].as_u64().unwrap();
        document["score"] = if n.is_multiple_of(11) {
            Value::Null
        } else {
            json!(n * 37 % 50)
        };
    }
    let mut sorted = documents.clone();
    sorted.sort_by_key(|document| std::cmp::Reverse(document["score"].as_i64().unwrap_or(-1)));
    let folder = Folder::new()
        .with("in.jsonl", jsonl(&documents))
        .with("sorted.jsonl", jsonl(&sorted));
    let by_id = |text: &str| -> BTreeMap<String, Value> {
        lines(text)
            .into_iter()
            .map(|line| (line["id"].to_string(), line))
            .collect()
    };
    for source in ["blocks", "bands"] {
        let expected = folder
            .dedup(&["sorted.jsonl", "--candidates", source])
            .succeeded()
            .stdout;
        let arguments = [
            "in.jsonl",
            "--candidates",
            source,
            "--keep",
            "best",
            "--score-field",
            "score",
        ];
        let found = folder.dedup(&arguments).succeeded().stdout;
        assert_eq!(by_id(&found), by_id(&expected));
        let spilled = folder
            .dedup(&[&arguments[..], &["--memory", "0B", "--tmp", "."]].concat())
            .succeeded();
        assert_eq!(spilled.stdout, found);
    }
}

#[test]
fn a_choice_needs_its_field_and_no_index() {
    let folder = Folder::new().with("in.jsonl", jsonl(&documents()));
    for (arguments, words) in [
        (&["--keep", "best"][..], ["--score-field", "best"]),
        (
            &["--keep", "longest", "--score-field", "n"],
            ["--score-field", "newest"],
        ),
        (&["--keep", "longest", "--index", "seen"], ["--keep", "--index"]),
    ] {
        folder
            .dedup(&[&["in.jsonl"], arguments].concat())
            .with_code(2)
            .complains_of(&words);
    }
    let ended = folder
        .dedup(&["in.jsonl", "--keep", "best", "--score-field", "no_such_field"])
        .succeeded();
    assert_eq!(verdicts(&ended.stdout)[1], "1 near 0");
    ended.complains_of(&["no_such_field", "changed nothing"]);
}
