//! The frontier: URLs that wait, in the order they are handed out.
//!
//! Within a host: by priority (0 first), then depth, then order of discovery. Which host is next, and when, is not decided
//! here but by the scheduler.

use std::collections::HashSet;

use serde::{Deserialize, Serialize};

use crate::error::StorageError;
use crate::format;
use crate::page::Validators;

/// A URL that was found, to be queued if it is not known.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Discovered {
    /// Canonical URL; two spellings are two URLs.
    pub url: String,
    /// The key of the host that it is queued under, such as `example.org:8080`.
    pub host: String,
    /// Links from a seed.
    pub depth: u16,
    /// Redirects that led here without a page between.
    pub redirects: u8,
    /// 0 is handed out first.
    pub priority: u8,
    /// The page that links here. As an outlink of [`finish`](crate::Store::finish) it may be left out: then it is the URL
    /// that is finished.
    pub via: Option<String>,
}

/// What led to a URL.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub enum Via {
    /// The page of this sequence number.
    Page(u64),
    /// Something else with a URL: a redirect, a sitemap.
    Url(String),
}

/// A page that is looked at again, and what tells whether it has changed.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct Revisit {
    /// Its sequence number.
    pub page: u64,
    /// What the request is made conditional by.
    pub validators: Validators,
    /// SHA-1 of its decoded body; `None` where it is to be decided on anew in any case.
    pub payload_digest: Option<[u8; 20]>,
}

/// A URL in the queue.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct QueuedUrl {
    /// Canonical URL.
    pub url: String,
    /// The key of the host that it is queued under.
    pub host: String,
    /// Links from a seed.
    pub depth: u16,
    /// Redirects that led here without a page between.
    pub redirects: u8,
    /// How often it was tried and put back.
    pub attempts: u8,
    /// 0 is handed out first.
    pub priority: u8,
    /// What links here; `None` for a seed.
    pub via: Option<Via>,
    /// Order of discovery; names this place in the queue and no other, ever.
    pub seq: u64,
    /// Order of discovery of the URL; names the URL and no other, ever.
    pub id: u64,
    /// The page that was fetched by this URL before and is now looked at again; `None` for a URL that was never fetched.
    pub revisits: Option<Box<Revisit>>,
}

/// The value of a row of the queue; the rest of [`QueuedUrl`] is in its key.
#[derive(Debug, Serialize, Deserialize)]
pub(crate) struct QueueRow {
    /// Packed: see [`format`](crate::format).
    pub url: String,
    pub redirects: u8,
    pub attempts: u8,
    pub via: Option<Via>,
    /// Where it is not `seq`.
    pub id: Option<u64>,
    pub revisits: Option<Box<Revisit>>,
}

impl QueuedUrl {
    pub(crate) fn new(link: &Discovered, via: Option<&Via>, seq: u64) -> Self {
        Self {
            url: link.url.clone(),
            host: link.host.clone(),
            depth: link.depth,
            redirects: link.redirects,
            attempts: 0,
            priority: link.priority,
            via: link.via.clone().map(Via::Url).or_else(|| via.cloned()),
            seq,
            id: seq,
            revisits: None,
        }
    }

    /// The same URL behind its equals, one attempt later.
    pub(crate) fn again(&self, seq: u64) -> Self {
        Self {
            attempts: self.attempts.saturating_add(1),
            seq,
            ..self.clone()
        }
    }

    /// The same URL, untried, at another place.
    pub(crate) fn postponed(&self, priority: u8, seq: u64) -> Self {
        Self {
            priority,
            seq,
            ..self.clone()
        }
    }

    pub(crate) fn key(&self) -> Vec<u8> {
        format::queue_key(&self.host, self.priority, self.depth, self.seq)
    }

    pub(crate) fn row(&self) -> Result<Vec<u8>, StorageError> {
        let row = QueueRow {
            url: format::pack_url(&self.host, &self.url),
            redirects: self.redirects,
            attempts: self.attempts,
            via: self.via.clone(),
            id: (self.id != self.seq).then_some(self.id),
            revisits: self.revisits.clone(),
        };
        format::encode(&row)
    }

    pub(crate) fn from_row(host: &str, key: &[u8], row: QueueRow) -> Option<Self> {
        let (priority, depth, seq) = format::queue_place(host, key)?;
        let url = format::unpack_url(host, &row.url)?;
        let QueueRow {
            redirects,
            attempts,
            via,
            revisits,
            id,
            ..
        } = row;
        Some(Self {
            url,
            host: host.to_owned(),
            depth,
            redirects,
            attempts,
            priority,
            via,
            seq,
            id: id.unwrap_or(seq),
            revisits,
        })
    }
}

/// The first `limit` rows of a host's queue, behind the place `from`, whose `seq` is not in `skip`.
pub(crate) fn head_of_queue(
    state: &crate::state::State,
    host: &str,
    from: Option<(u8, u16, u64)>,
    limit: usize,
    skip: &HashSet<u64>,
) -> Result<Vec<QueuedUrl>, StorageError> {
    let mut found = Vec::new();
    let prefix = format::queue_prefix(host);
    let begin = from.map(|(priority, depth, seq)| format::queue_key(host, priority, depth, seq));
    let mut rows = state.scan_from(begin.as_ref().unwrap_or(&prefix));
    while found.len() < limit {
        let Some(row) = rows.next() else { break };
        let (key, value) = row?;
        if !key.starts_with(&prefix) {
            break;
        }
        if begin.as_deref() == Some(&*key) {
            continue;
        }
        match format::queue_place(host, &key) {
            Some((_, _, seq)) if skip.contains(&seq) => continue,
            _ => {}
        }
        let queued = QueuedUrl::from_row(host, &key, state.decode("a row of the queue", &value)?)
            .ok_or_else(|| state.corrupt("a key of the queue"))?;
        found.push(queued);
    }
    Ok(found)
}
