//! Every command that a command suggests can be pasted into a shell as it stands.

use std::collections::{BTreeMap, BTreeSet, VecDeque};
use std::fs;
use std::path::Path;
use std::process::Command;

use crate::support::crawl::Crawl;
use crate::support::page::{home, page, replaced, words};
use crate::support::process::{Ended, crawler, run};
use crate::support::site::Site;

/// Bound on the commands that one test runs.
const MAX_RUN: usize = 60;

/// What a suggestion begins with; the name of a command follows.
const PROGRAM: &str = "crawler ";

/// The names of all commands, from the help.
fn names() -> BTreeSet<String> {
    let help = run(&mut crawler(["--help"])).succeeded().stdout;
    let commands = help.split_once("Commands:\n").unwrap().1.split_once("\n\n").unwrap().0;
    let first_words = commands
        .lines()
        .filter_map(|line| line.strip_prefix("  ")?.split(' ').next());
    first_words.filter(|name| !name.is_empty()).map(str::to_owned).collect()
}

/// The commands that a text suggests: between backticks, on a line of their own, or from a colon to the end of the line. A column of
/// explanations may follow. Panics where the text names a command in another way, from which nobody could copy it.
fn suggested(text: &str, names: &BTreeSet<String>) -> Vec<String> {
    let mut found = Vec::new();
    for line in text.lines() {
        for (at, _) in line.match_indices(PROGRAM) {
            let rest = &line[at + PROGRAM.len()..];
            let name: String = rest.chars().take_while(char::is_ascii_lowercase).collect();
            let before = line[..at].trim_start();
            let is_word = before.ends_with(|c: char| c.is_alphanumeric() || "/-_.".contains(c));
            if !names.contains(&name) || is_word {
                continue;
            }
            let end = match before {
                "" => line[at..].find("  "),
                _ if before.ends_with('`') => Some(line[at..].find('`').expect("a closing backtick")),
                _ if before.ends_with(": ") => None,
                _ => panic!("no command to copy: {line}"),
            };
            found.push(line[at..][..end.unwrap_or(line.len() - at)].to_owned());
        }
    }
    found
}

/// The commands in the `code` elements of an HTML report.
fn suggested_in_html(html: &str) -> Vec<String> {
    let codes = html
        .split("<code>")
        .skip(1)
        .filter_map(|rest| Some(rest.split_once("</code>")?.0));
    let plain = |code: &str| code.replace("&#39;", "'").replace("&#34;", "\"").replace("&amp;", "&");
    codes.filter(|code| code.starts_with(PROGRAM)).map(plain).collect()
}

/// A shell in `folder` that finds the binary under its name.
struct Shell<'a> {
    folder: &'a Path,
    programs: tempfile::TempDir,
    names: BTreeSet<String>,
}

impl<'a> Shell<'a> {
    fn in_folder(folder: &'a Path) -> Self {
        let programs = tempfile::tempdir().unwrap();
        let binary = crawler::<&str>([]).get_program().to_owned();
        std::os::unix::fs::symlink(binary, programs.path().join("crawler")).unwrap();
        Self {
            folder,
            programs,
            names: names(),
        }
    }

    fn run(&self, line: &str) -> Ended {
        let path = std::env::var("PATH").unwrap_or_default();
        let mut shell = Command::new("sh");
        shell
            .args(["-c", line])
            .env("PATH", format!("{}:{path}", self.programs.path().display()))
            .env_remove("RUST_LOG")
            .env("COLUMNS", "60")
            .stdin(std::process::Stdio::null())
            .current_dir(self.folder);
        run(&mut shell)
    }

    /// Runs `first`, every command that it suggests, every command that those suggest, and so on. Each must end with 0, or with an exit
    /// code that `verdicts` documents for its name. Returns the commands.
    fn follow(&self, first: &[&str], verdicts: &BTreeMap<&str, i32>) -> Vec<String> {
        let mut waiting: VecDeque<String> = first.iter().map(|line| (*line).to_owned()).collect();
        let mut done: Vec<String> = Vec::new();
        while let Some(line) = waiting.pop_front() {
            if done.contains(&line) {
                continue;
            }
            assert!(done.len() < MAX_RUN, "the suggestions have no end: {done:#?}");
            let ended = self.run(&line);
            let name = line.split(' ').nth(1).unwrap_or_default();
            let expected = verdicts.get(name).copied().unwrap_or(0);
            assert!(
                [Some(0), Some(expected)].contains(&ended.code),
                "{line}\nafter {done:#?}\n{ended:?}"
            );
            done.push(line);
            for text in [&ended.stdout, &ended.stderr] {
                if text.starts_with("<!doctype html>") {
                    waiting.extend(suggested_in_html(text));
                } else {
                    waiting.extend(suggested(text, &self.names));
                }
            }
            for entry in fs::read_dir(self.folder).unwrap() {
                let path = entry.unwrap().path();
                if path.extension().is_some_and(|extension| extension == "html") {
                    waiting.extend(suggested_in_html(&fs::read_to_string(path).unwrap()));
                }
            }
        }
        done
    }
}

fn assert_among(done: &[String], parts: &[&str]) {
    for part in parts {
        assert!(done.iter().any(|line| line.contains(part)), "{part} in {done:#?}");
    }
}

#[test]
fn every_command_that_the_demo_leads_to_runs_as_printed() {
    let folder = tempfile::tempdir().unwrap();
    fs::write(folder.path().join("my rules.toml"), "[dedup]\nmin_similarity = 0.8\n").unwrap();
    let shell = Shell::in_folder(folder.path());
    let demo = "crawler demo --data 'it'\"'\"'s my crawl' --config 'my rules.toml'";
    let done = shell.follow(&[demo], &BTreeMap::new());
    let commands = [
        "report",
        "report --format html",
        "explain http",
        "rules",
        "tune",
        "run --refresh",
    ];
    for command in commands {
        let (name, rest) = command.split_once(' ').unwrap_or((command, ""));
        let is_it = |line: &&String| line.starts_with(&format!("crawler {name} ")) && line.contains(rest);
        let line = done
            .iter()
            .find(is_it)
            .unwrap_or_else(|| panic!("{command} in {done:#?}"));
        assert!(
            line.contains("s my crawl") && line.contains("'my rules.toml'"),
            "{line}"
        );
    }
}

#[test]
fn the_demo_without_a_folder_names_the_one_that_it_made() {
    let folder = tempfile::tempdir().unwrap();
    let shell = Shell::in_folder(folder.path());
    let done = shell.follow(&["TMPDIR=. crawler demo"], &BTreeMap::new());
    assert_among(&done, &["crawler report --data", "crawler tune --data"]);
}

/// A crawl of two near-duplicates, in `data`.
fn crawled() -> (Site, Crawl) {
    let text = words(1, 300);
    let site = Site::of([
        ("/", home(&["/0"])),
        ("/0", page("First", &text, &["/edited"])),
        ("/edited", page("Edited", &replaced(&text, 100, 3, 7), &["/"])),
    ]);
    let crawl = Crawl::of(site.url("/"));
    crawl.run();
    (site, crawl)
}

#[test]
fn the_commands_that_repair_a_crawl_run_as_printed() {
    let (_site, crawl) = crawled();
    fs::write(crawl.data().join("warc/index.cdxj"), "damaged").unwrap();
    let folder = crawl.path("");
    let shell = Shell::in_folder(&folder);
    let done = shell.follow(&["crawler verify --data ./data"], &BTreeMap::from([("verify", 1)]));
    assert_among(&done, &["crawler rebuild --data ./data", "crawler gc --data ./data"]);
    shell.run("crawler verify").succeeded();
}

#[test]
fn the_commands_that_another_configuration_asks_for_run_as_printed() {
    let (site, crawl) = crawled();
    fs::write(crawl.path("strict.toml"), "dedup.features = \"2-shingles\"\n").unwrap();
    let folder = crawl.path("");
    let shell = Shell::in_folder(&folder);
    let refused = shell.run("crawler tune --config strict.toml");
    let [rebuild] = &suggested(&refused.with_code(2).stderr, &shell.names)[..] else {
        panic!("one command")
    };
    let done = shell.follow(
        &[
            &format!("crawler explain {} --config strict.toml", site.url("/edited")),
            rebuild,
        ],
        &BTreeMap::new(),
    );
    assert_among(&done, &["crawler rebuild --config strict.toml"]);
    shell.run("crawler tune --config strict.toml").succeeded();
}

#[test]
fn an_error_names_the_folder_and_the_file_that_the_user_named() {
    let folder = tempfile::tempdir().unwrap();
    let shell = Shell::in_folder(folder.path());
    fs::write(
        folder.path().join("two pages.jsonl"),
        "{\"text\": \"a\"}\n{\"text\": \"b\"}\n",
    )
    .unwrap();
    let refused = shell.run("crawler check 'two pages.jsonl'").with_code(2);
    assert_eq!(
        suggested(&refused.stderr, &shell.names),
        ["crawler dedup 'two pages.jsonl'"]
    );
    shell.run("crawler dedup 'two pages.jsonl'").succeeded();
    let missing = shell.run("crawler report --data 'no crawl'").with_code(1);
    assert_eq!(
        suggested(&missing.stderr, &shell.names),
        ["crawler run --seeds seeds.txt --data 'no crawl'"]
    );
}
