//! The first row of a table, which names its columns.

use super::Separator;
use super::cutter::Row;
use crate::document::json_string;
use crate::field_names::{self, FieldNames};
use crate::json_line::Refusal;
use crate::not_utf8::not_utf8;
use crate::reading::Reading;

/// Most columns of a table. Wider ones hold measurements, not texts.
const MAX_COLUMNS: usize = 10_000;

/// Most bytes of the names of all columns. Each row has them in its JSON object.
const MAX_NAMES_BYTES: usize = 1 << 20;

/// The columns of a table.
#[derive(Debug)]
pub(super) struct Header {
    /// The key of each column in a JSON object, with its colon; `None` for a column that nobody needs.
    keys: Vec<Option<String>>,
}

impl Header {
    /// Reads the first row.
    ///
    /// # Errors
    /// The row names no columns, or none of them is the text.
    pub fn read(row: &Row, reading: &Reading) -> Result<Self, Refusal> {
        if row.cells() > MAX_COLUMNS {
            return Err(format!("its first row names more than {MAX_COLUMNS} columns").into());
        }
        if row.length() > MAX_NAMES_BYTES {
            return Err(format!("the names in its first row have more than {MAX_NAMES_BYTES} bytes").into());
        }
        let mut names = Vec::new();
        for cell in row.iter() {
            let name =
                std::str::from_utf8(cell.unwrap_or_default()).map_err(|error| not_utf8(row.iter().flatten(), error))?;
            names.push(name.trim().to_owned());
        }
        let fields = &reading.fields;
        if !names.contains(&fields.text) {
            let reason = field_names::lacking(&fields.text, &FieldNames::of_columns(names));
            return Err(Refusal {
                reason: format!("{reason} (the first row of a table names its columns)"),
                lacks_text: true,
            });
        }
        let key = |name: String| (reading.whole_rows || fields.has(&name)).then(|| json_string(&name) + ":");
        Ok(Self {
            keys: names.into_iter().map(key).collect(),
        })
    }

    pub fn columns(&self) -> usize {
        self.keys.len()
    }

    /// Says why a row is none of this table.
    pub fn check(&self, row: &Row) -> Result<(), String> {
        if row.cells() != self.columns() {
            let cells = if row.cells() == 1 { "cell" } else { "cells" };
            return Err(format!(
                "it has {} {cells}, but the header names {} columns",
                row.cells(),
                self.columns()
            ));
        }
        let needed = self.keys.iter().zip(row.iter()).filter(|(key, _)| key.is_some());
        for cell in needed.filter_map(|(_, cell)| cell) {
            std::str::from_utf8(cell).map_err(|error| not_utf8(row.iter().flatten(), error))?;
        }
        Ok(())
    }

    /// Appends a row that was checked as a JSON object.
    pub fn write(&self, row: &Row, out: &mut Vec<u8>) {
        out.push(b'{');
        let mut is_first = true;
        for (key, cell) in self.keys.iter().zip(row.iter()) {
            let Some(key) = key else { continue };
            if !std::mem::take(&mut is_first) {
                out.push(b',');
            }
            out.extend_from_slice(key.as_bytes());
            match cell.map(String::from_utf8_lossy) {
                None => out.extend_from_slice(b"null"),
                Some(text) => out.extend_from_slice(json_string(&text).as_bytes()),
            }
        }
        out.push(b'}');
    }
}

/// What the first line of a table has between its cells.
pub(super) fn separator(separator: Separator, start: &[u8]) -> u8 {
    let mut counts = [(b',', 0), (b';', 0), (b'\t', 0), (b'|', 0)];
    if separator == Separator::Tab {
        return b'\t';
    }
    let mut is_quoted = false;
    for &byte in start {
        match byte {
            b'"' => is_quoted = !is_quoted,
            b'\n' | b'\r' if !is_quoted => break,
            byte if !is_quoted => {
                if let Some((_, count)) = counts.iter_mut().find(|(separator, _)| *separator == byte) {
                    *count += 1;
                }
            }
            _ => {}
        }
    }
    // The first of several with the same count.
    let most = counts.into_iter().rev().max_by_key(|(_, count)| *count);
    most.map_or(b',', |(separator, _)| separator)
}

/// Whether the first line names the columns of a table, one of which is the text.
pub(crate) fn is_table(start: &[u8]) -> bool {
    const LONGEST_NAME: usize = 40;
    const TEXTS: [&str; 4] = ["text", "content", "body", "document"];
    let Some(end) = memchr::memchr2(b'\n', b'\r', start) else {
        return false;
    };
    let Ok(line) = std::str::from_utf8(&start[..end]) else {
        return false;
    };
    [',', '\t', ';', '|'].iter().any(|separator| {
        let names: Vec<String> = line
            .split(*separator)
            .map(|name| name.trim().trim_matches('"').to_ascii_lowercase())
            .collect();
        let is_name = |name: &String| {
            let is_word = |c: char| c.is_alphanumeric() || matches!(c, '_' | '-' | '.');
            (1..=LONGEST_NAME).contains(&name.len()) && name.chars().all(is_word)
        };
        names.len() > 1 && names.iter().all(is_name) && names.iter().any(|name| TEXTS.contains(&name.as_str()))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_separator_is_what_the_first_line_has_most_of() {
        for (start, found) in [
            ("id,text\n1;2;3;4", b','),
            ("id;text;a,b\n", b';'),
            ("id\ttext\n", b'\t'),
            ("id|text\n", b'|'),
            ("\"a;b;c\",text\n", b','),
            ("text\n", b','),
            ("", b','),
        ] {
            assert_eq!(separator(Separator::Guessed, start.as_bytes()), found, "{start}");
        }
        assert_eq!(separator(Separator::Tab, b"a,b,c\n"), b'\t');
    }
}
