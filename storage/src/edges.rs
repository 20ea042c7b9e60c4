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

/// Whether the outlinks of this row lead to the URL; `None` if the row is damaged. Reads no further than to the number of the URL, and keeps
/// nothing: this is asked of every finished URL.
pub(crate) fn lead_to(row: &[u8], id: u64) -> Option<bool> {
    let (count, mut row): (u64, _) = postcard::take_from_bytes(row).ok()?;
    let mut last = 0_u64;
    for _ in 0..count {
        let (difference, rest): (u64, _) = postcard::take_from_bytes(row).ok()?;
        row = rest;
        last = last.wrapping_add(difference);
        if last >> 1 >= id {
            return Some(last >> 1 == id);
        }
    }
    Some(false)
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

    #[test]
    fn a_row_tells_where_its_edges_lead() {
        let edges = Edges::of(
            [(9, 1), (3, 1), (3, 0), (1 << 40, 1)]
                .map(|(to, step)| Edge { to, step })
                .to_vec(),
        );
        let row = postcard::to_allocvec(&edges).unwrap();
        for id in [0, 2, 3, 4, 9, 10, 1 << 40, (1 << 40) + 1] {
            let expected = edges.iter().any(|edge| edge.to == id);
            assert_eq!(lead_to(&row, id), Some(expected), "{id}");
        }
        assert_eq!(lead_to(&row[..row.len() - 1], 1 << 40), None);
        assert_eq!(
            lead_to(&postcard::to_allocvec(&Edges::default()).unwrap(), 3),
            Some(false)
        );
    }
}
