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
//! Each run has a part in the page: content, a caption, a byline, a date, a comment, a link to a related page, a button to share, navigation,
//! legal text, an advertisement. What shows the part are features, too: the names of the boxes around the run ([`marks`]), the words of
//! labels ([`sayings`]), and the place of the run beside the running text ([`around`]). Which parts are content depends on the page, so the
//! model decides it: answers are content of a forum, comments are not content of an article. Where it doubts, [`Favor`] decides.
//! Of what it takes, the headlines of other pages beside an article are left out: see [`teasers`].
//!
//! A rule of the user comes before all of this: the text of the elements that it declares to be content is the main text. See
//! [`selectors`].
//!
//! Length is counted in bytes of UTF-8: a Chinese character has three, about as many as the letters of its translation.

mod around;
mod blocks;
mod choose;
mod consent;
mod context;
mod display;
mod favor;
mod features;
mod forest;
mod hints;
pub(crate) mod kind;
mod layout;
pub(crate) mod markdown;
mod marks;
mod measure;
mod mirror;
mod names;
mod path;
mod root;
mod sayings;
mod scan;
mod select;
mod selectors;
mod source;
mod spaces;
mod sums;
mod teasers;
mod title;
#[cfg(feature = "training")]
pub mod training;
mod wiki;

use std::collections::HashSet;

use self::consent::Apart;
use self::context::Dialogues;
pub(crate) use self::display::is_within_line;
pub use self::favor::Favor;
use self::kind::Kinds;
use self::layout::Layout;
use self::markdown::{MarkdownOptions, References};
use self::mirror::Chosen;
pub use self::selectors::{ExtractRule, InvalidSelector, RuleEffect};
use self::source::Source;
use crate::parse::{Document, NodeId, Tree};

/// The runs of a page that are content.
#[derive(Debug)]
pub(crate) struct Content<'d> {
    source: Source<'d>,
    layout: Layout,
    /// The indices of the runs, in order.
    runs: Vec<usize>,
}

impl<'d> Content<'d> {
    /// All that is shown of a source.
    fn shown(source: Source<'d>, layout: Layout) -> Self {
        let runs = shown_runs(&layout).collect();
        Self { source, layout, runs }
    }

    /// The text of the runs, one a line, with collapsed white space and the cells of a table row on one line; empty if the page shows no text, or
    /// only navigation.
    pub(crate) fn text(&self) -> String {
        let mut text = String::new();
        for run in self.runs.iter().map(|run| &self.layout.runs[*run]) {
            if !text.is_empty() {
                text.push(if run.in_row { ' ' } else { '\n' });
            }
            text.push_str(self.layout.text_of(run));
        }
        text
    }

    fn bytes(&self) -> usize {
        self.runs.iter().map(|run| self.layout.runs[*run].text.len()).sum()
    }

    /// The runs as Markdown.
    pub(crate) fn markdown(&self, references: References<'_>, options: &MarkdownOptions) -> String {
        let mut is_chosen = vec![false; self.layout.runs.len()];
        self.runs.iter().for_each(|run| is_chosen[*run] = true);
        markdown::of_runs(&self.source, &self.layout, &is_chosen, (references, options))
    }
}

/// Finds the main text of a page, and says how the rule took part, if there is one. `title` is the title of the page.
pub(crate) fn content<'d>(
    doc: &'d Document,
    title: &str,
    rule: Option<&ExtractRule>,
    favor: Favor,
) -> (Content<'d>, Option<RuleEffect>) {
    let Some(rule) = rule else {
        return (found_content(doc, title, &[], favor), None);
    };
    let choices: Vec<Chosen> = trees(doc).map(|tree| mirror::choose(rule, tree)).collect();
    if rule.names_content() {
        let mut chosen = trees(doc).zip(choices);
        return match chosen.find(|(_, choice)| !choice.content.is_empty()) {
            Some((tree, choice)) => {
                let source = Source::new(tree, choice.content, choice.dropped, Dialogues::Shown);
                let layout = source.layout();
                (Content::shown(source, layout), Some(RuleEffect::Content))
            }
            None => (found_content(doc, title, &[], favor), Some(RuleEffect::Nothing)),
        };
    }
    let dropped: Vec<HashSet<NodeId>> = choices.into_iter().map(|choice| choice.dropped).collect();
    let effect = if dropped.iter().all(HashSet::is_empty) {
        RuleEffect::Nothing
    } else {
        RuleEffect::Drop
    };
    (found_content(doc, title, &dropped, favor), Some(effect))
}

/// All that the page shows: for a document without a template around its text.
pub(crate) fn all_content(doc: &Document) -> Content<'_> {
    let laid = laid_out(doc, &[], Dialogues::Shown);
    Content::shown(laid.source, laid.layout)
}

/// Whether an element of the page is content by the rule. The page must have all attributes.
pub(crate) fn shows(doc: &Document, rule: &ExtractRule) -> bool {
    !mirror::choose(rule, &doc.html).content.is_empty()
}

/// The content without a rule, or without the dropped elements of each tree.
fn found_content<'d>(doc: &'d Document, title: &str, dropped: &[HashSet<NodeId>], favor: Favor) -> Content<'d> {
    let found = |mut laid: LaidOut<'d>| {
        let root = root::find(&mut laid.layout);
        let runs = choose::content(&laid.layout, root, title, Kinds::of(&doc.html), favor);
        Content {
            source: laid.source,
            layout: laid.layout,
            runs,
        }
    };
    let layout = content_layout(doc, dropped);
    let (has_dialogues, modal_bytes) = (layout.has_dialogues, layout.modal_bytes);
    let content = found(layout.laid);
    let bytes = content.bytes();
    let is_message = bytes < MAX_MESSAGE && bytes * MODAL_BYTES_A_BYTE < modal_bytes;
    if content.runs.is_empty() && has_dialogues || is_message {
        // The dialogue is the page.
        found(laid_out(doc, dropped, Dialogues::OnlyConsentLeftOut))
    } else {
        content
    }
}

/// Text beside a modal dialogue that may be a message ("Loading"), in bytes.
const MAX_MESSAGE: usize = 100;

/// How many times the text of a page the dialogues on it must have to be the page.
const MODAL_BYTES_A_BYTE: usize = 10;

/// Share of dialogues in the text of a page that changes what the model says of the other text. It compares each run with the page.
const MAX_DIALOGUES: f64 = 0.2;

/// Text of a short page, menus included, in bytes.
const MAX_SHORT_PAGE: usize = 3_000;

/// The bytes of dialogues and of the page's own parts.
#[derive(Default)]
struct Shares {
    dialogues: usize,
    own: usize,
}

impl Shares {
    fn add(&mut self, bytes: usize, is_dialogue: bool) {
        if is_dialogue {
            self.dialogues += bytes
        } else {
            self.own += bytes
        }
    }

    fn has_large_dialogues(&self) -> bool {
        self.dialogues as f64 > MAX_DIALOGUES * (self.dialogues + self.own) as f64
    }
}

/// A layout, and what it is of.
struct LaidOut<'d> {
    source: Source<'d>,
    layout: Layout,
}

/// A layout, and what dialogues the page has.
struct ContentLayout<'d> {
    laid: LaidOut<'d>,
    has_dialogues: bool,
    /// Text in dialogues that do not ask for consent.
    modal_bytes: usize,
}

/// The layout for the choice of the content. Where dialogues are a large part of the page, it is the layout without them, so that a short page is the
/// same page with and without a dialogue.
fn content_layout<'d>(doc: &'d Document, dropped: &[HashSet<NodeId>]) -> ContentLayout<'d> {
    let laid = laid_out(doc, dropped, Dialogues::Marked);
    let layout = &laid.layout;
    let has_dialogues = layout.boxes.iter().any(|this| this.apart.is_some());
    let modals = layout.boxes.iter().filter(|this| this.apart == Some(Apart::Dialogue));
    let modal_bytes = modals
        .flat_map(|this| &layout.runs[this.runs.clone()])
        .map(|run| run.text.len())
        .sum();
    let is_large = has_dialogues && {
        let (mut all, mut shown) = (Shares::default(), Shares::default());
        for ((run, apart), hidden) in layout.runs.iter().zip(layout.is_apart()).zip(layout.hidden_bytes()) {
            all.add(run.text.len(), apart);
            if hidden.is_none() {
                shown.add(run.text.len(), apart);
            }
        }
        // A hidden dialogue weighs on the numbers of a short page only, unless it is the page.
        let is_short = all.own <= MAX_SHORT_PAGE || all.own < all.dialogues;
        shown.has_large_dialogues() || all.has_large_dialogues() && is_short
    };
    ContentLayout {
        laid: if is_large {
            laid_out(doc, dropped, Dialogues::LeftOut)
        } else {
            laid
        },
        has_dialogues,
        modal_bytes,
    }
}

/// The layout of the page, or of a `<noscript>` with more text: a script would fill such a page.
fn laid_out<'d>(doc: &'d Document, dropped: &[HashSet<NodeId>], dialogues: Dialogues) -> LaidOut<'d> {
    let none = HashSet::new();
    let laid_out = |(tree, dropped): (&'d Tree, &HashSet<NodeId>)| {
        let source = Source::new(tree, vec![tree.root().id()], dropped.clone(), dialogues);
        let layout = source.layout();
        LaidOut { source, layout }
    };
    let mut laid = laid_out((&doc.html, dropped.first().unwrap_or(&none)));
    let mut shown = shown_bytes(&laid.layout);
    let behind = dropped.iter().skip(1).chain(std::iter::repeat(&none));
    for unscripted in doc.unscripted.iter().zip(behind).map(laid_out) {
        let bytes = shown_bytes(&unscripted.layout);
        if bytes > shown {
            (laid, shown) = (unscripted, bytes);
        }
    }
    laid
}

/// The indices of the runs that are shown.
fn shown_runs(layout: &Layout) -> impl Iterator<Item = usize> {
    let hidden = layout.hidden_bytes().into_iter().enumerate();
    hidden.filter_map(|(run, hidden)| hidden.is_none().then_some(run))
}

fn shown_bytes(layout: &Layout) -> usize {
    shown_runs(layout).map(|run| layout.runs[run].text.len()).sum()
}

/// The tree of the page, then those of its `<noscript>` elements.
fn trees(doc: &Document) -> impl Iterator<Item = &Tree> {
    std::iter::once(&doc.html).chain(&doc.unscripted)
}

/// The main text of a page, and how the rule took part.
#[cfg(test)]
fn main_text(doc: &Document, title: &str, rule: Option<&ExtractRule>) -> (String, Option<RuleEffect>) {
    let (content, effect) = content(doc, title, rule, Favor::default());
    (content.text(), effect)
}

#[cfg(test)]
mod tests;
