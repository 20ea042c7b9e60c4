//! The highest ids, which show without a read that an id is new.
//!
//! Most owners insert documents in the order of their ids. In the folder of a fleet, the ids of each worker ascend, side by side with those
//! of the others: the upper 16 bits are the number of the worker. So the highest id of each such group is kept.

use std::collections::BTreeMap;

use crate::signature::DocId;

/// Bits of an id that number the documents of its group.
const GROUP_BITS: u32 = 48;

/// The highest id of each group.
#[derive(Debug, Default)]
pub(super) struct Highest {
    of_groups: BTreeMap<u64, DocId>,
}

impl Highest {
    pub fn note(&mut self, id: DocId) {
        let highest = self.of_groups.entry(id.0 >> GROUP_BITS).or_insert(id);
        *highest = id.max(*highest);
    }

    /// `false` if no noted id of the group is as high.
    pub fn may_have(&self, id: DocId) -> bool {
        let highest = self.of_groups.get(&(id.0 >> GROUP_BITS));
        highest.is_some_and(|highest| *highest >= id)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_id_above_the_highest_of_its_group_is_new() {
        let group = |number: u64, id: u64| DocId(number << GROUP_BITS | id);
        let mut highest = Highest::default();
        assert!(!highest.may_have(group(0, 0)));
        for id in [group(0, 3), group(2, 7), group(2, 5)] {
            highest.note(id);
        }
        let may_have: Vec<bool> = [(0, 3), (0, 4), (1, 0), (2, 6), (2, 8), (3, 0)]
            .map(|(number, id)| highest.may_have(group(number, id)))
            .to_vec();
        assert_eq!(may_have, [true, false, false, true, false, false]);
    }
}
