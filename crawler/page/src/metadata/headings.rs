//! The headings of a page.

use html5ever::local_name;

use super::marks::{Meaning, Meanings, is_kicker};
use super::text::{collapsed, is_unseen, text_of, text_without};
use crate::parse::{Element, NodeRef, Tree, Visit};

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

/// The headings of a tree, in order.
pub(super) fn headings<'t>(tree: &'t Tree, meanings: &mut Meanings<'t>) -> Vec<Heading<'t>> {
    let mut reader = HeadingReader {
        meanings,
        headings: Vec::new(),
        tried: 0,
    };
    tree.root().walk(&mut reader);
    reader.headings
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

struct HeadingReader<'t, 'm> {
    meanings: &'m mut Meanings<'t>,
    headings: Vec<Heading<'t>>,
    /// Number of headings that were read.
    tried: usize,
}

impl<'t> Visit<'t> for HeadingReader<'t, '_> {
    fn enter(&mut self, node: NodeRef<'t>) -> bool {
        let Some(element) = node.value().as_element() else {
            return true;
        };
        let name = &element.name.local;
        if is_unseen(element) || matches!(*name, local_name!("nav") | local_name!("aside")) {
            return false;
        }
        let is_marked = element
            .plain_attribute(&local_name!("class"))
            .is_some_and(|classes| self.meanings.of(classes) == Some(Meaning::Title));
        let is_first_level = *name == local_name!("h1");
        let is_heading = is_first_level || is_marked || matches!(*name, local_name!("h2") | local_name!("h3"));
        if is_heading && self.headings.len() < MAX_HEADINGS && self.tried < MAX_TRIED {
            self.tried += 1;
            let text = heading_text(node);
            // What is cut is the teaser of another page.
            if !text.is_empty() && !text.ends_with(['…', '⋯']) && !text.ends_with("...") {
                self.headings.push(Heading {
                    node,
                    text,
                    is_first_level,
                    is_marked,
                });
            }
        }
        true
    }

    fn leave(&mut self, _: NodeRef<'t>) {}
}
