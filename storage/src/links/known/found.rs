//! A cache of known hashes and the numbers of their URLs. Of 150 links on a page nearly all are known, most of them from the page before.
//!
//! It has two generations: each look-up moves its hash to the young one. When that is full, it becomes the old one, and the former
//! old one is dropped.

use super::{UrlHash, UrlId, UrlIds};

/// Hashes that were recently found in the buckets, in two generations.
pub struct Found {
    generation: usize,
    young: UrlIds,
    old: UrlIds,
}

impl Found {
    pub fn new(generation: usize) -> Self {
        Self {
            generation,
            young: UrlIds::default(),
            old: UrlIds::default(),
        }
    }

    pub fn get(&mut self, hash: UrlHash) -> Option<UrlId> {
        if let Some(id) = self.young.get(&hash) {
            return Some(*id);
        }
        let id = *self.old.get(&hash)?;
        self.insert(hash, id);
        Some(id)
    }

    pub fn insert(&mut self, hash: UrlHash, id: UrlId) {
        if self.young.len() >= self.generation {
            std::mem::swap(&mut self.young, &mut self.old);
            self.young.clear();
        }
        self.young.insert(hash, id);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn hashes_that_are_looked_up_stay_and_others_are_dropped() {
        let mut found = Found::new(4);
        for hash in 0..20 {
            found.insert(hash, 100 + hash);
            assert_eq!(found.get(0), Some(100), "looked up every time");
        }
        assert_eq!(found.get(19), Some(119));
        assert_eq!(found.get(5), None);
        assert!(found.young.len() + found.old.len() <= 8);
    }
}
