//! Pages that only lead to another URL: the redirects of sites whose server has none, such as a folder of files.
//!
//! Generators of documentation write a small page in the place of a moved one. A browser shows it for a moment at most. Such a page
//! has a `<meta http-equiv=refresh>` (WHATWG HTML, section 4.2.5.3) or a script that assigns `location` (section 7.2.4), and beside it
//! at most a sentence with a link.

mod script;

use html5ever::{LocalName, local_name};
use url::Url;

use self::script::{Move, moves};
use super::base::Base;
use super::outlinks::MAX_REFERENCE_BYTES;
use super::refresh::parse_refresh;
use super::{Document, Element, Node, NodeRef, Tree, attribute};
use crate::words::words;

/// Longest delay of a refresh that is a redirect, in seconds. A page that stays longer is there to be read.
const MAX_DELAY_SECONDS: u32 = 5;

/// Longest delay of a redirect with a picture, in seconds. A picture that stays longer may be one of a slide show.
const MAX_DELAY_WITH_PICTURE_SECONDS: u32 = 1;

/// Most words that a page may show beside its redirect: two short sentences, such as an announcement and an offer of a link.
const MAX_WORDS: usize = 40;

/// Most bytes of that text.
const MAX_TEXT_BYTES: usize = 2048;

/// Most links of such a page. Usually all of them lead to its target.
const MAX_LINKS: usize = 8;

/// Most URLs other than the target to which a page with a refresh may link.
const MAX_OTHER_URLS: usize = 1;

/// A redirect by the HTML of a page.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct HtmlRedirect {
    /// The target: absolute, of any scheme, without fragment, and not the URL of the page.
    pub url: Url,
    /// The part of the page that redirects.
    pub kind: HtmlRedirectKind,
    /// Seconds before the redirect, at most 5.
    pub delay_seconds: u32,
}

impl HtmlRedirect {
    /// Whether the page is to be found at the target from now on: a refresh without a delay, as search engines take it. A script may
    /// just as well lead to a login or to a notice of maintenance.
    #[must_use]
    pub fn is_permanent(&self) -> bool {
        self.kind != HtmlRedirectKind::Script && self.delay_seconds == 0
    }
}

/// The part of a page that redirects.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum HtmlRedirectKind {
    /// `<meta http-equiv=refresh>`
    MetaRefresh,
    /// The header `Refresh`, which says the same (WHATWG HTML, section 7.4.5).
    RefreshHeader,
    /// A script that assigns `location`.
    Script,
}

impl HtmlRedirectKind {
    /// The name, as `crawler inspect page` shows it.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::MetaRefresh => "meta refresh",
            Self::RefreshHeader => "refresh header",
            Self::Script => "script",
        }
    }
}

/// The redirect that a page fetched from `page_url` consists of; `None` for a page with other content. `header` is the value of the header
/// `Refresh`. Browsers read it before the page, so it counts and not the first refresh in the page.
pub(crate) fn html_redirect(doc: &Document, page_url: &Url, header: Option<&str>) -> Option<HtmlRedirect> {
    if doc.truncated.is_some() {
        return None;
    }
    let mut stub = Stub::of(doc, page_url)?;
    if let Some(refresh) = header.and_then(parse_refresh) {
        stub.refresh = Some(refresh);
        stub.is_in_header = true;
    }
    let resolver = TargetResolver {
        base: if stub.is_in_header {
            // Browsers resolve it before they know the base of the page.
            Base::of_header(page_url)
        } else {
            Base::new(stub.base, page_url, doc.encoding)
        },
        page_url,
    };
    resolver.by_refresh(&stub).or_else(|| resolver.by_script(&stub))
}

/// The redirect that a plain text fetched from `page_url` with the header `Refresh` consists of.
pub(crate) fn text_redirect(text: &str, page_url: &Url, header: &str) -> Option<HtmlRedirect> {
    let mut stub = Stub {
        refresh: parse_refresh(header),
        is_in_header: true,
        ..Stub::default()
    };
    stub.take_text(text)?;
    let resolver = TargetResolver {
        base: Base::of_header(page_url),
        page_url,
    };
    (shown_words(&stub.text) <= MAX_WORDS)
        .then(|| resolver.by_refresh(&stub))
        .flatten()
}

/// A page with little content, in parts.
#[derive(Debug, Default)]
struct Stub<'a> {
    base: Option<&'a str>,
    /// The first well-formed refresh.
    refresh: Option<Refresh<'a>>,
    /// Whether that refresh is the one in the header.
    is_in_header: bool,
    /// The first well-formed refresh inside `<noscript>`.
    unscripted_refresh: Option<Refresh<'a>>,
    links: Vec<&'a str>,
    /// The texts of the scripts in the page.
    scripts: Vec<&'a str>,
    /// The scripts that run when the page is loaded.
    handlers: Vec<&'a str>,
    /// What all these scripts do to its location.
    moves: Vec<Move>,
    has_scripts: bool,
    has_picture: bool,
    text: String,
}

/// The delay in seconds and the target of a refresh.
type Refresh<'a> = (u32, Option<&'a str>);

impl<'a> Stub<'a> {
    /// `None` if the page has more content than a redirect needs.
    fn of(doc: &'a Document, page_url: &Url) -> Option<Self> {
        let mut stub = Self::default();
        // Nodes are in order of creation, so a long page ends this soon.
        for node in doc.html.nodes() {
            match node.value() {
                Node::Element(element) => stub.take(node, element)?,
                Node::Text(text) if is_shown(node) => stub.take_text(text)?,
                _ => {}
            }
        }
        for html in &doc.unscripted {
            stub.take_unscripted(html)?;
        }
        if shown_words(&stub.text) > MAX_WORDS {
            return None;
        }
        stub.moves = moves(&stub.scripts, &stub.handlers, page_url);
        Some(stub)
    }

    /// Takes an element; `None` if it is content.
    fn take(&mut self, node: NodeRef<'a>, element: &'a Element) -> Option<()> {
        match element.name.local {
            local_name!("base") if self.base.is_none() => self.base = attribute(element, &local_name!("href")),
            local_name!("meta") if self.refresh.is_none() => self.refresh = refresh(element),
            local_name!("script") => self.take_script(node, element),
            local_name!("a") | local_name!("area") => self.take_link(element)?,
            local_name!("body") | local_name!("frameset") => {
                self.handlers.extend(attribute(element, &LocalName::from("onload")));
            }
            local_name!("img") | local_name!("svg") => self.has_picture = true,
            local_name!("input") => {
                let kind = attribute(element, &local_name!("type")).unwrap_or_default();
                return kind.eq_ignore_ascii_case("hidden").then_some(());
            }
            // A form field, an embedded document, or content that a script shows.
            local_name!("textarea")
            | local_name!("select")
            | local_name!("iframe")
            | local_name!("frame")
            | local_name!("object")
            | local_name!("embed")
            | local_name!("video")
            | local_name!("audio")
            | local_name!("canvas")
            | local_name!("template") => return None,
            _ => {}
        }
        Some(())
    }

    /// Takes what browsers without scripts see.
    fn take_unscripted(&mut self, html: &'a Tree) -> Option<()> {
        for node in html.nodes() {
            match node.value() {
                Node::Element(element) => match element.name.local {
                    local_name!("meta") if self.unscripted_refresh.is_none() => {
                        self.unscripted_refresh = refresh(element);
                    }
                    local_name!("a") => self.take_link(element)?,
                    _ => {}
                },
                Node::Text(text) if is_shown(node) => self.take_text(text)?,
                _ => {}
            }
        }
        Some(())
    }

    fn take_script(&mut self, node: NodeRef<'a>, element: &'a Element) {
        let kind = attribute(element, &local_name!("type")).unwrap_or_default();
        let is_data = !(kind.is_empty() || kind.to_ascii_lowercase().contains("javascript") || kind == "module");
        if is_data {
            return;
        }
        self.has_scripts = true;
        let is_inline = attribute(element, &local_name!("src")).is_none();
        if let Some(text) = node.first_child().and_then(|child| child.value().as_text())
            && is_inline
        {
            self.scripts.push(text);
        }
    }

    fn take_link(&mut self, element: &'a Element) -> Option<()> {
        self.links.extend(attribute(element, &local_name!("href")));
        (self.links.len() <= MAX_LINKS).then_some(())
    }

    fn take_text(&mut self, text: &str) -> Option<()> {
        let text = text.trim();
        if !text.is_empty() {
            self.text.push_str(text);
            self.text.push(' ');
        }
        (self.text.len() <= MAX_TEXT_BYTES).then_some(())
    }
}

/// Resolves the references of a page, to compare them.
struct TargetResolver<'a> {
    base: Base,
    page_url: &'a Url,
}

impl TargetResolver<'_> {
    fn by_refresh(&self, stub: &Stub<'_>) -> Option<HtmlRedirect> {
        let (delay_seconds, target) = match stub.refresh {
            Some(refresh) => refresh,
            None => stub.unscripted_refresh.filter(|_| stub.is_bare_without_scripts())?,
        };
        let url = self.other(target?).filter(|_| delay_seconds <= stub.longest_delay())?;
        let certain = stub.moves.iter().filter(|reached| reached.is_certain);
        let scripts_agree = certain
            .filter_map(|reached| self.target(reached))
            .all(|target| target == url);
        let others = self.linked(stub).filter(|linked| *linked != url);
        if !scripts_agree || distinct(others) > MAX_OTHER_URLS {
            return None;
        }
        Some(HtmlRedirect {
            url,
            kind: if stub.is_in_header {
                HtmlRedirectKind::RefreshHeader
            } else {
                HtmlRedirectKind::MetaRefresh
            },
            delay_seconds,
        })
    }

    /// Every assignment of the location must name the same constant URL, and every link and refresh too: a page may choose between targets.
    /// One of the assignments must certainly run.
    fn by_script(&self, stub: &Stub<'_>) -> Option<HtmlRedirect> {
        let first = stub.moves.first().filter(|first| first.is_certain)?;
        let url = self
            .target(first)
            .filter(|_| first.delay_seconds <= stub.longest_delay())?;
        let refreshes = stub.refresh.into_iter().chain(stub.unscripted_refresh);
        let refreshed = refreshes.map(|(_, target)| target.and_then(|target| self.other(target)));
        let is_named = |target: Option<Url>| target.as_ref() == Some(&url);
        let is_alone = stub.moves.iter().all(|reached| is_named(self.target(reached)))
            && refreshed.into_iter().all(is_named)
            && self.linked(stub).all(|linked| linked == url);
        is_alone.then(|| HtmlRedirect {
            url: url.clone(),
            kind: HtmlRedirectKind::Script,
            delay_seconds: first.delay_seconds,
        })
    }

    /// The target of an assignment; `None` if it is no constant.
    fn target(&self, reached: &Move) -> Option<Url> {
        self.other(reached.target.as_deref()?)
    }

    /// The documents other than the page itself to which it links.
    fn linked<'s>(&'s self, stub: &'s Stub<'_>) -> impl Iterator<Item = Url> + 's {
        let urls = stub.links.iter().filter_map(|link| self.other(link));
        urls.filter(|url| matches!(url.scheme(), "http" | "https"))
    }

    /// The URL of a reference to another document than the page. Browsers do not follow a refresh to a script or to data.
    fn other(&self, reference: &str) -> Option<Url> {
        if reference.len() > MAX_REFERENCE_BYTES {
            return None;
        }
        let mut url = self.base.join(reference)?;
        url.set_fragment(None);
        let is_self = url[..url::Position::AfterQuery] == self.page_url[..url::Position::AfterQuery];
        (!is_self && !matches!(url.scheme(), "javascript" | "data")).then_some(url)
    }
}

impl Stub<'_> {
    /// Longest delay of its redirect, in seconds.
    fn longest_delay(&self) -> u32 {
        if self.has_picture {
            MAX_DELAY_WITH_PICTURE_SECONDS
        } else {
            MAX_DELAY_SECONDS
        }
    }

    /// Whether a refresh inside `<noscript>` is the redirect of the page. In a page that scripts fill, it leads to a notice for
    /// browsers without scripts.
    fn is_bare_without_scripts(&self) -> bool {
        !self.has_scripts || !self.moves.is_empty()
    }
}

fn refresh(element: &Element) -> Option<Refresh<'_>> {
    let pragma = attribute(element, &local_name!("http-equiv"))?;
    let content = attribute(element, &local_name!("content")).unwrap_or_default();
    pragma
        .eq_ignore_ascii_case("refresh")
        .then(|| parse_refresh(content))
        .flatten()
}

/// Whether a text is shown in the page, as far as its element tells.
fn is_shown(text: NodeRef<'_>) -> bool {
    let parent = text.parent().and_then(|parent| parent.value().as_element());
    !parent.is_some_and(|element| {
        matches!(
            element.name.local,
            local_name!("script") | local_name!("style") | local_name!("noscript") | local_name!("title")
        )
    })
}

/// The number of words; a URL or path is one.
fn shown_words(text: &str) -> usize {
    let (paths, others): (Vec<&str>, Vec<&str>) = text.split_whitespace().partition(|part| part.contains('/'));
    paths.len() + words(&others.join(" "))
}

fn distinct(urls: impl Iterator<Item = Url>) -> usize {
    let mut seen: Vec<Url> = Vec::new();
    for url in urls {
        if !seen.contains(&url) {
            seen.push(url);
        }
    }
    seen.len()
}

#[cfg(test)]
mod tests;
