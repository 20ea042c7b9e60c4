//! Exact, then candidates, then verification: the verdict.

use std::cmp::Ordering;

use crate::error::DedupError;
use crate::fingerprint::Fingerprint;
use crate::index::{Index, Neighbour};
use crate::short::{jaccard, prefix};
use crate::signature::{DocId, Signature};
use crate::sketch::Sketch;

/// When two documents are duplicates.
#[derive(Debug, Clone, PartialEq)]
pub struct Rule {
    /// Largest Hamming distance of near-duplicates' fingerprints, bits, as far as a [`Layout`](crate::Layout) guarantees it.
    /// It decides how many candidates are looked at: wide is thorough.
    pub max_distance: u32,
    /// Smallest similarity, estimated by the sketches, that confirms a candidate: above 0, at most 1.
    pub min_similarity: f32,
    /// The same for short texts, whose similarity is computed exactly.
    pub min_similarity_short: f32,
    /// Documents whose numbers differ are no near-duplicates.
    pub numbers_must_match: bool,
}

impl Default for Rule {
    fn default() -> Self {
        Self {
            max_distance: 10,
            min_similarity: 0.76,
            min_similarity_short: 0.8,
            numbers_must_match: false,
        }
    }
}

/// Whether a document says anything new.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Verdict {
    /// It does.
    Unique,
    /// Its normalised text is that of another.
    Exact {
        /// The kept document.
        of: DocId,
    },
    /// Its text is nearly that of another.
    Near {
        /// The kept document.
        of: DocId,
        /// Hamming distance of the fingerprints; `None` for short texts, which have none.
        distance: Option<u32>,
        /// Jaccard index of the shingles, 0 to 1: estimated, of short texts exact.
        similarity: f32,
    },
}

/// Decides, against an index of the documents that were found to be unique.
///
/// Only unique documents enter the index: a duplicate is never the reason for another verdict, so of a chain A ~ B ~ C
/// no member is dropped for a resemblance to a page that was dropped itself.
#[derive(Debug, Clone)]
pub struct Deduplicator<I> {
    index: I,
    rule: Rule,
}

impl<I: Index> Deduplicator<I> {
    /// A deduplicator by `rule`; `index` must have been made for the same rule or a wider one.
    ///
    /// # Errors
    /// [`DedupError::NarrowIndex`]: the index does not find all that `rule` may accept.
    pub fn new(index: I, rule: Rule) -> Result<Self, DedupError> {
        if !index.finds_all_of(&rule) {
            return Err(DedupError::NarrowIndex);
        }
        Ok(Self { index, rule })
    }

    /// The verdict on a document, which stays unknown to the index.
    ///
    /// # Errors
    /// The index cannot be read.
    pub fn check(&self, signature: &Signature) -> Result<Verdict, DedupError> {
        if let Some(digest) = signature.digest
            && let Some(of) = self.index.exact(digest)?
        {
            return Ok(Verdict::Exact { of });
        }
        let best = match (signature.fingerprint, &signature.sketch) {
            (Some(fingerprint), Some(sketch)) => self.best_long(signature, fingerprint, sketch)?,
            _ => self.best_short(signature)?,
        };
        Ok(best.map_or(
            Verdict::Unique,
            |Match {
                 id,
                 distance,
                 similarity,
             }| Verdict::Near {
                of: id,
                distance,
                similarity,
            },
        ))
    }

    /// The verdict on a document; a unique one enters the index as `id`, in the same step.
    ///
    /// # Errors
    /// The index cannot be read or written.
    pub fn check_and_insert(&mut self, id: DocId, signature: &Signature) -> Result<Verdict, DedupError> {
        let verdict = self.check(signature)?;
        if verdict == Verdict::Unique {
            self.index.insert(id, signature)?;
        }
        Ok(verdict)
    }

    /// Adds a document known to be unique, as when an index is made anew.
    ///
    /// # Errors
    /// The index cannot be written.
    pub fn insert(&mut self, id: DocId, signature: &Signature) -> Result<(), DedupError> {
        self.index.insert(id, signature)
    }

    /// Takes a document out; whether it was there.
    ///
    /// # Errors
    /// The index cannot be written.
    pub fn remove(&mut self, id: DocId) -> Result<bool, DedupError> {
        self.index.remove(id)
    }

    /// The index.
    pub fn index(&self) -> &I {
        &self.index
    }

    /// The index, to be persisted.
    pub fn index_mut(&mut self) -> &mut I {
        &mut self.index
    }

    fn best_long(
        &self,
        signature: &Signature,
        fingerprint: Fingerprint,
        sketch: &Sketch,
    ) -> Result<Option<Match>, DedupError> {
        let mut neighbours = Vec::new();
        self.index.near(fingerprint, &mut neighbours)?;
        let mut best = None;
        neighbours.retain(|neighbour| neighbour.distance <= self.rule.max_distance);
        for Neighbour { distance, id } in neighbours {
            let Some(other) = self.index.signature(id)? else {
                continue;
            };
            let similarity = other.sketch.map_or(0.0, |other| sketch.similarity(&other));
            if similarity >= self.rule.min_similarity && self.numbers_allow(signature, &other) {
                better(
                    &mut best,
                    Match {
                        id,
                        distance: Some(distance),
                        similarity,
                    },
                );
            }
        }
        Ok(best)
    }

    fn best_short(&self, signature: &Signature) -> Result<Option<Match>, DedupError> {
        let mut candidates = Vec::new();
        for shingle in prefix(&signature.shingles, self.rule.min_similarity_short) {
            self.index.with_shingle(*shingle, &mut candidates)?;
        }
        candidates.sort_unstable();
        candidates.dedup();
        let mut best = None;
        for id in candidates {
            let Some(other) = self.index.signature(id)? else {
                continue;
            };
            let similarity = jaccard(&signature.shingles, &other.shingles);
            if similarity >= self.rule.min_similarity_short && self.numbers_allow(signature, &other) {
                better(
                    &mut best,
                    Match {
                        id,
                        distance: None,
                        similarity,
                    },
                );
            }
        }
        Ok(best)
    }

    fn numbers_allow(&self, a: &Signature, b: &Signature) -> bool {
        !self.rule.numbers_must_match || a.numbers == b.numbers
    }
}

/// A confirmed candidate.
#[derive(Debug, Clone, Copy, PartialEq)]
struct Match {
    id: DocId,
    distance: Option<u32>,
    similarity: f32,
}

/// Keeps the more similar, then the nearer, then the older, so that every index gives the same verdict.
fn better(best: &mut Option<Match>, found: Match) {
    let order = |other: &Match| {
        let by_similarity = found.similarity.total_cmp(&other.similarity);
        by_similarity
            .then(other.distance.cmp(&found.distance))
            .then(other.id.cmp(&found.id))
    };
    if best.as_ref().is_none_or(|other| order(other) == Ordering::Greater) {
        *best = Some(found);
    }
}
