//! Pages by their URLs.

use regex::{Regex, RegexBuilder};
use url::Url;
use web::host_key::HostKey;

use super::host_pattern::HostPattern;

/// Memory limit of a compiled expression, in bytes. Expressions that people type stay far below it.
const MAX_REGEX_BYTES: usize = 1 << 20;

/// Selects pages by their hosts, by their URLs, or by both.
#[derive(Debug, Clone, Default)]
pub(super) struct PagePattern {
    /// `None` for every host.
    pub host: Option<HostPattern>,
    /// Matches a part of the URL; `None` for every URL.
    pub url: Option<Regex>,
}

impl PagePattern {
    pub(super) fn takes(&self, url: &Url) -> bool {
        let is_of_host = |host: &HostPattern| HostKey::from_url(url).is_some_and(|key| host.takes(key.as_str()));
        self.host.as_ref().is_none_or(is_of_host) && self.url.as_ref().is_none_or(|regex| regex.is_match(url.as_str()))
    }
}

/// Parses a regular expression, which matches in time linear in the URL.
pub(crate) fn parse_regex(text: &str) -> Result<Regex, String> {
    let regex = RegexBuilder::new(text).size_limit(MAX_REGEX_BYTES).build();
    regex.map_err(|error| {
        format!("{error}\nwrite a regular expression that matches a part of the URL: '/docs/', '^https://', '\\.html$'")
    })
}

#[cfg(test)]
mod tests {
    use super::super::host_pattern::parse_host;
    use super::*;

    #[test]
    fn an_invalid_expression_is_rejected() {
        assert!(parse_regex("/docs/").unwrap().is_match("https://example.org/docs/a"));
        assert!(parse_regex("*/docs").unwrap_err().contains("regular expression"));
        assert!(parse_regex("(a{1000}){1000}").is_err());
    }

    #[test]
    fn a_page_must_have_the_host_and_the_url() {
        let takes = |host: Option<&str>, url: Option<&str>, page: &str| {
            let pattern = PagePattern {
                host: host.map(|host| parse_host(host).unwrap()),
                url: url.map(|url| parse_regex(url).unwrap()),
            };
            pattern.takes(&Url::parse(page).unwrap())
        };
        for (host, url, expected) in [
            (None, None, true),
            (Some("shop.example.org"), None, true),
            (Some("*.example.org"), None, true),
            (Some("example.org"), None, false),
            (None, Some("/item/[0-9]+$"), true),
            (None, Some("^https://example"), false),
            (Some("*.example.org"), Some("/item/"), true),
            (Some("*.example.org"), Some("/blog/"), false),
            (Some("example.net"), Some("/item/"), false),
        ] {
            assert_eq!(
                takes(host, url, "https://shop.example.org/item/12"),
                expected,
                "{host:?} {url:?}"
            );
        }
    }
}
