//! Fingerprints to store, and queries.

use crate::random::Random;

/// Random fingerprints.
#[must_use]
pub fn uniform(count: usize) -> Vec<u64> {
    let mut random = Random::new(1);
    (0..count).map(|_| random.bits()).collect()
}

/// Random fingerprints, a quarter of them with the same lowest 16 bits: one bucket of the block-keyed index holds as
/// many entries as 16,000 others together.
#[must_use]
pub fn a_quarter_in_one_bucket(count: usize) -> Vec<u64> {
    let mut random = Random::new(2);
    let crowd = |n: usize, bits: u64| if n.is_multiple_of(4) { bits & !0xffff } else { bits };
    (0..count).map(|n| crowd(n, random.bits())).collect()
}

/// Queries of two kinds in turn: a random fingerprint, like that of a page that says something new, and a stored
/// fingerprint with 0 to 11 bits flipped, which has an answer at some radius.
#[must_use]
pub fn queries(stored: &[u64], count: usize) -> Vec<u64> {
    let mut random = Random::new(3);
    let query = |n: usize| {
        if n.is_multiple_of(2) {
            return random.bits();
        }
        let bits: Vec<u32> = (0..64).collect();
        let flipped = random.sample(&bits, n / 2 % 12);
        flipped.iter().fold(*random.pick(stored), |query, bit| query ^ 1 << bit)
    };
    (0..count).map(query).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_quarter_is_in_one_bucket() {
        let crowded = |fingerprints: Vec<u64>| fingerprints.iter().filter(|bits| *bits & 0xffff == 0).count();
        assert_eq!(crowded(a_quarter_in_one_bucket(4_000)), 1_000);
        assert!(crowded(uniform(4_000)) < 10);
    }

    #[test]
    fn every_second_query_is_near_a_stored_one() {
        let stored = uniform(100);
        let nearest = |query: &u64| stored.iter().map(|bits| (bits ^ query).count_ones()).min();
        let distances: Vec<_> = queries(&stored, 48).iter().filter_map(nearest).collect();
        for (n, distance) in distances.iter().skip(1).step_by(2).enumerate() {
            assert_eq!(*distance, n as u32 % 12);
        }
        assert!(distances.iter().step_by(2).all(|distance| *distance > 11));
    }
}
