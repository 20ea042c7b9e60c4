//! Sorts lines in bounded memory: sorts runs that fit into memory, writes them to temporary files, and merges these.

use std::cmp::Reverse;
use std::collections::BinaryHeap;
use std::fs::File;
use std::io::{self, BufRead, BufReader, BufWriter, Seek, Write};
use std::path::{Path, PathBuf};

use crate::error::StorageError;

/// Upper bound on the lines of a run, in bytes of memory.
const RUN_BYTES: usize = 32 << 20;

/// Upper bound on the runs in a merge: each needs an open file and a buffer.
const MAX_RUNS: usize = 64;

/// Memory for a line besides its text, in bytes.
const LINE_BYTES: usize = size_of::<String>() + 16;

/// Collects lines to sort.
pub(super) struct Runs {
    dir: PathBuf,
    lines: Vec<String>,
    bytes: usize,
    run_bytes: usize,
    /// Sorted runs, with line ends. The files have no names, so they disappear with the process even if it is killed.
    files: Vec<File>,
    /// A run that was sorted before.
    given: Option<io::Lines<BufReader<File>>>,
}

/// Iterates over lines in bytewise order.
pub struct SortedLines {
    dir: PathBuf,
    /// The first line of each run, with the index of the run.
    heads: BinaryHeap<Reverse<(String, usize)>>,
    runs: Vec<Run>,
}

enum Run {
    Memory(std::vec::IntoIter<String>),
    File(io::Lines<BufReader<File>>),
}

impl Runs {
    pub fn new(dir: &Path) -> Self {
        Self {
            dir: dir.to_owned(),
            lines: Vec::new(),
            bytes: 0,
            run_bytes: RUN_BYTES,
            files: Vec::new(),
            given: None,
        }
    }

    /// Adds a line, which must have no line end.
    pub fn push(&mut self, line: String) -> Result<(), StorageError> {
        self.bytes += line.len() + LINE_BYTES;
        self.lines.push(line);
        if self.bytes < self.run_bytes {
            return Ok(());
        }
        self.bytes = 0;
        self.lines.sort_unstable();
        let lines = std::mem::take(&mut self.lines);
        self.spill(lines.into_iter().map(Ok))?;
        if self.files.len() < MAX_RUNS {
            return Ok(());
        }
        let merged = SortedLines::merge(self.dir.clone(), std::mem::take(&mut self.files), Vec::new(), None)?;
        self.spill(merged)
    }

    /// Adds lines that are sorted already.
    pub fn add_sorted(&mut self, lines: io::Lines<BufReader<File>>) {
        self.given = Some(lines);
    }

    /// All lines in order.
    pub fn sorted(mut self) -> Result<SortedLines, StorageError> {
        self.lines.sort_unstable();
        SortedLines::merge(self.dir, self.files, self.lines, self.given)
    }

    fn spill(&mut self, lines: impl Iterator<Item = Result<String, StorageError>>) -> Result<(), StorageError> {
        let failed = |source| StorageError::io("write a temporary file in", &self.dir, source);
        let mut out = BufWriter::new(tempfile::tempfile_in(&self.dir).map_err(failed)?);
        for line in lines {
            writeln!(out, "{}", line?).map_err(failed)?;
        }
        let mut file = out.into_inner().map_err(|error| failed(error.into_error()))?;
        file.rewind().map_err(failed)?;
        self.files.push(file);
        Ok(())
    }
}

impl SortedLines {
    fn merge(
        dir: PathBuf,
        files: Vec<File>,
        lines: Vec<String>,
        given: Option<io::Lines<BufReader<File>>>,
    ) -> Result<Self, StorageError> {
        let files = files.into_iter().map(|file| BufReader::new(file).lines());
        let files = files.chain(given).map(Run::File);
        let mut merged = Self {
            dir,
            heads: BinaryHeap::new(),
            runs: files.chain([Run::Memory(lines.into_iter())]).collect(),
        };
        for run in 0..merged.runs.len() {
            merged.advance(run)?;
        }
        Ok(merged)
    }

    fn advance(&mut self, run: usize) -> Result<(), StorageError> {
        let line = match &mut self.runs[run] {
            Run::Memory(lines) => lines.next(),
            Run::File(lines) => lines
                .next()
                .transpose()
                .map_err(|source| StorageError::io("read the sorted lines in", &self.dir, source))?,
        };
        self.heads.extend(line.map(|line| Reverse((line, run))));
        Ok(())
    }
}

impl Iterator for SortedLines {
    type Item = Result<String, StorageError>;

    fn next(&mut self) -> Option<Self::Item> {
        let Reverse((line, run)) = self.heads.pop()?;
        Some(self.advance(run).map(|()| line))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_of_many_runs_come_in_order_and_leave_no_files() {
        let dir = tempfile::tempdir().unwrap();
        for (count, run_bytes) in [(0_u64, 1_000), (10, 1_000_000), (5_000, 500), (3_000, 1)] {
            let mut runs = Runs {
                run_bytes,
                ..Runs::new(dir.path())
            };
            let lines = |n: u64| format!("{:08x} {n}", n.wrapping_mul(2_654_435_761) % 1_000_003);
            for n in 0..count {
                runs.push(lines(n)).unwrap();
                assert!(runs.files.len() < MAX_RUNS);
            }
            let sorted: Vec<String> = runs.sorted().unwrap().map(Result::unwrap).collect();
            let mut expected: Vec<String> = (0..count).map(lines).collect();
            expected.sort();
            assert_eq!(sorted, expected);
        }
        assert_eq!(std::fs::read_dir(dir.path()).unwrap().count(), 0);
    }
}
