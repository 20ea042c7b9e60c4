//! The formats of the protocol, and files that are none.

use std::io::Write;

use flate2::Compression;
use flate2::write::GzEncoder;
use proptest::prelude::*;

use super::*;

const ALL: usize = usize::MAX;

fn gzip(body: &[u8]) -> Vec<u8> {
    let mut encoder = GzEncoder::new(Vec::new(), Compression::fast());
    encoder.write_all(body).unwrap();
    encoder.finish().unwrap()
}

fn urlset(inside: &str) -> String {
    format!(
        "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<urlset xmlns=\"http://www.sitemaps.org/schemas/sitemap/0.9\">{inside}</urlset>\n"
    )
}

/// A sitemap in which nothing was amiss.
fn whole(format: SitemapFormat, locations: &[&str]) -> ParsedSitemap {
    let locations = locations.iter().map(|location| (*location).to_owned()).collect();
    let sitemap = match format {
        SitemapFormat::Index => Sitemap::Index(locations),
        _ => Sitemap::Urls(locations),
    };
    ParsedSitemap {
        sitemap,
        format: Some(format),
        skipped: 0,
        truncated: false,
        broken: None,
    }
}

fn locations(body: &[u8], max_urls: usize) -> Vec<String> {
    parse_sitemap(body, max_urls).sitemap.locations().to_vec()
}

#[test]
fn a_urlset_names_pages() {
    let body = urlset(
        "<url><loc> https://a.example/1 </loc><lastmod>2024-01-01</lastmod></url>
         <!-- <url><loc>https://a.example/no</loc></url> -->
         <url><loc><![CDATA[https://a.example/2?a=1&b=2]]></loc></url>
         <url><loc>https://a.example/3?a=1&amp;b=&#x32;&#50;</loc></url>",
    );
    assert_eq!(
        parse_sitemap(body.as_bytes(), ALL),
        whole(
            SitemapFormat::UrlSet,
            &[
                "https://a.example/1",
                "https://a.example/2?a=1&b=2",
                "https://a.example/3?a=1&b=22"
            ]
        )
    );
}

#[test]
fn an_index_names_sitemaps() {
    let body = "<sitemapindex><sitemap><loc>https://a.example/1.xml.gz</loc></sitemap><sitemap><loc>/2.xml</loc></sitemap></sitemapindex>";
    let sitemap = parse_sitemap(body.as_bytes(), ALL);
    assert!(matches!(sitemap.sitemap, Sitemap::Index(_)));
    assert_eq!(
        sitemap,
        whole(SitemapFormat::Index, &["https://a.example/1.xml.gz", "/2.xml"])
    );
}

#[test]
fn locations_of_extensions_are_not_pages() {
    let body = "<s:urlset xmlns:s='x' xmlns:image='y'><s:url><s:loc>https://a.example/1</s:loc>
        <image:image><image:loc>https://a.example/1.png</image:loc></image:image><image:loc>https://a.example/2.png</image:loc>
        <video><loc>https://a.example/3.mp4</loc></video></s:url><s:loc>https://a.example/astray</s:loc></s:urlset>";
    assert_eq!(
        parse_sitemap(body.as_bytes(), ALL),
        whole(SitemapFormat::UrlSet, &["https://a.example/1"])
    );
}

#[test]
fn a_raw_ampersand_is_accepted() {
    let body = urlset("<url><loc>https://a.example/?a=1&b=2&copy;&c</loc></url>");
    assert_eq!(
        parse_sitemap(body.as_bytes(), ALL),
        whole(SitemapFormat::UrlSet, &["https://a.example/?a=1&b=2&copy;&c"])
    );
}

#[test]
fn entities_of_the_document_type_are_never_expanded() {
    let body = "<!DOCTYPE urlset [<!ENTITY a \"https://a.example/\"><!ENTITY b \"&a;&a;&a;\"><!ENTITY x SYSTEM \"file:///etc/passwd\">]>
        <urlset><url><loc>&b;</loc></url><url><loc>&x;</loc></url></urlset>";
    assert_eq!(locations(body.as_bytes(), ALL), ["&b;", "&x;"]);
}

#[test]
fn rss_names_the_link_of_each_item() {
    let body = "<rss version='2.0' xmlns:atom='http://www.w3.org/2005/Atom'><channel><link>https://a.example/</link>
        <atom:link href='https://a.example/feed' rel='self'/><item><title>x</title><link>https://a.example/1</link>
        <atom:link href='https://a.example/no'/><guid>https://a.example/g</guid></item><item><link>/2</link></item></channel></rss>";
    assert_eq!(
        parse_sitemap(body.as_bytes(), ALL),
        whole(SitemapFormat::Rss, &["https://a.example/1", "/2"])
    );
    let rdf = "<rdf:RDF xmlns:rdf='x'><channel><link>/home</link></channel><item><link>/1</link></item></rdf:RDF>";
    assert_eq!(parse_sitemap(rdf.as_bytes(), ALL), whole(SitemapFormat::Rss, &["/1"]));
}

#[test]
fn atom_names_the_alternate_link_of_each_entry() {
    let body = "<feed xmlns='http://www.w3.org/2005/Atom'><link href='https://a.example/'/><entry>
        <link rel='self' href='/self'/><link rel='alternate' href='https://a.example/1?a=1&amp;b=2'/></entry>
        <entry><link href='/2'></link></entry></feed>";
    assert_eq!(
        parse_sitemap(body.as_bytes(), ALL),
        whole(SitemapFormat::Atom, &["https://a.example/1?a=1&b=2", "/2"])
    );
}

#[test]
fn plain_text_names_a_page_a_line() {
    let body = "\u{feff}https://a.example/1\r\n\n  HTTP://a.example/2  \nftp://a.example/3\nhello\nhttps://a.example/4";
    let expected = whole(
        SitemapFormat::Text,
        &["https://a.example/1", "HTTP://a.example/2", "https://a.example/4"],
    );
    assert_eq!(
        parse_sitemap(body.as_bytes(), ALL),
        ParsedSitemap { skipped: 2, ..expected }
    );
}

#[test]
fn gzip_is_recognised_by_its_first_bytes() {
    let body = urlset("<url><loc>https://a.example/1</loc></url>");
    let expected = whole(SitemapFormat::UrlSet, &["https://a.example/1"]);
    assert_eq!(parse_sitemap(&gzip(body.as_bytes()), ALL), expected);
    // Two members one after another are one file (RFC 1952 §2.2).
    let (first, second) = body.as_bytes().split_at(100);
    assert_eq!(parse_sitemap(&[gzip(first), gzip(second)].concat(), ALL), expected);
}

#[test]
fn other_encodings_are_read_by_mark_or_declaration() {
    let inside = "<urlset><url><loc>https://a.example/ü</loc></url></urlset>";
    let utf16: Vec<u8> = format!("\u{feff}{inside}")
        .encode_utf16()
        .flat_map(u16::to_be_bytes)
        .collect();
    let latin1: Vec<u8> = format!("<?xml version='1.0' encoding='iso-8859-1'?>{inside}")
        .chars()
        .map(|c| u8::try_from(c).unwrap())
        .collect();
    for body in [utf16, latin1] {
        assert_eq!(
            parse_sitemap(&body, ALL),
            whole(SitemapFormat::UrlSet, &["https://a.example/ü"])
        );
    }
}

#[test]
fn damaged_xml_keeps_the_urls_before_the_damage() {
    let first = "<urlset><url><loc>https://a.example/1</loc></url>";
    for rest in [
        "",
        "<url><loc>https://a.ex",
        "</url></urlset>",
        "<url",
        "<url><loc>x</url>",
        "<!-- ",
        "<![CDATA[",
        "<url a='",
    ] {
        let sitemap = parse_sitemap(format!("{first}{rest}").as_bytes(), ALL);
        assert_eq!(sitemap.sitemap.locations(), ["https://a.example/1"], "{rest}");
        assert!(sitemap.broken.is_some(), "{rest}");
    }
}

#[test]
fn a_truncated_gzip_keeps_the_urls_before_its_end() {
    let entries: String = (0..5_000)
        .map(|n| format!("<url><loc>https://a.example/{}</loc></url>", n * 7_919))
        .collect();
    let body = gzip(urlset(&entries).as_bytes());
    let sitemap = parse_sitemap(&body[..body.len() / 2], ALL);
    assert!(sitemap.sitemap.locations().len() > 1_000 && sitemap.broken.is_some());
}

#[test]
fn a_file_that_is_not_a_sitemap_is_an_error() {
    for (body, reason) in [
        (
            "<!doctype html><html><body>404</body></html>",
            "<html> is not a sitemap",
        ),
        ("", "it contains neither markup nor a URL"),
        ("{\"error\": 404}", "it contains neither markup nor a URL"),
        ("<?xml version='1.0'?>", "it contains no element"),
    ] {
        let sitemap = parse_sitemap(body.as_bytes(), ALL);
        assert_eq!(
            (sitemap.format, sitemap.broken.as_deref()),
            (None, Some(reason)),
            "{body}"
        );
    }
    assert!(parse_sitemap(b"\x1f\x8bnot gzip", ALL).broken.is_some());
}

#[test]
fn the_number_of_urls_is_bounded() {
    let entries: String = (0..MAX_SITEMAP_URLS + 1)
        .map(|n| format!("<url><loc>http://a/{n}</loc></url>"))
        .collect();
    let lines: String = (0..MAX_SITEMAP_URLS + 1).map(|n| format!("http://a/{n}\n")).collect();
    for body in [urlset(&entries), lines] {
        let sitemap = parse_sitemap(body.as_bytes(), ALL);
        assert_eq!(
            (sitemap.sitemap.locations().len(), sitemap.truncated, sitemap.broken),
            (MAX_SITEMAP_URLS, true, None)
        );
        assert_eq!(locations(body.as_bytes(), 2), ["http://a/0", "http://a/1"]);
    }
    assert!(!parse_sitemap(b"http://a/0\nhttp://a/1", 2).truncated);
}

#[test]
fn a_url_that_is_too_long_is_skipped() {
    let long = format!("https://a.example/{}", "x".repeat(MAX_LOCATION_BYTES));
    let xml = urlset(&format!(
        "<url><loc>{long}</loc></url><url><loc/></url><url><loc>https://a.example/1</loc></url>"
    ));
    let sitemap = parse_sitemap(xml.as_bytes(), ALL);
    assert_eq!(
        (sitemap.sitemap.locations(), sitemap.skipped),
        (["https://a.example/1".to_owned()].as_slice(), 2)
    );
    let sitemap = parse_sitemap(
        format!("{long}\n{}\nhttps://a.example/1", &long[..MAX_LOCATION_BYTES]).as_bytes(),
        ALL,
    );
    assert_eq!((sitemap.sitemap.locations().len(), sitemap.skipped), (2, 1));
}

#[test]
fn a_gzip_bomb_ends_at_the_limit_with_the_urls_before() {
    let head = "<urlset><url><loc>https://a.example/1</loc></url>";
    let filling = format!("<!--{}-->", " ".repeat(1_017)).repeat(MAX_SITEMAP_BYTES / 1_024 + 1);
    let sitemap = parse_sitemap(&gzip(format!("{head}{filling}").as_bytes()), ALL);
    assert_eq!(sitemap.sitemap.locations(), ["https://a.example/1"]);
    assert_eq!(sitemap.broken.as_deref(), Some("longer than 52428800 bytes"));
    // A single token without end is given up long before.
    for start in ["", "<!--", "<url a='", "<![CDATA[", "<url><loc>", "<!DOCTYPE ", "<?pi "] {
        let body = [head.as_bytes(), start.as_bytes(), &b" ".repeat(5 * 1024 * 1024)].concat();
        let sitemap = parse_sitemap(&gzip(&body), ALL);
        assert_eq!(sitemap.sitemap.locations(), ["https://a.example/1"]);
        assert_eq!(
            sitemap.broken.as_deref(),
            Some("a tag or text longer than 4194304 bytes"),
            "{start}"
        );
    }
}

#[test]
fn endless_nesting_is_an_error() {
    let sitemap = parse_sitemap(format!("<urlset>{}", "<url>".repeat(100_000)).as_bytes(), ALL);
    assert_eq!(sitemap.broken.as_deref(), Some("elements more than 64 deep"));
}

#[test]
fn an_endless_element_name_is_an_error() {
    let name = "x".repeat(1_000);
    let parsed = parse_sitemap(
        format!("<urlset><url><loc>/1</loc></url><{name}></{name}></urlset>").as_bytes(),
        ALL,
    );
    assert_eq!(parsed.sitemap.locations(), ["/1"]);
    assert!(
        parsed
            .broken
            .is_some_and(|reason| reason.ends_with("…> has a name longer than 256 bytes"))
    );
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(20_000))]

    #[test]
    fn any_bytes_can_be_parsed(body: Vec<u8>) {
        let sitemap = parse_sitemap(&body, 10);
        prop_assert!(sitemap.sitemap.locations().len() <= 10);
    }

    #[test]
    fn any_markup_can_be_parsed(pieces in prop::collection::vec(prop::sample::select(vec![
        "<urlset>", "<url>", "<loc>", "</loc>", "</url>", "</urlset>", "<feed>", "<entry>", "<link href='", "'/>", "&amp;", "&#0;",
        "&#x110000;", "&", ";", "<![CDATA[", "]]>", "<!--", "-->", "<?xml ?>", "<!DOCTYPE [", "http://a/", " ", "\n", "\0", "é", "<", ">", "</",
    ]), 0..40)) {
        let body = format!("<urlset>{}", pieces.concat());
        prop_assert_eq!(parse_sitemap(body.as_bytes(), 10), parse_sitemap(&gzip(body.as_bytes()), 10));
    }
}

#[test]
fn alternates_in_other_languages_are_pages_too() {
    let body = "<urlset xmlns='http://www.sitemaps.org/schemas/sitemap/0.9' xmlns:xhtml='http://www.w3.org/1999/xhtml'>
        <url><loc>/en/</loc><xhtml:link rel='alternate' hreflang='de' href='/de/?a=1&amp;b=2'/>
        <xhtml:link rel='alternate' hreflang='en' href='/en/'/><xhtml:link href=' /fr/ ' rel='alternate'></xhtml:link>
        <xhtml:link rel='canonical' href='/canonical'/><xhtml:link rel='alternate' hreflang='es'/></url>
        <url><link rel='alternate' href='/it/'/><loc>/en/2</loc><x:image><xhtml:link rel='alternate' href='/inside'/></x:image></url>
        <xhtml:link rel='alternate' href='/outside'/></urlset>";
    let expected = ["/en/", "/en/2", "/de/?a=1&b=2", "/fr/", "/it/"];
    assert_eq!(
        parse_sitemap(body.as_bytes(), ALL),
        whole(SitemapFormat::UrlSet, &expected)
    );
    let cut = parse_sitemap(body.as_bytes(), 3);
    assert_eq!(
        (cut.sitemap.locations(), cut.truncated),
        (&["/en/", "/en/2", "/de/?a=1&b=2"].map(str::to_owned)[..], true)
    );
    // The pages that a sitemap names go before the alternates of the first ones.
    let cut = parse_sitemap(body.as_bytes(), 2);
    assert_eq!(cut.sitemap.locations(), ["/en/", "/en/2"]);
}

#[test]
fn alternates_without_end_are_bounded() {
    let alternates: String = (0..300_000)
        .map(|n| format!("<l:link rel='alternate' href='/{n}'/>"))
        .collect();
    let parsed = parse_sitemap(urlset(&format!("<url><loc>/</loc>{alternates}</url>")).as_bytes(), ALL);
    assert_eq!(
        (parsed.sitemap.locations().len(), parsed.truncated, parsed.broken),
        (MAX_SITEMAP_URLS, true, None)
    );
}
