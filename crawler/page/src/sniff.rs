//! What bytes look like where nothing declares it.

/// Bytes at the start of a body in which a zero byte marks it as binary.
const LOOKED_AT: usize = 1_024;

/// Text has no zero byte near its beginning, but in UTF-16 and UTF-32, which say what they are by their first bytes.
#[must_use]
pub fn is_binary(body: &[u8]) -> bool {
    let has_mark = body.starts_with(&[0xff, 0xfe]) || body.starts_with(&[0xfe, 0xff]);
    !has_mark && body.iter().take(LOOKED_AT).any(|&byte| byte == 0)
}

/// Whether bytes begin as web pages do (after the WHATWG MIME Sniffing standard, section 7.1).
#[must_use]
pub fn looks_like_html(start: &[u8]) -> bool {
    const BEGINNINGS: &[&[u8]] = &[
        b"<!doctype html",
        b"<html",
        b"<head",
        b"<body",
        b"<title",
        b"<meta",
        b"<script",
        b"<!--",
        b"<div",
        b"<h1",
        b"<p>",
    ];
    let start = start.trim_ascii_start();
    let begins = |beginning: &&[u8]| {
        start
            .get(..beginning.len())
            .is_some_and(|s| s.eq_ignore_ascii_case(beginning))
    };
    BEGINNINGS.iter().any(begins) || start.starts_with(b"<?xml") && contains_html_root(start)
}

/// XHTML: an XML declaration, and soon the element `html`.
fn contains_html_root(start: &[u8]) -> bool {
    let near = &start[..start.len().min(1024)];
    near.windows(5).any(|window| window.eq_ignore_ascii_case(b"<html"))
}
