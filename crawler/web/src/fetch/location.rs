//! The target of a redirect by the server.

use std::borrow::Cow;

use percent_encoding::{AsciiSet, CONTROLS, percent_encode};
use reqwest::header::{HeaderMap, HeaderValue, LOCATION};
use url::Url;

/// Statuses of a redirect to the URL in `Location` (RFC 9110, section 15.4).
const REDIRECTS: [u16; 5] = [301, 302, 303, 307, 308];

/// The characters of ASCII that a field cannot have, and those that the URL parser would drop.
const ESCAPED: &AsciiSet = CONTROLS;

/// The URL reference in a header field. RFC 9110 has ASCII there; servers send raw bytes in UTF-8 or in the encoding of their pages. UTF-8 is
/// read as such. Of any other text each byte beyond ASCII is percent-encoded, as Chrome does: the server gets back the bytes that it sent.
#[must_use]
pub fn reference_in(value: &HeaderValue) -> Cow<'_, str> {
    escaped(value.as_bytes(), ESCAPED)
}

/// The text of a line with URLs from a file. Its bytes beyond ASCII are read as in [`reference_in`].
#[must_use]
pub fn references_in_line(line: &[u8]) -> Cow<'_, str> {
    // Control characters stay, because they separate the fields of a line.
    const NONE: &AsciiSet = &AsciiSet::EMPTY;
    escaped(line, NONE)
}

/// UTF-8 stays as it is. In any other text, each byte beyond ASCII and each character of `escaped` is percent-encoded.
fn escaped<'a>(bytes: &'a [u8], escaped: &'static AsciiSet) -> Cow<'a, str> {
    match std::str::from_utf8(bytes) {
        Ok(text) => Cow::Borrowed(text),
        Err(_) => Cow::Owned(percent_encode(bytes, escaped).to_string()),
    }
}

/// The target of a redirect that `url` answered with; `None` for another response, `Some(Err)` for a redirect that names no URL.
#[must_use]
pub fn redirect_target(url: &Url, status: u16, headers: &HeaderMap) -> Option<Result<Url, String>> {
    if !REDIRECTS.contains(&status) {
        return None;
    }
    let Some(location) = headers.get(LOCATION) else {
        return Some(Err("no Location header".to_owned()));
    };
    let location = reference_in(location);
    let joined = url.join(without_further_slashes(location.trim()));
    Some(joined.map_err(|error| format!("Location {location:?}: {error}")))
}

/// The reference with two slashes where it begins with more: they lead to the same host (WHATWG URL, section 4.4, "special authority ignore
/// slashes state"). The URL library refuses it.
fn without_further_slashes(reference: &str) -> &str {
    let slashes = reference.len() - reference.trim_start_matches(['/', '\\']).len();
    &reference[slashes.saturating_sub(2)..]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_location_of_any_bytes_leads_where_browsers_go() {
        let base = Url::parse("http://example.org/a/b?c").unwrap();
        for (location, target) in [
            (&b"/caf\xe9"[..], Some("http://example.org/caf%E9")),
            (b"/caf\xc3\xa9", Some("http://example.org/caf%C3%A9")),
            (b"/?q=\xe9&x=a b", Some("http://example.org/?q=%E9&x=a%20b")),
            (b"?\xce\xd2", Some("http://example.org/a/b?%CE%D2")),
            (b"/\xc3\xa9/\xe9", Some("http://example.org/%C3%A9/%E9")),
            (b"/100%/\xff", Some("http://example.org/100%/%FF")),
            (b"//other.example/\x80#\x80", Some("http://other.example/%80#%80")),
            (b"http://b\xc3\xbccher.example/", Some("http://xn--bcher-kva.example/")),
            (b"  /a\tb ", Some("http://example.org/ab")),
            (b"http:\\\\example.org\\x", Some("http://example.org/x")),
            (b"///other.example/x", Some("http://other.example/x")),
            (b"", Some("http://example.org/a/b?c")),
            (b"http://b\xfccher.example/", None),
            (b"http://[", None),
        ] {
            let headers = HeaderMap::from_iter([(LOCATION, HeaderValue::from_bytes(location).unwrap())]);
            let found = redirect_target(&base, 302, &headers).unwrap();
            assert_eq!(
                found.as_ref().ok().map(Url::as_str),
                target,
                "{:?}",
                String::from_utf8_lossy(location)
            );
        }
        assert!(redirect_target(&base, 302, &HeaderMap::new()).unwrap().is_err());
        for status in [200, 300, 304, 305, 306, 404] {
            let headers = HeaderMap::from_iter([(LOCATION, HeaderValue::from_static("/x"))]);
            assert!(redirect_target(&base, status, &headers).is_none(), "{status}");
        }
    }
}
