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

/// Finds the main text of a page.
///
/// Where a page has more to say to browsers without scripts than to others, its main text is that: such pages are empty
/// frames that a script would fill.
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
