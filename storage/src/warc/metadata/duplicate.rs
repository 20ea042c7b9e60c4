//! The record of a duplicate, for this crate and for people. No standard tool takes it for a page.
//!
//! ```text
//! WARC-Type: metadata
//! Content-Type: application/warc-fields
//! WARC-Target-URI: the duplicate
//!
//! event: duplicate
//! is: same-text                      or near-duplicate, not-modified; missing beside a `revisit` that says the rest
//! refers-to-target-uri: …            the page that it is a duplicate of, and the time of its fetch
//! refers-to-date: …
//! status-line: HTTP/1.1 200 OK       the head of the answer, as received
//! header: content-type: text/html
//! text-of: 12                        the number of the page whose text its text is, or is the difference from; missing for none
//! text-delta: KLUv…                  the difference, base 64; missing if the two texts are equal
//! ```
//!
//! ISO 28500:2017, 6.7.1 says that a reader must not interpret a `revisit` of a profile that it does not know. Replay tools do it all the
//! same: pywb answers with an error, and wabac.js shows the kept page under the URL of its duplicate. Indexers list a `conversion` as
//! a capture of its URL, too. All of them pass over a `metadata` record of this content type.

use std::io;

use data_encoding::BASE64;

use super::read::Fields;
use super::write::Lines;
use crate::warc::capture::Exchanged;
use crate::warc::compression::Compression;
use crate::warc::record::{Record, one_line_uri, warc_date};
use crate::warc::text_delta::{self, DuplicateText};

/// The value of the line `event`.
const DUPLICATE: &str = "duplicate";

const TEXT_OF: &str = "text-of";
const TEXT_DELTA: &str = "text-delta";

/// How a record of a duplicate stores its text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct StoredText {
    /// The number of the page whose text is the base; `None` for an empty base.
    pub of: Option<u64>,
    /// The difference from the base; `None` if the text is the base.
    pub frame: Option<Vec<u8>>,
}

/// The answer that a record of a duplicate stands for.
#[derive(Debug, Clone, Copy)]
pub(in crate::warc) struct Answer<'a> {
    /// What is equal.
    pub is: &'a str,
    /// URL of the page that it is a duplicate of, and the time of its fetch.
    pub refers_to: Option<(&'a str, u64)>,
    pub status: u16,
    pub reason: &'a str,
    pub headers: &'a [(&'a str, &'a [u8])],
}

/// Compresses the record with this id, and names the record `beside` it. Returns the length of the record.
pub(in crate::warc) fn write(
    exchanged: &Exchanged<'_>,
    (id, beside): (&str, Option<&str>),
    answer: Option<&Answer<'_>>,
    text: Option<DuplicateText<'_>>,
    compression: Compression,
    out: &mut Vec<u8>,
) -> io::Result<u64> {
    let mut lines = Lines::new();
    lines.put("event", DUPLICATE);
    if let Some(answer) = answer {
        lines.put("is", answer.is);
        if let Some((url, fetched_at)) = answer.refers_to {
            lines.text("refers-to-target-uri", &one_line_uri(url));
            lines.put("refers-to-date", warc_date(fetched_at));
        }
        lines.text("status-line", &format!("HTTP/1.1 {} {}", answer.status, answer.reason));
        for (name, value) in answer.headers {
            lines.text("header", &format!("{name}: {}", String::from_utf8_lossy(value)));
        }
    }
    if let Some(StoredText { of, frame }) = text.map(stored).transpose()? {
        if let Some(of) = of {
            lines.put(TEXT_OF, of);
        }
        if let Some(frame) = frame {
            lines.put(TEXT_DELTA, BASE64.encode(&frame));
        }
    }
    let mut record = exchanged.record("metadata", id, "application/warc-fields");
    if let Some(beside) = beside {
        record = record.field("WARC-Concurrent-To", beside);
    }
    record.write(&[lines.as_bytes()], compression, out)
}

fn stored(text: DuplicateText<'_>) -> io::Result<StoredText> {
    let (of, base, text) = match text {
        DuplicateText::Difference { of, base, text } => (Some(of), base, text),
        DuplicateText::Whole(text) => (None, "", text),
    };
    let frame = if of.is_some() && base == text {
        None
    } else {
        Some(text_delta::between(base, text)?)
    };
    Ok(StoredText { of, frame })
}

/// Whether this is such a record, readable or not.
pub(crate) fn is_in(record: &Record) -> bool {
    fields(record).is_some()
}

/// The stored text of such a record; `None` if it has none, or is another record.
///
/// # Errors
/// In words: a line cannot be read.
pub(crate) fn text_in(record: &Record) -> Option<Result<StoredText, String>> {
    let fields = fields(record)?;
    let (of, delta) = (fields.get(TEXT_OF), fields.get(TEXT_DELTA));
    if of.is_none() && delta.is_none() {
        return None;
    }
    let of = of.map(|of| of.parse().map_err(|_| format!("its line {TEXT_OF} is not a number")));
    let frame = delta.map(|delta| {
        let frame = BASE64.decode(delta.as_bytes());
        frame.map_err(|_| format!("its line {TEXT_DELTA} is not in base 64"))
    });
    Some(of.transpose().and_then(|of| {
        let frame = frame.transpose()?;
        Ok(StoredText { of, frame })
    }))
}

fn fields(record: &Record) -> Option<Fields<'_>> {
    if record.kind() != "metadata" {
        return None;
    }
    let fields = Fields::of(std::str::from_utf8(&record.block).ok()?);
    (fields.get("event") == Some(DUPLICATE)).then_some(fields)
}
