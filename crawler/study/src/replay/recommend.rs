//! The recommended setting, and the reason.
//!
//! One sample measures all settings. Among a hundred settings that are no better than the one in force, some look better by chance, and
//! the best of them would be picked for that reason. The level of significance is therefore divided by the number of settings compared
//! (Bonferroni 1936): the probability that any setting is recommended by chance is at most [`MOST_CHANCE`], for any dependence between
//! the settings.

use dedup::Confirm;

use super::cells::{Grid, IN_FORCE, Thresholds};
use super::score::{Comparison, Scored, compare};
use super::truth::Judged;

/// Upper bound on the probability of a recommendation by chance, over all settings compared.
const MOST_CHANCE: f64 = 0.01;

/// With fewer contradicted labels, the labels choose no setting: one slip of a hand would move the setting of a whole site.
const MIN_CONTRADICTED: usize = 2;

/// The recommended setting. Its F1 is never lower than that of the setting in force.
#[derive(Debug, Clone, PartialEq)]
pub struct Recommendation {
    /// The cell of the setting.
    pub cell: usize,
    /// The reason.
    pub reason: Reason,
}

/// The reason for a recommendation.
#[derive(Debug, Clone, PartialEq)]
pub enum Reason {
    /// The setting in force stays: no page of the sample can be judged.
    NothingJudged,
    /// The setting in force stays: no other has a higher F1.
    NoneBetter,
    /// The setting in force stays: chance may explain why the best of the others is better.
    MaybeChance {
        /// The cell of the best other setting.
        best: usize,
        /// With the setting in force.
        comparison: Comparison,
        /// Upper bound on its [`chance`](Comparison::chance).
        at_most: f64,
    },
    /// The setting in force stays: a single label is against it.
    OneLabel {
        /// The cell of the nearest setting that agrees with the label.
        other: usize,
    },
    /// Another setting contradicts fewer labels.
    Labels {
        /// Number of labels that it contradicts.
        contradicted: usize,
        /// Number of labels that the setting in force contradicts.
        in_force: usize,
    },
    /// Another setting is better.
    Better {
        /// With the setting in force.
        comparison: Comparison,
        /// Upper bound on its [`chance`](Comparison::chance).
        at_most: f64,
    },
}

/// Recommends a setting with the kind of confirmation that is in force. `contradicted` is the number of labels that each setting
/// contradicts.
///
/// The candidates have at least the F1 of the setting in force, and contradict the fewest labels; a single label excludes none. Among them the setting in force stays,
/// or else the one nearest to it, unless the sample shows beyond chance that another is better.
#[must_use]
pub fn recommend(grid: &Grid, judged: &[Judged], scored: &[Scored], contradicted: &[usize]) -> Recommendation {
    let candidates = Candidates::new(grid, scored, contradicted);
    let others = candidates.compared_with_in_force(judged);
    let at_most = candidates.at_most;
    let beyond_chance: Vec<_> = others
        .iter()
        .filter(|(_, comparison)| comparison.chance() <= at_most)
        .copied()
        .collect();
    let nearest = candidates.nearest();
    let stays = nearest == IN_FORCE;
    let by_labels = |cell| Recommendation {
        cell,
        reason: Reason::Labels {
            contradicted: contradicted[cell],
            in_force: contradicted[IN_FORCE],
        },
    };
    match candidates.best_of(&beyond_chance) {
        Some((cell, comparison)) if stays => Recommendation {
            cell,
            reason: Reason::Better { comparison, at_most },
        },
        Some((cell, _)) => by_labels(cell),
        None if !stays => by_labels(nearest),
        None => Recommendation {
            cell: IN_FORCE,
            reason: candidates.reason_to_stay(&others, contradicted),
        },
    }
}

/// The cells of which one is recommended.
struct Candidates<'a> {
    settings: &'a [Thresholds],
    scored: &'a [Scored],
    cells: Vec<usize>,
    /// Upper bound on the [`chance`](Comparison::chance) of a better setting.
    at_most: f64,
}

impl<'a> Candidates<'a> {
    fn new(grid: &'a Grid, scored: &'a [Scored], contradicted: &[usize]) -> Self {
        let settings = grid.cells();
        let f1 = |cell: usize| scored[cell].score.f1();
        let same_kind: Vec<usize> = (0..settings.len())
            .filter(|cell| is_same_kind(settings[*cell], settings[IN_FORCE]))
            .collect();
        // All settings that the sample could have favoured count as compared, not only those that it left.
        let compared = same_kind.len().saturating_sub(1);
        let mut cells = same_kind;
        cells.retain(|cell| f1(*cell) >= f1(IN_FORCE) || *cell == IN_FORCE);
        let fewest = cells.iter().map(|cell| contradicted[*cell]).min().unwrap_or(0);
        let most = if contradicted[IN_FORCE] < MIN_CONTRADICTED {
            contradicted[IN_FORCE]
        } else {
            fewest
        };
        cells.retain(|cell| contradicted[*cell] <= most);
        Self {
            settings,
            scored,
            cells,
            at_most: MOST_CHANCE / compared.max(1) as f64,
        }
    }

    fn f1(&self, cell: usize) -> f64 {
        self.scored[cell].score.f1()
    }

    fn nearest(&self) -> usize {
        let cells = self.cells.iter().copied();
        let nearest = cells.min_by(|a, b| distance(self.settings, *a).total_cmp(&distance(self.settings, *b)));
        nearest.unwrap_or(IN_FORCE)
    }

    fn compared_with_in_force(&self, judged: &[Judged]) -> Vec<(usize, Comparison)> {
        let others = self.cells.iter().copied().filter(|cell| *cell != IN_FORCE);
        others.map(|cell| (cell, compare(judged, cell, IN_FORCE))).collect()
    }

    /// The one with the highest F1, and among equals the nearest to the setting in force.
    fn best_of(&self, others: &[(usize, Comparison)]) -> Option<(usize, Comparison)> {
        let best = others.iter().max_by(|(a, _), (b, _)| {
            let by_f1 = self.f1(*a).total_cmp(&self.f1(*b));
            by_f1.then(distance(self.settings, *b).total_cmp(&distance(self.settings, *a)))
        });
        best.copied()
    }

    /// The nearest setting that contradicts fewer labels than the one in force.
    fn agreeing(&self, contradicted: &[usize]) -> Option<usize> {
        let cells = self.cells.iter().copied();
        let agreeing = cells.filter(|cell| contradicted[*cell] < contradicted[IN_FORCE]);
        agreeing.min_by(|a, b| distance(self.settings, *a).total_cmp(&distance(self.settings, *b)))
    }

    fn reason_to_stay(&self, others: &[(usize, Comparison)], contradicted: &[usize]) -> Reason {
        if let Some(other) = self.agreeing(contradicted) {
            return Reason::OneLabel { other };
        }
        match self.best_of(others) {
            _ if self.scored[IN_FORCE].judged() == 0 => Reason::NothingJudged,
            Some((best, comparison)) if self.f1(best) > self.f1(IN_FORCE) => Reason::MaybeChance {
                best,
                comparison,
                at_most: self.at_most,
            },
            _ => Reason::NoneBetter,
        }
    }
}

fn is_same_kind(a: Thresholds, b: Thresholds) -> bool {
    match (a.confirm, b.confirm) {
        (Confirm::Sketch { .. }, Confirm::Sketch { .. }) => true,
        (one, other) => one == other,
    }
}

/// The distance of a setting from the one in force: one bit counts as much as 0.02 of similarity.
fn distance(cells: &[Thresholds], cell: usize) -> f64 {
    let similarity = |cell: Thresholds| match cell.confirm {
        Confirm::Sketch { min_similarity } => f64::from(min_similarity),
        _ => 0.0,
    };
    let bits = cells[cell].max_distance.abs_diff(cells[IN_FORCE].max_distance);
    f64::from(bits) + (similarity(cells[cell]) - similarity(cells[IN_FORCE])).abs() * 50.0
}
