//! Reads the records of a decompressed stream that cannot seek, such as a pipe, or a file that was compressed as a whole.
//!
//! ```text
//! WARC/1.0 CRLF ┐
//! Name: value   │ header, bounded           next_record
//! CRLF          ┘
//! block           Content-Length bytes      read_block, up to the wanted length; the rest is skipped
//! CRLF CRLF
//! ```
//!
//! The reader trusts a block only if line ends follow it. Otherwise, or if the stream ends within the block, the record's length is
//! wrong, and the reader looks for the next record inside the block. It reads no byte more than twice.
//!
//! Source: ISO 28500:2017 (WARC 1.1), and its drafts from 0.17 on, whose header has the same form. The reader accepts lines that end in
//! LF alone, folded lines, a version line in any case, and missing or surplus line ends between records.

use std::io::{self, BufRead, ErrorKind, Read};

use super::reader::DamagedRecord;
use super::record::{MAX_HEADER_BYTES, Record, RecordError, is_version, parse_header};

/// Bytes that tell a version line: `WARC/` and a digit.
const VERSION_BYTES: usize = 6;

/// Upper bound on the bytes of line ends in memory.
const MAX_LINE_ENDS: usize = 4_096;

/// A record whose header has been read.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct StreamedRecord {
    /// Offset of its version line in the decompressed stream.
    pub offset: u64,
    /// Length of its block by its header, in bytes.
    pub block_bytes: u64,
    /// Its header; the block is empty until [`WarcStream::read_block`] has filled it.
    pub record: Record,
}

/// Reads all records of a stream in order. After damage it continues at the next line that looks like a version line, and reports each
/// damaged stretch once.
///
/// ```
/// use storage::warc::WarcStream;
///
/// # fn main() -> std::io::Result<()> {
/// let bytes = b"WARC/1.0\r\nWARC-Type: conversion\r\nContent-Length: 5\r\n\r\nhello\r\n\r\n";
/// let mut stream = WarcStream::new(&bytes[..]);
/// while let Some(next) = stream.next_record()? {
///     match next {
///         Ok(mut found) if found.record.kind() == "conversion" => {
///             if let Err(damage) = stream.read_block(&mut found, 1 << 20)? {
///                 eprintln!("{damage}");
///             }
///             assert_eq!(found.record.block, b"hello");
///         }
///         Ok(_not_wanted) => {}
///         Err(damage) => eprintln!("{damage}"),
///     }
/// }
/// # Ok(())
/// # }
/// ```
#[derive(Debug)]
pub struct WarcStream<R> {
    input: Rewound<R>,
    /// First byte of the last record.
    record_at: u64,
    /// Unread bytes of its block.
    unread: u64,
    /// An error of the input left the stream at an unknown place, so the next record must be searched.
    lost: bool,
    /// All bytes before this offset have been read twice already.
    rewound_to: u64,
}

/// The damage of a header, and whether the damaged line was read to its end.
struct BadHeader {
    reason: String,
    at_line_start: bool,
}

impl<R: BufRead> WarcStream<R> {
    /// Reads `input`, which must be decompressed.
    pub fn new(input: R) -> Self {
        Self {
            input: Rewound {
                pushed: Vec::new(),
                at: 0,
                input,
                offset: 0,
            },
            record_at: 0,
            unread: 0,
            lost: false,
            rewound_to: 0,
        }
    }

    /// The header of the next record, a damaged stretch, or `None` at the end. Skips unread bytes of the block before.
    ///
    /// # Errors
    /// The input's own errors. If the input can continue after an error (a decompressor that finds its next member), the call may be
    /// repeated; it then searches the next record. Damage is not an error of the call: the inner `Err` reports it.
    pub fn next_record(&mut self) -> io::Result<Option<Result<StreamedRecord, DamagedRecord>>> {
        let next = self.find_next();
        self.lost = next.is_err();
        next
    }

    /// Appends to the block of `found`, which must be the last record, until it has `up_to` bytes or is complete.
    ///
    /// # Errors
    /// As [`next_record`](Self::next_record); the inner `Err` says that the stream ends within the block, or that the
    /// block does not end where its header says.
    pub fn read_block(&mut self, found: &mut StreamedRecord, up_to: u64) -> io::Result<Result<(), DamagedRecord>> {
        let wanted = up_to.saturating_sub(found.record.block.len() as u64).min(self.unread);
        if wanted == 0 {
            return Ok(Ok(()));
        }
        let read = self.append_block(found, wanted);
        if read.is_err() {
            self.lost = true;
            self.unread = 0;
        }
        read
    }

    fn find_next(&mut self) -> io::Result<Option<Result<StreamedRecord, DamagedRecord>>> {
        let unread = std::mem::take(&mut self.unread);
        if std::mem::take(&mut self.lost) {
            self.find_version_line()?;
        } else {
            let skipped = self.input.skip(unread)?;
            if skipped < unread {
                return Ok(Some(Err(self.damaged("the stream ends within its block".to_owned()))));
            }
        }
        self.input.skip_line_ends(usize::MAX, |_skipped| {})?;
        if self.input.fill()?.is_empty() {
            return Ok(None);
        }
        self.record_at = self.input.offset;
        match self.read_header()? {
            Ok((record, block_bytes)) => {
                self.unread = block_bytes;
                Ok(Some(Ok(StreamedRecord {
                    offset: self.record_at,
                    block_bytes,
                    record,
                })))
            }
            Err(bad) => {
                if !bad.at_line_start {
                    self.input.skip_until(b'\n')?;
                }
                self.find_version_line()?;
                Ok(Some(Err(self.damaged(bad.reason))))
            }
        }
    }

    fn read_header(&mut self) -> io::Result<Result<(Record, u64), BadHeader>> {
        let mut header = Vec::with_capacity(1024);
        loop {
            let line_at = header.len();
            let bound = (MAX_HEADER_BYTES - line_at) as u64;
            self.input.by_ref().take(bound).read_until(b'\n', &mut header)?;
            let at_line_start = header.ends_with(b"\n");
            let bad = |error: RecordError| BadHeader {
                reason: error.to_string(),
                at_line_start,
            };
            let line = &header[line_at..];
            if line_at == 0 && !is_version(line) {
                return Ok(Err(bad(RecordError::NoVersion)));
            }
            if line_at > 0 && is_version(line) {
                // A torn header, and the next record after it.
                self.input.unread(line);
                return Ok(Err(BadHeader {
                    at_line_start: true,
                    ..bad(RecordError::EndlessHeader)
                }));
            }
            if line.is_empty() || !at_line_start {
                return Ok(Err(bad(RecordError::EndlessHeader)));
            }
            let content = line.len() - line.iter().rev().take_while(|&&b| b == b'\r' || b == b'\n').count();
            header.truncate(line_at + content);
            if content == 0 {
                return Ok(finish_header(&header).map_err(bad));
            }
            header.extend_from_slice(b"\r\n");
        }
    }

    fn append_block(&mut self, found: &mut StreamedRecord, wanted: u64) -> io::Result<Result<(), DamagedRecord>> {
        let block = &mut found.record.block;
        let before = block.len();
        self.input.by_ref().take(wanted).read_to_end(block)?;
        let read = (block.len() - before) as u64;
        self.unread -= read;
        let mut behind = Vec::new();
        let reason = if read < wanted {
            self.unread = 0;
            RecordError::ShortBlock {
                expected: found.block_bytes,
                found: block.len() as u64,
            }
            .to_string()
        } else if self.unread > 0 || self.ends_here(&mut behind)? {
            return Ok(Ok(()));
        } else {
            "its block does not end where its Content-Length says".to_owned()
        };
        self.rewind(found, &behind);
        self.find_version_line()?;
        Ok(Err(self.damaged(reason)))
    }

    /// Whether the bytes behind a block show that it is complete. Adds the line ends that it reads to `behind`.
    fn ends_here(&mut self, behind: &mut Vec<u8>) -> io::Result<bool> {
        // Reads no more than necessary: an error behind this record is no error of this record.
        let lines = self.input.skip_line_ends(2, |bytes| {
            // A longer run of line ends is damage, and must not fill the memory.
            if behind.len() < MAX_LINE_ENDS {
                behind.extend_from_slice(bytes);
            }
        })?;
        Ok(lines == 2 || self.input.fill()?.is_empty() || self.is_at_version_line()?)
    }

    /// Returns to the first version line in the block of `found`, if there is one and the block was read only once. `behind`
    /// was read after the block.
    fn rewind(&mut self, found: &StreamedRecord, behind: &[u8]) {
        let block = &found.record.block;
        if found.offset < self.rewound_to {
            return;
        }
        let line_starts = (1..block.len()).filter(|&at| block[at - 1] == b'\n');
        let mut lines = line_starts.map(|at| &block[at..]);
        if let Some(rest) = lines.find(|rest| is_version(rest)) {
            self.rewound_to = self.input.offset;
            self.input.unread(&[rest, behind].concat());
        }
    }

    /// Skips lines up to the next one that looks like a version line. The input must be at the beginning of a line.
    fn find_version_line(&mut self) -> io::Result<()> {
        while !self.is_at_version_line()? {
            if self.input.skip_until(b'\n')? == 0 {
                return Ok(());
            }
        }
        Ok(())
    }

    fn is_at_version_line(&mut self) -> io::Result<bool> {
        let here = self.input.fill()?;
        if here.len() >= VERSION_BYTES || !here.first().is_some_and(|first| first.eq_ignore_ascii_case(&b'W')) {
            return Ok(is_version(here));
        }
        // The line continues in the next buffer of the input.
        let mut start = Vec::new();
        let read = self.input.by_ref().take(VERSION_BYTES as u64).read_to_end(&mut start);
        self.input.unread(&start);
        read.map(|_| is_version(&start))
    }

    fn damaged(&self, reason: String) -> DamagedRecord {
        DamagedRecord {
            offset: self.record_at,
            reason,
        }
    }
}

/// A record without its block, and the length of the block.
fn finish_header(header: &[u8]) -> Result<(Record, u64), RecordError> {
    let header = String::from_utf8_lossy(header);
    let (version, fields) = parse_header(header.strip_suffix("\r\n").unwrap_or(&header))?;
    let record = Record {
        version,
        fields,
        block: Vec::new(),
    };
    let length = record.field("Content-Length").and_then(|length| length.parse().ok());
    Ok((record, length.ok_or(RecordError::BadLength)?))
}

/// An input that accepts bytes back.
#[derive(Debug)]
struct Rewound<R> {
    /// Returned bytes, read again up to `at`.
    pushed: Vec<u8>,
    at: usize,
    input: R,
    /// Offset of the next byte.
    offset: u64,
}

impl<R: BufRead> Rewound<R> {
    /// Returns the bytes that were read last.
    fn unread(&mut self, bytes: &[u8]) {
        self.offset -= bytes.len() as u64;
        if self.at >= bytes.len() {
            // They came from `pushed`, which still has them.
            self.at -= bytes.len();
            return;
        }
        let rest = self.pushed.drain(..).skip(self.at);
        self.pushed = bytes.iter().copied().chain(rest).collect();
        self.at = 0;
    }

    /// The next bytes; none at the end.
    fn fill(&mut self) -> io::Result<&[u8]> {
        loop {
            match self.fill_buf() {
                Ok(_) => break,
                Err(error) if error.kind() == ErrorKind::Interrupted => {}
                Err(error) => return Err(error),
            }
        }
        // The buffer is full; the second call satisfies the borrow checker.
        self.fill_buf()
    }

    /// Skips up to `bytes` bytes. Returns the number of skipped bytes, which is smaller at the end of the input.
    fn skip(&mut self, bytes: u64) -> io::Result<u64> {
        let mut skipped = 0;
        while skipped < bytes {
            let here = self.fill()?.len() as u64;
            if here == 0 {
                break;
            }
            let step = here.min(bytes - skipped);
            self.consume(step as usize);
            skipped += step;
        }
        Ok(skipped)
    }

    /// Skips up to `at_most` line ends, and passes them to `show`. Returns their number.
    fn skip_line_ends(&mut self, at_most: usize, mut show: impl FnMut(&[u8])) -> io::Result<usize> {
        let mut lines = 0;
        while lines < at_most {
            let (mut length, wanted) = (0, at_most - lines);
            let mut ended = 0;
            let here = self.fill()?;
            for &byte in here {
                if ended == wanted || !matches!(byte, b'\r' | b'\n') {
                    break;
                }
                ended += usize::from(byte == b'\n');
                length += 1;
            }
            show(&here[..length]);
            if length == 0 {
                break;
            }
            lines += ended;
            self.consume(length);
        }
        Ok(lines)
    }
}

impl<R: BufRead> Read for Rewound<R> {
    fn read(&mut self, into: &mut [u8]) -> io::Result<usize> {
        let here = self.fill_buf()?;
        let length = here.len().min(into.len());
        into[..length].copy_from_slice(&here[..length]);
        self.consume(length);
        Ok(length)
    }
}

impl<R: BufRead> BufRead for Rewound<R> {
    fn fill_buf(&mut self) -> io::Result<&[u8]> {
        if self.at < self.pushed.len() {
            return Ok(&self.pushed[self.at..]);
        }
        self.input.fill_buf()
    }

    fn consume(&mut self, bytes: usize) {
        self.offset += bytes as u64;
        if self.at < self.pushed.len() {
            self.at += bytes;
            if self.at == self.pushed.len() {
                (self.pushed, self.at) = (Vec::new(), 0);
            }
        } else {
            self.input.consume(bytes);
        }
    }
}

#[cfg(test)]
mod tests;
