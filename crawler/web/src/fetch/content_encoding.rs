//! Decodes Content-Encoding (RFC 9110, section 8.4) under a bound, so that a decompression bomb is an error.
//!
//! Several codings are decoded in one pass: each decoder reads from the decoder of the coding outside it. Memory holds only the
//! result, and the bound applies to the output of every decoder.

use std::io::{self, Read};

use bytes::Bytes;

use super::FetchError;

/// The codings that requests accept and [`decode`] supports.
pub(super) const ACCEPTED: &str = "gzip, deflate, br, zstd";

/// Largest accepted window of a zstd frame, as a power of two (RFC 9659: 8 MiB).
const MAX_ZSTD_WINDOW_LOG: u32 = 23;

/// Most codings of one body; more are an attack.
const MAX_CODINGS: usize = 3;

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

fn decode_by_window(
    body: Bytes,
    content_encoding: Option<&str>,
    limit: usize,
    window_log: u32,
) -> Result<Bytes, FetchError> {
    let codings: Vec<&str> = content_encoding
        .unwrap_or_default()
        .split(',')
        .map(str::trim)
        .filter(|coding| !coding.is_empty() && !coding.eq_ignore_ascii_case("identity"))
        .collect();
    if codings.len() > MAX_CODINGS {
        return Err(FetchError::ContentEncoding(format!("{} codings", codings.len())));
    }
    if codings.is_empty() || body.is_empty() {
        return Ok(body);
    }
    let mut layers: Box<dyn Read + '_> = Box::new(&*body);
    for coding in codings.iter().rev() {
        layers = Box::new(Bounded {
            coding,
            reader: undo(coding, layers, window_log)?,
            left: limit,
            limit,
        });
    }
    read(layers, limit)
}

fn undo<'a>(coding: &str, mut packed: impl Read + 'a, window_log: u32) -> Result<Box<dyn Read + 'a>, FetchError> {
    Ok(match coding.to_ascii_lowercase().as_str() {
        "gzip" | "x-gzip" => Box::new(flate2::read::MultiGzDecoder::new(packed)),
        // "deflate" is the zlib format. Some servers send raw deflate data, which browsers accept too.
        "deflate" => {
            let mut first = [0; 1];
            let length = packed.read(&mut first).map_err(named)?;
            let is_zlib = first[0] & 0x0f == 8;
            let packed = io::Cursor::new(first).take(length as u64).chain(packed);
            if is_zlib {
                Box::new(flate2::read::ZlibDecoder::new(packed))
            } else {
                Box::new(flate2::read::DeflateDecoder::new(packed))
            }
        }
        "br" => Box::new(brotli_decompressor::Decompressor::new(packed, 16 * 1024)),
        "zstd" => {
            let mut decoder = zstd::stream::read::Decoder::new(packed).map_err(named)?;
            decoder.window_log_max(window_log).map_err(named)?;
            Box::new(decoder)
        }
        _ => return Err(FetchError::ContentEncoding(format!("{coding} was not asked for"))),
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
    match error.get_ref().and_then(|inner| inner.downcast_ref::<LayerTooLong>()) {
        Some(&LayerTooLong { limit }) => FetchError::BodyTooLarge { limit },
        None => FetchError::ContentEncoding(error.to_string()),
    }
}

/// The decoder of one coding, and the bound on its output.
struct Bounded<'a, R> {
    coding: &'a str,
    reader: R,
    left: usize,
    limit: usize,
}

impl<R: Read> Read for Bounded<'_, R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let read = self.reader.read(buffer).map_err(|error| self.of_this_layer(error))?;
        self.left = self.left.checked_sub(read).ok_or_else(|| {
            let limit = self.limit;
            io::Error::other(LayerTooLong { limit })
        })?;
        Ok(read)
    }
}

impl<R> Bounded<'_, R> {
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
mod tests {
    use super::*;
    use std::io::Write;

    fn gzip(data: &[u8]) -> Bytes {
        let mut encoder = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast());
        encoder.write_all(data).unwrap();
        encoder.finish().unwrap().into()
    }

    fn zlib(data: &[u8]) -> Bytes {
        let mut encoder = flate2::write::ZlibEncoder::new(Vec::new(), flate2::Compression::fast());
        encoder.write_all(data).unwrap();
        encoder.finish().unwrap().into()
    }

    fn bare_deflate(data: &[u8]) -> Bytes {
        let mut encoder = flate2::write::DeflateEncoder::new(Vec::new(), flate2::Compression::fast());
        encoder.write_all(data).unwrap();
        encoder.finish().unwrap().into()
    }

    /// `brotli` of "say something new\n" (made with the reference encoder).
    const BROTLI: &[u8] = b"\x8b\x08\x80say something new\n\x03";

    #[test]
    fn every_accepted_coding_is_decoded() {
        let text = b"say something new\n".as_slice();
        for (coding, body) in [
            ("gzip", gzip(text)),
            ("X-GZIP", gzip(text)),
            ("deflate", zlib(text)),
            ("deflate", bare_deflate(text)),
            ("br", Bytes::from_static(BROTLI)),
            ("zstd", zstd::bulk::compress(text, 3).unwrap().into()),
            ("deflate, gzip", gzip(&zlib(text))),
            ("identity", Bytes::from_static(b"say something new\n")),
            ("", Bytes::from_static(b"say something new\n")),
        ] {
            assert_eq!(decode(body, Some(coding), 1_000).unwrap(), text, "{coding}");
        }
    }

    #[test]
    fn a_bomb_is_an_error_and_never_decoded_in_full() {
        let zeros = vec![0; 10_000_000];
        let zstd = Bytes::from(zstd::bulk::compress(&zeros, 3).unwrap());
        for (coding, body) in [("gzip", gzip(&zeros)), ("deflate", zlib(&zeros)), ("zstd", zstd)] {
            assert!(body.len() < 100_000);
            let error = decode(body, Some(coding), 1_000_000).unwrap_err();
            assert_eq!(error.kind(), "body_too_large", "{coding}");
        }
    }

    #[test]
    fn a_bomb_within_a_bomb_is_an_error_too() {
        let zeros = vec![0; 10_000_000];
        let nested = gzip(&gzip(&gzip(&zeros)));
        assert!(nested.len() < 10_000);
        let error = decode(nested, Some("gzip, gzip, gzip"), 1_000_000).unwrap_err();
        assert_eq!(error.kind(), "body_too_large");
        // An endless row of empty members: nothing comes out, however much goes in.
        let empty = gzip(b"");
        let nested = gzip(&empty.repeat(1_000_000));
        let error = decode(nested, Some("gzip, gzip"), 1_000_000).unwrap_err();
        assert_eq!(error.kind(), "body_too_large");
    }

    #[test]
    fn a_body_of_exactly_the_limit_is_accepted() {
        for length in [0, 1, MIN_STEP - 1, MIN_STEP, MIN_STEP + 1, 1_000_000] {
            let text = vec![b'x'; length];
            assert_eq!(decode(gzip(&text), Some("gzip"), length).unwrap(), text);
            if length > 0 {
                let error = decode(gzip(&text), Some("gzip"), length - 1).unwrap_err();
                assert_eq!(error.kind(), "body_too_large", "{length}");
            }
        }
    }

    #[test]
    fn damaged_and_unknown_codings_are_errors() {
        for coding in ["gzip", "br", "zstd", "deflate", "compress", "gzip,gzip,gzip,gzip"] {
            let error = decode(Bytes::from_static(b"<html>not packed"), Some(coding), 1_000).unwrap_err();
            assert_eq!(error.kind(), "content_encoding", "{coding}");
        }
        let error = decode(gzip(b"<html>not packed twice"), Some("br, gzip"), 1_000).unwrap_err();
        assert!(error.to_string().contains("br: "), "{error}");
        let mut cut = gzip(b"a longer text that is cut in the middle").to_vec();
        cut.truncate(20);
        assert!(decode(cut.into(), Some("gzip"), 1_000).is_err());
    }
}
