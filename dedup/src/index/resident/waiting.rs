//! Bands of documents that are not in the index of bands yet.
//!
//! To index the bands of a document takes several times as long as to insert it without them, and blocks answer while documents
//! are few. So the bands wait, in order, until the index has half of the documents at which bands answer. From then on
//! each insertion indexes a few of them, so that none waits when they are needed, and no insertion takes long.

use std::collections::BTreeMap;

use crate::index::bands::BandIndex;
use crate::sketch::Bands;

/// Bands that an insertion indexes. With three, those of the first half are indexed after another sixth of the documents.
const AT_A_TIME: usize = 3;

#[derive(Debug, Clone, Default)]
pub(super) struct WaitingBands(BTreeMap<u32, Bands>);

impl WaitingBands {
    /// Takes the bands of a document.
    pub(super) fn insert(&mut self, slot: u32, bands: &Bands) {
        self.0.insert(slot, bands.clone());
    }

    /// Removes the bands of a document. Returns whether they were waiting.
    pub(super) fn remove(&mut self, slot: u32) -> bool {
        self.0.remove(&slot).is_some()
    }

    /// Indexes the bands of a few documents.
    pub(super) fn index_some(&mut self, index: &mut BandIndex) {
        for _ in 0..AT_A_TIME {
            let Some((slot, bands)) = self.0.pop_first() else {
                return;
            };
            index.insert(slot, &bands);
        }
    }
}
