//! Sites, which have one owner.

use std::net::{IpAddr, Ipv4Addr};

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

/// The site of a host key, such as `www.example.org:8080`: all ports of a domain are one site.
#[must_use]
pub fn domain_of_host(host: &str) -> &str {
    if host.starts_with('[') {
        return host;
    }
    let name = host.split_once(':').map_or(host, |(name, _port)| name);
    if name.parse::<Ipv4Addr>().is_ok() {
        return name;
    }
    psl::domain_str(name).unwrap_or(name)
}

/// Whether anybody can register a name below `domain`. No host may set a cookie for such a domain.
pub(crate) fn is_public_suffix(domain: &str) -> bool {
    let is_address = domain.parse::<IpAddr>().is_ok() || domain.starts_with('[');
    !is_address && psl::domain_str(domain).is_none()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_host_key_has_the_site_of_its_urls() {
        for (host, expected) in [
            ("www.example.co.uk", "example.co.uk"),
            ("www.example.org:8080", "example.org"),
            ("a.b.github.io", "b.github.io"),
            ("github.io", "github.io"),
            ("localhost:80", "localhost"),
            ("a.b.localhost:80", "b.localhost"),
            ("192.0.2.1:80", "192.0.2.1"),
            ("[2001:db8::1]", "[2001:db8::1]"),
        ] {
            assert_eq!(domain_of_host(host), expected, "{host}");
        }
    }

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
