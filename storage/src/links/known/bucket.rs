//! A bucket: hashes with the same first bits, in order, each with the number of its URL.

use super::{UrlHash, UrlId};
use crate::error::StorageError;

/// Upper bound on the average number of hashes in a bucket.
pub const BUCKET: u64 = 96;

/// Binary logarithm of the number of buckets for `entries`.
pub fn depth_for(entries: u64) -> u8 {
    let buckets = entries.div_ceil(BUCKET).max(1).next_power_of_two();
    u8::try_from(buckets.ilog2()).unwrap_or(u8::MAX).min(31)
}

/// The first bits of a hash.
pub fn bucket_of(hash: UrlHash, depth: u8) -> u32 {
    (hash >> 32 >> (32 - u32::from(depth))) as u32
}

/// The row of a bucket: for each entry, by hash, the distance from the hash before and the number, as varints.
pub fn pack(entries: &[(UrlHash, UrlId)]) -> Result<Vec<u8>, StorageError> {
    let mut row = Vec::with_capacity(entries.len() * 11);
    let mut before = 0;
    for &(hash, id) in entries {
        row = postcard::to_extend(&(hash - before, id), row).map_err(StorageError::Encode)?;
        before = hash;
    }
    Ok(row)
}

/// Iterates over the entries of such a row; `None` for an entry that cannot be read.
pub struct Entries<'a> {
    row: &'a [u8],
    hash: UrlHash,
}

impl<'a> Entries<'a> {
    pub fn of(row: &'a [u8]) -> Self {
        Self { row, hash: 0 }
    }
}

impl Iterator for Entries<'_> {
    type Item = Option<(UrlHash, UrlId)>;

    fn next(&mut self) -> Option<Self::Item> {
        if self.row.is_empty() {
            return None;
        }
        let Ok(((distance, id), rest)) = postcard::take_from_bytes::<(u64, u64)>(self.row) else {
            self.row = &[];
            return Some(None);
        };
        self.row = rest;
        self.hash = self.hash.wrapping_add(distance);
        Some(Some((self.hash, id)))
    }
}
