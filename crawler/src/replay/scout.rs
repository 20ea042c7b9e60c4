//! Which kept pages are near: the part of a decision that waits for no other, done by all cores.
//!
//! Of pages of one language and no topic thousands may lie within ten bits, and next to none of them is alike. So what cannot matter at
//! any setting is passed over here, at the price of a look at one cache line: most of what is near by its fingerprint has half a sketch
//! that rules out the least similarity that is tried, and by distance alone hardly any page is kept beside its like.

use std::ops::Range;

use dedup::index::Neighbour;
use dedup::sketch::most_similar;
use dedup::{DedupError, Fingerprint, Index, MemoryIndex};

use super::cells::{CellSet, Grid};
use super::page::Page;

/// Pages that are scouted together. Among each other they are compared one by one.
pub(super) const BLOCK: usize = 256;

/// Words of a sketch that are looked at first: a cache line.
const HEAD: usize = 8;

/// A kept page that may matter.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Near {
    pub place: u32,
    pub distance: u32,
    /// The sketches may be alike enough for a setting that goes by them.
    pub may_be_alike: bool,
}

/// What is looked at of the pages, laid out to be looked at fast.
pub(super) struct Scout<'a> {
    pages: &'a [Page],
    grid: &'a Grid,
    /// By page: the beginning of its sketch.
    heads: Vec<[u64; HEAD]>,
    /// By page decided: a bit for each distance up to 63 that keeps it where the distance alone decides; the last stands for all
    /// further ones too.
    kept_alone: Vec<u64>,
    /// The least similarity of sketches that a setting accepts; more than 1 where none goes by them.
    least: f32,
    widest: u32,
}

impl<'a> Scout<'a> {
    pub(super) fn new(pages: &'a [Page], grid: &'a Grid) -> Self {
        let head = |page: &Page| match &page.signature.sketch {
            Some(sketch) => std::array::from_fn(|word| sketch.words()[word]),
            None => [0; HEAD],
        };
        let least = grid.families().iter().filter_map(|family| family.least_of_sketches());
        Self {
            pages,
            grid,
            heads: pages.iter().map(head).collect(),
            kept_alone: Vec::with_capacity(pages.len()),
            least: least.fold(2.0, f32::min),
            widest: grid.widest().max_distance,
        }
    }

    /// A page has been decided.
    pub(super) fn decided(&mut self, kept: &CellSet) {
        let alone = self.grid.families().iter().filter(|family| family.is_alone());
        let cells = alone.flat_map(|family| kept.and(family.all()).iter());
        let distances = cells.map(|cell| self.grid.cells()[cell].max_distance.min(63));
        self.kept_alone
            .push(distances.fold(0, |bits, distance| bits | 1 << distance));
    }

    /// For each page of a block, all before it being in the index: the kept pages that may matter.
    pub(super) fn block(&self, block: Range<usize>, index: &MemoryIndex) -> Result<Vec<Vec<Near>>, DedupError> {
        let start = block.start;
        let threads = std::thread::available_parallelism().map_or(1, usize::from);
        let share = block.len().div_ceil(threads).max(1);
        let places: Vec<usize> = block.collect();
        std::thread::scope(|scope| {
            let of_share = |places: Vec<usize>| {
                scope.spawn(move || {
                    let mut found = Vec::new();
                    let of_one = |place| self.near(place, start, index, &mut found);
                    places.into_iter().map(of_one).collect::<Result<Vec<_>, _>>()
                })
            };
            let running: Vec<_> = places.chunks(share).map(|share| of_share(share.to_vec())).collect();
            let mut all = Vec::with_capacity(places.len());
            for thread in running {
                all.extend(thread.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic))?);
            }
            Ok(all)
        })
    }

    fn near(
        &self,
        place: usize,
        start: usize,
        index: &MemoryIndex,
        found: &mut Vec<Neighbour>,
    ) -> Result<Vec<Near>, DedupError> {
        let Some(fingerprint) = self.pages[place].signature.fingerprint else {
            return Ok(Vec::new());
        };
        found.clear();
        index.near(fingerprint, found)?;
        let indexed = found
            .iter()
            .map(|neighbour| (neighbour.id.0 as usize, neighbour.distance));
        let mut near: Vec<Near> = indexed
            .map(|(other, distance)| self.looked_at(place, other, distance))
            .filter(|near| near.may_be_alike || self.may_matter(near))
            .collect();
        near.extend(self.in_block(place, start, fingerprint));
        Ok(near)
    }

    /// Pages of the same block, of which it is not known yet where they are kept.
    fn in_block(&self, place: usize, start: usize, fingerprint: Fingerprint) -> impl Iterator<Item = Near> {
        (start..place).filter_map(move |other| {
            let distance = self.pages[other].signature.fingerprint?.distance(fingerprint);
            (distance <= self.widest).then(|| self.looked_at(place, other, distance))
        })
    }

    fn looked_at(&self, place: usize, other: usize, distance: u32) -> Near {
        let words = self.heads[place].iter().zip(&self.heads[other]);
        let differing: u32 = words.map(|(a, b)| (a ^ b).count_ones()).sum();
        Near {
            place: other as u32,
            distance,
            may_be_alike: most_similar(differing) >= self.least,
        }
    }

    fn may_matter(&self, near: &Near) -> bool {
        let reaching = u64::MAX << near.distance.min(63);
        self.kept_alone[near.place as usize] & reaching != 0 || self.is_combined_met(near.distance)
    }

    fn is_combined_met(&self, distance: u32) -> bool {
        let mut combined = self.grid.families().iter();
        combined.any(|family| !family.is_alone() && family.least_of_sketches().is_none() && family.may_be_met(distance))
    }
}
