//! Where a page shows the name of its site: in the links to the home page, and in the line about the rights.

use html5ever::local_name;
use url::Url;

use super::text::{collapsed, cut, folded, text_of};
use crate::home_link::{HomeLink, Leads, is_home_word};
use crate::parse::{Element, NodeRef};

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
    /// How the page links to the home page of its own site.
    own: HomeLink,
    /// The texts, titles and logos of the links to a home page, folded.
    links: Vec<String>,
    /// Those of the links to the own home page, without words such as "Home".
    names: Vec<String>,
    /// The texts behind a sign of copyright, folded.
    rights: Vec<String>,
}

impl Home {
    /// What is shown by the elements of a page at this URL, of which none was taken yet.
    pub(super) fn of(url: &Url) -> Self {
        Self {
            own: HomeLink::of(url),
            ..Self::default()
        }
    }

    /// Takes what an element shows.
    pub(super) fn take(&mut self, node: NodeRef<'_>, element: &Element) {
        if self.links.len() >= MAX_LINKS || self.names.len() >= MAX_LINKS {
            return;
        }
        if let Some(leads) = self.leads(element) {
            self.add(&text_of(node, MAX_TEXT_BYTES), leads);
            for name in [local_name!("title"), local_name!("aria-label")] {
                self.add(element.plain_attribute(&name).unwrap_or_default(), leads);
            }
        } else if element.name.local == local_name!("img") {
            let alt = element.plain_attribute(&local_name!("alt")).unwrap_or_default();
            let mut around = node.ancestors().take(MAX_DEPTH);
            if !alt.is_empty()
                && let Some(leads) = around.find_map(|node| self.leads(node.value().as_element()?))
            {
                self.add(alt, leads);
            }
        }
    }

    /// Where an element leads, if it is a link to a home page.
    fn leads(&self, element: &Element) -> Option<Leads> {
        if element.name.local != local_name!("a") {
            return None;
        }
        let href = element.plain_attribute(&local_name!("href")).unwrap_or_default();
        let relations = element.plain_attribute(&local_name!("rel")).unwrap_or_default();
        self.own.leads(href, relations)
    }

    fn add(&mut self, name: &str, leads: Leads) {
        let name = folded(&collapsed(cut(name, MAX_TEXT_BYTES)));
        if name.is_empty() {
            return;
        }
        if leads.is_own && !is_home_word(&name) && !self.names.contains(&name) {
            self.names.push(name.clone());
        }
        if leads.is_root && !self.links.contains(&name) {
            self.links.push(name);
        }
    }

    /// The names of the site by the links to its home page, folded.
    pub(super) fn names(&self) -> &[String] {
        &self.names
    }

    /// Takes a text of the page.
    pub(super) fn take_text(&mut self, text: &str) {
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
