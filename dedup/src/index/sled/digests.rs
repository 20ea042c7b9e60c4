//! Which digests may be in the trees: Bloom filters (B. H. Bloom, 1970) in memory.
//!
//! Most texts have a digest that no document has, and a look-up costs sled some microseconds. With 24 bits a digest or more, and two probes,
//! one new digest in 270 passes a filter. When a filter is full, one of twice the room begins, so that no digest is read again: a document takes
//! four to eight bytes, and among a million one new digest in thirty passes one of the filters.

use crate::cpu::prefetch;
use crate::signature::Digest;

/// Bits for each digest.
const BITS: usize = 24;

/// Digests in the first filter, a power of two.
const FIRST_ROOM: usize = 1 << 12;

/// The digests that were inserted. None is ever removed: a digest too many costs one look-up.
#[derive(Default)]
pub(super) struct Digests {
    filters: Vec<Filter>,
}

struct Filter {
    words: Vec<u64>,
    room: usize,
}

impl Digests {
    pub fn insert(&mut self, digest: Digest) {
        if self.may_contain(digest) {
            return;
        }
        if self.filters.last().is_none_or(|filter| filter.room == 0) {
            let room = FIRST_ROOM << self.filters.len();
            let words = (room * BITS / 64).next_power_of_two();
            self.filters.push(Filter {
                words: vec![0; words],
                room,
            });
        }
        if let Some(filter) = self.filters.last_mut() {
            filter.room -= 1;
            for (word, bit) in filter.probes(digest) {
                filter.words[word] |= bit;
            }
        }
    }

    /// Brings the words of the first probe into the cache, which rules most filters out. The large filters are in no cache, so all are read at
    /// once.
    pub fn prefetch(&self, digest: Digest) {
        for filter in &self.filters {
            let [(word, _), _] = filter.probes(digest);
            prefetch(&filter.words[word]);
        }
    }

    /// `false` if the digest was certainly not inserted.
    pub fn may_contain(&self, digest: Digest) -> bool {
        self.prefetch(digest);
        self.filters.iter().any(|filter| {
            filter
                .probes(digest)
                .iter()
                .all(|&(word, bit)| filter.words[word] & bit != 0)
        })
    }
}

impl Filter {
    /// Each half of the digest names a bit. The number of words is a power of two.
    fn probes(&self, digest: Digest) -> [(usize, u64); 2] {
        [digest.0 as u64, (digest.0 >> 64) as u64].map(|half| {
            let bit = half as usize & (self.words.len() * 64 - 1);
            (bit / 64, 1 << (bit % 64))
        })
    }
}

#[cfg(test)]
mod tests {
    use xxhash_rust::xxh3::xxh3_128;

    use super::*;

    #[test]
    fn inserted_digests_pass_and_few_others_do_however_many_there_are() {
        let digest = |n: u32| Digest(xxh3_128(&n.to_le_bytes()));
        let mut digests = Digests::default();
        for count in [1_000, 100_000] {
            (0..count).for_each(|n| digests.insert(digest(n)));
            assert!((0..count).all(|n| digests.may_contain(digest(n))));
            let passed = (count..2 * count).filter(|n| digests.may_contain(digest(*n))).count();
            assert!(passed < count as usize / 30, "{passed} of {count}");
        }
        let bytes: usize = digests.filters.iter().map(|filter| filter.words.len() * 8).sum();
        assert!(bytes <= 100_000 * 6, "{bytes}");
    }
}
