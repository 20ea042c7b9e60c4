//! gzip members (RFC 1952).

use std::io;

use libdeflater::{CompressionLvl, Compressor};

use super::Packer;

/// The first bytes of a member: magic and method (RFC 1952, 2.3.1).
pub(super) const MAGIC: &[u8] = &[0x1f, 0x8b, 0x08];

/// libdeflate's level.
const LEVEL: i32 = 1;

/// libdeflate at level 1.
pub(super) struct Gzip(Compressor);

impl Gzip {
    pub fn new() -> Self {
        // Level 1 exists. (`fastest` is level 0, which compresses nothing.)
        Self(Compressor::new(CompressionLvl::new(LEVEL).unwrap_or_default()))
    }
}

impl Packer for Gzip {
    fn bound(&mut self, bytes: usize) -> usize {
        self.0.gzip_compress_bound(bytes)
    }

    fn pack(&mut self, record: &[u8], into: &mut [u8]) -> io::Result<usize> {
        let packed = self.0.gzip_compress(record, into);
        packed.map_err(|error| io::Error::other(error.to_string()))
    }
}
