//! Which documents do files contain?
//!
//! The files are JSON, CSV, Parquet, WARC, WET, ARC, text, HTML or other documents, optionally compressed, in folders or on standard input.
//!
//! ```text
//! arguments ─▶ walk ─▶ lookahead · packed ─▶ format ─▶ lines · records · whole files ─▶ batch ┊─▶ document
//!              files    gzip and zstd         file      cut into pieces                       ┊   parsed
//!                       decompressed          format                                          ┊
//!                                             one thread                                      ┊   any thread
//! ```
//!
//! The steps left of the dotted line run in input order and are cheap: [`Inputs::read`] delivers [`Batch`]es of about 256 kB. The
//! expensive steps (JSON, HTML, encodings) are in [`Batch::documents`], which runs on any thread.
//!
//! An unreadable piece is a [`Fault`] with its place, in order among the documents; it never ends the reading. No line, record or file
//! longer than [`InputLimits::max_document_bytes`] stays in memory.
//!
//! - `inputs`: all files in order; `state`: whether they are still the same; `walk`: from arguments to files; `format`: the format of a file
//! - `lookahead`: input with a peek; `chunk`: its next bytes; `packed`: decompression past damage
//! - `refused`: files that are not read, and what to do with them
//! - `lines`, `json_values`: JSON lines cut at line ends; JSON in another layout cut into its records;
//!   `json_layout` tells them apart
//! - `csv`, `parquet_file`: rows of tables, as JSON objects; `field_names`: which fields a record has, if it lacks its text
//! - `whole_file`: a file that is one document
//! - `records`, `arc`, `http`: WARC records; ARC records; the HTTP head in both
//! - `mime`: the page in a MIME message
//! - `batch`: pieces for other threads; `body`: a page or a text in a batch
//! - `document`: the result; `json_line`, `page`: how a line or a page becomes a document
//! - `place`: the place of a document or a fault; `reading`, `limits`: settings and bounds

mod arc;
mod batch;
mod body;
mod chunk;
mod csv;
mod document;
mod field_names;
mod format;
mod http;
mod inputs;
mod json_layout;
mod json_line;
mod json_values;
mod limits;
mod lines;
mod lookahead;
mod mime;
mod not_utf8;
mod packed;
mod page;
mod parquet_file;
mod place;
mod reading;
mod records;
mod refused;
mod state;
mod walk;
mod whole_file;

use std::fs::File;
use std::io::{self, BufRead, BufReader, Read};
use std::ops::Range;
use std::path::Path;

use self::packed::Unpacked;

pub use self::batch::Batch;
pub use self::document::json_string;
pub use self::document::{Document, Fields, Row};
pub use self::format::Format;
pub use self::inputs::Inputs;
pub use self::limits::{DEFAULT_MAX_DOCUMENT_BYTES, InputLimits};
pub use self::mime::main_part;
pub use self::page::PLACEHOLDER;
pub use self::parquet_file::{AddedColumn, AddedKind, Table, TableError, copy_rows, row_line};
pub use self::place::{At, Fault, Place};
pub use self::reading::Reading;
pub use self::state::FileState;
pub use self::walk::InputError;

/// Opens a file and decompresses gzip and zstd, which it detects by content.
///
/// # Errors
/// The file cannot be opened.
pub fn open_unpacked(path: &Path) -> io::Result<impl BufRead> {
    unpacked(File::open(path)?)
}

/// Decompresses gzip and zstd, which it detects by content.
///
/// # Errors
/// The beginning of `input` cannot be read.
pub fn unpacked(input: impl Read) -> io::Result<impl BufRead> {
    Ok(BufReader::new(Unpacked::new(input)?))
}

/// Length, status and media type of the HTTP head at the start of a WARC record's block; `None` if there is none.
#[must_use]
pub fn http_head(block: &[u8]) -> Option<(usize, u16, Option<String>)> {
    let head = http::Head::read(block)?;
    Some((head.bytes, head.status, head.field("Content-Type").map(str::to_owned)))
}

/// Calls `each` with the document in a JSON line, or with the reason for none. A document without an id gets the id `null`.
pub fn json_line<T>(line: &[u8], fields: &Fields, each: impl FnOnce(Result<Document<'_>, String>) -> T) -> T {
    let mut scratch = json_line::Scratch::default();
    let read = json_line::JsonLine::read(line, fields, &mut scratch);
    each(match &read {
        Ok(read) => Ok(Document {
            id: read.id.unwrap_or("null"),
            text: read.text,
            title: read.title.as_deref(),
            heading: None,
            group: read.group.as_deref(),
            score: read.score.as_deref(),
            url: read.url.as_deref(),
            line: Some(line),
            row: None,
            wall: None,
        }),
        Err(refusal) => Err(refusal.reason.clone()),
    })
}

/// The bytes of a [`Document::line`] that are its text: a string of JSON, with its quotes. `None` if it has none.
#[must_use]
pub fn text_place(line: &[u8], fields: &Fields) -> Option<Range<usize>> {
    json_line::text_place(line, fields)
}
