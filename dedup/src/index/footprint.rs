//! Bytes that a fingerprint takes in the index, reckoned from how the buckets are laid out.

use super::blocks::MAX_BUCKET_BITS;
use super::sled::DEFAULT_ROW_BYTES;
use crate::layout::Layout;

/// In memory: the word and its id once; a table, an entry of 8 bytes with a sixteenth of room, the head of a bucket, room
/// for two entries more in it, and what the allocator leaves unused. Measured with four blocks of 64 bits: 60 bytes at
/// 10^6, 57 at 10^7, 51 at 10^8.
pub(crate) fn in_memory(layout: Layout, documents: f64) -> f64 {
    let (word, id, entry, head) = (f64::from(layout.width().bits()) / 8.0, 8.0, 8.0, 8.75);
    let searched = layout.blocks().filter(|block| block.radius.is_some());
    let table = |bits: u32| {
        let buckets = f64::from(bits.min(MAX_BUCKET_BITS)).exp2();
        1.08 * (entry * 17.0 / 16.0 + 2.0 * entry * buckets / documents) + head * buckets / documents
    };
    (word + id) * 17.0 / 16.0 + searched.map(|block| table(block.bits)).sum::<f64>()
}

/// In the rows of the sled trees: once a block the word, as many bytes of the id as numbering the documents takes, and a
/// share of a row's key.
pub(crate) fn in_rows(layout: Layout, documents: f64) -> f64 {
    let id = (documents.log2() / 8.0).ceil().clamp(1.0, 8.0);
    let entry = f64::from(layout.width().bits()) / 8.0 + id;
    let row = DEFAULT_ROW_BYTES as f64 * 0.75;
    layout.blocks().len() as f64 * (entry + ROW_KEY_BYTES * entry / row)
}

/// Bytes of a row's key, with the one that says how long its ids are.
const ROW_KEY_BYTES: f64 = 17.0;
