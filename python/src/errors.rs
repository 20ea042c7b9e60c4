//! The errors of the crate as exceptions of Python.

use dedup::{CollectionError, DedupError};
use pyo3::exceptions::{PyFileNotFoundError, PyKeyError, PyOSError, PyValueError};
use pyo3::prelude::*;

/// The exception for an error of a collection.
pub(crate) fn of_collection(error: CollectionError) -> PyErr {
    match &error {
        CollectionError::Index(error) => of_index(error),
        CollectionError::Unknown(_) => PyKeyError::new_err(error.to_string()),
        CollectionError::Missing(_) => PyFileNotFoundError::new_err(error.to_string()),
        CollectionError::NoFolder => {
            PyValueError::new_err("the documents are in memory only: give the Deduplicator a path to save them")
        }
        CollectionError::OtherSettings { folder, found, .. } => PyValueError::new_err(format!(
            "{0} was made with {found}: open it with Deduplicator.open({0:?}), which takes these settings, or choose \
             another path",
            folder.display().to_string(),
        )),
        CollectionError::OtherText(_) => PyValueError::new_err(error.to_string()),
        _ => PyOSError::new_err(error.to_string()),
    }
}

/// The exception for an error of an index.
pub(crate) fn of_index(error: &DedupError) -> PyErr {
    match error {
        DedupError::Layout(_) => PyValueError::new_err(format!("max_distance: {error}")),
        DedupError::Rule(_) => PyValueError::new_err(error.to_string()),
        _ => PyOSError::new_err(error.to_string()),
    }
}

/// The exception for an operation after the end of a `Deduplicator`.
pub(crate) fn closed() -> PyErr {
    PyValueError::new_err("this Deduplicator is closed: open it again with Deduplicator.open(path)")
}
