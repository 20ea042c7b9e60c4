//! The content of an element of a feed: HTML, elements of XHTML, or plain text.

use crate::xml::{HtmlWriter, Token, attribute};
use quick_xml::events::BytesStart;

/// What an element holds.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Form {
    /// HTML as text (RSS; Atom of type `html`). Feeds that escape nothing have it as elements.
    Html,
    /// Text without markup (Atom of type `text`).
    Text,
    /// Elements (Atom of type `xhtml`, and of XML types).
    Elements,
    /// Another type, in Base64.
    Other,
}

impl Form {
    /// The form of an element (RFC 4287, sections 3.1 and 4.1.3). Atom 0.3 says `mode`.
    pub(super) fn of(start: &BytesStart<'_>) -> Self {
        let kind = attribute(start, "type").unwrap_or_default().to_ascii_lowercase();
        match (
            kind.split(';').next().unwrap_or_default().trim(),
            attribute(start, "mode").as_deref(),
        ) {
            (_, Some("base64")) => Self::Other,
            (_, Some("escaped")) => Self::Html,
            ("text" | "text/plain", _) => Self::Text,
            ("xhtml", _) => Self::Elements,
            ("" | "html", _) => Self::Html,
            (kind, _) if kind.ends_with("/xml") || kind.ends_with("+xml") => Self::Elements,
            (kind, _) if kind.starts_with("text/") => Self::Html,
            (kind, _) if kind.contains('/') => Self::Other,
            _ => Self::Html,
        }
    }
}

/// An element whose content is being read.
#[derive(Debug)]
pub(super) struct Capture<F> {
    /// Where the content goes.
    pub field: F,
    /// Its name, with the prefix.
    pub name: String,
    /// Elements of the same name within it.
    pub nested: usize,
    form: Form,
    html: String,
    writer: HtmlWriter,
}

impl<F> Capture<F> {
    pub(super) fn new(field: F, name: String, form: Form) -> Self {
        Self {
            field,
            name,
            nested: 0,
            form,
            html: String::new(),
            writer: HtmlWriter::default(),
        }
    }

    pub(super) fn write(&mut self, token: &Token<'_>) {
        let is_outside = self.writer.depth() == 0;
        match (token, self.form) {
            (_, Form::Other) => {}
            // Within elements that nobody escaped, a reference is a character, but the text of a CDATA section is still HTML.
            (Token::Text(text), Form::Html) if is_outside => self.source(text),
            (Token::CData(text), Form::Html) => self.source(text),
            (token, _) => self.writer.write(token),
        }
    }

    /// Appends the source of HTML.
    fn source(&mut self, html: &str) {
        self.html.push_str(&self.writer.html);
        self.writer.html.clear();
        self.html.push_str(html);
    }

    /// The content as HTML.
    pub(super) fn finish(self) -> (F, String) {
        (self.field, self.html + &self.writer.html)
    }
}
