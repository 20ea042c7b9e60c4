//! URLs that failed permanently.

use std::collections::HashMap;

use serde::Serialize;
use storage::{Store, Via};

use error::RunError;

/// A URL that failed permanently.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Failure {
    pub url: String,
    /// A fixed word: `timeout`, `dns`, `connect`, `tls_expired`, `http_404`, `soft_404`, `blocked_captcha`, `forbidden_address`, …
    pub kind: String,
    /// HTTP status, if there was a response.
    pub status: Option<u16>,
    /// The failure in words.
    pub detail: String,
    /// The page that links to it; null for a seed.
    pub via: Option<String>,
    /// Its host key.
    #[serde(skip)]
    pub host: String,
}

/// The URLs of one host that failed in the same way.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub(crate) struct FailureGroup {
    /// As in [`Failure`].
    pub kind: String,
    pub host: String,
    /// Number of URLs.
    pub count: u64,
    /// What the user can do about it; null if the kind says it.
    pub advice: Option<&'static str>,
}

/// What a person can do about URLs that failed in this way; `None` if the kind says it.
pub(crate) fn what_to_do(kind: &str) -> Option<&'static str> {
    crawl::failures::advice(kind).or(match kind {
        "http_404" | "http_410" | "soft_404" => {
            Some("If the site is yours: mend the link on the page it was found on.")
        }
        "timeout" | "connect" | "dns" => Some("Run again later."),
        _ if kind.starts_with("http_5") => Some("Run again later: the server had a fault."),
        _ => None,
    })
}

/// The URL of the page that links to a failed URL.
pub(super) fn via(store: &Store, via: Option<Via>) -> Result<Option<String>, RunError> {
    Ok(match via {
        None => None,
        Some(Via::Url(url)) => Some(url.to_string()),
        Some(Via::Page(id)) => store.page(id)?.map(|page| page.url),
    })
}

/// Failures by kind and host, the largest group first.
pub(super) fn groups(failures: &[Failure]) -> Vec<FailureGroup> {
    let mut groups: HashMap<(&str, &str), u64> = HashMap::new();
    for failure in failures {
        *groups.entry((&failure.kind, &failure.host)).or_default() += 1;
    }
    let mut groups: Vec<_> = groups.into_iter().collect();
    groups.sort_by(|a, b| b.1.cmp(&a.1).then(a.0.cmp(&b.0)));
    groups
        .into_iter()
        .map(|((kind, host), count)| FailureGroup {
            kind: kind.to_owned(),
            host: host.to_owned(),
            count,
            advice: crawl::failures::advice(kind),
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_common_kinds_have_an_advice() {
        for kind in ["http_404", "http_500", "http_503", "timeout", "http_403"] {
            assert!(what_to_do(kind).is_some_and(|advice| advice.ends_with('.')), "{kind}");
        }
        assert_eq!(what_to_do("other"), None);
    }
}
