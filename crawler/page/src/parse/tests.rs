use proptest::prelude::*;
use scraper::Selector;
use url::Url;

use super::*;

fn elements(doc: &Document, selector: &str) -> usize {
    doc.html.select(&Selector::parse(selector).unwrap()).count()
}

/// How deep the deepest node lies.
fn depth(html: &Html) -> usize {
    html.tree
        .nodes()
        .map(|node| node.ancestors().count())
        .max()
        .unwrap_or(0)
}

#[test]
fn a_page_within_the_limits_gives_the_tree_that_scraper_gives() {
    let filler = "<p class=x id=y>text &amp; <b>more</b></p>\r\n".repeat(500);
    let pages = [
        filler.as_str(),
        "",
        "plain",
        "<title>a</title><p>1<p>2<table>x<tr><td>y</table><b><i>z</b>w</i>",
        "<body a=1><body b=2><svg><title>t</title><p>",
        "<a><p>x</a>y<a>z",
        "<frameset><frame src=x></frameset>",
        "\u{feff}<p>x",
        "<template><td>x</template>",
        "<script>if (a < b) { '</p>' }</script><plaintext><p>",
    ];
    for page in pages {
        assert_eq!(parse(page).html, Html::parse_document(page), "{page:.80}");
        assert_eq!(parse(page).truncated, None, "{page:.80}");
    }
}

#[test]
fn a_tree_that_grows_too_large_stops_the_parse_and_keeps_what_came_before() {
    let nodes = |document: &Document| document.html.tree.values().len();
    let dense = parse(&format!("<h1>First</h1>{}", "<br>x".repeat(400_000)));
    assert_eq!(dense.truncated, Some(Truncation::TooLarge));
    assert!(
        nodes(&dense) > 300_000 && nodes(&dense) * 136 < MAX_TREE_BYTES * 11 / 10,
        "{}",
        nodes(&dense)
    );
    // The parser creates unclosed formatting elements again in every paragraph: more nodes than a page of this size has.
    let formatting: String = (0..400).map(|number| format!("<b a{number}>")).collect();
    let reopened = parse(&format!("<p>{formatting}{}", "</p><p>x".repeat(2_000)));
    assert_eq!(reopened.truncated, Some(Truncation::TooLarge));
    assert!(nodes(&reopened) < 400_000, "{}", nodes(&reopened));
    // The densest that an honest page gets.
    let honest = parse(&"<li>x".repeat(20_000));
    assert_eq!((honest.truncated, nodes(&honest)), (None, 40_000 + 4));
}

#[test]
fn deep_nesting_stops_the_parse_and_keeps_what_came_before() {
    for open in [
        "<div>",
        "<ul><li>",
        "<b>",
        "<span>",
        "<font color=a>",
        "<blockquote>",
        "<svg><g>",
    ] {
        let doc = parse(&format!("<p>before</p>{}", open.repeat(100_000)));
        assert_eq!(doc.truncated, Some(Truncation::TooDeep), "{open}");
        assert_eq!(
            doc.html
                .select(&Selector::parse("p").unwrap())
                .next()
                .unwrap()
                .inner_html(),
            "before"
        );
        assert!(depth(&doc.html) <= MAX_DEPTH + CHUNK_BYTES, "{open}");
    }
    let just = format!("{}x", "<div>".repeat(MAX_DEPTH - 10));
    assert_eq!(parse(&just).truncated, None);
}

#[test]
fn a_hundred_thousand_attributes_stop_the_parse() {
    let many: String = (0..100_000).map(|n| format!(" a{n}=1")).collect();
    let quoted: String = (0..100_000).map(|n| format!(" a{n}='>'")).collect();
    let slashes: String = (0..100_000).map(|n| format!("/=a{n}")).collect();
    for attributes in [many, quoted, slashes] {
        let doc = parse(&format!("<p>before</p><b{attributes}>after</b>"));
        assert_eq!(doc.truncated, Some(Truncation::TooManyAttributes));
        assert_eq!((elements(&doc, "p"), elements(&doc, "b")), (1, 0));
    }
}

#[test]
fn one_long_attribute_or_comment_does_not_stop_the_parse() {
    let json = r#"{"a b": "c/d e=f <g> 'h'"}, "#.replace('"', "&quot;").repeat(20_000);
    for page in [
        format!("<p data-x=\"{json}\">text</p>"),
        format!("<!-- {json} --><p>text</p>"),
    ] {
        let doc = parse(&page);
        assert_eq!((doc.truncated, elements(&doc, "p")), (None, 1));
    }
}

#[test]
fn more_work_than_the_size_allows_stops_the_parse() {
    let formatting: String = (0..400).map(|n| format!("<b id={n}>")).collect();
    let attributes: String = (0..1000).map(|n| format!(" a{n}")).collect();
    let pages = [
        // Each paragraph looks through all open elements for one to close.
        format!("{formatting}{}", "<p>x</p>".repeat(200_000)),
        // Each end tag moves all children of the furthest block.
        format!("{formatting}<p>{}{}", "<i></i>".repeat(20_000), "</b>".repeat(100_000)),
        // Each element compares its attributes pair by pair.
        format!("<b{attributes}></b>").repeat(1000),
    ];
    for page in pages {
        let doc = parse(&page);
        assert!(
            doc.truncated.is_some_and(|why| why != Truncation::TooManyAttributes),
            "{page:.40}{} {:?}",
            page.len(),
            doc.truncated
        );
    }
}

#[test]
fn further_body_tags_add_no_attributes() {
    let page: String = (0..50_000).map(|n| format!("<body a{n}=1>")).collect();
    let doc = parse(&page);
    let body = doc.html.select(&Selector::parse("body").unwrap()).next().unwrap();
    assert!(body.value().attrs.len() <= MAX_ATTRIBUTES);
}

proptest! {
    #[test]
    fn any_text_gives_the_tree_that_scraper_gives(html: String) {
        prop_assert_eq!(parse(&html).html, Html::parse_document(&html));
    }

    #[test]
    fn any_markup_gives_the_tree_that_scraper_gives(html in "(</?(a|B|p|i|table|tr|td|svg|form|select|option|script|noscript|title|textarea|pre|math|template|frameset)([ /\n][a-z:=]{1,3}=?['\"]?[a-z&;/ ]{0,3}['\"]?){0,3}/?>|<!--|-->|<!\\[CDATA\\[|\\]\\]>|<![a-z]|<\\?|&[a-z]{0,3};?|\r|\r\n|\0|\u{feff}|[a-z&;<>! ]{0,5}){0,40}") {
        prop_assert_eq!(parse(&html).html, Html::parse_document(&html));
    }

    #[test]
    fn facts_never_panic(html in "(<(a|base|link|meta|form|iframe) ?(href|src|rel|content|http-equiv|name|action)=.{0,20}>|.{0,9}){0,20}") {
        let url = Url::parse("http://example.org/").unwrap();
        for outlink in facts(&parse(&html), &url, "crawler").outlinks {
            prop_assert!(matches!(outlink.url.scheme(), "http" | "https") && outlink.url.fragment().is_none());
        }
    }
}
