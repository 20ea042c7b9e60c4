//! Compresses a record into one gzip member (RFC 1952).
//!
//! All members are made by libdeflate at level 1. Measured on 553 pages of a reference site (every eighth, 21.3 MB), their texts
//! without markup (2.6 MB), and a `request` record for each; one core of an AMD EPYC, µs and bytes for one record:
//!
//! ```text
//!                         page             text            request
//! zlib-rs 1, new      149 µs  23.4 %   43 µs  49.0 %   20 µs  77 %
//! zlib-rs 1, reused   109 µs  23.3 %   29 µs  48.6 %    7 µs  74 %
//! zlib-rs 2, new      237 µs  19.1 %   73 µs  38.0 %   28 µs  66 %    the choice before this one
//! zlib-rs 2, reused   202 µs  19.0 %   61 µs  37.6 %   22 µs  63 %
//! zlib-rs 6, reused   411 µs  16.8 %   93 µs  36.0 %   22 µs  63 %
//! libdeflate 1        152 µs  18.5 %   29 µs  37.2 %    7 µs  66 %    chosen
//! libdeflate 2        227 µs  18.2 %   54 µs  37.1 %   15 µs  66 %
//! libdeflate 4        263 µs  17.5 %   58 µs  36.7 %   15 µs  66 %
//! libdeflate 6        357 µs  17.0 %   65 µs  36.3 %   14 µs  66 %
//! ```
//!
//! Level 1 of libdeflate takes half the time of level 2 of zlib-rs, and gives fewer bytes. Each further percent of size costs half as
//! much time again.
//!
//! libdeflate needs the whole record in one piece, so a record is copied once. Each thread keeps its compressor and its memory,
//! because the memory of a compressor costs more to fill than a short record costs to compress.

use std::cell::RefCell;
use std::io;

use libdeflater::{CompressionLvl, Compressor};

/// libdeflate's level.
const LEVEL: i32 = 1;

/// Bytes of memory that a thread keeps for the next record. A longer record gives its memory back.
const KEPT_BYTES: usize = 1 << 20;

thread_local! {
    static THREAD: RefCell<Workplace> = RefCell::new(Workplace {
        // Level 1 exists. (`fastest` is level 0, which compresses nothing.)
        compressor: Compressor::new(CompressionLvl::new(LEVEL).unwrap_or_default()),
        record: Vec::new(),
        member: Vec::new(),
    });
}

/// What a thread reuses from record to record.
struct Workplace {
    compressor: Compressor,
    /// The record in one piece.
    record: Vec<u8>,
    /// Room for the member, which is longest if nothing compresses.
    member: Vec<u8>,
}

/// Appends the concatenation of `parts` to `out` as one gzip member. Returns the bytes appended.
///
/// # Errors
/// The compressor's errors. It has room for any result, so none are expected.
pub(super) fn append(parts: &[&[u8]], out: &mut Vec<u8>) -> io::Result<u64> {
    THREAD.with_borrow_mut(|thread| thread.append(parts, out))
}

impl Workplace {
    fn append(&mut self, parts: &[&[u8]], out: &mut Vec<u8>) -> io::Result<u64> {
        self.record.clear();
        for part in parts {
            self.record.extend_from_slice(part);
        }
        let bound = self.compressor.gzip_compress_bound(self.record.len());
        if self.member.len() < bound {
            self.member.resize(bound, 0);
        }
        let length = self
            .compressor
            .gzip_compress(&self.record, &mut self.member)
            .map_err(|error| io::Error::other(error.to_string()))?;
        out.extend_from_slice(&self.member[..length]);
        if bound > KEPT_BYTES {
            (self.record, self.member) = (Vec::new(), Vec::new());
        }
        Ok(length as u64)
    }
}

#[cfg(test)]
mod tests {
    use std::io::Read;

    use flate2::bufread::MultiGzDecoder;
    use proptest::prelude::*;

    use super::*;

    proptest! {
        /// Another program's decompressor reads the members, whatever this thread compressed before.
        #[test]
        fn the_members_decompress_to_the_parts(records in prop::collection::vec(prop::collection::vec(prop::collection::vec(any::<u8>(), 0..300), 0..4), 1..6)) {
            let mut out = Vec::new();
            let mut expected = Vec::new();
            for parts in &records {
                let parts: Vec<&[u8]> = parts.iter().map(Vec::as_slice).collect();
                let before = out.len();
                prop_assert_eq!(append(&parts, &mut out).unwrap(), (out.len() - before) as u64);
                expected.extend(parts.concat());
            }
            let mut read = Vec::new();
            MultiGzDecoder::new(&out[..]).read_to_end(&mut read).unwrap();
            prop_assert_eq!(read, expected);
        }
    }

    #[test]
    fn a_record_becomes_shorter() {
        let page: String = (0..500)
            .map(|n| format!("<li class=item><a href=/page/{n}>Page {n}</a>"))
            .collect();
        let mut out = Vec::new();
        append(&[b"WARC/1.1\r\n\r\n", page.as_bytes()], &mut out).unwrap();
        assert!(out.len() < page.len() / 5, "{} of {} bytes", out.len(), page.len());
    }

    #[test]
    fn a_long_record_gives_its_memory_back() {
        let mut out = Vec::new();
        append(&[&vec![b'x'; 2 * KEPT_BYTES]], &mut out).unwrap();
        THREAD.with_borrow(|thread| assert_eq!((thread.record.capacity(), thread.member.capacity()), (0, 0)));
        append(&[b"short"], &mut out).unwrap();
        let mut read = Vec::new();
        MultiGzDecoder::new(&out[..]).read_to_end(&mut read).unwrap();
        assert_eq!(read.len(), 2 * KEPT_BYTES + 5);
    }
}
