//! Which kept pages are near: the part of a decision that waits for no other, done by all cores.
//!
//! Of pages of one language and no topic thousands may lie within ten bits, and next to none of them is alike. So what cannot matter at
//! any setting is passed over here, at the price of a look at one cache line: most of what is near by its fingerprint has half a sketch
//! that rules out the least similarity that is tried, and by distance alone hardly any page is kept beside its like.
//!
//! Up to [`SCANNED`] kept pages are all gone through for each page, by as many pages at a time as a thread has of a block; of more, the
//! index finds those that are looked at.

use std::ops::Range;

use dedup::index::{Neighbour, Seen, SignatureScan};
use dedup::{DedupError, DocId, Fingerprint, Index, MemoryIndex, Signature, Width};

use super::cells::{CellSet, Grid};
use super::page::DecidedPage;

/// Pages that are scouted together. Among each other they are compared one by one.
pub(super) const BLOCK: usize = 256;

/// Kept pages up to which all are gone through.
///
/// By measurement (64 bits, AVX-512, one thread). Of 101,000 pages of which 61,000 are kept and each is near a tenth of them, `tune`
/// takes 4 s of processor time in all; with the index it took 24 s. Where none are near, a page costs 8 µs for every 32,768 kept pages,
/// and in the index 9 µs at 32,768 and 12 at 131,072: averaged over a growing crawl the two are even at some 65,000, and up to this
/// bound the scan loses less than a second in all. Twice as many pages would lose four times that.
const SCANNED: usize = 1 << 17;

/// A kept page that may matter.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Near {
    pub place: u32,
    pub distance: u32,
    /// The sketches may be alike enough for a setting that goes by them.
    pub may_be_alike: bool,
}

/// The pages of earlier blocks that some setting keeps, laid out to be looked through fast.
pub(super) struct Scout<'a> {
    pages: &'a [DecidedPage],
    grid: &'a Grid,
    kept: SignatureScan,
    /// Their places.
    places: Vec<u32>,
    /// Their fingerprints, by their numbers in `kept`, once there are more than `scanned`.
    index: MemoryIndex,
    scanned: usize,
    widest: u32,
    /// The distance up to which the combined rule may accept a page at some setting.
    combined: Option<u32>,
}

impl<'a> Scout<'a> {
    pub(super) fn new(pages: &'a [DecidedPage], width: Width, grid: &'a Grid) -> Result<Self, DedupError> {
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
            // More than 1 where none goes by sketches.
            kept: SignatureScan::new(width, widest.max_distance, least.fold(2.0, f32::min)),
            places: Vec::new(),
            index: MemoryIndex::of_width(width, &widest)?,
            scanned,
            widest: widest.max_distance,
            combined: (0..=widest.max_distance).rev().find(is_met),
        })
    }

    /// Adds a page of a block that has been decided.
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

    /// The distance up to which a page that is kept so may matter whatever its sketch.
    fn within(&self, kept: &CellSet) -> Option<u32> {
        let alone = self.grid.families().iter().filter(|family| family.is_alone());
        let cells = alone.flat_map(|family| kept.and(family.all()).iter());
        let alone = cells.map(|cell| self.grid.cells()[cell].max_distance).max();
        alone.max(self.combined)
    }

    /// For each page of a block, all before it having been added: the kept pages that may matter. `None` for a page that is most
    /// likely settled without them, and left out.
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

    /// The same of some pages of the block that begins at `start`.
    pub(super) fn near(&self, places: &[usize], start: usize) -> Result<Vec<Vec<Near>>, DedupError> {
        let mut near = match self.places.len() <= self.scanned {
            true => self.scan(places),
            false => self.look_up(places)?,
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
                    .look(stretch.clone(), &self.pages[*place].signature, &mut seen);
                near.extend(seen.drain(..).map(|seen| self.near_of(seen)));
            }
        }
        near
    }

    fn look_up(&self, places: &[usize]) -> Result<Vec<Vec<Near>>, DedupError> {
        let (mut found, mut seen): (Vec<Neighbour>, Vec<Seen>) = Default::default();
        let of_one = |place: &usize| {
            let signature = &self.pages[*place].signature;
            found.clear();
            if let Some(fingerprint) = signature.fingerprint {
                self.index.near(fingerprint, &mut found)?;
            }
            let numbers = found.iter().map(|found| found.id.0 as usize);
            self.kept.look_among(numbers, signature, &mut seen);
            Ok(seen.drain(..).map(|seen| self.near_of(seen)).collect())
        };
        places.iter().map(of_one).collect()
    }

    fn near_of(&self, seen: Seen) -> Near {
        Near {
            place: self.places[seen.at as usize],
            distance: seen.distance,
            may_be_alike: seen.may_be_alike,
        }
    }

    /// Pages of the same block, of which it is not known yet where they are kept.
    fn in_block(&self, place: usize, start: usize, fingerprint: Fingerprint) -> impl Iterator<Item = Near> {
        (start..place).filter_map(move |other| {
            let distance = self.pages[other].signature.fingerprint?.distance(fingerprint);
            (distance <= self.widest).then_some(Near {
                place: other as u32,
                distance,
                // Too few to look at here.
                may_be_alike: true,
            })
        })
    }
}
