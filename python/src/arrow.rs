//! Documents in the columns of Arrow data: tables and arrays of any library that has the Arrow `PyCapsule` interface.

use std::sync::{Arc, Mutex, PoisonError};

use arrow_array::cast::AsArray;
use arrow_array::types::{Int8Type, Int16Type, Int32Type, Int64Type, UInt8Type, UInt16Type, UInt32Type, UInt64Type};
use arrow_array::{Array, ArrayRef};
use arrow_schema::DataType;
use dedup::Id;
use pyo3::exceptions::{PyKeyError, PyOverflowError, PyTypeError, PyValueError};
use pyo3::prelude::*;
use pyo3_arrow::ffi::ArrayReader;
use pyo3_arrow::input::AnyArray;

use crate::document::{Document, Text};

/// Reads the documents of a table, or of an array of texts.
pub(crate) struct Rows {
    /// Only one thread at a time reads; the lock says so to the compiler.
    reader: Mutex<Box<dyn ArrayReader + Send>>,
    columns: Columns,
    chunk: Option<Chunk>,
    /// Number of documents so far.
    read: i64,
}

/// Names of the columns.
pub(crate) struct Columns {
    pub text: String,
    /// `None`: the column `id` if there is one, else the position.
    pub id: Option<String>,
    /// Whether a position is no id.
    pub id_needed: bool,
}

/// A part of the columns, with the next row.
struct Chunk {
    texts: ArrayRef,
    ids: Option<ArrayRef>,
    row: usize,
}

impl Rows {
    pub fn new(data: &Bound<'_, PyAny>, columns: Columns) -> PyResult<Self> {
        Ok(Self {
            reader: Mutex::new(data.extract::<AnyArray>()?.into_reader()?),
            columns,
            chunk: None,
            read: 0,
        })
    }

    /// The next document; `None` at the end.
    pub fn next(&mut self) -> PyResult<Option<Document>> {
        loop {
            if let Some(chunk) = self.chunk.as_mut().filter(|chunk| chunk.row < chunk.texts.len()) {
                let row = chunk.row;
                chunk.row += 1;
                self.read += 1;
                return chunk.document(row, self.read - 1).map(Some);
            }
            let reader = self.reader.get_mut().unwrap_or_else(PoisonError::into_inner);
            let Some(data) = reader.next() else {
                return Ok(None);
            };
            let data =
                data.map_err(|error| PyValueError::new_err(format!("the Arrow data cannot be read: {error}")))?;
            self.chunk = Some(self.columns.of(data)?);
        }
    }
}

impl Columns {
    fn of(&self, data: ArrayRef) -> PyResult<Chunk> {
        let (texts, ids) = match data.as_struct_opt() {
            None => (data, None),
            Some(table) => {
                let missing = |name: &str| {
                    let names = table.column_names().join(", ");
                    PyKeyError::new_err(format!("there is no column {name:?}; there are: {names}"))
                };
                let texts = table.column_by_name(&self.text).ok_or_else(|| missing(&self.text))?;
                let ids = match &self.id {
                    Some(name) => Some(table.column_by_name(name).ok_or_else(|| missing(name))?),
                    None => table.column_by_name("id"),
                };
                (Arc::clone(texts), ids.cloned())
            }
        };
        if !is_text(&texts) {
            return Err(PyTypeError::new_err(format!(
                "the column of texts has the type {}: convert it to strings first",
                texts.data_type()
            )));
        }
        if ids.is_none() && self.id_needed {
            return Err(crate::source::no_id());
        }
        Ok(Chunk { texts, ids, row: 0 })
    }
}

impl Chunk {
    fn document(&self, row: usize, position: i64) -> PyResult<Document> {
        let id = match &self.ids {
            None => Id::from(position),
            Some(ids) if ids.is_null(row) => {
                return Err(PyValueError::new_err(format!("row {position} has no id: give it one")));
            }
            Some(ids) => id(ids, row)?,
        };
        if self.texts.is_null(row) {
            return Err(PyTypeError::new_err(format!(
                "the text of the document {id} is null: leave out the rows without a text, or fill them with \"\""
            )));
        }
        Ok(Document {
            id,
            text: Text::Column(Arc::clone(&self.texts), row),
        })
    }
}

/// Whether a column holds texts.
pub(crate) fn is_text(column: &ArrayRef) -> bool {
    matches!(
        column.data_type(),
        DataType::Utf8 | DataType::LargeUtf8 | DataType::Utf8View
    )
}

fn id(column: &ArrayRef, row: usize) -> PyResult<Id> {
    let number: i64 = match column.data_type() {
        DataType::Int8 => column.as_primitive::<Int8Type>().value(row).into(),
        DataType::Int16 => column.as_primitive::<Int16Type>().value(row).into(),
        DataType::Int32 => column.as_primitive::<Int32Type>().value(row).into(),
        DataType::Int64 => column.as_primitive::<Int64Type>().value(row),
        DataType::UInt8 => column.as_primitive::<UInt8Type>().value(row).into(),
        DataType::UInt16 => column.as_primitive::<UInt16Type>().value(row).into(),
        DataType::UInt32 => column.as_primitive::<UInt32Type>().value(row).into(),
        DataType::UInt64 => {
            let number = column.as_primitive::<UInt64Type>().value(row);
            i64::try_from(number).map_err(|_| {
                PyOverflowError::new_err(format!(
                    "the id {number} does not fit into 64 bits with a sign: convert the column of ids to strings"
                ))
            })?
        }
        _ if is_text(column) => return Ok(Text::Column(Arc::clone(column), row).as_str().into()),
        other => {
            return Err(PyTypeError::new_err(format!(
                "the column of ids has the type {other}: convert it to strings or integers first"
            )));
        }
    };
    Ok(number.into())
}
