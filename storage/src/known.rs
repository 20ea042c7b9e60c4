//! Which URLs are known: a bounded memory in front of the URL table.
//!
//! Of 150 links on a page nearly all are known, most of them since the page before. Two generations of hashes answer for
//! those: what is asked about moves to the young one; when that is full the old one is forgotten and the young one grows
//! old. What both have forgotten is looked up in the table. The hashes are keyed anew in every process, so nobody can
//! prepare a URL that passes for another.

use std::collections::HashSet;
use std::hash::{BuildHasher, BuildHasherDefault, Hasher, RandomState};

use xxhash_rust::xxh3::xxh3_128_with_seed;

/// Hashes a generation holds: what fills 2^19 slots of a hash table, about 9 MB.
const GENERATION: usize = (1 << 19) / 8 * 7;

/// Hash of a URL's key.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(crate) struct UrlHash(u128);

/// A set of hashes, which need no hashing again.
pub(crate) type UrlHashSet = HashSet<UrlHash, BuildHasherDefault<Unhashed>>;

/// Takes the low half of a hash as the hash of the hash.
#[derive(Default)]
pub(crate) struct Unhashed(u64);

impl Hasher for Unhashed {
    fn finish(&self) -> u64 {
        self.0
    }

    fn write(&mut self, bytes: &[u8]) {
        for &byte in bytes {
            self.0 = self.0.rotate_left(8) ^ u64::from(byte);
        }
    }

    fn write_u128(&mut self, hash: u128) {
        self.0 = hash as u64;
    }
}

/// The two generations.
pub(crate) struct KnownUrls {
    seed: u64,
    generation: usize,
    young: UrlHashSet,
    old: UrlHashSet,
}

impl KnownUrls {
    pub fn new() -> Self {
        Self::with_generation(GENERATION)
    }

    fn with_generation(generation: usize) -> Self {
        let seed = RandomState::new().hash_one(0_u8);
        Self {
            seed,
            generation,
            young: UrlHashSet::default(),
            old: UrlHashSet::default(),
        }
    }

    /// The hash of a key of the URL table.
    pub fn hash(&self, url_key: &[u8]) -> UrlHash {
        UrlHash(xxh3_128_with_seed(url_key, self.seed))
    }

    /// Whether the URL is known for certain. `false` means: look into the table.
    pub fn contains(&mut self, hash: UrlHash) -> bool {
        if self.young.contains(&hash) {
            return true;
        }
        let remembered = self.old.contains(&hash);
        if remembered {
            self.insert(hash);
        }
        remembered
    }

    /// Remembers a URL that is known.
    pub fn insert(&mut self, hash: UrlHash) {
        if self.young.len() >= self.generation {
            std::mem::swap(&mut self.young, &mut self.old);
            self.young.clear();
        }
        self.young.insert(hash);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_asked_about_stays_and_what_is_not_is_forgotten() {
        let mut known = KnownUrls::with_generation(4);
        let hashes: Vec<UrlHash> = (0..20_u8).map(|n| known.hash(&[n])).collect();
        for hash in &hashes {
            known.insert(*hash);
            assert!(known.contains(hashes[0]), "asked about every time");
        }
        assert!(known.contains(hashes[19]));
        assert!(!known.contains(hashes[5]));
        assert!(known.young.len() + known.old.len() <= 8);
    }
}
