//! The URLs that belong to the crawl: by default those on the seeds' hosts, down to a depth.

use std::collections::HashSet;
use std::hash::{BuildHasher, RandomState};
use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};

use web::host_key::HostKey;

use crate::watch;
use config::ScopeMode;

/// Why a link is not followed. Such links are counted and not stored, because their number has no bound.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Outside {
    /// It leads to another host.
    Host,
    /// It is too many links away from a seed.
    Depth,
}

/// The depth of a URL that the user listed without its links: the crawl follows no link of the page, whatever `scope.max_depth` is. The
/// target of a redirect inherits the depth, and belongs to the crawl on every host.
pub const LISTED: u16 = u16::MAX;

/// The hosts of the crawl. The parse threads share the scope. It grows while the crawler reads the seeds, and when a seed redirects to
/// another host.
///
/// A host takes about 18 bytes: the scope keeps hashes of 64 bits with a random key. Among a million hosts, the probability that a given
/// host outside has the hash of one of them is 5 · 10⁻¹⁴.
#[derive(Debug)]
pub struct Scope {
    mode: ScopeMode,
    max_depth: u16,
    key: RandomState,
    hosts: Mutex<Hosts>,
    grown: Condvar,
}

#[derive(Debug, Default)]
struct Hosts {
    hashes: HashSet<u64>,
    /// Whether the crawler still reads seeds, so that further hosts may follow.
    is_growing: bool,
}

impl Scope {
    /// A scope without hosts.
    #[must_use]
    pub fn new(mode: ScopeMode, max_depth: u16) -> Self {
        Self {
            mode,
            max_depth,
            key: RandomState::new(),
            hosts: Mutex::default(),
            grown: Condvar::new(),
        }
    }

    /// Adds the host of a seed, or of a page to which a seed redirects.
    pub fn add_host(&self, host: &HostKey) {
        let hash = self.key.hash_one(self.base(host.as_str()));
        self.lock().hashes.insert(hash);
    }

    /// Notes whether the crawler still reads seeds, so that further hosts may follow.
    pub fn set_growing(&self, is_growing: bool) {
        self.lock().is_growing = is_growing;
        self.grown.notify_all();
    }

    /// Checks that a URL on `host`, `depth` links away from a seed, belongs to the crawl.
    ///
    /// # Errors
    /// The URL is outside the scope, for the returned reason.
    pub fn admits(&self, host: &HostKey, depth: u16) -> Result<(), Outside> {
        self.check(host, depth, |hosts| hosts)
    }

    /// As [`Scope::admits`], but refuses an unknown host only after all seeds are read, because it may be the host of a later seed. The
    /// threads that read and store the seeds must not call this.
    ///
    /// # Errors
    /// The URL is outside the scope, for the returned reason.
    pub fn admits_at_last(&self, host: &HostKey, depth: u16) -> Result<(), Outside> {
        match self.admits(host, depth) {
            Err(Outside::Host) => self.check(host, depth, |hosts| {
                // The seeds may come slowly, from a pipe.
                let grown = watch::aside(|| self.grown.wait_while(hosts, |hosts| hosts.is_growing));
                grown.unwrap_or_else(PoisonError::into_inner)
            }),
            decided => decided,
        }
    }

    fn check<'a>(
        &'a self,
        host: &HostKey,
        depth: u16,
        wait: impl FnOnce(MutexGuard<'a, Hosts>) -> MutexGuard<'a, Hosts>,
    ) -> Result<(), Outside> {
        if depth == LISTED {
            return Ok(());
        }
        if depth > self.max_depth {
            return Err(Outside::Depth);
        }
        let hosts = wait(self.lock());
        let contains = |name: &str| hosts.hashes.contains(&self.key.hash_one(name));
        let inside = match self.mode {
            ScopeMode::Host => contains(host.as_str()),
            ScopeMode::Subdomains => parents(host.as_str()).any(contains),
        };
        if inside { Ok(()) } else { Err(Outside::Host) }
    }

    fn lock(&self) -> MutexGuard<'_, Hosts> {
        self.hosts.lock().unwrap_or_else(PoisonError::into_inner)
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
    fn a_listed_url_belongs_on_every_host() {
        let scope = scope(ScopeMode::Host);
        assert_eq!(scope.admits(&key("http://other.example/"), LISTED), Ok(()));
        assert_eq!(scope.admits(&key("http://other.example/"), 0), Err(Outside::Host));
    }

    #[test]
    fn the_depth_bound_is_inclusive() {
        let scope = scope(ScopeMode::Host);
        assert_eq!(scope.admits(&key("http://www.example.org/x"), 3), Ok(()));
        assert_eq!(scope.admits(&key("http://www.example.org/x"), 4), Err(Outside::Depth));
    }

    #[test]
    fn a_host_is_refused_only_when_all_seeds_are_read() {
        let scope = scope(ScopeMode::Host);
        let late = key("http://late.example/");
        scope.set_growing(true);
        assert_eq!(scope.admits(&late, 0), Err(Outside::Host));
        assert_eq!(scope.admits_at_last(&key("http://www.example.org/"), 0), Ok(()));
        std::thread::scope(|threads| {
            let waiting = threads.spawn(|| scope.admits_at_last(&late, 0));
            scope.add_host(&late);
            scope.set_growing(false);
            assert_eq!(waiting.join().unwrap(), Ok(()));
        });
        assert_eq!(
            scope.admits_at_last(&key("http://other.example/"), 0),
            Err(Outside::Host)
        );
    }
}
