//! MinHash over keywords, tags and cited works, by the paper's hundred permutations hᵢ(x) = (x + i) mod 100.
//!
//! These are rotations of one circle, not independent permutations: the estimate is coarse, but it is the paper's. With
//! eleven items on a circle of a hundred, two unrelated sets agree at about one rotation of ten by chance.

use xxhash_rust::xxh3::xxh3_64;

const PERMUTATIONS: u64 = 100;

/// The least value of a set under each permutation.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct MinHash(Vec<u64>);

impl MinHash {
    /// Of a set of items. The empty set is similar to itself alone.
    #[must_use]
    pub fn new(items: &[String]) -> Self {
        let values: Vec<u64> = items
            .iter()
            .map(|item| xxh3_64(item.as_bytes()) % PERMUTATIONS)
            .collect();
        let least = |i| {
            values
                .iter()
                .map(|x| (x + i) % PERMUTATIONS)
                .min()
                .unwrap_or(PERMUTATIONS)
        };
        Self((0..PERMUTATIONS).map(least).collect())
    }

    /// The share of the permutations under which both have the same least value, 0 to 1.
    #[must_use]
    pub fn similarity(&self, other: &Self) -> f64 {
        let equal = self.0.iter().zip(&other.0).filter(|(a, b)| a == b).count();
        equal as f64 / PERMUTATIONS as f64
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn items(range: std::ops::Range<usize>) -> Vec<String> {
        range.map(|n| format!("work {n}")).collect()
    }

    #[test]
    fn a_set_is_like_itself_in_any_order_and_less_like_another() {
        let set = items(0..11);
        let mut turned = set.clone();
        turned.reverse();
        let of = |items: &[String]| MinHash::new(items);
        assert!((of(&set).similarity(&of(&turned)) - 1.0).abs() < 1e-9);
        let near = of(&set).similarity(&of(&items(1..12)));
        let far = of(&set).similarity(&of(&items(20..31)));
        assert!(near > 0.6 && far < 0.4, "{near} {far}");
    }
}
