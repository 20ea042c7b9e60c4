//! The outlinks of a finished URL, by the numbers of the URLs, in few bytes: see `depths` in [`links`](crate::links).

use serde::{Deserialize, Serialize};

/// A link to another known URL.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Edge {
    /// Its number.
    pub to: u64,
    /// By how much the URL is deeper: 0 for the target of a redirect, 1 for a link.
    pub step: u8,
}

/// The outlinks of a finished URL whose depths could sink with its own: `⟨[u64]⟩` of twice the number plus the step, in ascending order,
/// each less the one before.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub(crate) struct Edges(Vec<u64>);

impl Edges {
    pub fn of(mut edges: Vec<Edge>) -> Self {
        edges.sort_unstable();
        edges.dedup();
        let mut last = 0;
        let packed = edges.into_iter().map(|edge| {
            let value = edge.to << 1 | u64::from(edge.step.min(1));
            let difference = value - last;
            last = value;
            difference
        });
        Self(packed.collect())
    }

    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    pub fn iter(&self) -> impl Iterator<Item = Edge> {
        self.0.iter().scan(0_u64, |last, difference| {
            *last = last.wrapping_add(*difference);
            Some(Edge {
                to: *last >> 1,
                step: (*last & 1) as u8,
            })
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn edges_can_be_read_back() {
        let edges = [(9, 1), (3, 1), (3, 0), (1 << 40, 1), (9, 1)].map(|(to, step)| Edge { to, step });
        let read: Vec<Edge> = Edges::of(edges.to_vec()).iter().collect();
        let expected = [(3, 0), (3, 1), (9, 1), (1 << 40, 1)].map(|(to, step)| Edge { to, step });
        assert_eq!(read, expected);
    }
}
