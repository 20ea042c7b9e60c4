//! The main text of a page: its content without the text of its template.
//!
//! ```text
//! tree ─▶ layout ─▶ root ─▶ features ─▶ forest ─▶ choose ─▶ text
//!         boxes,    the     of each     how       the runs
//!         runs      rules   run         likely    of content
//! ```
//!
//! Verdicts depend on this text, so it must not change when only the template changes. The rules of [`root`] know the marks of
//! templates: elements, roles, and names of classes. People marked the content of many pages. From these pages, the model learned where
//! the marks are wrong, and which text inside the box of the content is no content. What the rules take is one of its features.
//!
//! A rule of the user comes before all of this: the text of the elements that it declares to be content is the main text. See
//! [`selectors`].
//!
//! Length is counted in bytes of UTF-8: a Chinese character has three, about as many as the letters of its translation.

mod choose;
mod display;
mod features;
mod forest;
mod hints;
pub(crate) mod kind;
mod layout;
mod marks;
mod measure;
mod mirror;
mod names;
mod path;
mod root;
mod select;
mod selectors;
mod spaces;
mod sums;
mod title;
#[cfg(feature = "training")]
pub mod training;

use std::collections::HashSet;

use self::kind::Kinds;
use self::layout::{Layout, Run};
use self::mirror::Chosen;
pub use self::selectors::{ExtractRule, InvalidSelector, RuleEffect};
use crate::parse::{Document, NodeId, Tree};

/// Finds the main text of a page: one block a line, with collapsed white space; empty if the page shows no text, or only navigation. Also returns how the
/// rule took part, if there is one. `title` is the title of the page.
pub(crate) fn main_text(doc: &Document, title: &str, rule: Option<&ExtractRule>) -> (String, Option<RuleEffect>) {
    let Some(rule) = rule else {
        return (found_text(doc, title, &[]), None);
    };
    let choices: Vec<Chosen> = trees(doc).map(|tree| mirror::choose(rule, tree)).collect();
    if rule.names_content() {
        let mut chosen = trees(doc).zip(&choices);
        return match chosen.find(|(_, choice)| !choice.content.is_empty()) {
            Some((html, choice)) => {
                let layout = Layout::of_elements(html, &choice.content, &choice.dropped);
                (text_of(&layout, shown_runs(&layout)), Some(RuleEffect::Content))
            }
            None => (found_text(doc, title, &[]), Some(RuleEffect::Nothing)),
        };
    }
    let dropped: Vec<HashSet<NodeId>> = choices.into_iter().map(|choice| choice.dropped).collect();
    let effect = if dropped.iter().all(HashSet::is_empty) {
        RuleEffect::Nothing
    } else {
        RuleEffect::Drop
    };
    (found_text(doc, title, &dropped), Some(effect))
}

/// All text that the page shows: for a document without a template around its text.
pub(crate) fn all_text(doc: &Document) -> String {
    let layout = laid_out(doc, &[]);
    text_of(&layout, shown_runs(&layout))
}

/// Whether an element of the page is content by the rule. The page must have all attributes.
pub(crate) fn shows(doc: &Document, rule: &ExtractRule) -> bool {
    !mirror::choose(rule, &doc.html).content.is_empty()
}

/// The main text without a rule, or without the dropped elements of each tree.
fn found_text(doc: &Document, title: &str, dropped: &[HashSet<NodeId>]) -> String {
    let mut layout = laid_out(doc, dropped);
    let root = root::find(&mut layout);
    text_of(&layout, choose::content(&layout, root, title, Kinds::of(&doc.html)))
}

/// The layout of the page, or of a `<noscript>` with more text: a script would fill such a page.
fn laid_out(doc: &Document, dropped: &[HashSet<NodeId>]) -> Layout {
    let none = HashSet::new();
    let dropped = dropped.iter().chain(std::iter::repeat(&none));
    let mut layouts = trees(doc).zip(dropped).map(|(html, dropped)| Layout::of(html, dropped));
    let mut layout = layouts.next().unwrap_or_default();
    let mut shown = shown_bytes(&layout);
    for unscripted in layouts {
        let bytes = shown_bytes(&unscripted);
        if bytes > shown {
            (layout, shown) = (unscripted, bytes);
        }
    }
    layout
}

fn shown_runs(layout: &Layout) -> impl Iterator<Item = &Run> {
    let runs = layout.runs.iter().zip(layout.hidden_bytes());
    runs.filter_map(|(run, hidden)| hidden.is_none().then_some(run))
}

fn shown_bytes(layout: &Layout) -> usize {
    shown_runs(layout).map(|run| run.text.len()).sum()
}

/// The text of these runs, one a line, with the cells of a table row on one line.
fn text_of<'a>(layout: &Layout, runs: impl IntoIterator<Item = &'a Run>) -> String {
    let mut text = String::new();
    for run in runs {
        if !text.is_empty() {
            text.push(if run.in_row { ' ' } else { '\n' });
        }
        text.push_str(layout.text_of(run));
    }
    text
}

/// The tree of the page, then those of its `<noscript>` elements.
fn trees(doc: &Document) -> impl Iterator<Item = &Tree> {
    std::iter::once(&doc.html).chain(&doc.unscripted)
}

#[cfg(test)]
mod tests;
