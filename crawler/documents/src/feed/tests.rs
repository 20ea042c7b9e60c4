//! Feeds as their writers send them.

use super::*;

fn parts(text: &str) -> (String, Vec<String>) {
    let document = read(text).unwrap_or_else(|fault| panic!("{fault}: {text}"));
    let Content::Html(parts) = document.content else {
        panic!("no HTML")
    };
    (document.title, parts)
}

/// The entries of a channel with these items.
fn items(items: &str) -> Vec<String> {
    parts(&format!(
        "<rss version='2.0'><channel><title>T</title>{items}</channel></rss>"
    ))
    .1
}

/// An entry with the title `A`.
fn entry(heading: &str, text: &str) -> String {
    format!("<article><h2>{heading}</h2><div>{text}</div></article>")
}

#[test]
fn entries_of_rss_have_their_full_text_or_their_summary() {
    let (title, parts) = parts(
        "<?xml version='1.0'?><rss version='2.0'><channel><title>News &amp; more</title><link>http://a.example/</link>\
         <item><title>One</title><link>http://a.example/1</link><description>short</description>\
         <content:encoded><![CDATA[<p>The <b>whole</b> text</p>]]></content:encoded></item>\
         <item><title>Two</title><description>&lt;p&gt;only this&lt;/p&gt;</description></item></channel></rss>",
    );
    assert_eq!(title, "News & more");
    assert_eq!(
        parts,
        [
            entry("<a href=\"http://a.example/1\">One</a>", "<p>The <b>whole</b> text</p>"),
            entry("Two", "<p>only this</p>"),
        ]
    );
}

#[test]
fn entries_of_atom_have_text_html_or_xhtml() {
    let (title, parts) = parts(
        "<feed xmlns='http://www.w3.org/2005/Atom'><title>Blog</title>\
         <entry><title type='text'>a &lt; b</title><link rel='self' href='x'/><link href='/1'/>\
         <content type='xhtml'><div><p>One<br/>two</p></div></content></entry>\
         <entry><title>B</title><summary type='html'>&lt;i&gt;s&lt;/i&gt;</summary></entry></feed>",
    );
    assert_eq!(title, "Blog");
    assert_eq!(
        parts,
        [
            entry("<a href=\"/1\">a &lt; b</a>", "<div><p>One<br>two</p></div>"),
            entry("B", "<i>s</i>"),
        ]
    );
}

#[test]
fn a_feed_that_breaks_off_has_the_entries_before() {
    let (_, parts) = parts("<rss><channel><item><title>One</title></item><item><title>Two</tit");
    assert_eq!(parts.len(), 1);
    let cut = items("<item><title>Two</title><description>The text up to <b>here");
    assert_eq!(cut.len(), 1);
    assert!(cut[0].contains("The text up to <b>here"), "{cut:?}");
    assert!(read("<rss><channel").is_err());
    assert!(read("<urlset></urlset>").is_err());
    assert_eq!(
        super::read("<rss><channel></channel></rss>").unwrap().content.bytes(),
        0
    );
}

#[test]
fn an_id_is_the_link_of_an_entry_without_one() {
    let url = "<a href=\"http://a.example/g?a=1&amp;b=2\">A</a>";
    for (links, heading) in [
        ("<guid>http://a.example/g?a=1&amp;b=2</guid>", url),
        ("<guid isPermaLink='true'> http://a.example/g?a=1&amp;b=2\n</guid>", url),
        ("<link/><guid><![CDATA[http://a.example/g?a=1&b=2]]></guid>", url),
        ("<link> </link><guid>http://a.example/g?a=1&b=2</guid>", url),
        ("<guid isPermaLink='false'>http://a.example/g</guid>", "A"),
        ("<guid ispermalink='False'>http://a.example/g</guid>", "A"),
        ("<guid>tag:a.example,2026:1</guid>", "A"),
        ("<guid>8f14e45f</guid>", "A"),
        ("<guid>http://a.example/x</guid><link>/l</link>", "<a href=\"/l\">A</a>"),
        ("<link>http://a.example/g?a=1&b=2</link>", url),
        ("<link><![CDATA[ http://a.example/g?a=1&b=2 ]]></link>", url),
        ("<link href='http://a.example/g?a=1&b=2'/>", url),
        (
            "<atom:link rel='self' href='x'/><atom:link href='http://a.example/g?a=1&amp;b=2'/>",
            url,
        ),
        // A program for HTML wrote it.
        (
            "<link/>http://a.example/g?a=1&amp;b=2<guid>http://a.example/x</guid>",
            url,
        ),
    ] {
        assert_eq!(
            items(&format!("<item><title>A</title>{links}</item>")),
            [entry(heading, "")],
            "{links}"
        );
    }
    let about = "<rdf:RDF xmlns='http://purl.org/rss/1.0/'><channel><title>T</title></channel>\
                 <item rdf:about='http://a.example/1'><title>A</title></item></rdf:RDF>";
    assert_eq!(parts(about).1, [entry("<a href=\"http://a.example/1\">A</a>", "")]);
    let id = "<feed><entry><id>http://a.example/1</id><title>A</title></entry></feed>";
    assert_eq!(parts(id).1, [entry("<a href=\"http://a.example/1\">A</a>", "")]);
}

#[test]
fn html_that_nobody_escaped_is_html() {
    for (text, html) in [
        ("<p>One<br>two</p><p>three", "<p>One<br>two</p><p>three"),
        ("<p>One<br/>two<br></br></p>", "<p>One<br>two<br></p>"),
        ("<ul><li>One<li>two</ul>", "<ul><li>One<li>two</ul>"),
        ("a &amp;amp; b &amp;lt; c", "a &amp; b &lt; c"),
        (
            "Fish & chips &nbsp;caf&eacute; &T;",
            "Fish & chips &nbsp;caf&eacute; &T;",
        ),
        ("Don&#146;t &#8217; &#x2019; &#0;", "Don’t ’ ’ &#0;"),
        ("1 < 2 <b>x</b>", "1 < 2 <b>x</b>"),
        ("<p>1 < 2 &lt;b></p>", "<p>1 &lt; 2 &lt;b&gt;</p>"),
        (
            "<a href=/x class='y' onclick=z()>x</a>",
            "<a href=\"/x\" class=\"y\">x</a>",
        ),
        ("<![CDATA[<p>a]]>&lt;/p&gt;", "<p>a</p>"),
        ("<div><![CDATA[<p>a</p>]]></div>", "<div><p>a</p></div>"),
        ("<![CDATA[a]]]]><![CDATA[>b]]>", "a]]>b"),
        ("<xhtml:p>a</xhtml:p>", "<p>a</p>"),
        ("a<!-- <b> -->b<?x y?>c", "abc"),
        (
            "<html><head><title>x</title></head><body>y</body></html>",
            "<html><head><title>x</title></head><body>y</body></html>",
        ),
        ("</div>a</i>", "</div>a</i>"),
    ] {
        let found = items(&format!(
            "<item><title>A</title><description>{text}</description></item><item><title>B</title></item>"
        ));
        assert_eq!(found, [entry("A", html), entry("B", "")], "{text}");
    }
}

#[test]
fn an_element_without_its_end_costs_no_other_entry() {
    let second = entry("<a href=\"/2\">B</a>", "two");
    for first in [
        "<item><title>A<link>/1</link><description>one</description></item>",
        "<item><title>A</title><link>/1<description>one</description></item>",
        "<item><title>A</title><link>/1</link><description>one</item>",
        "<item><title>A</title><link>/1</link><description>one<pubDate>x</pubDate></item>",
        "<item><title>A</title><link>/1</link><category><description>one</description></item>",
        "<item><title>A</title><link>/1</link><description>one</description>",
        "<ITEM><Title>A</Title><LINK>/1</LINK><Description>one</Description></ITEM>",
        "<item><title>A</title></b></i><link>/1</link></wrong><description>one</description></item>",
    ] {
        let found = items(&format!(
            "{first}<item><title>B</title><link>/2</link><description>two</description></item>"
        ));
        assert_eq!(found, [entry("<a href=\"/1\">A</a>", "one"), second.clone()], "{first}");
    }
}

#[test]
fn what_is_around_a_feed_does_not_matter() {
    let body = "<channel><title>T</title><item><title>A</title></item></channel></rss>";
    for feed in [
        format!("\n\n <?xml version='1.0'?><rss>{body}"),
        format!("\u{feff}\u{feff}<rss>{body}"),
        format!("<br />\n<b>Warning</b>: session in <b>/x.php</b><br />\n<?xml version='1.0'?><rss>{body}"),
        format!("junk<rss>{body}<!-- 0.1 s --><script>x</script>"),
        format!(
            "<!DOCTYPE rss PUBLIC '-//Netscape Communications//DTD RSS 0.91//EN' 'http://x/rss-0.91.dtd'><rss version='0.91'>{body}"
        ),
        format!("<!DOCTYPE rss [<!ENTITY nbsp '&#160;'> <!ENTITY % a SYSTEM 'b'>]><rss>{body}"),
        format!("<?xml-stylesheet href='a>b'?><!-- x --><rss>{body}"),
        format!("<?xml version='1.0' encoding='utf-16'?><rss>{body}"),
        format!("<x:rss>{body}"),
    ] {
        assert_eq!(parts(&feed), ("T".to_owned(), vec![entry("A", "")]), "{feed}");
    }
}

#[test]
fn other_forms_of_content_are_read_or_left_out() {
    for (content, text) in [
        ("<content type='text'>1 &lt; 2</content>", "1 &lt; 2"),
        ("<content type='text/plain'>1 &lt; 2</content>", "1 &lt; 2"),
        (
            "<content type='text/html' mode='escaped'>&lt;b&gt;x&lt;/b&gt;</content>",
            "<b>x</b>",
        ),
        (
            "<content type='application/xhtml+xml' mode='xml'><b>x</b></content>",
            "<b>x</b>",
        ),
        (
            "<content type='image/png'>iVBORw0KGgo=</content><summary>s</summary>",
            "s",
        ),
        (
            "<content type='text/html' mode='base64'>PGI+</content><summary>s</summary>",
            "s",
        ),
        (
            "<content type='xhtml'><x:div><x:p>a &lt; b</x:p></x:div></content>",
            "<div><p>a &lt; b</p></div>",
        ),
        (
            "<content type='xhtml'><div><details><summary>s</summary>t</details></div></content>",
            "<div><details><summary>s</summary>t</details></div>",
        ),
        ("<content></content><summary>s</summary>", "s"),
        (
            "<media:group><media:title>x</media:title><media:description>d</media:description></media:group>",
            "d",
        ),
        (
            "<source><title>Other</title><link href='/o'/></source><summary>s</summary>",
            "s",
        ),
        (
            "<author><name>N</name><title>Dr</title></author><summary>s</summary>",
            "s",
        ),
    ] {
        let feed = format!("<feed><title>T</title><entry>{content}<title>A</title></entry></feed>");
        assert_eq!(parts(&feed).1, [entry("A", text)], "{content}");
    }
}

#[test]
fn files_comments_and_older_pages_are_links() {
    let document = read(
        "<rss><channel><title>T</title><link>http://a.example/</link><atom:link rel='self' href='/feed'/>\
         <atom:link rel='next' href='/feed?page=2'/><image><title>Logo</title><link>/logo</link></image>\
         <item><title>A</title><link>/1</link><comments>/1#c</comments><source url='http://b.example/feed'>B</source>\
         <enclosure url='/a.pdf' type='application/pdf'/><enclosure url='/a.mp3' type='audio/mpeg'/>\
         <atom:link rel='related' href='/r'/><atom:link rel='replies' type='application/atom+xml' href='/c'/></item></channel></rss>",
    )
    .unwrap();
    assert_eq!(
        document.links,
        [
            "http://a.example/",
            "/feed?page=2",
            "/1#c",
            "http://b.example/feed",
            "/a.pdf",
            "/r"
        ]
    );
}

#[test]
fn relative_links_are_seen_from_the_base_that_the_feed_declares() {
    let feed = "<feed xml:base='http://a.example/blog/'><title>T</title><link href='.'/>\
         <entry xml:base='2026/'><title>A</title><link href='x'/><link rel='enclosure' href='y.pdf'/>\
         <content xml:base='img/' type='html'>&lt;a href=z&gt;</content></entry>\
         <entry><title>B</title><link href='/b'/></entry></feed>";
    let document = read(feed).unwrap();
    assert_eq!(
        document.links,
        ["http://a.example/blog/", "http://a.example/blog/2026/y.pdf"]
    );
    assert_eq!(
        parts(feed).1,
        [
            format!(
                "<base href=\"http://a.example/blog/2026/img/\">{}",
                entry("<a href=\"http://a.example/blog/2026/x\">A</a>", "<a href=z>")
            ),
            format!(
                "<base href=\"http://a.example/blog/\">{}",
                entry("<a href=\"http://a.example/b\">B</a>", "")
            ),
        ]
    );
    let relative = "<feed xml:base='/blog/'><entry xml:base='x/'><title>A</title><link href='y'/></entry></feed>";
    assert_eq!(
        parts(relative).1,
        [format!("<base href=\"/blog/x/\">{}", entry("<a href=\"y\">A</a>", ""))]
    );
}

#[test]
fn titles_are_plain_text() {
    for (title, text) in [
        ("Caf&eacute; &amp;amp; bar", "Café &amp; bar"),
        ("&lt;b&gt;x&lt;/b&gt; y", "x y"),
        ("<![CDATA[<i>x</i>]]>", "x"),
        ("Vec&lt;T&gt;", "Vec&lt;T&gt;"),
        ("<b>x</b> y", "x y"),
    ] {
        assert_eq!(
            items(&format!("<item><title>{title}</title></item>")),
            [entry(text, "")],
            "{title}"
        );
    }
    let (title, _) =
        parts("<rss><channel><image><title>Logo</title></image><title>Caf&eacute; &#150; News</title></channel></rss>");
    assert_eq!(title, "Café – News");
}

#[test]
fn a_hostile_feed_takes_bounded_memory_and_linear_time() {
    for piece in [
        "<a>",
        "</a>",
        "<item>",
        "<title>",
        "<x y z>",
        "<description><p>",
        "<item xml:base='a'>",
        "&a",
        "<b b",
    ] {
        let feed = format!("<rss><channel>{}", piece.repeat(200_000));
        match read(&feed) {
            Ok(document) => assert!(document.content.bytes() <= feed.len() * 3, "{piece}"),
            Err(fault) => assert!(matches!(fault, Fault::Broken(_)), "{piece}"),
        }
    }
}
