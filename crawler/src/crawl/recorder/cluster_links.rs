//! The links of the pages with one text. A duplicate may link to documents to which no earlier page with its text links. Such a duplicate
//! is a listing in a common template and no repetition: its links are its content.

use std::collections::HashSet;

use xxhash_rust::xxh3::Xxh3;

/// Links in a generation of the memory, about ten bytes each. A generation holds the links of 5,000 pages with a hundred links each.
const LINKS_A_GENERATION: usize = 1 << 19;

/// Bound on the compared links of one page. Later links of a page prove nothing.
const MAX_LINKS: usize = 4_096;

/// The links of all clusters, in two generations: when the younger is full, the older is dropped. If the memory has forgotten a link, the
/// next duplicate with this link counts as a page that leads somewhere, and is no evidence.
#[derive(Debug, Default)]
pub(super) struct ClusterLinks {
    young: HashSet<u64>,
    old: HashSet<u64>,
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
        let mut hash = Xxh3::with_seed(kept);
        hash.update(link.as_bytes());
        let key = hash.digest();
        let is_new = !self.old.contains(&key) && !self.young.contains(&key);
        if self.young.len() >= LINKS_A_GENERATION {
            self.old = std::mem::take(&mut self.young);
        }
        self.young.insert(key);
        is_new
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
