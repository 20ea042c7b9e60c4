//! A domain in the place of a URL.

use url::{Host, Url};

/// The https URL of `example.org`, `example.org:8443` or `example.org/docs/`; `None` for any other text. A name without a dot is more
/// often a slip than a host.
pub(super) fn bare_domain(text: &str) -> Option<Url> {
    if text.contains("://") || text.contains('@') || text.contains(char::is_whitespace) {
        return None;
    }
    let name = text
        .split([':', '/', '?', '#'])
        .next()
        .filter(|name| !name.is_empty())?;
    let url = Url::parse(&format!("https://{text}")).ok()?;
    let is_host = match url.host()? {
        Host::Domain(domain) => domain.trim_end_matches('.').contains('.'),
        // 1.2 is a number and the short form of an address.
        Host::Ipv4(_) => name.split('.').count() == 4,
        Host::Ipv6(_) => false,
    };
    is_host.then_some(url)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_bare_domain_is_an_https_url() {
        for (text, url) in [
            ("example.org", Some("https://example.org/")),
            ("Example.org.", Some("https://example.org./")),
            ("example.org:8443", Some("https://example.org:8443/")),
            ("example.org/docs?a=b", Some("https://example.org/docs?a=b")),
            ("bücher.example", Some("https://xn--bcher-kva.example/")),
            ("192.0.2.1", Some("https://192.0.2.1/")),
            ("1.2", None),
            ("localhost", None),
            ("localhost:8080", None),
            ("not a url", None),
            ("mailto:me@example.org", None),
            ("javascript:alert(1)", None),
            ("ftp://example.org/", None),
            ("/docs/a.html", None),
            ("/a.html", None),
        ] {
            assert_eq!(bare_domain(text).map(String::from).as_deref(), url, "{text}");
        }
    }
}
