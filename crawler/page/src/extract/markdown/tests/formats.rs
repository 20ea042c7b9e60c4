//! Pages of all formats, from their bytes.

use http::HeaderMap;
use http::header::CONTENT_TYPE;

use super::*;
use crate::{Documents, ExtractRule, Favor, Options, Page};

fn read(content_type: &str, body: &str, extract: Option<&ExtractRule>, markdown: Option<MarkdownOptions>) -> Page {
    let headers = HeaderMap::from_iter([(CONTENT_TYPE, content_type.parse().unwrap())]);
    let options = Options {
        agent: "mybot",
        embedded: false,
        max_text_bytes: 1 << 20,
        extract,
        favor: Favor::default(),
        documents: Documents::in_this_thread(),
        markdown,
        metadata: None,
    };
    crate::read(
        body.as_bytes(),
        &headers,
        &Url::parse("http://example.org/").unwrap(),
        &options,
    )
    .unwrap()
}

fn markdown_of(content_type: &str, body: &str) -> String {
    read(content_type, body, None, Some(MarkdownOptions::default()))
        .markdown
        .unwrap()
}

const ARTICLE: &str = "# Title\n\nA *paragraph* with `code`, **strong** words and [a link](http://example.org/x).\n\n\
    - one\n- two\n  1. three\n  2. four\n\n> a quote\n\n```rust\nlet x = 1;\n\n    y\n```\n\n| a | b |\n| --- | --- |\n| 1 | 2\\|3 |\n\n***\n\n## End\n\nlast words\n";

#[test]
fn a_document_in_markdown_is_written_as_it_is() {
    assert_eq!(markdown_of("text/markdown", ARTICLE), ARTICLE);
}

#[test]
fn every_format_gives_markdown() {
    let page = "<html xmlns='http://www.w3.org/1999/xhtml'><head><title>T</title></head><body><h1>Title</h1><p>Some <b>words</b> of a page.</p></body></html>";
    let feed = "<rss version='2.0'><channel><title>F</title><item><title>T</title><description>&lt;p>Some &lt;b>words&lt;/b></description></item></channel></rss>";
    for (content_type, body, expected) in [
        ("text/html", page, "# Title\n\nSome **words** of a page.\n"),
        ("application/xhtml+xml", page, "# Title\n\nSome **words** of a page.\n"),
        ("application/rss+xml", feed, "Some **words**\n"),
        ("text/plain", "# Some\n*words*", "\\# Some\n\\*words\\*\n"),
    ] {
        let markdown = markdown_of(content_type, body);
        assert!(markdown.ends_with(expected), "{content_type}: {markdown}");
    }
}

#[test]
fn a_rule_of_the_user_chooses_the_content() {
    let page = "<p>before</p><section><h2>Title</h2><p>one</p><p class=ad>two</p></section><p>after</p>";
    let mut rule = ExtractRule::new();
    rule.content("section").unwrap();
    rule.drop(".ad").unwrap();
    let page = read("text/html", page, Some(&rule), Some(MarkdownOptions::default()));
    assert_eq!(page.markdown.as_deref(), Some("## Title\n\none\n"));
    assert_eq!(page.text, "Title\none");
}

#[test]
fn nobody_gets_markdown_who_does_not_ask() {
    assert_eq!(read("text/html", "<p>words", None, None).markdown, None);
    assert_eq!(read("text/plain", "words", None, None).markdown, None);
    assert_eq!(read("text/markdown", "words", None, None).markdown, None);
}

#[test]
fn links_within_a_book_are_written_as_their_texts() {
    let doc = parse(
        "<p><a href=2.xhtml>next</a> <a href=http://example.org/>out</a>",
        Attributes::All,
    );
    let within = Url::parse("http://book.invalid/").unwrap();
    let references = References {
        base: &base(&doc, &within),
        within: Some(&within),
    };
    let markdown = all_content(&doc).markdown(references, &MarkdownOptions::default());
    assert_eq!(markdown, "next [out](http://example.org/)\n");
}
