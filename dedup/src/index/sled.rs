//! The index in block-keyed sled trees, for a caller that owns the database.
//!
//! ```text
//! tree              key                                value
//! dedup-meta        "scheme" · "layout"                text
//!                   "applied"                          sequence  u64 BE
//! dedup-digests     digest u128 BE                     id u64 BE
//! dedup-block-0…3   block u16 BE │ chunk u32 BE        ≤ 64 entries of fingerprint u64 LE │ id u64 LE
//! dedup-shingles    shingle u64 BE │ id u64 BE         (empty)
//! dedup-signatures  id u64 BE                          Signature, postcard
//! ```
//!
//! A bucket is a run of chunk rows: one row an entry would take three times the space.
//!
//! **What survives a crash.** [`insert`](Index::insert) only adds to memory; queries see it at once.
//! [`SledIndex::persist`] writes what was inserted, document by document in the order of insertion: blocks, digest,
//! shingles, last the signature; after all of them the applied mark. sled recovers a prefix of what was written, so
//! after a crash the mark tells up to which sequence everything is there, at most one document behind it lacks its
//! signature, and those before that one are complete. The owner inserts again what follows the mark: a document with a
//! signature is passed over, and the incomplete one adds no second entry since the only chunk its entry can lie in, the
//! bucket's last, is looked at before it is extended. Nothing here flushes: the owner does, in its own order.

use std::collections::HashMap;

use sled::{Db, IVec, Tree};

use super::blocks::DEFAULT_SKEW;
use super::buckets::Buckets;
use super::{Index, Neighbour};
use crate::error::DedupError;
use crate::fingerprint::{Fingerprint, Width};
use crate::layout::Layout;
use crate::rule::Rule;
use crate::short::prefix;
use crate::signature::{Digest, DocId, Signature};

/// Blocks of a fingerprint of 64 bits, whatever the distance.
const BLOCKS: usize = 4;
/// Entries of a chunk row.
pub(super) const CHUNK: usize = 64;
/// Bytes of an entry.
const ENTRY: usize = 16;

const META: &str = "dedup-meta";
const DIGESTS: &str = "dedup-digests";
const SHINGLES: &str = "dedup-shingles";
const SIGNATURES: &str = "dedup-signatures";

/// Where the buckets are looked up.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Residence {
    /// In memory, loaded from the trees at open: a query reads no bucket row.
    Memory,
    /// In the trees: no memory a document.
    Disk,
}

/// An [`Index`] in sled trees. See the module's text.
#[derive(Debug)]
pub struct SledIndex {
    meta: Tree,
    digests: Tree,
    blocks: Vec<Tree>,
    shingles: Tree,
    signatures: Tree,
    layout: Layout,
    /// Of each block.
    masks: Vec<Vec<u16>>,
    min_similarity_short: f32,
    applied: u64,
    resident: Option<Buckets>,
    pending: Pending,
}

/// What was inserted and is not in the trees yet: few, so that a pass over all is cheap.
#[derive(Debug, Default)]
struct Pending {
    signatures: HashMap<DocId, Signature>,
    order: Vec<DocId>,
}

impl SledIndex {
    /// Opens the index in `db`, or begins one, with the buckets resident in memory.
    ///
    /// # Errors
    /// [`DedupError::OtherScheme`] and [`DedupError::OtherLayout`] where the trees were made otherwise; the trees cannot
    /// be read.
    pub fn open(db: &Db, scheme_id: &str, rule: &Rule) -> Result<Self, DedupError> {
        Self::open_in(db, scheme_id, rule, Residence::Memory)
    }

    /// As [`SledIndex::open`], with the buckets where `residence` says.
    ///
    /// # Errors
    /// As [`SledIndex::open`].
    pub fn open_in(db: &Db, scheme_id: &str, rule: &Rule, residence: Residence) -> Result<Self, DedupError> {
        let layout = Layout::for_distance(Width::W64, rule.max_distance)?;
        let meta = db.open_tree(META)?;
        check(&meta, "scheme", scheme_id, |found, wanted| DedupError::OtherScheme {
            found,
            wanted,
        })?;
        let made_for = format!("4x16 short>={}", rule.min_similarity_short);
        check(&meta, "layout", &made_for, |found, wanted| DedupError::OtherLayout {
            found,
            wanted,
        })?;
        let applied = meta
            .get("applied")?
            .map_or(Ok(0), |value| read_u64(&value).ok_or(DedupError::Corrupt(META)))?;
        let blocks = (0..BLOCKS).map(|number| db.open_tree(block_tree(number)));
        let mut index = Self {
            digests: db.open_tree(DIGESTS)?,
            blocks: blocks.collect::<Result<_, _>>()?,
            shingles: db.open_tree(SHINGLES)?,
            signatures: db.open_tree(SIGNATURES)?,
            meta,
            layout,
            masks: (0..BLOCKS).map(|number| masks(layout, number)).collect(),
            min_similarity_short: rule.min_similarity_short,
            applied,
            resident: None,
            pending: Pending::default(),
        };
        if residence == Residence::Memory {
            index.resident = Some(index.load()?);
        }
        Ok(index)
    }

    /// Removes the index from `db`, so that the next open begins one.
    ///
    /// # Errors
    /// The trees cannot be removed.
    pub fn erase(db: &Db) -> Result<(), DedupError> {
        let blocks: Vec<String> = (0..BLOCKS).map(block_tree).collect();
        // Cut off anywhere, what is left must be replayed from the beginning: first the mark goes, then the signatures,
        // by which a document counts as there. The rest of the meta tree goes last: while it is there, a half-removed
        // index is still known to be of the old kind.
        db.open_tree(META)?.remove("applied")?;
        let others = [DIGESTS, SHINGLES, META];
        for tree in std::iter::once(SIGNATURES)
            .chain(blocks.iter().map(String::as_str))
            .chain(others)
        {
            db.drop_tree(tree)?;
        }
        Ok(())
    }

    /// The sequence up to which the owner's catalogue is in the trees; 0 for nothing.
    #[must_use]
    pub fn applied(&self) -> u64 {
        self.applied
    }

    /// Writes all that was inserted to the trees and notes that the owner's catalogue is applied up to `sequence`.
    ///
    /// # Errors
    /// The trees cannot be written; the documents stay in memory and the next call tries again.
    pub fn persist(&mut self, sequence: u64) -> Result<(), DedupError> {
        for id in &self.pending.order {
            if let Some(signature) = self.pending.signatures.get(id) {
                self.write(*id, signature)?;
            }
        }
        for id in std::mem::take(&mut self.pending.order) {
            let signature = self.pending.signatures.remove(&id);
            if let (
                Some(resident),
                Some(Signature {
                    fingerprint: Some(fingerprint),
                    ..
                }),
            ) = (&mut self.resident, signature)
            {
                // A row that was written before a crash cut off its signature was loaded at open.
                if !resident.contains(id, fingerprint) {
                    resident.insert(id, fingerprint)?;
                }
            }
        }
        if sequence > self.applied {
            self.meta.insert("applied", &sequence.to_be_bytes())?;
            self.applied = sequence;
        }
        Ok(())
    }

    fn write(&self, id: DocId, signature: &Signature) -> Result<(), DedupError> {
        if let Some(fingerprint) = signature.fingerprint {
            for (number, tree) in self.blocks.iter().enumerate() {
                append(tree, block(word(fingerprint), number), fingerprint, id)?;
            }
        }
        let id_bytes = id.0.to_be_bytes();
        if let Some(digest) = signature.digest {
            let key = digest.0.to_be_bytes();
            if !self.digests.contains_key(key)? {
                self.digests.insert(key, &id_bytes)?;
            }
        }
        for shingle in prefix(&signature.shingles, self.min_similarity_short) {
            self.shingles.insert(shingle_key(*shingle, id), &[])?;
        }
        self.signatures.insert(id_bytes, postcard::to_stdvec(signature)?)?;
        Ok(())
    }

    /// The buckets as they are in the trees; every fingerprint lies in the first block's.
    fn load(&self) -> Result<Buckets, DedupError> {
        let mut resident = Buckets::new(self.layout, DEFAULT_SKEW)?;
        for row in &self.blocks[0] {
            for (fingerprint, id) in entries(&row?.1) {
                resident.insert(id, fingerprint)?;
            }
        }
        Ok(resident)
    }

    fn near_on_disk(&self, fingerprint: Fingerprint, found: &mut Vec<Neighbour>) -> Result<(), DedupError> {
        for (number, tree) in self.blocks.iter().enumerate() {
            let key = block(word(fingerprint), number);
            for mask in &self.masks[number] {
                for row in tree.scan_prefix((key ^ mask).to_be_bytes()) {
                    for (other, id) in entries(&row?.1) {
                        let difference = word(fingerprint) ^ word(other);
                        let distance = difference.count_ones();
                        if distance <= self.layout.max_distance()
                            && self.layout.is_first_meeting(difference.into(), number)
                        {
                            found.push(Neighbour { distance, id });
                        }
                    }
                }
            }
        }
        Ok(())
    }
}

impl Index for SledIndex {
    fn finds_all_of(&self, rule: &Rule) -> bool {
        rule.max_distance <= self.layout.max_distance() && rule.min_similarity_short >= self.min_similarity_short
    }

    fn exact(&self, digest: Digest) -> Result<Option<DocId>, DedupError> {
        if let Some(value) = self.digests.get(digest.0.to_be_bytes())? {
            return Ok(Some(DocId(read_u64(&value).ok_or(DedupError::Corrupt(DIGESTS))?)));
        }
        let has_it = |id: &&DocId| {
            self.pending
                .signatures
                .get(id)
                .is_some_and(|kept| kept.digest == Some(digest))
        };
        Ok(self.pending.order.iter().find(has_it).copied())
    }

    fn near(&self, fingerprint: Fingerprint, found: &mut Vec<Neighbour>) -> Result<(), DedupError> {
        for (&id, signature) in &self.pending.signatures {
            let distance = signature.fingerprint.map(|other| fingerprint.distance(other));
            if let Some(distance) = distance.filter(|&distance| distance <= self.layout.max_distance()) {
                found.push(Neighbour { distance, id });
            }
        }
        match &self.resident {
            Some(resident) => resident.near(fingerprint, found),
            None => self.near_on_disk(fingerprint, found)?,
        }
        Ok(())
    }

    fn with_shingle(&self, shingle: u64, found: &mut Vec<DocId>) -> Result<(), DedupError> {
        for key in self.shingles.scan_prefix(shingle.to_be_bytes()).keys() {
            let key = key?;
            let id = key.get(8..).and_then(read_u64).ok_or(DedupError::Corrupt(SHINGLES))?;
            found.push(DocId(id));
        }
        for (id, signature) in &self.pending.signatures {
            if prefix(&signature.shingles, self.min_similarity_short).contains(&shingle) {
                found.push(*id);
            }
        }
        Ok(())
    }

    fn signature(&self, id: DocId) -> Result<Option<Signature>, DedupError> {
        if let Some(signature) = self.pending.signatures.get(&id) {
            return Ok(Some(signature.clone()));
        }
        let row = self.signatures.get(id.0.to_be_bytes())?;
        Ok(row.map(|row| postcard::from_bytes(&row)).transpose()?)
    }

    fn insert(&mut self, id: DocId, signature: &Signature) -> Result<(), DedupError> {
        let is_there = self.pending.signatures.contains_key(&id) || self.signatures.contains_key(id.0.to_be_bytes())?;
        if !is_there {
            self.pending.order.push(id);
            self.pending.signatures.insert(id, signature.clone());
        }
        Ok(())
    }

    fn remove(&mut self, id: DocId) -> Result<bool, DedupError> {
        if self.pending.signatures.remove(&id).is_some() {
            self.pending.order.retain(|&other| other != id);
            return Ok(true);
        }
        let Some(signature) = self.signature(id)? else {
            return Ok(false);
        };
        let id_bytes = id.0.to_be_bytes();
        // The reverse of the order of writing: without its signature a document is no longer there.
        self.signatures.remove(id_bytes)?;
        for shingle in prefix(&signature.shingles, self.min_similarity_short) {
            self.shingles.remove(shingle_key(*shingle, id))?;
        }
        if let Some(digest) = signature.digest {
            let key = digest.0.to_be_bytes();
            if self.digests.get(key)?.is_some_and(|value| *value == id_bytes) {
                self.digests.remove(key)?;
            }
        }
        if let Some(fingerprint) = signature.fingerprint {
            for (number, tree) in self.blocks.iter().enumerate() {
                take_out(tree, block(word(fingerprint), number), id)?;
            }
            if let Some(resident) = &mut self.resident {
                resident.remove(id, fingerprint);
            }
        }
        Ok(true)
    }

    fn clear(&mut self) -> Result<(), DedupError> {
        // In the order of `erase`, for the same reason.
        self.meta.remove("applied")?;
        self.applied = 0;
        self.signatures.clear()?;
        for tree in self.blocks.iter().chain([&self.digests, &self.shingles]) {
            tree.clear()?;
        }
        self.pending = Pending::default();
        if let Some(resident) = &mut self.resident {
            resident.clear();
        }
        Ok(())
    }

    fn len(&self) -> Result<usize, DedupError> {
        Ok(self.signatures.len() + self.pending.order.len())
    }
}

/// The bits of a fingerprint of 64.
fn word(fingerprint: Fingerprint) -> u64 {
    fingerprint.bits() as u64
}

/// A block of a fingerprint, 0 the lowest.
fn block(fingerprint: u64, number: usize) -> u16 {
    (fingerprint >> (16 * number)) as u16
}

fn masks(layout: Layout, number: usize) -> Vec<u16> {
    layout.masks(number).into_iter().map(|mask| mask as u16).collect()
}

fn block_tree(number: usize) -> String {
    format!("dedup-block-{number}")
}

/// Notes what the index is made for, or compares it with what is noted.
fn check(meta: &Tree, key: &str, wanted: &str, error: impl Fn(String, String) -> DedupError) -> Result<(), DedupError> {
    match meta.get(key)? {
        None => {
            meta.insert(key, wanted)?;
            Ok(())
        }
        Some(found) if *found == *wanted.as_bytes() => Ok(()),
        Some(found) => Err(error(String::from_utf8_lossy(&found).into_owned(), wanted.to_owned())),
    }
}

/// Adds an entry to a bucket's last chunk, or begins another.
fn append(tree: &Tree, key: u16, fingerprint: Fingerprint, id: DocId) -> Result<(), DedupError> {
    let last = tree.scan_prefix(key.to_be_bytes()).next_back().transpose()?;
    let (chunk, mut value) = match last {
        None => (0, Vec::with_capacity(ENTRY)),
        Some((_, value)) if entries(&value).any(|(_, other)| other == id) => return Ok(()),
        Some((row, value)) => {
            let number = row
                .get(2..)
                .and_then(|bytes| bytes.try_into().ok())
                .map(u32::from_be_bytes);
            let number = number.ok_or(DedupError::Corrupt("dedup-block"))?;
            if value.len() >= CHUNK * ENTRY {
                (number + 1, Vec::new())
            } else {
                (number, value.to_vec())
            }
        }
    };
    value.extend_from_slice(&word(fingerprint).to_le_bytes());
    value.extend_from_slice(&id.0.to_le_bytes());
    tree.insert(chunk_key(key, chunk), value)?;
    Ok(())
}

/// Takes an entry out of a bucket.
fn take_out(tree: &Tree, key: u16, id: DocId) -> Result<(), DedupError> {
    for row in tree.scan_prefix(key.to_be_bytes()) {
        let (row, value) = row?;
        if let Some(at) = entries(&value).position(|(_, other)| other == id) {
            let mut rest = value.to_vec();
            rest.drain(at * ENTRY..(at + 1) * ENTRY);
            // An empty chunk may be followed by others; it is reused only where it is the last.
            if rest.is_empty() {
                tree.remove(row)?
            } else {
                tree.insert(row, rest)?
            };
            return Ok(());
        }
    }
    Ok(())
}

fn chunk_key(key: u16, chunk: u32) -> [u8; 6] {
    let ([a, b], [c, d, e, f]) = (key.to_be_bytes(), chunk.to_be_bytes());
    [a, b, c, d, e, f]
}

fn shingle_key(shingle: u64, id: DocId) -> [u8; 16] {
    ((u128::from(shingle) << 64) | u128::from(id.0)).to_be_bytes()
}

fn entries(value: &IVec) -> impl Iterator<Item = (Fingerprint, DocId)> + '_ {
    value.chunks_exact(ENTRY).map(|entry| {
        let (mut fingerprint, mut id) = ([0; 8], [0; 8]);
        fingerprint.copy_from_slice(&entry[..8]);
        id.copy_from_slice(&entry[8..]);
        (u64::from_le_bytes(fingerprint).into(), DocId(u64::from_le_bytes(id)))
    })
}

fn read_u64(bytes: &[u8]) -> Option<u64> {
    bytes.try_into().ok().map(u64::from_be_bytes)
}
