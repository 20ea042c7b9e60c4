//! The pages on which another setting decides differently.

use dedup::Width;

use super::answer::ChangedPair;
use super::stored::Crawl;
use crate::replay::{DecidedPage, Evidence, Grid, IN_FORCE, Labels, Match, Replayed, Similarities, replay};
use error::RunError;

/// A page that the setting in force and the chosen one decide differently.
#[derive(Debug, Clone, Copy)]
struct Change {
    page: usize,
    /// The kept page that it duplicates, by the setting that drops it.
    of: usize,
    evidence: Evidence,
    /// Whether the chosen setting drops it, rather than the setting in force.
    is_dropped: bool,
}

impl Change {
    fn similarity(&self) -> f32 {
        match self.evidence {
            Evidence::Exact => 1.0,
            Evidence::Near { similarity, .. } => similarity,
        }
    }

    /// Low for a page that is dropped at a low similarity, and for a page that is kept at a high one.
    fn certainty(&self) -> f32 {
        if self.is_dropped {
            self.similarity()
        } else {
            1.0 - self.similarity()
        }
    }

    fn pair(&self, pages: &[DecidedPage], jaccard: Option<f32>) -> ChangedPair {
        let (verdict, distance) = match self.evidence {
            Evidence::Exact => ("exact", Some(0)),
            Evidence::Near { distance, .. } => ("near", distance),
        };
        let (from, to) = if self.is_dropped {
            ("kept", verdict)
        } else {
            (verdict, "kept")
        };
        ChangedPair {
            url: pages[self.page].url.to_string(),
            of: pages[self.of].url.to_string(),
            from,
            to,
            distance,
            similarity: self.similarity(),
            jaccard,
        }
    }
}

/// All changes, the least certain first.
pub(super) struct Changes {
    all: Vec<Change>,
}

impl Changes {
    /// Compares the setting in force with the one in the cell `chosen`. The full replay does not record the match of each page at each
    /// setting, so this replays these two settings again.
    pub fn find(
        crawl: &Crawl,
        width: Width,
        grid: &Grid,
        chosen: usize,
        replayed: &Replayed,
        prefer_canonical: bool,
    ) -> Result<Self, RunError> {
        let is_changed = |page: usize| {
            let kept = &replayed.kept()[page];
            kept.contains(IN_FORCE) != kept.contains(chosen)
        };
        let pages = &crawl.pages;
        let changed: Vec<usize> = (crawl.elsewhere..pages.len())
            .filter(|page| is_changed(*page))
            .collect();
        if changed.is_empty() {
            return Ok(Self { all: Vec::new() });
        }
        let two = Grid::of_two(&grid.rule(IN_FORCE), grid.cells()[chosen]);
        let again = replay(pages, width, &two, prefer_canonical, is_changed, || {})?;
        Ok(Self::among(&changed, 1, &again))
    }

    /// As [`find`](Self::find), from a replay that has watched every page.
    pub fn of(crawl: &Crawl, chosen: usize, replayed: &Replayed) -> Self {
        let is_changed = |page: &usize| {
            let kept = &replayed.kept()[*page];
            kept.contains(IN_FORCE) != kept.contains(chosen)
        };
        let changed: Vec<usize> = (crawl.elsewhere..crawl.pages.len()).filter(is_changed).collect();
        Self::among(&changed, chosen, replayed)
    }

    /// The changes of pages that a replay has watched, between the setting in force and the one in the cell `chosen`.
    fn among(changed: &[usize], chosen: usize, replayed: &Replayed) -> Self {
        let change = |page: &usize| {
            let is_dropped = replayed.kept()[*page].contains(IN_FORCE);
            let dropping = if is_dropped { chosen } else { IN_FORCE };
            let Match { of, evidence, .. } = *replayed.match_at(*page, dropping)?;
            Some(Change {
                page: *page,
                of,
                evidence,
                is_dropped,
            })
        };
        let mut all: Vec<Change> = changed.iter().filter_map(change).collect();
        all.sort_by(|a, b| a.certainty().total_cmp(&b.certainty()).then(a.page.cmp(&b.page)));
        Self { all }
    }

    /// The first `most` changes, without Jaccard indices.
    pub fn without_texts(&self, most: usize, pages: &[DecidedPage]) -> Vec<ChangedPair> {
        let shown = self.all.iter().take(most);
        shown.map(|change| change.pair(pages, None)).collect()
    }

    /// The first `most` changes, with the exact Jaccard index of the two texts, if both are stored.
    pub fn pairs(
        &self,
        most: usize,
        pages: &[DecidedPage],
        shingles_of: &impl Fn(usize) -> Option<Vec<u64>>,
    ) -> Vec<ChangedPair> {
        let unlabelled = Labels::default();
        let mut similarities = Similarities::new(pages, &unlabelled, shingles_of);
        let shown = self.all.iter().take(most);
        shown
            .map(|change| {
                let is_exact = change.evidence == Evidence::Exact;
                let jaccard = similarities.of(change.page, change.of, is_exact);
                change.pair(pages, jaccard)
            })
            .collect()
    }
}
