//! What a run does at this moment: for another process that looks at the crawl, and for displays.

use std::collections::BTreeMap;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex};
use std::time::SystemTime;

use serde::{Deserialize, Serialize};
use url::Url;

use super::{Lately, Stats, lock};
use crate::clock::unix_millis;
use crate::frontier::Standing;

/// Requests that [`RunNow`] names, and the characters of each URL.
const NAMED: usize = 100;
const URL_CHARS: usize = 1_000;

/// What a run does at one moment.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
pub struct RunNow {
    /// When, Unix ms.
    pub at_ms: u64,
    /// Whether the user has paused the crawl.
    pub paused: bool,
    /// Whether the run takes no more new URLs.
    pub stopping: bool,
    /// The requests that may be under way at one time.
    pub parallel: u64,
    /// Those that are under way.
    pub open_requests: u64,
    /// The oldest of them, at most a hundred.
    pub oldest_requests: Vec<OpenRequest>,
    /// The states of the hosts.
    pub standing: Standing,
    /// Pages of the run with scripts and hardly any text that no browser rendered.
    pub unrendered: u64,
    /// How the last URLs ended.
    #[serde(default)]
    pub lately: Lately,
}

/// A request under way.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct OpenRequest {
    /// Its URL; only the beginning of a long one.
    pub url: String,
    /// When it began, Unix ms.
    pub since_ms: u64,
}

impl RunNow {
    /// What the run does now, of which these are the figures.
    #[must_use]
    pub fn of(stats: &Stats) -> Self {
        let snapshot = stats.snapshot();
        Self {
            at_ms: unix_millis(SystemTime::now()),
            paused: snapshot.paused,
            stopping: snapshot.stopping,
            parallel: snapshot.parallel,
            open_requests: snapshot.open_requests,
            oldest_requests: stats.requests_under_way.oldest(),
            standing: Standing::clone(&snapshot.standing),
            unrendered: snapshot.unrendered,
            lately: snapshot.lately,
        }
    }

    /// In the form in which a process tells it to another.
    #[must_use]
    pub fn to_bytes(&self) -> Vec<u8> {
        serde_json::to_vec(self).unwrap_or_default()
    }

    /// From that form; `None` if the other process tells nothing.
    #[must_use]
    pub fn from_bytes(bytes: &[u8]) -> Option<Self> {
        serde_json::from_slice(bytes).ok()
    }
}

/// The requests under way, by number in the order in which they began.
#[derive(Debug, Default)]
pub(super) struct RequestsUnderWay {
    open: Mutex<BTreeMap<u64, (Url, u64)>>,
    next: AtomicU64,
}

impl RequestsUnderWay {
    pub fn count(&self) -> u64 {
        lock(&self.open).len() as u64
    }

    fn oldest(&self) -> Vec<OpenRequest> {
        let open = lock(&self.open);
        let oldest = open.values().take(NAMED).map(|(url, since_ms)| OpenRequest {
            url: url.as_str().chars().take(URL_CHARS).collect(),
            since_ms: *since_ms,
        });
        oldest.collect()
    }
}

/// A request is under way until this is dropped.
#[derive(Debug)]
pub(crate) struct UnderWay {
    stats: Arc<Stats>,
    number: u64,
}

impl UnderWay {
    /// Notes that a request begins.
    pub fn begin(stats: Arc<Stats>, url: &Url) -> Self {
        if stats.is_watched() {
            stats.figures().last_request = Some(url.clone());
        }
        let requests = &stats.requests_under_way;
        let number = requests.next.fetch_add(1, Ordering::Relaxed);
        lock(&requests.open).insert(number, (url.clone(), unix_millis(SystemTime::now())));
        Self { stats, number }
    }
}

impl Drop for UnderWay {
    fn drop(&mut self) {
        lock(&self.stats.requests_under_way.open).remove(&self.number);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_request_is_under_way_from_its_beginning_to_its_end() {
        let stats = Arc::new(Stats::default());
        stats.may_have_open(8);
        let begin = |path: &str| UnderWay::begin(stats.clone(), &format!("https://a.example/{path}").parse().unwrap());
        let urls = || {
            let now = RunNow::from_bytes(&RunNow::of(&stats).to_bytes()).unwrap();
            assert_eq!((now.open_requests, now.parallel), (now.oldest_requests.len() as u64, 8));
            let requests = now.oldest_requests.into_iter();
            requests.map(|request| request.url).collect::<Vec<_>>()
        };
        assert!(urls().is_empty());
        let (first, second) = (begin("1"), begin("2"));
        assert_eq!(urls(), ["https://a.example/1", "https://a.example/2"]);
        drop(first);
        assert_eq!(urls(), ["https://a.example/2"]);
        drop(second);
        assert!(urls().is_empty());
        assert_eq!(RunNow::from_bytes(b""), None);
    }
}
