//! The links of a page to documents.

use html5ever::{LocalName, local_name};
use url::Url;

use super::base::Base;
use super::{Element, NodeRef, attribute};
use crate::map::Map;

/// Most outlinks of a page. Later ones are ignored.
pub(super) const MAX_OUTLINKS: usize = 20_000;

/// Longest reference, in bytes. Longer ones are ignored.
pub(super) const MAX_REFERENCE_BYTES: usize = 8192;

/// A link from a page to a document.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Outlink {
    /// Absolute, `http` or `https`, without fragment.
    pub url: Url,
    /// The kind of the first link to the URL.
    pub kind: LinkKind,
    /// Whether every link of the page to this URL has `rel=nofollow`.
    pub nofollow: bool,
}

/// The source of a link.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum LinkKind {
    /// `<a href>`, also within `<svg>`
    Anchor,
    /// `<area href>`
    Area,
    /// `<frame src>`
    Frame,
    /// `<iframe src>`
    Iframe,
    /// `<link rel=next>`
    Next,
    /// `<link rel=prev>`
    Prev,
    /// `<link rel=alternate>`, another language or form of the page
    Alternate,
    /// `<link rel=alternate>` of an RSS, Atom or JSON feed
    Feed,
    /// `<link rel=canonical>`
    Canonical,
    /// `<meta http-equiv=refresh>`
    Refresh,
    /// `<form method=get>` without a field to fill in
    Form,
    /// The `Link` header with a relation that `<link>` is followed for (RFC 8288), embedded resources included
    HeaderLink,
    /// The `Location` header of an answer that is no redirect, such as 201 (RFC 9110, section 10.2.2)
    HeaderLocation,
    /// The `Content-Location` header (RFC 9110, section 8.7)
    HeaderContentLocation,
    /// The `Refresh` header
    HeaderRefresh,
    /// Embedded: `<img src>` and `srcset`, `<source srcset>`, `<video poster>`, `<input type=image src>`, `background`, and
    /// `<image href>`, `<feImage href>` and `<use href>` in SVG
    Image,
    /// Embedded: `<script src>`, in SVG `<script href>`
    Script,
    /// Embedded: `<link rel=stylesheet>`
    Stylesheet,
    /// Embedded: `<link rel=icon>` and its older forms
    Icon,
    /// Embedded: `<link rel=manifest>`
    Manifest,
    /// Embedded: `<link>` with `preload`, `modulepreload`, `prefetch` or `prerender`
    Preload,
    /// Embedded: `url()` in `<style>` and in `style` attributes
    StyleUrl,
    /// Embedded: `@import` in `<style>`
    StyleImport,
    /// Embedded: `<audio src>`, `<video src>`, `<source src>`, `<track src>`
    Media,
    /// Embedded: `<object data>`, `<embed src>`
    Object,
}

impl LinkKind {
    /// The name in reports: the element, the relation or the header.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Anchor => "a",
            Self::Area => "area",
            Self::Frame => "frame",
            Self::Iframe => "iframe",
            Self::Next => "link:next",
            Self::Prev => "link:prev",
            Self::Alternate => "link:alternate",
            Self::Feed => "link:feed",
            Self::Canonical => "link:canonical",
            Self::Refresh => "meta-refresh",
            Self::Form => "form",
            Self::HeaderLink => "header:link",
            Self::HeaderLocation => "header:location",
            Self::HeaderContentLocation => "header:content-location",
            Self::HeaderRefresh => "header:refresh",
            Self::Image => "img",
            Self::Script => "script",
            Self::Stylesheet => "link:stylesheet",
            Self::Icon => "link:icon",
            Self::Manifest => "link:manifest",
            Self::Preload => "link:preload",
            Self::StyleUrl => "css:url",
            Self::StyleImport => "css:import",
            Self::Media => "media",
            Self::Object => "object",
        }
    }
}

/// An unresolved reference.
#[derive(Debug, Clone, Copy)]
pub(super) struct Reference<'a> {
    target: &'a str,
    kind: LinkKind,
    nofollow: bool,
}

impl<'a> Reference<'a> {
    /// The reference of an element, if it has one.
    pub(super) fn of(node: NodeRef<'a>, element: &'a Element) -> Option<Self> {
        let (attr, kind) = match element.name.local {
            local_name!("a") => (local_name!("href"), LinkKind::Anchor),
            local_name!("area") => (local_name!("href"), LinkKind::Area),
            local_name!("frame") => (local_name!("src"), LinkKind::Frame),
            local_name!("iframe") => (local_name!("src"), LinkKind::Iframe),
            local_name!("link") => (local_name!("href"), link_kind(element)?),
            local_name!("form") if is_bare_get(node, element) => (local_name!("action"), LinkKind::Form),
            _ => return None,
        };
        let target = attribute(element, &attr)?;
        let target = if kind == LinkKind::Form {
            // The sent fields replace the query (WHATWG HTML, section 4.10.21.3), and there are none.
            target.split(['?', '#']).next().unwrap_or_default()
        } else {
            target
        };
        let nofollow = attribute(element, &local_name!("rel")).is_some_and(|rel| has_token(rel, "nofollow"));
        Some(Self { target, kind, nofollow })
    }

    pub(super) fn is_canonical(&self) -> bool {
        self.kind == LinkKind::Canonical
    }

    pub(super) fn target(&self) -> &'a str {
        self.target
    }

    pub(super) fn kind(&self) -> LinkKind {
        self.kind
    }

    pub(super) fn nofollow(&self) -> bool {
        self.nofollow
    }

    pub(super) fn new(target: &'a str, kind: LinkKind) -> Self {
        Self {
            target,
            kind,
            nofollow: false,
        }
    }

    pub(super) fn with_nofollow(self, nofollow: bool) -> Self {
        Self { nofollow, ..self }
    }
}

fn link_kind(element: &Element) -> Option<LinkKind> {
    let media_type = attribute(element, &local_name!("type")).unwrap_or_default();
    relation_kind(attribute(element, &local_name!("rel"))?, media_type)
}

/// The kind of a link with the relations `rel`, if it leads to a document.
pub(super) fn relation_kind(rel: &str, media_type: &str) -> Option<LinkKind> {
    let is = |token| has_token(rel, token);
    if is("canonical") {
        Some(LinkKind::Canonical)
    } else if is("next") {
        Some(LinkKind::Next)
    } else if is("prev") || is("previous") {
        Some(LinkKind::Prev)
    } else if is("alternate") && !is("stylesheet") {
        let media_type = media_type.to_ascii_lowercase();
        let feed = ["rss", "atom", "feed+json"]
            .iter()
            .any(|feed| media_type.contains(feed));
        Some(if feed { LinkKind::Feed } else { LinkKind::Alternate })
    } else {
        None
    }
}

/// Whether `token` is in a list separated by white space, in any case.
pub(super) fn has_token(list: &str, token: &str) -> bool {
    list.split_ascii_whitespace().any(|t| t.eq_ignore_ascii_case(token))
}

/// Whether a form always leads to the same document: its method is GET, and no field has a name.
fn is_bare_get(form: NodeRef<'_>, element: &Element) -> bool {
    // An unknown method means GET.
    let method = attribute(element, &local_name!("method")).unwrap_or_default();
    let get = !["post", "dialog"]
        .iter()
        .any(|other| method.eq_ignore_ascii_case(other));
    let is_field = |name: &LocalName| {
        matches!(
            *name,
            local_name!("input") | local_name!("select") | local_name!("textarea") | local_name!("button")
        )
    };
    get && !form
        .descendants()
        .filter_map(|node| node.value().as_element())
        .any(|field| {
            is_field(&field.name.local) && attribute(field, &local_name!("name")).is_some_and(|name| !name.is_empty())
        })
}

/// Resolves references and keeps the first for each URL.
pub(super) struct Resolver<'a> {
    base: &'a Base,
    /// The base URL, if an empty reference to it names another document.
    empty: Option<&'a str>,
    by_target: Map<&'a str, Option<usize>>,
    by_url: Map<Url, usize>,
    outlinks: Vec<Outlink>,
}

impl<'a> Resolver<'a> {
    /// A resolver for a page at `page_url` with this base.
    pub(super) fn new(base: &'a Base, page_url: &Url) -> Self {
        let same = base.url()[..url::Position::AfterQuery] == page_url[..url::Position::AfterQuery];
        Self {
            base,
            empty: (!same).then(|| base.url().as_str()),
            by_target: Map::default(),
            by_url: Map::default(),
            outlinks: Vec::new(),
        }
    }

    pub(super) fn add(&mut self, reference: Reference<'a>) {
        let mut target = without_fragment(reference.target);
        if target.is_empty() {
            // `#part` is a part of the base URL.
            let is_anchor = matches!(reference.kind, LinkKind::Anchor | LinkKind::Area);
            match self.empty.filter(|_| is_anchor) {
                Some(base) => target = base,
                None => return,
            }
        }
        let known = match self.by_target.get(target) {
            Some(known) => *known,
            None => {
                let at = resolve(self.base, target).and_then(|url| self.place(url, reference));
                self.by_target.insert(target, at);
                at
            }
        };
        if let Some(at) = known {
            self.outlinks[at].nofollow &= reference.nofollow;
        }
    }

    /// The index of the outlink to `url`, which is added if it is new and within the limit.
    fn place(&mut self, url: Url, reference: Reference<'a>) -> Option<usize> {
        if let Some(&at) = self.by_url.get(&url) {
            return Some(at);
        }
        if self.outlinks.len() >= MAX_OUTLINKS {
            return None;
        }
        let at = self.outlinks.len();
        self.by_url.insert(url.clone(), at);
        self.outlinks.push(Outlink {
            url,
            kind: reference.kind,
            nofollow: reference.nofollow,
        });
        Some(at)
    }

    pub(super) fn finish(self) -> Vec<Outlink> {
        self.outlinks
    }
}

/// The reference without its fragment. A reference into the page itself is empty.
fn without_fragment(reference: &str) -> &str {
    reference.split('#').next().unwrap_or_default().trim_ascii()
}

/// Resolves `reference` against `base`, without its fragment; `None` if it is invalid or not `http` or `https`.
///
/// White space and control characters at both ends are stripped, and tabs and newlines everywhere (WHATWG URL, section 4.4).
pub(super) fn resolve(base: &Base, reference: &str) -> Option<Url> {
    if reference.len() > MAX_REFERENCE_BYTES {
        return None;
    }
    let mut url = base.join(reference)?;
    url.set_fragment(None);
    (matches!(url.scheme(), "http" | "https") && url.has_host()).then_some(url)
}
