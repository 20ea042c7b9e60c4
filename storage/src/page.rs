//! A page: what the caller knows when it is decided, and its record in the catalogue.

use serde::{Deserialize, Serialize};

use crate::elsewhere::PageElsewhere;
use crate::frontier::{QueuedUrl, Validators, Via};
use crate::warc::location::{Archived, WarcLocation};

/// The verdict on a page, given before it is stored.
#[derive(Debug, Clone, Copy, PartialEq, Default, Serialize, Deserialize)]
pub enum Verdict {
    /// The page says something new and is kept.
    #[default]
    Unique,
    /// Its normalised text is the same as another page's.
    Exact {
        /// Sequence number of the page that was kept at the time. Another page may have taken its place since:
        /// [`Catalogue::representative_of`](crate::Catalogue::representative_of) finds it. A page of another worker of the crawl has a
        /// [packed number](crate::PageElsewhere).
        of: u64,
    },
    /// Its text is nearly the same as another page's.
    Near {
        /// See [`Exact`](Self::Exact).
        of: u64,
        /// Hamming distance of the two fingerprints in bits; `None` if another rule decided.
        distance: Option<u32>,
        /// Estimated similarity of the two texts, 0 to 1.
        similarity: f32,
    },
}

/// The kinds of verdicts: what counts, filters and reports tell apart.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum VerdictKind {
    /// The page said something new and was kept.
    Kept,
    /// Its text is the same as another page's.
    Exact,
    /// Its text is nearly the same as another page's.
    Near,
}

impl VerdictKind {
    /// `kept`, `exact` or `near`: the name of the kind wherever a person or a program reads it.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Kept => "kept",
            Self::Exact => "exact",
            Self::Near => "near",
        }
    }
}

impl Verdict {
    /// The kind of the verdict, without its evidence.
    #[must_use]
    pub fn kind(self) -> VerdictKind {
        match self {
            Self::Unique => VerdictKind::Kept,
            Self::Exact { .. } => VerdictKind::Exact,
            Self::Near { .. } => VerdictKind::Near,
        }
    }

    /// Whether the page says nothing that another does not say.
    #[must_use]
    pub fn is_duplicate(self) -> bool {
        self.kind() != VerdictKind::Kept
    }

    /// The page that this one is a duplicate of.
    #[must_use]
    pub fn of(self) -> Option<u64> {
        match self {
            Self::Unique => None,
            Self::Exact { of } | Self::Near { of, .. } => Some(of),
        }
    }

    /// The page that this one is a duplicate of, if it is in the catalogue of another worker of the crawl.
    #[must_use]
    pub fn of_elsewhere(self) -> Option<PageElsewhere> {
        self.of().and_then(PageElsewhere::unpacked)
    }

    /// The same verdict with another page. [`Unique`](Self::Unique) does not change.
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

/// The fate of a page since it was decided.
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
    /// A later fetch of its URL was redirected for good, or found a page that may not be stored.
    Moved,
    /// Its URL answered twice in a row without a page: 404, 410, a temporary redirect, a body that is not a page.
    Gone {
        /// Time of the second answer, milliseconds since the Unix epoch.
        at: u64,
    },
}

/// A kept page whose place another page takes: the page at its canonical URL.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Replaced {
    /// Sequence number of the page kept until now.
    pub page: u64,
    /// Its new verdict: [`Verdict::Exact`] or [`Verdict::Near`] of the page that takes its place.
    pub verdict: Verdict,
}

/// What a browser found when it ran the scripts of a page.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct Rendering {
    /// Whether the rendered page said more than the response. Then the page's text comes from the rendered page.
    pub says_more: bool,
    /// Requests that the scripts of the page needed.
    pub requests: u32,
    /// Time in the browser, in milliseconds, without the time that requests waited for their turn.
    pub elapsed_ms: u32,
}

/// A fetched page as the caller passes it. The store adds the URL's place in the queue and the places in the archive to make the
/// [`PageRecord`].
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
    /// The character encoding of the body, such as `UTF-8`.
    pub encoding: String,
    /// Bytes of the decoded body.
    pub body_bytes: u64,
    /// Bytes of the body over the wire.
    pub wire_bytes: u64,
    /// Characters of the extracted text.
    pub text_chars: u64,
    /// Language of the text, an ISO 639 code; `None` if unknown.
    pub language: Option<String>,
    /// What kind of page it is, such as `article`, in the words of the caller; `None` if the caller does not tell.
    pub page_type: Option<String>,
    /// What a browser found; `None` if the page was read without one.
    pub rendering: Option<Rendering>,
    /// The verdict.
    pub verdict: Verdict,
    /// Fingerprint, exact hash and sketch as the caller encodes them. The store does not decode them.
    pub signature: Vec<u8>,
    /// Milliseconds from the start of the fetch to the end of the body.
    pub elapsed_ms: u32,
    /// The URL that the page names as canonical, even if it is its own.
    pub canonical: Option<String>,
    /// The page whose place this one takes, if it is kept.
    pub replaces: Option<Replaced>,
    /// The server's validators for this version.
    pub validators: Validators,
    /// SHA-1 of the decoded body, as in `WARC-Payload-Digest`.
    pub payload_digest: [u8; 20],
    /// Whether it was fetched with the session of a user, and not as every visitor sees it.
    pub logged_in: bool,
    /// Whether the browser had to give the page up before it was finished. Then the page may say more another time.
    pub is_incomplete: bool,
}

/// A page in the catalogue. Its sequence number is its key.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct PageRecord {
    /// Its URL.
    pub url: String,
    /// Key of its host.
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
    /// Bytes of the body over the wire.
    pub wire_bytes: u64,
    /// Characters of the extracted text.
    pub text_chars: u64,
    /// See [`PageDraft::language`].
    pub language: Option<String>,
    /// The verdict.
    pub verdict: Verdict,
    /// See [`PageDraft::signature`].
    pub signature: Vec<u8>,
    /// See [`PageDraft::elapsed_ms`].
    pub elapsed_ms: u32,
    /// See [`PageDraft::canonical`].
    pub canonical: Option<String>,
    /// Sequence number of the page whose place this one took.
    pub replaces: Option<u64>,
    /// See [`PageDraft::validators`].
    pub validators: Validators,
    /// See [`PageDraft::payload_digest`].
    pub payload_digest: [u8; 20],
    /// Sequence number of the previous version of this URL, if there is one.
    pub previous: Option<u64>,
    /// Its fate since it was decided.
    pub fate: Fate,
    /// Place of the `response` record; `None` for a page whose body is not archived, such as a duplicate, unless the caller archives the
    /// bodies of duplicates. A page that was kept until another took its place still has one.
    pub response: Option<WarcLocation>,
    /// Place of the record with the extracted text: a `conversion`; for a duplicate without a body, a `metadata` record with only the
    /// difference from the kept page's text. `None` if no text is archived.
    pub text: Option<WarcLocation>,
    /// Place of the `revisit` record that a duplicate with the payload of its kept page has instead of a `response`.
    pub revisit: Option<WarcLocation>,
    /// See [`PageDraft::page_type`].
    pub page_type: Option<String>,
    /// See [`PageDraft::rendering`].
    pub rendering: Option<Rendering>,
    /// See [`PageDraft::logged_in`].
    pub logged_in: bool,
    /// See [`PageDraft::is_incomplete`].
    pub is_incomplete: bool,
}

impl PageRecord {
    /// Whether the crawl keeps the page: it is unique, and the last version of its URL.
    #[must_use]
    pub fn is_kept(&self) -> bool {
        !self.verdict.is_duplicate() && self.fate == Fate::Current
    }

    /// Whether the page is kept by its text alone: the crawl dropped it and archived no body, and a redecision keeps it.
    #[must_use]
    pub fn is_kept_without_body(&self) -> bool {
        self.is_kept() && self.response.is_none()
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
            page_type: draft.page_type,
            rendering: draft.rendering,
            logged_in: draft.logged_in,
            is_incomplete: draft.is_incomplete,
        }
    }

    /// Whether the page's text comes from the page after its scripts have run.
    #[must_use]
    pub fn is_rendered(&self) -> bool {
        self.rendering.is_some_and(|rendering| rendering.says_more)
    }
}
