//! The format of bytes: what their header declares, where the bytes agree, and else what the bytes are (WHATWG MIME Sniffing, section 7).

use documents::{Kind, Kinds};

use crate::content_type::is_xml;
use crate::decode::{Decoded, Syntax};
use crate::not_a_page::NotAPage;
use crate::parse::{self, Attributes, Document};
use crate::sniff::{holds_tag_near, is_xhtml, is_xml_declaration, looks_like_html, media_type_of_binary};

/// The format of a page.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Format {
    Html,
    /// HTML in the syntax of XML.
    Xhtml,
    Document(Kind),
}

impl Format {
    /// The format of bytes with this media type, in lower case, where these documents are pages.
    ///
    /// # Errors
    /// The bytes are not a page.
    pub(crate) fn of(declared: Option<&str>, bytes: &[u8], documents: Kinds) -> Result<Self, NotAPage> {
        match declared {
            None => of_undeclared(bytes, documents),
            Some("text/html") => of_declared_html(bytes, documents),
            Some(declared) if is_xml(declared) => of_declared_xml(declared, bytes, documents),
            Some(declared) => of_declared(declared, bytes, documents),
        }
    }

    /// Whether it is XML.
    pub(crate) fn is_xml(self) -> bool {
        matches!(self, Self::Xhtml | Self::Document(Kind::Feed))
    }

    /// How its bytes declare their encoding.
    pub(crate) fn syntax(self) -> Syntax {
        if self.is_xml() { Syntax::Xml } else { Syntax::Html }
    }

    /// The tree of a page of this format. What is no XHTML is read as HTML: browsers show an error, and a crawl wants the text.
    pub(crate) fn parse(self, decoded: &Decoded<'_>, attributes: Attributes) -> Document {
        let xhtml = (self == Self::Xhtml).then(|| parse::parse_xhtml(&decoded.text, attributes));
        let document = match xhtml {
            Some(Ok(document)) => document,
            Some(Err(reason)) => {
                tracing::debug!(%reason, "XHTML is read as HTML");
                parse::parse(&decoded.text, attributes)
            }
            None => parse::parse(&decoded.text, attributes),
        };
        document.decoded_from(decoded.encoding)
    }
}

/// The format of bytes whose type nothing declares (section 7.1).
fn of_undeclared(bytes: &[u8], documents: Kinds) -> Result<Format, NotAPage> {
    if let Some(kind) = Kind::of_bytes(bytes).filter(|kind| documents.contains(*kind)) {
        return Ok(Format::Document(kind));
    }
    if is_xml_declaration(bytes) {
        let is_page = is_xhtml(bytes).then_some(Format::Xhtml);
        return is_page.ok_or_else(|| NotAPage::MediaType("text/xml".to_owned()));
    }
    // The standard takes the others for plain text. But programs write texts and comments of their own before a page.
    let is_html = looks_like_html(bytes) || holds_tag_near(bytes) || bytes.trim_ascii().is_empty();
    let is_text = !is_html && documents.contains(Kind::Text);
    Ok(if is_text {
        Format::Document(Kind::Text)
    } else {
        Format::Html
    })
}

/// The format of bytes that are declared as `text/html`: HTML, or a feed (section 7.3). Only the root makes it one: HTML may speak of feeds.
fn of_declared_html(bytes: &[u8], documents: Kinds) -> Result<Format, NotAPage> {
    if Kind::of_bytes(bytes) != Some(Kind::Feed) {
        return Ok(Format::Html);
    }
    let feed = documents.contains(Kind::Feed).then_some(Format::Document(Kind::Feed));
    feed.ok_or_else(|| NotAPage::OtherBytes {
        declared: "text/html".to_owned(),
        found: "a feed",
    })
}

/// The format of XML of any type: the root tells it. Most XML is neither a feed nor a page.
fn of_declared_xml(declared: &str, bytes: &[u8], documents: Kinds) -> Result<Format, NotAPage> {
    if documents.contains(Kind::Feed) && Kind::Feed.fits(bytes) {
        return Ok(Format::Document(Kind::Feed));
    }
    match declared {
        _ if is_xhtml(bytes) => Ok(Format::Xhtml),
        // Servers declare HTML so for browsers that accept it.
        "application/xhtml+xml" => Ok(Format::Html),
        _ => Err(NotAPage::MediaType(declared.to_owned())),
    }
}

/// The format of another declared type. The bytes must be of its kind.
fn of_declared(declared: &str, bytes: &[u8], documents: Kinds) -> Result<Format, NotAPage> {
    let kind = Kind::of_media_type(declared).filter(|kind| documents.contains(*kind));
    let kind = kind.ok_or_else(|| NotAPage::MediaType(declared.to_owned()))?;
    if kind.fits(bytes) {
        return Ok(Format::Document(kind));
    }
    Err(NotAPage::OtherBytes {
        declared: declared.to_owned(),
        found: match media_type_of_binary(bytes) {
            Some(found) => found,
            None if looks_like_html(bytes) => "text/html",
            None => "another type",
        },
    })
}

#[cfg(test)]
mod tests;
