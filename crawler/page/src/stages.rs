//! What each stage of the reading of a page costs, for `examples/cost.rs`, and whether the tree is right, for `examples/agreement.rs`.

use std::time::{Duration, SystemTime};

use url::Url;

use crate::decode::{Syntax, decode_from};
use crate::extract::content;
use crate::extract::markdown::{MarkdownOptions, References};
pub use crate::parse::agreement;
use crate::{Options, language, metadata, parse};

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

/// The names of the stages that only those pay for who ask for Markdown and metadata: the other attributes for both, and the two alone.
pub const REQUESTED: [&str; 3] = ["attributes", "markdown", "metadata"];

/// Makes Markdown and metadata of a page from a tree with the attributes for both, and returns the time that each stage took. `clock` tells the time.
pub fn requested(
    bytes: &[u8],
    url: &Url,
    options: &Options<'_>,
    clock: impl Fn() -> Duration,
) -> [Duration; REQUESTED.len()] {
    let timed = |stage: &mut dyn FnMut()| {
        let start = clock();
        stage();
        clock() - start
    };
    let decoded = decode_from(url, bytes, None, Syntax::Html);
    let short = timed(&mut || drop(parse::parse(&decoded.text, parse::Attributes::Read)));
    let long = timed(&mut || drop(parse::parse(&decoded.text, parse::Attributes::Requested)));
    let document = &parse::parse(&decoded.text, parse::Attributes::Requested);
    let facts = parse::facts(document, url, options.agent);
    let content = content(document, &facts.title, options.extract, options.favor).0;
    let markdown = timed(&mut || {
        let base = parse::base(document, url);
        let references = References {
            base: &base,
            within: None,
        };
        drop(content.markdown(references, &MarkdownOptions::default()));
    });
    let metadata = timed(&mut || drop(metadata::of_document(document, url, SystemTime::UNIX_EPOCH)));
    [long.saturating_sub(short), markdown, metadata]
}

/// The characters of a page that declares its encoding in itself or not at all.
#[must_use]
pub fn decoded(bytes: &[u8]) -> String {
    let nowhere = Url::parse("https://example.org/");
    let decode = |url: Url| decode_from(&url, bytes, None, Syntax::Html).text.into_owned();
    nowhere.map(decode).unwrap_or_default()
}
