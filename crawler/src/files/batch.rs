//! Batches of unparsed pieces, which the reading thread delivers in input order.

use std::ops::ControlFlow;
use std::sync::Arc;

use super::body::Body;
use super::document::{self, Document};
use super::json_line::JsonLine;
use super::page;
use super::place::{At, Fault, Place};
use super::reading::Reading;

/// A batch is complete with this many bytes.
pub(super) const BATCH_BYTES: usize = 256 * 1024;

/// Approximate memory of a piece besides its bytes.
const PIECE_BYTES: usize = 200;

/// Unparsed documents.
#[derive(Debug)]
pub(crate) struct Batch {
    pieces: Vec<Piece>,
    memory_bytes: usize,
}

#[derive(Debug)]
enum Piece {
    Lines(Lines),
    Body(Box<Body>),
    Fault(Fault),
}

/// Whole lines of one file.
#[derive(Debug)]
pub(super) struct Lines {
    pub source: Arc<str>,
    /// The number of the first line, counted from 1.
    pub first_line: u64,
    pub bytes: Vec<u8>,
}

impl Batch {
    /// Approximate memory of the batch.
    #[must_use]
    pub fn memory_bytes(&self) -> usize {
        self.memory_bytes
    }

    /// Calls `each` with every document or fault, in input order. Blank lines are neither.
    pub fn documents(&self, reading: &Reading, each: &mut dyn FnMut(Result<Document<'_>, Fault>)) {
        for piece in &self.pieces {
            match piece {
                Piece::Lines(lines) => lines.documents(reading, each),
                Piece::Body(body) => page::document(body, reading, each),
                Piece::Fault(fault) => each(Err(fault.clone())),
            }
        }
    }
}

impl Lines {
    fn documents(&self, reading: &Reading, each: &mut dyn FnMut(Result<Document<'_>, Fault>)) {
        let mut unescaped = String::new();
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
                self.document(line, number, reading, &mut unescaped, each);
            }
            number += 1;
        }
    }

    fn document(
        &self,
        line: &[u8],
        number: u64,
        reading: &Reading,
        unescaped: &mut String,
        each: &mut dyn FnMut(Result<Document<'_>, Fault>),
    ) {
        let place = || Place {
            source: self.source.clone(),
            at: At::Line(number),
        };
        let limit = reading.limits.max_document_bytes;
        if line.len() > limit {
            return each(Err(Fault::too_long(place(), limit)));
        }
        let read = match JsonLine::read(line, &reading.fields, unescaped) {
            Ok(read) => read,
            Err(reason) => return each(Err(Fault::new(place(), reason))),
        };
        let own;
        let id = match read.id {
            Some(id) => id,
            None => {
                own = document::json_string(&place().to_string());
                &own
            }
        };
        each(Ok(Document {
            id,
            text: read.text,
            title: read.title.as_deref(),
            url: read.url.as_deref(),
            line: Some(line),
        }));
    }
}

/// Collects pieces until a batch is complete.
pub(super) struct Batcher<'d> {
    pieces: Vec<Piece>,
    memory_bytes: usize,
    deliver: &'d mut dyn FnMut(Batch) -> ControlFlow<()>,
}

impl<'d> Batcher<'d> {
    pub(super) fn new(deliver: &'d mut dyn FnMut(Batch) -> ControlFlow<()>) -> Self {
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
