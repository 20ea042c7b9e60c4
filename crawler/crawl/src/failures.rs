//! What a user can do about URLs that failed, by the kind of failure that stores and reports name; and the seeds that failed in a run.

use url::Url;

use crate::walls;

/// What the user can do about URLs that failed in this way, as one sentence; `None` if there is nothing to do about links that the site
/// itself has, such as those to a missing page.
#[must_use]
pub fn advice(kind: &str) -> Option<&'static str> {
    walls::advice(kind).or_else(|| advice_without_wall(kind))
}

fn advice_without_wall(kind: &str) -> Option<&'static str> {
    Some(match kind {
        "http_401" => "If you have an account, describe the log-in in the configuration.",
        "http_403" => "Refused: set identity.contact_url, or ask the operator of the site.",
        "http_429" => "Raise the delay of the host, and start the failed URLs again later.",
        "forbidden_address" => "Pass --allow-private if this private address is yours.",
        "tls_untrusted" => "If the authority is yours, name its file in fetch.extra_root_certificates.",
        "body_too_large" => "Raise fetch.max_body_bytes.",
        "redirect_loop" | "too_many_redirects" => {
            "If the site tests for cookies, set fetch.cookies = true; otherwise its redirects lead nowhere."
        }
        _ => return None,
    })
}

/// What the user can do about a URL that the user wrote, which may have a slip, and whose host matters more than that of a link.
fn advice_on_seed(kind: &str) -> Option<&'static str> {
    Some(match kind {
        "http_404" | "http_410" | "soft_404" => "Check the URL: the site has no such page.",
        "dns" => "Check the name of the host; if it is right, try again later.",
        "connect" | "timeout" | "interrupted" => {
            "Check scheme and port; if a browser reaches the page, try again later."
        }
        "tls" | "protocol" => "Check scheme and port: the answer is no valid TLS or HTTP.",
        _ if kind.starts_with("tls_") => "Browsers refuse it, too: tell the operator of the site.",
        _ if kind.starts_with("http_5") => "The server reported an error: try again later.",
        _ => return None,
    })
}

/// Largest number of failed seeds, or of failed sitemaps, that are named. The others are only counted.
const MAX_NAMED: usize = 20;

/// A seed that led to no page.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FailedSeed {
    /// Its URL, or the one to which it redirected.
    pub url: String,
    /// As in reports: `dns`, `http_403`, …; `None` if a rule excluded it.
    pub kind: Option<String>,
    /// The failure or the rule in words.
    pub detail: String,
}

impl FailedSeed {
    /// What the user can do about it.
    #[must_use]
    pub fn advice(&self) -> Option<&'static str> {
        // The detail of a forbidden address has the remedy already, or says that there is none.
        let kind = self.kind.as_deref().filter(|kind| *kind != "forbidden_address")?;
        advice(kind).or_else(|| advice_on_seed(kind))
    }
}

/// The seeds that failed in a run: the first ones, and their number.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct FailedSeeds {
    /// The first ones.
    pub named: Vec<FailedSeed>,
    /// All of them.
    pub count: u64,
}

impl FailedSeeds {
    /// Adds a seed.
    pub(crate) fn add(&mut self, seed: impl FnOnce() -> FailedSeed) {
        self.count += 1;
        if self.named.len() < MAX_NAMED {
            self.named.push(seed());
        }
    }
}

/// A sitemap that could not be read.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FailedSitemap {
    /// Its URL.
    pub url: String,
    /// Why, in words.
    pub detail: String,
}

/// The sitemaps that could not be read in a run: the first ones, and their number.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct FailedSitemaps {
    /// The first ones.
    pub named: Vec<FailedSitemap>,
    /// The number of all.
    pub count: u64,
}

impl FailedSitemaps {
    /// Adds a sitemap.
    pub(crate) fn add(&mut self, url: &Url, detail: &str) {
        self.count += 1;
        if self.named.len() < MAX_NAMED {
            self.named.push(FailedSitemap {
                url: url.to_string(),
                detail: detail.to_owned(),
            });
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn seed(kind: Option<&str>) -> FailedSeed {
        FailedSeed {
            url: "https://example.org/a".to_owned(),
            kind: kind.map(str::to_owned),
            detail: String::new(),
        }
    }

    #[test]
    fn only_failures_that_a_user_can_change_have_an_advice() {
        for kind in [
            "http_401",
            "http_403",
            "http_429",
            "forbidden_address",
            "tls_untrusted",
            "body_too_large",
            "redirect_loop",
            "blocked_login",
        ] {
            assert!(advice(kind).is_some_and(|advice| advice.ends_with('.')), "{kind}");
            let of_seed = advice(kind).filter(|_| kind != "forbidden_address");
            assert_eq!(seed(Some(kind)).advice(), of_seed);
        }
        for kind in ["http_404", "soft_404", "timeout", "blocked_", "other"] {
            assert_eq!(advice(kind), None, "{kind}");
        }
    }

    #[test]
    fn a_seed_may_have_a_slip_and_many_seeds_are_counted() {
        for kind in [
            "http_404",
            "http_503",
            "dns",
            "connect",
            "timeout",
            "tls",
            "tls_expired",
        ] {
            assert!(
                seed(Some(kind)).advice().is_some_and(|advice| advice.ends_with('.')),
                "{kind}"
            );
        }
        assert_eq!(seed(None).advice(), None);
        assert_eq!(seed(Some("other")).advice(), None);
        let mut failed = FailedSeeds::default();
        (0..30).for_each(|_| failed.add(|| seed(Some("dns"))));
        assert_eq!((failed.named.len(), failed.count), (MAX_NAMED, 30));
    }
}
