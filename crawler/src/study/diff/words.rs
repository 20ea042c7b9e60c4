//! The words that differ between the lines of one hunk.

use std::collections::HashMap;
use std::ops::Range;

use dedup::segment::tokens;
use imara_diff::{Algorithm, InternedInput};

use super::{Span, indices};

/// Lines of a hunk with what differs in them.
#[derive(Debug, Default)]
pub(super) struct Marked<'a> {
    /// Lines that stand side by side.
    pub rows: Vec<(Option<Line<'a>>, Option<Line<'a>>)>,
    /// Units only in the lines removed.
    pub removed: usize,
    /// Units only in the lines added.
    pub added: usize,
    /// Units in both.
    pub same: usize,
}

/// A line and the places in it, in bytes, that the other text has too.
#[derive(Debug, Clone, Default)]
pub(super) struct Line<'a> {
    text: &'a str,
    same: Vec<Range<usize>>,
}

impl<'a> Line<'a> {
    /// The line in pieces, changed and unchanged ones in turn; a line without anything has none.
    pub fn spans(&self) -> Vec<Span> {
        let mut spans = Vec::new();
        let mut push = |range: Range<usize>, is_changed| {
            if let Some(text) = self.text.get(range).filter(|text| !text.is_empty()) {
                let text = text.to_owned();
                spans.push(Span { text, is_changed });
            }
        };
        let text = self.text;
        let mut at = 0;
        for same in &self.same {
            // Spaces beside something that did not change did not change either.
            let start = at + text[at..same.start].trim_end().len();
            let end = text.len() - text[same.end..].trim_start().len();
            push(at..start, true);
            push(start..end, false);
            at = end;
        }
        push(at..text.len(), true);
        spans
    }

    /// A unit that the other text has too.
    fn is_same(&mut self, unit: &Unit<'_>) {
        let end = unit.start + unit.text.len();
        match self.same.last_mut() {
            Some(last) if self.text[last.end..unit.start].trim().is_empty() => last.end = end,
            _ => self.same.push(unit.start..end),
        }
    }
}

/// A word, a character of a script without spaces, or a mark of punctuation.
#[derive(Debug, Clone, Copy)]
struct Unit<'a> {
    text: &'a str,
    /// First byte in its line.
    start: usize,
    /// Its line.
    line: usize,
    is_word: bool,
}

/// The units of a line.
fn units(line: &str, number: usize) -> impl Iterator<Item = Unit<'_>> {
    let words = tokens(line).map(|token| (token.start, token.text, true));
    let mut at = 0;
    let end = std::iter::once((line.len(), "", true));
    words.chain(end).flat_map(move |(start, text, is_word)| {
        let between = at..start;
        at = start + text.len();
        let marks = line[between.clone()].char_indices().filter(|(_, c)| !c.is_whitespace());
        let marks = marks.map(move |(offset, c)| (between.start + offset, c.len_utf8()));
        let marks = marks.map(move |(start, length)| (start, &line[start..start + length], false));
        let word = (!text.is_empty()).then_some((start, text, is_word));
        marks.chain(word).map(move |(start, text, is_word)| Unit {
            text,
            start,
            line: number,
            is_word,
        })
    })
}

/// Units of a text.
pub(super) fn count(line: &str) -> usize {
    units(line, 0).count()
}

/// Units of either side, ends that are the same not counted, up to which the heuristics of Myers' algorithm take about a
/// hundredth of a second.
const MAX_UNITS: usize = 20_000;

/// What differs between the lines of a hunk: all at once where they are not too many, else pair by pair in order.
pub(super) fn compare<'a>(left: &[&'a str], right: &[&'a str]) -> Marked<'a> {
    let all = |lines: &[&'a str]| -> Vec<Unit<'a>> {
        let lines = lines.iter().enumerate();
        lines.flat_map(|(number, line)| units(line, number)).collect()
    };
    let (a, b) = (all(left), all(right));
    let ends = same_ends(&a, &b);
    let is_small = a.len().max(b.len()) - ends <= MAX_UNITS;
    let is_single = left.len() <= 1 && right.len() <= 1;
    let is_one_sided = left.is_empty() || right.is_empty();
    if is_small || is_single || is_one_sided {
        let same = if is_small { common(&a, &b) } else { Vec::new() };
        return marked((left, &a), (right, &b), &same);
    }
    let mut sum = Marked::default();
    for number in 0..left.len().max(right.len()) {
        let one = |lines: &[&'a str]| lines.get(number).copied().into_iter().collect::<Vec<_>>();
        let pair = compare(&one(left), &one(right));
        sum.rows.extend(pair.rows);
        sum.removed += pair.removed;
        sum.added += pair.added;
        sum.same += pair.same;
    }
    sum
}

/// Units that two lists have in common at their beginnings and ends.
fn same_ends(a: &[Unit<'_>], b: &[Unit<'_>]) -> usize {
    let equal = |(a, b): &(&Unit<'_>, &Unit<'_>)| a.text == b.text;
    let head = a.iter().zip(b).take_while(equal).count();
    let (a, b) = (&a[head..], &b[head..]);
    head + a.iter().rev().zip(b.iter().rev()).take_while(equal).count()
}

/// The runs of units that two lists have in common, in order: where each begins in either list, and its length.
fn common(a: &[Unit<'_>], b: &[Unit<'_>]) -> Vec<(usize, usize, usize)> {
    let mut input = InternedInput::default();
    input.update_before(a.iter().map(|unit| unit.text));
    input.update_after(b.iter().map(|unit| unit.text));
    let mut diff = imara_diff::Diff::compute(Algorithm::Myers, &input);
    diff.postprocess_no_heuristic(&input);
    let (bytes_a, bytes_b) = (WordBytes::of(a), WordBytes::of(b));
    let mut changes: Vec<(Range<usize>, Range<usize>)> = Vec::new();
    for hunk in diff.hunks() {
        let (before, after) = (indices(hunk.before), indices(hunk.after));
        match changes.last_mut() {
            Some(last) if is_chance(&bytes_a, &bytes_b, last, (&before, &after)) => {
                *last = (last.0.start..before.end, last.1.start..after.end)
            }
            _ => changes.push((before, after)),
        }
    }
    let mut same = Vec::new();
    let mut at = (0, 0);
    for (before, after) in changes.into_iter().chain([(a.len()..a.len(), b.len()..b.len())]) {
        if before.start > at.0 {
            same.push((at.0, at.1, before.start - at.0));
        }
        at = (before.end, after.end);
    }
    same
}

/// Bytes of words in a list of units: of any stretch at once, for stretches that grow as changes are merged.
struct WordBytes {
    /// Of the units before each, and of all.
    before: Vec<usize>,
}

impl WordBytes {
    fn of(units: &[Unit<'_>]) -> Self {
        let mut before = Vec::with_capacity(units.len() + 1);
        let mut sum = 0;
        before.push(sum);
        for unit in units {
            sum += if unit.is_word { unit.text.len() } else { 0 };
            before.push(sum);
        }
        Self { before }
    }

    fn within(&self, units: Range<usize>) -> usize {
        self.before[units.end] - self.before[units.start]
    }
}

/// Whether what lies between two changes is no longer than either of them: words that any two texts have in common here and
/// there, which to point out helps nobody to read the change (as the semantic clean-up of diff-match-patch has it).
fn is_chance(
    a: &WordBytes,
    b: &WordBytes,
    (first_a, first_b): &(Range<usize>, Range<usize>),
    (next_a, next_b): (&Range<usize>, &Range<usize>),
) -> bool {
    let between = a.within(first_a.end..next_a.start);
    let first = a.within(first_a.clone()).max(b.within(first_b.clone()));
    let next = a.within(next_a.clone()).max(b.within(next_b.clone()));
    between <= first && between <= next
}

/// The lines with their marks, those side by side that have most in common.
fn marked<'a>(
    (left, a): (&[&'a str], &[Unit<'a>]),
    (right, b): (&[&'a str], &[Unit<'a>]),
    same: &[(usize, usize, usize)],
) -> Marked<'a> {
    let lines = |lines: &[&'a str]| -> Vec<Line<'a>> {
        let line = |text: &&'a str| Line { text, same: Vec::new() };
        lines.iter().map(line).collect()
    };
    let (mut left, mut right) = (lines(left), lines(right));
    // In order: (line of the left, line of the right, bytes of words in common).
    let mut shared: Vec<(usize, usize, usize)> = Vec::new();
    let mut units_in_common = 0;
    for &(from_a, from_b, length) in same {
        units_in_common += length;
        for (x, y) in a[from_a..from_a + length].iter().zip(&b[from_b..from_b + length]) {
            left[x.line].is_same(x);
            right[y.line].is_same(y);
            let bytes = if x.is_word { x.text.len() } else { 0 };
            match shared.last_mut() {
                Some((l, r, sum)) if (*l, *r) == (x.line, y.line) => *sum += bytes,
                _ => shared.push((x.line, y.line, bytes)),
            }
        }
    }
    let rows = side_by_side(left, right, &anchors(&shared));
    Marked {
        rows,
        removed: a.len() - units_in_common,
        added: b.len() - units_in_common,
        same: units_in_common,
    }
}

/// Of lines that have words in common, those that have the most in common with each other; in order.
fn anchors(shared: &[(usize, usize, usize)]) -> Vec<(usize, usize)> {
    let best_of = |side: fn(&(usize, usize, usize)) -> usize| {
        let mut best = HashMap::new();
        for pair in shared {
            let best = best.entry(side(pair)).or_insert(pair);
            if pair.2 > best.2 {
                *best = pair;
            }
        }
        best
    };
    let (of_left, of_right) = (best_of(|pair| pair.0), best_of(|pair| pair.1));
    let is_anchor =
        |pair: &&(usize, usize, usize)| pair.2 > 0 && of_left[&pair.0] == *pair && of_right[&pair.1] == *pair;
    let anchors = shared.iter().filter(is_anchor);
    anchors.map(|pair| (pair.0, pair.1)).collect()
}

/// The lines in rows: anchors stand beside each other, what lies between two is paired in order.
fn side_by_side<'a>(
    left: Vec<Line<'a>>,
    right: Vec<Line<'a>>,
    anchors: &[(usize, usize)],
) -> Vec<(Option<Line<'a>>, Option<Line<'a>>)> {
    let ends = (left.len(), right.len());
    let (mut left, mut right) = (left.into_iter(), right.into_iter());
    let mut rows = Vec::with_capacity(ends.0.max(ends.1));
    let mut at = (0, 0);
    for &(l, r) in anchors.iter().chain([&ends]) {
        for number in 0..(l - at.0).max(r - at.1) {
            let left = (number < l - at.0).then(|| left.next()).flatten();
            let right = (number < r - at.1).then(|| right.next()).flatten();
            rows.push((left, right));
        }
        if (l, r) != ends {
            rows.push((left.next(), right.next()));
        }
        at = (l + 1, r + 1);
    }
    rows
}
