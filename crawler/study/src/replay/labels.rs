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

    /// Takes back the label of a pair.
    pub fn remove(&mut self, a: usize, b: usize) {
        if self.by_pair.remove(&(a.min(b), a.max(b))).is_none() {
            return;
        }
        for (page, other) in [(a, b), (b, a)] {
            if let Some(partners) = self.partners.get_mut(&page) {
                partners.retain(|partner| *partner != other);
                if partners.is_empty() {
                    self.partners.remove(&page);
                }
            }
        }
    }

    /// Number of pairs.
    #[must_use]
    pub fn pairs(&self) -> usize {
        self.by_pair.len()
    }

    /// Number of pairs whose pages differ.
    #[must_use]
    pub fn different(&self) -> usize {
        let pairs = self.by_pair.values();
        pairs.filter(|similarity| **similarity < DIFFERENT_BELOW).count()
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_label_that_is_taken_back_leaves_nothing() {
        let mut labels = Labels::default();
        labels.insert(1, 2, 1.0);
        labels.insert(3, 1, 0.0);
        labels.remove(2, 1);
        labels.remove(5, 6);
        assert_eq!((labels.pairs(), labels.of(1, 2), labels.of(1, 3)), (1, None, Some(0.0)));
        assert!(labels.speak_of(1) && !labels.speak_of(2));
    }
}
