//! A buffered input with a peek at the next bytes.

use std::io::{self, BufRead, ErrorKind, Read};

/// Bytes of the buffer, which bound a peek.
const BUFFER_BYTES: usize = 64 * 1024;

/// The input and its buffer.
#[derive(Debug)]
pub(super) struct Lookahead<R> {
    input: R,
    buffer: Box<[u8]>,
    start: usize,
    end: usize,
    /// The offset of the next byte.
    offset: u64,
}

impl<R: Read> Lookahead<R> {
    pub fn new(input: R) -> Self {
        Self {
            input,
            buffer: vec![0; BUFFER_BYTES].into(),
            start: 0,
            end: 0,
            offset: 0,
        }
    }

    /// The offset of the next byte.
    pub(super) fn offset(&self) -> u64 {
        self.offset
    }

    /// The next bytes: at least `bytes`, or fewer at the end of the input.
    pub(super) fn peek(&mut self, bytes: usize) -> io::Result<&[u8]> {
        while self.end - self.start < bytes.min(BUFFER_BYTES) {
            if self.start > 0 {
                self.buffer.copy_within(self.start..self.end, 0);
                (self.start, self.end) = (0, self.end - self.start);
            }
            match self.input.read(&mut self.buffer[self.end..]) {
                Ok(0) => break,
                Ok(length) => self.end += length,
                Err(error) if error.kind() == ErrorKind::Interrupted => {}
                Err(error) => return Err(error),
            }
        }
        Ok(&self.buffer[self.start..self.end])
    }
}

impl<R: Read> Read for Lookahead<R> {
    fn read(&mut self, into: &mut [u8]) -> io::Result<usize> {
        if self.start == self.end && into.len() >= BUFFER_BYTES {
            let length = self.input.read(into)?;
            self.offset += length as u64;
            return Ok(length);
        }
        let here = self.fill_buf()?;
        let length = here.len().min(into.len());
        into[..length].copy_from_slice(&here[..length]);
        self.consume(length);
        Ok(length)
    }
}

impl<R: Read> BufRead for Lookahead<R> {
    fn fill_buf(&mut self) -> io::Result<&[u8]> {
        self.peek(1)
    }

    fn consume(&mut self, bytes: usize) {
        self.start += bytes;
        self.offset += bytes as u64;
    }
}
