use url::Url;

use super::*;
use crate::extract::{Favor, all_content, content};
use crate::parse::{Attributes, Document, base, parse};

mod elements;
mod formats;
mod hostile;
mod meaning;
mod words;

/// The Markdown of all that a page shows.
fn shown_with(html: &str, options: &MarkdownOptions) -> String {
    let doc = parse(html, Attributes::All);
    written(&doc, &all_content(&doc), options)
}

fn shown(html: &str) -> String {
    shown_with(html, &MarkdownOptions::default())
}

fn written(doc: &Document, content: &crate::extract::Content<'_>, options: &MarkdownOptions) -> String {
    let url = Url::parse("https://example.org/a/b").unwrap();
    let references = References {
        base: &base(doc, &url),
        within: None,
    };
    content.markdown(references, options)
}

/// Each page and its Markdown, without the line feed at its end.
fn assert_all(cases: &[(&str, &str)]) {
    for (html, expected) in cases {
        assert_eq!(shown(html).trim_end_matches('\n'), *expected, "{html}");
    }
}
