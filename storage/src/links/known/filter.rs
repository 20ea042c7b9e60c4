//! A Bloom filter (B. H. Bloom, 1970) in memory: recognises hashes that are in no bucket. Built from the buckets at open.
//!
//! Most URLs that are looked up in the buckets are new, and each look-up costs sled some microseconds. With at least 12 bits a hash
//! and two probes, one new hash in forty passes the filter. It takes two to three bytes a known URL.

/// Lower bound on the bits for each hash.
const BITS: u64 = 12;

/// Lower bound on the bits of a filter.
const LEAST: u64 = 1 << 20;

pub struct Filter {
    words: Vec<u64>,
}

impl Filter {
    /// An empty filter with room for at least `entries` hashes.
    pub fn for_entries(entries: u64) -> Self {
        let bits = (entries.saturating_mul(BITS)).max(LEAST).next_power_of_two();
        Self {
            words: vec![0; usize::try_from(bits / 64).unwrap_or(usize::MAX / 16)],
        }
    }

    /// Whether it has room for `entries` hashes.
    pub fn has_room_for(&self, entries: u64) -> bool {
        self.words.len() as u64 * 64 / BITS >= entries
    }

    pub fn insert(&mut self, hash: u64) {
        for (word, bit) in self.probes(hash) {
            self.words[word] |= bit;
        }
    }

    /// `false` if the hash was certainly not inserted.
    pub fn may_contain(&self, hash: u64) -> bool {
        self.probes(hash).iter().all(|&(word, bit)| self.words[word] & bit != 0)
    }

    /// Each half of the hash names a bit. The number of words is a power of two.
    fn probes(&self, hash: u64) -> [(usize, u64); 2] {
        [hash, hash.rotate_left(32)].map(|half| {
            let bit = half as usize & (self.words.len() * 64 - 1);
            (bit / 64, 1 << (bit % 64))
        })
    }
}

#[cfg(test)]
mod tests {
    use xxhash_rust::xxh3::xxh3_64;

    use super::*;

    #[test]
    fn inserted_hashes_pass_and_few_others_do() {
        let hashes: Vec<u64> = (0..400_000_u32).map(|n| xxh3_64(&n.to_le_bytes())).collect();
        let (inserted, others) = hashes.split_at(200_000);
        let mut filter = Filter::for_entries(200_000);
        inserted.iter().for_each(|hash| filter.insert(*hash));
        assert!(inserted.iter().all(|hash| filter.may_contain(*hash)));
        let passed = others.iter().filter(|hash| filter.may_contain(**hash)).count();
        assert!(passed < 200_000 / 30, "{passed}");
        assert!(filter.has_room_for(200_000) && !filter.has_room_for(2_000_000));
    }
}
