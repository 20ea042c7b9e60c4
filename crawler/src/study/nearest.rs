//! The kept pages that are most like a text, duplicates or not, and by how much each passes or fails the rule.
//!
//! The verdict alone names a page only where there is a duplicate. Here every candidate that the index finds is weighed, so
//! that one can see how near a text came to being dropped. The first of the list, where it is confirmed, is the page that
//! the verdict names.

use std::cmp::Ordering;

use dedup::short::prefix;
use dedup::{DedupError, DocId, Index, MemoryIndex, Rule, Signature, Weighed};
use serde::Serialize;
use storage::Store;

use crate::config::settings::Settings;
use crate::crawl::index::{decode_signature, look_at_index};
use crate::error::RunError;

pub use dedup::Check;

/// A kept page beside a text.
#[derive(Debug, Clone, PartialEq)]
pub struct Candidate {
    /// Its sequence number.
    pub id: u64,
    /// How the two compare.
    pub likeness: Likeness,
}

/// How two texts compare, by what is kept of them.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Likeness {
    /// Whether the normalised texts are equal.
    pub is_exact: bool,
    /// Bits in which the fingerprints differ, 0 of equal texts; `None` where one of two others has none.
    pub distance: Option<u32>,
    /// Jaccard index of the five-word runs, 0 to 1: estimated by the sketches; of texts of which one is short, exact.
    pub similarity: f32,
    /// What the rule asks, in its order; nothing of texts that it does not compare, or whose equality suffices.
    pub checks: Vec<Check>,
    /// Whether by the rule they are duplicates.
    pub is_duplicate: bool,
    /// What decides among several duplicates.
    #[serde(skip)]
    rank: f32,
}

impl Likeness {
    /// How two texts compare by `rule`; `None` where it does not compare them: both are too short for anything but equality,
    /// or one has nothing to be compared.
    #[must_use]
    pub fn of(a: &Signature, b: &Signature, rule: &Rule) -> Option<Self> {
        let is_exact = a.digest.is_some() && a.digest == b.digest;
        let weighed = match rule.weigh(a, b) {
            Some(weighed) => weighed,
            None if is_exact => Weighed {
                distance: None,
                similarity: 1.0,
                value: 1.0,
                checks: Vec::new(),
            },
            None => return None,
        };
        Some(Self {
            is_exact,
            // Equal texts too short for a fingerprint do not differ either.
            distance: if is_exact { Some(0) } else { weighed.distance },
            similarity: if is_exact { 1.0 } else { weighed.similarity },
            is_duplicate: is_exact || weighed.checks.iter().all(|check| check.is_met),
            checks: weighed.checks,
            rank: weighed.value,
        })
    }

    /// How two texts compare that the rule does not compare (see [`of`](Self::of)), by the exact Jaccard index of their runs of
    /// five units.
    #[must_use]
    pub fn not_asked(similarity: f32) -> Self {
        Self {
            is_exact: false,
            distance: None,
            similarity,
            checks: Vec::new(),
            is_duplicate: false,
            rank: similarity,
        }
    }

    /// Duplicates first, then the more similar, then the nearer.
    fn order(&self, other: &Self) -> Ordering {
        let exact = other.is_exact.cmp(&self.is_exact);
        let duplicate = other.is_duplicate.cmp(&self.is_duplicate);
        let rank = other.rank.total_cmp(&self.rank);
        exact
            .then(duplicate)
            .then(rank)
            .then(self.distance.cmp(&other.distance))
    }
}

/// The documents in `index` that are candidates for `signature`, the most like first, without those in `except`.
///
/// # Errors
/// The index cannot be read.
pub fn nearest(
    index: &dyn Index,
    rule: &Rule,
    signature: &Signature,
    except: &[u64],
) -> Result<Vec<Candidate>, DedupError> {
    let mut ids = Vec::new();
    if let Some(digest) = signature.digest {
        ids.extend(index.exact(digest)?);
    }
    if let Some(fingerprint) = signature.fingerprint {
        let mut near = Vec::new();
        index.near(fingerprint, &mut near)?;
        ids.extend(near.into_iter().map(|neighbour| neighbour.id));
    }
    for shingle in prefix(&signature.shingles, rule.min_similarity_short) {
        index.with_shingle(*shingle, &mut ids)?;
    }
    ids.sort_unstable();
    ids.dedup();
    ids.retain(|id| !except.contains(&id.0));
    let mut found = Vec::new();
    for DocId(id) in ids {
        let other = index.signature(DocId(id))?;
        let likeness = other.and_then(|other| Likeness::of(signature, &other, rule));
        found.extend(likeness.map(|likeness| Candidate { id, likeness }));
    }
    sort(&mut found);
    Ok(found)
}

/// Leaves the `most` that are most like what they were compared with, the most like first.
pub fn keep_most_alike(found: &mut Vec<Candidate>, most: usize) {
    sort(found);
    found.truncate(most);
}

fn sort(found: &mut [Candidate]) {
    found.sort_by(|a, b| a.likeness.order(&b.likeness).then(a.id.cmp(&b.id)));
}

/// The kept pages of a store, to be looked up; opened for reading, nothing of it is written.
pub struct KeptPages {
    index: Box<dyn Index>,
    /// Kept pages that an interrupted crawl has not brought into the index.
    behind: MemoryIndex,
    /// Pages that the index has and the catalogue has given up since.
    departed: Vec<u64>,
    /// Whether the store's own index was made for another rule, so that this one was made anew in memory.
    pub is_derived: bool,
}

impl KeptPages {
    /// By the store's own index, brought up to its catalogue in memory, where it was laid out for the rule that is in force;
    /// else by one made of the kept pages' signatures.
    ///
    /// # Errors
    /// The store cannot be read; its index was made with another scheme.
    pub fn open(store: &Store, settings: &Settings) -> Result<Self, RunError> {
        let empty = || MemoryIndex::of_width(settings.scheme.width, &settings.rule);
        match look_at_index(store, settings) {
            Ok(Some(index)) => {
                let mut behind = empty()?;
                insert_kept(store, index.applied() + 1, &mut behind)?;
                Ok(Self {
                    index: Box::new(index),
                    behind,
                    departed: store.departed()?,
                    is_derived: false,
                })
            }
            Err(error) if !error.is_other_layout() => Err(error.into()),
            Ok(None) | Err(_) => {
                let mut index = empty()?;
                insert_kept(store, 1, &mut index)?;
                Ok(Self {
                    index: Box::new(index),
                    behind: empty()?,
                    departed: Vec::new(),
                    is_derived: true,
                })
            }
        }
    }

    /// As [`nearest`], without the page `except`.
    ///
    /// # Errors
    /// The index cannot be read.
    pub fn nearest(
        &self,
        rule: &Rule,
        signature: &Signature,
        except: Option<u64>,
    ) -> Result<Vec<Candidate>, DedupError> {
        let except: Vec<u64> = self.departed.iter().copied().chain(except).collect();
        let mut found = nearest(&*self.index, rule, signature, &except)?;
        let known: Vec<u64> = found.iter().map(|candidate| candidate.id).chain(except).collect();
        found.extend(nearest(&self.behind, rule, signature, &known)?);
        sort(&mut found);
        Ok(found)
    }
}

/// The kept pages from the sequence number `from` on.
fn insert_kept(store: &Store, from: u64, index: &mut MemoryIndex) -> Result<(), RunError> {
    for row in store.pages_from(from) {
        let (id, page) = row?;
        if page.is_kept() {
            index.insert(DocId(id), &decode_signature(&page.signature)?)?;
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use dedup::{Analyzer, Confirm, Deduplicator, Scheme, Verdict};
    use proptest::prelude::*;

    use super::*;

    /// Texts of 3 to 140 words that differ in a few.
    fn text() -> impl Strategy<Value = String> {
        let changes = prop::collection::vec((0_usize..140, 0_u32..5), 0..8);
        (0_u32..2, 3_usize..140, changes).prop_map(|(kind, length, changes)| {
            let mut words: Vec<String> = (0..length).map(|n| format!("word{kind}x{n}")).collect();
            for (at, other) in changes {
                if let Some(word) = words.get_mut(at) {
                    *word = format!("other{other}");
                }
            }
            words.join(" ")
        })
    }

    #[test]
    fn a_page_that_departed_hides_none_that_says_the_same() {
        let (rule, analyzer) = (Rule::default(), Analyzer::new(&Scheme::default()));
        // Known by its digest alone; by its shingles; by its fingerprint.
        for words in [1, 20, 120] {
            let text: Vec<String> = (0..words).map(|n| format!("word{n}")).collect();
            let signature = analyzer.analyze(&text.join(" "));
            let index_of = |id| {
                let mut index = MemoryIndex::new(&rule).unwrap();
                index.insert(DocId(id), &signature).unwrap();
                index
            };
            // As an interrupted crawl leaves it: the index has the page that was, the catalogue the one that is.
            let kept = KeptPages {
                index: Box::new(index_of(1)),
                behind: index_of(2),
                departed: vec![1],
                is_derived: false,
            };
            let found = kept.nearest(&rule, &signature, None).unwrap();
            let found: Vec<_> = found.iter().map(|found| (found.id, found.likeness.is_exact)).collect();
            assert_eq!(found, [(2, true)], "{words} words");
        }
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(64))]

        #[test]
        fn the_first_candidate_is_the_page_that_the_verdict_names(
            kept in prop::collection::vec(text(), 0..12),
            asked in text(),
            confirm in prop::sample::select(vec![Confirm::Distance, Confirm::SKETCH, Confirm::PAPER]),
            numbers_must_match in any::<bool>(),
        ) {
            let rule = Rule { confirm, numbers_must_match, ..Rule::default() };
            let analyzer = Analyzer::new(&Scheme::default());
            let dedup = Deduplicator::new(MemoryIndex::new(&rule).unwrap(), rule.clone()).unwrap();
            for (id, text) in (1..).zip(&kept) {
                dedup.check_and_insert(DocId(id), &analyzer.analyze(text)).unwrap();
            }
            let signature = analyzer.analyze(&asked);
            let found = nearest(&*dedup.index(), &rule, &signature, &[]).unwrap();
            let first = found.first().filter(|candidate| candidate.likeness.is_duplicate);
            match dedup.check(&signature).unwrap() {
                Verdict::Unique => prop_assert!(first.is_none(), "{first:?}"),
                Verdict::Exact { of } => {
                    prop_assert_eq!(first.map(|first| (first.id, first.likeness.is_exact)), Some((of.0, true)));
                }
                Verdict::Near { of, distance, similarity } => {
                    let first = first.map(|first| (first.id, first.likeness.distance, first.likeness.rank));
                    prop_assert_eq!(first, Some((of.0, distance, similarity)));
                }
            }
        }
    }
}
