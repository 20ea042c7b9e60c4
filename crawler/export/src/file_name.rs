//! A safe name for each URL: `HOST/PATH-HASH.EXTENSION`, such as `example.org/docs-intro.html-9f86d081884c7d65.md`.
//!
//! A name consists of `a-z 0-9 . _ -`. It therefore cannot traverse folders, needs no quotes, and is the same where case or
//! Unicode forms do not count. No part begins or ends with a dot, is a device of Windows (`con`, `nul`, …), or is longer than
//! 255 bytes. The hash (XXH3, 64 bits) of the whole URL makes it unique. The same URL has the same name in every export.

use xxhash_rust::xxh3::xxh3_64;

/// Longest readable part of a file's name, in bytes.
const MAX_SLUG_BYTES: usize = 100;

/// Longest name of a host's folder, in bytes.
const MAX_FOLDER_BYTES: usize = 200;

/// Names of devices on Windows, with any extension.
const DEVICES: &[&str] = &["con", "prn", "aux", "nul", "com", "lpt", "conin", "conout", "clock"];

/// The name of the folder that holds the files of a host. Two hosts may share one.
pub(crate) fn folder(host: &str) -> String {
    let safe: String = host.chars().map(|c| safe_or(c, '_')).take(MAX_FOLDER_BYTES).collect();
    let safe = safe.trim_matches('.');
    let stem = safe.split('.').next().unwrap_or_default();
    let is_device = DEVICES.contains(&stem.trim_end_matches(|c: char| c.is_ascii_digit() || "_-".contains(c)));
    if is_device || safe.is_empty() {
        format!("_{safe}")
    } else {
        safe.to_owned()
    }
}

/// The name of a page's file without its extension.
pub(crate) fn stem(url: &str) -> String {
    format!("{}-{:016x}", slug(url), xxh3_64(url.as_bytes()))
}

/// The readable part of a URL's path and query; `index` if there is none.
fn slug(url: &str) -> String {
    let after_scheme = url.split_once("://").map_or(url, |(_, rest)| rest);
    let path = after_scheme.find(['/', '?', '#']).map_or("", |at| &after_scheme[at..]);
    let mut slug = String::new();
    for c in path.chars().map(|c| safe_or(c, '-')) {
        if slug.len() == MAX_SLUG_BYTES {
            break;
        }
        // One dash between two readable parts, and no `..`.
        let is_mark = matches!(c, '-' | '.');
        if !(is_mark && (slug.is_empty() || slug.ends_with(['-', '.']))) {
            slug.push(c);
        }
    }
    let slug = slug.trim_end_matches(['-', '.']);
    if slug.is_empty() {
        "index".to_owned()
    } else {
        slug.to_owned()
    }
}

fn safe_or(c: char, other: char) -> char {
    match c.to_ascii_lowercase() {
        c @ ('a'..='z' | '0'..='9' | '.' | '-' | '_') => c,
        _ => other,
    }
}

#[cfg(test)]
mod tests {
    use std::collections::HashMap;

    use proptest::prelude::*;

    use super::*;

    #[test]
    fn names_can_be_read() {
        let name = |url: &str| stem(url).rsplit_once('-').unwrap().0.to_owned();
        assert_eq!(name("https://example.org/"), "index");
        assert_eq!(name("https://example.org"), "index");
        assert_eq!(
            name("https://example.org/Docs/Intro.html?page=2"),
            "docs-intro.html-page-2"
        );
        assert_eq!(name("https://example.org/../../etc/passwd"), "etc-passwd");
        assert_eq!(name("https://example.org/%2e%2e/%2fetc"), "2e-2e-2fetc");
        assert_eq!(folder("example.org"), "example.org");
        assert_eq!(folder("127.0.0.1:8080"), "127.0.0.1_8080");
        assert_eq!(folder("[2001:db8::1]:8080"), "_2001_db8__1__8080");
    }

    #[test]
    fn no_name_is_a_device_of_windows() {
        for host in ["con", "nul", "aux.example.org", "com1", "lpt9.org", "com1:8080"] {
            assert_eq!(folder(host), format!("_{}", host.replace(':', "_")));
        }
        assert_eq!(folder("console.org"), "console.org");
        for url in ["http://h/con", "http://h/NUL", "http://h/aux.txt"] {
            let stem = stem(url);
            assert!(stem.len() > 16 && stem.contains('-'), "{stem}");
        }
        assert_eq!(folder(".."), "_");
    }

    #[test]
    fn a_name_is_the_same_in_every_version() {
        assert_eq!(
            stem("https://example.org/a"),
            format!("a-{:016x}", xxh3_64(b"https://example.org/a"))
        );
    }

    fn is_safe(name: &str) -> bool {
        !name.is_empty()
            && name.len() <= 250
            && !name.starts_with('.')
            && !name.ends_with('.')
            && !name.contains("..")
            && name
                .bytes()
                .all(|b| b.is_ascii_lowercase() || b.is_ascii_digit() || b"._-".contains(&b))
    }

    proptest! {
        #[test]
        fn any_url_has_a_safe_name_of_its_own(
            urls in proptest::collection::hash_set("https?://[a-z.]{0,9}(:80)?[/?#](\\PC{0,40}|[./\\\\A-Z%:]{0,300})", 1..20)
        ) {
            let mut names = HashMap::new();
            for url in &urls {
                let name = stem(url);
                prop_assert!(is_safe(&name), "{name:?}");
                prop_assert_eq!(names.insert(name.to_lowercase(), url), None);
            }
        }

        #[test]
        fn any_host_has_a_safe_folder(host in "\\PC{0,300}|[a-z.:\\[\\]]{0,300}") {
            let name = folder(&host);
            prop_assert!(is_safe(&name.replace("..", "")) || name.len() < 3, "{name:?}");
            prop_assert!(!name.starts_with('.') && !name.ends_with('.') && name.len() <= 250);
        }
    }
}
