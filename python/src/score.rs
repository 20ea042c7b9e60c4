//! Verdicts against known similarities.

use dedup::evaluate::Truth;
use pyo3::prelude::*;

/// Counts `verdicts`, by the numbers of the documents: right, grey, wrong, missed, unique.
#[pyfunction]
pub(crate) fn score(
    py: Python<'_>,
    verdicts: Vec<(u64, Option<u64>)>,
    pairs: Vec<(u64, u64, f32)>,
    duplicate_from: f32,
    different_below: f32,
) -> (u64, u64, u64, u64, u64) {
    let score = py.detach(|| Truth::new(pairs, duplicate_from, different_below).score(verdicts));
    (score.right, score.grey, score.wrong, score.missed, score.unique)
}
