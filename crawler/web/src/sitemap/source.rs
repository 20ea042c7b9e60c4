//! The text of a sitemap: decompressed, converted to UTF-8, and bounded.

use std::io::{self, BufRead, BufReader, Read};

use encoding_rs::{Decoder, Encoding, UTF_8};

use super::MAX_SITEMAP_BYTES;
use crate::fetch::content_encoding::Gunzip;

/// Longest tag, text or comment, in bytes. The XML parser holds one of them in memory, which could be as long as the file. Feeds
/// carry whole articles in one text, so the limit is generous.
const MAX_TOKEN_BYTES: usize = 4 * 1024 * 1024;

const CHUNK_BYTES: usize = 16 * 1024;

/// A reader of the sitemap's text.
pub(super) struct Source<'a> {
    bytes: Box<dyn BufRead + 'a>,
    bytes_left: usize,
    decoder: Decoder,
    /// Decoded text; the part from `start` on is not consumed yet.
    text: Vec<u8>,
    start: usize,
    ended: bool,
    token_bytes: usize,
}

impl<'a> Source<'a> {
    /// # Errors
    /// The body begins like gzip and is not valid gzip.
    pub(super) fn new(body: &'a [u8]) -> io::Result<Self> {
        let mut bytes: Box<dyn BufRead + 'a> = if body.starts_with(b"\x1f\x8b") {
            Box::new(BufReader::with_capacity(CHUNK_BYTES, Gunzip::new(body)))
        } else {
            Box::new(body)
        };
        let (encoding, mark_bytes) = detect(bytes.fill_buf()?);
        bytes.consume(mark_bytes);
        Ok(Self {
            bytes,
            bytes_left: MAX_SITEMAP_BYTES,
            decoder: encoding.new_decoder_without_bom_handling(),
            text: Vec::new(),
            start: 0,
            ended: false,
            token_bytes: 0,
        })
    }

    /// Ends a token: the count for the next one starts.
    pub(super) fn end_token(&mut self) {
        self.token_bytes = 0;
    }

    /// Whether the text begins with markup after white space.
    ///
    /// # Errors
    /// As reading.
    pub(super) fn begins_with_markup(&mut self) -> io::Result<bool> {
        let text = self.fill_buf()?;
        Ok(text.trim_ascii_start().starts_with(b"<"))
    }

    fn decode_chunk(&mut self) -> io::Result<()> {
        let chunk = self.bytes.fill_buf()?;
        let chunk = &chunk[..chunk.len().min(CHUNK_BYTES)];
        if chunk.len() > self.bytes_left {
            return Err(io::Error::other(format!("longer than {MAX_SITEMAP_BYTES} bytes")));
        }
        let last = chunk.is_empty();
        // No encoding grows by more than three bytes for each byte, so the whole chunk is decoded at once.
        self.text.resize(
            self.decoder
                .max_utf8_buffer_length(chunk.len())
                .unwrap_or(4 * CHUNK_BYTES),
            0,
        );
        let (_, read, written, _) = self.decoder.decode_to_utf8(chunk, &mut self.text, last);
        self.text.truncate(written);
        self.start = 0;
        self.ended = last;
        self.bytes.consume(read);
        self.bytes_left -= read;
        Ok(())
    }
}

impl BufRead for Source<'_> {
    fn fill_buf(&mut self) -> io::Result<&[u8]> {
        if self.token_bytes > MAX_TOKEN_BYTES {
            return Err(io::Error::other(format!(
                "a tag or text longer than {MAX_TOKEN_BYTES} bytes"
            )));
        }
        while self.start == self.text.len() && !self.ended {
            self.decode_chunk()?;
        }
        Ok(&self.text[self.start..])
    }

    fn consume(&mut self, amount: usize) {
        self.start = (self.start + amount).min(self.text.len());
        self.token_bytes += amount;
    }
}

impl Read for Source<'_> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let text = self.fill_buf()?;
        let length = text.len().min(buffer.len());
        buffer[..length].copy_from_slice(&text[..length]);
        self.consume(length);
        Ok(length)
    }
}

/// The encoding, and the length of the byte order mark. The mark decides, then the XML declaration; the default is UTF-8, as the
/// sitemap protocol demands.
fn detect(beginning: &[u8]) -> (&'static Encoding, usize) {
    if let Some(marked) = Encoding::for_bom(beginning) {
        return marked;
    }
    let encoding = declared(beginning).and_then(Encoding::for_label);
    // A declaration that is readable as ASCII is not UTF-16, whatever it says.
    (
        encoding
            .filter(|encoding| encoding.is_ascii_compatible())
            .unwrap_or(UTF_8),
        0,
    )
}

fn declared(beginning: &[u8]) -> Option<&[u8]> {
    let declaration = beginning.trim_ascii_start().strip_prefix(b"<?xml")?;
    let declaration = &declaration[..declaration.iter().position(|byte| *byte == b'>')?];
    let at = declaration.windows(8).position(|window| window == b"encoding")?;
    let value = declaration[at + 8..]
        .trim_ascii_start()
        .strip_prefix(b"=")?
        .trim_ascii_start();
    let (quote, value) = value.split_first()?;
    value.split(|byte| byte == quote).next()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_byte_order_mark_decides_before_the_declaration() {
        let name = |beginning: &[u8]| detect(beginning).0.name();
        assert_eq!(name(b"\xff\xfe<\0"), "UTF-16LE");
        assert_eq!(name(b"\xef\xbb\xbf<?xml version='1.0' encoding='gbk'?>"), "UTF-8");
        assert_eq!(name(b"\n<?xml version=\"1.0\" encoding = 'GBK'?>"), "GBK");
        assert_eq!(name(b"<?xml version=\"1.0\" encoding=\"utf-16\"?>"), "UTF-8");
        assert_eq!(name(b"<?xml encoding"), "UTF-8");
        assert_eq!(name(b""), "UTF-8");
    }

    #[test]
    fn a_character_across_two_chunks_is_whole() {
        // After the first byte, every two-byte character begins at an odd offset, so the last one of a chunk crosses its end.
        let body = format!("x{}", "é".repeat(2 * CHUNK_BYTES));
        let mut read = String::new();
        Source::new(body.as_bytes()).unwrap().read_to_string(&mut read).unwrap();
        assert_eq!(read, body);
    }
}
