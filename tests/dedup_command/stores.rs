//! Inputs in an object store: a small S3 on loopback.

use std::collections::BTreeMap;
use std::fs;

use percent_encoding::percent_decode_str;

use super::{EXPECTED, Folder, documents, gzip, jsonl, verdicts};
use crate::support::process::{Ended, run};
use crate::support::site::{Answer, Asked, Site};

const STRUCTS: &[u8] = include_bytes!("structs.parquet");

/// Serves objects of the bucket `corpus`. A key that begins with `busy` gets a 503 the first time.
fn s3(objects: BTreeMap<&'static str, Vec<u8>>) -> Site {
    Site::scripted(move |asked| {
        let path = asked.path.split('?').next().unwrap_or_default();
        let path = percent_decode_str(path).decode_utf8().unwrap();
        match path.strip_prefix("/corpus/").filter(|key| !key.is_empty()) {
            _ if asked.headers.get("authorization").is_none() => Answer::status(403),
            None => listed(&objects, &asked.path),
            Some(key) if key.starts_with("busy") && asked.times == 1 => Answer::status(503),
            Some(key) => match objects.get(key) {
                None => Answer::status(404),
                Some(object) => part(asked, object),
            },
        }
    })
}

fn listed(objects: &BTreeMap<&str, Vec<u8>>, path: &str) -> Answer {
    let query = path.split_once('?').unwrap_or_default().1;
    let prefix = query.split('&').find_map(|pair| pair.strip_prefix("prefix="));
    let prefix = prefix.unwrap_or_default().replace("%2F", "/");
    let found = objects.iter().filter(|(key, _)| key.starts_with(&prefix));
    let contents: String = found
        .map(|(key, object)| {
            format!(
                "<Contents><Key>{key}</Key><LastModified>2026-03-21T09:30:00.000Z</LastModified><ETag>\"1\"</ETag><Size>{}</Size></Contents>",
                object.len()
            )
        })
        .collect();
    Answer::xml(format!(
        "<?xml version=\"1.0\"?><ListBucketResult><Name>corpus</Name><IsTruncated>false</IsTruncated>{contents}</ListBucketResult>"
    ))
}

fn part(asked: &Asked, object: &[u8]) -> Answer {
    let range = asked.headers.get("range").and_then(|range| range.to_str().ok());
    let range = range.and_then(|range| range.strip_prefix("bytes=")?.split_once('-'));
    let common = |answer: Answer| {
        answer
            .with("etag", "\"1\"")
            .with("last-modified", "Sat, 21 Mar 2026 09:30:00 GMT")
    };
    let Some((from, to)) = range else {
        return common(Answer::untyped(object));
    };
    let from: usize = from.parse().unwrap();
    let to = to.parse().map_or(object.len(), |to: usize| object.len().min(to + 1));
    let content_range = format!("bytes {from}-{}/{}", to - 1, object.len());
    common(Answer::partial(&object[from..to])).with("content-range", &content_range)
}

#[track_caller]
fn dedup(folder: &Folder, site: &Site, arguments: &[&str]) -> Ended {
    let mut command = folder.command(arguments);
    command.envs([
        ("AWS_ENDPOINT", site.url("").trim_end_matches('/')),
        ("AWS_ALLOW_HTTP", "true"),
        ("AWS_REGION", "us-east-1"),
        ("AWS_ACCESS_KEY_ID", "key"),
        ("AWS_SECRET_ACCESS_KEY", "secret"),
    ]);
    run(&mut command)
}

#[test]
fn a_folder_of_a_store_is_read_as_a_folder_of_the_machine() {
    let lines = jsonl(&documents());
    let middle = lines.match_indices('\n').nth(2).unwrap().0 + 1;
    let (first, second) = lines.split_at(middle);
    let site = s3(BTreeMap::from([
        ("data/a.jsonl", first.into()),
        ("data/b.jsonl.gz", gzip(second.as_bytes())),
        ("data/picture.png", b"no document".to_vec()),
        ("data/.hidden.jsonl", b"{\"text\":\"hidden\"}".to_vec()),
        ("odd/50% #1 _SUCCESS", lines.clone().into()),
        ("busy/a.jsonl", lines.clone().into()),
        ("other.jsonl", b"{\"text\":\"x\"}".to_vec()),
    ]));
    let folder = Folder::new();
    for input in [
        "s3://corpus/data",
        "s3://corpus/data/",
        "s3://corpus/data/*.jsonl*",
        "s3://corpus/busy/a.jsonl",
        // A file that is named is read, whatever its ending, and its characters stand for themselves.
        "s3://corpus/odd/50% #1 _SUCCESS",
    ] {
        let ended = dedup(&folder, &site, &[input, "--output", "out", "--resume"]).succeeded();
        assert!(ended.stderr.contains("6 documents"), "{input}: {}", ended.stderr);
        let out = fs::read_to_string(folder.path("out")).unwrap();
        assert_eq!(verdicts(&out), EXPECTED, "{input}");
    }
    let ended = dedup(&folder, &site, &["s3://corpus/data", "--output", "out"]);
    ended
        .succeeded()
        .complains_of(&["skipped 1 file with an unknown ending"]);
    let output = ["s3://corpus/data", "--output", "s3://corpus/out"];
    dedup(&folder, &site, &output)
        .with_code(2)
        .complains_of(&["an output is a file of the machine"]);
    for (input, why) in [
        ("s3://corpus/data/c.jsonl", "there is no file of this name"),
        ("s3://corpus/data/*.parquet", "there is no file of this name"),
        ("s3:///data", "names no object store"),
        (
            "https://h/data.jsonl",
            "an input is a file, a folder, or in an object store",
        ),
    ] {
        dedup(&folder, &site, &[input]).with_code(2).complains_of(&[input, why]);
    }
}

#[test]
fn rows_of_a_store_are_copied_as_those_of_the_machine() {
    let site = s3(BTreeMap::from([
        ("rows/a.parquet", STRUCTS.to_vec()),
        ("rows/b.parquet", STRUCTS.to_vec()),
    ]));
    let folder = Folder::new()
        .with("rows/a.parquet", STRUCTS)
        .with("rows/b.parquet", STRUCTS);
    let copied = |input: &str| {
        let fields = ["--text-field", "doc.text", "--id-field", "doc.id"];
        let outputs = ["--kept", "kept.parquet", "--annotate", "all.parquet", "--output", "out"];
        let arguments = [&[input][..], &fields, &outputs].concat();
        dedup(&folder, &site, &arguments)
            .with_code(3)
            .complains_of(&["kept.parquet has 2 rows", "all.parquet has 6 rows"]);
        ["kept.parquet", "all.parquet"].map(|name| fs::read(folder.path(name)).unwrap())
    };
    let of_the_machine = copied("rows");
    assert_eq!(copied("s3://corpus/rows"), of_the_machine);
    assert_eq!(copied("s3://corpus/rows/*.parquet"), of_the_machine);
    let url = format!("file://{}", folder.path("rows").display());
    assert_eq!(copied(&url), of_the_machine);
    let replaced = [&format!("{url}/a.parquet"), "--output", "rows/a.parquet"];
    dedup(&folder, &site, &replaced)
        .with_code(2)
        .complains_of(&["both an input and an output"]);
    let replaced = [&format!("{url}/a.parquet"), "--kept", "rows/a.parquet"];
    dedup(&folder, &site, &replaced)
        .with_code(2)
        .complains_of(&["both an input and an output"]);
}
