//! Comparison of short texts, which SimHash does not suit: the exact Jaccard index of their shingle sets.
//!
//! A prefix filter finds the candidates (AllPairs, Bayardo, Ma, Srikant 2007). Order all shingles by their hash. If
//! J(A, B) ≥ t for two sets A and B, they share at least ⌈t·|A|⌉ elements. So at most |A| − ⌈t·|A|⌉ elements of A are
//! outside B, and **one of the first |A| − ⌈t·|A|⌉ + 1 elements of A is in B**. The least shared element is in the
//! prefixes of both sets. So an index of the prefixes alone, searched by prefixes alone, finds every pair.

mod bitmap;

pub use self::bitmap::Bitmap;
pub(crate) use self::bitmap::Share;

/// The prefix of `shingles` (ascending) to index and to search for a threshold of `min_similarity`.
#[must_use]
pub fn prefix(shingles: &[u64], min_similarity: f32) -> &[u64] {
    let size = shingles.len();
    // Slightly less than the product, so that a rounding error cannot leave out an element.
    let shared = (f64::from(min_similarity) * size as f64 - 1e-6).ceil().max(1.0) as usize;
    &shingles[..size.min((size + 1).saturating_sub(shared))]
}

/// The Jaccard index of two ascending sets; 0 if both are empty.
#[must_use]
pub fn jaccard(a: &[u64], b: &[u64]) -> f32 {
    let (mut rest_a, mut rest_b, mut shared) = (a, b, 0_usize);
    while let ([x, more_a @ ..], [y, more_b @ ..]) = (rest_a, rest_b) {
        shared += usize::from(x == y);
        let (next_a, next_b) = (x <= y, y <= x);
        if next_a {
            rest_a = more_a;
        }
        if next_b {
            rest_b = more_b;
        }
    }
    let all = a.len() + b.len() - shared;
    if all == 0 { 0.0 } else { shared as f32 / all as f32 }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use std::collections::BTreeSet;

    proptest! {
        #[test]
        fn jaccard_equals_its_definition_on_sets(
            a in prop::collection::btree_set(0_u64..60, 0..40),
            b in prop::collection::btree_set(0_u64..60, 0..40),
        ) {
            let all = a.union(&b).count();
            let exact = if all == 0 { 0.0 } else { a.intersection(&b).count() as f32 / all as f32 };
            let list = |set: &BTreeSet<u64>| set.iter().copied().collect::<Vec<_>>();
            prop_assert_eq!(jaccard(&list(&a), &list(&b)), exact);
        }

        #[test]
        fn the_prefixes_of_similar_sets_share_an_element(
            a in prop::collection::btree_set(0_u64..40, 1..40),
            b in prop::collection::btree_set(0_u64..40, 1..40),
            threshold in prop::sample::select(vec![0.5_f32, 0.6, 0.7, 0.8, 0.9, 1.0]),
        ) {
            let (a, b): (Vec<_>, Vec<_>) = (a.into_iter().collect(), b.into_iter().collect());
            if jaccard(&a, &b) >= threshold {
                let (p, q) = (prefix(&a, threshold), prefix(&b, threshold));
                prop_assert!(p.iter().any(|shingle| q.contains(shingle)));
            }
        }
    }

    #[test]
    fn a_prefix_has_about_a_fifth_of_the_set_at_a_threshold_of_four_fifths() {
        let set: Vec<u64> = (0..46).collect();
        assert_eq!(prefix(&set, 0.8).len(), 10);
        assert_eq!(prefix(&set[..1], 0.8).len(), 1);
        assert!(prefix(&[], 0.8).is_empty());
    }
}
