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
//! A rule of the user comes before all of this: the text of the elements that it declares to be content is the main text. See
//! [`selectors`].
//!
//! Length is counted in bytes of UTF-8: a Chinese character has three, about as many as the letters of its translation.

mod display;
mod hints;
mod layout;
mod root;
mod select;
mod selectors;

use std::collections::HashSet;

use ego_tree::NodeId;
use scraper::Html;

use self::layout::Layout;
use self::selectors::Choice;
pub use self::selectors::{ExtractRule, InvalidSelector, RuleEffect};
use crate::parse::Document;

/// Finds the main text of a page: one block a line, with collapsed white space; empty if the page shows no text. Also returns how the
/// rule took part, if there is one.
pub(crate) fn main_text(doc: &Document, rule: Option<&ExtractRule>) -> (String, Option<RuleEffect>) {
    let Some(rule) = rule else {
        return (found_text(doc, &[]), None);
    };
    let choices: Vec<Choice> = trees(doc).map(|html| rule.choose(html)).collect();
    if rule.names_content() {
        let mut chosen = trees(doc).zip(&choices);
        return match chosen.find(|(_, choice)| !choice.content.is_empty()) {
            Some((html, choice)) => {
                let layout = Layout::of_elements(html, &choice.content, &choice.dropped);
                (select::text_of(&layout, &layout.runs), Some(RuleEffect::Content))
            }
            None => (found_text(doc, &[]), Some(RuleEffect::Nothing)),
        };
    }
    let dropped: Vec<HashSet<NodeId>> = choices.into_iter().map(|choice| choice.dropped).collect();
    let effect = match dropped.iter().all(HashSet::is_empty) {
        true => RuleEffect::Nothing,
        false => RuleEffect::Drop,
    };
    (found_text(doc, &dropped), Some(effect))
}

/// The main text without a rule, or without the dropped elements of each tree.
///
/// If a `<noscript>` has more text than the rest of the page, it is the main text: a script would fill such a page.
fn found_text(doc: &Document, dropped: &[HashSet<NodeId>]) -> String {
    let none = HashSet::new();
    let dropped = dropped.iter().chain(std::iter::repeat(&none));
    let mut layouts = trees(doc).zip(dropped).map(|(html, dropped)| Layout::of(html, dropped));
    let mut layout = layouts.next().unwrap_or_default();
    for unscripted in layouts {
        if unscripted.text.len() > layout.text.len() {
            layout = unscripted;
        }
    }
    let root = root::find(&mut layout);
    select::text(&layout, root)
}

/// The tree of the page, then those of its `<noscript>` elements.
fn trees(doc: &Document) -> impl Iterator<Item = &Html> {
    std::iter::once(&doc.html).chain(&doc.unscripted)
}

#[cfg(test)]
mod tests;
