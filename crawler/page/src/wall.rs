//! Walls: answers that are not the page that was asked for, although their status says so.
//!
//! ```text
//! headers, title, main text, markup ─▶ clues ─▶ the first rule whose clues are all there ─▶ kind, evidence
//! ```
//!
//! The rules are a table: see [`rules`]. A clue is a header field, a title, a sentence of the main text or a mark of a product in the
//! markup. Precision goes first. An article about such pages has the same words, so a rule needs clues of two sorts, or one clue and
//! almost no text; and a mark that the text shows is a quotation. A page with content beside a dialogue has more words than a rule allows.
//!
//! A wall that no rule knows may be a [`Notice`]: what it shows, for those who see it under many URLs.
//!
//! The cost for an ordinary page is a few looks at the header: only a page with little text is searched.

mod kind;
mod look;
mod notice;
mod rules;
mod sentences;
mod vocabulary;

use std::fmt;

use http::HeaderMap;
use url::Url;

pub use self::kind::WallKind;
use self::look::Look;
pub use self::notice::{Notice, notice};
use crate::Page;

/// A page that stands in the way of the one that was asked for.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Wall {
    /// What kind of page it is.
    pub kind: WallKind,
    /// The clues in words, for people.
    pub evidence: String,
}

/// The kind and the evidence.
impl fmt::Display for Wall {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}", self.kind.in_words(), self.evidence)
    }
}

/// What is known of an answer besides the page that was read from it.
#[derive(Debug, Clone, Copy)]
pub struct Answer<'a> {
    /// The URL of the answer.
    pub url: &'a Url,
    /// Its header fields.
    pub headers: &'a HeaderMap,
    /// The decompressed body, from which the page was read.
    pub body: &'a [u8],
}

/// The wall that a page in HTML is, whatever its status; `None` for every other page.
#[must_use]
pub fn wall(answer: &Answer<'_>, page: &Page) -> Option<Wall> {
    if page.kind.is_some() {
        return None;
    }
    wall_by_header(answer.headers).or_else(|| {
        let look = Look::new(answer, page)?;
        rules::all().find_map(|rule| look.wall(rule))
    })
}

/// The wall that the header fields of a response prove, whatever its status and its body.
#[must_use]
pub fn wall_by_header(headers: &HeaderMap) -> Option<Wall> {
    let is_there = |rule: &&rules::ByHeader| {
        let mut values = headers.get_all(rule.name).iter();
        values.any(|value| value.as_bytes().eq_ignore_ascii_case(rule.value.as_bytes()))
    };
    rules::BY_HEADER.iter().find(is_there).map(|rule| Wall {
        kind: rule.kind,
        evidence: format!("{}, header {}: {}", rule.by, rule.name, rule.value),
    })
}

#[cfg(test)]
mod tests;
