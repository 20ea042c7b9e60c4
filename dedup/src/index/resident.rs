//! What a verdict compares, in memory: the fingerprint and sketch of every document, and a bitmap of every short text.
//!
//! ```text
//! fingerprint ─▶ buckets, or a sweep over all ─▶ near slots ─▶ sketches ─▶ documents that the rule may confirm
//! shingles    ─▶ scan over the short texts    ─▶ documents that the rule may confirm
//! ```
//!
//! A document takes 128 bytes for its sketch beside 16 to 64 for its fingerprint; a short text takes 48 bytes.

mod short_texts;
mod sketches;

use self::short_texts::ShortTexts;
use self::sketches::{MOST_LOOK_ALIKES, Sketches};
use super::Neighbour;
use super::buckets::Buckets;
use crate::duplicate_rule::DuplicateRule;
use crate::error::DedupError;
use crate::fingerprint::Fingerprint;
use crate::layout::{Layout, LayoutError};
use crate::signature::{DocId, Signature};
use crate::sketch::Sketch;

#[derive(Debug, Clone)]
pub(super) struct Resident {
    buckets: Buckets,
    sketches: Sketches,
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
            short: ShortTexts::default(),
            short_with_fingerprint: ShortTexts::default(),
        })
    }

    pub(super) fn layout(&self) -> Layout {
        self.buckets.layout()
    }

    /// Number of short texts.
    pub(super) fn short_texts(&self) -> usize {
        self.short.len() + self.short_with_fingerprint.len()
    }

    pub(super) fn clear(&mut self) -> Result<(), LayoutError> {
        *self = Self::new(self.buckets.layout(), self.buckets.skew())?;
        Ok(())
    }

    /// Adds a document that is not there. Returns the slot of its fingerprint.
    pub(super) fn insert(&mut self, id: DocId, signature: &Signature) -> Result<Option<u32>, DedupError> {
        let mut slot = None;
        if let Some(fingerprint) = signature.fingerprint {
            let at = self.buckets.insert(id, fingerprint)?;
            self.sketches.set(at, signature);
            slot = Some(at);
        }
        if !signature.shingles.is_empty() {
            self.short_of(signature).insert(id, &signature.shingles);
        }
        Ok(slot)
    }

    pub(super) fn remove(&mut self, id: DocId, signature: &Signature) {
        if let Some(fingerprint) = signature.fingerprint {
            self.buckets.remove(id, fingerprint);
        }
        if !signature.shingles.is_empty() {
            self.short_of(signature).remove(id);
        }
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

    /// Appends every document with a near fingerprint, as [`Index::near`](super::Index::near).
    pub(super) fn near(&self, fingerprint: Fingerprint, found: &mut Vec<Neighbour>) {
        self.buckets.near(fingerprint, &(), found);
    }

    /// Appends the documents that `rule` may confirm, as [`Index::candidates`](super::Index::candidates).
    pub(super) fn candidates(&self, query: &Signature, rule: &DuplicateRule, found: &mut Vec<Neighbour>) {
        if let (Some(fingerprint), Some(bounds)) = (query.fingerprint, rule.bounds(query)) {
            let filter = self.sketches.filter(query, &bounds);
            self.buckets.near(fingerprint, &filter, found);
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
