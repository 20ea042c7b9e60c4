//! A fingerprint index of any width.

use super::Neighbour;
use super::blocks::{FingerprintIndex, NearFingerprint};
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

    pub(super) fn clear(&mut self) {
        match self {
            Self::W32(index) => index.clear(),
            Self::W64(index) => index.clear(),
            Self::W128(index) => index.clear(),
        }
    }

    fn is_of_width(&self, fingerprint: Fingerprint) -> bool {
        fingerprint.width() == self.layout().width()
    }

    pub(super) fn insert(&mut self, id: DocId, fingerprint: Fingerprint) -> Result<(), DedupError> {
        if !self.is_of_width(fingerprint) {
            return Err(DedupError::OtherWidth {
                found: fingerprint.width().bits(),
                wanted: self.layout().width().bits(),
            });
        }
        with_word!(self, fingerprint, |index, word| index.insert(word, id.0))
    }

    pub(super) fn contains(&self, id: DocId, fingerprint: Fingerprint) -> bool {
        self.is_of_width(fingerprint) && with_word!(self, fingerprint, |index, word| index.contains(word, id.0))
    }

    /// Removes a fingerprint. Returns whether it was there.
    pub(super) fn remove(&mut self, id: DocId, fingerprint: Fingerprint) -> bool {
        self.is_of_width(fingerprint) && with_word!(self, fingerprint, |index, word| index.remove(word, id.0))
    }

    /// A fingerprint of another width is near no other (see [`Fingerprint::distance`]).
    pub(super) fn near(&self, fingerprint: Fingerprint, found: &mut Vec<Neighbour>) {
        if !self.is_of_width(fingerprint) {
            return;
        }
        let mut near: Vec<NearFingerprint> = Vec::new();
        with_word!(self, fingerprint, |index, word| index.near(word, &mut near));
        found.extend(near.into_iter().map(|NearFingerprint { id, distance }| Neighbour {
            distance,
            id: DocId(id),
        }));
    }
}
