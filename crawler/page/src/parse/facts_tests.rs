use url::Url;

use super::facts::PageFacts;
use super::outlinks::{MAX_OUTLINKS, MAX_REFERENCE_BYTES};
use super::*;

const PAGE: &str = "https://example.org/docs/page.html?q=1";

fn of(html: &str) -> PageFacts {
    facts(
        &parse(html, crate::parse::Attributes::Read),
        &Url::parse(PAGE).unwrap(),
        "TestCrawler/1.0 (+https://example.org)",
    )
}

fn links(html: &str) -> Vec<(String, LinkKind, bool)> {
    of(html)
        .outlinks
        .into_iter()
        .map(|link| (link.url.into(), link.kind, link.nofollow))
        .collect()
}

fn urls(html: &str) -> Vec<String> {
    links(html).into_iter().map(|(url, ..)| url).collect()
}

#[test]
fn outlinks_come_from_everything_that_names_a_document() {
    let html = "<head><link rel=canonical href=c><link rel=next href=n><link rel='PREV' href=p>\
        <link rel=alternate hreflang=zh href=z><link rel=alternate type=application/rss+xml href=f>\
        <link rel='alternate stylesheet' href=s1><link rel=stylesheet href=s2><meta http-equiv=Refresh content='5; URL=\"r\"'></head>\
        <a href=a rel='x NoFollow'>a</a><map><area href=ar></map><iframe src=i></iframe>\
        <form action=bare><input type=submit></form><form action=field><input name=q></form>\
        <form method=post action=post></form><noscript><a href=ns>n</a></noscript><img src=img>";
    let kinds: Vec<(String, LinkKind, bool)> = [
        ("c", LinkKind::Canonical, false),
        ("n", LinkKind::Next, false),
        ("p", LinkKind::Prev, false),
        ("z", LinkKind::Alternate, false),
        ("f", LinkKind::Feed, false),
        ("r", LinkKind::Refresh, false),
        ("a", LinkKind::Anchor, true),
        ("ar", LinkKind::Area, false),
        ("i", LinkKind::Iframe, false),
        ("bare", LinkKind::Form, false),
        ("ns", LinkKind::Anchor, false),
    ]
    .map(|(path, kind, nofollow)| (format!("https://example.org/docs/{path}"), kind, nofollow))
    .into();
    assert_eq!(links(html), kinds);
    assert_eq!(
        links("<frameset><frame src=/f></frameset>"),
        [("https://example.org/f".into(), LinkKind::Frame, false)]
    );
}

#[test]
fn references_are_resolved_as_browsers_do() {
    let cases: &[(&str, &[&str])] = &[
        ("<a href='/x#part'>", &["https://example.org/x"]),
        ("<a href=' \n/a\tb\nc '>", &["https://example.org/abc"]),
        ("<a href='\u{1}//Other.ORG:443/./b/../c'>", &["https://other.org/c"]),
        ("<a href=#part><a href=''><a>", &[]),
        ("<a href=?q=2>", &["https://example.org/docs/page.html?q=2"]),
        (
            "<a href=javascript:void(0)><a href=mailto:a@b.c><a href=data:,x><a href=ftp://x/y><a href=http://>",
            &[],
        ),
        (
            "<form action=/f?a=1#b></form><form method=dialog action=/g></form><form method=put action=/h></form><form></form>",
            &["https://example.org/f", "https://example.org/h"],
        ),
        (
            "<a href=../x><base href=/base/dir/><base href=/other/>",
            &["https://example.org/base/x"],
        ),
        ("<base href=javascript:x><a href=x>", &["https://example.org/docs/x"]),
        ("<base href=' \t/b\n/ '><a href=x>", &["https://example.org/b/x"]),
        (
            "<base target=_top><base href=/b/><a href=x>",
            &["https://example.org/b/x"],
        ),
        (
            "<base href='http://['><base href=/b/><a href=x>",
            &["https://example.org/docs/x"],
        ),
        ("<base href=ftp://x/><a href=x><a href=//y/z>", &[]),
        (
            "<base href=//x/b/#p><a href=''><a href=#q><form action=''>",
            &["https://x/b/"],
        ),
        ("<base href=page.html?q=1><a href=#q>", &[]),
        (
            "<svg><base href=/b/></svg><svg><a xlink:href=x></a></svg>",
            &["https://example.org/docs/x"],
        ),
        (
            "<template><base href=/b/><a href=x></a></template><a href=y>",
            &["https://example.org/docs/y"],
        ),
        (
            "<div><template shadowrootmode=open><a href=x></a></template></div>",
            &["https://example.org/docs/x"],
        ),
        (
            "<div><template shadowrootmode=none><a href=x></a></template></div><p><template shadowrootmode=closed><a href=y></a></template>\
             <template shadowrootmode=open><a href=z></a></template></p>",
            &["https://example.org/docs/y"],
        ),
        (
            "<noscript><base href=/b/><a href=x></a></noscript><a href=y>",
            &["https://example.org/docs/y", "https://example.org/docs/x"],
        ),
        ("<a href=é>", &["https://example.org/docs/%C3%A9"]),
    ];
    for (html, expected) in cases {
        assert_eq!(urls(html), *expected, "{html}");
    }
}

#[test]
fn an_outlink_appears_once_and_is_followed_if_any_of_its_links_is() {
    let html = "<a href=b rel=nofollow><a href=a rel=nofollow><a href=b#x><a href=./a rel=nofollow>";
    let expected = [("b", false), ("a", true)];
    assert_eq!(
        links(html),
        expected.map(|(path, nofollow)| (format!("https://example.org/docs/{path}"), LinkKind::Anchor, nofollow))
    );
}

#[test]
fn outlinks_are_bounded_in_number_and_length() {
    let many: String = (0..MAX_OUTLINKS + 10).map(|n| format!("<a href={n}>")).collect();
    assert_eq!(urls(&many).len(), MAX_OUTLINKS);
    assert_eq!(
        urls(&format!("<a href={}>", "x".repeat(MAX_REFERENCE_BYTES + 1))),
        [""; 0]
    );
}

#[test]
fn title_heading_keywords_and_language_are_read() {
    let html = "<html lang=en-GB><title> A \n title\u{a0} </title><title>other</title><svg><title>no</title></svg>\
        <meta name=keywords content='one, two，三,,'>\
        <meta http-equiv=content-language content='de, fr'><h1> </h1><h1>A <b>head</b>ing</h1><h1>second</h1>";
    let facts = of(html);
    assert_eq!(facts.title, "A title");
    assert_eq!(facts.first_heading.as_deref(), Some("A heading"));
    assert_eq!(facts.keywords, ["one", "two", "三"]);
    assert_eq!(facts.lang.as_deref(), Some("en-GB"));
    assert_eq!(of("<html xml:lang=ja>").lang.as_deref(), Some("ja"));
    assert_eq!(
        of("<meta http-equiv=content-language content='de, fr'>")
            .lang
            .as_deref(),
        Some("de")
    );
    assert_eq!(of("<svg><title>no</title></svg>").title, "");
}

#[test]
fn robots_metas_count_if_they_address_all_crawlers_or_this_one() {
    let directives = |noindex, nofollow| RobotsDirectives {
        noindex,
        nofollow,
        unavailable_after: None,
    };
    let cases = [
        ("<meta name=robots content=noindex>", directives(true, false)),
        ("<META NAME=Robots CONTENT='NoFollow , index'>", directives(false, true)),
        ("<meta name=robots content=none>", directives(true, true)),
        (
            "<meta name=testcrawler content=noindex><meta name=robots content=nofollow>",
            directives(true, true),
        ),
        ("<meta name=othercrawler content=none>", directives(false, false)),
        (
            "<meta name=robots content='max-snippet:5, noindexing'>",
            directives(false, false),
        ),
        ("<body><p><meta name=robots content=noindex>", directives(true, false)),
        (
            "<template><meta name=robots content=noindex></template>",
            directives(false, false),
        ),
        (
            "<meta name=robots content='testcrawler: noindex'>",
            directives(false, false),
        ),
    ];
    for (html, expected) in cases {
        assert_eq!(of(html).robots, expected, "{html}");
    }
}

#[test]
fn canonical_is_the_one_that_the_head_names() {
    for (html, expected, conflict) in [
        ("<base href=/b/><link rel=canonical href=x#y>", Some("b/x"), false),
        (
            "<link rel='x CANONICAL' href=x><link rel=canonical href=./x>",
            Some("docs/x"),
            false,
        ),
        ("<link rel=canonical href=x><link rel=canonical href=y>", None, true),
        ("<link rel=canonical href=javascript:x>", None, false),
        ("<link rel=canonical href=''>", Some("docs/page.html?q=1"), false),
        ("<p>text<link rel=canonical href=x>", None, false),
        ("<noscript><link rel=canonical href=x></noscript>", None, false),
        ("<template><link rel=canonical href=x></template>", None, false),
    ] {
        let facts = of(html);
        let expected = expected.map(|path| format!("https://example.org/{path}"));
        assert_eq!(facts.canonical.map(String::from), expected, "{html}");
        assert_eq!(facts.canonical_conflict, conflict, "{html}");
    }
}

#[test]
fn refreshes_are_read_by_the_standard() {
    type Refresh = Option<(u32, Option<&'static str>)>;
    let cases: &[(&str, Refresh)] = &[
        ("5", Some((5, None))),
        ("0;url=/x", Some((0, Some("/x")))),
        ("  7.5 , URL = '/a b' rest", Some((7, Some("/a b")))),
        ("3;/x", Some((3, Some("/x")))),
        ("3 \"/x", Some((3, Some("/x")))),
        ("3;url", Some((3, Some("url")))),
        (".5;url=x", Some((0, Some("x")))),
        ("99999999999;url=x", Some((u32::MAX, Some("x")))),
        ("5x", None),
        ("url=/x", None),
        ("", None),
        ("1;ürl=x", Some((1, Some("ürl=x")))),
    ];
    for (content, expected) in cases {
        assert_eq!(parse_refresh(content), *expected, "{content}");
    }
    let refresh = "<meta http-equiv=refresh content='2;url=javascript:x'>";
    assert_eq!(urls(refresh), [""; 0]);
    let second = "<meta http-equiv=refresh content='/x'><meta http-equiv=refresh content=5>";
    assert_eq!(
        urls(&format!("{second}<meta http-equiv=refresh content='0;url=/y'>")),
        [""; 0]
    );
}

#[test]
fn a_heading_has_the_words_that_a_reader_sees() {
    for (html, heading) in [
        (
            "<h1><ruby>吾輩<rp>（</rp><rt>わがはい</rt><rp>）</rp></ruby>は猫である</h1>",
            Some("吾輩は猫である"),
        ),
        (
            "<h1>One<br>two <style>h1{}</style><script>x</script></h1>",
            Some("One two"),
        ),
        ("<h1>\u{feff}&#8203;</h1><h1>Title</h1>", Some("Title")),
        ("<h1><rt>reading</rt></h1>", None),
    ] {
        assert_eq!(of(html).first_heading.as_deref(), heading, "{html}");
    }
}
