//! Headers, footers and page numbers: the first and last rows of a page that other pages have at the same place.

use std::collections::{HashMap, HashSet};

use super::Page;
use super::rows::Row;

/// The part of the height of a page, at its top and at its bottom, in which headers and footers stand.
const EDGE: f32 = 0.14;

/// Rows at each edge that may be headers or footers.
const EDGE_ROWS: usize = 3;

/// Fewest pages that have a row at the same place.
const MIN_PAGES: usize = 3;

/// Fewest pages whose rows at the same place count the pages.
const MIN_NUMBERED: usize = 5;

/// Places of rows are compared in steps of so many units (1/72 inch).
const STEP: f32 = 4.0;

/// What rows of several pages have in common: place and text, with `#` for each number.
type Key = (i32, String);

/// Drops the rows that are repeated.
pub(super) fn drop_from(pages: &mut [Page]) {
    let mut seen: HashMap<Key, usize> = HashMap::new();
    for page in pages.iter() {
        for at in at_edges(page) {
            for key in keys(&page.rows[at]) {
                *seen.entry(key).or_default() += 1;
            }
        }
    }
    let mut counted: HashMap<(i32, i64), usize> = HashMap::new();
    for (number, page) in pages.iter().enumerate() {
        let offsets: HashSet<_> = at_edges(page).flat_map(|at| offsets(&page.rows[at], number)).collect();
        for offset in offsets {
            *counted.entry(offset).or_default() += 1;
        }
    }
    let is_single = pages.len() < 2;
    for (number, page) in pages.iter_mut().enumerate() {
        let repeated: Vec<usize> = at_edges(page)
            .filter(|at| {
                let row = &page.rows[*at];
                let count = |key: Key| seen.get(&key).copied().unwrap_or_default();
                // A row on the border of two steps is counted in both.
                let is_repeated = keys(row)
                    .into_iter()
                    .map(count)
                    .max()
                    .is_some_and(|pages| pages >= MIN_PAGES);
                let counts = |offset| counted.get(&offset).is_some_and(|pages| *pages >= MIN_NUMBERED);
                is_repeated
                    || offsets(row, number).into_iter().any(counts)
                    || !is_single && is_page_number(&without_numbers(&row.text()))
            })
            .collect();
        let mut at = 0;
        page.rows.retain(|_| {
            at += 1;
            !repeated.contains(&(at - 1))
        });
    }
}

/// The numbers of the rows that may be headers or footers.
fn at_edges(page: &Page) -> impl Iterator<Item = usize> + use<> {
    let mut by_height: Vec<(usize, f32)> = page.rows.iter().map(|row| row.y).enumerate().collect();
    by_height.sort_by(|a, b| a.1.total_cmp(&b.1));
    let height = page.height;
    let top = by_height
        .iter()
        .take(EDGE_ROWS)
        .filter(move |(_, y)| *y < height * EDGE);
    let bottom = by_height
        .iter()
        .rev()
        .take(EDGE_ROWS)
        .filter(move |(_, y)| *y > height * (1.0 - EDGE));
    top.chain(bottom).map(|(at, _)| *at).collect::<Vec<_>>().into_iter()
}

fn keys(row: &Row) -> [Key; 2] {
    let text = without_numbers(&row.text());
    let step = (row.y / STEP).round() as i32;
    let beside = if row.y / STEP > step as f32 { step + 1 } else { step - 1 };
    [(step, text.clone()), (beside, text)]
}

/// The place of the row, and how far the number at its beginning or end is from the number of the page in the file. A running title with
/// the number of the page has the same distance on many pages.
fn offsets(row: &Row, page: usize) -> Vec<(i32, i64)> {
    let step = (row.y / STEP).round() as i32;
    let ends = [row.words.first(), row.words.last()];
    let numbers = ends
        .into_iter()
        .flatten()
        .filter_map(|word| word.text.parse::<i64>().ok());
    numbers
        .map(|number| (step, number.saturating_sub(page as i64)))
        .collect()
}

fn without_numbers(text: &str) -> String {
    let mut found = String::new();
    for c in text.chars() {
        if !c.is_ascii_digit() {
            found.extend(c.to_lowercase());
        } else if !found.ends_with('#') {
            found.push('#');
        }
    }
    found
}

/// Whether the text says nothing but the number of the page, such as `- # -`, `page # of #` or `xiv`.
fn is_page_number(text: &str) -> bool {
    let is_roman = |word: &str| !word.is_empty() && word.len() <= 7 && word.chars().all(|c| "ivxlc".contains(c));
    let words = text
        .split(|c: char| !c.is_alphanumeric() && c != '#')
        .filter(|word| !word.is_empty());
    let mut words = words.peekable();
    words.peek().is_some()
        && words.all(|word| word == "#" || matches!(word, "page" | "of" | "seite" | "von" | "p") || is_roman(word))
        && text.chars().any(|c| c == '#' || c.is_alphabetic())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_of_pages_are_told_from_text() {
        for text in ["12", "- 3 -", "Page 4 of 17", "xiv", "7 / 9", "iii"] {
            assert!(is_page_number(&without_numbers(text)), "{text}");
        }
        for text in ["Chapter 3", "", "—", "1. Introduction", "of course"] {
            assert!(!is_page_number(&without_numbers(text)), "{text}");
        }
    }
}
