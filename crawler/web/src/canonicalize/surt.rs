//! The sort-friendly form of a URL, which puts the URLs of a domain and of its subdomains side by side.
//!
//! The CDXJ index has another form, the one of its specification, without the scheme: `storage` owns that.

use url::{Host, Position};

use super::CanonicalUrl;

/// The SURT form (Sort-friendly URI Reordering Transform) as Heritrix writes it: the labels of the host from right to left,
/// each followed by a comma, in parentheses, with the port inside and the rest unchanged.
///
/// `http://www.example.org:8080/a?b` becomes `http://(org,example,www,:8080)/a?b`. An IP address keeps its order.
#[must_use]
pub fn surt(url: &CanonicalUrl) -> String {
    let url = url.url();
    let scheme = url.scheme();
    let host = match url.host() {
        Some(Host::Domain(name)) => reversed(name),
        _ => url.host_str().unwrap_or_default().to_owned(),
    };
    let port = url.port().map(|port| format!(":{port}")).unwrap_or_default();
    let user = &url[Position::BeforeUsername..Position::BeforeHost];
    let user = user
        .strip_suffix('@')
        .map(|user| format!("@{user}"))
        .unwrap_or_default();
    format!("{scheme}://({host}{port}{user}){}", &url[Position::BeforePath..])
}

fn reversed(name: &str) -> String {
    name.split('.').rev().flat_map(|label| [label, ","]).collect()
}

#[cfg(test)]
mod tests {
    use super::super::CanonicalRules;
    use super::*;

    #[test]
    fn only_the_labels_of_the_host_are_reversed() {
        let rules = CanonicalRules {
            drop_userinfo: false,
            drop_trailing_dot: false,
            ..CanonicalRules::default()
        };
        for (url, expected) in [
            ("http://www.archive.org", "http://(org,archive,www,)/"),
            ("https://Example.ORG/A/b?c=d", "https://(org,example,)/A/b?c=d"),
            ("http://www.example.org:8080/a?b", "http://(org,example,www,:8080)/a?b"),
            ("http://user:pw@example.org/", "http://(org,example,@user:pw)/"),
            ("http://127.0.0.1:81/", "http://(127.0.0.1:81)/"),
            ("http://[2001:db8::1]/x", "http://([2001:db8::1])/x"),
            ("http://localhost/", "http://(localhost,)/"),
        ] {
            assert_eq!(surt(&CanonicalUrl::parse(url, &rules).unwrap()), expected);
        }
    }

    #[test]
    fn subdomains_sort_beside_their_domain() {
        let mut urls = [
            "http://b.example.org/",
            "http://example.net/",
            "http://example.org/z",
            "http://a.example.org/",
        ]
        .map(|url| surt(&CanonicalUrl::parse(url, &CanonicalRules::default()).unwrap()));
        urls.sort();
        let order = ["net,example", "org,example,)/z", "org,example,a", "org,example,b"];
        for (url, part) in urls.iter().zip(order) {
            assert!(url.contains(part), "{url} {part}");
        }
    }
}
