//! The common interface of the indices: each finds all stored fingerprints within a radius.

use dedup::DedupError;

/// An index of 64-bit fingerprints for one radius.
pub trait RangeIndex {
    /// Adds a fingerprint with an unused id.
    ///
    /// # Errors
    /// The index is full.
    fn insert(&mut self, id: u64, fingerprint: u64) -> Result<(), DedupError>;

    /// Appends the ids of all fingerprints within the radius, each once, in any order.
    ///
    /// # Errors
    /// The index cannot be read.
    fn near(&mut self, fingerprint: u64, found: &mut Vec<u64>) -> Result<(), DedupError>;
}

/// Adds all fingerprints; the id of each is its place.
///
/// # Errors
/// The index is full.
pub fn fill(index: &mut dyn RangeIndex, fingerprints: &[u64]) -> Result<(), DedupError> {
    (0..)
        .zip(fingerprints)
        .try_for_each(|(id, bits)| index.insert(id, *bits))
}

/// The answers to all queries as pairs of the place of a query and an id found, in order.
///
/// # Errors
/// The index cannot be read.
pub fn answers(index: &mut dyn RangeIndex, queries: &[u64]) -> Result<Vec<[u64; 2]>, DedupError> {
    let (mut pairs, mut found) = (Vec::new(), Vec::new());
    for (query, fingerprint) in (0..).zip(queries) {
        found.clear();
        index.near(*fingerprint, &mut found)?;
        found.sort_unstable();
        pairs.extend(found.iter().map(|id| [query, *id]));
    }
    Ok(pairs)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fingerprints::{a_quarter_in_one_bucket, queries, uniform};
    use crate::naive::{NeighboursOfQuery, NeighboursOfStored};
    use crate::ours::Ours;
    use crate::peers::Gaoya;

    fn by_scanning(stored: &[u64], queries: &[u64], radius: u32) -> Vec<[u64; 2]> {
        let near = |query: u64| move |(_, bits): &(u64, &u64)| (*bits ^ query).count_ones() <= radius;
        let found = |(n, query): (u64, &u64)| {
            let ids = (0..).zip(stored).filter(near(*query));
            ids.map(|(id, _)| [n, id]).collect::<Vec<_>>()
        };
        (0..).zip(queries).flat_map(found).collect()
    }

    #[test]
    fn every_index_gives_the_answers_of_a_scan() {
        for stored in [uniform(2_000), a_quarter_in_one_bucket(2_000)] {
            let queries = queries(&stored, 240);
            for radius in [1, 3, 7, 10] {
                const BLOCKS: [usize; 11] = [0, 3, 0, 6, 0, 0, 0, 10, 0, 0, 13];
                let truth = by_scanning(&stored, &queries, radius);
                let mut indices: Vec<Box<dyn RangeIndex>> = vec![
                    Box::new(Ours::new(radius).unwrap()),
                    Box::new(Gaoya::new(radius, BLOCKS[radius as usize])),
                ];
                if radius <= 3 {
                    indices.push(Box::new(NeighboursOfQuery::new(radius)));
                }
                if radius == 1 {
                    indices.push(Box::new(NeighboursOfStored::new(radius)));
                }
                for index in &mut indices {
                    fill(index.as_mut(), &stored).unwrap();
                    assert_eq!(answers(index.as_mut(), &queries).unwrap(), truth, "radius {radius}");
                }
            }
        }
    }
}
