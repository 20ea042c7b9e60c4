//! The format of a file: set by the user, or detected by its first bytes or by its name.

use std::path::Path;

use page::documents::Kind;
use page::sniff::{is_binary, looks_like_html};
use storage::warc::is_version;

/// Bytes at the start of a file that the detection needs. It also uses further bytes that are already buffered.
pub(super) const TELLING_BYTES: usize = 16;

/// The format of a file with documents.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Format {
    /// One JSON object on each line.
    Jsonl,
    /// One plain text, in any encoding.
    Text,
    /// One web page, in any encoding.
    Html,
    /// WARC and WET: pages and texts.
    Warc,
    /// A document that is neither HTML nor plain text.
    Document(Kind),
}

impl Format {
    /// The format for a file's ending, without the ending of a compression.
    #[must_use]
    pub fn of_name(path: &Path) -> Option<Self> {
        let name = path.file_name()?.to_str()?.to_ascii_lowercase();
        let is_compression = |ending: &str| matches!(ending, "gz" | "zst" | "zstd");
        let unpacked = match name.rsplit_once('.') {
            Some((before, ending)) if is_compression(ending) => before,
            _ => &name,
        };
        Some(match unpacked.rsplit_once('.')?.1 {
            "jsonl" | "ndjson" => Self::Jsonl,
            "txt" | "text" => Self::Text,
            "md" | "markdown" => Self::Document(Kind::Markdown),
            "pdf" => Self::Document(Kind::Pdf),
            "docx" => Self::Document(Kind::Docx),
            "epub" => Self::Document(Kind::Epub),
            "rss" | "atom" => Self::Document(Kind::Feed),
            "html" | "htm" | "xhtml" | "xht" => Self::Html,
            "warc" | "wet" => Self::Warc,
            _ => return None,
        })
    }

    /// The media type of a document that is a whole file.
    #[must_use]
    pub fn media_type(self) -> &'static str {
        match self {
            Self::Html => "text/html",
            Self::Text | Self::Jsonl | Self::Warc => "text/plain",
            Self::Document(kind) => kind.media_type(),
        }
    }

    /// Whether such files consist of characters.
    #[must_use]
    pub fn is_text(self) -> bool {
        !matches!(self, Self::Document(Kind::Pdf | Kind::Docx | Kind::Epub))
    }

    /// The format of a file that begins with `start` and whose name has the format `by_name`; `None` if the file is binary.
    #[must_use]
    pub fn of_content(start: &[u8], by_name: Option<Self>) -> Option<Self> {
        if is_version(start) {
            return Some(Self::Warc);
        }
        if start.starts_with(b"%PDF-") {
            return Some(Self::Document(Kind::Pdf));
        }
        by_name.or_else(|| {
            let shown = start.strip_prefix(b"\xef\xbb\xbf").unwrap_or(start).trim_ascii_start();
            if shown.starts_with(b"{") {
                Some(Self::Jsonl)
            } else if looks_like_html(shown) {
                Some(Self::Html)
            } else if let Some(kind) = Kind::of_bytes(start) {
                Some(Self::Document(kind))
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
    fn a_name_has_a_format_with_any_compression() {
        for (name, form) in [
            ("a.jsonl", Some(Format::Jsonl)),
            ("a.NDJSON.zst", Some(Format::Jsonl)),
            ("b/c.txt", Some(Format::Text)),
            ("index.HTM.gz", Some(Format::Html)),
            ("CC-MAIN-1.warc.wet.gz", Some(Format::Warc)),
            ("x.warc", Some(Format::Warc)),
            ("README.md", Some(Format::Document(Kind::Markdown))),
            ("policy.pdf.gz", Some(Format::Document(Kind::Pdf))),
            ("picture.png", None),
            ("README", None),
            ("archive.tar.gz", None),
        ] {
            assert_eq!(Format::of_name(Path::new(name)), form, "{name}");
        }
    }

    #[test]
    fn content_decides_if_the_name_has_no_format() {
        for (start, form) in [
            (&b"WARC/1.0\r\n"[..], Some(Format::Warc)),
            (b"warc/1.1\n", Some(Format::Warc)),
            (b"WARC/ files", Some(Format::Text)),
            (b"\xef\xbb\xbf {\"id\"", Some(Format::Jsonl)),
            (b"\n<!DOCTYPE HTML>", Some(Format::Html)),
            (b"<?xml version='1.0'?>\n<html xmlns", Some(Format::Html)),
            (b"<?xml version='1.0'?>\n<rss>", Some(Format::Document(Kind::Feed))),
            (b"%PDF-1.7\n%\xe2\xe3", Some(Format::Document(Kind::Pdf))),
            (
                b"PK\x03\x04 mimetypeapplication/epub+zip",
                Some(Format::Document(Kind::Epub)),
            ),
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
