//! The top-level domain of a URL, for the detector of encodings.

use url::{Host, Url};

/// The last label of the domain in lower-case ASCII, `cn` or `xn--p1ai`; `None` if the host is no domain name.
pub(super) fn top_level_domain(url: &Url) -> Option<&[u8]> {
    let Some(Host::Domain(domain)) = url.host() else {
        return None;
    };
    let domain = domain.strip_suffix('.').unwrap_or(domain);
    let label = domain.rsplit('.').next()?.as_bytes();
    // The detector panics on others, which only a URL of another scheme than http and https can have.
    let is_plain = |&byte: &u8| matches!(byte, b'a'..=b'z' | b'0'..=b'9' | b'-');
    (!label.is_empty() && label.iter().all(is_plain)).then_some(label)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_last_label_of_a_domain_is_its_top_level_domain() {
        for (url, label) in [
            ("http://www.example.cn/a.ru", Some("cn")),
            ("https://EXAMPLE.CN.:8443/", Some("cn")),
            ("http://пример.рф/", Some("xn--p1ai")),
            ("http://localhost/", Some("localhost")),
            ("http://127.0.0.1/", None),
            ("http://[2001:db8::1]/", None),
            ("urn:isbn:1.cn", None),
            ("foo://EXAMPLE.CN/", None),
            ("foo://%E4%B8%AD.%E5%9B%BD/", None),
            ("file:///a.cn", None),
        ] {
            let found = Url::parse(url).unwrap();
            assert_eq!(top_level_domain(&found), label.map(str::as_bytes), "{url}");
        }
    }
}
