//! The reading order of a page: from the top, and one column after the other.
//!
//! A gutter is a vertical strip without text beside several rows. It separates columns if both sides are filled with text. The columns of
//! a table have a gutter, too, but their cells are short: a table is read row by row.
//!
//! ```text
//!  Title of the whole width          rows before the gutter
//!  left 1     ┊ right 1   ┐
//!  left 2     ┊ right 2   │ rows of the gutter: left 1, 2, 3, then right 1, 2, 3
//!  left 3     ┊ right 3   ┘
//!  A table    of       cells         rows after it
//! ```

use super::rows::{Row, rows};
use super::words::{Turn, Word};

/// Fewest rows on each side of a gutter.
const MIN_ROWS: usize = 4;

/// Width of a gutter, in sizes of the font.
const MIN_GUTTER: f32 = 0.7;

/// Smallest part of the width of a column that its rows fill, as the median of the rows.
const MIN_FILL: f32 = 0.6;

/// Fewest characters of a row of a column, as the median; a Chinese character counts as two.
const MIN_CHARACTERS: usize = 14;

/// Bound on the places where a gutter is looked for.
const MAX_PLACES: usize = 600;

/// Bound on the product of places and rows that is searched on a page.
const MAX_SEARCHED: usize = 4_000_000;

/// Splits within splits.
const MAX_DEPTH: usize = 6;

/// The rows of a page. Text of another direction than most follows at the end.
pub(super) fn in_reading_order(words: Vec<Word>) -> Vec<Row> {
    let mut turns: Vec<Vec<Word>> = Turn::ALL.iter().map(|_| Vec::new()).collect();
    for word in words {
        turns[word.turn as usize].push(word);
    }
    turns.sort_by_key(|words| std::cmp::Reverse(words.len()));
    let mut found = Vec::new();
    for words in turns {
        order(rows(words), 0, &mut found);
    }
    found
}

fn order(rows: Vec<Row>, depth: usize, found: &mut Vec<Row>) {
    match gutter(&rows).filter(|_| depth < MAX_DEPTH) {
        None => found.extend(rows),
        Some(gutter) => {
            let mut rows = rows;
            let after = rows.split_off(gutter.end);
            let beside = rows.split_off(gutter.start);
            order(rows, depth + 1, found);
            let words = beside.into_iter().flat_map(|row| row.words);
            let (left, right): (Vec<Word>, Vec<Word>) = words.partition(|word| word.x0 < gutter.x);
            order(self::rows(left), depth + 1, found);
            order(self::rows(right), depth + 1, found);
            order(after, depth + 1, found);
        }
    }
}

/// A strip without text, beside the rows from `start` to `end`.
#[derive(Debug, Clone, Copy)]
struct Gutter {
    x: f32,
    start: usize,
    end: usize,
    /// Rows on the side with fewer rows.
    rows: usize,
}

/// The gutter between columns with most rows.
fn gutter(rows: &[Row]) -> Option<Gutter> {
    if rows.len() < MIN_ROWS {
        return None;
    }
    let size = median(rows.iter().map(|row| row.size).collect())?;
    let left = rows.iter().map(Row::x0).fold(f32::MAX, f32::min);
    let right = rows.iter().map(Row::x1).fold(f32::MIN, f32::max);
    let step = (size / 3.0).max((right - left) / MAX_PLACES as f32);
    let places = ((right - left) / step) as usize;
    // A hostile page could have very many rows.
    if !(step.is_finite() && step > 0.0) || places * rows.len() > MAX_SEARCHED {
        return None;
    }
    let candidates = (1..places).filter_map(|place| longest(rows, left + place as f32 * step, size));
    let mut candidates: Vec<Gutter> = candidates.collect();
    candidates.sort_by_key(|gutter| std::cmp::Reverse(gutter.rows));
    candidates.dedup_by(|a, b| (a.start, a.end, a.rows) == (b.start, b.end, b.rows));
    candidates
        .into_iter()
        .take(16)
        .find(|gutter| is_between_columns(rows, gutter))
}

/// The longest run of rows that leave the strip around `x` free, with text on both sides.
fn longest(rows: &[Row], x: f32, size: f32) -> Option<Gutter> {
    let half = size * MIN_GUTTER / 2.0;
    let mut best: Option<Gutter> = None;
    let (mut start, mut left, mut right) = (0, 0, 0);
    for (at, row) in rows.iter().enumerate() {
        let mut sides = (false, false);
        let mut crosses = false;
        for word in &row.words {
            sides.0 |= word.x1 <= x - half;
            sides.1 |= word.x0 >= x + half;
            crosses |= word.x1 > x - half && word.x0 < x + half;
        }
        if crosses {
            (start, left, right) = (at + 1, 0, 0);
            continue;
        }
        left += usize::from(sides.0);
        right += usize::from(sides.1);
        let rows = left.min(right);
        if rows >= MIN_ROWS && best.is_none_or(|best| rows > best.rows || (best.start == start && rows >= best.rows)) {
            best = Some(Gutter {
                x,
                start,
                end: at + 1,
                rows,
            });
        }
    }
    best
}

fn is_between_columns(rows: &[Row], gutter: &Gutter) -> bool {
    let beside = &rows[gutter.start..gutter.end];
    let side = |is_left: bool| -> Vec<Vec<&Word>> {
        let of_row = |row: &'_ Row| -> Vec<usize> {
            let on_side = |(_, word): &(usize, &Word)| (word.x0 < gutter.x) == is_left;
            row.words.iter().enumerate().filter(on_side).map(|(at, _)| at).collect()
        };
        let words = beside
            .iter()
            .map(|row| of_row(row).into_iter().map(|at| &row.words[at]).collect::<Vec<_>>());
        words.filter(|words| !words.is_empty()).collect()
    };
    [side(true), side(false)].iter().all(|rows| is_column(rows))
}

/// Whether these rows are filled with text.
fn is_column(rows: &[Vec<&Word>]) -> bool {
    let left = rows.iter().flatten().map(|word| word.x0).fold(f32::MAX, f32::min);
    let right = rows.iter().flatten().map(|word| word.x1).fold(f32::MIN, f32::max);
    let inked = |words: &Vec<&Word>| {
        let gaps = words
            .windows(2)
            .map(|pair| (pair[1].x0 - pair[0].x1).clamp(0.0, pair[0].size));
        let words = words.iter().map(|word| word.x1 - word.x0);
        words.chain(gaps).sum::<f32>() / (right - left)
    };
    let characters = |words: &Vec<&Word>| {
        let of = |c: char| {
            if super::rows::is_written_without_spaces(c) {
                2.0
            } else {
                1.0
            }
        };
        words.iter().flat_map(|word| word.text.chars()).map(of).sum::<f32>()
    };
    let is_filled = median(rows.iter().map(inked).collect()).is_some_and(|fill| fill >= MIN_FILL);
    is_filled && median(rows.iter().map(characters).collect()).is_some_and(|length| length >= MIN_CHARACTERS as f32)
}

pub(super) fn median(mut values: Vec<f32>) -> Option<f32> {
    let middle = values.len() / 2;
    if values.is_empty() {
        return None;
    }
    let (_, median, _) = values.select_nth_unstable_by(middle, f32::total_cmp);
    Some(*median)
}
