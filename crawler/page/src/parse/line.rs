//! The text of an element in one line.

use html5ever::local_name;

use super::{Element, Node, NodeRef, Visit};
use crate::words::is_ignorable;

/// Longest title or heading, in bytes; longer ones are cut.
const MAX_TEXT_BYTES: usize = 4096;

/// The words below a node that a reader sees, with white space collapsed; empty if the text has only invisible characters.
pub(super) fn text_of(node: NodeRef<'_>) -> String {
    let mut reader = Reader::default();
    node.walk(&mut reader);
    let Reader(mut text) = reader;
    text.truncate(text.trim_end().len());
    if text.chars().all(is_ignorable) {
        text.clear();
    }
    text
}

#[derive(Default)]
struct Reader(String);

impl<'t> Visit<'t> for Reader {
    fn enter(&mut self, node: NodeRef<'t>) -> bool {
        match node.value() {
            Node::Text(part) => push_collapsed(&mut self.0, part),
            Node::Element(element) if element.name.local == local_name!("br") => push_collapsed(&mut self.0, " "),
            Node::Element(element) => return !is_unseen(element),
            _ => {}
        }
        false
    }

    fn leave(&mut self, _: NodeRef<'t>) {}
}

/// Whether the text of such an element is no word of the text around it: it is never shown, or it is the reading above a word.
pub(crate) fn is_unseen(element: &Element) -> bool {
    matches!(
        element.name.local,
        local_name!("script")
            | local_name!("style")
            | local_name!("noscript")
            | local_name!("template")
            | local_name!("svg")
            | local_name!("rt")
            | local_name!("rp")
            | local_name!("rtc")
    )
}

/// Appends `part` with each run of white space as one space, up to the longest text.
pub(super) fn push_collapsed(text: &mut String, part: &str) {
    for c in part.chars() {
        if text.len() >= MAX_TEXT_BYTES {
            return;
        }
        if !c.is_whitespace() {
            text.push(c);
        } else if !text.is_empty() && !text.ends_with(' ') {
            text.push(' ');
        }
    }
}
