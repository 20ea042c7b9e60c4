//! What was found lately: of 150 links on a page nearly all are known, most of them since the page before.
//!
//! Two generations of hashes: what is asked about moves to the young one; when that is full the old one is forgotten and the
//! young one grows old.

use super::{UrlHash, UrlHashSet};

/// Hashes that were found in the buckets lately: two generations.
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
    fn what_is_asked_about_stays_and_what_is_not_is_forgotten() {
        let mut found = Found::new(4);
        for hash in 0..20 {
            found.insert(hash);
            assert!(found.contains(0), "asked about every time");
        }
        assert!(found.contains(19));
        assert!(!found.contains(5));
        assert!(found.young.len() + found.old.len() <= 8);
    }
}
