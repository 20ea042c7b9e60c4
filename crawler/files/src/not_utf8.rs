//! The message about input that is not UTF-8.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::str::Utf8Error;

use reqwest::header::{CONTENT_TYPE, HeaderMap, HeaderValue};
use url::Url;

use crate::page::PLACEHOLDER;

/// Fewest bytes beyond ASCII from which the encoding is named. For fewer, the guess is often another encoding of the same script.
const MIN_BYTES: usize = 24;

/// Largest number of bytes from which the encoding is guessed.
const MAX_BYTES: usize = 16 << 10;

/// Names of encodings on the web and for `iconv`. With the same name, the encoding of the web has more characters than that of `iconv`.
const NAMES: [(&str, &str); 3] = [("GBK", "GB18030"), ("EUC-KR", "CP949"), ("Shift_JIS", "CP932")];

/// Says that a line or a row is not UTF-8, and how to convert its file.
pub(crate) fn not_utf8<'a>(cells: impl IntoIterator<Item = &'a [u8]>, error: Utf8Error) -> String {
    let from = encoding_of(cells).map_or("ENCODING", |name| name);
    format!("it is not UTF-8: {error}; convert the file, for example by iconv -f {from} -t UTF-8")
}

/// The encoding that the bytes probably have, by the function that reads pages; `None` if too few bytes are not ASCII.
fn encoding_of<'a>(cells: impl IntoIterator<Item = &'a [u8]>) -> Option<&'static str> {
    let mut bytes = Vec::new();
    for cell in cells {
        bytes.extend_from_slice(&cell[..cell.len().min(MAX_BYTES - bytes.len())]);
        // A line end follows each cell, so that no character spans two cells.
        if bytes.len() < MAX_BYTES {
            bytes.push(b'\n');
        }
    }
    if bytes.iter().filter(|byte| !byte.is_ascii()).count() < MIN_BYTES {
        return None;
    }
    let headers = HeaderMap::from_iter([(CONTENT_TYPE, HeaderValue::from_static("text/plain"))]);
    let url = Url::parse(PLACEHOLDER).ok()?;
    let options = page::Options {
        agent: "",
        embedded: false,
        max_text_bytes: 2 * MAX_BYTES,
        extract: None,
        favor: page::Favor::default(),
        documents: page::Documents::all(),
        markdown: None,
        metadata: None,
    };
    // A precaution: no input is known that makes the parser panic.
    let page = catch_unwind(AssertUnwindSafe(|| page::read(&bytes, &headers, &url, &options)));
    let name = page.ok()?.ok()?.encoding;
    let name = NAMES
        .iter()
        .find(|(web, _)| *web == name)
        .map_or(name, |(_, name)| name);
    (name != "UTF-8").then_some(name)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_encoding_is_named_if_enough_bytes_tell() {
        let chinese: &[u8] = b"\xb9\xab\xb8\xe6\xa3\xba\xb1\xbe\xd6\xdc\xc1\xf9\xcf\xc2\xce\xe7\xb5\xe7\xd3\xb0\xd4\xba\xb7\xc5\xd3\xb3\xd0\xc2\xc6\xac\xa3\xac\xbb\xb6\xd3\xad\xb9\xdb\xbf\xb4\xa1\xa3";
        let korean: &[u8] = b"\xbe\xc8\xb3\xe7\xc7\xcf\xbc\xbc\xbf\xe4. \xbf\xc0\xb4\xc3\xc0\xba \xb3\xaf\xbe\xbe\xb0\xa1 \xb8\xc5\xbf\xec \xc1\xc1\xbd\xc0\xb4\xcf\xb4\xd9. \xb0\xa8\xbb\xe7\xc7\xd5\xb4\xcf\xb4\xd9.";
        let japanese: &[u8] = b"\x82\xb1\x82\xf1\x82\xc9\x82\xbf\x82\xcd\x81B\x8d\xa1\x93\xfa\x82\xcd\x82\xc6\x82\xc4\x82\xe0\x82\xa2\x82\xa2\x93V\x8bC\x82\xc5\x82\xb7\x82\xcb\x81B";
        for (bytes, name) in [
            (chinese, Some("GB18030")),
            (korean, Some("CP949")),
            (japanese, Some("CP932")),
            (b"caf\xe9", None),
            (b"\xff", None),
        ] {
            assert_eq!(encoding_of([bytes]), name);
        }
        let bytes = Vec::from([0xff]);
        let error = std::str::from_utf8(&bytes).unwrap_err();
        assert!(not_utf8([&bytes[..]], error).ends_with("iconv -f ENCODING -t UTF-8"));
    }
}
