//! How many files and connections this process may have open, and how many of them connections may be.
//!
//! A connection is an open file to the system. A usual limit is 1,024 of them, of which a crawl of some thousand hosts would soon keep none for
//! its own store: so connections have a bound, and the store a reserve.

/// Files that connections leave to the store, the log, the resolver and the runtime.
const RESERVE: u64 = 256;

/// Connections that are enough for any crawl, whatever the limit.
const MAX_CONNECTIONS: u64 = 8_192;

/// Files that one open request may take: a connection to each of two addresses of a name, and a look-up of the name.
const FILES_A_REQUEST: u64 = 4;

/// How many connections may be open.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Connections {
    /// Requests that may be open at a time.
    pub requests: usize,
    /// Connections of all hosts, those included that wait for the next request.
    pub kept: usize,
}

/// The limit of open files is too low for any crawl.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error(
    "this process may have {0} files open, and a crawl needs at least {MIN_LIMIT}: raise the limit (ulimit -n 1024) and run again"
)]
pub struct TooFew(pub u64);

/// The least limit with which a crawl is begun.
const MIN_LIMIT: u64 = 64;

impl Connections {
    /// What a `limit` of open files allows where `parallel` requests are wanted.
    ///
    /// # Errors
    /// The limit is below the least with which the store and a request can be open.
    pub fn within(limit: u64, parallel: usize) -> Result<Self, TooFew> {
        if limit < MIN_LIMIT {
            return Err(TooFew(limit));
        }
        let files = (limit - RESERVE.min(limit / 2)).min(MAX_CONNECTIONS);
        // At least half is for connections that wait for the next request.
        let requests = u64::try_from(parallel)
            .unwrap_or(u64::MAX)
            .min(files / 2 / FILES_A_REQUEST)
            .max(1);
        let kept = files - requests * FILES_A_REQUEST;
        let count = |number: u64| usize::try_from(number).unwrap_or(usize::MAX);
        Ok(Self {
            requests: count(requests),
            kept: count(kept),
        })
    }
}

/// Raises the limit of open files as far as this process may, and returns it; `None` where the system has no such limit.
#[cfg(unix)]
#[must_use]
pub fn raise_limit() -> Option<u64> {
    use rustix::process::{Resource, Rlimit, getrlimit, setrlimit};
    let limit = getrlimit(Resource::Nofile);
    // Some systems refuse a soft limit without bound.
    let wanted = limit.maximum.unwrap_or(u64::MAX).min(1 << 20);
    if limit.current.is_some_and(|current| current < wanted) {
        let raised = Rlimit {
            current: Some(wanted),
            maximum: limit.maximum,
        };
        if let Err(error) = setrlimit(Resource::Nofile, raised) {
            tracing::debug!(%error, "the limit of open files stays as it is");
        }
    }
    getrlimit(Resource::Nofile).current
}

/// Raises the limit of open files as far as this process may, and returns it; `None` where the system has no such limit.
#[cfg(not(unix))]
#[must_use]
pub fn raise_limit() -> Option<u64> {
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_store_has_its_reserve_and_connections_the_rest() {
        for limit in [64, 100, 256, 1_024, 4_096, 1 << 20] {
            for parallel in [1, 32, 10_000] {
                let Connections { requests, kept } = Connections::within(limit, parallel).unwrap();
                let files = requests as u64 * FILES_A_REQUEST + kept as u64;
                assert!(files <= limit - RESERVE.min(limit / 2), "{limit} {parallel}");
                assert!(
                    (1..=parallel).contains(&requests) && kept >= requests,
                    "{limit} {parallel}"
                );
            }
        }
        assert_eq!(
            Connections::within(1_024, 32).unwrap(),
            Connections {
                requests: 32,
                kept: 640
            }
        );
        assert_eq!(Connections::within(40, 32), Err(TooFew(40)));
    }
}
