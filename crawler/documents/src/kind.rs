//! The kinds of documents, by media type and by first bytes. The name of a file is no evidence.

use memchr::memmem;
use serde::{Deserialize, Serialize};

/// A kind of document that is not HTML.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Kind {
    /// PDF.
    Pdf,
    /// Word documents in Office Open XML (ECMA-376).
    Docx,
    /// EPUB 2 and 3.
    Epub,
    /// Markdown (RFC 7763).
    Markdown,
    /// RSS and Atom: the entries of a feed.
    Feed,
    /// Plain text. It needs no reader of this crate.
    Text,
}

/// A PDF file may begin with other bytes (ISO 32000-1, Annex H.3, note 13).
const PDF_HEADER_WITHIN: usize = 1_024;

/// The root of a feed is searched in so many bytes.
const ROOT_WITHIN: usize = 4_096;

impl Kind {
    /// All kinds.
    pub const ALL: [Self; 6] = [
        Self::Pdf,
        Self::Docx,
        Self::Epub,
        Self::Markdown,
        Self::Feed,
        Self::Text,
    ];

    /// Its name in the configuration.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Pdf => "pdf",
            Self::Docx => "docx",
            Self::Epub => "epub",
            Self::Markdown => "markdown",
            Self::Feed => "feed",
            Self::Text => "text",
        }
    }

    /// The registered media type.
    #[must_use]
    pub fn media_type(self) -> &'static str {
        match self {
            Self::Pdf => "application/pdf",
            Self::Docx => "application/vnd.openxmlformats-officedocument.wordprocessingml.document",
            Self::Epub => "application/epub+zip",
            Self::Markdown => "text/markdown",
            Self::Feed => "application/atom+xml",
            Self::Text => "text/plain",
        }
    }

    /// The kind that a media type, in lower case, declares. Feeds are often declared as XML.
    #[must_use]
    pub fn of_media_type(media_type: &str) -> Option<Self> {
        Some(match media_type {
            "application/pdf" | "application/x-pdf" => Self::Pdf,
            "application/vnd.openxmlformats-officedocument.wordprocessingml.document"
            | "application/vnd.openxmlformats-officedocument.wordprocessingml.template"
            | "application/vnd.ms-word.document.macroenabled.12"
            | "application/vnd.ms-word.template.macroenabled.12" => Self::Docx,
            "application/epub+zip" => Self::Epub,
            "text/markdown" | "text/x-markdown" => Self::Markdown,
            "application/atom+xml" | "application/rss+xml" | "application/rdf+xml" | "application/xml" | "text/xml" => {
                Self::Feed
            }
            "text/plain" => Self::Text,
            _ => return None,
        })
    }

    /// The kind of bytes whose type nothing declares; `None` for text, HTML and everything else. Markdown and plain text have no mark.
    #[must_use]
    pub fn of_bytes(bytes: &[u8]) -> Option<Self> {
        let marked = [Self::Pdf, Self::Docx, Self::Epub, Self::Feed];
        let begins = |kind: &Self| match kind {
            Self::Pdf => bytes.starts_with(b"%PDF-"),
            Self::Feed => is_feed(bytes),
            _ => kind.fits(bytes),
        };
        marked.into_iter().find(begins)
    }

    /// Whether bytes that are declared as this kind have its mark.
    #[must_use]
    pub fn fits(self, bytes: &[u8]) -> bool {
        match self {
            Self::Pdf => memmem::find(&bytes[..bytes.len().min(PDF_HEADER_WITHIN)], b"%PDF-").is_some(),
            // The names of the files in a package are not compressed.
            Self::Docx => {
                is_zip(bytes)
                    && [&b"word/"[..], b"word\\", b"Word/"]
                        .iter()
                        .any(|folder| memmem::find(bytes, folder).is_some())
                    && !is_epub(bytes)
            }
            Self::Epub => is_epub(bytes),
            Self::Feed => is_declared_feed(bytes),
            Self::Markdown | Self::Text => true,
        }
    }

    /// Whether a hostile file of this kind can ask for much time and memory, so that a process of its own reads it.
    #[must_use]
    pub fn is_dangerous(self) -> bool {
        matches!(self, Self::Pdf | Self::Docx | Self::Epub)
    }
}

fn is_zip(bytes: &[u8]) -> bool {
    bytes.starts_with(b"PK\x03\x04")
}

/// The first file of the package has the type in plain (EPUB 3.3, section 4.2). Some programs put it elsewhere, or spell the name of the
/// container otherwise. Books of the Open eBook format have only a package file. The directory of the package is at its end.
fn is_epub(bytes: &[u8]) -> bool {
    const DIRECTORY_WITHIN: usize = 512 * 1024;
    let beginning = &bytes[..bytes.len().min(ROOT_WITHIN)];
    let directory = &bytes[bytes.len().saturating_sub(DIRECTORY_WITHIN)..];
    let has = |within: &[u8], names: &[&str]| {
        let is_there = |name: &&str| memmem::find(within, name.as_bytes()).is_some();
        names.iter().any(is_there)
    };
    const CONTAINER: [&str; 3] = [
        "META-INF/container.xml",
        "META-INF\\container.xml",
        "meta-inf/container.xml",
    ];
    is_zip(bytes)
        && (has(beginning, &["application/epub+zip"])
            || has(bytes, &CONTAINER)
            || memmem::find(directory, b"PK\x01\x02").is_some_and(|start| has(&directory[start..], &[".opf"])))
}

/// Whether the root of an XML document is that of a feed.
fn is_feed(bytes: &[u8]) -> bool {
    let beginning = beginning_of_xml(bytes);
    root_name(&beginning).is_some_and(|root| is_feed_root(root, &beginning))
}

/// Whether bytes that are declared as XML are a feed, also if something precedes it: the messages of a program, or a text.
fn is_declared_feed(bytes: &[u8]) -> bool {
    let beginning = beginning_of_xml(bytes);
    // A page of HTML may speak of feeds.
    let lower = beginning.to_ascii_lowercase();
    let html = [&b"<html"[..], b"<!doctype html", b"<body"]
        .iter()
        .filter_map(|root| memmem::find(&lower, root))
        .min();
    let mut starts = memchr::memchr_iter(b'<', &beginning).take_while(|at| html.is_none_or(|html| *at < html));
    starts.any(|at| root_name(&beginning[at..]).is_some_and(|root| is_feed_root(root, &beginning)))
}

/// The first bytes of XML, without byte order marks. In UTF-16, every second byte of the markup is zero.
fn beginning_of_xml(bytes: &[u8]) -> Vec<u8> {
    let ascii = bytes.iter().take(ROOT_WITHIN).copied().filter(|byte| *byte != 0);
    let beginning: Vec<u8> = ascii.collect();
    let mut rest = &beginning[..];
    loop {
        rest = match rest.trim_ascii_start() {
            [0xfe, 0xff, rest @ ..] | [0xff, 0xfe, rest @ ..] | [0xef, 0xbb, 0xbf, rest @ ..] => rest,
            rest => return rest.to_vec(),
        }
    }
}

/// Whether `root` names the root of a feed, where `beginning` has its namespaces. Before RSS 1.0 there was RSS 0.90 in RDF.
fn is_feed_root(root: &[u8], beginning: &[u8]) -> bool {
    const IN_RDF: [&str; 3] = [
        "http://purl.org/rss/1.0",
        "http://my.netscape.com/rdf/simple/0.9",
        "http://channel.netscape.com/rdf/simple/0.9",
    ];
    let local = root
        .rsplit(|byte| *byte == b':')
        .next()
        .unwrap_or_default()
        .to_ascii_lowercase();
    match &local[..] {
        b"rss" | b"feed" => true,
        b"rdf" => IN_RDF
            .iter()
            .any(|name| memmem::find(beginning, name.as_bytes()).is_some()),
        _ => false,
    }
}

/// The name of the first element, after the declaration, comments, processing instructions and the document type.
fn root_name(bytes: &[u8]) -> Option<&[u8]> {
    let mut rest = bytes.trim_ascii_start();
    loop {
        rest = rest.trim_ascii_start().strip_prefix(b"<")?;
        let end: &[u8] = match rest {
            [b'?', ..] => b"?>",
            [b'!', b'-', b'-', ..] => b"-->",
            [b'!', ..] => b">",
            _ => {
                let length = rest
                    .iter()
                    .position(|byte| byte.is_ascii_whitespace() || matches!(byte, b'>' | b'/'));
                return rest.get(..length?);
            }
        };
        rest = rest.get(memmem::find(rest, end)? + end.len()..)?;
    }
}

/// A set of kinds.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Kinds(u8);

impl Kinds {
    /// No kind: only HTML is read.
    pub const NONE: Self = Self(0);

    /// Every kind.
    pub const ALL: Self = Self((1 << Kind::ALL.len()) - 1);

    /// Whether the set has this kind.
    #[must_use]
    pub fn contains(self, kind: Kind) -> bool {
        self.0 & 1 << kind as u8 != 0
    }
}

impl FromIterator<Kind> for Kinds {
    fn from_iter<I: IntoIterator<Item = Kind>>(kinds: I) -> Self {
        Self(kinds.into_iter().fold(0, |set, kind| set | 1 << kind as u8))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_first_bytes_tell_the_kind() {
        for (bytes, kind) in [
            (&b"%PDF-1.7\n"[..], Some(Kind::Pdf)),
            (b"PK\x03\x04\x14\0mimetypeapplication/epub+zipPK", Some(Kind::Epub)),
            (
                b"PK\x03\x04\x14\0[Content_Types].xml ... word/document.xml",
                Some(Kind::Docx),
            ),
            (b"PK\x03\x04\x14\0xl/workbook.xml", None),
            (
                b"\xef\xbb\xbf<?xml version='1.0'?>\n<!-- a > b --><rss version='2.0'>",
                Some(Kind::Feed),
            ),
            (b"<feed xmlns='http://www.w3.org/2005/Atom'>", Some(Kind::Feed)),
            (b"\xff\xfe<\0r\0s\0s\0>\0", Some(Kind::Feed)),
            (b"<rdf:RDF xmlns='http://purl.org/rss/1.0/'>", Some(Kind::Feed)),
            (b"<rdf:RDF xmlns='http://example.org/'>", None),
            (b"<urlset>", None),
            (b"<?xml version='1.0'?><html>", None),
            (b"# Heading", None),
            (b"", None),
        ] {
            assert_eq!(Kind::of_bytes(bytes), kind, "{}", String::from_utf8_lossy(bytes));
        }
        for (bytes, is_feed) in [
            (
                &b"<br />\n<b>Warning</b>: x in <b>/a.php</b>\n<?xml version='1.0'?><rss>"[..],
                true,
            ),
            (b"Notice: x <rss version='2.0'>", true),
            (b"\n\xef\xbb\xbf\xef\xbb\xbf <?xml version='1.0'?><RSS>", true),
            (
                b"<?xml version='1.0'?><rdf:RDF xmlns='http://my.netscape.com/rdf/simple/0.9/'>",
                true,
            ),
            (b"<?xml version='1.0'?><html><body>of <rss> and <feed>", false),
            (b"<urlset><url><loc>/rss</loc></url></urlset>", false),
            (b"<sitemapindex>", false),
            (b"the word rss", false),
        ] {
            assert_eq!(Kind::Feed.fits(bytes), is_feed, "{}", String::from_utf8_lossy(bytes));
        }
        assert!(Kind::Pdf.fits(b"junk before\n%PDF-1.4") && Kind::of_bytes(b"junk before\n%PDF-1.4").is_none());
    }

    #[test]
    fn a_set_has_the_kinds_that_it_was_made_of() {
        let kinds: Kinds = [Kind::Pdf, Kind::Feed].into_iter().collect();
        let found: Vec<Kind> = Kind::ALL.into_iter().filter(|kind| kinds.contains(*kind)).collect();
        assert_eq!(found, [Kind::Pdf, Kind::Feed]);
        assert!(
            Kind::ALL
                .into_iter()
                .all(|kind| Kinds::ALL.contains(kind) && !Kinds::NONE.contains(kind))
        );
    }
}
