//! A document as a line of an output.

use files::{Document, json_string};

/// Appends the unchanged input line, or an object with the fields of the document.
pub(super) fn write_record(document: &Document<'_>, record: &mut Vec<u8>) {
    match document.line {
        Some(line) => record.extend_from_slice(line),
        None => {
            let or_null = |text: Option<&str>| text.map_or("null".to_owned(), json_string);
            let (id, text) = (document.id, json_string(document.text));
            let (url, title) = (or_null(document.url), or_null(document.title));
            let object = format!("{{\"id\":{id},\"text\":{text},\"url\":{url},\"title\":{title}}}");
            record.extend_from_slice(object.as_bytes());
        }
    }
    record.push(b'\n');
}
