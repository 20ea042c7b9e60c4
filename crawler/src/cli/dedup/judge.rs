//! Decides on a document against those before it, in memory or in an index that outlives the run.

use std::borrow::Cow;
use std::sync::Arc;
use std::time::{Duration, Instant};

use dedup::{
    Candidates, CollectionError, Deduplicator, DocId, DocIds, DuplicateRule, MemoryIndex, Rows, Signature, Spill,
    Verdict, Width,
};

use super::resume::{Journal, Prefix, SavedDocuments};
use crate::cli::index::{DocumentIndex, id_of_json, json_of_id};
use error::RunError;
use terminal::units::counted;

/// Compares documents with the kept documents.
#[derive(Debug)]
pub(super) enum Judge {
    /// With those of this run.
    Memory {
        dedup: Box<Deduplicator<MemoryIndex>>,
        /// Ids by their numbers in the index.
        ids: Rows,
        spill: Arc<Spill>,
        /// The kept documents on disk, if an interrupted run is to go on.
        journal: Option<Box<Journal>>,
    },
    /// With those of an index that outlives the run.
    Index {
        lasting: Box<Lasting>,
        /// When it was saved last.
        saved: Instant,
        /// Whether documents came since.
        is_behind: bool,
    },
}

/// An index that outlives the run.
///
/// A document that it had before the run gets its verdict again, so that the same command gives the same, also after an interruption. A
/// second document of one run with the same id and text gets the verdict of a copy.
#[derive(Debug)]
pub(super) struct Lasting {
    index: DocumentIndex,
    /// Whether the documents of ended runs are left out. Those of a run that did not end are in no complete file.
    skips_known: bool,
    /// The documents of this run that have verdicts.
    given: DocIds,
    /// Number of the documents of this run that were there before: with `skips_known` of those that were left out.
    known: u64,
}

/// Longest time between two saves, about.
const SAVED_EVERY: Duration = Duration::from_secs(10);

/// What became of a document.
pub(super) enum Added<'a> {
    /// The verdict, and the id that it names, as JSON.
    Decided(Verdict, Cow<'a, [u8]>),
    /// The index has another text under its id.
    OtherText,
    /// An earlier run has it, and the results are to be without it.
    LeftOut,
}

/// No id.
const NULL: Cow<'static, [u8]> = Cow::Borrowed(b"null");

impl Judge {
    pub(super) fn in_memory(
        width: Width,
        rule: DuplicateRule,
        candidates: Candidates,
        spill: Arc<Spill>,
    ) -> Result<Self, RunError> {
        let index = MemoryIndex::of_width(width, &rule)?.candidates_from(candidates);
        let index = index.spilling_to(Arc::clone(&spill));
        Ok(Self::Memory {
            dedup: Box::new(Deduplicator::new(index, rule)?),
            ids: Rows::default(),
            spill,
            journal: None,
        })
    }

    /// Adds the documents that an interrupted run has kept, and keeps the next ones with them. Asks after each whether to go on. Returns
    /// whether it came to the end.
    pub(super) fn go_on(&mut self, mut saved: SavedDocuments, goes_on: &dyn Fn() -> bool) -> Result<bool, RunError> {
        while let Some((id, signature)) = saved.next()? {
            if let Self::Memory { dedup, ids, .. } = self {
                dedup.insert(DocId(ids.len() as u64), &signature)?;
                ids.push(&id);
            }
            self.spill_ids()?;
            if !goes_on() {
                return Ok(false);
            }
        }
        if let Self::Memory { journal, .. } = self {
            *journal = Some(Box::new(saved.into_journal()?));
        }
        Ok(true)
    }

    /// Makes the kept documents durable: what of them an interrupted run has to read. `None` if it is not to go on.
    pub(super) fn keep(&mut self) -> Result<Option<Prefix>, RunError> {
        match self {
            Self::Memory {
                journal: Some(journal), ..
            } => journal.keep().map(Some),
            _ => Ok(None),
        }
    }

    /// Whether the last documents should be made durable.
    pub(super) fn is_behind(&self) -> bool {
        matches!(self, Self::Memory { journal: Some(journal), .. } if journal.since_kept() >= SAVED_EVERY)
    }

    /// With the documents of an index; `skips_known`: those of ended runs are left out.
    pub(super) fn of_index(index: DocumentIndex, skips_known: bool) -> Self {
        Self::Index {
            lasting: Box::new(Lasting {
                index,
                skips_known,
                given: DocIds::default(),
                known: 0,
            }),
            saved: Instant::now(),
            is_behind: false,
        }
    }

    /// Decides on a document and keeps it.
    pub(super) fn add(&mut self, id: &[u8], signature: &Signature) -> Result<Added<'_>, RunError> {
        match self {
            Self::Memory {
                dedup, ids, journal, ..
            } => {
                let verdict = dedup.check_and_insert(DocId(ids.len() as u64), signature)?;
                if verdict == Verdict::Unique {
                    ids.push(id);
                    if let Some(journal) = journal {
                        journal.push(id, signature)?;
                    }
                }
                let of = match verdict.of() {
                    None => None,
                    Some(of) => ids.get(of.0 as usize)?,
                };
                Ok(Added::Decided(verdict, of.unwrap_or(NULL)))
            }
            Self::Index { lasting, is_behind, .. } => {
                *is_behind = true;
                lasting.add(id, signature)
            }
        }
    }

    /// Moves the ids to the temporary file, if they and the index have more memory than the bound. The index looks after itself.
    pub(super) fn spill_ids(&mut self) -> Result<(), RunError> {
        if let Self::Memory { dedup, ids, spill, .. } = self
            && spill.is_worth_a_write(ids.tail_bytes())
            && dedup.index().resident_bytes() + ids.tail_bytes() > spill.most_bytes()
        {
            ids.spill(spill)?;
        }
        Ok(())
    }

    /// Saves an index that outlives the run, if it is time to.
    pub(super) fn save_at_times(&mut self) -> Result<(), RunError> {
        match self {
            Self::Index { saved, is_behind, .. } if *is_behind && saved.elapsed() >= SAVED_EVERY => self.save(),
            _ => Ok(()),
        }
    }

    /// Saves an index that outlives the run.
    pub(super) fn save(&mut self) -> Result<(), RunError> {
        if let Self::Index {
            lasting,
            saved,
            is_behind,
        } = self
        {
            lasting.index.save()?;
            (*saved, *is_behind) = (Instant::now(), false);
        }
        Ok(())
    }

    /// The index that outlives the run.
    pub(super) fn into_index(self) -> Option<Box<Lasting>> {
        match self {
            Self::Memory { .. } => None,
            Self::Index { lasting, .. } => Some(lasting),
        }
    }
}

impl Lasting {
    fn add(&mut self, id: &[u8], signature: &Signature) -> Result<Added<'static>, RunError> {
        let added = match self.index.add(&id_of_json(id), signature) {
            Ok(added) => added,
            Err(CollectionError::OtherText(_)) => return Ok(Added::OtherText),
            Err(error) => return Err(error.into()),
        };
        if self.skips_known && self.index.is_of_ended_run(added.number) {
            self.known += 1;
            return Ok(Added::LeftOut);
        }
        let is_first = self.given.insert(added.number);
        self.known += u64::from(is_first && !added.is_new && !self.skips_known);
        let verdict = if is_first {
            added.verdict
        } else {
            self.index.check(signature)?
        };
        let of = match verdict.of() {
            None => None,
            Some(of) => self.index.id(of)?,
        };
        let of = of.map_or(NULL, |of| json_of_id(&of).into_bytes().into());
        Ok(Added::Decided(verdict, of))
    }

    /// Notes that the run has ended, and that its results are complete.
    pub(super) fn end(&mut self) -> Result<(), RunError> {
        self.index.end_run(&self.given)
    }

    /// How many documents the index has now, and how many of this run it had before.
    pub(super) fn summary(&self) -> Result<String, RunError> {
        let documents = counted(self.index.len()? as u64, "document");
        let mut summary = format!("  the index {} has {documents}", self.index.name());
        if self.known > 0 {
            let were = if self.known == 1 { "was" } else { "were" };
            let known = counted(self.known, "document");
            summary.push_str(&format!("; {known} {were} in the index already"));
            if self.skips_known {
                summary.push_str(&format!(" and {were} left out"));
            } else if self.index.knows_ended_runs() {
                summary.push_str(" (--skip-known leaves out those of earlier runs)");
            }
        }
        Ok(summary)
    }
}
