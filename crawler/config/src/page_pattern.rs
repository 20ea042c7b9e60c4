//! Pages by their URLs.

use url::Url;
use web::host_key::HostKey;
use web::host_pattern::HostPattern;

use super::url_pattern::UrlPattern;

/// Selects pages by their hosts, by their URLs, or by both.
#[derive(Debug, Clone, Default)]
pub(super) struct PagePattern {
    /// `None` for every host.
    pub host: Option<HostPattern>,
    /// `None` for every URL.
    pub url: Option<UrlPattern>,
}

impl PagePattern {
    pub(super) fn takes(&self, url: &Url) -> bool {
        let is_of_host = |host: &HostPattern| HostKey::from_url(url).is_some_and(|key| host.takes(key.as_str()));
        self.host.as_ref().is_none_or(is_of_host)
            && self.url.as_ref().is_none_or(|pattern| pattern.matches(url.as_str()))
    }
}

#[cfg(test)]
mod tests {
    use web::host_pattern::parse_host;

    use super::*;

    #[test]
    fn a_page_is_read_with_a_url_in_any_spelling() {
        let pattern = PagePattern {
            host: None,
            url: Some(UrlPattern::parse("regex:/新闻/").unwrap()),
        };
        for path in ["新闻", "%e6%96%b0%e9%97%bb", "%E6%96%B0%E9%97%BB"] {
            let url = Url::parse(&format!("https://example.org/{path}/1")).unwrap();
            assert!(pattern.takes(&url), "{url}");
        }
    }

    #[test]
    fn a_page_must_have_the_host_and_the_url() {
        let takes = |host: Option<&str>, url: Option<&str>, page: &str| {
            let pattern = PagePattern {
                host: host.map(|host| parse_host(host).unwrap()),
                url: url.map(|url| UrlPattern::parse_or_regex(url).unwrap()),
            };
            pattern.takes(&Url::parse(page).unwrap())
        };
        for (host, url, expected) in [
            (None, None, true),
            (Some("shop.example.org"), None, true),
            (Some("*.example.org"), None, true),
            (Some("example.org"), None, false),
            (None, Some("/item/[0-9]+$"), true),
            (None, Some("regex:/item/[0-9]+$"), true),
            (None, Some("glob:/item/*"), true),
            (None, Some("glob:/*"), false),
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
