//! Where an export may write, how it fails, and what memory it takes.

use std::fs::{self};
use std::path::Path;
use std::process::Command;
use std::time::{Duration, Instant};

use storage::warc::{Capture, Compression};
use storage::{Discovered, OpenOptions, Outcome, PageDraft, Store};

use super::{KEPT, beside, files_at, finished, lines};
use crate::support::page::words;
use crate::support::process::{Running, crawler, run};

#[test]
fn invalid_arguments_are_reported_before_anything_is_written() {
    let (_site, crawl) = finished();
    fs::create_dir(crawl.path("a-folder")).unwrap();
    for (arguments, complaint) in [
        (&["--host", "https://example.org/"][..], "example.org:8080"),
        (&["--language", "english"], "two letters"),
        (&["--since", "yesterday"], "2026-03-31T09:30:00Z"),
        (
            &["--since", "2026-02-01", "--until", "2026-01-01"],
            "later than --until",
        ),
        (&["--match", "*/docs"], "regular expression"),
        (&["--verdict", "dropped"], "kept"),
        (&["--format", "pdf"], "parquet"),
        (&["--format", "markdown"], "--output DIR/"),
        (&["--format", "csv", "-o", "a-folder"], "is a folder"),
        (&["--format", "dataset"], "--output DIR/"),
        (&["--fields", "url,titel"], "did you mean title?"),
        (&["--fields", "url", "--format", "text"], "has none"),
        (&["--limit", "0"], "--limit"),
        (&["--format", "text", "--verdict", "all"], "needs kept pages"),
        (&["-o", "out.parquet.gz"], "without .gz"),
        (&["--format", "markdown", "-o", "test.toml"], "is a file"),
        (&["--format", "markdown", "-o", ".."], "a new folder"),
        (&["-o", "out.tar"], ".parquet"),
        (&["-o", "out.jsonl.bz2"], "--format"),
    ] {
        crawl.read("export", arguments).with_code(2).complains_of(&[complaint]);
    }
    crawl
        .read("export", &["-o", "no/folder/out"])
        .with_code(1)
        .complains_of(&["must exist"]);
    let names = beside(&crawl, "");
    assert!(
        names
            .iter()
            .all(|name| !name.contains("partial") && !name.contains("out")),
        "{names:?}"
    );
}

#[test]
fn an_export_never_writes_into_its_data_folder() {
    let (_site, crawl) = finished();
    let data = crawl.path("data");
    let before = files_at(&data);
    for output in ["data/state/db", "data/new.jsonl", "data/../data/new/", "data/", "data"] {
        let arguments = ["--format", "text", "-o", output];
        let refused = crawl.read("export", &arguments).with_code(2);
        refused.complains_of(&[output, "data folder", "outside"]);
    }
    let refused = crawl.read("report", &["-o", "data/state/db"]).with_code(2);
    refused.complains_of(&["data folder", "outside"]);
    #[cfg(unix)]
    {
        std::os::unix::fs::symlink("data/state/db", crawl.path("link.txt")).unwrap();
        crawl.read("export", &["-o", "link.txt"]).with_code(2);
        fs::remove_file(crawl.path("link.txt")).unwrap();
    }
    assert_eq!(files_at(&data), before);
    crawl.read("export", &["-o", "data.txt"]).succeeded();
}

#[cfg(unix)]
#[test]
fn every_command_writes_pipes_and_through_links() {
    let (_site, crawl) = finished();
    let folder = crawl.path("");
    fs::write(
        folder.join("in.jsonl"),
        "{\"id\":\"1\",\"text\":\"some words of a text\"}\n",
    )
    .unwrap();
    let commands: [(&str, &[&str], &str); 5] = [
        ("export", &["export", "--data", "data", "--output"], "fetched_at"),
        ("report", &["report", "--data", "data", "--output"], "kept"),
        ("idf", &["idf", "--data", "data", "--output"], ""),
        ("dedup", &["dedup", "in.jsonl", "--output"], "unique"),
        (
            "kept",
            &["dedup", "in.jsonl", "--output", "verdicts", "--kept"],
            "some words",
        ),
    ];
    for (name, arguments, content) in commands {
        let write = |output: &str| {
            let mut command = crawler(arguments);
            run(command.arg(output).current_dir(&folder)).succeeded();
        };
        let pipe = folder.join("pipe");
        assert!(Command::new("mkfifo").arg(&pipe).status().unwrap().success());
        let reader = std::thread::spawn({
            let pipe = pipe.clone();
            move || fs::read(pipe).unwrap()
        });
        write("pipe");
        assert!(!fs::symlink_metadata(&pipe).unwrap().is_file(), "{name}");
        let piped = reader.join().unwrap();
        assert!(!piped.is_empty(), "{name}");
        assert!(String::from_utf8_lossy(&piped).contains(content), "{name}");
        fs::remove_file(&pipe).unwrap();

        // A link of somebody else's in place of the unfinished file.
        let (link, target, victim) = (folder.join("link"), folder.join("target"), folder.join("victim"));
        fs::write(&target, "old").unwrap();
        fs::write(&victim, "untouched").unwrap();
        std::os::unix::fs::symlink("target", &link).unwrap();
        std::os::unix::fs::symlink("victim", folder.join("target.partial")).unwrap();
        write("link");
        assert!(link.is_symlink(), "{name}");
        assert_eq!(fs::read(&target).unwrap(), piped, "{name}");
        assert_eq!(fs::read_to_string(&victim).unwrap(), "untouched", "{name}");
        fs::remove_file(&link).unwrap();
    }
}

#[test]
fn a_full_disk_is_one_clear_message() {
    if !Path::new("/dev/full").exists() {
        return;
    }
    let (_site, crawl) = finished();
    for format in ["jsonl", "csv", "parquet", "text", "cdxj"] {
        let ended = crawl
            .read("export", &["--format", format, "-o", "/dev/full"])
            .with_code(1);
        assert_eq!(ended.stderr.lines().count(), 1, "{ended:?}");
        ended.complains_of(&["cannot write /dev/full: No space left", "free some space"]);
    }
}

#[test]
fn a_damaged_record_is_named_and_the_rest_is_exported() {
    let (_site, crawl) = finished();
    let victim = lines(crawl.read("export", &["--match", "/3$"])).remove(0);
    let url = victim["url"].as_str().unwrap();
    let store = Store::open(&crawl.data(), &OpenOptions::existing()).unwrap();
    let record = store
        .pages_from(1)
        .map(|row| row.unwrap().1)
        .find(|page| page.url == url)
        .unwrap();
    let location = record.text.unwrap();
    drop(store);
    let warc = fs::read_dir(crawl.data().join("warc"))
        .unwrap()
        .map(|entry| entry.unwrap().path())
        .find(|path| path.to_str().unwrap().ends_with(".warc.gz"))
        .unwrap();
    let mut bytes = fs::read(&warc).unwrap();
    bytes[(location.offset + location.length / 2) as usize] ^= 0x10;
    fs::write(&warc, bytes).unwrap();
    for format in ["jsonl", "parquet", "csv", "text"] {
        let ended = crawl.read("export", &["--format", format, "-o", "rest"]).with_code(3);
        ended.complains_of(&[
            url,
            "damaged",
            "1 of the pages could not be read",
            &format!("{} pages written", KEPT - 1),
        ]);
        assert!(crawl.path("rest").exists() && !crawl.path("rest.partial").exists());
    }
    let rest = crawl.read("export", &[]).with_code(3).stdout;
    assert_eq!(rest.lines().count(), KEPT - 1);
    assert!(!rest.contains(&format!("\"url\":\"{url}\"")));
}

/// A store of `count` pages with `text_words` words each, as a crawl leaves it.
fn synthetic(data: &Path, count: u64, text_words: usize) {
    let mut store = Store::open(data, &OpenOptions::new("synthetic")).unwrap();
    let signature = postcard::to_allocvec(&dedup::Signature::default()).unwrap();
    for first in (0..count).step_by(500) {
        let discovered: Vec<Discovered> = (first..count.min(first + 500))
            .map(|i| Discovered {
                url: format!("https://h{}.example/{i}", i % 7),
                host: format!("h{}.example", i % 7),
                ..Discovered::default()
            })
            .collect();
        for queued in store.discover(&discovered).unwrap() {
            let text = words(queued.url.len() as u64 + first, text_words);
            let capture = Capture {
                url: &queued.url,
                fetched_at: 1_774_085_400_125,
                ip: None,
                request: None,
                status: 200,
                reason: "OK",
                headers: vec![],
                payload: b"<p>",
                truncated: None,
                rendered: None,
                text: &text,
            };
            let draft = PageDraft {
                title: queued.url.clone(),
                fetched_at: 1_774_085_400_125,
                status: 200,
                text_chars: text.chars().count() as u64,
                signature: signature.clone(),
                ..PageDraft::default()
            };
            let outcome = Outcome::Page {
                draft: Box::new(draft),
                capture: Some(capture.encode(Compression::default()).unwrap()),
            };
            store.finish(&queued, outcome, &[]).unwrap();
        }
        store.commit().unwrap();
    }
}

fn export_of(folder: &Path, arguments: &[&str]) -> Command {
    let mut command = crawler(["export", "--data", "data"]);
    command.args(arguments).current_dir(folder);
    command
}

#[cfg(unix)]
#[test]
fn a_killed_export_leaves_the_last_one_and_a_partial_one() {
    let temporary = tempfile::tempdir().unwrap();
    let folder = temporary.path();
    // More than fits into a pipe.
    synthetic(&folder.join("data"), 200, 1000);
    fs::write(folder.join("out.csv"), "the last one").unwrap();
    let shown = run(&mut export_of(folder, &["--format", "csv"])).succeeded().stdout;
    let mut export = Running::start(&mut export_of(folder, &["-o", "out.csv"]));
    let partial = folder.join("out.csv.partial");
    let is_old = || fs::read_to_string(folder.join("out.csv")).unwrap() == "the last one";
    let begun = Instant::now();
    while !partial.exists() && is_old() {
        assert!(begun.elapsed() < Duration::from_secs(60), "it does not begin");
        std::thread::yield_now();
    }
    export.kill();
    // However far it came.
    let left = fs::read_to_string(folder.join("out.csv")).unwrap();
    assert!(left == if partial.exists() { "the last one" } else { &shown });
    fs::write(&partial, "x".repeat(1 << 20)).unwrap();
    run(&mut export_of(folder, &["-o", "out.csv"])).succeeded();
    assert!(!partial.exists());
    assert_eq!(fs::read_to_string(folder.join("out.csv")).unwrap(), shown);
}

/// What the process may have resident, whatever the size of the crawl: a row group, and the cache of the state.
const MAX_PEAK_BYTES: u64 = 250_000_000;

#[test]
fn memory_is_bounded() {
    let temporary = tempfile::tempdir().unwrap();
    let folder = temporary.path();
    // 140 MB of texts.
    synthetic(&folder.join("data"), 5_000, 4_000);
    for (format, output) in [("parquet", "out.parquet"), ("jsonl", "out.jsonl"), ("markdown", "out/")] {
        let process = Running::start(&mut export_of(folder, &["--format", format, "-o", output]));
        let (ended, cost) = process.wait_measured();
        let peak = cost.map(|cost| cost.peak_bytes);
        ended.succeeded().complains_of(&["5000 pages written"]);
        assert!(
            peak.is_none_or(|peak| peak < MAX_PEAK_BYTES),
            "{format}: {peak:?} bytes"
        );
        println!("{format}: {} MB", peak.unwrap_or(0) / 1_000_000);
    }
}
