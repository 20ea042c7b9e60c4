//! Batches of documents from Python.

use std::time::{Duration, Instant};

use dedup::Id;
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use pyo3::types::PyIterator;

use crate::arrow::{Columns, Rows};
use crate::document::{Document, Text, id_of, text_of};

/// Upper bounds of a batch, so that memory stays small and Ctrl-C works.
const DOCUMENTS: usize = 4_096;
const TEXT_BYTES: usize = 4 << 20;

/// Time after which a batch ends, so that the verdicts on documents from a slow source come soon.
const WAIT: Duration = Duration::from_millis(250);

/// Where documents come from.
pub(crate) enum Source {
    /// Pairs of an id and a text.
    Pairs(Py<PyIterator>),
    Arrow(Rows),
}

/// Documents that are decided together, and what came after them.
pub(crate) struct Batch {
    pub documents: Vec<Document>,
    pub end: End,
}

/// What came after the documents of a batch.
pub(crate) enum End {
    More,
    NoMore,
    /// The next document cannot be read. Those before it can.
    Error(PyErr),
}

impl Source {
    /// `pairs` yields an id and a text; without it, `table` is Arrow data with these columns.
    pub fn new(documents: &Bound<'_, PyAny>, columns: Option<Columns>) -> PyResult<Self> {
        Ok(match columns {
            Some(columns) => Self::Arrow(Rows::new(documents, columns)?),
            None => Self::Pairs(documents.try_iter()?.unbind()),
        })
    }

    /// The next batch.
    pub fn batch(&mut self, py: Python<'_>) -> Batch {
        let start = Instant::now();
        let (mut documents, mut bytes) = (Vec::new(), 0);
        let end = loop {
            if documents.len() == DOCUMENTS || bytes >= TEXT_BYTES || start.elapsed() >= WAIT {
                break End::More;
            }
            match self.next(py) {
                Ok(Some(document)) => {
                    bytes += document.text.as_str().len();
                    documents.push(document);
                }
                Ok(None) => break End::NoMore,
                Err(error) => break End::Error(error),
            }
        };
        Batch { documents, end }
    }

    fn next(&mut self, py: Python<'_>) -> PyResult<Option<Document>> {
        let pairs = match self {
            Self::Pairs(pairs) => pairs.bind(py),
            Self::Arrow(rows) => return rows.next(),
        };
        let Some(pair) = pairs.clone().next() else {
            return Ok(None);
        };
        let (id, text) = pair?.extract::<(Bound<'_, PyAny>, Bound<'_, PyAny>)>()?;
        let id = id_of(&id)?;
        let text = text_of(&text, || of(&id))?;
        Ok(Some(Document {
            id,
            text: Text::Python(text),
        }))
    }
}

fn of(id: &Id) -> String {
    format!("the text of the document {id}")
}

/// The exception for documents without ids where positions would be ambiguous.
pub(crate) fn no_id() -> PyErr {
    PyValueError::new_err(
        "the documents have no ids, and a Deduplicator needs them: give pairs (id, text), or name the column or key of the \
         ids with id=",
    )
}
