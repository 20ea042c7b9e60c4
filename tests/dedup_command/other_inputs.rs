//! Inputs that are not what they seem: read as what they are, or refused with what to do, and never one large text.

use std::fs;

use super::{EXPECTED, Folder, documents, gzip, jsonl, page, verdicts};
use crate::support::page::words;

/// The documents as JSON in several layouts.
fn layouts() -> Vec<(&'static str, String)> {
    let lines: Vec<String> = jsonl(&documents()).lines().map(str::to_owned).collect();
    let spread = |line: &String| line.replacen('{', "{\n  ", 1).replace(",\"text\"", ",\n  \"text\"") + "\n";
    vec![
        ("array.json", format!("[{}]", lines.join(","))),
        (
            "lines_of_an_array.json",
            format!("\u{feff}[\n{}\n]\n", lines.join(",\n")),
        ),
        (
            "pretty.json",
            format!("[\n{}]", lines.iter().map(spread).collect::<Vec<_>>().join(",")),
        ),
        ("spread.jsonl", lines.iter().map(spread).collect()),
        ("without_line_ends.jsonl", lines.concat()),
        ("marked.ndjson", format!("\u{feff}{}", lines.join("\n"))),
        ("array.txt", format!("[{}]", lines.join(","))),
        ("lines.txt", lines.join("\n")),
        ("without_a_name", format!("[{}]", lines.join(","))),
    ]
}

#[test]
fn json_in_every_layout_gives_the_same_verdicts() {
    for (name, content) in layouts() {
        let folder = Folder::new()
            .with(name, &content)
            .with("packed.gz", gzip(content.as_bytes()));
        for input in [name, "packed.gz"] {
            let ended = folder
                .dedup(&[input, "--output", "out", "--kept", "kept.jsonl"])
                .succeeded();
            assert!(ended.stderr.contains("6 documents"), "{name}: {}", ended.stderr);
            let out = fs::read_to_string(folder.path("out")).unwrap();
            assert_eq!(verdicts(&out), EXPECTED, "{name}");
            // One kept document on each line, whatever the layout of the input.
            let again = folder.dedup(&["kept.jsonl"]).succeeded();
            assert_eq!(
                verdicts(&again.stdout),
                ["d1 unique -", "d2 unique -", "d5 unique -"],
                "{name}"
            );
        }
    }
}

#[test]
fn a_record_without_an_id_has_its_number_and_a_broken_one_costs_no_other() {
    let text = |seed| words(seed, 60);
    let array = format!(
        "[{{\"text\":\"{}\"}},\n{{\"text\":\"{}\",\n{{\"text\":\"{}\"}},7,{{\"text\":\"{}\"}}",
        text(1),
        text(2),
        text(3),
        text(1)
    );
    let folder = Folder::new().with("a.json", array);
    let ended = folder.dedup(&["a.json"]).with_code(3);
    assert_eq!(
        verdicts(&ended.stdout),
        [
            "a.json:record 1 unique -",
            "a.json:record 3 unique -",
            "a.json:record 5 exact a.json:record 1"
        ]
    );
    ended.complains_of(&[
        "a.json:record 2",
        "a.json:record 4",
        "its array has no end",
        "skipped 3",
    ]);
}

#[test]
fn lines_that_only_some_parsers_read_are_kept_byte_for_byte() {
    let lines = [
        format!("{{\"id\":1,\"text\":\"{} \\ud83d\"}}", words(1, 60)),
        format!(
            "{{\"id\":2,\"text\":\"{}\",\"score\":NaN,\"x\":[-Infinity]}}",
            words(2, 60)
        ),
        format!("{{\"id\":3,\"text\":\"{}\",\"n\":1e99999}}", words(3, 60)),
    ];
    let folder = Folder::new().with("in.jsonl", lines.join("\n"));
    let ended = folder
        .dedup(&["in.jsonl", "--output", "out", "--kept", "kept"])
        .succeeded();
    assert!(ended.stderr.contains("unique 3"), "{}", ended.stderr);
    assert_eq!(
        fs::read_to_string(folder.path("kept")).unwrap(),
        lines.join("\n") + "\n"
    );
}

#[test]
fn a_saved_page_is_its_html() {
    let text = words(1, 120);
    let html = page("T", &text);
    let encoded = html.replace('=', "=3D");
    let saved = format!(
        "From: <Saved by Blink>\r\nSnapshot-Content-Location: http://a.example/x\r\nMIME-Version: 1.0\r\nContent-Type: multipart/related; \
         boundary=\"B\"\r\n\r\n--B\r\nContent-Type: text/html\r\nContent-Transfer-Encoding: quoted-printable\r\n\r\n{encoded}\r\n--B--\r\n"
    );
    let folder = Folder::new()
        .with("a.html", &html)
        .with("b.mhtml", &saved)
        .with("c.txt", &saved)
        .with("d.mht", "MIME-Version: 1.0\nContent-Type: image/png\n\nx");
    let ended = folder.dedup(&["a.html", "b.mhtml", "c.txt", "d.mht"]).with_code(3);
    assert_eq!(
        verdicts(&ended.stdout),
        ["a.html unique -", "b.mhtml exact a.html", "c.txt exact a.html"]
    );
    ended.complains_of(&["d.mht: the message has no part with HTML or text"]);
}

#[test]
fn the_pages_of_an_arc_file_are_documents() {
    let record = |url: &str, kind: &str, block: &str| {
        format!("{url} 127.0.0.1 20050401120000 {kind} {}\n{block}\n", block.len())
    };
    let response = |text: &str| format!("HTTP/1.0 200 OK\r\nContent-Type: text/html\r\n\r\n{}", page("T", text));
    let (first, second) = (words(1, 120), words(2, 120));
    let records = [
        record(
            "filedesc://a.arc",
            "text/plain",
            "1 0 InternetArchive\nURL IP-address Archive-date Content-type Archive-length\n",
        ),
        record("http://a.example/1", "text/html", &response(&first)),
        record("http://a.example/2", "text/html", &response(&second)),
        record("http://a.example/3", "text/html", &response(&first)),
    ];
    let expected = [
        "http://a.example/1 unique -",
        "http://a.example/2 unique -",
        "http://a.example/3 exact http://a.example/1",
    ];
    let members: Vec<u8> = records.iter().flat_map(|record| gzip(record.as_bytes())).collect();
    let folder = Folder::new()
        .with("a.arc", records.concat())
        .with("b.arc.gz", members)
        .with("c", records.concat());
    for input in ["a.arc", "b.arc.gz", "c"] {
        assert_eq!(
            verdicts(&folder.dedup(&[input]).succeeded().stdout),
            expected,
            "{input}"
        );
    }
}

#[test]
fn a_file_that_is_no_document_is_refused_with_what_to_do() {
    let tar = [vec![b'a'; 257], b"ustar\0".to_vec(), vec![0; 300]].concat();
    for (name, content, advice) in [
        ("a.csv", &b"\xff\xfei\0d\0"[..], "convert it to UTF-8"),
        ("a.txt", b"PK\x03\x04\x14\0 words.txt", "unpack it and give the folder"),
        ("a.tar", &tar, "unpack it and give the folder"),
        ("a.jsonl.bz2", b"BZh91AY&SY", "unpack it first"),
        (
            "a.xml",
            b"<?xml version='1.0'?><mediawiki><page>x</page></mediawiki>",
            "write its texts as JSON lines",
        ),
        ("a.json", b"\xff\xfe[\0{\0", "convert it to UTF-8"),
        ("a.rtf", b"{\\rtf1\\ansi words}", "save it as DOCX or PDF"),
    ] {
        let folder = Folder::new().with(name, content);
        let ended = folder.dedup(&[name]).with_code(3).complains_of(&[name, advice]);
        assert_eq!(ended.stdout, "", "{name}");
    }
    let folder = Folder::new().with("a.csv", "id,text\n1,x\n");
    assert_eq!(
        verdicts(&folder.dedup(&["a.csv", "--format", "text"]).succeeded().stdout),
        ["a.csv unique -"]
    );
}
