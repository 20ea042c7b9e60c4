//! The question of a tuning: the settings to try, and how many pages the answer judges and shows.

use std::ops::RangeInclusive;

use dedup::{Confirm, Layout, LayoutError, Width};

use crate::replay::{Grid, Thresholds, TooManyCells};
use config::settings::Settings;

/// Distances to try if the user names none.
const DISTANCES: RangeInclusive<u32> = 0..=10;

/// Similarities to try if the user names none.
pub const SIMILARITIES: [f32; 9] = [0.6, 0.65, 0.7, 0.73, 0.76, 0.79, 0.82, 0.85, 0.9];

/// A setting as the user names it.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct At {
    /// Bits.
    pub max_distance: u32,
    /// How the distance is confirmed.
    pub least: Least,
}

/// The smallest similarity of a setting that the user names.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Least {
    /// As in force.
    InForce,
    /// This one.
    Of(f32),
    /// Any: the distance decides alone.
    Any,
}

/// The settings of the question cannot be tried.
#[derive(Debug, thiserror::Error)]
pub enum InvalidQuestion {
    #[error(transparent)]
    TooMany(#[from] TooManyCells),
    #[error(transparent)]
    Layout(#[from] LayoutError),
    #[error("dedup.confirm in force has no smallest similarity: name the distance alone with --at")]
    NoSimilarity,
}

/// The settings to replay, and bounds on the pages to judge and to show.
#[derive(Debug)]
pub struct Question {
    /// The settings to replay.
    pub grid: Grid,
    /// The setting to look at; `None` for the recommended one.
    pub at: Option<Thresholds>,
    /// Upper bound on the pages whose verdicts are judged.
    pub sample: usize,
    /// Upper bound on the pairs in the answer.
    pub show: usize,
}

impl Question {
    /// # Errors
    /// There are too many settings, or one of them is impossible.
    pub fn new(
        settings: &Settings,
        distances: &[u32],
        similarities: &[f32],
        at: Option<At>,
    ) -> Result<Self, InvalidQuestion> {
        let at = at.map(|at| thresholds(at, settings.rule.confirm)).transpose()?;
        Ok(Self {
            grid: grid(settings, distances, similarities, at)?,
            at,
            sample: usize::MAX,
            show: usize::MAX,
        })
    }
}

/// The setting that the user names, with the way to confirm that is in force.
fn thresholds(at: At, confirm: Confirm) -> Result<Thresholds, InvalidQuestion> {
    let confirm = match (confirm, at.least) {
        (Confirm::Sketch { .. }, Least::Of(min_similarity)) => Confirm::Sketch { min_similarity },
        (confirm, Least::InForce) => confirm,
        (_, Least::Any) => Confirm::Distance,
        (_, Least::Of(_)) => return Err(InvalidQuestion::NoSimilarity),
    };
    Ok(Thresholds {
        max_distance: at.max_distance,
        confirm,
    })
}

/// Each distance with each similarity, with no confirmation, and with the confirmation in force.
fn grid(
    settings: &Settings,
    distances: &[u32],
    similarities: &[f32],
    at: Option<Thresholds>,
) -> Result<Grid, InvalidQuestion> {
    let (rule, width) = (&settings.rule, settings.scheme.width);
    let mut distances = match distances {
        [] => DISTANCES.filter(|distance| has_layout(width, *distance)).collect(),
        named => named.to_vec(),
    };
    distances.push(rule.max_distance);
    distances.extend(at.map(|at| at.max_distance));
    for distance in &distances {
        Layout::for_distance(width, *distance)?;
    }
    distances.sort_unstable();
    distances.dedup();
    let mut similarities = similarities.to_vec();
    similarities.extend(Thresholds::of(rule).min_similarity());
    similarities.extend(at.and_then(Thresholds::min_similarity));
    similarities.sort_by(f32::total_cmp);
    similarities.dedup();
    let mut cells = Vec::new();
    for &max_distance in &distances {
        let confirms = similarities
            .iter()
            .map(|&min_similarity| Confirm::Sketch { min_similarity });
        let confirms = confirms.chain([Confirm::Distance, rule.confirm]);
        cells.extend(confirms.map(|confirm| Thresholds { max_distance, confirm }));
    }
    Ok(Grid::new(rule, cells)?)
}

fn has_layout(width: Width, distance: u32) -> bool {
    Layout::for_distance(width, distance).is_ok()
}
