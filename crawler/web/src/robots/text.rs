//! The encoding of a robots.txt. It should be UTF-8 (RFC 9309, section 2.2); editors also save it in UTF-16. Who ignores the rules of such a
//! file fetches what the site forbids.

use std::borrow::Cow;

use encoding_rs::{Encoding, UTF_8, UTF_16BE, UTF_16LE};

/// The file in UTF-8. A byte order mark decides, as for pages; without one, zero bytes beside the first characters show UTF-16, because
/// those characters are ASCII. Other bytes stay as they are.
pub(super) fn utf_8(body: &[u8]) -> Cow<'_, [u8]> {
    let encoding = match Encoding::for_bom(body) {
        Some((encoding, _mark)) => encoding,
        None => match body {
            [1..=127, 0, 1..=127, 0, ..] => UTF_16LE,
            [0, 1..=127, 0, 1..=127, ..] => UTF_16BE,
            _ => UTF_8,
        },
    };
    if encoding == UTF_8 {
        return Cow::Borrowed(body);
    }
    let (text, _had_errors) = encoding.decode_with_bom_removal(body);
    Cow::Owned(text.into_owned().into_bytes())
}

#[cfg(test)]
mod tests {
    use crate::robots::{MAX_ROBOTS_BYTES, Robots};

    fn utf_16(text: &str, to_bytes: fn(u16) -> [u8; 2]) -> Vec<u8> {
        text.encode_utf16().flat_map(to_bytes).collect()
    }

    #[test]
    fn rules_hold_in_every_encoding_that_editors_write() {
        let rules = "User-agent: *\r\nDisallow: /private\r\nDisallow: /caf\u{e9}\r\nSitemap: /map.xml\r\n";
        let marked = format!("\u{feff}{rules}");
        for (name, body) in [
            ("UTF-8", rules.as_bytes().to_vec()),
            ("UTF-8 with a mark", marked.as_bytes().to_vec()),
            ("UTF-8 with two marks", format!("\u{feff}{marked}").into_bytes()),
            (
                "two files with a mark each",
                format!("\u{feff}# first\r\n{marked}").into_bytes(),
            ),
            ("UTF-16LE with a mark", utf_16(&marked, u16::to_le_bytes)),
            ("UTF-16BE with a mark", utf_16(&marked, u16::to_be_bytes)),
            ("UTF-16LE", utf_16(rules, u16::to_le_bytes)),
            ("UTF-16BE", utf_16(rules, u16::to_be_bytes)),
            (
                "UTF-16LE, cut in a character",
                [utf_16(&marked, u16::to_le_bytes), vec![b'x']].concat(),
            ),
        ] {
            let robots = Robots::parse(&body, "FooBot");
            for (path, allowed) in [("/", true), ("/private/x", false), ("/caf%C3%A9", false)] {
                assert_eq!(robots.decide_target(path).allowed, allowed, "{name}: {path}");
            }
            assert_eq!(robots.sitemaps(), ["/map.xml"], "{name}");
        }
        // Bytes that are no text stay nothing.
        for body in [&b"\xff\xfe"[..], b"\xfe\xff", b"\0\0\0\0", b"", b"u", b"\xff\xfe\0"] {
            assert!(Robots::parse(body, "FooBot").decide_target("/").allowed, "{body:?}");
        }
    }

    #[test]
    fn a_long_file_in_utf_16_is_cut_at_a_line() {
        let filling = "# and so on\r\n".repeat(MAX_ROBOTS_BYTES / 26);
        let text = format!("\u{feff}User-agent: *\r\nDisallow: /a\r\n{filling}{filling}Disallow: /b\r\n");
        for body in [utf_16(&text, u16::to_le_bytes), utf_16(&text, u16::to_be_bytes)] {
            assert!(body.len() > MAX_ROBOTS_BYTES);
            let robots = Robots::parse(&body, "FooBot");
            assert!(!robots.decide_target("/a").allowed && robots.decide_target("/b").allowed);
        }
    }
}
