//! What each setting came to.

use dedup::Confirm;

use super::IN_FORCE;
use crate::study::replay::{Cell, Grid, Replayed, Scored};

/// A setting with all that is known of it.
#[derive(Debug, Clone, Copy)]
pub(super) struct Row {
    pub cell: Cell,
    /// Pages dropped.
    pub dropped: u64,
    /// Pages dropped that the setting in force keeps.
    pub newly_dropped: u64,
    /// The reverse.
    pub newly_kept: u64,
    /// By the sample.
    pub scored: Scored,
    /// Labels that it contradicts.
    pub contradicted: usize,
}

/// The settings, in the order of the grid: the one in force first.
#[derive(Debug)]
pub(super) struct Measured {
    pub rows: Vec<Row>,
}

impl Measured {
    pub(super) fn new(grid: &Grid, replayed: &Replayed, scored: &[Scored], contradictions: &[usize]) -> Self {
        let all = grid.all();
        let cells = grid.cells().iter().zip(scored).zip(contradictions);
        let mut rows: Vec<Row> = cells
            .map(|((cell, scored), contradicted)| Row {
                cell: *cell,
                dropped: 0,
                newly_dropped: 0,
                newly_kept: 0,
                scored: *scored,
                contradicted: *contradicted,
            })
            .collect();
        for kept in replayed.kept() {
            let dropped = all.without(kept);
            dropped.iter().for_each(|cell| rows[cell].dropped += 1);
            match kept.contains(IN_FORCE) {
                true => dropped.iter().for_each(|cell| rows[cell].newly_dropped += 1),
                false => kept.iter().for_each(|cell| rows[cell].newly_kept += 1),
            }
        }
        Self { rows }
    }

    /// The distances that were tried, ascending.
    pub(super) fn distances(&self) -> Vec<u32> {
        let mut distances: Vec<u32> = self.rows.iter().map(|row| row.cell.max_distance).collect();
        distances.sort_unstable();
        distances.dedup();
        distances
    }

    /// The ways to confirm that were tried: similarities, ascending, then the distance alone, then the combined rule.
    pub(super) fn confirms(&self) -> Vec<Confirm> {
        let mut confirms: Vec<Confirm> = Vec::new();
        for row in &self.rows {
            if !confirms.contains(&row.cell.confirm) {
                confirms.push(row.cell.confirm);
            }
        }
        let order = |confirm: &Confirm| match *confirm {
            Confirm::Sketch { min_similarity } => (0, min_similarity),
            Confirm::Distance => (1, 0.0),
            Confirm::Combined { bound, .. } => (2, bound),
        };
        confirms.sort_by(|a, b| {
            let ((a, x), (b, y)) = (order(a), order(b));
            a.cmp(&b).then(x.total_cmp(&y))
        });
        confirms
    }

    /// The row of a setting, with its place.
    pub(super) fn find(&self, max_distance: u32, confirm: Confirm) -> Option<(usize, &Row)> {
        let cell = Cell { max_distance, confirm };
        self.rows.iter().enumerate().find(|(_, row)| row.cell == cell)
    }
}

/// As `config.toml` has it.
pub(super) fn confirm_name(confirm: Confirm) -> &'static str {
    match confirm {
        Confirm::Sketch { .. } => "sketch",
        Confirm::Distance => "distance",
        Confirm::Combined { .. } => "combined",
    }
}

/// The similarity that decides; `None` where none does.
pub(super) fn min_similarity(confirm: Confirm) -> Option<f32> {
    match confirm {
        Confirm::Sketch { min_similarity } => Some(min_similarity),
        _ => None,
    }
}
