use std::fmt::Write as _;

use super::super::parse as parse_html;
use super::super::{Document, Node, NodeRef, parse_xhtml};
use super::*;

/// A document with this content of the body.
fn document(body: &str) -> String {
    format!("<html xmlns=\"http://www.w3.org/1999/xhtml\"><head><title>T</title></head><body>{body}</body></html>")
}

fn read(xml: &str) -> Result<Document, NotXhtml> {
    parse_xhtml(xml, Attributes::All)
}

/// The tree as text: `name[attributes](children)`.
fn shown(node: NodeRef<'_>) -> String {
    let mut text = String::new();
    match node.value() {
        Node::Text(part) => write!(text, "\"{}\"", part.replace('\n', "\\n")).unwrap(),
        Node::Element(element) => {
            text.push_str(&element.name.local);
            for attribute in &element.attributes {
                write!(text, "[{}={}]", attribute.name.local, &*attribute.value).unwrap();
            }
        }
        Node::Document | Node::Fragment | Node::Other => {}
    }
    let children: Vec<String> = node.children().map(shown).collect();
    if !children.is_empty() {
        write!(text, "({})", children.join(" ")).unwrap();
    }
    text
}

/// The content of the body, as text.
fn body_of(document: &Document) -> String {
    let nodes = document.html.nodes();
    let body = nodes.filter(|node| {
        node.value()
            .as_element()
            .is_some_and(|element| &*element.name.local == "body")
    });
    let contents: Vec<String> = body.flat_map(NodeRef::children).map(shown).collect();
    contents.join(" ")
}

/// (content of the body, its tree)
const BODIES: &[(&str, &str)] = &[
    ("<script/><p>a</p>", "script p(\"a\")"),
    (
        "<style type='text/css'/><textarea/><title/><iframe src='x'/>b",
        "style[type=text/css] textarea title iframe[src=x] \"b\"",
    ),
    ("<p/><div/>c<br/>d<br></br>e", "p div \"c\" br \"d\" br \"e\""),
    ("<p>a<p>b</p></p>", "p(\"a\" p(\"b\"))"),
    (
        "<script><![CDATA[if (a < b && c) d();]]></script>",
        "script(\"if (a < b && c) d();\")",
    ),
    ("<p>a<![CDATA[<b>&amp;]]>c</p>", "p(\"a<b>&amp;c\")"),
    ("<!-- <p>no</p> --><?php echo ?>a<!-- -->b", "\"ab\""),
    ("&lt;&#65;&#x42;&amp;&quot;&apos;&gt;", "\"<AB&\"'>\""),
    ("&nbsp;&eacute;&hellip;&Alpha;", "\"\u{a0}é…Α\""),
    ("a & b &unknown; &amp c", "\"a & b &unknown; &amp c\""),
    (
        "<a href='?a=1&amp;b=2&c=3&eacute;' title='x\ny'>l</a>",
        "a[href=?a=1&b=2&c=3é][title=x y](\"l\")",
    ),
    ("<P>a</P><A HREF='x'>b</A>", "P(\"a\") A[HREF=x](\"b\")"),
    (
        "<svg xmlns='http://www.w3.org/2000/svg' xmlns:xlink='http://www.w3.org/1999/xlink'><a xlink:href='u'><text>t</text></a></svg>",
        "svg(a[href=u](text(\"t\")))",
    ),
    (
        "<x:title xmlns:x='urn:x'>t</x:title><title xmlns='urn:x'>u</title><fb:like a='b'/>",
        "x:title(\"t\") :title(\"u\") fb:like[a=b]",
    ),
    ("<x:p xmlns:x='http://www.w3.org/1999/xhtml'>t</x:p>", "p(\"t\")"),
    ("<p xml:lang='de' lang='fr'>t</p>", "p[lang=fr][xml:lang=de](\"t\")"),
    ("<template><p>t</p></template>", "template((p(\"t\")))"),
    (
        "<noscript><p>a<br/></p></noscript>b",
        "noscript(\"<p>a<br/></p>\") \"b\"",
    ),
    ("<p>one\r\ntwo\rthree</p>", "p(\"one\\ntwo\\nthree\")"),
];

#[test]
fn elements_are_read_as_xml() {
    for (body, expected) in BODIES {
        let found = read(&document(body)).unwrap_or_else(|error| panic!("{body}: {error}"));
        assert_eq!(body_of(&found), *expected, "{body}");
    }
}

/// (document, content of its body)
const DOCUMENTS: &[(&str, &str)] = &[
    (
        "<h:html xmlns:h='http://www.w3.org/1999/xhtml'><h:body><h:p>a</h:p></h:body></h:html>",
        "p(\"a\")",
    ),
    ("<html><body><script/>a</body></html>", "script \"a\""),
    (
        "\u{feff}<?xml version='1.0'?>\n<?xml-stylesheet href='x'?><!DOCTYPE html><!-- c --><html><body>a</body></html>\n<!-- d -->",
        "\"a\"",
    ),
    (
        "<!DOCTYPE html PUBLIC '-//W3C//DTD XHTML 1.0 Strict//EN' 'xhtml1-strict.dtd' [ <!ENTITY own 'my &#65; &amp; text'> <!ENTITY % p 'x'>\
      <!ENTITY file SYSTEM 'file:///etc/passwd'> <!ENTITY mark '<b/>'> ]><html><body>&own;|&file;|&mark;</body></html>",
        "\"&own;|&file;|&mark;\"",
    ),
    (
        "<!DOCTYPE html [<!ENTITY own 'my &#65; text'>]><html><body title='&own;'>&own;</body></html>",
        "\"my A text\"",
    ),
    // The body was cut.
    ("<html><body><p>a</p><p>b", "p(\"a\") p(\"b\")"),
    ("<html><body><p>a</p><p", "p(\"a\")"),
    ("<html><body><p>a</p><!-- b", "p(\"a\")"),
    ("<html><body>a</body></html> stray", "\"a\""),
];

#[test]
fn documents_are_read_with_their_prologue_and_their_entities() {
    for (xml, expected) in DOCUMENTS {
        let found = read(xml).unwrap_or_else(|error| panic!("{xml}: {error}"));
        assert_eq!(body_of(&found), *expected, "{xml}");
    }
}

#[test]
fn what_can_be_understood_in_two_ways_is_an_error() {
    for xml in [
        "<html><body><p>a<br>b</p></body></html>",
        "<html><body><b><i>a</b></i></body></html>",
        "<html><body a=b>a</body></html>",
        "<html><body a='1' a='2'>a</body></html>",
        "<html><body>a < b</body></html>",
        "<html><body>a<!b></body></html>",
        "text<html><body/></html>",
        "<html/><html/>",
        "<HTML><body/></HTML>",
        "<html xmlns='urn:other'><body/></html>",
        "<rss/>",
        "",
        "<html><body>\0</body></html>",
    ] {
        assert!(
            read(xml).is_err(),
            "{xml}: {:?}",
            read(xml).map(|found| body_of(&found))
        );
    }
}

#[test]
fn a_page_gives_the_same_tree_in_both_syntaxes() {
    let body = "<h1 id=\"a\">A</h1><p class=\"x\">b <a href=\"/c\">c</a></p><ul><li>d</li></ul>";
    let xml = document(body);
    let as_xml = parse_xhtml(&xml, Attributes::Read).unwrap();
    let as_html = parse_html(&xml, Attributes::Read);
    assert_eq!(body_of(&as_xml), body_of(&as_html));
}

#[test]
fn the_content_of_a_noscript_is_a_document_of_its_own() {
    let found = read(&document("<noscript><p>a</p></noscript>")).unwrap();
    assert_eq!(found.unscripted.len(), 1);
    assert_eq!(
        body_of(&Document {
            html: found.unscripted[0].clone(),
            ..found
        }),
        "p(\"a\")"
    );
}

#[test]
fn the_bounds_of_html_hold() {
    let deep = document(&("<div>".repeat(2000) + &"</div>".repeat(2000)));
    assert_eq!(read(&deep).unwrap().truncated, Some(Truncation::TooDeep));
    let attributes: String = (0..3000).map(|n| format!(" a{n}='b'")).collect();
    let flooded = document(&format!("<p{attributes}>a</p>"));
    assert_eq!(read(&flooded).unwrap().truncated, Some(Truncation::TooManyAttributes));
    // Each element declares its own prefixes, and every name is looked up among all of them.
    let prefixes: String = (0..1000).map(|n| format!(" xmlns:p{n}='u'")).collect();
    let nested = format!("<p{prefixes}>").repeat(400) + &"<q/>".repeat(200_000) + &"</p>".repeat(400);
    assert_eq!(
        read(&document(&nested)).unwrap().truncated,
        Some(Truncation::TooMuchWork)
    );
    let bomb = format!(
        "<!DOCTYPE html [<!ENTITY e '{}'>]><html><body>{}</body></html>",
        "x".repeat(200),
        "&e;".repeat(100_000)
    );
    let length: usize = body_of(&read(&bomb).unwrap()).len();
    assert!(length < 800_000, "{length}");
}
