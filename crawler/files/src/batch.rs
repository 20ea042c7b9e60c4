//! Batches of unparsed pieces, which the reading thread delivers in input order.

use std::hash::{Hash, Hasher};
use std::ops::ControlFlow;
use std::sync::Arc;

use super::body::Body;
use super::document::{self, Document, Row};
use super::json_layout::on_one_line;
use super::json_line::{JsonLine, Scratch};
use super::not_utf8::not_utf8;
use super::page;
use super::place::{At, Fault, Place};
use super::reading::Reading;

/// A batch is complete with this many bytes.
pub(super) const BATCH_BYTES: usize = 256 * 1024;

/// Approximate memory of a piece besides its bytes.
const PIECE_BYTES: usize = 200;

/// Unparsed documents.
#[derive(Debug)]
pub struct Batch {
    pieces: Vec<Piece>,
    memory_bytes: usize,
}

#[derive(Debug, Hash)]
enum Piece {
    Lines(Lines),
    Records(Records),
    Body(Box<Body>),
    Fault(Fault),
}

/// Whole lines of one file.
#[derive(Debug, Hash)]
pub(super) struct Lines {
    pub source: Arc<str>,
    /// The number of the first line, counted from 1.
    pub first_line: u64,
    pub bytes: Vec<u8>,
    /// Each line is a text, and no JSON.
    pub are_texts: bool,
}

/// Records of one file, one after the other: JSON that is not one object on each line, and rows of tables as JSON objects.
#[derive(Debug, Hash)]
pub(super) struct Records {
    source: Arc<str>,
    /// The number of the source.
    file: usize,
    bytes: Vec<u8>,
    /// Where each record is in the file, and where it ends in `bytes`.
    ends: Vec<(At, usize)>,
}

impl Records {
    /// No records of the file with this name and number.
    pub fn new(source: &Arc<str>, file: usize) -> Self {
        Self {
            source: Arc::clone(source),
            file,
            bytes: Vec::new(),
            ends: Vec::new(),
        }
    }

    pub(super) fn push(&mut self, at: At, record: &[u8]) {
        self.push_with(at, |bytes| bytes.extend_from_slice(record));
    }

    /// Adds the record that `write` appends.
    pub(super) fn push_with(&mut self, at: At, write: impl FnOnce(&mut Vec<u8>)) {
        write(&mut self.bytes);
        self.ends.push((at, self.bytes.len()));
    }

    /// Whether a batch is complete with these records.
    pub(super) fn are_many(&self) -> bool {
        self.memory_bytes() >= BATCH_BYTES
    }

    fn memory_bytes(&self) -> usize {
        self.bytes.capacity() + self.ends.capacity() * size_of::<(At, usize)>()
    }

    /// Each record with its place.
    fn iter(&self) -> impl Iterator<Item = (At, &[u8])> {
        let starts = std::iter::once(0).chain(self.ends.iter().map(|(_, end)| *end));
        starts
            .zip(&self.ends)
            .map(|(start, (at, end))| (*at, &self.bytes[start..*end]))
    }
}

impl Batch {
    /// Approximate memory of the batch.
    #[must_use]
    pub fn memory_bytes(&self) -> usize {
        self.memory_bytes
    }

    /// Hashes all that the batch holds, with the places.
    pub fn hash_into(&self, state: &mut impl Hasher) {
        self.pieces.hash(state);
    }

    /// Calls `each` with every document or fault, in input order. Blank lines are neither.
    pub fn documents(&self, reading: &Reading, each: &mut dyn FnMut(Result<Document<'_>, Fault>)) {
        for piece in &self.pieces {
            match piece {
                Piece::Lines(lines) => lines.documents(reading, each),
                Piece::Records(records) => records_documents(records, reading, each),
                Piece::Body(body) => page::document(body, reading, each),
                Piece::Fault(fault) => each(Err(fault.clone())),
            }
        }
    }
}

impl Lines {
    fn documents(&self, reading: &Reading, each: &mut dyn FnMut(Result<Document<'_>, Fault>)) {
        let mut scratch = Scratch::default();
        let mut rest = &self.bytes[..];
        if self.first_line == 1 {
            rest = rest.strip_prefix(b"\xef\xbb\xbf").unwrap_or(rest);
        }
        let mut number = self.first_line;
        while !rest.is_empty() {
            let end = memchr::memchr(b'\n', rest).unwrap_or(rest.len());
            let line = &rest[..end];
            rest = rest.get(end + 1..).unwrap_or_default();
            if !line.trim_ascii().is_empty() {
                let place = Place {
                    source: self.source.clone(),
                    at: At::Line(number),
                };
                if self.are_texts {
                    text_document(line, place, reading, each);
                } else {
                    json_document(line, place, None, reading, &mut scratch, each);
                }
            }
            number += 1;
        }
    }
}

fn records_documents(records: &Records, reading: &Reading, each: &mut dyn FnMut(Result<Document<'_>, Fault>)) {
    let mut scratch = Scratch::default();
    for (at, record) in records.iter() {
        let place = Place {
            source: records.source.clone(),
            at,
        };
        let row = match at {
            At::Record(number) => Some(Row {
                file: records.file,
                number,
            }),
            _ => None,
        };
        json_document(&on_one_line(record), place, row, reading, &mut scratch, each);
    }
}

/// Calls `each` with the document in a JSON object on one line, or with the reason for none.
fn json_document(
    line: &[u8],
    place: Place,
    row: Option<Row>,
    reading: &Reading,
    scratch: &mut Scratch,
    each: &mut dyn FnMut(Result<Document<'_>, Fault>),
) {
    let limit = reading.limits.max_document_bytes;
    if line.len() > limit {
        return each(Err(Fault::too_long(place, limit)));
    }
    let read = match JsonLine::read(line, &reading.fields, scratch) {
        Ok(read) => read,
        Err(refusal) if refusal.lacks_text => return each(Err(Fault::lacks_text(place, refusal.reason))),
        Err(refusal) => return each(Err(Fault::new(place, refusal.reason))),
    };
    let own;
    let id = match (read.id, read.url.as_deref()) {
        (Some(id), _) => id,
        (None, Some(url)) if !url.is_empty() => {
            own = document::json_string(url);
            &own
        }
        (None, _) => {
            own = document::json_string(&place.to_string());
            &own
        }
    };
    each(Ok(Document {
        id,
        text: read.text,
        title: read.title.as_deref(),
        heading: None,
        group: read.group.as_deref(),
        score: read.score.as_deref(),
        url: read.url.as_deref(),
        line: Some(line),
        row,
        wall: None,
    }));
}

/// Calls `each` with a line of a text as a document.
fn text_document(line: &[u8], place: Place, reading: &Reading, each: &mut dyn FnMut(Result<Document<'_>, Fault>)) {
    let limit = reading.limits.max_document_bytes;
    if line.len() > limit {
        return each(Err(Fault::too_long(place, limit)));
    }
    let text = match std::str::from_utf8(line) {
        Ok(text) => text.trim_end_matches('\r'),
        Err(error) => {
            return each(Err(Fault::new(place, not_utf8([line], error))));
        }
    };
    let id = document::json_string(&place.to_string());
    each(Ok(Document {
        id: &id,
        text,
        title: None,
        heading: None,
        group: None,
        score: None,
        url: None,
        line: None,
        row: None,
        wall: None,
    }));
}

/// Collects pieces until a batch is complete.
pub(super) struct Batcher<'d> {
    pieces: Vec<Piece>,
    memory_bytes: usize,
    deliver: &'d mut dyn FnMut(Batch) -> ControlFlow<()>,
}

impl<'d> Batcher<'d> {
    pub fn new(deliver: &'d mut dyn FnMut(Batch) -> ControlFlow<()>) -> Self {
        Self {
            pieces: Vec::new(),
            memory_bytes: 0,
            deliver,
        }
    }

    pub(super) fn lines(&mut self, lines: Lines) -> ControlFlow<()> {
        let bytes = lines.bytes.capacity();
        self.add(Piece::Lines(lines), bytes)
    }

    pub(super) fn records(&mut self, records: Records) -> ControlFlow<()> {
        if records.ends.is_empty() {
            return ControlFlow::Continue(());
        }
        let bytes = records.memory_bytes();
        self.add(Piece::Records(records), bytes)
    }

    pub(super) fn body(&mut self, body: Body) -> ControlFlow<()> {
        let bytes = body.bytes.len();
        self.add(Piece::Body(Box::new(body)), bytes)
    }

    pub(super) fn fault(&mut self, fault: Fault) -> ControlFlow<()> {
        self.add(Piece::Fault(fault), 0)
    }

    fn add(&mut self, piece: Piece, bytes: usize) -> ControlFlow<()> {
        self.pieces.push(piece);
        self.memory_bytes += bytes + PIECE_BYTES;
        if self.memory_bytes < BATCH_BYTES {
            return ControlFlow::Continue(());
        }
        self.flush()
    }

    /// Delivers the pieces collected so far.
    pub(super) fn flush(&mut self) -> ControlFlow<()> {
        if self.pieces.is_empty() {
            return ControlFlow::Continue(());
        }
        (self.deliver)(Batch {
            pieces: std::mem::take(&mut self.pieces),
            memory_bytes: std::mem::take(&mut self.memory_bytes),
        })
    }
}
