//! Unreadable input is named, counted and skipped.

use std::fs;

use serde_json::json;

use super::{EXPECTED, Folder, documents, gzip, jsonl, response, verdicts, wet_records, zstd};
use crate::support::page::words;

#[test]
fn bad_lines_are_named_counted_and_skipped() {
    let good = |id: &str, seed| json!({"id": id, "text": words(seed, 100)}).to_string().into_bytes();
    let folder = Folder::new().with(
        "in.jsonl",
        [
            good("a", 1),
            b"not json".to_vec(),
            b"{\"id\": 1}".to_vec(),
            b"".to_vec(),
            good("b", 2),
            b"{\"text\": \"\xff\"}".to_vec(),
            b"[1, 2]".to_vec(),
            good("c", 1),
            b"{\"text\": \"cut".to_vec(),
        ]
        .join(&b'\n'),
    );
    let ended = folder
        .dedup(&["in.jsonl", "--output", "out"])
        .with_code(3)
        .complains_of(&[
            "in.jsonl:2",
            "in.jsonl:3",
            "no field \"text\"",
            "in.jsonl:6",
            "not UTF-8",
            "in.jsonl:7",
            "in.jsonl:9",
            "skipped 5",
            "5 lines, records or files of the input could not be read",
        ]);
    assert!(!ended.stderr.contains("in.jsonl:4"), "{}", ended.stderr);
    let out = fs::read_to_string(folder.path("out")).unwrap();
    assert_eq!(verdicts(&out), ["a unique -", "b unique -", "c exact a"]);
}

#[test]
fn only_the_first_of_many_faults_are_reported() {
    let folder = Folder::new().with("in.jsonl", "bad\n".repeat(1_000));
    let ended =
        folder
            .dedup(&["in.jsonl"])
            .with_code(3)
            .complains_of(&["in.jsonl:20:", "only counted", "skipped 1000"]);
    assert!(!ended.stderr.contains("in.jsonl:21:"), "{}", ended.stderr);
    let quiet = folder.dedup(&["in.jsonl", "--quiet"]).with_code(3);
    assert_eq!(quiet.stderr.lines().count(), 1, "{}", quiet.stderr);
}

#[test]
fn a_damaged_compressed_file_loses_only_its_own_documents() {
    let documents = documents();
    let lines: Vec<String> = documents.iter().map(|one| jsonl(std::slice::from_ref(one))).collect();
    let records = wet_records(&documents);
    for parts in [
        lines.iter().map(|line| line.as_bytes().to_vec()).collect::<Vec<_>>(),
        records[1..].to_vec(),
    ] {
        for pack in [gzip, zstd] {
            let mut members: Vec<Vec<u8>> = parts.iter().map(|part| pack(part)).collect();
            let place: usize = members[..3].iter().map(Vec::len).sum();
            let middle = members[3].len() / 2;
            members[3][middle..middle + 30].fill(0xaa);
            let folder = Folder::new().with("in", members.concat());
            let ended = folder.dedup(&["in"]).with_code(3);
            let found = verdicts(&ended.stdout);
            for there in ["d1 unique -", "d2 unique -", "d3 near d1", "d5 unique -", "d6 exact d5"] {
                assert!(found.iter().any(|verdict| verdict == there), "{there}: {found:?}");
            }
            ended.complains_of(&[&format!("in:byte {place}: "), "damaged"]);

            let whole = parts.iter().flat_map(|part| pack(part)).collect::<Vec<u8>>();
            let cut = Folder::new().with("in", &whole[..whole.len() - 10]);
            let ended = cut.dedup(&["in"]).with_code(3).complains_of(&["damaged"]);
            assert_eq!(verdicts(&ended.stdout)[..5], EXPECTED[..5]);
        }
    }
}

#[test]
fn a_damaged_warc_record_loses_only_itself() {
    let mut records = wet_records(&documents());
    let place: usize = records[..4].iter().map(Vec::len).sum();
    records[4] = String::from_utf8(records[4].clone())
        .unwrap()
        .replace("Content-Length: ", "Content-Length: 9")
        .into_bytes();
    let bad_digest = String::from_utf8(records[6].clone()).unwrap().replace(
        "Content-Type",
        "WARC-Block-Digest: sha1:3I42H3S6NNFQ2MSVX7XZKYAYSCX5QBYJ\r\nContent-Type",
    );
    records[6] = bad_digest.into_bytes();
    let folder = Folder::new().with("in.wet", records.concat());
    let ended = folder.dedup(&["in.wet"]).with_code(3);
    assert_eq!(
        verdicts(&ended.stdout),
        ["d1 unique -", "d2 unique -", "d3 near d1", "d5 unique -"]
    );
    ended.complains_of(&[
        &format!("in.wet:byte {place}"),
        "its block has",
        "block digest",
        "skipped 2",
    ]);
}

#[test]
fn files_without_documents_are_named() {
    let folder = Folder::new()
        .with("picture", b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR")
        .with("binary.txt", b"\0\x01\x02\x03")
        .with("good.txt", words(1, 60));
    let ended = folder.dedup(&["picture", "binary.txt", "good.txt"]).with_code(3);
    assert_eq!(verdicts(&ended.stdout), ["good.txt unique -"]);
    ended.complains_of(&["picture: ", "binary.txt: "]);
}

#[test]
fn a_document_that_is_too_long_is_named_and_skipped() {
    let long = json!({"id": "long", "text": words(1, 10_000)}).to_string();
    let short = |id: &str, seed| json!({"id": id, "text": words(seed, 60)}).to_string();
    let (a, b) = (short("a", 2), short("b", 3));
    let folder = Folder::new()
        .with("in.jsonl", [&a, &long, &b, &long].map(String::as_str).join("\n"))
        .with("long.txt", words(1, 10_000))
        .with(
            "in.wet",
            [
                wet_records(&[("w1", words(1, 10_000))]),
                wet_records(&[("w2", words(5, 60))]),
            ]
            .concat()
            .concat(),
        );
    let ended = folder
        .dedup(&["in.jsonl", "long.txt", "in.wet", "--max-document-bytes", "5000"])
        .with_code(3);
    assert_eq!(verdicts(&ended.stdout), ["a unique -", "b unique -", "w2 unique -"]);
    ended.complains_of(&[
        "in.jsonl:2: ",
        "in.jsonl:4: ",
        "long.txt: ",
        "in.wet:byte ",
        "5000 bytes",
        "skipped 4",
    ]);
}

#[test]
fn a_body_that_decompresses_beyond_the_limit_is_named() {
    let bomb = gzip(&vec![b' '; 10_000_000]);
    let record = response(
        "http://h/",
        "200 OK\r\nContent-Type: text/html\r\nContent-Encoding: gzip",
        &bomb,
    );
    let folder = Folder::new().with("in.warc", record);
    let ended = folder
        .dedup(&["in.warc", "--max-document-bytes", "1000000"])
        .with_code(3);
    ended.complains_of(&["in.warc:byte 0", "longer than 1000000 bytes"]);
}
