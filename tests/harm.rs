//! Servers that mean harm, or do it all the same.
//!
//! Each harm is done by a server on loopback to the crawler's binary, in a crawl that has another, harmless host beside
//! it. It must end, with the failure recorded by its name, the other host's pages kept, and the whole process below
//! [`MAX_PEAK_BYTES`] at its peak, with the default limits. `docs/src/harm.md` has a row for each; its figures are what
//! `cargo test -p crawler --test integration harm -- --nocapture | grep '^| '` prints.
//!
//! - `slow`: time; `bodies`, `codings`, `markup`: size; `framing`, `headers`, `connections`: broken HTTP
//! - `redirects`, `robots`, `sitemaps`, `names`: where they lead
//! - `doing`: how harm is done

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

/// What the whole process may have resident.
const MAX_PEAK_BYTES: u64 = 300_000_000;

/// The table of harms.
const TABLE: &str = include_str!("../docs/src/harm.md");

/// Where they are done.
const SOURCES: [&str; 11] = [
    include_str!("harm/bodies.rs"),
    include_str!("harm/codings.rs"),
    include_str!("harm/connections.rs"),
    include_str!("harm/framing.rs"),
    include_str!("harm/headers.rs"),
    include_str!("harm/markup.rs"),
    include_str!("harm/names.rs"),
    include_str!("harm/redirects.rs"),
    include_str!("harm/robots.rs"),
    include_str!("harm/sitemaps.rs"),
    include_str!("harm/slow.rs"),
];

/// The rows of the table: the harm's name, and what is recorded of it.
fn rows() -> impl Iterator<Item = (&'static str, &'static str)> {
    let first = TABLE.lines().skip_while(|line| !line.starts_with("| harm |")).skip(2);
    let rows = first.take_while(|line| line.starts_with("| "));
    rows.map(|row| {
        let mut cells = row.trim_matches('|').split('|').map(str::trim);
        (cells.next().unwrap(), cells.next().unwrap())
    })
}

#[test]
fn every_harm_in_the_table_is_tested_and_every_tested_one_is_in_the_table() {
    let in_table: Vec<&str> = rows().map(|(name, _)| name).collect();
    let mut tested: Vec<&str> = Vec::new();
    for source in SOURCES {
        let after = source.split("Harm::of(").skip(1);
        tested.extend(after.map(|rest| rest.split('"').nth(1).unwrap()));
    }
    let sorted = |mut names: Vec<&'static str>| {
        names.sort_unstable();
        names
    };
    assert_eq!(sorted(in_table), sorted(tested));
}
