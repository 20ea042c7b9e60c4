//! The key by which politeness, budgets and statistics name a host.

use std::fmt;
use std::str::FromStr;

use serde::{Deserialize, Serialize};
use url::Url;

/// A host in lower case, with `:port` only where the port is not the default of the URL's scheme.
///
/// `https://example.com/` and `http://example.com/` share the key `example.com`, because both are one server. An IPv6 address
/// stands in brackets, an internationalised name in its ASCII form, and the dot of a fully qualified name (`example.com.`) is
/// dropped, so that every spelling of a host has the same queue.
///
/// The key is for politeness. robots.txt holds for one scheme, host and port (RFC 9309, section 2.3).
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub struct HostKey(String);

/// A text that is not a host key as [`HostKey`] writes it.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error(
    "`{0}` is not a host key; write it as `example.com`, `example.com:8080` or `[2001:db8::1]:8080`, in lower case"
)]
pub struct InvalidHostKey(pub String);

impl HostKey {
    /// The key of the URL's host, or `None` for a URL without one (`data:`, `mailto:`).
    #[must_use]
    pub fn from_url(url: &Url) -> Option<Self> {
        let host = url.host_str()?.trim_end_matches('.');
        if host.is_empty() {
            return None;
        }
        let host = host.to_ascii_lowercase();
        Some(Self(match url.port() {
            Some(port) => format!("{host}:{port}"),
            None => host,
        }))
    }

    /// The key as text.
    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl FromStr for HostKey {
    type Err = InvalidHostKey;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        // `example.com:80` is the key of an https URL only, and `example.com:443` of an http URL only. A text is a key if it
        // is one for either scheme.
        ["http", "https"]
            .iter()
            .filter_map(|scheme| Url::parse(&format!("{scheme}://{text}/")).ok())
            .filter_map(|url| Self::from_url(&url))
            .find(|key| key.0 == text)
            .ok_or_else(|| InvalidHostKey(text.to_owned()))
    }
}

impl TryFrom<String> for HostKey {
    type Error = InvalidHostKey;

    fn try_from(text: String) -> Result<Self, Self::Error> {
        text.parse()
    }
}

impl From<HostKey> for String {
    fn from(key: HostKey) -> Self {
        key.0
    }
}

impl fmt::Display for HostKey {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(&self.0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn key(url: &str) -> Option<String> {
        HostKey::from_url(&Url::parse(url).unwrap()).map(String::from)
    }

    #[test]
    fn a_key_is_the_host_and_only_an_unusual_port() {
        let cases = [
            ("http://Example.COM/a?b", "example.com"),
            ("https://example.com/", "example.com"),
            ("https://example.com:443/", "example.com"),
            ("http://example.com:80/", "example.com"),
            ("http://example.com:443/", "example.com:443"),
            ("https://example.com:80/", "example.com:80"),
            ("http://example.com:8080/", "example.com:8080"),
            ("http://example.com./", "example.com"),
            ("http://user:pass@example.com/", "example.com"),
            ("http://[2001:DB8::1]/", "[2001:db8::1]"),
            ("http://[2001:db8::1]:8080/", "[2001:db8::1]:8080"),
            ("http://0x7f.1/", "127.0.0.1"),
            ("http://müller.example/", "xn--mller-kva.example"),
        ];
        for (url, expected) in cases {
            assert_eq!(key(url).as_deref(), Some(expected), "{url}");
        }
    }

    #[test]
    fn a_url_without_a_host_has_no_key() {
        for url in ["data:text/plain,x", "mailto:a@example.com", "file:///etc/passwd"] {
            assert_eq!(key(url), None, "{url}");
        }
    }

    #[test]
    fn a_key_reads_back_only_in_its_own_spelling() {
        for text in [
            "example.com",
            "example.com:80",
            "example.com:443",
            "example.com:8080",
            "[::1]:8080",
            "127.0.0.1",
        ] {
            assert_eq!(text.parse::<HostKey>().unwrap().as_str(), text);
        }
        for text in [
            "",
            "Example.com",
            "example.com/",
            "a@example.com",
            "example.com.",
            "::1",
            "a b",
            "example.com:99999",
        ] {
            assert!(text.parse::<HostKey>().is_err(), "{text}");
        }
    }
}
