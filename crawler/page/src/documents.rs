//! Documents that are not HTML, as pages. The crate `documents` reads their formats.

use documents::{Content, InThisThread, Limits, Reader};
pub use documents::{Fault, Kind, Kinds, NICENESS};
use url::Url;

use crate::extract::all_content;
use crate::extract::markdown::{self, Lines, MarkdownOptions, References};
use crate::parse::{self, LinkKind, Outlink};

/// Which documents are pages, and who reads them.
#[derive(Debug, Clone, Copy)]
pub struct Documents<'a> {
    /// The kinds that are pages.
    pub kinds: Kinds,
    /// Reads them.
    pub reader: &'a dyn Reader,
}

impl Documents<'static> {
    /// All kinds, read by the [installed](documents::install) reader.
    #[must_use]
    pub fn all() -> Self {
        Self::of(Kinds::ALL)
    }

    /// These kinds, read by the [installed](documents::install) reader.
    #[must_use]
    pub fn of(kinds: Kinds) -> Self {
        Self {
            kinds,
            reader: documents::installed(),
        }
    }

    /// All kinds, read in the calling thread without bounds: for files that are trusted.
    #[must_use]
    pub const fn in_this_thread() -> Self {
        Self {
            kinds: Kinds::ALL,
            reader: &InThisThread,
        }
    }
}

/// The base of links between the files of a book, which lead nowhere. The domain `.invalid` never resolves (RFC 6761, section 6.4).
const WITHIN_BOOK: &str = "http://book.invalid/";

/// What a document says.
#[derive(Debug)]
pub(crate) struct Said {
    pub title: String,
    pub declared_language: Option<String>,
    pub text: String,
    /// The text as Markdown, if the options ask for it.
    pub markdown: Option<String>,
    pub outlinks: Vec<Outlink>,
    pub pages: Option<u64>,
    pub missing_parts: Vec<String>,
}

/// What is wanted of a document.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Wanted<'a> {
    /// As [`Options::agent`](crate::Options::agent).
    pub agent: &'a str,
    /// As [`Options::max_text_bytes`](crate::Options::max_text_bytes).
    pub max_text_bytes: usize,
    /// As [`Options::markdown`](crate::Options::markdown).
    pub markdown: Option<MarkdownOptions>,
    /// The attributes of the trees.
    pub attributes: parse::Attributes,
}

impl Documents<'_> {
    /// Reads the document at `url`. The bytes of a format that consists of characters are UTF-8.
    pub(crate) fn read(&self, kind: Kind, bytes: &[u8], url: &Url, wanted: &Wanted<'_>) -> Result<Said, Fault> {
        let limits = Limits {
            max_text_bytes: wanted.max_text_bytes,
            ..Limits::default()
        };
        let document = self.reader.read(kind, bytes, &limits)?;
        let mut outlinks = Outlinks::default();
        let (text, markdown) = match document.content {
            Content::Text(text) => {
                let written = |markdown| markdown::of_text(&text, Lines::Paragraphs, &markdown);
                let markdown = wanted.markdown.map(written);
                (text, markdown)
            }
            Content::Html(parts) => {
                let within = Url::parse(WITHIN_BOOK).ok().filter(|_| kind == Kind::Epub);
                let base = within.as_ref().unwrap_or(url);
                let mut said = Parts::default();
                for part in &parts {
                    let tree = parse::parse(part, wanted.attributes);
                    let links = parse::facts(&tree, base, wanted.agent).outlinks;
                    links.into_iter().for_each(|link| outlinks.add(link, within.as_ref()));
                    let base = parse::base(&tree, base);
                    let references = References {
                        base: &base,
                        within: within.as_ref(),
                    };
                    said.add(&tree, references, wanted.markdown);
                }
                (said.texts.join("\n"), wanted.markdown.map(|_| said.markdown.join("\n")))
            }
        };
        document
            .links
            .iter()
            .filter_map(|link| target(link, url))
            .for_each(|link| outlinks.add(link, None));
        Ok(Said {
            title: document.title,
            declared_language: document.language,
            text,
            markdown,
            outlinks: outlinks.links,
            pages: document.pages,
            missing_parts: document.missing,
        })
    }
}

/// The parts of a document that have text.
#[derive(Default)]
struct Parts {
    texts: Vec<String>,
    markdown: Vec<String>,
    markdown_bytes: usize,
}

impl Parts {
    fn add(&mut self, part: &parse::Document, references: References<'_>, options: Option<MarkdownOptions>) {
        let content = all_content(part);
        let text = content.text();
        if text.is_empty() {
            return;
        }
        self.texts.push(text);
        if let Some(all) = options {
            let rest = MarkdownOptions {
                max_bytes: all.max_bytes.saturating_sub(self.markdown_bytes),
                ..all
            };
            let markdown = content.markdown(references, &rest);
            self.markdown_bytes += markdown.len() + 1;
            self.markdown.push(markdown);
        }
    }
}

/// The parts that a document lacks, as a message: the first of them, and how many; `None` if it lacks none.
#[must_use]
pub fn missing_in_words(parts: &[String]) -> Option<String> {
    const NAMED: usize = 3;
    let names = parts
        .iter()
        .take(NAMED)
        .map(String::as_str)
        .collect::<Vec<_>>()
        .join(", ");
    match parts.len() {
        0 => None,
        1..=NAMED => Some(names),
        count => Some(format!("{names} and {} more", count - NAMED)),
    }
}

/// The link as written in the document at `url`, if it leads to a page.
fn target(link: &str, url: &Url) -> Option<Outlink> {
    let mut target = url.join(link).ok()?;
    target.set_fragment(None);
    matches!(target.scheme(), "http" | "https").then_some(Outlink {
        url: target,
        kind: LinkKind::Anchor,
        nofollow: false,
    })
}

/// Links, each URL once.
#[derive(Default)]
struct Outlinks {
    links: Vec<Outlink>,
    seen: std::collections::HashSet<String>,
}

impl Outlinks {
    fn add(&mut self, link: Outlink, within: Option<&Url>) {
        let is_within = within.is_some_and(|within| within.host() == link.url.host());
        if !is_within && self.seen.insert(link.url.as_str().to_owned()) {
            self.links.push(link);
        }
    }
}
