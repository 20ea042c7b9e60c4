//! The parts themselves, the most frequent first.

use std::sync::Arc;

use dedup::{DedupError, Rows, Spill};

use super::counted::{Counted, Key};
use super::counter::Counter;
use super::marking::First;
use crate::cli::output::Output;
use error::RunError;
use files::json_string;

/// Number of parts in the summary.
const SHOWN: usize = 3;

/// Lines between two looks whether to stop.
const STOPPED_EVERY: u64 = 1_024;

/// The lines of the list, in the order of the input, and the order in which they are written. Both are in the temporary file beyond the bound on
/// their memory.
#[derive(Debug)]
pub(super) struct List {
    lines: Rows,
    /// Of each part, a key that is the smaller the more frequent the part is, and of equal ones the earlier in the input.
    order: Counter,
    most_bytes: usize,
    file: Arc<Spill>,
}

impl List {
    /// A list that takes about `most_bytes` of memory.
    pub(super) fn new(most_bytes: usize, file: &Arc<Spill>) -> Self {
        Self {
            lines: Rows::default(),
            order: Counter::new(most_bytes / 2, file),
            most_bytes: most_bytes / 2,
            file: Arc::clone(file),
        }
    }

    /// Adds a part. The parts come as they stand first in the input.
    ///
    /// # Errors
    /// The temporary file cannot be written.
    pub(super) fn push(&mut self, first: &First) -> Result<(), DedupError> {
        let (documents, text) = (first.part.documents, json_string(&first.text));
        let line = format!("{{\"documents\":{documents},\"text\":{text},\"first\":{}}}\n", first.id);
        let key = Key::from(u128::from(u64::MAX - documents) << 64 | self.lines.len() as u128);
        self.order.add(Counted { key, count: 1 })?;
        self.lines.push(line.as_bytes());
        if self.lines.tail_bytes() > self.most_bytes {
            self.lines.spill(&self.file)?;
        }
        Ok(())
    }

    /// Writes the list. Returns whether it came to the end.
    ///
    /// # Errors
    /// The temporary file cannot be read, or the output cannot be written.
    pub(super) fn write(self, output: &mut Output, is_stopped: &dyn Fn() -> bool) -> Result<bool, RunError> {
        let mut order = self.order.finish()?;
        let mut written = 0_u64;
        while let Some(Counted { key, .. }) = order.next()? {
            if written.is_multiple_of(STOPPED_EVERY) && is_stopped() {
                return Ok(false);
            }
            let line = self.lines.get(key.low() as usize)?;
            output.write(line.unwrap_or_default())?;
            written += 1;
        }
        Ok(true)
    }
}

/// The most frequent parts, of equally frequent ones the first of the input.
#[derive(Debug, Default)]
pub(super) struct MostFrequent(Vec<(u64, String)>);

impl MostFrequent {
    /// Adds a part. The parts come as they stand first in the input.
    pub(super) fn push(&mut self, first: &First) {
        let documents = first.part.documents;
        let at = self.0.partition_point(|(others, _)| *others >= documents);
        if at < SHOWN {
            self.0.insert(at, (documents, first.text.clone()));
            self.0.truncate(SHOWN);
        }
    }

    /// The number of documents and the text of each part.
    pub(super) fn iter(&self) -> impl Iterator<Item = (u64, &str)> {
        self.0.iter().map(|(documents, text)| (*documents, text.as_str()))
    }
}
