//! The pages that another setting would decide otherwise.

use dedup::Width;

use super::IN_FORCE;
use crate::error::RunError;
use crate::study::replay::{Evidence, Grid, Labels, Match, Page, Replayed, Similarities, replay};

/// A page that the chosen setting decides otherwise than the one in force.
#[derive(Debug, Clone, Copy)]
pub(super) struct Change {
    /// Its place.
    pub page: usize,
    /// The kept page that it is dropped for by the one of the two settings that drops it.
    pub of: usize,
    /// See [`Match`].
    pub evidence: Evidence,
    /// Dropped by the chosen setting, else by the one in force.
    pub is_dropped: bool,
}

impl Change {
    fn similarity(&self) -> f32 {
        match self.evidence {
            Evidence::Exact => 1.0,
            Evidence::Near { similarity, .. } => similarity,
        }
    }

    /// The less like what it is dropped for, or the more like it though kept, the more doubtful.
    fn certainty(&self) -> f32 {
        match self.is_dropped {
            true => self.similarity(),
            false => 1.0 - self.similarity(),
        }
    }
}

/// All of them, the most doubtful first.
#[derive(Debug)]
pub(super) struct Changes {
    pub all: Vec<Change>,
}

impl Changes {
    /// What lies between the setting in force and the one at `chosen`. The whole replay does not remember what each page was dropped
    /// for at each setting, so these two are replayed once more.
    pub(super) fn find(
        pages: &[Page],
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
        let changed: Vec<usize> = (0..pages.len()).filter(|page| is_changed(*page)).collect();
        if changed.is_empty() {
            return Ok(Self { all: Vec::new() });
        }
        let two = Grid::new(&grid.rule(IN_FORCE), [grid.cells()[chosen]])
            .map_err(|error| RunError::Render(error.to_string()))?;
        let again = replay(pages, width, &two, prefer_canonical, is_changed, || {})?;
        let mut all: Vec<Change> = changed
            .into_iter()
            .filter_map(|page| {
                let is_dropped = again.kept()[page].contains(IN_FORCE);
                let Match { of, evidence, .. } = *again.match_at(page, usize::from(is_dropped))?;
                Some(Change {
                    page,
                    of,
                    evidence,
                    is_dropped,
                })
            })
            .collect();
        all.sort_by(|a, b| a.certainty().total_cmp(&b.certainty()).then(a.page.cmp(&b.page)));
        Ok(Self { all })
    }

    /// Pages that the chosen setting drops and the one in force does not.
    pub(super) fn dropped(&self) -> usize {
        self.all.iter().filter(|change| change.is_dropped).count()
    }

    /// The first of them with the exact Jaccard index of their texts, `None` where one is not stored.
    pub(super) fn shown(
        &self,
        most: usize,
        pages: &[Page],
        shingles_of: &impl Fn(usize) -> Option<Vec<u64>>,
    ) -> Vec<(Change, Option<f32>)> {
        let unlabelled = Labels::default();
        let mut similarities = Similarities::new(pages, &unlabelled, shingles_of);
        let shown = self.all.iter().take(most);
        shown
            .map(|change| {
                let is_exact = change.evidence == Evidence::Exact;
                (*change, similarities.of(change.page, change.of, is_exact))
            })
            .collect()
    }
}
