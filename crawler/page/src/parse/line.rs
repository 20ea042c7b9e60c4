//! The text of an element in one line.

use html5ever::local_name;

use super::{Node, NodeRef};

/// Longest title or heading, in bytes; longer ones are cut.
const MAX_TEXT_BYTES: usize = 4096;

/// All text below a node, white space collapsed.
pub(super) fn text_of(node: NodeRef<'_>) -> String {
    let mut text = String::new();
    for node in node.descendants() {
        match node.value() {
            Node::Text(part) => push_collapsed(&mut text, part),
            Node::Element(element) if element.name.local == local_name!("br") => push_collapsed(&mut text, " "),
            _ => {}
        }
    }
    text.truncate(text.trim_end().len());
    text
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
