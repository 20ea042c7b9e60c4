//! What a drop names: a host, or a pattern of URLs.

use url::Url;
use web::host_key::HostKey;
use web::host_pattern::{HostPattern, parse_host};

use config::UrlPattern;

/// A host as in a `[[host]]` section, or a pattern as in `scope.exclude`.
#[derive(Debug, Clone)]
pub struct Target {
    text: String,
    kind: Kind,
}

#[derive(Debug, Clone)]
enum Kind {
    Host(HostPattern),
    Urls(UrlPattern),
}

impl Target {
    /// Parses `example.org`, `*.example.org`, `glob:…` or `regex:…`.
    ///
    /// # Errors
    /// It is none of these. The message says what to write.
    pub fn parse(text: &str) -> Result<Self, String> {
        let text = text.trim();
        if text.starts_with("glob:") || text.starts_with("regex:") {
            return Ok(Self {
                text: text.to_owned(),
                kind: Kind::Urls(UrlPattern::parse(text).map_err(|reason| on_one_line(&reason))?),
            });
        }
        let pattern = parse_host(text).map_err(|reason| {
            format!("{reason}; or a pattern of URLs such as 'glob:https://example.org/old/**' or 'regex:[?]print='")
        })?;
        Ok(Self {
            text: text.to_lowercase(),
            kind: Kind::Host(pattern),
        })
    }

    /// Its spelling in the journal.
    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.text
    }

    /// Whether it names whole hosts.
    #[must_use]
    pub fn names_hosts(&self) -> bool {
        matches!(self.kind, Kind::Host(_))
    }

    /// Whether it is this whole host.
    #[must_use]
    pub fn takes_host(&self, host: &str) -> bool {
        matches!(&self.kind, Kind::Host(pattern) if pattern.takes(host))
    }

    /// Whether it takes this canonical URL.
    #[must_use]
    pub fn takes(&self, url: &Url) -> bool {
        match &self.kind {
            Kind::Host(pattern) => HostKey::from_url(url).is_some_and(|host| pattern.takes(host.as_str())),
            Kind::Urls(pattern) => pattern.matches(url.as_str()),
        }
    }

    /// Why a URL of it is excluded. The outcome of the URL has this text, and [`restore`](super::order::Order::Restore) finds it by that.
    #[must_use]
    pub fn reason(&self) -> String {
        format!("dropped by the order: {}", self.text)
    }
}

fn on_one_line(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_target_is_a_host_or_a_pattern() {
        let url = |text: &str| Url::parse(text).unwrap();
        for (target, taken, other) in [
            ("Example.org", "https://example.org:8443/x", "https://www.example.org/"),
            ("*.example.org", "https://www.example.org/", "https://example.org/"),
            ("glob:/old/**", "https://a.example/old/x", "https://a.example/new"),
            ("regex:[?]print=", "https://a.example/x?print=1", "https://a.example/x"),
        ] {
            let target = Target::parse(target).unwrap();
            assert!(target.takes(&url(taken)) && !target.takes(&url(other)), "{target:?}");
        }
        let host = Target::parse("EXAMPLE.org").unwrap();
        assert_eq!(host.as_str(), "example.org");
        assert!(host.takes_host("example.org:8080") && !host.takes_host("example.com"));
        for bad in ["", "https://example.org/", "regex:(", "glob:x", "a b"] {
            let error = Target::parse(bad).unwrap_err();
            assert!(
                error.contains("glob:") || error.contains("regular expression"),
                "{error}"
            );
            assert!(!error.contains('\n'));
        }
    }
}
