//! Bands of documents that are not in the index of bands yet.
//!
//! To index the bands of a document takes several times as long as to insert it without them, and blocks answer while documents
//! are few. So the bands wait until the index has half of the documents at which bands answer. From then on each insertion
//! indexes a few of them, so that none waits when they are needed, and no insertion takes long.

use crate::index::bands::BandIndex;
use crate::sketch::Bands;

/// Bands that an insertion indexes. With three, those of the first half are indexed after another sixth of the documents.
const INDEXED_AT_A_TIME: usize = 3;

/// Slots at which an insertion looks for bands: a document may have none.
const SEEN_AT_A_TIME: usize = 16;

/// The bands at each slot, 136 bytes each.
#[derive(Debug, Clone, Default)]
pub(super) struct WaitingBands {
    of_slots: Vec<Option<Bands>>,
    /// Number of slots with bands.
    len: usize,
    /// No bands wait at a lower slot.
    next: usize,
}

impl WaitingBands {
    /// Number of documents.
    pub(super) fn len(&self) -> usize {
        self.len
    }

    /// Takes the bands of a document whose bands do not wait yet.
    pub(super) fn insert(&mut self, slot: u32, bands: &Bands) {
        let slot = slot as usize;
        self.len += 1;
        let len = self.of_slots.len();
        if slot >= len {
            if slot >= self.of_slots.capacity() {
                // Grow by an eighth: doubling would take as much memory again.
                self.of_slots.reserve_exact(slot + 1 - len + len / 8);
            }
            self.of_slots.resize(slot + 1, None);
        }
        self.of_slots[slot] = Some(bands.clone());
        self.next = self.next.min(slot);
    }

    /// Removes the bands of a document. Returns whether they were waiting.
    pub(super) fn remove(&mut self, slot: u32) -> bool {
        let waiting = self.of_slots.get_mut(slot as usize);
        let was_waiting = waiting.is_some_and(|waiting| waiting.take().is_some());
        self.len -= usize::from(was_waiting);
        was_waiting
    }

    /// Bytes in memory.
    pub(super) fn resident_bytes(&self) -> usize {
        self.of_slots.capacity() * size_of::<Option<Bands>>()
    }

    /// Indexes the bands of a few documents.
    pub(super) fn index_some(&mut self, index: &mut BandIndex) {
        let mut indexed = 0;
        for _ in 0..SEEN_AT_A_TIME {
            let Some(place) = self.of_slots.get_mut(self.next) else {
                *self = Self::default();
                return;
            };
            if let Some(bands) = place.take() {
                index.insert(self.next as u32, &bands);
                indexed += 1;
                self.len -= 1;
            }
            self.next += 1;
            if indexed == INDEXED_AT_A_TIME {
                return;
            }
        }
    }
}
