//! A fast path for the simple tokens of which nearly all pages consist: text without character references, and tags in lower
//! case.
//!
//! The parser's tokenizer takes more than half of the time of a parse, because it runs each character through the state machine
//! of the standard. This module reads a tag or a text at once if it is unambiguous, with the same result, and leaves
//! everything else to the tokenizer.

use html5ever::tendril::StrTendril;
use html5ever::tokenizer::{Tag, TagKind, Token};
use html5ever::{Attribute, LocalName, QualName, ns};

/// Most attributes of a simple tag.
const MAX_SIMPLE_ATTRIBUTES: usize = 24;

/// Elements whose tags may move the tokenizer out of its data state.
const RAW: &[&[u8]] = &[
    b"script",
    b"style",
    b"title",
    b"textarea",
    b"xmp",
    b"iframe",
    b"noembed",
    b"noframes",
    b"noscript",
    b"plaintext",
];

/// The token at the start of `html`, which is not empty, and its length in bytes; `None` if it is not simple.
pub(super) fn token(html: &str) -> Option<(Token, usize)> {
    let bytes = html.as_bytes();
    match bytes {
        [b'<', b'/', ..] => end_tag(html),
        [b'<', ..] => start_tag(html),
        _ => {
            let end = bytes
                .iter()
                .position(|b| matches!(b, b'<' | b'&' | b'\r' | 0))
                .unwrap_or(bytes.len());
            (end > 0).then(|| (Token::CharacterTokens(StrTendril::from_slice(&html[..end])), end))
        }
    }
}

fn end_tag(html: &str) -> Option<(Token, usize)> {
    let name = name(&html.as_bytes()[2..])?;
    let end = 2 + name;
    (html.as_bytes().get(end) == Some(&b'>')).then(|| (tag(TagKind::EndTag, &html[2..end], false, Vec::new()), end + 1))
}

fn start_tag(html: &str) -> Option<(Token, usize)> {
    let bytes = html.as_bytes();
    let name_end = 1 + name(&bytes[1..])?;
    let mut attributes = Vec::new();
    let mut at = name_end;
    loop {
        let spaces = bytes[at..].iter().position(|&b| !is_space(b))?;
        at += spaces;
        match bytes[at..] {
            [b'>', ..] => return Some((tag(TagKind::StartTag, &html[1..name_end], false, attributes), at + 1)),
            [b'/', b'>', ..] => return Some((tag(TagKind::StartTag, &html[1..name_end], true, attributes), at + 2)),
            _ if spaces == 0 || attributes.len() == MAX_SIMPLE_ATTRIBUTES => return None,
            _ => {}
        }
        let (attribute, end) = attribute(html, at)?;
        if attributes.iter().any(|known: &Attribute| known.name == attribute.name) {
            return None;
        }
        attributes.push(attribute);
        at = end;
    }
}

/// The length of the tag name at the start of `bytes`; `None` if it is not simple.
fn name(bytes: &[u8]) -> Option<usize> {
    let end = bytes
        .iter()
        .position(|b| !b.is_ascii_lowercase() && !b.is_ascii_digit())?;
    let simple = bytes[0].is_ascii_lowercase() && !RAW.contains(&&bytes[..end]);
    (simple && matches!(bytes[end], b'>' | b'/' | b' ' | b'\n' | b'\t')).then_some(end)
}

/// The attribute at `at`, and its end.
fn attribute(html: &str, at: usize) -> Option<(Attribute, usize)> {
    let bytes = html.as_bytes();
    let simple = |b: &u8| b.is_ascii_lowercase() || b.is_ascii_digit() || matches!(b, b'-' | b'_' | b':');
    let name_end = at + bytes[at..].iter().position(|b| !simple(b))?;
    if name_end == at {
        return None;
    }
    let (value, end) = match bytes[name_end..] {
        [b'=', quote @ (b'"' | b'\''), ..] => {
            let start = name_end + 2;
            let end = start
                + bytes[start..]
                    .iter()
                    .position(|&b| b == quote || matches!(b, b'&' | b'\r' | 0))?;
            if bytes[end] != quote {
                return None;
            }
            (start..end, end + 1)
        }
        [b'=', ..] => {
            let start = name_end + 1;
            let plain = |b: &u8| b.is_ascii_alphanumeric() || matches!(b, b'-' | b'_' | b'.' | b':' | b'#' | b'%');
            let end = start + bytes[start..].iter().position(|b| !plain(b))?;
            if end == start || !(bytes[end] == b'>' || is_space(bytes[end])) {
                return None;
            }
            (start..end, end)
        }
        [b, ..] if b == b'>' || is_space(b) => (name_end..name_end, name_end),
        _ => return None,
    };
    let name = QualName::new(None, ns!(), LocalName::from(&html[at..name_end]));
    Some((
        Attribute {
            name,
            value: StrTendril::from_slice(&html[value]),
        },
        end,
    ))
}

fn tag(kind: TagKind, name: &str, self_closing: bool, attrs: Vec<Attribute>) -> Token {
    Token::TagToken(Tag {
        kind,
        name: LocalName::from(name),
        self_closing,
        attrs,
        had_duplicate_attributes: false,
    })
}

fn is_space(b: u8) -> bool {
    matches!(b, b'\t' | b'\n' | 0x0c | b' ')
}
