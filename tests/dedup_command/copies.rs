//! Records as Parquet: the rows of the input.

use std::fs;
use std::process::Command;

use serde_json::Value;

use super::{Folder, lines};
use crate::support::PATIENCE;
use crate::support::process::{Running, run};

/// Rows with structs, lists and times, made by another program.
const STRUCTS: &[u8] = include_bytes!("structs.parquet");

/// Fields of its columns.
const FIELDS: [&str; 4] = ["--text-field", "doc.text", "--id-field", "doc.id"];

fn folder() -> Folder {
    Folder::new()
        .with("in/a.parquet", STRUCTS)
        .with("in/b.parquet", STRUCTS)
        .with("lines.jsonl", "{\"text\":\"x\"}\n")
}

fn with_fields<'a>(arguments: &[&'a str]) -> Vec<&'a str> {
    [arguments, &FIELDS].concat()
}

#[test]
fn kept_rows_are_those_of_the_json_lines() {
    let folder = folder();
    for keep in ["first", "longest"] {
        let run = |kept: &str| {
            let arguments = ["in", "--kept", kept, "--keep", keep, "--output", "out"];
            folder.dedup(&with_fields(&arguments)).with_code(3)
        };
        run("kept.jsonl");
        run("kept.parquet").complains_of(&["kept.parquet has 2 rows"]);
        // The copy as JSON lines: its rows are all unique.
        let again = ["kept.parquet", "--kept", "again.jsonl", "--output", "out"];
        folder.dedup(&with_fields(&again)).succeeded();
        let read = |name: &str| fs::read_to_string(folder.path(name)).unwrap();
        assert_eq!(read("again.jsonl"), read("kept.jsonl"), "{keep}");
        assert!(!folder.path("kept.parquet.rows.partial").exists());
    }
}

#[test]
fn annotated_rows_have_the_verdicts_as_columns() {
    let folder = folder();
    let run = |input: &str, annotated: &str| {
        let arguments = [input, "--annotate", annotated, "--output", "out"];
        folder.dedup(&with_fields(&arguments))
    };
    run("in", "first.jsonl").with_code(3);
    run("in", "first.parquet")
        .with_code(3)
        .complains_of(&["first.parquet has 6 rows"]);
    // The verdict is the text here, so that the copy tells its columns: rows with one verdict are equal, and the kept ones are one of each.
    let arguments = [
        "first.parquet",
        "--text-field",
        "verdict",
        "--id-field",
        "seen",
        "--kept",
        "verdicts.jsonl",
        "--output",
        "out",
    ];
    folder.dedup(&arguments).succeeded();
    let of_lines = lines(&fs::read_to_string(folder.path("first.jsonl")).unwrap());
    let found = lines(&fs::read_to_string(folder.path("verdicts.jsonl")).unwrap());
    let first = |verdict: &str| of_lines.iter().find(|line| line["verdict"] == verdict).unwrap().clone();
    // A row without an id makes the column of ids one of texts.
    let as_texts = |mut line: Value| {
        for name in ["of", "cluster"] {
            line[name] = line[name].as_u64().map(|id| id.to_string()).into();
        }
        line
    };
    assert_eq!(found, ["unique", "exact"].map(|verdict| as_texts(first(verdict))));
    // Annotated again, the columns make way.
    run("first.parquet", "again.parquet").succeeded();
    run("again.parquet", "again.jsonl").succeeded();
    run("first.parquet", "once.jsonl").succeeded();
    let read = |name: &str| fs::read_to_string(folder.path(name)).unwrap();
    assert_eq!(read("again.jsonl"), read("once.jsonl"));
}

#[test]
fn what_cannot_be_copied_is_refused_before_anything_is_read() {
    let folder = folder()
        .with("damaged.parquet", &STRUCTS[..STRUCTS.len() / 2])
        .with("a.parquet/file", "in the way");
    for (arguments, part) in [
        (
            &["lines.jsonl", "--kept", "k.parquet"][..],
            "lines.jsonl is no Parquet file",
        ),
        (&["in", "--output", "o.parquet"], "--output writes JSON lines"),
        (&["in", "--kept", "k.parquet.gz"], "compressed in itself"),
        (
            &["in", "--kept", "k.parquet", "--annotate", "a.jsonl"],
            "give both files the ending .parquet",
        ),
        (
            &["damaged.parquet", "--kept", "k.parquet"],
            "no input is a Parquet file that can be read",
        ),
    ] {
        folder.dedup(&with_fields(arguments)).with_code(2).complains_of(&[part]);
        assert!(!folder.path("k.parquet").exists());
    }
    let refused = folder.dedup(&with_fields(&["in", "--annotate", "a.parquet", "--output", "out"]));
    refused.with_code(1).complains_of(&["a.parquet"]);
    assert!(!folder.path("out.partial").exists());
    // One damaged file of several is reported, and the others are copied.
    let arguments = ["in", "damaged.parquet", "--kept", "k.parquet", "--output", "out"];
    let complaint = "damaged.parquet: cannot read the Parquet file";
    folder
        .dedup(&with_fields(&arguments))
        .with_code(3)
        .complains_of(&[complaint, "k.parquet has 2 rows"]);
}

/// Stops or kills a run as soon as it copies rows, with and without `--resume`; then the same command ends as an undisturbed run.
#[test]
fn a_copy_that_was_interrupted_is_made_again() {
    let names: Vec<String> = (0..400).map(|number| format!("in/{number:03}.parquet")).collect();
    let folder = names
        .iter()
        .fold(Folder::new(), |folder, name| folder.with(name, STRUCTS));
    let outputs = ["--kept", "kept.parquet", "--annotate", "all.parquet", "--output", "out"];
    let arguments = with_fields(&[&["in"][..], &outputs].concat());
    let resumed = [&arguments[..], &["--resume"]].concat();
    let read = |name: &str| fs::read(folder.path(name)).unwrap();
    folder
        .dedup(&arguments)
        .with_code(3)
        .complains_of(&["all.parquet has 1200 rows"]);
    let expected = outputs.map(|name| folder.path(name)).map(|path| fs::read(path).ok());
    for (interrupt, arguments) in [
        (true, &resumed),
        (false, &resumed),
        (true, &arguments),
        (false, &arguments),
    ] {
        for name in ["kept.parquet", "all.parquet", "out"] {
            fs::remove_file(folder.path(name)).unwrap();
        }
        let mut running = Running::start(&mut folder.command(arguments));
        let deadline = std::time::Instant::now() + PATIENCE;
        // The magic number is written at once, the first row group when some dozen files are read.
        while fs::metadata(folder.path("kept.parquet.partial")).map_or(0, |found| found.len()) == 0
            && !folder.path("kept.parquet").exists()
        {
            assert!(std::time::Instant::now() < deadline, "no row was copied");
            std::thread::sleep(std::time::Duration::from_millis(1));
        }
        if interrupt {
            running.interrupt();
        } else {
            running.kill();
        }
        let ended = running.wait();
        if interrupt && ended.code == Some(130) {
            ended.complains_of(&["stopped while rows were copied"]);
        }
        folder
            .dedup(arguments)
            .with_code(3)
            .complains_of(&["all.parquet has 1200 rows"]);
        let found = outputs.map(|name| folder.path(name)).map(|path| fs::read(path).ok());
        assert!(found == expected, "{arguments:?}");
        for name in ["kept.parquet.rows.partial", "all.parquet.rows.partial", "out.resume"] {
            assert!(!folder.path(name).exists(), "{name}");
        }
    }
    assert!(read("kept.parquet").len() < read("all.parquet").len());
}

#[test]
fn more_files_than_may_be_open_are_copied() {
    let names: Vec<String> = (0..300).map(|number| format!("in/{number:03}.parquet")).collect();
    let folder = names
        .iter()
        .fold(Folder::new(), |folder, name| folder.with(name, STRUCTS));
    let arguments = with_fields(&["in", "--annotate", "all.parquet", "--output", "out"]);
    let mut limited = Command::new("sh");
    let crawler = folder.command(&arguments);
    limited
        .args(["-c", "ulimit -n 100 && exec \"$0\" \"$@\""])
        .arg(crawler.get_program())
        .args(crawler.get_args())
        .current_dir(folder.path(""));
    run(&mut limited)
        .with_code(3)
        .complains_of(&["all.parquet has 900 rows"]);
}

#[cfg(target_os = "linux")]
#[test]
fn files_whose_names_are_no_text_are_told_apart() {
    use std::ffi::OsStr;
    use std::os::unix::ffi::OsStrExt;
    let folder = folder();
    fs::create_dir(folder.path("odd")).unwrap();
    for name in [&b"\xfe.parquet"[..], b"\xff.parquet"] {
        fs::write(folder.path("odd").join(OsStr::from_bytes(name)), STRUCTS).unwrap();
    }
    let arguments = [
        "odd",
        "--format",
        "parquet",
        "--annotate",
        "all.parquet",
        "--output",
        "out",
    ];
    folder
        .dedup(&with_fields(&arguments))
        .with_code(3)
        .complains_of(&["all.parquet has 6 rows"]);
    let found = lines(&fs::read_to_string(folder.path("out")).unwrap());
    assert_eq!(found.iter().filter(|line| line["verdict"] == "exact").count(), 4);
}
