//! The answer of `crawler inspect page`: the fields of its JSON.

use page::{Outlink, RobotsDirectives, RuleEffect};
use serde::Serialize;
use study::said::Said;

/// A page as a crawl reads it, for one line of JSON. Later versions only add fields.
#[derive(Debug, Serialize)]
pub(in crate::cli) struct PageAnswer {
    pub source: String,
    pub url: Option<String>,
    pub status: Option<u16>,
    pub media_type: Option<String>,
    pub charset: &'static str,
    pub charset_source: &'static str,
    pub charset_errors: bool,
    pub title: String,
    pub language: Option<String>,
    pub page_type: &'static str,
    /// The kind of the document; `None` for HTML.
    pub document: Option<&'static str>,
    /// Number of pages of a document that has pages.
    pub pages: Option<u64>,
    /// Parts that the document names and does not have.
    pub missing_parts: Vec<String>,
    pub canonical: Option<String>,
    pub canonical_url: Option<String>,
    pub robots: Robots,
    pub fingerprint: Option<String>,
    pub digest: Option<String>,
    pub similarity: &'static str,
    pub word_count: u32,
    pub min_words: usize,
    pub soft_404: bool,
    /// What stands in the way of the page that was asked for; `None` for other pages, and with `fetch.walls = false`.
    pub wall: Option<WallAnswer>,
    pub redirect: Option<HtmlRedirect>,
    pub truncated: Option<&'static str>,
    pub outlinks: Vec<Link>,
    /// The rule of `[[extract]]` for the page.
    pub extract: Option<Extract>,
    /// What the page says about itself; `None` for a document that is not HTML.
    pub metadata: Option<Said>,
    pub text: String,
    /// The text with its structure, if it was asked for.
    pub markdown: Option<String>,
    /// Basis of the verdict.
    #[serde(skip)]
    pub signature: dedup::Signature,
}

/// The wall that a page is.
#[derive(Debug, Serialize)]
pub(in crate::cli) struct WallAnswer {
    pub kind: &'static str,
    pub evidence: String,
}

/// The redirect that a page consists of.
#[derive(Debug, Serialize)]
pub(in crate::cli) struct HtmlRedirect {
    pub to: String,
    pub by: &'static str,
    pub delay_seconds: u32,
}

/// The robots directives of a page: their union, and those of the meta tags and of the header.
#[derive(Debug, Serialize)]
pub(in crate::cli) struct Robots {
    #[serde(flatten)]
    pub all: Directives,
    pub meta: Directives,
    pub header: Directives,
}

#[derive(Debug, Serialize)]
pub(in crate::cli) struct Directives {
    pub noindex: bool,
    pub nofollow: bool,
    /// Time after which the page must not be stored (RFC 3339).
    pub unavailable_after: Option<String>,
}

#[derive(Debug, Serialize)]
pub(in crate::cli) struct Link {
    pub url: String,
    pub kind: &'static str,
    pub nofollow: bool,
}

/// How a rule of `[[extract]]` took part in the text.
#[derive(Debug, Serialize)]
pub(in crate::cli) struct Extract {
    /// The name of the rule, or of the flags.
    pub rule: String,
    #[serde(serialize_with = "by_name")]
    pub effect: RuleEffect,
}

fn by_name<S: serde::Serializer>(effect: &RuleEffect, serializer: S) -> Result<S::Ok, S::Error> {
    serializer.serialize_str(effect.name())
}

/// A page that could not be read.
#[derive(Debug, Serialize)]
pub(in crate::cli) struct Unread {
    pub source: String,
    pub url: Option<String>,
    pub error: String,
}

impl Robots {
    pub(super) fn of(robots: page::PageRobots) -> Self {
        Self {
            all: robots.all().into(),
            meta: robots.meta.into(),
            header: robots.header.into(),
        }
    }
}

impl From<RobotsDirectives> for Directives {
    fn from(directives: RobotsDirectives) -> Self {
        let date = |end| jiff::Timestamp::try_from(end).ok();
        Self {
            noindex: directives.noindex,
            nofollow: directives.nofollow,
            unavailable_after: directives.unavailable_after.and_then(date).map(|end| end.to_string()),
        }
    }
}

impl From<page::Wall> for WallAnswer {
    fn from(wall: page::Wall) -> Self {
        Self {
            kind: wall.kind.name(),
            evidence: wall.evidence,
        }
    }
}

impl From<page::HtmlRedirect> for HtmlRedirect {
    fn from(redirect: page::HtmlRedirect) -> Self {
        Self {
            to: redirect.url.into(),
            by: redirect.kind.name(),
            delay_seconds: redirect.delay_seconds,
        }
    }
}

impl From<Outlink> for Link {
    fn from(outlink: Outlink) -> Self {
        Self {
            url: outlink.url.into(),
            kind: outlink.kind.name(),
            nofollow: outlink.nofollow,
        }
    }
}
