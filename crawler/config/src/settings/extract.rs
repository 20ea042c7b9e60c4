//! The `[[extract]]` rules.

use std::sync::Arc;

use page::{ExtractRule, Favor};
use url::Url;
use web::host_pattern::parse_host;

use super::{InvalidSetting, invalid};
use crate::page_pattern::PagePattern;
use crate::sections::{ExtractEntry, FavorBy};
use crate::url_pattern::UrlPattern;

/// What the user declares to be the content of pages. Of the rules that select a page, the first one holds.
#[derive(Debug, Clone, Default)]
pub struct ExtractRules(Arc<[NamedRule]>);

/// A rule for some pages.
#[derive(Debug, Clone)]
pub struct NamedRule {
    /// Names the rule in messages.
    pub name: String,
    /// The selectors; `None` for a rule without any.
    pub rule: Option<ExtractRule>,
    /// What the choice of the content prefers.
    pub favor: Favor,
    pages: PagePattern,
}

impl ExtractRules {
    /// One rule for all pages.
    #[must_use]
    pub fn of_all_pages(name: &str, rule: ExtractRule) -> Self {
        Self(Arc::new([NamedRule {
            name: name.to_owned(),
            rule: Some(rule),
            favor: Favor::default(),
            pages: PagePattern::default(),
        }]))
    }

    /// The rule for the page at `url`.
    #[must_use]
    pub fn of_page(&self, url: &Url) -> Option<&NamedRule> {
        self.0.iter().find(|rule| rule.pages.takes(url))
    }
}

pub(super) fn rules(config: &[ExtractEntry]) -> Result<ExtractRules, InvalidSetting> {
    let rules = config.iter().enumerate().map(|(index, entry)| rule(index, entry));
    Ok(ExtractRules(rules.collect::<Result<_, _>>()?))
}

/// Validates the rule with this index, counted from 0. The message of an error names it by its number, counted from 1.
pub(crate) fn rule(index: usize, entry: &ExtractEntry) -> Result<NamedRule, InvalidSetting> {
    let number = index + 1;
    let unusable = |key: &str, value: &str, reason: String| {
        let reason: Vec<&str> = reason.split_whitespace().collect();
        invalid(
            format!("extract[{number}].{key}"),
            format!("{value:?}"),
            reason.join(" "),
        )
    };
    let incomplete = |reason: &str| invalid(format!("extract[{number}]"), shown(entry), reason);
    let parts = [("host", &entry.host), ("match", &entry.pattern)].map(|(key, value)| Some((key, value.as_deref()?)));
    let parts: Vec<_> = parts.into_iter().flatten().collect();
    if parts.is_empty() {
        return Err(incomplete("must have host or match, which select the pages"));
    }
    let has_selectors = !entry.content.is_empty() || !entry.drop.is_empty();
    if !has_selectors && entry.favor.is_none() {
        return Err(incomplete(
            "must have content or drop with at least one CSS selector, or favor",
        ));
    }
    let mut pages = PagePattern::default();
    for (key, value) in &parts {
        let parsed = match *key {
            "host" => parse_host(value).map(|host| pages.host = Some(host)),
            _ => UrlPattern::parse_or_regex(value).map(|pattern| pages.url = Some(pattern)),
        };
        parsed.map_err(|reason| unusable(key, value, reason))?;
    }
    let mut rule = ExtractRule::new();
    for selector in &entry.content {
        let added = rule.content(selector);
        added.map_err(|error| unusable("content", selector, error.to_string()))?;
    }
    for selector in &entry.drop {
        let added = rule.drop(selector);
        added.map_err(|error| unusable("drop", selector, error.to_string()))?;
    }
    let parts: Vec<String> = parts.iter().map(|(key, value)| format!("{key} {value}")).collect();
    Ok(NamedRule {
        name: format!("[[extract]] rule {number}, {}", parts.join(", ")),
        rule: has_selectors.then_some(rule),
        favor: match entry.favor {
            Some(FavorBy::Precision) => Favor::Precision,
            Some(FavorBy::Recall) => Favor::Recall,
            Some(FavorBy::Balanced) | None => Favor::Balanced,
        },
        pages,
    })
}

fn shown(entry: &ExtractEntry) -> String {
    // TOML can express every entry.
    toml::Value::try_from(entry).map_or_else(|_| String::new(), |entry| entry.to_string())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Config;

    fn of(text: &str) -> Result<ExtractRules, String> {
        let config = Config::parse(text, "c.toml".as_ref()).map_err(|error| error.to_string())?;
        rules(&config.extract).map_err(|error| error.to_string())
    }

    fn name<'a>(rules: &'a ExtractRules, url: &str) -> Option<&'a str> {
        let rule = rules.of_page(&Url::parse(url).unwrap())?;
        Some(&rule.name)
    }

    #[test]
    fn the_first_rule_that_selects_a_page_holds() {
        let rules = of(
            "[[extract]]\nhost = \"example.org\"\nmatch = '/shop/'\ncontent = [\"main\"]\n\
             [[extract]]\nhost = \"*.example.org\"\ndrop = [\"aside\"]\n\
             [[extract]]\nmatch = '^https?://([^/]*\\.)?example\\.org/'\ncontent = [\"#a, #b\"]\n",
        )
        .unwrap();
        for (url, expected) in [
            (
                "https://example.org/shop/1",
                Some("[[extract]] rule 1, host example.org, match /shop/"),
            ),
            (
                "https://a.example.org/shop/1",
                Some("[[extract]] rule 2, host *.example.org"),
            ),
            (
                "https://example.org/",
                Some("[[extract]] rule 3, match ^https?://([^/]*\\.)?example\\.org/"),
            ),
            ("https://example.net/shop/1", None),
        ] {
            assert_eq!(name(&rules, url), expected, "{url}");
        }
        assert_eq!(name(&of("").unwrap(), "https://example.org/"), None);
    }

    #[test]
    fn a_rule_may_say_what_the_choice_prefers() {
        let text = "[[extract]]\nhost = \"a.example\"\ndrop = [\"aside\"]\n\n[[extract]]\nmatch = '^https?://'\nfavor = \"precision\"";
        let rules = of(text).unwrap();
        let found = |url| {
            let named = rules.of_page(&Url::parse(url).unwrap()).unwrap();
            (named.rule.is_some(), named.favor)
        };
        assert_eq!(found("https://a.example/"), (true, Favor::Balanced));
        assert_eq!(found("https://b.example/"), (false, Favor::Precision));
    }

    #[test]
    fn a_rule_that_cannot_work_is_named() {
        for (keys, expected) in [
            (
                "host = \"a.example\"",
                "extract[2] = { host = \"a.example\" }: must have content or drop",
            ),
            (
                "content = [\"p\"]",
                "extract[2] = { content = [\"p\"] }: must have host or match",
            ),
            (
                "host = \"a b\"\ndrop = [\"p\"]",
                "extract[2].host = \"a b\": write a host",
            ),
            (
                "match = \"(\"\ndrop = [\"p\"]",
                "extract[2].match = \"(\": regex parse error",
            ),
            (
                "host = \"a\"\ncontent = [\"p\", \"p >\"]",
                "extract[2].content = \"p >\": it is not a CSS selector",
            ),
            (
                "host = \"a\"\ndrop = [\"\"]",
                "extract[2].drop = \"\": it is not a CSS selector",
            ),
            (
                "host = \"a\"\ndrop = [\"p:has(a)\"]",
                "extract[2].drop = \"p:has(a)\": :has() is not accepted",
            ),
        ] {
            let right = "[[extract]]\nhost = \"a.example\"\ndrop = [\"aside\"]\n";
            let error = of(&format!("{right}[[extract]]\n{keys}\n")).unwrap_err();
            assert!(error.starts_with(expected), "{keys}: {error}");
        }
    }
}
