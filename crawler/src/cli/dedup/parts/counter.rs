//! Counts keys that are too many for the memory: an external merge sort that adds up equal keys (Knuth, TAOCP volume 3, section 5.4).
//!
//! ```text
//! add ─▶ buffer ─▶ sorted, equal keys added up ─▶ run │ run │ run │ …     runs are in the temporary file
//!                                                  └─────┴─────┴─▶ merge ─▶ each key once, in order, with its count
//! ```
//!
//! A run takes 24 bytes for each of its keys. Of more than [`FAN_IN`] runs, the first ones become one longer run, which is written behind
//! the others. The sum is the same however the keys are divided among runs.

use std::collections::VecDeque;
use std::sync::Arc;

use dedup::{DedupError, Rows, Spill};

use super::counted::Counted;
use super::merge::{Cursor, Merge};

/// Most runs that are merged at once.
const FAN_IN: usize = 64;

/// Largest number of keys that are read from a run at once.
const MOST_READ: usize = 2_730;

/// Bytes of a run that are written at a time.
const WRITTEN_BYTES: usize = 1 << 20;

/// Counts keys.
#[derive(Debug)]
pub(super) struct Counter {
    buffer: Vec<Counted>,
    /// Most keys in the buffer.
    most: usize,
    /// Each row has some keys of the run.
    runs: VecDeque<Rows>,
    file: Arc<Spill>,
}

impl Counter {
    /// Counts in about `most_bytes` of memory, at least for one key; the rest is in the file of `file`.
    pub(super) fn new(most_bytes: usize, file: &Arc<Spill>) -> Self {
        Self {
            buffer: Vec::new(),
            most: (most_bytes / Counted::BYTES).max(1),
            runs: VecDeque::new(),
            file: Arc::clone(file),
        }
    }

    /// # Errors
    /// The temporary file cannot be written.
    pub(super) fn add(&mut self, counted: Counted) -> Result<(), DedupError> {
        if self.buffer.len() == self.most {
            Counted::add_up(&mut self.buffer);
            // With less room, the buffer would soon be sorted again.
            if self.buffer.len() > self.most / 2 {
                self.write_run()?;
            }
        }
        if self.buffer.len() == self.buffer.capacity() {
            let more = (self.buffer.len() / 2).max(1_024);
            self.buffer.reserve_exact(more.min(self.most - self.buffer.len()));
        }
        self.buffer.push(counted);
        Ok(())
    }

    /// Each key once, in order, with the sum of its counts.
    ///
    /// # Errors
    /// The temporary file cannot be read or written.
    pub(super) fn finish(mut self) -> Result<Merge, DedupError> {
        Counted::add_up(&mut self.buffer);
        if self.runs.is_empty() {
            return Merge::new(vec![Cursor::of_memory(self.buffer)]);
        }
        self.write_run()?;
        self.buffer = Vec::new();
        while self.runs.len() > FAN_IN {
            let mut merge = Merge::new(self.runs.drain(..FAN_IN).map(Cursor::of_file).collect())?;
            let mut run = Run::new(&self.file, self.most);
            while let Some(counted) = merge.next()? {
                run.push(counted)?;
            }
            self.runs.push_back(run.finish()?);
        }
        Merge::new(self.runs.into_iter().map(Cursor::of_file).collect())
    }

    /// Moves the buffer, which is added up, to the file.
    fn write_run(&mut self) -> Result<(), DedupError> {
        let mut run = Run::new(&self.file, self.most);
        self.buffer.iter().try_for_each(|counted| run.push(*counted))?;
        self.buffer.clear();
        self.runs.push_back(run.finish()?);
        Ok(())
    }
}

/// A run that is being written.
struct Run<'a> {
    rows: Rows,
    row: Vec<u8>,
    row_bytes: usize,
    file: &'a Arc<Spill>,
}

impl<'a> Run<'a> {
    /// A run of a counter with so many keys in memory: a row of each of the runs that are merged takes half as much at most.
    fn new(file: &'a Arc<Spill>, most: usize) -> Self {
        Self {
            rows: Rows::default(),
            row: Vec::new(),
            row_bytes: Counted::BYTES * (most / FAN_IN / 2).clamp(1, MOST_READ),
            file,
        }
    }

    fn push(&mut self, counted: Counted) -> Result<(), DedupError> {
        counted.write(&mut self.row);
        if self.row.len() < self.row_bytes {
            return Ok(());
        }
        self.rows.push(&self.row);
        self.row.clear();
        if self.rows.tail_bytes() < WRITTEN_BYTES {
            return Ok(());
        }
        self.rows.spill(self.file)
    }

    fn finish(mut self) -> Result<Rows, DedupError> {
        if !self.row.is_empty() {
            self.rows.push(&self.row);
        }
        self.rows.spill(self.file)?;
        Ok(self.rows)
    }
}

#[cfg(test)]
pub(super) mod tests {
    use std::collections::BTreeMap;

    use proptest::prelude::*;

    use super::*;
    use crate::cli::dedup::parts::counted::Key;

    /// A bound of nothing, and its file.
    pub(in super::super) fn temporary() -> Arc<Spill> {
        let folder = std::env::temp_dir();
        Arc::new(Spill::new(0, &folder, |folder| tempfile::tempfile_in(folder)))
    }

    fn counts(keys: &[(u128, u64)], most_keys: usize) -> (BTreeMap<u128, u64>, usize) {
        let mut counter = Counter::new(most_keys * Counted::BYTES, &temporary());
        for (key, count) in keys {
            let (key, count) = (Key::from(*key), *count);
            counter.add(Counted { key, count }).unwrap();
        }
        let runs = counter.runs.len();
        let mut merge = counter.finish().unwrap();
        let (mut found, mut last) = (BTreeMap::new(), None);
        while let Some(Counted { key, count }) = merge.next().unwrap() {
            assert!(last < Some(key), "each key comes once, in order");
            last = Some(key);
            found.insert(key.into(), count);
        }
        (found, runs)
    }

    fn expected(keys: &[(u128, u64)]) -> BTreeMap<u128, u64> {
        let mut expected = BTreeMap::new();
        for (key, count) in keys {
            *expected.entry(*key).or_default() += count;
        }
        expected
    }

    #[test]
    fn more_runs_than_are_merged_at_once_give_the_same_counts() {
        let keys: Vec<(u128, u64)> = (0..20_000).map(|n| (((n * 7_919) % 5_003) << 60, 1)).collect();
        let (found, runs) = counts(&keys, 2);
        assert!(runs > FAN_IN * FAN_IN, "{runs}");
        assert_eq!(found, expected(&keys));
        assert_eq!(counts(&keys, 100_000), (found, 0));
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(64))]
        #[test]
        fn the_counts_are_those_of_a_map_whatever_the_memory(
            keys in prop::collection::vec((prop_oneof![0..50_u128, any::<u128>()], 1..5_u64), 0..1_000),
            most_keys in 1..200_usize,
        ) {
            prop_assert_eq!(counts(&keys, most_keys).0, expected(&keys));
        }
    }
}
