//! Plain text: only the texts. In one file, a line with a form feed, the page break of plain text, separates them. A form feed
//! within a text becomes a line end, so that the file splits into the original number of texts.

use std::io::{self, Write};

use crate::page::ExportedPage;

/// The separator of two texts in one file.
pub(crate) const PAGE_BREAK: &[u8] = b"\x0c\n";

/// Writes the text of a page, after a separator unless it is the first.
pub(crate) fn write_next(page: &ExportedPage, is_first: bool, out: &mut dyn Write) -> io::Result<()> {
    if !is_first {
        out.write_all(PAGE_BREAK)?;
    }
    write(page, out)
}

/// Writes the text of a page, with a line end behind its last line.
pub(crate) fn write(page: &ExportedPage, out: &mut dyn Write) -> io::Result<()> {
    let text = page.text.as_deref().unwrap_or_default();
    for (i, part) in text.split('\x0c').enumerate() {
        if i > 0 {
            out.write_all(b"\n")?;
        }
        out.write_all(part.as_bytes())?;
    }
    if text.is_empty() || text.ends_with('\n') {
        return Ok(());
    }
    out.write_all(b"\n")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_splits_into_as_many_texts_as_were_written() {
        let mut out = Vec::new();
        for (i, text) in ["one\ntwo", "", "a\x0cb"].into_iter().enumerate() {
            let page = ExportedPage {
                text: Some(text.to_owned()),
                ..ExportedPage::default()
            };
            write_next(&page, i == 0, &mut out).unwrap();
        }
        assert_eq!(String::from_utf8(out).unwrap(), "one\ntwo\n\x0c\n\x0c\na\nb\n");
    }
}
