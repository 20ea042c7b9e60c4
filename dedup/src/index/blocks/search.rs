//! A query: finds its buckets, then scans them.
//!
//! A read from memory takes as long as a hundred comparisons, so the search prefetches. It handles buckets in batches:
//! it prefetches their runs, then their tags, and compares last. It also prefetches the fingerprints of the tags that
//! pass. The entries of a lot are compared together by vector instructions (see [`crate::cpu`]), without a branch
//! between them: a mispredicted branch costs as much as a lot of sixteen and keeps the processor from starting the next
//! reads.

use super::NearFingerprint;
use super::group::{Bucket, LANES};
use super::masks::Masks;
use super::table::{Split, Table};
use super::word::Word;
use crate::cpu::{Kernel, prefetch};
use crate::layout::radius;

/// Buckets that are prefetched before the first is compared.
const BATCH: usize = 32;
/// Lots of a bucket that are prefetched; the processor itself prefetches the following ones.
const LOTS_AHEAD: usize = 4;

/// Says which near entries a query is for.
pub(in crate::index) trait Accept {
    /// Whether the near entry of this slot, at this Hamming distance, belongs to the answer. Must be `#[inline(always)]`.
    fn accepts(&self, slot: usize, distance: u32) -> bool;
}

/// Every near entry.
impl Accept for () {
    #[inline(always)]
    fn accepts(&self, _slot: usize, _distance: u32) -> bool {
        true
    }
}

/// The inputs of a query, and its output.
pub(super) struct Search<'a, W, A> {
    pub(super) tables: &'a [Table],
    /// For each of these tables, the bits in which key and tag may differ together.
    pub(super) most_in_chain: &'a [u32],
    pub(super) masks: &'a Masks<W>,
    pub(super) words: &'a [W],
    pub(super) ids: &'a [u64],
    pub(super) query: W,
    pub(super) distance: u32,
    /// The cost of a probe, in entries.
    pub(super) probe: u64,
    pub(super) accept: &'a A,
    /// The search gives up after so many comparisons of fingerprints.
    pub(super) most_compared: usize,
    pub(super) compared: usize,
    pub(super) found: &'a mut Vec<NearFingerprint>,
}

/// A bucket to probe.
#[derive(Clone, Copy)]
struct Probe<'a> {
    table: &'a Table,
    bucket: u32,
    tag: u32,
    /// Number of bits in which a tag may differ.
    most_in_tag: u32,
    /// Number of bits in which all bits outside the key may differ.
    most_outside: u32,
}

/// Buckets that are probed together.
struct Batch<'a> {
    probes: [Option<Probe<'a>>; BATCH],
    len: usize,
}

/// Entries whose tags are near; their fingerprints are compared next.
struct Candidates {
    slots: [u32; 64],
    len: usize,
}

/// Returns whether the search is complete.
impl<W: Word, A: Accept> Kernel for Search<'_, W, A> {
    type Output = bool;

    #[inline(always)]
    fn run(mut self) -> bool {
        let mut batch = Batch {
            probes: [None; BATCH],
            len: 0,
        };
        let mut candidates = Candidates { slots: [0; 64], len: 0 };
        // Overfull buckets that the query has met, each with the distance that is left for its search.
        let mut splits: Vec<(&Split, u32)> = Vec::new();
        let chains = Some(self.most_in_chain);
        self.probe_tables(
            self.tables,
            chains,
            self.distance,
            &mut batch,
            &mut splits,
            &mut candidates,
        );
        while let Some((split, distance)) = splits.pop() {
            if self.gives_up() {
                return false;
            }
            if split.search_pays(distance, self.probe) {
                self.probe_tables(&split.tables, None, distance, &mut batch, &mut splits, &mut candidates);
            } else {
                self.scan_all(&split.tables[0], distance, &mut candidates);
            }
        }
        self.settle(&mut candidates);
        !self.gives_up()
    }
}

impl<'a, W: Word, A: Accept> Search<'a, W, A> {
    #[inline(always)]
    fn gives_up(&self) -> bool {
        self.compared > self.most_compared
    }

    /// Probes every bucket of `tables` that may hold an entry within `distance`, counted over the bits that the tables
    /// cut. The blocks of a split are in no ring, so there are no chains for its tables.
    #[inline(always)]
    fn probe_tables(
        &mut self,
        tables: &'a [Table],
        chains: Option<&[u32]>,
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
            let most_in_chain = chains.map_or(distance, |chains| chains[number]);
            let rotated = table.cut.rotated(self.query);
            let (key, tag) = (table.cut.key(rotated), table.cut.tag(rotated));
            for &mask in masks.within(table.cut.bits, radius) {
                let bucket = table.cut.bucket(key ^ mask);
                table.prefetch(bucket);
                batch.probes[batch.len] = Some(Probe {
                    table,
                    bucket,
                    tag,
                    // Never negative: a mask has at most `radius` ones, no more than may differ in a chain or at all.
                    most_in_tag: most_in_chain - mask.ones(),
                    most_outside: distance - mask.ones(),
                });
                batch.len += 1;
                if batch.len == BATCH {
                    self.drain(batch, splits, candidates);
                }
            }
        }
        self.drain(batch, splits, candidates);
    }

    /// Scans the buckets of a batch; adds the split ones among them to `splits`.
    #[inline(always)]
    fn drain(&mut self, batch: &mut Batch<'a>, splits: &mut Vec<(&'a Split, u32)>, candidates: &mut Candidates) {
        let mut buckets = [None; BATCH];
        if self.gives_up() {
            batch.len = 0;
            return;
        }
        let probes = batch.probes[..batch.len].iter().flatten();
        for (probe, place) in probes.zip(&mut buckets) {
            match probe.table.bucket(probe.bucket) {
                Some(bucket) => {
                    bucket.tags.iter().take(LOTS_AHEAD).for_each(prefetch);
                    *place = Some((bucket, probe.tag, probe.most_in_tag));
                }
                None => {
                    let split = probe.table.split(probe.bucket);
                    splits.extend(split.map(|split| (split, probe.most_outside)));
                }
            }
        }
        batch.len = 0;
        for &(bucket, tag, most) in buckets.iter().flatten() {
            self.scan(bucket, tag, most, candidates);
        }
    }

    /// Scans a bucket for entries whose tags differ in at most `most` bits.
    #[inline(always)]
    fn scan(&mut self, bucket: Bucket<'_>, tag: u32, most: u32, candidates: &mut Candidates) {
        for (number, lot) in bucket.tags.iter().enumerate() {
            if !any_near(lot, tag, most) {
                continue;
            }
            let slots = bucket.slots[number * LANES..].iter();
            for (&other, &slot) in lot.iter().zip(slots) {
                if (other ^ tag).count_ones() <= most {
                    if candidates.len == candidates.slots.len() {
                        self.settle(candidates);
                        if self.gives_up() {
                            return;
                        }
                    }
                    prefetch(&self.words[slot as usize]);
                    candidates.slots[candidates.len] = slot;
                    candidates.len += 1;
                }
            }
        }
    }

    /// Scans every bucket of a table.
    #[inline(always)]
    fn scan_all(&mut self, table: &'a Table, distance: u32, candidates: &mut Candidates) {
        let tag = table.cut.tag(table.cut.rotated(self.query));
        for bucket in table.buckets().filter_map(|bucket| table.bucket(bucket)) {
            self.scan(bucket, tag, distance, candidates);
        }
    }

    /// Compares the fingerprints of the candidates.
    #[inline(always)]
    fn settle(&mut self, candidates: &mut Candidates) {
        for &slot in &candidates.slots[..candidates.len] {
            let distance = (self.words[slot as usize] ^ self.query).ones();
            if distance <= self.distance && self.accept.accepts(slot as usize, distance) {
                let id = self.ids[slot as usize];
                self.found.push(NearFingerprint { id, distance });
            }
        }
        self.compared += candidates.len;
        candidates.len = 0;
    }
}

/// Whether any tag of a lot is within `most` bits of `tag`.
#[inline(always)]
fn any_near(lot: &[u32; LANES], tag: u32, most: u32) -> bool {
    let mut any = false;
    for other in lot {
        any |= (other ^ tag).count_ones() <= most;
    }
    any
}
