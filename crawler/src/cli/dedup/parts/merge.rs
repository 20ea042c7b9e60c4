//! The merge of sorted runs of keys.

use std::cmp::Reverse;
use std::collections::BinaryHeap;

use dedup::{DedupError, Rows};

use super::counted::Counted;

/// Where the reading of a run is.
#[derive(Debug)]
pub(super) struct Cursor {
    keys: std::vec::IntoIter<Counted>,
    /// The rows of the run, and the number of the next one.
    rest: (Rows, usize),
}

impl Cursor {
    pub(super) fn of_memory(keys: Vec<Counted>) -> Self {
        Self {
            keys: keys.into_iter(),
            rest: Default::default(),
        }
    }

    pub(super) fn of_file(run: Rows) -> Self {
        Self {
            keys: Vec::new().into_iter(),
            rest: (run, 0),
        }
    }

    fn next(&mut self) -> Result<Option<Counted>, DedupError> {
        if let Some(counted) = self.keys.next() {
            return Ok(Some(counted));
        }
        let (rows, number) = &mut self.rest;
        let Some(row) = rows.get(*number)? else {
            return Ok(None);
        };
        *number += 1;
        self.keys = Counted::read_all(&row).collect::<Vec<_>>().into_iter();
        Ok(self.keys.next())
    }
}

/// Merges runs, and adds up equal keys.
#[derive(Debug)]
pub(super) struct Merge {
    cursors: Vec<Cursor>,
    /// The next key of each run, with the number of the run.
    first: BinaryHeap<Reverse<(Counted, usize)>>,
}

impl Merge {
    pub(super) fn new(cursors: Vec<Cursor>) -> Result<Self, DedupError> {
        let (all, first) = (0..cursors.len(), BinaryHeap::new());
        let mut merge = Self { cursors, first };
        for number in all {
            merge.refill(number)?;
        }
        Ok(merge)
    }

    fn refill(&mut self, number: usize) -> Result<(), DedupError> {
        if let Some(next) = self.cursors[number].next()? {
            self.first.push(Reverse((next, number)));
        }
        Ok(())
    }

    /// The next key with its count.
    ///
    /// # Errors
    /// The temporary file cannot be read.
    pub(super) fn next(&mut self) -> Result<Option<Counted>, DedupError> {
        let Some(Reverse((mut counted, number))) = self.first.pop() else {
            return Ok(None);
        };
        self.refill(number)?;
        while let Some(Reverse((next, number))) = self.first.peek().copied()
            && next.key == counted.key
        {
            counted.count += next.count;
            self.first.pop();
            self.refill(number)?;
        }
        Ok(Some(counted))
    }
}
