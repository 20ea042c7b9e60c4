//! An iterator over verdicts.

use std::collections::VecDeque;

use dedup::{Analyzer, on_all_cores};
use pyo3::prelude::*;

use crate::arrow::Columns;
use crate::collection::{Collection, Shared, settings};
use crate::document::{Decided, Document};
use crate::judge::Judge;
use crate::source::{End, Source};

/// Verdicts on documents, in their order. It reads a batch of documents when it has no verdict left.
#[pyclass(module = "near_duplicates._native")]
pub(crate) struct Stream {
    source: Source,
    analyzer: Analyzer,
    decider: Decider,
    ready: VecDeque<Decided>,
    /// What comes after the ready verdicts.
    end: End,
}

enum Decider {
    Judge(Box<Judge>),
    Collection(Shared),
}

impl Decider {
    /// Decides the documents up to the first that cannot be decided.
    fn decide(&mut self, documents: Vec<Document>, analyzer: &Analyzer, ready: &mut VecDeque<Decided>) -> PyResult<()> {
        let signatures = on_all_cores(&documents, |document| analyzer.analyze(document.text.as_str()));
        match self {
            Self::Judge(judge) => {
                for (document, signature) in documents.into_iter().zip(&signatures) {
                    ready.push_back(judge.decide(document.id, signature)?);
                }
                Ok(())
            }
            Self::Collection(shared) => shared.use_open(|collection| {
                for (document, signature) in documents.into_iter().zip(&signatures) {
                    ready.push_back(crate::collection::add(collection, document.id, signature)?);
                }
                Ok(())
            }),
        }
    }
}

#[pymethods]
impl Stream {
    /// Verdicts on `documents` among themselves.
    #[staticmethod]
    #[pyo3(signature = (documents, columns, max_distance, min_similarity, features))]
    fn alone(
        documents: &Bound<'_, PyAny>,
        columns: Option<(String, Option<String>)>,
        max_distance: u32,
        min_similarity: f32,
        features: &str,
    ) -> PyResult<Self> {
        let settings = settings(max_distance, min_similarity, features)?;
        let analyzer = Analyzer::new(&settings.scheme());
        Self::new(
            documents,
            columns,
            false,
            analyzer,
            Decider::Judge(Box::new(Judge::new(&settings)?)),
        )
    }

    /// Verdicts on `documents` as they are added to `collection`.
    #[staticmethod]
    fn into_collection(
        documents: &Bound<'_, PyAny>,
        columns: Option<(String, Option<String>)>,
        collection: &Collection,
    ) -> PyResult<Self> {
        let shared = collection.shared();
        let analyzer = collection.analyzer().clone();
        Self::new(documents, columns, true, analyzer, Decider::Collection(shared))
    }

    fn __iter__(this: PyRef<'_, Self>) -> PyRef<'_, Self> {
        this
    }

    fn __next__<'py>(&mut self, py: Python<'py>) -> PyResult<Option<Bound<'py, PyAny>>> {
        loop {
            if let Some(decided) = self.ready.pop_front() {
                return decided.for_python(py).map(Some);
            }
            match std::mem::replace(&mut self.end, End::NoMore) {
                End::More => self.fill(py)?,
                End::NoMore => return Ok(None),
                End::Error(error) => return Err(error),
            }
        }
    }
}

impl Stream {
    fn new(
        documents: &Bound<'_, PyAny>,
        columns: Option<(String, Option<String>)>,
        id_needed: bool,
        analyzer: Analyzer,
        decider: Decider,
    ) -> PyResult<Self> {
        let columns = columns.map(|(text, id)| Columns { text, id, id_needed });
        Ok(Self {
            source: Source::new(documents, columns)?,
            analyzer,
            decider,
            ready: VecDeque::new(),
            end: End::More,
        })
    }

    /// Decides a batch. An error comes after the verdicts on the documents before it.
    fn fill(&mut self, py: Python<'_>) -> PyResult<()> {
        py.check_signals()?;
        let batch = self.source.batch(py);
        let Self {
            decider,
            analyzer,
            ready,
            ..
        } = self;
        let decided = py.detach(|| decider.decide(batch.documents, analyzer, ready));
        self.end = decided.map_or_else(End::Error, |()| batch.end);
        Ok(())
    }
}
