//! Bodies whose length is not what it is said to be.

use super::doing::{Harm, answer, ok, plain, status};
use crate::support::crawl::Crawl;
use crate::support::hostile::{Act, Hostile};
use crate::support::outcomes::{count, list};
use crate::support::page::{html, words};

fn with_lengths(lengths: &[&str], body: &str) -> [Act; 1] {
    let lengths: String = lengths
        .iter()
        .map(|length| format!("Content-Length: {length}\r\n"))
        .collect();
    [answer(&format!("Content-Type: text/html\r\n{lengths}"), body)]
}

#[test]
fn wrong_length() {
    let text = words(1, 100);
    let twice = format!("{},{}", text.len(), text.len());
    let too_short = format!("{}{text}", words(2, 100));
    Harm::of("a wrong Content-Length")
        .page("/too-long", with_lengths(&["100000"], &text), "failed interrupted")
        .page(
            "/too-short",
            with_lengths(&[&(too_short.len() - text.len()).to_string()], &too_short),
            "kept",
        )
        .page("/negative", with_lengths(&["-5"], &text), "failed protocol")
        .page("/no-number", with_lengths(&["many"], &text), "failed protocol")
        .page("/two", with_lengths(&["5", "6"], &text), "failed protocol")
        .page(
            "/overflow",
            with_lengths(&["99999999999999999999999"], &text),
            "failed protocol",
        )
        .page("/the-same-twice", with_lengths(&[&twice], &text), "kept")
        .page(
            "/declared-too-large",
            with_lengths(&["10000000000"], &text),
            "failed body_too_large",
        )
        .done();
}

#[test]
fn broken_chunking() {
    let chunked = |body: &str| {
        [answer(
            "Content-Type: text/html\r\nTransfer-Encoding: chunked\r\n",
            body,
        )]
    };
    Harm::of("broken chunking")
        .page("/no-hex", chunked("zz\r\nhello\r\n0\r\n\r\n"), "failed interrupted")
        .page("/huge", chunked("fffffffffffffffff\r\nhello"), "failed interrupted")
        .page("/large", chunked("7fffffffffffffff\r\nhello"), "failed interrupted")
        .page("/negative", chunked("-5\r\nhello\r\n0\r\n\r\n"), "failed interrupted")
        .page(
            "/no-line-end",
            chunked("5\r\nhelloworld\r\n0\r\n\r\n"),
            "failed interrupted",
        )
        .page("/no-last", chunked("5\r\nhello\r\n"), "failed interrupted")
        .page(
            "/extension",
            chunked(&format!("5;{}\r\nhello\r\n0\r\n\r\n", "x".repeat(100_000))),
            "failed interrupted",
        )
        .page(
            "/trailers",
            chunked(&format!("5\r\nhello\r\n0\r\n{}\r\n", "X-A: b\r\n".repeat(100_000))),
            "failed interrupted",
        )
        .done();
}

#[test]
fn reset() {
    let half = answer("Content-Type: text/html\r\nContent-Length: 1000\r\n", "<p>half");
    Harm::of("a reset in mid-body")
        .page("/length", [half, Act::Reset], "failed interrupted")
        .page(
            "/chunked",
            [
                answer("Content-Type: text/html\r\nTransfer-Encoding: chunked\r\n", "5\r\nhel"),
                Act::Reset,
            ],
            "failed interrupted",
        )
        .page("/fine", [plain(7)], "kept")
        .done();
}

#[test]
fn pages_that_break_off_are_failures_of_their_own_and_not_of_their_host() {
    let server = Hostile::serving(|path| {
        let whole = |links: &[&str], seed| ok(html(path, &words(seed, 120), links));
        let half = answer("Content-Type: text/html\r\nContent-Length: 1000\r\n", "<p>half");
        vec![match path {
            "/" => whole(&["/broken1", "/broken2", "/1"], 1),
            "/broken1" | "/broken2" => half,
            "/1" => whole(&["/2"], 2),
            "/2" => whole(&["/3"], 3),
            "/3" => whole(&[], 4),
            _ => status(404),
        }]
    });
    let crawl = Crawl::of(server.url("/")).set("politeness.max_retries", 2);
    crawl.run();
    let report = crawl.report();
    assert_eq!((count(&report, "kept"), count(&report, "queued")), (4, 0), "{report}");
    let kinds: Vec<_> = list(&report, "failures")
        .iter()
        .map(|failure| &failure["kind"])
        .collect();
    assert_eq!(kinds, ["interrupted", "interrupted"]);
    assert_eq!(server.times_asked()["/broken1"], 3);
}
