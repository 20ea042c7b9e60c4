//! Where a page shows the name of its site: in the links to the home page, and in the line about the rights.

use html5ever::local_name;

use super::text::{collapsed, cut, folded, text_of};
use crate::parse::{Element, NodeRef, Tree, Visit};

/// Most links to the home page that are read: the logo, the menu, the foot.
const MAX_LINKS: usize = 32;

/// Most lines about the rights.
const MAX_RIGHTS: usize = 16;

/// Longest text of such a link, and the part of a line about the rights that is read, in bytes.
const MAX_TEXT_BYTES: usize = 160;

/// Most elements between a logo and its link.
const MAX_DEPTH: usize = 4;

/// Shortest name that is found within another text, in folded characters.
const MIN_WITHIN: usize = 4;

/// Where a page shows the name of its site.
#[derive(Debug, Default)]
pub(super) struct Home {
    /// The texts, titles and logos of the links to the home page, folded.
    links: Vec<String>,
    /// The texts behind a sign of copyright, folded.
    rights: Vec<String>,
}

impl<'t> Visit<'t> for Home {
    fn enter(&mut self, node: NodeRef<'t>) -> bool {
        if let Some(text) = node.value().as_text() {
            self.take_text(text);
        }
        let Some(element) = node.value().as_element() else {
            return true;
        };
        self.take(node, element);
        element.name.local != local_name!("template")
    }

    fn leave(&mut self, _: NodeRef<'t>) {}
}

impl Home {
    /// Looks at the elements of a page.
    pub(super) fn of(tree: &Tree) -> Self {
        let mut home = Self::default();
        tree.root().walk(&mut home);
        home
    }

    /// Takes what an element shows.
    fn take(&mut self, node: NodeRef<'_>, element: &Element) {
        if self.links.len() >= MAX_LINKS {
            return;
        }
        if is_home_link(element) {
            self.add(&text_of(node, MAX_TEXT_BYTES));
            self.add(element.plain_attribute(&local_name!("title")).unwrap_or_default());
            self.add(element.plain_attribute(&local_name!("aria-label")).unwrap_or_default());
        } else if element.name.local == local_name!("img") {
            let alt = element.plain_attribute(&local_name!("alt")).unwrap_or_default();
            let mut around = node.ancestors().take(MAX_DEPTH);
            if !alt.is_empty() && around.any(|node| node.value().as_element().is_some_and(is_home_link)) {
                self.add(alt);
            }
        }
    }

    fn add(&mut self, name: &str) {
        let name = folded(&collapsed(cut(name, MAX_TEXT_BYTES)));
        if !name.is_empty() && !self.links.contains(&name) {
            self.links.push(name);
        }
    }

    /// Takes a text of the page.
    fn take_text(&mut self, text: &str) {
        if self.rights.len() >= MAX_RIGHTS {
            return;
        }
        if let Some(at) = memchr::memmem::find(text.as_bytes(), "©".as_bytes()) {
            self.rights.push(folded(cut(&text[at..], MAX_TEXT_BYTES)));
        }
    }

    /// Whether the page shows a text as the name of its site, perhaps with a further word: "Example News Online".
    pub(super) fn is_name(&self, text: &str) -> bool {
        let text = folded(text);
        let is_long = |name: &str| name.chars().count() >= MIN_WITHIN;
        let mut links = self.links.iter().map(String::as_str);
        let is_linked = links.any(|link| link == text || is_long(link) && text.contains(link));
        is_linked || is_long(&text) && self.rights.iter().any(|rights| rights.contains(&text))
    }
}

/// Whether an element is a link to the home page of a site.
fn is_home_link(element: &Element) -> bool {
    if element.name.local != local_name!("a") {
        return false;
    }
    let href = element.plain_attribute(&local_name!("href")).unwrap_or_default().trim();
    let absolute = href.strip_prefix("http://").or_else(|| href.strip_prefix("https://"));
    let path = match absolute {
        Some(rest) => rest.find('/').map_or("/", |at| &rest[at..]),
        None => href,
    };
    let relations = element.plain_attribute(&local_name!("rel")).unwrap_or_default();
    let is_home = relations.split_ascii_whitespace().any(|relation| relation == "home");
    let is_root = matches!(path, "/" | "/index.html" | "/index.php");
    is_root || is_home
}
