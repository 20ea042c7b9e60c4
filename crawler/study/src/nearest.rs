//! The kept pages most similar to a text, duplicates or not, with the margin by which each meets or misses the rule.
//!
//! A verdict names a page only for a duplicate. This search compares every candidate that the index finds, and so shows how close a text
//! is to being dropped. If the first candidate is confirmed, it is the page that the verdict names.

use std::cmp::Ordering;

use dedup::short::prefix;
use dedup::{Comparison, DedupError, DocId, DuplicateRule, Index, MemoryIndex, Signature};
use serde::Serialize;
use storage::{PageElsewhere, Store, Verdict};

use config::settings::Settings;
use crawl::index::{decode_signature, look_at_index};
use error::RunError;

pub use dedup::Check;

/// The distance up to which a page is near for a person, also if the rule in force is narrower: the built-in one.
const FURTHER_BITS: u32 = 10;

/// Kept pages among which the search goes further than the rule: more would delay the answer noticeably.
const MOST_FURTHER: u64 = 50_000;

/// A kept page compared with a text.
#[derive(Debug, Clone, PartialEq)]
pub struct Candidate {
    /// Its sequence number.
    pub id: u64,
    /// The comparison of the two.
    pub likeness: Likeness,
}

/// The comparison of two texts by their signatures.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Likeness {
    /// Whether the normalised texts are equal.
    pub is_exact: bool,
    /// Hamming distance of the fingerprints in bits, 0 for equal texts; `None` if one of two different texts has no fingerprint.
    pub distance: Option<u32>,
    /// Jaccard index of the five-word runs, 0 to 1: estimated from the sketches, or exact if one of the texts is short.
    pub similarity: f32,
    /// The checks of the rule, in order; empty if the rule does not compare the texts, or if they are equal.
    pub checks: Vec<Check>,
    /// Whether they are duplicates by the rule.
    pub is_duplicate: bool,
    /// The measure that decides between several duplicates.
    #[serde(skip)]
    rank: f32,
}

impl Likeness {
    /// Compares two texts by `rule`; `None` if the rule does not compare them, because both are too short for any comparison except
    /// equality, or one has no features.
    #[must_use]
    pub fn of(a: &Signature, b: &Signature, rule: &DuplicateRule) -> Option<Self> {
        let is_exact = a.digest.is_some() && a.digest == b.digest;
        let weighed = match rule.compare(a, b) {
            Some(weighed) => weighed,
            None if is_exact => Comparison {
                distance: None,
                similarity: 1.0,
                value: 1.0,
                checks: Vec::new(),
            },
            None => return None,
        };
        Some(Self {
            is_exact,
            // Equal texts that are too short for a fingerprint have no distance of their own.
            distance: if is_exact { Some(0) } else { weighed.distance },
            similarity: if is_exact { 1.0 } else { weighed.similarity },
            is_duplicate: is_exact || weighed.checks.iter().all(|check| check.is_met),
            checks: weighed.checks,
            rank: weighed.value,
        })
    }

    /// The comparison of two texts that the rule does not compare, by the exact Jaccard index of their runs of five units.
    #[must_use]
    pub(crate) fn outside_the_rule(similarity: f32) -> Self {
        Self {
            is_exact: false,
            distance: None,
            similarity,
            checks: Vec::new(),
            is_duplicate: false,
            rank: similarity,
        }
    }

    /// The comparison that a verdict tells of, without the checks of a rule; `None` for the verdict that the page is kept.
    #[must_use]
    pub(crate) fn of_verdict(verdict: Verdict) -> Option<Self> {
        let (is_exact, distance, similarity) = match verdict {
            Verdict::Unique => return None,
            Verdict::Exact { .. } => (true, Some(0), 1.0),
            Verdict::Near {
                distance, similarity, ..
            } => (false, distance, similarity),
        };
        Some(Self {
            is_exact,
            distance,
            similarity,
            checks: Vec::new(),
            is_duplicate: true,
            rank: similarity,
        })
    }

    /// Duplicates first, then by similarity, then by distance.
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

/// The candidates for `signature` in `index`, the most similar first, without the pages in `except`.
///
/// # Errors
/// The index cannot be read.
pub fn nearest(
    index: &dyn Index,
    rule: &DuplicateRule,
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
    index.for_each_signature(&ids, &mut |DocId(id), other| {
        let likeness = Likeness::of(signature, &other, rule);
        found.extend(likeness.map(|likeness| Candidate { id, likeness }));
    })?;
    sort(&mut found);
    Ok(found)
}

/// Keeps the `most` candidates with the highest similarity, in descending order.
pub(crate) fn keep_most_alike(found: &mut Vec<Candidate>, most: usize) {
    sort(found);
    found.truncate(most);
}

fn sort(found: &mut [Candidate]) {
    found.sort_by(|a, b| a.likeness.order(&b.likeness).then(a.id.cmp(&b.id)));
}

/// The kept pages of a store, open for searches. Writes nothing.
///
/// In the folder of a worker of a fleet, these are the kept pages of all workers. Those of other workers have packed numbers.
pub struct KeptPages {
    index: Box<dyn Index>,
    /// The worker whose own pages have packed numbers in the index, too.
    packed_by: Option<u16>,
    /// Kept pages that an interrupted crawl did not add to the index.
    behind: MemoryIndex,
    /// Pages that are still in the index and no longer kept in the catalogue.
    departed: Vec<u64>,
    /// Whether this index was built in memory because the store's index serves another rule.
    pub is_derived: bool,
}

impl KeptPages {
    /// Opens the store's index, with the missing pages of the catalogue in memory. If that index serves another rule, or another process
    /// holds it, builds an index of all kept pages in memory.
    ///
    /// # Errors
    /// The store cannot be read, or another scheme made its index.
    pub fn open(store: &Store, settings: &Settings) -> Result<Self, RunError> {
        let empty = || MemoryIndex::of_width(settings.scheme.width, &settings.rule);
        match look_at_index(store, settings) {
            Ok(Some(index)) => {
                let mut behind = empty()?;
                let packed_by = store.run_notes().worker()?;
                match packed_by {
                    None => insert_kept(store, index.applied() + 1, &mut behind)?,
                    Some(worker) => insert_unconfirmed(store, worker, &index, &mut behind)?,
                }
                Ok(Self {
                    index: Box::new(index),
                    packed_by,
                    behind,
                    departed: store.catalogue().departed()?,
                    is_derived: false,
                })
            }
            Err(error) if !error.is_other_layout() => Err(error.into()),
            Ok(None) | Err(_) => Self::in_memory(store, settings, &settings.rule, store.index_db().is_some()),
        }
    }

    /// Whether [`KeptPages::further`] may find what the rule in force does not look at, in a moment.
    pub(crate) fn may_look_further(store: &Store, settings: &Settings, signature: &Signature) -> bool {
        let is_narrow = settings.rule.max_distance < FURTHER_BITS;
        is_narrow && signature.fingerprint.is_some() && store.counts().kept <= MOST_FURTHER
    }

    /// An index of all kept pages in memory that finds pages further apart than the rule in force.
    ///
    /// # Errors
    /// The store cannot be read.
    pub(crate) fn further(store: &Store, settings: &Settings) -> Result<Self, RunError> {
        let rule = DuplicateRule {
            max_distance: FURTHER_BITS,
            ..settings.rule.clone()
        };
        Self::in_memory(store, settings, &rule, true)
    }

    /// All kept pages, in an index that is built in memory.
    fn in_memory(store: &Store, settings: &Settings, rule: &DuplicateRule, is_derived: bool) -> Result<Self, RunError> {
        let empty = || MemoryIndex::of_width(settings.scheme.width, rule);
        let mut index = empty()?;
        insert_kept(store, 1, &mut index)?;
        insert_elsewhere(store, &mut index)?;
        Ok(Self {
            index: Box::new(index),
            packed_by: None,
            behind: empty()?,
            departed: Vec::new(),
            is_derived,
        })
    }

    /// The candidates for `signature`, the most similar first, without the page `except`.
    ///
    /// # Errors
    /// The index cannot be read.
    pub fn nearest(
        &self,
        rule: &DuplicateRule,
        signature: &Signature,
        except: Option<u64>,
    ) -> Result<Vec<Candidate>, DedupError> {
        let except: Vec<u64> = self.departed.iter().copied().chain(except).collect();
        let in_index: Vec<u64> = except.iter().map(|page| in_index(*page, self.packed_by)).collect();
        let mut found = nearest(&*self.index, rule, signature, &in_index)?;
        for candidate in &mut found {
            candidate.id = PageElsewhere::own_number(candidate.id, self.packed_by);
        }
        let known: Vec<u64> = found.iter().map(|candidate| candidate.id).chain(except).collect();
        found.extend(nearest(&self.behind, rule, signature, &known)?);
        sort(&mut found);
        Ok(found)
    }
}

/// Inserts the kept pages from the sequence number `from` on.
fn insert_kept(store: &Store, from: u64, index: &mut MemoryIndex) -> Result<(), RunError> {
    for row in store.pages_from(from) {
        let (id, page) = row?;
        if page.is_kept() {
            index.insert(DocId(id), &decode_signature(&page.signature)?)?;
        }
    }
    Ok(())
}

/// Inserts the kept pages of a worker that are not in the index of the log: the log has not brought them back yet.
fn insert_unconfirmed(store: &Store, worker: u16, log: &dyn Index, index: &mut MemoryIndex) -> Result<(), RunError> {
    for row in store.pages_from(1) {
        let (id, page) = row?;
        if page.is_kept() && log.signature(DocId(in_index(id, Some(worker))))?.is_none() {
            index.insert(DocId(id), &decode_signature(&page.signature)?)?;
        }
    }
    Ok(())
}

/// Inserts the kept pages of other workers.
fn insert_elsewhere(store: &Store, index: &mut MemoryIndex) -> Result<(), RunError> {
    for row in store.pages_elsewhere().all() {
        let (page, record) = row?;
        index.insert(DocId(page.packed()), &decode_signature(&record.signature)?)?;
    }
    Ok(())
}

/// The number of a page of this folder in an index that has packed numbers.
fn in_index(page: u64, packed_by: Option<u16>) -> u64 {
    match packed_by {
        Some(worker) => PageElsewhere { worker, sequence: page }.packed(),
        None => page,
    }
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
    fn a_departed_page_does_not_hide_a_kept_page_with_the_same_text() {
        let (rule, analyzer) = (DuplicateRule::default(), Analyzer::new(&Scheme::default()));
        // The index finds the three texts by digest, by shingles and by fingerprint.
        for words in [1, 20, 120] {
            let text: Vec<String> = (0..words).map(|n| format!("word{n}")).collect();
            let signature = analyzer.analyze(&text.join(" "));
            let index_of = |id| {
                let mut index = MemoryIndex::new(&rule).unwrap();
                index.insert(DocId(id), &signature).unwrap();
                index
            };
            // The state after an interrupted crawl: the index has the old page, the catalogue has the new one.
            let kept = KeptPages {
                packed_by: None,
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
            let rule = DuplicateRule { confirm, numbers_must_match, ..DuplicateRule::default() };
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
