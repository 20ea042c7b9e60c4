//! The main text of a page: its content without the text of its template.
//!
//! ```text
//! tree ─▶ layout ─▶ root ─▶ select ─▶ text
//!         boxes,    the     the content
//!         runs      box     within it
//! ```
//!
//! Verdicts depend on this text, so it must not change when only the template changes. Therefore the marks of a template
//! (elements, roles, names of classes) decide first; measures of length and link density decide only without marks; and
//! boilerplate is removed in whole boxes.
//!
//! Length is counted in bytes of UTF-8: a Chinese character has three, about as many as the letters of its translation.

mod display;
mod hints;
mod layout;
mod root;
mod select;

use self::layout::Layout;
use crate::parse::Document;

/// Finds the main text of a page: one block a line, with collapsed white space; empty if the page shows no text.
///
/// If a `<noscript>` has more text than the rest of the page, it is the main text: a script would fill such a page.
pub(crate) fn main_text(doc: &Document) -> String {
    let mut layout = Layout::of(&doc.html);
    for html in &doc.unscripted {
        let unscripted = Layout::of(html);
        if unscripted.text.len() > layout.text.len() {
            layout = unscripted;
        }
    }
    let root = root::find(&mut layout);
    select::text(&layout, root)
}

#[cfg(test)]
mod tests;
