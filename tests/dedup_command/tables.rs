//! Tables as input: CSV, TSV and Parquet; the fields of records, and what is said if they are wrong.

use std::fs;

use serde_json::json;

use super::{EXPECTED, Folder, documents, gzip, jsonl, lines, verdicts, zstd};
use crate::support::crawl::Crawl;
use crate::support::page::{NO_LINKS, page, words};
use crate::support::process::{crawler, run};
use crate::support::site::Site;

/// Written by pyarrow, with Snappy and two row groups: `doc` is a struct of `id` and `text`, `tags` a list, `seen` a time.
const STRUCTS: &[u8] = include_bytes!("structs.parquet");

/// A table of the documents with one more column, whose cells have separators, quotes and line ends.
fn table(separator: &str, line_end: &str) -> String {
    let quoted = |text: &str| format!("\"{}\"", text.replace('"', "\"\""));
    let rows = documents().into_iter().map(|(id, text)| {
        let note = quoted(&format!("a {separator} \"b\"{line_end}c"));
        [id.to_owned(), note, quoted(&text)].join(separator) + line_end
    });
    let header = ["id", "note", "text"].join(separator) + line_end;
    std::iter::once(header).chain(rows).collect()
}

#[test]
fn tables_give_the_verdicts_of_json_lines() {
    let commas = table(",", "\r\n");
    let folder = Folder::new()
        .with("in/a.csv", &commas)
        .with("a.csv", &commas)
        .with("b.CSV.gz", gzip(commas.as_bytes()))
        .with("c.csv.zst", zstd(commas.as_bytes()))
        .with("d.csv", format!("\u{feff}{}", table(";", "\n")))
        .with("e.tsv", table("\t", "\n"))
        .with("f.csv", table(",", "\r"))
        .with("without-ending", &commas)
        .with("g.csv", commas.trim_end());
    for input in [
        "a.csv",
        "b.CSV.gz",
        "c.csv.zst",
        "d.csv",
        "e.tsv",
        "f.csv",
        "without-ending",
        "g.csv",
        "in",
    ] {
        let ended = folder.dedup(&[input]).succeeded();
        assert_eq!(verdicts(&ended.stdout), EXPECTED, "{input}");
    }
    let piped = folder
        .dedup_piped(&["-", "--format", "csv"], commas.as_bytes())
        .succeeded();
    assert_eq!(verdicts(&piped.stdout), EXPECTED);
}

#[test]
fn a_kept_row_of_a_table_is_a_json_line_with_all_its_columns() {
    let folder = Folder::new().with("in.csv", "id,text,n,\"a \"\"b\"\"\",empty\n7,\"x, y\",1,,\"\"\n");
    folder.dedup(&["in.csv", "--kept", "kept"]).succeeded();
    let kept = fs::read_to_string(folder.path("kept")).unwrap();
    assert_eq!(
        lines(&kept),
        [json!({"id": "7", "text": "x, y", "n": "1", "a \"b\"": null, "empty": ""})]
    );
    // What was kept is an input.
    assert_eq!(verdicts(&folder.dedup(&["kept"]).succeeded().stdout), ["7 unique -"]);
}

#[test]
fn a_broken_row_is_named_by_its_line_and_costs_no_other() {
    let text = words(1, 60);
    let mut table = format!("id,text\na,{text}\nb\nc,\"two\nlines\"\nd,x,y\n").into_bytes();
    table.extend_from_slice(b"e,\xff\n");
    table.extend_from_slice(format!("f,{text}\ng,\ng,\"never closed\nh,i\n").as_bytes());
    let folder = Folder::new().with("in.csv", table);
    let ended = folder.dedup(&["in.csv"]).with_code(3);
    assert_eq!(verdicts(&ended.stdout), ["a unique -", "c unique -", "f exact a"]);
    ended.complains_of(&[
        "in.csv:3: it has 1 cell, but the header names 2 columns",
        "in.csv:6: it has 3 cells, but the header names 2 columns",
        "in.csv:7: it is not UTF-8",
        "in.csv:9: its text is null",
        "in.csv:10: a quote that opens in this row is never closed",
        "skipped 5",
    ]);
}

#[test]
fn a_table_in_another_encoding_is_named_with_it() {
    // 公告：本周六下午电影院放映新片，欢迎观看。
    let chinese = b"\xb9\xab\xb8\xe6\xa3\xba\xb1\xbe\xd6\xdc\xc1\xf9\xcf\xc2\xce\xe7\xb5\xe7\xd3\xb0\xd4\xba\xb7\xc5\xd3\xb3\xd0\xc2\xc6\xac\xa3\xac\xbb\xb6\xd3\xad\xb9\xdb\xbf\xb4\xa1\xa3";
    let folder = Folder::new()
        .with("gbk.csv", [&b"id,text\n1,"[..], chinese, b"\n"].concat())
        .with("one.csv", &b"id,text\n1,caf\xe9\n"[..]);
    folder
        .dedup(&["gbk.csv"])
        .with_code(3)
        .complains_of(&["gbk.csv:2: it is not UTF-8", "iconv -f GB18030 -t UTF-8"]);
    folder
        .dedup(&["one.csv"])
        .with_code(3)
        .complains_of(&["iconv -f ENCODING -t UTF-8"]);
}

#[test]
fn a_parquet_file_of_another_program_is_read_with_its_structs() {
    let folder = Folder::new()
        .with("in/a.parquet", STRUCTS)
        .with("b", STRUCTS)
        .with("cut.parquet", &STRUCTS[..STRUCTS.len() / 2]);
    for input in ["in", "b"] {
        let arguments = [input, "--text-field", "doc.text", "--id-field", "doc.id"];
        let ended = folder.dedup(&arguments).with_code(3);
        assert_eq!(verdicts(&ended.stdout), ["1 unique -", "2 unique -", "3 exact 1"]);
        ended.complains_of(&["record 4: it has no field \"doc.text\""]);
    }
    folder
        .dedup(&["b", "--text-field", "doc.text", "--kept", "kept"])
        .with_code(3);
    let kept = lines(&fs::read_to_string(folder.path("kept")).unwrap());
    assert_eq!(kept[0]["doc"]["id"], 1);
    assert_eq!(
        (&kept[0]["tags"], &kept[0]["seen"]),
        (&json!(["x", "y"]), &json!("2026-03-01T09:30:00.000Z"))
    );
    assert_eq!(kept.len(), 2);

    folder.dedup(&["b"]).with_code(2).complains_of(&[
        "b: it has no field \"text\"; it has \"doc.id\", \"doc.text\", \"tags\", \"seen\"; did you mean --text-field doc.text?",
    ]);
    folder
        .dedup(&["cut.parquet"])
        .with_code(3)
        .complains_of(&["cut.parquet: cannot read the Parquet file"]);
    folder
        .dedup_piped(&["-"], STRUCTS)
        .with_code(3)
        .complains_of(&["save it, and give the file"]);
}

#[test]
fn the_url_is_the_id_of_a_record_without_one() {
    let text = words(1, 60);
    let line = |fields: serde_json::Value| fields.to_string() + "\n";
    let folder = Folder::new().with(
        "in.jsonl",
        [
            line(json!({"url": "http://h/1", "text": text})),
            line(json!({"id": "own", "url": "http://h/2", "text": text})),
            line(json!({"id": null, "url": "", "text": text})),
        ]
        .concat(),
    );
    assert_eq!(
        verdicts(&folder.dedup(&["in.jsonl"]).succeeded().stdout),
        [
            "http://h/1 unique -",
            "own exact http://h/1",
            "in.jsonl:3 exact http://h/1"
        ]
    );
}

#[test]
fn a_dot_leads_into_an_object_unless_a_key_has_the_dot() {
    let (first, second) = (words(1, 60), words(2, 60));
    let folder = Folder::new().with(
        "in.jsonl",
        [
            json!({"meta": {"id": 1, "text": first}}).to_string(),
            json!({"meta": {"id": 2, "text": first}, "meta.text": second}).to_string(),
            json!({"meta.id": 3, "meta": {"id": 4, "text": second}}).to_string(),
        ]
        .join("\n"),
    );
    let ended = folder.dedup(&["in.jsonl", "--text-field", "meta.text", "--id-field", "meta.id"]);
    assert_eq!(
        verdicts(&ended.succeeded().stdout),
        ["1 unique -", "2 unique -", "3 exact 2"]
    );
}

#[test]
fn a_wrong_text_field_is_one_error_that_names_the_fields() {
    let line = json!({"id": 1, "content": "x", "meta": {"lang": "en"}}).to_string() + "\n";
    let many = line.repeat(5_000);
    let folder = Folder::new()
        .with("few.jsonl", line.repeat(3))
        .with("many.jsonl", &many)
        .with("array.json", format!("[{}]", vec![line.trim_end(); 40].join(",\n")))
        .with("good.jsonl", jsonl(&documents()));
    for (input, place) in [
        ("few.jsonl", "few.jsonl:1"),
        ("many.jsonl", "many.jsonl:1"),
        ("array.json", "array.json:record 1"),
    ] {
        let ended = folder.dedup(&[input, "--output", "out"]).with_code(2).complains_of(&[&format!(
            "{place}: it has no field \"text\"; it has \"content\", \"id\", \"meta.lang\"; did you mean --text-field content?"
        )]);
        assert_eq!(ended.stderr.matches("no field").count(), 1, "{}", ended.stderr);
        assert!(!folder.path("out").exists());
    }
    // Where others have the field, the file is named once, with the number of its records.
    let ended = folder.dedup(&["many.jsonl", "good.jsonl"]);
    assert!(ended.stderr.matches("no field").count() == 1, "{}", ended.stderr);
    let ended = folder.dedup(&["good.jsonl", "many.jsonl"]).with_code(3).complains_of(&[
        "many.jsonl:1: it has no field",
        "many.jsonl: 4999 further records without this field",
        "skipped 5000",
    ]);
    assert_eq!(ended.stderr.matches("no field").count(), 1, "{}", ended.stderr);
    assert_eq!(verdicts(&ended.stdout), EXPECTED);
}

#[test]
fn each_line_of_a_text_is_a_document_if_asked_for() {
    let (first, second) = (words(1, 30), words(2, 30));
    let folder = Folder::new()
        .with("in.txt", format!("{first}\r\n\n{second}\n{first}"))
        .with("list.txt", format!("{first}\n").repeat(8_000));
    let ended = folder
        .dedup(&["in.txt", "--split", "lines", "--kept", "kept"])
        .succeeded();
    assert_eq!(
        verdicts(&ended.stdout),
        ["in.txt:1 unique -", "in.txt:3 unique -", "in.txt:4 exact in.txt:1"]
    );
    let kept = lines(&fs::read_to_string(folder.path("kept")).unwrap());
    assert_eq!(
        kept[0],
        json!({"id": "in.txt:1", "text": first, "url": null, "title": null})
    );
    // A large text with many lines is probably a list.
    let ended = folder.dedup(&["list.txt"]).succeeded();
    assert_eq!(verdicts(&ended.stdout), ["list.txt unique -"]);
    ended.complains_of(&["one document", "8000 lines", "--split lines"]);
    folder
        .dedup(&["list.txt", "--max-document-bytes", "100000"])
        .with_code(3)
        .complains_of(&["longer than 100000 bytes", "--split lines"]);
}

#[test]
fn exports_are_inputs_as_they_are() {
    let site = Site::of([
        ("/", page("Home", &words(3, 200), &["/a", "/b"])),
        ("/a", page("=A", &words(1, 200), NO_LINKS)),
        ("/b", page("B, \"b\"", &words(2, 200), NO_LINKS)),
    ]);
    let crawl = Crawl::of(site.url("/"));
    crawl.run();
    let urls = ["/", "/a", "/b"].map(|path| format!("{} unique -", site.url(path)));
    for name in [
        "pages.jsonl",
        "pages.jsonl.zst",
        "pages.csv",
        "pages.csv.gz",
        "pages.parquet",
    ] {
        crawl.read("export", &["-o", name]).succeeded();
        let mut found = verdicts(&run(crawler(["dedup"]).arg(crawl.path(name))).succeeded().stdout);
        found.sort();
        assert_eq!(found, urls, "{name}");
    }
}
