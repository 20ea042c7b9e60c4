//! XML that its writer did not check, as XML that a parser reads to its end.
//!
//! Many feeds hold HTML that nobody escaped, texts with a `<`, messages of the program before the declaration, or are cut. Browsers show an
//! error for them. Readers of feeds do what HTML does (WHATWG HTML, "tokenization"): a `<` that begins no tag is text, and attributes need
//! neither quotes nor values.

use std::borrow::Cow;

use memchr::{memchr, memchr2, memmem};

const CDATA: &str = "<![CDATA[";
const DOCTYPE: &str = "<!doctype";

/// `text` with well-formed tags, and without comments, processing instructions and document types. Elements may still lack their end
/// tags, and end tags their elements.
///
/// The time is linear in the length.
pub(crate) fn tidied(text: &str) -> String {
    let mut tidy = Tidy {
        text,
        at: 0,
        absent: Vec::new(),
        tidied: String::with_capacity(text.len() + CDATA.len()),
    };
    while let Some(before) = memchr(b'<', &text.as_bytes()[tidy.at..]) {
        tidy.copy_to(tidy.at + before);
        tidy.markup();
    }
    tidy.copy_to(text.len());
    tidy.tidied
}

struct Tidy<'a> {
    text: &'a str,
    /// What precedes is done.
    at: usize,
    /// What was searched and does not follow. It is searched once only, so that the time stays linear.
    absent: Vec<&'static str>,
    tidied: String,
}

impl<'a> Tidy<'a> {
    fn rest(&self) -> &'a str {
        &self.text[self.at..]
    }

    fn copy_to(&mut self, end: usize) {
        self.tidied.push_str(&self.text[self.at..end]);
        self.at = end;
    }

    fn follows(&mut self, end: &'static str) -> bool {
        if self.absent.contains(&end) {
            return false;
        }
        let is_there = memmem::find(self.rest().as_bytes(), end.as_bytes()).is_some();
        if !is_there {
            self.absent.push(end);
        }
        is_there
    }

    /// Goes on after the first `end` that follows, or at the end of the text.
    fn skip_after(&mut self, end: &str) {
        let found = memmem::find(self.rest().as_bytes(), end.as_bytes());
        self.at = found.map_or(self.text.len(), |found| self.at + found + end.len());
    }

    /// The `<` here is a character of the text.
    fn literal(&mut self) {
        self.tidied.push_str("&lt;");
        self.at += 1;
    }

    /// Reads what begins with the `<` here.
    fn markup(&mut self) {
        let rest = self.rest();
        let begins_with = |start: &str| {
            let begin = rest.as_bytes().get(..start.len());
            begin.is_some_and(|begin| begin.eq_ignore_ascii_case(start.as_bytes()))
        };
        match rest.as_bytes().get(1..3) {
            Some([b'!', _]) if begins_with("<!--") && self.follows("-->") => self.skip_after("-->"),
            Some([b'!', _]) if begins_with("<!--") => self.literal(),
            Some([b'!', _]) if begins_with(CDATA) => self.cdata(),
            Some([b'!', _]) if begins_with(DOCTYPE) => self.doctype(),
            Some([b'!', _]) => self.skip_after(">"),
            Some([b'?', _]) if self.follows("?>") => self.skip_after("?>"),
            Some([b'?', _]) => self.skip_after(">"),
            Some([b'/', first]) if begins_name(*first) => self.end_tag(),
            Some([b'/', _]) => self.skip_after(">"),
            Some([first, _]) if begins_name(*first) => self.start_tag(),
            _ => self.literal(),
        }
    }

    fn cdata(&mut self) {
        self.at += CDATA.len();
        self.tidied.push_str(CDATA);
        let start = self.at;
        self.skip_after("]]>");
        self.tidied.push_str(&self.text[start..self.at]);
        if !self.tidied.ends_with("]]>") {
            self.tidied.push_str("]]>");
        }
    }

    /// The declarations between the brackets of a document type have `>` of their own.
    fn doctype(&mut self) {
        let rest = self.rest().as_bytes();
        let has_subset = memchr2(b'>', b'[', rest).is_some_and(|at| rest[at] == b'[');
        if has_subset && self.follows("]") {
            self.skip_after("]");
        }
        self.skip_after(">");
    }

    fn end_tag(&mut self) {
        let rest = self.rest();
        let length = rest[2..].find(|c: char| c.is_ascii_whitespace() || matches!(c, '>' | '<' | '/'));
        // A tag that was cut says nothing.
        let Some(length) = length else {
            self.at = self.text.len();
            return;
        };
        self.tidied.push_str(&rest[..2 + length]);
        self.tidied.push('>');
        let after = &rest.as_bytes()[2 + length..];
        self.at += 2 + length;
        match memchr2(b'>', b'<', after) {
            Some(end) => self.at += end + usize::from(after[end] == b'>'),
            None => self.at = self.text.len(),
        }
    }

    fn start_tag(&mut self) {
        match Tag::read(self.rest()) {
            Ok(tag) => {
                tag.write(&mut self.tidied);
                self.at += tag.length;
            }
            Err(NoTag::Interrupted) => self.literal(),
            Err(NoTag::Cut) => self.at = self.text.len(),
        }
    }
}

fn begins_name(byte: u8) -> bool {
    byte.is_ascii_alphabetic() || byte == b'_' || !byte.is_ascii()
}

/// A start tag.
struct Tag<'a> {
    name: &'a str,
    attributes: Vec<(&'a str, &'a str)>,
    is_empty: bool,
    /// Bytes from its `<` to its `>`, both included.
    length: usize,
}

/// Why a `<` and a name are no tag.
enum NoTag {
    /// Another `<` precedes the end.
    Interrupted,
    /// The text ends before.
    Cut,
}

impl<'a> Tag<'a> {
    /// Reads the tag at the start of `text`.
    fn read(text: &'a str) -> Result<Self, NoTag> {
        let bytes = text.as_bytes();
        let mut at = 1 + length_of(&text[1..], |c| !matches!(c, '/' | '>' | '<'));
        let mut tag = Self {
            name: &text[1..at],
            attributes: Vec::new(),
            is_empty: false,
            length: 0,
        };
        loop {
            match bytes.get(at).ok_or(NoTag::Cut)? {
                b'>' => {
                    tag.length = at + 1;
                    return Ok(tag);
                }
                b'<' => return Err(NoTag::Interrupted),
                b'/' => {
                    tag.is_empty = bytes.get(at + 1) == Some(&b'>');
                    at += 1;
                }
                b'"' | b'\'' | b'=' => at += 1,
                byte if byte.is_ascii_whitespace() => at += 1,
                _ => {
                    let start = at;
                    at += length_of(&text[at..], |c| !matches!(c, '/' | '>' | '<' | '='));
                    let name = &text[start..at];
                    let (value, end) = value(text, at);
                    tag.attributes.push((name, value));
                    at = end;
                }
            }
        }
    }

    fn write(&self, to: &mut String) {
        to.push('<');
        to.push_str(self.name);
        for (name, value) in &self.attributes {
            // A parser of XML would take a quote in a name as the begin of a value.
            if name.contains(['"', '\'']) {
                continue;
            }
            to.push(' ');
            to.push_str(name);
            to.push_str("=\"");
            to.push_str(&value.replace('"', "&quot;"));
            to.push('"');
        }
        to.push_str(if self.is_empty { "/>" } else { ">" });
    }
}

/// Bytes at the start of `text` that are no white space and pass `is_part`.
fn length_of(text: &str, is_part: impl Fn(char) -> bool) -> usize {
    let ends = |c: char| c.is_ascii_whitespace() || !is_part(c);
    text.find(ends).unwrap_or(text.len())
}

/// The value of the attribute whose name ends at `at`, and where it ends. An attribute may have none.
fn value(text: &str, at: usize) -> (&str, usize) {
    let skip = |at: usize| at + length_of_space(&text[at..]);
    let equals = skip(at);
    if !text[equals..].starts_with('=') {
        return ("", at);
    }
    let start = skip(equals + 1);
    let quote = text
        .as_bytes()
        .get(start)
        .copied()
        .filter(|byte| matches!(byte, b'"' | b'\''));
    if let Some(quote) = quote
        && let Some(length) = memchr(quote, &text.as_bytes()[start + 1..])
    {
        let end = start + 1 + length;
        return (&text[start + 1..end], end + 1);
    }
    let start = start + usize::from(quote.is_some());
    let end = start + length_of(&text[start..], |c| !matches!(c, '>' | '<'));
    (&text[start..end], end)
}

fn length_of_space(text: &str) -> usize {
    text.len() - text.trim_ascii_start().len()
}

/// HTML as plain text: its references are resolved, and its inline elements are left out.
pub(crate) fn plain(html: &str) -> String {
    /// Elements that titles have. Another `<` is a character: titles speak of generic types and comparisons.
    const INLINE: [&str; 28] = [
        "a", "abbr", "b", "bdi", "big", "br", "cite", "code", "del", "div", "em", "font", "i", "img", "ins", "kbd",
        "mark", "p", "q", "s", "small", "span", "strike", "strong", "sub", "sup", "u", "wbr",
    ];
    let mut text = String::new();
    let mut rest = html;
    while let Some(start) = rest.find('<') {
        text.push_str(&rest[..start]);
        rest = &rest[start..];
        let name = rest[1..].trim_start_matches('/');
        let length = length_of(name, |c| c.is_ascii_alphanumeric());
        let is_inline = INLINE.iter().any(|inline| inline.eq_ignore_ascii_case(&name[..length]));
        match is_inline.then(|| rest.find('>')).flatten() {
            Some(end) => rest = &rest[end + 1..],
            None => {
                text.push('<');
                rest = &rest[1..];
            }
        }
    }
    text.push_str(rest);
    let text: Cow<'_, str> = html_escape::decode_html_entities(&text);
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn markup_that_is_no_xml_becomes_xml() {
        for (text, expected) in [
            ("<a>b</a>", "<a>b</a>"),
            ("a < b & 1<2 <3 <", "a &lt; b & 1&lt;2 &lt;3 &lt;"),
            ("<p>x<br>y<br/></p >z</p x='<'>", "<p>x<br>y<br/></p>z</p>&lt;'>"),
            ("<a href=b/c target='d' rel>", "<a href=\"b/c\" target=\"d\" rel=\"\">"),
            ("<a x='\"' y = \"it's\" z\"z=1>", "<a x=\"&quot;\" y=\"it's\">"),
            ("<i<b>x</b>", "&lt;i<b>x</b>"),
            ("</i<b>", "</i><b>"),
            ("<a href=\"x>y", "<a href=\"x\">y"),
            ("<a title=\"1 > 0\">", "<a title=\"1 > 0\">"),
            ("<!-- a -- > <b> -->c<!-- d", "c&lt;!-- d"),
            ("<![if x]>a<![endif]>", "a"),
            ("<![CDATA[<b]]>&lt;<![cdata[c", "<![CDATA[<b]]>&lt;<![CDATA[c]]>"),
            ("<!DOCTYPE rss [<!ENTITY nbsp '&#160;'>]><rss>", "<rss>"),
            ("<!DOCTYPE rss SYSTEM 'x'><?xml version='1.0'?><rss>", "<rss>"),
            ("<?php echo 1 > 0 ?>a<?b>c", "ac"),
            ("a</b", "a"),
            ("a<b c", "a"),
            ("a</ b>c</>d", "acd"),
            ("<é à='ü'>", "<é à=\"ü\">"),
        ] {
            assert_eq!(tidied(text), expected, "{text}");
        }
    }

    #[test]
    fn markup_without_an_end_takes_linear_time() {
        // Each of these, repeated, would be searched to its end again and again.
        for piece in [
            "<a b=\"",
            "<a ",
            "<!-- ",
            "<![CDATA[ ",
            "<? ",
            "</a ",
            "<!DOCTYPE [",
            "<a b='<a c=\"",
        ] {
            let text = piece.repeat(400_000);
            assert!(tidied(&text).len() <= text.len() * 5, "{piece}");
        }
    }

    #[test]
    fn a_title_is_plain_text() {
        for (html, text) in [
            ("Caf&eacute; &amp; <b>bar</b>\n news", "Café & bar news"),
            ("Vec<T> and a < b", "Vec<T> and a < b"),
            ("AT&T", "AT&T"),
            ("<", "<"),
        ] {
            assert_eq!(plain(html), text);
        }
    }
}
