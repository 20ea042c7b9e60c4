//! CSV: RFC 4180 in UTF-8, with a header, safe to open in a spreadsheet.
//!
//! - Records end in CR LF. A field with a comma, a quote, CR or LF is quoted, and quotes in it are doubled (section 2).
//! - A missing value is an empty field; an empty text is `""`.
//! - A text that a spreadsheet would read as a formula gets a leading `'`: one that begins with `=`, `+`, `-`, `@`, their
//!   full-width forms, tab, CR or LF (OWASP, "CSV Injection"). A text that begins with `'` and then one of these gets one too.
//!   A reader can therefore restore the text: it removes one `'` from a text with such a character after its first `'`s.
//!
//! The crate `csv` is not used, because it writes a missing value and an empty text alike.

use std::io::{self, Write};

use crate::columns::Columns;
use crate::field::{Value, joined, shown_real, shown_time};
use crate::page::ExportedPage;

const RECORD_END: &[u8] = b"\r\n";

/// Writes the names of the fields.
pub(crate) fn write_header(columns: &Columns, out: &mut dyn Write) -> io::Result<()> {
    for (i, field) in columns.fields().enumerate() {
        separate(i, out)?;
        out.write_all(field.name.as_bytes())?;
    }
    out.write_all(RECORD_END)
}

/// Writes a page as one record.
pub(crate) fn write(page: &ExportedPage, columns: &Columns, out: &mut dyn Write) -> io::Result<()> {
    for (i, field) in columns.fields().enumerate() {
        separate(i, out)?;
        match field.of(page) {
            None => {}
            Some(Value::Text(text)) => write_text(text, out)?,
            Some(Value::Texts(texts)) => write_text(&joined(texts), out)?,
            Some(Value::Time(unix_ms)) => out.write_all(shown_time(unix_ms).as_bytes())?,
            Some(Value::Int32(number)) => write!(out, "{number}")?,
            Some(Value::Int64(number)) => write!(out, "{number}")?,
            Some(Value::Bool(is)) => write!(out, "{is}")?,
            Some(Value::Real(number)) => out.write_all(shown_real(number).as_bytes())?,
            Some(Value::Fingerprint(bits)) => write!(out, "{bits}")?,
        }
    }
    out.write_all(RECORD_END)
}

fn separate(index: usize, out: &mut dyn Write) -> io::Result<()> {
    if index > 0 { out.write_all(b",") } else { Ok(()) }
}

/// Writes one text as a field, quoted where it must be, and with a guard if a spreadsheet would read it as a formula.
///
/// # Errors
/// `out` cannot be written.
pub fn write_text(text: &str, out: &mut dyn Write) -> io::Result<()> {
    let guard: &[u8] = if is_taken_for_a_formula(text) { b"'" } else { b"" };
    if !text.is_empty() && guard.is_empty() && !text.contains([',', '"', '\r', '\n']) {
        return out.write_all(text.as_bytes());
    }
    out.write_all(b"\"")?;
    out.write_all(guard)?;
    for (i, part) in text.split('"').enumerate() {
        if i > 0 {
            out.write_all(b"\"\"")?;
        }
        out.write_all(part.as_bytes())?;
    }
    out.write_all(b"\"")
}

/// Whether a spreadsheet might read the text as a formula, or whether it looks like a guarded text.
fn is_taken_for_a_formula(text: &str) -> bool {
    text.trim_start_matches('\'')
        .starts_with(['=', '+', '-', '@', '\t', '\r', '\n', '＝', '＋', '－', '＠'])
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::field::Group;

    fn written(text: &str) -> String {
        let mut out = Vec::new();
        write_text(text, &mut out).unwrap();
        String::from_utf8(out).unwrap()
    }

    /// One field of RFC 4180.
    fn read(field: &str) -> String {
        match field.strip_prefix('"').and_then(|field| field.strip_suffix('"')) {
            Some(quoted) => {
                assert!(!quoted.replace("\"\"", "").contains('"'), "{field:?}");
                quoted.replace("\"\"", "\"")
            }
            None => {
                assert!(!field.contains([',', '"', '\r', '\n']), "{field:?}");
                field.to_owned()
            }
        }
    }

    fn unguarded(text: &str) -> &str {
        if is_taken_for_a_formula(text) {
            text.strip_prefix('\'').expect("a guard")
        } else {
            text
        }
    }

    #[test]
    fn texts_are_quoted_where_rfc_4180_requires_it() {
        for (text, field) in [
            ("plain", "plain"),
            ("", "\"\""),
            ("a,b", "\"a,b\""),
            ("say \"hi\"", "\"say \"\"hi\"\"\""),
            ("=cmd()", "\"'=cmd()\""),
            ("-1", "\"'-1\""),
            ("+1", "\"'+1\""),
            ("@x", "\"'@x\""),
            ("\tx", "\"'\tx\""),
            ("\rx", "\"'\rx\""),
            ("＝x", "\"'＝x\""),
            ("'=x", "\"''=x\""),
            ("'90s music", "'90s music"),
            ("a=b", "a=b"),
        ] {
            assert_eq!(written(text), field);
        }
    }

    #[test]
    fn every_record_has_every_field() {
        let mut out = Vec::new();
        let columns = Columns::new(64, &[Group::Markdown, Group::Metadata]);
        write_header(&columns, &mut out).unwrap();
        write(&ExportedPage::default(), &columns, &mut out).unwrap();
        let text = String::from_utf8(out).unwrap();
        let records: Vec<&str> = text.split_terminator("\r\n").collect();
        assert_eq!(records.len(), 2);
        for record in records {
            assert_eq!(record.split(',').count(), columns.fields().len());
        }
    }

    proptest! {
        #[test]
        fn any_text_reads_back_and_is_not_a_formula(text in "[-='+@\t\r\n\",＝a-c\u{202e}]{0,6}|\\PC{0,20}") {
            let field = read(&written(&text));
            prop_assert_eq!(unguarded(&field), text.as_str());
            prop_assert!(!field.starts_with(['=', '+', '-', '@', '\t', '\r']));
        }
    }
}
