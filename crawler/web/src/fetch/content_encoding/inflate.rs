//! gzip (RFC 1952) and deflate (RFC 1951, with or without the header of RFC 1950), read as browsers read them: neither checksum nor
//! length is compared. TCP and TLS protect the bytes on their way, and servers that write a wrong checksum have written a whole text.

use std::io::{self, BufRead, ErrorKind, Read};

use flate2::{Decompress, FlushDecompress, Status};

/// The first bytes of a gzip member: the magic number, and the only method (RFC 1952, section 2.3.1).
const MEMBER: [u8; 3] = [0x1f, 0x8b, 8];

/// Bytes behind the data of a member: checksum and length.
const TRAILER_BYTES: usize = 8;

/// Flags of a member (RFC 1952, section 2.3.1).
const FHCRC: u8 = 2;
const FEXTRA: u8 = 4;
const FNAME: u8 = 8;
const FCOMMENT: u8 = 16;

/// Longest name or comment in a header. The format has no limit, and a text that never ends is an attack.
const MAX_TEXT_BYTES: u64 = 64 * 1024;

/// A reader of deflate data. What comes behind the data stays in the input.
pub(super) struct Inflate<R> {
    input: R,
    state: Decompress,
    has_ended: bool,
}

impl<R: BufRead> Inflate<R> {
    fn new(input: R) -> Self {
        Self {
            input,
            state: Decompress::new(false),
            has_ended: false,
        }
    }

    /// A reader of the coding `deflate`, which is the zlib format. Some servers send the data without its header, which browsers accept
    /// too. The data never begins with the method of a header: the bit there belongs to a padding of zeros.
    ///
    /// # Errors
    /// The input cannot be read, or needs a dictionary.
    pub(super) fn of_deflate(mut input: R) -> io::Result<Self> {
        let is_zlib = input.fill_buf()?.first().is_some_and(|first| first & 0x0f == 8);
        if is_zlib {
            let mut header = [0; 2];
            input.read_exact(&mut header)?;
            let has_dictionary = header[1] & 0x20 != 0;
            if has_dictionary || u16::from_be_bytes(header) % 31 != 0 {
                return Err(damaged("invalid zlib header"));
            }
        }
        Ok(Self::new(input))
    }
}

impl<R: BufRead> Read for Inflate<R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        while !self.has_ended && !buffer.is_empty() {
            let chunk = self.input.fill_buf()?;
            let is_last = chunk.is_empty();
            let flush = if is_last {
                FlushDecompress::Finish
            } else {
                FlushDecompress::None
            };
            let (read, written) = (self.state.total_in(), self.state.total_out());
            let status = self.state.decompress(chunk, buffer, flush);
            let status = status.map_err(|error| io::Error::new(ErrorKind::InvalidData, error))?;
            let (read, written) = (self.state.total_in() - read, self.state.total_out() - written);
            self.input.consume(read as usize);
            self.has_ended = status == Status::StreamEnd;
            match (written, self.has_ended) {
                (0, false) if is_last => return Err(cut()),
                (0, false) if read == 0 => return Err(damaged("corrupt deflate stream")),
                (0, false) => {}
                _ => return Ok(written as usize),
            }
        }
        Ok(0)
    }
}

/// A reader of gzip: members in a row.
pub(crate) struct Gunzip<R> {
    data: Inflate<R>,
    is_in_data: bool,
    members: u64,
    has_ended: bool,
}

impl<R: BufRead> Gunzip<R> {
    /// A reader of the members in `input`.
    pub(crate) fn new(input: R) -> Self {
        Self {
            data: Inflate::new(input),
            is_in_data: false,
            members: 0,
            has_ended: false,
        }
    }

    /// Reads the header of the next member; false if there is none.
    fn begin_member(&mut self) -> io::Result<bool> {
        let input = &mut self.data.input;
        let is_first = self.members == 0;
        let begins = match header(input) {
            Ok(begins) => begins,
            // A piece of a header behind the text is no member.
            Err(error) if error.kind() == ErrorKind::UnexpectedEof && !is_first => false,
            Err(error) => return Err(error),
        };
        if !begins && is_first {
            return Err(damaged("invalid gzip header"));
        }
        self.members += 1;
        self.data.state.reset(false);
        self.data.has_ended = false;
        Ok(begins)
    }
}

impl<R: BufRead> Read for Gunzip<R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        while !self.has_ended && !buffer.is_empty() {
            if !self.is_in_data {
                self.is_in_data = self.begin_member()?;
                self.has_ended = !self.is_in_data;
                continue;
            }
            let read = self.data.read(buffer)?;
            if read > 0 {
                return Ok(read);
            }
            skip(&mut self.data.input, TRAILER_BYTES)?;
            self.is_in_data = false;
        }
        Ok(0)
    }
}

/// Reads a header; false if the next bytes are none, or one with a text that is too long.
fn header(input: &mut impl BufRead) -> io::Result<bool> {
    for expected in MEMBER {
        if byte(input)? != expected {
            return Ok(false);
        }
    }
    let flags = byte(input)?;
    for _time_and_system in 0..6 {
        byte(input)?;
    }
    if flags & FEXTRA != 0 {
        let length = u16::from_le_bytes([byte(input)?, byte(input)?]);
        for _ in 0..length {
            byte(input)?;
        }
    }
    for flag in [FNAME, FCOMMENT] {
        if flags & flag != 0 && !pass_text(input)? {
            return Ok(false);
        }
    }
    if flags & FHCRC != 0 {
        byte(input)?;
        byte(input)?;
    }
    Ok(true)
}

/// Passes over a text that ends with a zero byte; false if it is too long.
fn pass_text(input: &mut impl BufRead) -> io::Result<bool> {
    for _ in 0..=MAX_TEXT_BYTES {
        if byte(input)? == 0 {
            return Ok(true);
        }
    }
    Ok(false)
}

fn byte(input: &mut impl BufRead) -> io::Result<u8> {
    let first = input.fill_buf()?.first().copied().ok_or_else(cut)?;
    input.consume(1);
    Ok(first)
}

/// Passes over the next bytes, as far as there are any.
fn skip(input: &mut impl BufRead, bytes: usize) -> io::Result<()> {
    for _ in 0..bytes {
        match byte(input) {
            Err(error) if error.kind() == ErrorKind::UnexpectedEof => break,
            read => read?,
        };
    }
    Ok(())
}

fn cut() -> io::Error {
    io::Error::new(ErrorKind::UnexpectedEof, "the data ends too early")
}

fn damaged(what: &'static str) -> io::Error {
    io::Error::new(ErrorKind::InvalidData, what)
}
