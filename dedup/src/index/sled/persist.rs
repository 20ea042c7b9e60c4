//! How pending documents come to the disk: into the log, and from a full log into the sorted trees.

use std::sync::{Arc, OnceLock};

use sled::Tree;

use super::log::Log;
use super::meta::Meta;
use super::recent::Recent;
use super::signatures::LogRow;
use super::{Pending, SledIndex};
use crate::error::DedupError;
use crate::signature::{DocId, Signature};

/// Upper bound on the prefix shingles in memory, per recent document; a merge removes them.
const RECENT_SHINGLES: usize = 8;

/// Of so many documents of an index, one may be in the log: 19 bytes of memory for each document of the index.
const RECENT_SHARE: usize = 16;

/// Number of documents that make a log long: reading it takes some milliseconds.
const LONG_LOG: usize = 4_096;

impl SledIndex {
    /// Writes all pending documents and notes that the owner's catalogue is applied up to `sequence`. When the log is
    /// full, merges it into the trees, which takes about 1 s at 10^6 and 10 s at 10^7.
    ///
    /// # Errors
    /// The trees cannot be written. The documents stay in memory, and the next call tries again.
    pub fn persist(&mut self, sequence: u64) -> Result<(), DedupError> {
        self.persist_those(sequence, |_| true)
    }

    /// As [`persist`](Self::persist), but writes only the documents with ids up to `sequence`. The owner's catalogue may still lose the others,
    /// which stay pending.
    ///
    /// # Errors
    /// As [`persist`](Self::persist).
    pub fn persist_up_to(&mut self, sequence: u64) -> Result<(), DedupError> {
        self.persist_those(sequence, |id| id.0 <= sequence)
    }

    /// As [`persist_up_to`](Self::persist_up_to), but leaves the writing to another thread, which [runs](LogWriter::run) the writer. Until
    /// [`end_persist`](Self::end_persist), or another call that writes or removes, the documents stay in memory too. That call waits for the
    /// writing, or does it.
    ///
    /// # Errors
    /// As [`persist`](Self::persist).
    pub fn begin_persist(&mut self, sequence: u64) -> Result<LogWriter, DedupError> {
        self.finish_writes()?;
        let applied = Some(sequence).filter(|sequence| *sequence > self.applied);
        self.write_pending(applied, |id| id.0 <= sequence)
    }

    fn persist_those(&mut self, sequence: u64, is_due: impl Fn(DocId) -> bool) -> Result<(), DedupError> {
        self.finish_writes()?;
        let applied = Some(sequence).filter(|sequence| *sequence > self.applied);
        self.write_pending(applied, is_due)?;
        self.end_persist()
    }

    /// Writes all pending documents together with the owner's `mark`, for an owner that numbers what it has applied in its
    /// own way. After a crash the index holds exactly the documents that were there with the [`mark`](Self::mark) that it
    /// returns, so a verdict that is given again after that mark is the same.
    ///
    /// # Errors
    /// As [`persist`](Self::persist).
    pub fn persist_marked(&mut self, mark: &[u8]) -> Result<(), DedupError> {
        self.finish_writes()?;
        if !self.pending.order.is_empty() {
            let ids: Vec<u64> = self.pending.order.iter().map(|id| id.0).collect();
            self.meta.note_unmarked(&ids)?;
        }
        self.write_pending(None, |_| true)?.done()?;
        self.meta.set_mark(mark)?;
        self.mark = Some(mark.to_vec());
        self.end_persist()
    }

    /// The mark of the last [`persist_marked`](Self::persist_marked); `None` before the first.
    #[must_use]
    pub fn mark(&self) -> Option<&[u8]> {
        self.mark.as_deref()
    }

    /// Begins to append the pending documents that are due to the log.
    fn write_pending(&mut self, applied: Option<u64>, is_due: impl Fn(DocId) -> bool) -> Result<LogWriter, DedupError> {
        let Pending { signatures, order } = &self.pending;
        let due = order.iter().filter(|id| is_due(**id));
        let documents = due.filter_map(|id| Some((*id, &signatures.get(id)?[..])));
        let rows = self.log.rows_of(documents)?;
        let trees = (self.trees.signatures.tree().clone(), self.meta.clone());
        let writer = LogWriter::new(trees, rows, applied);
        self.writing = Some(writer.clone());
        Ok(writer)
    }

    /// Ends what [`begin_persist`](Self::begin_persist) began: forgets the pending documents that are written, and merges a full log.
    ///
    /// # Errors
    /// The trees could not be written. The documents that are not written stay in memory, and the next call that writes tries again.
    pub fn end_persist(&mut self) -> Result<(), DedupError> {
        let Some(writer) = self.writing.take() else {
            return Ok(());
        };
        for row in writer.rows() {
            self.log.note(row);
            // A part of the rows may be written. Their documents must not be written into another row.
            row.documents
                .iter()
                .for_each(|id| drop(self.pending.signatures.remove(id)));
        }
        let Pending { signatures, order } = &mut self.pending;
        order.retain(|id| signatures.contains_key(id));
        let applied = writer.done()?;
        self.applied = applied.unwrap_or(self.applied);
        // A merge writes all trees, so merges that are further apart the larger the index cost each document the same.
        let recent = self
            .options
            .recent_documents
            .max(self.resident.len() / RECENT_SHARE)
            .max(1);
        if self.log.len() >= recent || self.recent.shingles() >= recent * RECENT_SHINGLES {
            self.merge()?;
        }
        Ok(())
    }

    /// Nothing is on its way to the trees after this.
    pub(super) fn finish_writes(&mut self) -> Result<(), DedupError> {
        self.end_persist()?;
        self.finish_removals()
    }

    /// Merges a long log before it is full, so that the next opening and every [`SledReader`](super::SledReader) are fast. Leaves a short
    /// log alone. Call it when the index is idle.
    ///
    /// # Errors
    /// As [`persist`](Self::persist).
    pub fn settle(&mut self) -> Result<(), DedupError> {
        self.end_persist()?;
        if self.log.len() >= LONG_LOG && self.pending.order.is_empty() {
            self.merge()?;
        }
        Ok(())
    }

    /// Merges the log into the trees.
    fn merge(&mut self) -> Result<(), DedupError> {
        self.trees.merge(self.log.first())?;
        self.meta.set_merged(self.log.next())?;
        self.log = Log::new(self.log.next());
        self.recent = Recent::new(self.shape.min_similarity_short);
        for (id, signature) in &self.pending.signatures {
            self.recent.insert(*id, &Signature::from_row(signature)?);
        }
        Ok(())
    }
}

/// Writes documents into the log of an index: see [`SledIndex::begin_persist`]. Clones write the same
/// documents.
#[derive(Clone)]
pub struct LogWriter {
    shared: Arc<Shared>,
}

struct Shared {
    signatures: Tree,
    meta: Meta,
    rows: Vec<LogRow>,
    /// The sequence up to which the owner's catalogue is applied then.
    applied: Option<u64>,
    /// How many rows are written, and why not all.
    written: OnceLock<(usize, Result<(), sled::Error>)>,
}

impl std::fmt::Debug for LogWriter {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let rows = self.shared.rows.len();
        f.debug_struct("LogWriter").field("rows", &rows).finish_non_exhaustive()
    }
}

impl LogWriter {
    fn new((signatures, meta): (Tree, Meta), rows: Vec<LogRow>, applied: Option<u64>) -> Self {
        let written = OnceLock::new();
        Self {
            shared: Arc::new(Shared {
                signatures,
                meta,
                rows,
                applied,
                written,
            }),
        }
    }

    /// Writes the documents, unless that is done. The index learns of an error.
    pub fn run(&self) {
        self.written();
    }

    /// Waits for another thread that writes them.
    fn written(&self) -> &(usize, Result<(), sled::Error>) {
        self.shared.written.get_or_init(|| {
            let mut rows = 0;
            let result = self.shared.write(&mut rows);
            (rows, result)
        })
    }

    /// The rows in the log, after the writing.
    pub(super) fn rows(&self) -> &[LogRow] {
        let (written, _) = self.written();
        &self.shared.rows[..*written]
    }

    /// The sequence up to which the owner's catalogue is applied, if all documents are in the log.
    pub(super) fn done(&self) -> Result<Option<u64>, sled::Error> {
        let (_, result) = self.written();
        result.clone()?;
        Ok(self.shared.applied)
    }
}

impl Shared {
    fn write(&self, written: &mut usize) -> Result<(), sled::Error> {
        for row in &self.rows {
            self.signatures.insert(row.number.to_be_bytes(), &row.bytes[..])?;
            *written += 1;
        }
        match self.applied {
            Some(sequence) => self.meta.set_applied(sequence),
            None => Ok(()),
        }
    }
}
