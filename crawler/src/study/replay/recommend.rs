//! The setting to take, and why.
//!
//! All settings are measured by one sample, and of a hundred settings that are no better than the one in force some seem so: the best
//! of them is picked because it seems so. So what counts as more than chance is divided by the number of settings compared (Bonferroni
//! 1936): the probability that any of them is recommended by chance, at worst, is [`MOST_CHANCE`], however the settings hang together.

use dedup::Confirm;

use super::cells::{Grid, IN_FORCE, Thresholds};
use super::score::{Comparison, Scored, compare};
use super::truth::Judged;

/// A better score that chance gives so often is none: of all settings compared together.
const MOST_CHANCE: f64 = 0.01;

/// The setting to take: never one with a lower F1 than the one in force.
#[derive(Debug, Clone, PartialEq)]
pub struct Recommendation {
    /// Its place.
    pub cell: usize,
    /// Why.
    pub reason: Reason,
}

/// Why a setting is recommended.
#[derive(Debug, Clone, PartialEq)]
pub enum Reason {
    /// The one in force stays: no page of the sample could be judged.
    NothingJudged,
    /// The one in force stays: none other was even a little better.
    NoneBetter,
    /// The one in force stays: the best of the others is better by no more than chance may give.
    MaybeChance {
        /// Its place.
        best: usize,
        /// Against the one in force.
        comparison: Comparison,
        /// The most that its [`chance`](Comparison::chance) may be.
        at_most: f64,
    },
    /// Another contradicts fewer of a person's labels.
    Labels {
        /// Labels that it contradicts.
        contradicted: usize,
        /// Those that the one in force does.
        in_force: usize,
    },
    /// Another is better.
    Better {
        /// Against the one in force.
        comparison: Comparison,
        /// The most that its [`chance`](Comparison::chance) may be.
        at_most: f64,
    },
}

/// Recommends one of the settings that confirm as the one in force does; `contradicted` are the labels that each contradicts.
///
/// Among those whose F1 is at least that of the one in force, it must contradict the fewest labels. Of these the one in force, else
/// the nearest to it, gives way only to one that the sample says to be better by more than chance.
#[must_use]
pub fn recommend(grid: &Grid, judged: &[Judged], scored: &[Scored], contradicted: &[usize]) -> Recommendation {
    let cells = grid.cells();
    let f1 = |cell: usize| scored[cell].score.f1();
    let is_alike = |cell: &usize| is_same_kind(cells[*cell], cells[IN_FORCE]);
    // All that might have been picked, not only those that the sample leaves to be picked from.
    let compared = (0..cells.len()).filter(is_alike).count().saturating_sub(1);
    let at_most = MOST_CHANCE / compared.max(1) as f64;
    let eligible: Vec<usize> = (0..cells.len())
        .filter(is_alike)
        .filter(|cell| f1(*cell) >= f1(IN_FORCE) || *cell == IN_FORCE)
        .collect();
    let fewest = eligible.iter().map(|cell| contradicted[*cell]).min().unwrap_or(0);
    let pool: Vec<usize> = eligible
        .into_iter()
        .filter(|cell| contradicted[*cell] == fewest)
        .collect();
    let nearest = pool
        .iter()
        .copied()
        .min_by(|a, b| distance(cells, *a).total_cmp(&distance(cells, *b)))
        .unwrap_or(IN_FORCE);
    let by_labels = |cell| Recommendation {
        cell,
        reason: Reason::Labels {
            contradicted: fewest,
            in_force: contradicted[IN_FORCE],
        },
    };
    let stays = nearest == IN_FORCE;
    let others: Vec<(usize, Comparison)> = pool
        .into_iter()
        .filter(|cell| *cell != IN_FORCE)
        .map(|cell| (cell, compare(judged, cell, IN_FORCE)))
        .collect();
    let best_of = |others: &[(usize, Comparison)]| {
        let best = others.iter().max_by(|(a, _), (b, _)| {
            let by_f1 = f1(*a).total_cmp(&f1(*b));
            by_f1.then(distance(cells, *b).total_cmp(&distance(cells, *a)))
        });
        best.copied()
    };
    let beyond_chance: Vec<_> = others
        .iter()
        .filter(|(_, comparison)| comparison.chance() <= at_most)
        .copied()
        .collect();
    if let Some((cell, comparison)) = best_of(&beyond_chance) {
        return match stays {
            true => Recommendation {
                cell,
                reason: Reason::Better { comparison, at_most },
            },
            false => by_labels(cell),
        };
    }
    if !stays {
        return by_labels(nearest);
    }
    let reason = match best_of(&others) {
        _ if scored[IN_FORCE].judged() == 0 => Reason::NothingJudged,
        Some((best, comparison)) if f1(best) > f1(IN_FORCE) => Reason::MaybeChance {
            best,
            comparison,
            at_most,
        },
        _ => Reason::NoneBetter,
    };
    Recommendation { cell: IN_FORCE, reason }
}

fn is_same_kind(a: Thresholds, b: Thresholds) -> bool {
    match (a.confirm, b.confirm) {
        (Confirm::Sketch { .. }, Confirm::Sketch { .. }) => true,
        (one, other) => one == other,
    }
}

/// How far a setting is from the one in force: a bit counts as much as two hundredths of similarity.
fn distance(cells: &[Thresholds], cell: usize) -> f64 {
    let similarity = |cell: Thresholds| match cell.confirm {
        Confirm::Sketch { min_similarity } => f64::from(min_similarity),
        _ => 0.0,
    };
    let bits = cells[cell].max_distance.abs_diff(cells[IN_FORCE].max_distance);
    f64::from(bits) + (similarity(cells[cell]) - similarity(cells[IN_FORCE])).abs() * 50.0
}
