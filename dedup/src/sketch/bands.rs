//! Bands: hashes of few minima, of which similar sets share one.
//!
//! Two sets with the Jaccard index J agree in a minimum with probability J, so in all three minima of a band with
//! probability J³. They share at least one of 16 bands with probability 1 − (1 − J³)^16 (Leskovec, Rajaraman, Ullman,
//! *Mining of Massive Datasets*, §3.4.2). Sets without a common element share none.
//!
//! | J | 0.5 | 0.6 | 0.7 | 0.76 | 0.8 | 0.9 |
//! |---|---|---|---|---|---|---|
//! | share a band | 0.88 | 0.98 | 0.9988 | 0.9999 | 0.99999 | 1 − 10^-9 |
//!
//! The minima are those of the sketch, so bands cost only their hashes.

use super::minima::Minima;
use crate::hash::mix;

/// Number of bands.
pub(crate) const BANDS: usize = 16;
/// Minima in a band.
const ROWS: usize = 3;

/// 16 hashes of three minima each. Two sets with a Jaccard index of 0.8 share one of them in all but one of 100,000
/// cases.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Bands([u64; BANDS]);

impl Bands {
    /// The bands of a set, given by the hashes of its elements. Repetitions change nothing. `None` for the empty set.
    #[must_use]
    pub fn new(shingles: &[u64]) -> Option<Self> {
        Minima::new(shingles).map(|minima| Self::of(&minima))
    }

    /// The probability with which two sets of this Jaccard index share a band.
    #[must_use]
    pub fn recall(jaccard: f64) -> f64 {
        1.0 - (1.0 - jaccard.powi(ROWS as i32)).powi(BANDS as i32)
    }

    pub(crate) fn of(minima: &Minima) -> Self {
        let (rows, _) = minima.values().as_chunks::<ROWS>();
        Self(std::array::from_fn(|band| hash(rows[band])))
    }

    /// Whether the two have a band in common.
    #[must_use]
    pub fn meets(&self, other: &Self) -> bool {
        self.0.iter().zip(&other.0).any(|(a, b)| a == b)
    }

    /// The hashes, in the order of the bands: only hashes of the same band are compared.
    #[must_use]
    pub fn hashes(&self) -> &[u64; BANDS] {
        &self.0
    }
}

/// Bands with these hashes, for tests and measurements.
impl From<[u64; BANDS]> for Bands {
    fn from(hashes: [u64; BANDS]) -> Self {
        Self(hashes)
    }
}

fn hash([first, second, third]: [u32; ROWS]) -> u64 {
    mix(mix(u64::from(first) << 32 | u64::from(second)) ^ u64::from(third))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::hash::hash64;

    fn shingles(range: std::ops::Range<u64>) -> Vec<u64> {
        range.map(|n| hash64(&n.to_le_bytes())).collect()
    }

    /// Sets of `size` elements each whose Jaccard index is about `jaccard`, and the index itself.
    fn pair(base: u64, size: u64, jaccard: f64) -> (Vec<u64>, Vec<u64>, f64) {
        let common = (2.0 * size as f64 * jaccard / (1.0 + jaccard)).round() as u64;
        let a = shingles(base..base + size);
        let b = shingles(base + size - common..base + 2 * size - common);
        (a, b, common as f64 / (2 * size - common) as f64)
    }

    #[test]
    fn two_sets_agree_in_a_minimum_with_the_probability_of_their_jaccard_index() {
        const PAIRS: u64 = 150;
        // Sets of one to three elements leave most bins to plain MinHash.
        for (size, jaccard) in [
            (1, 1.0),
            (1, 0.0),
            (2, 0.33),
            (3, 0.5),
            (12, 0.8),
            (60, 0.7),
            (400, 0.8),
            (5_000, 0.3),
        ] {
            let (mut agreeing, mut exact) = (0, 0.0);
            for number in 0..PAIRS {
                let (a, b, of_pair) = pair(number << 20, size, jaccard);
                let (a, b) = (Minima::new(&a).unwrap(), Minima::new(&b).unwrap());
                let bins = a.values().iter().zip(b.values()).take(BANDS * ROWS);
                agreeing += bins.filter(|(a, b)| a == b).count();
                exact = of_pair;
            }
            let minima = (PAIRS as usize * BANDS * ROWS) as f64;
            let sigma = (exact * (1.0 - exact) / minima).sqrt();
            let share = agreeing as f64 / minima;
            assert!(
                (share - exact).abs() <= 4.0 * sigma + 1e-3,
                "size {size}: {share}, not {exact}"
            );
        }
    }

    #[test]
    fn two_sets_share_a_band_as_often_as_the_formula_says() {
        const PAIRS: u64 = 600;
        for jaccard in [0.2, 0.4, 0.6] {
            let (mut shared, mut exact) = (0, 0.0);
            for number in 0..PAIRS {
                let (a, b, of_pair) = pair(number << 20, 300, jaccard);
                let (a, b) = (Bands::new(&a).unwrap(), Bands::new(&b).unwrap());
                shared += usize::from(a.meets(&b));
                exact = Bands::recall(of_pair);
            }
            let sigma = (exact * (1.0 - exact) / PAIRS as f64).sqrt();
            let share = shared as f64 / PAIRS as f64;
            assert!((share - exact).abs() < 4.0 * sigma, "{jaccard}: {share}, not {exact}");
        }
    }

    #[test]
    fn a_band_depends_on_every_minimum_and_on_their_order() {
        let hashes = [[1, 2, 3], [3, 2, 1], [1, 2, 4], [1, 5, 3], [6, 2, 3]].map(hash);
        let distinct: std::collections::BTreeSet<_> = hashes.iter().collect();
        assert_eq!(distinct.len(), hashes.len());
        assert_eq!(Bands::new(&[]), None);
        assert_eq!(Bands::new(&[7, 8, 7]), Bands::new(&[8, 7]));
    }
}
