//! The headings of a page.

use html5ever::local_name;

use super::marks::{Meaning, Meanings, is_kicker};
use super::text::{collapsed, text_of, text_without};
use crate::parse::{Element, NodeRef, is_unseen};

/// Most headings that are compared with the title.
const MAX_HEADINGS: usize = 32;

/// Longest heading, in bytes.
const MAX_HEADING_BYTES: usize = 1024;

/// Most headings that are read, the empty ones included.
const MAX_TRIED: usize = 1024;

/// A heading, or an element whose class says that it is the title.
#[derive(Debug, Clone)]
pub(super) struct Heading<'t> {
    pub node: NodeRef<'t>,
    pub text: String,
    /// Whether it is an `<h1>`.
    pub is_first_level: bool,
    /// Whether its class says that it is the title.
    pub is_marked: bool,
}

/// The text of a heading without the line above the title, without buttons and links to the heading itself.
fn heading_text(node: NodeRef<'_>) -> String {
    let own = collapsed(&text_without(node, MAX_HEADING_BYTES, is_no_title));
    let text = if own.is_empty() {
        collapsed(&text_of(node, MAX_HEADING_BYTES))
    } else {
        own
    };
    text.trim_end_matches(['¶', ' ', '#']).to_owned()
}

fn is_no_title(element: &Element) -> bool {
    element.name.local == local_name!("button") || element.plain_attribute(&local_name!("class")).is_some_and(is_kicker)
}

/// Reads the headings of a tree whose elements it is given in order.
#[derive(Default)]
pub(super) struct Headings<'t> {
    pub found: Vec<Heading<'t>>,
    pub meanings: Meanings<'t>,
    /// Number of open elements whose headings are not those of the page.
    closed: usize,
    /// Number of headings that were read.
    tried: usize,
}

impl<'t> Headings<'t> {
    /// Enters an element.
    pub(super) fn enter(&mut self, node: NodeRef<'t>, element: &'t Element) {
        if is_closed(element) {
            self.closed += 1;
        }
        if self.closed == 0 {
            self.take(node, element);
        }
    }

    /// Leaves an element.
    pub(super) fn leave(&mut self, element: &Element) {
        if is_closed(element) {
            self.closed -= 1;
        }
    }

    fn take(&mut self, node: NodeRef<'t>, element: &'t Element) {
        if self.found.len() >= MAX_HEADINGS || self.tried >= MAX_TRIED {
            return;
        }
        let name = &element.name.local;
        let is_marked = element
            .plain_attribute(&local_name!("class"))
            .is_some_and(|classes| self.meanings.of(classes) == Some(Meaning::Title));
        let is_first_level = *name == local_name!("h1");
        let is_heading = is_first_level || is_marked || matches!(*name, local_name!("h2") | local_name!("h3"));
        if !is_heading {
            return;
        }
        self.tried += 1;
        let text = heading_text(node);
        // What is cut is the teaser of another page.
        if !text.is_empty() && !text.ends_with(['…', '⋯']) && !text.ends_with("...") {
            self.found.push(Heading {
                node,
                text,
                is_first_level,
                is_marked,
            });
        }
    }
}

/// Whether what is in an element is no heading of the page.
fn is_closed(element: &Element) -> bool {
    is_unseen(element) || matches!(element.name.local, local_name!("nav") | local_name!("aside"))
}
