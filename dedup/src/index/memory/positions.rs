//! The positions of the documents of an index in memory: a position is given once, in the order of insertion.
//!
//! Ids that follow one another are a run, of which only the ends are kept. So ids that count documents cost nothing.

use std::collections::{BTreeMap, HashSet};

use crate::signature::DocId;

/// Consecutive ids at consecutive positions.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Run {
    id: u64,
    position: u32,
    len: u32,
}

impl Run {
    /// Whether this id and position go on with the run.
    fn goes_on(self, id: u64, position: u32) -> bool {
        self.id.checked_add(u64::from(self.len)) == Some(id) && self.position + self.len == position
    }
}

#[derive(Debug, Clone, Default)]
pub(super) struct Positions {
    /// Every position given, ascending, the removed ones too.
    by_position: Vec<Run>,
    /// The documents that are there, by the first id of a run.
    by_id: BTreeMap<u64, Run>,
    /// Number of positions given.
    given: u32,
    removed: HashSet<u32>,
}

impl Positions {
    /// Number of documents.
    pub(super) fn len(&self) -> usize {
        self.given as usize - self.removed.len()
    }

    /// Number of removed documents.
    pub(super) fn removed(&self) -> usize {
        self.removed.len()
    }

    /// The position of a document.
    pub(super) fn position(&self, id: DocId) -> Option<u32> {
        let run = self.run(id)?;
        Some(run.position + (id.0 - run.id) as u32)
    }

    fn run(&self, id: DocId) -> Option<Run> {
        let (_, run) = self.by_id.range(..=id.0).next_back()?;
        (id.0 - run.id < u64::from(run.len)).then_some(*run)
    }

    /// The document at a position; `None` if it was removed.
    pub(super) fn id(&self, position: u32) -> Option<DocId> {
        if !self.removed.is_empty() && self.removed.contains(&position) {
            return None;
        }
        let after = self.by_position.partition_point(|run| run.position <= position);
        let run = self.by_position[..after].last()?;
        (position - run.position < run.len).then(|| DocId(run.id + u64::from(position - run.position)))
    }

    /// Gives a document that is not there the next position; `None` if there is none any more.
    pub(super) fn insert(&mut self, id: DocId) -> Option<u32> {
        let position = self.given;
        self.given = position.checked_add(1)?;
        let run = Run {
            id: id.0,
            position,
            len: 1,
        };
        match self.by_position.last_mut() {
            Some(last) if last.goes_on(id.0, position) => last.len += 1,
            _ => self.by_position.push(run),
        }
        match self.by_id.range_mut(..id.0).next_back() {
            Some((_, before)) if before.goes_on(id.0, position) => before.len += 1,
            _ => drop(self.by_id.insert(id.0, run)),
        }
        Some(position)
    }

    /// Removes a document. Returns its position, if it was there.
    pub(super) fn remove(&mut self, id: DocId) -> Option<u32> {
        let run = self.run(id)?;
        let before = (id.0 - run.id) as u32;
        self.by_id.remove(&run.id);
        let parts = [
            Run { len: before, ..run },
            Run {
                id: id.0.wrapping_add(1),
                position: run.position + before + 1,
                len: run.len - before - 1,
            },
        ];
        for part in parts.into_iter().filter(|part| part.len > 0) {
            self.by_id.insert(part.id, part);
        }
        self.removed.insert(run.position + before);
        Some(run.position + before)
    }

    /// The documents that are there, in the order of insertion, with their positions.
    pub(super) fn iter(&self) -> impl Iterator<Item = (DocId, u32)> {
        (0..self.given).filter_map(|position| Some((self.id(position)?, position)))
    }

    /// About the bytes in memory.
    pub(super) fn resident_bytes(&self) -> usize {
        self.by_position.capacity() * size_of::<Run>() + self.by_id.len() * 40 + self.removed.len() * 8
    }
}

#[cfg(test)]
mod tests {
    use std::collections::btree_map::Entry;

    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn positions_are_those_of_a_map(
            steps in prop::collection::vec((0_u64..30, 0_u32..4), 0..120),
            top in prop::sample::select(vec![0_u64, u64::MAX - 29]),
        ) {
            let (mut positions, mut map) = (Positions::default(), BTreeMap::new());
            let (mut given, mut next) = (0_u32, 0);
            for (id, kind) in steps {
                // Half of the ids follow one another.
                let id = DocId(top + if kind > 1 { next % 30 } else { id });
                next = id.0 - top + 1;
                if kind == 0 {
                    prop_assert_eq!(positions.remove(id), map.remove(&id));
                } else if let Entry::Vacant(place) = map.entry(id) {
                    prop_assert_eq!(positions.insert(id), Some(given));
                    place.insert(given);
                    given += 1;
                }
            }
            prop_assert_eq!(positions.len(), map.len());
            for id in (0..30).map(|id| DocId(top + id)) {
                prop_assert_eq!(positions.position(id), map.get(&id).copied());
            }
            let mut listed: Vec<(DocId, u32)> = positions.iter().collect();
            prop_assert!(listed.is_sorted_by_key(|(_, position)| *position));
            listed.sort();
            prop_assert_eq!(listed, map.into_iter().collect::<Vec<_>>());
            prop_assert_eq!(positions.id(given), None);
        }
    }

    #[test]
    fn ids_that_count_documents_take_one_run() {
        let mut positions = Positions::default();
        let given: Option<Vec<u32>> = (7..10_000).map(|id| positions.insert(DocId(id))).collect();
        assert_eq!(given.unwrap().len(), positions.len());
        assert_eq!((positions.by_position.len(), positions.by_id.len()), (1, 1));
    }
}
