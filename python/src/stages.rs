//! The stages of a deduplication in many processes, over batches of Arrow data. `near_duplicates.stages` and
//! `near_duplicates.spark` put them together.
//!
//! ```text
//! texts ─▶ signatures ─▶ pairs with a common key ─▶ confirmed pairs ─▶ rounds of decisions
//! ```
//!
//! A document is a number here. The numbers ascend in the order in which the documents count.

mod columns;
mod confirm;
mod pairs;
mod round;
mod sign;

pub(crate) use self::confirm::confirmed;
pub(crate) use self::pairs::Pairs;
pub(crate) use self::round::Round;
pub(crate) use self::sign::signatures;
use dedup::{DuplicateRule, Layout, Width};
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;

use crate::collection::settings;

/// The rule for these bounds, if bands find the candidates of it.
#[pyfunction]
pub(crate) fn check_rule(max_distance: u32, min_similarity: f32, features: &str) -> PyResult<()> {
    rule(max_distance, min_similarity)?;
    settings(max_distance, min_similarity, features).map(drop)
}

fn rule(max_distance: u32, min_similarity: f32) -> PyResult<DuplicateRule> {
    let rule = settings(max_distance, min_similarity, "words")?.rule();
    rule.validate()
        .map_err(|error| PyValueError::new_err(error.to_string()))?;
    Layout::for_distance(Width::W64, max_distance)
        .map_err(|error| PyValueError::new_err(format!("max_distance: {error}")))?;
    if !rule.allows_bands() {
        return Err(PyValueError::new_err(format!(
            "min_similarity = {min_similarity} must be at least 0.75: less similar texts have too few hashes in common"
        )));
    }
    Ok(rule)
}
