//! The links of the pages with one text. A duplicate may link to documents to which no earlier page with its text links. Such a duplicate
//! is a listing in a common template and no repetition: its links are its content.
//!
//! Most kept pages never have a duplicate. So the links of a kept page are only listed, and the first duplicate makes a set of them. A set for
//! each page would take a fifth of the recorder's time, because the sets of all pages fit into no cache.

use std::collections::HashMap;
use std::collections::hash_map::Entry;
use std::hash::{BuildHasher, RandomState};

use rustc_hash::FxHashSet;
use xxhash_rust::xxh3::xxh3_64_with_seed;

/// Number of links in a generation of the memory. A link takes 8 to 18 bytes. A generation holds the links of 5,000 pages with a hundred links each.
const LINKS_A_GENERATION: usize = 1 << 19;

/// The memory of a cluster without its links, as a number of links.
const LINKS_A_CLUSTER: usize = 8;

/// Bound on the compared links of one page. Later links of a page prove nothing.
const MAX_LINKS: usize = 4_096;

/// The links of all clusters, in two generations: when the younger is full, the older is dropped. If the memory has forgotten a link, the
/// next duplicate with this link counts as a page that leads somewhere, and is no evidence.
#[derive(Debug)]
pub(super) struct ClusterLinks {
    /// Random, so that nobody can choose URLs whose keys collide.
    seed: u64,
    young: Generation,
    old: Generation,
}

/// Clusters by their kept pages.
#[derive(Debug, Default)]
struct Generation {
    clusters: HashMap<u64, Keys>,
    /// The size of all clusters, in links.
    links: usize,
}

/// Keys of the links of a cluster, which are hashes already.
#[derive(Debug, Default)]
struct Keys {
    /// Until the first duplicate: the keys of the kept page, possibly with repetitions.
    listed: Box<[u64]>,
    set: FxHashSet<u64>,
}

impl Default for ClusterLinks {
    fn default() -> Self {
        Self {
            seed: RandomState::new().hash_one(0),
            young: Generation::default(),
            old: Generation::default(),
        }
    }
}

impl ClusterLinks {
    /// Notes the links of the kept page `kept` at `url`. Later pages with its text are compared with it.
    pub(super) fn keep<'a>(&mut self, kept: u64, url: &'a str, links: impl Iterator<Item = &'a str>) {
        self.make_room();
        // A link from one page of the cluster to another leads to no other document.
        let links = std::iter::once(url).chain(links.take(MAX_LINKS));
        let listed: Box<[u64]> = links.map(|link| key(link, self.seed)).collect();
        self.young.links += LINKS_A_CLUSTER + listed.len();
        let set = FxHashSet::default();
        self.young.clusters.insert(kept, Keys { listed, set });
    }

    /// Notes the links of a page at `url`, which repeats the kept page `kept`. Returns the links that no page of the cluster had.
    pub(super) fn note<'a>(&mut self, kept: u64, url: &str, links: impl Iterator<Item = &'a str>) -> Vec<&'a str> {
        self.make_room();
        let seed = self.seed;
        let old = self.old.clusters.get_mut(&kept).map(Keys::as_set);
        let young = match self.young.clusters.entry(kept) {
            Entry::Occupied(keys) => keys.into_mut().as_set(),
            Entry::Vacant(place) => {
                self.young.links += LINKS_A_CLUSTER;
                place.insert(Keys::default()).as_set()
            }
        };
        let before = young.len();
        let mut is_new = |link: &str| {
            let key = key(link, seed);
            young.insert(key) && !old.as_ref().is_some_and(|old| old.contains(&key))
        };
        is_new(url);
        let new = links.take(MAX_LINKS).filter(|link| is_new(link)).collect();
        self.young.links += young.len() - before;
        new
    }

    fn make_room(&mut self) {
        if self.young.links >= LINKS_A_GENERATION {
            self.old = std::mem::take(&mut self.young);
        }
    }
}

impl Keys {
    fn as_set(&mut self) -> &mut FxHashSet<u64> {
        self.set.extend(std::mem::take(&mut self.listed));
        &mut self.set
    }
}

fn key(link: &str, seed: u64) -> u64 {
    xxh3_64_with_seed(link.as_bytes(), seed)
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

    #[test]
    fn the_links_of_a_kept_page_are_not_new() {
        let mut links = ClusterLinks::default();
        links.keep(1, "/list", ["/a", "/a", "/b"].into_iter());
        links.keep(2, "/other", ["/c"].into_iter());
        assert_eq!(
            links.note(1, "/list?p=2", ["/list", "/c", "/a", "/d", "/b"].into_iter()),
            ["/c", "/d"]
        );
        assert!(links.note(1, "/list?p=3", ["/c", "/d"].into_iter()).is_empty());
    }

    #[test]
    fn the_older_generation_is_dropped_when_the_younger_is_full() {
        let mut links = ClusterLinks::default();
        let many: Vec<String> = (0..MAX_LINKS).map(|n| format!("/{n}")).collect();
        let many = || many.iter().map(String::as_str);
        links.keep(0, "/first", ["/a", "/b"].into_iter());
        // This number of pages fills a generation.
        let pages = LINKS_A_GENERATION as u64 / MAX_LINKS as u64;
        (1..=pages).for_each(|page| links.keep(page, "/page", many()));
        assert_eq!(
            links.note(0, "/again", ["/a", "/c"].into_iter()),
            ["/c"],
            "the old generation knows the first page"
        );
        (1..=pages).for_each(|page| links.keep(page, "/page", many()));
        assert_eq!(
            links.note(0, "/again", ["/a", "/b", "/c"].into_iter()),
            ["/b"],
            "it knows what was looked up"
        );
    }
}
