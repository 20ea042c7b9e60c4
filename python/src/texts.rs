//! Fingerprints and similarities of texts, without an index.

use dedup::{Analyzer, Features, Scheme, on_all_cores, short};
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use pyo3::types::PyByteArray;

use crate::arrow::Columns;
use crate::document::{shown, text_of};
use crate::source::{End, Source};

fn analyzer(features: &str) -> PyResult<Analyzer> {
    let features: Features = features
        .parse()
        .map_err(|error| PyValueError::new_err(format!("features: {error}")))?;
    Ok(Analyzer::new(&Scheme {
        features,
        ..Scheme::default()
    }))
}

/// The fingerprint of a text; `None` for a short one.
#[pyfunction]
pub(crate) fn fingerprint(py: Python<'_>, text: &Bound<'_, PyAny>, features: &str) -> PyResult<Option<u64>> {
    let analyzer = analyzer(features)?;
    let text = text_of(text, || "the text".to_owned())?;
    Ok(py.detach(|| of(&analyzer, &text)))
}

fn of(analyzer: &Analyzer, text: &str) -> Option<u64> {
    analyzer.fingerprint(text).map(|fingerprint| fingerprint.bits() as u64)
}

/// The fingerprints of many texts, 0 for a short one, as the bytes of an array of the machine.
#[pyfunction]
#[pyo3(signature = (documents, columns, features))]
pub(crate) fn fingerprints<'py>(
    documents: &Bound<'py, PyAny>,
    columns: Option<(String, Option<String>)>,
    features: &str,
) -> PyResult<Bound<'py, PyByteArray>> {
    let py = documents.py();
    let analyzer = analyzer(features)?;
    let id_needed = false;
    let columns = columns.map(|(text, id)| Columns { text, id, id_needed });
    let mut source = Source::new(documents, columns)?;
    let mut found = Vec::new();
    loop {
        py.check_signals()?;
        let batch = source.batch(py);
        py.detach(|| {
            let all = on_all_cores(&batch.documents, |document| of(&analyzer, document.text.as_str()));
            found.extend(all.into_iter().flat_map(|bits| bits.unwrap_or(0).to_ne_bytes()));
        });
        match batch.end {
            End::More => {}
            End::NoMore => return Ok(PyByteArray::new(py, &found)),
            End::Error(error) => return Err(error),
        }
    }
}

/// The Jaccard index of the five-word shingles of two texts: estimated from their sketches, exact if one text is short.
#[pyfunction]
pub(crate) fn sketch_similarity(py: Python<'_>, a: &Bound<'_, PyAny>, b: &Bound<'_, PyAny>) -> PyResult<f64> {
    let a = text_of(a, || "the first text".to_owned())?;
    let b = text_of(b, || "the second text".to_owned())?;
    let analyzer = Analyzer::new(&Scheme::default());
    Ok(py.detach(|| {
        let sketches = analyzer.analyze(&a).sketch.zip(analyzer.analyze(&b).sketch);
        shown(match sketches {
            Some((a, b)) => a.similarity(&b),
            None => short::jaccard(&analyzer.shingles(&a), &analyzer.shingles(&b)),
        })
    }))
}
