//! Documents that are not HTML, as pages. The crate `documents` reads their formats.

use documents::{Content, InThisThread, Limits, Reader};
pub use documents::{Fault, Kind, Kinds, NICENESS};
use url::Url;

use crate::extract::all_text;
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
    pub outlinks: Vec<Outlink>,
    pub pages: Option<u64>,
    pub missing_parts: Vec<String>,
}

impl Documents<'_> {
    /// Reads the document at `url`. The bytes of a format that consists of characters are UTF-8. `agent` is that of
    /// [`Options::agent`](crate::Options::agent).
    pub(crate) fn read(
        &self,
        kind: Kind,
        bytes: &[u8],
        url: &Url,
        (agent, max_text_bytes): (&str, usize),
    ) -> Result<Said, Fault> {
        let limits = Limits {
            max_text_bytes,
            ..Limits::default()
        };
        let document = self.reader.read(kind, bytes, &limits)?;
        let mut outlinks = Outlinks::default();
        let text = match document.content {
            Content::Text(text) => text,
            Content::Html(parts) => {
                let within = Url::parse(WITHIN_BOOK).ok().filter(|_| kind == Kind::Epub);
                let base = within.as_ref().unwrap_or(url);
                let mut texts = Vec::new();
                for part in &parts {
                    let tree = parse::parse(part, parse::Attributes::Read);
                    let links = parse::facts(&tree, base, agent).outlinks;
                    links.into_iter().for_each(|link| outlinks.add(link, within.as_ref()));
                    texts.push(all_text(&tree));
                }
                texts.retain(|text| !text.is_empty());
                texts.join("\n")
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
            outlinks: outlinks.links,
            pages: document.pages,
            missing_parts: document.missing,
        })
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
