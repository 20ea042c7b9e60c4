//! What the reading thread hands over: pieces of input in order, cut but not understood.

use std::ops::ControlFlow;
use std::sync::Arc;

use bytes::Bytes;

use super::document::{self, Document, Fields};
use super::json_line::Line;
use super::place::{At, Fault, Place};
use super::{Limits, page};

/// A batch is handed over once it has as many bytes.
pub(super) const BATCH_BYTES: usize = 256 * 1024;

/// What a piece costs besides its bytes, about.
const PIECE_BYTES: usize = 200;

/// Documents that have been cut out and wait to be understood.
#[derive(Debug)]
pub struct Batch {
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
    /// The number of the first, counted from 1.
    pub first_line: u64,
    pub bytes: Vec<u8>,
}

/// A page or text with what is known of it.
#[derive(Debug)]
pub(super) struct Body {
    pub place: Place,
    /// `None`: its place names it.
    pub id: Option<String>,
    pub url: Option<String>,
    /// The `Content-Type` that it came with, or that its name stands for.
    pub content_type: String,
    /// Of a body that came by HTTP.
    pub codings: Option<Codings>,
    /// `WARC-Block-Digest`.
    pub digest: Option<String>,
    /// Bytes before the body itself.
    pub head_bytes: usize,
    pub bytes: Bytes,
}

/// What HTTP did to a body.
#[derive(Debug)]
pub(super) struct Codings {
    pub is_chunked: bool,
    pub content_encoding: Option<String>,
}

impl Batch {
    /// Memory that the batch takes, about.
    #[must_use]
    pub fn memory_bytes(&self) -> usize {
        self.memory_bytes
    }

    /// Shows each document, or what is none and why, in input order. Blank lines are neither.
    pub fn documents(&self, fields: &Fields, limits: Limits, each: &mut dyn FnMut(Result<Document<'_>, Fault>)) {
        for piece in &self.pieces {
            match piece {
                Piece::Lines(lines) => lines.documents(fields, limits, each),
                Piece::Body(body) => page::document(body, limits, each),
                Piece::Fault(fault) => each(Err(fault.clone())),
            }
        }
    }
}

impl Lines {
    fn documents(&self, fields: &Fields, limits: Limits, each: &mut dyn FnMut(Result<Document<'_>, Fault>)) {
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
                self.document(line, number, fields, limits, &mut unescaped, each);
            }
            number += 1;
        }
    }

    fn document(
        &self,
        line: &[u8],
        number: u64,
        fields: &Fields,
        limits: Limits,
        unescaped: &mut String,
        each: &mut dyn FnMut(Result<Document<'_>, Fault>),
    ) {
        let place = || Place {
            source: self.source.clone(),
            at: At::Line(number),
        };
        if line.len() > limits.max_document_bytes {
            return each(Err(Fault::too_long(place(), limits.max_document_bytes)));
        }
        let read = match Line::read(line, fields, unescaped) {
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

/// Collects pieces until they are a batch.
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

    /// Hands over what there is.
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
