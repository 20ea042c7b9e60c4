//! A hash table of entries of a tag and a number, with linear probing by lots of 16 (Knuth, *The Art of Computer
//! Programming* 3, §6.4).
//!
//! The tag says in which lot an entry belongs. If that lot is full, the entry is in the next lot that was not. So a
//! look-up ends at the first lot with an empty place. With lots of 16, nine tenths full, that is nearly always the first or
//! the second one.

use std::collections::HashMap;
use std::sync::Arc;

use super::lots::{LANES, Lot, Lots};
use crate::cpu::prefetch;
use crate::error::DedupError;
use crate::spill::Spill;

/// Largest number of entries with one tag; more are in a list.
pub(in crate::index) const LONGEST: usize = 16;
/// The tag of an empty place; a new lot has no other.
const EMPTY: u32 = 0;
/// The tag of a place whose entry was moved to a list.
const MOVED: u32 = 1;
/// In place of a number: the numbers are in the list of the tag.
const LISTED: u32 = u32::MAX;

/// A place of a table.
#[derive(Debug, Clone, Copy, Default)]
pub(in crate::index) struct Place {
    lot: u32,
    lane: u32,
}

#[derive(Debug, Clone, Default)]
pub(in crate::index) struct Part {
    lots: Lots,
    /// Places that are not empty.
    len: usize,
    lists: HashMap<u32, Vec<u32>>,
    /// Number of entries of the lists.
    listed: usize,
}

impl Part {
    /// The tag of a hash.
    pub(in crate::index) fn tag(hash: u32) -> u32 {
        hash.max(MOVED + 1)
    }

    #[inline(always)]
    fn home(&self, tag: u32) -> usize {
        ((u64::from(tag) * self.lots.len() as u64) >> 32) as usize
    }

    /// The lot behind another one; behind the last one is the first.
    #[inline(always)]
    fn after(&self, lot: usize) -> usize {
        if lot + 1 == self.lots.len() { 0 } else { lot + 1 }
    }

    /// Prefetches the tags that a look-up reads first.
    #[inline(always)]
    pub(in crate::index) fn prefetch(&self, tag: u32) {
        if let Some(lot) = self.lots.in_memory(self.home(tag)) {
            prefetch(&lot.tags);
        }
    }

    /// Prefetches the numbers beside these tags, for an insertion.
    #[inline(always)]
    pub(in crate::index) fn prefetch_numbers(&self, tag: u32) {
        if let Some(lot) = self.lots.in_memory(self.home(tag)) {
            prefetch(&lot.numbers);
        }
    }

    #[inline(always)]
    pub(in crate::index) fn prefetch_number(&self, place: Place) {
        if let Some(lot) = self.lots.in_memory(place.lot as usize) {
            prefetch(&lot.numbers);
        }
    }

    /// Calls `each` with the place of every entry of a tag, at most [`LONGEST`]. Returns the first lot on its way that is
    /// not full; `None` if there is no lot.
    #[inline(always)]
    pub(in crate::index) fn each_place(&self, tag: u32, mut each: impl FnMut(Place)) -> Option<usize> {
        let mut at = self.home(tag);
        loop {
            let lot = self.lots.get(at)?;
            // Compared without a branch between them, so that vector instructions do it.
            let (mut any, mut any_empty) = (false, false);
            for other in &lot.tags {
                any |= *other == tag;
                any_empty |= *other == EMPTY;
            }
            if any {
                let equal = (0..).zip(&lot.tags).filter(|(_, other)| **other == tag);
                equal.for_each(|(lane, _)| each(Place { lot: at as u32, lane }));
            }
            if any_empty {
                return Some(at);
            }
            // One place in ten is empty, so this ends.
            at = self.after(at);
        }
    }

    /// Appends the number in a place, or the numbers of its list, to `found`, unless it then has more than `most`. Returns whether it did.
    #[inline(always)]
    pub(in crate::index) fn numbers(&self, place: Place, most: usize, found: &mut Vec<u32>) -> bool {
        let Some(lot) = self.lots.get(place.lot as usize) else {
            return true;
        };
        let number = lot.numbers[place.lane as usize];
        if number != LISTED {
            found.push(number);
        } else if let Some(list) = self.lists.get(&lot.tags[place.lane as usize]) {
            if found.len() + list.len() > most {
                return false;
            }
            found.extend_from_slice(list);
        }
        found.len() <= most
    }

    /// Adds an entry.
    pub(in crate::index) fn insert(&mut self, tag: u32, number: u32) {
        if is_full(self.len, self.lots.len()) {
            self.lay_out(|_, _| true);
        }
        let (mut places, mut len) = ([Place::default(); LONGEST], 0);
        let lot = self.each_place(tag, |place| {
            places[len] = place;
            len += 1;
        });
        match places[..len] {
            [place] if self.is_listed(place) => {
                if let Some(list) = self.lists.get_mut(&tag) {
                    push(list, number);
                    self.listed += 1;
                }
            }
            [first, ..] if len == LONGEST => self.list(tag, first, &places[1..], number),
            _ => {
                if let Some(lot) = lot {
                    self.put(lot, tag, number);
                }
            }
        }
    }

    fn is_listed(&self, place: Place) -> bool {
        let lot = self.lots.get(place.lot as usize);
        lot.is_some_and(|lot| lot.numbers[place.lane as usize] == LISTED)
    }

    fn put(&mut self, lot: usize, tag: u32, number: u32) {
        self.lots.change(lot, |lot| {
            if let Some(lane) = lot.tags.iter().position(|other| *other == EMPTY) {
                (lot.tags[lane], lot.numbers[lane]) = (tag, number);
                self.len += 1;
            }
        });
    }

    /// Moves the entries of a tag, and a further number, to a list. The first entry then stands for the list.
    #[cold]
    fn list(&mut self, tag: u32, first: Place, others: &[Place], number: u32) {
        let mut list = Vec::with_capacity(LONGEST + LONGEST / 2);
        self.lots.change(first.lot as usize, |lot| {
            list.push(std::mem::replace(&mut lot.numbers[first.lane as usize], LISTED));
        });
        for place in others {
            self.lots.change(place.lot as usize, |lot| {
                list.push(lot.numbers[place.lane as usize]);
                lot.tags[place.lane as usize] = MOVED;
            });
        }
        list.push(number);
        self.listed += list.len();
        self.lists.insert(tag, list);
    }

    /// Removes the entries whose numbers are not alive.
    pub(in crate::index) fn purge(&mut self, is_alive: impl Fn(u32) -> bool) {
        let mut lists = std::mem::take(&mut self.lists);
        lists.retain(|_, list| {
            list.retain(|number| is_alive(*number));
            !list.is_empty()
        });
        self.lay_out(|tag, number| match number {
            LISTED => lists.contains_key(&tag),
            _ => is_alive(number),
        });
        self.listed = lists.values().map(Vec::len).sum();
        self.lists = lists;
    }

    /// Lays out the table again, four fifths full, with the entries to be kept. The order of the tags is that of the lots,
    /// so this reads and writes memory in order.
    #[cold]
    fn lay_out(&mut self, is_kept: impl Fn(u32, u32) -> bool) {
        let lots = std::mem::take(&mut self.lots);
        let each = |each: &mut dyn FnMut(&Lot, usize)| {
            for lot in lots.iter() {
                for lane in 0..LANES {
                    if lot.tags[lane] > MOVED && is_kept(lot.tags[lane], lot.numbers[lane]) {
                        each(&lot, lane);
                    }
                }
            }
        };
        self.len = 0;
        each(&mut |_, _| self.len += 1);
        self.lots = Lots::new(self.len * 5 / (4 * LANES) + 1);
        // An entry is laid out eight times while its table grows. To look for a place in the lots themselves takes three times as long.
        let mut taken = vec![0_u8; self.lots.len()];
        each(&mut |lot, lane| {
            let (tag, number) = (lot.tags[lane], lot.numbers[lane]);
            let mut at = self.home(tag);
            // There is room, unless the file was read otherwise the first time: it failed then, and nobody uses what is found from now on.
            for _ in 0..taken.len() {
                if usize::from(taken[at]) < LANES {
                    break;
                }
                at = self.after(at);
            }
            if usize::from(taken[at]) == LANES {
                return;
            }
            self.lots.change(at, |lot| {
                let lane = usize::from(taken[at]);
                (lot.tags[lane], lot.numbers[lane]) = (tag, number);
            });
            taken[at] += 1;
        });
        if let Some(file) = lots.file().cloned() {
            // What the old lots took is used again.
            drop(lots);
            // If the file cannot be written, they stay in memory, and the next check of the file fails.
            if let Err(error) = self.lots.spill(&file) {
                file.has_failed(error);
            }
        }
    }

    /// Moves the table to a file. Lists of more than [`LONGEST`] numbers stay in memory.
    pub(in crate::index) fn spill(&mut self, file: &Arc<Spill>) -> Result<(), DedupError> {
        self.lots.spill(file)
    }

    /// About the bytes of the table and the lists, which grow by an eighth.
    pub(in crate::index) fn resident_bytes(&self) -> usize {
        self.lots.resident_bytes() + self.listed * 5
    }

    /// Number of entries of the table and the lists.
    #[cfg(test)]
    pub(in crate::index) fn entries(&self) -> usize {
        self.len + self.lists.values().map(Vec::len).sum::<usize>()
    }

    /// Bytes of the table and the lists.
    #[cfg(test)]
    pub(in crate::index) fn bytes(&self) -> usize {
        // The map keeps 33 bytes for a list, and is at least seven sixteenths full.
        let lists = self.lists.values().map(|list| 4 * list.capacity() + 33 * 16 / 7);
        self.lots.resident_bytes() + lists.sum::<usize>()
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
