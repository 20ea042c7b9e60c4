//! What a link is to the run around it.

use html5ever::local_name;

use crate::parse::{Element, Node, NodeRef, attribute};

/// Whether a link may lead to another page. One to a part of a page leads from a heading to itself, or from a term to its definition.
pub(super) fn leads_outward(link: &Element) -> bool {
    let target = attribute(link, &local_name!("href"));
    target.is_some_and(|target| target.split_once('#').is_none_or(|(_, part)| part.trim().is_empty()))
}

/// A link whose text is one symbol (¶, #, ⚓): a handle for the heading beside it.
pub(super) fn is_symbol(link: NodeRef<'_>) -> bool {
    let Some(Node::Text(text)) = link.first_child().map(|child| child.value()) else {
        return false;
    };
    let mut characters = text.trim().chars();
    let symbol = characters.next().is_some_and(|c| !c.is_alphanumeric());
    symbol && characters.all(|c| c == '\u{fe0f}') && link.children().count() == 1
}
