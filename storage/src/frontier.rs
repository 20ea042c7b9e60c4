//! The frontier: URLs that wait, in the order they are handed out.
//!
//! Within a host: by priority (0 first), then depth, then order of discovery. Which host is next, and when, is not decided
//! here but by the scheduler.

use std::collections::HashSet;
use std::sync::Arc;

use serde::{Deserialize, Serialize};

use crate::chunk;
use crate::error::StorageError;
use crate::format;
use crate::page::Validators;
use crate::state::State;

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
    /// Something else with a URL: a redirect, a sitemap. Of a sitemap's 50,000 URLs each names it: hence shared.
    Url(Arc<str>),
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

impl QueuedUrl {
    pub(crate) fn new(link: &Discovered, via: Option<&Via>, seq: u64) -> Self {
        Self {
            url: link.url.clone(),
            host: link.host.clone(),
            depth: link.depth,
            redirects: link.redirects,
            attempts: 0,
            priority: link.priority,
            via: link
                .via
                .as_deref()
                .map(|url| Via::Url(url.into()))
                .or_else(|| via.cloned()),
            seq,
            id: seq,
            revisits: None,
        }
    }

    /// Bytes that it holds outside of itself, about: a URL shared with others counts in full.
    pub(crate) fn held_bytes(&self) -> usize {
        let via = match &self.via {
            Some(Via::Url(url)) => url.len(),
            Some(Via::Page(_)) | None => 0,
        };
        let validators = self.revisits.as_ref().map(|revisit| &revisit.validators);
        let validators = validators
            .into_iter()
            .flat_map(|validators| [&validators.etag, &validators.last_modified]);
        let revisit = validators
            .map(|field| field.as_ref().map_or(0, String::len))
            .sum::<usize>();
        self.url.len() + self.host.len() + via + revisit
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
}

/// The first `limit` URLs of a host's queue, behind the place `from`, whose `seq` is not in `skip`.
pub(crate) fn head_of_queue(
    state: &State,
    host: &str,
    from: Option<(u8, u16, u64)>,
    limit: usize,
    skip: &HashSet<u64>,
) -> Result<Vec<QueuedUrl>, StorageError> {
    let mut found = Vec::new();
    let prefix = format::queue_prefix(host);
    let behind = from.map(|(priority, depth, seq)| format::queue_key(host, priority, depth, seq));
    // The chunk that holds the place begins before it.
    let begin = match &behind {
        Some(place) => state.last_in(&prefix, place)?.map(|(key, _)| key.to_vec()),
        None => None,
    };
    for row in state.scan_from(&begin.unwrap_or(prefix.clone())) {
        let (key, value) = row?;
        if !key.starts_with(&prefix) {
            break;
        }
        let urls = chunk::read(state, &key, &value)?;
        let is_behind = |queued: &QueuedUrl| from.is_none_or(|from| from < (queued.priority, queued.depth, queued.seq));
        let wanted = urls
            .into_iter()
            .filter(|queued| is_behind(queued) && !skip.contains(&queued.seq));
        found.extend(wanted.take(limit - found.len()));
        if found.len() >= limit {
            break;
        }
    }
    Ok(found)
}
