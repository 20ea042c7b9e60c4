//! The plane of pairs: distance across, similarity up, as coordinates for the template. The script moves the cut by the same edges.

use std::collections::BTreeMap;

use crate::report::{DuplicateVerdict, Report};
use terminal::units::grouped;

/// The edges of the drawing, in units of the view box.
const LEFT: f64 = 64.0;
const RIGHT: f64 = 624.0;
const TOP: f64 = 36.0;
const BOTTOM: f64 = 396.0;

/// Cells from similarity 0 to 1.
const STEPS: u32 = 50;

/// Names along the axis of distances.
const MOST_TICKS: usize = 16;

/// The opacity of a cell with one pair, and of the fullest one.
const FAINT: f64 = 0.6;

/// The pairs of a crawl, by distance and similarity, and the rule in force.
#[derive(Debug)]
pub(super) struct Plane {
    /// Columns, one for each bit.
    pub slots: usize,
    pub cells: Vec<Cell>,
    /// The pairs in the fullest cell.
    pub fullest: u64,
    pub across: Vec<Tick>,
    pub up: Vec<Tick>,
    /// The edges of what the rule in force drops: to the left of `cut_x`, above `cut_y`.
    pub cut_x: f64,
    pub cut_y: f64,
    pub cut_width: f64,
    pub cut_height: f64,
    pub description: String,
}

/// The pairs of one kind at a distance and a step of similarity.
#[derive(Debug)]
pub(super) struct Cell {
    pub x: f64,
    pub y: f64,
    pub width: f64,
    pub height: f64,
    /// `near` or `kept`.
    pub class: &'static str,
    pub opacity: f64,
    pub title: String,
}

#[derive(Debug)]
pub(super) struct Tick {
    pub at: f64,
    pub label: String,
}

/// Dropped pairs and near misses.
type Counts = [u64; 2];

const KINDS: [(&str, &str); 2] = [("near", "dropped"), ("kept", "near misses, kept")];

impl Plane {
    pub fn of(report: &Report) -> Self {
        let counts = counts(report);
        let most = report.thresholds.max_distance;
        let furthest = counts.keys().map(|(bits, _)| *bits).max().unwrap_or(0);
        let slots = furthest.max(most + 1) as usize + 1;
        let every = slots.div_ceil(MOST_TICKS);
        let least = report.thresholds.min_similarity.map_or(0.0, f64::from);
        let sums = counts
            .values()
            .fold([0, 0], |sums, counts| [sums[0] + counts[0], sums[1] + counts[1]]);
        let (cut_x, cut_y) = (across(f64::from(most + 1) / slots as f64), up(least.clamp(0.0, 1.0)));
        Self {
            slots,
            cells: cells(&counts, slots),
            fullest: fullest(&counts),
            across: (0..slots)
                .step_by(every)
                .map(|bits| Tick {
                    at: across((bits as f64 + 0.5) / slots as f64),
                    label: bits.to_string(),
                })
                .collect(),
            up: (0..=10)
                .map(|tenth| f64::from(tenth) / 10.0)
                .map(|tenth| Tick {
                    at: up(tenth),
                    label: format!("{tenth:.1}"),
                })
                .collect(),
            cut_x,
            cut_y,
            cut_width: cut_x - LEFT,
            cut_height: cut_y - TOP,
            description: format!(
                "{} dropped pairs and {} kept near misses by distance and similarity. A pair is dropped to the left of the cut and above it.",
                grouped(sums[0]),
                grouped(sums[1])
            ),
        }
    }
}

fn across(share: f64) -> f64 {
    LEFT + (RIGHT - LEFT) * share
}

fn up(similarity: f64) -> f64 {
    BOTTOM - (BOTTOM - TOP) * similarity
}

/// The pairs with both measures.
fn counts(report: &Report) -> BTreeMap<(u32, u32), Counts> {
    let mut counts: BTreeMap<(u32, u32), Counts> = BTreeMap::new();
    let mut add = |distance: Option<u32>, similarity: Option<f32>, kind: usize| {
        if let (Some(distance), Some(similarity)) = (distance, similarity) {
            counts.entry((distance, step_of(similarity))).or_default()[kind] += 1;
        }
    };
    let in_clusters = report.clusters.iter().flat_map(|cluster| &cluster.duplicates);
    let orphans = report.orphans.iter().map(|orphan| &orphan.duplicate);
    for page in in_clusters.chain(orphans) {
        if page.verdict == DuplicateVerdict::Near {
            add(page.distance, page.similarity, 0);
        }
    }
    for miss in &report.near_misses {
        add(miss.distance, Some(miss.similarity), 1);
    }
    counts
}

/// The step of a similarity; an edge belongs to the step above it, whichever way its last digit was rounded.
fn step_of(similarity: f32) -> u32 {
    let step = (f64::from(similarity) * f64::from(STEPS) + 1e-4).floor();
    step.clamp(0.0, f64::from(STEPS - 1)) as u32
}

fn fullest(counts: &BTreeMap<(u32, u32), Counts>) -> u64 {
    counts.values().flatten().max().copied().unwrap_or(1)
}

fn cells(counts: &BTreeMap<(u32, u32), Counts>, slots: usize) -> Vec<Cell> {
    let fullest = fullest(counts);
    // The logarithm keeps single pairs visible beside thousands.
    let opacity = |count: u64| FAINT + (1.0 - FAINT) * (count as f64).ln() / (fullest as f64).ln().max(1.0);
    let mut cells = Vec::new();
    for ((bits, step), counts) in counts {
        let (from, to) = (f64::from(*bits) / slots as f64, f64::from(bits + 1) / slots as f64);
        let (low, high) = (
            f64::from(*step) / f64::from(STEPS),
            f64::from(step + 1) / f64::from(STEPS),
        );
        // Two kinds in one cell stand side by side.
        let kinds = counts.iter().filter(|count| **count > 0).count().max(1) as f64;
        let width = (across(to) - across(from) - 1.0) / kinds;
        let mut x = across(from) + 0.5;
        for (count, (class, name)) in counts.iter().zip(KINDS).filter(|(count, _)| **count > 0) {
            cells.push(Cell {
                x,
                y: up(high) + 0.5,
                width,
                height: up(low) - up(high) - 1.0,
                class,
                opacity: opacity(*count).min(1.0),
                title: format!(
                    "{bits} bits, similarity {low:.2} to {high:.2}: {} {name}",
                    grouped(*count)
                ),
            });
            x += width;
        }
    }
    cells
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_pair_is_in_a_cell_within_the_edges() {
        let counts = BTreeMap::from([((0, 0), [1, 0]), ((3, 38), [500, 2]), ((9, 49), [0, 1])]);
        let cells = cells(&counts, 10);
        assert_eq!(cells.len(), 4);
        for cell in &cells {
            assert!(cell.x >= LEFT && cell.x + cell.width <= RIGHT, "{cell:?}");
            assert!(cell.y >= TOP && cell.y + cell.height <= BOTTOM, "{cell:?}");
            assert!((FAINT..=1.0).contains(&cell.opacity), "{cell:?}");
        }
        assert_eq!(cells[1].opacity, 1.0, "the fullest cell");
        assert!(
            cells[2].x >= cells[1].x + cells[1].width,
            "two kinds stand side by side"
        );
    }

    #[test]
    fn an_edge_belongs_to_the_step_above_it() {
        assert_eq!([0.0, 0.759, 0.76, 1.0, 1.2].map(step_of), [0, 37, 38, 49, 49]);
    }
}
