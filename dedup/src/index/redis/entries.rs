//! How documents are packed into the values of Redis.
//!
//! ```text
//! key              type  field                        value
//! meta             hash  format scheme layout rule    text; `changes` counts the insertions, `next` the numbers given
//! signatures       hash  number u64 BE                signature, by postcard
//! recent           list                               summaries of the last 1,024 documents, see `summary`
//! digests          hash  bucket                       entries of digests
//! shingles         hash  bucket                       entries of prefix shingles of short texts
//! block-0 …        hash  bucket                       entries of fingerprints
//! ids, documents         of a `SharedCollection`
//!
//! bucket           the block of the fingerprint, or two bytes of the digest or shingle
//! value            full chunks u32 LE │ entry │ entry │ …          the open chunk, up to 4 KiB
//! bucket │ n u32 LE                   │ entry │ entry │ …          full chunk n
//! entry            word LE │ number u64 BE                         the whole fingerprint, digest or shingle
//! ```
//!
//! **Why hashes.** A bucket as a key of its own would take some 60 bytes more: the prefix, an object and an expiry slot.
//! As a field it takes its name, and one command asks for all buckets of a block with two bytes each.
//!
//! **Why chunks.** Every insertion writes the value of a bucket anew, since to append in place would reserve twice the
//! memory. A chunk bounds that to 4 KiB, also where a quarter of all documents share a bucket. Splitting such a bucket by
//! further bits, as the other indices do, would read less of it. But it would store each of its entries four more times, and
//! the step that splits a bucket would keep the server from answering anybody else meanwhile.

use crate::layout::Layout;
use crate::short::prefix;
use crate::signature::{Digest, DocId, Signature};

/// Bytes of a document's number in an entry.
const NUMBER_BYTES: usize = 8;
/// Bytes that count the full chunks of a bucket.
const HEAD_BYTES: usize = 4;
/// Bytes of the bucket of a digest or shingle.
const HASH_BUCKET_BYTES: usize = 2;

/// A table of entries: what their words are.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Table {
    Digests,
    Shingles,
    /// Fingerprints by this block.
    Block(usize),
}

/// The form of an index.
#[derive(Debug, Clone, Copy)]
pub(super) struct Shape {
    pub layout: Layout,
    pub min_similarity_short: f32,
}

impl Shape {
    /// The name of the shape in the meta key. The distance is no part of it: it changes no entry.
    pub fn name(&self) -> String {
        let (bits, blocks) = (self.layout.width().bits(), self.layout.blocks().len());
        format!("{bits} bits in {blocks} short>={}", self.min_similarity_short)
    }

    /// Bytes of a word of a table.
    fn word_bytes(&self, table: Table) -> usize {
        match table {
            Table::Digests => 16,
            Table::Shingles => 8,
            Table::Block(_) => self.layout.width().bits() as usize / 8,
        }
    }

    /// The bucket of a word.
    pub fn bucket(&self, table: Table, word: u128) -> Vec<u8> {
        match table {
            Table::Digests | Table::Shingles => word.to_le_bytes()[..HASH_BUCKET_BYTES].to_vec(),
            Table::Block(number) => self.bucket_of_block(number, self.layout.key(word, number)),
        }
    }

    /// The bucket of the words with this block.
    pub fn bucket_of_block(&self, number: usize, block: u128) -> Vec<u8> {
        let bytes = self.layout.block(number).bits.div_ceil(8) as usize;
        block.to_le_bytes()[..bytes].to_vec()
    }

    /// All entries of a document, each as table and word.
    pub fn entries(&self, signature: &Signature) -> Vec<(Table, u128)> {
        let mut entries = Vec::new();
        entries.extend(signature.digest.map(|Digest(digest)| (Table::Digests, digest)));
        if let Some(fingerprint) = signature.fingerprint {
            let blocks = 0..self.layout.blocks().len();
            entries.extend(blocks.map(|number| (Table::Block(number), fingerprint.bits())));
        }
        let prefix = prefix(&signature.shingles, self.min_similarity_short);
        entries.extend(prefix.iter().map(|shingle| (Table::Shingles, u128::from(*shingle))));
        entries
    }

    /// The bytes of a word in an entry.
    pub fn word(&self, table: Table, word: u128) -> Vec<u8> {
        word.to_le_bytes()[..self.word_bytes(table)].to_vec()
    }

    /// Calls `each` with the entries of a full chunk. Returns `false` if the bytes are no entries.
    #[must_use]
    pub fn read_chunk(&self, table: Table, chunk: &[u8], mut each: impl FnMut(u128, DocId)) -> bool {
        let word_bytes = self.word_bytes(table);
        let entries = chunk.chunks_exact(word_bytes + NUMBER_BYTES);
        let is_whole = entries.remainder().is_empty();
        for entry in entries {
            let (word, number) = entry.split_at(word_bytes);
            let mut bytes = [0; 16];
            bytes[..word_bytes].copy_from_slice(word);
            each(u128::from_le_bytes(bytes), number_of(number).unwrap_or(DocId(0)));
        }
        is_whole
    }

    /// Calls `each` with the entries of the open chunk of a bucket. Returns the number of its full chunks, which are read with
    /// the fields that [`full_chunk`] names; `None` if the bytes are no bucket.
    pub fn read_bucket(&self, table: Table, value: &[u8], each: impl FnMut(u128, DocId)) -> Option<u32> {
        let (head, chunk) = value.split_first_chunk::<HEAD_BYTES>()?;
        self.read_chunk(table, chunk, each).then(|| u32::from_le_bytes(*head))
    }

    /// What the script compares of two documents that are decided at the same time: whether there is a digest, digest, bytes of
    /// the fingerprint, fingerprint, prefix shingles.
    pub fn summary(&self, signature: &Signature) -> Vec<u8> {
        let mut summary = vec![u8::from(signature.digest.is_some())];
        summary.extend(signature.digest.map_or(0, |Digest(digest)| digest).to_le_bytes());
        match signature.fingerprint {
            None => summary.push(0),
            Some(fingerprint) => {
                let bytes = fingerprint.width().bits() as usize / 8;
                summary.push(bytes as u8);
                summary.extend(&fingerprint.bits().to_le_bytes()[..bytes]);
            }
        }
        for shingle in prefix(&signature.shingles, self.min_similarity_short) {
            summary.extend(shingle.to_le_bytes());
        }
        summary
    }
}

/// The field of a full chunk.
pub(super) fn full_chunk(bucket: &[u8], number: u32) -> Vec<u8> {
    [bucket, &number.to_le_bytes()].concat()
}

/// The bytes of a document's number.
pub(super) fn number_bytes(id: DocId) -> [u8; NUMBER_BYTES] {
    id.0.to_be_bytes()
}

/// The number in these bytes.
pub(super) fn number_of(bytes: &[u8]) -> Option<DocId> {
    bytes.try_into().ok().map(|bytes| DocId(u64::from_be_bytes(bytes)))
}
