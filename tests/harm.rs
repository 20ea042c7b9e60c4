//! Servers that mean harm, or do it all the same.
//!
//! Each harm is done by a server on loopback to the crawler's binary, in a crawl that has another, harmless host beside
//! it. It must end, with the failure recorded by its name, the other host's pages kept, and the whole process below
//! [`MAX_PEAK_BYTES`] at its peak, with the default limits. `docs/src/harm.md` has a row for each; its figures are what
//! `cargo test -p crawler --test integration harm -- --nocapture | grep '^| '` prints.
//!
//! - `slow`: time; `bodies`, `codings`, `markup`, `texts`: size; `framing`, `headers`, `connections`: broken HTTP
//! - `redirects`, `robots`, `sitemaps`, `names`: targets of requests
//! - `doing`: how harm is done

use std::collections::BTreeSet;

mod bodies;
mod codings;
mod connections;
mod doing;
mod framing;
mod headers;
mod markup;
mod names;
mod redirects;
mod robots;
mod sitemaps;
mod slow;
mod texts;

/// What the whole process may have resident.
const MAX_PEAK_BYTES: u64 = 300_000_000;

/// The table of harms.
const TABLE: &str = include_str!("../docs/src/harm.md");

/// The modules with the attacks, and their source.
const SOURCES: [(&str, &str); 12] = [
    ("bodies", include_str!("harm/bodies.rs")),
    ("codings", include_str!("harm/codings.rs")),
    ("connections", include_str!("harm/connections.rs")),
    ("framing", include_str!("harm/framing.rs")),
    ("headers", include_str!("harm/headers.rs")),
    ("markup", include_str!("harm/markup.rs")),
    ("names", include_str!("harm/names.rs")),
    ("redirects", include_str!("harm/redirects.rs")),
    ("robots", include_str!("harm/robots.rs")),
    ("sitemaps", include_str!("harm/sitemaps.rs")),
    ("slow", include_str!("harm/slow.rs")),
    ("texts", include_str!("harm/texts.rs")),
];

/// The cells of each row of the table: the name of the harm, the kinds of its failures, and the test at the end.
fn rows() -> impl Iterator<Item = Vec<&'static str>> {
    let first = TABLE.lines().skip_while(|line| !line.starts_with("| harm |")).skip(2);
    let rows = first.take_while(|line| line.starts_with("| "));
    rows.map(|row| row.trim_matches('|').split('|').map(str::trim).collect())
}

#[test]
fn every_harm_in_the_table_is_tested_and_every_tested_one_is_in_the_table() {
    let in_table: BTreeSet<(String, String)> = rows()
        .map(|cells| (cells[0].to_owned(), cells.last().unwrap().trim_matches('`').to_owned()))
        .collect();
    let mut tested = BTreeSet::new();
    for (module, source) in SOURCES {
        for test in source.split("#[test]\nfn ").skip(1) {
            let function = test.split('(').next().unwrap();
            let harms = test.split("Harm::of(").skip(1);
            tested.extend(harms.map(|rest| {
                (
                    rest.split('"').nth(1).unwrap().to_owned(),
                    format!("{module}::{function}"),
                )
            }));
        }
    }
    assert_eq!(in_table, tested);
}
