//! `crawler dedup`: duplicates among files, whatever form they are in and however damaged.

use std::fs;
use std::io::{Read, Write};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use flate2::Compression;
use flate2::write::GzEncoder;
use serde_json::{Value, json};
use tempfile::TempDir;

use crate::support::page::{NO_LINKS, replaced, words};
use crate::support::process::{Ended, Running, crawler, run};

/// A folder to work in.
struct Folder(TempDir);

impl Folder {
    fn new() -> Self {
        Self(tempfile::tempdir().unwrap())
    }

    /// With a file in it.
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

    /// With `input` on standard input.
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
    let tell = |line: &Value| {
        format!(
            "{} {} {}",
            short(&line["id"]),
            short(&line["verdict"]),
            short(&line["of"])
        )
    };
    lines(text).iter().map(tell).collect()
}

/// Documents and what they are: two articles, an edition of the first, a copy of the second, a note and its copy.
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

/// WET: one conversion a document.
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
    // With a checksum, as the command line tool writes it: without one, damage in a text is no damage to zstd.
    let mut encoder = zstd::stream::Encoder::new(Vec::new(), 1).unwrap();
    encoder.include_checksum(true).unwrap();
    encoder.write_all(bytes).unwrap();
    encoder.finish().unwrap()
}

#[test]
fn a_verdict_has_the_documented_form() {
    let folder = Folder::new().with("in.jsonl", jsonl(&documents()));
    let ended = folder.dedup(&["in.jsonl"]).succeeded();
    assert_eq!(verdicts(&ended.stdout), EXPECTED);
    let found = lines(&ended.stdout);
    let none = Value::Null;
    assert_eq!(
        found[0],
        json!({"id": "d1", "verdict": "unique", "of": none, "distance": none, "similarity": none})
    );
    assert_eq!(
        found[3],
        json!({"id": "d4", "verdict": "exact", "of": "d2", "distance": 0, "similarity": 1})
    );
    let near = &found[2];
    assert!(near["distance"].as_u64().unwrap() <= 10, "{near}");
    assert!((0.76..=1.0).contains(&near["similarity"].as_f64().unwrap()), "{near}");
    ended.complains_of(&["6 documents", "unique 3", "exact 2", "near 1", "left out 0", "MB/s"]);
}

#[test]
fn every_form_and_packing_gives_the_same_verdicts() {
    let documents = documents();
    let (lines, records) = (jsonl(&documents), wet_records(&documents));
    let (wet, half) = (records.concat(), lines.len() / 2);
    let folder = Folder::new()
        .with("a.jsonl", &lines)
        .with("b.jsonl.gz", gzip(lines.as_bytes()))
        .with(
            "members.gz",
            [gzip(&lines.as_bytes()[..half]), gzip(&lines.as_bytes()[half..])].concat(),
        )
        .with("c.zst", zstd(lines.as_bytes()))
        .with("no-line-end", lines.trim_end())
        .with("crlf.jsonl", lines.replace('\n', "\r\n"))
        .with("blank.jsonl", format!("\u{feff}\n{}", lines.replace('\n', "\n\n  \n")))
        .with("d.wet", &wet)
        .with(
            "e.warc.gz",
            records.iter().flat_map(|record| gzip(record)).collect::<Vec<u8>>(),
        )
        .with("whole.gz", gzip(&wet))
        .with("f.zst", zstd(&wet));
    for input in [
        "a.jsonl",
        "b.jsonl.gz",
        "members.gz",
        "c.zst",
        "no-line-end",
        "crlf.jsonl",
        "blank.jsonl",
        "d.wet",
        "e.warc.gz",
        "whole.gz",
        "f.zst",
    ] {
        let ended = folder.dedup(&[input]).succeeded();
        assert_eq!(verdicts(&ended.stdout), EXPECTED, "{input}");
        let piped = folder
            .dedup_piped(&["-"], &fs::read(folder.path(input)).unwrap())
            .succeeded();
        assert_eq!(piped.stdout, ended.stdout, "{input} by standard input");
    }
}

#[test]
fn texts_and_pages_in_a_folder_give_the_same_verdicts_by_name() {
    let mut folder = Folder::new().with("in/.hidden.txt", "no").with("in/picture.png", "no");
    for (at, (id, text)) in documents().iter().enumerate() {
        folder = match at % 4 {
            0 => folder.with(&format!("in/{id}.txt"), text),
            1 => folder.with(&format!("in/{id}.html"), page(id, text)),
            2 => folder.with(&format!("in/{id}.htm.gz"), gzip(page(id, text).as_bytes())),
            _ => folder.with(&format!("in/{id}/deeper.txt.zst"), zstd(text.as_bytes())),
        };
    }
    let expected = [
        "in/d1.txt unique -",
        "in/d2.html unique -",
        "in/d3.htm.gz near in/d1.txt",
        "in/d4/deeper.txt.zst exact in/d2.html",
        "in/d5.txt unique -",
        "in/d6.html exact in/d5.txt",
    ];
    let ended = folder.dedup(&["in", "--kept", "kept.jsonl"]).succeeded();
    assert_eq!(verdicts(&ended.stdout), expected);
    ended.complains_of(&["files left out, since their names tell of no known form: 1 "]);
    let kept = lines(&fs::read_to_string(folder.path("kept.jsonl")).unwrap());
    let (page, text) = (&kept[1], &kept[0]);
    assert_eq!(
        page,
        &json!({"id": "in/d2.html", "text": words(2, 300), "url": null, "title": "d2"})
    );
    assert_eq!(
        text,
        &json!({"id": "in/d1.txt", "text": words(1, 300), "url": null, "title": null})
    );
    assert_eq!(kept.len(), 3);

    let dot = folder.dedup(&["./in"]).succeeded();
    assert_eq!(verdicts(&dot.stdout), expected);
}

#[test]
fn pages_in_other_encodings_and_forms_are_read() {
    let text = words(1, 200) + " Grüße";
    let page = page("T", &text);
    let (latin, _, _) = encoding_rs::WINDOWS_1252.encode(&page);
    let declared = page.replace("<head>", "<head><meta charset=windows-1252>");
    let (declared, _, _) = encoding_rs::WINDOWS_1252.encode(&declared);
    let utf16: Vec<u8> = [0xfeff]
        .into_iter()
        .chain(page.encode_utf16())
        .flat_map(u16::to_le_bytes)
        .collect();
    let folder = Folder::new()
        .with("1.html", &page)
        .with("2.html", latin)
        .with("3.html", declared)
        .with("4.html", utf16)
        .with("5", &page);
    let ended = folder.dedup(&["1.html", "2.html", "3.html", "4.html", "5"]).succeeded();
    assert_eq!(
        verdicts(&ended.stdout),
        [
            "1.html unique -",
            "2.html exact 1.html",
            "3.html exact 1.html",
            "4.html exact 1.html",
            "5 exact 1.html"
        ]
    );
    let forced = folder.dedup(&["5", "--format", "text"]).succeeded();
    assert_eq!(verdicts(&forced.stdout), ["5 unique -"]);
}

#[test]
fn of_a_warc_file_the_pages_are_taken_whatever_http_did_to_them() {
    let text = words(1, 300);
    let page = page("T", &text).into_bytes();
    let packed = gzip(&page);
    let chunked = [format!("{:x}\r\n", packed.len()).as_bytes(), &packed, b"\r\n0\r\n\r\n"].concat();
    let html_type = "200 OK\r\nContent-Type: text/html; charset=utf-8";
    let records = [
        response("http://h/1", html_type, &page),
        warc_record("conversion", "http://h/1", "text/plain; charset=utf-8", text.as_bytes()),
        response("http://h/2", &format!("{html_type}\r\nContent-Encoding: gzip"), &packed),
        response(
            "http://h/3",
            &format!("{html_type}\r\nTransfer-Encoding: chunked\r\nContent-Encoding: gzip"),
            &chunked,
        ),
        // Undone by the crawler, and still named.
        response(
            "http://h/4",
            &format!("{html_type}\r\nTransfer-Encoding: chunked\r\nContent-Encoding: br"),
            &page,
        ),
        response("http://h/5", "200 OK\r\nContent-Type: application/xhtml+xml", &page),
        response("http://h/6", "200 OK\r\nContent-Type: text/plain", text.as_bytes()),
        response("http://h/7", "200 OK", &page),
        warc_record("resource", "<http://h/8>", "text/html", &page),
        // None of these is a page.
        response("http://h/404", "404 Not Found\r\nContent-Type: text/html", &page),
        response("http://h/png", "200 OK\r\nContent-Type: image/png", &page),
        warc_record(
            "request",
            "http://h/1",
            "application/http; msgtype=request",
            b"GET / HTTP/1.1\r\n\r\n",
        ),
        warc_record(
            "revisit",
            "http://h/1",
            "application/http; msgtype=response",
            b"HTTP/1.1 200 OK\r\n\r\n",
        ),
        warc_record("metadata", "http://h/1", "application/warc-fields", b"x: y\r\n"),
    ];
    let folder = Folder::new().with("a.warc", records.concat());
    let ended = folder.dedup(&["a.warc", "--kept", "kept"]).succeeded();
    let mut expected = vec!["http://h/1 unique -".to_owned()];
    expected.extend((2..=8).map(|n| format!("http://h/{n} exact http://h/1")));
    assert_eq!(verdicts(&ended.stdout), expected);
    let kept = lines(&fs::read_to_string(folder.path("kept")).unwrap());
    assert_eq!(
        kept,
        [json!({"id": "http://h/1", "text": text, "url": "http://h/1", "title": "T"})]
    );
}

#[test]
fn the_archive_of_a_crawl_says_again_what_the_crawl_kept() {
    use crate::support::crawl::Crawl;
    use crate::support::page::{home, page};
    use crate::support::site::Site;
    let site = Site::of([
        ("/", home(&["/a", "/b"])),
        ("/a", page("A", &words(1, 200), NO_LINKS)),
        ("/b", page("B", &words(2, 200), NO_LINKS).gzipped()),
    ]);
    let crawl = Crawl::of(site.url("/"));
    crawl.run();
    let ended = run(crawler(["dedup"]).arg(crawl.data().join("warc"))).succeeded();
    let found = verdicts(&ended.stdout);
    assert_eq!(found.len(), 3, "{found:?}");
    assert!(found.iter().all(|verdict| verdict.ends_with(" unique -")), "{found:?}");
}

#[test]
fn ids_come_back_as_they_were_written_and_a_line_without_one_is_named_by_its_place() {
    let text = words(1, 100);
    let lines = [
        format!("{{\"id\":12345678901234567890123,\"text\":\"{text}\"}}"),
        format!("{{\"id\":\"\\u00e9\\n\",\"text\":\"{text}\"}}"),
        format!("{{\"text\":\"{text}\"}}"),
        format!("{{\"id\":null,\"text\":\"{}\"}}", words(2, 100)),
        format!("{{\"id\":-1.50,\"text\":\"{}\"}}", words(2, 100)),
    ];
    let folder = Folder::new().with("in.jsonl", lines.join("\n"));
    let ended = folder.dedup(&["in.jsonl"]).succeeded();
    let found: Vec<&str> = ended.stdout.lines().collect();
    for (line, beginning) in found.iter().zip([
        "{\"id\":12345678901234567890123,\"verdict\":\"unique\"",
        "{\"id\":\"\\u00e9\\n\",\"verdict\":\"exact\",\"of\":12345678901234567890123,",
        "{\"id\":\"in.jsonl:3\",\"verdict\":\"exact\",\"of\":12345678901234567890123,",
        "{\"id\":\"in.jsonl:4\",\"verdict\":\"unique\"",
        "{\"id\":-1.50,\"verdict\":\"exact\",\"of\":\"in.jsonl:4\",",
    ]) {
        assert!(line.starts_with(beginning), "{line}");
    }
    assert_eq!(found.len(), 5);
}

#[test]
fn fields_have_the_names_that_are_given() {
    let line = |url: &str, body: &str| json!({"url": url, "body": body, "text": 7, "id": [1]}).to_string();
    let text = words(1, 100);
    let folder = Folder::new().with("in.jsonl", [line("u1", &text), line("u2", &text)].join("\n"));
    let ended = folder
        .dedup(&["in.jsonl", "--id-field", "url", "--text-field", "body"])
        .succeeded();
    assert_eq!(verdicts(&ended.stdout), ["u1 unique -", "u2 exact u1"]);
    folder
        .dedup(&["in.jsonl"])
        .with_code(3)
        .complains_of(&["in.jsonl:1", "in.jsonl:2"]);
}

#[test]
fn kept_lines_are_written_byte_for_byte() {
    let first = format!(
        "  {{ \"x\" : 1e5 , \"text\":\"{} \\u4e2d\",\"id\":\"a\"}}\r",
        words(1, 80)
    );
    let copy = format!("{{\"id\":\"b\",\"text\":\"{} 中\"}}", words(1, 80));
    let other = format!("{{\"id\":\"c\",\"text\":\"{}\"}}", words(2, 80));
    let folder = Folder::new().with("in.jsonl", format!("{first}\n{copy}\n{other}"));
    folder
        .dedup(&["in.jsonl", "--output", "out", "--kept", "kept"])
        .succeeded();
    assert_eq!(
        fs::read_to_string(folder.path("kept")).unwrap(),
        format!("{first}\n{other}\n")
    );
    let out = fs::read_to_string(folder.path("out")).unwrap();
    assert_eq!(verdicts(&out), ["a unique -", "b exact a", "c unique -"]);
    assert!(!folder.path("out.partial").exists() && !folder.path("kept.partial").exists());
}

#[test]
fn the_kept_lines_are_all_unique_among_themselves() {
    let folder = Folder::new().with("in.jsonl", jsonl(&documents()));
    folder
        .dedup(&["in.jsonl", "--output", "out", "--kept", "kept.jsonl"])
        .succeeded();
    let again = folder.dedup(&["kept.jsonl"]).succeeded();
    assert_eq!(verdicts(&again.stdout), ["d1 unique -", "d2 unique -", "d5 unique -"]);
}

#[test]
fn bad_lines_are_named_and_counted_and_the_rest_goes_on() {
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
            "left out 5",
            "5 of the inputs'",
        ]);
    assert!(!ended.stderr.contains("in.jsonl:4"), "{}", ended.stderr);
    let out = fs::read_to_string(folder.path("out")).unwrap();
    assert_eq!(verdicts(&out), ["a unique -", "b unique -", "c exact a"]);
}

#[test]
fn only_the_first_of_many_faults_are_told() {
    let folder = Folder::new().with("in.jsonl", "bad\n".repeat(1_000));
    let ended =
        folder
            .dedup(&["in.jsonl"])
            .with_code(3)
            .complains_of(&["in.jsonl:20:", "only counted", "left out 1000"]);
    assert!(!ended.stderr.contains("in.jsonl:21:"), "{}", ended.stderr);
    let quiet = folder.dedup(&["in.jsonl", "--quiet"]).with_code(3);
    assert_eq!(quiet.stderr.lines().count(), 1, "{}", quiet.stderr);
}

#[test]
fn damaged_packing_costs_what_was_in_it() {
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
fn a_damaged_warc_record_costs_itself() {
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
        "left out 2",
    ]);
}

#[test]
fn files_that_are_no_documents_are_named() {
    let folder = Folder::new()
        .with("picture", b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR")
        .with("binary.txt", b"\0\x01\x02\x03")
        .with("good.txt", words(1, 60));
    let ended = folder.dedup(&["picture", "binary.txt", "good.txt"]).with_code(3);
    assert_eq!(verdicts(&ended.stdout), ["good.txt unique -"]);
    ended.complains_of(&["picture: ", "binary.txt: "]);
}

#[test]
fn what_is_too_long_is_left_out_and_named() {
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
        "left out 4",
    ]);
}

#[test]
fn a_body_that_unpacks_to_more_than_is_read_is_named() {
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

#[test]
fn a_text_without_a_word_is_unique_every_time() {
    let folder = Folder::new().with(
        "in.jsonl",
        "{\"id\":1,\"text\":\"\"}\n{\"id\":2,\"text\":\"\"}\n{\"id\":3,\"text\":\" *** \"}\n",
    );
    let ended = folder.dedup(&["in.jsonl"]).succeeded();
    assert_eq!(verdicts(&ended.stdout), ["1 unique -", "2 unique -", "3 unique -"]);
    let nothing = Folder::new()
        .with("empty.jsonl", "")
        .dedup(&["empty.jsonl"])
        .succeeded();
    assert_eq!(nothing.stdout, "");
}

#[test]
fn verdicts_are_in_input_order_and_the_same_every_time() {
    // Documents of very different cost, so that threads finish them in another order.
    let count = 3_000;
    let text = |n: usize| words((n % 1_000) as u64, if n % 50 == 0 { 3_000 } else { 20 + n % 7 });
    let input: String = (0..count)
        .map(|n| json!({"id": n, "text": text(n)}).to_string() + "\n")
        .collect();
    let folder = Folder::new().with("in.jsonl", input);
    let first = folder.dedup(&["in.jsonl"]).succeeded().stdout;
    let ids: Vec<usize> = lines(&first)
        .iter()
        .map(|line| line["id"].as_u64().unwrap() as usize)
        .collect();
    assert_eq!(ids, (0..count).collect::<Vec<_>>());
    assert_eq!(folder.dedup(&["in.jsonl"]).succeeded().stdout, first);
}

#[test]
fn a_configuration_and_flags_set_the_rule() {
    let (text, edited) = (words(1, 300), replaced(&words(1, 300), 100, 4, 9));
    let folder = Folder::new()
        .with("in.jsonl", jsonl(&[("a", text), ("b", edited)]))
        .with(
            "strict.toml",
            "[dedup]\nmin_similarity = 0.99\n[identity]\nproduct = \"not for this command\"\n",
        )
        .with("bad.toml", "[dedup]\nmax_distance = 40\n");
    let found = |arguments: &[&str]| verdicts(&folder.dedup(arguments).succeeded().stdout).pop().unwrap();
    assert_eq!(found(&["in.jsonl"]), "b near a");
    assert_eq!(found(&["in.jsonl", "--config", "strict.toml"]), "b unique -");
    assert_eq!(
        found(&["in.jsonl", "--config", "strict.toml", "--min-similarity", "0.5"]),
        "b near a"
    );
    assert_eq!(found(&["in.jsonl", "--max-distance", "0"]), "b unique -");
    let bad = folder.dedup(&["in.jsonl", "--config", "bad.toml"]).with_code(2);
    bad.complains_of(&["bad.toml", "dedup.max_distance = 40"]);
    let bad = folder.dedup(&["in.jsonl", "--min-similarity", "7"]).with_code(2);
    bad.complains_of(&["the command line", "dedup.min_similarity = 7"]);
}

#[test]
fn what_is_written_is_never_read() {
    let folder = Folder::new().with("in.jsonl", jsonl(&documents()));
    for _ in 0..2 {
        folder
            .dedup(&[".", "--output", "out.jsonl", "--kept", "kept.jsonl"])
            .succeeded();
        let out = fs::read_to_string(folder.path("out.jsonl")).unwrap();
        assert_eq!(verdicts(&out), EXPECTED);
    }
    let before = fs::read(folder.path("in.jsonl")).unwrap();
    for arguments in [
        ["in.jsonl", "--output", "./in.jsonl"],
        ["in.jsonl", "--kept", "in.jsonl"],
    ] {
        folder.dedup(&arguments).with_code(2).complains_of(&["in.jsonl"]);
    }
    folder
        .dedup(&["in.jsonl", "--output", "x", "--kept", "x"])
        .with_code(2)
        .complains_of(&["--kept"]);
    assert_eq!(fs::read(folder.path("in.jsonl")).unwrap(), before);
}

#[test]
fn an_output_that_cannot_be_written_ends_it_with_one() {
    let folder = Folder::new().with("in.jsonl", jsonl(&documents()));
    folder
        .dedup(&["in.jsonl", "--output", "no/such/out"])
        .with_code(1)
        .complains_of(&["no/such/out"]);
    if Path::new("/dev/full").exists() {
        let full = fs::OpenOptions::new().write(true).open("/dev/full").unwrap();
        let ended = folder
            .command(&["in.jsonl"])
            .stdout(full)
            .stderr(Stdio::piped())
            .output()
            .unwrap();
        assert_eq!(ended.status.code(), Some(1));
    }
}

#[test]
fn a_reader_that_has_gone_ends_it_quietly() {
    let folder = Folder::new().with("in.jsonl", jsonl(&documents()));
    let (reader, writer) = std::io::pipe().unwrap();
    drop(reader);
    let mut command = folder.command(&["in.jsonl"]);
    let ended = command
        .stdout(writer)
        .stderr(Stdio::piped())
        .spawn()
        .unwrap()
        .wait_with_output()
        .unwrap();
    assert_eq!(
        (ended.status.code(), String::from_utf8_lossy(&ended.stderr).as_ref()),
        (Some(0), "")
    );
}

#[test]
fn verdicts_come_as_soon_as_they_are_given_and_ctrl_c_leaves_those_that_were() {
    let folder = Folder::new();
    let (stdin, mut feed) = std::io::pipe().unwrap();
    let running = Running::start(folder.command(&["-", "--output", "out"]).stdin(stdin));
    feed.write_all(jsonl(&documents()).as_bytes()).unwrap();
    let partial = folder.path("out.partial");
    let deadline = std::time::Instant::now() + crate::support::PATIENCE;
    while fs::read_to_string(&partial).map_or(0, |text| text.lines().count()) < 6 {
        assert!(std::time::Instant::now() < deadline, "no verdict came");
        std::thread::yield_now();
    }
    running.interrupt();
    let ended = running
        .wait()
        .with_code(130)
        .complains_of(&["6 documents", "out.partial"]);
    assert_eq!(ended.stdout, "");
    assert!(!folder.path("out").exists());
    assert_eq!(verdicts(&fs::read_to_string(partial).unwrap()), EXPECTED);
    drop(feed);
}

/// The most memory that a process had, in bytes.
#[cfg(target_os = "linux")]
fn peak_memory(id: u32) -> u64 {
    let mut status = String::new();
    fs::File::open(format!("/proc/{id}/status"))
        .unwrap()
        .read_to_string(&mut status)
        .unwrap();
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:")).unwrap();
    line.trim().trim_end_matches(" kB").parse::<u64>().unwrap() * 1024
}

#[cfg(target_os = "linux")]
#[test]
fn memory_does_not_grow_with_the_input() {
    let folder = Folder::new();
    let (stdin, mut feed) = std::io::pipe().unwrap();
    let running = Running::start(
        folder
            .command(&["-", "--output", "out", "--max-document-bytes", "1000000"])
            .stdin(stdin),
    );
    // A line of 256 MB, and as many copies of one document as make 64 MB.
    let part = "x".repeat(1_000_000);
    feed.write_all(b"{\"text\": \"").unwrap();
    for _ in 0..256 {
        feed.write_all(part.as_bytes()).unwrap();
    }
    feed.write_all(b"\"}\n").unwrap();
    let document = json!({"text": words(1, 9_000)}).to_string() + "\n";
    let copies = 64_000_000 / document.len();
    for _ in 0..copies {
        feed.write_all(document.as_bytes()).unwrap();
    }
    let partial = folder.path("out.partial");
    let deadline = std::time::Instant::now() + crate::support::PATIENCE;
    while fs::read_to_string(&partial).map_or(0, |text| text.lines().count()) < copies {
        assert!(std::time::Instant::now() < deadline, "the verdicts did not come");
        std::thread::yield_now();
    }
    let peak = peak_memory(running.id());
    assert!(peak < 120_000_000, "{peak} bytes");
    drop(feed);
    running
        .wait()
        .with_code(3)
        .complains_of(&["stdin:1: ", &format!("{copies} documents")]);
}
