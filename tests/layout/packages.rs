//! What a registry wants to know of each crate stands in its manifest.

use std::fs;

use toml::{Table, Value};

use super::{CRATES, top};

/// crates.io takes no more (Cargo book, "The keywords field").
const MAX_KEYWORDS: usize = 5;

fn manifest(folder: &str) -> Table {
    let path = top().join(folder).join("Cargo.toml");
    fs::read_to_string(path).unwrap().parse().unwrap()
}

#[test]
fn every_crate_says_what_it_is_and_has_a_name_of_its_own() {
    for (name, folder, _) in CRATES {
        let manifest = manifest(folder);
        let package = &manifest["package"];
        let in_registry = package["name"].as_str().unwrap();
        assert!(
            in_registry == "crawler" || in_registry == format!("crawler-{name}"),
            "{in_registry}"
        );
        assert!(
            package["description"].is_str() && package.get("publish").is_none(),
            "{name}"
        );
        let count = |key: &str| package[key].as_array().map_or(0, Vec::len);
        assert!(
            (1..=MAX_KEYWORDS).contains(&count("keywords")) && count("categories") > 0,
            "{name}"
        );
        for key in ["version", "license", "repository", "rust-version"] {
            assert_eq!(package[key]["workspace"], Value::Boolean(true), "{name}: {key}");
        }
    }
}

#[test]
fn our_crates_use_each_other_in_the_version_of_the_workspace() {
    let root = manifest("");
    let workspace = &root["workspace"];
    for (name, folder, _) in CRATES.iter().filter(|(name, ..)| *name != "crawler") {
        let dependency = &workspace["dependencies"][name];
        assert_eq!(dependency["path"].as_str(), Some(*folder));
        assert_eq!(dependency["version"], workspace["package"]["version"], "{name}");
    }
}
