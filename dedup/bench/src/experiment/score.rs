//! Precision and recall of the verdicts.

use std::collections::{BTreeMap, HashSet};

use super::documents::Document;
use super::edits::Edit;

/// Number of verdicts by outcome.
#[derive(Debug, Clone, Default)]
pub struct Score {
    kept: HashSet<usize>,
    right: usize,
    wrong: usize,
    missed: usize,
    /// Number of copies by edit: found, all. Counts only copies that follow another document of their family.
    by_edit: BTreeMap<Edit, (usize, usize)>,
}

impl Score {
    /// Counts a verdict: the family of the document that the verdict names, `None` for unique.
    pub fn count(&mut self, document: &Document, of_family: Option<usize>) {
        let is_right = of_family == Some(document.family);
        let has_kin = self.kept.contains(&document.family);
        match of_family {
            Some(_) if is_right => self.right += 1,
            Some(_) => self.wrong += 1,
            None => {
                self.missed += usize::from(has_kin);
                self.kept.insert(document.family);
            }
        }
        if let Some(edit) = document.edit
            && has_kin
        {
            let (found, all) = self.by_edit.entry(edit).or_default();
            *found += usize::from(is_right);
            *all += 1;
        }
    }

    /// Share of the documents called duplicates whose named document is of their family.
    #[must_use]
    pub fn precision(&self) -> f64 {
        share(self.right, self.right + self.wrong)
    }

    /// Share of the documents with a kept document of their family that were called duplicates of it.
    #[must_use]
    pub fn recall(&self) -> f64 {
        share(self.right, self.right + self.missed)
    }

    /// The harmonic mean of precision and recall.
    #[must_use]
    pub fn f1(&self) -> f64 {
        let (precision, recall) = (self.precision(), self.recall());
        2.0 * precision * recall / (precision + recall).max(f64::MIN_POSITIVE)
    }

    /// Share of the copies with an edit that `counts` accepts that were found.
    #[must_use]
    pub fn recall_where(&self, counts: impl Fn(&Edit) -> bool) -> f64 {
        let counted = self.by_edit.iter().filter(|(edit, _)| counts(edit));
        let (found, all) = counted.fold((0, 0), |sum, (_, (found, all))| (sum.0 + found, sum.1 + all));
        share(found, all)
    }

    /// Adds the counts of another score.
    pub fn add(&mut self, other: &Self) {
        self.right += other.right;
        self.wrong += other.wrong;
        self.missed += other.missed;
        for (edit, (found, all)) in &other.by_edit {
            let sum = self.by_edit.entry(*edit).or_default();
            *sum = (sum.0 + found, sum.1 + all);
        }
    }
}

/// `part / whole`; 1 if `whole` is 0.
fn share(part: usize, whole: usize) -> f64 {
    if whole == 0 { 1.0 } else { part as f64 / whole as f64 }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn document(family: usize, edit: Option<Edit>) -> Document {
        Document {
            sentences: Vec::new(),
            metadata: Vec::new(),
            family,
            edit,
        }
    }

    #[test]
    fn right_wrong_and_missed_verdicts_are_distinguished() {
        let mut score = Score::default();
        let edit = Some(Edit::nth(0));
        for family in 0..4 {
            score.count(&document(family, None), None);
        }
        score.count(&document(0, edit), Some(0));
        score.count(&document(1, edit), Some(1));
        score.count(&document(2, edit), Some(3));
        score.count(&document(3, edit), None);
        assert!((score.precision() - 2.0 / 3.0).abs() < 1e-9);
        assert!((score.recall() - 2.0 / 3.0).abs() < 1e-9);
        assert!((score.recall_where(|_| true) - 0.5).abs() < 1e-9);
    }
}
