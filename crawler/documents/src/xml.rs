//! XML as a sequence of tokens. Nothing recurses, no entity is expanded but the five of XML, and the document type is not read.

use std::borrow::Cow;

use quick_xml::escape::resolve_xml_entity;
use quick_xml::events::{BytesStart, Event};
use quick_xml::{Reader, XmlVersion};

use crate::Fault;

/// A piece of XML. An element without content is an opening and a closing.
#[derive(Debug)]
pub(crate) enum Token<'a> {
    Open(BytesStart<'a>),
    Close,
    Text(Cow<'a, str>),
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
                Event::End(_) => Token::Close,
                Event::Text(text) => Token::Text(text.xml_content(XmlVersion::Implicit1_0)),
                Event::CData(text) => Token::Text(text.xml_content(XmlVersion::Implicit1_0)),
                Event::GeneralRef(reference) => match (reference.resolve_char_ref(), resolve_xml_entity(&reference)) {
                    (Ok(Some(character)), _) => Token::Text(Cow::Owned(character.to_string())),
                    (_, Some(text)) => Token::Text(Cow::Borrowed(text)),
                    _ => Token::Entity(reference.xml_content(XmlVersion::Implicit1_0)),
                },
                Event::Eof => return Ok(None),
                Event::DocType(_) | Event::Decl(_) | Event::PI(_) | Event::Comment(_) | Event::Empty(_) => continue,
            }));
        }
    }
}

/// The name of an element without its namespace prefix.
pub(crate) fn local_name(start: &BytesStart<'_>) -> String {
    start.local_name().as_ref().to_owned()
}

/// The value of the attribute with this name, whatever its namespace prefix.
pub(crate) fn attribute(start: &BytesStart<'_>, name: &str) -> Option<String> {
    let mut attributes = start.attributes();
    let found = attributes
        .with_checks(false)
        .flatten()
        .find(|attribute| attribute.key.local_name().as_ref() == name)?;
    found
        .normalized_value(XmlVersion::Implicit1_0)
        .ok()
        .map(Cow::into_owned)
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
    open: Vec<Option<String>>,
}

impl HtmlWriter {
    /// Open elements.
    pub(crate) fn depth(&self) -> usize {
        self.open.len()
    }

    pub(crate) fn write(&mut self, token: &Token<'_>) {
        match token {
            Token::Open(start) => {
                let name = local_name(start);
                let is_name = name.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'-');
                if !is_name || name.is_empty() {
                    self.open.push(None);
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
                let is_void = VOID.contains(&name.as_str());
                self.open.push((!is_void).then_some(name));
            }
            Token::Close => {
                if let Some(Some(name)) = self.open.pop() {
                    self.html.push_str("</");
                    self.html.push_str(&name);
                    self.html.push('>');
                }
            }
            Token::Text(text) => push_escaped(&mut self.html, text),
            Token::Entity(name) => {
                self.html.push('&');
                self.html.push_str(name);
                self.html.push(';');
            }
        }
    }
}
