//! The URLs that belong to the crawl: by default those on the seeds' hosts, down to a depth.

use std::collections::HashSet;
use std::sync::RwLock;

use web::host_key::HostKey;

use crate::config::ScopeMode;

/// Why a link is not followed. Such links are counted and not stored, because their number has no bound.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Outside {
    /// It leads to another host.
    Host,
    /// It is too many links away from a seed.
    Depth,
}

/// The hosts of the crawl. The parse threads share it; it grows when a seed redirects to another host.
#[derive(Debug)]
pub struct Scope {
    mode: ScopeMode,
    max_depth: u16,
    hosts: RwLock<HashSet<String>>,
}

impl Scope {
    /// A scope without hosts.
    #[must_use]
    pub fn new(mode: ScopeMode, max_depth: u16) -> Self {
        Self {
            mode,
            max_depth,
            hosts: RwLock::default(),
        }
    }

    /// Adds the host of a seed, or of a page to which a seed redirects.
    pub fn add_host(&self, host: &HostKey) {
        let name = self.base(host.as_str()).to_owned();
        let mut hosts = self.hosts.write().unwrap_or_else(std::sync::PoisonError::into_inner);
        hosts.insert(name);
    }

    /// Checks that a URL on `host`, `depth` links away from a seed, belongs to the crawl.
    ///
    /// # Errors
    /// It does not, for the returned reason.
    pub fn admits(&self, host: &HostKey, depth: u16) -> Result<(), Outside> {
        if depth > self.max_depth {
            return Err(Outside::Depth);
        }
        let hosts = self.hosts.read().unwrap_or_else(std::sync::PoisonError::into_inner);
        let name = host.as_str();
        let inside = match self.mode {
            ScopeMode::Host => hosts.contains(name),
            ScopeMode::Subdomains => parents(name).any(|parent| hosts.contains(parent)),
        };
        if inside { Ok(()) } else { Err(Outside::Host) }
    }

    fn base<'a>(&self, host: &'a str) -> &'a str {
        match self.mode {
            ScopeMode::Host => host,
            ScopeMode::Subdomains => host.strip_prefix("www.").unwrap_or(host),
        }
    }
}

/// `a.b.c`, `b.c`, `c`.
fn parents(host: &str) -> impl Iterator<Item = &str> {
    std::iter::successors(Some(host), |name| name.split_once('.').map(|(_, rest)| rest))
}

#[cfg(test)]
mod tests {
    use super::*;
    use url::Url;

    fn key(url: &str) -> HostKey {
        HostKey::from_url(&Url::parse(url).unwrap()).unwrap()
    }

    fn scope(mode: ScopeMode) -> Scope {
        let scope = Scope::new(mode, 3);
        scope.add_host(&key("https://www.example.org/"));
        scope
    }

    #[test]
    fn by_default_only_the_seeds_hosts_belong() {
        let scope = scope(ScopeMode::Host);
        assert_eq!(scope.admits(&key("http://www.example.org/x"), 0), Ok(()));
        for other in [
            "http://example.org/",
            "http://www.example.org:8080/",
            "http://a.www.example.org/",
        ] {
            assert_eq!(scope.admits(&key(other), 0), Err(Outside::Host), "{other}");
        }
    }

    #[test]
    fn subdomains_start_at_the_name_without_www() {
        let scope = scope(ScopeMode::Subdomains);
        for inside in [
            "http://example.org/",
            "http://docs.example.org/",
            "http://www.example.org/",
        ] {
            assert_eq!(scope.admits(&key(inside), 0), Ok(()), "{inside}");
        }
        for other in [
            "http://badexample.org/",
            "http://org/",
            "http://example.org.evil.example/",
        ] {
            assert_eq!(scope.admits(&key(other), 0), Err(Outside::Host), "{other}");
        }
    }

    #[test]
    fn the_depth_bound_is_inclusive() {
        let scope = scope(ScopeMode::Host);
        assert_eq!(scope.admits(&key("http://www.example.org/x"), 3), Ok(()));
        assert_eq!(scope.admits(&key("http://www.example.org/x"), 4), Err(Outside::Depth));
    }
}
