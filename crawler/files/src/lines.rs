//! JSON lines, and texts of which each line is a document, cut into batches at line ends and not parsed.

use std::io::Read;
use std::ops::ControlFlow;

use super::batch::{BATCH_BYTES, Batcher, Lines};
use super::limits::InputLimits;
use super::place::{At, Fault};
use super::walk::Source;

/// Reads `input` to its end.
pub(super) fn read(
    input: &mut impl Read,
    source: &Source,
    limits: InputLimits,
    are_texts: bool,
    batcher: &mut Batcher<'_>,
) -> ControlFlow<()> {
    let mut cutter = Cutter {
        source,
        are_texts,
        limit: limits.max_document_bytes,
        buffer: Vec::new(),
        skipping: false,
        next_line: 1,
    };
    loop {
        let known = cutter.buffer.len();
        let (ended, failed) = match cutter.fill(input) {
            Ok(more) => (!more, None),
            Err(error) => (false, Some(error)),
        };
        cutter.deliver_lines(known, batcher)?;
        if ended || failed.is_some() {
            // A line before damage is incomplete. The last line of a file needs no line end.
            cutter.end(failed.is_none(), batcher)?;
        }
        source.end_round(failed.as_ref(), batcher)?;
        if ended {
            return ControlFlow::Continue(());
        }
    }
}

struct Cutter<'a> {
    source: &'a Source,
    are_texts: bool,
    limit: usize,
    /// Bytes read and not delivered; between two rounds the beginning of a line.
    buffer: Vec<u8>,
    /// The current line is too long and was reported.
    skipping: bool,
    next_line: u64,
}

impl Cutter<'_> {
    /// Reads a batch of bytes from a file, or the available bytes from a stream. Returns false at the end.
    fn fill(&mut self, input: &mut impl Read) -> std::io::Result<bool> {
        let goal = self.buffer.len() + BATCH_BYTES;
        let mut have = self.buffer.len();
        self.buffer.resize(goal, 0);
        let filled = loop {
            match input.read(&mut self.buffer[have..]) {
                Ok(0) => break Ok(false),
                Ok(length) => have += length,
                Err(error) if error.kind() == std::io::ErrorKind::Interrupted => {}
                Err(error) => break Err(error),
            }
            if have == goal || self.source.bytes.is_none() {
                break Ok(true);
            }
        };
        self.buffer.truncate(have);
        filled
    }

    /// Delivers the whole lines in the buffer. Its first `known` bytes have no line end.
    fn deliver_lines(&mut self, known: usize, batcher: &mut Batcher<'_>) -> ControlFlow<()> {
        if self.skipping {
            match memchr::memchr(b'\n', &self.buffer) {
                Some(line_end) => {
                    self.buffer.drain(..=line_end);
                    self.skipping = false;
                    self.next_line += 1;
                    return self.deliver_lines(0, batcher);
                }
                None => self.buffer.clear(),
            }
        }
        if let Some(line_end) = memchr::memrchr(b'\n', &self.buffer[known..]) {
            let whole = known + line_end + 1;
            let mut rest = Vec::with_capacity(self.buffer.len() - whole + BATCH_BYTES);
            rest.extend_from_slice(&self.buffer[whole..]);
            self.buffer.truncate(whole);
            let whole = std::mem::replace(&mut self.buffer, rest);
            self.deliver(whole, batcher)?;
        }
        if self.buffer.len() > self.limit {
            let place = self.source.place(At::Line(self.next_line));
            batcher.fault(Fault::too_long(place, self.limit))?;
            self.buffer = Vec::new();
            self.skipping = true;
        }
        ControlFlow::Continue(())
    }

    /// Delivers the last line, which needs no line end, if it is whole.
    fn end(&mut self, is_whole: bool, batcher: &mut Batcher<'_>) -> ControlFlow<()> {
        let last = std::mem::take(&mut self.buffer);
        let was_skipping = std::mem::take(&mut self.skipping);
        if was_skipping || !is_whole || last.is_empty() {
            self.next_line += u64::from(was_skipping || !last.is_empty());
            return ControlFlow::Continue(());
        }
        self.deliver(last, batcher)
    }

    fn deliver(&mut self, bytes: Vec<u8>, batcher: &mut Batcher<'_>) -> ControlFlow<()> {
        let first_line = self.next_line;
        let line_ends = memchr::memchr_iter(b'\n', &bytes).count() as u64;
        self.next_line += line_ends + u64::from(!bytes.ends_with(b"\n"));
        batcher.lines(Lines {
            source: self.source.name.clone(),
            first_line,
            bytes,
            are_texts: self.are_texts,
        })
    }
}
