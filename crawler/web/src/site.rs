//! Sites, which have one owner.

use url::{Host, Url};

/// The registrable domain of a URL's host by the Public Suffix List: `example.co.uk` for `www.example.co.uk`. An address, or a
/// name without a registrable domain, is its own site. `None` for a URL without a host.
#[must_use]
pub fn site(url: &Url) -> Option<&str> {
    let host = url.host_str()?;
    match url.host()? {
        Host::Domain(name) => Some(psl::domain_str(name).unwrap_or(host)),
        Host::Ipv4(_) | Host::Ipv6(_) => Some(host),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_site_is_a_registrable_domain_or_an_address() {
        for (url, expected) in [
            ("https://www.example.co.uk/x", Some("example.co.uk")),
            ("http://example.org:8080/", Some("example.org")),
            ("http://a.github.io/", Some("a.github.io")),
            ("http://localhost/", Some("localhost")),
            ("http://127.0.0.1:9/", Some("127.0.0.1")),
            ("http://[::1]/", Some("[::1]")),
            ("data:,x", None),
        ] {
            assert_eq!(site(&Url::parse(url).unwrap()), expected, "{url}");
        }
    }
}
