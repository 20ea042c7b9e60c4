//! Which URLs the user includes in a crawl, and which ones the user excludes.

use std::fmt;
use std::sync::Arc;

use url::Url;
use web::host_key::HostKey;
use web::host_pattern::HostPattern;

use super::{InvalidSetting, invalid};
use crate::sections::ScopeSection;
use crate::url_pattern::UrlPattern;

/// The words between the section and the pattern, in the reason for an exclusion by `exclude`.
const EXCLUDED: &str = ".exclude has ";

/// The words after the section, in the reason for an exclusion by `include`.
const NOT_INCLUDED: &str = ".include has no pattern that matches the URL";

/// More patterns in one list are a slip of the pen.
const MAX_PATTERNS: usize = 1_000;

/// Which URLs belong to the crawl, by the patterns of `[scope]` and of the `[[host]]` section of the URL's host. In both, a URL must match
/// one of `include`, if there are any, and none of `exclude`.
#[derive(Debug, Clone)]
pub struct UrlRules(Arc<Sections>);

#[derive(Debug)]
struct Sections {
    scope: UrlLists,
    hosts: Vec<(HostPattern, UrlLists)>,
}

/// The patterns of one section.
#[derive(Debug)]
pub(super) struct UrlLists {
    /// The section, such as `scope` or `host[2]`.
    section: String,
    include: Vec<UrlPattern>,
    exclude: Vec<UrlPattern>,
}

/// What the patterns say about a URL.
#[derive(Debug, Clone, Copy)]
pub struct Ruling<'a> {
    section: &'a str,
    kind: RulingKind,
    /// The pattern that decides; `None` if none matches.
    pattern: Option<&'a UrlPattern>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum RulingKind {
    Included,
    Excluded,
    /// No pattern of `include` matches.
    NotIncluded,
}

impl UrlRules {
    /// Validates the patterns of `[scope]`. Those of the hosts are valid.
    pub(super) fn new(scope: &ScopeSection, hosts: Vec<(HostPattern, UrlLists)>) -> Result<Self, InvalidSetting> {
        let scope = UrlLists::new("scope", &scope.include, &scope.exclude)?;
        Ok(Self(Arc::new(Sections { scope, hosts })))
    }

    /// What the patterns say about this canonical URL.
    #[must_use]
    pub fn ruling(&self, url: &Url) -> Ruling<'_> {
        let of_scope = self.0.scope.ruling(url.as_str());
        if !of_scope.admits() || self.0.hosts.is_empty() {
            return of_scope;
        }
        let host = HostKey::from_url(url);
        let own = self.0.hosts.iter().find(|(pattern, _)| {
            let takes = |host: &HostKey| pattern.takes(host.as_str());
            host.as_ref().is_some_and(takes)
        });
        match own {
            Some((_, lists)) if !lists.is_empty() => lists.ruling(url.as_str()),
            _ => of_scope,
        }
    }

    /// Whether there is no pattern, so that every URL belongs to the crawl.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.0.scope.is_empty() && self.0.hosts.iter().all(|(_, lists)| lists.is_empty())
    }

    /// Why the URL does not belong to the crawl; `None` if it does.
    #[must_use]
    pub fn refusal(&self, url: &Url) -> Option<String> {
        let ruling = self.ruling(url);
        (!ruling.admits()).then(|| ruling.to_string())
    }

    /// Whether a reason is a [`refusal`](Self::refusal), by this configuration or another.
    #[must_use]
    pub fn is_refusal(reason: &str) -> bool {
        [EXCLUDED, NOT_INCLUDED].iter().any(|words| reason.contains(words))
    }
}

impl UrlLists {
    /// Validates the patterns of a section.
    pub(super) fn new(section: &str, include: &[String], exclude: &[String]) -> Result<Self, InvalidSetting> {
        Ok(Self {
            section: section.to_owned(),
            include: patterns(section, "include", include)?,
            exclude: patterns(section, "exclude", exclude)?,
        })
    }

    fn is_empty(&self) -> bool {
        self.include.is_empty() && self.exclude.is_empty()
    }

    fn ruling(&self, url: &str) -> Ruling<'_> {
        let excluding = self.exclude.iter().find(|pattern| pattern.matches(url));
        let including = || self.include.iter().find(|pattern| pattern.matches(url));
        let (kind, pattern) = match excluding {
            Some(pattern) => (RulingKind::Excluded, Some(pattern)),
            None if self.include.is_empty() => (RulingKind::Included, None),
            None => match including() {
                Some(pattern) => (RulingKind::Included, Some(pattern)),
                None => (RulingKind::NotIncluded, None),
            },
        };
        Ruling {
            section: &self.section,
            kind,
            pattern,
        }
    }
}

impl Ruling<'_> {
    /// Whether the URL belongs to the crawl.
    #[must_use]
    pub fn admits(&self) -> bool {
        self.kind == RulingKind::Included
    }

    /// The pattern that decides, if one matches.
    #[must_use]
    pub fn pattern(&self) -> Option<&str> {
        self.pattern.map(UrlPattern::as_str)
    }
}

impl fmt::Display for Ruling<'_> {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let section = self.section;
        let pattern = self.pattern().unwrap_or_default();
        match (self.kind, self.pattern) {
            (RulingKind::Included, None) => formatter.write_str("no pattern of the configuration applies"),
            (RulingKind::Included, Some(_)) => write!(formatter, "{section}.include has {pattern}"),
            (RulingKind::Excluded, _) => write!(formatter, "{section}{EXCLUDED}{pattern}"),
            (RulingKind::NotIncluded, _) => write!(formatter, "{section}{NOT_INCLUDED}"),
        }
    }
}

fn patterns(section: &str, list: &str, texts: &[String]) -> Result<Vec<UrlPattern>, InvalidSetting> {
    let key = format!("{section}.{list}");
    if texts.len() > MAX_PATTERNS {
        let reason = format!("must have at most {MAX_PATTERNS} patterns; one regex: can stand for many");
        return Err(invalid(key, format!("{} patterns", texts.len()), reason));
    }
    let parsed = texts.iter().map(|text| {
        UrlPattern::parse(text).map_err(|reason| {
            let reason: Vec<&str> = reason.split_whitespace().collect();
            invalid(key.clone(), format!("{text:?}"), reason.join(" "))
        })
    });
    parsed.collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    use crate::Config;
    use crate::settings::Settings;

    fn rules(text: &str) -> Result<UrlRules, InvalidSetting> {
        let config = Config::parse(text, "c.toml".as_ref()).unwrap();
        Settings::new(&config).map(|settings| settings.urls)
    }

    fn refusal(rules: &UrlRules, url: &str) -> Option<String> {
        rules.refusal(&Url::parse(url).unwrap())
    }

    #[test]
    fn a_url_must_match_an_include_and_no_exclude() {
        let both = "[scope]\ninclude = [\"glob:/docs/**\", \"regex:/blog/\"]\nexclude = [\"glob:/docs/old/**\"]\n";
        let both = rules(both).unwrap();
        for (url, expected) in [
            ("https://a.example/docs/x", None),
            ("https://a.example/en/blog/x", None),
            (
                "https://a.example/docs/old/x",
                Some("scope.exclude has glob:/docs/old/**"),
            ),
            (
                "https://a.example/",
                Some("scope.include has no pattern that matches the URL"),
            ),
        ] {
            assert_eq!(refusal(&both, url).as_deref(), expected, "{url}");
        }
        let none = rules("").unwrap();
        assert!(none.is_empty() && refusal(&none, "https://a.example/").is_none());
        let exclude = rules("[scope]\nexclude = [\"regex:/b\"]\n").unwrap();
        assert_eq!(refusal(&exclude, "https://a.example/a"), None);
    }

    #[test]
    fn the_patterns_of_a_host_hold_beside_those_of_the_scope() {
        let both = "[scope]\nexclude = [\"regex:[?]\"]\n\
                    [[host]]\nhost = \"a.example\"\ninclude = [\"glob:/docs/**\"]\n\
                    [[host]]\nhost = \"*.example\"\nexclude = [\"glob:/private/**\"]\n";
        let both = rules(both).unwrap();
        for (url, expected) in [
            ("https://a.example/docs/x", None),
            ("https://a.example/docs/x?y", Some("scope.exclude has regex:[?]")),
            (
                "https://a.example/x",
                Some("host[1].include has no pattern that matches the URL"),
            ),
            ("https://b.example/x", None),
            (
                "https://b.example/private/x",
                Some("host[2].exclude has glob:/private/**"),
            ),
            ("https://c.test/private/x", None),
        ] {
            assert_eq!(refusal(&both, url).as_deref(), expected, "{url}");
        }
    }

    #[test]
    fn an_invalid_pattern_is_named_with_its_list() {
        let error = rules("[scope]\nexclude = [\"regex:a\", \"/docs/\"]\n").unwrap_err();
        assert_eq!(error.key(), "scope.exclude");
        assert!(
            error.to_string().starts_with("scope.exclude = \"/docs/\": it must say"),
            "{error}"
        );
        let many: Vec<String> = (0..=MAX_PATTERNS).map(|number| format!("glob:/{number}")).collect();
        let error = UrlLists::new("scope", &many, &[]).unwrap_err().to_string();
        assert!(error.contains("at most 1000 patterns"), "{error}");
    }
}
