//! A query: which buckets, then what lies in them.
//!
//! Memory answers in the time of a hundred comparisons, so what is to be read is asked for early: the buckets come in
//! batches, whose runs are asked for first, then their tags, and only then compared; the fingerprints of what passes are
//! asked for together, too. The entries of a lot are compared all at once (see [`crate::cpu`]) without a branch between
//! them, since one branch mispredicted costs as much as a lot of sixteen, and hides what comes after it from the processor.

use super::Near;
use super::group::{Bucket, LANES};
use super::masks::Masks;
use super::split::Split;
use super::table::Table;
use super::word::Word;
use crate::cpu::{Kernel, prefetch};
use crate::layout::radius;

/// Buckets whose memory is asked for before the first is compared.
const BATCH: usize = 32;
/// Lots of a bucket that are asked for; the processor foresees the ones after them.
const LOTS_AHEAD: usize = 4;

/// All that a query reads, and where it puts what it finds.
pub(super) struct Search<'a, W> {
    pub(super) tables: &'a [Table],
    pub(super) masks: &'a Masks<W>,
    pub(super) words: &'a [W],
    pub(super) ids: &'a [u64],
    pub(super) query: W,
    pub(super) distance: u32,
    /// What a look into a bucket costs, in entries.
    pub(super) probe: u64,
    pub(super) found: &'a mut Vec<Near>,
}

/// A bucket to be looked into.
#[derive(Clone, Copy)]
struct Look<'a> {
    table: &'a Table,
    bucket: u32,
    tag: u32,
    /// Bits by which a tag may differ.
    bound: u32,
}

/// Buckets to be looked into together.
struct Batch<'a> {
    looks: [Option<Look<'a>>; BATCH],
    len: usize,
}

/// Entries whose tag is near, to be compared whole.
struct Candidates {
    slots: [u32; 64],
    len: usize,
}

impl<W: Word> Kernel for Search<'_, W> {
    type Output = ();

    #[inline(always)]
    fn run(mut self) {
        let mut batch = Batch {
            looks: [None; BATCH],
            len: 0,
        };
        let mut candidates = Candidates { slots: [0; 64], len: 0 };
        // Tables of overfull buckets that the query came upon, to be searched within what is left of the distance.
        let mut splits: Vec<(&Split, u32)> = Vec::new();
        self.look_into(self.tables, self.distance, &mut batch, &mut splits, &mut candidates);
        while let Some((split, distance)) = splits.pop() {
            if split.search_pays(distance, self.probe) {
                self.look_into(&split.tables, distance, &mut batch, &mut splits, &mut candidates);
            } else {
                self.scan_all(&split.tables[0], distance, &mut candidates);
            }
        }
        self.settle(&mut candidates);
    }
}

impl<'a, W: Word> Search<'a, W> {
    /// The buckets of `tables` that a near pair must share, within `distance` of the bits that they are cut from.
    #[inline(always)]
    fn look_into(
        &mut self,
        tables: &'a [Table],
        distance: u32,
        batch: &mut Batch<'a>,
        splits: &mut Vec<(&'a Split, u32)>,
        candidates: &mut Candidates,
    ) {
        let masks = self.masks;
        for (number, table) in tables.iter().enumerate() {
            let Some(radius) = radius(tables.len(), distance, number) else {
                continue;
            };
            let turned = table.cut.turned(self.query);
            let (key, tag) = (table.cut.key(turned), table.cut.tag(turned));
            for &mask in masks.within(table.cut.bits, radius) {
                let bucket = table.cut.bucket(key ^ mask);
                table.prefetch(bucket);
                batch.looks[batch.len] = Some(Look {
                    table,
                    bucket,
                    tag,
                    // Mask and distance: a mask has no more bits than the radius, a radius none more than the distance.
                    bound: distance - mask.ones(),
                });
                batch.len += 1;
                if batch.len == BATCH {
                    self.drain(batch, splits, candidates);
                }
            }
        }
        self.drain(batch, splits, candidates);
    }

    #[inline(always)]
    fn drain(&mut self, batch: &mut Batch<'a>, splits: &mut Vec<(&'a Split, u32)>, candidates: &mut Candidates) {
        let mut buckets = [None; BATCH];
        let looks = batch.looks[..batch.len].iter().flatten();
        for (look, place) in looks.zip(&mut buckets) {
            match look.table.bucket(look.bucket) {
                Some(bucket) => {
                    bucket.tags.iter().take(LOTS_AHEAD).for_each(prefetch);
                    *place = Some((bucket, look.tag, look.bound));
                }
                None => splits.extend(look.table.split(look.bucket).map(|split| (split, look.bound))),
            }
        }
        batch.len = 0;
        for &(bucket, tag, bound) in buckets.iter().flatten() {
            self.scan(bucket, tag, bound, candidates);
        }
    }

    /// The entries of a bucket whose tags differ in at most `bound` bits.
    #[inline(always)]
    fn scan(&mut self, bucket: Bucket<'_>, tag: u32, bound: u32, candidates: &mut Candidates) {
        for (number, lot) in bucket.tags.iter().enumerate() {
            if !any_near(lot, tag, bound) {
                continue;
            }
            let slots = bucket.slots[number * LANES..].iter();
            for (&other, &slot) in lot.iter().zip(slots) {
                if (other ^ tag).count_ones() <= bound {
                    if candidates.len == candidates.slots.len() {
                        self.settle(candidates);
                    }
                    prefetch(&self.words[slot as usize]);
                    candidates.slots[candidates.len] = slot;
                    candidates.len += 1;
                }
            }
        }
    }

    /// Every bucket of a table.
    #[inline(always)]
    fn scan_all(&mut self, table: &'a Table, distance: u32, candidates: &mut Candidates) {
        let tag = table.cut.tag(table.cut.turned(self.query));
        for bucket in table.buckets().filter_map(|bucket| table.bucket(bucket)) {
            self.scan(bucket, tag, distance, candidates);
        }
    }

    /// Compares the candidates whole.
    #[inline(always)]
    fn settle(&mut self, candidates: &mut Candidates) {
        for &slot in &candidates.slots[..candidates.len] {
            let distance = (self.words[slot as usize] ^ self.query).ones();
            if distance <= self.distance {
                let id = self.ids[slot as usize];
                self.found.push(Near { id, distance });
            }
        }
        candidates.len = 0;
    }
}

/// Whether any tag of a lot is within `bound` bits of `tag`.
#[inline(always)]
fn any_near(lot: &[u32; LANES], tag: u32, bound: u32) -> bool {
    let mut any = false;
    for other in lot {
        any |= (other ^ tag).count_ones() <= bound;
    }
    any
}
