//! What differs between two texts, side by side: lines are aligned, then the words within the lines that changed.
//!
//! Both steps are Myers' algorithm with the heuristics of GNU diff (crate `imara-diff`), which give up the shortest of all
//! edits for a time that stays near-linear. The words of one hunk are compared all at once, whatever lines they stand on, so
//! a paragraph that was cut in two is not taken for a new one; lines that have words in common come to stand beside each
//! other, and the lines between them are paired in order.
//!
//! "Near-linear" has a factor of some hundred comparisons a line where the texts are made to have no order in common, so of
//! what is very long only the beginning is compared ([`MAX_BYTES`], [`MAX_LINES`]), and the result says so.

mod words;

use std::ops::Range;

use imara_diff::{Algorithm, InternedInput};
use serde::Serialize;

use words::{Marked, compare, count};

/// What differs between two texts. Words are units of the counts; in scripts without spaces, characters; and every mark of
/// punctuation.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize)]
pub struct Diff {
    /// In the order of the texts.
    pub rows: Vec<Row>,
    /// Rows left out at the end for want of room.
    pub rows_left_out: usize,
    /// Units only in the left text.
    pub removed: usize,
    /// Units only in the right text.
    pub added: usize,
    /// Units in both, at their place.
    pub same: usize,
    /// Whether one of the texts is longer than what is compared: then all of this is about their beginnings.
    pub is_cut: bool,
}

impl Diff {
    /// What [`is_cut`](Self::is_cut) means, in words.
    pub const CUT: &str = "only the beginnings of the two are compared, a megabyte or 50,000 lines of each";
}

/// Bytes of a text that are compared at most.
pub const MAX_BYTES: usize = 1 << 20;

/// Lines of a text that are compared at most.
pub const MAX_LINES: usize = 50_000;

/// A row of two texts side by side.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(tag = "kind", rename_all = "snake_case")]
pub enum Row {
    /// A line that both have, near a change.
    Same {
        /// The line.
        text: String,
    },
    /// Lines that both have, further away.
    Skipped {
        /// How many.
        lines: usize,
    },
    /// A line that one of the texts lacks, or two lines that stand for each other.
    Changed {
        /// The line of the left text.
        left: Option<Vec<Span>>,
        /// The line of the right text.
        right: Option<Vec<Span>>,
    },
}

/// A piece of a changed line. A line's pieces make up the line, unless it is longer than [`Options::max_line_chars`].
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Span {
    /// The piece.
    pub text: String,
    /// Whether the other text lacks it.
    pub is_changed: bool,
}

/// How much of a difference is shown.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Options {
    /// Unchanged lines shown before and after a change.
    pub context: usize,
    /// Rows at most.
    pub max_rows: usize,
    /// Characters of a line that are shown at most; what is cut out is told by [`ELLIPSIS`]. Of a changed line, what surrounds
    /// the changes stays.
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

/// Stands for what was cut out of a line.
pub const ELLIPSIS: &str = "…";

/// What differs between two texts; `left` is the kept page, `right` the other.
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
    let mut same_from = 0;
    for hunk in lines.hunks() {
        let (before, after) = (indices(hunk.before), indices(hunk.after));
        out.same(&left[same_from..before.start], same_from == 0, false);
        same_from = before.end;
        out.changed(compare(&left[before], &right[after]));
    }
    out.same(&left[same_from..], same_from == 0, true);
    out.diff
}

/// What is compared of a text: all of it, or as many whole lines as may be; of a line that is longer, its beginning.
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

/// Rows as they are made, under their bounds.
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

    /// Lines that both have, up to the first change or the last line.
    fn same(&mut self, lines: &[&str], is_first: bool, is_last: bool) {
        self.diff.same += lines.iter().map(|line| count(line)).sum::<usize>();
        let context = self.options.context;
        let after = if is_first { 0 } else { context.min(lines.len()) };
        let before = if is_last { 0 } else { context.min(lines.len()) };
        let skipped = lines.len().saturating_sub(after + before);
        // A row that says "1 line" takes the room of the line. Where nothing changed there is nothing to be near to.
        let shows_all = skipped == 0 || (skipped == 1 && !(is_first && is_last));
        let (head, tail) = match shows_all {
            true => (lines, &[][..]),
            false => (&lines[..after], &lines[lines.len() - before..]),
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

/// At most `max` characters of `line`, the last one an ellipsis where it was cut.
fn cut(line: &str, max: usize) -> String {
    match line.char_indices().nth(max) {
        None => line.to_owned(),
        Some(_) => {
            let end = line.char_indices().nth(max.saturating_sub(1)).map_or(0, |(at, _)| at);
            format!("{}{ELLIPSIS}", &line[..end])
        }
    }
}

/// Characters of what did not change that stay on either side of a change in a line that is too long.
const NEAR: usize = 60;

/// The pieces of a line in at most about `max` characters: first what is far from every change goes, then the end.
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
        let text = match span.is_changed || !has_change {
            true => span.text,
            false => without_middle(span.text, number > 0, number < last),
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

/// Unchanged text with an ellipsis in place of what is far from the changes that it lies after and before.
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
