//! The search for near misses: for each kept page the most similar page kept before it, if the rule did not confirm the pair.

use std::cmp::Ordering::Greater;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Mutex, PoisonError};

use dedup::{Confirm, DedupError, DocId, DuplicateRule, Index, Layout, MemoryIndex, Signature, Width, short};

use super::Because;
use crate::report::waiting::Waiting;
use error::RunError;
use study::threads::by_all_cores;

/// Pages that a thread searches at a time.
const BATCH: usize = 256;

/// Upper bound on the pages compared; in a larger crawl only every second, third, … page is. Pages of one template have thousands of
/// neighbours each, and the sample has the same distribution as all pages.
const MAX_COMPARED: usize = 16_384;

/// Bits over the threshold within which the search finds kept pages.
const BITS_OVER: u32 = 1;

/// Similarity under the threshold within which the search finds every short text.
const SHORT_MARGIN: f32 = 0.2;

/// A pair of kept pages, by their sequence numbers.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Found {
    pub id: u64,
    pub near: u64,
    pub distance: Option<u32>,
    pub similarity: f32,
    pub because: Because,
}

/// Finds near misses among kept pages, which the caller adds in the order in which they were kept.
#[derive(Debug)]
pub(crate) struct Search {
    rule: DuplicateRule,
    /// The rule's measure of similarity without its thresholds.
    measure: DuplicateRule,
    /// Fingerprints and shingles, by position in `kept`.
    index: MemoryIndex,
    width: Width,
    /// Sequence numbers and signatures. The index would copy each signature that it returns, and pages of one template have hundreds
    /// of neighbours.
    kept: Vec<(u64, Signature)>,
    /// The bitmaps of `kept`, for short texts.
    texts: Vec<short::Bitmap>,
}

impl Search {
    /// A search among fingerprints of `width`; it ignores others.
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
                min_own_words: 0,
            },
            index: open(rule, width)?,
            width,
            kept: Vec::new(),
            texts: Vec::new(),
        })
    }

    /// Adds the next kept page.
    pub fn add(&mut self, id: u64, signature: Signature) -> Result<(), RunError> {
        if signature
            .fingerprint
            .is_some_and(|fingerprint| fingerprint.width() != self.width)
        {
            return Ok(());
        }
        let indexed = Signature {
            fingerprint: signature.fingerprint,
            shingles: signature.shingles.clone(),
            ..Signature::default()
        };
        self.index.insert(DocId(self.kept.len() as u64), &indexed)?;
        self.texts.push(short::Bitmap::new(&signature.shingles));
        self.kept.push((id, signature));
        Ok(())
    }

    /// Number of pages that the search compares with the pages before them.
    pub fn compared(&self) -> u64 {
        self.kept.len().div_ceil(self.every()) as u64
    }

    /// The search compares every n-th page.
    fn every(&self) -> usize {
        self.kept.len().div_ceil(MAX_COMPARED).max(1)
    }

    /// The near misses, in the order in which they were kept.
    pub fn find(&self, waiting: &Waiting) -> Result<Vec<Found>, RunError> {
        let (next, found) = (AtomicUsize::new(0), Mutex::new(Vec::new()));
        let every = self.every();
        by_all_cores(|| {
            loop {
                let from = next.fetch_add(BATCH, Ordering::Relaxed);
                if from >= self.kept.len() {
                    return Ok::<_, RunError>(());
                }
                waiting.at("searching for near misses: pages", from, self.kept.len());
                let mut batch = Vec::new();
                for place in (from..(from + BATCH).min(self.kept.len())).filter(|place| place.is_multiple_of(every)) {
                    batch.extend(self.nearest(place)?);
                }
                found.lock().unwrap_or_else(PoisonError::into_inner).extend(batch);
            }
        })?;
        let mut found = found.into_inner().unwrap_or_else(PoisonError::into_inner);
        found.sort_unstable_by_key(|found: &Found| found.id);
        Ok(found)
    }

    /// The most similar page before the page at `place`.
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
        for candidate in self.short_candidates(place, signature)? {
            let other = candidate.0 as usize;
            let other_signature = &self.kept[other].1;
            if signature.fingerprint.is_some() && other_signature.fingerprint.is_some() {
                continue;
            }
            let similarity = self
                .measure
                .confirms_short(signature, other_signature)
                .unwrap_or_default();
            if similarity >= min_short_similarity(&self.rule) {
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
        let numbers_differ = self.rule.numbers_must_match && signature.numbers != other.numbers;
        match (confirmed, distance) {
            (Some(_), _) => Because::Nothing,
            (None, Some(distance)) if distance > self.rule.max_distance => Because::Distance,
            (None, Some(_)) if numbers_differ => Because::Numbers,
            (None, None) if is_similar => Because::Numbers,
            (None, _) => Because::Similarity,
        }
    }

    /// The pages before the page at `place` whose shingles may be similar enough.
    fn short_candidates(&self, place: usize, signature: &Signature) -> Result<Vec<DocId>, RunError> {
        let mut candidates = Vec::new();
        if !signature.shingles.is_empty() {
            let (text, least) = (&self.texts[place], min_short_similarity(&self.rule));
            for shingle in short::prefix(&signature.shingles, least) {
                self.index.with_shingle(*shingle, &mut candidates)?;
            }
            candidates.retain(|other| {
                let other = other.0 as usize;
                other < place && text.may_reach(&self.texts[other], least)
            });
            candidates.sort_unstable();
            candidates.dedup();
        }
        Ok(candidates)
    }
}

/// The smallest similarity of short texts that the search finds.
fn min_short_similarity(rule: &DuplicateRule) -> f32 {
    (rule.min_similarity_short - SHORT_MARGIN).max(0.1)
}

fn open(rule: &DuplicateRule, width: Width) -> Result<MemoryIndex, RunError> {
    let up_to = rule.max_distance + BITS_OVER;
    // The blocks may not guarantee one bit more. Then the search covers the distances that the rule allows.
    let layout = Layout::for_distance(width, up_to).or_else(|_| Layout::for_distance(width, rule.max_distance));
    let layout = layout.map_err(DedupError::from)?;
    let wider = DuplicateRule {
        max_distance: layout.max_distance(),
        min_similarity_short: min_short_similarity(rule),
        ..rule.clone()
    };
    Ok(MemoryIndex::with_layout(&wider, layout, dedup::DEFAULT_SKEW)?)
}

/// Replaces `best` if the rule would prefer `found`: the more similar page, then the nearer one, then the older one.
fn better(best: &mut Option<(usize, Option<u32>, f32)>, found: (usize, Option<u32>, f32)) {
    let order = |other: &(usize, Option<u32>, f32)| {
        let by_similarity = found.2.total_cmp(&other.2);
        by_similarity.then(other.1.cmp(&found.1)).then(other.0.cmp(&found.0))
    };
    if best.as_ref().is_none_or(|other| order(other) == Greater) {
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
    fn a_kept_page_is_compared_only_with_pages_kept_before_it() {
        let analyzer = Analyzer::new(&Scheme::default());
        let mut misses = Search::new(&DuplicateRule::default(), Width::W64).unwrap();
        // A twentieth of the second text's words differ, scattered: near by fingerprint, not similar enough by shingles.
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
    fn short_texts_are_compared_by_their_shingles() {
        let analyzer = Analyzer::new(&Scheme::default());
        let mut misses = Search::new(&DuplicateRule::default(), Width::W64).unwrap();
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
