//! From the bytes of a response to a [`Page`]. Every part of this project reads pages with [`read`].

use std::time::SystemTime;

use http::HeaderMap;
use url::Url;

use documents::Kind;

use crate::content_type::{self, charset, is_xml, media_type};
use crate::decode::{EncodingSource, decode_from};
use crate::documents::{Documents, Wanted};
use crate::extract::markdown::{self, Lines, MarkdownOptions, References};
use crate::extract::{ExtractRule, Favor, RuleEffect, content};
use crate::format::Format;
use crate::metadata::{self, Metadata};
use crate::not_a_page::NotAPage;
use crate::page_type::PageType;
use crate::parse::{self, HtmlRedirect, Outlink, RobotsDirectives, SiteSigns, Truncation};
use crate::sniff::{is_binary, is_noise, media_type_of_binary};
use crate::telling_heading::{Headings, telling_heading};
use crate::{language, soft_404};

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
    /// What the choice of the main text prefers where it doubts.
    pub favor: Favor,
    /// Which documents that are not HTML are pages, and who reads them.
    pub documents: Documents<'a>,
    /// How the main text is also written as Markdown; `None` if nobody wants it.
    pub markdown: Option<MarkdownOptions>,
    /// The time of the response, if [`Page::said`] is wanted; `None` if nobody wants it. A page cannot know a later time.
    pub metadata: Option<SystemTime>,
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
    /// What tells the name of the site from the heading.
    pub(crate) site: SiteSigns,
    /// The main text.
    pub text: String,
    /// The main text as Markdown, if [`Options::markdown`] asks for it.
    pub markdown: Option<String>,
    /// What the page says about itself, if [`Options::metadata`] asks for it and the page is HTML.
    pub said: Option<Metadata>,
    /// How [`Options::extract`] took part in the main text; `None` without a rule, and for plain text.
    pub rule_effect: Option<RuleEffect>,
    /// The language that the page declares, as written.
    pub declared_language: Option<String>,
    /// The keywords of `<meta name=keywords>`.
    pub keywords: Vec<String>,
    /// What kind of page it is.
    pub page_type: PageType,
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
    /// The kind of the document; `None` for HTML.
    pub kind: Option<Kind>,
    /// Number of pages of a document that has pages.
    pub pages: Option<u64>,
    /// Parts that a document names and does not have, as it names them. Their text is lost.
    pub missing_parts: Vec<String>,
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

/// The media type that the header declares, in lower case; `None` if it declares none, as with `*/*` and with a malformed field.
#[must_use]
pub fn declared_media_type(headers: &HeaderMap) -> Option<String> {
    media_type(&content_type::field(headers)?)
}

/// Whether this media type, in lower case, may be one of pages, where these documents are. XML of any type may be XHTML.
#[must_use]
pub fn is_page_type(media_type: &str, documents: documents::Kinds) -> bool {
    media_type == "text/html"
        || is_xml(media_type)
        || Kind::of_media_type(media_type).is_some_and(|kind| documents.contains(kind))
}

/// Whether a response with these header fields is a page. A response without a media type counts as one, as in browsers.
#[must_use]
pub fn is_page(headers: &HeaderMap, documents: documents::Kinds) -> bool {
    declared_media_type(headers).is_none_or(|media_type| is_page_type(&media_type, documents))
}

/// Reads a page from its decompressed body, the header fields and the URL of its response.
///
/// # Errors
/// The bytes are not a page: see [`NotAPage`].
pub fn read(bytes: &[u8], headers: &HeaderMap, url: &Url, options: &Options<'_>) -> Result<Page, NotAPage> {
    let declared = declared_media_type(headers);
    let format = Format::of(declared.as_deref(), bytes, options.documents.kinds)?;
    let mut page = match format {
        Format::Document(kind) if is_packed(kind) => Page::of_document(kind, bytes, url, options)?,
        _ => text_page(format, declared, bytes, headers, url, options)?,
    };
    page.add_header(headers, url, options);
    Ok(page)
}

/// Whether [`read`] would have the body read as a document by another process, and wait for it: PDF, DOCX and EPUB.
#[must_use]
pub fn is_read_apart(bytes: &[u8], headers: &HeaderMap, documents: documents::Kinds) -> bool {
    let declared = declared_media_type(headers);
    let format = Format::of(declared.as_deref(), bytes, documents);
    matches!(format, Ok(Format::Document(kind)) if kind.is_dangerous())
}

/// Whether documents of this kind are not characters.
fn is_packed(kind: Kind) -> bool {
    matches!(kind, Kind::Pdf | Kind::Docx | Kind::Epub)
}

/// Reads a page that consists of characters.
fn text_page(
    format: Format,
    declared: Option<String>,
    bytes: &[u8],
    headers: &HeaderMap,
    url: &Url,
    options: &Options<'_>,
) -> Result<Page, NotAPage> {
    if declared.is_none() && !format.is_xml() && is_binary(bytes) {
        return Err(NotAPage::Binary);
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
    let label = content_type::field(headers).and_then(|field| charset(&field));
    let decoded = decode_from(url, bytes, label.as_deref(), format.syntax());
    if decoded.text.len() > options.max_text_bytes {
        return Err(NotAPage::TooLong {
            limit: options.max_text_bytes,
        });
    }
    // A plain text may use control bytes, as the pages of manuals do.
    let is_text = format == Format::Document(Kind::Text);
    if !is_text && !decoded.encoding.name().starts_with("UTF-16") && is_noise(bytes) {
        return Err(other("binary data"));
    }
    let refresh = parse::header_refresh(headers);
    let of_markup = |format: Format| {
        Page::of_markup(
            &format.parse(&decoded, attributes(options)),
            refresh.as_deref(),
            url,
            options,
        )
    };
    let mut page = match format {
        Format::Html | Format::Xhtml => of_markup(format),
        Format::Document(Kind::Text) => Page::of_text(&decoded.text, refresh.as_deref(), url, options),
        Format::Document(kind) => match Page::of_document(kind, decoded.text.as_bytes(), url, options) {
            Ok(page) if !page.text.is_empty() => page,
            // Browsers show it as HTML.
            _ if declared.as_deref() == Some("text/html") => of_markup(Format::Html),
            page => page?,
        },
    };
    page.encoding = decoded.encoding.name();
    page.encoding_source = decoded.source;
    page.had_encoding_errors = decoded.had_errors;
    Ok(page)
}

/// The attributes that the tree needs.
fn attributes(options: &Options<'_>) -> parse::Attributes {
    match (options.extract, options.markdown, options.metadata) {
        (Some(_), ..) => parse::Attributes::All,
        (None, None, None) => parse::Attributes::Read,
        _ => parse::Attributes::Requested,
    }
}

impl Page {
    fn of_markup(document: &parse::Document, refresh: Option<&str>, url: &Url, options: &Options<'_>) -> Self {
        if let Some(truncation) = document.truncated {
            tracing::info!(%url, ?truncation, "page cut short; the part before the cut is used");
        }
        let facts = parse::facts(document, url, options.agent);
        let (content, rule_effect) = content(document, &facts.title, options.extract, options.favor);
        let markdown = options.markdown.map(|markdown| {
            let base = parse::base(document, url);
            let references = References {
                base: &base,
                within: None,
            };
            content.markdown(references, &markdown)
        });
        let page = Self {
            rule_effect,
            page_type: PageType::of(document, facts.canonical.as_ref().unwrap_or(url)),
            title: facts.title,
            heading: facts.first_heading,
            site: facts.site,
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
            embedded: if options.embedded {
                parse::embedded(document, url)
            } else {
                Vec::new()
            },
            truncated: document.truncated,
            markdown,
            said: options
                .metadata
                .map(|fetched| metadata::of_document(document, url, fetched)),
            ..Self::of_main_text(content.text())
        };
        // An error page may lead its readers to the home page. The document that it stands for has not moved there.
        let redirect = parse::html_redirect(document, url, refresh).filter(|_| !page.is_soft_404());
        Self { redirect, ..page }
    }

    fn of_text(text: &str, refresh: Option<&str>, url: &Url, options: &Options<'_>) -> Self {
        let written = |markdown| markdown::of_text(text, Lines::Wrapped, &markdown);
        Self {
            markdown: options.markdown.map(written),
            kind: Some(Kind::Text),
            redirect: refresh.and_then(|refresh| parse::text_redirect(text, url, refresh)),
            ..Self::of_main_text(text.trim().to_owned())
        }
    }

    fn of_document(kind: Kind, bytes: &[u8], url: &Url, options: &Options<'_>) -> Result<Self, NotAPage> {
        let wanted = Wanted {
            agent: options.agent,
            max_text_bytes: options.max_text_bytes,
            markdown: options.markdown,
            attributes: match options.markdown {
                Some(_) => parse::Attributes::Requested,
                None => parse::Attributes::Read,
            },
        };
        let said = options.documents.read(kind, bytes, url, &wanted);
        let said = said.map_err(|fault| match fault {
            documents::Fault::TooLong { limit } => NotAPage::TooLong { limit },
            fault => NotAPage::Document { kind, fault },
        })?;
        Ok(Self {
            title: said.title,
            declared_language: said.declared_language,
            outlinks: said.outlinks,
            kind: Some(kind),
            pages: said.pages,
            missing_parts: said.missing_parts,
            markdown: said.markdown,
            ..Self::of_main_text(said.text)
        })
    }

    /// A page that has this text, and nothing else.
    fn of_main_text(text: String) -> Self {
        Self {
            encoding: "UTF-8",
            encoding_source: EncodingSource::Utf8,
            had_encoding_errors: false,
            title: String::new(),
            heading: None,
            site: SiteSigns::default(),
            text,
            markdown: None,
            said: None,
            rule_effect: None,
            declared_language: None,
            keywords: Vec::new(),
            page_type: PageType::Unknown,
            robots: PageRobots::default(),
            canonical: CanonicalLinks::default(),
            outlinks: Vec::new(),
            embedded: Vec::new(),
            header_outlinks: Vec::new(),
            redirect: None,
            truncated: None,
            kind: None,
            pages: None,
            missing_parts: Vec::new(),
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

    /// The heading that tells the page from the others of its site: what it is about. Empty without heading and title.
    #[must_use]
    pub fn telling_heading(&self) -> String {
        telling_heading(&Headings {
            heading: self.heading.as_deref(),
            title: &self.title,
            site: &self.site,
            text: &self.text,
        })
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
