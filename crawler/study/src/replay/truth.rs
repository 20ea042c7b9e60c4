//! The true duplicates in a sample of the pages, and the verdicts of the settings compared with them.

use std::collections::HashMap;
use std::sync::Arc;

use dedup::short::jaccard;
use xxhash_rust::xxh3::xxh3_64;

use super::cells::CellSet;
use super::labels::Labels;
use super::nearest::Nearest;
use super::page::DecidedPage;
use super::pass::{Evidence, Replayed};
use super::{DIFFERENT_BELOW, DUPLICATE_FROM};

/// Upper bound, for each setting, on the kept pages whose texts are compared with a page in the search for a true duplicate. It applies
/// to each setting, because each keeps other pages.
const COMPARED: usize = 32;

/// Upper bound on these pages for all settings together. Beyond it, the page is not judged.
const COMPARED_IN_ALL: usize = 256;

/// Upper bound on the shingles in a thread's cache, 8 bytes each.
const REMEMBERED: usize = 4 << 20;

/// A uniform sample of at most `size` pages, by place, ascending. The same pages give the same sample, and a sample changes little when
/// few pages are added.
#[must_use]
pub fn sample(pages: &[DecidedPage], size: usize) -> Vec<usize> {
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

/// The verdicts of the settings on one page, compared with the truth. Every setting is in exactly one set.
#[derive(Debug, Clone, Default)]
pub struct Judged {
    /// The place of the page.
    pub page: usize,
    /// Dropped, and the matched page is a duplicate.
    pub right: CellSet,
    /// Dropped, and the matched page is neither a duplicate nor different.
    pub grey: CellSet,
    /// Dropped, and the matched page is different.
    pub wrong: CellSet,
    /// Kept, although an earlier kept page is a duplicate.
    pub missed: CellSet,
    /// Kept, and no earlier kept page is a duplicate.
    pub unique: CellSet,
    /// Not known, because a text is not stored.
    pub unknown: CellSet,
    /// Kept and not known: the compared pages are no duplicates, but there are too many similar pages to compare all.
    pub crowded: CellSet,
}

/// The number of pages compared for each setting, up to [`COMPARED`]: the set at index `n` holds the settings with more than `n`.
struct Tried([CellSet; COMPARED]);

impl Tried {
    fn count(&mut self, cells: &CellSet) {
        let mut rising = *cells;
        for level in &mut self.0 {
            let had = level.and(&rising);
            *level = level.or(&rising);
            rising = had;
            if rising.is_empty() {
                return;
            }
        }
    }

    /// The settings that have reached the bound.
    fn spent(&self) -> &CellSet {
        &self.0[COMPARED - 1]
    }
}

/// Compares the verdicts of the settings on the `sample` with the truth. `shingles_of` returns the
/// [`shingles`](dedup::Analyzer::shingles) of a page's text, or `None` if the text is not available. `step` is called for each page of
/// the sample, by several threads.
pub fn judge(
    pages: &[DecidedPage],
    replayed: &Replayed,
    sample: &[usize],
    labels: &Labels,
    shingles_of: &(impl Fn(usize) -> Option<Vec<u64>> + Sync),
    step: &(impl Fn() + Sync),
) -> Vec<Judged> {
    let nearest = Nearest::new(pages, replayed);
    let threads = std::thread::available_parallelism().map_or(1, usize::from);
    // Each thread gets early and late pages, because a late page has more predecessors; and runs of pages, because neighbours share
    // texts.
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
    judge_dropped(&mut judged, replayed, similarities);
    let labelled = labels.duplicates_of(page).filter(|other| *other < page);
    let nearest = nearest.of(page);
    let alike = labelled.chain(nearest.alike.iter().map(|(other, _)| *other));
    judge_kept(&mut judged, replayed, alike, nearest.left_out, similarities);
    judged
}

/// Judges the settings that drop the page, by the page that each matched.
fn judge_dropped<F: Fn(usize) -> Option<Vec<u64>>>(
    judged: &mut Judged,
    replayed: &Replayed,
    similarities: &mut Similarities<'_, F>,
) {
    for found in replayed.matches(judged.page) {
        let set = match similarities.of(judged.page, found.of, found.evidence == Evidence::Exact) {
            None => &mut judged.unknown,
            Some(similarity) if similarity >= DUPLICATE_FROM => &mut judged.right,
            Some(similarity) if similarity >= DIFFERENT_BELOW => &mut judged.grey,
            Some(_) => &mut judged.wrong,
        };
        *set = set.or(&found.cells);
    }
}

/// Judges the settings that keep the page, by the search for a duplicate among the similar earlier pages. `crowded` are the settings at
/// which a possible duplicate is not among them.
fn judge_kept<F: Fn(usize) -> Option<Vec<u64>>>(
    judged: &mut Judged,
    replayed: &Replayed,
    alike: impl Iterator<Item = usize>,
    mut crowded: CellSet,
    similarities: &mut Similarities<'_, F>,
) {
    let mut open = replayed.kept()[judged.page];
    let mut doubtful = CellSet::EMPTY;
    let (mut tried, mut compared) = (Tried([CellSet::EMPTY; COMPARED]), 0);
    for other in alike {
        let both_kept = open.and(&replayed.kept()[other]);
        if both_kept.is_empty() {
            continue;
        }
        if compared == COMPARED_IN_ALL || both_kept.without(tried.spent()).is_empty() {
            crowded = crowded.or(&both_kept);
            continue;
        }
        compared += 1;
        tried.count(&both_kept);
        match similarities.of(judged.page, other, false) {
            None => doubtful = doubtful.or(&both_kept),
            Some(similarity) if similarity >= DUPLICATE_FROM => {
                judged.missed = judged.missed.or(&both_kept);
                open = open.without(&both_kept);
            }
            Some(_) => {}
        }
    }
    judged.unknown = judged.unknown.or(&open.and(&doubtful));
    open = open.without(&doubtful);
    judged.crowded = open.and(&crowded);
    judged.unique = open.without(&crowded);
}

/// The similarity of pairs: from the label, or else exact from the texts.
pub struct Similarities<'a, F> {
    pages: &'a [DecidedPage],
    labels: &'a Labels,
    shingles_of: &'a F,
    remembered: HashMap<usize, Option<Arc<[u64]>>>,
    shingles: usize,
}

impl<'a, F: Fn(usize) -> Option<Vec<u64>>> Similarities<'a, F> {
    /// With an empty cache.
    pub fn new(pages: &'a [DecidedPage], labels: &'a Labels, shingles_of: &'a F) -> Self {
        Self {
            pages,
            labels,
            shingles_of,
            remembered: HashMap::new(),
            shingles: 0,
        }
    }

    /// The Jaccard index of two pages' texts, 0 to 1; `None` if a text is not available.
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_comparison_counts_for_the_settings_that_keep_both_pages() {
        let set = |cells: &[usize]| {
            let mut set = CellSet::EMPTY;
            cells.iter().for_each(|cell| set.insert(*cell));
            set
        };
        let mut tried = Tried([CellSet::EMPTY; COMPARED]);
        for _ in 1..COMPARED {
            tried.count(&set(&[3, 70]));
        }
        assert!(tried.spent().is_empty());
        tried.count(&set(&[3, 4]));
        assert_eq!(*tried.spent(), set(&[3]));
        tried.count(&set(&[3, 70]));
        assert_eq!(*tried.spent(), set(&[3, 70]));
    }
}
