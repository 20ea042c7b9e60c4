//! `crawler dedup`: duplicates among files.
//!
//! - `annotate`, `keep`: records with their verdicts; which of several like documents is kept; `resume`: an interrupted run goes on
//! - `copies`: records as rows of Parquet files; `stores`: inputs in an object store
//! - `parts`: the paragraphs that stand in many documents
//! - `forms`, `other_inputs`, `tables`: the forms of documents; `faults`: unreadable input; `course`: order, settings, endings, memory

mod annotate;
mod copies;
mod course;
mod faults;
mod forms;
mod keep;
mod other_inputs;
mod parts;
mod resume;
mod stores;
mod tables;

use std::fs;
use std::io::Write;
use std::path::PathBuf;
use std::process::{Command, Stdio};

use flate2::Compression;
use flate2::write::GzEncoder;
use serde_json::{Value, json};
use tempfile::TempDir;

use crate::support::page::{replaced, words};
use crate::support::process::{Ended, crawler, run};

/// A temporary working directory.
struct Folder(TempDir);

impl Folder {
    fn new() -> Self {
        Self(tempfile::tempdir().unwrap())
    }

    /// Adds a file.
    fn with(self, name: &str, content: impl AsRef<[u8]>) -> Self {
        let path = self.path(name);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, content).unwrap();
        self
    }

    fn path(&self, name: &str) -> PathBuf {
        self.0.path().join(name)
    }

    fn command(&self, arguments: &[&str]) -> Command {
        let mut command = crawler(["dedup"]);
        command.args(arguments).current_dir(self.0.path());
        command
    }

    #[track_caller]
    fn dedup(&self, arguments: &[&str]) -> Ended {
        run(&mut self.command(arguments))
    }

    /// Runs with `input` on standard input.
    #[track_caller]
    fn dedup_piped(&self, arguments: &[&str], input: &[u8]) -> Ended {
        fs::write(self.path("piped"), input).unwrap();
        let mut cat = Command::new("cat")
            .arg(self.path("piped"))
            .stdout(Stdio::piped())
            .spawn()
            .unwrap();
        let ended = run(self.command(arguments).stdin(cat.stdout.take().unwrap()));
        cat.wait().unwrap();
        ended
    }
}

/// A page whose main text is `text`.
fn page(title: &str, text: &str) -> String {
    let navigation = "<nav><a href=/>Home</a></nav>";
    format!(
        "<!doctype html><html><head><title>{title}</title></head><body>{navigation}<main><p>{text}</p></main></body></html>"
    )
}

/// JSON lines as values.
#[track_caller]
fn lines(text: &str) -> Vec<Value> {
    text.lines().map(|line| serde_json::from_str(line).unwrap()).collect()
}

/// `id verdict of` of every line.
#[track_caller]
fn verdicts(text: &str) -> Vec<String> {
    let short = |value: &Value| match value {
        Value::String(text) => text.clone(),
        Value::Null => "-".into(),
        other => other.to_string(),
    };
    let verdict = |line: &Value| {
        format!(
            "{} {} {}",
            short(&line["id"]),
            short(&line["verdict"]),
            short(&line["of"])
        )
    };
    lines(text).iter().map(verdict).collect()
}

/// Two articles, an edited copy of the first, an exact copy of the second, a note and its copy.
fn documents() -> Vec<(&'static str, String)> {
    let (first, second) = (words(1, 300), words(2, 300));
    vec![
        ("d1", first.clone()),
        ("d2", second.clone()),
        ("d3", replaced(&first, 100, 2, 9)),
        ("d4", second),
        ("d5", "a short note of few words".into()),
        ("d6", "A SHORT note of few  words".into()),
    ]
}

const EXPECTED: [&str; 6] = [
    "d1 unique -",
    "d2 unique -",
    "d3 near d1",
    "d4 exact d2",
    "d5 unique -",
    "d6 exact d5",
];

fn jsonl(documents: &[(&str, String)]) -> String {
    let line =
        |(id, text): &(&str, String)| json!({"id": id, "text": text, "x": [1, {"text": null}]}).to_string() + "\n";
    documents.iter().map(line).collect()
}

/// Texts in families, some of them short, some longer, some equal.
fn families(count: u64) -> String {
    let text = |n: u64| {
        let (family, member) = (n % 97, n / 97);
        let len = 30 + (family % 17) as usize * 4;
        replaced(&words(family, len), 5, (member % 4) as usize, member % 8)
    };
    (0..count)
        .map(|n| json!({"id": format!("d{n}"), "text": text(n), "n": n}).to_string() + "\n")
        .collect()
}

fn warc_record(kind: &str, uri: &str, content_type: &str, block: &[u8]) -> Vec<u8> {
    let head = format!(
        "WARC/1.0\r\nWARC-Type: {kind}\r\nWARC-Target-URI: {uri}\r\nWARC-Record-ID: <urn:{kind}:{uri}>\r\n\
         WARC-Refers-To: <urn:response:{uri}>\r\nContent-Type: {content_type}\r\nContent-Length: {}\r\n\r\n",
        block.len()
    );
    [head.as_bytes(), block, b"\r\n\r\n"].concat()
}

fn response(uri: &str, head: &str, body: &[u8]) -> Vec<u8> {
    let block = [format!("HTTP/1.1 {head}\r\n\r\n").as_bytes(), body].concat();
    warc_record("response", uri, "application/http; msgtype=response", &block)
}

/// WET: one conversion record for each document.
fn wet_records(documents: &[(&str, String)]) -> Vec<Vec<u8>> {
    let info = warc_record("warcinfo", "", "application/warc-fields", b"software: test\r\n");
    let records = documents
        .iter()
        .map(|(id, text)| warc_record("conversion", id, "text/plain", text.as_bytes()));
    std::iter::once(info).chain(records).collect()
}

fn gzip(bytes: &[u8]) -> Vec<u8> {
    let mut encoder = GzEncoder::new(Vec::new(), Compression::fast());
    encoder.write_all(bytes).unwrap();
    encoder.finish().unwrap()
}

fn zstd(bytes: &[u8]) -> Vec<u8> {
    // With a checksum, as the command line tool writes it. Without one, zstd does not detect damage in a text.
    let mut encoder = zstd::stream::Encoder::new(Vec::new(), 1).unwrap();
    encoder.include_checksum(true).unwrap();
    encoder.write_all(bytes).unwrap();
    encoder.finish().unwrap()
}
