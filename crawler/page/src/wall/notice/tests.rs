use http::HeaderMap;
use url::Url;

use super::*;
use crate::Options;

const URL: &str = "https://shop.example/garden/chairs";

fn noticed_at(url: &str, html: &str) -> Option<Notice> {
    let (url, headers) = (Url::parse(url).unwrap(), HeaderMap::new());
    let options = Options {
        agent: "mybot",
        embedded: false,
        max_text_bytes: 1 << 20,
        extract: None,
        documents: crate::Documents::all(),
        favor: crate::Favor::default(),
        markdown: None,
        metadata: None,
    };
    let page = crate::read(html.as_bytes(), &headers, &url, &options).unwrap();
    let answer = Answer {
        url: &url,
        headers: &headers,
        body: html.as_bytes(),
    };
    notice(&answer, &page)
}

fn page(title: &str, body: &str) -> String {
    format!("<!doctype html><html><head><title>{title}</title></head><body>{body}</body></html>")
}

#[test]
fn what_changes_with_each_request_is_left_out_of_a_notice() {
    let alike = [
        ("Ray ID: 8ff1a4e1de2c30c4", "Ray ID: 90021bb7aa31f0de"),
        (
            "Request 550e8400-e29b-41d4-a716-446655440000.",
            "Request 123e4567-e89b-12d3-a456-426614174000.",
        ),
        ("Incident 893000240147523671-12345", "Incident 893000240147523671-99345"),
        ("Your address is 203.0.113.7.", "Your address is 198.51.100.23."),
        ("Time: 2026-11-27T14:42:14Z", "Time: 2026-11-27T14:42:15.123Z"),
        ("It is 14:42:14 now", "It is 9:02:59 now"),
        (
            "<img src=\"data:image/png;base64,AAAA\">",
            "<img src=\"data:image/png;base64,BBBB\">",
        ),
        ("<img src=/captcha.png?n=1>", "<img src=/captcha.png?n=2>"),
        (
            "<a href=/check?back=/a>Continue</a>",
            "<a href=/check?back=/b>Continue</a>",
        ),
        ("<script>var nonce = 1</script>", "<script>var nonce = 2</script>"),
    ];
    for (one, other) in alike {
        let shown = |part: &str| {
            noticed_at(
                URL,
                &page("Please wait", &format!("<p>We look at your browser.</p><p>{part}</p>")),
            )
        };
        let (one_shown, other_shown) = (shown(one).unwrap(), shown(other).unwrap());
        assert_eq!(one_shown.shown, other_shown.shown, "{one:?} and {other:?}");
    }
    let names_host = page("Please wait", "<p>Checking before you reach {host} today.</p>");
    let at = |host: &str| noticed_at(&format!("https://{host}/x"), &names_host.replace("{host}", host)).unwrap();
    assert_eq!(at("a.example"), at("b.example"));
}

#[test]
fn what_tells_two_pages_apart_stays_in_a_notice() {
    let apart = [
        ("Closed on 2026-12-24.", "Closed on 2026-12-31."),
        ("The bridge is open at 14:30.", "The bridge is open at 15:30."),
        ("ISBN 9783161484100", "ISBN 9780306406157"),
        ("Call 0049-30-1234567", "Call 0049-30-7654321"),
        ("23 °C", "24 °C"),
        ("<img src=/one.jpg>", "<img src=/two.jpg>"),
        ("<iframe src=/one></iframe>", "<iframe src=/two></iframe>"),
        (
            "<a href=/news/top-10-of-2024>More</a>",
            "<a href=/news/top-12-of-2025>More</a>",
        ),
        ("<h1>Chairs</h1>", "<h1>Tables</h1>"),
    ];
    for (one, other) in apart {
        let shown = |part: &str| {
            noticed_at(
                URL,
                &page("Notice", &format!("<p>There is little to say.</p><p>{part}</p>")),
            )
        };
        let (one_shown, other_shown) = (shown(one).unwrap(), shown(other).unwrap());
        assert_ne!(one_shown.shown, other_shown.shown, "{one:?} and {other:?}");
    }
    let titled = |title: &str| noticed_at(URL, &page(title, "<p>This product is sold out.</p>")).unwrap();
    assert_ne!(titled("Chair | Shop"), titled("Table | Shop"));
}

#[test]
fn a_page_of_the_template_of_a_site_and_a_page_with_content_are_no_notices() {
    let text = "<p>Nothing is here yet.</p>";
    let links = |count: u32| -> String { (0..count).map(|n| format!("<a href=/part-{n}>Part</a> ")).collect() };
    let head =
        |head: &str| format!("<!doctype html><html><head><title>Shop</title>{head}</head><body>{text}</body></html>");
    let words = |count: usize| format!("<p>{}</p>", "harbour ".repeat(count));
    let cases = [
        ("few links", page("Shop", &format!("{text}{}", links(3))), true),
        (
            "a link to itself",
            page("Shop", &format!("{text}{}<a href={URL}>Again</a>", links(3))),
            true,
        ),
        (
            "navigation",
            page("Shop", &format!("<nav>{}</nav>{text}", links(4))),
            false,
        ),
        ("canonical URL", head("<link rel=canonical href=/garden/chairs>"), false),
        (
            "feed",
            head("<link rel=alternate type=application/rss+xml href=/feed>"),
            false,
        ),
        (
            "other language",
            head("<link rel=alternate hreflang=de href=/de>"),
            false,
        ),
        ("next page", head("<link rel=next href=/garden/chairs/2>"), false),
        ("no word", page("Shop", "<div id=root></div>"), false),
        ("few words", page("Shop", &words(100)), true),
        ("many words", page("Shop", &words(101)), false),
        (
            "large markup",
            page("Shop", &format!("{text}<script>{}</script>", "x".repeat(70_000))),
            false,
        ),
    ];
    for (name, html, is_notice) in cases {
        assert_eq!(noticed_at(URL, &html).is_some(), is_notice, "{name}");
    }
}

#[test]
fn the_sources_in_broken_markup_are_no_longer_than_the_markup() {
    for html in [
        "<img src=".repeat(7_000),
        "<img/src=".repeat(7_000),
        "<img src='".repeat(7_000),
    ] {
        let found: usize = sources(html.as_bytes()).iter().map(String::len).sum();
        assert!(found <= html.len(), "{found} bytes of {}", html.len());
    }
}
