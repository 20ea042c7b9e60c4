//! Undoes Content-Encoding (RFC 9110, section 8.4) under a bound: a bomb ends as a named error, not as memory.

use std::io::{self, Read};

use bytes::Bytes;

use crate::fetch::FetchError;

/// The codings that are asked for: what [`decode`] undoes.
pub const ACCEPTED: &str = "gzip, deflate, br, zstd";

/// Largest window of a zstd frame that is accepted, as a power of two (RFC 9659: 8 MiB).
const ZSTD_WINDOW_LOG: u32 = 23;

/// Codings laid over one another that are undone; more are an attack.
const MAX_CODINGS: usize = 3;

/// The body without its codings, at most `limit` bytes of it.
///
/// # Errors
/// The body is longer than `limit`, broken, or in a coding that was not asked for.
pub fn decode(body: Bytes, content_encoding: Option<&str>, limit: usize) -> Result<Bytes, FetchError> {
    let codings: Vec<&str> = content_encoding
        .unwrap_or_default()
        .split(',')
        .map(str::trim)
        .filter(|coding| !coding.is_empty() && !coding.eq_ignore_ascii_case("identity"))
        .collect();
    if codings.len() > MAX_CODINGS {
        return Err(FetchError::ContentEncoding(format!("{} codings", codings.len())));
    }
    let mut body = body;
    for coding in codings.iter().rev() {
        if !body.is_empty() {
            body = undo(coding, &body, limit)?;
        }
    }
    Ok(body)
}

fn undo(coding: &str, body: &[u8], limit: usize) -> Result<Bytes, FetchError> {
    let named = |error: io::Error| FetchError::ContentEncoding(format!("{coding}: {error}"));
    match coding.to_ascii_lowercase().as_str() {
        "gzip" | "x-gzip" => bounded(flate2::read::MultiGzDecoder::new(body), limit, named),
        // "deflate" is the zlib format; some servers send bare deflate, which browsers take too.
        "deflate" if body[0] & 0x0f == 8 => bounded(flate2::read::ZlibDecoder::new(body), limit, named),
        "deflate" => bounded(flate2::read::DeflateDecoder::new(body), limit, named),
        "br" => bounded(brotli_decompressor::Decompressor::new(body, 16 * 1024), limit, named),
        "zstd" => {
            let mut decoder = zstd::stream::read::Decoder::new(body).map_err(named)?;
            decoder.window_log_max(ZSTD_WINDOW_LOG).map_err(named)?;
            bounded(decoder, limit, named)
        }
        _ => Err(FetchError::ContentEncoding(format!("{coding} was not asked for"))),
    }
}

fn bounded(reader: impl Read, limit: usize, named: impl Fn(io::Error) -> FetchError) -> Result<Bytes, FetchError> {
    let mut decoded = Vec::new();
    reader.take(limit as u64 + 1).read_to_end(&mut decoded).map_err(named)?;
    if decoded.len() > limit {
        return Err(FetchError::BodyTooLarge { limit });
    }
    Ok(decoded.into())
}

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
    fn every_coding_that_is_asked_for_is_undone() {
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
    fn a_bomb_is_named_and_never_unpacked() {
        let zeros = vec![0; 10_000_000];
        let zstd = Bytes::from(zstd::bulk::compress(&zeros, 3).unwrap());
        for (coding, body) in [("gzip", gzip(&zeros)), ("deflate", zlib(&zeros)), ("zstd", zstd)] {
            assert!(body.len() < 100_000);
            let error = decode(body, Some(coding), 1_000_000).unwrap_err();
            assert_eq!(error.kind(), "body_too_large", "{coding}");
        }
    }

    #[test]
    fn broken_and_unknown_codings_are_named() {
        for coding in ["gzip", "br", "zstd", "deflate", "compress", "gzip,gzip,gzip,gzip"] {
            let error = decode(Bytes::from_static(b"<html>not packed"), Some(coding), 1_000).unwrap_err();
            assert_eq!(error.kind(), "content_encoding", "{coding}");
        }
        let mut cut = gzip(b"a longer text that is cut in the middle").to_vec();
        cut.truncate(20);
        assert!(decode(cut.into(), Some("gzip"), 1_000).is_err());
    }
}
