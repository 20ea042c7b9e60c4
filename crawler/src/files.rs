//! Which documents do files hold?
//!
//! Documents from files: JSON lines, WARC and WET, text, HTML, folders of them and standard input, packed or not.
//!
//! ```text
//! arguments ─▶ walk ─▶ lookahead · packed ─▶ format ─▶ lines · records · whole files ─▶ batch ┊─▶ document
//!              files    gzip and zstd         which     cut, not understood                   ┊   understood
//!                       undone                form                                            ┊
//!                                             one thread                                      ┊   any thread
//! ```
//!
//! Left of the dotted line everything is in input order, streamed, and cheap: [`Inputs::read`] hands over [`Batch`]es of
//! some 256 kB. What costs (JSON, HTML, encodings) is done by [`Batch::documents`], on whatever thread has time.
//!
//! What cannot be read is a [`Fault`] with its place, among the documents and in their order; it never ends the reading.
//! No line, record or file longer than [`Limits::max_document_bytes`] is held in memory.
//!
//! - `walk`: from arguments to files in a fixed order; [`format`](mod@format): which form a file has
//! - `lookahead`, `packed`: bytes to be looked at before they are read; gzip and zstd undone, damage stepped over
//! - `lines`, `records`, `http`: JSON lines cut at line ends; WARC records; the HTTP head in them
//! - [`batch`]: what is handed over; [`document`]: what it says; `json_line`, `page`: one line, one page
//! - [`place`]: where something stands, and what is wrong there
//!
//! Uses: page, storage, web.

pub mod batch;
pub mod document;
pub mod format;
mod http;
mod json_line;
mod lines;
mod lookahead;
mod packed;
mod page;
pub mod place;
mod records;
mod walk;

use std::fs::File;
use std::io::{self, BufRead, BufReader, Read};
use std::ops::ControlFlow;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use self::batch::{Batcher, Body};
use self::lookahead::Lookahead;
use self::packed::Unpacked;
use self::walk::{Found, Source};

pub use self::batch::Batch;
pub use self::document::{Document, Fields};
pub use self::format::Format;
pub use self::page::PLACEHOLDER;
pub use self::place::{At, Fault, Place};
pub use self::walk::InputError;

/// A file as it reads without gzip and zstd, whichever its content shows.
///
/// # Errors
/// It cannot be opened.
pub fn open_unpacked(path: &Path) -> io::Result<impl BufRead> {
    unpacked(File::open(path)?)
}

/// What `input` reads as without gzip and zstd, whichever its content shows.
///
/// # Errors
/// Its beginning cannot be read.
pub fn unpacked(input: impl Read) -> io::Result<impl BufRead> {
    Ok(BufReader::new(Unpacked::new(input)?))
}

/// Shows `each` the document that a JSON line is, or why it is none. One without an id has the id `null`.
pub fn json_line<T>(line: &[u8], fields: &Fields, each: impl FnOnce(Result<Document<'_>, String>) -> T) -> T {
    let mut unescaped = String::new();
    let read = json_line::Line::read(line, fields, &mut unescaped);
    each(match &read {
        Ok(read) => Ok(Document {
            id: read.id.unwrap_or("null"),
            text: read.text,
            title: read.title.as_deref(),
            url: read.url.as_deref(),
            line: Some(line),
        }),
        Err(reason) => Err(reason.clone()),
    })
}

/// Longest line, record or file that is read unless another limit is set: 64 MiB.
pub const DEFAULT_MAX_DOCUMENT_BYTES: usize = 64 << 20;

/// Bounds of what is read.
#[derive(Debug, Clone, Copy)]
pub struct Limits {
    /// Bytes of a line, a WARC record or a file, unpacked, and of an HTTP body again without its codings. What is longer is
    /// a fault.
    pub max_document_bytes: usize,
}

impl Default for Limits {
    fn default() -> Self {
        Self {
            max_document_bytes: DEFAULT_MAX_DOCUMENT_BYTES,
        }
    }
}

/// The files to be read, in order.
#[derive(Debug)]
pub struct Inputs {
    found: Vec<Found>,
    format: Option<Format>,
    left_out: u64,
}

impl Inputs {
    /// Finds the files that `arguments` name: files, folders, and `-` for standard input. Folders are gone through
    /// recursively, by name; hidden entries and links to folders are passed over, and so are files whose name does not
    /// tell of a known form, unless `format` says what they are. Files in `outputs` are never read.
    ///
    /// # Errors
    /// An argument names nothing, or one of `outputs`.
    pub fn find(arguments: &[PathBuf], format: Option<Format>, outputs: &[PathBuf]) -> Result<Self, InputError> {
        let mut walk = walk::Walk::new(format.is_some(), outputs);
        arguments.iter().try_for_each(|argument| walk.add(argument))?;
        Ok(Self {
            found: walk.found,
            format,
            left_out: walk.left_out,
        })
    }

    /// Bytes of all files as they lie on disk; `None` where an input is no file.
    #[must_use]
    pub fn total_bytes(&self) -> Option<u64> {
        let sizes = self.found.iter().map(|found| match found {
            Found::Source(source) => source.bytes,
            Found::Fault(_) => Some(0),
        });
        sizes.sum()
    }

    /// Files in folders that were passed over because their names tell of no known form.
    #[must_use]
    pub fn left_out(&self) -> u64 {
        self.left_out
    }

    /// Reads everything, in order, until `deliver` breaks off. Counts the bytes read, as they lie on disk, in `bytes_read`.
    pub fn read(
        &self,
        limits: Limits,
        bytes_read: &AtomicU64,
        deliver: &mut dyn FnMut(Batch) -> ControlFlow<()>,
    ) -> ControlFlow<()> {
        let mut batcher = Batcher::new(deliver);
        for found in &self.found {
            match found {
                Found::Source(source) => self.read_source(source, limits, bytes_read, &mut batcher)?,
                Found::Fault(fault) => batcher.fault(fault.clone())?,
            }
        }
        batcher.flush()
    }

    fn read_source(
        &self,
        source: &Source,
        limits: Limits,
        bytes_read: &AtomicU64,
        batcher: &mut Batcher<'_>,
    ) -> ControlFlow<()> {
        let (mut input, format) = match self.open(source, bytes_read) {
            Ok((_, None)) => return batcher.fault(Fault::new(source.place(At::Whole), "it is neither text nor WARC")),
            Ok((input, Some(format))) => (input, format),
            Err(error) => return batcher.fault(source.failed(&error)),
        };
        match format {
            Format::Jsonl => lines::read(&mut input, source, limits, batcher),
            Format::Warc => records::read(input, source, limits, batcher),
            Format::Text => read_whole(input, source, Format::Text, limits, batcher),
            Format::Html => read_whole(input, source, Format::Html, limits, batcher),
        }
    }

    fn open<'a>(&self, source: &Source, bytes_read: &'a AtomicU64) -> io::Result<(Opened<'a>, Option<Format>)> {
        let input: Box<dyn Read> = match &source.path {
            Some(path) => Box::new(File::open(path)?),
            None => Box::new(io::stdin()),
        };
        let mut input = Lookahead::new(Unpacked::new(Counted { input, bytes_read })?);
        let start = input.peek(format::TELLING_BYTES)?;
        let by_name = source.path.as_deref().and_then(Format::of_name);
        let format = self.format.or_else(|| Format::of_content(start, by_name));
        Ok((input, format))
    }
}

/// A file, unpacked.
type Opened<'a> = Lookahead<Unpacked<Counted<'a>>>;

/// A page or a text that is a file of its own.
fn read_whole(
    input: impl Read,
    source: &Source,
    format: Format,
    limits: Limits,
    batcher: &mut Batcher<'_>,
) -> ControlFlow<()> {
    let limit = limits.max_document_bytes;
    let mut bytes = Vec::new();
    match input.take(limit as u64 + 1).read_to_end(&mut bytes) {
        Ok(length) if length > limit => batcher.fault(Fault::too_long(source.place(At::Whole), limit)),
        Ok(_) => batcher.body(Body {
            place: source.place(At::Whole),
            id: Some(source.name.to_string()),
            url: None,
            content_type: format.media_type().to_owned(),
            codings: None,
            digest: None,
            head_bytes: 0,
            bytes: bytes.into(),
        }),
        Err(error) => batcher.fault(source.failed(&error)),
    }
}

/// Counts what is read.
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

impl Source {
    fn place(&self, at: At) -> Place {
        Place {
            source: Arc::clone(&self.name),
            at,
        }
    }

    /// The fault that an error of this input is.
    fn failed(&self, error: &io::Error) -> Fault {
        match packed::damage_of(error) {
            Some(damage) => Fault::new(self.place(At::Byte(damage.at)), damage.to_string()),
            None => Fault::new(self.place(At::Whole), format!("it cannot be read: {error}")),
        }
    }
}
