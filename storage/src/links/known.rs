//! The known URLs and their numbers: 64-bit hashes, packed.
//!
//! ```text
//! discover ─▶ recent ── every 131,072 URLs, in the order of the hashes ─▶ buckets
//!             memory, and the log in the tree                             rows of about 96 hashes at most
//! ```
//!
//! A URL has about 70 bytes, and a separate row in sled takes three times its contents. For most URLs the only question is
//! whether they are known. So the store keeps a URL's hash, in about ten bytes, and its text only where it is needed: in the
//! queue, and in the record of its page.
//!
//! **Why a log.** Hashes come in no order, so each would rewrite a bucket. The batch that queues URLs also writes the log,
//! one row for all of them. When most buckets have a new entry, one merge moves all entries into the buckets. The next open or commit
//! repeats a merge that was cut off: it does not add an entry twice, and the log is removed only after the row that
//! describes the buckets is written.
//!
//! **Collisions.** The store takes two URLs with the same hash for one, so the second is never fetched. The probability is
//! 3 · 10⁻⁸ among a million URLs and 3 · 10⁻⁴ among a hundred million. A random number of the store keys the hash, so nobody
//! can construct a URL that collides with another.
//!
//! **Repeated look-ups.** Most look-ups repeat a recent one; [`found`] answers those.

mod bucket;
mod filter;
mod found;

use rustc_hash::{FxHashMap, FxHashSet};
use serde::{Deserialize, Serialize};
use xxhash_rust::xxh3::xxh3_64_with_seed;

use crate::batch::Batch;
use crate::error::StorageError;
use crate::format;
use crate::frontier::{UrlHash, UrlId};
use crate::state::State;
use bucket::{Entries, bucket_of, depth_for, pack};
use filter::Filter;
use found::{Found, SETS};

/// Lower bound on the URLs in a merge. In a large store a merge takes a sixteenth of the store, so that the work for each URL stays
/// constant.
const MERGE_AT_LEAST: u64 = 1 << 17;
/// Upper bound on the URLs in a merge, because they are in memory until then.
const MERGE_AT_MOST: u64 = 1 << 21;

/// ⟨[`Buckets`]⟩.
const KNOWN: &[u8] = b"mknown";

/// The table of the log: ⟨[[`Logged`]]⟩, by the number of the first URL.
const LOG: u8 = b'k';

/// The table of the buckets, by depth and number.
const BUCKETS: u8 = b'b';

/// Rows in a batch.
const BATCH_ROWS: usize = 200;

/// A set of hashes. These are keyed already, so the set needs only a weak hash.
pub(super) type UrlHashSet = FxHashSet<UrlHash>;

/// A URL in the log: its hash in little-endian order, and its number.
pub(crate) type Logged = ([u8; 8], UrlId);

/// The row `known`: describes the buckets.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
struct Buckets {
    /// There are 2^depth buckets; the first bits of a hash name its bucket.
    pub depth: u8,
    /// Entries in all buckets.
    pub entries: u64,
}

/// All known URLs.
pub(super) struct KnownUrls {
    seed: u64,
    buckets: Buckets,
    /// URLs that are not in the buckets yet: in the log, or staged.
    recent: FxHashMap<UrlHash, UrlId>,
    merge_at_least: u64,
    /// Filter of the hashes in the buckets. Without it, a bucket answers.
    filter: Option<Filter>,
    found: Found,
}

impl KnownUrls {
    /// Reads the log, and builds the filter from the buckets.
    pub fn open(state: &State, seed: u64) -> Result<Self, StorageError> {
        let mut known = Self::to_read(state, seed)?;
        known.remove_void_buckets(state)?;
        known.fill_filter(state)?;
        Ok(known)
    }

    /// The known URLs for a reader. Reads the log. There is no filter, which would read all buckets for a few questions.
    pub fn to_read(state: &State, seed: u64) -> Result<Self, StorageError> {
        let buckets: Option<Buckets> = state.row(KNOWN, "the row of known URLs")?;
        let mut known = Self {
            seed,
            buckets: buckets.unwrap_or_default(),
            recent: FxHashMap::default(),
            merge_at_least: MERGE_AT_LEAST,
            filter: None,
            found: Found::new(SETS),
        };
        for row in state.scan([LOG]) {
            let logged: Vec<Logged> = state.decode("a row of the log of known URLs", &row?.1)?;
            let entries = logged.into_iter().map(|(hash, id)| (UrlHash::from_le_bytes(hash), id));
            known.recent.extend(entries);
        }
        Ok(known)
    }

    /// Removes buckets of a lesser depth: a merge that was cut off wrote the new ones and left them.
    fn remove_void_buckets(&self, state: &State) -> Result<(), StorageError> {
        while let Some(first) = state.scan([BUCKETS]).next() {
            let Some(&depth) = first?.0.get(1).filter(|depth| **depth < self.buckets.depth) else {
                break;
            };
            let mut writer = Writer::new(state);
            writer.remove_all(bucket_prefix(depth).to_vec())?;
            writer.finish()?;
        }
        Ok(())
    }

    /// The hash of the bytes that [`format::push_url_key`] writes.
    pub fn hash(&self, url_key: &[u8]) -> UrlHash {
        xxh3_64_with_seed(url_key, self.seed)
    }

    /// The hash of a URL.
    pub fn hash_of(&self, host: &str, url: &str) -> UrlHash {
        let mut key = Vec::with_capacity(256);
        format::push_url_key(&mut key, host, url);
        self.hash(&key)
    }

    /// The number of the URL, if a recent look-up has found it.
    pub fn found(&mut self, hash: UrlHash) -> Option<UrlId> {
        self.found.get(hash)
    }

    /// The number of the URL, if it is known. Remembers it, because the next page probably has the same link.
    pub fn find(&mut self, state: &State, hash: UrlHash) -> Result<Option<UrlId>, StorageError> {
        let found = self.id_of(state, hash)?;
        if let Some(id) = found {
            self.found.insert(hash, id);
        }
        Ok(found)
    }

    /// The number of the URL, if it is known.
    pub fn id_of(&self, state: &State, hash: UrlHash) -> Result<Option<UrlId>, StorageError> {
        match self.recent.get(&hash) {
            Some(id) => Ok(Some(*id)),
            None => self.in_bucket(state, hash),
        }
    }

    /// The hashes of the URLs whose numbers lie in one of the ranges. Reads all buckets.
    pub fn hashes_in(&self, state: &State, ranges: &[(UrlId, UrlId)]) -> Result<UrlHashSet, StorageError> {
        let is_in = |id: UrlId| ranges.iter().any(|&(first, end)| (first..end).contains(&id));
        let recent = self.recent.iter().filter(|(_, id)| is_in(**id));
        let mut hashes: UrlHashSet = recent.map(|(hash, _)| *hash).collect();
        self.each_in_buckets(state, |hash, id| {
            if is_in(id) {
                hashes.insert(hash);
            }
        })?;
        Ok(hashes)
    }

    /// Number of known URLs. Reads all buckets.
    pub fn count(&self, state: &State) -> Result<u64, StorageError> {
        let mut count = self.recent.len() as u64;
        // An interrupted merge leaves entries in the log.
        self.each_in_buckets(state, |hash, _| count += u64::from(!self.recent.contains_key(&hash)))?;
        Ok(count)
    }

    fn each_in_buckets(&self, state: &State, mut tell: impl FnMut(UrlHash, UrlId)) -> Result<(), StorageError> {
        for row in state.scan(bucket_prefix(self.buckets.depth)) {
            for entry in Entries::of(&row?.1) {
                let (hash, id) = entry.ok_or_else(|| state.corrupt("a bucket of known URLs"))?;
                tell(hash, id);
            }
        }
        Ok(())
    }

    /// Writes the log entries of a batch of new URLs.
    pub fn log(logged: &[Logged], batch: &mut Batch) -> Result<(), StorageError> {
        if let Some((_, first)) = logged.first() {
            batch.insert(&format::numbered(LOG, *first)[..], format::encode(&logged)?);
        }
        Ok(())
    }

    /// Adds a URL whose entry in the log is staged.
    pub fn insert(&mut self, hash: UrlHash, id: UrlId) {
        self.recent.insert(hash, id);
    }

    /// Builds the filter from the buckets, with room for the same number of new hashes.
    fn fill_filter(&mut self, state: &State) -> Result<(), StorageError> {
        let mut filter = Filter::for_entries(self.buckets.entries);
        self.each_in_buckets(state, |hash, _| filter.insert(hash))?;
        self.filter = Some(filter);
        Ok(())
    }

    fn in_bucket(&self, state: &State, hash: UrlHash) -> Result<Option<UrlId>, StorageError> {
        let is_ruled_out = self.filter.as_ref().is_some_and(|filter| !filter.may_contain(hash));
        if self.buckets.entries == 0 || is_ruled_out {
            return Ok(None);
        }
        let row = state.get(bucket_key(self.buckets.depth, bucket_of(hash, self.buckets.depth)))?;
        let Some(row) = row else { return Ok(None) };
        let mut entries = Entries::of(&row);
        let found = entries.find(|entry| entry.as_ref().is_none_or(|(entry, _)| *entry >= hash));
        match found {
            Some(None) => Err(state.corrupt("a bucket of known URLs")),
            Some(Some((entry, id))) if entry == hash => Ok(Some(id)),
            _ => Ok(None),
        }
    }

    /// Merges the recent URLs with numbers below `end` into the buckets, if there are enough: the tree has all of these, and no row of the
    /// others, which are staged.
    pub fn merge_if_due(&mut self, state: &State, end: UrlId) -> Result<(), StorageError> {
        let due = (self.buckets.entries / 16).clamp(self.merge_at_least, MERGE_AT_MOST.max(self.merge_at_least));
        if (self.recent.len() as u64) < due {
            return Ok(());
        }
        let mut fresh: Vec<(UrlHash, UrlId)> = self.recent.extract_if(|_, id| *id < end).collect();
        fresh.sort_unstable();
        self.recent.shrink_to_fit();
        self.merge(state, &fresh)?;
        // The latest URLs are looked up most.
        for &(hash, id) in &fresh {
            self.found.insert(hash, id);
        }
        match &mut self.filter {
            Some(filter) if filter.has_room_for(self.buckets.entries) => {
                for &(hash, _) in &fresh {
                    filter.insert(hash);
                }
                Ok(())
            }
            _ => self.fill_filter(state),
        }
    }

    /// Writes the buckets with the `fresh` entries, sorted by hash, then removes the old buckets and the log.
    fn merge(&mut self, state: &State, fresh: &[(UrlHash, UrlId)]) -> Result<(), StorageError> {
        let entries = self.buckets.entries + fresh.len() as u64;
        let before = self.buckets;
        let depth = before.depth.max(depth_for(entries));
        let mut writer = Writer::new(state);
        let mut rest = fresh;
        // Each old bucket becomes one or several new ones.
        for coarse in 0..1_u32 << before.depth {
            let (own, others) =
                rest.split_at(rest.partition_point(|(hash, _)| bucket_of(*hash, before.depth) == coarse));
            rest = others;
            if own.is_empty() && depth == before.depth {
                continue;
            }
            let mut all = self.entries_of(state, before.depth, coarse)?;
            all.extend_from_slice(own);
            all.sort_unstable();
            all.dedup_by_key(|(hash, _)| *hash);
            for fine in all.chunk_by(|a, b| bucket_of(a.0, depth) == bucket_of(b.0, depth)) {
                let key = bucket_key(depth, bucket_of(fine[0].0, depth));
                writer.set(key.to_vec(), pack(fine)?)?;
            }
        }
        self.buckets = Buckets { depth, entries };
        writer.set(KNOWN.to_vec(), format::encode(&self.buckets)?)?;
        writer.finish()?;
        let mut writer = Writer::new(state);
        if depth != before.depth {
            writer.remove_all(bucket_prefix(before.depth).to_vec())?;
        }
        writer.remove_all(vec![LOG])?;
        writer.finish()
    }

    fn entries_of(&self, state: &State, depth: u8, bucket: u32) -> Result<Vec<(UrlHash, UrlId)>, StorageError> {
        let Some(row) = state.get(bucket_key(depth, bucket))? else {
            return Ok(Vec::new());
        };
        let entries: Option<Vec<_>> = Entries::of(&row).collect();
        entries.ok_or_else(|| state.corrupt("a bucket of known URLs"))
    }
}

fn bucket_prefix(depth: u8) -> [u8; 2] {
    [BUCKETS, depth]
}

fn bucket_key(depth: u8, bucket: u32) -> [u8; 6] {
    let [b0, b1, b2, b3] = bucket.to_be_bytes();
    [BUCKETS, depth, b0, b1, b2, b3]
}

/// Writes rows in batches.
struct Writer<'a> {
    state: &'a State,
    batch: Batch,
    rows: usize,
}

impl<'a> Writer<'a> {
    fn new(state: &'a State) -> Self {
        Self {
            state,
            batch: Batch::default(),
            rows: 0,
        }
    }

    fn set(&mut self, key: Vec<u8>, value: Vec<u8>) -> Result<(), StorageError> {
        self.batch.insert(key, value);
        self.counted()
    }

    fn remove_all(&mut self, prefix: Vec<u8>) -> Result<(), StorageError> {
        for row in self.state.scan(prefix) {
            self.batch.remove(row?.0);
            self.counted()?;
        }
        Ok(())
    }

    fn counted(&mut self) -> Result<(), StorageError> {
        self.rows += 1;
        if self.rows < BATCH_ROWS {
            return Ok(());
        }
        self.rows = 0;
        self.state.apply(std::mem::take(&mut self.batch))
    }

    fn finish(self) -> Result<(), StorageError> {
        self.state.apply(self.batch)
    }
}

#[cfg(test)]
mod tests;
