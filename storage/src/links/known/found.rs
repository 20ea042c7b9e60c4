//! A cache of known hashes and the numbers of their URLs. Of 150 links on a page nearly all are known, most of them from the page before.
//!
//! It is associative in sets of four: a new entry replaces the least recently used entry of its set. A set has 64 bytes, so a look-up reads one
//! or two lines of the processor's cache; a hash table in two generations reads four. The links of a page are looked up in one loop. No look-up
//! waits for another, so the processor reads the sets of the next links while it waits for that of the first.

use super::{UrlHash, UrlId};

/// Number of sets of a store: 16 MB. The system allocates a page of memory when the first entry in it is written.
pub const SETS: usize = 1 << 18;

/// Entries in a set.
const WAYS: usize = 4;

/// Pairs of a hash and a number, the most recently used first. No URL has the largest number, and zeros stand for an empty entry, so each
/// number is stored plus one.
type Set = [u64; 2 * WAYS];

/// Known URLs that were recently looked up.
pub struct Found {
    /// A power of two.
    sets: Vec<Set>,
}

impl Found {
    /// An empty cache of so many sets, a power of two.
    pub fn new(sets: usize) -> Self {
        Self {
            sets: vec![[0; 2 * WAYS]; sets],
        }
    }

    pub fn get(&mut self, hash: UrlHash) -> Option<UrlId> {
        let set = self.set_of(hash);
        let way = (0..WAYS).find(|way| set[2 * way] == hash && set[2 * way + 1] != 0)?;
        let id = set[2 * way + 1] - 1;
        put_first(set, way, hash, id);
        Some(id)
    }

    pub fn insert(&mut self, hash: UrlHash, id: UrlId) {
        let set = self.set_of(hash);
        let known = (0..WAYS).find(|way| set[2 * way] == hash);
        put_first(set, known.unwrap_or(WAYS - 1), hash, id);
    }

    fn set_of(&mut self, hash: UrlHash) -> &mut Set {
        let last = self.sets.len() - 1;
        &mut self.sets[hash as usize & last]
    }
}

/// Makes this the first entry. It replaces the entry `way`, and the entries before `way` move back by one.
fn put_first(set: &mut Set, way: usize, hash: UrlHash, id: UrlId) {
    set.copy_within(..2 * way, 2);
    (set[0], set[1]) = (hash, id.wrapping_add(1));
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn hashes_that_are_looked_up_stay_and_others_are_dropped() {
        let mut found = Found::new(1);
        for hash in 0..20 {
            found.insert(hash, 100 + hash);
            assert_eq!(found.get(0), Some(100), "looked up every time");
        }
        for (hash, id) in [(19, Some(119)), (17, Some(117)), (16, None), (5, None)] {
            assert_eq!(found.get(hash), id, "{hash}");
        }
    }

    #[test]
    fn an_empty_entry_is_no_url_and_a_hash_has_one_entry() {
        let mut found = Found::new(2);
        assert_eq!(found.get(0), None);
        found.insert(0, 0);
        assert_eq!((found.get(0), found.get(1), found.get(2)), (Some(0), None, None));
        for id in 1..9 {
            found.insert(2, id);
            assert_eq!((found.get(2), found.get(0)), (Some(id), Some(0)));
        }
    }
}
