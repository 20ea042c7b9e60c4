//! The links of the pages with one text. A duplicate may link to documents to which no earlier page with its text links. Such a duplicate
//! is a listing in a common template and no repetition: its links are its content.

use std::collections::HashSet;
use std::hash::{BuildHasher, BuildHasherDefault, Hasher, RandomState};

use xxhash_rust::xxh3::xxh3_64_with_seed;

/// Links in a generation of the memory, about ten bytes each. A generation holds the links of 5,000 pages with a hundred links each.
const LINKS_A_GENERATION: usize = 1 << 19;

/// Bound on the compared links of one page. Later links of a page prove nothing.
const MAX_LINKS: usize = 4_096;

/// The links of all clusters, in two generations: when the younger is full, the older is dropped. If the memory has forgotten a link, the
/// next duplicate with this link counts as a page that leads somewhere, and is no evidence.
#[derive(Debug)]
pub(super) struct ClusterLinks {
    /// Random, so that nobody can choose URLs whose keys collide.
    seed: u64,
    young: Keys,
    old: Keys,
}

impl Default for ClusterLinks {
    fn default() -> Self {
        Self {
            seed: RandomState::new().hash_one(0),
            young: Keys::default(),
            old: Keys::default(),
        }
    }
}

/// Keys, which are hashes already and not hashed again.
type Keys = HashSet<u64, BuildHasherDefault<Unhashed>>;

/// Uses a key as its own hash.
#[derive(Debug, Default)]
struct Unhashed(u64);

impl Hasher for Unhashed {
    fn finish(&self) -> u64 {
        self.0
    }

    fn write(&mut self, bytes: &[u8]) {
        self.0 = xxh3_64_with_seed(bytes, self.0);
    }

    fn write_u64(&mut self, key: u64) {
        self.0 = key;
    }
}

impl ClusterLinks {
    /// Notes the links of a page at `url`, which belongs to the cluster of the kept page `kept`. Returns the links that no page of the
    /// cluster had.
    pub(super) fn note<'a>(&mut self, kept: u64, url: &str, links: impl Iterator<Item = &'a str>) -> Vec<&'a str> {
        // A link from one page of the cluster to another leads to no other document.
        self.is_new(kept, url);
        links.take(MAX_LINKS).filter(|link| self.is_new(kept, link)).collect()
    }

    fn is_new(&mut self, kept: u64, link: &str) -> bool {
        let key = xxh3_64_with_seed(link.as_bytes(), self.seed ^ kept);
        if self.young.len() >= LINKS_A_GENERATION {
            self.old = std::mem::take(&mut self.young);
        }
        let is_young = !self.young.insert(key);
        !is_young && !self.old.contains(&key)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_link_is_new_once_in_a_cluster() {
        let mut links = ClusterLinks::default();
        assert_eq!(links.note(1, "/list", ["/a", "/b"].into_iter()), ["/a", "/b"]);
        assert_eq!(links.note(1, "/list?p=2", ["/list", "/b", "/c"].into_iter()), ["/c"]);
        assert!(links.note(1, "/list?p=3", ["/list?p=2", "/c"].into_iter()).is_empty());
        assert_eq!(links.note(2, "/other", ["/a"].into_iter()), ["/a"], "another cluster");
    }
}
