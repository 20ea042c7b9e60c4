//! Where a body ends, if the HTTP library reads it to the end of the connection.
//!
//! The library ends a body by `Transfer-Encoding: chunked`, by one Content-Length, or else with the connection (RFC 9112, section 6.3). It
//! refuses lengths that differ or are no numbers, and a Transfer-Encoding over HTTP/1.0. One case is left: a Transfer-Encoding that is not
//! `chunked`, beside a Content-Length. RFC 2616 had `identity` for "no coding"; servers still send it, and keep the connection open.
//! Browsers know no other Transfer-Encoding than `chunked`, and take the length.

use reqwest::header::{CONTENT_LENGTH, CONTENT_RANGE, HeaderMap, TRANSFER_ENCODING};

use super::FetchError;

/// The length of a body that the HTTP library reads to the end of the connection, although its head tells the length. The caller reads no
/// further, which closes the connection: the rest of it cannot become another response.
///
/// # Errors
/// Two readers of the head could differ about the end of the body.
pub(super) fn end_of_body(headers: &HeaderMap) -> Result<Option<u64>, FetchError> {
    let mut codings = headers.get_all(TRANSFER_ENCODING).iter().peekable();
    if codings.peek().is_none() {
        return Ok(None);
    }
    let codings: Vec<String> = codings.map(|value| lower(value.as_bytes())).collect();
    let last = codings
        .iter()
        .flat_map(|value| value.split(','))
        .map(str::trim)
        .next_back();
    if last == Some("chunked") {
        return Ok(None);
    }
    if codings.iter().any(|value| value.contains("chunked")) {
        let detail = format!(
            "Transfer-Encoding: {}: chunked is not the last coding",
            codings.join(", ")
        );
        return Err(FetchError::Protocol(detail));
    }
    let mut length = None;
    for value in headers.get_all(CONTENT_LENGTH) {
        for text in lower(value.as_bytes()).split(',').map(str::trim) {
            let is_number = !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit());
            let found: Option<u64> = text.parse().ok().filter(|_| is_number);
            if found.is_none() || length.is_some_and(|length| Some(length) != found) {
                return Err(FetchError::Protocol("invalid content-length parsed".to_owned()));
            }
            length = found;
        }
    }
    Ok(length)
}

/// Whether the body of a response with status 206 is all of it: `bytes 0-999/1000` (RFC 9110, section 15.3.7). A server that names no range
/// has the wrong status: nobody asked it for a part.
pub(super) fn is_whole(headers: &HeaderMap) -> bool {
    let Some(range) = headers.get(CONTENT_RANGE) else {
        return true;
    };
    let range = range
        .to_str()
        .unwrap_or_default()
        .trim()
        .strip_prefix("bytes")
        .map(str::trim_start);
    let parts = range.and_then(|range| range.strip_prefix("0-")?.split_once('/'));
    parts.is_some_and(|(last, all)| {
        let last = last.parse::<u64>().ok().and_then(|last| last.checked_add(1));
        last.is_some() && last == all.parse().ok()
    })
}

fn lower(value: &[u8]) -> String {
    String::from_utf8_lossy(value).to_ascii_lowercase()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_partial_response_is_whole_if_its_range_is_all_there_is() {
        for (range, whole) in [
            ("bytes 0-999/1000", true),
            ("bytes  0-0/1 ", true),
            ("bytes 0-998/1000", false),
            ("bytes 1-999/1000", false),
            ("bytes 0-999/*", false),
            ("bytes */1000", false),
            ("bytes 0-18446744073709551615/0", false),
            ("items 0-9/10", false),
            ("", false),
        ] {
            let headers = HeaderMap::from_iter([(CONTENT_RANGE, HeaderValue::from_static(range))]);
            assert_eq!(is_whole(&headers), whole, "{range}");
        }
        assert!(is_whole(&HeaderMap::new()));
    }
    use reqwest::header::{HeaderName, HeaderValue};

    fn end(fields: &[(HeaderName, &'static str)]) -> Result<Option<u64>, &'static str> {
        let fields = fields
            .iter()
            .map(|(name, value)| (name.clone(), HeaderValue::from_static(value)));
        end_of_body(&fields.collect()).map_err(|error| error.kind())
    }

    #[test]
    fn the_length_counts_beside_a_transfer_encoding_that_is_none() {
        let (te, cl) = (TRANSFER_ENCODING, CONTENT_LENGTH);
        let with = |coding, length| end(&[(te.clone(), coding), (cl.clone(), length)]);
        assert_eq!(end(&[(cl.clone(), "5")]), Ok(None), "the library reads it");
        assert_eq!(
            end(&[(te.clone(), "identity")]),
            Ok(None),
            "to the end of the connection"
        );
        for coding in ["identity", "Identity", "", "gzip", "none", "identity, identity", "8bit"] {
            assert_eq!(with(coding, "5"), Ok(Some(5)), "{coding}");
        }
        assert_eq!(with("identity", "5, 5"), Ok(Some(5)));
        for length in ["5, 6", "-5", "+5", "5a", "", "many", "99999999999999999999999"] {
            assert_eq!(with("identity", length), Err("protocol"), "{length}");
        }
        for coding in ["chunked", "gzip, chunked", "Chunked"] {
            assert_eq!(with(coding, "5"), Ok(None), "{coding}: the library reads the chunks");
        }
        for coding in [
            "chunked, identity",
            "xchunked",
            "chunked;q=1",
            "\"chunked\"",
            "chunked, gzip",
        ] {
            assert_eq!(with(coding, "5"), Err("protocol"), "{coding}");
            assert_eq!(end(&[(te.clone(), coding)]), Err("protocol"), "{coding}");
        }
    }
}
