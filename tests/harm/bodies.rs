//! Bodies that are too long, or many that are nearly.

use super::doing::{Harm, answer, html_head, ok};
use crate::support::hostile::Act;
use crate::support::page::words;

#[test]
fn endless() {
    let chunk = format!("10000\r\n{}\r\n", "x".repeat(0x10000));
    let chunked = answer("Content-Type: text/html\r\nTransfer-Encoding: chunked\r\n", "");
    Harm::of("a body without end")
        .page(
            "/chunked",
            [chunked, Act::Repeat(chunk.into())],
            "failed body_too_large",
        )
        .page(
            "/no-length",
            [html_head(), Act::Repeat(vec![b'x'; 0x10000])],
            "failed body_too_large",
        )
        .done();
}

#[test]
fn nine_megabytes_each() {
    let mut harm = Harm::of("12 pages of 9 MB in parallel");
    for number in 0..12 {
        let paragraphs = format!("<p>{}</p>\n", words(number, 1_000)).repeat(1_285);
        let page = format!("<!doctype html><title>Page {number}</title>{paragraphs}");
        assert!((8_500_000..10_000_000).contains(&page.len()), "{} bytes", page.len());
        harm = harm.page(&format!("/{number}"), [ok(page)], "kept");
    }
    harm.done();
}

#[test]
fn different_words_each() {
    let mut harm = Harm::of("4 pages of 9 MB without a tag, no word twice");
    for number in 0..4 {
        harm = harm.page(&format!("/{number}"), [ok(words(number, 1_300_000))], "kept");
    }
    harm.done();
}

#[test]
fn text_that_grows_when_decoded() {
    let page = answer(
        "Content-Type: text/html; charset=windows-1252\r\n",
        vec![0x80; 9_900_000],
    );
    Harm::of("a page whose text is three times its bytes")
        .page("/euros", [page], "failed body_too_large")
        .done();
}
