//! Decides one document after the other, in input order, and writes the verdicts as lines.

use std::io::Write;

use dedup::{Deduplicator, DocId, DuplicateRule, MemoryIndex, Verdict, Width};

use super::analysis::{Analyzed, Item};
use super::kept_ids::KeptIds;
use super::tally::Tally;
use crate::error::RunError;
use crate::files::Fault;

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

/// Compares documents with the index of the kept documents.
#[derive(Debug)]
pub(super) struct Decider {
    dedup: Deduplicator<MemoryIndex>,
    /// Ids by their numbers in the index.
    ids: KeptIds,
}

impl Decider {
    pub(super) fn new(width: Width, rule: DuplicateRule) -> Result<Self, RunError> {
        Ok(Self {
            dedup: Deduplicator::new(MemoryIndex::of_width(width, &rule)?, rule)?,
            ids: KeptIds::default(),
        })
    }

    pub(super) fn decide(&mut self, mut analyzed: Analyzed, tally: &Tally) -> Result<Decided, RunError> {
        let mut decided = Decided::default();
        for item in std::mem::take(&mut analyzed.items) {
            let document = match item {
                Item::Document(document) => document,
                Item::Fault(fault) => {
                    tally.add_fault();
                    decided.faults.push(fault);
                    continue;
                }
            };
            let number = DocId(self.ids.len());
            let verdict = self.dedup.check_and_insert(number, &document.signature)?;
            tally.add_verdict(&verdict);
            let id = analyzed.id(&document);
            if verdict == Verdict::Unique {
                self.ids.push(id);
                decided.kept.extend_from_slice(analyzed.kept(&document));
            }
            self.write(id, &verdict, &mut decided.verdicts)
                .map_err(|source| RunError::io("write", "a verdict", source))?;
        }
        Ok(decided)
    }

    fn write(&self, id: &[u8], verdict: &Verdict, out: &mut Vec<u8>) -> std::io::Result<()> {
        out.extend_from_slice(b"{\"id\":");
        out.extend_from_slice(id);
        let (name, of) = match verdict {
            Verdict::Unique => ("unique", None),
            Verdict::Exact { of } => ("exact", Some(of)),
            Verdict::Near { of, .. } => ("near", Some(of)),
        };
        write!(out, ",\"verdict\":\"{name}\",\"of\":")?;
        out.extend_from_slice(of.and_then(|of| self.ids.get(of.0)).unwrap_or(b"null"));
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
}
