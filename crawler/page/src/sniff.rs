//! The kind of bytes whose type nothing declares.

/// Bytes at the start of a body that are searched for a zero byte.
const SNIFFED_BYTES: usize = 1_024;

/// Whether bytes are binary: a zero byte near the beginning and no byte order mark of UTF-16 or UTF-32.
#[must_use]
pub fn is_binary(body: &[u8]) -> bool {
    let has_mark = body.starts_with(&[0xff, 0xfe]) || body.starts_with(&[0xfe, 0xff]);
    !has_mark && body.iter().take(SNIFFED_BYTES).any(|&byte| byte == 0)
}

/// Whether bytes begin like HTML (WHATWG MIME Sniffing, section 7.1).
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

/// Whether the element `html` follows near the beginning, as in XHTML.
fn contains_html_root(start: &[u8]) -> bool {
    let near = &start[..start.len().min(1024)];
    near.windows(5).any(|window| window.eq_ignore_ascii_case(b"<html"))
}
