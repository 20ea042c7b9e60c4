//! All input files, read in order.

use std::fs::File;
use std::io::{self, Read};
use std::ops::ControlFlow;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::UNIX_EPOCH;

use serde::{Deserialize, Serialize};

use super::batch::{Batch, Batcher};
use super::format::{Format, TELLING_BYTES};
use super::lookahead::Lookahead;
use super::packed::Unpacked;
use super::parquet_file::BytesRead;
use super::place::{At, Fault};
use super::reading::Reading;
use super::walk::{Found, InputError, Source, Walk};
use super::{arc, csv, json_values, lines, parquet_file, records, whole_file};

/// The files to read, in order.
#[derive(Debug)]
pub struct Inputs {
    found: Vec<Found>,
    format: Option<Format>,
    left_out: u64,
}

/// What tells whether a file is still the same.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct FileState {
    /// Its path as the argument gives it, or below a folder argument.
    pub name: String,
    /// Its size.
    pub bytes: u64,
    /// When it was changed last, in nanoseconds since the Unix epoch; `None` if the system does not know.
    pub changed_ns: Option<u64>,
}

impl FileState {
    fn of(name: &str, path: &Path) -> std::io::Result<Self> {
        let metadata = path.metadata()?;
        let changed = metadata
            .modified()
            .ok()
            .and_then(|at| at.duration_since(UNIX_EPOCH).ok());
        Ok(Self {
            name: name.to_owned(),
            bytes: metadata.len(),
            changed_ns: changed.and_then(|since| u64::try_from(since.as_nanos()).ok()),
        })
    }
}

impl Inputs {
    /// Finds the files in `arguments`: files, folders, and `-` for standard input.
    ///
    /// A folder is read recursively, in the order of names, without hidden entries, links to folders and files in `outputs`. Without
    /// `format` it is also read without files whose name has no known ending. The index of WARC files is not read.
    ///
    /// # Errors
    /// An argument does not exist, or is one of `outputs`.
    pub fn find(arguments: &[PathBuf], format: Option<Format>, outputs: &[PathBuf]) -> Result<Self, InputError> {
        let mut walk = Walk::new(format, outputs);
        arguments.iter().try_for_each(|argument| walk.add(argument))?;
        Ok(Self {
            found: walk.found,
            format,
            left_out: walk.left_out,
        })
    }

    /// Bytes of all files on disk; `None` if an input is not a file.
    #[must_use]
    pub fn total_bytes(&self) -> Option<u64> {
        let sizes = self.found.iter().map(|found| match found {
            Found::Source(source) => source.bytes,
            Found::Fault(_) => Some(0),
        });
        sizes.sum()
    }

    /// The files as they are now, in order; `None` if an input is a stream.
    ///
    /// # Errors
    /// A file is gone.
    pub fn state(&self) -> std::io::Result<Option<Vec<FileState>>> {
        let states = self.found.iter().filter_map(|found| match found {
            Found::Source(source) => Some(source),
            // It has no document.
            Found::Fault(_) => None,
        });
        states
            .map(|source| match &source.path {
                Some(path) if source.bytes.is_some() => FileState::of(&source.name, path).map(Some),
                _ => Ok(None),
            })
            .collect()
    }

    /// Files in folders that are not read because their names have no known ending.
    #[must_use]
    pub fn left_out(&self) -> u64 {
        self.left_out
    }

    /// Reads all files in order until `deliver` breaks. Adds the bytes read from disk to `bytes_read`.
    pub fn read(
        &self,
        reading: &Reading,
        bytes_read: &AtomicU64,
        deliver: &mut dyn FnMut(Batch) -> ControlFlow<()>,
    ) -> ControlFlow<()> {
        let mut batcher = Batcher::new(deliver);
        for found in &self.found {
            match found {
                Found::Source(source) => self.read_source(source, reading, bytes_read, &mut batcher)?,
                Found::Fault(fault) => batcher.fault(fault.clone())?,
            }
        }
        batcher.flush()
    }

    fn read_source(
        &self,
        source: &Source,
        reading: &Reading,
        bytes_read: &AtomicU64,
        batcher: &mut Batcher<'_>,
    ) -> ControlFlow<()> {
        let before = bytes_read.load(Ordering::Relaxed);
        let (mut input, format) = match self.open(source, bytes_read) {
            Ok((_, Err(reason))) => return batcher.fault(Fault::new(source.place(At::Whole), reason)),
            Ok((input, Ok(format))) => (input, format),
            Err(error) => return batcher.fault(source.failed(&error)),
        };
        let limits = reading.limits;
        match format {
            Format::Jsonl => lines::read(&mut input, source, limits, false, batcher),
            Format::Text if reading.splits_lines => lines::read(&mut input, source, limits, true, batcher),
            Format::Csv => csv::read(&mut input, source, csv::Separator::Guessed, reading, batcher),
            Format::Tsv => csv::read(&mut input, source, csv::Separator::Tab, reading, batcher),
            Format::Parquet => {
                let bytes_read = BytesRead {
                    counter: bytes_read,
                    of_file: bytes_read.load(Ordering::Relaxed) - before,
                };
                parquet_file::read(source, reading, &bytes_read, batcher)
            }
            Format::Json => json_values::read(&mut input, source, limits, batcher),
            Format::Warc => records::read(input, source, limits, batcher),
            Format::Arc => arc::read(input, source, limits, batcher),
            Format::Text | Format::Html | Format::Mime | Format::Document(_) => {
                whole_file::read(input, source, format, reading, batcher)
            }
        }
    }

    /// Opens a file, and tells its format, or why it is not read.
    fn open<'a>(&self, source: &Source, bytes_read: &'a AtomicU64) -> io::Result<(Opened<'a>, Result<Format, String>)> {
        let input: Box<dyn Read> = match &source.path {
            Some(path) => Box::new(File::open(path)?),
            None => Box::new(io::stdin()),
        };
        let mut input = Lookahead::new(Unpacked::new(Counted { input, bytes_read })?);
        let start = input.peek(TELLING_BYTES)?;
        let format = match self.format {
            Some(format) => Ok(format),
            None => Format::of_content(start, source.path.as_deref()),
        };
        Ok((input, format))
    }
}

/// A decompressed file.
type Opened<'a> = Lookahead<Unpacked<Counted<'a>>>;

/// An input that counts the bytes read.
struct Counted<'a> {
    input: Box<dyn Read>,
    bytes_read: &'a AtomicU64,
}

impl Read for Counted<'_> {
    fn read(&mut self, into: &mut [u8]) -> io::Result<usize> {
        let length = self.input.read(into)?;
        self.bytes_read.fetch_add(length as u64, Ordering::Relaxed);
        Ok(length)
    }
}
