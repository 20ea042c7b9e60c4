//! Columns of a batch by their names, with an error that says what is wrong with them.

use arrow_array::cast::AsArray;
use arrow_array::types::Int64Type;
use arrow_array::{Array, ArrayRef, BinaryArray, BooleanArray, Int64Array, RecordBatch};
use arrow_schema::{ArrowError, DataType};
use pyo3::exceptions::{PyKeyError, PyTypeError, PyValueError};
use pyo3::prelude::*;
use pyo3_arrow::PyRecordBatch;

pub(super) fn column<'a>(batch: &'a RecordBatch, name: &str) -> PyResult<&'a ArrayRef> {
    batch.column_by_name(name).ok_or_else(|| {
        let schema = batch.schema_ref();
        let names: Vec<_> = schema.fields().iter().map(|field| field.name().as_str()).collect();
        PyKeyError::new_err(format!("there is no column {name:?}; there are: {}", names.join(", ")))
    })
}

/// A column of integers.
pub(super) fn numbers(batch: &RecordBatch, name: &str) -> PyResult<Int64Array> {
    let column = column(batch, name)?;
    let found = column.as_primitive_opt::<Int64Type>().cloned();
    found.ok_or_else(|| wrong(name, column, &DataType::Int64))
}

/// A column of integers without a null.
pub(super) fn documents(batch: &RecordBatch, name: &str) -> PyResult<Int64Array> {
    let found = numbers(batch, name)?;
    if found.null_count() > 0 {
        return Err(PyValueError::new_err(format!("the column {name:?} has a null")));
    }
    Ok(found)
}

/// A column of verdicts: null for a document that is not decided.
pub(super) fn verdicts(batch: &RecordBatch, name: &str) -> PyResult<BooleanArray> {
    let column = column(batch, name)?;
    let found = column.as_boolean_opt().cloned();
    found.ok_or_else(|| wrong(name, column, &DataType::Boolean))
}

/// A column of bytes.
pub(super) fn bytes(batch: &RecordBatch, name: &str) -> PyResult<BinaryArray> {
    let column = column(batch, name)?;
    let found = column.as_binary_opt::<i32>().cloned();
    found.ok_or_else(|| wrong(name, column, &DataType::Binary))
}

/// A batch for Python.
pub(super) fn made(py: Python<'_>, batch: Result<RecordBatch, ArrowError>) -> PyResult<Bound<'_, PyAny>> {
    let batch = batch.map_err(|error| PyValueError::new_err(error.to_string()))?;
    PyRecordBatch::new(batch).into_pyarrow(py)
}

fn wrong(name: &str, column: &ArrayRef, wanted: &DataType) -> PyErr {
    let found = column.data_type();
    PyTypeError::new_err(format!(
        "the column {name:?} has the type {found}: convert it to {wanted} first"
    ))
}
