//! A fetch that brought nothing new as WARC records, encoded: a duplicate of a kept page, or a visit that found its page unchanged.
//!
//! ```text
//! request      the HTTP request as sent                                   (optional)
//! revisit      status line and header, no payload                         refers to the capture with the payload
//! metadata     how its text differs from the kept page's                  (optional) see `metadata::duplicate`
//! ```
//!
//! Source: ISO 28500:2017, 6.7. The header agrees with the decoded payload, as in [`Capture`](super::Capture), because
//! replay tools append the stored payload to it. For a 304 the block of the `revisit` is empty, which 6.7.3 allows, and the head is in the
//! `metadata` record: pywb would show a page with the status 304, which is an empty page.
//!
//! The standard has a profile for equal payloads and for the status 304, and for nothing else. A fetch that is equal in another way has no
//! `revisit`: its `metadata` record also says what it is equal to, and has the head of the answer.

use std::io;
use std::net::IpAddr;

use super::capture::{EncodedCapture, EncodedRequest, Exchanged};
use super::compression::Compression;
use super::http_head::response_head;
use super::metadata::duplicate::{self, Answer};
use super::record::{new_record_id, shown_digest, warc_date};
use super::text_delta::DuplicateText;

/// The exchange of a fetch whose payload is not stored, and the capture that stands for it.
#[derive(Debug, Clone)]
pub struct RevisitCapture<'a> {
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
    /// Bytes of the decoded payload; `None` if the answer had none (304).
    pub payload_bytes: Option<u64>,
    /// SHA-1 of the decoded payload; for a 304, the digest of the version that it refers to.
    pub payload_digest: [u8; 20],
    /// The kind of revisit.
    pub profile: RevisitProfile,
    /// The capture that stands for it; `None` if it is in the archive of another worker of the crawl, which does not say where.
    pub refers_to: Option<RefersTo<'a>>,
    /// The text extracted from the payload; `None` stores no text.
    pub text: Option<DuplicateText<'a>>,
}

/// Reference to a capture in the archive (ISO 28500:2017, 5.14 and 5.15). It must have a `response`, so that tools find the payload:
/// in a chain of revisits, the first capture.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct RefersTo<'a> {
    /// Its URL.
    pub url: &'a str,
    /// When its fetch began, milliseconds since the Unix epoch.
    pub fetched_at: u64,
    /// The id of the record with its payload, if it is known.
    pub record_id: Option<&'a str>,
}

/// How a capture stands for another: `WARC-Profile`, where the standard has one.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum RevisitProfile {
    /// The same bytes (ISO 28500:2017, 6.7.2).
    IdenticalPayload,
    /// The server says that the page is unchanged (6.7.3).
    ServerNotModified,
    /// The same normalised text in other bytes. The standard has no profile for it.
    SameText,
    /// Nearly the same text. The standard has no profile for it.
    NearDuplicate,
}

impl RevisitProfile {
    /// Its URI, if the standard has such a profile.
    #[must_use]
    pub fn uri(self) -> Option<&'static str> {
        match self {
            Self::IdenticalPayload => Some("http://netpreserve.org/warc/1.1/revisit/identical-payload-digest"),
            Self::ServerNotModified => Some("http://netpreserve.org/warc/1.1/revisit/server-not-modified"),
            Self::SameText | Self::NearDuplicate => None,
        }
    }

    fn name(self) -> &'static str {
        match self {
            Self::IdenticalPayload => "same-payload",
            Self::ServerNotModified => "not-modified",
            Self::SameText => "same-text",
            Self::NearDuplicate => "near-duplicate",
        }
    }
}

impl RevisitCapture<'_> {
    /// Compresses the records, each for itself.
    ///
    /// # Errors
    /// The compressor's errors. It writes to memory, so none are expected.
    pub fn encode(&self, compression: Compression) -> io::Result<EncodedCapture> {
        self.encode_after(self.exchanged().encode_request(self.request, compression)?)
    }

    /// Compresses the records that follow the `request` record.
    ///
    /// # Errors
    /// As [`encode`](Self::encode).
    pub fn encode_after(&self, request: EncodedRequest) -> io::Result<EncodedCapture> {
        let EncodedRequest {
            mut bytes,
            compression,
            answer: id,
        } = request;
        let exchanged = self.exchanged();
        let revisit = match self.profile.uri() {
            Some(profile) => Some(self.write_revisit(profile, &id, compression, &mut bytes)?),
            None => None,
        };
        let at = bytes.len() as u64;
        let answer = Answer {
            is: self.profile.name(),
            refers_to: self.refers_to.map(|of| (of.url, of.fetched_at)),
            status: self.status,
            reason: self.reason,
            headers: &self.headers,
        };
        let beside = new_record_id();
        let (ids, answer) = match self.profile {
            RevisitProfile::SameText | RevisitProfile::NearDuplicate => ((&*id, None), Some(&answer)),
            RevisitProfile::ServerNotModified => ((&*beside, Some(&*id)), Some(&answer)),
            // The `revisit` says everything but the text.
            RevisitProfile::IdenticalPayload => ((&*beside, Some(&*id)), None),
        };
        let is_written = answer.is_some() || self.text.is_some();
        let written = is_written.then(|| duplicate::write(&exchanged, ids, answer, self.text, compression, &mut bytes));
        let written = written.transpose()?;
        Ok(EncodedCapture {
            bytes,
            compression,
            status: match self.profile {
                RevisitProfile::ServerNotModified => 0,
                _ => self.status,
            },
            response: None,
            text: written.filter(|_| self.text.is_some()).map(|length| (at, length)),
            revisit,
            payload_digest: self.payload_digest,
            id: Some(id),
            content_type: None,
        })
    }

    /// Writes the `revisit` record. Returns its offset and length in `out`.
    fn write_revisit(
        &self,
        profile: &str,
        id: &str,
        compression: Compression,
        out: &mut Vec<u8>,
    ) -> io::Result<(u64, u64)> {
        let at = out.len() as u64;
        let is_empty = self.profile == RevisitProfile::ServerNotModified;
        let content_type = (!is_empty).then_some("application/http;msgtype=response");
        let mut record = self
            .exchanged()
            .record_of("revisit", id, content_type)
            .field("WARC-Profile", profile)
            .field("WARC-Payload-Digest", &shown_digest(&self.payload_digest));
        if let Some(refers_to) = self.refers_to {
            if let Some(record_id) = refers_to.record_id {
                record = record.field("WARC-Refers-To", record_id);
            }
            record = record
                .uri_field("WARC-Refers-To-Target-URI", refers_to.url)
                .field("WARC-Refers-To-Date", &warc_date(refers_to.fetched_at));
        }
        if self.payload_bytes.is_some() {
            // The payload is left out because it is stored elsewhere; 6.7.2 prescribes this value.
            record = record.field("WARC-Truncated", "length");
        }
        let head = if is_empty {
            Vec::new()
        } else {
            response_head(self.status, self.reason, &self.headers, self.payload_bytes)
        };
        Ok((at, record.write(&[&head], compression, out)?))
    }

    fn exchanged(&self) -> Exchanged<'_> {
        Exchanged {
            url: self.url,
            fetched_at: self.fetched_at,
            ip: self.ip,
        }
    }
}

#[cfg(test)]
mod tests {
    use std::io::Cursor;

    use super::super::reader::WarcReader;
    use super::super::record::{Record, digest, payload_digest};
    use super::super::text_delta;
    use super::*;

    const PAYLOAD: &[u8] = b"<p>the same page";

    fn revisit(profile: RevisitProfile, payload_bytes: Option<u64>) -> RevisitCapture<'static> {
        RevisitCapture {
            url: "https://example.org/copy",
            fetched_at: 1_774_085_400_125,
            ip: Some(IpAddr::from([127, 0, 0, 1])),
            request: Some(b"GET /copy HTTP/1.1\r\nhost: example.org\r\n\r\n"),
            status: if payload_bytes.is_some() { 200 } else { 304 },
            reason: "",
            headers: vec![("content-encoding", b"gzip"), ("etag", b"\"1\"")],
            payload_bytes,
            payload_digest: payload_digest(PAYLOAD),
            profile,
            refers_to: Some(RefersTo {
                url: "https://example.org/kept",
                fetched_at: 1_774_085_000_000,
                record_id: Some("<urn:uuid:0>"),
            }),
            text: None,
        }
    }

    fn records(revisit: &RevisitCapture<'_>) -> Vec<Record> {
        let encoded = revisit.encode(Compression::Gzip).unwrap();
        let located: Vec<_> = WarcReader::new(Cursor::new(encoded.bytes))
            .map(|record| record.unwrap().unwrap())
            .collect();
        let last = located.last().unwrap();
        let is_revisit = last.record.kind() == "revisit";
        assert_eq!(encoded.revisit, is_revisit.then_some((last.offset, last.length)));
        located.into_iter().map(|located| located.record).collect()
    }

    #[test]
    fn a_copy_is_a_revisit_by_the_standard_profile_with_its_request() {
        let all = records(&revisit(RevisitProfile::IdenticalPayload, Some(16)));
        let [request, record] = &all[..] else {
            panic!("{} records", all.len())
        };
        let field = |name| record.field(name).unwrap_or_default();
        assert_eq!((request.kind(), record.kind()), ("request", "revisit"));
        assert_eq!(
            request.field("WARC-Concurrent-To"),
            record.field("WARC-Record-ID"),
            "both are of one exchange"
        );
        assert_eq!(
            field("WARC-Profile"),
            "http://netpreserve.org/warc/1.1/revisit/identical-payload-digest"
        );
        assert_eq!(field("WARC-Target-URI"), "https://example.org/copy");
        assert_eq!(field("WARC-Refers-To"), "<urn:uuid:0>");
        assert_eq!(field("WARC-Refers-To-Target-URI"), "https://example.org/kept");
        assert_eq!(field("WARC-Refers-To-Date"), "2026-03-21T09:23:20.000Z");
        assert_eq!(field("WARC-Payload-Digest"), digest(&[PAYLOAD]));
        assert_eq!(field("WARC-Truncated"), "length");
        assert_eq!(
            String::from_utf8_lossy(&record.block),
            "HTTP/1.1 200 \r\nX-Crawler-content-encoding: gzip\r\netag: \"1\"\r\nContent-Length: 16\r\n\r\n"
        );
    }

    #[test]
    fn a_304_is_an_empty_revisit_and_its_head_beside_it() {
        let encoded = revisit(RevisitProfile::ServerNotModified, None)
            .encode(Compression::Gzip)
            .unwrap();
        let all: Vec<_> = WarcReader::new(Cursor::new(encoded.bytes))
            .map(|record| record.unwrap().unwrap().record)
            .collect();
        let [_, record, head] = &all[..] else {
            panic!("{} records", all.len())
        };
        assert_eq!(
            record.field("WARC-Profile"),
            Some("http://netpreserve.org/warc/1.1/revisit/server-not-modified")
        );
        assert_eq!(record.field("WARC-Truncated"), None);
        assert_eq!((record.field("Content-Type"), &record.block[..]), (None, &b""[..]));
        assert_eq!(record.field("Content-Length"), Some("0"));
        let head = String::from_utf8_lossy(&head.block);
        assert!(head.starts_with("event: duplicate\r\nis: not-modified\r\n"), "{head}");
        assert!(head.contains("\r\nstatus-line: HTTP/1.1 304") && head.contains("\r\nheader: etag: \"1\"\r\n"));
    }

    #[test]
    fn a_fetch_for_which_the_standard_has_no_profile_is_no_revisit() {
        for (profile, kind) in [
            (RevisitProfile::NearDuplicate, "near-duplicate"),
            (RevisitProfile::SameText, "same-text"),
        ] {
            let all = records(&revisit(profile, Some(16)));
            let [request, record] = &all[..] else {
                panic!("{} records", all.len())
            };
            assert_eq!(request.field("WARC-Concurrent-To"), record.field("WARC-Record-ID"));
            assert_eq!(record.kind(), "metadata");
            // Exactly this: pywb and cdxj-indexer compare the whole field.
            assert_eq!(record.field("Content-Type"), Some("application/warc-fields"));
            assert_eq!(
                String::from_utf8_lossy(&record.block),
                format!(
                    "event: duplicate\r\nis: {kind}\r\nrefers-to-target-uri: https://example.org/kept\r\n\
                     refers-to-date: 2026-03-21T09:23:20.000Z\r\nstatus-line: HTTP/1.1 200\\u{{20}}\r\n\
                     header: content-encoding: gzip\r\nheader: etag: \"1\"\r\n"
                )
            );
            assert!(duplicate::is_in(record) && duplicate::text_in(record).is_none());
        }
    }

    #[test]
    fn the_text_of_a_duplicate_is_stored_by_what_the_kept_page_lacks() {
        let with = |text| RevisitCapture {
            text: Some(text),
            ..revisit(RevisitProfile::IdenticalPayload, Some(16))
        };
        let stored = |text| {
            let encoded = with(text).encode(Compression::Gzip).unwrap();
            let located: Vec<_> = WarcReader::new(Cursor::new(encoded.bytes))
                .map(|record| record.unwrap().unwrap())
                .collect();
            let [_, revisit, last] = &located[..] else {
                panic!("{} records", located.len())
            };
            assert_eq!(encoded.text, Some((last.offset, last.length)));
            assert_eq!(
                last.record.field("WARC-Concurrent-To"),
                revisit.record.field("WARC-Record-ID")
            );
            duplicate::text_in(&last.record).unwrap().unwrap()
        };
        let same = stored(DuplicateText::Difference {
            of: 12,
            base: "a text",
            text: "a text",
        });
        assert_eq!((same.of, same.frame), (Some(12), None));
        let other = stored(DuplicateText::Difference {
            of: 12,
            base: "a text",
            text: "another text",
        });
        let frame = other.frame.unwrap();
        assert_eq!(other.of, Some(12));
        assert_eq!(text_delta::apply("a text", &frame).unwrap(), "another text");
        let whole = stored(DuplicateText::Whole("a text"));
        assert_eq!(whole.of, None);
        assert_eq!(text_delta::apply("", &whole.frame.unwrap()).unwrap(), "a text");
    }
}
