//! The difference between two texts, side by side: first the lines are aligned, then the words within changed lines.
//!
//! Both steps use Myers' algorithm with the heuristics of GNU diff (crate `imara-diff`). These may miss the shortest edit, and keep the
//! time near-linear. The words of one hunk are compared together, across lines, so a paragraph that was cut in two does not count as new.
//! Lines that share words are shown side by side, and the lines between them are paired in order.
//!
//! For texts that were made to share no order, near-linear means a factor of about a hundred comparisons a line. Only the beginning of a
//! very long text is therefore compared ([`MAX_BYTES`], [`MAX_LINES`]), and the result says so.

mod words;

use std::ops::Range;

use imara_diff::{Algorithm, InternedInput};
use serde::Serialize;

use words::{Marked, compare, count};

/// The difference between two texts. The units of the counts are words, characters of scripts without spaces, and punctuation marks.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize)]
pub struct Diff {
    /// In the order of the texts.
    pub rows: Vec<Row>,
    /// Number of rows that are left out at the end.
    pub rows_left_out: usize,
    /// Number of units that only the left text has.
    pub removed: usize,
    /// Number of units that only the right text has.
    pub added: usize,
    /// Number of units that both texts have in the same order.
    pub same: usize,
    /// Whether a text is longer than the compared part: then all fields describe the beginnings of the texts.
    pub is_cut: bool,
}

impl Diff {
    /// The meaning of [`is_cut`](Self::is_cut) in words.
    pub const CUT: &str = "only the beginnings of the two texts are compared, a megabyte or 50,000 lines of each";
}

/// Upper bound on the bytes of a text that are compared.
pub const MAX_BYTES: usize = 1 << 20;

/// Upper bound on the lines of a text that are compared.
pub const MAX_LINES: usize = 50_000;

/// A row of two texts side by side.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(tag = "kind", rename_all = "snake_case")]
pub enum Row {
    /// A line that both texts have, near a change.
    Same {
        /// The line.
        text: String,
    },
    /// Lines that both texts have, far from any change.
    Skipped {
        /// Number of lines.
        lines: usize,
    },
    /// A line that only one text has, or two corresponding lines.
    Changed {
        /// The line of the left text.
        left: Option<Vec<Span>>,
        /// The line of the right text.
        right: Option<Vec<Span>>,
    },
}

/// A part of a changed line. The parts make up the line, unless it is longer than [`Options::max_line_chars`].
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Span {
    /// The text of the part.
    pub text: String,
    /// Whether the other text lacks it.
    pub is_changed: bool,
}

/// Bounds on the rows of a difference.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Options {
    /// Number of unchanged lines before and after a change.
    pub context: usize,
    /// Upper bound on the rows.
    pub max_rows: usize,
    /// Upper bound on the characters of a line; [`ELLIPSIS`] replaces the others. A changed line keeps the text around its changes.
    pub max_line_chars: usize,
}

impl Default for Options {
    fn default() -> Self {
        Self {
            context: 2,
            max_rows: 200,
            max_line_chars: 2_000,
        }
    }
}

/// Replaces text that was cut out of a line.
pub(crate) const ELLIPSIS: &str = "…";

/// Compares two texts; `left` is the kept page, `right` the other page.
#[must_use]
pub fn diff(left: &str, right: &str, options: &Options) -> Diff {
    let compared = [beginning(left), beginning(right)];
    let is_cut = compared.map(str::len) != [left.len(), right.len()];
    let [left, right] = compared.map(|text| text.lines().collect::<Vec<&str>>());
    let mut input = InternedInput::default();
    input.update_before(left.iter().copied());
    input.update_after(right.iter().copied());
    let mut lines = imara_diff::Diff::compute(Algorithm::Myers, &input);
    lines.postprocess_lines(&input);

    let mut out = Rows {
        diff: Diff {
            is_cut,
            ..Diff::default()
        },
        options,
    };
    // No line of the left text may precede the first change, so the place in that text does not tell whether there was one.
    let (mut same_from, mut is_first) = (0, true);
    for hunk in lines.hunks() {
        let (before, after) = (indices(hunk.before), indices(hunk.after));
        out.same(&left[same_from..before.start], is_first, false);
        (same_from, is_first) = (before.end, false);
        out.changed(compare(&left[before], &right[after]));
    }
    out.same(&left[same_from..], is_first, true);
    out.diff
}

/// The part of a text that is compared: all of it, or the whole lines within the bounds, or the beginning of one very long line.
fn beginning(text: &str) -> &str {
    let text = match text.match_indices('\n').nth(MAX_LINES - 1) {
        Some((end, _)) => &text[..=end],
        None => text,
    };
    if text.len() <= MAX_BYTES {
        return text;
    }
    let head = &text[..text.floor_char_boundary(MAX_BYTES)];
    head.rfind('\n').map_or(head, |end| &head[..=end])
}

fn indices(range: Range<u32>) -> Range<usize> {
    range.start as usize..range.end as usize
}

/// Collects rows within their bounds.
struct Rows<'a> {
    diff: Diff,
    options: &'a Options,
}

impl Rows<'_> {
    fn push(&mut self, row: impl FnOnce(usize) -> Row) {
        if self.diff.rows.len() < self.options.max_rows {
            self.diff.rows.push(row(self.options.max_line_chars));
        } else {
            self.diff.rows_left_out += 1;
        }
    }

    /// Adds lines that both texts have, up to the next change or the end.
    fn same(&mut self, lines: &[&str], is_first: bool, is_last: bool) {
        self.diff.same += lines.iter().map(|line| count(line)).sum::<usize>();
        let context = self.options.context;
        let after = if is_first { 0 } else { context.min(lines.len()) };
        let before = if is_last { 0 } else { context.min(lines.len()) };
        let skipped = lines.len().saturating_sub(after + before);
        // A row that says "1 line" takes as much room as the line. Two equal texts have no change to be near to.
        let shows_all = skipped == 0 || (skipped == 1 && !(is_first && is_last));
        let (head, tail) = if shows_all {
            (lines, &[][..])
        } else {
            (&lines[..after], &lines[lines.len() - before..])
        };
        for line in head {
            self.push(|max| Row::Same { text: cut(line, max) });
        }
        if !shows_all {
            self.push(|_| Row::Skipped { lines: skipped });
        }
        for line in tail {
            self.push(|max| Row::Same { text: cut(line, max) });
        }
    }

    fn changed(&mut self, hunk: Marked<'_>) {
        self.diff.removed += hunk.removed;
        self.diff.added += hunk.added;
        self.diff.same += hunk.same;
        for (left, right) in hunk.rows {
            self.push(|max| Row::Changed {
                left: left.map(|line| shorten(line.spans(), max)),
                right: right.map(|line| shorten(line.spans(), max)),
            });
        }
    }
}

/// At most `max` characters of `line`, with an ellipsis at the end if it was cut.
fn cut(line: &str, max: usize) -> String {
    match line.char_indices().nth(max) {
        None => line.to_owned(),
        Some(_) => {
            let end = line.char_indices().nth(max.saturating_sub(1)).map_or(0, |(at, _)| at);
            format!("{}{ELLIPSIS}", &line[..end])
        }
    }
}

/// Unchanged characters that stay on either side of a change in a line that is too long.
const NEAR: usize = 60;

/// The parts of a line in about `max` characters: text far from every change is cut first, then the end.
fn shorten(spans: Vec<Span>, max: usize) -> Vec<Span> {
    let chars = |spans: &[Span]| spans.iter().map(|span| span.text.chars().count()).sum::<usize>();
    if chars(&spans) <= max {
        return spans;
    }
    let last = spans.len() - 1;
    let has_change = spans.iter().any(|span| span.is_changed);
    let mut room = max;
    let mut short = Vec::new();
    for (number, span) in spans.into_iter().enumerate() {
        let text = if span.is_changed || !has_change {
            span.text
        } else {
            without_middle(span.text, number > 0, number < last)
        };
        let length = text.chars().count();
        if length > room || (length == room && number < last) {
            let text = cut(&format!("{text}{ELLIPSIS}"), room);
            short.push(Span { text, ..span });
            break;
        }
        short.push(Span { text, ..span });
        room -= length;
    }
    short
}

/// Unchanged text, with an ellipsis for the part that is far from the changes before and after it.
fn without_middle(text: String, is_after_change: bool, is_before_change: bool) -> String {
    let head = if is_after_change { NEAR } else { 0 };
    let tail = if is_before_change { NEAR } else { 0 };
    if text.chars().count() <= head + tail + 1 {
        return text;
    }
    let head_end = text.char_indices().nth(head).map_or(text.len(), |(at, _)| at);
    let tail_start = match tail {
        0 => text.len(),
        _ => text.char_indices().nth_back(tail - 1).map_or(0, |(at, _)| at),
    };
    format!("{}{ELLIPSIS}{}", &text[..head_end], &text[tail_start..])
}

#[cfg(test)]
mod tests;
