//! Documents that are decided in another order than that of the input.
//!
//! ```text
//! read     key │ signature │ id │ record     of each document, in input order; all but the keys may be in a temporary file
//! decide   greatest key first, without a key last, of equal ones the earlier in the input
//! write    in input order
//! ```
//!
//! A document takes 24 bytes in memory beside what the index takes of it.

use std::borrow::Cow;
use std::sync::Arc;

use dedup::{Deduplicator, DocId, MemoryIndex, Rows, Signature, Spill, Verdict};

use super::analysis::Signed;
use super::decided::{Answer, Decided};
use super::lines::{Line, Outcome, Records, Writes};
use super::tally::Tally;
use error::RunError;

/// The output is handed on in pieces of so many bytes.
const WRITTEN_BYTES: usize = 256 * 1024;

/// Documents between two looks whether to stop.
const STOPPED_EVERY: usize = 1_024;

/// Begins the row of a document, which goes on with its signature.
const DOCUMENT: u8 = 0;
/// Begins the row of a wall, which goes on with the wall as JSON.
const BLOCKED: u8 = 1;

#[derive(Debug)]
pub(super) struct Ordered {
    keys: Vec<f64>,
    rows: Rows,
    ids: Rows,
    records: Rows,
    spill: Arc<Spill>,
    found: Vec<Found>,
}

/// A verdict in little memory.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
enum Found {
    #[default]
    Unique,
    Exact {
        of: u32,
    },
    Near {
        of: u32,
        distance: Option<u8>,
        similarity: f32,
    },
}

impl Ordered {
    pub(super) fn new(spill: Arc<Spill>) -> Self {
        Self {
            keys: Vec::new(),
            rows: Rows::default(),
            ids: Rows::default(),
            records: Rows::default(),
            spill,
            found: Vec::new(),
        }
    }

    pub(super) fn push(&mut self, id: &[u8], record: &[u8], document: &Signed, tally: &Tally) -> Result<(), RunError> {
        let row = document.signature.to_row().map_err(dedup::DedupError::from)?;
        self.push_row(document.key, [&[DOCUMENT], &row[..]].concat(), id, record, tally);
        Ok(())
    }

    /// Keeps a wall, which has its line among those of the documents.
    pub(super) fn push_blocked(&mut self, line: &Line<'_>, tally: &Tally) {
        if let Outcome::Blocked(wall) = line.outcome {
            self.push_row(None, [&[BLOCKED], wall].concat(), line.id, line.record, tally);
        }
    }

    fn push_row(&mut self, key: Option<f64>, row: Vec<u8>, id: &[u8], record: &[u8], tally: &Tally) {
        tally.add_waiting();
        self.keys.push(key.unwrap_or(f64::NEG_INFINITY));
        self.rows.push(&row);
        self.ids.push(id);
        self.records.push(record);
    }

    /// Moves the rows to the temporary file if they have more memory than the bound.
    pub(super) fn spill(&mut self) -> Result<(), RunError> {
        let bytes = self.rows.tail_bytes() + self.ids.tail_bytes() + self.records.tail_bytes();
        if bytes > self.spill.most_bytes() && self.spill.is_worth_a_write(bytes) {
            for rows in [&mut self.rows, &mut self.ids, &mut self.records] {
                rows.spill(&self.spill)?;
            }
        }
        Ok(())
    }

    /// Decides on all documents. Returns whether it came to the end.
    pub(super) fn decide(
        &mut self,
        dedup: &Deduplicator<MemoryIndex>,
        is_stopped: &dyn Fn() -> bool,
    ) -> Result<bool, RunError> {
        let count = u32::try_from(self.keys.len()).map_err(|_| dedup::DedupError::Full)?;
        let mut order: Vec<u32> = (0..count).collect();
        order.sort_by(|a, b| self.keys[*b as usize].total_cmp(&self.keys[*a as usize]));
        self.keys = Vec::new();
        self.found = vec![Found::Unique; order.len()];
        // Of the kept documents, by their numbers in the index.
        let mut kept: Vec<u32> = Vec::new();
        for (done, number) in order.into_iter().enumerate() {
            if done.is_multiple_of(STOPPED_EVERY) && is_stopped() {
                return Ok(false);
            }
            let row = row(&self.rows, number as usize)?;
            let Some((&DOCUMENT, row)) = row.split_first() else {
                continue;
            };
            let signature = Signature::from_row_with_bands(row).map_err(dedup::DedupError::from)?;
            let verdict = dedup.check_and_insert(DocId(kept.len() as u64), &signature)?;
            if verdict == Verdict::Unique {
                kept.push(number);
            }
            self.found[number as usize] = Found::new(&verdict, &kept);
        }
        Ok(true)
    }

    /// Hands on the verdicts in input order. Returns whether it came to the end.
    pub(super) fn write(
        &self,
        writes: Writes,
        tally: &Tally,
        is_stopped: &dyn Fn() -> bool,
        answer: &mut Answer<'_>,
    ) -> Result<bool, RunError> {
        let mut decided = Decided::default();
        for (number, found) in self.found.iter().enumerate() {
            let (row, id) = (row(&self.rows, number)?, row(&self.ids, number)?);
            let (record, of) = (
                row_if(writes.records != Records::None, &self.records, number)?,
                self.id_of(*found)?,
            );
            tally.end_waiting();
            let outcome = match row.split_first() {
                Some((&BLOCKED, wall)) => {
                    tally.add_blocked();
                    Outcome::Blocked(wall)
                }
                _ => {
                    let verdict = found.verdict();
                    tally.add_verdict(&verdict);
                    Outcome::Decided(verdict, &of)
                }
            };
            let line = Line {
                id: &id,
                record: &record,
                outcome,
            };
            line.write(writes, &mut decided);
            if decided.bytes() >= WRITTEN_BYTES && (is_stopped() || !answer(std::mem::take(&mut decided))) {
                return Ok(false);
            }
        }
        Ok(answer(decided))
    }

    fn id_of(&self, found: Found) -> Result<Cow<'_, [u8]>, RunError> {
        match found {
            Found::Unique => Ok(Cow::Borrowed(b"null")),
            Found::Exact { of } | Found::Near { of, .. } => row(&self.ids, of as usize),
        }
    }
}

impl Found {
    /// `kept` has the documents by their numbers in the index.
    fn new(verdict: &Verdict, kept: &[u32]) -> Self {
        let of = |of: DocId| kept.get(of.0 as usize).copied().unwrap_or_default();
        match *verdict {
            Verdict::Unique => Self::Unique,
            Verdict::Exact { of: id } => Self::Exact { of: of(id) },
            Verdict::Near {
                of: id,
                distance,
                similarity,
            } => Self::Near {
                of: of(id),
                // A fingerprint has at most 128 bits.
                distance: distance.map(|bits| bits as u8),
                similarity,
            },
        }
    }

    fn verdict(self) -> Verdict {
        let id = |of: u32| DocId(u64::from(of));
        match self {
            Self::Unique => Verdict::Unique,
            Self::Exact { of } => Verdict::Exact { of: id(of) },
            Self::Near {
                of,
                distance,
                similarity,
            } => Verdict::Near {
                of: id(of),
                distance: distance.map(u32::from),
                similarity,
            },
        }
    }
}

/// A row that is there.
fn row(rows: &Rows, number: usize) -> Result<Cow<'_, [u8]>, RunError> {
    Ok(rows.get(number)?.unwrap_or_default())
}

fn row_if(is_wanted: bool, rows: &Rows, number: usize) -> Result<Cow<'_, [u8]>, RunError> {
    if is_wanted {
        row(rows, number)
    } else {
        Ok(Cow::default())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_verdict_takes_twelve_bytes() {
        assert_eq!(size_of::<Found>(), 12);
    }
}
