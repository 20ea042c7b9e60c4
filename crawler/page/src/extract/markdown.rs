//! The main text of a page as Markdown.
//!
//! ```text
//! tree ──▶ layout ──▶ choose ──▶ text
//!   │                   │
//!   │            chosen runs
//!   ▼                   ▼
//! the same walk ──▶ follow ──▶ line ──▶ blocks ──▶ Markdown
//!                   elements   marks    lists,
//!                   of runs    within   quotes
//!                              a line
//! ```
//!
//! The choice of the content is made once, over runs of text. [`follow`] walks over the same elements a second time and lets a walk that
//! [retraces](super::layout::retrace) the layout run beside it. That walk says of each text which run it belongs to, and which of its
//! characters are in the text of the run. A text is written if its run was chosen. So the words of the Markdown are those of the main text
//! by construction, and a page of which nobody wants Markdown is read as before. A box without a chosen run is passed over.
//!
//! | layout | Markdown |
//! |---|---|
//! | a run | a paragraph, without the elements below |
//! | the runs of a heading, a term, a summary, a cell | one line |
//! | the runs of a `<pre>`, or of a box that has each line of a code in a box | the texts themselves, between fences |
//! | a box of a list, an item, a quote | marks before each line, once a run within is written |
//! | a gap within a run | a space, or a hard break |
//! | an element without words (rule, image, formula in a script) | written if the run around it is chosen, or those on both sides |
//!
//! The words differ in four places only, where the text of the layout is not what a reader sees:
//!
//! - A formula is written as its LaTeX.
//! - The numbers beside the lines of a code, and the lines that the page hides there, are left out.
//! - Digits above and below the line are written with the characters that Unicode has for them. What has none, and would read as a part of the
//!   word before it, stands between parentheses ([`raised`]).
//! - Images have their descriptions, if the [options](MarkdownOptions) ask for it.
//!
//! The Markdown is that of GitHub (GitHub Flavored Markdown 0.29): CommonMark with tables and strikethrough. Formulas stand between dollar signs.
//!
//! # Hostile pages
//!
//! Text never becomes markup: [`escape`] knows what has a meaning where. No HTML is written, and links lead to pages and mail addresses
//! only ([`target`]). Programs that make links of addresses in a text (GFM, section 6.9) find none, except for mail addresses, which they
//! find behind a backslash, too.
//!
//! Nothing recurses, and each step is linear. A line has at most [`blocks::MAX_DEPTH`] marks of lists and quotes before it, and all targets
//! together are at most a constant factor longer than the text. So is the Markdown; [`MarkdownOptions::max_bytes`] bounds it, too.

mod blocks;
mod code;
mod escape;
mod follow;
mod formula;
mod line;
mod raised;
mod table;
mod target;

use html5ever::local_name;
use url::Url;

use self::blocks::{Leaf, Writer};
use self::escape::{Behind, Block, Place};
use self::follow::Follow;
use self::target::Targets;
use super::layout::Layout;
use super::source::Source;
use crate::parse::{Base, Element};

/// The options of Markdown.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct MarkdownOptions {
    /// How links are written.
    pub links: Links,
    /// Whether images are written, with their descriptions.
    pub images: bool,
    /// Longest Markdown, in bytes. The blocks that do not fit are left out, from the first of them on.
    pub max_bytes: usize,
}

impl Default for MarkdownOptions {
    fn default() -> Self {
        Self {
            links: Links::Full,
            images: false,
            max_bytes: DEFAULT_MAX_BYTES,
        }
    }
}

/// Twice the longest page that a crawl reads by default, and more.
const DEFAULT_MAX_BYTES: usize = 128 << 20;

/// How links are written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Links {
    /// With absolute URLs.
    Full,
    /// With the references of the page, which may be relative.
    AsWritten,
    /// As their texts.
    TextOnly,
}

/// How the references of a page are resolved.
#[derive(Debug, Clone, Copy)]
pub(crate) struct References<'a> {
    /// Their base.
    pub base: &'a Base,
    /// The base of links between the parts of a document, which lead nowhere and are written as their texts.
    pub within: Option<&'a Url>,
}

/// Writes the chosen runs of a source, which has this layout.
pub(super) fn of_runs(
    source: &Source<'_>,
    layout: &Layout,
    is_chosen: &[bool],
    (references, options): (References<'_>, &MarkdownOptions),
) -> String {
    let targets = Targets::new(references, options.links);
    let mut follow = Follow::new(source, layout, is_chosen, (targets, options));
    for element in source.elements.iter().map(|id| source.tree().get(*id)) {
        follow.element(element);
    }
    follow.into_markdown()
}

/// Writes text without markup whose lines are `lines`.
pub(crate) fn of_text(text: &str, lines: Lines, options: &MarkdownOptions) -> String {
    let mut writer = Writer::new(options.max_bytes, text.len());
    let mut paragraph = String::new();
    for line in text.lines().map(str::trim) {
        if (line.is_empty() || lines == Lines::Paragraphs) && !paragraph.is_empty() {
            writer.block(&paragraph, Leaf::Paragraph);
            paragraph.clear();
        }
        if !line.is_empty() && !paragraph.is_empty() {
            paragraph.push('\n');
        }
        escape::push(&mut paragraph, line, Behind::Space, Place::new(Block::Paragraph, false));
    }
    writer.block(&paragraph, Leaf::Paragraph);
    writer.into_markdown()
}

/// What the lines of a text without markup are.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Lines {
    /// Parts of paragraphs, between empty lines.
    Wrapped,
    /// Paragraphs.
    Paragraphs,
}

/// The classes of an element.
fn classes(element: &Element) -> impl Iterator<Item = &str> {
    let class = element
        .plain_attribute(&local_name!("class"))
        .filter(|class| class.len() <= super::marks::MAX_VALUE_BYTES);
    class.unwrap_or_default().split_ascii_whitespace()
}

#[cfg(test)]
mod tests;
