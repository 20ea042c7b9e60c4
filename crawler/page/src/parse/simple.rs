//! A fast path for the simple tokens of which nearly all pages consist: text with usual character references, tags with quoted or plain
//! values, and elements in which only text may be.
//!
//! The parser's tokenizer takes more than half of the time of a parse, because it runs each character through the state machine
//! of the standard. This module reads a tag or a text at once if it is unambiguous, with the same result, and leaves
//! everything else to the tokenizer. It leaves out the attributes that nothing reads.

use std::borrow::Cow;

use html5ever::tendril::StrTendril;
use html5ever::tokenizer::{Tag, TagKind, Token};
use html5ever::{Attribute, LocalName, QualName, local_name, ns};
use memchr::{memchr, memchr_iter, memchr2};

use super::{Attributes, read_attributes, references};

/// Most attributes of a simple tag.
const MAX_SIMPLE_ATTRIBUTES: usize = 24;

/// Attributes for which a tag with some reserves memory.
const USUAL_ATTRIBUTES: usize = 2;

/// Longest text that a tendril holds without memory of its own, in bytes.
const MAX_INLINE_BYTES: usize = 8;

/// Longest simple comment, in bytes.
const MAX_COMMENT_BYTES: usize = 4096;

/// Whether tags of such elements may move the tokenizer out of its data state.
fn is_raw(name: &str) -> bool {
    matches!(
        name,
        "script"
            | "style"
            | "title"
            | "textarea"
            | "xmp"
            | "iframe"
            | "noembed"
            | "noframes"
            | "noscript"
            | "plaintext"
    )
}

/// The text of a page without carriage returns, from which tokens are made.
pub(super) struct Source<'a> {
    html: &'a str,
    /// The same, for the slices that the tree shares.
    shared: StrTendril,
    /// The attributes that the tree needs.
    attributes: Attributes,
    has_nul: bool,
}

/// A tag.
pub(super) struct Start {
    pub token: Token,
    /// Its end in the source.
    pub end: usize,
    /// Attributes in the source that the token leaves out.
    pub left_out: usize,
}

/// An element in which only text may be.
pub(super) struct RawElement {
    pub start: Start,
    pub text: Token,
    pub end_tag: Token,
    /// Its end in the source.
    pub end: usize,
}

impl<'a> Source<'a> {
    pub(super) fn new(html: &'a str, attributes: Attributes) -> Self {
        Self {
            html,
            shared: StrTendril::from_slice(html),
            attributes,
            has_nul: memchr(0, html.as_bytes()).is_some(),
        }
    }

    pub(super) fn html(&self) -> &'a str {
        self.html
    }

    /// A slice of the page.
    pub(super) fn slice(&self, start: usize, end: usize) -> StrTendril {
        match end - start {
            // A slice of the page would be copied as well, after more checks.
            0..=MAX_INLINE_BYTES => StrTendril::from_slice(&self.html[start..end]),
            len => self.shared.subtendril(start as u32, len as u32),
        }
    }

    fn bytes(&self) -> &'a [u8] {
        self.html.as_bytes()
    }

    /// The token at `at`, which is not the end; `None` if it is not simple, or begins an element in which only text may be.
    pub(super) fn token(&self, at: usize) -> Option<Start> {
        let whole = |(token, end)| Start {
            token,
            end,
            left_out: 0,
        };
        match self.bytes()[at..] {
            [b'<', b'/', ..] => self.end_tag(at).map(whole),
            [b'<', b'!', b'-', b'-', ..] => self.comment(at).map(whole),
            [b'<', ..] => self.start_tag(at, false),
            _ => self.text(at).map(whole),
        }
    }

    fn text(&self, at: usize) -> Option<(Token, usize)> {
        let bytes = self.bytes();
        let mut end = at;
        let mut has_references = false;
        loop {
            end = memchr2(b'<', b'&', &bytes[end..]).map_or(bytes.len(), |found| end + found);
            if bytes.get(end) != Some(&b'&') {
                break;
            }
            let Some((_, len)) = references::first(&self.html[end..]) else {
                break;
            };
            has_references = true;
            end += len;
        }
        if self.has_nul {
            end = memchr(0, &bytes[at..end]).map_or(end, |found| at + found);
        }
        if end == at {
            return None;
        }
        let text = if has_references {
            references::resolved(&self.html[at..end])?
        } else {
            self.slice(at, end)
        };
        Some((Token::CharacterTokens(text), end))
    }

    /// A comment without the marks that may end it early.
    fn comment(&self, at: usize) -> Option<(Token, usize)> {
        let bytes = &self.bytes()[at + 4..];
        let nearest = &bytes[..bytes.len().min(MAX_COMMENT_BYTES)];
        let len = memchr::memmem::find(nearest, b"-->")?;
        let text = &bytes[..len];
        let ends_early = text.starts_with(b">") || text.starts_with(b"->") || holds(&bytes[..len + 2], b"--!>");
        let has_nul = self.has_nul && memchr(0, text).is_some();
        (!ends_early && !has_nul).then(|| {
            let text = self.slice(at + 4, at + 4 + len);
            (Token::CommentToken(text), at + 4 + len + 3)
        })
    }

    fn end_tag(&self, at: usize) -> Option<(Token, usize)> {
        let name = self.name(at + 2)?;
        let end = at + 2 + name.len();
        (self.bytes().get(end) == Some(&b'>') && !is_raw(&name))
            .then(|| (tag(TagKind::EndTag, &name, false, Vec::new()), end + 1))
    }

    fn start_tag(&self, at: usize, raw: bool) -> Option<Start> {
        let bytes = self.bytes();
        let element = &*self.name(at + 1)?;
        if is_raw(element) != raw {
            return None;
        }
        let kept = if read_attributes::matter_all(element) {
            Attributes::All
        } else {
            self.attributes
        };
        let mut attributes: Vec<Attribute> = Vec::new();
        let (mut at, mut left_out) = (at + 1 + element.len(), 0);
        let (end, self_closing) = loop {
            let spaces = bytes[at..].iter().position(|&b| !is_space(b))?;
            at += spaces;
            match bytes[at..] {
                [b'>', ..] => break (at + 1, false),
                [b'/', b'>', ..] => break (at + 2, true),
                _ if spaces == 0 || attributes.len() + left_out == MAX_SIMPLE_ATTRIBUTES => return None,
                _ => {}
            }
            let (name, value, end) = self.attribute(at)?;
            at = end;
            let Some(name) = read_attributes::name(element, &name, kept) else {
                left_out += 1;
                continue;
            };
            if attributes.iter().any(|known| known.name.local == name) {
                return None;
            }
            if attributes.is_empty() {
                attributes = Vec::with_capacity(USUAL_ATTRIBUTES);
            }
            attributes.push(Attribute {
                name: QualName::new(None, ns!(), name),
                value: self.value(value.0, value.1)?,
            });
        };
        Some(Start {
            token: tag(TagKind::StartTag, element, self_closing, attributes),
            end,
            left_out,
        })
    }

    /// Whether the tag at `at` is simple and of an element in which only text may be.
    pub(super) fn begins_raw_element(&self, at: usize) -> bool {
        self.bytes()[at] == b'<' && self.name(at + 1).is_some_and(|name| is_raw(&name))
    }

    /// The element at `at` in which only text may be; `None` if it is not simple.
    pub(super) fn raw_element(&self, at: usize) -> Option<RawElement> {
        let element = &*self.name(at + 1).filter(|name| is_raw(name))?;
        let start = self.start_tag(at, true)?;
        let text_end = start.end + raw_end(&self.bytes()[start.end..], element)?;
        let text = &self.bytes()[start.end..text_end];
        let end = text_end + 2 + element.len() + 1;
        let is_simple = self.bytes().get(end - 1) == Some(&b'>')
            && !(self.has_nul && memchr(0, text).is_some())
            && (element != "script" || !holds(text, b"<!--") || !holds_start_of_script(text));
        if !is_simple {
            return None;
        }
        let text = match element {
            "title" | "textarea" => self.value(start.end, text_end)?,
            _ => self.slice(start.end, text_end),
        };
        Some(RawElement {
            start,
            text: Token::CharacterTokens(text),
            end_tag: tag(TagKind::EndTag, element, false, Vec::new()),
            end,
        })
    }

    /// The simple name of a tag at `at`, in small letters.
    fn name(&self, at: usize) -> Option<Cow<'a, str>> {
        let bytes = &self.bytes()[at..];
        let end = bytes.iter().position(|b| !is_of_name(*b))?;
        let simple = bytes[0].is_ascii_alphabetic() && matches!(bytes[end], b'>' | b'/' | b' ' | b'\n' | b'\t');
        simple.then(|| in_small_letters(&self.html[at..at + end]))
    }

    /// The attribute at `at`: its name in small letters, the place of its value, and its end.
    fn attribute(&self, at: usize) -> Option<(Cow<'a, str>, (usize, usize), usize)> {
        let bytes = self.bytes();
        let name_end = at + bytes[at..].iter().position(|b| !is_of_name(*b))?;
        if name_end == at {
            return None;
        }
        let name = in_small_letters(&self.html[at..name_end]);
        match bytes[name_end..] {
            [b'=', quote @ (b'"' | b'\''), ..] => {
                let start = name_end + 2;
                let end = start + memchr(quote, &bytes[start..])?;
                Some((name, (start, end), end + 1))
            }
            [b'=', ..] => {
                let start = name_end + 1;
                let plain = |b: &u8| b.is_ascii_alphanumeric() || matches!(b, b'-' | b'_' | b'.' | b':' | b'#' | b'%');
                let end = start + bytes[start..].iter().position(|b| !plain(b))?;
                let is_simple = end > start && (bytes[end] == b'>' || is_space(bytes[end]));
                is_simple.then_some((name, (start, end), end))
            }
            [b, ..] if b == b'>' || is_space(b) => Some((name, (name_end, name_end), name_end)),
            _ => None,
        }
    }

    /// The value of an attribute, or a text in which only character references count; `None` if it is not simple.
    fn value(&self, start: usize, end: usize) -> Option<StrTendril> {
        let value = &self.bytes()[start..end];
        if self.has_nul && memchr(0, value).is_some() {
            return None;
        }
        match memchr(b'&', value) {
            Some(_) => references::resolved(&self.html[start..end]),
            None => Some(self.slice(start, end)),
        }
    }
}

/// The offset of the end tag of an element in which only text may be.
fn raw_end(bytes: &[u8], element: &str) -> Option<usize> {
    memchr::memmem::find_iter(bytes, b"</").find(|&at| {
        let name = bytes.get(at + 2..at + 2 + element.len());
        name.is_some_and(|name| name.eq_ignore_ascii_case(element.as_bytes()))
    })
}

/// Whether a byte may be in a simple name.
fn is_of_name(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'_' | b':')
}

/// A name as the tokenizer gives it.
fn in_small_letters(name: &str) -> Cow<'_, str> {
    if name.bytes().any(|byte| byte.is_ascii_uppercase()) {
        Cow::Owned(name.to_ascii_lowercase())
    } else {
        Cow::Borrowed(name)
    }
}

/// Whether the text of a script has the start of another. Behind `<!--`, the next end tag is that of the inner one (WHATWG HTML, section 13.2.5.26,
/// "script data double escape start state").
fn holds_start_of_script(text: &[u8]) -> bool {
    memchr_iter(b'<', text).any(|at| {
        let name = text[at + 1..].get(.."script".len());
        name.is_some_and(|name| name.eq_ignore_ascii_case(b"script"))
    })
}

fn holds(bytes: &[u8], part: &[u8]) -> bool {
    memchr::memmem::find(bytes, part).is_some()
}

fn tag(kind: TagKind, name: &str, self_closing: bool, attrs: Vec<Attribute>) -> Token {
    Token::TagToken(Tag {
        kind,
        name: tag_name(name),
        self_closing,
        attrs,
        had_duplicate_attributes: false,
    })
}

/// The name of an element. Those of usual elements need no search.
fn tag_name(name: &str) -> LocalName {
    match name {
        "section" => local_name!("section"),
        "article" => local_name!("article"),
        "blockquote" => local_name!("blockquote"),
        "figcaption" => local_name!("figcaption"),
        "template" => local_name!("template"),
        "noscript" => local_name!("noscript"),
        "textarea" => local_name!("textarea"),
        _ => LocalName::from(name),
    }
}

fn is_space(b: u8) -> bool {
    matches!(b, b'\t' | b'\n' | 0x0c | b' ')
}
