//! Decodes Content-Encoding (RFC 9110, section 8.4) under a bound, so that a decompression bomb is an error.
//!
//! Several codings are decoded in one pass: each decoder reads from the decoder of the coding outside it. Memory holds only the
//! result, and the bound applies to the output of every decoder.
//!
//! A body is complete when its compressed data says so. What follows is ignored, as in browsers: checksums, a trailer that is cut, and
//! bytes after the last member or frame. Data that ends before is an error.
//!
//! - `inflate`: gzip and deflate; `frames`: zstd

mod frames;
mod inflate;

use std::io::{self, Read};

use bytes::Bytes;
use reqwest::header::{CONTENT_ENCODING, HeaderMap};

use super::FetchError;
use crate::robots::MAX_ROBOTS_BYTES;
use frames::ZstdFrames;
pub(crate) use inflate::Gunzip;
use inflate::Inflate;

/// The codings that requests accept and [`decode`] supports.
pub(super) const ACCEPTED: &str = "gzip, deflate, br, zstd";

/// Largest accepted window of a zstd frame, as a power of two (RFC 9659: 8 MiB).
const MAX_ZSTD_WINDOW_LOG: u32 = 23;

/// Most codings of one body; more are an attack.
const MAX_CODINGS: usize = 3;

/// Most bytes that one coding of a robots.txt may unpack to. Only the beginning of the file counts, so the result is no bound: a coding
/// inside can pass over any number of bytes without a byte of result.
const MAX_ROBOTS_LAYER_BYTES: usize = 64 << 20;

/// Bytes that a decoder reads at a time.
const CHUNK_BYTES: usize = 16 * 1024;

/// Smallest growth of the output buffer, in bytes.
const MIN_STEP: usize = 32 * 1024;

/// Decodes a body to at most `limit` bytes. Needs memory of about twice the result, and a window.
///
/// # Errors
/// The decoded body is longer than `limit`, the data is damaged, or the coding is not supported.
pub fn decode(body: Bytes, content_encoding: Option<&str>, limit: usize) -> Result<Bytes, FetchError> {
    decode_by_window(body, content_encoding, limit, MAX_ZSTD_WINDOW_LOG)
}

/// As [`decode`], with a window no longer than `limit`.
///
/// # Errors
/// As [`decode`], and if the data needs a longer window.
pub fn decode_small(body: Bytes, content_encoding: Option<&str>, limit: usize) -> Result<Bytes, FetchError> {
    decode_by_window(body, content_encoding, limit, limit.next_power_of_two().ilog2())
}

/// The value of all Content-Encoding fields together: a list may be in several fields (RFC 9110, section 5.3).
#[must_use]
pub fn named_in(headers: &HeaderMap) -> Option<String> {
    let fields = headers.get_all(CONTENT_ENCODING).iter();
    let values: Vec<_> = fields.map(|value| String::from_utf8_lossy(value.as_bytes())).collect();
    (!values.is_empty()).then(|| values.join(", "))
}

/// Decodes as much of a robots.txt as counts. Neither its length nor the length of the decoded file is an error.
///
/// # Errors
/// The data is damaged, or the coding is not supported.
pub fn decode_robots(body: Bytes, content_encoding: Option<&str>) -> Result<Bytes, FetchError> {
    // One more byte shows the parser that the last line is cut.
    let limit = MAX_ROBOTS_BYTES + 1;
    if body.len() < limit && !codings(content_encoding)?.is_empty() {
        // The fetcher has not cut it, so it must be whole.
        return match decode(body.clone(), content_encoding, MAX_ROBOTS_BYTES) {
            Err(FetchError::BodyTooLarge { .. }) => decode_start(body, content_encoding, limit),
            decoded => decoded,
        };
    }
    decode_start(body, content_encoding, limit)
}

/// The first bytes of a decoded body, at most `limit`. The body may be cut at its end, and a coding that unpacks to more than
/// [`MAX_ROBOTS_LAYER_BYTES`] ends there.
fn decode_start(body: Bytes, content_encoding: Option<&str>, limit: usize) -> Result<Bytes, FetchError> {
    let codings = codings(content_encoding)?;
    if codings.is_empty() {
        return Ok(body.slice(..body.len().min(limit)));
    }
    let layers = layers(&body, &codings, MAX_ROBOTS_LAYER_BYTES, MAX_ZSTD_WINDOW_LOG)?;
    let mut decoded = Vec::new();
    match layers.take(limit as u64).read_to_end(&mut decoded) {
        Ok(_) => {}
        Err(error) if error.kind() == io::ErrorKind::UnexpectedEof || too_long(&error).is_some() => {}
        Err(error) => return Err(named(error)),
    }
    Ok(decoded.into())
}

fn decode_by_window(
    body: Bytes,
    content_encoding: Option<&str>,
    limit: usize,
    window_log: u32,
) -> Result<Bytes, FetchError> {
    let codings = codings(content_encoding)?;
    if codings.is_empty() || body.is_empty() {
        return Ok(body);
    }
    read(layers(&body, &codings, limit, window_log)?, limit)
}

/// A coding that [`decode`] supports.
#[derive(Debug, Clone, Copy)]
enum Coding {
    Gzip,
    Deflate,
    Brotli,
    Zstd,
}

impl Coding {
    fn name(self) -> &'static str {
        match self {
            Self::Gzip => "gzip",
            Self::Deflate => "deflate",
            Self::Brotli => "br",
            Self::Zstd => "zstd",
        }
    }
}

/// The codings in a list, in the order in which they were applied.
///
/// A name that is no coding (`utf-8`, `none`, `binary`) says nothing about the bytes, and is left out. Browsers then decode nothing at all
/// (Fetch standard, "handle content codings"); that gives the same body, unless a real coding stands beside the name.
///
/// # Errors
/// There are too many codings, or a registered coding that the crawler does not ask for.
fn codings(content_encoding: Option<&str>) -> Result<Vec<Coding>, FetchError> {
    let mut codings = Vec::new();
    for name in content_encoding.unwrap_or_default().split(',') {
        let name = name.split(';').next().unwrap_or_default();
        let name = name
            .trim_matches(|c: char| c.is_whitespace() || c == '"')
            .to_ascii_lowercase();
        codings.push(match name.as_str() {
            "gzip" | "x-gzip" => Coding::Gzip,
            "deflate" => Coding::Deflate,
            "br" => Coding::Brotli,
            "zstd" => Coding::Zstd,
            // The others of the registry (RFC 9110, section 16.6.1).
            "compress" | "x-compress" | "aes128gcm" | "dcb" | "dcz" | "exi" | "pack200-gzip" => {
                return Err(FetchError::ContentEncoding(format!("{name} was not asked for")));
            }
            _ => continue,
        });
    }
    if codings.len() > MAX_CODINGS {
        return Err(FetchError::ContentEncoding(format!("{} codings", codings.len())));
    }
    Ok(codings)
}

/// A reader of the decoded body. Each layer gives at most `limit` bytes.
fn layers<'a>(
    body: &'a [u8],
    codings: &[Coding],
    limit: usize,
    window_log: u32,
) -> Result<Box<dyn Read + 'a>, FetchError> {
    let mut layers: Box<dyn Read + 'a> = Box::new(body);
    for coding in codings.iter().rev() {
        layers = Box::new(Bounded {
            coding: coding.name(),
            reader: undo(*coding, layers, window_log)?,
            left: limit,
            limit,
        });
    }
    Ok(layers)
}

fn undo<'a>(coding: Coding, packed: Box<dyn Read + 'a>, window_log: u32) -> Result<Box<dyn Read + 'a>, FetchError> {
    let packed = io::BufReader::with_capacity(CHUNK_BYTES, packed);
    Ok(match coding {
        Coding::Gzip => Box::new(Gunzip::new(packed)),
        Coding::Deflate => Box::new(Inflate::of_deflate(packed).map_err(named)?),
        Coding::Brotli => Box::new(brotli_decompressor::Decompressor::new(packed, CHUNK_BYTES)),
        Coding::Zstd => Box::new(ZstdFrames::new(packed, window_log).map_err(named)?),
    })
}

fn read(mut layers: impl Read, limit: usize) -> Result<Bytes, FetchError> {
    let mut decoded = Vec::new();
    loop {
        let filled = decoded.len();
        // One byte beyond the limit shows whether the body is too long.
        let step = (filled / 2).max(MIN_STEP).min(limit + 1 - filled);
        decoded.reserve_exact(step);
        let read = (&mut layers)
            .take(step as u64)
            .read_to_end(&mut decoded)
            .map_err(named)?;
        if decoded.len() > limit {
            return Err(FetchError::BodyTooLarge { limit });
        }
        if read < step {
            decoded.shrink_to_fit();
            return Ok(decoded.into());
        }
    }
}

/// Names the error of any layer.
fn named(error: io::Error) -> FetchError {
    match too_long(&error) {
        Some(&LayerTooLong { limit }) => FetchError::BodyTooLarge { limit },
        None => FetchError::ContentEncoding(error.to_string()),
    }
}

/// The bound that a coding exceeded, if the error is about that.
fn too_long(error: &io::Error) -> Option<&LayerTooLong> {
    error.get_ref()?.downcast_ref()
}

/// The decoder of one coding, and the bound on its output.
struct Bounded<R> {
    coding: &'static str,
    reader: R,
    left: usize,
    limit: usize,
}

impl<R: Read> Read for Bounded<R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let read = self.reader.read(buffer).map_err(|error| self.of_this_layer(error))?;
        self.left = self.left.checked_sub(read).ok_or_else(|| {
            let limit = self.limit;
            io::Error::other(LayerTooLong { limit })
        })?;
        Ok(read)
    }
}

impl<R> Bounded<R> {
    /// Names the damaged coding, unless a layer below has named its own.
    fn of_this_layer(&self, error: io::Error) -> io::Error {
        match error.get_ref() {
            Some(inner) if inner.is::<LayerTooLong>() || inner.is::<Broken>() => error,
            _ => io::Error::new(error.kind(), Broken(format!("{}: {error}", self.coding))),
        }
    }
}

/// The output of a coding is longer than the bound.
#[derive(Debug, thiserror::Error)]
#[error("over {limit} bytes")]
struct LayerTooLong {
    limit: usize,
}

/// The name of a damaged coding and its error.
#[derive(Debug, thiserror::Error)]
#[error("{0}")]
struct Broken(String);

#[cfg(test)]
mod tests;
