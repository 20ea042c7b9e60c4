//! Decides one document after the other, in input order, and writes the verdicts as lines.

use std::borrow::Cow;
use std::io::Write;
use std::sync::Arc;
use std::time::{Duration, Instant};

use dedup::{
    Candidates, CollectionError, Deduplicator, DocId, DuplicateRule, MemoryIndex, Rows, Signature, Spill, Verdict,
    Width,
};

use super::analysis::{Analyzed, Item};
use super::tally::Tally;
use crate::cli::index::{DocumentIndex, id_of_json, json_of_id};
use error::RunError;
use files::{At, Fault, Place, json_string};
use page::Wall;

/// A batch with verdicts, ready for the writer.
#[derive(Debug, Default)]
pub(super) struct Decided {
    /// Verdicts, one line each.
    pub verdicts: Vec<u8>,
    /// Kept documents, one line each.
    pub kept: Vec<u8>,
    /// Input that could not be read.
    pub faults: Vec<Fault>,
    /// Memory that the batch occupies until it is written.
    pub budget_bytes: usize,
}

/// Compares documents with the kept documents.
#[derive(Debug)]
pub(super) enum Decider {
    /// With those of this run.
    Memory {
        dedup: Box<Deduplicator<MemoryIndex>>,
        /// Ids by their numbers in the index.
        ids: Rows,
        spill: Arc<Spill>,
    },
    /// With those of an index that outlives the run.
    Index {
        index: DocumentIndex,
        /// When it was saved last.
        saved: Instant,
        /// Whether documents came since.
        is_behind: bool,
    },
}

/// Longest time between two saves of an index, about.
const SAVED_EVERY: Duration = Duration::from_secs(10);

impl Decider {
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
        })
    }

    pub(super) fn of_index(index: DocumentIndex) -> Self {
        Self::Index {
            index,
            saved: Instant::now(),
            is_behind: false,
        }
    }

    pub(super) fn decide(&mut self, mut analyzed: Analyzed, tally: &Tally) -> Result<Decided, RunError> {
        let mut decided = Decided::default();
        for item in std::mem::take(&mut analyzed.items) {
            let document = match item {
                Item::Document(document) => document,
                Item::Wall(blocked) => {
                    tally.add_blocked();
                    write_blocked(analyzed.id_of_wall(&blocked), &blocked.wall, &mut decided.verdicts);
                    continue;
                }
                Item::Fault(fault) => {
                    tally.add_fault();
                    decided.faults.push(fault);
                    continue;
                }
            };
            let id = analyzed.id(&document);
            let (verdict, of) = match self.add(id, &document.signature)? {
                Added::Decided(verdict, of) => (verdict, of),
                Added::OtherText => {
                    tally.add_fault();
                    decided.faults.push(other_text(id));
                    continue;
                }
            };
            tally.add_verdict(&verdict);
            if verdict == Verdict::Unique {
                decided.kept.extend_from_slice(analyzed.kept(&document));
            }
            write(id, &verdict, &of, &mut decided.verdicts)
                .map_err(|source| RunError::io("write", "a verdict", source))?;
        }
        self.spill_ids()?;
        self.save_at_times()?;
        Ok(decided)
    }

    /// Moves the ids to the temporary file, if they and the index have more memory than the bound. The index looks after itself.
    fn spill_ids(&mut self) -> Result<(), RunError> {
        if let Self::Memory { dedup, ids, spill } = self
            && spill.is_worth_a_write(ids.tail_bytes())
            && dedup.index().resident_bytes() + ids.tail_bytes() > spill.most_bytes()
        {
            ids.spill(spill)?;
        }
        Ok(())
    }

    /// Decides on a document and keeps it.
    fn add(&mut self, id: &[u8], signature: &Signature) -> Result<Added, RunError> {
        match self {
            Self::Memory { dedup, ids, .. } => {
                let verdict = dedup.check_and_insert(DocId(ids.len() as u64), signature)?;
                if verdict == Verdict::Unique {
                    ids.push(id);
                }
                let of = match verdict.of() {
                    None => None,
                    Some(of) => ids.get(of.0 as usize)?,
                };
                Ok(Added::Decided(verdict, of.map_or_else(null, Cow::into_owned)))
            }
            Self::Index { index, is_behind, .. } => {
                *is_behind = true;
                let verdict = match index.add(&id_of_json(id), signature) {
                    Ok(verdict) => verdict,
                    Err(CollectionError::OtherText(_)) => return Ok(Added::OtherText),
                    Err(error) => return Err(error.into()),
                };
                let of = match verdict.of() {
                    None => None,
                    Some(of) => index.id(of)?,
                };
                Ok(Added::Decided(
                    verdict,
                    of.map_or_else(null, |of| json_of_id(&of).into_bytes()),
                ))
            }
        }
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
            index,
            saved,
            is_behind,
        } = self
        {
            index.save()?;
            (*saved, *is_behind) = (Instant::now(), false);
        }
        Ok(())
    }

    /// The index that outlives the run, with its number of documents.
    pub(super) fn index(&self) -> Result<Option<(String, usize)>, RunError> {
        match self {
            Self::Memory { .. } => Ok(None),
            Self::Index { index, .. } => Ok(Some((index.name(), index.len()?))),
        }
    }
}

/// What became of a document.
enum Added {
    /// The verdict, and the id that it names, as JSON.
    Decided(Verdict, Vec<u8>),
    /// The index has another text under its id.
    OtherText,
}

fn null() -> Vec<u8> {
    b"null".to_vec()
}

fn other_text(id: &[u8]) -> Fault {
    let place = Place {
        source: String::from_utf8_lossy(id).into(),
        at: At::Whole,
    };
    Fault::new(
        place,
        "the index has this id with another text: give the document another id, or use another index",
    )
}

/// Appends the line of a page that stands in the way of another one.
fn write_blocked(id: &[u8], wall: &Wall, out: &mut Vec<u8>) {
    out.extend_from_slice(b"{\"id\":");
    out.extend_from_slice(id);
    let (kind, evidence) = (json_string(wall.kind.name()), json_string(&wall.evidence));
    let rest = format!(
        ",\"verdict\":\"blocked\",\"of\":null,\"distance\":null,\"similarity\":null,\"wall\":{{\"kind\":{kind},\"evidence\":{evidence}}}}}\n"
    );
    out.extend_from_slice(rest.as_bytes());
}

/// Appends the line of a verdict.
fn write(id: &[u8], verdict: &Verdict, of: &[u8], out: &mut Vec<u8>) -> std::io::Result<()> {
    out.extend_from_slice(b"{\"id\":");
    out.extend_from_slice(id);
    let name = match verdict {
        Verdict::Unique => "unique",
        Verdict::Exact { .. } => "exact",
        Verdict::Near { .. } => "near",
    };
    write!(out, ",\"verdict\":\"{name}\",\"of\":")?;
    out.extend_from_slice(of);
    match *verdict {
        Verdict::Unique => out.extend_from_slice(b",\"distance\":null,\"similarity\":null}\n"),
        Verdict::Exact { .. } => out.extend_from_slice(b",\"distance\":0,\"similarity\":1}\n"),
        Verdict::Near {
            distance: Some(distance),
            similarity,
            ..
        } => writeln!(out, ",\"distance\":{distance},\"similarity\":{similarity}}}")?,
        Verdict::Near {
            distance: None,
            similarity,
            ..
        } => writeln!(out, ",\"distance\":null,\"similarity\":{similarity}}}")?,
    }
    Ok(())
}
