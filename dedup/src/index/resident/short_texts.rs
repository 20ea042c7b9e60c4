//! The short texts of an index, laid out for a scan.
//!
//! ```text
//! folds    0 │ 1 │ 2 │ …     32 bits each: rule out most texts  (vector instructions)
//! sizes    0 │ 1 │ 2 │ …     number of shingles
//! bitmaps  0  │ 1  │ …       256 bits each: rule out nearly all others
//! ids      0 │ 1 │ 2 │ …
//! ```
//!
//! Folds and bitmaps rule out no similar text (see [`Bitmap`]), so the scan finds all of them.
//!
//! The prefix filter of [`crate::short`] reads less, as long as few texts share a shingle. The texts of one template
//! share most of them; then the lists of its shingles name each text several times.

use std::sync::Arc;

use crate::cpu::{Kernel, dispatch};
use crate::error::DedupError;
use crate::index::sweep::{CHUNK, Flagged};
use crate::short::{Bitmap, Share};
use crate::signature::DocId;
use crate::spill::{Column, Spill};

/// A removed text: no query is near its size.
const REMOVED: u32 = u32::MAX;

#[derive(Debug, Clone, Default)]
pub(super) struct ShortTexts {
    folds: Vec<u32>,
    sizes: Vec<u32>,
    bits: Column<[u64; 4]>,
    ids: Vec<DocId>,
    /// Places of removed texts, to be used again first.
    free: Vec<usize>,
}

impl ShortTexts {
    pub(super) fn len(&self) -> usize {
        self.ids.len() - self.free.len()
    }

    pub(super) fn insert(&mut self, id: DocId, shingles: &[u64]) {
        let bitmap = Bitmap::new(shingles);
        let (fold, Bitmap { bits, size }) = (bitmap.fold(), bitmap);
        if let Some(at) = self.free.pop() {
            (self.folds[at], self.sizes[at], self.ids[at]) = (fold, size, id);
            self.bits.set(at, bits);
            return;
        }
        if self.ids.len() == self.ids.capacity() {
            // An eighth more, as everywhere in the index.
            let more = (self.ids.len() / 8).max(64);
            self.folds.reserve_exact(more);
            self.sizes.reserve_exact(more);
            self.ids.reserve_exact(more);
        }
        self.folds.push(fold);
        self.sizes.push(size);
        self.bits.push(bits);
        self.ids.push(id);
    }

    /// Bytes in memory that [`spill`](Self::spill) frees.
    pub(super) fn tail_bytes(&self) -> usize {
        self.bits.tail_bytes()
    }

    /// Bytes in memory.
    pub(super) fn resident_bytes(&self) -> usize {
        self.tail_bytes() + self.ids.capacity() * (size_of::<DocId>() + 2 * size_of::<u32>())
    }

    /// Moves the bitmaps to a file; the scan reads them where the folds let a text pass.
    pub(super) fn spill(&mut self, file: &Arc<Spill>) -> Result<(), DedupError> {
        self.bits.spill(file)
    }

    pub(super) fn remove(&mut self, id: DocId) {
        let is_it = |(other, size): (&DocId, &u32)| *other == id && *size != REMOVED;
        if let Some(at) = self.ids.iter().zip(&self.sizes).position(is_it) {
            self.sizes[at] = REMOVED;
            self.free.push(at);
        }
    }

    /// Appends to `found` every text whose Jaccard index with `shingles` may be at least `min_similarity`.
    pub(super) fn similar(&self, shingles: &[u64], min_similarity: f32, found: &mut Vec<DocId>) {
        let bitmap = Bitmap::new(shingles);
        dispatch(Query {
            texts: self,
            fold: bitmap.fold(),
            bitmap,
            share: Share::new(min_similarity),
            found,
        });
    }
}

/// The inputs of a query, and its output.
struct Query<'a> {
    texts: &'a ShortTexts,
    fold: u32,
    bitmap: Bitmap,
    share: Share,
    found: &'a mut Vec<DocId>,
}

impl Kernel for Query<'_> {
    type Output = ();

    #[inline(always)]
    fn run(mut self) {
        let ShortTexts { folds, sizes, .. } = self.texts;
        let (folds, rest_of_folds) = folds.as_chunks::<CHUNK>();
        let (sizes, rest_of_sizes) = sizes.as_chunks::<CHUNK>();
        for (number, (folds, sizes)) in folds.iter().zip(sizes).enumerate() {
            self.compare(number * CHUNK, folds, sizes);
        }
        if !rest_of_folds.is_empty() {
            let (mut last_folds, mut last_sizes) = ([0; CHUNK], [REMOVED; CHUNK]);
            last_folds[..rest_of_folds.len()].copy_from_slice(rest_of_folds);
            last_sizes[..rest_of_sizes.len()].copy_from_slice(rest_of_sizes);
            self.compare(folds.len() * CHUNK, &last_folds, &last_sizes);
        }
    }
}

impl Query<'_> {
    #[inline(always)]
    fn compare(&mut self, start: usize, folds: &[u32; CHUNK], sizes: &[u32; CHUNK]) {
        let mut near = [0; CHUNK];
        for ((near, fold), size) in near.iter_mut().zip(folds).zip(sizes) {
            let may_be = self
                .share
                .allows_bits([*size, self.bitmap.size], (fold ^ self.fold).count_ones());
            *near = u8::from((*size != REMOVED) & may_be);
        }
        let texts = self.texts;
        for at in Flagged::new(&near) {
            let at = start + at;
            let (bits, size) = (texts.bits.get(at), texts.sizes[at]);
            if self.share.allows(&Bitmap { bits, size }, &self.bitmap) {
                self.found.push(texts.ids[at]);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use proptest::prelude::*;

    use super::*;
    use crate::short::jaccard;

    /// A text of one of two templates, with words of its own and words left out.
    fn shingles() -> impl Strategy<Value = Vec<u64>> {
        let own = prop::collection::btree_set(0..10_000_u64, 0..20);
        let missing = prop::collection::btree_set(0..50_u64, 0..10);
        (0..2_u64, own, missing).prop_map(|(template, own, missing)| {
            let common = (0..50).filter(|number| !missing.contains(number));
            let all = common.map(|number| 20_000 + template * 25 + number).chain(own);
            let mut all: Vec<u64> = all.map(|number| crate::hash::rehash(number, 7)).collect();
            all.sort_unstable();
            all
        })
    }

    proptest! {
        #[test]
        fn a_scan_finds_every_similar_text_and_no_removed_one(
            texts in prop::collection::vec(shingles(), 1..600),
            queries in prop::collection::vec(shingles(), 1..4),
            removed in prop::collection::vec(any::<prop::sample::Index>(), 0..20),
            min_similarity in prop::sample::select(vec![0.1_f32, 0.5, 0.8, 1.0]),
        ) {
            let mut scanned = ShortTexts::default();
            let mut kept = BTreeMap::new();
            for (id, text) in texts.iter().enumerate() {
                scanned.insert(DocId(id as u64), text);
                kept.insert(DocId(id as u64), text);
                if let Some(which) = removed.get(id % 30).filter(|_| id % 3 == 0) {
                    let which = DocId(which.index(id + 1) as u64);
                    scanned.remove(which);
                    kept.remove(&which);
                }
            }
            prop_assert_eq!(scanned.len(), kept.len());
            for query in queries.iter().chain(&texts[..1]) {
                let mut found = Vec::new();
                scanned.similar(query, min_similarity, &mut found);
                for (id, text) in &kept {
                    let is_similar = jaccard(query, text) >= min_similarity;
                    prop_assert!(!is_similar || found.contains(id), "{id:?}");
                }
                prop_assert!(found.iter().all(|id| kept.contains_key(id)));
            }
        }
    }

    #[test]
    fn texts_of_one_template_are_ruled_out() {
        let text = |number: u64| {
            let common = 0..30;
            let own = 1_000 + number * 20..1_000 + number * 20 + 20;
            let mut all: Vec<u64> = common
                .chain(own)
                .map(|shingle| crate::hash::rehash(shingle, 7))
                .collect();
            all.sort_unstable();
            all
        };
        let mut texts = ShortTexts::default();
        (0..1_000).for_each(|number| texts.insert(DocId(number), &text(number)));
        let mut found = Vec::new();
        texts.similar(&text(5), 0.8, &mut found);
        assert_eq!(found, [DocId(5)]);
    }
}
