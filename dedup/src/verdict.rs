//! The verdict on one document: exact, then candidates, then confirmation.

use std::cmp::Ordering;

use serde::{Deserialize, Serialize};

use crate::duplicate_rule::DuplicateRule;
use crate::error::DedupError;
use crate::fingerprint::Fingerprint;
use crate::index::{Index, Neighbour};
use crate::signature::{DocId, Signature};

/// Whether a document says anything new.
///
/// A [`Collection`](crate::Collection) stores it: another order of the variants or fields is another format.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub enum Verdict {
    /// The document says something new.
    Unique,
    /// Its normalised text equals the text of a kept document.
    Exact {
        /// The kept document.
        of: DocId,
    },
    /// Its text is nearly the text of a kept document.
    Near {
        /// The kept document.
        of: DocId,
        /// Hamming distance of the fingerprints; `None` where a short text, which has no fingerprint, was compared by
        /// its shingles.
        distance: Option<u32>,
        /// The value that confirmed the verdict, 0 to 1: the estimated Jaccard index of the shingles, the exact one for
        /// short texts, or the sum of the [combined rule](crate::Confirm::Combined).
        similarity: f32,
    },
}

impl Verdict {
    /// The kept document that says the same; `None` for a unique document.
    #[must_use]
    pub fn of(&self) -> Option<DocId> {
        match *self {
            Self::Unique => None,
            Self::Exact { of } | Self::Near { of, .. } => Some(of),
        }
    }
}

/// The verdict by `rule` on a document, against the documents in `index` for which `counts` holds.
pub(crate) fn verdict(
    index: &impl Index,
    rule: &DuplicateRule,
    signature: &Signature,
    counts: impl Fn(DocId) -> bool + Copy,
) -> Result<Verdict, DedupError> {
    if let Some(digest) = signature.digest
        && let Some(of) = index.exact(digest)?.filter(|of| counts(*of))
    {
        return Ok(Verdict::Exact { of });
    }
    let mut best = None;
    if let Some(fingerprint) = signature.fingerprint {
        near(index, rule, signature, fingerprint, counts, &mut best)?;
    }
    if !signature.shingles.is_empty() {
        near_short(index, rule, signature, counts, &mut best)?;
    }
    Ok(best.map_or(Verdict::Unique, |found: Confirmed| Verdict::Near {
        of: found.id,
        distance: found.distance,
        similarity: found.similarity,
    }))
}

/// Compares the document with every candidate that the rule may confirm.
fn near(
    index: &impl Index,
    rule: &DuplicateRule,
    signature: &Signature,
    fingerprint: Fingerprint,
    counts: impl Fn(DocId) -> bool + Copy,
    best: &mut Option<Confirmed>,
) -> Result<(), DedupError> {
    let mut neighbours = Vec::new();
    index.candidates(signature, rule, &mut neighbours)?;
    for Neighbour { distance, id } in neighbours {
        if !counts(id) {
            continue;
        }
        // After a crash, an entry may name a document whose id now belongs to another document.
        let Some(other) = index.signature(id)?.filter(|other| {
            let fingerprint_now = other.fingerprint.map(|other| other.distance(fingerprint));
            fingerprint_now == Some(distance)
        }) else {
            continue;
        };
        if let Some(similarity) = rule.confirms(signature, &other, distance) {
            let distance = Some(distance);
            better(
                best,
                Confirmed {
                    id,
                    distance,
                    similarity,
                },
            );
        }
    }
    Ok(())
}

/// Compares two texts of which at least one has no fingerprint.
fn near_short(
    index: &impl Index,
    rule: &DuplicateRule,
    signature: &Signature,
    counts: impl Fn(DocId) -> bool + Copy,
    best: &mut Option<Confirmed>,
) -> Result<(), DedupError> {
    let mut candidates = Vec::new();
    index.short_candidates(signature, rule, &mut candidates)?;
    candidates.sort_unstable();
    candidates.dedup();
    candidates.retain(|id| counts(*id));
    for id in candidates {
        let Some(other) = index.signature(id)? else {
            continue;
        };
        if signature.fingerprint.is_some() && other.fingerprint.is_some() {
            continue;
        }
        if let Some(similarity) = rule.confirms_short(signature, &other) {
            let distance = None;
            better(
                best,
                Confirmed {
                    id,
                    distance,
                    similarity,
                },
            );
        }
    }
    Ok(())
}

/// A candidate that the rule confirms.
#[derive(Debug, Clone, Copy, PartialEq)]
struct Confirmed {
    id: DocId,
    distance: Option<u32>,
    similarity: f32,
}

/// Keeps the more similar candidate, then the nearer, then the older, so that every index gives the same verdict.
fn better(best: &mut Option<Confirmed>, found: Confirmed) {
    let order = |other: &Confirmed| {
        let by_similarity = found.similarity.total_cmp(&other.similarity);
        by_similarity
            .then(other.distance.cmp(&found.distance))
            .then(other.id.cmp(&found.id))
    };
    if best.as_ref().is_none_or(|other| order(other) == Ordering::Greater) {
        *best = Some(found);
    }
}
