//! Which elements are blocks: by their names in browsers, and by the `display` of their own style.

use std::sync::LazyLock;

use html5ever::{LocalName, local_name};

use super::marks::MAX_VALUE_BYTES;
use crate::map::Set;
use crate::parse::{Element, attribute};

/// Whether the style of an element makes a block of it.
pub(super) fn makes_block(element: &Element) -> bool {
    display_by_style(element).is_some_and(|display| {
        matches!(
            display,
            "block" | "flex" | "grid" | "table" | "list-item" | "flow-root" | "table-row"
        )
    })
}

/// The value of `display` in the style of an element, if it is one of those that matter, in small letters.
pub(super) fn display_by_style(element: &Element) -> Option<&'static str> {
    let style = attribute(element, &local_name!("style")).filter(|style| style.len() <= MAX_VALUE_BYTES)?;
    let declarations = style.split(';').filter_map(|declaration| declaration.split_once(':'));
    let mut displays = declarations.filter(|(property, _)| property.trim().eq_ignore_ascii_case("display"));
    // The last one counts.
    let value = displays.next_back()?.1.split('!').next().unwrap_or_default().trim();
    DISPLAYS
        .iter()
        .copied()
        .find(|display| display.eq_ignore_ascii_case(value))
}

const DISPLAYS: [&str; 11] = [
    "block",
    "inline",
    "inline-block",
    "inline-flex",
    "inline-grid",
    "flex",
    "grid",
    "table",
    "list-item",
    "flow-root",
    "table-row",
];

/// Whether an element of this name is a block in browsers (WHATWG HTML, chapter 15, "rendering").
pub(super) fn is_block(name: &LocalName) -> bool {
    BLOCKS.contains(&**name)
}

static BLOCKS: LazyLock<Set<&'static str>> = LazyLock::new(|| {
    [
        "address",
        "article",
        "aside",
        "blockquote",
        "body",
        "caption",
        "center",
        "col",
        "colgroup",
        "dd",
        "details",
        "dialog",
        "dir",
        "div",
        "dl",
        "dt",
        "fieldset",
        "figcaption",
        "figure",
        "footer",
        "form",
        "h1",
        "h2",
        "h3",
        "h4",
        "h5",
        "h6",
        "header",
        "hgroup",
        "hr",
        "html",
        "legend",
        "li",
        "listing",
        "main",
        "menu",
        "nav",
        "ol",
        "optgroup",
        "option",
        "p",
        "plaintext",
        "pre",
        "search",
        "section",
        "summary",
        "table",
        "tbody",
        "td",
        "tfoot",
        "th",
        "thead",
        "tr",
        "ul",
        "xmp",
    ]
    .into_iter()
    .collect()
});
