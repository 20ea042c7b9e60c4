//! URLs of the frontier: discovered, and queued.
//!
//! Within a host the queue is in order of priority (0 first), then depth, then discovery. The caller decides which host is next,
//! and when.

use std::cmp::Ordering;
use std::sync::Arc;

use serde::{Deserialize, Serialize};

/// Hash of a URL with its host.
pub(crate) type UrlHash = u64;

/// The number of a URL in the order of discovery.
pub(crate) type UrlId = u64;

/// A URL that was found. The store queues it if it does not know it.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Discovered {
    /// Canonical URL. The store takes two spellings for two URLs.
    pub url: String,
    /// Key of its host, such as `example.org:8080`.
    pub host: String,
    /// Links from a seed.
    pub depth: u16,
    /// Redirects in a row that led here.
    pub redirects: u8,
    /// 0 comes first.
    pub priority: u8,
    /// URL of the page that links here. `None` in an outlink of [`finish`](crate::Store::finish) stands for the URL that is
    /// finished.
    pub via: Option<String>,
}

/// The source of the link to a URL.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub enum Via {
    /// The page of this sequence number.
    Page(u64),
    /// Another source with a URL: a redirect, a sitemap. Shared, because up to 50,000 URLs name the same sitemap.
    Url(Arc<str>),
}

/// Validators that a server sends with a version of a page (RFC 9110, section 8.8), as received.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct Validators {
    /// `ETag`.
    pub etag: Option<String>,
    /// `Last-Modified`.
    pub last_modified: Option<String>,
}

/// A page that is due for a visit, with the data that detects a change.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct Revisit {
    /// Its sequence number.
    pub page: u64,
    /// Validators for a conditional request.
    pub validators: Validators,
    /// SHA-1 of its decoded body; `None` if the page must be decided again in any case.
    pub payload_digest: Option<[u8; 20]>,
}

/// A URL in the queue.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct QueuedUrl {
    /// Canonical URL.
    pub url: String,
    /// Key of its host.
    pub host: String,
    /// Links from a seed.
    pub depth: u16,
    /// Redirects in a row that led here.
    pub redirects: u8,
    /// Attempts so far.
    pub attempts: u8,
    /// 0 comes first.
    pub priority: u8,
    /// Source of the link to it; `None` for a seed.
    pub via: Option<Via>,
    /// Number of this place in the queue, in order of discovery. Never given out again.
    pub seq: u64,
    /// Number of the URL, in order of discovery. Never given out again.
    pub id: u64,
    /// The page that was fetched from this URL before and is due for a visit; `None` for a URL that was never fetched.
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

    /// About the number of bytes on the heap. A shared URL counts in full.
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

    /// Compares the places in the queue: those of a host in their order.
    pub(crate) fn cmp_place(&self, other: &Self) -> Ordering {
        let place = |queued: &Self| (queued.priority, queued.depth, queued.seq);
        self.host.cmp(&other.host).then(place(self).cmp(&place(other)))
    }

    /// The same URL with one more attempt, at the end of its priority and depth.
    pub(crate) fn again(&self, seq: u64) -> Self {
        Self {
            attempts: self.attempts.saturating_add(1),
            seq,
            ..self.clone()
        }
    }

    /// The same URL with another priority.
    pub(crate) fn postponed(&self, priority: u8, seq: u64) -> Self {
        Self {
            priority,
            seq,
            ..self.clone()
        }
    }
}

/// A place in the queue.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Place {
    pub kind: ChunkKind,
    pub seq: u64,
}

/// The properties that the URLs of one chunk of the queue share. Chunks are handed out in this order.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct ChunkKind {
    pub host: String,
    pub priority: u8,
    pub depth: u16,
}

impl Place {
    pub fn of(queued: &QueuedUrl) -> Self {
        let kind = ChunkKind {
            host: queued.host.clone(),
            priority: queued.priority,
            depth: queued.depth,
        };
        Self { kind, seq: queued.seq }
    }
}

/// A change of the queue.
pub(crate) enum QueueChange {
    Add(QueuedUrl),
    Remove(Place),
}

impl QueueChange {
    pub fn kind(&self) -> ChunkKind {
        match self {
            Self::Add(queued) => Place::of(queued).kind,
            Self::Remove(place) => place.kind.clone(),
        }
    }

    /// About the number of bytes in memory.
    pub fn held_bytes(&self) -> usize {
        match self {
            Self::Add(queued) => size_of::<QueuedUrl>() + queued.held_bytes(),
            Self::Remove(place) => size_of::<Place>() + place.kind.host.len(),
        }
    }
}
