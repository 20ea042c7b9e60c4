//! The text of a block as one line: words with emphasis, code, links, formulas and images.
//!
//! Marks are written around whole stretches of equal style, and white space stands outside of them. A stretch whose marks would not be marks where it
//! stands (CommonMark 0.31.2, section 6.2, "left-flanking delimiter run") is written without them.

use std::ops::Range;
use std::rc::Rc;

use super::escape::{self, Behind, Block, Place};
use crate::parse::NodeId;

/// Emphasis as a set.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(super) struct Style(u8);

impl Style {
    pub(super) const NONE: Self = Self(0);
    pub(super) const EMPHASIS: Self = Self(1);
    pub(super) const STRONG: Self = Self(2);
    pub(super) const STRUCK: Self = Self(4);

    pub(super) fn with(self, other: Self) -> Self {
        Self(self.0 | other.0)
    }

    fn shared_with(self, other: Self) -> Self {
        Self(self.0 & other.0)
    }

    fn without(self, other: Self) -> Self {
        Self(self.0 & !other.0)
    }

    /// The marks before and behind a stretch.
    fn marks(self) -> (&'static str, &'static str) {
        match self.0 {
            0 => ("", ""),
            1 => ("*", "*"),
            2 => ("**", "**"),
            3 => ("***", "***"),
            4 => ("~~", "~~"),
            5 => ("~~*", "*~~"),
            6 => ("~~**", "**~~"),
            _ => ("~~***", "***~~"),
        }
    }
}

/// White space before a text.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Default)]
pub(super) enum Gap {
    #[default]
    None,
    Space,
    Break,
}

/// Where a text stands that is not on the line.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Raised {
    Super,
    Sub,
}

/// An element whose text is not on the line.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Raise {
    pub to: Raised,
    /// The style around it.
    pub style: Style,
    /// Whether a link is around it. Else a link is within.
    pub is_in_link: bool,
}

/// How a text is written.
#[derive(Debug, Clone, Default)]
pub(super) struct Ink {
    pub style: Style,
    /// The outermost element of code around it.
    pub code: Option<NodeId>,
    /// The target of the link around it.
    pub link: Option<Rc<str>>,
    /// Whether it stands above or below the line.
    pub raised: Option<Raise>,
}

#[derive(Debug, Clone)]
enum Kind {
    Words,
    Code(NodeId),
    Formula,
    Image(Rc<str>),
}

#[derive(Debug)]
struct Piece {
    /// Its range in the text of the line.
    text: Range<usize>,
    gap: Gap,
    style: Style,
    kind: Kind,
    link: Option<Rc<str>>,
}

impl Piece {
    /// Whether it is words and nothing else.
    fn is_plain(&self) -> bool {
        matches!(self.kind, Kind::Words) && self.style == Style::NONE && self.link.is_none()
    }
}

/// The pieces of a line.
#[derive(Debug, Default)]
pub(super) struct Line {
    text: String,
    pieces: Vec<Piece>,
    /// White space that is due before the next piece.
    due: Gap,
    /// Length of the targets of this line and of those before it, in bytes.
    target_bytes: usize,
}

impl Line {
    pub(super) fn is_empty(&self) -> bool {
        self.pieces.is_empty()
    }

    /// Length of all targets so far, in bytes.
    pub(super) fn target_bytes(&self) -> usize {
        self.target_bytes
    }

    /// Number of pieces.
    pub(super) fn len(&self) -> usize {
        self.pieces.len()
    }

    /// Puts white space before the next piece.
    pub(super) fn space(&mut self) {
        self.due = self.due.max(Gap::Space);
    }

    /// Puts the next piece on a line of its own.
    pub(super) fn break_line(&mut self) {
        self.due = Gap::Break;
    }

    /// Adds words with single spaces between them.
    pub(super) fn push_words(&mut self, words: &str, gap: Gap, ink: &Ink) {
        let kind = ink.code.map_or(Kind::Words, Kind::Code);
        self.push(words, gap, kind, ink);
    }

    /// Adds a formula between its dollar signs.
    pub(super) fn push_formula(&mut self, formula: &str, gap: Gap, ink: &Ink) {
        self.push(formula, gap, Kind::Formula, ink);
    }

    /// Adds an image with its description.
    pub(super) fn push_image(&mut self, description: &str, target: Rc<str>, gap: Gap, ink: &Ink) {
        self.push(description, gap, Kind::Image(target), ink);
    }

    fn push(&mut self, text: &str, gap: Gap, kind: Kind, ink: &Ink) {
        let gap = gap.max(std::mem::take(&mut self.due));
        if let Some(last) = self.pieces.last_mut().filter(|last| continues(last, gap, &kind, ink)) {
            if gap == Gap::Space {
                self.text.push(' ');
            }
            self.text.push_str(text);
            last.text.end = self.text.len();
            return;
        }
        let last_link = self.pieces.last().and_then(|last| last.link.as_ref());
        if let Some(link) = ink.link.as_ref().filter(|link| !is_same_link(last_link, Some(link))) {
            self.target_bytes += link.len();
        }
        let start = self.text.len();
        self.text.push_str(text);
        self.pieces.push(Piece {
            text: start..self.text.len(),
            gap,
            style: ink.style,
            kind,
            link: ink.link.clone(),
        });
    }

    /// The line as Markdown. The next line begins empty.
    pub(super) fn take(&mut self, block: Block) -> String {
        let has_formulas = self.pieces.iter().any(|piece| matches!(piece.kind, Kind::Formula));
        let place = Place::new(block, has_formulas);
        let mut out = String::with_capacity(self.text.len() + 16);
        match &self.pieces[..] {
            // As most lines are.
            [only] if only.is_plain() => escape::push(&mut out, &self.text, Behind::Space, place),
            pieces => {
                let text = &self.text;
                Pieces { text, pieces }.write(&mut out, Style::NONE, place, Behind::Space);
            }
        }
        self.text.clear();
        self.pieces.clear();
        self.due = Gap::None;
        out
    }
}

fn is_same_link(a: Option<&Rc<str>>, b: Option<&Rc<str>>) -> bool {
    match (a, b) {
        (Some(a), Some(b)) => Rc::ptr_eq(a, b),
        (a, b) => a.is_none() && b.is_none(),
    }
}

/// Whether a text belongs to the last piece. Code directly behind code does in any case, because their marks would become one.
fn continues(last: &Piece, gap: Gap, kind: &Kind, ink: &Ink) -> bool {
    let is_alike = match (&last.kind, kind) {
        (Kind::Words, Kind::Words) => last.style == ink.style,
        (Kind::Code(_), Kind::Code(_)) if gap == Gap::None => true,
        (Kind::Code(last_element), Kind::Code(element)) => last_element == element,
        _ => false,
    };
    is_alike && gap != Gap::Break && is_same_link(last.link.as_ref(), ink.link.as_ref())
}

/// Some pieces of a line.
#[derive(Clone, Copy)]
struct Pieces<'l> {
    text: &'l str,
    pieces: &'l [Piece],
}

/// A link, or a piece outside of links.
struct Unit<'l> {
    pieces: Pieces<'l>,
    first: &'l Piece,
    last: &'l Piece,
    target: Option<&'l str>,
    /// The style of all of it.
    style: Style,
}

impl<'l> Pieces<'l> {
    /// Writes the pieces. `outer` is the style around them, and `behind` stands behind them.
    fn write(self, out: &mut String, outer: Style, place: Place, behind: Behind) {
        let units = self.units(outer, place);
        let behind_unit = |at: usize| match units.get(at) {
            None => behind,
            Some(next) if next.gap() > Gap::None => Behind::Space,
            Some(next) => next.first(),
        };
        let mut at = 0;
        while at < units.len() {
            let style = units[at].style;
            let alike = units[at..].iter().take_while(|unit| unit.style == style);
            let end = at + if style == Style::NONE { 1 } else { alike.count() };
            if at > 0 {
                push_gap(out, units[at].gap(), place);
            }
            let is_flanking = is_flanking(out, units[at].first(), units[end - 1].last(), behind_unit(end), style);
            let (before, after) = if is_flanking {
                style.marks()
            } else {
                Style::NONE.marks()
            };
            out.push_str(before);
            for (unit, index) in units[at..end].iter().zip(at..) {
                if index > at {
                    push_gap(out, unit.gap(), place);
                }
                let is_at_mark = index + 1 == end && !after.is_empty();
                unit.write(
                    out,
                    place,
                    if is_at_mark {
                        Behind::Mark
                    } else {
                        behind_unit(index + 1)
                    },
                    outer,
                );
            }
            out.push_str(after);
            at = end;
        }
    }

    fn units(self, outer: Style, place: Place) -> Vec<Unit<'l>> {
        let mut units: Vec<Unit<'l>> = Vec::new();
        let mut rest = self.pieces;
        while let Some(first) = rest.first() {
            let link = first.link.as_ref().filter(|_| !place.is_link());
            let is_inside = |piece: &&Piece| is_same_link(piece.link.as_ref(), link);
            let len = link.map_or(1, |_| rest.iter().take_while(is_inside).count());
            let (pieces, behind) = rest.split_at(len);
            let is_uniform = pieces.iter().all(|piece| piece.style == first.style);
            let style = if is_uniform {
                first.style.without(outer)
            } else {
                Style::NONE
            };
            let mut unit = Unit {
                pieces: Pieces {
                    text: self.text,
                    pieces,
                },
                first,
                last: pieces.last().unwrap_or(first),
                target: link.map(|link| &**link),
                style,
            };
            if let Some(before) = units.last().filter(|_| first.gap == Gap::None) {
                unit.style = beside(style, before.style);
            }
            units.push(unit);
            rest = behind;
        }
        units
    }
}

impl Unit<'_> {
    fn gap(&self) -> Gap {
        self.first.gap
    }

    /// What it begins with.
    fn first(&self) -> Behind {
        self.end_of(self.first, |text| text.chars().next())
    }

    /// What it ends with.
    fn last(&self) -> Behind {
        self.end_of(self.last, |text| text.chars().next_back())
    }

    fn end_of(&self, piece: &Piece, end: impl Fn(&str) -> Option<char>) -> Behind {
        let is_words = self.target.is_none() && matches!(piece.kind, Kind::Words);
        let character = is_words.then(|| end(&self.pieces.text[piece.text.clone()]));
        character.flatten().map_or(Behind::Mark, Behind::Text)
    }

    fn write(&self, out: &mut String, place: Place, behind: Behind, outer: Style) {
        if let Some(target) = self.target {
            open_bracket(out);
            let inner = outer.with(self.style);
            self.pieces.write(out, inner, place.link(), Behind::Mark);
            out.push_str("](");
            out.push_str(target);
            out.push(')');
            return;
        }
        for piece in self.pieces.pieces {
            let text = &self.pieces.text[piece.text.clone()];
            match &piece.kind {
                Kind::Words => escape::push(out, text, behind, place),
                Kind::Code(_) => push_code(out, text, behind, place),
                // A bracket would end the link.
                Kind::Formula if place.is_link() && text.contains(']') => escape::push(out, text, behind, place),
                Kind::Formula => out.push_str(&super::formula::in_place(text, place)),
                Kind::Image(target) => {
                    out.push('!');
                    out.push('[');
                    escape::push(out, text, Behind::Mark, place.link());
                    out.push_str("](");
                    out.push_str(target);
                    out.push(')');
                }
            }
        }
    }
}

/// The style of a stretch directly behind one of another style. Marks side by side would become one.
fn beside(style: Style, before: Style) -> Style {
    let is_within = style.shared_with(before) == before;
    if before == Style::NONE || style == before {
        style
    } else if is_within {
        before
    } else {
        Style::NONE
    }
}

/// Begins a link. Behind `!`, it would be an image.
fn open_bracket(out: &mut String) {
    if out.ends_with('!') {
        out.pop();
        out.push_str("\\!");
    }
    out.push('[');
}

fn push_gap(out: &mut String, gap: Gap, place: Place) {
    match gap {
        Gap::None => {}
        Gap::Break if place.has_lines() => out.push_str("\\\n"),
        Gap::Space | Gap::Break => out.push(' '),
    }
}

/// Whether marks around a stretch are marks. Programs do not agree on what is punctuation, so only ASCII counts outside of the marks.
fn is_flanking(out: &str, first: Behind, last: Behind, behind: Behind, style: Style) -> bool {
    let is_word = |end: Behind| matches!(end, Behind::Text(c) if c.is_alphanumeric());
    let is_mixed = style.without(Style::STRUCK) != style && style != Style::STRUCK;
    let is_open = match out.chars().next_back() {
        None => true,
        Some(c) => c.is_whitespace() || c.is_ascii_punctuation(),
    };
    let is_ended = match behind {
        Behind::Text(c) => c.is_whitespace() || c.is_ascii_punctuation(),
        Behind::Space | Behind::Mark => true,
    };
    (is_open || is_word(first) && !is_mixed) && (is_ended || is_word(last) && !is_mixed)
}

/// Appends code between accents.
fn push_code(out: &mut String, text: &str, behind: Behind, place: Place) {
    // Programs do not agree on the first in a table. The second makes a definition of a link (CommonMark, section 4.7).
    if place.is_cell() && text.contains("\\|") || place.is_link() && text.contains("]:") {
        return escape::push(out, text, behind, place);
    }
    let (mut longest, mut run) = (0, 0);
    for c in text.chars() {
        run = if c == '`' { run + 1 } else { 0 };
        longest = longest.max(run);
    }
    let accents = std::iter::repeat_n('`', longest + 1);
    let is_padded = text.starts_with('`') || text.ends_with('`');
    out.extend(accents.clone());
    if is_padded {
        out.push(' ');
    }
    for c in text.chars() {
        match c {
            '|' if place.is_cell() => out.push_str("\\|"),
            '\n' => out.push(' '),
            _ => out.push(c),
        }
    }
    if is_padded {
        out.push(' ');
    }
    out.extend(accents);
}
