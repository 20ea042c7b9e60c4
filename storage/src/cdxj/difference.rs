//! Compares `warc/index.cdxj` with the catalogue, line by line, in both directions.

use std::cmp::Ordering;
use std::fs::File;
use std::io::{BufRead, BufReader, ErrorKind, Read};
use std::path::Path;

use super::file::path_of;
use super::{SortedLines, lines, place_of};
use crate::error::StorageError;
use crate::store::Store;
use crate::warc::location::WarcEnd;

/// Upper bound on the bytes of a line. The longest URL, escaped, takes a third of the bound.
const MAX_LINE_BYTES: u64 = 1 << 20;

/// A fault of the index.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Difference {
    /// The file is missing, although the crawl has written it.
    NoFile,
    /// No capture has this line. The fault holds the part of the line that is text.
    Wrong { number: u64, line: String },
    /// A capture's line is missing.
    Missing { line: String },
    /// A line is not greater than the line before.
    NotSorted { number: u64 },
    /// The last line has no line end.
    Cut,
}

/// Passes each difference between the index and the catalogue to `tell`. Returns whether it compared the index. It does not before the
/// first run has written the index, because the next run then writes the whole index.
///
/// # Errors
/// Errors of the state; [`StorageError::Io`] if the file cannot be read.
pub(crate) fn difference(store: &Store, tell: &mut dyn FnMut(Difference)) -> Result<bool, StorageError> {
    let Some(indexed) = store.archive().indexed()? else {
        return Ok(false);
    };
    let path = path_of(store);
    let file = match File::open(&path) {
        Ok(file) => file,
        Err(error) if error.kind() == ErrorKind::NotFound => {
            tell(Difference::NoFile);
            return Ok(true);
        }
        Err(source) => return Err(StorageError::io("read", path, source)),
    };
    let expected = Expected::new(lines(store, |_, _| true)?)?;
    Comparison {
        path: &path,
        file: Lines::of(file),
        expected,
        covered: indexed.archive,
    }
    .run(tell)?;
    Ok(true)
}

/// The lines of the catalogue, each once.
struct Expected {
    lines: SortedLines,
    next: Option<String>,
}

impl Expected {
    fn new(mut lines: SortedLines) -> Result<Self, StorageError> {
        let next = lines.next().transpose()?;
        Ok(Self { lines, next })
    }

    fn take(&mut self) -> Result<Option<String>, StorageError> {
        let taken = self.next.take();
        loop {
            self.next = self.lines.next().transpose()?;
            if self.next.is_none() || self.next != taken {
                return Ok(taken);
            }
        }
    }
}

/// The lines of the file with their numbers.
struct Lines {
    input: BufReader<File>,
    number: u64,
}

struct Line {
    number: u64,
    bytes: Vec<u8>,
    is_cut: bool,
}

impl Lines {
    fn of(file: File) -> Self {
        Self {
            input: BufReader::new(file),
            number: 0,
        }
    }

    fn next(&mut self) -> std::io::Result<Option<Line>> {
        let mut bytes = Vec::new();
        self.input.by_ref().take(MAX_LINE_BYTES).read_until(b'\n', &mut bytes)?;
        if bytes.is_empty() {
            return Ok(None);
        }
        self.number += 1;
        let is_cut = bytes.pop_if(|last| *last == b'\n').is_none();
        Ok(Some(Line {
            number: self.number,
            bytes,
            is_cut,
        }))
    }
}

struct Comparison<'a> {
    path: &'a Path,
    file: Lines,
    expected: Expected,
    /// A killed run may have left captures after this place. The next run adds their lines.
    covered: WarcEnd,
}

impl Comparison<'_> {
    fn run(mut self, tell: &mut dyn FnMut(Difference)) -> Result<(), StorageError> {
        let mut before = Vec::new();
        while let Some(line) = self
            .file
            .next()
            .map_err(|source| StorageError::io("read", self.path, source))?
        {
            if line.number > 1 && line.bytes <= before {
                tell(Difference::NotSorted { number: line.number });
            }
            if line.is_cut {
                tell(Difference::Cut);
            }
            self.compare(&line, tell)?;
            before = line.bytes;
        }
        while let Some(line) = self.expected.take()? {
            self.missing(line, tell);
        }
        Ok(())
    }

    /// Compares a line of the file with all lines of the catalogue that are not greater than it.
    fn compare(&mut self, line: &Line, tell: &mut dyn FnMut(Difference)) -> Result<(), StorageError> {
        loop {
            let order = self.expected.next.as_ref().map(|next| next.as_bytes().cmp(&line.bytes));
            match order {
                Some(Ordering::Equal) => {
                    self.expected.take()?;
                    return Ok(());
                }
                Some(Ordering::Less) => {
                    if let Some(line) = self.expected.take()? {
                        self.missing(line, tell);
                    }
                }
                Some(Ordering::Greater) | None => {
                    tell(Difference::Wrong {
                        number: line.number,
                        line: String::from_utf8_lossy(&line.bytes).into_owned(),
                    });
                    return Ok(());
                }
            }
        }
    }

    fn missing(&self, line: String, tell: &mut dyn FnMut(Difference)) {
        let covered = (self.covered.file, self.covered.offset);
        if place_of(&line).is_none_or(|place| place < covered) {
            tell(Difference::Missing { line });
        }
    }
}
