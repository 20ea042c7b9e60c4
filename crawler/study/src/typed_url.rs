//! URLs as people type them: with or without a scheme, in any spelling.

use ::url::Url;
use web::canonicalize::{CanonicalRules, CanonicalUrl, NotCrawlable};

use terminal::text::terminal_text;

/// Characters of the typed text that an error quotes.
const QUOTED_CHARS: usize = 200;

/// A typed text that is no URL of a crawl.
#[derive(Debug, thiserror::Error)]
#[error("{typed}: {source}")]
pub struct UnusableUrl {
    typed: String,
    source: NotCrawlable,
}

/// The canonical URLs that a typed text may stand for.
#[derive(Debug)]
pub struct TypedUrl {
    likely: Url,
    /// With http, if the text names no scheme.
    other: Option<Url>,
}

impl TypedUrl {
    /// # Errors
    /// `typed` is not a URL that a crawl accepts.
    pub fn parse(typed: &str, rules: &CanonicalRules) -> Result<Self, UnusableUrl> {
        let parse = |text: &str| {
            let url = CanonicalUrl::parse(text.trim(), rules).map(CanonicalUrl::into_url);
            url.map_err(|source| UnusableUrl {
                typed: terminal_text(typed, QUOTED_CHARS),
                source,
            })
        };
        Ok(if names_scheme(typed) {
            Self {
                likely: parse(typed)?,
                other: None,
            }
        } else {
            Self {
                likely: parse(&format!("https://{typed}"))?,
                other: Some(parse(&format!("http://{typed}"))?),
            }
        })
    }

    /// The URL that the crawl knows; https if it knows both or neither.
    pub fn known<E>(self, is_known: impl Fn(&Url) -> Result<bool, E>) -> Result<Url, E> {
        match self.other {
            Some(other) if !is_known(&self.likely)? && is_known(&other)? => Ok(other),
            _ => Ok(self.likely),
        }
    }
}

/// Whether the text before the first colon is a scheme, and not a path or a host before its port.
fn names_scheme(typed: &str) -> bool {
    let parts = typed.split_once(':');
    parts.is_some_and(|(before, after)| !before.contains('/') && !after.starts_with(|c: char| c.is_ascii_digit()))
}
