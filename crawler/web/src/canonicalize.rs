//! The canonical form of a URL, by named rules that can be switched off one by one.
//!
//! The URL parser always normalizes (WHATWG URL): scheme and host in lower case, host names in ASCII, IPv4 addresses in four
//! decimal numbers, no default port, `.` and `..` resolved, `\` turned into `/`, no white space around the URL, forbidden
//! characters percent-encoded. A parsed URL has no other form, so these steps are not rules.
//!
//! The fields of [`CanonicalRules`] are the further rules, in the order in which they apply. Each decides that two URLs are one
//! page *before either is fetched*. Deduplication by content finds the duplicates that the rules miss, so a rule is on by
//! default only if it cannot merge two different pages of a well-behaved site.

mod parameters;
mod percent;
mod surt;

use std::fmt;

use serde::{Deserialize, Serialize};
use url::{Position, Url};

pub use surt::surt;

/// The version of the rules. It is raised whenever a rule or a list changes the canonical form of some URL. A store keeps it
/// in [`CanonicalRules::scheme`].
const RULES_VERSION: u32 = 1;

/// The rules that apply.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct CanonicalRules {
    /// `example.com.` becomes `example.com`.
    pub drop_trailing_dot: bool,
    /// Drops `user:password@`: credentials come from the configuration, never from a page.
    pub drop_userinfo: bool,
    /// Drops `#fragment`, which is never sent to the server.
    pub drop_fragment: bool,
    /// `%7euser%2f` becomes `~user%2F` (RFC 3986 §6.2.2).
    pub normalize_percent_encoding: bool,
    /// Drops session ids: `;jsessionid=…` and `(S(…))` in the path; `PHPSESSID`, `ASPSESSIONID…`, `CFID` with `CFTOKEN` and
    /// similar names in the query; `sid` and other generic names only with a value of at least 32 hexadecimal digits.
    pub drop_session_ids: bool,
    /// Drops `utm_source`, `gclid`, `fbclid` and other tracking parameters.
    pub drop_tracking_parameters: bool,
    /// `?a&&b&` becomes `?a&b`.
    pub drop_empty_parameters: bool,
    /// `?b=1&a=2` becomes `?a=2&b=1`; parameters of one name keep their order. Off by default: on some sites the order
    /// matters, and the rule changes the requests.
    pub sort_query: bool,
    /// `/a?` becomes `/a`.
    pub drop_empty_query: bool,
    /// `/a/index.html` becomes `/a/`. Off by default: only convention makes them one page.
    pub drop_index_file: bool,
    /// Longest canonical URL, in bytes.
    pub max_url_bytes: usize,
}

impl Default for CanonicalRules {
    fn default() -> Self {
        Self {
            drop_trailing_dot: true,
            drop_userinfo: true,
            drop_fragment: true,
            normalize_percent_encoding: true,
            drop_session_ids: true,
            drop_tracking_parameters: true,
            drop_empty_parameters: true,
            sort_query: false,
            drop_empty_query: true,
            drop_index_file: false,
            max_url_bytes: 2_048,
        }
    }
}

impl CanonicalRules {
    /// The rules and their version as one line, which a store keeps: canonical URLs of different lines are not comparable. The
    /// length limit is not part of the line, because it changes no URL.
    #[must_use]
    pub fn scheme(&self) -> String {
        let named = [
            ("trailing_dot", self.drop_trailing_dot),
            ("userinfo", self.drop_userinfo),
            ("fragment", self.drop_fragment),
            ("percent_encoding", self.normalize_percent_encoding),
            ("session_ids", self.drop_session_ids),
            ("tracking_parameters", self.drop_tracking_parameters),
            ("empty_parameters", self.drop_empty_parameters),
            ("sort_query", self.sort_query),
            ("empty_query", self.drop_empty_query),
            ("index_file", self.drop_index_file),
        ];
        let on: Vec<&str> = named.iter().filter(|(_, on)| *on).map(|(name, _)| *name).collect();
        format!("canonical-url/{RULES_VERSION}:{}", on.join("+"))
    }
}

/// A URL in its canonical form: http or https, with a host, within the length limit.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize)]
#[serde(into = "String")]
pub struct CanonicalUrl(Url);

/// Why a URL cannot be crawled.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum NotCrawlable {
    /// It is not an absolute URL.
    #[error("not a URL: {0}")]
    Malformed(#[from] url::ParseError),
    /// Its scheme is neither http nor https.
    #[error("scheme `{0}` is neither http nor https")]
    Scheme(String),
    /// It names no host.
    #[error("the URL names no host")]
    NoHost,
    /// Its canonical form is too long.
    #[error("the URL has {bytes} bytes, the limit is {limit} (canonicalize.max_url_bytes)")]
    TooLong {
        /// The length of the canonical form, in bytes.
        bytes: usize,
        /// The limit, in bytes.
        limit: usize,
    },
}

impl CanonicalUrl {
    /// Parses an absolute URL and makes it canonical.
    ///
    /// # Errors
    /// As [`canonicalize`], and if the text is not an absolute URL.
    pub fn parse(text: &str, rules: &CanonicalRules) -> Result<Self, NotCrawlable> {
        canonicalize(&Url::parse(text)?, rules)
    }

    /// The URL as text.
    #[must_use]
    pub fn as_str(&self) -> &str {
        self.0.as_str()
    }

    /// The URL in its parts.
    #[must_use]
    pub fn url(&self) -> &Url {
        &self.0
    }

    /// Converts into the URL in its parts.
    #[must_use]
    pub fn into_url(self) -> Url {
        self.0
    }
}

impl fmt::Display for CanonicalUrl {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(self.as_str())
    }
}

impl From<CanonicalUrl> for String {
    fn from(url: CanonicalUrl) -> Self {
        url.0.into()
    }
}

/// Makes a URL canonical. The operation is idempotent under the same rules.
///
/// # Errors
/// The URL is not http or https, has no host, or its canonical form is longer than the rules permit.
pub fn canonicalize(url: &Url, rules: &CanonicalRules) -> Result<CanonicalUrl, NotCrawlable> {
    into_canonical(url.clone(), rules)
}

/// [`canonicalize`] without a copy, for the many links of a page.
///
/// # Errors
/// As [`canonicalize`].
pub fn into_canonical(url: Url, rules: &CanonicalRules) -> Result<CanonicalUrl, NotCrawlable> {
    if !matches!(url.scheme(), "http" | "https") {
        return Err(NotCrawlable::Scheme(url.scheme().to_owned()));
    }
    if url.host_str().is_none_or(|host| host.trim_end_matches('.').is_empty()) {
        return Err(NotCrawlable::NoHost);
    }
    let url = if is_plain(&url, rules) {
        url
    } else {
        rewritten(url, rules)?
    };
    let bytes = url.as_str().len();
    if bytes > rules.max_url_bytes {
        return Err(NotCrawlable::TooLong {
            bytes,
            limit: rules.max_url_bytes,
        });
    }
    Ok(CanonicalUrl(url))
}

/// Whether certainly no rule changes the URL. It has nothing that any rule looks at, as most URLs.
fn is_plain(url: &Url, rules: &CanonicalRules) -> bool {
    let authority = &url[Position::BeforeUsername..Position::BeforePath];
    let rest = &url[Position::BeforePath..];
    !rules.drop_index_file
        && !authority.contains('@')
        && !url.host_str().is_some_and(|host| host.ends_with('.'))
        && !rest
            .bytes()
            .any(|byte| matches!(byte, b'%' | b';' | b'(' | b'?' | b'#'))
}

/// The URL after all rules.
fn rewritten(mut url: Url, rules: &CanonicalRules) -> Result<Url, NotCrawlable> {
    rewrite_authority(&mut url, rules)?;
    if rules.drop_fragment {
        url.set_fragment(None);
    }
    rewrite_path(&mut url, rules);
    rewrite_query(&mut url, rules);
    Ok(url)
}

fn rewrite_authority(url: &mut Url, rules: &CanonicalRules) -> Result<(), NotCrawlable> {
    if rules.drop_userinfo {
        // Both fail only for a URL without a host, which the caller has ruled out.
        url.set_username("").map_err(|()| NotCrawlable::NoHost)?;
        url.set_password(None).map_err(|()| NotCrawlable::NoHost)?;
    }
    let host = url.host_str().unwrap_or_default();
    let without_dot = host.trim_end_matches('.');
    if rules.drop_trailing_dot && without_dot.len() < host.len() {
        let without_dot = without_dot.to_owned();
        url.set_host(Some(&without_dot))?;
    }
    Ok(())
}

fn rewrite_path(url: &mut Url, rules: &CanonicalRules) {
    let mut path = url.path().to_owned();
    if rules.normalize_percent_encoding {
        path = percent::normalize(&path).into_owned();
    }
    if rules.drop_session_ids {
        path = without_session(&path);
    }
    if rules.drop_index_file {
        path.truncate(path.len() - index_file(&path).len());
    }
    if path != url.path() {
        url.set_path(&path);
    }
}

/// The path without session ids: parameters of a segment (`/a;jsessionid=1`), or whole segments (ASP.NET).
fn without_session(path: &str) -> String {
    let segments = path.split('/').map(without_session_parameters);
    let kept: Vec<String> = segments
        .filter(|segment| !parameters::is_asp_net_session(segment))
        .collect();
    kept.join("/")
}

fn without_session_parameters(segment: &str) -> String {
    let kept: Vec<&str> = segment
        .split(';')
        .enumerate()
        // The part before the first `;` is the segment's name.
        .filter(|(position, parameter)| *position == 0 || !names_session(parameter))
        .map(|(_, parameter)| parameter)
        .collect();
    kept.join(";")
}

fn names_session(parameter: &str) -> bool {
    let (name, value) = parameter.split_once('=').unwrap_or((parameter, ""));
    parameters::is_session(name, value)
}

/// The last segment of the path if servers show that file for its folder, else an empty text.
fn index_file(path: &str) -> &str {
    let file = path.rsplit('/').next().unwrap_or_default();
    let is_index = match file.to_ascii_lowercase().split_once('.') {
        Some(("index", end)) => {
            matches!(
                end,
                "html" | "htm" | "xhtml" | "shtml" | "php" | "jsp" | "asp" | "aspx" | "cfm" | "cgi" | "pl"
            )
        }
        Some(("default", end)) => matches!(end, "html" | "htm" | "asp" | "aspx"),
        _ => false,
    };
    if is_index { file } else { "" }
}

fn rewrite_query(url: &mut Url, rules: &CanonicalRules) {
    let Some(before) = url.query() else { return };
    let query = if rules.normalize_percent_encoding {
        percent::normalize(before)
    } else {
        before.into()
    };
    let is_coldfusion = rules.drop_session_ids && names_coldfusion_session(&query);
    let mut kept: Vec<&str> = query
        .split('&')
        .filter(|parameter| {
            let name = name(parameter);
            !(rules.drop_empty_parameters && parameter.is_empty()
                || rules.drop_tracking_parameters && parameters::is_tracking(name)
                || rules.drop_session_ids && names_session(parameter)
                || is_coldfusion && parameters::is_half_of_coldfusion_session(name))
        })
        .collect();
    if rules.sort_query {
        kept.sort_by_key(|parameter| name(parameter));
    }
    let after = kept.join("&");
    if after.is_empty() && rules.drop_empty_query {
        url.set_query(None);
    } else if after != before {
        url.set_query(Some(&after));
    }
}

fn name(parameter: &str) -> &str {
    parameter.split_once('=').map_or(parameter, |(name, _)| name)
}

fn names_coldfusion_session(query: &str) -> bool {
    let names = |wanted: &str| {
        query
            .split('&')
            .any(|parameter| name(parameter).eq_ignore_ascii_case(wanted))
    };
    names("cfid") && names("cftoken")
}

#[cfg(test)]
mod tests;
