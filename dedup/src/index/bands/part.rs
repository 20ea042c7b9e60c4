//! A hash table of entries of a tag and a number, with linear probing by lots of 16 (Knuth, *The Art of Computer
//! Programming* 3, §6.4).
//!
//! The tag says in which lot an entry belongs. If that lot is full, the entry is in the next lot that was not. So a
//! look-up ends at the first lot with an empty place. With lots of 16, nine tenths full, that is nearly always the first or
//! the second one.

use std::collections::HashMap;

use crate::cpu::prefetch;

/// Entries of a lot, whose tags fill a cache line.
const LANES: usize = 16;
/// Largest number of entries with one tag; more are in a list.
pub(super) const LONGEST: usize = 16;
/// The tag of an empty place.
const EMPTY: u32 = 0;
/// The tag of a place whose entry was moved to a list.
const MOVED: u32 = 1;
/// In place of a number: the numbers are in the list of the tag.
const LISTED: u32 = u32::MAX;

#[derive(Debug, Clone, Copy)]
#[repr(align(64))]
struct Lot([u32; LANES]);

#[derive(Debug, Clone, Default)]
pub(super) struct Part {
    tags: Vec<Lot>,
    numbers: Vec<Lot>,
    /// Places that are not empty.
    len: usize,
    lists: HashMap<u32, Vec<u32>>,
}

impl Part {
    /// The tag of a hash.
    pub(super) fn tag(hash: u32) -> u32 {
        hash.max(MOVED + 1)
    }

    #[inline(always)]
    fn home(&self, tag: u32) -> usize {
        ((u64::from(tag) * self.tags.len() as u64) >> 32) as usize
    }

    #[inline(always)]
    pub(super) fn prefetch(&self, tag: u32) {
        if let Some(lot) = self.tags.get(self.home(tag)) {
            prefetch(lot);
        }
    }

    #[inline(always)]
    pub(super) fn prefetch_number(&self, entry: usize) {
        prefetch(&self.numbers[entry / LANES].0[entry % LANES]);
    }

    /// Calls `each` with every entry of a tag, at most [`LONGEST`]. Returns the first lot on its way that is not full;
    /// `None` if there is no lot.
    #[inline(always)]
    pub(super) fn each_entry(&self, tag: u32, mut each: impl FnMut(usize)) -> Option<usize> {
        let mut lot = self.home(tag);
        loop {
            let Lot(tags) = self.tags.get(lot)?;
            // Compared without a branch between them, so that vector instructions do it.
            let (mut any, mut any_empty) = (false, false);
            for other in tags {
                any |= *other == tag;
                any_empty |= *other == EMPTY;
            }
            if any {
                let equal = tags.iter().enumerate().filter(|(_, other)| **other == tag);
                equal.for_each(|(lane, _)| each(lot * LANES + lane));
            }
            if any_empty {
                return Some(lot);
            }
            // One place in ten is empty, so this ends.
            lot = if lot + 1 == self.tags.len() { 0 } else { lot + 1 };
        }
    }

    /// The number of an entry, or the numbers of its list.
    #[inline(always)]
    pub(super) fn numbers(&self, entry: usize) -> &[u32] {
        let (lot, lane) = (entry / LANES, entry % LANES);
        match &self.numbers[lot].0[lane] {
            &LISTED => self.lists.get(&self.tags[lot].0[lane]).map_or(&[], Vec::as_slice),
            number => std::slice::from_ref(number),
        }
    }

    /// Adds an entry. If the table must grow, it loses the entries whose numbers are not alive.
    pub(super) fn insert(&mut self, tag: u32, number: u32, is_alive: impl Fn(u32) -> bool) {
        if is_full(self.len, self.tags.len()) {
            self.rebuild(is_alive);
        }
        let mut entries = [0; LONGEST];
        let mut len = 0;
        let lot = self.each_entry(tag, |entry| {
            entries[len] = entry;
            len += 1;
        });
        let entries = &entries[..len];
        if let ([entry], Some(list)) = (entries, self.lists.get_mut(&tag))
            && self.numbers[entry / LANES].0[entry % LANES] == LISTED
        {
            push(list, number);
        } else if len == LONGEST {
            self.list(tag, entries, number);
        } else if let Some(lot) = lot {
            self.put(lot, tag, number);
        }
    }

    fn put(&mut self, lot: usize, tag: u32, number: u32) {
        let lanes = &mut self.tags[lot].0;
        if let Some(lane) = lanes.iter().position(|other| *other == EMPTY) {
            lanes[lane] = tag;
            self.numbers[lot].0[lane] = number;
            self.len += 1;
        }
    }

    /// Moves the entries of a tag, and a further number, to a list.
    #[cold]
    fn list(&mut self, tag: u32, entries: &[usize], number: u32) {
        let mut list = Vec::with_capacity(LONGEST + LONGEST / 2);
        for &entry in entries {
            list.push(self.numbers[entry / LANES].0[entry % LANES]);
            self.tags[entry / LANES].0[entry % LANES] = MOVED;
        }
        list.push(number);
        self.lists.insert(tag, list);
        // The first entry stands for the list.
        if let Some(first) = entries.first() {
            self.tags[first / LANES].0[first % LANES] = tag;
            self.numbers[first / LANES].0[first % LANES] = LISTED;
        }
    }

    /// Lays out the table again, four fifths full, without the entries whose numbers are not alive.
    #[cold]
    pub(super) fn rebuild(&mut self, is_alive: impl Fn(u32) -> bool) {
        self.lists.retain(|_, list| {
            list.retain(|number| is_alive(*number));
            !list.is_empty()
        });
        let (tags, numbers) = (std::mem::take(&mut self.tags), std::mem::take(&mut self.numbers));
        let lists = &self.lists;
        let entries = || {
            let places = tags.iter().zip(&numbers);
            let entries =
                places.flat_map(|(Lot(tags), Lot(numbers))| tags.iter().copied().zip(numbers.iter().copied()));
            entries.filter(|(tag, number)| match *tag {
                EMPTY | MOVED => false,
                tag if *number == LISTED => lists.contains_key(&tag),
                _ => is_alive(*number),
            })
        };
        let lots = entries().count() * 5 / (4 * LANES) + 1;
        let kept = entries().collect::<Vec<_>>();
        drop((tags, numbers));
        self.tags = vec![Lot([EMPTY; LANES]); lots];
        self.numbers = vec![Lot([0; LANES]); lots];
        self.len = 0;
        for (tag, number) in kept {
            if let Some(lot) = self.each_entry(tag, |_| ()) {
                self.put(lot, tag, number);
            }
        }
    }

    /// Number of entries of the table and the lists.
    #[cfg(test)]
    pub(super) fn entries(&self) -> usize {
        self.len + self.lists.values().map(Vec::len).sum::<usize>()
    }

    /// Bytes of the table and the lists.
    #[cfg(test)]
    pub(super) fn bytes(&self) -> usize {
        // The map keeps 33 bytes for a list, and is at least seven sixteenths full.
        let lists = self.lists.values().map(|list| 4 * list.capacity() + 33 * 16 / 7);
        (self.tags.capacity() + self.numbers.capacity()) * size_of::<Lot>() + lists.sum::<usize>()
    }
}

/// Whether nine tenths of the places are not empty, or there is none.
fn is_full(len: usize, lots: usize) -> bool {
    len * 10 >= lots * LANES * 9
}

/// Appends to a list; makes room for an eighth more.
fn push(list: &mut Vec<u32>, number: u32) {
    if list.len() == list.capacity() {
        list.reserve_exact((list.len() / 8).max(LANES / 2));
    }
    list.push(number);
}
