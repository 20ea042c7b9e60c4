//! One WARC record: named fields, a block, and the member that holds both.
//!
//! ```text
//! member ┬ WARC/1.1 CRLF
//!        ├ Name: value CRLF   (one line a field)
//!        ├ CRLF
//!        ├ block              (Content-Length bytes)
//!        └ CRLF CRLF
//! ```
//!
//! Source: ISO 28500:2017 (WARC 1.1), section 4 (file and record model), 5 (named fields), annex D (a member a record).

use std::borrow::Cow;
use std::io;
use std::time::{SystemTime, UNIX_EPOCH};

use data_encoding::BASE32;
use sha1::{Digest, Sha1};

use super::compression::Compression;
use super::member;

/// The version line that every record of this crate begins with.
const VERSION_LINE: &str = "WARC/1.1";

/// The field that names the `warcinfo` of a record's file (ISO 28500:2017, 5.14).
pub(crate) const WARCINFO_ID: &str = "WARC-Warcinfo-ID";

/// Upper bound on the header of a record, in bytes: far above any real header.
pub(super) const MAX_HEADER_BYTES: usize = 256 * 1024;

/// The bytes behind the last field of a header.
pub(super) const END_OF_HEADER: &[u8] = b"\r\n\r\n";

/// One record as read from a WARC file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Record {
    /// The version line, such as `WARC/1.1`.
    pub version: String,
    /// Named fields in the order of the file, with names as written.
    pub fields: Vec<(String, String)>,
    /// The block: exactly `Content-Length` bytes.
    pub block: Vec<u8>,
}

/// Why bytes are not a WARC record.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum RecordError {
    /// The first line does not say `WARC/` and a digit.
    #[error("it does not begin with a WARC version line")]
    NoVersion,
    /// The empty line that ends the header is missing.
    #[error("its header does not end")]
    EndlessHeader,
    /// A header line has no colon.
    #[error("its header line {0:?} has no colon")]
    BadField(String),
    /// There is no `Content-Length`, or it is not a number.
    #[error("its Content-Length is missing or not a number")]
    BadLength,
    /// The block is shorter than `Content-Length`.
    #[error("its block has {found} of {expected} bytes")]
    ShortBlock {
        /// Bytes announced by `Content-Length`.
        expected: u64,
        /// Bytes found.
        found: u64,
    },
    /// The block's digest is not the one in `WARC-Block-Digest`.
    #[error("its block digest is {found}, its header says {expected}")]
    Digest {
        /// The digest in the header.
        expected: String,
        /// The digest of the bytes.
        found: String,
    },
}

impl Record {
    /// Reads a record from its decoded bytes. Ignores bytes behind the block.
    ///
    /// # Errors
    /// [`RecordError`] names the first violation of the standard. [`verify_block`](Self::verify_block) checks the digest, this function
    /// does not.
    pub fn parse(bytes: &[u8]) -> Result<Self, RecordError> {
        if !is_version(bytes) {
            return Err(RecordError::NoVersion);
        }
        let window = &bytes[..bytes.len().min(MAX_HEADER_BYTES)];
        let header_end = find(window, END_OF_HEADER).ok_or(RecordError::EndlessHeader)?;
        let (version, fields) = parse_header(&String::from_utf8_lossy(&bytes[..header_end]))?;
        let mut record = Self {
            version,
            fields,
            block: Vec::new(),
        };
        let expected: u64 = record
            .field("Content-Length")
            .and_then(|length| length.parse().ok())
            .ok_or(RecordError::BadLength)?;
        let rest = &bytes[header_end + 4..];
        let found = rest.len() as u64;
        if found < expected {
            return Err(RecordError::ShortBlock { expected, found });
        }
        record.block = rest[..expected as usize].to_vec();
        Ok(record)
    }

    /// The value of the first field with this name, in any case.
    #[must_use]
    pub fn field(&self, name: &str) -> Option<&str> {
        self.fields
            .iter()
            .find(|(have, _)| have.eq_ignore_ascii_case(name))
            .map(|(_, value)| value.as_str())
    }

    /// `WARC-Type`: `response`, `conversion`, `warcinfo`, …
    #[must_use]
    pub fn kind(&self) -> &str {
        self.field("WARC-Type").unwrap_or_default()
    }

    /// The body inside an HTTP block: the bytes after the empty line behind the HTTP header. `None` if there is no such line.
    #[must_use]
    pub fn http_payload(&self) -> Option<&[u8]> {
        find(&self.block, b"\r\n\r\n").map(|end| &self.block[end + 4..])
    }

    /// The value of the first field with this name in the HTTP header inside the block.
    pub(crate) fn http_field(&self, name: &str) -> Option<String> {
        let head = &self.block[..find(&self.block, b"\r\n\r\n")?];
        let head = String::from_utf8_lossy(head);
        let mut fields = head.split("\r\n").skip(1).filter_map(|line| line.split_once(':'));
        let (_, value) = fields.find(|(have, _)| have.eq_ignore_ascii_case(name))?;
        Some(value.trim().to_owned())
    }

    /// Compares the block with `WARC-Block-Digest`. A record without that field, or with an algorithm other than
    /// SHA-1, passes.
    ///
    /// # Errors
    /// [`RecordError::Digest`] with both digests.
    pub fn verify_block(&self) -> Result<(), RecordError> {
        let Some(expected) = self
            .field("WARC-Block-Digest")
            .filter(|digest| digest.starts_with("sha1:"))
        else {
            return Ok(());
        };
        let found = digest(&[&self.block]);
        if found == expected {
            return Ok(());
        }
        Err(RecordError::Digest {
            expected: expected.to_owned(),
            found,
        })
    }
}

/// Whether a record begins here: `WARC/` and a digit. Some programs write the name in lower case, and readers accept it.
#[must_use]
pub fn is_version(bytes: &[u8]) -> bool {
    const NAME: &[u8] = b"WARC/";
    let name_and_digit = bytes.split_at_checked(NAME.len());
    name_and_digit
        .is_some_and(|(name, rest)| name.eq_ignore_ascii_case(NAME) && rest.first().is_some_and(u8::is_ascii_digit))
}

/// The version line and the named fields of a header without the empty line that ends it.
pub(super) fn parse_header(header: &str) -> Result<(String, Vec<(String, String)>), RecordError> {
    let mut lines = header.split("\r\n");
    let version = lines.next().unwrap_or_default().to_owned();
    let mut fields: Vec<(String, String)> = Vec::with_capacity(12);
    for line in lines {
        match (line.starts_with([' ', '\t']), fields.last_mut()) {
            // A folded line continues the value before it; WARC 1.0 files of other programs have them.
            (true, Some((_, value))) => {
                if !value.is_empty() {
                    value.push(' ');
                }
                value.push_str(line.trim());
            }
            _ => {
                let (name, value) = line
                    .split_once(':')
                    .ok_or_else(|| RecordError::BadField(line.to_owned()))?;
                fields.push((name.trim().to_owned(), value.trim().to_owned()));
            }
        }
    }
    Ok((version, fields))
}

/// SHA-1 of a payload.
#[must_use]
pub fn payload_digest(payload: &[u8]) -> [u8; 20] {
    Sha1::digest(payload).into()
}

/// A [`payload_digest`] in the form of header fields: `sha1:` and base 32.
#[must_use]
pub fn shown_digest(digest: &[u8; 20]) -> String {
    format!("sha1:{}", BASE32.encode(digest))
}

/// The digest in such a field; `None` if the field has another form.
pub(crate) fn read_digest(shown: &str) -> Option<[u8; 20]> {
    let digest = BASE32.decode(shown.strip_prefix("sha1:")?.as_bytes()).ok()?;
    digest.try_into().ok()
}

/// `sha1:` and the digest of the concatenated parts in base 32, as Heritrix, warcio, pywb and the CDX servers write and
/// compare it. SHA-1 serves to find damage and equal payloads; nothing relies on its resistance to attacks.
pub(crate) fn digest(parts: &[&[u8]]) -> String {
    let mut hasher = Sha1::new();
    for part in parts {
        hasher.update(part);
    }
    format!("sha1:{}", BASE32.encode(&hasher.finalize()))
}

/// A record under construction. Each field is checked when it is added.
pub(crate) struct NewRecord {
    header: String,
}

impl NewRecord {
    /// Begins a record of type `kind`, such as `response`, with the id `id` (see [`new_record_id`]) and the date
    /// `unix_ms`.
    pub fn new(kind: &str, id: &str, unix_ms: u64) -> Self {
        let mut header = String::with_capacity(640);
        header.push_str(VERSION_LINE);
        header.push_str("\r\n");
        Self { header }
            .field("WARC-Type", kind)
            .field("WARC-Record-ID", id)
            .field("WARC-Date", &warc_date(unix_ms))
    }

    /// Adds a field. Replaces every control character in the value by a space, so that no value can end its line and begin another
    /// field.
    pub fn field(mut self, name: &str, value: &str) -> Self {
        self.header.push_str(name);
        self.header.push_str(": ");
        self.header
            .extend(value.chars().map(|c| if c.is_control() { ' ' } else { c }));
        self.header.push_str("\r\n");
        self
    }

    /// Adds a field with a URI as its value. Percent-encodes white space and control characters, which no URI may have, and omits
    /// `user:password@`, because people share archives.
    pub fn uri_field(self, name: &str, uri: &str) -> Self {
        self.field(name, &one_line_uri(uri))
    }

    /// Adds `Content-Length` and `WARC-Block-Digest`, and appends the record to `out` as one member. The block is the concatenation of
    /// `block`. Returns the bytes appended.
    pub fn write(self, block: &[&[u8]], compression: Compression, out: &mut Vec<u8>) -> io::Result<u64> {
        let length: usize = block.iter().map(|part| part.len()).sum();
        let record = self
            .field("WARC-Block-Digest", &digest(block))
            .field("Content-Length", &length.to_string());
        let parts = [&[record.header.as_bytes(), b"\r\n"], block, &[b"\r\n\r\n"]];
        member::append(compression, &parts.concat(), out)
    }
}

/// The URI without `user:password@` (RFC 3986, 3.2.1).
pub(crate) fn without_userinfo(uri: &str) -> Cow<'_, str> {
    let without = || {
        let (scheme, rest) = uri.split_once("://")?;
        let authority = rest.split(['/', '?', '#']).next()?;
        let (userinfo, _) = authority.rsplit_once('@')?;
        Some(format!("{scheme}://{}", &rest[userinfo.len() + 1..]))
    };
    without().map_or(Cow::Borrowed(uri), Cow::Owned)
}

/// A URI in the form of header fields: without user and password, with white space and control characters percent-encoded.
pub(crate) fn one_line_uri(uri: &str) -> String {
    let mut value = String::with_capacity(uri.len());
    for c in without_userinfo(uri).chars() {
        if c.is_control() || c.is_whitespace() {
            let mut buffer = [0; 4];
            for byte in c.encode_utf8(&mut buffer).bytes() {
                value.push_str(&format!("%{byte:02X}"));
            }
        } else {
            value.push(c);
        }
    }
    value
}

/// A new `WARC-Record-ID`: a random UUID as a URI in angle brackets.
pub(crate) fn new_record_id() -> String {
    format!("<{}>", uuid::Uuid::new_v4().urn())
}

/// `WARC-Date` with milliseconds, `2026-03-21T09:30:00.125Z`. A date after the year 9999 becomes the epoch.
pub(crate) fn warc_date(unix_ms: u64) -> String {
    format!("{:.3}", timestamp(unix_ms))
}

/// `YYYYMMDDhhmmss` in UTC: the date in CDX files and in the names of WARC files.
pub(crate) fn compact_date(unix_ms: u64) -> String {
    timestamp(unix_ms).strftime("%Y%m%d%H%M%S").to_string()
}

/// The Unix milliseconds of a [`compact_date`].
pub(crate) fn parse_compact_date(text: &str) -> Option<u64> {
    let date = jiff::civil::DateTime::strptime("%Y%m%d%H%M%S", text).ok()?;
    let at = date.to_zoned(jiff::tz::TimeZone::UTC).ok()?.timestamp();
    u64::try_from(at.as_millisecond()).ok()
}

fn timestamp(unix_ms: u64) -> jiff::Timestamp {
    i64::try_from(unix_ms)
        .ok()
        .and_then(|ms| jiff::Timestamp::from_millisecond(ms).ok())
        .unwrap_or_default()
}

/// The first position of `needle` in `haystack`.
pub(crate) fn find(haystack: &[u8], needle: &[u8]) -> Option<usize> {
    haystack.windows(needle.len()).position(|window| window == needle)
}

/// The current time, milliseconds since the Unix epoch.
pub(crate) fn now_ms() -> u64 {
    let since_epoch = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
    u64::try_from(since_epoch.as_millis()).unwrap_or(0)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn plain(record: NewRecord, block: &[u8]) -> Vec<u8> {
        let mut out = Vec::new();
        record.write(&[block], Compression::Gzip, &mut out).unwrap();
        let mut bytes = Vec::new();
        io::Read::read_to_end(&mut flate2::read::GzDecoder::new(&out[..]), &mut bytes).unwrap();
        bytes
    }

    #[test]
    fn the_digest_of_no_bytes_is_the_known_constant() {
        assert_eq!(digest(&[]), "sha1:3I42H3S6NNFQ2MSVX7XZKYAYSCX5QBYJ");
        assert_eq!(digest(&[b"ab", b"c"]), digest(&[b"abc"]));
    }

    #[test]
    fn no_password_of_a_uri_is_written() {
        for (uri, written) in [
            ("https://user:p@ss@example.org/a@b?c@d", "https://example.org/a@b?c@d"),
            ("https://example.org/a@b", "https://example.org/a@b"),
            ("urn:a@b", "urn:a@b"),
            ("http://u@h", "http://h"),
        ] {
            assert_eq!(without_userinfo(uri), written);
        }
        let record = NewRecord::new("response", "<urn:x>", 0).uri_field("WARC-Target-URI", "http://me:secret@h/");
        assert!(!record.header.contains("secret"));
    }

    #[test]
    fn dates_have_the_forms_of_the_standard() {
        assert_eq!(warc_date(1_774_085_400_125), "2026-03-21T09:30:00.125Z");
        assert_eq!(warc_date(0), "1970-01-01T00:00:00.000Z");
        assert_eq!(warc_date(u64::MAX), "1970-01-01T00:00:00.000Z");
        assert_eq!(compact_date(1_774_085_400_125), "20260321093000");
    }

    #[test]
    fn a_field_cannot_begin_another_line() {
        let record = NewRecord::new("response", "<urn:uuid:1>", 0).field(
            "WARC-Target-URI",
            "http://h/\r\nWARC-Type: warcinfo\r\n\r\nblock\u{85}\0",
        );
        let read = Record::parse(&plain(record, b"x")).unwrap();
        assert_eq!(read.kind(), "response");
        assert_eq!(
            read.field("WARC-Target-URI"),
            Some("http://h/  WARC-Type: warcinfo    block")
        );
        assert_eq!(read.block, b"x");
    }

    #[test]
    fn a_record_written_is_the_record_read() {
        let block = b"HTTP/1.1 200 OK\r\nA: b\r\n\r\nbody\r\n\r\nmore";
        let bytes = plain(NewRecord::new("response", "<urn:uuid:1>", 5), block);
        assert!(bytes.ends_with(b"\r\n\r\n"));
        let record = Record::parse(&bytes).unwrap();
        assert_eq!(record.version, "WARC/1.1");
        assert_eq!(record.field("warc-record-id"), Some("<urn:uuid:1>"));
        assert_eq!(record.block, block);
        assert_eq!(record.http_payload(), Some(&b"body\r\n\r\nmore"[..]));
        assert_eq!(record.verify_block(), Ok(()));
    }

    #[test]
    fn a_changed_block_does_not_match_its_digest() {
        let mut record = Record::parse(&plain(NewRecord::new("response", "<urn:uuid:1>", 5), b"block")).unwrap();
        record.block[0] ^= 1;
        assert!(matches!(record.verify_block(), Err(RecordError::Digest { .. })));
    }

    #[test]
    fn each_fault_of_a_record_is_named() {
        let cases: [(&[u8], RecordError); 6] = [
            (b"", RecordError::NoVersion),
            (b"HTTP/1.1 200 OK\r\n\r\n", RecordError::NoVersion),
            (b"WARC/1.1\r\nA: b\r\n", RecordError::EndlessHeader),
            (
                b"WARC/1.1\r\nnonsense\r\n\r\n",
                RecordError::BadField("nonsense".into()),
            ),
            (b"WARC/1.1\r\nContent-Length: -1\r\n\r\n", RecordError::BadLength),
            (
                b"WARC/1.1\r\nContent-Length: 9\r\n\r\nabc",
                RecordError::ShortBlock { expected: 9, found: 3 },
            ),
        ];
        for (bytes, error) in cases {
            assert_eq!(Record::parse(bytes), Err(error));
        }
    }

    #[test]
    fn a_folded_field_of_an_older_file_is_joined() {
        let record = Record::parse(b"warc/1.0\r\nContent-Length:\r\n 0\r\nX: one\r\n  two\r\n\r\n").unwrap();
        assert_eq!(record.field("X"), Some("one two"));
    }
}
