//! The outlinks of all finished URLs in memory, to be asked who links to a URL.
//!
//! The state has the outlinks of each URL in its row. A question passes all of them; in the state this takes a read of the file for every few
//! rows, 300 ms for 160,000 URLs, and here a few milliseconds. A URL takes 16 bytes beside its outlinks, and these a few bytes each.

use crate::edges;
use crate::frontier::UrlId;

/// The outlinks at one moment, as [`Store::outlinks`](crate::Store::outlinks) reads them.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Outlinks {
    /// The URLs with outlinks, and where those of each end in `edges`.
    ends: Vec<(UrlId, u64)>,
    /// As in the state.
    edges: Vec<u8>,
}

impl Outlinks {
    /// Adds a URL with its outlinks, as they are in its row.
    pub(crate) fn push(&mut self, id: UrlId, edges: &[u8]) {
        // No outlink is a count of zero.
        if edges != [0] {
            self.edges.extend_from_slice(edges);
            self.ends.push((id, self.edges.len() as u64));
        }
    }

    /// The URLs that link to this one, in the order in which they were added.
    pub(crate) fn to(&self, id: UrlId) -> impl Iterator<Item = UrlId> {
        let starts = std::iter::once(0).chain(self.ends.iter().map(|(_, end)| *end));
        starts.zip(&self.ends).filter_map(move |(start, (from, end))| {
            let edges = self.edges.get(start as usize..*end as usize)?;
            // Each could be read when it was added.
            edges::lead_to(edges, id)?.then_some(*from)
        })
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::edges::{Edge, Edges};

    proptest! {
        #[test]
        fn who_links_to_a_url_is_found(lists in prop::collection::vec(prop::collection::vec((0_u64..40, 0_u8..2), 0..6), 0..30)) {
            let mut outlinks = Outlinks::default();
            for (from, list) in (100..).zip(&lists) {
                let edges = Edges::of(list.iter().map(|&(to, step)| Edge { to, step }).collect());
                outlinks.push(from, &postcard::to_allocvec(&edges).unwrap());
            }
            for to in 0..41 {
                let leads = |list: &Vec<(u64, u8)>| list.iter().any(|&(id, _)| id == to);
                let expected = (100..).zip(&lists).filter(|(_, list)| leads(list)).map(|(from, _)| from);
                prop_assert_eq!(outlinks.to(to).collect::<Vec<_>>(), expected.collect::<Vec<_>>());
            }
        }
    }
}
