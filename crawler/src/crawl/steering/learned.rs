//! A rule with its evidence, and the keys under which it remembers pages.

use url::Url;
use web::url_rule::UrlRule;
use xxhash_rust::xxh3::Xxh3;

use super::judged::{Decided, Duplicate};
use super::memory::Memory;
use super::sample::Sample;
use super::{Evidence, Example};

/// The memory's value for a class of which one page was decided.
pub(super) const DECIDED: u32 = 0;

/// The memory's value for a class of which another page was a duplicate of the decided page.
pub(super) const CONFIRMED: u32 = 1;

/// A rule and its evidence.
#[derive(Debug, Clone)]
pub(super) struct Learned {
    pub(super) rule: UrlRule,
    pub(super) evidence: Evidence,
    pub(super) is_applied: bool,
    /// The sample of the URLs that it holds back.
    pub(super) sample: Sample,
    /// Whether a URL in process is testing it.
    pub(super) is_tested: bool,
}

/// The URLs that a rule takes for one page.
pub(super) struct Class {
    /// The rewritten URL, or the URL itself if the rule does not apply to it.
    pub(super) text: String,
    /// Whether the rule applies to the URL.
    pub(super) is_rewritten: bool,
}

impl Learned {
    pub(super) fn new(rule: UrlRule, is_applied: bool) -> Self {
        Self {
            rule,
            evidence: Evidence::default(),
            is_applied,
            sample: Sample::default(),
            is_tested: false,
        }
    }

    pub(super) fn class(&self, url: &Url) -> Class {
        let rewritten = self.rule.rewrite(url);
        Class {
            is_rewritten: rewritten.is_some(),
            text: rewritten.unwrap_or_else(|| url.to_string()),
        }
    }

    /// Whether a page of the class was decided.
    pub(super) fn is_known(&self, class: &Class, memory: &Memory<u32>) -> bool {
        class.is_rewritten && memory.contains(url_key(&class.text))
            || memory.contains(class_key(&self.rule, &class.text))
    }

    /// Tests the rule by a decided page whose class was known. Returns `true` if the page contradicts the rule.
    pub(super) fn test(&mut self, class: &Class, page: &Decided<'_>, memory: &mut Memory<u32>) -> bool {
        let Some(duplicate) = &page.duplicate else {
            self.evidence.contradict();
            return true;
        };
        // A duplicate of some other page neither confirms the rule nor contradicts it.
        if self.class(&duplicate.of_url).text == class.text {
            self.confirm(page, duplicate, &class.text, memory);
        }
        false
    }

    pub(super) fn confirm(&mut self, page: &Decided<'_>, duplicate: &Duplicate, class: &str, memory: &mut Memory<u32>) {
        let before = page.via.and_then(|via| memory.get(link_key(via, &self.rule, class)));
        let chain = before.unwrap_or(0).saturating_add(1);
        memory.insert(link_key(page.page, &self.rule, class), chain);
        memory.insert(class_key(&self.rule, class), CONFIRMED);
        let example = || Example {
            url: page.url.to_string(),
            same_as: duplicate.of_url.to_string(),
        };
        self.evidence
            .confirm(url_key(page.url.path()), duplicate.is_exact, chain, example);
    }
}

/// The key of a class.
pub(super) fn class_key(rule: &UrlRule, class: &str) -> u64 {
    keyed(rule, class, &[])
}

/// The key of the number of kept pages of a class.
pub(super) fn kept_key(rule: &UrlRule, class: &str) -> u64 {
    keyed(rule, class, b"kept")
}

/// The key of a duplicate of a class, as a link of a chain.
pub(super) fn link_key(page: u64, rule: &UrlRule, class: &str) -> u64 {
    keyed(rule, class, &page.to_le_bytes())
}

pub(super) fn url_key(text: &str) -> u64 {
    xxhash_rust::xxh3::xxh3_64(text.as_bytes())
}

pub(super) fn keyed(rule: &UrlRule, class: &str, more: &[u8]) -> u64 {
    let mut hash = Xxh3::new();
    let parts: [&str; 3] = match rule {
        UrlRule::Parameter { name, path } => ["p", name, path.as_deref().unwrap_or_default()],
        UrlRule::Numbers { path } => ["n", path, ""],
        UrlRule::Segment { word } => ["s", word, ""],
        UrlRule::Origin { from, to } => ["o", from, to],
    };
    for part in parts.iter().chain([&class]) {
        hash.update(part.as_bytes());
        hash.update(&[0xff]);
    }
    hash.update(more);
    hash.digest()
}
