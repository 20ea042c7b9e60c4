//! The entries of 64 neighbouring buckets.
//!
//! ```text
//! runs    │ start, len │ start, len │ …              position of each bucket's entries
//! tags    │ bucket 0       ░ │ bucket 1   ░░ │ … │   32 bits each, compared first
//! slots   │ bucket 0       ░ │ bucket 1   ░░ │ … │   32 bits each, read if the tag passes
//! ```
//!
//! With an allocation per bucket, each probe would follow a pointer and each bucket would end in unused room. Here a
//! full bucket takes room (░) from a neighbour, and the group is laid out again, with more room, only when the
//! neighbours are full too. So little memory is unused, and a probe costs one cache miss for the run and one for the
//! tags.

/// Buckets per group.
pub(super) const BUCKETS: usize = 64;
/// Tags per lot; the tags of a lot are compared together. A bucket's last lot may reach past the bucket, so this many
/// extra tags follow the last bucket.
pub(super) const LANES: usize = 16;
/// The length of a bucket whose entries were moved out into a split.
const MOVED: u32 = u32::MAX;
/// Upper bound on the entries moved to take room from a neighbour; beyond it a new layout is cheaper.
const MAX_SHIFTED: usize = 64;

#[derive(Debug, Clone)]
pub(super) struct Group {
    runs: [Run; BUCKETS],
    /// `LANES` longer than `slots`.
    tags: Vec<u32>,
    slots: Vec<u32>,
}

#[derive(Debug, Clone, Copy, Default)]
struct Run {
    start: u32,
    len: u32,
}

/// The entries of a bucket.
#[derive(Debug, Clone, Copy)]
pub(super) struct Bucket<'a> {
    /// Whole lots: tags beyond the length of `slots` belong to other buckets.
    pub(super) tags: &'a [[u32; LANES]],
    pub(super) slots: &'a [u32],
}

impl Group {
    pub(super) fn new() -> Self {
        Self {
            runs: [Run::default(); BUCKETS],
            tags: vec![0; LANES],
            slots: Vec::new(),
        }
    }

    /// Prefetches the run of a bucket.
    #[inline(always)]
    pub(super) fn prefetch(&self, at: usize) {
        crate::cpu::prefetch(&self.runs[at]);
        crate::cpu::prefetch(&self.tags);
    }

    /// Prefetches the place of the next entry of a bucket.
    #[inline(always)]
    pub(super) fn prefetch_end(&self, at: usize) {
        let run = self.runs[at];
        let end = (run.start as usize).saturating_add(run.len as usize);
        if let (Some(tag), Some(slot)) = (self.tags.get(end), self.slots.get(end)) {
            crate::cpu::prefetch(tag);
            crate::cpu::prefetch(slot);
        }
    }

    /// The entries of a bucket; `None` if they were moved out.
    #[inline(always)]
    pub(super) fn bucket(&self, at: usize) -> Option<Bucket<'_>> {
        let Run { start, len } = self.runs[at];
        if len == MOVED {
            return None;
        }
        let (start, len) = (start as usize, len as usize);
        let lots = &self.tags[start..start + len.next_multiple_of(LANES)];
        Some(Bucket {
            tags: lots.as_chunks().0,
            slots: &self.slots[start..start + len],
        })
    }

    fn len(&self, at: usize) -> usize {
        match self.runs[at].len {
            MOVED => 0,
            len => len as usize,
        }
    }

    fn end(&self, at: usize) -> usize {
        self.runs[at].start as usize + self.len(at)
    }

    fn room_ends(&self, at: usize) -> usize {
        self.runs
            .get(at + 1)
            .map_or(self.slots.len(), |next| next.start as usize)
    }

    fn has_room(&self, at: usize) -> bool {
        self.end(at) < self.room_ends(at)
    }

    /// Adds an entry to a bucket that was not moved out. Returns the new length of the bucket.
    pub(super) fn push(&mut self, at: usize, tag: u32, slot: u32) -> usize {
        if !self.has_room(at) && !self.take_from_right(at) && !self.take_from_left(at) {
            self.lay_out();
        }
        let end = self.end(at);
        self.tags[end] = tag;
        self.slots[end] = slot;
        self.runs[at].len += 1;
        self.len(at)
    }

    /// Takes a place from the nearest bucket above that has room. All entries between move up by one.
    fn take_from_right(&mut self, at: usize) -> bool {
        let begin = self.end(at);
        let near = (at + 1..BUCKETS).take_while(|other| self.runs[*other].start as usize <= begin + MAX_SHIFTED);
        let mut with_room = near.filter(|other| self.has_room(*other));
        let Some(other) = with_room.next() else {
            return false;
        };
        let end = self.end(other);
        self.tags.copy_within(begin..end, begin + 1);
        self.slots.copy_within(begin..end, begin + 1);
        self.runs[at + 1..=other].iter_mut().for_each(|run| run.start += 1);
        true
    }

    /// Takes a place from the nearest bucket below that has room. All entries between move down by one.
    fn take_from_left(&mut self, at: usize) -> bool {
        let end = self.end(at);
        let near = (0..at)
            .rev()
            .take_while(|other| self.room_ends(*other) + MAX_SHIFTED >= end);
        let mut with_room = near.filter(|other| self.has_room(*other));
        let Some(other) = with_room.next() else {
            return false;
        };
        let begin = self.room_ends(other);
        self.tags.copy_within(begin..end, begin - 1);
        self.slots.copy_within(begin..end, begin - 1);
        self.runs[other + 1..=at].iter_mut().for_each(|run| run.start -= 1);
        true
    }

    /// Lays all buckets out again, each with room for a sixteenth of its entries and two more.
    fn lay_out(&mut self) {
        let room = |len: usize| len + len / 16 + 2;
        let places: usize = (0..BUCKETS).map(|at| room(self.len(at))).sum();
        let (mut tags, mut slots) = (vec![0; places + LANES], vec![0; places]);
        let mut start = 0;
        for at in 0..BUCKETS {
            let (len, from) = (self.len(at), self.runs[at].start as usize);
            tags[start..start + len].copy_from_slice(&self.tags[from..from + len]);
            slots[start..start + len].copy_from_slice(&self.slots[from..from + len]);
            self.runs[at].start = start as u32;
            start += room(len);
        }
        (self.tags, self.slots) = (tags, slots);
    }

    /// Removes a slot from a bucket. Returns whether it was there.
    pub(super) fn remove(&mut self, at: usize, slot: u32) -> bool {
        let (start, end) = (self.runs[at].start as usize, self.end(at));
        let Some(place) = position(&self.slots[start..end], slot) else {
            return false;
        };
        self.slots[start + place] = self.slots[end - 1];
        self.tags[start + place] = self.tags[end - 1];
        self.runs[at].len -= 1;
        true
    }

    /// Moves the entries of a bucket out; a split holds them now.
    pub(super) fn move_out(&mut self, at: usize) {
        self.runs[at].len = MOVED;
        self.lay_out();
    }

    /// Makes an empty bucket out of a bucket whose entries were moved out.
    pub(super) fn take_back(&mut self, at: usize) {
        self.runs[at].len = 0;
    }
}

/// The position of a slot; compared in lots, which the compiler vectorises.
fn position(slots: &[u32], slot: u32) -> Option<usize> {
    let lot = 64;
    let has_it = |lot: &[u32]| lot.iter().fold(false, |found, other| found | (*other == slot));
    let number = slots.chunks(lot).position(has_it)?;
    let rest = &slots[number * lot..];
    rest.iter().position(|other| *other == slot).map(|at| number * lot + at)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn each_bucket_of_a_group_holds_its_entries(
            actions in prop::collection::vec((0_usize..BUCKETS, 0_u32..4, any::<bool>()), 0..2_000),
            crowded in 0_usize..BUCKETS,
        ) {
            let mut group = Group::new();
            let mut expected = vec![Vec::<u32>::new(); BUCKETS];
            for (number, (at, kind, is_removal)) in actions.into_iter().enumerate() {
                let at = if kind == 0 { crowded } else { at };
                if is_removal && kind == 1 {
                    let slot = expected[at].pop();
                    prop_assert_eq!(group.remove(at, slot.unwrap_or(u32::MAX)), slot.is_some());
                } else {
                    let slot = number as u32;
                    expected[at].push(slot);
                    prop_assert_eq!(group.push(at, !slot, slot), expected[at].len());
                }
            }
            for (at, expected) in expected.iter_mut().enumerate() {
                let bucket = group.bucket(at).unwrap();
                let mut slots = bucket.slots.to_vec();
                for (tag, slot) in bucket.tags.as_flattened().iter().zip(&slots) {
                    prop_assert_eq!(*tag, !slot);
                }
                slots.sort_unstable();
                expected.sort_unstable();
                prop_assert_eq!(&slots, expected);
            }
        }
    }
}
