//! What each stage of the reading of a page costs, for `examples/cost.rs`, and whether the tree is right, for `examples/agreement.rs`.

use std::time::Duration;

use url::Url;

use crate::decode::{Syntax, decode_from};
use crate::extract::content;
pub use crate::parse::agreement;
use crate::{Options, language, parse};

/// The names of the stages.
pub const STAGES: [&str; 7] = ["decode", "parse", "facts", "main text", "redirect", "language", "drop"];

/// Reads a page stage by stage, as [`read`](crate::read()) does, and returns the time that each took. `clock` tells the time.
pub fn costs(bytes: &[u8], url: &Url, options: &Options<'_>, clock: impl Fn() -> Duration) -> [Duration; STAGES.len()] {
    let mut costs = [Duration::ZERO; STAGES.len()];
    let mut stage = 0;
    let mut last = clock();
    let mut done = || {
        let now = clock();
        costs[stage] = now - last;
        (stage, last) = (stage + 1, now);
    };
    let decoded = decode_from(url, bytes, None, Syntax::Html);
    done();
    let document = parse::parse(&decoded.text, parse::Attributes::Read);
    done();
    let facts = parse::facts(&document, url, options.agent);
    done();
    let text = content(&document, &facts.title, options.extract, options.favor)
        .0
        .text();
    done();
    let redirect = parse::html_redirect(&document, url, None);
    done();
    let language = language::detect(&text, None);
    done();
    drop((document, facts, text, redirect, language));
    drop(decoded);
    done();
    costs
}

/// The characters of a page that declares its encoding in itself or not at all.
#[must_use]
pub fn decoded(bytes: &[u8]) -> String {
    let nowhere = Url::parse("https://example.org/");
    let decode = |url: Url| decode_from(&url, bytes, None, Syntax::Html).text.into_owned();
    nowhere.map(decode).unwrap_or_default()
}
