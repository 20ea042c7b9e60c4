//! A set of numbers of documents.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use crate::signature::DocId;

/// A set of numbers of documents. It takes memory for each run of consecutive numbers, not for each number.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct DocIds {
    /// For each first number of a run, the number after its last.
    runs: BTreeMap<u64, u64>,
}

impl DocIds {
    /// Adds a number. Returns whether it is new.
    pub fn insert(&mut self, DocId(number): DocId) -> bool {
        let before = self
            .runs
            .range(..=number)
            .next_back()
            .map(|(first, end)| (*first, *end));
        if before.is_some_and(|(_, end)| number < end) {
            return false;
        }
        let first = before
            .filter(|(_, end)| *end == number)
            .map_or(number, |(first, _)| first);
        let end = number.checked_add(1).and_then(|next| self.runs.remove(&next));
        self.runs.insert(first, end.unwrap_or(number.saturating_add(1)));
        true
    }

    /// Adds all numbers of another set.
    pub fn extend(&mut self, other: &Self) {
        for (first, end) in &other.runs {
            for number in *first..*end {
                self.insert(DocId(number));
            }
        }
    }

    /// Removes a number. Returns whether it was there.
    pub fn remove(&mut self, DocId(number): DocId) -> bool {
        let Some((&first, &end)) = self.runs.range(..=number).next_back().filter(|(_, end)| number < **end) else {
            return false;
        };
        self.runs.remove(&first);
        for (first, end) in [(first, number), (number.saturating_add(1), end)] {
            if first < end {
                self.runs.insert(first, end);
            }
        }
        true
    }

    /// Whether the number is there.
    #[must_use]
    pub fn contains(&self, DocId(number): DocId) -> bool {
        let before = self.runs.range(..=number).next_back();
        before.is_some_and(|(_, end)| number < *end)
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn numbers_are_there_as_in_a_plain_set(changes in prop::collection::vec((any::<bool>(), 0_u64..24), 0..80)) {
            let (mut ids, mut plain) = (DocIds::default(), BTreeSet::new());
            for (adds, number) in changes {
                let (changed, expected) = if adds {
                    (ids.insert(DocId(number)), plain.insert(number))
                } else {
                    (ids.remove(DocId(number)), plain.remove(&number))
                };
                prop_assert_eq!(changed, expected);
            }
            for number in 0..25 {
                prop_assert_eq!(ids.contains(DocId(number)), plain.contains(&number));
            }
            let mut more = DocIds::default();
            more.insert(DocId(7));
            more.insert(DocId(30));
            let mut both = ids.clone();
            both.extend(&more);
            for number in 0..32 {
                prop_assert_eq!(both.contains(DocId(number)), plain.contains(&number) || [7, 30].contains(&number));
            }
            let runs = plain.iter().filter(|number| **number == 0 || !plain.contains(&(**number - 1))).count();
            prop_assert_eq!(ids.runs.len(), runs);
        }
    }
}
