//! How an element takes part in the layout, by its name and its namespace.

use html5ever::{LocalName, local_name, ns};

use crate::parse::{Element, NodeRef};

/// How an element takes part in the layout.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Display {
    /// Not shown.
    None,
    /// In the run around it.
    Inline,
    /// In the run around it, as a link.
    Link,
    /// A line break in the run around it.
    Break,
    /// In the run around it, between line breaks.
    Line,
    /// A box.
    Block,
    /// A box beside the previous one.
    Cell,
    /// A box that is the heading of a folded text, as `<summary>` is.
    Caption,
}

impl Display {
    /// How `element`, which stands at `node`, takes part by its name. [`Context`](super::context::Context) knows the exceptions.
    pub(super) fn of(node: NodeRef<'_>, element: &Element) -> Self {
        if element.name.ns != ns!(html) {
            // Formulas are text; drawings are not.
            return if element.name.ns == ns!(svg) {
                Self::None
            } else {
                Self::Inline
            };
        }
        match element.name.local {
            local_name!("a") => Self::Link,
            local_name!("br") => Self::Break,
            // The headings of folded sections are buttons. Behind the words of a heading, a button does something with it.
            local_name!("button") if in_heading(node) && !follows_words(node) => Self::Inline,
            local_name!("td") | local_name!("th") => Self::Cell,
            local_name!("abbr")
            | local_name!("acronym")
            | local_name!("b")
            | local_name!("bdi")
            | local_name!("bdo")
            | local_name!("big")
            | local_name!("cite")
            | local_name!("code")
            | local_name!("data")
            | local_name!("del")
            | local_name!("dfn")
            | local_name!("em")
            | local_name!("font")
            | local_name!("i")
            | local_name!("ins")
            | local_name!("kbd")
            | local_name!("mark")
            | local_name!("nobr")
            | local_name!("output")
            | local_name!("q")
            | local_name!("ruby")
            | local_name!("rb")
            | local_name!("s")
            | local_name!("samp")
            | local_name!("slot")
            | local_name!("small")
            | local_name!("span")
            | local_name!("strike")
            | local_name!("strong")
            | local_name!("sub")
            | local_name!("sup")
            | local_name!("time")
            | local_name!("tt")
            | local_name!("u")
            | local_name!("var")
            | local_name!("wbr") => Self::Inline,
            local_name!("area")
            | local_name!("audio")
            | local_name!("base")
            | local_name!("button")
            | local_name!("canvas")
            | local_name!("datalist")
            | local_name!("embed")
            | local_name!("fieldset")
            | local_name!("frame")
            | local_name!("frameset")
            | local_name!("head")
            | local_name!("iframe")
            | local_name!("img")
            | local_name!("input")
            | local_name!("label")
            | local_name!("link")
            | local_name!("map")
            | local_name!("meta")
            | local_name!("meter")
            | local_name!("noembed")
            | local_name!("noframes")
            | local_name!("noscript")
            | local_name!("object")
            | local_name!("param")
            | local_name!("progress")
            | local_name!("rp")
            | local_name!("rt")
            | local_name!("rtc")
            | local_name!("script")
            | local_name!("select")
            | local_name!("source")
            | local_name!("style")
            | local_name!("template")
            | local_name!("textarea")
            | local_name!("title")
            | local_name!("track")
            | local_name!("video") => Self::None,
            _ => Self::Block,
        }
    }
}

fn in_heading(node: NodeRef<'_>) -> bool {
    let parent = node.parent().and_then(|parent| parent.value().as_element());
    parent.is_some_and(|parent| is_heading(&parent.name.local))
}

/// Most nodes before a button in a heading that are searched for words, and most nodes in each of these.
const MAX_BEFORE: usize = 16;

/// Whether words stand before a node in the same element.
fn follows_words(node: NodeRef<'_>) -> bool {
    let has_words = |node: NodeRef<'_>| {
        let text = node.value().as_text();
        text.is_some_and(|text| text.chars().any(char::is_alphabetic))
    };
    let before = std::iter::successors(node.previous_sibling(), |node| node.previous_sibling());
    before.take(MAX_BEFORE).any(|before| {
        let first = std::iter::successors(Some(before), |node| node.first_child());
        first.take(MAX_BEFORE).any(has_words)
    })
}

/// Whether an element stands within a line, so that words on both sides of its tags are one word.
pub(crate) fn is_within_line(node: NodeRef<'_>, element: &Element) -> bool {
    matches!(Display::of(node, element), Display::Inline | Display::Link)
}

/// Whether elements of this name are headings.
pub(super) fn is_heading(name: &LocalName) -> bool {
    heading_level(name) > 0
}

/// The level of a heading, from 1 to 6; 0 for other elements.
pub(super) fn heading_level(name: &LocalName) -> u8 {
    match *name {
        local_name!("h1") => 1,
        local_name!("h2") => 2,
        local_name!("h3") => 3,
        local_name!("h4") => 4,
        local_name!("h5") => 5,
        local_name!("h6") => 6,
        _ => 0,
    }
}
