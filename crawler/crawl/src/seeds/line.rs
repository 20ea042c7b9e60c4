//! One line of a seeds file: a URL, a bare domain, `only:` and a URL, or `sitemap:` and a URL.

use url::Url;
use web::canonicalize::{self, CanonicalRules};
use web::host_key::HostKey;

use super::domain::bare_domain;
use super::{MAX_LINE_BYTES, Seed, SeedKind, fields};
use config::settings::UrlRules;

/// The rules that a line must meet.
#[derive(Debug, Clone)]
pub(super) struct LineRules {
    pub canonical: CanonicalRules,
    pub urls: UrlRules,
    /// The kind of a line that names none.
    pub kind: SeedKind,
}

/// The seeds in a line, usually one. In the place of a seed, the line's text without its comment and the reason why it is none; nothing for
/// a line without text.
pub(super) fn seeds_in<'a>(line: &'a str, rules: &LineRules) -> Vec<Result<Seed, (&'a str, String)>> {
    let line = fields::trimmed(line.split_once(" #").map_or(line, |(before, _)| before));
    if line.is_empty() || line.starts_with('#') {
        return Vec::new();
    }
    if line.len() >= MAX_LINE_BYTES - 1 {
        return vec![Err((line, format!("the line has {MAX_LINE_BYTES} bytes or more")))];
    }
    let (kind, text) = match kind_of(line, rules.kind) {
        Ok(found) => found,
        Err(reason) => return vec![Err((line, reason))],
    };
    let urls = fields::urls_in(text).into_iter();
    urls.map(|url| seed(kind, url, rules).map_err(|reason| (line, reason)))
        .collect()
}

fn seed(kind: SeedKind, text: &str, rules: &LineRules) -> Result<Seed, String> {
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
pub fn url_of(text: &str) -> Result<Url, String> {
    if let Some(url) = bare_domain(text) {
        return Ok(url);
    }
    let url = Url::parse(text).map_err(|error| match error {
        url::ParseError::RelativeUrlWithoutBase if text.contains(char::is_whitespace) => {
            "not a URL; write one such as https://example.org/".to_owned()
        }
        url::ParseError::RelativeUrlWithoutBase => format!("no scheme; did you mean https://{text} ?"),
        other => format!("{other}; write a URL such as https://example.org/"),
    })?;
    match url.scheme() {
        "http" | "https" => Ok(url),
        other => Err(match text.split_once(':') {
            Some((name, behind)) if behind.starts_with(|c: char| c.is_ascii_digit()) => without_scheme(name, text),
            _ => format!("the scheme {other} is not supported; use http or https"),
        }),
    }
}

/// What is wrong with a text such as `localhost:80`, whose name the URL parser takes for a scheme.
fn without_scheme(name: &str, text: &str) -> String {
    match Url::parse(&format!("https://{text}")) {
        Err(url::ParseError::InvalidPort) => format!("the port of {name} is not valid: ports go up to 65535"),
        _ => format!("no scheme; write https:// or http:// in front: https://{text}"),
    }
}
