//! The differing words in the lines of one hunk.

use std::collections::HashMap;
use std::ops::Range;

use dedup::segment::tokens;
use imara_diff::{Algorithm, InternedInput};

use super::{Span, indices};

/// The lines of a hunk with their differences marked.
#[derive(Debug, Default)]
pub(super) struct Marked<'a> {
    /// Pairs of lines, side by side.
    pub rows: Vec<(Option<Line<'a>>, Option<Line<'a>>)>,
    /// Number of units that only the left lines have.
    pub removed: usize,
    /// Number of units that only the right lines have.
    pub added: usize,
    /// Number of units that both have.
    pub same: usize,
}

/// A line, and the byte ranges in it that the other text has too.
#[derive(Debug, Clone, Default)]
pub(super) struct Line<'a> {
    text: &'a str,
    same: Vec<Range<usize>>,
}

impl<'a> Line<'a> {
    /// The parts of the line, changed and unchanged in turn; none for an empty line.
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
            // Spaces next to an unchanged part are unchanged.
            let start = at + text[at..same.start].trim_end().len();
            let end = text.len() - text[same.end..].trim_start().len();
            push(at..start, true);
            push(start..end, false);
            at = end;
        }
        push(at..text.len(), true);
        spans
    }

    /// Marks a unit that the other text has too.
    fn mark_same(&mut self, unit: &Unit<'_>) {
        let end = unit.start + unit.text.len();
        match self.same.last_mut() {
            Some(last) if self.text[last.end..unit.start].trim().is_empty() => last.end = end,
            _ => self.same.push(unit.start..end),
        }
    }
}

/// A word, a character of a script without spaces, or a punctuation mark.
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

/// Number of units in a text.
pub(super) fn count(line: &str) -> usize {
    units(line, 0).count()
}

/// Upper bound on the units of either side, without equal ends, that are compared together: Myers' algorithm with heuristics takes about
/// 10 ms for them.
const MAX_UNITS: usize = 20_000;

/// Compares the lines of a hunk: all together if they are not too long, else pair by pair in order.
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

/// Number of equal units at the beginnings and ends of two lists.
fn same_ends(a: &[Unit<'_>], b: &[Unit<'_>]) -> usize {
    let equal = |(a, b): &(&Unit<'_>, &Unit<'_>)| a.text == b.text;
    let head = a.iter().zip(b).take_while(equal).count();
    let (a, b) = (&a[head..], &b[head..]);
    head + a.iter().rev().zip(b.iter().rev()).take_while(equal).count()
}

/// The runs of units that two lists share, in order: the start in each list, and the length.
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

/// Prefix sums of the bytes of words in a list of units.
struct WordBytes {
    /// The bytes of words before each unit, and in all units.
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

/// Whether the equal text between two changes is no longer than either change. Any two texts share such words by chance, and marking
/// them as equal makes the change harder to read (the semantic clean-up of diff-match-patch).
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

/// The lines with their marks; the lines that share most are side by side.
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
    // In order: left line, right line, bytes of shared words.
    let mut shared: Vec<(usize, usize, usize)> = Vec::new();
    let mut units_in_common = 0;
    for &(from_a, from_b, length) in same {
        units_in_common += length;
        for (x, y) in a[from_a..from_a + length].iter().zip(&b[from_b..from_b + length]) {
            left[x.line].mark_same(x);
            right[y.line].mark_same(y);
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

/// The pairs of lines that share more words with each other than with any other line, in order.
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

/// The lines in rows: anchors are side by side, and the lines between two anchors are paired in order.
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
