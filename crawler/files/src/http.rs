//! The HTTP response in a WARC record: its head, and the chunks of its body (RFC 9112, sections 4, 5 and 7.1).
//!
//! Many servers and crawlers wrote and rewrote the records of archives, so this reader is lenient: lines may end in LF alone, and a body
//! that does not look chunked is not chunked, even if its head names the coding.

use reqwest::header::{HeaderMap, HeaderName, HeaderValue};

/// The head of a response.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Head {
    pub status: u16,
    /// Bytes before the body.
    pub bytes: usize,
    fields: Vec<(String, String)>,
}

impl Head {
    /// Reads the head at the start of `block`; `None` if there is none or it has no end.
    pub(super) fn read(block: &[u8]) -> Option<Self> {
        let mut lines = HeadLines(block);
        let status_line = String::from_utf8_lossy(lines.next()?).into_owned();
        let status = status_line.strip_prefix("HTTP/")?.split_ascii_whitespace().nth(1)?;
        let mut fields: Vec<(String, String)> = Vec::new();
        loop {
            let line = lines.next()?;
            if line.is_empty() {
                break;
            }
            let line = String::from_utf8_lossy(line);
            match (line.starts_with([' ', '\t']), fields.last_mut(), line.split_once(':')) {
                (true, Some((_, value)), _) => {
                    if !value.is_empty() {
                        value.push(' ');
                    }
                    value.push_str(line.trim());
                }
                (_, _, Some((name, value))) => fields.push((name.trim().to_owned(), value.trim().to_owned())),
                // Ignores a line that is not a field.
                _ => {}
            }
        }
        Some(Self {
            status: status.parse().ok()?,
            bytes: block.len() - lines.0.len(),
            fields,
        })
    }

    /// The value of the first field of this name.
    pub(super) fn field(&self, name: &str) -> Option<&str> {
        let named = |(have, _): &&(String, String)| have.eq_ignore_ascii_case(name);
        self.fields.iter().find(named).map(|(_, value)| value.as_str())
    }

    /// All fields that are valid.
    pub(super) fn headers(&self) -> HeaderMap {
        let mut headers = HeaderMap::new();
        for (name, value) in &self.fields {
            if let (Ok(name), Ok(value)) = (HeaderName::from_bytes(name.as_bytes()), HeaderValue::from_str(value)) {
                headers.append(name, value);
            }
        }
        headers
    }

    /// Whether the head names the coding `chunked`.
    pub(super) fn is_chunked(&self) -> bool {
        let codings = self.field("Transfer-Encoding").unwrap_or_default();
        codings
            .split(',')
            .any(|coding| coding.trim().eq_ignore_ascii_case("chunked"))
    }
}

/// HeadLines without their line ends; ignores bytes after the last line end.
struct HeadLines<'a>(&'a [u8]);

impl<'a> Iterator for HeadLines<'a> {
    type Item = &'a [u8];

    fn next(&mut self) -> Option<&'a [u8]> {
        let end = memchr::memchr(b'\n', self.0)?;
        let line = &self.0[..end];
        self.0 = &self.0[end + 1..];
        Some(line.strip_suffix(b"\r").unwrap_or(line))
    }
}

/// The body in `chunked`, as far as it is complete; `None` if it is not chunked.
pub(super) fn unchunked(chunked: &[u8]) -> Option<Vec<u8>> {
    let mut body = Vec::with_capacity(chunked.len());
    let mut rest = chunked;
    loop {
        let mut lines = HeadLines(rest);
        let Some(length) = lines.next().and_then(chunk_length) else {
            // The body was cut, or never chunked.
            return (!body.is_empty()).then_some(body);
        };
        let data = lines.0;
        if length == 0 {
            return Some(body);
        }
        let Some((chunk, after)) = data.split_at_checked(length) else {
            body.extend_from_slice(data);
            return Some(body);
        };
        body.extend_from_slice(chunk);
        rest = after
            .strip_prefix(b"\r\n")
            .or_else(|| after.strip_prefix(b"\n"))
            .unwrap_or(after);
    }
}

/// `1a2b;extension`
fn chunk_length(line: &[u8]) -> Option<usize> {
    let digits = line.split(|&b| b == b';').next()?.trim_ascii();
    usize::from_str_radix(std::str::from_utf8(digits).ok()?, 16).ok()
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn a_head_is_read_with_its_length() {
        let block =
            b"HTTP/1.1 200 OK\r\nContent-Type:\r\n text/html\r\nX: a\r\n  b\r\nnonsense\r\nContent-type: again\r\n\r\nbody";
        let head = Head::read(block).unwrap();
        assert_eq!((head.status, &block[head.bytes..]), (200, &b"body"[..]));
        assert_eq!(
            (head.field("content-type"), head.field("x")),
            (Some("text/html"), Some("a b"))
        );
        let bare = Head::read(b"HTTP/2 404\nA:b\n\n").unwrap();
        assert_eq!((bare.status, bare.bytes, bare.field("A")), (404, 16, Some("b")));
    }

    #[test]
    fn bytes_without_a_head_have_none() {
        for block in [
            &b""[..],
            b"HTTP/1.1 200 OK\r\nA: b\r\n",
            b"HTTP/1.1 fine\r\n\r\n",
            b"<html>\r\n\r\n",
            b"HTTP/1.1\n\n",
        ] {
            assert_eq!(Head::read(block), None, "{block:?}");
        }
    }

    proptest! {
        #[test]
        fn any_bytes_are_a_head_or_none_and_chunks_never_grow(bytes in "(HTTP/1.1 |200|[0-9a-f]{1,3}|\r?\n|;|:| |[a-zé]){0,40}") {
            if let Some(head) = Head::read(bytes.as_bytes()) {
                prop_assert!(head.bytes <= bytes.len());
            }
            prop_assert!(unchunked(bytes.as_bytes()).is_none_or(|body| body.len() < bytes.len()));
        }
    }

    #[test]
    fn chunks_are_joined_and_a_body_without_chunks_is_none() {
        assert_eq!(
            unchunked(b"4\r\nWiki\r\n6;x=y\r\npedia \r\n0\r\nTrailer: x\r\n\r\n").unwrap(),
            b"Wikipedia "
        );
        assert_eq!(unchunked(b"4\nWiki\nA\ncut").unwrap(), b"Wikicut");
        assert_eq!(unchunked(b"0\r\n\r\n").unwrap(), b"");
        assert_eq!(unchunked(b"<html>\n<p>"), None);
        assert_eq!(unchunked(b""), None);
        assert_eq!(unchunked(b"ffffffffffffffff\r\nx").unwrap(), b"x");
    }
}
