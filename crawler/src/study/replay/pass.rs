//! All settings in one pass over the pages.

use std::cmp::Ordering;
use std::collections::HashMap;

use dedup::short::prefix;
use dedup::{DedupError, Digest, Rule, Signature, Width};

use super::cells::{CellSet, Grid};
use super::page::Page;
use super::scout::{BLOCK, Near, Scout};
use crate::crawl::canonical::{Stays, exchange};

/// What a page was dropped for, at some settings.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Match {
    /// The place of the kept page.
    pub of: usize,
    /// At which settings.
    pub cells: CellSet,
    /// By which comparison.
    pub evidence: Evidence,
}

/// How like the two pages are.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Evidence {
    /// Their normalised texts are the same.
    Exact,
    /// Nearly; as [`dedup::Verdict::Near`] has it.
    Near {
        /// Hamming distance; `None` where one of them is short.
        distance: Option<u32>,
        /// By the measure of the settings.
        similarity: f32,
    },
}

/// What came of it.
#[derive(Debug)]
pub struct Replayed {
    /// By page: the settings that keep it.
    kept: Vec<CellSet>,
    /// Of the watched pages: what they were dropped for. At each setting a page is kept or has one of these.
    matches: HashMap<usize, Vec<Match>>,
    /// Pages that were kept until the page that they name came, and by which their place was taken where.
    replaced: HashMap<usize, Vec<(usize, CellSet)>>,
}

impl Replayed {
    /// By page: the settings that keep it in the end.
    #[must_use]
    pub fn kept(&self) -> &[CellSet] {
        &self.kept
    }

    /// What a watched page was dropped for.
    #[must_use]
    pub fn matches(&self, page: usize) -> &[Match] {
        self.matches.get(&page).map_or(&[], Vec::as_slice)
    }

    /// What a watched page was dropped for at one setting; `None` where it is kept.
    #[must_use]
    pub fn match_at(&self, page: usize, cell: usize) -> Option<&Match> {
        self.matches(page).iter().find(|found| found.cells.contains(cell))
    }

    /// The kept page that stands for a watched page at one setting.
    #[must_use]
    pub fn representative(&self, page: usize, cell: usize) -> usize {
        let mut at = self.match_at(page, cell).map_or(page, |found| found.of);
        // A place is only ever taken by a later page, so this ends.
        while let Some((by, _)) = self.replaced.get(&at).and_then(|taken| {
            let mut taken = taken.iter();
            taken.find(|(by, cells)| cells.contains(cell) && *by > at)
        }) {
            at = *by;
        }
        at
    }
}

/// Decides on all pages, in their order, at all settings of the grid: at each exactly what a [`Deduplicator`](dedup::Deduplicator)
/// with that rule says, with the rule for canonical pages if `prefer_canonical` (see the module's text for what a real crawl may do
/// otherwise). `is_watched` says of which pages it is noted what they were dropped for; `step` is called for each page.
///
/// # Errors
/// Pages of other widths than `width` have been given, or no layout finds the grid's largest distance.
pub fn replay(
    pages: &[Page],
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
    pages: &[Page],
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
        // Only now, since the pages of a block are compared with one another beside it.
        for place in block {
            scout.add(place, &pass.replayed.kept[place])?;
        }
    }
    Ok(pass.replayed)
}

struct Pass<'a> {
    pages: &'a [Page],
    grid: &'a Grid,
    prefer_canonical: bool,
    base: Rule,
    /// The pages that some setting kept when they were decided, by the prefixes of their shingles.
    shingles: HashMap<u64, Vec<usize>>,
    /// The same by their digests, ascending.
    same_text: HashMap<Digest, Vec<usize>>,
    replayed: Replayed,
    candidates: Vec<Candidate>,
}

/// A kept page that is near, with the settings whose thresholds the pair meets.
#[derive(Debug, Clone, Copy)]
struct Candidate {
    place: usize,
    distance: Option<u32>,
    similarity: f32,
    met: CellSet,
}

impl Candidate {
    /// The better first: the order of [`dedup::Deduplicator`].
    fn order(&self, other: &Self) -> Ordering {
        let by_similarity = other.similarity.total_cmp(&self.similarity);
        by_similarity
            .then(self.distance.cmp(&other.distance))
            .then(self.place.cmp(&other.place))
    }
}

/// What one page comes to while its candidates are gone through.
struct Decision {
    place: usize,
    is_watched: bool,
    /// The settings that have not found a duplicate yet.
    open: CellSet,
    /// Those at which the page takes the place of the page that it duplicates.
    taken: CellSet,
}

impl Pass<'_> {
    /// Whether, as things are, equal texts decide on a page at all settings.
    fn is_settled(&self, place: usize) -> bool {
        let digest = self.pages[place].signature.digest;
        let same = digest
            .and_then(|digest| self.same_text.get(&digest))
            .into_iter()
            .flatten();
        let kept = same.fold(CellSet::EMPTY, |kept, of| kept.or(&self.replayed.kept[*of]));
        self.grid.all().without(&kept).is_empty()
    }

    /// Begins with the equal texts.
    fn exact(&mut self, place: usize, is_watched: &impl Fn(usize) -> bool) -> Decision {
        let mut decision = Decision {
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

    /// What is still open is kept.
    fn end(&mut self, decision: &Decision) {
        let kept = decision.open.or(&decision.taken);
        self.replayed.kept.push(kept);
        if !kept.is_empty() {
            self.keep(decision.place);
        }
    }

    /// Goes through the near pages, measure by measure, the best first.
    fn near(&mut self, decision: &mut Decision, near: &[Near], is_watched: &impl Fn(usize) -> bool) {
        let signature = &self.pages[decision.place].signature;
        let shorts = self.short_candidates(decision, signature);
        for family in self.grid.families() {
            let mut candidates = std::mem::take(&mut self.candidates);
            candidates.clear();
            for near in near {
                let (place, distance) = (near.place as usize, near.distance);
                let is_passed_over = family.least_of_sketches().is_some() && !near.may_be_alike;
                let cells = self.replayed.kept[place]
                    .and(&decision.open)
                    .and(&family.reaching(distance));
                if is_passed_over || cells.is_empty() || !family.may_be_met(distance) {
                    continue;
                }
                let other = &self.pages[place].signature;
                let Some(similarity) = family.similarity(&self.base, signature, other, distance) else {
                    continue;
                };
                candidates.push(Candidate {
                    place,
                    distance: Some(distance),
                    similarity,
                    met: family.met_by(distance, similarity),
                });
            }
            candidates.extend(shorts.iter().map(|(place, similarity)| Candidate {
                place: *place,
                distance: None,
                similarity: *similarity,
                met: *family.all(),
            }));
            candidates.sort_unstable_by(Candidate::order);
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

    /// The pages that are compared by their shingles and confirmed, with their similarity.
    fn short_candidates(&self, decision: &Decision, signature: &Signature) -> Vec<(usize, f32)> {
        let sharing = prefix(&signature.shingles, self.base.min_similarity_short).iter();
        let sharing = sharing.filter_map(|shingle| self.shingles.get(shingle)).flatten();
        let is_open = |place: &usize| !self.replayed.kept[*place].and(&decision.open).is_empty();
        let mut places: Vec<usize> = sharing.copied().filter(is_open).collect();
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

    /// Drops the page for another at those settings of `met` that are open and keep the other.
    fn drop_for(
        &mut self,
        decision: &mut Decision,
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
