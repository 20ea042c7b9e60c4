//! The decisions at all settings, in one pass over the pages.

use std::cmp::Ordering;
use std::collections::HashMap;

use dedup::short::{Bitmap, prefix};
use dedup::{DedupError, Digest, DuplicateRule, Signature, Width};

use super::cells::{CellSet, Family, Grid};
use super::page::DecidedPage;
use super::scout::{BLOCK, Near, Scout};
use crawl::canonical::{Stays, exchange};

/// The kept page that a page duplicates, by some settings.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Match {
    /// The place of the kept page.
    pub of: usize,
    /// The settings that drop the page for it.
    pub cells: CellSet,
    /// The result of the comparison.
    pub evidence: Evidence,
}

/// The similarity of the two pages.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Evidence {
    /// Their normalised texts are the same.
    Exact,
    /// The texts are similar, as in [`dedup::Verdict::Near`].
    Near {
        /// Hamming distance; `None` if one of the two is short.
        distance: Option<u32>,
        /// By the measure of the settings.
        similarity: f32,
    },
}

/// The verdicts of all settings.
#[derive(Debug)]
pub struct Replayed {
    /// For each page, the settings that keep it.
    kept: Vec<CellSet>,
    /// The matches of the watched pages. At each setting, a page is kept or has one match.
    matches: HashMap<usize, Vec<Match>>,
    /// The pages that gave their place to their canonical page: that page, and the settings at which this happened.
    replaced: HashMap<usize, Vec<(usize, CellSet)>>,
}

impl Replayed {
    /// For each page, the settings that keep it in the end.
    #[must_use]
    pub fn kept(&self) -> &[CellSet] {
        &self.kept
    }

    /// The matches of a watched page.
    #[must_use]
    pub fn matches(&self, page: usize) -> &[Match] {
        self.matches.get(&page).map_or(&[], Vec::as_slice)
    }

    /// The match of a watched page at one setting; `None` if the setting keeps the page.
    #[must_use]
    pub fn match_at(&self, page: usize, cell: usize) -> Option<&Match> {
        self.matches(page).iter().find(|found| found.cells.contains(cell))
    }

    /// The kept page that represents a watched page at one setting.
    #[must_use]
    pub fn representative(&self, page: usize, cell: usize) -> usize {
        let mut at = self.match_at(page, cell).map_or(page, |found| found.of);
        // Only a later page takes the place of a page, so this ends.
        while let Some((by, _)) = self.replaced.get(&at).and_then(|taken| {
            let mut taken = taken.iter();
            taken.find(|(by, cells)| cells.contains(cell) && *by > at)
        }) {
            at = *by;
        }
        at
    }
}

/// Decides on all pages, in their order, at all settings of the grid, as a [`Deduplicator`](dedup::Deduplicator) with the rule of each
/// setting does; with the rule for canonical pages if `prefer_canonical`. The result holds the matches of the pages for which
/// `is_watched` is true. `step` is called for each page.
///
/// # Errors
/// A page has a fingerprint of another width than `width`, or no layout finds the largest distance of the grid.
pub fn replay(
    pages: &[DecidedPage],
    width: Width,
    grid: &Grid,
    prefer_canonical: bool,
    is_watched: impl Fn(usize) -> bool,
    step: impl FnMut(),
) -> Result<Replayed, DedupError> {
    let scout = Scout::new(pages, width, grid)?;
    replay_in_blocks(BLOCK, scout, pages, grid, prefer_canonical, is_watched, step)
}

pub(super) fn replay_in_blocks(
    block_size: usize,
    mut scout: Scout<'_>,
    pages: &[DecidedPage],
    grid: &Grid,
    prefer_canonical: bool,
    is_watched: impl Fn(usize) -> bool,
    mut step: impl FnMut(),
) -> Result<Replayed, DedupError> {
    let mut pass = Pass {
        pages,
        grid,
        prefer_canonical,
        base: grid.widest(),
        shingles: HashMap::new(),
        texts: pages.iter().map(|page| Bitmap::new(&page.signature.shingles)).collect(),
        same_text: HashMap::new(),
        candidates: Vec::new(),
        replayed: Replayed {
            kept: Vec::with_capacity(pages.len()),
            matches: HashMap::new(),
            replaced: HashMap::new(),
        },
    };
    for start in (0..pages.len()).step_by(block_size) {
        let block = start..pages.len().min(start + block_size);
        let scouted = scout.block(block.clone(), &|place| pass.is_settled(place))?;
        for (place, near) in block.clone().zip(scouted) {
            let mut decision = pass.exact(place, &is_watched);
            if !decision.open.is_empty() {
                let near = match near {
                    Some(near) => near,
                    None => scout.near(&[place], start)?.concat(),
                };
                pass.near(&mut decision, &near, &is_watched);
            }
            pass.end(&decision);
            step();
        }
        // At the end of the block, because the scout compares the pages of a block with each other.
        for place in block {
            scout.add(place, &pass.replayed.kept[place])?;
        }
    }
    Ok(pass.replayed)
}

struct Pass<'a> {
    pages: &'a [DecidedPage],
    grid: &'a Grid,
    prefer_canonical: bool,
    base: DuplicateRule,
    /// The pages that some setting kept at first, by the prefixes of their shingles.
    shingles: HashMap<u64, Vec<usize>>,
    /// The bitmap of each page, for short texts.
    texts: Vec<Bitmap>,
    /// The same pages by digest, ascending.
    same_text: HashMap<Digest, Vec<usize>>,
    replayed: Replayed,
    candidates: Vec<MeasuredCandidate>,
}

/// A near kept page, with the settings whose thresholds the pair meets.
#[derive(Debug, Clone, Copy)]
struct MeasuredCandidate {
    place: usize,
    distance: Option<u32>,
    similarity: f32,
    met: CellSet,
}

impl MeasuredCandidate {
    /// The better candidate first, as in [`dedup::Deduplicator`].
    fn order(&self, other: &Self) -> Ordering {
        let by_similarity = other.similarity.total_cmp(&self.similarity);
        by_similarity
            .then(self.distance.cmp(&other.distance))
            .then(self.place.cmp(&other.place))
    }
}

/// A page while its candidates are compared.
struct Undecided {
    place: usize,
    is_watched: bool,
    /// The settings that have not dropped the page yet.
    open: CellSet,
    /// The settings at which the page takes the place of the page that it duplicates.
    taken: CellSet,
}

impl Pass<'_> {
    /// Whether every setting keeps an earlier page with an equal text, so that no other candidate matters.
    fn is_settled(&self, place: usize) -> bool {
        let digest = self.pages[place].signature.digest;
        let same = digest
            .and_then(|digest| self.same_text.get(&digest))
            .into_iter()
            .flatten();
        let kept = same.fold(CellSet::EMPTY, |kept, of| kept.or(&self.replayed.kept[*of]));
        self.grid.all().without(&kept).is_empty()
    }

    /// Compares the page with the pages that have an equal text.
    fn exact(&mut self, place: usize, is_watched: &impl Fn(usize) -> bool) -> Undecided {
        let mut decision = Undecided {
            place,
            is_watched: is_watched(place),
            open: self.grid.all(),
            taken: CellSet::EMPTY,
        };
        if let Some(digest) = self.pages[place].signature.digest {
            for of in self.same_text.get(&digest).cloned().unwrap_or_default() {
                self.drop_for(&mut decision, of, self.grid.all(), Evidence::Exact, is_watched);
            }
        }
        decision
    }

    /// The settings that are still open keep the page.
    fn end(&mut self, decision: &Undecided) {
        let kept = decision.open.or(&decision.taken);
        self.replayed.kept.push(kept);
        if !kept.is_empty() {
            self.keep(decision.place);
        }
    }

    /// Compares the page with its near pages, measure by measure, in descending order of similarity.
    fn near(&mut self, decision: &mut Undecided, near: &[Near], is_watched: &impl Fn(usize) -> bool) {
        let signature = &self.pages[decision.place].signature;
        let shorts = self.short_candidates(decision, signature);
        for family in self.grid.families() {
            let mut candidates = std::mem::take(&mut self.candidates);
            candidates.clear();
            candidates.extend(near.iter().filter_map(|near| self.measured(decision, near, family)));
            candidates.extend(shorts.iter().map(|(place, similarity)| MeasuredCandidate {
                place: *place,
                distance: None,
                similarity: *similarity,
                met: *family.all(),
            }));
            candidates.sort_unstable_by(MeasuredCandidate::order);
            for candidate in &candidates {
                let evidence = Evidence::Near {
                    distance: candidate.distance,
                    similarity: candidate.similarity,
                };
                self.drop_for(decision, candidate.place, candidate.met, evidence, is_watched);
            }
            self.candidates = candidates;
        }
    }

    /// A near page by the measure of a family; `None` if it cannot change the decision at any setting of the family.
    fn measured(&self, decision: &Undecided, near: &Near, family: &Family) -> Option<MeasuredCandidate> {
        let (place, distance) = (near.place as usize, near.distance);
        let is_unlike = family.least_of_sketches().is_some() && !near.may_be_alike;
        let cells = self.replayed.kept[place]
            .and(&decision.open)
            .and(&family.reaching(distance));
        if is_unlike || cells.is_empty() || !family.may_be_met(distance) {
            return None;
        }
        let (signature, other) = (&self.pages[decision.place].signature, &self.pages[place].signature);
        let similarity = family.similarity(&self.base, signature, other, distance)?;
        Some(MeasuredCandidate {
            place,
            distance: Some(distance),
            similarity,
            met: family.met_by(distance, similarity),
        })
    }

    /// The short pages that the rule confirms by their shingles, with the similarity.
    fn short_candidates(&self, decision: &Undecided, signature: &Signature) -> Vec<(usize, f32)> {
        let sharing = prefix(&signature.shingles, self.base.min_similarity_short).iter();
        let sharing = sharing.filter_map(|shingle| self.shingles.get(shingle)).flatten();
        let text = &self.texts[decision.place];
        let may_be_alike = |place: &usize| text.may_reach(&self.texts[*place], self.base.min_similarity_short);
        let is_open = |place: &usize| !self.replayed.kept[*place].and(&decision.open).is_empty();
        let mut places: Vec<usize> = sharing.copied().filter(may_be_alike).filter(is_open).collect();
        places.sort_unstable();
        places.dedup();
        let confirmed = places.into_iter().filter_map(|place| {
            let other = &self.pages[place].signature;
            if signature.fingerprint.is_some() && other.fingerprint.is_some() {
                return None;
            }
            Some((place, self.base.confirms_short(signature, other)?))
        });
        confirmed.collect()
    }

    /// Drops the page as a duplicate of `of` at the settings in `met` that are open and keep `of`.
    fn drop_for(
        &mut self,
        decision: &mut Undecided,
        of: usize,
        met: CellSet,
        evidence: Evidence,
        is_watched: &impl Fn(usize) -> bool,
    ) {
        let cells = decision.open.and(&met).and(&self.replayed.kept[of]);
        if cells.is_empty() {
            return;
        }
        decision.open = decision.open.without(&cells);
        let (page, other) = (&self.pages[decision.place], &self.pages[of]);
        if self.prefer_canonical && exchange(other.named(), page.named()) == Stays::Duplicate {
            decision.taken = decision.taken.or(&cells);
            let kept = &mut self.replayed.kept[of];
            *kept = kept.without(&cells);
            let taken = self.replayed.replaced.entry(of).or_default();
            taken.push((decision.place, cells));
            if is_watched(of) {
                self.note(of, decision.place, cells, evidence);
            }
        } else if decision.is_watched {
            self.note(decision.place, of, cells, evidence);
        }
    }

    fn note(&mut self, page: usize, of: usize, cells: CellSet, evidence: Evidence) {
        let matches = self.replayed.matches.entry(page).or_default();
        matches.push(Match { of, cells, evidence });
    }

    fn keep(&mut self, place: usize) {
        let signature = &self.pages[place].signature;
        if let Some(digest) = signature.digest {
            self.same_text.entry(digest).or_default().push(place);
        }
        for shingle in prefix(&signature.shingles, self.base.min_similarity_short) {
            self.shingles.entry(*shingle).or_default().push(place);
        }
    }
}
