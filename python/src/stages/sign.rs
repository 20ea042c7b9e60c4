//! Texts become signatures.

use std::sync::Arc;

use arrow_array::builder::{BinaryBuilder, Int64Builder, ListBuilder};
use arrow_array::{Array, ArrayRef, RecordBatch};
use dedup::short::prefix;
use dedup::{Analyzer, Signature};
use pyo3::exceptions::{PyTypeError, PyValueError};
use pyo3::prelude::*;
use pyo3_arrow::PyRecordBatch;

use super::columns::{column, made};
use crate::arrow::is_text;
use crate::collection::settings;
use crate::document::Text;

/// The last bit of a key: whether it is a shingle of a short text. The other keys are bands.
pub(super) const OF_SHORT_TEXT: i64 = 1;

/// The signatures of the texts in a column, in the order of the rows:
///
/// - `digest`: 16 bytes, the hash of the normalised text; null for a text without a token;
/// - `fingerprint`: the 64 bits of the SimHash as a number with a sign; null for a short text;
/// - `keys`: numbers of which two near-duplicates have one in common: the 16 bands of a text with a fingerprint, and
///   the shingles of the prefix of a short one. See `dedup::Bands` and `dedup::short`;
/// - `signature`: what [`confirmed`](super::confirmed) compares, as bytes that only this version reads.
#[pyfunction]
pub(crate) fn signatures<'py>(
    py: Python<'py>,
    batch: PyRecordBatch,
    text: &str,
    features: &str,
) -> PyResult<Bound<'py, PyAny>> {
    let batch = batch.into_inner();
    let texts = texts(&batch, text)?;
    // The similarity decides nothing here.
    let settings = settings(0, 1.0, features)?;
    let analyzer = Analyzer::new(&settings.scheme()).with_bands();
    let min_similarity_short = settings.rule().min_similarity_short;
    let made_of = py.detach(|| {
        let mut columns = Columns::default();
        for row in 0..texts.len() {
            let signature = analyzer.analyze(Text::Column(Arc::clone(&texts), row).as_str());
            columns.push(signature, min_similarity_short)?;
        }
        Ok::<_, PyErr>(columns)
    })?;
    made(py, RecordBatch::try_from_iter_with_nullable(made_of.finish()))
}

fn texts(batch: &RecordBatch, name: &str) -> PyResult<ArrayRef> {
    let texts = column(batch, name)?;
    if !is_text(texts) {
        return Err(PyTypeError::new_err(format!(
            "the column of texts has the type {}: convert it to strings first",
            texts.data_type()
        )));
    }
    if texts.null_count() > 0 {
        return Err(PyValueError::new_err(
            "a text is null: leave out the rows without a text, or fill them with \"\"",
        ));
    }
    Ok(Arc::clone(texts))
}

#[derive(Default)]
struct Columns {
    digests: BinaryBuilder,
    fingerprints: Int64Builder,
    keys: ListBuilder<Int64Builder>,
    rows: BinaryBuilder,
}

impl Columns {
    fn push(&mut self, mut signature: Signature, min_similarity_short: f32) -> PyResult<()> {
        // The digest and the bands have columns of their own.
        let digest = signature.digest.take().map(|digest| digest.0.to_le_bytes());
        self.digests.append_option(digest);
        self.fingerprints
            .append_option(signature.fingerprint.map(|fingerprint| fingerprint.bits() as i64));
        if let Some(bands) = signature.bands.take().filter(|_| signature.fingerprint.is_some()) {
            for (band, hash) in (1..).zip(bands.hashes()) {
                self.keys.values().append_value(key(hash ^ mix(band)) & !OF_SHORT_TEXT);
            }
        }
        for shingle in prefix(&signature.shingles, min_similarity_short) {
            self.keys.values().append_value(key(*shingle) | OF_SHORT_TEXT);
        }
        self.keys.append(true);
        let row = signature.to_row();
        self.rows
            .append_value(row.map_err(|error| PyValueError::new_err(error.to_string()))?);
        Ok(())
    }

    fn finish(mut self) -> [(&'static str, ArrayRef, bool); 4] {
        [
            ("digest", Arc::new(self.digests.finish()), true),
            ("fingerprint", Arc::new(self.fingerprints.finish()), true),
            ("keys", Arc::new(self.keys.finish()), false),
            ("signature", Arc::new(self.rows.finish()), false),
        ]
    }
}

/// A number that depends on every bit of a hash, so that keys spread evenly over the parts of any table.
fn key(hash: u64) -> i64 {
    mix(hash) as i64
}

/// The finalizer of SplitMix64 (Steele, Lea, Flood 2014), a bijection.
fn mix(mut hash: u64) -> u64 {
    hash = (hash ^ hash >> 30).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    hash = (hash ^ hash >> 27).wrapping_mul(0x94d0_49bb_1331_11eb);
    hash ^ hash >> 31
}
