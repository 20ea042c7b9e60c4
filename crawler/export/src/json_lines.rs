//! JSON lines: one object a line, UTF-8, every field in every line.

use std::io::{self, Write};

use serde::ser::{Serialize, SerializeMap, Serializer};

use crate::columns::Columns;
use crate::field::{Value, shown_time};
use crate::page::ExportedPage;

/// Writes a page as one line.
pub(crate) fn write(page: &ExportedPage, columns: &Columns, out: &mut dyn Write) -> io::Result<()> {
    serde_json::to_writer(&mut *out, &Line { page, columns })?;
    out.write_all(b"\n")
}

/// The page as a line of JSON.
struct Line<'a> {
    page: &'a ExportedPage,
    columns: &'a Columns,
}

impl Serialize for Line<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let fields = self.columns.fields();
        let mut map = serializer.serialize_map(Some(fields.len()))?;
        for field in fields {
            match field.of(self.page) {
                None => map.serialize_entry(field.name, &None::<()>)?,
                Some(Value::Text(text)) => map.serialize_entry(field.name, text)?,
                Some(Value::Texts(texts)) => map.serialize_entry(field.name, texts)?,
                Some(Value::Time(unix_ms)) => map.serialize_entry(field.name, &shown_time(unix_ms))?,
                Some(Value::Int32(number)) => map.serialize_entry(field.name, &number)?,
                Some(Value::Int64(number)) => map.serialize_entry(field.name, &number)?,
                Some(Value::Bool(is)) => map.serialize_entry(field.name, &is)?,
                Some(Value::Real(number)) => map.serialize_entry(field.name, &number)?,
                Some(Value::Fingerprint(bits)) => map.serialize_entry(field.name, &bits.to_string())?,
            }
        }
        map.end()
    }
}
