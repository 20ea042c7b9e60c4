//! The text of runs: words with the white space that a reader sees between them.

use html5ever::{local_name, ns};

use super::super::display::Display;
use super::super::marks;
use super::super::spaces::{begins_another_word, is_space, joins_words, words};
use super::links::is_symbol;
use crate::parse::{Element, NodeRef, attribute};
use crate::words::is_ignorable;

/// Where the text of an element is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Place {
    /// Nowhere.
    Nowhere,
    /// In a box of its own.
    Box,
    /// In the run around it.
    Run,
}

impl Place {
    /// The place of the text of an element with this display.
    pub(super) fn of(node: NodeRef<'_>, element: &Element, display: Display) -> Self {
        match display {
            Display::None => Self::Nowhere,
            Display::Block | Display::Cell | Display::Caption => Self::Box,
            _ if marks::hidden(element).is_some() => Self::Nowhere,
            Display::Link if is_symbol(node, element) => Self::Nowhere,
            Display::Break | Display::Line | Display::Link | Display::Inline => Self::Run,
        }
    }
}

/// White space between two words. If a line break is among it, the reader sees only the line break.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Gap {
    Space,
    Newline,
}

impl From<Gap> for char {
    fn from(gap: Gap) -> Self {
        match gap {
            Gap::Space => ' ',
            Gap::Newline => '\n',
        }
    }
}

/// The text of the runs so far, and what stands before the next word.
#[derive(Debug, Default)]
pub(super) struct Line<'t> {
    pub text: String,
    /// Start of the open run in the text.
    pub run_start: usize,
    /// Number of open `<pre>`.
    preformatted: usize,
    /// The inline element that has ended, if no text came since.
    ended: Option<&'t Element>,
    /// What the end tag and the start tag before the next word say, if it stands behind both.
    joint: Option<Joint>,
    /// White space due before the next word.
    gap: Option<Gap>,
}

impl<'t> Line<'t> {
    /// An empty line, with room for so many bytes.
    pub(super) fn with_capacity(bytes: usize) -> Self {
        Self {
            text: String::with_capacity(bytes),
            ..Self::default()
        }
    }

    /// Begins with an element that is laid out.
    pub(super) fn begin(&mut self, root: NodeRef<'_>) {
        self.preformatted = usize::from(root.value().as_element().is_some_and(is_pre));
    }

    pub(super) fn has_run(&self) -> bool {
        self.text.len() > self.run_start
    }

    /// Whether white space stands before the next word of the run.
    pub(super) fn has_gap(&self) -> bool {
        self.has_run() && self.gap.is_some()
    }

    /// Ends the run, and returns whether it has text.
    pub(super) fn end_run(&mut self) -> bool {
        (self.gap, self.ended, self.joint) = (None, None, None);
        let has_run = self.has_run();
        self.run_start = self.text.len();
        has_run
    }

    /// Enters an element with a box, whose run before it has ended.
    pub(super) fn enter_box(&mut self, element: &Element) {
        self.preformatted += usize::from(is_pre(element));
    }

    /// Leaves an element with a box.
    pub(super) fn leave_box(&mut self, element: &Element) {
        self.preformatted -= usize::from(is_pre(element));
    }

    /// Enters an element in the run. `is_term` says whether the box around it is a `<dt>`.
    pub(super) fn enter_inline(&mut self, element: &Element, display: Display, is_term: bool) {
        if matches!(display, Display::Break | Display::Line) {
            self.gap = Some(Gap::Newline);
        }
        if is_within_words(element) {
            (self.ended, self.joint) = (None, None);
        }
        let joint = self.ended.and_then(|ended| joint_of(ended, element, is_term));
        self.joint = self.joint.max(joint);
    }

    /// Leaves an element in the run.
    pub(super) fn leave_inline(&mut self, element: &'t Element, display: Display) {
        match display {
            Display::Link => self.ended = Some(element),
            Display::Inline if !is_within_words(element) => self.ended = Some(element),
            Display::Line => self.gap = Some(Gap::Newline),
            _ => {}
        }
    }

    /// Appends text with each stretch of white space as one space; in `<pre>` as one newline if it contains one.
    pub(super) fn push(&mut self, text: &str) {
        let mut rest = text;
        while !rest.is_empty() {
            let space = match rest.as_bytes()[0] {
                b'!'..=b'~' => 0,
                _ => rest.len() - rest.trim_start_matches(is_space).len(),
            };
            if space > 0 {
                let newline = self.preformatted > 0 && rest[..space].contains('\n');
                self.gap = self.gap.max(Some(if newline { Gap::Newline } else { Gap::Space }));
                rest = &rest[space..];
            }
            let (words, behind) = rest.split_at(words(rest));
            self.push_words(words);
            rest = behind;
        }
    }

    /// Appends words with single spaces between them. Invisible characters alone begin no line: editors write them into empty paragraphs.
    fn push_words(&mut self, words: &str) {
        let begins_line = !self.has_run() || self.gap == Some(Gap::Newline);
        if words.is_empty() || begins_line && words.chars().all(is_ignorable) {
            return;
        }
        let (gap, joint) = (self.gap.take(), self.joint.take());
        self.ended = None;
        if self.has_run() {
            if let Some(gap) = gap {
                self.text.push(gap.into());
            } else if joint.is_some_and(|joint| joint.separates(&self.text[self.run_start..], words)) {
                self.text.push(' ');
            }
        }
        self.text.push_str(words);
    }
}

/// Two inline elements side by side. Browsers put nothing between them, and a word may have its letters in several. But styles separate many.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Joint {
    /// They differ in name or class, so each may be a thing of its own: `<span class=price>$10</span><span class=old>Was $12</span>`.
    Unlike,
    /// Two links, or the term and the type in a definition (`<b>name</b><span class=type>string</span>`).
    Apart,
}

impl Joint {
    /// Whether the words before and after are two.
    fn separates(self, before: &str, after: &str) -> bool {
        match self {
            Self::Apart => joins_words(before, after),
            Self::Unlike => begins_another_word(before, after),
        }
    }
}

/// What two inline elements that stand side by side say of the words in them.
fn joint_of(ended: &Element, next: &Element, is_in_term: bool) -> Option<Joint> {
    let is_link = |element: &Element| element.name.local == local_name!("a");
    let class = |element| attribute(element, &local_name!("class"));
    let is_unlike = ended.name != next.name || class(ended) != class(next);
    if is_link(ended) && is_link(next) || is_in_term && is_unlike {
        Some(Joint::Apart)
    } else {
        is_unlike.then_some(Joint::Unlike)
    }
}

/// Whether an element stands within words: `<wbr>`, `<sub>`, `<sup>`, and the parts of formulas.
fn is_within_words(element: &Element) -> bool {
    element.name.ns != ns!(html)
        || matches!(
            element.name.local,
            local_name!("wbr") | local_name!("sub") | local_name!("sup")
        )
}

fn is_pre(element: &Element) -> bool {
    element.name.local == local_name!("pre")
}
