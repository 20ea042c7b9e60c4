//! The rule decides on pairs.

use std::sync::Arc;

use arrow_array::builder::{Float64Builder, Int32Builder, Int64Builder};
use arrow_array::{Array, ArrayRef, BinaryArray, RecordBatch};
use dedup::{DuplicateRule, Signature};
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use pyo3_arrow::PyRecordBatch;

use super::columns::{bytes, documents, made};
use super::rule;
use crate::document::shown;

/// Those pairs of a batch that are near-duplicates. The batch has the columns `earlier` and `later`, and the signatures
/// of both in `signature` and `later_signature`. The result has `earlier`, `later`, `distance` (null where a short
/// text, which has no fingerprint, was compared) and `similarity`.
#[pyfunction]
pub(crate) fn confirmed<'py>(
    py: Python<'py>,
    batch: PyRecordBatch,
    max_distance: u32,
    min_similarity: f32,
) -> PyResult<Bound<'py, PyAny>> {
    let rule = rule(max_distance, min_similarity)?;
    let batch = batch.into_inner();
    let earlier = documents(&batch, "earlier")?;
    let later = documents(&batch, "later")?;
    let of_earlier = bytes(&batch, "signature")?;
    let of_later = bytes(&batch, "later_signature")?;
    let found = py.detach(|| {
        let mut found = Found::default();
        for row in 0..batch.num_rows() {
            let (a, b) = (signature(&of_earlier, row)?, signature(&of_later, row)?);
            if let Some((distance, similarity)) = compare(&rule, &a, &b) {
                found.earlier.append_value(earlier.value(row));
                found.later.append_value(later.value(row));
                found.distances.append_option(distance);
                found.similarities.append_value(shown(similarity));
            }
        }
        Ok::<_, PyErr>(found)
    })?;
    made(py, RecordBatch::try_from_iter_with_nullable(found.finish()))
}

/// Distance and similarity of two near-duplicates, as [`dedup::Deduplicator`] finds them.
fn compare(rule: &DuplicateRule, a: &Signature, b: &Signature) -> Option<(Option<i32>, f32)> {
    let distance = a.fingerprint.zip(b.fingerprint).map(|(a, b)| a.distance(b));
    let similarity = match distance {
        Some(distance) => rule.confirms(a, b, distance),
        None => rule.confirms_short(a, b),
    };
    similarity.map(|similarity| (distance.map(|distance| distance as i32), similarity))
}

fn signature(rows: &BinaryArray, row: usize) -> PyResult<Signature> {
    let bytes = if rows.is_null(row) { &[] } else { rows.value(row) };
    Signature::from_row(bytes).map_err(|error| {
        PyValueError::new_err(format!(
            "a signature cannot be read ({error}): make all of them with this version of near_duplicates"
        ))
    })
}

#[derive(Default)]
struct Found {
    earlier: Int64Builder,
    later: Int64Builder,
    distances: Int32Builder,
    similarities: Float64Builder,
}

impl Found {
    fn finish(mut self) -> [(&'static str, ArrayRef, bool); 4] {
        [
            ("earlier", Arc::new(self.earlier.finish()), false),
            ("later", Arc::new(self.later.finish()), false),
            ("distance", Arc::new(self.distances.finish()), true),
            ("similarity", Arc::new(self.similarities.finish()), false),
        ]
    }
}
