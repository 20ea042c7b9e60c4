//! From the bytes of a response to a [`Page`]. Every part of this project reads pages with [`read`].

use http::HeaderMap;
use http::header::CONTENT_TYPE;
use url::Url;

use crate::content_type::{charset, media_type};
use crate::decode::{EncodingSource, decode_from};
use crate::extract::{ExtractRule, RuleEffect, main_text};
use crate::parse::{self, HtmlRedirect, Outlink, RobotsDirectives, Truncation};
use crate::sniff::{is_binary, is_noise, media_type_of_binary};
use crate::{language, soft_404};

/// The media types of pages.
const PAGE_TYPES: [&str; 3] = ["text/html", "application/xhtml+xml", PLAIN];

const PLAIN: &str = "text/plain";

/// The options of [`read`].
#[derive(Debug, Clone, Copy)]
pub struct Options<'a> {
    /// The product token by which robots metas and `X-Robots-Tag` headers address the crawler.
    pub agent: &'a str,
    /// Whether images, scripts, style sheets and media are listed in [`Page::embedded`] and [`Page::header_outlinks`].
    pub embedded: bool,
    /// Longest decoded text, in bytes of UTF-8.
    pub max_text_bytes: usize,
    /// What the user declares to be the content of this page.
    pub extract: Option<&'a ExtractRule>,
}

/// The content of a page, from its bytes and its header.
#[derive(Debug)]
pub struct Page {
    /// The WHATWG name of the encoding.
    pub encoding: &'static str,
    /// The source of the encoding.
    pub encoding_source: EncodingSource,
    /// Whether some bytes were malformed and became U+FFFD.
    pub had_encoding_errors: bool,
    /// The text of `<title>` with collapsed white space; empty without a title.
    pub title: String,
    /// The text of the first `<h1>`; `None` if it is empty.
    pub heading: Option<String>,
    /// The main text.
    pub text: String,
    /// How [`Options::extract`] took part in the main text; `None` without a rule, and for plain text.
    pub rule_effect: Option<RuleEffect>,
    /// The language that the page declares, as written.
    pub declared_language: Option<String>,
    /// The keywords of `<meta name=keywords>`.
    pub keywords: Vec<String>,
    /// Robots directives.
    pub robots: PageRobots,
    /// The canonical URLs that the page names.
    pub canonical: CanonicalLinks,
    /// The links to documents, each URL once, in the order of the source.
    pub outlinks: Vec<Outlink>,
    /// Images, scripts, style sheets and media, if the options ask for them.
    pub embedded: Vec<Outlink>,
    /// The links in the header.
    pub header_outlinks: Vec<Outlink>,
    /// The redirect that the page consists of; `None` for a page with other content, and for [an error page](Self::is_soft_404).
    pub redirect: Option<HtmlRedirect>,
    /// Why the page was parsed only in part; `None` if it was parsed in full.
    pub truncated: Option<Truncation>,
}

/// The robots directives of a page by their place. All of them hold.
#[derive(Debug, Clone, Copy, Default)]
pub struct PageRobots {
    /// In robots metas.
    pub meta: RobotsDirectives,
    /// In `X-Robots-Tag` headers.
    pub header: RobotsDirectives,
}

impl PageRobots {
    /// All directives together.
    #[must_use]
    pub fn all(&self) -> RobotsDirectives {
        let mut all = self.meta;
        all.combine(self.header);
        all
    }
}

/// The `rel=canonical` links (RFC 6596) of a page by their place.
#[derive(Debug, Clone, Default)]
pub struct CanonicalLinks {
    /// In the head of the document.
    pub document: Option<Url>,
    /// In the `Link` header.
    pub header: Option<Url>,
    /// The document or the header names several URLs, so neither is trusted.
    pub is_conflict: bool,
}

/// Why bytes are not a page.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum NotAPage {
    /// The header declares a media type that is not one of pages.
    #[error("content type {0}")]
    MediaType(String),
    /// The header declares no media type, and the bytes are binary.
    #[error("no content type, and not text")]
    Binary,
    /// The header declares a page, and the bytes are those of another type.
    #[error("declared {declared}, but the bytes are {found}")]
    OtherBytes {
        /// The declared media type.
        declared: String,
        /// The media type by the first bytes, or `binary data`.
        found: &'static str,
    },
    /// The decoded text is longer than [`Options::max_text_bytes`].
    #[error("text over {limit} bytes after decoding")]
    TooLong {
        /// The bound.
        limit: usize,
    },
}

/// The media type that the header declares, in lower case; `None` if it declares none.
#[must_use]
pub fn declared_media_type(headers: &HeaderMap) -> Option<String> {
    media_type(headers.get(CONTENT_TYPE)?.to_str().ok()?)
}

/// Whether this media type, in lower case, is one of pages.
#[must_use]
pub fn is_page_type(media_type: &str) -> bool {
    PAGE_TYPES.contains(&media_type)
}

/// Whether a response with these header fields is a page. A response without a media type counts as one, as in browsers.
#[must_use]
pub fn is_page(headers: &HeaderMap) -> bool {
    declared_media_type(headers).is_none_or(|media_type| is_page_type(&media_type))
}

/// Reads a page from its decompressed body, the header fields and the URL of its response.
///
/// # Errors
/// The bytes are not a page: see [`NotAPage`].
pub fn read(bytes: &[u8], headers: &HeaderMap, url: &Url, options: &Options<'_>) -> Result<Page, NotAPage> {
    let declared = declared_media_type(headers);
    match &declared {
        Some(media_type) if !is_page_type(media_type) => {
            return Err(NotAPage::MediaType(media_type.clone()));
        }
        None if is_binary(bytes) => return Err(NotAPage::Binary),
        _ => {}
    }
    let other = |found| match &declared {
        Some(declared) => NotAPage::OtherBytes {
            declared: declared.clone(),
            found,
        },
        None => NotAPage::Binary,
    };
    if let Some(media_type) = media_type_of_binary(bytes) {
        return Err(other(media_type));
    }
    let content_type = headers.get(CONTENT_TYPE).and_then(|value| value.to_str().ok());
    let decoded = decode_from(url, bytes, content_type.and_then(charset));
    if decoded.text.len() > options.max_text_bytes {
        return Err(NotAPage::TooLong {
            limit: options.max_text_bytes,
        });
    }
    // A plain text may use control bytes, as the pages of manuals do.
    if declared.as_deref() != Some(PLAIN) && !decoded.encoding.starts_with("UTF-16") && is_noise(bytes) {
        return Err(other("binary data"));
    }
    let mut page = match declared.as_deref() {
        Some(PLAIN) => Page::of_text(&decoded.text),
        _ => Page::of_html(&decoded.text, url, options),
    };
    page.encoding = decoded.encoding;
    page.encoding_source = decoded.source;
    page.had_encoding_errors = decoded.had_errors;
    page.add_header(headers, url, options);
    Ok(page)
}

impl Page {
    fn of_html(html: &str, url: &Url, options: &Options<'_>) -> Self {
        let attributes = match options.extract {
            Some(_) => parse::Attributes::All,
            None => parse::Attributes::Read,
        };
        let document = parse::parse(html, attributes);
        if let Some(truncation) = document.truncated {
            tracing::info!(%url, ?truncation, "page cut short; the part before the cut is used");
        }
        let facts = parse::facts(&document, url, options.agent);
        let (text, rule_effect) = main_text(&document, &facts.title, options.extract);
        let page = Self {
            rule_effect,
            title: facts.title,
            heading: facts.first_heading,
            declared_language: facts.lang,
            keywords: facts.keywords,
            robots: PageRobots {
                meta: facts.robots,
                ..PageRobots::default()
            },
            canonical: CanonicalLinks {
                document: facts.canonical,
                is_conflict: facts.canonical_conflict,
                ..CanonicalLinks::default()
            },
            outlinks: facts.outlinks,
            embedded: match options.embedded {
                true => parse::embedded(&document, url),
                false => Vec::new(),
            },
            truncated: document.truncated,
            ..Self::of_main_text(text)
        };
        // An error page may lead its readers to the home page. The document that it stands for has not moved there.
        let redirect = parse::html_redirect(&document, url).filter(|_| !page.is_soft_404());
        Self { redirect, ..page }
    }

    fn of_text(text: &str) -> Self {
        Self::of_main_text(text.trim().to_owned())
    }

    fn of_main_text(text: String) -> Self {
        Self {
            encoding: "UTF-8",
            encoding_source: EncodingSource::Utf8,
            had_encoding_errors: false,
            title: String::new(),
            heading: None,
            text,
            rule_effect: None,
            declared_language: None,
            keywords: Vec::new(),
            robots: PageRobots::default(),
            canonical: CanonicalLinks::default(),
            outlinks: Vec::new(),
            embedded: Vec::new(),
            header_outlinks: Vec::new(),
            redirect: None,
            truncated: None,
        }
    }

    fn add_header(&mut self, headers: &HeaderMap, url: &Url, options: &Options<'_>) {
        let links = parse::header_links(headers, url, options.embedded);
        self.robots.header = x_robots_tag(headers, options.agent);
        self.canonical.header = links.canonical;
        self.canonical.is_conflict |= links.canonical_conflict;
        self.header_outlinks = links.outlinks;
    }

    /// The ISO 639-1 code of the language: the detected one of the main text, else the declared one.
    #[must_use]
    pub fn language(&self) -> Option<String> {
        language::detect(&self.text, self.declared_language.as_deref())
    }

    /// Whether the page is an error page that says "not found", whatever its status.
    #[must_use]
    pub fn is_soft_404(&self) -> bool {
        soft_404::is_soft_404(&self.title, self.heading.as_deref(), &self.text)
    }

    /// The metadata of the page: the words of its title, its keywords, and the URLs of its links.
    pub fn metadata(&self) -> impl Iterator<Item = &str> {
        let keywords = self.keywords.iter().map(String::as_str);
        let references = self.outlinks.iter().map(|link| link.url.as_str());
        self.title.split_whitespace().chain(keywords).chain(references)
    }
}

/// The directives of the `X-Robots-Tag` headers for the crawler whose product token is `agent`.
#[must_use]
pub fn x_robots_tag(headers: &HeaderMap, agent: &str) -> RobotsDirectives {
    let mut directives = RobotsDirectives::default();
    for value in headers.get_all("x-robots-tag") {
        directives.add_header(&String::from_utf8_lossy(value.as_bytes()), agent);
    }
    directives
}
