//! A cache of known hashes. Of 150 links on a page nearly all are known, most of them from the page before.
//!
//! It has two generations: each look-up moves its hash to the young one. When that is full, it becomes the old one, and the former
//! old one is dropped.

use super::{UrlHash, UrlHashSet};

/// Hashes that were recently found in the buckets, in two generations.
pub struct Found {
    generation: usize,
    young: UrlHashSet,
    old: UrlHashSet,
}

impl Found {
    pub fn new(generation: usize) -> Self {
        Self {
            generation,
            young: UrlHashSet::default(),
            old: UrlHashSet::default(),
        }
    }

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
    fn hashes_that_are_looked_up_stay_and_others_are_dropped() {
        let mut found = Found::new(4);
        for hash in 0..20 {
            found.insert(hash);
            assert!(found.contains(0), "looked up every time");
        }
        assert!(found.contains(19));
        assert!(!found.contains(5));
        assert!(found.young.len() + found.old.len() <= 8);
    }
}
