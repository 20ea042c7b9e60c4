//! Short texts: too little for SimHash, so their shingle sets are compared exactly.
//!
//! Candidates come from a prefix filter (AllPairs, Bayardo, Ma, Srikant 2007): order all shingles by their hash. If two
//! sets A and B have J(A, B) ≥ t, they share at least ⌈t·|A|⌉ elements of A, so A has at most |A| − ⌈t·|A|⌉ elements
//! outside B, and **among its first |A| − ⌈t·|A|⌉ + 1 elements one lies in B**; of the shared elements the least lies
//! in the prefixes of both. Indexing and looking up prefixes alone therefore finds every pair.

/// The elements of `shingles` (ascending) that are indexed and looked up for a threshold of `min_similarity`.
#[must_use]
pub fn prefix(shingles: &[u64], min_similarity: f32) -> &[u64] {
    let size = shingles.len();
    // A hair less than the product, so that rounding up can never leave out an element.
    let shared = (f64::from(min_similarity) * size as f64 - 1e-6).ceil().max(1.0) as usize;
    &shingles[..size.min((size + 1).saturating_sub(shared))]
}

/// The Jaccard index of two ascending sets; 0 where both are empty.
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
        fn jaccard_is_that_of_the_sets(
            a in prop::collection::btree_set(0_u64..60, 0..40),
            b in prop::collection::btree_set(0_u64..60, 0..40),
        ) {
            let all = a.union(&b).count();
            let exact = if all == 0 { 0.0 } else { a.intersection(&b).count() as f32 / all as f32 };
            let list = |set: &BTreeSet<u64>| set.iter().copied().collect::<Vec<_>>();
            prop_assert_eq!(jaccard(&list(&a), &list(&b)), exact);
        }

        #[test]
        fn similar_sets_share_an_element_of_their_prefixes(
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
    fn the_prefix_is_short() {
        let set: Vec<u64> = (0..46).collect();
        assert_eq!(prefix(&set, 0.8).len(), 10);
        assert_eq!(prefix(&set[..1], 0.8).len(), 1);
        assert!(prefix(&[], 0.8).is_empty());
    }
}
