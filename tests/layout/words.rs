//! What serves every crawl does not speak of a fleet: a reader meets it only in the parts that only a fleet has.

use std::fs;
use std::path::{Path, PathBuf};

use super::top;

/// The sources that serve a crawl by one process as well as one by several, with the parts of them that are only for a fleet.
const SERVE_EVERY_CRAWL: [(&str, &[&str]); 2] = [
    ("storage/src", &[]),
    ("crawler/crawl/src", &["fleet.rs", "fleet/", "pipeline/join"]),
];

/// What these sources may say all the same, file and text.
const NAMES_OF_A_FLEET: [(&str, &str); 5] = [
    // The name of a field in WARC files that exist.
    ("storage/src/worker.rs", "crawler-fleet"),
    ("storage/src/warc/metadata/numbering.rs", "crawler-fleet"),
    // The reason of an exclusion in states that exist.
    ("storage/src/elsewhere.rs", "another worker of the fleet fetched it"),
    // The folder is a module of the crate.
    ("crawler/crawl/src/lib.rs", "fleet`: the work"),
    ("crawler/crawl/src/lib.rs", "mod fleet;"),
];

fn rust_files(folder: &Path) -> Vec<PathBuf> {
    let (mut found, mut waiting) = (Vec::new(), vec![folder.to_owned()]);
    while let Some(folder) = waiting.pop() {
        for entry in fs::read_dir(&folder).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() {
                waiting.push(path);
            } else if path.extension().is_some_and(|extension| extension == "rs") {
                found.push(path);
            }
        }
    }
    found.sort();
    found
}

#[test]
fn what_serves_every_crawl_mentions_no_fleet() {
    let mut wrong = Vec::new();
    for (folder, parts_of_a_fleet) in SERVE_EVERY_CRAWL {
        for path in rust_files(&top().join(folder)) {
            let name = path.strip_prefix(top()).unwrap().to_str().unwrap();
            let place = name[folder.len()..].trim_start_matches('/');
            let is_for_tests = place.split('/').any(|part| part == "tests" || part == "tests.rs");
            if is_for_tests || parts_of_a_fleet.iter().any(|part| place.starts_with(part)) {
                continue;
            }
            let mut text = fs::read_to_string(&path).unwrap();
            for (_, allowed) in NAMES_OF_A_FLEET.iter().filter(|(file, _)| *file == name) {
                assert!(text.contains(allowed), "{name} does not say {allowed} any more");
                text = text.replace(allowed, "");
            }
            let lines = (1..).zip(text.lines());
            let says = lines.filter(|(_, line)| line.to_lowercase().contains("fleet"));
            wrong.extend(says.map(|(number, line)| format!("{name}:{number}: {}", line.trim())));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}
