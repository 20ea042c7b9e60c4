//! All input files, read in order.

use std::io::{self, Read};
use std::ops::ControlFlow;
use std::path::PathBuf;
use std::sync::atomic::{AtomicU64, Ordering};

use super::batch::{Batch, Batcher};
use super::format::{Format, TELLING_BYTES};
use super::lookahead::Lookahead;
use super::packed::Unpacked;
use super::parquet_file::{BytesRead, Table, TableError};
use super::place::{At, Fault};
use super::reading::Reading;
use super::state::FileState;
use super::walk::{Found, InputError, Source, Walk};
use super::{arc, csv, json_values, lines, parquet_file, records, whole_file};

/// The files to read, in order.
#[derive(Debug)]
pub struct Inputs {
    found: Vec<Found>,
    format: Option<Format>,
    left_out: u64,
}

impl Inputs {
    /// Finds the files in `arguments`: files, folders, URLs of object stores ([`archive::is_store`]), and `-` for standard input.
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
        self.sources()
            .map(|source| match source.bytes {
                Some(_) => FileState::of(source),
                None => Ok(None),
            })
            .collect()
    }

    /// The files as a table whose rows can be copied. Without `id_field`, ids may be anything.
    ///
    /// # Errors
    /// A file is no Parquet file, or has other columns than the first one; or none can be read.
    pub fn table(&self, id_field: Option<&str>) -> Result<Table, TableError> {
        Table::of(self.sources(), id_field)
    }

    /// The files, in order.
    fn sources(&self) -> impl Iterator<Item = &Source> {
        self.found.iter().filter_map(|found| match found {
            Found::Source(source) => Some(source),
            // It has no document.
            Found::Fault(_) => None,
        })
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
        let input = source.origin.open()?;
        let mut input = Lookahead::new(Unpacked::new(Counted { input, bytes_read })?);
        let start = input.peek(TELLING_BYTES)?;
        let format = match self.format {
            Some(format) => Ok(format),
            None => Format::of_content(start, source.origin.path()),
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
