//! One line of a seeds file: a URL, a bare domain, `only:` and a URL, or `sitemap:` and a URL.

use url::{Host, Url};
use web::canonicalize::{self, CanonicalRules};
use web::host_key::HostKey;

use super::{MAX_LINE_BYTES, Seed, SeedKind};
use crate::config::settings::UrlRules;

/// The rules that a line must meet.
#[derive(Debug, Clone)]
pub(super) struct LineRules {
    pub canonical: CanonicalRules,
    pub urls: UrlRules,
    /// The kind of a line that names none.
    pub kind: SeedKind,
}

/// The seed in a line, or the line's text without its comment and the reason why it is no seed; `None` for a line without text.
pub(super) fn seed_in<'a>(line: &'a str, rules: &LineRules) -> Option<Result<Seed, (&'a str, String)>> {
    let line = line.split_once(" #").map_or(line, |(before, _)| before).trim();
    if line.is_empty() || line.starts_with('#') {
        return None;
    }
    Some(seed(line, rules).map_err(|reason| (line, reason)))
}

fn seed(line: &str, rules: &LineRules) -> Result<Seed, String> {
    if line.len() >= MAX_LINE_BYTES - 1 {
        return Err(format!("the line has {MAX_LINE_BYTES} bytes or more"));
    }
    let (kind, text) = kind_of(line, rules.kind)?;
    let url = url_of(text)?;
    if kind == SeedKind::Sitemap {
        return of(url, kind, rules);
    }
    let seed = of(url, kind, rules)?;
    match rules.urls.refusal(seed.url.url()) {
        None => Ok(seed),
        Some(reason) => Err(format!("excluded: {reason}")),
    }
}

/// Splits a line into the kind of the seed and its URL.
fn kind_of(line: &str, default: SeedKind) -> Result<(SeedKind, &str), String> {
    if let Some(text) = line.strip_prefix("sitemap:") {
        if default == SeedKind::Only {
            return Err("a list of URLs has no sitemaps; write this line into the file of --seeds".to_owned());
        }
        return Ok((SeedKind::Sitemap, text.trim()));
    }
    let only = line.strip_prefix("only:");
    Ok(only.map_or((default, line), |text| (SeedKind::Only, text.trim())))
}

fn of(url: Url, kind: SeedKind, rules: &LineRules) -> Result<Seed, String> {
    let url = canonicalize::canonicalize(&url, &rules.canonical).map_err(|error| error.to_string())?;
    let host = HostKey::from_url(url.url()).ok_or("the URL names no host")?;
    Ok(Seed { url, host, kind })
}

/// The URL in `https://example.org/`, or in `example.org`.
///
/// # Errors
/// The reason why the text is no URL to crawl.
pub(crate) fn url_of(text: &str) -> Result<Url, String> {
    if let Some(url) = bare_domain(text) {
        return Ok(url);
    }
    let url = Url::parse(text).map_err(|error| match error {
        url::ParseError::RelativeUrlWithoutBase if text.contains(char::is_whitespace) => "not a URL".to_owned(),
        url::ParseError::RelativeUrlWithoutBase => format!("no scheme; did you mean https://{text} ?"),
        other => other.to_string(),
    })?;
    match url.scheme() {
        "http" | "https" => Ok(url),
        other => Err(format!("the scheme {other} is not supported; use http or https")),
    }
}

/// The https URL of `example.org`, `example.org:8443` or `example.org/docs/`; `None` for any other text. A name without a dot is more
/// often a slip than a host.
fn bare_domain(text: &str) -> Option<Url> {
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
