//! Small pages and large ones go different ways, so that many small ones are read at a time and never more than one
//! large: the memory of a page being read (its text, its tree) is many times its own size.
//!
//! How large a page is shows in steps. What is large as it was sent goes to the large lane at once. What unpacks to more
//! than a small page, or holds more tags than one, is found out in the small lane, which then hands it over, still
//! packed. Whatever else goes wrong with a packed body in the small lane is left to the large one to say, whose bounds are
//! those of the configuration.

use memchr::memchr_iter;
use reqwest::header::CONTENT_ENCODING;
use web::fetch::{FetchError, Response, content_encoding};

/// Which way a response goes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Lane {
    /// For small pages: as many threads as cores.
    Small,
    /// For all others: one thread.
    Large,
}

/// Longest body, without its Content-Encoding, of a small page.
const MAX_SMALL_BYTES: usize = 256 * 1024;

/// Tags of a small page at most. The tree takes some 200 bytes a tag, of an ordinary page and a multiple of that of a
/// hostile one.
const MAX_SMALL_TAGS: usize = 16 * 1024;

impl Lane {
    /// The lane in which to begin.
    #[must_use]
    pub fn of(answer: &Result<Response, FetchError>) -> Self {
        let body = answer.as_ref().ok().and_then(|response| response.body.as_ref());
        match body {
            Some(body) if body.len() > MAX_SMALL_BYTES => Self::Large,
            _ => Self::Small,
        }
    }
}

/// A response on its way into a lane.
#[derive(Debug)]
pub(super) enum Unpacked {
    /// The body, if there is one, without its Content-Encoding; or what was wrong with it.
    Ready(Result<Response, FetchError>),
    /// Too large for this lane, and as it was.
    TooLarge(Response),
}

/// Undoes the Content-Encoding of the body, if there is one; at most `limit` bytes of it.
pub(super) fn unpack(mut response: Response, limit: usize, lane: Lane) -> Unpacked {
    let Some(packed) = response.body.take() else {
        return Unpacked::Ready(Ok(response));
    };
    let coding = response.header(&CONTENT_ENCODING);
    let decoded = match lane {
        Lane::Large => content_encoding::decode(packed, coding, limit),
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

fn is_small(body: &[u8]) -> bool {
    body.len() <= MAX_SMALL_BYTES && memchr_iter(b'<', body).count() <= MAX_SMALL_TAGS
}

#[cfg(test)]
mod tests {
    use std::time::{Duration, SystemTime};

    use super::*;
    use web::memory_budget::Claim;

    fn response(body: Vec<u8>, coding: Option<&str>) -> Response {
        let coding = coding.map(|coding| (CONTENT_ENCODING, coding.parse().unwrap()));
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
        }
    }

    fn goes_on(unpacked: Unpacked) -> bool {
        matches!(unpacked, Unpacked::TooLarge(_))
    }

    #[test]
    fn what_is_large_packed_unpacked_or_in_tags_goes_to_the_large_lane() {
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
    fn the_large_lane_has_the_last_word() {
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
