//! Signs of what on a page is the name of its site, and the headings below the first level.

use html5ever::local_name;
use url::Url;

use super::line::text_of;
use super::{Element, NodeRef, attribute};
use crate::home_link::{HomeLink, is_home_word};
use crate::metadata::marks;

/// Most names of a site.
const MAX_NAMES: usize = 8;

/// Most headings of the second level that are kept.
const MAX_SUBHEADINGS: usize = 8;

/// Most links to the home page, and most headings of the second level, that are read; and most nodes of a heading.
const MAX_TRIED: usize = 64;

/// Longest name of a site, and longest heading of the second level, in bytes.
const MAX_BYTES: usize = 200;

/// What tells the name of a site from the heading of a page.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub(crate) struct SiteSigns {
    /// Whether the first `<h1>` is a link to the home page.
    pub heading_is_home: bool,
    /// What the page declares to be the name of its site, and the texts of its links to the home page.
    pub names: Vec<String>,
    /// The first `<h2>` outside of menus and the head and foot of the page.
    pub subheadings: Vec<String>,
}

/// Reads the signs of the elements that it is given in order.
#[derive(Default)]
pub(super) struct SiteReader {
    pub signs: SiteSigns,
    home: HomeLink,
    subheadings: usize,
    links: usize,
}

impl SiteReader {
    pub(super) fn of(url: &Url) -> Self {
        Self {
            home: HomeLink::of(url),
            ..Self::default()
        }
    }

    /// Takes the first `<h1>` with this text.
    pub(super) fn take_heading(&mut self, node: NodeRef<'_>, heading: &str) {
        let is_home = |node: NodeRef<'_>| {
            node.value()
                .as_element()
                .is_some_and(|element| self.leads_home(element))
        };
        let within = || {
            let mut nodes = node.descendants().take(MAX_TRIED);
            nodes.any(|inner| is_home(inner) && text_of(inner) == heading)
        };
        self.signs.heading_is_home = node.ancestors().any(is_home) || within();
    }

    /// Takes an `<h2>`.
    pub(super) fn take_subheading(&mut self, node: NodeRef<'_>) {
        if self.signs.subheadings.len() >= MAX_SUBHEADINGS || self.subheadings >= MAX_TRIED {
            return;
        }
        self.subheadings += 1;
        let mut around = node.ancestors().filter_map(|node| node.value().as_element());
        if around.any(is_beside_content) {
            return;
        }
        let text = text_of(node);
        if !text.is_empty() && text.len() <= MAX_BYTES {
            self.signs.subheadings.push(text);
        }
    }

    /// Takes a link.
    pub(super) fn take_link(&mut self, node: NodeRef<'_>, element: &Element) {
        let has_room = self.signs.names.len() < MAX_NAMES && self.links < MAX_TRIED;
        if has_room && self.leads_home(element) {
            self.links += 1;
            self.add_name(text_of(node));
        }
    }

    /// Takes a `<meta>`.
    pub(super) fn take_meta(&mut self, element: &Element) {
        let is = |name: Option<&str>, own: &str| name.is_some_and(|name| name.trim().eq_ignore_ascii_case(own));
        let property = attribute(element, &local_name!("property"));
        let name = attribute(element, &local_name!("name"));
        let is_name = is(property.or(name), "og:site_name") || is(name, "application-name");
        if is_name && self.signs.names.len() < MAX_NAMES {
            let content = attribute(element, &local_name!("content")).unwrap_or_default();
            self.add_name(content.split_whitespace().collect::<Vec<_>>().join(" "));
        }
    }

    fn add_name(&mut self, name: String) {
        let folded: String = name.chars().filter(|c| c.is_alphanumeric()).collect();
        let is_name = !folded.is_empty() && name.len() <= MAX_BYTES && !is_home_word(&folded.to_lowercase());
        if is_name && !self.signs.names.contains(&name) {
            self.signs.names.push(name);
        }
    }

    fn leads_home(&self, element: &Element) -> bool {
        if element.name.local != local_name!("a") {
            return false;
        }
        let href = attribute(element, &local_name!("href")).unwrap_or_default();
        let relations = attribute(element, &local_name!("rel")).unwrap_or_default();
        self.home.leads(href, relations).is_some_and(|leads| leads.is_own)
    }
}

/// Whether what is in an element is no part of the content: a menu, the head of the page, comments, other articles.
fn is_beside_content(element: &Element) -> bool {
    let by_name = matches!(
        element.name.local,
        local_name!("nav") | local_name!("aside") | local_name!("header") | local_name!("footer") | local_name!("form")
    );
    let is_body = matches!(
        element.name.local,
        local_name!("html") | local_name!("body") | local_name!("main")
    );
    let by_class = || attribute(element, &local_name!("class")).is_some_and(marks::are_of_zone);
    let by_id = || attribute(element, &local_name!("id")).is_some_and(marks::is_zone);
    by_name || !is_body && (by_class() || by_id())
}
