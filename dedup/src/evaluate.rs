//! Measures verdicts against known similarities.

use std::collections::{HashMap, HashSet};
use std::hash::Hash;

/// The known Jaccard indices of pairs of documents. An unknown pair counts as different.
#[derive(Debug, Clone)]
pub struct Truth<T> {
    similar: HashMap<T, HashMap<T, f32>>,
    duplicate_from: f32,
    different_below: f32,
}

/// Number of verdicts by outcome.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Score {
    /// Duplicates of the document that the verdict names.
    pub right: u64,
    /// Documents that are neither duplicates of the document that the verdict names nor different from it: either
    /// verdict is right.
    pub grey: u64,
    /// Documents different from the one that the verdict names.
    pub wrong: u64,
    /// Duplicates of a kept document that the verdict calls unique.
    pub missed: u64,
    /// Unique documents that the verdict calls unique.
    pub unique: u64,
}

impl Score {
    /// `right / (right + wrong)`; 1 if both are 0.
    #[must_use]
    pub fn precision(&self) -> f64 {
        share(self.right, self.wrong)
    }

    /// `right / (right + missed)`; 1 if both are 0.
    #[must_use]
    pub fn recall(&self) -> f64 {
        share(self.right, self.missed)
    }

    /// The harmonic mean of precision and recall.
    #[must_use]
    pub fn f1(&self) -> f64 {
        let (p, r) = (self.precision(), self.recall());
        if p + r == 0.0 { 0.0 } else { 2.0 * p * r / (p + r) }
    }
}

fn share(right: u64, not: u64) -> f64 {
    if right + not == 0 {
        1.0
    } else {
        right as f64 / (right + not) as f64
    }
}

impl<T: Copy + Eq + Hash> Truth<T> {
    /// The truth of `pairs`: two documents each, with their Jaccard index. A pair is a duplicate from `duplicate_from`
    /// on, and different under `different_below`.
    pub fn new(pairs: impl IntoIterator<Item = (T, T, f32)>, duplicate_from: f32, different_below: f32) -> Self {
        let mut similar: HashMap<T, HashMap<T, f32>> = HashMap::new();
        for (a, b, similarity) in pairs {
            similar.entry(a).or_default().insert(b, similarity);
            similar.entry(b).or_default().insert(a, similarity);
        }
        Self {
            similar,
            duplicate_from,
            different_below,
        }
    }

    /// Counts `verdicts`, in the order of decision: each document with the kept document that the verdict names, `None`
    /// for unique.
    pub fn score(&self, verdicts: impl IntoIterator<Item = (T, Option<T>)>) -> Score {
        let mut kept = HashSet::new();
        let mut score = Score::default();
        for (document, of) in verdicts {
            let similar = self.similar.get(&document);
            let counted = match of {
                Some(of) => match similar.and_then(|similar| similar.get(&of)) {
                    Some(similarity) if *similarity >= self.duplicate_from => &mut score.right,
                    Some(similarity) if *similarity >= self.different_below => &mut score.grey,
                    _ => &mut score.wrong,
                },
                None => {
                    let mut similar = similar.into_iter().flatten();
                    let was_duplicate =
                        similar.any(|(other, similarity)| *similarity >= self.duplicate_from && kept.contains(other));
                    kept.insert(document);
                    if was_duplicate {
                        &mut score.missed
                    } else {
                        &mut score.unique
                    }
                }
            };
            *counted += 1;
        }
        score
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_verdict_is_counted_by_the_documents_kept_before_it() {
        let truth = Truth::new([(1, 2, 0.9), (1, 3, 0.6), (2, 4, 0.85), (1, 5, 0.8)], 0.8, 0.5);
        let verdicts = [
            (1, None),
            (2, Some(1)), // right
            (3, Some(1)), // grey
            (4, Some(1)), // wrong: no known similarity
            (5, None),    // missed: 1 is kept
            (6, None),    // unique
        ];
        let score = truth.score(verdicts);
        let expected = Score {
            right: 1,
            grey: 1,
            wrong: 1,
            missed: 1,
            unique: 2,
        };
        assert_eq!(score, expected);
        assert_eq!((score.precision(), score.recall(), score.f1()), (0.5, 0.5, 0.5));
        // A document that is similar only to a dropped document is unique.
        let score = truth.score([(1, None), (2, Some(1)), (4, None)]);
        assert_eq!((score.unique, score.missed), (2, 0));
    }

    #[test]
    fn without_verdicts_precision_and_recall_are_one() {
        let score = Truth::<u64>::new([], 0.8, 0.5).score([]);
        assert_eq!((score.precision(), score.recall()), (1.0, 1.0));
    }
}
