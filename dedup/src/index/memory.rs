//! The index in memory.

use std::collections::{BTreeSet, HashMap};

use super::blocks::DEFAULT_SKEW;
use super::resident::Resident;
use super::{Candidates, Index, Neighbour, scan_of_short_texts_pays};
use crate::duplicate_rule::DuplicateRule;
use crate::error::DedupError;
use crate::fingerprint::{Fingerprint, Width};
use crate::layout::Layout;
use crate::short::prefix;
use crate::signature::{Digest, DocId, Signature};
use crate::sketch::Sketch;
use crate::subject::Subject;

/// An [`Index`] that lives as long as the process.
#[derive(Debug, Clone)]
pub struct MemoryIndex {
    resident: Resident,
    /// The first document with a digest, by id.
    digests: HashMap<Digest, DocId>,
    /// Further documents with a digest; empty unless the caller inserts documents without a check.
    same_digests: HashMap<Digest, BTreeSet<DocId>>,
    shingles: HashMap<u64, Vec<DocId>>,
    signatures: HashMap<DocId, Box<Kept>>,
    min_similarity_short: f32,
}

impl MemoryIndex {
    /// An empty index of 64-bit fingerprints that finds every document that `rule` may accept.
    ///
    /// # Errors
    /// No layout guarantees the rule's distance.
    pub fn new(rule: &DuplicateRule) -> Result<Self, DedupError> {
        Self::of_width(Width::W64, rule)
    }

    /// As [`MemoryIndex::new`], with fingerprints of `width`.
    ///
    /// # Errors
    /// No layout guarantees the rule's distance.
    pub fn of_width(width: Width, rule: &DuplicateRule) -> Result<Self, DedupError> {
        Self::with_layout(rule, Layout::for_distance(width, rule.max_distance)?, DEFAULT_SKEW)
    }

    /// As [`MemoryIndex::new`], with another layout. A bucket with more than (1 + `mu`) × the mean is split a second
    /// time.
    ///
    /// # Errors
    /// [`DedupError::NarrowIndex`]: the layout does not guarantee the distance of the rule.
    pub fn with_layout(rule: &DuplicateRule, layout: Layout, mu: f64) -> Result<Self, DedupError> {
        if layout.max_distance() < rule.max_distance {
            return Err(DedupError::NarrowIndex);
        }
        let mut resident = Resident::new(layout, mu)?;
        resident.take_from(Candidates::default());
        Ok(Self {
            resident,
            digests: HashMap::new(),
            same_digests: HashMap::new(),
            shingles: HashMap::new(),
            signatures: HashMap::new(),
            min_similarity_short: rule.min_similarity_short,
        })
    }

    /// The same index, with another choice of [`Candidates`]. Documents inserted under [`Candidates::Blocks`] have no
    /// bands in the index, so a choice belongs before the first insertion.
    #[must_use]
    pub fn candidates_from(mut self, candidates: Candidates) -> Self {
        self.resident.take_from(candidates);
        self
    }

    fn add_digest(&mut self, digest: Digest, id: DocId) {
        let first = self.digests.entry(digest).or_insert(id);
        if *first != id {
            let later = (*first).max(id);
            *first = (*first).min(id);
            self.same_digests.entry(digest).or_default().insert(later);
        }
    }

    fn remove_digest(&mut self, digest: Digest, id: DocId) {
        let mut others = self.same_digests.remove(&digest).unwrap_or_default();
        others.remove(&id);
        if self.digests.get(&digest) == Some(&id) {
            self.digests.remove(&digest);
            self.digests.extend(others.pop_first().map(|next| (digest, next)));
        }
        if !others.is_empty() {
            self.same_digests.insert(digest, others);
        }
    }
}

impl Index for MemoryIndex {
    fn finds_all_of(&self, rule: &DuplicateRule) -> bool {
        rule.max_distance <= self.resident.layout().max_distance()
            && rule.min_similarity_short >= self.min_similarity_short
    }

    fn exact(&self, digest: Digest) -> Result<Option<DocId>, DedupError> {
        Ok(self.digests.get(&digest).copied())
    }

    fn near(&self, fingerprint: Fingerprint, found: &mut Vec<Neighbour>) -> Result<(), DedupError> {
        self.resident.near(fingerprint, found);
        Ok(())
    }

    fn candidates(
        &self,
        query: &Signature,
        rule: &DuplicateRule,
        found: &mut Vec<Neighbour>,
    ) -> Result<(), DedupError> {
        self.resident.candidates(query, rule, found);
        Ok(())
    }

    fn short_candidates(
        &self,
        query: &Signature,
        rule: &DuplicateRule,
        found: &mut Vec<DocId>,
    ) -> Result<(), DedupError> {
        let prefix = prefix(&query.shingles, rule.min_similarity_short).iter();
        let sharing = prefix.filter_map(|shingle| self.shingles.get(shingle));
        if scan_of_short_texts_pays(sharing.clone().map(Vec::len).sum(), self.resident.short_texts()) {
            self.resident.short_candidates(query, rule, found);
        } else {
            found.extend(sharing.flatten());
        }
        Ok(())
    }

    fn with_shingle(&self, shingle: u64, found: &mut Vec<DocId>) -> Result<(), DedupError> {
        found.extend(self.shingles.get(&shingle).into_iter().flatten());
        Ok(())
    }

    fn signature(&self, id: DocId) -> Result<Option<Signature>, DedupError> {
        Ok(self.signatures.get(&id).map(|kept| kept.signature(&self.resident)))
    }

    fn insert(&mut self, id: DocId, signature: &Signature) -> Result<(), DedupError> {
        if self.signatures.contains_key(&id) {
            return Ok(());
        }
        let slot = self.resident.insert(id, signature)?;
        if let Some(digest) = signature.digest {
            self.add_digest(digest, id);
        }
        for &shingle in prefix(&signature.shingles, self.min_similarity_short) {
            self.shingles.entry(shingle).or_default().push(id);
        }
        self.signatures.insert(id, Box::new(Kept::new(signature, slot)));
        Ok(())
    }

    fn remove(&mut self, id: DocId) -> Result<bool, DedupError> {
        let Some(kept) = self.signatures.remove(&id) else {
            return Ok(false);
        };
        let signature = kept.signature(&self.resident);
        if let Some(digest) = signature.digest {
            self.remove_digest(digest, id);
        }
        self.resident.remove(id, &signature);
        for shingle in prefix(&signature.shingles, self.min_similarity_short) {
            if let Some(ids) = self.shingles.get_mut(shingle) {
                ids.retain(|&other| other != id);
                if ids.is_empty() {
                    self.shingles.remove(shingle);
                }
            }
        }
        Ok(true)
    }

    fn clear(&mut self) -> Result<(), DedupError> {
        self.resident.clear()?;
        self.digests = HashMap::new();
        self.same_digests = HashMap::new();
        self.shingles = HashMap::new();
        self.signatures = HashMap::new();
        Ok(())
    }

    fn len(&self) -> Result<usize, DedupError> {
        Ok(self.signatures.len())
    }
}

/// A signature in less memory: the sketch of a fingerprint is in [`Resident`], and the parts that few documents have are
/// allocated only for those.
#[derive(Debug, Clone)]
struct Kept {
    digest: Option<Digest>,
    fingerprint: Option<Fingerprint>,
    /// Slot of the fingerprint, if its sketch is there.
    sketch_at: Option<u32>,
    numbers: u64,
    tokens: u32,
    rare: Option<Box<Rare>>,
}

#[derive(Debug, Clone)]
struct Rare {
    /// A sketch without a fingerprint.
    sketch: Option<Sketch>,
    metadata: Option<Sketch>,
    subject: Option<Subject>,
    shingles: Box<[u64]>,
}

impl Kept {
    fn new(signature: &Signature, slot: Option<u32>) -> Self {
        // Every field by name, so that the compiler reports a new field that is missing here.
        let Signature {
            digest,
            fingerprint,
            sketch,
            // In `Resident` alone.
            bands: _,
            ref metadata,
            ref subject,
            ref shingles,
            numbers,
            tokens,
        } = *signature;
        let sketch_at = slot.filter(|_| sketch.is_some());
        let sketch = sketch.filter(|_| slot.is_none());
        let is_rare = sketch.is_some() || metadata.is_some() || subject.is_some() || !shingles.is_empty();
        let rare = is_rare.then(|| {
            Box::new(Rare {
                sketch,
                metadata: *metadata,
                subject: subject.clone(),
                shingles: shingles.as_slice().into(),
            })
        });
        Self {
            digest,
            fingerprint,
            sketch_at,
            numbers,
            tokens,
            rare,
        }
    }

    fn signature(&self, resident: &Resident) -> Signature {
        let rare = self.rare.as_deref();
        let sketch = self.sketch_at.map(|slot| resident.sketch(slot));
        Signature {
            digest: self.digest,
            fingerprint: self.fingerprint,
            sketch: sketch.or_else(|| rare.and_then(|rare| rare.sketch)),
            bands: None,
            metadata: rare.and_then(|rare| rare.metadata),
            subject: rare.and_then(|rare| rare.subject.clone()),
            shingles: rare.map_or_else(Vec::new, |rare| rare.shingles.to_vec()),
            numbers: self.numbers,
            tokens: self.tokens,
        }
    }
}
