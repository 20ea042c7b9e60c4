//! The main text of a page: what it says, without what its template says on every page.
//!
//! ```text
//! tree ─▶ layout ─▶ root ─▶ select ─▶ text
//!         boxes,    the     what in it
//!         runs      box     is no content
//! ```
//!
//! Verdicts of duplication are decided on this text, so it must not change when only the template does. Therefore marks
//! that a template sets (elements, roles, names of classes) come first, and measures of length and link density only where
//! there are none; and what is left out is left out whole, box by box.
//!
//! Length is counted in bytes of UTF-8: a Chinese character is three, about the letters that it stands for.

mod display;
mod hints;
mod layout;
mod root;
mod select;

use self::layout::Layout;
use crate::parse::Document;

/// The main text of a page.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Extracted {
    /// The text: a block a line, white space collapsed; empty if the page shows none.
    pub text: String,
    /// How much of the page it is.
    pub kind: Extraction,
}

/// How much of a page its main text is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Extraction {
    /// One part of the page was found to hold its content.
    Article,
    /// No part stood out: all of the page but navigation and other boilerplate.
    Whole,
}

/// Finds the main text of a page.
///
/// Where a page has more to say to browsers without scripts than to others, its main text is that: such pages are empty
/// frames that a script would fill.
pub fn main_text(doc: &Document) -> Extracted {
    let mut layout = Layout::of(&doc.html);
    for html in &doc.unscripted {
        let unscripted = Layout::of(html);
        if unscripted.text.len() > layout.text.len() {
            layout = unscripted;
        }
    }
    let root = root::find(&mut layout);
    let text = select::text(&layout, root);
    Extracted {
        text,
        kind: if root == 0 {
            Extraction::Whole
        } else {
            Extraction::Article
        },
    }
}

#[cfg(test)]
mod tests;
