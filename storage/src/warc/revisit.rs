//! A fetch that brought nothing new as WARC records, encoded: a duplicate of a kept page, or a visit that found its page unchanged.
//!
//! ```text
//! request      the HTTP request as sent                                   (optional)
//! revisit      status line and header, no payload                         refers to the capture with the payload
//! conversion   the difference of its text from the kept page's            (optional) see `text_delta`
//!              or its text, if the kept page is in another archive
//! ```
//!
//! Source: ISO 28500:2017, 6.7. The header agrees with the decoded payload, as in [`Capture`](super::Capture), because
//! replay tools append the stored payload to it.

use std::io;
use std::net::IpAddr;

use super::capture::{EncodedCapture, EncodedRequest, Exchanged, TEXT_TYPE};
use super::http_head::response_head;
use super::record::{new_record_id, shown_digest, warc_date};
use super::text_delta;

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

/// The text of a duplicate.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum DuplicateText<'a> {
    /// As the difference from the archived text of an earlier page.
    Difference {
        /// Sequence number of the earlier page.
        of: u64,
        /// The earlier page's text.
        base: &'a str,
        /// The duplicate's text.
        text: &'a str,
    },
    /// As it is, because the text that it repeats is not in this archive.
    Whole(&'a str),
}

/// Reference to a capture in the archive (ISO 28500:2017, 5.14 and 5.15). It must have a `response`, so that tools find the payload:
/// in a chain of revisits, the first capture.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct RefersTo<'a> {
    /// Its URL.
    pub url: &'a str,
    /// When its fetch began, milliseconds since the Unix epoch.
    pub fetched_at: u64,
}

/// How a capture stands for another: `WARC-Profile`.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum RevisitProfile {
    /// The same bytes (ISO 28500:2017, 6.7.2).
    IdenticalPayload,
    /// The server says that the page is unchanged (6.7.3).
    ServerNotModified,
    /// The same normalised text in other bytes. A profile of this crawler.
    SameText,
    /// Nearly the same text. A profile of this crawler.
    NearDuplicate {
        /// Hamming distance of the two fingerprints in bits; `None` if another rule decided.
        distance: Option<u32>,
        /// Estimated similarity of the two texts, 0 to 1.
        similarity: f32,
    },
}

impl RevisitProfile {
    /// Its URI. `docs/src/warc.md` describes the profiles of this crawler.
    #[must_use]
    pub fn uri(self) -> &'static str {
        match self {
            Self::IdenticalPayload => "http://netpreserve.org/warc/1.1/revisit/identical-payload-digest",
            Self::ServerNotModified => "http://netpreserve.org/warc/1.1/revisit/server-not-modified",
            Self::SameText => "urn:x-crawler:warc-revisit:same-text",
            Self::NearDuplicate { .. } => "urn:x-crawler:warc-revisit:near-duplicate",
        }
    }
}

impl RevisitCapture<'_> {
    /// Compresses the records into one gzip member each.
    ///
    /// # Errors
    /// The compressor's errors. It writes to memory, so none are expected.
    pub fn encode(&self) -> io::Result<EncodedCapture> {
        self.encode_after(self.exchanged().encode_request(self.request)?)
    }

    /// Compresses the records that follow the `request` record.
    ///
    /// # Errors
    /// As [`encode`](Self::encode).
    pub fn encode_after(&self, request: EncodedRequest) -> io::Result<EncodedCapture> {
        let EncodedRequest { mut bytes, answer: id } = request;
        let exchanged = self.exchanged();
        let at = bytes.len() as u64;
        let mut record = exchanged
            .record("revisit", &id, "application/http;msgtype=response")
            .field("WARC-Profile", self.profile.uri())
            .field("WARC-Payload-Digest", &shown_digest(&self.payload_digest));
        if let Some(refers_to) = self.refers_to {
            record = record
                .uri_field("WARC-Refers-To-Target-URI", refers_to.url)
                .field("WARC-Refers-To-Date", &warc_date(refers_to.fetched_at));
        }
        if let RevisitProfile::NearDuplicate { distance, similarity } = self.profile {
            if let Some(distance) = distance {
                record = record.field("X-Crawler-Hamming-Distance", &distance.to_string());
            }
            record = record.field("X-Crawler-Similarity", &format!("{similarity:.4}"));
        }
        if self.payload_bytes.is_some() {
            // The payload is left out because it is stored elsewhere; 6.7.2 prescribes this value.
            record = record.field("WARC-Truncated", "length");
        }
        let head = response_head(self.status, self.reason, &self.headers, self.payload_bytes);
        let length = record.write(&[&head], &mut bytes)?;
        let text = match &self.text {
            Some(text) => Some(text.write(&exchanged, &id, &mut bytes)?),
            None => None,
        };
        Ok(EncodedCapture {
            bytes,
            status: self.status,
            response: None,
            text,
            revisit: Some((at, length)),
            payload_digest: self.payload_digest,
            id: Some(id),
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

impl DuplicateText<'_> {
    /// Writes the `conversion` record. `revisit` is the id of the record that it refers to. Returns its offset and length in `out`.
    fn write(&self, exchanged: &Exchanged<'_>, revisit: &str, out: &mut Vec<u8>) -> io::Result<(u64, u64)> {
        let at = out.len() as u64;
        let conversion = |content_type| {
            let record = exchanged.record("conversion", &new_record_id(), content_type);
            record.field("WARC-Refers-To", revisit)
        };
        let length = match *self {
            Self::Difference { of, base, text } => {
                let frame = text_delta::between(base, text)?;
                conversion(text_delta::CONTENT_TYPE)
                    .field(text_delta::TEXT_OF, &of.to_string())
                    .write(&[&frame], out)?
            }
            Self::Whole(text) => conversion(TEXT_TYPE).write(&[text.as_bytes()], out)?,
        };
        Ok((at, length))
    }
}

#[cfg(test)]
mod tests {
    use std::io::Cursor;

    use super::super::reader::WarcReader;
    use super::super::record::{Record, digest, payload_digest};
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
            }),
            text: None,
        }
    }

    fn records(revisit: &RevisitCapture<'_>) -> Vec<Record> {
        let encoded = revisit.encode().unwrap();
        let located: Vec<_> = WarcReader::new(Cursor::new(encoded.bytes))
            .map(|record| record.unwrap().unwrap())
            .collect();
        let last = located.last().unwrap();
        assert_eq!(encoded.revisit, Some((last.offset, last.length)));
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
    fn a_304_is_whole_and_has_no_length() {
        let all = records(&revisit(RevisitProfile::ServerNotModified, None));
        let record = all.last().unwrap();
        assert_eq!(
            record.field("WARC-Profile"),
            Some("http://netpreserve.org/warc/1.1/revisit/server-not-modified")
        );
        assert_eq!(record.field("WARC-Truncated"), None);
        assert!(record.block.starts_with(b"HTTP/1.1 304 \r\n") && !record.block.ends_with(b"0\r\n\r\n"));
    }

    #[test]
    fn a_near_duplicate_says_how_near() {
        let near = |distance| RevisitProfile::NearDuplicate {
            distance,
            similarity: 0.9375,
        };
        let all = records(&revisit(near(Some(3)), Some(16)));
        let record = all.last().unwrap();
        assert_eq!(
            record.field("WARC-Profile"),
            Some("urn:x-crawler:warc-revisit:near-duplicate")
        );
        assert_eq!(record.field("X-Crawler-Hamming-Distance"), Some("3"));
        assert_eq!(record.field("X-Crawler-Similarity"), Some("0.9375"));
        let all = records(&revisit(near(None), Some(16)));
        assert_eq!(all.last().unwrap().field("X-Crawler-Hamming-Distance"), None);
        let same = records(&revisit(RevisitProfile::SameText, Some(16)));
        assert_eq!(
            same.last().unwrap().field("WARC-Profile"),
            Some("urn:x-crawler:warc-revisit:same-text")
        );
    }
}
