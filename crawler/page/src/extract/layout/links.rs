//! What a link is to the run around it.

use html5ever::local_name;

use crate::parse::{Element, Node, NodeRef, attribute};

/// Whether a link may lead to another page. One to a part of a page leads from a heading to itself, or from a term to its definition.
pub(super) fn leads_outward(link: &Element) -> bool {
    let target = attribute(link, &local_name!("href"));
    target.is_some_and(|target| target.split_once('#').is_none_or(|(_, part)| part.trim().is_empty()))
}

/// A link whose text is one symbol (¶, #, ⚓): a handle for the heading beside it. One that leads to another page is a part of the words if text
/// follows without a space, or if code has the symbol: signatures have `<a href=array.html>[</a>T<a href=array.html>; N]</a>` and
/// `fn() -&gt; <a href=never.html>!</a>`.
pub(super) fn is_symbol(link: NodeRef<'_>, element: &Element) -> bool {
    let Some(Node::Text(text)) = link.first_child().map(|child| child.value()) else {
        return false;
    };
    let mut characters = text.trim().chars();
    let symbol = characters.next().is_some_and(|c| !c.is_alphanumeric());
    let is_handle = symbol && characters.all(|c| c == '\u{fe0f}') && link.children().count() == 1;
    is_handle && !(leads_outward(element) && (touches_text(link) || is_of_code(text) && is_in_code(link)))
}

/// Whether a symbol is one of code, and none that leads somewhere: `#`, `<`, `>`, `+`.
fn is_of_code(text: &str) -> bool {
    matches!(text.trim(), "!" | "&" | "*" | "(" | ")" | "[" | "]" | "{" | "}")
}

/// Most elements between a symbol and the code around it.
const MAX_LEVELS: usize = 4;

/// Whether an element stands in code, by the element around it or its name, as in the headings of generated references.
fn is_in_code(node: NodeRef<'_>) -> bool {
    let around = node.ancestors().take(MAX_LEVELS);
    around.filter_map(|above| above.value().as_element()).any(|above| {
        let is_named = || attribute(above, &local_name!("class")).is_some_and(|class| class.starts_with("code"));
        matches!(above.name.local, local_name!("code") | local_name!("pre")) || is_named()
    })
}

/// Whether text follows an element without a space.
fn touches_text(element: NodeRef<'_>) -> bool {
    let Some(Node::Text(text)) = element.next_sibling().map(|next| next.value()) else {
        return false;
    };
    text.chars().next().is_some_and(|c| !c.is_whitespace())
}
