//! XML as a sequence of tokens. Nothing recurses, no entity is expanded but the five of XML, and the document type is not read.

use std::borrow::Cow;

use quick_xml::escape::resolve_xml_entity;
use quick_xml::events::{BytesEnd, BytesStart, Event};
use quick_xml::{Reader, XmlVersion};

use crate::Fault;

/// A piece of XML. An element without content is an opening and a closing.
#[derive(Debug)]
pub(crate) enum Token<'a> {
    Open(BytesStart<'a>),
    Close(BytesEnd<'a>),
    Text(Cow<'a, str>),
    /// The text of a CDATA section.
    CData(Cow<'a, str>),
    /// A reference to an entity that XML does not define, such as `nbsp`.
    Entity(Cow<'a, str>),
}

/// Reads tokens.
pub(crate) struct Tokens<'a> {
    reader: Reader<&'a [u8]>,
}

impl<'a> Tokens<'a> {
    pub(crate) fn new(text: &'a str) -> Self {
        let mut reader = Reader::from_str(text);
        let config = reader.config_mut();
        config.expand_empty_elements = true;
        config.allow_dangling_amp = true;
        config.check_end_names = false;
        config.allow_unmatched_ends = true;
        Self { reader }
    }

    /// The next token; `None` at the end.
    ///
    /// # Errors
    /// The text is not XML from here on.
    pub(crate) fn next(&mut self) -> Result<Option<Token<'a>>, Fault> {
        loop {
            let event = self
                .reader
                .read_event()
                .map_err(|error| Fault::Broken(error.to_string()))?;
            return Ok(Some(match event {
                Event::Start(start) => Token::Open(start),
                Event::End(end) => Token::Close(end),
                Event::Text(text) => Token::Text(text.xml_content(XmlVersion::Implicit1_0)),
                Event::CData(text) => Token::CData(text.xml_content(XmlVersion::Implicit1_0)),
                Event::GeneralRef(reference) => match (reference.resolve_char_ref(), resolve_xml_entity(&reference)) {
                    (Ok(Some(character)), _) => Token::Text(Cow::Owned(of_reference(character).to_string())),
                    (_, Some(text)) => Token::Text(Cow::Borrowed(text)),
                    _ => Token::Entity(reference.xml_content(XmlVersion::Implicit1_0)),
                },
                Event::Eof => return Ok(None),
                Event::DocType(_) | Event::Decl(_) | Event::PI(_) | Event::Comment(_) | Event::Empty(_) => continue,
            }));
        }
    }
}

/// The character that a numeric reference means. As in HTML, numbers of control characters are those of windows-1252 (WHATWG HTML,
/// "numeric character reference end state").
fn of_reference(character: char) -> char {
    const FROM_80: &str = "€\u{81}‚ƒ„…†‡ˆ‰Š‹Œ\u{8d}Ž\u{8f}\u{90}‘’“”•–—˜™š›œ\u{9d}žŸ";
    match character {
        '\u{80}'..='\u{9f}' => FROM_80.chars().nth(character as usize - 0x80).unwrap_or(character),
        character => character,
    }
}

/// The name of an element without its namespace prefix.
pub(crate) fn local_name(start: &BytesStart<'_>) -> String {
    start.local_name().as_ref().to_owned()
}

/// The value of the attribute with this name, whatever its namespace prefix and its case.
pub(crate) fn attribute(start: &BytesStart<'_>, name: &str) -> Option<String> {
    let mut attributes = start.attributes();
    let found = attributes
        .with_checks(false)
        .flatten()
        .find(|attribute| attribute.key.local_name().as_ref().eq_ignore_ascii_case(name))?;
    // A stray `&`, as in a URL with a query, and an entity of HTML are no XML.
    Some(match found.normalized_value(XmlVersion::Implicit1_0) {
        Ok(value) => value.into_owned(),
        Err(_) => html_escape::decode_html_entities(&*found.value).into_owned(),
    })
}

/// The characters of an XML file in UTF-8 or UTF-16.
pub(crate) fn decoded(bytes: &[u8]) -> String {
    let utf16 = |bytes: &[u8], of: fn([u8; 2]) -> u16| {
        let units = bytes.chunks_exact(2).map(|pair| of([pair[0], pair[1]]));
        char::decode_utf16(units)
            .map(|c| c.unwrap_or(char::REPLACEMENT_CHARACTER))
            .collect()
    };
    match bytes {
        [0xfe, 0xff, rest @ ..] => utf16(rest, u16::from_be_bytes),
        [0xff, 0xfe, rest @ ..] => utf16(rest, u16::from_le_bytes),
        [0xef, 0xbb, 0xbf, rest @ ..] => String::from_utf8_lossy(rest).into_owned(),
        _ => String::from_utf8_lossy(bytes).into_owned(),
    }
}

/// Appends text to HTML.
pub(crate) fn push_escaped(html: &mut String, text: &str) {
    for c in text.chars() {
        match c {
            '&' => html.push_str("&amp;"),
            '<' => html.push_str("&lt;"),
            '>' => html.push_str("&gt;"),
            '"' => html.push_str("&quot;"),
            c => html.push(c),
        }
    }
}

/// Elements of HTML that have no end tag.
const VOID: [&str; 14] = [
    "area", "base", "br", "col", "embed", "hr", "img", "input", "link", "meta", "param", "source", "track", "wbr",
];

/// Writes tokens of XHTML as HTML. In HTML, `<title/>` would not end.
#[derive(Debug, Default)]
pub(crate) struct HtmlWriter {
    pub html: String,
    depth: usize,
}

impl HtmlWriter {
    /// Open elements that have an end tag.
    pub(crate) fn depth(&self) -> usize {
        self.depth
    }

    pub(crate) fn write(&mut self, token: &Token<'_>) {
        match token {
            Token::Open(start) => self.open(start),
            Token::Close(end) => {
                let name = end.local_name();
                if has_end_tag(name.as_ref()) {
                    self.depth = self.depth.saturating_sub(1);
                    self.html.push_str("</");
                    self.html.push_str(name.as_ref());
                    self.html.push('>');
                }
            }
            Token::Text(text) | Token::CData(text) => push_escaped(&mut self.html, text),
            Token::Entity(name) => {
                self.html.push('&');
                self.html.push_str(name);
                self.html.push(';');
            }
        }
    }

    fn open(&mut self, start: &BytesStart<'_>) {
        let name = local_name(start);
        if !is_name(&name) {
            return;
        }
        self.html.push('<');
        self.html.push_str(&name);
        for kept in ["href", "lang", "class", "id", "hidden"] {
            if let Some(value) = attribute(start, kept) {
                self.html.push(' ');
                self.html.push_str(kept);
                self.html.push_str("=\"");
                push_escaped(&mut self.html, &value);
                self.html.push('"');
            }
        }
        self.html.push('>');
        self.depth += usize::from(has_end_tag(&name));
    }
}

/// Whether HTML can have an element of this name.
fn is_name(name: &str) -> bool {
    !name.is_empty() && name.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'-')
}

fn has_end_tag(name: &str) -> bool {
    is_name(name) && !VOID.iter().any(|void| void.eq_ignore_ascii_case(name))
}
