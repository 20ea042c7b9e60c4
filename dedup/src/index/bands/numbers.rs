//! The numbers of the documents of a band index. A slot is used again at once, but a number only when no table names it.

use crate::cpu::prefetch;

/// In place of a slot or a number: none.
const NONE: u32 = u32::MAX;
/// Removed documents that are never worth a purge.
const FEW: usize = 1_024;

#[derive(Debug, Clone, Default)]
pub(super) struct Numbers {
    /// By number.
    slots: Vec<u32>,
    /// By slot.
    numbers: Vec<u32>,
    /// Numbers that no table names.
    free: Vec<u32>,
    /// Numbers of documents removed before the purge began.
    purging: Vec<u32>,
    /// Numbers of the other removed documents.
    removed: Vec<u32>,
}

impl Numbers {
    /// Number of documents.
    pub(super) fn len(&self) -> usize {
        self.slots.len() - self.free.len() - self.purging.len() - self.removed.len()
    }

    pub(super) fn is_alive(&self, number: u32) -> bool {
        self.slots[number as usize] != NONE
    }

    /// The number of a new document.
    pub(super) fn insert(&mut self, slot: u32) -> u32 {
        let number = self.free.pop().unwrap_or(self.slots.len() as u32);
        set(&mut self.slots, number, slot);
        set(&mut self.numbers, slot, number);
        number
    }

    pub(super) fn remove(&mut self, slot: u32) {
        let Some(number) = self.numbers.get_mut(slot as usize).filter(|number| **number != NONE) else {
            return;
        };
        self.slots[*number as usize] = NONE;
        self.removed.push(*number);
        *number = NONE;
    }

    /// The slots of those documents that are alive.
    pub(super) fn slots(&self, mut numbers: Vec<u32>) -> Vec<u32> {
        numbers
            .iter()
            .for_each(|number| prefetch(&self.slots[*number as usize]));
        numbers
            .iter_mut()
            .for_each(|number| *number = self.slots[*number as usize]);
        numbers.retain(|slot| *slot != NONE);
        numbers
    }

    /// Whether a purge is due. The numbers removed by now may be used again when it ends.
    pub(super) fn begin_purge(&mut self) -> bool {
        let is_due = self.removed.len() > FEW + self.slots.len() / 8;
        if is_due {
            self.purging = std::mem::take(&mut self.removed);
        }
        is_due
    }

    /// Begins a purge even of few. Returns whether there is a removed document.
    pub(super) fn begin_purge_of_all(&mut self) -> bool {
        self.purging = std::mem::take(&mut self.removed);
        !self.purging.is_empty()
    }

    /// To be called when no table names a number removed before the purge began.
    pub(super) fn end_purge(&mut self) {
        self.free.append(&mut self.purging);
    }

    /// Bytes in memory.
    pub(super) fn bytes(&self) -> usize {
        let lists = [&self.slots, &self.numbers, &self.free, &self.purging, &self.removed];
        lists.map(Vec::capacity).iter().sum::<usize>() * size_of::<u32>()
    }
}

/// Sets an element, which may be beyond the end. Makes room for an eighth more.
fn set(all: &mut Vec<u32>, at: u32, value: u32) {
    let at = at as usize;
    if at >= all.len() {
        if at >= all.capacity() {
            all.reserve_exact(at + 1 - all.len() + at / 8);
        }
        all.resize(at + 1, NONE);
    }
    all[at] = value;
}
