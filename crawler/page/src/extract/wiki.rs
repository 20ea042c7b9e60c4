//! The controls of MediaWiki, which are no text: `[edit]` beside each heading, "Jump to navigation", "Retrieved from", the categories.
//!
//! The names are those of the skins of MediaWiki since 2010. Other software uses some of these names for content, so they count only on pages of
//! MediaWiki.

use html5ever::local_name;

use super::marks::MAX_VALUE_BYTES;
use crate::parse::{Element, attribute};

/// The class that MediaWiki gives the body of each page.
const OF_BODY: &str = "mediawiki";

/// Classes and ids of controls.
const CONTROLS: &[&str] = &[
    "mw-editsection",
    "editsection",
    "mw-jump-link",
    "jump-to-nav",
    "siteSub",
    "printfooter",
    "catlinks",
    "toctitle",
];

/// Whether the body of a page says that the page is one of a wiki.
pub(super) fn is_body(element: &Element) -> bool {
    element.name.local == local_name!("body") && names(element).any(|name| name == OF_BODY)
}

/// Whether an element of such a page is a control.
pub(super) fn is_control(element: &Element) -> bool {
    names(element).any(|name| CONTROLS.contains(&name))
}

/// The classes and the id of an element.
fn names(element: &Element) -> impl Iterator<Item = &str> {
    let values = [local_name!("class"), local_name!("id")].map(|name| attribute(element, &name));
    let values = values
        .into_iter()
        .flatten()
        .filter(|value| value.len() <= MAX_VALUE_BYTES);
    values.flat_map(str::split_ascii_whitespace)
}

#[cfg(test)]
mod tests {
    use crate::parse::{Attributes, parse};

    #[test]
    fn the_controls_of_a_wiki_are_no_text() {
        let text = |page: &str| crate::extract::main_text(&parse(page, Attributes::Read), "", None).0;
        let edit =
            "<span class=mw-editsection><span>[</span><a href='/w/index.php?action=edit'>edit</a><span>]</span></span>";
        let more = "<p>Between the islands it stood on bundles of brushwood, which were pegged down every few yards with stakes of oak.".repeat(5);
        let heading = format!("<h2><span class=mw-headline id=Route>Route</span>{edit}</h2>");
        let newer = format!("<div class='mw-heading mw-heading2'><h2 id=Route>Route</h2>{edit}</div>");
        for heading in [heading, newer] {
            let page = format!(
                "<body class='mediawiki ltr'><div id=content role=main><h1>Fen Causeway</h1><div id=bodyContent><div id=siteSub class=noprint>From Fenland Wiki</div>\
                 <a class=mw-jump-link href=#mw-head>Jump to navigation</a><div id=mw-content-text><p>The Fen Causeway is a Roman road that ran \
                 between Denver in the east and Peterborough in the west.{heading}<p>It crossed the wettest part of the fens on a bank of gravel, \
                 as wide as three carts.{more}</div><div class=printfooter>Retrieved from \"<a href=/w>http://fen.example/w</a>\"</div></div></div>"
            );
            let text = text(&page);
            assert!(
                text.starts_with("Fen Causeway\nThe Fen Causeway is a Roman road"),
                "{text}"
            );
            assert!(text.contains("in the west.\nRoute\nIt crossed"), "{text}");
            for control in ["edit", "Jump", "From Fenland", "Retrieved"] {
                assert!(!text.contains(control), "{control}: {text}");
            }
        }
    }
}
