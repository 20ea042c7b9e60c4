//! The targets of links.

use std::rc::Rc;

use html5ever::local_name;
use percent_encoding::{AsciiSet, CONTROLS, utf8_percent_encode};
use url::Url;

use super::{Links, References};
use crate::parse::NodeRef;

/// Longest target, in bytes. The parser may repeat an element with a long one in each paragraph.
const MAX_BYTES: usize = 2048;

/// Characters that could end a target or be markup in it. A parenthesis without its pair ends it, and an accent begins code.
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

/// The same without the parentheses.
const WITH_PAIRS: &AsciiSet = &ENCODED.remove(b'(').remove(b')');

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
            Links::Full => self.resolved(reference, &schemes).map(|url| written(url.as_str())),
            Links::AsWritten => self.as_written(reference, &schemes),
            Links::TextOnly => None,
        }
    }

    /// The target of an image.
    pub(super) fn of_image(&self, reference: &str) -> Option<Rc<str>> {
        let schemes = ["http", "https"];
        match self.links {
            Links::AsWritten => self.as_written(reference, &schemes),
            Links::Full | Links::TextOnly => self.resolved(reference, &schemes).map(|url| written(url.as_str())),
        }
    }

    fn resolved(&self, reference: &str, schemes: &[&str]) -> Option<Url> {
        // A reference to nothing is for a script.
        let is_reference = |reference: &&str| reference.len() <= MAX_BYTES && !matches!(reference.trim(), "" | "#");
        let reference = Some(reference).filter(is_reference)?;
        let url = self.references.base.join(reference)?;
        let is_within = self.references.within.is_some_and(|within| within.host() == url.host());
        (!is_within && schemes.contains(&url.scheme()) && url.as_str().len() <= 2 * MAX_BYTES).then_some(url)
    }

    fn as_written(&self, reference: &str, schemes: &[&str]) -> Option<Rc<str>> {
        self.resolved(reference, schemes)?;
        // The parser of URLs leaves these out, too (WHATWG URL, section 4.4).
        let reference = reference.trim_matches(|c: char| c <= ' ');
        let reference: String = reference.chars().filter(|c| !matches!(c, '\t' | '\n' | '\r')).collect();
        (!reference.is_empty()).then(|| written(&reference))
    }
}

/// The id that a reference within the page leads to.
pub(super) fn fragment(reference: &str) -> Option<&str> {
    reference.trim().strip_prefix('#').filter(|id| !id.is_empty())
}

/// Most elements between a link and the element that it leads to.
const MAX_LEVELS: usize = 4;

/// Whether a link leads to an element around it, and so is a handle for this element.
pub(super) fn is_around(link: NodeRef<'_>, id: &str) -> bool {
    let around = std::iter::once(link).chain(link.ancestors()).take(MAX_LEVELS);
    let mut ids = around.filter_map(|node| node.value().as_element()?.plain_attribute(&local_name!("id")));
    ids.any(|around| around == id)
}

/// Whether all parentheses are in pairs, and no pair is in another (CommonMark 0.31.2, section 6.3).
fn has_pairs(url: &str) -> bool {
    let mut is_open = false;
    let mut parentheses = url.bytes().filter(|byte| matches!(byte, b'(' | b')'));
    let is_paired = parentheses.all(|byte| std::mem::replace(&mut is_open, byte == b'(') != (byte == b'('));
    is_paired && !is_open
}

/// Whether a byte is written as it is, whatever stands around it.
const IS_PLAIN: [bool; 256] = {
    let others = b"-._~:/?#[]@!$'*+,;=%";
    let mut is_plain = [false; 256];
    let mut at = 0;
    while at < 256 {
        is_plain[at] = (at as u8).is_ascii_alphanumeric();
        at += 1;
    }
    at = 0;
    while at < others.len() {
        is_plain[others[at] as usize] = true;
        at += 1;
    }
    is_plain
};

/// A URL that ends where it ends. A name between `&` and `;` would be a character reference.
fn written(url: &str) -> Rc<str> {
    // As most URLs are.
    if url.bytes().all(|byte| IS_PLAIN[usize::from(byte)]) {
        return url.into();
    }
    let mut written = String::with_capacity(url.len());
    let encoded = if has_pairs(url) { WITH_PAIRS } else { ENCODED };
    for (at, part) in url.split('&').enumerate() {
        if at > 0 {
            let name = part.trim_start_matches(|c: char| c.is_ascii_alphanumeric() || c == '#');
            let is_reference = name.len() < part.len() && name.starts_with(';');
            written.push_str(if is_reference { "\\&" } else { "&" });
        }
        written.extend(utf8_percent_encode(part, encoded));
    }
    written.into()
}
