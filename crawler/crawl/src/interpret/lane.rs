//! Three lanes: some threads read small pages, some read large pages as far as their memory suffices, and some wait for the processes that
//! read documents. A page that is being read takes many times its size in memory, for its text and its tree.
//!
//! The lanes for large pages and documents are *slow*: a job there may take seconds. The small lane never waits for them, and in them the
//! hosts take turns ([`fair_queue`](crate::fair_queue)).
//!
//! A response whose packed body is large goes to the large lane at once. The small lane unpacks the others. If the
//! unpacked body is larger than a small page, or has more tags, the small lane hands the response on to the large
//! lane, still packed. It does the same with a body that it cannot unpack, because only the large lane applies the
//! configured bounds.

use memchr::memchr_iter;
use web::fetch::{FetchError, Response, content_encoding};

/// The lane of a response.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Lane {
    /// For small pages, with one thread per core.
    Small,
    /// For larger ones, which wait for memory.
    Large,
    /// For documents that processes of their own read (PDF, DOCX, EPUB), small or large.
    Documents,
}

/// Bound on the body of a small page, without its Content-Encoding.
const MAX_SMALL_BYTES: usize = 256 * 1024;

/// Bound on the tags of a small page. The tree takes about 200 bytes per tag for an ordinary page, and a multiple for
/// a hostile one: see `parse` in the crate `page`.
const MAX_SMALL_TAGS: usize = 16 * 1024;

impl Lane {
    /// The first lane of a response.
    #[must_use]
    pub fn of(answer: &Result<Response, FetchError>) -> Self {
        let body = answer.as_ref().ok().and_then(|response| response.body.as_ref());
        match body {
            Some(body) if body.len() > MAX_SMALL_BYTES => Self::Large,
            _ => Self::Small,
        }
    }
}

/// A response whose body was unpacked.
#[derive(Debug)]
pub(super) enum Unpacked {
    /// The response with its body, if any, unpacked; or the error.
    Ready(Result<Response, FetchError>),
    /// The unchanged response, which is too large for this lane.
    TooLarge(Response),
}

/// Undoes the Content-Encoding of the body, if there is one, up to `limit` bytes.
pub(super) fn unpack(mut response: Response, limit: usize, lane: Lane) -> Unpacked {
    let Some(packed) = response.body.take() else {
        return Unpacked::Ready(Ok(response));
    };
    let coding = content_encoding::named_in(&response.headers);
    let coding = coding.as_deref();
    let decoded = match lane {
        Lane::Large | Lane::Documents => content_encoding::decode(packed, coding, limit),
        Lane::Small => match content_encoding::decode_small(packed.clone(), coding, limit.min(MAX_SMALL_BYTES)) {
            Ok(body) if is_small(&body) => Ok(body),
            _ => {
                response.body = Some(packed);
                return Unpacked::TooLarge(response);
            }
        },
    };
    Unpacked::Ready(decoded.map(|body| {
        response.body = Some(body);
        response
    }))
}

/// Undoes the Content-Encoding of a robots.txt. Of a longer one only the beginning counts, packed and unpacked.
pub(super) fn unpack_robots(mut response: Response) -> Result<Response, FetchError> {
    let coding = content_encoding::named_in(&response.headers);
    response.body = match response.body.take() {
        Some(packed) => Some(content_encoding::decode_robots(packed, coding.as_deref())?),
        None => None,
    };
    Ok(response)
}

fn is_small(body: &[u8]) -> bool {
    body.len() <= MAX_SMALL_BYTES && memchr_iter(b'<', body).count() <= MAX_SMALL_TAGS
}

#[cfg(test)]
mod tests {
    use std::time::{Duration, SystemTime};

    use super::*;
    use web::memory_budget::Claim;

    fn response(body: Vec<u8>, coding: Option<&str>) -> Response {
        let coding = coding.map(|coding| (reqwest::header::CONTENT_ENCODING, coding.parse().unwrap()));
        Response {
            status: 200,
            version: "HTTP/1.1",
            headers: coding.into_iter().collect(),
            wire_bytes: body.len() as u64,
            body: Some(body.into()),
            remote: None,
            fetched_at: SystemTime::UNIX_EPOCH,
            latency: Duration::ZERO,
            elapsed: Duration::ZERO,
            claim: Claim::default(),
            logged_in: false,
            cookies: web::fetch::CookieMarks::default(),
        }
    }

    fn goes_on(unpacked: Unpacked) -> bool {
        matches!(unpacked, Unpacked::TooLarge(_))
    }

    #[test]
    fn a_page_that_is_large_packed_unpacked_or_in_tags_goes_to_the_large_lane() {
        let limit = 10 * 1024 * 1024;
        let small = |body: Vec<u8>, coding| goes_on(unpack(response(body, coding), limit, Lane::Small));
        assert!(!small(vec![b'x'; MAX_SMALL_BYTES], None));
        assert!(small(vec![b'x'; MAX_SMALL_BYTES + 1], None));
        assert!(!small(b"<p>".repeat(MAX_SMALL_TAGS), None));
        assert!(small(b"<p>".repeat(MAX_SMALL_TAGS + 1), None));
        let packed = |bytes| zstd::bulk::compress(&vec![b'x'; bytes], 3).unwrap();
        assert!(!small(packed(MAX_SMALL_BYTES), Some("zstd")));
        assert!(small(packed(MAX_SMALL_BYTES + 1), Some("zstd")));
        assert!(small(b"not packed".to_vec(), Some("zstd")));
        assert_eq!(Lane::of(&Ok(response(vec![0; MAX_SMALL_BYTES + 1], None))), Lane::Large);
    }

    #[test]
    fn the_large_lane_applies_the_configured_bound() {
        let packed = zstd::bulk::compress(&vec![b'x'; 1_000_000], 3).unwrap();
        let unpacked = |limit| unpack(response(packed.clone(), Some("zstd")), limit, Lane::Large);
        let Unpacked::Ready(Ok(whole)) = unpacked(1_000_000) else {
            panic!("refused")
        };
        assert_eq!(whole.body.unwrap().len(), 1_000_000);
        let Unpacked::Ready(Err(error)) = unpacked(999_999) else {
            panic!("accepted")
        };
        assert_eq!(error.to_string(), "body over 999999 bytes");
    }
}
