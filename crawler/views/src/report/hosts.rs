//! The hosts of a crawl: their counts, and whether the next run can request them.

use std::time::SystemTime;

use serde::Serialize;
use storage::{HostRecord, Store};

use super::counts::Counts;
use crawl::clock::unix_millis;
use crawl::messages::DOCUMENTS_LEFT;
use error::RunError;
use terminal::units::utc;

/// The part of the crawl on one host.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub(crate) struct Host {
    /// Host, with the port if it is not the scheme's default.
    pub host: String,
    #[serde(flatten)]
    pub counts: Counts,
    /// What the next run does with the host.
    pub standing: Expectation,
    /// The last failure in words; null if the host has answered since, or never failed.
    pub last_failure: Option<String>,
    /// When the rest ends, RFC 3339; null if the host does not rest.
    pub rests_until: Option<String>,
}

/// What the next run does with a host.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum Expectation {
    /// Nothing: no URL is queued.
    Exhausted,
    /// It fetches the queued URLs.
    Ready,
    /// It waits until the rest ends: the host failed, or asked for the rest.
    Resting,
    /// It tries once: the host failed so often in a row that the last run gave it up.
    GivenUp,
}

impl Expectation {
    /// The glossary's word.
    #[must_use]
    pub fn words(self) -> &'static str {
        match self {
            Self::Exhausted => "exhausted",
            Self::Ready => "ready",
            Self::Resting => "resting",
            Self::GivenUp => "given up",
        }
    }
}

impl Host {
    /// A host with these counts and the stored `state`, at the time `now` (Unix ms).
    pub fn new(host: String, counts: Counts, state: HostRecord, now: u64) -> Self {
        let rests = state.rests_until > now;
        let standing = match state {
            _ if counts.queued + counts.due == 0 => Expectation::Exhausted,
            HostRecord { retired: true, .. } => Expectation::GivenUp,
            _ if rests => Expectation::Resting,
            _ => Expectation::Ready,
        };
        Self {
            host,
            counts,
            standing,
            last_failure: state
                .last_failure
                .filter(|why| state.failures > 0 || state.retired || why.starts_with(DOCUMENTS_LEFT)),
            rests_until: rests.then(|| utc(state.rests_until)),
        }
    }

    /// Whether it is resting or given up, or documents of it were left.
    #[must_use]
    pub fn is_unavailable(&self) -> bool {
        let has_left = |why: &String| why.starts_with(DOCUMENTS_LEFT) && self.counts.queued > 0;
        matches!(self.standing, Expectation::GivenUp | Expectation::Resting)
            || self.last_failure.as_ref().is_some_and(has_left)
    }

    /// Why it is unavailable, and until when, in words.
    #[must_use]
    pub fn why_unavailable(&self) -> String {
        let reason = self.last_failure.as_deref().unwrap_or("no answer");
        match &self.rests_until {
            Some(until) => format!("{reason}; not before {until}"),
            None => reason.to_owned(),
        }
    }
}

/// All hosts, by name.
pub(super) fn read(store: &Store) -> Result<Vec<Host>, RunError> {
    let now = unix_millis(SystemTime::now());
    let mut hosts = Vec::new();
    for row in store.hosts().all() {
        let (host, counts) = row?;
        let state = store.host_memory().record(&host)?.unwrap_or_default();
        hosts.push(Host::new(host, counts.into(), state, now));
    }
    Ok(hosts)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn host(queued: u64, state: HostRecord) -> Host {
        let counts = Counts {
            queued,
            ..Counts::default()
        };
        Host::new("a.example".into(), counts, state, 1_000_000)
    }

    fn failing(rests_until: u64, retired: bool) -> HostRecord {
        HostRecord {
            rests_until,
            retired,
            failures: 1,
            last_failure: Some("HTTP status 503".into()),
            ..HostRecord::default()
        }
    }

    #[test]
    fn a_host_is_unavailable_only_while_it_has_something_queued() {
        assert_eq!(host(0, failing(2_000_000, true)).standing, Expectation::Exhausted);
        assert_eq!(host(1, HostRecord::default()).standing, Expectation::Ready);
        assert_eq!(
            host(1, failing(999_999, false)).standing,
            Expectation::Ready,
            "its rest is over"
        );
        assert!(host(1, failing(999_999, true)).is_unavailable());
    }

    #[test]
    fn the_reason_of_a_rest_names_its_end() {
        let resting = host(1, failing(3_600_500, false));
        assert_eq!(resting.standing, Expectation::Resting);
        assert_eq!(
            resting.why_unavailable(),
            "HTTP status 503; not before 1970-01-01T01:00:01Z"
        );
        let given_up = host(1, failing(0, true));
        assert_eq!(given_up.standing, Expectation::GivenUp);
        assert_eq!(given_up.why_unavailable(), "HTTP status 503");
    }
}
