//! What a link is to the run around it.

use html5ever::local_name;

use crate::parse::{Element, Node, NodeRef, attribute};

/// Whether a link may lead to another page. One to a part of a page leads from a heading to itself, or from a term to its definition.
pub(super) fn leads_outward(link: &Element) -> bool {
    let target = attribute(link, &local_name!("href"));
    target.is_some_and(|target| target.split_once('#').is_none_or(|(_, part)| part.trim().is_empty()))
}

/// A link whose text is one symbol (¶, #, ⚓): a handle for the heading beside it. One that leads to another page, and that text follows without a
/// space, is a part of the words: a signature has `<a href=array.html>[</a>T<a href=array.html>; N]</a>`.
pub(super) fn is_symbol(link: NodeRef<'_>, element: &Element) -> bool {
    let Some(Node::Text(text)) = link.first_child().map(|child| child.value()) else {
        return false;
    };
    let mut characters = text.trim().chars();
    let symbol = characters.next().is_some_and(|c| !c.is_alphanumeric());
    let is_handle = symbol && characters.all(|c| c == '\u{fe0f}') && link.children().count() == 1;
    is_handle && !(leads_outward(element) && touches_text(link))
}

/// Whether text follows an element without a space.
fn touches_text(element: NodeRef<'_>) -> bool {
    let Some(Node::Text(text)) = element.next_sibling().map(|next| next.value()) else {
        return false;
    };
    text.chars().next().is_some_and(|c| !c.is_whitespace())
}
