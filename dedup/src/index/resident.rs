//! What a verdict compares, in memory: the fingerprint and sketch of every document, and a bitmap of every short text.
//!
//! ```text
//! fingerprint ─▶ buckets, or a sweep over all ─▶ near slots ─▶ sketches ─▶ documents that the rule may confirm
//! bands       ─▶ slots that share one ─▶ near slots of these ─▶ sketches ─▶ documents that the rule may confirm
//! shingles    ─▶ scan over the short texts    ─▶ documents that the rule may confirm
//! ```
//!
//! A document takes 128 bytes for its sketch beside 16 to 64 for its fingerprint; a short text takes 48 bytes.
//! Bands take 160 more, if the signatures have them; [`Candidates`] says when they are used.

mod short_texts;
mod sketches;
mod waiting;

use std::sync::Arc;

use self::short_texts::ShortTexts;
use self::sketches::{MOST_LOOK_ALIKES, Sketches};
use self::waiting::WaitingBands;
use super::bands::BandIndex;
use super::buckets::Buckets;
use super::candidates::{BlockCosts, Crowd};
use super::{Candidates, Neighbour, Plan};
use crate::duplicate_rule::DuplicateRule;
use crate::error::DedupError;
use crate::fingerprint::Fingerprint;
use crate::layout::{Layout, LayoutError};
use crate::signature::{DocId, Signature};
use crate::sketch::{Bands, Sketch};
use crate::spill::Spill;

#[derive(Debug, Clone)]
pub(super) struct Resident {
    buckets: Buckets,
    sketches: Sketches,
    candidates: Candidates,
    costs: BlockCosts,
    bands: BandIndex,
    /// Bands that are not in the index yet.
    waiting: WaitingBands,
    /// Number of fingerprints with a sketch.
    sketched: usize,
    /// Short texts that have no fingerprint.
    short: ShortTexts,
    /// Short texts that have a fingerprint: only texts without one are compared with them by their shingles.
    short_with_fingerprint: ShortTexts,
}

impl Resident {
    pub(super) fn new(layout: Layout, mu: f64) -> Result<Self, LayoutError> {
        Ok(Self {
            buckets: Buckets::new(layout, mu)?,
            sketches: Sketches::default(),
            candidates: Candidates::Blocks,
            costs: BlockCosts::of(layout),
            bands: BandIndex::default(),
            waiting: WaitingBands::default(),
            sketched: 0,
            short: ShortTexts::default(),
            short_with_fingerprint: ShortTexts::default(),
        })
    }

    pub(super) fn layout(&self) -> Layout {
        self.buckets.layout()
    }

    /// Number of documents, but for those without text.
    pub(super) fn len(&self) -> usize {
        self.buckets.len() + self.short.len()
    }

    /// Number of short texts.
    pub(super) fn short_texts(&self) -> usize {
        self.short.len() + self.short_with_fingerprint.len()
    }

    pub(super) fn clear(&mut self) -> Result<(), LayoutError> {
        let candidates = self.candidates;
        *self = Self::new(self.buckets.layout(), self.buckets.skew())?;
        self.take_from(candidates);
        Ok(())
    }

    /// Takes candidates from other tables from now on.
    pub(super) fn take_from(&mut self, candidates: Candidates) {
        self.candidates = candidates;
    }

    /// Gives the table of bands, which is empty yet, a seed.
    pub(super) fn seed(&mut self, seed: Option<u64>) {
        if let Some(seed) = seed {
            self.bands = BandIndex::with_seed(seed);
        }
    }

    /// Adds a document that is not there. Returns the slot of its fingerprint.
    pub(super) fn insert(&mut self, id: DocId, signature: &Signature) -> Result<Option<u32>, DedupError> {
        let mut slot = None;
        if let Some(fingerprint) = signature.fingerprint {
            let at = self.buckets.insert(id, fingerprint)?;
            self.sketches.set(at, signature);
            self.sketched += usize::from(signature.sketch.is_some());
            if let Some(bands) = signature.bands.as_ref().filter(|_| self.keeps_bands(signature)) {
                self.insert_bands(at, bands);
            }
            slot = Some(at);
        }
        if !signature.shingles.is_empty() {
            self.short_of(signature).insert(id, &signature.shingles);
        }
        Ok(slot)
    }

    /// As [`Index::prefetch_insertion`](super::Index::prefetch_insertion).
    pub(super) fn prefetch_insertion(&self, signature: &Signature) {
        if let Some(fingerprint) = signature.fingerprint {
            self.buckets.prefetch(fingerprint);
        }
        if let Some(bands) = signature.bands.as_ref().filter(|_| !self.bands.is_empty()) {
            self.bands.prefetch_insertion(bands);
        }
    }

    fn insert_bands(&mut self, slot: u32, bands: &Bands) {
        if self.candidates.indexes_bands(self.crowd()) {
            self.bands.insert(slot, bands);
            self.waiting.index_some(&mut self.bands);
            // Where crowded documents come behind others, bands may be needed before all are indexed so. None may wait then, so that the
            // table that answers follows from the documents, and not from their order.
            while self.waiting.len() > 0 && self.candidates.most_listed(self.crowd()).is_some() {
                self.waiting.index_some(&mut self.bands);
            }
        } else {
            self.waiting.insert(slot, bands);
        }
    }

    fn crowd(&self) -> Crowd {
        Crowd::of(&self.buckets, self.costs)
    }

    /// Whether the bands of this signature may be used.
    pub(super) fn keeps_bands(&self, signature: &Signature) -> bool {
        signature.sketch.is_some() && self.candidates.may_use_bands_at(self.costs)
    }

    /// Whether every document with a sketch has bands here, or none needs them.
    pub(super) fn has_all_bands(&self) -> bool {
        self.bands.len() + self.waiting.len() >= self.sketched
    }

    /// Whether bands may give the candidates of a check.
    pub(super) fn may_use_bands(&self) -> bool {
        self.candidates.may_use_bands_at(self.costs) && self.has_all_bands()
    }

    /// Takes candidates from blocks alone from now on, and frees the bands.
    pub(super) fn forget_bands(&mut self) {
        self.candidates = Candidates::Blocks;
        (self.bands, self.waiting) = (BandIndex::default(), WaitingBands::default());
    }

    pub(super) fn remove(&mut self, id: DocId, signature: &Signature) {
        let removed = signature
            .fingerprint
            .and_then(|fingerprint| self.buckets.remove(id, fingerprint));
        if let Some(slot) = removed {
            self.sketched = self.sketched.saturating_sub(usize::from(signature.sketch.is_some()));
            if !self.waiting.remove(slot) {
                self.bands.remove(slot);
            }
        }
        if !signature.shingles.is_empty() {
            self.short_of(signature).remove(id);
        }
    }

    /// Bytes in memory that [`spill`](Self::spill) frees.
    pub(super) fn tail_bytes(&self) -> usize {
        self.sketches.tail_bytes() + self.short.tail_bytes() + self.short_with_fingerprint.tail_bytes()
    }

    /// About the bytes in memory.
    pub(super) fn resident_bytes(&self) -> usize {
        self.buckets.resident_bytes()
            + self.sketches.resident_bytes()
            + self.bands.resident_bytes()
            + self.waiting.resident_bytes()
            + self.short.resident_bytes()
            + self.short_with_fingerprint.resident_bytes()
    }

    /// Moves to a file what a check reads only of its candidates.
    pub(super) fn spill(&mut self, file: &Arc<Spill>) -> Result<(), DedupError> {
        self.sketches.spill(file)?;
        self.short.spill(file)?;
        self.short_with_fingerprint.spill(file)
    }

    /// Moves to a file a part of the bands. Returns whether there was one to move.
    pub(super) fn spill_a_part(&mut self, file: &Arc<Spill>) -> Result<bool, DedupError> {
        self.bands.spill_a_part(file)
    }

    fn short_of(&mut self, signature: &Signature) -> &mut ShortTexts {
        match signature.fingerprint {
            None => &mut self.short,
            Some(_) => &mut self.short_with_fingerprint,
        }
    }

    /// The sketch at the slot of a fingerprint; of zeros if the document has none.
    pub(super) fn sketch(&self, slot: u32) -> Sketch {
        self.sketches.sketch(slot)
    }

    /// As [`Index::plan`](super::Index::plan).
    pub(super) fn plan(&self) -> Plan {
        // A document without a sketch is confirmed by no rule that allows bands. Some bands may still wait.
        let have_bands = self.bands.len() >= self.sketched;
        let most_listed = self.candidates.most_listed(self.crowd());
        Plan(most_listed.filter(|_| have_bands))
    }

    /// Appends every document with a near fingerprint, as [`Index::near`](super::Index::near).
    pub(super) fn near(&self, fingerprint: Fingerprint, found: &mut Vec<Neighbour>) {
        self.buckets.near(fingerprint, &(), found);
    }

    /// Appends the documents that `rule` may confirm, as [`Index::candidates`](super::Index::candidates).
    pub(super) fn candidates(&self, query: &Signature, rule: &DuplicateRule, found: &mut Vec<Neighbour>) {
        if let (Some(fingerprint), Some(bounds)) = (query.fingerprint, rule.bounds(query)) {
            let filter = self.sketches.filter(query, &bounds);
            match self.by_bands(query, rule) {
                Some(slots) => self.buckets.near_among(fingerprint, &slots, &filter, found),
                None => self.buckets.near(fingerprint, &filter, found),
            }
            let aside = filter.into_look_alikes().into_iter();
            let mut look_alikes: Vec<Neighbour> = aside
                .map(|(distance, slot)| Neighbour {
                    distance,
                    id: self.buckets.id(slot),
                })
                .collect();
            look_alikes.sort_unstable();
            found.extend(look_alikes.into_iter().take(MOST_LOOK_ALIKES));
        }
    }

    /// Frees what removed documents have left in the tables.
    pub(super) fn purge(&mut self) {
        self.bands.purge();
    }

    /// The slots that share a band with the query; `None` if blocks must answer, or answer sooner.
    fn by_bands(&self, query: &Signature, rule: &DuplicateRule) -> Option<Vec<u32>> {
        let bands = query.bands.as_ref()?;
        let Plan(most_listed) = self.plan();
        self.bands
            .candidates(bands, most_listed.filter(|_| rule.allows_bands())?)
    }

    /// Appends the documents that `rule` may confirm, as
    /// [`Index::short_candidates`](super::Index::short_candidates), by a scan.
    pub(super) fn short_candidates(&self, query: &Signature, rule: &DuplicateRule, found: &mut Vec<DocId>) {
        let similarity = rule.min_similarity_short;
        self.short.similar(&query.shingles, similarity, found);
        if query.fingerprint.is_none() {
            self.short_with_fingerprint.similar(&query.shingles, similarity, found);
        }
    }
}
