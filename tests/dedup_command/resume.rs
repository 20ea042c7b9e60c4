//! `--resume`: an interrupted or killed run goes on, and its output is that of an undisturbed one.

use std::fs::{self, OpenOptions};
use std::io::Write;

use serde_json::json;

use super::{Folder, documents, jsonl};
use crate::support::PATIENCE;
use crate::support::page::{replaced, words};
use crate::support::process::Running;

const ARGUMENTS: [&str; 9] = [
    "first.jsonl",
    "second",
    "--output",
    "out",
    "--kept",
    "kept",
    "--annotate",
    "annotated",
    "--resume",
];

const OUTPUTS: [&str; 3] = ["out", "kept", "annotated"];

/// Long documents, so that a run takes a while: families, copies and lines that are no JSON.
fn input(from: u64) -> String {
    let lines = (from..from + 1_500).map(|number| {
        let family = words(number % 500, 300);
        let text = match number % 7 {
            0 => family,
            edit => replaced(&family, 40 * edit as usize, 1 + (number % 3) as usize, number),
        };
        match number % 401 {
            0 => "no JSON\n".to_owned(),
            _ => json!({"id": number, "text": text}).to_string() + "\n",
        }
    });
    lines.collect()
}

fn folder() -> Folder {
    Folder::new()
        .with("first.jsonl", input(0))
        .with("second/a.jsonl", input(1_500))
        .with("second/b.jsonl", input(3_000))
}

/// The counts of the summary, without its times.
fn counts(stderr: &str) -> String {
    let from = stderr.find("unique ").unwrap();
    stderr[from..].lines().next().unwrap().to_owned()
}

#[test]
fn a_run_that_was_stopped_and_killed_gives_the_same_bytes() {
    let whole = folder();
    let ended = whole.dedup(&ARGUMENTS[..8]).with_code(3);
    let expected = counts(&ended.stderr);

    let cut = folder();
    let length = || fs::metadata(cut.path("out.partial")).map_or(0, |found| found.len());
    let mut stopped = 0;
    let said = loop {
        let before = length();
        let mut running = Running::start(&mut cut.command(&ARGUMENTS));
        let deadline = std::time::Instant::now() + PATIENCE;
        // A run that goes on cuts off what is beyond its beginning.
        while length() <= before && !cut.path("out").exists() {
            assert!(std::time::Instant::now() < deadline, "no verdict came");
            std::thread::sleep(std::time::Duration::from_millis(1));
        }
        if stopped % 2 == 1 {
            // What was killed is decided again.
            running.kill();
            let ended = running.wait();
            if ended.code == Some(3) {
                break ended.stderr;
            }
            stopped += 1;
            continue;
        }
        running.interrupt();
        let ended = running.wait();
        match ended.code {
            Some(3) => break ended.stderr,
            _ => ended.with_code(130).complains_of(&["goes on there"]),
        };
        assert!(cut.path("out.resume/manifest.json").exists());
        stopped += 1;
        // A run that is killed has written more than it has noted.
        for file in ["out.partial", "kept.partial", "annotated.partial", "out.resume/kept"] {
            let mut file = OpenOptions::new().append(true).open(cut.path(file)).unwrap();
            file.write_all(b"more than was noted").unwrap();
        }
    };
    assert!(stopped > 0, "the run ended before it was stopped");
    assert_eq!(counts(&said), expected);
    for output in OUTPUTS {
        let (found, wanted) = (
            fs::read(cut.path(output)).unwrap(),
            fs::read(whole.path(output)).unwrap(),
        );
        assert!(found == wanted, "{output}: {} bytes, not {}", found.len(), wanted.len());
    }
    assert!(!cut.path("out.resume").exists());
}

/// Starts a run and stops it after its first verdicts.
fn stopped(folder: &Folder, arguments: &[&str]) {
    let running = Running::start(&mut folder.command(arguments));
    let deadline = std::time::Instant::now() + PATIENCE;
    while fs::metadata(folder.path("out.partial")).map_or(0, |found| found.len()) == 0 {
        assert!(std::time::Instant::now() < deadline, "no verdict came");
        std::thread::sleep(std::time::Duration::from_millis(1));
    }
    running.interrupt();
    running.wait().with_code(130);
}

#[test]
fn a_run_goes_on_only_with_its_own_input_and_rule() {
    let folder = folder();
    stopped(&folder, &ARGUMENTS);
    let refused = |arguments: &[&str], why: &str| {
        folder
            .dedup(&[&ARGUMENTS[..], arguments].concat())
            .with_code(2)
            .complains_of(&["out.resume is of a run", why, "remove the folder"]);
    };
    refused(&["--max-distance", "3"], "by another rule");
    refused(&["--id-field", "number"], "with other fields");
    refused(&["--max-document-bytes", "1000"], "with other fields or flags");
    refused(&["--format", "text"], "with other fields or flags");
    let mut file = OpenOptions::new()
        .append(true)
        .open(folder.path("first.jsonl"))
        .unwrap();
    file.write_all(b"{\"text\": \"new\"}\n").unwrap();
    refused(&[], "have changed since");
    // Without its outputs, a run begins anew.
    fs::remove_dir_all(folder.path("out.resume")).unwrap();
    folder.dedup(&ARGUMENTS).with_code(3);
    assert!(folder.path("out").exists() && !folder.path("out.resume").exists());
}

#[test]
fn a_run_whose_files_are_not_as_it_left_them_begins_anew() {
    let whole = folder();
    whole.dedup(&ARGUMENTS[..8]).with_code(3);
    let changed = |change: &dyn Fn(&Folder)| {
        let folder = folder();
        stopped(&folder, &ARGUMENTS);
        change(&folder);
        let ended = folder.dedup(&ARGUMENTS).with_code(3).complains_of(&["begins anew"]);
        assert!(!ended.stderr.contains("going on"), "{}", ended.stderr);
        for output in OUTPUTS {
            let (found, wanted) = (
                fs::read(folder.path(output)).unwrap(),
                fs::read(whole.path(output)).unwrap(),
            );
            assert!(found == wanted, "{output}");
        }
    };
    let flip = |folder: &Folder, name: &str| {
        let mut bytes = fs::read(folder.path(name)).unwrap();
        let middle = bytes.len() / 2;
        bytes[middle] ^= 1;
        fs::write(folder.path(name), bytes).unwrap();
    };
    changed(&|folder| flip(folder, "out.resume/kept"));
    changed(&|folder| fs::remove_file(folder.path("out.resume/kept")).unwrap());
    changed(&|folder| flip(folder, "annotated.partial"));
    changed(&|folder| fs::remove_file(folder.path("kept.partial")).unwrap());
}

#[test]
fn input_that_reads_otherwise_than_before_is_refused() {
    let folder = folder();
    stopped(&folder, &ARGUMENTS);
    // Its size and its time are as before.
    let path = folder.path("first.jsonl");
    let changed = fs::metadata(&path).unwrap().modified().unwrap();
    let mut bytes = fs::read(&path).unwrap();
    bytes[20] ^= 1;
    fs::write(&path, bytes).unwrap();
    let file = OpenOptions::new().append(true).open(&path).unwrap();
    file.set_modified(changed).unwrap();
    folder
        .dedup(&ARGUMENTS)
        .with_code(1)
        .complains_of(&["the input reads otherwise"]);
    assert!(!folder.path("out").exists());
}

#[test]
fn another_run_with_the_same_output_is_refused_or_ends_the_claim() {
    let folder = folder();
    stopped(&folder, &ARGUMENTS);
    // It writes the same files, so nothing is left to go on with.
    fs::remove_file(folder.path("out.partial")).unwrap();
    stopped(&folder, &ARGUMENTS[..8]);
    assert!(!folder.path("out.resume").exists());
    fs::create_dir(folder.path("out.resume")).unwrap();
    fs::write(folder.path("out.resume/mine"), "").unwrap();
    let held = fs::File::create(folder.path("out.resume/kept")).unwrap();
    held.lock().unwrap();
    folder
        .dedup(&ARGUMENTS)
        .with_code(2)
        .complains_of(&["another run writes this output"]);
    drop(held);
    folder.dedup(&ARGUMENTS).with_code(3);
    let left: Vec<_> = fs::read_dir(folder.path("out.resume"))
        .unwrap()
        .map(|entry| entry.unwrap().file_name())
        .collect();
    assert_eq!(left, ["mine"]);
}

#[cfg(unix)]
#[test]
fn a_link_in_place_of_a_file_is_not_followed() {
    let folder = Folder::new()
        .with("in.jsonl", jsonl(&documents()))
        .with("victim", "precious");
    std::os::unix::fs::symlink("victim", folder.path("out.resume")).unwrap();
    let arguments = ["in.jsonl", "--resume", "--output", "out"];
    folder.dedup(&arguments).with_code(2).complains_of(&["in the way"]);
    fs::remove_file(folder.path("out.resume")).unwrap();
    fs::create_dir(folder.path("out.resume")).unwrap();
    std::os::unix::fs::symlink("../victim", folder.path("out.resume/kept")).unwrap();
    folder.dedup(&arguments).with_code(2).complains_of(&["in the way"]);
    assert_eq!(fs::read_to_string(folder.path("victim")).unwrap(), "precious");
}

#[test]
fn what_cannot_go_on_is_refused() {
    let folder = Folder::new().with("in.jsonl", jsonl(&documents()));
    for (arguments, why) in [
        (&["in.jsonl", "--resume"][..], "--output"),
        (&["in.jsonl", "--resume", "--output", "-"], "--output FILE"),
        (&["-", "--resume", "--output", "out"], "a pipe does not come again"),
        (
            &["in.jsonl", "--resume", "--output", "out", "--keep", "longest"],
            "--keep first",
        ),
        (
            &["in.jsonl", "--resume", "--output", "/dev/null"],
            "/dev/null is not a file",
        ),
        (
            &["in.jsonl", "--resume", "--output", "out", "--index", "seen"],
            "--index",
        ),
    ] {
        folder.dedup(arguments).with_code(2).complains_of(&[why]);
    }
    folder.dedup(&["in.jsonl", "--resume", "--output", "out"]).succeeded();
    assert!(!folder.path("out.resume").exists());
}
