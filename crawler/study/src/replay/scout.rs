//! The search for near kept pages. It does not depend on the other decisions of a block, so all cores share it.
//!
//! Among pages of one language and no topic thousands may lie within ten bits, and almost none of them are similar. The scout skips the
//! pages that cannot matter at any setting, at the cost of one cache line each: half a sketch rules out the lowest similarity of the grid
//! for most pages with a near fingerprint, and settings without confirmation keep few pages with a near fingerprint.
//!
//! Up to [`SCANNED`] kept pages, a scan compares each page with all of them, many pages in one pass. Above that, the index finds the
//! pages to compare.

use std::ops::Range;

use dedup::{
    Candidate, DedupError, DocId, Fingerprint, Index, MemoryIndex, Neighbour, Signature, SignatureScan, Width,
};

use super::cells::{CellSet, Grid};
use super::page::DecidedPage;

/// Pages whose neighbours are sought together. Pages of one block are compared with each other directly.
pub(super) const BLOCK: usize = 256;

/// Upper bound on the kept pages that are scanned.
///
/// Measured with 64 bits and AVX-512 on one thread. With 101,000 pages, of which 61,000 are kept and each is near a tenth of them, `tune`
/// takes 4 s of processor time; with the index it took 24 s. Without near pages, the scan takes 8 µs a page for every 32,768 kept pages,
/// and the index takes 9 µs at 32,768 and 12 µs at 131,072. Averaged over a growing crawl the two are equal at about 65,000 kept pages,
/// and up to this bound the scan loses less than a second in total. With twice as many pages it would lose four times as much.
const SCANNED: usize = 1 << 17;

/// A kept page that may matter at some setting.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Near {
    pub place: u32,
    pub distance: u32,
    /// Whether the sketches may be similar enough for a setting that compares them.
    pub may_be_alike: bool,
}

/// The pages of earlier blocks that some setting keeps, laid out for a fast scan.
pub(super) struct Scout<'a> {
    pages: &'a [DecidedPage],
    grid: &'a Grid,
    kept: SignatureScan,
    /// The place of each kept page.
    places: Vec<u32>,
    /// The fingerprints, by the number in `kept`, if there are more than `scanned`.
    index: MemoryIndex,
    scanned: usize,
    widest: u32,
    /// The distance up to which the combined rule may accept a page at some setting.
    combined: Option<u32>,
}

impl<'a> Scout<'a> {
    pub fn new(pages: &'a [DecidedPage], width: Width, grid: &'a Grid) -> Result<Self, DedupError> {
        Self::scanning(SCANNED, pages, width, grid)
    }

    /// With another bound than [`SCANNED`].
    pub(super) fn scanning(
        scanned: usize,
        pages: &'a [DecidedPage],
        width: Width,
        grid: &'a Grid,
    ) -> Result<Self, DedupError> {
        let widest = grid.widest();
        let families = grid.families().iter();
        let least = families.clone().filter_map(|family| family.least_of_sketches());
        let combined = families.filter(|family| !family.is_alone() && family.least_of_sketches().is_none());
        let is_met = |distance: &u32| combined.clone().any(|family| family.may_be_met(*distance));
        Ok(Self {
            pages,
            grid,
            // Above 1 if no setting compares sketches.
            kept: SignatureScan::new(width, widest.max_distance, least.fold(2.0, f32::min)),
            places: Vec::new(),
            index: MemoryIndex::of_width(width, &widest)?,
            scanned,
            widest: widest.max_distance,
            combined: (0..=widest.max_distance).rev().find(is_met),
        })
    }

    /// Adds a page of a decided block.
    pub(super) fn add(&mut self, place: usize, kept: &CellSet) -> Result<(), DedupError> {
        if kept.is_empty() || !self.kept.push(&self.pages[place].signature, self.within(kept))? {
            return Ok(());
        }
        self.places.push(place as u32);
        if self.places.len() <= self.scanned {
            return Ok(());
        }
        let indexed = self.index.len()?;
        for at in indexed..self.places.len() {
            let found_by = Signature {
                fingerprint: self.pages[self.places[at] as usize].signature.fingerprint,
                ..Signature::default()
            };
            self.index.insert(DocId(at as u64), &found_by)?;
        }
        Ok(())
    }

    /// The distance up to which a page with these settings may matter for any sketch.
    fn within(&self, kept: &CellSet) -> Option<u32> {
        let alone = self.grid.families().iter().filter(|family| family.is_alone());
        let cells = alone.flat_map(|family| kept.and(family.all()).iter());
        let alone = cells.map(|cell| self.grid.cells()[cell].max_distance).max();
        alone.max(self.combined)
    }

    /// The kept pages that may matter, for each page of a block; all earlier blocks must have been added. `None` for a page that equal
    /// texts probably settle.
    pub(super) fn block(
        &self,
        block: Range<usize>,
        is_settled: &(impl Fn(usize) -> bool + Sync),
    ) -> Result<Vec<Option<Vec<Near>>>, DedupError> {
        let start = block.start;
        let threads = std::thread::available_parallelism().map_or(1, usize::from);
        let open: Vec<usize> = block.clone().filter(|place| !is_settled(*place)).collect();
        let share = open.len().div_ceil(threads).max(1);
        let found = std::thread::scope(|scope| {
            let shares = open.chunks(share);
            let running: Vec<_> = shares
                .map(|share| scope.spawn(move || self.near(share, start)))
                .collect();
            let mut found = Vec::with_capacity(open.len());
            for thread in running {
                found.extend(thread.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic))?);
            }
            Ok::<_, DedupError>(found)
        })?;
        let mut of_block = vec![None; block.len()];
        for (place, near) in open.iter().zip(found) {
            of_block[place - start] = Some(near);
        }
        Ok(of_block)
    }

    /// The kept pages that may matter for some pages of the block that begins at `start`.
    pub(super) fn near(&self, places: &[usize], start: usize) -> Result<Vec<Vec<Near>>, DedupError> {
        let mut near = if self.places.len() <= self.scanned {
            self.scan(places)
        } else {
            self.look_up(places)?
        };
        for (place, near) in places.iter().zip(&mut near) {
            if let Some(fingerprint) = self.pages[*place].signature.fingerprint {
                near.extend(self.in_block(*place, start, fingerprint));
            }
        }
        Ok(near)
    }

    fn scan(&self, places: &[usize]) -> Vec<Vec<Near>> {
        let mut near = vec![Vec::new(); places.len()];
        let mut seen = Vec::new();
        for stretch in self.kept.stretches() {
            for (place, near) in places.iter().zip(&mut near) {
                self.kept
                    .search(stretch.clone(), &self.pages[*place].signature, &mut seen);
                near.extend(seen.drain(..).map(|seen| self.near_of(seen)));
            }
        }
        near
    }

    fn look_up(&self, places: &[usize]) -> Result<Vec<Vec<Near>>, DedupError> {
        let (mut found, mut seen): (Vec<Neighbour>, Vec<Candidate>) = Default::default();
        let of_one = |place: &usize| {
            let signature = &self.pages[*place].signature;
            found.clear();
            if let Some(fingerprint) = signature.fingerprint {
                self.index.near(fingerprint, &mut found)?;
            }
            let numbers = found.iter().map(|found| found.id.0 as usize);
            self.kept.search_among(numbers, signature, &mut seen);
            Ok(seen.drain(..).map(|seen| self.near_of(seen)).collect())
        };
        places.iter().map(of_one).collect()
    }

    fn near_of(&self, seen: Candidate) -> Near {
        Near {
            place: self.places[seen.at as usize],
            distance: seen.distance,
            may_be_alike: seen.may_be_alike,
        }
    }

    /// The near pages of the same block, on which the settings have not decided yet.
    fn in_block(&self, place: usize, start: usize, fingerprint: Fingerprint) -> impl Iterator<Item = Near> {
        (start..place).filter_map(move |other| {
            let distance = self.pages[other].signature.fingerprint?.distance(fingerprint);
            (distance <= self.widest).then_some(Near {
                place: other as u32,
                distance,
                // There are too few for a comparison of sketches here.
                may_be_alike: true,
            })
        })
    }
}
