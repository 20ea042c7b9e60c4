//! A fingerprint index of any width.

use super::Neighbour;
use super::blocks::{Accept, FingerprintIndex, NearFingerprint};
use crate::error::DedupError;
use crate::fingerprint::{Fingerprint, Width};
use crate::layout::{Layout, LayoutError};
use crate::signature::DocId;

/// A [`FingerprintIndex`] of the layout's width.
#[derive(Debug, Clone)]
pub(super) enum Buckets {
    W32(FingerprintIndex<u32>),
    W64(FingerprintIndex<u64>),
    W128(FingerprintIndex<u128>),
}

/// Evaluates `then` with the index, whatever its width, and the bits of the fingerprint as a word of that width.
macro_rules! with_word {
    ($self:expr, $fingerprint:expr, |$index:ident, $word:ident| $then:expr) => {
        match $self {
            Buckets::W32($index) => {
                let $word = $fingerprint.bits() as u32;
                $then
            }
            Buckets::W64($index) => {
                let $word = $fingerprint.bits() as u64;
                $then
            }
            Buckets::W128($index) => {
                let $word = $fingerprint.bits();
                $then
            }
        }
    };
}

impl Buckets {
    pub(super) fn new(layout: Layout, mu: f64) -> Result<Self, LayoutError> {
        Ok(match layout.width() {
            Width::W32 => Self::W32(FingerprintIndex::with_skew(layout, mu)?),
            Width::W64 => Self::W64(FingerprintIndex::with_skew(layout, mu)?),
            Width::W128 => Self::W128(FingerprintIndex::with_skew(layout, mu)?),
        })
    }

    pub(super) fn layout(&self) -> Layout {
        match self {
            Self::W32(index) => index.layout(),
            Self::W64(index) => index.layout(),
            Self::W128(index) => index.layout(),
        }
    }

    /// μ: a bucket with more than (1 + μ) times the mean is split.
    pub(super) fn skew(&self) -> f64 {
        match self {
            Self::W32(index) => index.skew(),
            Self::W64(index) => index.skew(),
            Self::W128(index) => index.skew(),
        }
    }

    fn is_of_width(&self, fingerprint: Fingerprint) -> bool {
        fingerprint.width() == self.layout().width()
    }

    /// Brings into the cache what an insertion reads first.
    pub(super) fn prefetch(&self, fingerprint: Fingerprint) {
        if self.is_of_width(fingerprint) {
            with_word!(self, fingerprint, |index, word| index.prefetch(word));
        }
    }

    /// Adds a fingerprint. Returns its slot.
    pub(super) fn insert(&mut self, id: DocId, fingerprint: Fingerprint) -> Result<u32, DedupError> {
        if !self.is_of_width(fingerprint) {
            return Err(DedupError::OtherWidth {
                found: fingerprint.width().bits(),
                wanted: self.layout().width().bits(),
            });
        }
        with_word!(self, fingerprint, |index, word| index.insert_at(word, id.0))
    }

    /// Removes a fingerprint. Returns its slot, if it was there.
    pub(super) fn remove(&mut self, id: DocId, fingerprint: Fingerprint) -> Option<u32> {
        if !self.is_of_width(fingerprint) {
            return None;
        }
        with_word!(self, fingerprint, |index, word| index.remove_from(word, id.0))
    }

    /// The document in a slot.
    pub(super) fn id(&self, slot: u32) -> DocId {
        DocId(match self {
            Self::W32(index) => index.id(slot),
            Self::W64(index) => index.id(slot),
            Self::W128(index) => index.id(slot),
        })
    }

    /// Number of fingerprints.
    pub(super) fn len(&self) -> usize {
        match self {
            Self::W32(index) => index.len(),
            Self::W64(index) => index.len(),
            Self::W128(index) => index.len(),
        }
    }

    /// As [`FingerprintIndex::crowding`].
    pub(super) fn crowding(&self) -> f64 {
        match self {
            Self::W32(index) => index.crowding(),
            Self::W64(index) => index.crowding(),
            Self::W128(index) => index.crowding(),
        }
    }

    /// About the bytes in memory.
    pub(super) fn resident_bytes(&self) -> usize {
        match self {
            Self::W32(index) => index.resident_bytes(),
            Self::W64(index) => index.resident_bytes(),
            Self::W128(index) => index.resident_bytes(),
        }
    }

    /// Appends every document near a fingerprint whose slot `accept` accepts. A fingerprint of another width is near no
    /// other (see [`Fingerprint::distance`]).
    pub(super) fn near(&self, fingerprint: Fingerprint, accept: &impl Accept, found: &mut Vec<Neighbour>) {
        if self.is_of_width(fingerprint) {
            let mut near: Vec<NearFingerprint> = Vec::new();
            with_word!(self, fingerprint, |index, word| index
                .near_where(word, accept, &mut near));
            found.extend(near.into_iter().map(neighbour));
        }
    }

    /// As [`near`](Self::near), only among these slots, each given once.
    pub(super) fn near_among(
        &self,
        fingerprint: Fingerprint,
        slots: &[u32],
        accept: &impl Accept,
        found: &mut Vec<Neighbour>,
    ) {
        if self.is_of_width(fingerprint) {
            let mut near: Vec<NearFingerprint> = Vec::new();
            with_word!(self, fingerprint, |index, word| index
                .near_among(word, slots, accept, &mut near));
            found.extend(near.into_iter().map(neighbour));
        }
    }
}

fn neighbour(NearFingerprint { id, distance }: NearFingerprint) -> Neighbour {
    Neighbour {
        distance,
        id: DocId(id),
    }
}
