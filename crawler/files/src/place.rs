//! Places in the inputs, and faults.

use std::fmt;
use std::sync::Arc;

use storage::stored_text;

/// A place in an input.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct Place {
    /// The path of the file as given or found, or `stdin`.
    pub source: Arc<str>,
    /// The position in the file.
    pub at: At,
}

/// A position in a file.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum At {
    /// The file as a whole.
    Whole,
    /// A line, or the first line of a row of CSV, counted from 1, without lines lost in damaged compressed data.
    Line(u64),
    /// A record of a file of JSON, or a row of a Parquet file, counted from 1.
    Record(u64),
    /// An offset: of a WARC record in the decompressed file, or of damaged compressed data in the file itself.
    Byte(u64),
}

impl fmt::Display for Place {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.at {
            At::Whole => f.write_str(&self.source),
            At::Line(line) => write!(f, "{}:{line}", self.source),
            At::Record(record) => write!(f, "{}:record {record}", self.source),
            At::Byte(offset) => write!(f, "{}:byte {offset}", self.source),
        }
    }
}

/// A line, record or file without a document, with the reason.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct Fault {
    /// Where it lies.
    pub place: Place,
    /// The reason in words.
    pub reason: String,
    /// It is a record without the field for the text. Whoever names the wrong field gets such a fault for every record.
    pub lacks_text: bool,
}

impl Fault {
    /// A fault at a place, for this reason.
    pub fn new(place: Place, reason: impl AsRef<str>) -> Self {
        Self {
            place,
            reason: stored_text(reason.as_ref()),
            lacks_text: false,
        }
    }

    /// A record without the field for the text.
    pub(super) fn lacks_text(place: Place, reason: impl AsRef<str>) -> Self {
        Self {
            lacks_text: true,
            ..Self::new(place, reason)
        }
    }

    pub(super) fn too_long(place: Place, limit: usize) -> Self {
        Self::new(place, format!("it is longer than {limit} bytes (--max-document-bytes)"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_place_has_the_form_of_compiler_messages() {
        let place = |at| Place {
            source: "a/b.jsonl".into(),
            at,
        };
        assert_eq!(place(At::Whole).to_string(), "a/b.jsonl");
        assert_eq!(place(At::Line(7)).to_string(), "a/b.jsonl:7");
        assert_eq!(place(At::Record(7)).to_string(), "a/b.jsonl:record 7");
        assert_eq!(place(At::Byte(70)).to_string(), "a/b.jsonl:byte 70");
    }
}
