//! Compresses a record into one member, and opens members to read.
//!
//! A *member* is the part of a file that is decompressed by itself: a member of gzip, or a frame of Zstandard. A record is one member of gzip
//! (ISO 28500:2017, annex D), or one or more frames ([`zstandard`]).
//!
//! libdeflate makes the members of gzip, at level 1. Measured on 553 pages of a reference site (every eighth, 21.3 MB), their texts
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
//! Zstandard: level 3, the highest that takes no more time than libdeflate 1. Measured on 283 pages of five collections of web pages (149 kB
//! each) with their texts (13 kB), and on a crawl of a software manual: 803 pages (29 kB), their texts (8 kB), 1,823 `metadata` records
//! (1.7 kB) and 1,313 `request` records (0.7 kB). The median of five runs on one core of the same machine:
//!
//! ```text
//!                 web pages       their texts     manual          its texts       metadata       request
//! libdeflate 1    442 µs  20.1 %   70 µs  41.7 %   74 µs  19.4 %   30 µs  30.9 %   11 µs  68 %    6 µs  67 %
//! zstd -1         232 µs  23.0 %   42 µs  54.8 %   46 µs  23.3 %   20 µs  38.8 %    4 µs  85 %    3 µs  82 %
//! zstd 1          251 µs  19.0 %   45 µs  42.6 %   52 µs  19.5 %   25 µs  31.1 %    7 µs  69 %    6 µs  69 %
//! zstd 3          333 µs  18.0 %   64 µs  41.4 %   67 µs  18.8 %   30 µs  30.1 %    9 µs  69 %    5 µs  68 %    chosen
//! zstd 4          458 µs  17.8 %  103 µs  40.9 %   98 µs  18.5 %   45 µs  29.7 %   15 µs  68 %    9 µs  68 %
//! zstd 6         1056 µs  16.8 %  182 µs  39.9 %  214 µs  17.3 %   79 µs  28.7 %   18 µs  68 %    9 µs  68 %
//! ```
//!
//! Both need the whole record in one piece, so a record is copied once. Each thread keeps its compressors and its memory, because the
//! memory of a compressor costs more to fill than a short record costs to compress.

mod gzip;
mod zstandard;

use std::cell::RefCell;
use std::io::{self, BufRead, Read};

use flate2::bufread::GzDecoder;

use self::gzip::Gzip;
pub use self::zstandard::dictionary_in;
use self::zstandard::{Frames, Zstd};
use super::compression::Compression;

/// Bytes of memory that a thread keeps for the next record. A longer record gives its memory back.
const KEPT_BYTES: usize = 1 << 20;

thread_local! {
    static THREAD: RefCell<Workplace> = const {
        RefCell::new(Workplace {
            gzip: None,
            zstd: None,
            room: Room {
                record: Vec::new(),
                member: Vec::new(),
            },
        })
    };
}

/// A compressor of records.
trait Packer {
    /// Upper bound on the member of a record of `bytes` bytes.
    fn bound(&mut self, bytes: usize) -> usize;

    /// Compresses a record into the beginning of `into`. Returns the length of the member.
    fn pack(&mut self, record: &[u8], into: &mut [u8]) -> io::Result<usize>;
}

/// What a thread reuses from record to record.
struct Workplace {
    gzip: Option<Gzip>,
    zstd: Option<Zstd>,
    room: Room,
}

struct Room {
    /// The record in one piece.
    record: Vec<u8>,
    /// Room for the member, which is longest if nothing compresses.
    member: Vec<u8>,
}

/// Appends the concatenation of `parts` to `out` as one member. Returns the bytes appended.
///
/// # Errors
/// The compressor's errors. It has room for any result, so none are expected.
pub(super) fn append(compression: Compression, parts: &[&[u8]], out: &mut Vec<u8>) -> io::Result<u64> {
    THREAD.with_borrow_mut(|Workplace { gzip, zstd, room }| match compression {
        Compression::Gzip => room.append(gzip.get_or_insert_with(Gzip::new), parts, out),
        Compression::Zstd => {
            let packer = match zstd {
                Some(packer) => packer,
                None => zstd.insert(Zstd::new()?),
            };
            room.append(packer, parts, out)
        }
    })
}

impl Room {
    fn append(&mut self, packer: &mut impl Packer, parts: &[&[u8]], out: &mut Vec<u8>) -> io::Result<u64> {
        self.record.clear();
        for part in parts {
            self.record.extend_from_slice(part);
        }
        let bound = packer.bound(self.record.len());
        if self.member.len() < bound {
            self.member.resize(bound, 0);
        }
        let length = packer.pack(&self.record, &mut self.member)?;
        out.extend_from_slice(&self.member[..length]);
        if bound > KEPT_BYTES {
            (self.record, self.member) = (Vec::new(), Vec::new());
        }
        Ok(length as u64)
    }
}

/// Opens the members of one file.
pub(crate) struct Unpacker(Packed);

enum Packed {
    Gzip,
    Zstd(Frames),
}

impl Unpacker {
    /// For a file of this compression, without a dictionary.
    ///
    /// # Errors
    /// There is no memory for the decompressor.
    pub fn new(compression: Compression) -> io::Result<Self> {
        Ok(Self(match compression {
            Compression::Gzip => Packed::Gzip,
            Compression::Zstd => Packed::Zstd(Frames::new(None)?),
        }))
    }

    /// For the file whose first bytes `read` gives: its argument is how many. The compression is that of the first bytes if it is not
    /// `known`.
    ///
    /// # Errors
    /// As [`new`](Self::new); the errors of `read`.
    pub fn of_file(known: Option<Compression>, mut read: impl FnMut(u64) -> io::Result<Vec<u8>>) -> io::Result<Self> {
        let head = match known {
            Some(Compression::Gzip) => return Self::new(Compression::Gzip),
            _ => read(zstandard::FRAME_HEAD)?,
        };
        if known.is_none() && !zstandard::is_head(&head) {
            return Self::new(Compression::Gzip);
        }
        let dictionary = match zstandard::dictionary_bytes(&head) {
            Some(length) => dictionary_in(read(zstandard::FRAME_HEAD + length)?.split_off(head.len())),
            None => None,
        };
        Ok(Self(Packed::Zstd(Frames::new(dictionary.as_deref())?)))
    }

    /// The first bytes of each member.
    pub fn magic(&self) -> &'static [u8] {
        match &self.0 {
            Packed::Gzip => gzip::MAGIC,
            Packed::Zstd(_) => zstandard::MAGIC,
        }
    }

    /// Whether a record may consist of several members, and a member of no record.
    pub fn takes_several(&self) -> bool {
        matches!(self.0, Packed::Zstd(_))
    }

    /// The content of the member at the beginning of `input`. Reads no byte behind the member.
    ///
    /// # Errors
    /// The decompressor's errors.
    pub fn open<'a, R: BufRead + 'a>(&'a mut self, input: R) -> io::Result<Box<dyn Read + 'a>> {
        Ok(match &mut self.0 {
            Packed::Gzip => Box::new(GzDecoder::new(input)),
            Packed::Zstd(frames) => Box::new(frames.open(input)?),
        })
    }

    /// Appends the content of the member at the beginning of `input` to `out`: at most one byte more than `limit`.
    ///
    /// # Errors
    /// As [`open`](Self::open); the member says that its content is longer than `limit`.
    pub fn append(&mut self, mut input: impl BufRead, limit: u64, out: &mut Vec<u8>) -> io::Result<()> {
        if let Packed::Zstd(_) = self.0 {
            out.reserve(zstandard::check_declared(input.fill_buf()?, limit)?);
        }
        let member = self.open(input)?;
        member.take(limit.saturating_add(1)).read_to_end(out)?;
        Ok(())
    }
}

/// Whether a member with these first bytes needs the dictionary of its file.
pub(crate) fn needs_dictionary(member: &[u8]) -> bool {
    zstandard::needs_dictionary(member)
}

impl std::fmt::Debug for Unpacker {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(match &self.0 {
            Packed::Gzip => "Unpacker(gzip)",
            Packed::Zstd(_) => "Unpacker(zstd)",
        })
    }
}

#[cfg(test)]
mod tests {
    use std::io::Cursor;

    use flate2::bufread::MultiGzDecoder;
    use proptest::prelude::*;

    use super::*;

    /// Decompresses all members as a program does that does not look at their borders.
    fn decompressed(compression: Compression, members: &[u8]) -> Vec<u8> {
        let mut read = Vec::new();
        match compression {
            Compression::Gzip => MultiGzDecoder::new(members).read_to_end(&mut read).map(|_| ()).unwrap(),
            Compression::Zstd => zstd::stream::copy_decode(members, &mut read).unwrap(),
        }
        read
    }

    proptest! {
        /// Another decompressor reads the members, whatever this thread compressed before.
        #[test]
        fn the_members_decompress_to_the_parts(records in prop::collection::vec(prop::collection::vec(prop::collection::vec(any::<u8>(), 0..300), 0..4), 1..6)) {
            for compression in Compression::ALL {
                let (mut out, mut expected) = (Vec::new(), Vec::new());
                let mut unpacker = Unpacker::new(compression).unwrap();
                for parts in &records {
                    let parts: Vec<&[u8]> = parts.iter().map(Vec::as_slice).collect();
                    let before = out.len();
                    prop_assert_eq!(append(compression, &parts, &mut out).unwrap(), (out.len() - before) as u64);
                    expected.extend(parts.concat());
                    // One member, which ends where it should.
                    let mut member = Cursor::new([&out[before..], b"more"].concat());
                    let mut read = Vec::new();
                    unpacker.append(&mut member, 1_000_000, &mut read).unwrap();
                    prop_assert_eq!(read, parts.concat());
                    prop_assert_eq!(member.position(), (out.len() - before) as u64);
                }
                prop_assert_eq!(decompressed(compression, &out), expected);
            }
        }
    }

    #[test]
    fn a_record_becomes_shorter() {
        let page: String = (0..500)
            .map(|n| format!("<li class=item><a href=/page/{n}>Page {n}</a>"))
            .collect();
        for compression in Compression::ALL {
            let mut out = Vec::new();
            append(compression, &[b"WARC/1.1\r\n\r\n", page.as_bytes()], &mut out).unwrap();
            assert!(out.len() < page.len() / 5, "{} of {} bytes", out.len(), page.len());
        }
    }

    #[test]
    fn a_long_record_gives_its_memory_back() {
        for compression in Compression::ALL {
            let mut out = Vec::new();
            append(compression, &[&vec![b'x'; 2 * KEPT_BYTES]], &mut out).unwrap();
            THREAD.with_borrow(|thread| {
                assert_eq!((thread.room.record.capacity(), thread.room.member.capacity()), (0, 0));
            });
            append(compression, &[b"short"], &mut out).unwrap();
            assert_eq!(decompressed(compression, &out).len(), 2 * KEPT_BYTES + 5);
        }
    }

    /// "Each Zstandard frame in a compressed WARC file must include the Frame_Content_Size and Content_Checksum fields", and readers must
    /// support windows of 8 MiB.
    #[test]
    fn a_frame_has_what_the_specification_demands() {
        for bytes in [0, 1, 300, 70_000, 20 << 20] {
            let record: Vec<u8> = (0..bytes)
                .map(|n: u32| (n.wrapping_mul(2_654_435_761) >> 20) as u8)
                .collect();
            let mut out = Vec::new();
            append(Compression::Zstd, &[&record], &mut out).unwrap();
            assert_eq!(
                zstd::zstd_safe::get_frame_content_size(&out).unwrap(),
                Some(bytes.into())
            );
            // Frame_Header_Descriptor, bit 2 (RFC 8878, 3.1.1.1.1).
            assert_eq!(out[4] & 0b100, 0b100);
            let mut read = Vec::new();
            let mut unpacker = Unpacker::new(Compression::Zstd).unwrap();
            unpacker.append(&out[..], 1 << 30, &mut read).unwrap();
            assert!(read == record, "{bytes}");
        }
    }
}
