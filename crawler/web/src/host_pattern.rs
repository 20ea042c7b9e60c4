//! Hosts by name, with all ports or one, or all hosts below a domain.

use url::Url;

const HOST_HINT: &str = "write a host such as example.org, example.org:8080 or '*.example.org'";

/// A host, or all hosts below a domain.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct HostPattern {
    name: String,
    /// `None` for every port, `Some(None)` for the default port.
    port: Option<Option<u16>>,
    is_wildcard: bool,
}

impl HostPattern {
    /// Whether the pattern names a port.
    #[must_use]
    pub fn names_port(&self) -> bool {
        self.port.is_some()
    }

    /// Whether the pattern matches the host with this key.
    #[must_use]
    pub fn takes(&self, host_key: &str) -> bool {
        let (name, port) = split_port(host_key);
        if self.port.is_some_and(|wanted| wanted != port) {
            return false;
        }
        match name.strip_suffix(self.name.as_str()) {
            Some(before) if self.is_wildcard => before.len() > 1 && before.ends_with('.'),
            Some(before) => before.is_empty(),
            None => false,
        }
    }
}

/// Splits a host key into name and port. An IPv6 address has brackets, so the colon before a port is unambiguous.
fn split_port(host_key: &str) -> (&str, Option<u16>) {
    let split = host_key
        .rsplit_once(':')
        .and_then(|(name, port)| Some((name, Some(port.parse().ok()?))));
    split.unwrap_or((host_key, None))
}

/// Parses `example.org`, `example.org:8080` or `*.example.org`, in any case, in Unicode or Punycode.
///
/// # Errors
/// The text is no such host; the message says what to write.
pub fn parse_host(text: &str) -> Result<HostPattern, String> {
    let (is_wildcard, host) = match text.strip_prefix("*.") {
        Some(host) => (true, host),
        None => (false, text),
    };
    if host.is_empty() || host.contains(['/', '@', '?', '#', '*', '\\']) || host.contains(char::is_whitespace) {
        return Err(HOST_HINT.to_owned());
    }
    let url = Url::parse(&format!("http://{host}/")).map_err(|error| format!("{error}; {HOST_HINT}"))?;
    let name = url.host_str().unwrap_or_default().trim_end_matches('.');
    if name.is_empty() || (is_wildcard && !matches!(url.host(), Some(url::Host::Domain(_)))) {
        return Err(HOST_HINT.to_owned());
    }
    // `Url` drops the default port of its scheme; a typed :80 selects pages on the default port.
    let names_default = host.ends_with(":80") && url.port().is_none();
    let names_https = url.port() == Some(443);
    Ok(HostPattern {
        name: name.to_owned(),
        port: match url.port() {
            Some(_) if names_https => Some(None),
            Some(port) => Some(Some(port)),
            None => names_default.then_some(None),
        },
        is_wildcard,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_host_matches_every_port_or_the_one_it_names() {
        for (pattern, host_key, takes) in [
            ("example.org", "example.org", true),
            ("EXAMPLE.org.", "example.org", true),
            ("example.org", "example.org:8080", true),
            ("example.org:8080", "example.org:8080", true),
            ("example.org:8080", "example.org", false),
            ("example.org:80", "example.org", true),
            ("example.org:443", "example.org", true),
            ("example.org:80", "example.org:8080", false),
            ("example.org", "www.example.org", false),
            ("*.example.org", "www.example.org", true),
            ("*.example.org", "a.b.example.org:81", true),
            ("*.example.org", "example.org", false),
            ("*.example.org", "badexample.org", false),
            ("bücher.example", "xn--bcher-kva.example", true),
            ("[2001:db8::1]", "[2001:db8::1]:8080", true),
            ("127.0.0.1", "127.0.0.1:4711", true),
        ] {
            assert_eq!(
                parse_host(pattern).unwrap().takes(host_key),
                takes,
                "{pattern} {host_key}"
            );
        }
        for bad in [
            "",
            "*.",
            "*",
            "a b",
            "https://example.org/",
            "*.*.org",
            "*.127.0.0.1",
            "u@h",
            "h:99999",
        ] {
            assert!(parse_host(bad).is_err(), "{bad}");
        }
    }
}
