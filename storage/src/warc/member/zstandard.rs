//! Zstandard frames of WARC files (IIPC, "Zstandard Compression for WARC Files 1.0"; RFC 8878).
//!
//! ```text
//! dictionary frame   skippable, 5D 2A 4D 18, at the head of a file alone       optional   "Dictionary frame format"
//! frame              content size, checksum, with a dictionary its number      a record   "Zstandard frames"
//! extension frame    skippable, another number                                 anywhere   "Extension frames"
//! ```
//!
//! This crate writes one frame a record and no dictionary. It reads records of several frames, frames without content, extension frames and
//! dictionaries.

use std::io::{self, BufRead, Read};

use zstd::bulk;
use zstd::stream::raw::{CParameter, DParameter};
use zstd::stream::read::Decoder;
use zstd::zstd_safe::{self, DCtx, ResetDirective};

use super::Packer;

/// The first bytes of a frame (RFC 8878, 3.1.1).
pub(super) const MAGIC: &[u8] = &[0x28, 0xb5, 0x2f, 0xfd];

/// The first bytes of the frame of a dictionary. Four bytes of length follow (RFC 8878, 3.1.2).
const DICTIONARY_FRAME: &[u8] = &[0x5d, 0x2a, 0x4d, 0x18];

/// The first bytes of a dictionary (RFC 8878, 5).
const DICTIONARY: &[u8] = &[0x37, 0xa4, 0x30, 0xec];

/// Bytes before the contents of a skippable frame.
pub(crate) const FRAME_HEAD: u64 = 8;

/// Upper bound on a dictionary, packed and unpacked, and on the window of a frame, in bytes: what the specification demands of readers
/// ("Window and dictionary limits").
const MAX_DICTIONARY_BYTES: u64 = 1 << WINDOW_LOG_MAX;

/// See [`MAX_DICTIONARY_BYTES`].
const WINDOW_LOG_MAX: u32 = 23;

/// Bytes that are reserved at once for a frame that says how long its content is. It may lie.
const RESERVED_BYTES: u64 = 1 << 20;

/// zstd's level.
const LEVEL: i32 = 3;

/// zstd at level 3.
pub(super) struct Zstd(bulk::Compressor<'static>);

impl Zstd {
    pub fn new() -> io::Result<Self> {
        let mut compressor = bulk::Compressor::new(LEVEL)?;
        // The specification demands it. The content size is written because the whole record is given at once.
        compressor.set_parameter(CParameter::ChecksumFlag(true))?;
        Ok(Self(compressor))
    }
}

impl Packer for Zstd {
    fn bound(&mut self, bytes: usize) -> usize {
        zstd_safe::compress_bound(bytes)
    }

    fn pack(&mut self, record: &[u8], into: &mut [u8]) -> io::Result<usize> {
        self.0.compress_to_buffer(record, into)
    }
}

/// Reads the frames of one file.
pub(super) struct Frames(DCtx<'static>);

impl Frames {
    /// `dictionary` is that of the file. A damaged one counts as none, so it becomes an error in the frames that need it.
    pub fn new(dictionary: Option<&[u8]>) -> io::Result<Self> {
        let mut context = DCtx::try_create().ok_or(io::ErrorKind::OutOfMemory)?;
        context
            .set_parameter(DParameter::WindowLogMax(WINDOW_LOG_MAX))
            .map_err(failed)?;
        if let Some(dictionary) = dictionary {
            // Its damage is reported as a lack of memory.
            let _damaged = context.load_dictionary(dictionary);
        }
        Ok(Self(context))
    }

    /// The content of the frame at the beginning of `input`; nothing for a skippable frame. Reads no byte behind the frame.
    pub fn open<R: BufRead>(&mut self, input: R) -> io::Result<Decoder<'_, R>> {
        // The frame before may be damaged, or not read to its end.
        self.0.reset(ResetDirective::SessionOnly).map_err(failed)?;
        Ok(Decoder::with_context(input, &mut self.0).single_frame())
    }
}

/// Refuses a frame that says that its content is longer than `limit`, and returns the bytes to reserve for it. `start` has its first bytes.
pub(super) fn check_declared(start: &[u8], limit: u64) -> io::Result<usize> {
    // Without a content size, the limit holds while the frame is read.
    let declared = zstd_safe::get_frame_content_size(start).ok().flatten().unwrap_or(0);
    if declared > limit {
        return Err(io::Error::other(format!(
            "its frame says that it holds {declared} bytes"
        )));
    }
    Ok(declared.min(RESERVED_BYTES) as usize)
}

/// Whether the frame needs a dictionary. `start` has its first bytes.
pub(super) fn needs_dictionary(start: &[u8]) -> bool {
    zstd_safe::get_dict_id_from_frame(start).is_some()
}

/// Whether a file with these first bytes has Zstandard frames ("File identification").
pub(super) fn is_head(start: &[u8]) -> bool {
    start.starts_with(MAGIC) || start.starts_with(DICTIONARY_FRAME)
}

/// The length of the contents of the dictionary frame with these first bytes; `None` if it is another frame, or too long.
pub(super) fn dictionary_bytes(head: &[u8]) -> Option<u64> {
    let length = head.strip_prefix(DICTIONARY_FRAME)?.first_chunk::<4>()?;
    let length = u64::from(u32::from_le_bytes(*length));
    (length <= MAX_DICTIONARY_BYTES).then_some(length)
}

/// The dictionary in the contents of a dictionary frame, which may be compressed; `None` if they hold none.
#[must_use]
pub fn dictionary_in(contents: Vec<u8>) -> Option<Vec<u8>> {
    let mut dictionary = contents;
    if dictionary.starts_with(MAGIC) {
        let mut frames = Frames::new(None).ok()?;
        let mut unpacked = Vec::new();
        let frame = frames.open(&dictionary[..]).ok()?;
        frame.take(MAX_DICTIONARY_BYTES + 1).read_to_end(&mut unpacked).ok()?;
        dictionary = unpacked;
    }
    let is_one = dictionary.starts_with(DICTIONARY) && dictionary.len() as u64 <= MAX_DICTIONARY_BYTES;
    is_one.then_some(dictionary)
}

fn failed(code: usize) -> io::Error {
    io::Error::other(zstd_safe::get_error_name(code))
}
