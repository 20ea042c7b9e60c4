//! Files that nothing here reads: what they are, and what to do with them. Without this, a table or a package would be one large text.

use memchr::memmem;
use page::sniff::media_type_of_binary;

/// How files that are not text begin: the offset, the bytes, what the file is.
const MARKS: [(usize, &[u8], &str); 20] = [
    (
        0,
        b"ARROW1\0",
        "an Arrow file: write it as Parquet, or use the Python package, which reads its columns",
    ),
    (0, b"ORC", "an ORC file: write its rows as JSON lines"),
    (0, b"Obj\x01", "an Avro file: write its records as JSON lines"),
    (
        0,
        b"SQLite format 3\0",
        "an SQLite database: write its rows as JSON lines",
    ),
    (0, b"\x89HDF", "an HDF5 file: write its records as JSON lines"),
    (0, b"\x93NUMPY", "a file of NumPy: write its records as JSON lines"),
    (
        0,
        b"bplist00",
        "a binary property list, as Safari saves pages: save the page as HTML",
    ),
    (
        0,
        b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1",
        "a document of Microsoft Office before 2007: save it as DOCX or PDF",
    ),
    (0, b"{\\rtf", "an RTF document: save it as DOCX or PDF"),
    (257, b"ustar", "a tar archive: unpack it and give the folder"),
    (0, b"7z\xbc\xaf\x27\x1c", "a 7z archive: unpack it and give the folder"),
    (0, b"Rar!\x1a\x07", "a RAR archive: unpack it and give the folder"),
    (0, b"PK\x05\x06", "a ZIP archive without files"),
    (
        0,
        b"\xfd7zXZ\0",
        "compressed by xz: unpack it first, for example by xz -dc FILE | crawler dedup -",
    ),
    (
        0,
        b"\x04\x22\x4d\x18",
        "compressed by lz4: unpack it first, for example by lz4 -dc FILE | crawler dedup -",
    ),
    (0, b"LZIP\x01", "compressed by lzip: unpack it first"),
    (
        0,
        b"\x1f\x9d",
        "compressed by compress: unpack it first, for example by zcat FILE | crawler dedup -",
    ),
    (
        0,
        b"\x1f\x8b",
        "compressed twice: unpack it once, for example by zcat FILE | crawler dedup -",
    ),
    (
        0,
        b"\x28\xb5\x2f\xfd",
        "compressed twice: unpack it once, for example by zstdcat FILE | crawler dedup -",
    ),
    (0, b"!<arch>\n", "an archive of ar: unpack it and give the folder"),
];

/// What a ZIP archive is by the names of its files, which are not compressed.
const PACKAGES: [(&[u8], &str); 5] = [
    (b"xl/", "a spreadsheet: save it as CSV in UTF-8"),
    (b"ppt/", "a presentation: save it as PDF"),
    (
        b"application/vnd.oasis.opendocument",
        "an OpenDocument file: save it as DOCX or PDF",
    ),
    (
        b"datapackage.json",
        "a WACZ package: unpack it; the WARC files are in its folder archive",
    ),
    (b"", "a ZIP archive: unpack it and give the folder"),
];

/// Why a file that begins with `start` is not read, if its bytes say so whatever its name.
pub(super) fn by_content(start: &[u8]) -> Option<String> {
    let begins =
        |(offset, mark, _): &&(usize, &[u8], &str)| start.get(*offset..).is_some_and(|rest| rest.starts_with(mark));
    if let Some((_, _, what)) = MARKS.iter().find(begins) {
        return Some(format!("it is {what}"));
    }
    if let [b'B', b'Z', b'h', b'1'..=b'9', b'1', b'A', b'Y', ..] = start {
        return Some(
            "it is compressed by bzip2: unpack it first, for example by bzip2 -dc FILE | crawler dedup -".into(),
        );
    }
    if start.starts_with(b"PK\x03\x04") {
        let has = |(name, _): &&(&[u8], &str)| memmem::find(start, name).is_some();
        return PACKAGES.iter().find(has).map(|(_, what)| format!("it is {what}"));
    }
    media_type_of_binary(start).map(|media_type| format!("it is {media_type}, not a text"))
}

/// Why a file with this ending, in lower case, is not read.
pub(super) fn by_ending(ending: &str) -> Option<String> {
    Some(match ending {
        "cdx" | "cdxj" => "it is an index of WARC files, which holds no document: give the WARC files".into(),
        _ => return None,
    })
}

/// Why a text that begins with `start` is not read if its name says nothing.
pub(super) fn by_text(start: &[u8]) -> Option<String> {
    if let Some(root) = root_of_xml(start) {
        return Some(format!(
            "it is XML with the root <{root}>, which is neither XHTML nor a feed: write its texts as JSON lines; --format text reads it as one \
             text"
        ));
    }
    if start.starts_with(b"From ") && is_mailbox(start) {
        return Some("it is a mailbox: write its messages as JSON lines, or each into a file of its own".into());
    }
    if start.starts_with(b"CDX ") {
        return by_ending("cdx");
    }
    None
}

/// The name of the first element of XML; `None` if the text is no XML, or has a root of HTML.
fn root_of_xml(start: &[u8]) -> Option<String> {
    const OF_XML: [&str; 6] = ["urlset", "sitemapindex", "mediawiki", "opml", "svg", "TEI"];
    let is_declared = start.starts_with(b"<?xml");
    let text = String::from_utf8_lossy(start);
    let tag = text
        .split('<')
        .skip(1)
        .find(|tag| tag.starts_with(|c: char| c.is_alphabetic() || c == '_'))?;
    let end = tag.find(|c: char| c.is_whitespace() || matches!(c, '>' | '/'))?;
    let root = &tag[..end];
    (is_declared || start.starts_with(b"<") && OF_XML.contains(&root)).then(|| root.chars().take(40).collect())
}

/// Whether the line `From ` is that of a message in a mailbox: fields follow it (RFC 4155).
fn is_mailbox(start: &[u8]) -> bool {
    let second = start.split(|byte| *byte == b'\n').nth(1).unwrap_or_default();
    let name = second.split(|byte| *byte == b':').next().unwrap_or_default();
    name.len() < second.len()
        && !name.is_empty()
        && name.iter().all(|byte| byte.is_ascii_alphanumeric() || *byte == b'-')
}

/// Whether the file is JSON in UTF-16: there is a zero byte beside `{` or `[`.
pub(super) fn is_utf16_json(start: &[u8]) -> bool {
    let rest = match start {
        [0xff, 0xfe, rest @ ..] | [0xfe, 0xff, rest @ ..] => rest,
        rest => rest,
    };
    let beginning = &rest[..rest.len().min(64)];
    let is_shown = |byte: &u8| *byte != 0 && !byte.is_ascii_whitespace();
    let ascii: Vec<u8> = beginning.iter().copied().filter(is_shown).collect();
    let has_zeros = beginning.iter().take(4).any(|byte| *byte == 0);
    has_zeros && matches!(ascii[..], [b'{', b'"', ..] | [b'[', b'{', ..] | [b'{'])
}
