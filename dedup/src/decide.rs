//! How the verdict on one document is found: exact, then candidates, then confirmation.

use std::cmp::Ordering;

use crate::duplicate_rule::DuplicateRule;
use crate::error::DedupError;
use crate::index::LookUp;
use crate::signature::{DocId, Signature};
use crate::verdict::Verdict;

/// The verdict that follows from what an index found. `read` calls back with the signatures of documents with these ids.
pub(crate) fn decide(
    rule: &DuplicateRule,
    signature: &Signature,
    found: LookUp,
    counts: impl Fn(DocId) -> bool + Copy,
    read: impl FnOnce(&[DocId], &mut dyn FnMut(DocId, Signature)) -> Result<(), DedupError>,
) -> Result<Verdict, DedupError> {
    if let Some(of) = found.exact {
        return Ok(Verdict::Exact { of });
    }
    let (mut near, mut short) = (found.near, found.short);
    near.retain(|neighbour| counts(neighbour.id));
    near.sort_unstable_by_key(|neighbour| (neighbour.id, neighbour.distance));
    short.retain(|id| counts(*id));
    short.sort_unstable();
    let mut ids: Vec<DocId> = near
        .iter()
        .map(|neighbour| neighbour.id)
        .chain(short.iter().copied())
        .collect();
    ids.sort_unstable();
    ids.dedup();
    let mut best = None;
    if !ids.is_empty() {
        read(&ids, &mut |id, other| {
            let distance = signature.fingerprint.zip(other.fingerprint).map(|(a, b)| a.distance(b));
            let similarity = match distance {
                // After a crash, an entry may name a document whose id now belongs to another document.
                Some(distance) => near
                    .binary_search_by_key(&(id, distance), |neighbour| (neighbour.id, neighbour.distance))
                    .ok()
                    .and_then(|_| rule.confirms(signature, &other, distance)),
                None if short.binary_search(&id).is_ok() => rule.confirms_short(signature, &other),
                None => None,
            };
            if let Some(similarity) = similarity {
                let found = Confirmed {
                    id,
                    distance,
                    similarity,
                };
                better(&mut best, found);
            }
        })?;
    }
    Ok(best.map_or(Verdict::Unique, |found: Confirmed| Verdict::Near {
        of: found.id,
        distance: found.distance,
        similarity: found.similarity,
    }))
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
