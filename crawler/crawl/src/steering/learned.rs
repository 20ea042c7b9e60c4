//! A rule with its evidence, and the keys under which it remembers pages.

use serde::{Deserialize, Serialize};
use url::Url;
use web::url_rule::{UrlRule, shape};
use xxhash_rust::xxh3::Xxh3;

use super::evidence::Confirmation;
use super::judged::{Decided, Duplicate};
use super::memory::Memory;
use super::sample::Sample;
use super::{Evidence, Example};

/// A rule and its evidence.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(super) struct Learned {
    pub(super) rule: UrlRule,
    pub(super) evidence: Evidence,
    pub(super) is_applied: bool,
    /// The sample of the URLs that it holds back.
    #[serde(skip)]
    pub(super) sample: Sample,
    /// Whether a URL in process is testing it.
    #[serde(skip)]
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
    pub(super) fn is_known(&self, class: &Class, memory: &Memory<u64>) -> bool {
        class.is_rewritten && memory.contains(url_key(&class.text))
            || memory.contains(class_key(&self.rule, &class.text))
    }

    /// Whether a duplicate of a page of the class has confirmed the rule.
    pub(super) fn is_confirmed(&self, class: &Class, memory: &Memory<u64>) -> bool {
        memory.contains(confirmed_key(&self.rule, &class.text))
    }

    /// Notes the kept page that stands for the decided page, unless its class has one.
    pub(super) fn note_class(&self, class: &Class, kept: u64, memory: &mut Memory<u64>) {
        if class.is_rewritten {
            memory.insert_new(class_key(&self.rule, &class.text), kept);
        }
    }

    /// Tests the rule by a decided page whose class was known. Returns `true` if the page contradicts the rule.
    pub(super) fn test(&mut self, class: &Class, page: &Decided<'_>, memory: &mut Memory<u64>) -> bool {
        let Some(duplicate) = &page.duplicate else {
            self.evidence.contradict();
            return true;
        };
        // A duplicate of a page of another class neither confirms the rule nor contradicts it.
        if self.predicts(class, duplicate, memory) && self.explains_links(duplicate) {
            self.confirm(page, duplicate, &class.text, memory);
        }
        false
    }

    /// Whether the page duplicates the page that the rule predicts.
    fn predicts(&self, class: &Class, duplicate: &Duplicate, memory: &Memory<u64>) -> bool {
        let kept = kept_of(duplicate.of, memory);
        self.class(&duplicate.of_url).text == class.text
            || memory.get(class_key(&self.rule, &class.text)) == Some(kept)
            || memory.get(url_key(&class.text)) == Some(kept)
    }

    /// Whether the page leads nowhere by the rule: the rule applies to each link that no earlier page with this text has. A page with
    /// other links is a listing, and no evidence.
    pub(super) fn explains_links(&self, duplicate: &Duplicate) -> bool {
        duplicate.is_barren(|link| self.rule.rewrite(link).is_some())
    }

    pub(super) fn confirm(&mut self, page: &Decided<'_>, duplicate: &Duplicate, class: &str, memory: &mut Memory<u64>) {
        let rule = &self.rule;
        let before = page.via.and_then(|via| memory.get(link_key(via, rule, class)));
        let chain = before.unwrap_or(0).saturating_add(1);
        memory.insert(link_key(page.page, rule, class), chain);
        memory.insert_new(class_key(rule, class), kept_of(duplicate.of, memory));
        memory.insert(confirmed_key(rule, class), 1);
        let is_from_within = page.via == Some(duplicate.of)
            || page
                .via
                .is_some_and(|via| memory.contains(link_key(via, rule, ANY_CLASS)));
        memory.insert(link_key(page.page, rule, ANY_CLASS), 1);
        let path_key = keyed(rule, page.url.path(), b"path");
        let has_new_path = !memory.contains(path_key);
        memory.insert(path_key, 1);
        let value = value_of(rule, &page.url);
        let value_key = keyed(rule, value, b"value");
        let class_hash = url_key(class);
        let shares_value = memory.get(value_key).is_some_and(|other| other != class_hash);
        memory.insert_new(value_key, class_hash);
        let confirmation = Confirmation {
            is_exact: duplicate.is_exact,
            chain,
            is_from_within,
            has_new_path,
            shares_value,
        };
        let example = || Example {
            url: page.url.to_string(),
            same_as: duplicate.of_url.to_string(),
        };
        self.evidence.confirm(&confirmation, example);
    }
}

/// The text in place of a class in keys that hold for all classes. No URL is empty.
const ANY_CLASS: &str = "";

/// The part of the URL that the rule removes, for a rule about a parameter.
fn value_of<'a>(rule: &UrlRule, url: &'a Url) -> &'a str {
    match rule {
        UrlRule::Parameter { name, .. } => shape::parameters(url)
            .find(|(other, _)| other == name)
            .map_or("", |(_, pair)| pair),
        UrlRule::Numbers { .. } | UrlRule::Segment { .. } | UrlRule::Origin { .. } => "",
    }
}

/// The kept page that stands for the pages with the text of page number `page`. Another page may have replaced it since.
pub(super) fn kept_of(page: u64, memory: &Memory<u64>) -> u64 {
    memory.get(page_key(page)).unwrap_or(page)
}

/// The key of a page under which the memory notes the kept page that stands for it.
pub(super) fn page_key(page: u64) -> u64 {
    let mut hash = Xxh3::new();
    hash.update(b"page");
    hash.update(&page.to_le_bytes());
    hash.digest()
}

/// The key of a class in which another page was a duplicate of the decided page.
fn confirmed_key(rule: &UrlRule, class: &str) -> u64 {
    keyed(rule, class, b"confirmed")
}

/// The key of a class.
pub(super) fn class_key(rule: &UrlRule, class: &str) -> u64 {
    keyed(rule, class, &[])
}

/// The key of the number of kept pages of a class.
pub(super) fn kept_key(rule: &UrlRule, class: &str) -> u64 {
    keyed(rule, class, b"kept")
}

/// The key of a duplicate that led to a new page to which the rule does not apply.
pub(super) fn led_key(page: u64, rule: &UrlRule) -> u64 {
    let page: Vec<u8> = [b"led".as_slice(), &page.to_le_bytes()].concat();
    keyed(rule, "", &page)
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
