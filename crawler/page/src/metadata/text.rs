//! The texts of elements and attributes, cleaned and cut.

use std::borrow::Cow;

use html5ever::local_name;

use super::names::is_wide;
use super::references::without_references;
use crate::extract::is_within_line;
use crate::parse::{Element, Node, NodeRef, Visit, is_unseen};
use crate::words::is_ignorable;

/// Longest value, in bytes. Descriptions of more than this are texts of their own.
pub(super) const MAX_VALUE_BYTES: usize = 4096;

/// Most nodes of an element whose text is read. An author or a date needs a few.
const MAX_NODES: usize = 256;

/// The value of an attribute without what does not belong to it: character references that were escaped twice, tags, white space around and
/// in a row. Cut at the longest value.
pub(super) fn cleaned(value: &str) -> String {
    let text = without_references(cut(value, MAX_VALUE_BYTES));
    if has_markup(&text) {
        collapsed(&without_tags(&text))
    } else {
        collapsed(&text)
    }
}

/// The text of a `<title>`. It has no tags: what looks like one is text (WHATWG HTML, section 13.1.2, escapable raw text elements).
pub(super) fn cleaned_title(text: &str) -> String {
    collapsed(&without_references(cut(text, MAX_VALUE_BYTES)))
}

/// The text with white space collapsed, without invisible characters.
pub(super) fn collapsed(text: &str) -> String {
    let text = text.trim();
    if is_collapsed(text) {
        return text.to_owned();
    }
    let mut out = String::with_capacity(text.len());
    if text.is_ascii() {
        push_collapsed_ascii(&mut out, text);
        return out;
    }
    for word in text.split_whitespace() {
        if !out.is_empty() {
            out.push(' ');
        }
        if word.is_ascii() {
            out.push_str(word);
        } else {
            out.extend(word.chars().filter(|c| is_joiner(*c) || !is_ignorable(*c)));
        }
    }
    out.truncate(out.trim_end().len());
    out
}

/// Appends the words of a text in ASCII. Bytes are compared faster than characters.
fn push_collapsed_ascii(out: &mut String, text: &str) {
    let is_space = |byte: &u8| matches!(byte, b' ' | b'\t'..=b'\r');
    let mut rest = text;
    while !rest.is_empty() {
        let end = rest.bytes().position(|byte| is_space(&byte)).unwrap_or(rest.len());
        let (word, behind) = rest.split_at(end);
        out.push_str(word);
        let spaces = behind.bytes().take_while(is_space).count();
        rest = &behind[spaces..];
        if !rest.is_empty() {
            out.push(' ');
        }
    }
}

/// The text without white space at its beginning.
pub(super) fn without_space_before(text: &str) -> &str {
    // Bytes are compared faster than characters.
    let rest = text.trim_ascii_start();
    match rest.as_bytes().first() {
        None | Some(b'!'..=b'~') => rest,
        Some(_) => rest.trim_start(),
    }
}

/// Whether a text without white space at its ends has nothing to collapse, as most have not.
pub(super) fn is_collapsed(text: &str) -> bool {
    // Without branches, so that the processor takes several bytes at a time.
    let is_plain = text
        .bytes()
        .fold(true, |is_plain, byte| is_plain & matches!(byte, b' '..=b'~' | 128..));
    let pairs = text.as_bytes().iter().zip(text.as_bytes().get(1..).unwrap_or_default());
    is_plain
        && pairs.fold(true, |is_single, (a, b)| is_single & ((*a != b' ') | (*b != b' ')))
        && (text.is_ascii() || !text.chars().any(is_collapsible))
}

/// Whether a character of a text in which single spaces separate the words is another white space, or is left out.
fn is_collapsible(c: char) -> bool {
    c >= '\u{85}' && (c.is_whitespace() || is_ignorable(c) && !is_joiner(c))
}

/// Whether an invisible character is part of the spelling of a word, as in Persian and in the scripts of India.
fn is_joiner(c: char) -> bool {
    matches!(c, '\u{200c}' | '\u{200d}')
}

/// Whether a character is of a script that is written without spaces, or of Korean, whose titles are often set like those of Chinese: Thai,
/// Lao, Myanmar, Khmer, Japanese, Chinese.
pub(super) fn is_without_spaces(c: char) -> bool {
    matches!(c, '\u{e00}'..='\u{eff}' | '\u{1000}'..='\u{109f}' | '\u{1780}'..='\u{17ff}' | '\u{20000}'..='\u{3ffff}')
        || is_wide(c)
}

/// Most letters that count as one word in a script without spaces.
const LETTERS_OF_WORD: usize = 4;

/// The number of words in what stands between two spaces. A long run of letters of a script without spaces, such as Chinese, counts as several words.
pub(super) fn words_of(text: &str) -> usize {
    let letters = text.chars().filter(|c| is_without_spaces(*c)).count();
    letters.div_ceil(LETTERS_OF_WORD).max(1)
}

/// The number of words in a text.
pub(super) fn words(text: &str) -> usize {
    text.split_whitespace().map(words_of).sum()
}

/// The beginning of a text, at most so many bytes.
pub(super) fn cut(text: &str, bytes: usize) -> &str {
    &text[..text.floor_char_boundary(bytes)]
}

/// The letters and digits of a text in lower case, for comparisons.
pub(super) fn folded(text: &str) -> String {
    let mut folded = String::with_capacity(text.len());
    push_folded(&mut folded, text);
    folded
}

/// Appends the letters and digits of a text in lower case.
fn push_folded(out: &mut String, text: &str) {
    for c in text.chars().filter(|c| c.is_alphanumeric()) {
        if c.is_ascii() {
            out.push(c.to_ascii_lowercase());
        } else {
            out.extend(c.to_lowercase());
        }
    }
}

/// Whether a text is HTML rather than one about tags or types, such as `Vec<T>`: it has an end tag, a `<p>`, a `<br>` or a tag with an
/// attribute.
fn has_markup(text: &str) -> bool {
    let mut tags = text.split('<').skip(1).filter(|tag| tag.contains('>'));
    tags.any(|tag| {
        let name = tag
            .split(|c: char| !c.is_ascii_alphanumeric())
            .next()
            .unwrap_or_default();
        let is_end = tag.starts_with('/') && tag[1..].starts_with(|c: char| c.is_ascii_alphabetic());
        let is_usual = ["p", "br"].iter().any(|usual| name.eq_ignore_ascii_case(usual));
        is_end || is_usual || has_attribute(&tag[name.len()..])
    })
}

/// Whether an attribute with a value follows the name of a tag.
fn has_attribute(rest: &str) -> bool {
    let attribute = rest.trim_start();
    let end = attribute.trim_start_matches(|c: char| c.is_ascii_alphanumeric() || matches!(c, '-' | ':' | '_'));
    attribute.len() < rest.len() && end.len() < attribute.len() && end.trim_start().starts_with('=')
}

/// The text without HTML tags.
fn without_tags(text: &str) -> Cow<'_, str> {
    if !text.contains('<') {
        return Cow::Borrowed(text);
    }
    let mut out = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(at) = rest.find('<') {
        let (before, tag) = rest.split_at(at);
        out.push_str(before);
        let is_tag = tag[1..].starts_with(|c: char| c.is_ascii_alphabetic() || c == '/');
        match tag.find('>').filter(|_| is_tag) {
            Some(end) => {
                if is_break(&tag[1..end]) {
                    out.push(' ');
                }
                rest = &tag[end + 1..];
            }
            // No tag ends behind this one.
            None if is_tag => {
                rest = tag;
                break;
            }
            None => {
                out.push('<');
                rest = &tag[1..];
            }
        }
    }
    out.push_str(rest);
    Cow::Owned(out)
}

/// Whether a tag separates words.
fn is_break(tag: &str) -> bool {
    let name = tag.trim_start_matches('/');
    ["br", "p", "div", "li", "h"]
        .iter()
        .any(|start| name.starts_with(start))
}

/// The text below a node, one block a line, white space collapsed within each; at most so many bytes.
pub(super) fn text_of(node: NodeRef<'_>, max_bytes: usize) -> String {
    text_without(node, max_bytes, |_| false)
}

/// The same without the elements that `is_left_out` knows.
pub(super) fn text_without(node: NodeRef<'_>, max_bytes: usize, is_left_out: fn(&Element) -> bool) -> String {
    let mut reader = Reader {
        text: String::new(),
        max_bytes,
        nodes: 0,
        is_left_out,
    };
    node.walk(&mut reader);
    let lines = reader.text.lines().map(collapsed).filter(|line| !line.is_empty());
    lines.collect::<Vec<_>>().join("\n")
}

struct Reader {
    text: String,
    max_bytes: usize,
    nodes: usize,
    is_left_out: fn(&Element) -> bool,
}

impl<'t> Visit<'t> for Reader {
    fn enter(&mut self, node: NodeRef<'t>) -> bool {
        self.nodes += 1;
        if self.nodes > MAX_NODES || self.text.len() >= self.max_bytes {
            return false;
        }
        match node.value() {
            Node::Text(text) => {
                let text = cut(text, self.max_bytes - self.text.len());
                self.text.extend(text.chars().map(|c| if c == '\n' { ' ' } else { c }));
                false
            }
            Node::Element(element) if is_unseen(element) => false,
            Node::Element(element) => {
                self.end_line(node, element);
                !(self.is_left_out)(element)
            }
            _ => true,
        }
    }

    fn leave(&mut self, node: NodeRef<'t>) {
        if let Some(element) = node.value().as_element() {
            self.end_line(node, element);
        }
    }
}

impl Reader {
    fn end_line(&mut self, node: NodeRef<'_>, element: &Element) {
        if element.name.local == local_name!("br") || !is_within_line(node, element) {
            self.text.push('\n');
        }
    }
}
