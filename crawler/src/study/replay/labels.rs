//! A person's labels for pairs of pages.

use std::collections::HashMap;

use super::cells::{CellSet, Grid};
use super::pass::Replayed;
use super::{DIFFERENT_BELOW, DUPLICATE_FROM};

/// The similarities, 0 to 1, that a person gives to pairs of pages. A page is an index in the list of pages.
#[derive(Debug, Default)]
pub struct Labels {
    by_pair: HashMap<(usize, usize), f32>,
    partners: HashMap<usize, Vec<usize>>,
}

impl Labels {
    /// Sets the similarity of a pair, and returns the earlier one.
    pub fn insert(&mut self, a: usize, b: usize, similarity: f32) -> Option<f32> {
        let before = self.by_pair.insert((a.min(b), a.max(b)), similarity);
        if before.is_none() {
            self.partners.entry(a).or_default().push(b);
            self.partners.entry(b).or_default().push(a);
        }
        before
    }

    /// Number of pairs.
    #[must_use]
    pub fn len(&self) -> usize {
        self.by_pair.len()
    }

    /// Whether a label names the page.
    #[must_use]
    pub fn speak_of(&self, page: usize) -> bool {
        self.partners.contains_key(&page)
    }

    /// The similarity of a pair.
    #[must_use]
    pub fn of(&self, a: usize, b: usize) -> Option<f32> {
        self.by_pair.get(&(a.min(b), a.max(b))).copied()
    }

    /// The pages that a label makes duplicates of a page.
    pub fn duplicates_of(&self, page: usize) -> impl Iterator<Item = usize> {
        let partners = self.partners.get(&page).into_iter().flatten().copied();
        partners.filter(move |other| {
            self.of(page, *other)
                .is_some_and(|similarity| similarity >= DUPLICATE_FROM)
        })
    }

    /// The contradicted pairs, in order, each with the settings that contradict it. A setting contradicts a label if it keeps both of
    /// two duplicates, or makes two different pages duplicates of each other or of the same page. The replay must have watched the
    /// labelled pages.
    #[must_use]
    pub fn contradicted(&self, grid: &Grid, replayed: &Replayed) -> Vec<(usize, usize, CellSet)> {
        let mut pairs: Vec<_> = self
            .by_pair
            .iter()
            .map(|((a, b), similarity)| (*a, *b, *similarity))
            .collect();
        pairs.sort_unstable_by_key(|(a, b, _)| (*a, *b));
        let contradicting = |a: usize, b: usize, similarity: f32| {
            let both_kept = replayed.kept()[a].and(&replayed.kept()[b]);
            if similarity >= DUPLICATE_FROM {
                return both_kept;
            }
            let mut cells = CellSet::EMPTY;
            if similarity < DIFFERENT_BELOW {
                let one_dropped = grid.all().without(&both_kept);
                let merged = |cell: &usize| replayed.representative(a, *cell) == replayed.representative(b, *cell);
                one_dropped.iter().filter(merged).for_each(|cell| cells.insert(cell));
            }
            cells
        };
        let all = pairs
            .into_iter()
            .map(|(a, b, similarity)| (a, b, contradicting(a, b, similarity)));
        all.filter(|(_, _, cells)| !cells.is_empty()).collect()
    }
}

/// Parses a line of a file of labels: two URLs and a label, separated by tabs; `None` for a blank line or a comment after `#`.
///
/// # Errors
/// The form that the line should have.
pub fn parse_line(line: &str) -> Result<Option<(&str, &str, f32)>, String> {
    if line.trim().is_empty() || line.trim_start().starts_with('#') {
        return Ok(None);
    }
    let mut fields = line.split('\t').map(str::trim);
    let (Some(a), Some(b), Some(label), None) = (fields.next(), fields.next(), fields.next(), fields.next()) else {
        return Err("it needs two URLs and a label, separated by tabs".to_owned());
    };
    if a.is_empty() || b.is_empty() || a == b {
        return Err("it needs two different URLs".to_owned());
    }
    let similarity = match label {
        word if word.eq_ignore_ascii_case("duplicate") => 1.0,
        word if word.eq_ignore_ascii_case("different") => 0.0,
        number => match number.parse() {
            Ok(similarity) if (0.0..=1.0).contains(&similarity) => similarity,
            _ => return Err("the label must be duplicate, different or a similarity from 0 to 1".to_owned()),
        },
    };
    Ok(Some((a, b, similarity)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_label_is_a_word_or_a_similarity() {
        assert_eq!(parse_line("a\tb\tduplicate"), Ok(Some(("a", "b", 1.0))));
        assert_eq!(parse_line("a\tb\tDUPLICATE"), Ok(Some(("a", "b", 1.0))));
        assert_eq!(parse_line("a\tb\tdifferent\r"), Ok(Some(("a", "b", 0.0))));
        assert_eq!(parse_line("a\tb\t0.62"), Ok(Some(("a", "b", 0.62))));
        assert_eq!((parse_line("# a\tb"), parse_line("  ")), (Ok(None), Ok(None)));
        for bad in [
            "a b duplicate",
            "a\tb",
            "a\ta\tduplicate",
            "a\t\tdifferent",
            "a\tb\t7",
            "a\tb\tNaN",
            "a\tb\tsame",
            "a\tb\t1\t2",
        ] {
            assert!(parse_line(bad).is_err(), "{bad:?}");
        }
    }
}
