//! Near-duplicates that are told apart by their numbers alone: variants of a product in a size, versions of a law in an amount.

use std::collections::HashMap;

use storage::{Fate, PageRecord, Verdict};

use crate::report::thresholds::Thresholds;
use crawl::index::decode_signature;
use error::RunError;
use terminal::units::grouped;

/// The numbers of the pages that are compared: one hash for each text, which leaves out dates.
#[derive(Debug, Default)]
pub(super) struct Variants {
    /// Of each page whose text was new, by its sequence number.
    of_new: HashMap<u64, u64>,
    /// Of each near-duplicate: the page that it was compared with, and its own numbers.
    of_near: Vec<(u64, u64)>,
}

impl Variants {
    /// # Errors
    ///
    /// If the signature cannot be read.
    pub fn add(&mut self, id: u64, page: &PageRecord) -> Result<(), RunError> {
        match page.verdict {
            Verdict::Unique => {
                self.of_new.insert(id, decode_signature(&page.signature)?.numbers);
            }
            Verdict::Near { of, .. } if page.fate == Fate::Current => {
                self.of_near.push((of, decode_signature(&page.signature)?.numbers));
            }
            Verdict::Near { .. } | Verdict::Exact { .. } => {}
        }
        Ok(())
    }

    /// How many near-duplicates have other numbers than the page that they were compared with. A pair does not
    /// count if another worker has the page.
    pub fn count(&self) -> u64 {
        let differs = |(of, numbers): &&(u64, u64)| self.of_new.get(of).is_some_and(|other| other != numbers);
        self.of_near.iter().filter(differs).count() as u64
    }
}

/// How many there are, and what keeps them. `None` if there are none.
pub(super) fn in_words(variants: u64, thresholds: &Thresholds) -> Option<[String; 2]> {
    if variants == 0 || thresholds.numbers_must_match {
        return None;
    }
    let found = if variants == 1 {
        "1 near-duplicate has other numbers than its page (sizes, prices)".to_owned()
    } else {
        format!(
            "{} near-duplicates have other numbers than their pages (sizes, prices)",
            grouped(variants)
        )
    };
    Some([found, "dedup.numbers_must_match = true keeps them".to_owned()])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pairs_with_other_numbers_count_and_pairs_of_other_workers_do_not() {
        let variants = Variants {
            of_new: [(1, 7), (2, 8)].into(),
            of_near: vec![(1, 7), (1, 9), (2, 7), (3, 1)],
        };
        assert_eq!(variants.count(), 2);
    }
}
