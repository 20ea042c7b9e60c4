//! Order, settings, endings and memory of a run.

use std::fs;
use std::io::{Read, Write};
use std::path::Path;
use std::process::Stdio;

use serde_json::json;

use super::{EXPECTED, Folder, documents, families, jsonl, lines, verdicts};
use crate::support::page::{replaced, words};
use crate::support::process::Running;

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
    // Documents of very different length, so that threads finish them in another order.
    let count = 3_000;
    let text = |n: usize| {
        words(
            (n % 1_000) as u64,
            if n.is_multiple_of(50) { 3_000 } else { 20 + n % 7 },
        )
    };
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
fn every_source_of_candidates_gives_the_same_verdicts_with_and_without_an_index_on_disk() {
    let folder = Folder::new().with("in.jsonl", jsonl(&documents()));
    for source in ["auto", "blocks", "bands"] {
        let ended = folder.dedup(&["in.jsonl", "--candidates", source]).succeeded();
        assert_eq!(verdicts(&ended.stdout), EXPECTED, "{source}");
        // The second run finds what the first one has stored.
        for _ in 0..2 {
            let ended = folder
                .dedup(&["in.jsonl", "--index", source, "--candidates", source])
                .succeeded();
            assert_eq!(verdicts(&ended.stdout), EXPECTED, "{source}");
        }
    }
    // An index without bands goes on with blocks.
    let ended = folder
        .dedup(&["in.jsonl", "--index", "blocks", "--candidates", "bands"])
        .succeeded();
    assert_eq!(verdicts(&ended.stdout), EXPECTED);
    folder
        .dedup(&["in.jsonl", "--index", "redis://127.0.0.1:1/", "--candidates", "bands"])
        .with_code(2)
        .complains_of(&["--candidates bands", "on a server"]);
    folder
        .dedup(&["in.jsonl", "--min-similarity", "0.7", "--candidates", "bands"])
        .with_code(2)
        .complains_of(&["--candidates bands", "at least 0.75"]);
    let folder = folder.with("bands.toml", "[dedup]\ncandidates = \"bands\"\nmin_similarity = 0.7\n");
    folder
        .dedup(&["in.jsonl", "--config", "bands.toml"])
        .with_code(2)
        .complains_of(&["bands.toml", "dedup.candidates = \"bands\"", "at least 0.75"]);
    // The flag counts before the file.
    let folder = folder.with("bands.toml", "[dedup]\ncandidates = \"bands\"\n");
    let looser = ["in.jsonl", "--config", "bands.toml", "--min-similarity", "0.7"];
    folder
        .dedup(&looser)
        .with_code(2)
        .complains_of(&["dedup.candidates", "at least 0.75"]);
    folder
        .dedup(&[&looser[..], &["--candidates", "blocks"]].concat())
        .succeeded();
}

#[test]
fn a_bound_on_the_memory_changes_no_verdict() {
    let folder = Folder::new().with("in.jsonl", families(2_000));
    for source in ["blocks", "bands"] {
        let arguments = ["in.jsonl", "--candidates", source];
        let expected = folder.dedup(&arguments).succeeded().stdout;
        let kinds: std::collections::BTreeSet<String> = lines(&expected)
            .iter()
            .map(|line| line["verdict"].to_string())
            .collect();
        assert_eq!(kinds.len(), 3, "{kinds:?}");
        for memory in ["0B", "75MiB"] {
            let ended = folder
                .dedup(&[&arguments[..], &["--memory", memory, "--tmp", "."]].concat())
                .succeeded();
            assert_eq!(ended.stdout, expected, "{source} {memory}");
        }
    }
    // Where the temporary file cannot be, a run that needs it ends, and another one does not.
    let nowhere = ["in.jsonl", "--tmp", "no/such/folder"];
    folder.dedup(&nowhere).succeeded();
    folder
        .dedup(&[&nowhere[..], &["--memory", "0B"]].concat())
        .with_code(1)
        .complains_of(&["no/such/folder"]);
    folder
        .dedup(&["in.jsonl", "--memory", "1GiB", "--index", "seen"])
        .with_code(2)
        .complains_of(&["--memory", "--index"]);
}

#[test]
fn an_output_file_is_never_an_input() {
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
fn an_output_that_cannot_be_written_ends_with_exit_code_1() {
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
fn a_closed_standard_output_ends_the_command_quietly() {
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
fn verdicts_are_written_at_once_and_ctrl_c_leaves_them() {
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

/// The peak resident memory of a process, in bytes.
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
    // A line of 256 MB, then 64 MB of copies of one document.
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

#[test]
fn by_the_combined_rule_titles_decide_between_three_and_five_bits() {
    let original = words(1, 300);
    // The edited copies differ more and more; some are 3 to 5 bits away. 0.9 / (1 + 3) is below the bound without the same title.
    let editions: Vec<String> = (1..40).map(|edits| replaced(&original, 50, edits, 9)).collect();
    let near = |title: &str| {
        let document = |(id, text, title): (usize, &String, &str)| {
            json!({"id": id, "text": text, "title": title}).to_string() + "\n"
        };
        let mut found = std::collections::BTreeSet::new();
        for (id, text) in (1..).zip(&editions) {
            let input = document((0, &original, "The tide table")) + &document((id, text, title));
            let folder = Folder::new()
                .with("in.jsonl", input)
                .with("combined.toml", "[dedup]\nconfirm = \"combined\"\n");
            let ended = folder.dedup(&["in.jsonl", "--config", "combined.toml"]).succeeded();
            let verdict = &lines(&ended.stdout)[1];
            if verdict["verdict"] == "near" {
                found.insert(verdict["distance"].as_u64().unwrap());
            }
        }
        found
    };
    let (same, other) = (near("The tide table"), near("A recipe"));
    assert!(other.iter().all(|distance| *distance <= 2), "{other:?}");
    assert!(
        same.is_superset(&other) && same.iter().any(|distance| *distance > 2),
        "{same:?}"
    );
    assert!(same.iter().all(|distance| *distance <= 5), "{same:?}");
}
