//! The paragraphs that stand in many documents: found, removed, listed.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::process::Command;

use serde_json::{Value, json};

use super::{Folder, jsonl, lines};
use crate::support::page::words;

/// Written by pyarrow: the texts of three documents are in the field `text` of the struct `doc`, and the fourth has none.
const STRUCTS: &[u8] = include_bytes!("structs.parquet");

const ALL: [&str; 8] = [
    "--output",
    "out",
    "--kept",
    "kept",
    "--annotate",
    "annotated",
    "--parts-list",
    "list",
];

/// The outputs of a run with [`ALL`].
struct Outputs {
    parts: Vec<Value>,
    kept: Vec<Value>,
    annotated: Vec<Value>,
    list: Vec<Value>,
}

impl Folder {
    fn read(&self, name: &str) -> String {
        fs::read_to_string(self.path(name)).unwrap()
    }

    #[track_caller]
    fn parts(&self, arguments: &[&str]) -> Outputs {
        self.dedup(&[arguments, &ALL].concat()).succeeded();
        self.outputs()
    }

    fn outputs(&self) -> Outputs {
        let of = |name| lines(&self.read(name));
        Outputs {
            parts: of("out"),
            kept: of("kept"),
            annotated: of("annotated"),
            list: of("list"),
        }
    }
}

/// Texts whose paragraphs come from a small set, in several spellings, with blank lines and several line ends.
fn corpus(count: u64) -> Vec<(String, String)> {
    let paragraph = |seed: u64| match seed % 11 {
        0 => "  ".to_owned(),
        1 => String::new(),
        2 => format!("版权所有，第{}页。𝒳 é", seed / 11 % 7),
        3 => format!("  COPYRIGHT {}\t", seed / 11 % 5),
        4 => format!("copyright  {}", seed / 11 % 5),
        _ => format!("{}.", words(seed / 11 % 60, 4)),
    };
    let text = |n: u64| {
        let random = |at: u64| (n * 31 + at * at * 17 + at).wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 33;
        let end = |at: u64| if (n + at).is_multiple_of(5) { "\r\n" } else { "\n" };
        let text: String = (0..n % 9).map(|at| paragraph(random(at)) + end(at)).collect();
        // The last line has no end.
        text + &paragraph(random(99))
    };
    (0..count).map(|n| (format!("d{n}"), text(n))).collect()
}

/// By definition: the paragraphs of a text with their spans in code points. The normalisation is that of the spellings in [`corpus`].
fn paragraphs(text: &str) -> Vec<(usize, usize, String)> {
    let mut start = 0;
    let mut found = Vec::new();
    for line in text.split_inclusive('\n') {
        let end = start + line.chars().count();
        let normalized = line.to_lowercase().split_whitespace().collect::<Vec<_>>().join(" ");
        if !normalized.is_empty() {
            found.push((start, end, normalized));
        }
        start = end;
    }
    found
}

fn without_spans(text: &str, parts: &Value) -> String {
    let spans: Vec<_> = parts.as_array().unwrap().iter().map(span).collect();
    let is_left = |at: usize| !spans.iter().any(|(start, end)| (*start..*end).contains(&at));
    let chars = text.chars().enumerate();
    chars.filter(|(at, _)| is_left(*at)).map(|(_, c)| c).collect()
}

fn span(part: &Value) -> (usize, usize) {
    let at = |name: &str| part[name].as_u64().unwrap() as usize;
    (at("start"), at("end"))
}

#[test]
fn the_parts_are_those_of_the_definition() {
    let documents = corpus(400);
    let named: Vec<(&str, String)> = documents.iter().map(|(id, text)| (id.as_str(), text.clone())).collect();
    let folder = Folder::new().with("in.jsonl", jsonl(&named));
    let mut counts = BTreeMap::new();
    let mut first = BTreeMap::new();
    for (number, (_, text)) in documents.iter().enumerate() {
        let of_document: BTreeSet<String> = paragraphs(text).into_iter().map(|(.., text)| text).collect();
        for text in of_document {
            *counts.entry(text).or_insert(0) += 1;
        }
        for (start, _, text) in paragraphs(text) {
            first.entry(text).or_insert((number, start));
        }
    }
    for least in [2, 30, 1_000] {
        let found = folder.parts(&["in.jsonl", "--parts", &least.to_string()]);
        let (mut kept, mut emptied) = (found.kept.iter(), 0);
        assert_eq!(found.parts.len(), documents.len());
        for ((id, text), line) in documents.iter().zip(&found.parts) {
            let paragraphs = paragraphs(text);
            let expected: Vec<Value> = paragraphs
                .iter()
                .filter(|(.., text)| counts[text] >= least)
                .map(|(start, end, text)| json!({"start": start, "end": end, "documents": counts[text]}))
                .collect();
            assert_eq!(*line, json!({"id": id, "parts": expected}), "{text:?}");
            if !expected.is_empty() && expected.len() == paragraphs.len() {
                emptied += 1;
                continue;
            }
            let kept = kept.next().unwrap();
            assert_eq!(
                (kept["id"].as_str(), &kept["x"]),
                (Some(id.as_str()), &json!([1, {"text": null}]))
            );
            assert_eq!(kept["text"].as_str().unwrap(), without_spans(text, &line["parts"]));
        }
        assert!(kept.next().is_none());
        assert_eq!(emptied > 0, least < 1_000);
        let mut expected: Vec<_> = counts.iter().filter(|(_, count)| **count >= least).collect();
        expected.sort_by_key(|(text, count)| (-**count, first[*text]));
        assert_eq!(found.list.len(), expected.len());
        for (line, (text, count)) in found.list.iter().zip(expected) {
            let (number, start) = first[text];
            let (_, original) = &documents[number];
            let written = original.chars().skip(start).collect::<String>();
            let (documents, id) = (json!(count), json!(format!("d{number}")));
            assert_eq!((&line["documents"], &line["first"]), (&documents, &id), "{text}");
            assert_eq!(line["text"], json!(written.lines().next().unwrap().trim()));
        }
    }
}

#[test]
fn all_but_the_text_stays_byte_for_byte() {
    let folder = Folder::new().with(
        "in.jsonl",
        concat!(
            "{\"n\": 1.50, \"text\":\"Own.\\n\\u00a9 All  rights\\nOwn \\u4e2d.\" , \"id\": \"a\", \"parts\":[7]}\n",
            "{\"id\":\"b\",\"text\":\"© all rights\"}\n",
            "{\"id\":\"c\",\"n\":NaN,\"s\":\"\\ud800\",\"text\":\"© ALL rights\\nOwn.\\ud800\",\"z\":\"text\"}\r\n",
            "{\"id\": \"d\", \"text\":\"\" }\n",
        ),
    );
    folder
        .dedup(&[&["in.jsonl", "--parts", "3"], &ALL[..]].concat())
        .succeeded()
        .complains_of(&[
            "4 documents",
            "paragraphs 6  parts 1  emptied 1  skipped 0",
            "% of it in parts",
            "in 3 documents: © All rights",
        ]);
    assert_eq!(
        folder.read("kept"),
        concat!(
            "{\"n\": 1.50, \"text\":\"Own.\\nOwn 中.\" , \"id\": \"a\", \"parts\":[7]}\n",
            "{\"id\":\"c\",\"n\":NaN,\"s\":\"\\ud800\",\"text\":\"Own.\u{fffd}\",\"z\":\"text\"}\r\n",
            "{\"id\": \"d\", \"text\":\"\" }\n",
        )
    );
    assert_eq!(
        folder.read("out"),
        concat!(
            "{\"id\":\"a\",\"parts\":[{\"start\":5,\"end\":19,\"documents\":3}]}\n",
            "{\"id\":\"b\",\"parts\":[{\"start\":0,\"end\":12,\"documents\":3}]}\n",
            "{\"id\":\"c\",\"parts\":[{\"start\":0,\"end\":13,\"documents\":3}]}\n",
            "{\"id\":\"d\",\"parts\":[]}\n",
        )
    );
    assert_eq!(
        folder.read("list"),
        "{\"documents\":3,\"text\":\"© All  rights\",\"first\":\"a\"}\n"
    );
    let annotated = folder.read("annotated");
    let annotated: Vec<&str> = annotated.lines().collect();
    assert_eq!(
        annotated[0],
        "{\"n\":1.50,\"text\":\"Own.\\n\\u00a9 All  rights\\nOwn \\u4e2d.\",\"id\":\"a\",\
         \"parts\":[{\"start\":5,\"end\":19,\"documents\":3}]}"
    );
    assert!(annotated[2].contains("\"n\":NaN,\"s\":\"\\ud800\",\"text\":\"© ALL rights\\nOwn.\\ud800\""));
    assert_eq!(annotated.len(), 4);
}

#[test]
fn rows_of_tables_and_pages_have_parts_too() {
    let page = |own: &str| {
        format!(
            "<!doctype html><title>{own}</title><body><main><p>{}</p><p>Follow us on every channel, and write to us.</p></main>",
            words(own.len() as u64, 60)
        )
    };
    let folder = Folder::new()
        .with(
            "a.csv",
            "id,colour,text\n1,red,\"Own one.\nFollow us on every channel, and write to us.\"\n",
        )
        .with("b.html", page("b"))
        .with("c.html", page("the third"));
    let found = folder.parts(&["a.csv", "b.html", "c.html", "--parts", "3"]);
    let follow = "Follow us on every channel, and write to us.";
    assert_eq!(found.list, [json!({"documents": 3, "text": follow, "first": "1"})]);
    assert_eq!(found.kept[0], json!({"id": "1", "colour": "red", "text": "Own one.\n"}));
    for (kept, annotated) in found.kept.iter().zip(&found.annotated) {
        let text = annotated["text"].as_str().unwrap();
        assert!(text.contains(follow), "{text}");
        assert_eq!(kept["text"].as_str().unwrap(), without_spans(text, &annotated["parts"]));
    }
    assert_eq!(found.kept[2]["title"], "the third");

    let folder = Folder::new().with("a.parquet", STRUCTS).with("b.parquet", STRUCTS);
    let fields = ["--text-field", "doc.text", "--id-field", "doc.id"];
    let arguments = [&["a.parquet", "b.parquet", "--parts", "3"], &fields[..], &ALL].concat();
    folder
        .dedup(&arguments)
        .with_code(3)
        .complains_of(&["record 4: it has no field"]);
    let found = folder.outputs();
    // The first text and the third read the same; the second stands in two documents.
    let ids: Vec<&Value> = found.kept.iter().map(|record| &record["doc"]["id"]).collect();
    assert_eq!(ids, [2, 2]);
    assert_eq!(found.annotated[0]["tags"], json!(["x", "y"]));
    let documents = |line: &Value| {
        line["parts"]
            .as_array()
            .unwrap()
            .iter()
            .map(|part| part["documents"].clone())
            .collect()
    };
    let documents: Vec<Vec<Value>> = found.parts.iter().map(documents).collect();
    let (four, none) = (vec![json!(4)], vec![]);
    assert_eq!(documents, [&four, &none, &four, &four, &none, &four].map(Clone::clone));
}

#[test]
fn a_wall_has_no_parts() {
    let wall = "<!DOCTYPE html><html lang=\"en-US\"><head><title>Just a moment...</title></head><body>\
        <div class=\"main-content\"><h1>example.org</h1><h2>Checking if the site connection is secure</h2>\
        <script>window._cf_chl_opt={cvId:'3'};</script></div></body></html>";
    let folder = Folder::new()
        .with("a.html", wall)
        .with("b.html", wall)
        .with("c.txt", "Own.\n");
    let found = folder.parts(&["a.html", "b.html", "c.txt", "--parts", "2"]);
    assert_eq!(found.parts.len(), 3);
    for number in [0, 1] {
        assert_eq!(found.parts[number]["parts"], json!([]));
        assert!(
            found.parts[number]["wall"]["kind"].is_string(),
            "{}",
            found.parts[number]
        );
    }
    assert_eq!((found.kept.len(), found.annotated.len(), found.list.len()), (1, 3, 0));
}

/// Documents with a part each that is common, and many paragraphs that are not.
fn many_paragraphs() -> String {
    let text = |n: usize| {
        let own: String = (0..30).map(|at| format!("{n} {at} own\n")).collect();
        format!("{own}Group {}\nThe same for all\n", n % 200)
    };
    (0..1_500)
        .map(|n| json!({"id": n, "text": text(n)}).to_string() + "\n")
        .collect()
}

#[test]
fn neither_the_memory_nor_the_threads_change_the_result() {
    let folder = Folder::new().with("in.jsonl", many_paragraphs());
    let arguments = [&["in.jsonl", "--parts", "2"], &ALL[..]].concat();
    let read = || ["out", "kept", "annotated", "list"].map(|name| folder.read(name));
    folder
        .dedup(&arguments)
        .succeeded()
        .complains_of(&["paragraphs 48000  parts 201"]);
    let expected = read();
    let ids: Vec<u64> = lines(&expected[0])
        .iter()
        .map(|line| line["id"].as_u64().unwrap())
        .collect();
    assert_eq!(ids, (0..1_500).collect::<Vec<_>>());
    for memory in ["0B", "75MiB"] {
        folder
            .dedup(&[&arguments[..], &["--memory", memory, "--tmp", "."]].concat())
            .succeeded();
        assert_eq!(read(), expected, "{memory}");
    }
    folder
        .dedup(&[&arguments[..], &["--memory", "0B", "--tmp", "no/such/folder"]].concat())
        .with_code(1)
        .complains_of(&["no/such/folder", "--tmp"]);
    // One core is one analyser.
    let on_one_core = folder.command(&arguments);
    let mut command = Command::new("taskset");
    command
        .args(["-c", "0"])
        .arg(on_one_core.get_program())
        .args(on_one_core.get_args());
    if let Ok(ended) = command.current_dir(folder.path("")).env_remove("RUST_LOG").output() {
        assert!(ended.status.success(), "{ended:?}");
        assert_eq!(read(), expected);
    }
}

#[test]
fn unreadable_input_is_reported_once() {
    let folder = Folder::new().with(
        "in.jsonl",
        "{\"id\":1,\"text\":\"same\\nown\"}\nbad\n{\"id\":3}\n{\"id\":4,\"text\":\"Same\"}\n",
    );
    let ended = folder.dedup(&["in.jsonl", "--parts", "2"]).with_code(3).complains_of(&[
        "in.jsonl:2: ",
        "in.jsonl:3: ",
        "skipped 2",
        "2 lines, records or files",
    ]);
    assert_eq!(ended.stderr.matches("in.jsonl:2: ").count(), 1, "{}", ended.stderr);
    let ids: Vec<Value> = lines(&ended.stdout).iter().map(|line| line["id"].clone()).collect();
    assert_eq!(ids, [1, 4]);
    // A text of many lines is asked about once, too.
    let folder = Folder::new().with("in.txt", format!("{}\n", words(1, 200)).repeat(1_100));
    let ended = folder.dedup(&["in.txt", "--parts", "2"]).succeeded();
    assert_eq!(ended.stderr.matches("--split lines").count(), 1, "{}", ended.stderr);
    let folder = Folder::new().with("in.jsonl", "{\"id\":1,\"content\":\"x\"}\n");
    folder
        .dedup(&["in.jsonl", "--parts", "2"])
        .with_code(2)
        .complains_of(&["did you mean --text-field content?"]);
}

#[test]
fn what_makes_no_sense_is_refused() {
    let folder = Folder::new().with("in.jsonl", "{\"id\":1,\"text\":\"a\"}\n");
    folder
        .dedup_piped(&["-", "--parts", "2", "--output", "out"], b"{\"text\":\"a\"}\n")
        .with_code(2)
        .complains_of(&["--parts reads the input twice", "file"]);
    assert!(!folder.path("out.partial").exists());
    for flags in [
        &["--keep", "longest"][..],
        &["--score-field", "n"],
        &["--index", "seen"],
        &["--resume", "--output", "out"],
        &["--group-by", "host"],
        &["--max-distance", "3"],
        &["--min-similarity", "0.9"],
        &["--candidates", "bands"],
    ] {
        folder
            .dedup(&[&["in.jsonl", "--parts", "2"], flags].concat())
            .with_code(2)
            .complains_of(&["--parts", flags[0]]);
    }
    for few in ["0", "1", "-1", "x"] {
        folder
            .dedup(&["in.jsonl", &format!("--parts={few}")])
            .with_code(2)
            .complains_of(&["--parts"]);
    }
    folder
        .dedup(&["in.jsonl", "--parts-list", "list"])
        .with_code(2)
        .complains_of(&["--parts"]);
    folder
        .dedup(&["in.jsonl", "--parts", "2", "--output", "x", "--parts-list", "./x"])
        .with_code(2)
        .complains_of(&["--parts-list"]);
    folder
        .dedup(&["in.jsonl", "--parts", "2", "--kept", "kept.parquet"])
        .with_code(2)
        .complains_of(&["--parts writes JSON lines", "kept.parquet"]);
    // It may go to standard output, if nothing else does.
    let ended = folder
        .dedup(&[
            "in.jsonl",
            "in.jsonl",
            "--parts",
            "2",
            "--output",
            "x",
            "--parts-list",
            "-",
        ])
        .succeeded();
    assert_eq!(ended.stdout, "{\"documents\":2,\"text\":\"a\",\"first\":1}\n");
}
