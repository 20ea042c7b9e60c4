//! Headers that are too many, too long, or no headers.

use super::doing::{Harm, answer};
use crate::support::hostile::Act;
use crate::support::page::words;

fn with_header(header: &[u8], seed: u64) -> [Act; 1] {
    let head = b"HTTP/1.1 200 OK\r\nConnection: close\r\nContent-Type: text/html\r\n";
    [Act::Send([head, header, b"\r\n", words(seed, 100).as_bytes()].concat())]
}

#[test]
fn ten_thousand() {
    let headers: String = (0..10_000).map(|number| format!("X-{number}: {number}\r\n")).collect();
    Harm::of("ten thousand headers")
        .page("/many", [answer(&headers, "hello")], "failed protocol")
        .page(
            "/without-end",
            [
                Act::Send(b"HTTP/1.1 200 OK\r\n".to_vec()),
                Act::Repeat(b"X-A: b\r\n".repeat(100)),
            ],
            "failed protocol",
        )
        .done();
}

#[test]
fn ten_megabytes() {
    let header = format!("X-Long: {}\r\n", "x".repeat(10_000_000));
    Harm::of("a header of 10 MB")
        .page("/long", [answer(&header, "hello")], "failed protocol")
        .page("/name", [answer(&"X".repeat(10_000_000), "hello")], "failed protocol")
        .done();
}

#[test]
fn long_ones_in_parallel() {
    let mut harm = Harm::of("192 answers in parallel, each with 370 kB of header")
        .set("fetch.parallel", 192)
        .set("politeness.parallel_per_host", 192)
        .set("politeness.parallel_per_address", 192);
    for number in 0..192 {
        let header = format!("X-Long: {}\r\n", "x".repeat(370_000));
        harm = harm.page(
            &format!("/{number}"),
            with_header(header.as_bytes(), 1_000 + number),
            "kept",
        );
    }
    harm.done();
}

#[test]
fn no_text() {
    Harm::of("headers with control characters")
        .page("/nul", with_header(b"X-A: a\0b\r\n", 1), "failed protocol")
        .page("/escape", with_header(b"X-A: a\x1b[31mb\r\n", 2), "kept")
        .page("/cr", with_header(b"X-A: a\rb\r\n", 3), "failed protocol")
        .page("/folded", with_header(b"X-A: a\r\n b\r\n", 4), "kept")
        .page("/not-utf-8", with_header(b"X-A: \xff\xfe\x80\r\n", 5), "kept")
        .page("/name", with_header(b"X A\x07: b\r\n", 6), "kept")
        .page(
            "/type",
            with_header(b"X-Robots-Tag: \xff\r\nLink: <\xff>\r\n", 7),
            "kept",
        )
        .done();
}
