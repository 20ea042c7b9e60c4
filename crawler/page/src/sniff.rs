//! The kind of bytes whose type nothing declares, and of bytes that are not what their header declares.

use std::borrow::Cow;

mod signature;

/// Bytes at the start of a body that are searched for a zero byte.
const SNIFFED_BYTES: usize = 1_024;

/// Whether bytes are binary: a zero byte near the beginning and no byte order mark of UTF-16 or UTF-32.
#[must_use]
pub fn is_binary(body: &[u8]) -> bool {
    let has_mark = body.starts_with(&[0xff, 0xfe]) || body.starts_with(&[0xfe, 0xff]);
    !has_mark && body.iter().take(SNIFFED_BYTES).any(|&byte| byte == 0)
}

/// Bytes of a body that tell its type (WHATWG MIME Sniffing, section 5.2, "resource header").
const HEADER_BYTES: usize = 1_445;

/// Fewest binary data bytes of a header that is not text.
const MIN_BINARY_DATA_BYTES: usize = 4;

/// One binary data byte among so many bytes makes a header that is not text. Among random bytes, one in ten is such a byte.
const BYTES_FOR_A_BINARY_DATA_BYTE: usize = 20;

/// The media type of a file that is not text by its first bytes, such as `application/pdf`; `None` for text and for bytes of an
/// unknown type.
#[must_use]
pub fn media_type_of_binary(body: &[u8]) -> Option<&'static str> {
    signature::media_type(body, header(body).iter().any(is_binary_data))
}

/// Whether the beginning of bytes is neither text nor HTML. Bytes in UTF-16 and UTF-32 look so, too.
///
/// Browsers believe a header that declares HTML, and real pages have stray control bytes. So there must be many of them, and no
/// tag.
#[must_use]
pub fn is_noise(body: &[u8]) -> bool {
    let header = header(body);
    let binary = header.iter().filter(|byte| is_binary_data(byte)).count();
    binary >= MIN_BINARY_DATA_BYTES && binary * BYTES_FOR_A_BINARY_DATA_BYTE > header.len() && !holds_tag(header)
}

fn header(body: &[u8]) -> &[u8] {
    &body[..body.len().min(HEADER_BYTES)]
}

/// A byte that no text has ("binary data byte" in the standard). ESC is none, because ISO-2022-JP has it.
fn is_binary_data(byte: &u8) -> bool {
    matches!(byte, 0x00..=0x08 | 0x0b | 0x0e..=0x1a | 0x1c..=0x1f)
}

/// Whether the name of an element of HTML follows a `<`. Names of one letter do not count, because random bytes contain them too often.
fn holds_tag(header: &[u8]) -> bool {
    const NAMES: &str = "!-- !doctype ?xml article base body br center div font form frameset h1 h2 h3 head header html iframe img li \
                         link main meta nav ol pre script section span strong style svg table td title tr ul";
    let is_name = |rest: &[u8], name: &str| {
        let after = rest.split_at_checked(name.len());
        after.is_some_and(|(found, after)| {
            let ends = |&byte: &u8| matches!(byte, b'>' | b'/') || byte.is_ascii_whitespace();
            found.eq_ignore_ascii_case(name.as_bytes()) && (name == "!--" || after.first().is_none_or(ends))
        })
    };
    let holds_name = |rest: &[u8]| NAMES.split(' ').any(|name| is_name(rest, name));
    memchr::memchr_iter(b'<', header).any(|at| holds_name(&header[at + 1..]))
}

/// The bytes without a byte order mark, and in UTF-16 without the zero bytes of ASCII.
fn beginning(bytes: &[u8]) -> Cow<'_, [u8]> {
    let is_utf16 = bytes.starts_with(&[0xff, 0xfe]) || bytes.starts_with(&[0xfe, 0xff]);
    if is_utf16 {
        let near = bytes[2..].iter().take(2 * ROOT_WITHIN);
        return Cow::Owned(near.copied().filter(|byte| *byte != 0).collect());
    }
    let shown = bytes.strip_prefix(b"\xef\xbb\xbf").unwrap_or(bytes);
    Cow::Borrowed(&shown[..shown.len().min(ROOT_WITHIN)])
}

/// The root of XML is searched in so many bytes.
const ROOT_WITHIN: usize = 64 * 1024;

/// Whether bytes begin like HTML (WHATWG MIME Sniffing, section 7.1), or like XHTML.
///
/// The standard takes what begins with a byte order mark for plain text. In a page it only tells the encoding.
#[must_use]
pub fn looks_like_html(start: &[u8]) -> bool {
    const NAMES: &str = "!doctype html,html,head,script,iframe,h1,div,font,table,a,style,title,b,body,br,p,meta";
    let start = beginning(start);
    let begins = |name: &str| begins_with_tag(start.trim_ascii_start(), name);
    let is_comment = start.trim_ascii_start().starts_with(b"<!--");
    is_comment || NAMES.split(',').any(begins) || is_xml_declaration(&start) && contains_html_root(&start)
}

/// Whether `<` and a name follow, and then the end of the name.
fn begins_with_tag(start: &[u8], name: &str) -> bool {
    let Some((found, after)) = start
        .strip_prefix(b"<")
        .and_then(|rest| rest.split_at_checked(name.len()))
    else {
        return false;
    };
    let ends = |&byte: &u8| matches!(byte, b'>' | b'/') || byte.is_ascii_whitespace();
    found.eq_ignore_ascii_case(name.as_bytes()) && after.first().is_none_or(ends)
}

/// Whether the element `html` follows near the beginning, as in XHTML.
fn contains_html_root(start: &[u8]) -> bool {
    let near = &start[..start.len().min(1024)];
    near.windows(5).any(|window| window.eq_ignore_ascii_case(b"<html"))
}

/// Whether a tag of HTML is in the bytes that tell their type.
pub(crate) fn holds_tag_near(bytes: &[u8]) -> bool {
    holds_tag(header(&beginning(bytes)))
}

/// Whether bytes begin with an XML declaration.
pub(crate) fn is_xml_declaration(bytes: &[u8]) -> bool {
    beginning(bytes).trim_ascii_start().starts_with(b"<?xml")
}

/// Whether XML is a page: its root is `html`, with any prefix and in any case.
#[must_use]
pub fn is_xhtml(bytes: &[u8]) -> bool {
    xml_root(bytes).is_some_and(|root| {
        let local = root.rsplit(|byte| *byte == b':').next().unwrap_or_default();
        local.eq_ignore_ascii_case(b"html")
    })
}

/// The name of the root of XML, after the declaration, comments, processing instructions and the document type.
fn xml_root(bytes: &[u8]) -> Option<Vec<u8>> {
    let beginning = beginning(bytes);
    let mut rest = &beginning[..];
    loop {
        rest = rest.trim_ascii_start().strip_prefix(b"<")?;
        rest = match rest {
            [b'?', ..] => behind(rest, b"?>")?,
            [b'!', b'-', b'-', ..] => behind(rest, b"-->")?,
            [b'!', ..] => behind_document_type(rest)?,
            _ => {
                let ends = |byte: &u8| byte.is_ascii_whitespace() || matches!(byte, b'>' | b'/');
                return rest.split(ends).next().map(<[u8]>::to_vec);
            }
        };
    }
}

/// The bytes after a document type declaration. Its internal subset stands in brackets.
fn behind_document_type(rest: &[u8]) -> Option<&[u8]> {
    let end = rest.iter().position(|byte| matches!(byte, b'>' | b'['))?;
    match rest[end] {
        b'[' => behind(behind(&rest[end..], b"]")?, b">"),
        _ => Some(&rest[end + 1..]),
    }
}

fn behind<'a>(bytes: &'a [u8], end: &[u8]) -> Option<&'a [u8]> {
    let at = memchr::memmem::find(bytes, end)?;
    Some(&bytes[at + end.len()..])
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Bytes like those of a compressed file, by splitmix64.
    fn random(mut state: u64, len: usize) -> Vec<u8> {
        let mut bytes = Vec::with_capacity(len + 8);
        while bytes.len() < len {
            state = state.wrapping_add(0x9e37_79b9_7f4a_7c15);
            let mut word = state;
            word = (word ^ (word >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
            word = (word ^ (word >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
            bytes.extend((word ^ (word >> 31)).to_le_bytes());
        }
        bytes.truncate(len);
        bytes
    }

    #[test]
    fn files_are_told_by_their_first_bytes() {
        for (start, media_type) in [
            (&b"%PDF-1.7\n"[..], "application/pdf"),
            (b"%!PS-Adobe-3.0\n", "application/postscript"),
            (b"\x1f\x8b\x08\0", "application/gzip"),
            (b"PK\x03\x04\x14", "application/zip"),
            (b"Rar!\x1a\x07\0", "application/x-rar-compressed"),
            (b"\0asm\x01", "application/wasm"),
            (b"\x89PNG\r\n\x1a\n", "image/png"),
            (b"\xff\xd8\xff\xe0", "image/jpeg"),
            (b"GIF89a\x01\0", "image/gif"),
            (b"BM\x36\0\0\0", "image/bmp"),
            (b"RIFF\x24\0\0\0WEBPVP8 ", "image/webp"),
            (b"RIFF\x24\0\0\0WAVEfmt ", "audio/wave"),
            (b"\0\0\0\x20ftypisom", "video/mp4"),
            (b"\0\x01\0\0\0\x0c", "font/ttf"),
            (b"OTTO\0\x0b", "font/otf"),
            (b"wOFF\0\x01\0\0", "font/woff"),
            (b"wOF2\0\x01\0\0", "font/woff2"),
        ] {
            assert_eq!(media_type_of_binary(start), Some(media_type), "{start:?}");
        }
    }

    #[test]
    fn texts_that_begin_with_the_letters_of_a_file_are_texts() {
        for text in [
            "BMW builds cars",
            "OTTO is a name",
            "GIF89a is a format",
            "ID3 tags",
            "PK",
            "%PDF",
            "",
            "The WAVE AVI ",
        ] {
            assert_eq!(
                (media_type_of_binary(text.as_bytes()), is_noise(text.as_bytes())),
                (None, false),
                "{text}"
            );
        }
    }

    #[test]
    fn random_bytes_are_noise_and_text_with_some_control_bytes_is_not() {
        for seed in 0..500 {
            assert!(is_noise(&random(seed, 4096)), "{seed}");
        }
        assert!(is_noise(&random(1, 200)));
        let page = [
            b"<!DOCTYPE html><p>A page with binary data in it".to_vec(),
            random(1, 4096),
        ]
        .concat();
        let late = [random(2, 700), b"<BODY\nclass=x>".to_vec(), random(3, 2000)].concat();
        let text = "A text of some words\x08 without a tag. ".repeat(40);
        let japanese = b"\x1b$B%F%9%H\x1b(B ".repeat(40);
        for body in [&page[..], &late, text.as_bytes(), &japanese, b"\0\x01\x02", b""] {
            assert!(!is_noise(body), "{body:?}");
        }
    }
}
