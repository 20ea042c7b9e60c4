//! `crawler dedup --index` and `crawler check --index`: an index of documents that outlives a command, in a folder or on a Redis
//! server that several processes share.

use std::collections::BTreeMap;
use std::fs;
use std::io::Write;
use std::path::PathBuf;
use std::process::Command;
use std::time::Instant;

use serde_json::{Value, json};
use tempfile::TempDir;

use crate::support::PATIENCE;
use crate::support::page::{replaced, words};
use crate::support::process::{Ended, Running, crawler, run};
use crate::support::redis::Redis;

/// A temporary working directory.
struct Folder(TempDir);

impl Folder {
    fn new() -> Self {
        Self(tempfile::tempdir().unwrap())
    }

    fn path(&self, name: &str) -> PathBuf {
        self.0.path().join(name)
    }

    /// Writes documents as JSON lines.
    fn write(&self, name: &str, documents: &[(Value, String)]) {
        fs::write(self.path(name), lines_of(documents)).unwrap();
    }

    fn command(&self, arguments: &[&str]) -> Command {
        let mut command = crawler(arguments);
        command.current_dir(self.0.path()).env_remove("REDISCLI_AUTH");
        command
    }

    #[track_caller]
    fn run(&self, arguments: &[&str]) -> Ended {
        run(&mut self.command(arguments))
    }
}

fn lines_of(documents: &[(Value, String)]) -> String {
    let line = |(id, text): &(Value, String)| json!({"id": id, "text": text}).to_string() + "\n";
    documents.iter().map(line).collect()
}

/// Groups of near-duplicates, exact duplicates and short texts, mixed.
fn documents(groups: u64, copies: u64) -> Vec<(Value, String)> {
    let mut documents = Vec::new();
    for copy in 0..copies {
        for group in 0..groups {
            let id = json!(format!("g{group}-{copy}"));
            let text = match group % 4 {
                0 => words(group, 12),
                1 => words(group, 200),
                _ => replaced(&words(group, 300), 100, copy as usize % 3, 1_000 + copy),
            };
            documents.push((id, text));
        }
    }
    documents.push((json!(7), "a text with a number for an id".into()));
    documents.push((json!(7.5), "a text with a number for an id".into()));
    documents
}

/// The number of unique documents of each group.
fn unique_by_group(lines: &str) -> BTreeMap<String, usize> {
    let mut unique = BTreeMap::new();
    for line in lines.lines() {
        let line: Value = serde_json::from_str(line).unwrap();
        if let Some((group, _)) = line["id"].as_str().and_then(|id| id.split_once('-')) {
            *unique.entry(group.to_owned()).or_insert(0) += usize::from(line["verdict"] == "unique");
        }
    }
    unique
}

/// Calls `test` with the argument of `--index` for a folder and for a server.
fn with_each_index(test: impl Fn(&Folder, &str)) {
    let server = Redis::start(&[]);
    for index in ["index".to_owned(), format!("redis://{}?name=test", server.host())] {
        test(&Folder::new(), &index);
    }
}

#[test]
fn runs_with_an_index_give_together_the_verdicts_of_one_run() {
    with_each_index(|folder, index| {
        let all = documents(20, 3);
        folder.write("all.jsonl", &all);
        folder.write("first.jsonl", &all[..25]);
        folder.write("rest.jsonl", &all[25..]);
        let expected = folder.run(&["dedup", "all.jsonl"]).succeeded().stdout;
        let first = folder.run(&["dedup", "first.jsonl", "--index", index]).succeeded();
        first.complains_of(&["25 documents in", "the index ", "has 25 documents"]);
        let rest = folder
            .run(&["dedup", "rest.jsonl", "--index", index, "--kept", "kept"])
            .succeeded();
        let first = folder.run(&["dedup", "first.jsonl", "--index", index]).succeeded();
        assert_eq!(first.stdout + &rest.stdout, expected, "{index}");
        let again = folder.run(&["dedup", "all.jsonl", "--index", index]).succeeded();
        assert_eq!(again.stdout, expected);
        let kept = fs::read_to_string(folder.path("kept")).unwrap();
        if index == "index" {
            // As the Python package opens it.
            let collection = dedup::Collection::open(&folder.path(index)).unwrap();
            assert_eq!(collection.len(), all.len());
            assert!(collection.contains(&dedup::Id::from("g0-0")) && collection.contains(&dedup::Id::from(7)));
        }
        let unique = rest.stdout.lines().filter(|line| line.contains("\"unique\"")).count();
        assert_eq!(kept.lines().count(), unique);
    });
}

#[test]
fn copies_of_one_record_get_the_verdicts_of_a_run_without_an_index() {
    with_each_index(|folder, index| {
        let short = "a short text".to_owned();
        let near = replaced(&words(1, 200), 100, 1, 1_000);
        let texts = [
            ("x", words(1, 200)),
            ("near", near),
            ("short", short),
            ("empty", String::new()),
        ];
        let one_of_each: Vec<_> = texts.map(|(id, text)| (json!(id), text)).into();
        folder.write("same.jsonl", &[&one_of_each[..], &one_of_each, &one_of_each].concat());
        let command = ["dedup", "same.jsonl", "--kept"];
        let expected = folder.run(&[&command[..], &["expected"]].concat()).succeeded().stdout;
        // The second run is like one after a kill.
        for times in 0..2 {
            let ended = folder
                .run(&[&command[..], &["kept", "--index", index]].concat())
                .succeeded();
            assert_eq!(ended.stdout, expected, "{index}");
            let kept = ["expected", "kept"].map(|name| fs::read_to_string(folder.path(name)).unwrap());
            assert_eq!(kept[0], kept[1], "{index}");
            let known = ended.stderr.contains("; 4 documents were in the index already");
            assert_eq!(known, times > 0, "{}", ended.stderr);
        }
    });
}

#[test]
fn three_copies_of_a_record_are_kept_once() {
    with_each_index(|folder, index| {
        let same = (json!("x"), words(1, 200));
        folder.write("same.jsonl", &[same.clone(), same.clone(), same]);
        let ended = folder
            .run(&["dedup", "same.jsonl", "--index", index, "--kept", "kept"])
            .succeeded();
        ended.complains_of(&["unique 1  exact 2"]);
        assert_eq!(fs::read_to_string(folder.path("kept")).unwrap().lines().count(), 1);
    });
}

#[test]
fn the_same_documents_are_kept_again_in_a_moved_folder_and_in_other_files() {
    with_each_index(|folder, index| {
        fs::create_dir(folder.path("here")).unwrap();
        folder.write("here/all.jsonl", &documents(20, 3));
        let start = |place: &str, outputs: &[&str]| {
            let mut command = folder.command(&[&["dedup", "all.jsonl", "--index", index], outputs].concat());
            run(command.current_dir(folder.path(place))).succeeded()
        };
        let read = |name: &str| fs::read_to_string(folder.path(name)).unwrap();
        let outputs = ["--output", "out", "--kept", "kept"];
        // A run that keeps nothing takes nothing away.
        start("here", &["--output", "verdicts"]);
        start("here", &outputs);
        let first = [read("here/out"), read("here/kept")];
        let unique = first[0].lines().filter(|line| line.contains("\"unique\"")).count();
        assert!(unique > 0 && first[1].lines().count() == unique, "{index}");
        assert_eq!(read("here/verdicts"), first[0]);
        start("here", &outputs);
        assert_eq!([read("here/out"), read("here/kept")], first, "{index}");
        fs::rename(folder.path("here"), folder.path("there")).unwrap();
        start("there", &outputs);
        assert_eq!([read("there/out"), read("there/kept")], first, "{index}");
        start("there", &["--output", "other-out", "--kept", "other-kept"]);
        assert_eq!([read("there/other-out"), read("there/other-kept")], first, "{index}");
    });
}

#[test]
fn documents_of_earlier_runs_are_left_out_on_demand() {
    let folder = Folder::new();
    let all = documents(20, 3);
    folder.write("first.jsonl", &all[..35]);
    folder.write("second.jsonl", &all[25..]);
    folder.write("all.jsonl", &all);
    let files = |name: &str| ["verdicts", "kept", "annotated"].map(|kind| format!("{name}.{kind}"));
    let start = |name: &str, with: &[&str]| {
        let ([verdicts, kept, annotated], input) = (files(name), format!("{name}.jsonl"));
        let outputs = ["--output", &verdicts, "--kept", &kept, "--annotate", &annotated];
        folder
            .run(&[&["dedup", &input], &outputs[..], with].concat())
            .succeeded()
    };
    let read = |name: &str| files(name).map(|file| fs::read_to_string(folder.path(&file)).unwrap());
    let together = || {
        let files = read("first").into_iter().zip(read("second"));
        files.map(|(first, second)| first + &second).collect::<Vec<_>>()
    };
    start("all", &[]);
    let verdicts: Vec<String> = read("all")[0].lines().map(ToOwned::to_owned).collect();
    let skips = ["--index", "seen", "--skip-known"];
    start("first", &skips);
    let ended = start("second", &skips);
    ended.complains_of(&["; 10 documents were in the index already and were left out"]);
    assert_eq!(together(), read("all"));
    // Without the flag, each run has all of its documents, whatever ran before.
    for (name, expected) in [("second", &verdicts[25..]), ("first", &verdicts[..35])] {
        let ended = start(name, &skips[..2]);
        ended.complains_of(&["documents were in the index already (--skip-known"]);
        assert_eq!(read(name)[0].lines().collect::<Vec<_>>(), expected);
        let unique = expected.iter().filter(|line| line.contains("\"unique\"")).count();
        assert_eq!(read(name)[1].lines().count(), unique);
    }
    // A new copy of a record in one run is a duplicate with the flag, too.
    let new = (json!("new"), words(999, 200));
    folder.write("third.jsonl", &[all[0].clone(), new.clone(), new, all[0].clone()]);
    let ended = start("third", &skips);
    ended.complains_of(&[
        "unique 1  exact 1",
        "; 2 documents were in the index already and were left out",
    ]);
    assert_eq!(read("third").map(|text| text.lines().count()), [2, 1, 2]);
    let ended = start("third", &skips);
    ended.complains_of(&[
        "0 documents in",
        "; 4 documents were in the index already and were left out",
    ]);
}

#[test]
fn no_document_of_a_run_that_did_not_end_is_left_out() {
    for kills in [false, true] {
        let folder = Folder::new();
        // More than are saved at a time.
        let all = documents(1_600, 4);
        folder.write("all.jsonl", &all);
        folder.write("some.jsonl", &all[..100]);
        let expected = folder
            .run(&["dedup", "all.jsonl", "--kept", "expected"])
            .succeeded()
            .stdout;
        let skips = ["--index", "seen", "--skip-known"];
        let (stdin, mut feed) = std::io::pipe().unwrap();
        let mut command = folder.command(&[&["dedup", "-", "--output", "out", "--kept", "kept"], &skips[..]].concat());
        let mut running = Running::start(command.stdin(stdin));
        feed.write_all(lines_of(&all[..all.len() - 500]).as_bytes()).unwrap();
        let deadline = Instant::now() + PATIENCE;
        while fs::read_to_string(folder.path("out.partial")).map_or(0, |text| text.lines().count()) < 5_000 {
            assert!(Instant::now() < deadline, "no verdict came");
            std::thread::yield_now();
        }
        if kills {
            running.kill();
        } else {
            running.interrupt();
            running.wait().with_code(130);
        }
        drop(feed);
        // Another run that ends has only its own documents.
        let some = folder.run(&[&["dedup", "some.jsonl"], &skips[..]].concat()).succeeded();
        assert_eq!(some.stdout.lines().count(), 100);
        let rest = folder
            .run(&[&["dedup", "all.jsonl", "--kept", "kept"], &skips[..]].concat())
            .succeeded();
        let rest = rest.complains_of(&["; 100 documents were in the index already and were left out"]);
        assert!(some.stdout + &rest.stdout == expected);
        let kept = ["expected", "kept"].map(|name| fs::read_to_string(folder.path(name)).unwrap());
        assert!(kept[0].ends_with(&kept[1]) && kept[0].lines().count() == kept[1].lines().count() + 100);
    }
}

#[test]
fn only_a_folder_knows_which_runs_have_ended() {
    let folder = Folder::new();
    folder.write("a.jsonl", &documents(2, 1));
    let ended = folder.run(&["dedup", "a.jsonl", "--index", "redis://127.0.0.1:1", "--skip-known"]);
    ended.with_code(2).complains_of(&["--skip-known", "name a folder"]);
    let ended = folder.run(&["dedup", "a.jsonl", "--skip-known"]).with_code(2);
    ended.complains_of(&["--index"]);
}

#[test]
fn an_id_with_another_text_is_reported_and_skipped() {
    with_each_index(|folder, index| {
        folder.write("a.jsonl", &[(json!("x"), words(1, 100)), (json!("y"), words(2, 100))]);
        folder.write("b.jsonl", &[(json!("x"), words(3, 100)), (json!("z"), words(1, 100))]);
        folder.run(&["dedup", "a.jsonl", "--index", index]).succeeded();
        let ended = folder.run(&["dedup", "b.jsonl", "--index", index]).with_code(3);
        assert_eq!(ended.stdout.lines().count(), 1, "{}", ended.stdout);
        let ended = ended.says(&["\"id\":\"z\"", "\"of\":\"x\""]);
        ended.complains_of(&["\"x\"", "with another text"]);
    });
}

#[test]
fn a_killed_run_goes_on() {
    with_each_index(|folder, index| {
        // More than are saved at a time.
        let all = documents(1_600, 4);
        folder.write("all.jsonl", &all);
        let expected = folder.run(&["dedup", "all.jsonl"]).succeeded().stdout;
        let (stdin, mut feed) = std::io::pipe().unwrap();
        let mut command = folder.command(&["dedup", "-", "--index", index, "--output", "out"]);
        let mut running = Running::start(command.stdin(stdin));
        let fed = all.len() - 500;
        feed.write_all(lines_of(&all[..fed]).as_bytes()).unwrap();
        let deadline = Instant::now() + PATIENCE;
        let verdicts = || fs::read_to_string(folder.path("out.partial")).map_or(0, |text| text.lines().count());
        while verdicts() < 5_000 {
            assert!(Instant::now() < deadline, "no verdict came");
            std::thread::yield_now();
        }
        running.kill();
        drop(feed);
        let check = folder.write_text("text", &all[0].1);
        folder
            .run(&["check", check, "--index", index])
            .with_code(11)
            .says(&["EXACT"]);
        let again = folder.run(&["dedup", "all.jsonl", "--index", index]).succeeded();
        assert!(again.stdout == expected, "{index}");
    });
}

impl Folder {
    fn write_text<'n>(&self, name: &'n str, text: &str) -> &'n str {
        fs::write(self.path(name), text).unwrap();
        name
    }
}

#[test]
fn ctrl_c_saves_the_index() {
    with_each_index(|folder, index| {
        let all = documents(10, 2);
        let (stdin, mut feed) = std::io::pipe().unwrap();
        let mut command = folder.command(&["dedup", "-", "--index", index, "--output", "out"]);
        let running = Running::start(command.stdin(stdin));
        feed.write_all(lines_of(&all).as_bytes()).unwrap();
        let deadline = Instant::now() + PATIENCE;
        while fs::read_to_string(folder.path("out.partial")).map_or(0, |text| text.lines().count()) < all.len() {
            assert!(Instant::now() < deadline, "no verdict came");
            std::thread::yield_now();
        }
        running.interrupt();
        running.wait().with_code(130).complains_of(&["22 documents", "goes on"]);
        drop(feed);
        folder.write("none.jsonl", &[]);
        let ended = folder.run(&["dedup", "none.jsonl", "--index", index]).succeeded();
        ended.complains_of(&["has 22 documents"]);
    });
}

#[test]
fn processes_that_share_an_index_keep_one_of_each_group() {
    let (folder, server) = (Folder::new(), Redis::start(&[]));
    let index = format!("redis://{}/2?name=shared", server.host());
    let start = |part: u64| {
        // Each process has another copy of each group, all in the same order, so that they meet.
        let own: Vec<_> = documents(300, 3)
            .into_iter()
            .filter(|(id, _)| id.as_str().is_some_and(|id| id.ends_with(&format!("-{part}"))))
            .collect();
        folder.write(&format!("{part}.jsonl"), &own);
        Running::start(&mut folder.command(&["dedup", &format!("{part}.jsonl"), "--index", &index]))
    };
    let running: Vec<_> = (0..3).map(start).collect();
    let all: String = running
        .into_iter()
        .map(|running| running.wait().succeeded().stdout)
        .collect();
    let unique = unique_by_group(&all);
    assert_eq!(unique.len(), 300);
    for (group, unique) in unique {
        assert_eq!(unique, 1, "{group}");
    }
}

#[test]
fn a_text_is_compared_with_an_index() {
    with_each_index(|folder, index| {
        folder.write_text("text", &words(1, 300));
        let missing = folder.run(&["check", "text", "--index", index]).with_code(1);
        missing.complains_of(&["no index"]);
        assert!(!folder.path("index").exists());
        folder.write(
            "a.jsonl",
            &[
                (json!("x"), words(1, 300)),
                (json!(5), words(2, 300)),
                (json!("s"), words(9, 12)),
            ],
        );
        folder.run(&["dedup", "a.jsonl", "--index", index]).succeeded();
        folder.run(&["check", "text", "--index", index]).with_code(11).says(&[
            "EXACT DUPLICATE",
            "\"x\"",
            "3 documents",
        ]);
        folder.write_text("near", &replaced(&words(2, 300), 100, 2, 9));
        let near = folder
            .run(&["check", "near", "--index", index, "--format", "json"])
            .with_code(10);
        let answer: Value = serde_json::from_str(&near.stdout).unwrap();
        assert_eq!(
            (&answer["verdict"], &answer["nearest"][0]["id"]),
            (&json!("near"), &json!(5)),
            "{answer}"
        );
        assert_eq!(answer["nearest"][0]["is_duplicate"], json!(true));
        folder.write_text("new", &words(3, 300));
        folder
            .run(&["check", "new", "--index", index])
            .succeeded()
            .says(&["NEW\n"]);
        folder.write_text("short", &words(4, 12));
        folder.run(&["check", "short", "--index", index]).with_code(12);
        let both = folder
            .run(&["check", "text", "--index", index, "--thorough"])
            .with_code(2);
        both.complains_of(&["--thorough"]);
        // Checking adds nothing.
        folder
            .run(&["check", "new", "--index", index])
            .succeeded()
            .says(&["3 documents"]);
    });
}

#[test]
fn an_index_with_other_settings_is_refused() {
    with_each_index(|folder, index| {
        folder.write("a.jsonl", &documents(2, 1));
        fs::write(folder.path("other.toml"), "[dedup]\nbits = 128\n").unwrap();
        folder.run(&["dedup", "a.jsonl", "--index", index]).succeeded();
        for settings in [
            ["--max-distance", "3"],
            ["--min-similarity", "0.9"],
            ["--config", "other.toml"],
        ] {
            let arguments = [&["dedup", "a.jsonl", "--index", index][..], &settings].concat();
            folder.run(&arguments).with_code(1).complains_of(&["another"]);
        }
        let other = [index, "-128"].concat();
        for _ in 0..2 {
            folder
                .run(&["dedup", "a.jsonl", "--index", &other, "--config", "other.toml"])
                .succeeded();
        }
        folder.run(&["dedup", "a.jsonl", "--index", index]).succeeded();
    });
}

#[test]
fn a_folder_that_is_something_else_is_refused_untouched() {
    let folder = Folder::new();
    folder.write("a.jsonl", &documents(2, 1));
    for (name, part) in [
        ("crawl/state/db", "data folder of a crawl"),
        ("files/some/file", "other files"),
        ("file", "other files"),
    ] {
        let path = folder.path(name);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, "").unwrap();
        let index = name.split('/').next().unwrap();
        folder
            .run(&["dedup", "a.jsonl", "--index", index])
            .with_code(1)
            .complains_of(&[index, part]);
        assert!(!folder.path(index).join("db").exists());
    }
    let (stdin, feed) = std::io::pipe().unwrap();
    let running = Running::start(
        folder
            .command(&["dedup", "-", "--index", "used", "--output", "out"])
            .stdin(stdin),
    );
    let deadline = Instant::now() + PATIENCE;
    while !folder.path("out.partial").exists() {
        assert!(Instant::now() < deadline, "it did not start");
        std::thread::yield_now();
    }
    for command in [["dedup", "a.jsonl"], ["check", "a.txt"]] {
        folder.write_text("a.txt", "text");
        let ended = folder.run(&[&command[..], &["--index", "used"]].concat()).with_code(1);
        ended.complains_of(&["used is in use"]);
    }
    drop(feed);
    running.wait().succeeded();
}

#[test]
fn a_server_that_cannot_be_used_is_told_of_without_its_password() {
    let folder = Folder::new();
    folder.write("a.jsonl", &documents(2, 1));
    let refused = |address: &str, code: i32, part: &str| {
        for command in [["dedup", "a.jsonl"], ["check", "a.jsonl"]] {
            if command[0] == "check" {
                fs::write(folder.path("a.jsonl.txt"), "text").unwrap();
            }
            let file = if command[0] == "check" {
                "a.jsonl.txt"
            } else {
                command[1]
            };
            let ended = folder
                .run(&[command[0], file, "--index", address, "-vv"])
                .with_code(code);
            let said = [&ended.stdout[..], &ended.stderr[..]].concat();
            assert!(said.contains(part) && !said.contains("secret"), "{address}: {said}");
        }
    };
    refused("redis://:secret@127.0.0.1:1", 1, "no server listens there");
    refused("rediss://:secret@127.0.0.1:1", 2, "unencrypted");
    refused("redis://:secret@127.0.0.1:1/x", 2, "database");
    refused("http://:secret@127.0.0.1:1/x", 2, "not an address");
    let server = Redis::start(&["--requirepass", "the-secret"]);
    refused(
        &format!("redis://:another-secret@{}", server.host()),
        1,
        "refuses the user or the password",
    );
    refused(&format!("redis://{}", server.host()), 1, "wants a password");
    let address = format!("redis://{}", server.host());
    let mut command = folder.command(&["dedup", "a.jsonl", "--index", &address]);
    run(command.env("REDISCLI_AUTH", "the-secret")).succeeded();
    let address = format!("redis://:the-secret@{}", server.host());
    let ended = folder.run(&["dedup", "a.jsonl", "--index", &address]).succeeded();
    assert!(!ended.stderr.contains("secret"), "{}", ended.stderr);
}

#[test]
fn a_server_killed_in_the_middle_of_a_run_ends_it_and_the_next_run_goes_on() {
    let folder = Folder::new();
    let mut server = Redis::start(&["--appendonly", "yes", "--appendfsync", "always"]);
    let index = format!("redis://{}", server.host());
    let all = documents(100, 2);
    folder.write("all.jsonl", &all);
    let expected = folder.run(&["dedup", "all.jsonl"]).succeeded().stdout;
    let (stdin, mut feed) = std::io::pipe().unwrap();
    let mut command = folder.command(&["dedup", "-", "--index", &index, "--output", "out"]);
    let running = Running::start(command.stdin(stdin));
    feed.write_all(lines_of(&all[..120]).as_bytes()).unwrap();
    let deadline = Instant::now() + PATIENCE;
    while fs::read_to_string(folder.path("out.partial")).map_or(0, |text| text.lines().count()) < 120 {
        assert!(Instant::now() < deadline, "no verdict came");
        std::thread::yield_now();
    }
    server.kill();
    feed.write_all(lines_of(&all[120..]).as_bytes()).unwrap();
    drop(feed);
    running
        .wait()
        .with_code(1)
        .complains_of(&["redis://127.0.0.1", "run the same command again"]);
    server.restart();
    let again = folder.run(&["dedup", "all.jsonl", "--index", &index]).succeeded();
    assert_eq!(again.stdout, expected);
}
