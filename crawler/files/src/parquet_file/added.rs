//! The values of a column that a copy has in addition to those of its table.

use parquet::basic::Type as PhysicalType;
use parquet::data_type::{ByteArray, ByteArrayType, DataType, FloatType, Int32Type, Int64Type};
use parquet::errors::ParquetError;
use parquet::file::writer::SerializedColumnWriter;
use parquet::schema::types::Type;
use serde_json::Value;

/// The values of one column in the current row group.
pub(super) struct Added {
    values: Values,
    /// 1 for a value, 0 for none.
    definitions: Vec<i16>,
}

enum Values {
    Int32(Vec<i32>),
    Int64(Vec<i64>),
    Float(Vec<f32>),
    Text(Vec<ByteArray>),
}

impl Added {
    pub(super) fn new(of_column: &Type) -> Self {
        let values = match of_column.get_physical_type() {
            PhysicalType::INT32 => Values::Int32(Vec::new()),
            PhysicalType::INT64 => Values::Int64(Vec::new()),
            PhysicalType::FLOAT => Values::Float(Vec::new()),
            _ => Values::Text(Vec::new()),
        };
        Self {
            values,
            definitions: Vec::new(),
        }
    }

    /// Adds a value. Returns whether it is null or has the type of the column.
    pub(super) fn push(&mut self, value: &Value) -> bool {
        let is_added = match &mut self.values {
            Values::Int32(values) => whole(value).map(|number| values.push(number as i32)),
            Values::Int64(values) => whole(value).map(|number| values.push(number)),
            Values::Float(values) => value.as_f64().map(|number| values.push(number as f32)),
            Values::Text(values) => text(value).map(|text| values.push(text.into_bytes().into())),
        };
        self.definitions.push(is_added.is_some().into());
        is_added.is_some() || value.is_null()
    }

    /// Writes the values and clears them.
    pub(super) fn write(&mut self, to: &mut SerializedColumnWriter<'_>) -> Result<(), ParquetError> {
        let definitions = std::mem::take(&mut self.definitions);
        match &mut self.values {
            Values::Int32(values) => write::<Int32Type>(to, values, &definitions),
            Values::Int64(values) => write::<Int64Type>(to, values, &definitions),
            Values::Float(values) => write::<FloatType>(to, values, &definitions),
            Values::Text(values) => write::<ByteArrayType>(to, values, &definitions),
        }
    }
}

fn write<T: DataType>(
    to: &mut SerializedColumnWriter<'_>,
    values: &mut Vec<T::T>,
    definitions: &[i16],
) -> Result<(), ParquetError> {
    let values = std::mem::take(values);
    to.typed::<T>().write_batch(&values, Some(definitions), None).map(drop)
}

/// A whole number in 64 bits. An unsigned one keeps its bits, as the format stores it.
fn whole(value: &Value) -> Option<i64> {
    value.as_i64().or_else(|| value.as_u64().map(u64::cast_signed))
}

/// A text as it is, a number by its digits.
fn text(value: &Value) -> Option<String> {
    match value {
        Value::String(text) => Some(text.clone()),
        Value::Number(number) => Some(number.to_string()),
        _ => None,
    }
}
