use proptest::prelude::*;
use scraper::Html;
use url::Url;

use super::*;

/// Parses a page with all attributes.
pub(super) fn whole(html: &str) -> Document {
    parse(html, Attributes::All)
}

fn named<'t>(doc: &'t Document, name: &str) -> Vec<NodeRef<'t>> {
    let is_named = |node: &NodeRef<'_>| {
        let element = node.value().as_element();
        element.is_some_and(|element| &*element.name.local == name)
    };
    doc.html.nodes().filter(is_named).collect()
}

fn elements(doc: &Document, name: &str) -> usize {
    named(doc, name).len()
}

/// How deep the deepest node lies.
fn depth(html: &Tree) -> usize {
    html.nodes().map(|node| node.ancestors().count()).max().unwrap_or(0)
}

/// A node as text, with the number of its parent.
pub(super) type Shown = (Option<usize>, String);

/// The nodes in the order of their creation, then those that hang from the root in the order of the document.
pub(super) fn shown(tree: &Tree) -> Vec<Shown> {
    let show = |node: NodeRef<'_>| {
        let what = match node.value() {
            Node::Document => "document".to_owned(),
            Node::Fragment => "fragment".to_owned(),
            Node::Other => "other".to_owned(),
            Node::Text(text) => format!("{:?}", &**text),
            Node::Element(element) => {
                let attributes = element.attributes.iter();
                let attributes: Vec<_> = attributes.map(|one| (&one.name, one.value.to_string())).collect();
                format!("{:?} {attributes:?}", element.name)
            }
        };
        (node.parent().map(|parent| parent.id().index()), what)
    };
    tree.nodes().chain(tree.root().descendants()).map(show).collect()
}

/// The same of the tree that scraper makes.
pub(super) fn expected(html: &str) -> Vec<Shown> {
    let tree = Html::parse_document(html).tree;
    let places: std::collections::HashMap<_, _> = tree.nodes().enumerate().map(|(at, node)| (node.id(), at)).collect();
    let show = |node: ego_tree::NodeRef<'_, scraper::Node>| {
        let what = match node.value() {
            scraper::Node::Document => "document".to_owned(),
            scraper::Node::Fragment => "fragment".to_owned(),
            scraper::Node::Text(text) => format!("{:?}", &*text.text),
            scraper::Node::Element(element) => {
                let attributes = element.attrs.iter();
                let attributes: Vec<_> = attributes.map(|(name, value)| (name, value.to_string())).collect();
                format!("{:?} {attributes:?}", element.name)
            }
            _ => "other".to_owned(),
        };
        (node.parent().map(|parent| places[&parent.id()]), what)
    };
    tree.nodes().chain(tree.root().descendants()).map(show).collect()
}

/// The tree with these attributes only.
fn stripped(mut doc: Document, attributes: Attributes) -> Tree {
    let ids: Vec<NodeId> = doc.html.nodes().map(|node| node.id()).collect();
    for id in ids {
        if let Node::Element(element) = doc.html.node_mut(id) {
            let name = element.name.local.to_string();
            element
                .attributes
                .retain(|attribute| read_attributes::name(&name, &attribute.name.local, attributes).is_some());
        }
    }
    doc.html
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
        "<DIV CLASS=Nav ID=\"A\"><A HREF='/X' Href=/y>x</A><Custom-Element data-X=1>y</Custom-Element><o:p></o:p></DIV>",
        "<svg viewBox=\"0 0 1 1\"><clipPath id=c clipPathUnits=x><feBlend/></clipPath></svg><math definitionURL=u></math>",
        "<SCRIPT><!-- a </SCRIPT><p>b<Title>c</TITLE><PRE>\r\rd\n\r\r\n</pre>",
        "<script><!-- <b> </script>--><p>x",
        "<script><!-- <SCRIPT> </script> --> </script><p>x",
        "<script><scripted><!-- <Script/ </script><p>x",
    ];
    for page in pages {
        assert_eq!(shown(&whole(page).html), expected(page), "{page:.80}");
        assert_eq!(whole(page).truncated, None, "{page:.80}");
    }
}

#[test]
fn a_tree_that_grows_too_large_stops_the_parse_and_keeps_what_came_before() {
    let nodes = |document: &Document| document.html.len();
    let dense = whole(&format!("<h1>First</h1>{}", "<br>x".repeat(400_000)));
    assert_eq!(dense.truncated, Some(Truncation::TooLarge));
    assert!(
        nodes(&dense) > 300_000 && nodes(&dense) * 136 < MAX_TREE_BYTES * 11 / 10,
        "{}",
        nodes(&dense)
    );
    // The parser creates unclosed formatting elements again in every paragraph: more nodes than a page of this size has.
    let formatting: String = (0..400).map(|number| format!("<b a{number}>")).collect();
    let reopened = whole(&format!("<p>{formatting}{}", "</p><p>x".repeat(2_000)));
    assert_eq!(reopened.truncated, Some(Truncation::TooLarge));
    assert!(nodes(&reopened) < 400_000, "{}", nodes(&reopened));
    // The densest that an honest page gets.
    let honest = whole(&"<li>x".repeat(20_000));
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
        let doc = whole(&format!("<p>before</p>{}", open.repeat(100_000)));
        assert_eq!(doc.truncated, Some(Truncation::TooDeep), "{open}");
        let text = named(&doc, "p")[0].first_child().unwrap();
        assert_eq!(text.value().as_text(), Some("before"));
        assert!(depth(&doc.html) <= MAX_DEPTH + CHUNK_BYTES, "{open}");
    }
    let just = format!("{}x", "<div>".repeat(MAX_DEPTH - 10));
    assert_eq!(whole(&just).truncated, None);
}

#[test]
fn a_hundred_thousand_attributes_stop_the_parse() {
    let many: String = (0..100_000).map(|n| format!(" a{n}=1")).collect();
    let quoted: String = (0..100_000).map(|n| format!(" a{n}='>'")).collect();
    let slashes: String = (0..100_000).map(|n| format!("/=a{n}")).collect();
    for attributes in [many, quoted, slashes] {
        let doc = whole(&format!("<p>before</p><b{attributes}>after</b>"));
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
        let doc = whole(&page);
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
        let doc = whole(&page);
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
    let doc = whole(&page);
    let body = named(&doc, "body")[0].value().as_element().unwrap();
    assert!(body.attributes.len() <= MAX_ATTRIBUTES);
}

proptest! {
    #[test]
    fn any_text_gives_the_tree_that_scraper_gives(html: String) {
        prop_assert_eq!(shown(&whole(&html).html), expected(&html));
    }

    #[test]
    fn any_markup_gives_the_tree_that_scraper_gives(html in "(</?(a|B|p|i|table|tr|td|svg|form|select|option|script|noscript|title|textarea|pre|math|template|frameset)([ /\n][a-z:=]{1,3}=?['\"]?[a-z&;/ ]{0,3}['\"]?){0,3}/?>|<!--|-->|<!\\[CDATA\\[|\\]\\]>|<![a-z]|<\\?|&[a-z]{0,3};?|&(amp|lt|nbsp|#160|#x27|#13);|<(script|style|title|textarea|noscript)>[a-z&;<! -]{0,6}</(script|style|title|textarea|noscript)>|\r|\r\n|\0|\u{feff}|[a-z&;<>! ]{0,5}){0,40}") {
        // The tokenizer that scraper runs loses a byte order mark behind a script.
        prop_assume!(!html.contains(">\u{feff}"));
        prop_assert_eq!(shown(&whole(&html).html), expected(&html));
    }

    #[test]
    fn attributes_that_nothing_reads_do_not_change_the_tree(html in "(</?(a|b|p|html|input|template|svg|td|style)( (href|onclick|hidden|lang|xlink:href|type|title|x)=?['\"]?[a-z&;]{0,3}['\"]?){0,3}/?>|[a-z&; ]{0,3}){0,30}") {
        for attributes in [Attributes::Read, Attributes::Requested] {
            let read = parse(&html, attributes);
            prop_assert_eq!(shown(&stripped(read, attributes)), shown(&stripped(whole(&html), attributes)));
        }
    }

    #[test]
    fn facts_never_panic(html in "(<(a|base|link|meta|form|iframe) ?(href|src|rel|content|http-equiv|name|action)=.{0,20}>|.{0,9}){0,20}") {
        let url = Url::parse("http://example.org/").unwrap();
        for outlink in facts(&whole(&html), &url, "crawler").outlinks {
            prop_assert!(matches!(outlink.url.scheme(), "http" | "https") && outlink.url.fragment().is_none());
        }
    }
}
