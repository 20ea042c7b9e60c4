//! A document: an id and a text, and how both come from Python and go back.

use arrow_array::cast::AsArray;
use arrow_array::types::ByteArrayType;
use arrow_array::{Array, ArrayRef, GenericByteArray};
use arrow_schema::DataType;
use dedup::{Id, Verdict};
use pyo3::exceptions::{PyOverflowError, PyTypeError, PyValueError};
use pyo3::prelude::*;
use pyo3::pybacked::PyBackedStr;
use pyo3::sync::PyOnceLock;
use pyo3::types::{PyBool, PyInt, PyString, PyType};

/// A document of a batch.
pub(crate) struct Document {
    pub id: Id,
    pub text: Text,
}

/// A text that stays where it is: in an object of Python or in a column of Arrow.
pub(crate) enum Text {
    Python(PyBackedStr),
    Column(ArrayRef, usize),
}

impl Text {
    pub fn as_str(&self) -> &str {
        match self {
            Self::Python(text) => text,
            Self::Column(column, row) => match column.data_type() {
                DataType::Utf8 => value(column.as_string::<i32>(), *row),
                DataType::LargeUtf8 => value(column.as_string::<i64>(), *row),
                _ => column.as_string_view().value(*row),
            },
        }
    }
}

fn value<T: ByteArrayType<Native = str>>(column: &GenericByteArray<T>, row: usize) -> &str {
    column.value(row)
}

/// The id that a Python object is: a string, or an integer of 64 bits.
pub(crate) fn id_of(object: &Bound<'_, PyAny>) -> PyResult<Id> {
    if let Ok(name) = object.cast::<PyString>() {
        return match name.to_str() {
            Ok(name) => Ok(name.into()),
            Err(_) => Err(PyValueError::new_err(format!(
                "the id {} holds half of a surrogate pair, which no text may hold: replace it",
                object.repr()?
            ))),
        };
    }
    // A bool is an integer for Python; as an id it is a mistake.
    let is_number = object.is_instance_of::<PyInt>() || object.hasattr("__index__")?;
    if is_number && !object.is_instance_of::<PyBool>() {
        return object.extract::<i64>().map(Id::from).map_err(|_| {
            PyOverflowError::new_err(format!(
                "the id {object} does not fit into 64 bits with a sign: use str({object}) as the id"
            ))
        });
    }
    Err(PyTypeError::new_err(format!(
        "an id is a str or an int, not {}: convert it with str()",
        object.get_type().name()?
    )))
}

/// The text that a Python object is. `what` names it in a message.
pub(crate) fn text_of(object: &Bound<'_, PyAny>, what: impl Fn() -> String) -> PyResult<PyBackedStr> {
    let Ok(text) = object.cast::<PyString>() else {
        let kind = object.get_type().name()?;
        let advice = if object.is_none() {
            "leave the document out, or give it the text \"\""
        } else if kind == "bytes" || kind == "bytearray" {
            "decode it first, as in data.decode(\"utf-8\", \"replace\")"
        } else if kind == "float" || kind == "NAType" {
            "leave out the rows without a text, or fill them with \"\""
        } else {
            "give a str"
        };
        return Err(PyTypeError::new_err(format!("{} is {kind}, not str: {advice}", what())));
    };
    PyBackedStr::try_from(text.clone()).map_err(|_| {
        PyValueError::new_err(format!(
            "{} holds half of a surrogate pair, which no text may hold: clean it with text.encode(\"utf-8\", \
             \"replace\").decode()",
            what()
        ))
    })
}

/// An id for Python.
pub(crate) fn id_for_python<'py>(py: Python<'py>, id: &Id) -> Bound<'py, PyAny> {
    match id {
        Id::Number(number) => PyInt::new(py, *number).into_any(),
        Id::Name(name) => PyString::new(py, name).into_any(),
    }
}

/// A verdict with the id of the document that it names, apart from any index.
#[derive(Debug, Clone)]
pub(crate) struct Decided {
    /// `None` for a text that was only checked.
    pub id: Option<Id>,
    pub verdict: Verdict,
    pub of: Option<Id>,
}

impl Decided {
    /// The `near_duplicates.Verdict`.
    pub fn for_python<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        static VERDICT: PyOnceLock<Py<PyType>> = PyOnceLock::new();
        let class = VERDICT.import(py, "near_duplicates._verdict", "Verdict")?;
        let (name, distance, similarity) = match self.verdict {
            Verdict::Unique => ("unique", None, None),
            Verdict::Exact { .. } => ("exact", Some(0), Some(1.0)),
            Verdict::Near {
                distance, similarity, ..
            } => ("near", distance, Some(shown(similarity))),
        };
        let id = |id: &Option<Id>| id.as_ref().map(|id| id_for_python(py, id));
        class.call1((id(&self.id), name, id(&self.of), distance, similarity))
    }
}

/// The number that the command line shows: 0.8, not 0.800000011920929.
pub(crate) fn shown(similarity: f32) -> f64 {
    similarity.to_string().parse().unwrap_or_else(|_| similarity.into())
}
