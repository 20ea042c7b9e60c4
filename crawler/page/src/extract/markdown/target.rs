//! The targets of links.

use std::rc::Rc;

use percent_encoding::{AsciiSet, CONTROLS, utf8_percent_encode};
use url::Url;

use super::{Links, References};

/// Longest target, in bytes. The parser may repeat an element with a long one in each paragraph.
const MAX_BYTES: usize = 2048;

/// Characters that could end a target or be markup in it. A parenthesis ends it, and an accent grave begins code.
const ENCODED: &AsciiSet = &CONTROLS
    .add(b' ')
    .add(b'"')
    .add(b'<')
    .add(b'>')
    .add(b'(')
    .add(b')')
    .add(b'\\')
    .add(b'`')
    .add(b'|');

/// Writes the targets of a page.
#[derive(Debug)]
pub(super) struct Targets<'b> {
    references: References<'b>,
    links: Links,
}

impl<'b> Targets<'b> {
    pub(super) fn new(references: References<'b>, links: Links) -> Self {
        Self { references, links }
    }

    /// The target of a link with this reference; `None` if the link is written as its text.
    pub(super) fn of_link(&self, reference: &str) -> Option<Rc<str>> {
        let schemes = ["http", "https", "mailto"];
        match self.links {
            Links::Full => self
                .resolved(reference, &schemes)
                .map(|url| written(url.as_str()).into()),
            Links::AsWritten => self.as_written(reference, &schemes),
            Links::TextOnly => None,
        }
    }

    /// The target of an image.
    pub(super) fn of_image(&self, reference: &str) -> Option<Rc<str>> {
        let schemes = ["http", "https"];
        match self.links {
            Links::AsWritten => self.as_written(reference, &schemes),
            Links::Full | Links::TextOnly => self
                .resolved(reference, &schemes)
                .map(|url| written(url.as_str()).into()),
        }
    }

    fn resolved(&self, reference: &str, schemes: &[&str]) -> Option<Url> {
        let reference = Some(reference).filter(|reference| reference.len() <= MAX_BYTES)?;
        let url = self.references.base.join(reference)?;
        let is_within = self.references.within.is_some_and(|within| within.host() == url.host());
        (!is_within && schemes.contains(&url.scheme()) && url.as_str().len() <= 2 * MAX_BYTES).then_some(url)
    }

    fn as_written(&self, reference: &str, schemes: &[&str]) -> Option<Rc<str>> {
        self.resolved(reference, schemes)?;
        // The parser of URLs leaves these out, too (WHATWG URL, section 4.4).
        let reference = reference.trim_matches(|c: char| c <= ' ');
        let reference: String = reference.chars().filter(|c| !matches!(c, '\t' | '\n' | '\r')).collect();
        (!reference.is_empty()).then(|| written(&reference).into())
    }
}

/// A URL that ends where it ends. A name between `&` and `;` would be a character reference.
fn written(url: &str) -> String {
    let mut written = String::with_capacity(url.len());
    for (at, part) in url.split('&').enumerate() {
        if at > 0 {
            let name = part.trim_start_matches(|c: char| c.is_ascii_alphanumeric() || c == '#');
            let is_reference = name.len() < part.len() && name.starts_with(';');
            written.push_str(if is_reference { "\\&" } else { "&" });
        }
        written.extend(utf8_percent_encode(part, ENCODED));
    }
    written
}
