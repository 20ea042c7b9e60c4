//! HTML that no author wrote.

use std::fmt::Write;

use super::doing::{Harm, ok, typed};
use crate::support::page::words;

/// A page in whose midst is `what`.
fn with(what: &str, seed: u64) -> Vec<u8> {
    format!(
        "<!doctype html><title>Page {seed}</title><p>{}</p>{what}",
        words(seed, 100)
    )
    .into_bytes()
}

#[test]
fn nested() {
    let mut harm = Harm::of("HTML nested 100,000 deep");
    for (number, (name, element)) in [
        ("div", "<div>"),
        ("lists", "<ul><li>"),
        ("tables", "<table><tr><td>"),
        ("formatting", "<b>"),
        ("mixed-formatting", "<b><i><u><s><em><code>"),
        ("attributes", "<font size=1 color=2 face=3>"),
        ("links", "<a href=/x>"),
        ("paragraphs", "<p><b>"),
        ("misnested", "<b><p></b><i></p>"),
        ("templates", "<template>"),
        ("foreign", "<svg><math><mi>"),
        ("forms", "<form><select><option><optgroup>"),
        ("noscript", "<noscript><div>"),
    ]
    .into_iter()
    .enumerate()
    {
        let page = with(&element.repeat(100_000), number as u64);
        // Without the links: what they lead to is not of interest.
        harm = harm.page(&format!("/{name}"), [ok(page)], "kept");
    }
    harm.also("/x", [super::doing::status(404)])
        .leads_to("/x", "failed http_404")
        .done();
}

#[test]
fn long_attributes() {
    let with_attribute = |bytes: usize, seed| with(&format!("<p title=\"{}\">end", "x".repeat(bytes)), seed);
    Harm::of("an attribute of 50 MB, of 9 MB, and 9 MB of attributes")
        .page("/50", [ok(with_attribute(50_000_000, 1))], "failed body_too_large")
        .page("/9", [ok(with_attribute(9_000_000, 2))], "kept")
        .page(
            "/never-closed",
            [ok(with(&format!("<p title=\"{}", "x".repeat(9_000_000)), 3))],
            "kept",
        )
        .page(
            "/many",
            [ok(with(&format!("<p {}>", "a ".repeat(4_500_000)), 4))],
            "kept",
        )
        .page(
            "/many-each",
            [ok(with(
                &format!("<p {}>", (0..1_000).map(|n| format!("a{n} ")).collect::<String>()).repeat(1_600),
                5,
            ))],
            "kept",
        )
        .done();
}

#[test]
fn dense() {
    Harm::of("9 MB of empty elements, of comments, of character references")
        .page("/elements", [ok(with(&"<p>".repeat(3_000_000), 1))], "kept")
        .page("/void", [ok(with(&"<br>x".repeat(1_800_000), 2))], "kept")
        .page("/comments", [ok(with(&"<!>".repeat(3_000_000), 3))], "kept")
        .page("/references", [ok(with(&"&lt;".repeat(2_250_000), 4))], "kept")
        .page(
            "/reopened",
            [ok(with(
                &format!(
                    "{}{}",
                    (0..400).map(|n| format!("<b a{n}>")).collect::<String>(),
                    "</p><p>x".repeat(1_000_000)
                ),
                5,
            ))],
            "kept",
        )
        .page(
            "/unknown",
            [ok(with(
                &(0..800_000).fold(String::new(), |mut page, n| {
                    write!(page, "<e{n:06}>").unwrap();
                    page
                }),
                6,
            ))],
            "kept",
        )
        .done();
}

#[test]
fn dense_but_small() {
    let mut harm = Harm::of("64 pages of 250 kB of empty elements in parallel");
    for number in 0..64 {
        let what = if number % 2 == 0 {
            "<p>".repeat(83_000)
        } else {
            format!("<b {}>{}", "a ".repeat(1_000), "<i>x".repeat(16_000))
        };
        harm = harm.page(&format!("/{number}"), [ok(with(&what, number))], "kept");
    }
    harm.done();
}

#[test]
fn nul_bytes() {
    let nul = |seed| with("\0\0\0<p\0>\0</p\0>&\0;<\0", seed);
    Harm::of("NUL bytes")
        .page("/html", [ok(nul(1))], "kept")
        .page(
            "/only",
            [ok(vec![0; 1_000_000])],
            "excluded declared text/html, but the bytes are binary data",
        )
        .page(
            "/utf-16",
            [typed("text/html; charset=utf-16le", vec![0; 1_000_001])],
            "kept",
        )
        .page(
            "/text",
            [typed("text/plain", [words(3, 100).as_bytes(), &[0; 1_000]].concat())],
            "kept",
        )
        .done();
}

#[test]
fn a_million_links() {
    let million = (0..1_000_000).fold(String::new(), |mut page, number| {
        write!(page, "<a href=d/{number}>").unwrap();
        page
    });
    assert!(million.len() > 15_000_000);
    let nine = &million[..9_000_000];
    let long = |seed: u64| {
        (0..4_500).fold(String::new(), |mut page, number| {
            write!(page, "<a href=/d/{seed}-{number}-{}></a>", "x".repeat(1_980)).unwrap();
            page
        })
    };
    let mut harm = Harm::of("a page of a million links, and 8 of 4,500 links of 2 kB")
        .also("/robots.txt", [typed("text/plain", "User-agent: *\nDisallow: /d/\n")])
        .page("/million", [ok(with(&million, 1))], "failed body_too_large")
        .page("/half-a-million", [ok(with(nine, 2))], "kept");
    for number in 0..8 {
        harm = harm.page(
            &format!("/long{number}"),
            [ok(with(&long(number), 10 + number))],
            "kept",
        );
    }
    harm.done();
}

#[test]
fn a_url_of_a_megabyte() {
    let url = format!("/{}", "x".repeat(1_000_000));
    let done = Harm::of("a URL of 1 MB in a link, a base and a redirect")
        .page("/link", [ok(with(&format!("<a href=\"{url}\">"), 1))], "kept")
        .page(
            "/base",
            [ok(with(&format!("<base href=\"{url}/\"><a href=a><a href=b>"), 2))],
            "kept",
        )
        .page(
            "/canonical",
            [ok(with(&format!("<link rel=canonical href=\"{url}\">"), 3))],
            "kept",
        )
        .page(
            "/redirect",
            [super::doing::redirect(&url[..100_000])],
            "failed bad_redirect",
        )
        .done();
    assert!(
        done.server.times_asked().keys().all(|path| path.len() < 100),
        "none of them was asked for"
    );
}
