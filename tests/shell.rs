//! Completions and manual pages, generated from the definition of the command line.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::io::Write;
use std::process::{Command, Stdio};

use crate::support::process::{crawler, run};

#[test]
fn every_shell_has_a_script_that_knows_the_commands() {
    for shell in ["bash", "zsh", "fish", "powershell", "elvish"] {
        let script = run(&mut crawler(["completions", shell])).succeeded().stdout;
        for part in ["crawler", "max-pages", "config", "layouts"] {
            assert!(script.contains(part), "{shell}: {part}");
        }
    }
    run(&mut crawler(["completions", "tcsh"]))
        .with_code(2)
        .complains_of(&["bash"]);
}

#[test]
fn bash_reads_its_script() {
    let script = run(&mut crawler(["completions", "bash"])).succeeded().stdout;
    let mut bash = Command::new("bash").arg("-n").stdin(Stdio::piped()).spawn().unwrap();
    bash.stdin.take().unwrap().write_all(script.as_bytes()).unwrap();
    assert!(bash.wait().unwrap().success());
}

/// The long options that a text has at the beginning of its lines.
fn options(help: &str) -> BTreeSet<String> {
    let lines = help.lines().filter_map(|line| {
        let line = line.trim_start();
        let line = match line.split_once(", ") {
            Some((short, long)) if short.len() == 2 => long,
            _ => line,
        };
        let name = line.strip_prefix("--")?;
        let end = name
            .find(|c: char| !c.is_ascii_lowercase() && c != '-')
            .unwrap_or(name.len());
        (end > 1).then(|| name[..end].to_owned())
    });
    lines.collect()
}

#[test]
fn every_command_has_a_page_that_names_its_options() {
    let folder = tempfile::tempdir().unwrap();
    let target = folder.path().join("man1");
    run(crawler(["man", "--output"]).arg(&target)).succeeded();
    let mut pages = BTreeMap::new();
    for entry in fs::read_dir(&target).unwrap() {
        let path = entry.unwrap().path();
        let name = path
            .file_name()
            .unwrap()
            .to_string_lossy()
            .trim_end_matches(".1")
            .to_owned();
        pages.insert(name, fs::read_to_string(path).unwrap());
    }
    let mut seen = 0;
    for (name, page) in &pages {
        assert!(page.contains(".TH ") && page.contains(".SH NAME"), "{name}: {page}");
        let plain = page.replace("\\-", "-").replace("\\fB", "").replace("\\fR", "");
        let words: Vec<&str> = name.split('-').skip(1).collect();
        let help = run(crawler(words).arg("--help")).succeeded().stdout;
        for option in options(&help) {
            assert!(
                plain.contains(&format!("--{option}")),
                "{name} does not name --{option}"
            );
            seen += 1;
        }
    }
    let top = run(&mut crawler(["--help"])).succeeded().stdout;
    let commands = top
        .split_once("Commands:\n")
        .unwrap()
        .1
        .lines()
        .take_while(|line| !line.is_empty());
    for command in commands
        // A line with a deeper indent continues the line before.
        .filter_map(|line| line.strip_prefix("  ")?.split(' ').next())
        .filter(|name| !name.is_empty() && *name != "help")
    {
        assert!(
            pages.contains_key(&format!("crawler-{command}")),
            "{command} has no page: {:?}",
            pages.keys()
        );
    }
    assert!(pages.contains_key("crawler") && pages.contains_key("crawler-config-show"));
    assert!(seen > 100, "only {seen} options were looked for");
}

#[test]
fn all_pages_go_to_standard_output_without_a_folder() {
    let text = run(&mut crawler(["man"])).succeeded().stdout;
    assert!(text.matches(".TH ").count() > 15, "{text}");
}
