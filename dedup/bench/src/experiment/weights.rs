//! What a term weighs: by the original SimHash, and by the improved one.

use std::collections::HashMap;

use xxhash_rust::xxh3::xxh3_64;

use crate::ours::simhash;

/// A weighting of terms.
pub trait Weighting {
    /// The weight of a term that is `count` of the `total` terms of its document.
    fn weight(&self, term: &str, count: usize, total: usize) -> f64;
}

/// tf = count / all counts: the original.
#[derive(Debug)]
pub struct TermFrequency;

impl Weighting for TermFrequency {
    fn weight(&self, _: &str, count: usize, total: usize) -> f64 {
        count as f64 / total as f64
    }
}

/// tf · idf · (1 + len), idf = ln (documents / documents with the term), frozen before the first document is judged: the
/// improved SimHash.
#[derive(Debug, Default)]
pub struct Improved {
    documents: usize,
    with_term: HashMap<String, usize>,
}

impl Improved {
    /// Takes a document into the table.
    pub fn count(&mut self, terms: &[&str]) {
        self.documents += 1;
        let mut terms = terms.to_vec();
        terms.sort_unstable();
        terms.dedup();
        for term in terms {
            *self.with_term.entry(term.to_owned()).or_default() += 1;
        }
    }
}

impl Weighting for Improved {
    fn weight(&self, term: &str, count: usize, total: usize) -> f64 {
        // A term never seen is as rare as one seen once.
        let documents = self.with_term.get(term).copied().unwrap_or(1);
        let idf = (self.documents as f64 / documents as f64).ln();
        TermFrequency.weight(term, count, total) * idf * (1.0 + len(term))
    }
}

/// The density of a term's length in characters, normal with μ = 4.51 and σ = 2.207, 1 at its peak.
fn len(term: &str) -> f64 {
    let from_peak = (term.chars().count() as f64 - 4.51) / 2.207;
    (-from_peak * from_peak / 2.0).exp()
}

/// The fingerprint of a document's terms; `None` where none has a weight.
#[must_use]
pub fn fingerprint(terms: &[&str], weighting: &dyn Weighting) -> Option<u64> {
    let mut counts: HashMap<&str, usize> = HashMap::new();
    terms.iter().for_each(|term| *counts.entry(term).or_default() += 1);
    // In one order, so that equal texts have equal sums to the last bit.
    let mut counts: Vec<(&str, usize)> = counts.into_iter().collect();
    counts.sort_unstable();
    let weight = |(term, count): (&str, usize)| weighting.weight(term, count, terms.len());
    simhash(
        counts
            .into_iter()
            .map(|counted| (xxh3_64(counted.0.as_bytes()), weight(counted))),
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_rare_long_term_outweighs_a_common_short_one() {
        let mut improved = Improved::default();
        improved.count(&["的", "人工智能"]);
        improved.count(&["的", "学校"]);
        assert!(improved.weight("的", 5, 10).abs() < 1e-12);
        assert!(improved.weight("人工智能", 1, 10) > improved.weight("学校", 1, 10));
        assert!((improved.weight("学校", 1, 10) - 0.1 * 2_f64.ln() * (1.0 + len("学校"))).abs() < 1e-12);
    }

    #[test]
    fn the_order_of_terms_does_not_matter() {
        let (a, b) = (["学校", "的", "学校"], ["的", "学校", "学校"]);
        assert_eq!(fingerprint(&a, &TermFrequency), fingerprint(&b, &TermFrequency));
        assert_eq!(fingerprint(&[], &TermFrequency), None);
    }
}
