//! The index in memory.
//!
//! A document with a fingerprint takes 57 bytes in the blocks, 10 in the table of digests, 132 for its sketch, about 60 for the rest of its
//! signature, and 160 for its bands, if it has some. A short text takes 48 bytes, eight for each of its shingles, and 10 for each shingle of its
//! prefix, which is a fifth of them.
//!
//! With a [`Spill`], sketches, signatures and bitmaps go to a file as soon as the index has more than its bound in memory. 230 bytes are
//! left of a document with bands, 70 of one without, and some 110 of a short text. If that is too much, the tables of bands and
//! of short texts follow, part by part, which makes a check slower. Blocks stay: 60 to 90 bytes. The answers are the same.

mod documents;
mod positions;

use std::sync::Arc;

use self::documents::{Documents, Kept};
use super::blocks::DEFAULT_SKEW;
use super::resident::Resident;
use super::{Candidates, Index, Neighbour, Plan, most_listed_short_texts};
use crate::duplicate_rule::DuplicateRule;
use crate::error::DedupError;
use crate::fingerprint::{Fingerprint, Width};
use crate::layout::Layout;
use crate::short::prefix;
use crate::signature::{Digest, DocId, Signature};
use crate::spill::Spill;

/// An [`Index`] that lives as long as the process.
#[derive(Debug, Clone)]
pub struct MemoryIndex {
    resident: Resident,
    documents: Documents,
    /// The bound on the memory, if there is one.
    spill: Option<Arc<Spill>>,
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
            documents: Documents::new(rule.min_similarity_short),
            spill: None,
        })
    }

    /// The same index, which moves to the file of `spill` what has no room within its bound.
    #[must_use]
    pub fn spilling_to(mut self, spill: Arc<Spill>) -> Self {
        self.spill = Some(spill);
        self
    }

    /// About the bytes in memory.
    #[must_use]
    pub fn resident_bytes(&self) -> usize {
        self.resident.resident_bytes() + self.documents.resident_bytes()
    }

    /// The same index, with another choice of [`Candidates`]. Documents inserted under [`Candidates::Blocks`] have no
    /// bands in the index, so a choice belongs before the first insertion.
    #[must_use]
    pub fn candidates_from(mut self, candidates: Candidates) -> Self {
        self.resident.take_from(candidates);
        self
    }

    /// Moves data to the file until the bound holds: first the signatures, which a check reads least often.
    fn spill(&mut self) -> Result<(), DedupError> {
        let Some(file) = &self.spill else {
            return Ok(());
        };
        if self.resident_bytes() > file.most_bytes() && file.is_worth_a_write(self.documents.tail_bytes()) {
            self.documents.spill(file)?;
        }
        if self.resident_bytes() > file.most_bytes() && file.is_worth_a_write(self.resident.tail_bytes()) {
            self.resident.spill(file)?;
        }
        // Tables are read by every check, so they come last: the bands, then those of short texts and digests.
        while self.resident_bytes() > file.most_bytes() {
            if !self.resident.spill_a_part(file)? && !self.documents.spill_a_part(file)? {
                break;
            }
        }
        Ok(())
    }

    /// `found`, unless a read from the file failed meanwhile.
    fn checked<T>(&self, found: T) -> Result<T, DedupError> {
        self.spill.as_ref().map_or(Ok(()), |file| file.check())?;
        Ok(found)
    }
}

impl Index for MemoryIndex {
    fn finds_all_of(&self, rule: &DuplicateRule) -> bool {
        rule.max_distance <= self.resident.layout().max_distance()
            && rule.min_similarity_short >= self.documents.min_similarity_short()
    }

    fn exact(&self, digest: Digest) -> Result<Option<DocId>, DedupError> {
        self.documents.exact(digest)
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
        self.checked(())
    }

    fn short_candidates(
        &self,
        query: &Signature,
        rule: &DuplicateRule,
        found: &mut Vec<DocId>,
    ) -> Result<(), DedupError> {
        let prefix = prefix(&query.shingles, rule.min_similarity_short);
        let most = most_listed_short_texts(self.resident.short_texts());
        if !self.documents.with_shingles(prefix, most, found) {
            self.resident.short_candidates(query, rule, found);
        }
        self.checked(())
    }

    fn plan(&self) -> Option<Plan> {
        Some(self.resident.plan())
    }

    fn with_shingle(&self, shingle: u64, found: &mut Vec<DocId>) -> Result<(), DedupError> {
        let mut named = Vec::new();
        self.documents.with_shingles(&[shingle], usize::MAX, &mut named);
        for id in named {
            if let Some(kept) = self.documents.get(id)?
                && prefix(&kept.signature.shingles, self.documents.min_similarity_short()).contains(&shingle)
            {
                found.push(id);
            }
        }
        Ok(())
    }

    fn signature(&self, id: DocId) -> Result<Option<Signature>, DedupError> {
        let Some(Kept { signature, sketch_at }) = self.documents.get(id)? else {
            return Ok(None);
        };
        let sketch = sketch_at.map(|slot| self.resident.sketch(slot)).or(signature.sketch);
        self.checked(Some(Signature { sketch, ..signature }))
    }

    fn insert(&mut self, id: DocId, signature: &Signature) -> Result<(), DedupError> {
        if self.documents.contains(id) {
            return Ok(());
        }
        let slot = self.resident.insert(id, signature)?;
        self.documents.insert(id, &Kept::new(signature, slot))?;
        self.spill()?;
        self.checked(())
    }

    fn remove(&mut self, id: DocId) -> Result<bool, DedupError> {
        let Some(kept) = self.documents.remove(id)? else {
            return Ok(false);
        };
        let sketch = kept
            .sketch_at
            .map(|slot| self.resident.sketch(slot))
            .or(kept.signature.sketch);
        self.resident.remove(
            id,
            &Signature {
                sketch,
                ..kept.signature
            },
        );
        self.checked(true)
    }

    fn clear(&mut self) -> Result<(), DedupError> {
        self.resident.clear()?;
        self.documents = Documents::new(self.documents.min_similarity_short());
        Ok(())
    }

    fn len(&self) -> Result<usize, DedupError> {
        Ok(self.documents.len())
    }
}
