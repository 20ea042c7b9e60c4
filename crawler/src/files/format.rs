//! Which form a file has: by what it begins with, by its name, or because the user says so.

use std::path::Path;

use page::sniff::{is_binary, looks_like_html};

/// Bytes at a file's start that are waited for before its form is decided; as many more as are there are looked at.
pub(super) const TELLING_BYTES: usize = 16;

/// The forms that documents come in.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Format {
    /// One JSON object a line.
    Jsonl,
    /// A plain text, in any encoding.
    Text,
    /// A web page, in any encoding.
    Html,
    /// Web archive: pages and texts of WARC and WET files.
    Warc,
}

impl Format {
    /// What a file's name says: its ending, that of a packing left out.
    #[must_use]
    pub fn of_name(path: &Path) -> Option<Self> {
        let name = path.file_name()?.to_str()?.to_ascii_lowercase();
        let is_packing = |ending: &str| matches!(ending, "gz" | "zst" | "zstd");
        let unpacked = match name.rsplit_once('.') {
            Some((before, ending)) if is_packing(ending) => before,
            _ => &name,
        };
        Some(match unpacked.rsplit_once('.')?.1 {
            "jsonl" | "ndjson" => Self::Jsonl,
            "txt" | "text" | "md" => Self::Text,
            "html" | "htm" | "xhtml" | "xht" => Self::Html,
            "warc" | "wet" => Self::Warc,
            _ => return None,
        })
    }

    /// The media type of a file of this form that is one document.
    #[must_use]
    pub fn media_type(self) -> &'static str {
        match self {
            Self::Html => "text/html",
            Self::Text | Self::Jsonl | Self::Warc => "text/plain",
        }
    }

    /// What a file is that begins with `start`, where its name says `by_name`; `None` if it is binary.
    #[must_use]
    pub fn of_content(start: &[u8], by_name: Option<Self>) -> Option<Self> {
        if start.starts_with(b"WARC/") {
            return Some(Self::Warc);
        }
        by_name.or_else(|| {
            let shown = start.strip_prefix(b"\xef\xbb\xbf").unwrap_or(start).trim_ascii_start();
            if shown.starts_with(b"{") {
                Some(Self::Jsonl)
            } else if looks_like_html(shown) {
                Some(Self::Html)
            } else {
                (!is_binary(start)).then_some(Self::Text)
            }
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_tell_the_form_whatever_the_packing() {
        for (name, form) in [
            ("a.jsonl", Some(Format::Jsonl)),
            ("a.NDJSON.zst", Some(Format::Jsonl)),
            ("b/c.txt", Some(Format::Text)),
            ("index.HTM.gz", Some(Format::Html)),
            ("CC-MAIN-1.warc.wet.gz", Some(Format::Warc)),
            ("x.warc", Some(Format::Warc)),
            ("picture.png", None),
            ("README", None),
            ("archive.tar.gz", None),
        ] {
            assert_eq!(Format::of_name(Path::new(name)), form, "{name}");
        }
    }

    #[test]
    fn content_tells_where_the_name_does_not() {
        for (start, form) in [
            (&b"WARC/1.0\r\n"[..], Some(Format::Warc)),
            (b"\xef\xbb\xbf {\"id\"", Some(Format::Jsonl)),
            (b"\n<!DOCTYPE HTML>", Some(Format::Html)),
            (b"<?xml version='1.0'?>\n<html xmlns", Some(Format::Html)),
            (b"<?xml version='1.0'?>\n<rss", Some(Format::Text)),
            (b"Once upon a time", Some(Format::Text)),
            (b"\x89PNG\r\n\x1a\n\0\0\0\r", None),
            (b"", Some(Format::Text)),
        ] {
            assert_eq!(Format::of_content(start, None), form, "{start:?}");
        }
        assert_eq!(
            Format::of_content(b"{ said the author", Some(Format::Text)),
            Some(Format::Text)
        );
        assert_eq!(
            Format::of_content(b"WARC/1.1\r\n", Some(Format::Text)),
            Some(Format::Warc)
        );
    }
}
