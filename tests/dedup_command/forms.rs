//! The verdicts do not depend on the form of the documents.

use std::fs;

use serde_json::{Value, json};

use super::{
    EXPECTED, Folder, documents, gzip, jsonl, lines, page, response, verdicts, warc_record, wet_records, zstd,
};
use crate::support::page::{NO_LINKS, words};
use crate::support::process::{crawler, run};

#[test]
fn a_verdict_has_the_documented_form() {
    let folder = Folder::new().with("in.jsonl", jsonl(&documents()));
    let ended = folder.dedup(&["in.jsonl"]).succeeded();
    assert_eq!(verdicts(&ended.stdout), EXPECTED);
    let found = lines(&ended.stdout);
    let none = Value::Null;
    assert_eq!(
        found[0],
        json!({"id": "d1", "verdict": "unique", "of": none, "distance": none, "similarity": none, "cluster": "d1"})
    );
    assert_eq!(
        found[3],
        json!({"id": "d4", "verdict": "exact", "of": "d2", "distance": 0, "similarity": 1, "cluster": "d2"})
    );
    let near = &found[2];
    assert!(near["distance"].as_u64().unwrap() <= 10, "{near}");
    assert!((0.76..=1.0).contains(&near["similarity"].as_f64().unwrap()), "{near}");
    ended.complains_of(&["6 documents", "unique 3", "exact 2", "near 1", "skipped 0", "MB/s"]);
}

#[test]
fn every_form_and_compression_gives_the_same_verdicts() {
    let documents = documents();
    let (lines, records) = (jsonl(&documents), wet_records(&documents));
    let (wet, half) = (records.concat(), lines.len() / 2);
    // As other programs may write it.
    let folded = String::from_utf8(wet.clone()).unwrap();
    let folded = folded
        .replace("WARC/1.0", "warc/1.0")
        .replace("Content-Length: ", "Content-Length:\r\n ");
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
        .with("f.zst", zstd(&wet))
        .with("folded", &folded);
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
        "folded",
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
    ended.complains_of(&["skipped 1 file with an unknown ending"]);
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
fn pages_of_a_warc_file_are_read_in_every_http_encoding() {
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
fn the_archive_of_a_crawl_gives_the_verdicts_of_the_crawl() {
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
fn ids_are_written_unchanged_and_a_line_without_one_gets_its_place() {
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
fn flags_set_the_names_of_the_fields() {
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
fn the_kept_lines_contain_no_duplicates() {
    let folder = Folder::new().with("in.jsonl", jsonl(&documents()));
    folder
        .dedup(&["in.jsonl", "--output", "out", "--kept", "kept.jsonl"])
        .succeeded();
    let again = folder.dedup(&["kept.jsonl"]).succeeded();
    assert_eq!(verdicts(&again.stdout), ["d1 unique -", "d2 unique -", "d5 unique -"]);
}
