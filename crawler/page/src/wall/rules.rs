//! The rules by which walls are recognised: one row each.
//!
//! The clues of a rule must all be there. The marks are written by the programs of the vendors; the titles and sentences are those of
//! their pages, in the languages in which they are shown. Case and punctuation of titles and sentences do not matter.

mod captchas;
mod products;
mod refusals;
mod sites;

use super::kind::WallKind;

/// A page with this little text says almost nothing.
pub(super) const THIN: usize = 60;

/// A page with this little text may be a notice that explains itself.
pub(super) const SHORT: usize = 250;

/// Most words of main text of a wall: the default page of Apache on Debian has 350.
pub(super) const MOST_WORDS: usize = 450;

/// A rule.
#[derive(Debug)]
pub(super) struct Rule {
    pub kind: WallKind,
    /// The product or the site that makes such pages; empty if many do.
    pub by: &'static str,
    /// Most words of main text.
    pub most_words: usize,
    /// Most words of main text in sentences that none of the clues names.
    pub most_beside: usize,
    pub clues: &'static [Clue],
}

impl Rule {
    /// A rule for pages with few words.
    const fn new(kind: WallKind, by: &'static str, most_words: usize, clues: &'static [Clue]) -> Self {
        Self {
            kind,
            by,
            most_words,
            most_beside: most_words,
            clues,
        }
    }

    /// The rule for pages that say little else.
    const fn with_beside(self, most_beside: usize) -> Self {
        Self { most_beside, ..self }
    }
}

/// What a rule looks for.
#[derive(Debug)]
pub(super) enum Clue {
    /// The title or the first heading is one of these, apart from the name of the site.
    Title(&'static [&'static str]),
    /// The title or the first heading begins with one of these.
    TitleBegins(&'static [&'static str]),
    /// The main text has one of these, as whole words.
    Says(&'static [&'static str]),
    /// The main text has none of these.
    SaysNone(&'static [&'static str]),
    /// The markup has one of these, in lower case, and the main text does not show it.
    Mark(&'static [&'static str]),
    /// The markup has none of these.
    MarkNone(&'static [&'static str]),
    /// The path of the URL has none of these.
    NotAt(&'static [&'static str]),
}

/// A header field that only walls have.
#[derive(Debug)]
pub(super) struct ByHeader {
    pub kind: WallKind,
    pub by: &'static str,
    pub name: &'static str,
    pub value: &'static str,
}

/// The header fields that only walls have.
pub(super) const BY_HEADER: &[ByHeader] = &[
    ByHeader {
        kind: WallKind::Challenge,
        by: "Cloudflare",
        name: "cf-mitigated",
        value: "challenge",
    },
    ByHeader {
        kind: WallKind::Challenge,
        by: "AWS WAF",
        name: "x-amzn-waf-action",
        value: "challenge",
    },
    ByHeader {
        kind: WallKind::Captcha,
        by: "AWS WAF",
        name: "x-amzn-waf-action",
        value: "captcha",
    },
    ByHeader {
        kind: WallKind::Challenge,
        by: "Vercel",
        name: "x-vercel-mitigated",
        value: "challenge",
    },
];

/// All rules, those of products first: they say most about the page.
pub(super) fn all() -> impl Iterator<Item = &'static Rule> {
    let others = [captchas::RULES, refusals::RULES].into_iter().flatten();
    products::rules().chain(others).chain(sites::rules())
}
