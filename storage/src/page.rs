//! What the catalogue holds of a page.

use serde::{Deserialize, Serialize};

use crate::frontier::{QueuedUrl, Via};
use crate::warc::writer::Archived;

/// Whether a page says anything new, as decided before it was stored.
#[derive(Debug, Clone, Copy, PartialEq, Default, Serialize, Deserialize)]
pub enum Verdict {
    /// It does: the page is kept.
    #[default]
    Unique,
    /// Its normalised text is that of another page.
    Exact {
        /// Sequence number of the page that was kept when this was decided. Another may have taken its place since: see
        /// [`Store::representative_of`](crate::Store::representative_of).
        of: u64,
    },
    /// Its text is nearly that of another page.
    Near {
        /// As for `Exact`.
        of: u64,
        /// Hamming distance of the two fingerprints in bits; `None` where another rule decided.
        distance: Option<u32>,
        /// Estimated similarity of the two, 0 to 1.
        similarity: f32,
    },
}

impl Verdict {
    /// The page that it is a duplicate of.
    #[must_use]
    pub fn of(self) -> Option<u64> {
        match self {
            Self::Unique => None,
            Self::Exact { of } | Self::Near { of, .. } => Some(of),
        }
    }

    /// The same of another page; [`Unique`](Self::Unique) stays so.
    #[must_use]
    pub fn with_of(self, of: u64) -> Self {
        match self {
            Self::Unique => Self::Unique,
            Self::Exact { .. } => Self::Exact { of },
            Self::Near {
                distance, similarity, ..
            } => Self::Near {
                of,
                distance,
                similarity,
            },
        }
    }
}

/// What has become of a page since it was decided.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
pub enum Fate {
    /// It is the last known version of its URL.
    #[default]
    Current,
    /// A later fetch of its URL brought another page.
    Superseded {
        /// Sequence number of that page.
        by: u64,
    },
    /// A later fetch of its URL was sent elsewhere for good, or found that its page is not to be stored.
    Moved,
    /// Its URL answered twice running without a page: 404, 410, a temporary redirect, a body that is none.
    Gone {
        /// When it did so the second time, milliseconds since the Unix epoch.
        at: u64,
    },
}

/// What a server says about the version that it sent (RFC 9110, section 8.8), as received.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct Validators {
    /// `ETag`.
    pub etag: Option<String>,
    /// `Last-Modified`.
    pub last_modified: Option<String>,
}

/// Where one record lies in the archive: one gzip member.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct WarcLocation {
    /// Number of the file, the last part of its name.
    pub file: u32,
    /// First byte of the member.
    pub offset: u64,
    /// Its length in bytes.
    pub length: u64,
}

/// A kept page that gives its place to another: the one that it names as its canonical URL.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Replaced {
    /// Sequence number of the page that was kept until now.
    pub page: u64,
    /// What it is from now on: [`Verdict::Exact`] or [`Verdict::Near`] of the page that takes its place.
    pub verdict: Verdict,
}

/// What the caller knows of a fetched page. The store adds the URL it was queued by and the places in the archive, and
/// makes a [`PageRecord`] of it.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct PageDraft {
    /// The page's title; empty if it has none.
    pub title: String,
    /// When the fetch began, milliseconds since the Unix epoch.
    pub fetched_at: u64,
    /// HTTP status.
    pub status: u16,
    /// `Content-Type` as received.
    pub content_type: String,
    /// The character encoding that the text was decoded by, such as `UTF-8`.
    pub encoding: String,
    /// Bytes of the decoded body.
    pub body_bytes: u64,
    /// Bytes that came over the wire for the body.
    pub wire_bytes: u64,
    /// Characters of the extracted text.
    pub text_chars: u64,
    /// Language of the text, an ISO 639 code; `None` if it is not known.
    pub language: Option<String>,
    /// What was decided.
    pub verdict: Verdict,
    /// Fingerprint, exact hash and sketch as the caller encodes them; the store does not look inside.
    pub signature: Vec<u8>,
    /// Milliseconds from the beginning of the fetch to the end of the body.
    pub elapsed_ms: u32,
    /// The URL that the page names as its canonical one, its own included.
    pub canonical: Option<String>,
    /// The page whose place this one takes; only for a page that is kept.
    pub replaces: Option<Replaced>,
    /// What the server says about this version.
    pub validators: Validators,
    /// SHA-1 of the decoded body: what `WARC-Payload-Digest` says in base 32.
    pub payload_digest: [u8; 20],
}

/// A page in the catalogue. Its sequence number is its key.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct PageRecord {
    /// The URL it was queued and fetched by.
    pub url: String,
    /// The host key it was queued under.
    pub host: String,
    /// Links from a seed.
    pub depth: u16,
    /// What links to it; `None` for a seed.
    pub via: Option<Via>,
    /// See [`PageDraft::title`].
    pub title: String,
    /// See [`PageDraft::fetched_at`].
    pub fetched_at: u64,
    /// HTTP status.
    pub status: u16,
    /// See [`PageDraft::content_type`].
    pub content_type: String,
    /// See [`PageDraft::encoding`].
    pub encoding: String,
    /// Bytes of the decoded body.
    pub body_bytes: u64,
    /// Bytes that came over the wire for the body.
    pub wire_bytes: u64,
    /// Characters of the extracted text.
    pub text_chars: u64,
    /// See [`PageDraft::language`].
    pub language: Option<String>,
    /// What was decided.
    pub verdict: Verdict,
    /// See [`PageDraft::signature`].
    pub signature: Vec<u8>,
    /// See [`PageDraft::elapsed_ms`].
    pub elapsed_ms: u32,
    /// See [`PageDraft::canonical`].
    pub canonical: Option<String>,
    /// Sequence number of the page whose place this one took when it was decided.
    pub replaces: Option<u64>,
    /// See [`PageDraft::validators`].
    pub validators: Validators,
    /// See [`PageDraft::payload_digest`].
    pub payload_digest: [u8; 20],
    /// Sequence number of the version of this URL before this one, where it was fetched before.
    pub previous: Option<u64>,
    /// What has become of it since.
    pub fate: Fate,
    /// The `response` record; `None` for a page that was not archived, such as a duplicate. A page that was kept until
    /// another took its place is still in the archive.
    pub response: Option<WarcLocation>,
    /// The `conversion` record with the extracted text, or, of a duplicate, with what it has beside the text of the page that it is a
    /// duplicate of. `None` for duplicates of older crawls.
    pub text: Option<WarcLocation>,
    /// The `revisit` record that stands in for the `response` of a duplicate.
    pub revisit: Option<WarcLocation>,
}

impl PageRecord {
    /// Whether the page is one of those that the crawl keeps: it says something new, and is the last version of its URL.
    #[must_use]
    pub fn is_kept(&self) -> bool {
        self.verdict == Verdict::Unique && self.fate == Fate::Current
    }

    pub(crate) fn new(queued: &QueuedUrl, draft: PageDraft, archived: Archived) -> Self {
        Self {
            url: queued.url.clone(),
            host: queued.host.clone(),
            depth: queued.depth,
            via: queued.via.clone(),
            title: draft.title,
            fetched_at: draft.fetched_at,
            status: draft.status,
            content_type: draft.content_type,
            encoding: draft.encoding,
            body_bytes: draft.body_bytes,
            wire_bytes: draft.wire_bytes,
            text_chars: draft.text_chars,
            language: draft.language,
            verdict: draft.verdict,
            signature: draft.signature,
            elapsed_ms: draft.elapsed_ms,
            canonical: draft.canonical,
            replaces: draft.replaces.map(|replaced| replaced.page),
            validators: draft.validators,
            payload_digest: draft.payload_digest,
            previous: queued.revisits.as_ref().map(|revisit| revisit.page),
            fate: Fate::Current,
            response: archived.response,
            text: archived.text,
            revisit: archived.revisit,
        }
    }
}
