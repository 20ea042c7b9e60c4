//! The format of a file: set by the user, or detected by its first bytes or by its name.

use std::path::Path;

use page::documents::Kind;
use page::sniff::{is_binary, looks_like_html};
use storage::warc::is_version;

use super::csv::is_table;
use super::json_layout::has_a_record_on_each_line;
use super::mime::is_message;
use super::refused;

/// Bytes at the start of a file that the detection needs. It also uses further bytes that are already buffered.
pub(super) const TELLING_BYTES: usize = 16;

/// The format of a file with documents.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Format {
    /// One JSON object on each line.
    Jsonl,
    /// JSON objects in another layout: in an array, on several lines, or without line ends.
    Json,
    /// A table with a header: CSV (RFC 4180), also with semicolons, tabs or vertical bars between the cells.
    Csv,
    /// A table with a header and tabs between the cells.
    Tsv,
    /// A Parquet file.
    Parquet,
    /// One plain text, in any encoding.
    Text,
    /// One web page, in any encoding.
    Html,
    /// A page that a browser saved as a MIME message (MHTML), or mail.
    Mime,
    /// WARC and WET: pages and texts.
    Warc,
    /// ARC, the format before WARC.
    Arc,
    /// A document that is neither HTML nor plain text.
    Document(Kind),
}

impl Format {
    /// The format for a file's ending, without the ending of a compression.
    #[must_use]
    pub fn of_name(path: &Path) -> Option<Self> {
        Some(match &ending(path)?[..] {
            "jsonl" | "ndjson" => Self::Jsonl,
            "csv" | "psv" => Self::Csv,
            "tsv" | "tab" => Self::Tsv,
            "parquet" | "pq" => Self::Parquet,
            "txt" | "text" => Self::Text,
            "md" | "markdown" => Self::Document(Kind::Markdown),
            "pdf" => Self::Document(Kind::Pdf),
            "docx" => Self::Document(Kind::Docx),
            "epub" => Self::Document(Kind::Epub),
            "rss" | "atom" => Self::Document(Kind::Feed),
            "html" | "htm" | "xhtml" | "xht" => Self::Html,
            "mhtml" | "mht" => Self::Mime,
            "warc" | "wet" => Self::Warc,
            "arc" => Self::Arc,
            _ => return None,
        })
    }

    /// The media type of a document that is a whole file.
    #[must_use]
    pub fn media_type(self) -> &'static str {
        match self {
            Self::Html | Self::Mime => "text/html",
            Self::Text | Self::Jsonl | Self::Json | Self::Warc | Self::Arc => "text/plain",
            Self::Csv => "text/csv",
            Self::Tsv => "text/tab-separated-values",
            Self::Parquet => "application/vnd.apache.parquet",
            Self::Document(kind) => kind.media_type(),
        }
    }

    /// Whether such files consist of characters.
    #[must_use]
    pub fn is_text(self) -> bool {
        !matches!(
            self,
            Self::Parquet | Self::Document(Kind::Pdf | Kind::Docx | Kind::Epub)
        )
    }

    /// Whether such a file has many documents.
    #[must_use]
    pub fn is_collection(self) -> bool {
        matches!(
            self,
            Self::Jsonl | Self::Json | Self::Csv | Self::Tsv | Self::Parquet | Self::Warc | Self::Arc
        )
    }

    /// The format of a file that begins with `start`; `name` is that of the file, if it has one.
    ///
    /// # Errors
    /// The file is of a kind that nothing here reads: what it is, and what to do.
    pub fn of_content(start: &[u8], name: Option<&Path>) -> Result<Self, String> {
        let by_name = name.and_then(Self::of_name);
        if is_version(start) {
            return Ok(Self::Warc);
        }
        if is_arc(start) {
            return Ok(Self::Arc);
        }
        if start.starts_with(b"%PDF-") {
            return Ok(Self::Document(Kind::Pdf));
        }
        if start.starts_with(b"PAR1") {
            return Ok(Self::Parquet);
        }
        // What its first bytes say is surer than a name, but the reader of a packed document says more about one that is broken.
        let is_packed = matches!(by_name, Some(Self::Document(Kind::Pdf | Kind::Docx | Kind::Epub)));
        if !is_packed
            && Kind::of_bytes(start).is_none()
            && let Some(reason) = refused::by_content(start)
        {
            return Err(reason);
        }
        if by_name != Some(Self::Jsonl) && is_message(start) {
            return Ok(Self::Mime);
        }
        let is_plain = matches!(by_name, None | Some(Self::Text | Self::Html | Self::Jsonl));
        if is_plain && let Some(json) = json(start, name) {
            return json;
        }
        if matches!(by_name, Some(Self::Csv | Self::Tsv)) && matches!(start, [0xff, 0xfe, ..] | [0xfe, 0xff, ..]) {
            return Err("it is a table in UTF-16: convert it to UTF-8, for example by iconv -f UTF-16 -t UTF-8".into());
        }
        if let Some(format) = by_name {
            return Ok(format);
        }
        if let Some(reason) = name.and_then(|name| refused::by_ending(&ending(name)?)) {
            return Err(reason);
        }
        let shown = shown(start);
        if looks_like_html(shown) {
            Ok(Self::Html)
        } else if let Some(kind) = Kind::of_bytes(start) {
            Ok(Self::Document(kind))
        } else if let Some(reason) = refused::by_text(shown) {
            Err(reason)
        } else if is_table(shown) {
            Ok(Self::Csv)
        } else if is_binary(start) {
            Err("the file is neither text nor WARC, nor a document of a known kind".into())
        } else {
            Ok(Self::Text)
        }
    }
}

/// Whether a file that begins with `start` is an ARC file.
pub(super) fn is_arc(start: &[u8]) -> bool {
    const MARK: &[u8] = b"filedesc://";
    start
        .get(..MARK.len())
        .is_some_and(|mark| mark.eq_ignore_ascii_case(MARK))
}

/// The ending of a name in lower case, without the ending of a compression.
fn ending(path: &Path) -> Option<String> {
    let name = path.file_name()?.to_str()?.to_ascii_lowercase();
    let is_compression = |ending: &str| matches!(ending, "gz" | "zst" | "zstd");
    let unpacked = match name.rsplit_once('.') {
        Some((before, ending)) if is_compression(ending) => before,
        _ => &name,
    };
    unpacked.rsplit_once('.').map(|(_, ending)| ending.to_owned())
}

/// The beginning of a text without marks and white space.
fn shown(start: &[u8]) -> &[u8] {
    let mut rest = start;
    while let Some(after) = rest.strip_prefix(b"\xef\xbb\xbf") {
        rest = after;
    }
    rest.trim_ascii_start()
}

/// Which JSON begins with `start`; `None` if this is no JSON, or a text that may be none.
fn json(start: &[u8], name: Option<&Path>) -> Option<Result<Format, String>> {
    let ending = name.and_then(ending).unwrap_or_default();
    let is_by_name = matches!(&ending[..], "json" | "jsonl" | "ndjson");
    if refused::is_utf16_json(start) && (is_by_name || name.is_none_or(|name| Format::of_name(name).is_none())) {
        return Some(Err(
            "it is JSON in UTF-16: convert it to UTF-8, for example by iconv -f UTF-16 -t UTF-8".into(),
        ));
    }
    let shown = shown(start);
    let is_object = begins_object(shown);
    let format = match shown.first()? {
        // A name such as .txt says that the file is no JSON; a key with a colon says more.
        b'{' if is_object || is_by_name || name.and_then(Format::of_name).is_none() => {
            if has_a_record_on_each_line(shown) {
                Format::Jsonl
            } else {
                Format::Json
            }
        }
        b'[' => {
            let first = shown[1..].trim_ascii_start();
            let is_array =
                begins_object(first) || is_by_name && first.first().is_none_or(|first| b"[{]\"".contains(first));
            if is_array { Format::Json } else { return None }
        }
        _ => return None,
    };
    Some(Ok(format))
}

/// Whether a key and a colon follow `{`.
fn begins_object(start: &[u8]) -> bool {
    let key = start
        .strip_prefix(b"{")
        .and_then(|rest| rest.trim_ascii_start().strip_prefix(b"\""));
    let after = key.and_then(|key| Some(&key[memchr::memchr2(b'"', b'\n', key)?..]));
    after.is_some_and(|after| {
        after
            .strip_prefix(b"\"")
            .is_some_and(|after| after.trim_ascii_start().starts_with(b":"))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_has_a_format_with_any_compression() {
        for (name, form) in [
            ("a.jsonl", Some(Format::Jsonl)),
            ("a.NDJSON.zst", Some(Format::Jsonl)),
            ("a.CSV.gz", Some(Format::Csv)),
            ("a.tsv", Some(Format::Tsv)),
            ("train-00000-of-00001.parquet", Some(Format::Parquet)),
            ("b/c.txt", Some(Format::Text)),
            ("index.HTM.gz", Some(Format::Html)),
            ("CC-MAIN-1.warc.wet.gz", Some(Format::Warc)),
            ("x.warc", Some(Format::Warc)),
            ("IAH-1.arc.gz", Some(Format::Arc)),
            ("saved.mht", Some(Format::Mime)),
            ("README.md", Some(Format::Document(Kind::Markdown))),
            ("policy.pdf.gz", Some(Format::Document(Kind::Pdf))),
            ("picture.png", None),
            ("data.json", None),
            ("README", None),
            ("archive.tar.gz", None),
        ] {
            assert_eq!(Format::of_name(Path::new(name)), form, "{name}");
        }
    }

    #[test]
    fn content_decides_if_the_name_has_no_format() {
        for (start, form) in [
            (&b"WARC/1.0\r\n"[..], Format::Warc),
            (b"warc/1.1\n", Format::Warc),
            (b"WARC/ files", Format::Text),
            (b"filedesc://a.arc 0.0.0.0 20050401 text/plain 76\n", Format::Arc),
            (b"\xef\xbb\xbf {\"id\"", Format::Jsonl),
            (b"\n<!DOCTYPE HTML>", Format::Html),
            (b"<?xml version='1.0'?>\n<html xmlns", Format::Html),
            (b"<?xml version='1.0'?>\n<rss>", Format::Document(Kind::Feed)),
            (b"%PDF-1.7\n%\xe2\xe3", Format::Document(Kind::Pdf)),
            (b"PK\x03\x04 mimetypeapplication/epub+zip", Format::Document(Kind::Epub)),
            (b"From: <Saved by Blink>\r\nMIME-Version: 1.0\r\n\r\n", Format::Mime),
            (b"PAR1\x15\0", Format::Parquet),
            (b"id,text,url\n1,x,y\n", Format::Csv),
            (b"\xef\xbb\xbf\"id\";\"text\"\n1;x\n", Format::Csv),
            (b"Once upon a time", Format::Text),
            (b"", Format::Text),
        ] {
            assert_eq!(Format::of_content(start, None), Ok(form), "{start:?}");
        }
        assert_eq!(
            Format::of_content(b"WARC/1.1\r\n", Some(Path::new("a.txt"))),
            Ok(Format::Warc)
        );
    }

    #[test]
    fn json_is_told_from_a_text_and_by_its_layout() {
        for (name, start, form) in [
            ("a.json", "[{\"a\":1}]", Format::Json),
            ("a.json", "{\n \"a\": 1\n}", Format::Json),
            ("a.json", "{\"a\": 1}", Format::Jsonl),
            ("a.json", "[\"a\"]", Format::Json),
            ("a.json", "[]", Format::Json),
            ("a.jsonl", " [\n{\"a\":1}]", Format::Json),
            ("a.jsonl", "\u{feff}{\"a\":1}{\"a\":2}", Format::Json),
            ("a.jsonl", "\u{feff}{\"a\":1}\n{\"a\":2}", Format::Jsonl),
            ("a.jsonl", "words", Format::Jsonl),
            ("a.txt", "[{\"a\":1}]", Format::Json),
            ("a.txt", "{\"a\":1}\n", Format::Jsonl),
            ("a.html", "{\"a\" : 1}\n", Format::Jsonl),
            ("a.txt", "{ said the author", Format::Text),
            ("a.txt", "{\"quoted\" words}", Format::Text),
            ("a.txt", "[1] See", Format::Text),
            ("a", "[Chapter 1]", Format::Text),
            ("a", "[{\"a\":1}]", Format::Json),
            ("a", "{ a", Format::Jsonl),
            ("a.md", "[{\"a\":1}]", Format::Document(Kind::Markdown)),
        ] {
            assert_eq!(
                Format::of_content(start.as_bytes(), Some(Path::new(name))),
                Ok(form),
                "{name} {start}"
            );
        }
    }

    #[test]
    fn a_file_that_nothing_reads_is_refused_by_name_or_content() {
        let tar = [vec![b'a'; 257], b"ustar\0".to_vec(), vec![0; 300]].concat();
        for (name, start, part) in [
            ("a.bin", &b"\x89PNG\r\n\x1a\n\0\0\0\r"[..], "image/png"),
            ("a.bin", b"\0\x01\x02\x03", "neither text nor WARC"),
            ("a.csv", b"\xff\xfei\0d\0", "UTF-16"),
            ("a.txt", b"PK\x03\x04 xl/workbook.xml", "spreadsheet"),
            ("a.zip", b"PK\x03\x04 a.txt", "ZIP"),
            ("a.wacz", b"PK\x03\x04 datapackage.json archive/a.warc", "WACZ"),
            ("a.tar.gz", &tar, "tar"),
            ("a.txt", b"BZh91AY", "bzip2"),
            ("a.jsonl.xz", b"\xfd7zXZ\0", "xz"),
            ("a.gz.gz", b"\x1f\x8b\x08", "twice"),
            ("a.doc", b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1", "Microsoft"),
            ("a.rtf", b"{\\rtf1 x}", "RTF"),
            ("a.db", b"SQLite format 3\0", "SQLite"),
            ("a.webarchive", b"bplist00", "property list"),
            ("a.json", b"\xff\xfe{\0\"\0", "UTF-16"),
            ("a", b"\xff\xfe[\0{\0", "UTF-16"),
            ("a.xml", b"<?xml version='1.0'?><mediawiki>", "<mediawiki>"),
            ("a.xml", b"<urlset>", "<urlset>"),
            (
                "a.mbox",
                b"From a@b.example Mon Jan  1 00:00:00 2026\nReceived: x\nSubject: y\n",
                "mailbox",
            ),
            ("a.cdxj", b"com,example)/ 2026 {}", "index"),
            ("a.cdx", b" CDX N b a", "index"),
        ] {
            let reason = Format::of_content(start, Some(Path::new(name))).unwrap_err();
            assert!(reason.contains(part), "{name}: {reason}");
        }
        // A text that resembles one of them is a text.
        for (name, start) in [
            ("a", &b"Dear reader, this text, as it is,\nhas commas."[..]),
            ("a", b"text"),
            ("a", b"From here on, everything changes.\n"),
            ("a", b"BZhang is a name"),
            ("a.txt", b"id,text\n1,x"),
            ("a.txt", b"<?xml version='1.0'?><mediawiki>"),
        ] {
            assert_eq!(
                Format::of_content(start, Some(Path::new(name))),
                Ok(Format::Text),
                "{name}"
            );
        }
    }
}
