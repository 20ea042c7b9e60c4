//! Verdicts on documents that nobody asks about again: only the ids of the unique ones stay.

use dedup::{CollectionSettings, Deduplicator, DocId, Id, MemoryIndex, Signature, Verdict};
use pyo3::prelude::*;

use crate::document::Decided;
use crate::errors::of_index;

/// Decides one document after the other, as `crawler dedup` does. Ids may repeat.
pub(crate) struct Judge {
    dedup: Deduplicator<MemoryIndex>,
    /// Ids of the unique documents by their numbers in the index.
    kept: Vec<Id>,
}

impl Judge {
    pub fn new(settings: &CollectionSettings) -> PyResult<Self> {
        let rule = settings.rule();
        let made = MemoryIndex::new(&rule).and_then(|index| Deduplicator::new(index, rule));
        Ok(Self {
            dedup: made.map_err(|error| of_index(&error))?,
            kept: Vec::new(),
        })
    }

    pub fn decide(&mut self, id: Id, signature: &Signature) -> PyResult<Decided> {
        let number = DocId(self.kept.len() as u64);
        let verdict = self.dedup.check_and_insert(number, signature);
        let verdict = verdict.map_err(|error| of_index(&error))?;
        if verdict == Verdict::Unique {
            self.kept.push(id.clone());
        }
        let kept = |of: DocId| self.kept.get(usize::try_from(of.0).ok()?).cloned();
        Ok(Decided {
            id: Some(id),
            verdict,
            of: verdict.of().and_then(kept),
        })
    }
}
