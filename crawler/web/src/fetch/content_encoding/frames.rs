//! zstd (RFC 8878): frames in a row. Bytes behind the last frame are ignored.

use std::io::{self, BufRead, ErrorKind, Read};

use zstd::stream::read::Decoder;

const MAGIC_BYTES: usize = 4;

/// A reader of frames.
pub(super) struct ZstdFrames<R: BufRead> {
    /// The frame that is being read; `None` behind the last one.
    frame: Option<Decoder<'static, Begun<R>>>,
    window_log: u32,
}

impl<R: BufRead> ZstdFrames<R> {
    /// Frames with windows of at most 2^`window_log` bytes.
    ///
    /// # Errors
    /// The decoder cannot be set up.
    pub(super) fn new(input: R, window_log: u32) -> io::Result<Self> {
        let input = Begun {
            start: [0; MAGIC_BYTES],
            at: MAGIC_BYTES,
            input,
        };
        Ok(Self {
            frame: Some(decoder(input, window_log)?),
            window_log,
        })
    }
}

impl<R: BufRead> Read for ZstdFrames<R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        while let Some(frame) = &mut self.frame
            && !buffer.is_empty()
        {
            let read = frame.read(buffer)?;
            if read > 0 {
                return Ok(read);
            }
            let next = self.frame.take().map(Decoder::finish).map(Begun::next).transpose()?;
            self.frame = match next.flatten() {
                Some(input) => Some(decoder(input, self.window_log)?),
                None => None,
            };
        }
        Ok(0)
    }
}

fn decoder<R: BufRead>(input: R, window_log: u32) -> io::Result<Decoder<'static, R>> {
    let mut decoder = Decoder::with_buffer(input)?.single_frame();
    decoder.window_log_max(window_log)?;
    Ok(decoder)
}

/// Whether a frame begins with these bytes: one with data, or one to be skipped (RFC 8878, sections 3.1.1 and 3.1.2).
fn begins_frame(start: [u8; MAGIC_BYTES]) -> bool {
    matches!(start, [0x28, 0xb5, 0x2f, 0xfd] | [0x50..=0x5f, 0x2a, 0x4d, 0x18])
}

/// An input whose first bytes were read already.
struct Begun<R> {
    start: [u8; MAGIC_BYTES],
    at: usize,
    input: R,
}

impl<R: BufRead> Begun<R> {
    /// The input from the next frame on; `None` if no frame follows.
    fn next(mut self) -> io::Result<Option<Self>> {
        match self.read_exact_start() {
            Ok(start) => Ok(begins_frame(start).then_some(Self {
                start,
                at: 0,
                input: self.input,
            })),
            Err(error) if error.kind() == ErrorKind::UnexpectedEof => Ok(None),
            Err(error) => Err(error),
        }
    }

    fn read_exact_start(&mut self) -> io::Result<[u8; MAGIC_BYTES]> {
        let mut start = [0; MAGIC_BYTES];
        self.read_exact(&mut start)?;
        Ok(start)
    }
}

impl<R: BufRead> Read for Begun<R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let here = self.fill_buf()?;
        let length = here.len().min(buffer.len());
        buffer[..length].copy_from_slice(&here[..length]);
        self.consume(length);
        Ok(length)
    }
}

impl<R: BufRead> BufRead for Begun<R> {
    fn fill_buf(&mut self) -> io::Result<&[u8]> {
        match self.start.get(self.at..) {
            Some(rest) if !rest.is_empty() => Ok(rest),
            _ => self.input.fill_buf(),
        }
    }

    fn consume(&mut self, bytes: usize) {
        if self.at < MAGIC_BYTES {
            self.at += bytes;
        } else {
            self.input.consume(bytes);
        }
    }
}
