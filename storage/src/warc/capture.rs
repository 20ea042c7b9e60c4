//! One fetched page as WARC records, encoded. A pure computation: any thread may do it before the store gets the page.
//!
//! ```text
//! request      the HTTP request as sent                                   (optional)
//! response     status line, header, payload in its decoded form
//! conversion   the page after its scripts have run, text/html; charset=utf-8  (optional)  WARC-Refers-To the response
//! conversion   the extracted text, text/plain; charset=utf-8              WARC-Refers-To the record that has the text
//! ```
//!
//! The payload is stored decoded, so that every tool can read it without knowing an encoding. The HTTP header is changed
//! to agree with it: `Content-Encoding`, `Transfer-Encoding` and a `Content-Length` of another value are renamed to
//! `X-Crawler-<name>`, and `Content-Length` is set to the length of the stored payload.

use std::io;
use std::net::IpAddr;

use super::compression::Compression;
use super::http_head::response_head;
use super::location::{Archived, WarcLocation};
use super::record::{NewRecord, new_record_id, payload_digest, shown_digest};

/// The `Content-Type` of an extracted text.
const TEXT_TYPE: &str = "text/plain; charset=utf-8";

/// The `Content-Type` of a rendered page.
const RENDERED_TYPE: &str = "text/html; charset=utf-8";

/// The exchange for one page, and the extracted text.
#[derive(Debug, Clone)]
pub struct Capture<'a> {
    /// The URL fetched.
    pub url: &'a str,
    /// When the fetch began, milliseconds since the Unix epoch.
    pub fetched_at: u64,
    /// The address of the connection.
    pub ip: Option<IpAddr>,
    /// The complete HTTP request as sent, without credentials. `None` writes no `request` record.
    pub request: Option<&'a [u8]>,
    /// HTTP status.
    pub status: u16,
    /// Reason phrase; may be empty (HTTP/2 has none).
    pub reason: &'a str,
    /// Response header, names and values as received, in order.
    pub headers: Vec<(&'a str, &'a [u8])>,
    /// The body, with every transfer and content encoding undone.
    pub payload: &'a [u8],
    /// Why the payload is shorter than the body, if it is.
    pub truncated: Option<Truncation>,
    /// The page after its scripts have run, if the text comes from there.
    pub rendered: Option<&'a str>,
    /// The text extracted from the payload, or from the rendered page.
    pub text: &'a str,
}

/// Why a payload is incomplete: the values of `WARC-Truncated` (ISO 28500:2017, 5.13).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Truncation {
    /// A limit on bytes.
    Length,
    /// A limit on time.
    Time,
    /// The connection ended.
    Disconnect,
}

/// A [`Capture`] or [`RevisitCapture`](super::RevisitCapture) as compressed records without a place in a file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct EncodedCapture {
    pub(crate) bytes: Vec<u8>,
    pub(crate) compression: Compression,
    /// HTTP status in the block of the `response` or `revisit`; 0 if it is empty.
    pub(crate) status: u16,
    /// Offset and length of the `response` member within `bytes`, if there is one.
    pub(crate) response: Option<(u64, u64)>,
    /// The same for the `conversion` with the text.
    pub(crate) text: Option<(u64, u64)>,
    /// The same for the `revisit`.
    pub(crate) revisit: Option<(u64, u64)>,
    /// SHA-1 of the decoded payload of the `response`, or of the payload that the `revisit` stands for.
    pub(crate) payload_digest: [u8; 20],
    /// The id of the record of the answer: the `response`, the `revisit` or the record of the duplicate.
    pub(crate) id: Option<String>,
    /// `Content-Type` of the `response`; empty if it has none.
    pub(crate) content_type: Option<String>,
}

/// The `request` record of an exchange, compressed, without a place in a file. Both kinds of answer can follow it, so it can be
/// compressed before the verdict.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct EncodedRequest {
    /// Empty if the exchange has no such record.
    pub(super) bytes: Vec<u8>,
    /// Of this record and of those that follow it.
    pub(super) compression: Compression,
    /// The id of the record with the answer.
    pub(super) answer: String,
}

impl EncodedRequest {
    /// The bytes that it holds.
    #[must_use]
    pub fn held_bytes(&self) -> usize {
        self.bytes.capacity() + self.answer.capacity()
    }
}

impl EncodedCapture {
    /// The bytes that it holds.
    #[must_use]
    pub fn held_bytes(&self) -> usize {
        self.bytes.capacity() + self.id.as_ref().map_or(0, String::capacity)
    }

    /// The `request` record alone, for another kind of answer. `None` if there is no `response`.
    #[must_use]
    pub fn into_request(self) -> Option<EncodedRequest> {
        let (mut bytes, (response_at, _)) = (self.bytes, self.response?);
        bytes.truncate(usize::try_from(response_at).ok()?);
        bytes.shrink_to_fit();
        Some(EncodedRequest {
            bytes,
            compression: self.compression,
            answer: self.id?,
        })
    }

    /// Records that no page refers to.
    pub(crate) fn of_bytes(bytes: Vec<u8>, compression: Compression) -> Self {
        Self {
            bytes,
            compression,
            status: 0,
            response: None,
            text: None,
            revisit: None,
            payload_digest: [0; 20],
            id: None,
            content_type: None,
        }
    }

    /// Which records it has. The places are relative to its own first byte.
    pub(crate) fn places(&self) -> Archived {
        let place = |(offset, length)| WarcLocation {
            file: 0,
            offset,
            length,
        };
        Archived {
            response: self.response.map(place),
            text: self.text.map(place),
            revisit: self.revisit.map(place),
        }
    }
}

impl Capture<'_> {
    /// Compresses the capture, each record for itself.
    ///
    /// # Errors
    /// The compressor's errors. It writes to memory, so none are expected.
    pub fn encode(&self, compression: Compression) -> io::Result<EncodedCapture> {
        self.encode_after(self.encode_request(compression)?, payload_digest(self.payload))
    }

    /// Compresses the `request` record alone.
    ///
    /// # Errors
    /// As [`encode`](Self::encode).
    pub fn encode_request(&self, compression: Compression) -> io::Result<EncodedRequest> {
        self.exchanged().encode_request(self.request, compression)
    }

    /// Compresses the records that follow the `request` record, in the same way. `payload_digest` is the SHA-1 of the payload.
    ///
    /// # Errors
    /// As [`encode`](Self::encode).
    pub fn encode_after(&self, request: EncodedRequest, payload_digest: [u8; 20]) -> io::Result<EncodedCapture> {
        let EncodedRequest {
            mut bytes,
            compression,
            answer: response_id,
        } = request;
        let exchanged = self.exchanged();
        let response_at = bytes.len() as u64;
        let payload_bytes = Some(self.payload.len() as u64);
        let head = response_head(self.status, self.reason, &self.headers, payload_bytes);
        let mut response = exchanged
            .record("response", &response_id, "application/http;msgtype=response")
            .field("WARC-Payload-Digest", &shown_digest(&payload_digest));
        if let Some(reason) = self.truncated {
            response = response.field("WARC-Truncated", reason.name());
        }
        let response_length = response.write(&[&head, self.payload], compression, &mut bytes)?;
        let mut source_id = response_id.clone();
        if let Some(rendered) = self.rendered {
            source_id = new_record_id();
            exchanged
                .record("conversion", &source_id, RENDERED_TYPE)
                .field("WARC-Refers-To", &response_id)
                .write(&[rendered.as_bytes()], compression, &mut bytes)?;
        }
        let text_at = bytes.len() as u64;
        let text_length = exchanged
            .record("conversion", &new_record_id(), TEXT_TYPE)
            .field("WARC-Refers-To", &source_id)
            .write(&[self.text.as_bytes()], compression, &mut bytes)?;
        // Many captures wait for a commit.
        bytes.shrink_to_fit();
        Ok(EncodedCapture {
            bytes,
            compression,
            status: self.status,
            response: Some((response_at, response_length)),
            text: Some((text_at, text_length)),
            revisit: None,
            payload_digest,
            id: Some(response_id),
            content_type: Some(self.content_type()),
        })
    }

    fn content_type(&self) -> String {
        let mut headers = self.headers.iter();
        let field = headers.find(|(name, _)| name.eq_ignore_ascii_case("content-type"));
        field.map_or_else(String::new, |(_, value)| {
            String::from_utf8_lossy(value).trim().to_owned()
        })
    }

    fn exchanged(&self) -> Exchanged<'_> {
        Exchanged {
            url: self.url,
            fetched_at: self.fetched_at,
            ip: self.ip,
        }
    }
}

/// The fields that all records of an exchange share.
#[derive(Debug, Clone, Copy)]
pub(super) struct Exchanged<'a> {
    pub url: &'a str,
    pub fetched_at: u64,
    pub ip: Option<IpAddr>,
}

impl Exchanged<'_> {
    /// Begins a record of the exchange.
    pub fn record(&self, kind: &str, id: &str, content_type: &str) -> NewRecord {
        self.record_of(kind, id, Some(content_type))
    }

    /// Begins a record of the exchange; one with an empty block has no type.
    pub fn record_of(&self, kind: &str, id: &str, content_type: Option<&str>) -> NewRecord {
        let mut record = NewRecord::new(kind, id, self.fetched_at).uri_field("WARC-Target-URI", self.url);
        if let Some(content_type) = content_type {
            record = record.field("Content-Type", content_type);
        }
        match self.ip.filter(|_| kind != "conversion") {
            Some(ip) => record.field("WARC-IP-Address", &ip.to_string()),
            None => record,
        }
    }

    /// Compresses the `request` record, if there is one, and chooses the id of the record with the answer.
    pub fn encode_request(&self, request: Option<&[u8]>, compression: Compression) -> io::Result<EncodedRequest> {
        let (mut bytes, answer) = (Vec::new(), new_record_id());
        if let Some(request) = request {
            self.record("request", &new_record_id(), "application/http;msgtype=request")
                .field("WARC-Concurrent-To", &answer)
                .write(&[request], compression, &mut bytes)?;
        }
        Ok(EncodedRequest {
            bytes,
            compression,
            answer,
        })
    }
}

impl Truncation {
    fn name(self) -> &'static str {
        match self {
            Self::Length => "length",
            Self::Time => "time",
            Self::Disconnect => "disconnect",
        }
    }
}
