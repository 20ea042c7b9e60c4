//! The hosts of a crawl: their counts, and which of them are left alone, why, and until when.

use std::time::{SystemTime, UNIX_EPOCH};

use jiff::Timestamp;
use serde::Serialize;
use storage::{HostRecord, Store};

use super::Counts;
use crate::error::RunError;

/// One host's share.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Host {
    /// Host, with its port where it is not the scheme's own.
    pub host: String,
    /// As for the whole.
    #[serde(flatten)]
    pub counts: Counts,
    /// What is to be expected of it.
    pub state: State,
    /// What went wrong last, for people; null for a host that has answered since, or never failed.
    pub last_failure: Option<String>,
    /// The end of a rest that is not over yet, RFC 3339; null for none.
    pub rests_until: Option<String>,
}

/// What is to be expected of a host.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum State {
    /// Nothing is queued.
    Exhausted,
    /// It has URLs that wait for the next run.
    Ready,
    /// The same, but it rests: after a failure, or because it asked for it.
    Snoozed,
    /// It failed so often in a row that the last run gave it up; the next run tries it again once.
    Retired,
}

impl State {
    /// As in the JSON.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Exhausted => "exhausted",
            Self::Ready => "ready",
            Self::Snoozed => "snoozed",
            Self::Retired => "retired",
        }
    }
}

impl Host {
    /// A host with these counts, of which `state` is stored, at the time `now`, Unix ms.
    pub(super) fn new(host: String, counts: Counts, state: HostRecord, now: u64) -> Self {
        let rests = state.rests_until > now;
        Self {
            host,
            counts,
            state: match state {
                _ if counts.queued + counts.due == 0 => State::Exhausted,
                HostRecord { retired: true, .. } => State::Retired,
                _ if rests => State::Snoozed,
                _ => State::Ready,
            },
            last_failure: state.last_failure.filter(|_| state.failures > 0 || state.retired),
            rests_until: rests.then(|| utc(state.rests_until)),
        }
    }

    /// Whether URLs of it wait because of what it does.
    #[must_use]
    pub fn is_left_alone(&self) -> bool {
        matches!(self.state, State::Retired | State::Snoozed)
    }

    /// Why it is left alone and until when, in words.
    #[must_use]
    pub fn why_left_alone(&self) -> String {
        let reason = self.last_failure.as_deref().unwrap_or("no answer");
        match &self.rests_until {
            Some(until) => format!("{reason}; not before {until}"),
            None => reason.to_owned(),
        }
    }
}

/// All hosts, by name.
pub(super) fn read(store: &Store) -> Result<Vec<Host>, RunError> {
    let since_epoch = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
    let now = u64::try_from(since_epoch.as_millis()).unwrap_or(u64::MAX);
    let mut hosts = Vec::new();
    for row in store.hosts() {
        let (host, counts) = row?;
        let state = store.host_record(&host)?.unwrap_or_default();
        hosts.push(Host::new(host, counts.into(), state, now));
    }
    Ok(hosts)
}

/// A time (Unix ms) to the second, RFC 3339.
pub(crate) fn utc(unix_ms: u64) -> String {
    let seconds = i64::try_from(unix_ms.div_ceil(1_000)).unwrap_or(i64::MAX);
    Timestamp::from_second(seconds).map_or_else(|_| "the end of time".into(), |time| time.to_string())
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
    fn a_host_is_left_alone_only_while_it_has_something_queued() {
        assert_eq!(host(0, failing(2_000_000, true)).state, State::Exhausted);
        assert_eq!(host(1, HostRecord::default()).state, State::Ready);
        assert_eq!(host(1, failing(999_999, false)).state, State::Ready, "its rest is over");
        assert!(host(1, failing(999_999, true)).is_left_alone());
    }

    #[test]
    fn why_it_is_left_alone_is_said_with_the_end_of_its_rest() {
        let snoozed = host(1, failing(3_600_500, false));
        assert_eq!(snoozed.state, State::Snoozed);
        assert_eq!(
            snoozed.why_left_alone(),
            "HTTP status 503; not before 1970-01-01T01:00:01Z"
        );
        assert_eq!(host(1, failing(0, true)).why_left_alone(), "HTTP status 503");
        assert_eq!(utc(u64::MAX), "the end of time");
    }
}
