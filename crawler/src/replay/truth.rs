//! Who really duplicates whom, in a sample of the pages.

use std::collections::HashMap;
use std::sync::Arc;

use dedup::short::jaccard;
use xxhash_rust::xxh3::xxh3_64;

use super::cells::CellSet;
use super::labels::Labels;
use super::nearest::Nearest;
use super::page::Page;
use super::pass::{Evidence, Replayed};
use super::{DIFFERENT_BELOW, DUPLICATE_FROM};

/// Most alike pages whose texts are compared with that of a kept page, in search of one that it duplicates.
const COMPARED: usize = 8;

/// Shingles that a thread remembers, 8 bytes each.
const REMEMBERED: usize = 4 << 20;

/// A uniform sample of at most `size` of the pages, by place, ascending. The same pages give the same sample, and one that is sampled
/// stays so while hardly any are added.
#[must_use]
pub fn sample(pages: &[Page], size: usize) -> Vec<usize> {
    let mut drawn: Vec<(u64, usize)> = pages
        .iter()
        .enumerate()
        .map(|(place, page)| (xxh3_64(&page.sequence.to_le_bytes()), place))
        .collect();
    if size < drawn.len() {
        drawn.select_nth_unstable(size);
        drawn.truncate(size);
    }
    let mut places: Vec<usize> = drawn.into_iter().map(|(_, place)| place).collect();
    places.sort_unstable();
    places
}

/// What the settings made of one page, held against the truth; every setting is in one of the sets.
#[derive(Debug, Clone, Default)]
pub struct Judged {
    /// Its place.
    pub page: usize,
    /// Dropped for a page that it duplicates.
    pub right: CellSet,
    /// Dropped for one that is neither a duplicate nor different.
    pub grey: CellSet,
    /// Dropped for a different one.
    pub wrong: CellSet,
    /// Kept although an earlier kept page is a duplicate.
    pub missed: CellSet,
    /// Kept, rightly.
    pub unique: CellSet,
    /// A text that is needed to say so is not stored.
    pub unknown: CellSet,
}

/// Holds what the settings made of the `sample` against the truth. `shingles_of` gives the [`shingles`](dedup::Analyzer::shingles) of
/// a page's text, `None` where it is not to be had; `step` is called for each page of the sample, by several threads.
pub fn judge(
    pages: &[Page],
    replayed: &Replayed,
    sample: &[usize],
    labels: &Labels,
    shingles_of: &(impl Fn(usize) -> Option<Vec<u64>> + Sync),
    step: &(impl Fn() + Sync),
) -> Vec<Judged> {
    let nearest = Nearest::new(pages, replayed);
    let threads = std::thread::available_parallelism().map_or(1, usize::from);
    // Every thread has pages of all times: late ones have more before them. Neighbours share texts, so not one by one.
    let slices: Vec<&[usize]> = sample.chunks(32).collect();
    let nearest = &nearest;
    let mut judged: Vec<Judged> = std::thread::scope(|scope| {
        let of_thread = |number: usize| {
            let mine: Vec<usize> = slices
                .iter()
                .skip(number)
                .step_by(threads)
                .copied()
                .flatten()
                .copied()
                .collect();
            scope.spawn(move || {
                let mut similarities = Similarities::new(pages, labels, shingles_of);
                let judge_one = |page| {
                    let judged = judge_one(page, replayed, labels, nearest, &mut similarities);
                    step();
                    judged
                };
                mine.into_iter().map(judge_one).collect::<Vec<_>>()
            })
        };
        let running: Vec<_> = (0..threads).map(of_thread).collect();
        let done = running.into_iter().map(|thread| thread.join());
        done.flat_map(|judged| judged.unwrap_or_else(|panic| std::panic::resume_unwind(panic)))
            .collect()
    });
    judged.sort_unstable_by_key(|judged| judged.page);
    judged
}

fn judge_one<F: Fn(usize) -> Option<Vec<u64>>>(
    page: usize,
    replayed: &Replayed,
    labels: &Labels,
    nearest: &Nearest<'_>,
    similarities: &mut Similarities<'_, F>,
) -> Judged {
    let mut judged = Judged {
        page,
        ..Judged::default()
    };
    for found in replayed.matches(page) {
        let set = match similarities.of(page, found.of, found.evidence == Evidence::Exact) {
            None => &mut judged.unknown,
            Some(similarity) if similarity >= DUPLICATE_FROM => &mut judged.right,
            Some(similarity) if similarity >= DIFFERENT_BELOW => &mut judged.grey,
            Some(_) => &mut judged.wrong,
        };
        *set = set.or(&found.cells);
    }
    let mut open = replayed.kept()[page];
    let mut doubtful = CellSet::EMPTY;
    let labelled = labels.duplicates_of(page).filter(|other| *other < page);
    let alike = nearest.of(page).into_iter().map(|(other, _)| other);
    let mut compared = 0;
    for other in labelled.chain(alike) {
        let both_kept = open.and(&replayed.kept()[other]);
        if both_kept.is_empty() || compared == COMPARED {
            continue;
        }
        compared += 1;
        match similarities.of(page, other, false) {
            None => doubtful = doubtful.or(&both_kept),
            Some(similarity) if similarity >= DUPLICATE_FROM => {
                judged.missed = judged.missed.or(&both_kept);
                open = open.without(&both_kept);
            }
            Some(_) => {}
        }
    }
    judged.unknown = judged.unknown.or(&open.and(&doubtful));
    judged.unique = open.without(&doubtful);
    judged
}

/// How similar pairs of pages are: as labelled, else exactly by their texts.
pub struct Similarities<'a, F> {
    pages: &'a [Page],
    labels: &'a Labels,
    shingles_of: &'a F,
    remembered: HashMap<usize, Option<Arc<[u64]>>>,
    shingles: usize,
}

impl<'a, F: Fn(usize) -> Option<Vec<u64>>> Similarities<'a, F> {
    /// None is known yet.
    pub fn new(pages: &'a [Page], labels: &'a Labels, shingles_of: &'a F) -> Self {
        Self {
            pages,
            labels,
            shingles_of,
            remembered: HashMap::new(),
            shingles: 0,
        }
    }

    /// The Jaccard index of two pages' texts, 0 to 1; `None` where a text is not to be had.
    pub fn of(&mut self, a: usize, b: usize, is_exact: bool) -> Option<f32> {
        if let Some(similarity) = self.labels.of(a, b) {
            return Some(similarity);
        }
        let (one, other) = (&self.pages[a].signature, &self.pages[b].signature);
        if is_exact || one.digest.is_some() && one.digest == other.digest {
            return Some(1.0);
        }
        if !one.shingles.is_empty() && !other.shingles.is_empty() {
            return Some(jaccard(&one.shingles, &other.shingles));
        }
        let one = self.shingles(a)?;
        let other = self.shingles(b)?;
        Some(jaccard(&one, &other))
    }

    fn shingles(&mut self, page: usize) -> Option<Arc<[u64]>> {
        if let Some(known) = self.remembered.get(&page) {
            return known.clone();
        }
        let shingles: Option<Arc<[u64]>> = (self.shingles_of)(page).map(Into::into);
        self.shingles += shingles.as_ref().map_or(0, |shingles| shingles.len());
        if self.shingles > REMEMBERED {
            self.remembered.clear();
            self.shingles = shingles.as_ref().map_or(0, |shingles| shingles.len());
        }
        self.remembered.insert(page, shingles.clone());
        shingles
    }
}
