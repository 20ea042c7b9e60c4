use http::HeaderMap;
use http::header::CONTENT_TYPE;
use url::Url;

use super::*;
use crate::{Documents, Favor, Options, Page};

const PAGE: &str = "<!DOCTYPE html><title>T</title><p>Words of a page.</p><a href=/next>on</a>";
const XHTML: &str = "<?xml version=\"1.0\"?><!DOCTYPE html><html xmlns=\"http://www.w3.org/1999/xhtml\"><head><title/></head>\
                     <body><script/><p>Words of a page.</p><a href=\"/next\">on</a></body></html>";
const RSS: &str = "<?xml version='1.0'?><!-- > --><rss version='2.0'><channel><title>F</title><item><title>Words of a page.</title>\
                   <link>http://example.org/next</link></item></channel></rss>";

fn read(content_type: Option<&str>, body: &[u8]) -> Result<Page, NotAPage> {
    let headers: HeaderMap = content_type
        .into_iter()
        .map(|value| (CONTENT_TYPE, value.parse().unwrap()))
        .collect();
    let options = Options {
        agent: "mybot",
        embedded: false,
        max_text_bytes: 1 << 20,
        extract: None,
        favor: Favor::default(),
        documents: Documents::in_this_thread(),
        markdown: None,
        metadata: None,
    };
    let url = Url::parse("http://example.org/").unwrap();
    let page = crate::read(body, &headers, &url, &options)?;
    assert!(
        crate::is_page(&headers, options.documents.kinds),
        "{content_type:?} is not fetched"
    );
    Ok(page)
}

/// (content type, body, format): by MIME Sniffing, section 7, where no reason is given.
const BODIES: &[(Option<&str>, &str, Result<Format, &str>)] = &[
    // Nothing is declared, so the bytes decide.
    (None, PAGE, Ok(Format::Html)),
    (Some("*/*"), PAGE, Ok(Format::Html)),
    (Some("unknown/unknown"), PAGE, Ok(Format::Html)),
    (Some("application/unknown"), PAGE, Ok(Format::Html)),
    (Some("html"), PAGE, Ok(Format::Html)),
    (Some(""), PAGE, Ok(Format::Html)),
    (Some("\"text/html\""), PAGE, Ok(Format::Html)),
    (Some("text/html charset=utf-8"), PAGE, Ok(Format::Html)),
    (Some("text/html, text/html"), PAGE, Ok(Format::Html)),
    (Some("text/plain, text/html; charset=utf-8"), PAGE, Ok(Format::Html)),
    (Some("text/html; charset=x; charset=y"), PAGE, Ok(Format::Html)),
    (Some("*/*"), "\n\t<BODY>words", Ok(Format::Html)),
    (Some("*/*"), "<!-- --> words", Ok(Format::Html)),
    (Some("*/*"), XHTML, Ok(Format::Xhtml)),
    (Some("*/*"), RSS, Ok(Format::Document(Kind::Feed))),
    (Some("*/*"), "Words of a text.", Ok(Format::Document(Kind::Text))),
    (Some("*/*"), "{\"a\": \"b\"}", Ok(Format::Document(Kind::Text))),
    (
        Some("*/*"),
        "<?xml version='1.0'?><urlset/>",
        Err("content type text/xml"),
    ),
    (Some("*/*"), "GIF89a\u{1}\0\0", Err("no content type, and not text")),
    // Not in the standard: a mark does not hide the page, nor does a text before it.
    (Some("*/*"), "\u{feff}<!DOCTYPE html>words", Ok(Format::Html)),
    (Some("*/*"), "Notice: x <br /><html>words", Ok(Format::Html)),
    (Some("*/*"), " \n", Ok(Format::Html)),
    // A feed is often declared as HTML (7.3).
    (Some("text/html"), RSS, Ok(Format::Document(Kind::Feed))),
    (
        Some("text/html; charset=utf-8"),
        "\u{feff} <!-- --><?x?><feed xmlns='http://www.w3.org/2005/Atom'><entry><title>A</title></entry></feed>",
        Ok(Format::Document(Kind::Feed)),
    ),
    (Some("text/html"), "<p>words <rss></rss>", Ok(Format::Html)),
    (Some("text/html"), "<feedback>words</feedback>", Ok(Format::Html)),
    (
        Some("text/html"),
        "<rdf:RDF xmlns:x='urn:x'>words</rdf:RDF>",
        Ok(Format::Html),
    ),
    // A declared HTML page stays HTML, whatever it declares itself.
    (Some("text/html"), XHTML, Ok(Format::Html)),
    (Some("text/html"), "Words without a tag.", Ok(Format::Html)),
    // XML of any type is a page if its root is.
    (Some("application/xhtml+xml"), XHTML, Ok(Format::Xhtml)),
    (Some("text/xml"), XHTML, Ok(Format::Xhtml)),
    (Some("application/xml; charset=utf-8"), XHTML, Ok(Format::Xhtml)),
    (Some("application/vnd.wap.xhtml+xml"), XHTML, Ok(Format::Xhtml)),
    (Some("image/svg+xml"), XHTML, Ok(Format::Xhtml)),
    (
        Some("text/xml"),
        "<h:html xmlns:h='http://www.w3.org/1999/xhtml'/>",
        Ok(Format::Xhtml),
    ),
    (
        Some("text/xml"),
        "<!DOCTYPE html [<!ENTITY a '>'>]><html/>",
        Ok(Format::Xhtml),
    ),
    (Some("text/xml"), RSS, Ok(Format::Document(Kind::Feed))),
    (Some("application/xhtml+xml"), RSS, Ok(Format::Document(Kind::Feed))),
    (Some("text/xml"), "<urlset/>", Err("content type text/xml")),
    (
        Some("image/svg+xml"),
        "<svg xmlns='http://www.w3.org/2000/svg'/>",
        Err("content type image/svg+xml"),
    ),
    (Some("text/xml"), "<p>no root", Err("content type text/xml")),
    // Servers send HTML as XHTML to browsers that accept it.
    (Some("application/xhtml+xml"), "<p>words", Ok(Format::Html)),
    // Other types are what they say.
    (Some("text/plain"), PAGE, Ok(Format::Document(Kind::Text))),
    (Some("text/plain"), RSS, Ok(Format::Document(Kind::Text))),
    (
        Some("application/pdf"),
        PAGE,
        Err("declared application/pdf, but the bytes are text/html"),
    ),
    (
        Some("application/octet-stream"),
        PAGE,
        Err("content type application/octet-stream"),
    ),
    (
        Some("text/html, application/json"),
        PAGE,
        Err("content type application/json"),
    ),
];

#[test]
fn the_declared_type_and_the_bytes_tell_the_format() {
    for (content_type, body, expected) in BODIES {
        let declared = content_type.and_then(crate::content_type::media_type);
        let format = Format::of(declared.as_deref(), body.as_bytes(), Kinds::ALL);
        let page = read(*content_type, body.as_bytes());
        let found = match (format, &page) {
            (Ok(format), Ok(page)) => {
                assert_eq!(
                    page.kind,
                    match format {
                        Format::Document(kind) => Some(kind),
                        Format::Html | Format::Xhtml => None,
                    }
                );
                Ok(format)
            }
            (_, Err(reason)) => Err(reason.to_string()),
            (Err(reason), Ok(_)) => panic!("{content_type:?} {body}: {reason}"),
        };
        assert_eq!(
            found.as_ref().map_err(String::as_str),
            expected.as_ref().map_err(|e| *e),
            "{content_type:?} {body}"
        );
    }
}

#[test]
fn the_text_and_the_links_are_the_same_in_each_format() {
    for (content_type, body) in [("*/*", PAGE), ("text/xml", XHTML), ("text/html", RSS)] {
        let page = read(Some(content_type), body.as_bytes()).unwrap();
        assert!(page.text.contains("Words of a page."), "{content_type}: {}", page.text);
        let links: Vec<&str> = page.outlinks.iter().map(|link| link.url.as_str()).collect();
        assert_eq!(links, ["http://example.org/next"], "{content_type}");
    }
}

#[test]
fn what_is_no_xhtml_is_read_as_html() {
    for body in [
        "<html xmlns='http://www.w3.org/1999/xhtml'><p>Words<br>of a page.</p></html>",
        "<HTML><P>Words<BR>of a page.</HTML>",
        "<html><p>Words <b>of <i>a page.</b></i></p></html>",
        "<html><p a=b>Words of a page.</p></html>",
    ] {
        let page = read(Some("application/xhtml+xml"), body.as_bytes()).unwrap();
        assert!(page.text.contains("of a page."), "{body}: {}", page.text);
    }
}

#[test]
fn a_feed_that_cannot_be_read_as_one_is_read_as_declared() {
    let page = read(Some("text/html"), b"<rss <p>Words of a page.</p>").unwrap();
    assert!(
        page.kind.is_none() && page.text.contains("Words of a page."),
        "{page:?}"
    );
}

#[test]
fn xhtml_declares_its_encoding_as_xml() {
    let source = |head: &str| {
        let text = format!(
            "{head}<html xmlns='http://www.w3.org/1999/xhtml'><head><meta charset='koi8-r'/></head><body><p>Привет, мир</p></body></html>"
        );
        encoding_rs::WINDOWS_1251.encode(&text).0.into_owned()
    };
    let body = source("<?xml version='1.0' encoding='windows-1251'?>");
    let page = read(Some("application/xhtml+xml"), &body).unwrap();
    assert_eq!((page.encoding, page.text.as_str()), ("windows-1251", "Привет, мир"));
    let utf16: Vec<u8> = [0xff, 0xfe]
        .into_iter()
        .chain(
            "<html><body><p>Привет</p></body></html>"
                .encode_utf16()
                .flat_map(u16::to_le_bytes),
        )
        .collect();
    let page = read(Some("text/xml"), &utf16).unwrap();
    assert_eq!((page.encoding, page.text.as_str()), ("UTF-16LE", "Привет"));
}
