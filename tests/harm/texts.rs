//! Texts that cost more than others in the stages after the parser.

use super::doing::{Harm, ok};
use crate::support::hostile::Act;

/// Just below `fetch.max_body_bytes` at its default.
const PAGE_BYTES: usize = 9_900_000;

fn page_of(piece: &str) -> [Act; 1] {
    [ok(format!(
        "<title>A page</title><p>{}",
        piece.repeat(PAGE_BYTES / piece.len())
    ))]
}

#[test]
fn lengthened_by_normalisation() {
    let mut harm = Harm::of("4 pages of 9 MB of characters that normalisation lengthens up to elevenfold");
    for (path, piece) in [
        ("/square", "\u{3316}"),
        ("/salutation", "\u{fdfa} "),
        ("/note", "\u{1d160}"),
        ("/mark", "a\u{301}\u{323}"),
    ] {
        harm = harm.page(path, page_of(piece), "kept");
    }
    harm.done();
}

#[test]
fn repeated() {
    let mut harm = Harm::of("6 pages of 9 MB of one word, one number, one date, one letter or one character");
    for (path, piece) in [
        ("/word", "a "),
        ("/number", "1-"),
        ("/date", "2024-03-05 "),
        ("/month", "1 jan b "),
        ("/character", "漢"),
        ("/thai", "ที่"),
    ] {
        harm = harm.page(path, page_of(piece), "kept");
    }
    harm.done();
}
