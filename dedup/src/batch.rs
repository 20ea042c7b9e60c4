//! Many documents at once, on all cores, with the verdicts that they would get one after the other.
//!
//! ```text
//! documents ─▶ foreseen   each against the index as it is, on all cores
//!           ─▶ decided    in their order, on one thread: a foreseen verdict stands, unless a document of the same batch that was
//!                         inserted meanwhile concerns this one; then it is checked again
//! ```
//!
//! A check takes most of the time of a large index, an insertion little, and few documents of a batch concern each other. So the time of a
//! batch falls nearly with the number of cores, down to that of the insertions.

use std::collections::HashSet;

use crate::cpu::{Kernel, dispatch};
use crate::duplicate_rule::DuplicateRule;
use crate::fingerprint::Fingerprint;
use crate::hash::{Mixing, rehash};
use crate::signature::Signature;

/// The documents of a batch that are in the index since the verdicts on the batch were foreseen.
#[derive(Debug)]
pub(crate) struct Inserted {
    max_distance: u32,
    /// Folded to 64 bits, which makes no distance larger.
    fingerprints: Vec<u64>,
    /// Hashes of digests, shingles and bands: see [`keys`].
    keys: HashSet<u64, Mixing>,
}

impl Inserted {
    pub(crate) fn by(rule: &DuplicateRule) -> Self {
        Self {
            max_distance: rule.max_distance,
            fingerprints: Vec::new(),
            keys: HashSet::default(),
        }
    }

    pub(crate) fn add(&mut self, signature: &Signature) {
        self.fingerprints.extend(signature.fingerprint.map(folded));
        self.keys.extend(keys(signature));
    }

    /// Whether one of the documents can have changed the verdict on `query`. An index finds a document by one of these four, and nothing
    /// else: so the answer does not depend on the tables that it searches.
    pub(crate) fn concerns(&self, query: &Signature) -> bool {
        let is_near = |fingerprint| {
            dispatch(AnyNear {
                words: &self.fingerprints,
                query: folded(fingerprint),
                max_distance: self.max_distance,
            })
        };
        keys(query).any(|key| self.keys.contains(&key)) || query.fingerprint.is_some_and(is_near)
    }
}

fn folded(fingerprint: Fingerprint) -> u64 {
    let bits = fingerprint.bits();
    bits as u64 ^ (bits >> 64) as u64
}

/// Whether one of the words is within a distance of the query.
struct AnyNear<'a> {
    words: &'a [u64],
    query: u64,
    max_distance: u32,
}

impl Kernel for AnyNear<'_> {
    type Output = bool;

    #[inline(always)]
    fn run(self) -> bool {
        // Without a branch, so that the compiler vectorises the loop.
        let mut any = false;
        for word in self.words {
            any |= (word ^ self.query).count_ones() <= self.max_distance;
        }
        any
    }
}

/// A number for each digest, shingle and band of a signature, so that equal ones have equal numbers. By chance, others have equal numbers, too:
/// then a document is checked again for nothing.
fn keys(signature: &Signature) -> impl Iterator<Item = u64> {
    let digest = signature.digest.iter().map(|digest| digest.0 as u64);
    let bands = signature.bands.iter().flat_map(|bands| bands.hashes());
    let bands = (0_u64..).zip(bands).map(|(number, hash)| rehash(*hash, number));
    digest.chain(signature.shingles.iter().copied()).chain(bands)
}
