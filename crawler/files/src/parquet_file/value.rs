//! A row as a JSON object.
//!
//! Times are as in RFC 3339, in UTC; a decimal number is a number; bytes are a text if they are UTF-8, and hexadecimal digits otherwise; NaN
//! and infinities are null. The depth of the recursion is that of the schema.

use parquet::record::{Field, Row};

use crate::document::json_string;

/// Appends a row.
pub(super) fn write_row(row: &Row, out: &mut Vec<u8>) {
    out.push(b'{');
    separated(row.get_column_iter(), out, |(name, field), out| {
        write_text(name, out);
        out.push(b':');
        write(field, out);
    });
    out.push(b'}');
}

fn write(field: &Field, out: &mut Vec<u8>) {
    match field {
        Field::Null => out.extend_from_slice(b"null"),
        Field::Str(text) => write_text(text, out),
        Field::Bytes(bytes) => write_bytes(bytes.data(), out),
        Field::Float(number) => write_number(f64::from(*number), number, out),
        Field::Double(number) => write_number(*number, number, out),
        Field::Float16(number) => write_number(f64::from(*number), number, out),
        Field::Date(_) | Field::TimeMillis(_) | Field::TimeMicros(_) => write_text(&field.to_string(), out),
        Field::TimestampMillis(_) | Field::TimestampMicros(_) => write_text(&time(&field.to_string()), out),
        Field::Group(row) => write_row(row, out),
        Field::ListInternal(list) => {
            out.push(b'[');
            separated(list.elements().iter(), out, write);
            out.push(b']');
        }
        Field::MapInternal(map) => {
            out.push(b'{');
            separated(map.entries().iter(), out, |(key, value), out| {
                match key {
                    Field::Str(key) => write_text(key, out),
                    key => write_text(&key.to_string(), out),
                }
                out.push(b':');
                write(value, out);
            });
            out.push(b'}');
        }
        // Numbers and truth values are shown as in JSON.
        Field::Bool(_)
        | Field::Byte(_)
        | Field::Short(_)
        | Field::Int(_)
        | Field::Long(_)
        | Field::UByte(_)
        | Field::UShort(_)
        | Field::UInt(_)
        | Field::ULong(_)
        | Field::Decimal(_) => out.extend_from_slice(field.to_string().as_bytes()),
    }
}

/// Writes values with a comma between two.
fn separated<T>(values: impl Iterator<Item = T>, out: &mut Vec<u8>, mut write: impl FnMut(T, &mut Vec<u8>)) {
    for (at, value) in values.enumerate() {
        if at > 0 {
            out.push(b',');
        }
        write(value, out);
    }
}

fn write_text(text: &str, out: &mut Vec<u8>) {
    out.extend_from_slice(json_string(text).as_bytes());
}

fn write_bytes(bytes: &[u8], out: &mut Vec<u8>) {
    match std::str::from_utf8(bytes) {
        Ok(text) if !text.contains('\0') => write_text(text, out),
        _ => {
            let digits: String = bytes.iter().map(|byte| format!("{byte:02x}")).collect();
            write_text(&digits, out);
        }
    }
}

/// Writes the shortest digits of a number, which depend on its width.
fn write_number(number: f64, shown: &impl ToString, out: &mut Vec<u8>) {
    if number.is_finite() {
        out.extend_from_slice(shown.to_string().as_bytes());
    } else {
        out.extend_from_slice(b"null");
    }
}

/// A time as the library shows it, `2026-03-21 09:30:00.125 +00:00`, as RFC 3339.
fn time(shown: &str) -> String {
    let utc = shown.strip_suffix(" +00:00").map(|time| format!("{time}Z"));
    utc.unwrap_or_else(|| shown.to_owned()).replacen(' ', "T", 1)
}
