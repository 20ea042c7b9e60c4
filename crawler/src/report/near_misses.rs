//! Kept pages that were nearly dropped: their nearest kept page is near, and the rule did not confirm it.

use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Mutex, PoisonError};

use dedup::{Confirm, DedupError, DocId, DuplicateRule, Index, Layout, MemoryIndex, Signature, Width, short};
use serde::Serialize;

use super::waiting::Waiting;
use crate::error::RunError;

/// Pages that a thread takes at a time.
const STRETCH: usize = 256;

/// Pages that are asked for their nearest at most: of more, every second, third, … is. In a crawl of pages in one style a page has
/// thousands of neighbours, and what the sample shows is what all would show.
const MAX_ASKED: usize = 16_384;

/// Bits over the threshold at which kept pages are still looked for.
const BITS_OVER: u32 = 1;

/// How much less similar than the threshold asks a short text may be and still is found for certain.
const SHORT_UNDER: f32 = 0.2;

/// A kept page, and the page kept before it that it is most like, of those within one bit of the largest distance; of short texts
/// those that are at most 0.2 less similar than the threshold asks.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct NearMiss {
    /// The kept page.
    pub url: String,
    /// The one kept before it.
    pub near: String,
    /// Hamming distance of the fingerprints, bits; null where a text is too short for one.
    pub distance: Option<u32>,
    /// By the measure that the rule confirms by, 0 to 1.
    pub similarity: f32,
    /// What spoke against it.
    pub because: Because,
    /// Sequence number of `url`.
    #[serde(skip)]
    pub id: u64,
    /// Sequence number of `near`.
    #[serde(skip)]
    pub near_id: u64,
}

/// What keeps a near miss from being a duplicate.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Because {
    /// The fingerprints are too far apart.
    Distance,
    /// The texts are not similar enough.
    Similarity,
    /// The numbers in the texts differ.
    Numbers,
    /// Nothing: the page was kept under another rule, or its place in the order of pages has changed.
    Nothing,
}

impl Because {
    /// In words.
    #[must_use]
    pub fn words(self) -> &'static str {
        match self {
            Self::Distance => "the fingerprints are too far apart",
            Self::Similarity => "the texts are not similar enough",
            Self::Numbers => "the numbers in the texts differ",
            Self::Nothing => "the rule in force would have dropped it",
        }
    }
}

/// A pair of kept pages, by their sequence numbers.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Found {
    pub id: u64,
    pub near: u64,
    pub distance: Option<u32>,
    pub similarity: f32,
    pub because: Because,
}

/// Finds near misses among kept pages that are told to it in the order they were kept.
#[derive(Debug)]
pub(super) struct NearMisses {
    rule: DuplicateRule,
    /// The same measure of similarity, which confirms everything.
    measure: DuplicateRule,
    /// Fingerprints and shingles, by place in `kept`.
    index: MemoryIndex,
    width: Width,
    /// Beside the index, which would copy what it is asked for: in a crawl of pages in one style a page has hundreds of neighbours.
    kept: Vec<(u64, Signature)>,
}

impl NearMisses {
    /// For fingerprints of `width`; those of another one are passed over.
    pub fn new(rule: &DuplicateRule, width: Width) -> Result<Self, RunError> {
        let confirm = match rule.confirm {
            Confirm::Distance => Confirm::Distance,
            Confirm::Sketch { .. } => Confirm::Sketch { min_similarity: 0.0 },
            Confirm::Combined { weight, .. } => Confirm::Combined { weight, bound: 0.0 },
        };
        Ok(Self {
            rule: rule.clone(),
            measure: DuplicateRule {
                max_distance: u32::MAX,
                min_similarity_short: 0.0,
                confirm,
                numbers_must_match: false,
            },
            index: open(rule, width)?,
            width,
            kept: Vec::new(),
        })
    }

    /// Takes the next kept page in.
    pub fn add(&mut self, id: u64, signature: Signature) -> Result<(), RunError> {
        if signature
            .fingerprint
            .is_some_and(|fingerprint| fingerprint.width() != self.width)
        {
            return Ok(());
        }
        let found_by = Signature {
            fingerprint: signature.fingerprint,
            shingles: signature.shingles.clone(),
            ..Signature::default()
        };
        self.index.insert(DocId(self.kept.len() as u64), &found_by)?;
        self.kept.push((id, signature));
        Ok(())
    }

    /// Pages that are asked.
    pub fn asked(&self) -> u64 {
        self.kept.len().div_ceil(self.every()) as u64
    }

    /// One of so many pages is asked.
    fn every(&self) -> usize {
        self.kept.len().div_ceil(MAX_ASKED).max(1)
    }

    /// The near misses, in the order they were kept.
    pub fn find(&self, waiting: &Waiting) -> Result<Vec<Found>, RunError> {
        let (next, found) = (AtomicUsize::new(0), Mutex::new(Vec::new()));
        let every = self.every();
        by_threads(std::thread::available_parallelism().map_or(1, usize::from), || {
            loop {
                let from = next.fetch_add(STRETCH, Ordering::Relaxed);
                if from >= self.kept.len() {
                    return Ok(());
                }
                waiting.at("looking for near misses: pages", from, self.kept.len());
                let mut of_stretch = Vec::new();
                for place in (from..(from + STRETCH).min(self.kept.len())).filter(|place| place.is_multiple_of(every)) {
                    of_stretch.extend(self.nearest(place)?);
                }
                found.lock().unwrap_or_else(PoisonError::into_inner).extend(of_stretch);
            }
        })?;
        let mut found = found.into_inner().unwrap_or_else(PoisonError::into_inner);
        found.sort_unstable_by_key(|found: &Found| found.id);
        Ok(found)
    }

    /// Of the page at a place, the page before it that it is most like.
    fn nearest(&self, place: usize) -> Result<Option<Found>, RunError> {
        let (id, signature) = &self.kept[place];
        let mut best: Option<(usize, Option<u32>, f32)> = None;
        if let Some(fingerprint) = signature.fingerprint {
            let mut neighbours = Vec::new();
            self.index.near(fingerprint, &mut neighbours)?;
            for neighbour in neighbours {
                let other = neighbour.id.0 as usize;
                if other < place {
                    let distance = neighbour.distance;
                    let similarity = self.measure.confirms(signature, &self.kept[other].1, distance);
                    better(&mut best, (other, Some(distance), similarity.unwrap_or_default()));
                }
            }
        }
        for candidate in self.short_candidates(signature)? {
            let other = candidate.0 as usize;
            let of_other = &self.kept[other].1;
            if other >= place || signature.fingerprint.is_some() && of_other.fingerprint.is_some() {
                continue;
            }
            let similarity = self.measure.confirms_short(signature, of_other).unwrap_or_default();
            if similarity >= least_of_short(&self.rule) {
                better(&mut best, (other, None, similarity));
            }
        }
        Ok(best.map(|(other, distance, similarity)| Found {
            id: *id,
            near: self.kept[other].0,
            distance,
            similarity,
            because: self.because(signature, &self.kept[other].1, distance, similarity),
        }))
    }

    fn because(&self, signature: &Signature, other: &Signature, distance: Option<u32>, similarity: f32) -> Because {
        let (confirmed, is_similar) = match distance {
            Some(distance) => (self.rule.confirms(signature, other, distance), false),
            None => {
                let is_similar = similarity >= self.rule.min_similarity_short;
                (self.rule.confirms_short(signature, other), is_similar)
            }
        };
        let have_other_numbers = self.rule.numbers_must_match && signature.numbers != other.numbers;
        match (confirmed, distance) {
            (Some(_), _) => Because::Nothing,
            (None, Some(distance)) if distance > self.rule.max_distance => Because::Distance,
            (None, Some(_)) if have_other_numbers => Because::Numbers,
            (None, None) if is_similar => Because::Numbers,
            (None, _) => Because::Similarity,
        }
    }

    fn short_candidates(&self, signature: &Signature) -> Result<Vec<DocId>, RunError> {
        let mut candidates = Vec::new();
        if !signature.shingles.is_empty() {
            for shingle in short::prefix(&signature.shingles, least_of_short(&self.rule)) {
                self.index.with_shingle(*shingle, &mut candidates)?;
            }
            candidates.sort_unstable();
            candidates.dedup();
        }
        Ok(candidates)
    }
}

/// Works in so many threads, of which this is one. A panic of any goes on here: what that one looked at would be missing.
fn by_threads(threads: usize, work: impl Fn() -> Result<(), RunError> + Sync) -> Result<(), RunError> {
    std::thread::scope(|scope| {
        let others: Vec<_> = (1..threads).map(|_| scope.spawn(&work)).collect();
        let mut result = work();
        for other in others {
            result = result.and(other.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic)));
        }
        result
    })
}

fn least_of_short(rule: &DuplicateRule) -> f32 {
    (rule.min_similarity_short - SHORT_UNDER).max(0.1)
}

fn open(rule: &DuplicateRule, width: Width) -> Result<MemoryIndex, RunError> {
    let up_to = rule.max_distance + BITS_OVER;
    // One bit more may be more than the blocks can search; then what the rule may accept is all that is looked at.
    let layout = Layout::for_distance(width, up_to).or_else(|_| Layout::for_distance(width, rule.max_distance));
    let layout = layout.map_err(DedupError::from)?;
    let wider = DuplicateRule {
        max_distance: layout.max_distance(),
        min_similarity_short: least_of_short(rule),
        ..rule.clone()
    };
    Ok(MemoryIndex::with_layout(&wider, layout, dedup::DEFAULT_SKEW)?)
}

/// Keeps what the rule would confirm first: the more similar, then the nearer, then the older.
fn better(best: &mut Option<(usize, Option<u32>, f32)>, found: (usize, Option<u32>, f32)) {
    let order = |other: &(usize, Option<u32>, f32)| {
        let by_similarity = found.2.total_cmp(&other.2);
        by_similarity.then(other.1.cmp(&found.1)).then(other.0.cmp(&found.0))
    };
    if best
        .as_ref()
        .is_none_or(|other| order(other) == std::cmp::Ordering::Greater)
    {
        *best = Some(found);
    }
}

#[cfg(test)]
mod tests {
    use dedup::{Analyzer, Scheme};

    use super::*;

    fn words(from: usize, count: usize) -> String {
        (from..from + count)
            .map(|number| format!("word{} ", number * 7919 % 10_007))
            .collect()
    }

    #[test]
    fn a_kept_page_is_held_against_those_kept_before_it_only() {
        let analyzer = Analyzer::new(&Scheme::default());
        let mut misses = NearMisses::new(&DuplicateRule::default(), Width::W64).unwrap();
        // The second differs in a tenth of its words, scattered: near by fingerprint, not similar enough by shingles.
        let first = words(0, 400);
        let second: String = first
            .split(' ')
            .enumerate()
            .map(|(at, word)| {
                if at % 20 == 0 {
                    format!("other{at} ")
                } else {
                    format!("{word} ")
                }
            })
            .collect();
        let third = words(5_000, 400);
        for (id, text) in [(1, first.as_str()), (2, third.as_str()), (3, second.as_str())] {
            misses.add(id, analyzer.analyze(text)).unwrap();
        }
        let all = misses.find(&Waiting::new(true)).unwrap();
        for found in &all {
            assert_eq!((found.id, found.near), (3, 1), "{found:?}");
            assert!(
                found.similarity < 0.76 && found.because != Because::Nothing,
                "{found:?}"
            );
        }
        assert_eq!(all.len(), 1);
    }

    #[test]
    fn a_panic_of_another_thread_is_not_lost() {
        let this = std::thread::current().id();
        let work = || {
            assert_eq!(std::thread::current().id(), this, "not this one");
            Ok(())
        };
        assert!(by_threads(1, work).is_ok());
        assert!(std::panic::catch_unwind(|| by_threads(2, work)).is_err());
    }

    #[test]
    fn short_texts_are_compared_by_their_shingles() {
        let analyzer = Analyzer::new(&Scheme::default());
        let mut misses = NearMisses::new(&DuplicateRule::default(), Width::W64).unwrap();
        let first = words(0, 40);
        let second = format!("{} changed", words(0, 34));
        misses.add(1, analyzer.analyze(&first)).unwrap();
        misses.add(2, analyzer.analyze(&second)).unwrap();
        let all = misses.find(&Waiting::new(true)).unwrap();
        let [found] = all[..] else { panic!("{all:?}") };
        assert_eq!((found.near, found.distance), (1, None));
        assert!((0.6..0.85).contains(&found.similarity), "{found:?}");
    }
}
