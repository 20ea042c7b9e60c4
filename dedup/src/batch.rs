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

use crate::duplicate_rule::DuplicateRule;
use crate::fingerprint::Fingerprint;
use crate::hash::rehash;
use crate::signature::{Digest, Signature};

/// The documents of a batch that are in the index since the verdicts on the batch were foreseen.
#[derive(Debug)]
pub(crate) struct Inserted {
    max_distance: u32,
    digests: HashSet<Digest>,
    fingerprints: Vec<Fingerprint>,
    shingles: HashSet<u64>,
    /// Hashes of the bands with their numbers.
    bands: HashSet<u64>,
}

impl Inserted {
    pub(crate) fn by(rule: &DuplicateRule) -> Self {
        Self {
            max_distance: rule.max_distance,
            digests: HashSet::new(),
            fingerprints: Vec::new(),
            shingles: HashSet::new(),
            bands: HashSet::new(),
        }
    }

    pub(crate) fn add(&mut self, signature: &Signature) {
        self.digests.extend(signature.digest);
        self.fingerprints.extend(signature.fingerprint);
        self.shingles.extend(&signature.shingles);
        self.bands.extend(bands(signature));
    }

    /// Whether one of the documents can have changed the verdict on `query`. An index finds a document by one of these four, and nothing
    /// else: so the answer does not depend on the tables that it searches.
    pub(crate) fn concerns(&self, query: &Signature) -> bool {
        let is_near = |fingerprint: &Fingerprint| {
            let others = &mut self.fingerprints.iter();
            others.any(|other| other.distance(*fingerprint) <= self.max_distance)
        };
        query.digest.is_some_and(|digest| self.digests.contains(&digest))
            || query.shingles.iter().any(|shingle| self.shingles.contains(shingle))
            || bands(query).any(|band| self.bands.contains(&band))
            || query.fingerprint.as_ref().is_some_and(is_near)
    }
}

/// The bands of a signature, those of different numbers told apart.
fn bands(signature: &Signature) -> impl Iterator<Item = u64> {
    let bands = signature.bands.iter().flat_map(|bands| bands.hashes());
    (0_u64..).zip(bands).map(|(number, hash)| rehash(*hash, number))
}
