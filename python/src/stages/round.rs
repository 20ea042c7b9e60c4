//! A round of decisions.
//!
//! A document is kept if no earlier kept document duplicates it. The kept documents are thus the lexicographically
//! first maximal independent set of the graph of confirmed pairs. A document can be decided as soon as one earlier
//! neighbour is known to be kept, or all are known to be dropped (Blelloch, Fineman, Shun, "Greedy sequential maximal
//! independent set and matching are parallel on average", SPAA 2012). A round decides whatever follows from what was
//! known before it and from what it has decided itself. So with the documents in n ranges there are at most n rounds.

use std::collections::HashMap;
use std::sync::Arc;

use arrow_array::builder::{BooleanBuilder, Int64Builder};
use arrow_array::{Array, RecordBatch};
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use pyo3_arrow::PyRecordBatch;

use super::columns::{documents, made, verdicts};

/// Decides documents in one pass over pairs. The pairs come in ascending order of `later`.
#[pyclass(module = "near_duplicates._native")]
#[derive(Default)]
pub(crate) struct Round {
    /// The document whose pairs are being read.
    current: Option<Current>,
    /// Verdicts of this round: whether the document is kept.
    decided: HashMap<i64, bool>,
    documents: Int64Builder,
    kept: BooleanBuilder,
}

struct Current {
    document: i64,
    /// Whether an earlier neighbour is kept.
    repeats: bool,
    /// Whether an earlier neighbour is not decided.
    waits: bool,
}

#[pymethods]
impl Round {
    #[new]
    fn new() -> Self {
        Self::default()
    }

    /// Reads pairs: `earlier` and `later`, and in `kept` the verdict on the earlier document, null if there is none
    /// yet. A pair of a document with itself lets the document wait. Returns the documents decided so far, `document`
    /// and `kept`, each once.
    fn push<'py>(&mut self, py: Python<'py>, batch: PyRecordBatch) -> PyResult<Bound<'py, PyAny>> {
        let batch = batch.into_inner();
        let earlier = documents(&batch, "earlier")?;
        let later = documents(&batch, "later")?;
        let kept = verdicts(&batch, "kept")?;
        for row in 0..batch.num_rows() {
            let known = kept.is_valid(row).then(|| kept.value(row));
            self.read(earlier.value(row), later.value(row), known)?;
        }
        self.decided_so_far(py)
    }

    /// Says that there are no more pairs. Returns the other documents that are decided.
    fn end<'py>(&mut self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        self.decide_current();
        self.decided_so_far(py)
    }
}

impl Round {
    fn read(&mut self, earlier: i64, later: i64, known: Option<bool>) -> PyResult<()> {
        match &self.current {
            Some(current) if current.document > later => {
                return Err(PyValueError::new_err("the pairs are not sorted by \"later\""));
            }
            Some(current) if current.document == later => {}
            _ => {
                self.decide_current();
                self.current = Some(Current {
                    document: later,
                    repeats: false,
                    waits: false,
                });
            }
        }
        let known = known.or_else(|| self.decided.get(&earlier).copied());
        if let Some(current) = &mut self.current {
            current.repeats |= known == Some(true);
            current.waits |= known.is_none();
        }
        Ok(())
    }

    fn decide_current(&mut self) {
        if let Some(current) = self.current.take()
            && (current.repeats || !current.waits)
        {
            self.decided.insert(current.document, !current.repeats);
            self.documents.append_value(current.document);
            self.kept.append_value(!current.repeats);
        }
    }

    fn decided_so_far<'py>(&mut self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        let batch = RecordBatch::try_from_iter_with_nullable([
            ("document", Arc::new(self.documents.finish()) as _, false),
            ("kept", Arc::new(self.kept.finish()) as _, false),
        ]);
        made(py, batch)
    }
}
