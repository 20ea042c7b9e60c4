//! The collection behind a `Deduplicator`.

use std::path::PathBuf;
use std::sync::{Arc, Mutex, PoisonError};

use dedup::{Analyzer, CollectionSettings, Id, Signature, Verdict};
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyList};

use crate::document::{Decided, id_for_python, id_of, shown, text_of};
use crate::errors::{closed, of_collection};

/// A collection that threads share; `None` once it is closed. Nobody waits for it with the GIL.
#[derive(Clone)]
pub(crate) struct Shared(Arc<Mutex<Option<dedup::Collection>>>);

impl Shared {
    /// Uses the collection, unless it is closed. The caller does not hold the GIL.
    pub fn use_open<T>(&self, work: impl FnOnce(&mut dedup::Collection) -> PyResult<T>) -> PyResult<T> {
        // A panic leaves the collection as a crash would, and what it has written is consistent.
        let mut collection = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        work(collection.as_mut().ok_or_else(closed)?)
    }
}

/// Documents by id, in memory or in a folder.
#[pyclass(frozen, module = "near_duplicates._native")]
pub(crate) struct Collection {
    shared: Shared,
    analyzer: Analyzer,
    settings: CollectionSettings,
    is_saved: bool,
}

impl Collection {
    fn of(collection: Result<dedup::Collection, dedup::CollectionError>, is_saved: bool) -> PyResult<Self> {
        let collection = collection.map_err(of_collection)?;
        // A collection that `open` or `open_or_create` gives was made with settings.
        let settings = collection.settings().cloned().unwrap_or_default();
        Ok(Self {
            analyzer: Analyzer::new(&settings.scheme()),
            shared: Shared(Arc::new(Mutex::new(Some(collection)))),
            settings,
            is_saved,
        })
    }

    pub fn shared(&self) -> Shared {
        self.shared.clone()
    }

    pub fn analyzer(&self) -> &Analyzer {
        &self.analyzer
    }
}

/// Settings from the arguments of Python.
pub(crate) fn settings(max_distance: u32, min_similarity: f32, features: &str) -> PyResult<CollectionSettings> {
    let features = features.parse();
    Ok(CollectionSettings {
        max_distance,
        min_similarity,
        features: features.map_err(|error| PyValueError::new_err(format!("features: {error}")))?,
    })
}

/// Adds a document.
pub(crate) fn add(collection: &mut dedup::Collection, id: Id, signature: &Signature) -> PyResult<Decided> {
    let verdict = collection.add(&id, signature).map_err(of_collection)?;
    Ok(decided(collection, Some(id), verdict))
}

fn decided(collection: &dedup::Collection, id: Option<Id>, verdict: Verdict) -> Decided {
    Decided {
        id,
        verdict,
        of: verdict.of().and_then(|of| collection.id(of)).cloned(),
    }
}

#[pymethods]
impl Collection {
    #[new]
    #[pyo3(signature = (max_distance, min_similarity, features, path))]
    fn new(
        py: Python<'_>,
        max_distance: u32,
        min_similarity: f32,
        features: &str,
        path: Option<PathBuf>,
    ) -> PyResult<Self> {
        let settings = settings(max_distance, min_similarity, features)?;
        let is_saved = path.is_some();
        let collection = py.detach(|| match path {
            Some(path) => dedup::Collection::open_or_create(&path, &settings),
            None => dedup::Collection::in_memory(&settings),
        });
        Self::of(collection, is_saved)
    }

    #[staticmethod]
    fn open(py: Python<'_>, path: PathBuf) -> PyResult<Self> {
        Self::of(py.detach(|| dedup::Collection::open(&path)), true)
    }

    #[getter]
    fn settings(&self) -> (u32, f64, String) {
        let CollectionSettings {
            max_distance,
            min_similarity,
            features,
        } = &self.settings;
        (*max_distance, shown(*min_similarity), features.to_string())
    }

    fn add<'py>(&self, id: &Bound<'py, PyAny>, text: &Bound<'py, PyAny>) -> PyResult<Bound<'py, PyAny>> {
        let py = id.py();
        let id = id_of(id)?;
        let text = text_of(text, || format!("the text of the document {id}"))?;
        let decided = py.detach(|| {
            let signature = self.analyzer.analyze(&text);
            self.shared.use_open(|collection| add(collection, id, &signature))
        })?;
        decided.for_python(py)
    }

    fn check<'py>(&self, text: &Bound<'py, PyAny>) -> PyResult<Bound<'py, PyAny>> {
        let py = text.py();
        let text = text_of(text, || "the text".to_owned())?;
        let decided = py.detach(|| {
            let signature = self.analyzer.analyze(&text);
            self.shared.use_open(|collection| {
                let verdict = collection.check(&signature).map_err(of_collection)?;
                Ok(decided(collection, None, verdict))
            })
        })?;
        decided.for_python(py)
    }

    fn verdict<'py>(&self, id: &Bound<'py, PyAny>) -> PyResult<Option<Bound<'py, PyAny>>> {
        let py = id.py();
        let id = id_of(id)?;
        let found = py.detach(|| {
            self.shared.use_open(|collection| {
                let verdict = collection.verdict(&id);
                Ok(verdict.map(|verdict| decided(collection, Some(id), verdict)))
            })
        })?;
        found.map(|found| found.for_python(py)).transpose()
    }

    fn remove<'py>(&self, id: &Bound<'py, PyAny>) -> PyResult<Bound<'py, PyList>> {
        let py = id.py();
        let id = id_of(id)?;
        let removed = py.detach(|| {
            self.shared
                .use_open(|collection| collection.remove(&id).map_err(of_collection))
        })?;
        PyList::new(py, removed.iter().map(|id| id_for_python(py, id)))
    }

    fn save(&self, py: Python<'_>) -> PyResult<()> {
        py.detach(|| {
            self.shared
                .use_open(|collection| collection.save().map_err(of_collection))
        })
    }

    /// Saves what has a folder, then forgets everything. The second time does nothing.
    fn close(&self, py: Python<'_>) -> PyResult<()> {
        py.detach(|| {
            let mut open = self.shared.0.lock().unwrap_or_else(PoisonError::into_inner);
            if let Some(collection) = open.as_mut().filter(|_| self.is_saved) {
                collection.save().map_err(of_collection)?;
            }
            *open = None;
            Ok(())
        })
    }

    fn clusters<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyDict>> {
        let clusters: Vec<(Id, Vec<Id>)> = py.detach(|| {
            self.shared.use_open(|collection| {
                let clusters = collection.clusters();
                Ok(clusters
                    .map(|(of, others)| (of.clone(), others.cloned().collect()))
                    .collect())
            })
        })?;
        let found = PyDict::new(py);
        for (of, others) in clusters {
            let others = PyList::new(py, others.iter().map(|id| id_for_python(py, id)))?;
            found.set_item(id_for_python(py, &of), others)?;
        }
        Ok(found)
    }

    fn __len__(&self, py: Python<'_>) -> PyResult<usize> {
        py.detach(|| self.shared.use_open(|collection| Ok(collection.len())))
    }

    fn __contains__(&self, id: &Bound<'_, PyAny>) -> PyResult<bool> {
        let py = id.py();
        let Ok(id) = id_of(id) else {
            return Ok(false);
        };
        py.detach(|| self.shared.use_open(|collection| Ok(collection.contains(&id))))
    }
}
