//! What `crawler explain` answers: the fields of its JSON.

use serde::Serialize;

use crate::study::diff::Diff;
use crate::study::nearest::Likeness;

/// Documented in `crawler explain --help`; fields are only ever added.
#[derive(Debug, Serialize)]
pub(super) struct Answer {
    pub asked: String,
    pub url: String,
    pub summary: String,
    #[serde(flatten)]
    pub state: State,
}

#[derive(Debug, Serialize)]
#[serde(tag = "state", rename_all = "snake_case")]
pub(super) enum State {
    Page(Box<Page>),
    Queued(Queued),
    Redirect {
        to: String,
        status: u16,
        target: Option<Box<Answer>>,
    },
    Failed(Failed),
    Excluded {
        reason: String,
    },
    Unknown {
        alike: Vec<String>,
    },
}

#[derive(Debug, Serialize)]
pub(super) struct Page {
    pub id: u64,
    pub title: String,
    pub fetched_at: Option<String>,
    pub status: u16,
    pub content_type: String,
    pub language: Option<String>,
    pub body_bytes: u64,
    pub text_chars: u64,
    pub tokens: u32,
    pub via: Option<String>,
    pub verdict: Decided,
    pub is_kept: bool,
    pub is_without_body: bool,
    pub crawled_as: Option<Decided>,
    pub duplicate_by_rule: Option<Link>,
    pub compared_with: Option<Other>,
    pub kept_page: Option<Link>,
    pub rule: String,
    pub scheme: String,
    pub fingerprint: Option<String>,
    pub features: Vec<Feature>,
    pub distinct_features: usize,
    pub blocks: Vec<Block>,
    pub nearest: Vec<Other>,
    pub history: Vec<Event>,
    pub diff: Option<Difference>,
    pub notes: Vec<String>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub(super) enum Decided {
    Kept,
    Exact,
    Near,
}

impl Decided {
    pub fn of(verdict: storage::Verdict) -> Self {
        match verdict {
            storage::Verdict::Unique => Self::Kept,
            storage::Verdict::Exact { .. } => Self::Exact,
            storage::Verdict::Near { .. } => Self::Near,
        }
    }
}

#[derive(Debug, Clone, Serialize)]
pub(super) struct Link {
    pub id: u64,
    pub url: String,
    pub title: String,
}

/// A page beside the one that is explained.
#[derive(Debug, Clone, Serialize)]
pub(super) struct Other {
    #[serde(flatten)]
    pub link: Link,
    /// Nothing where they are not compared by the rule in force.
    #[serde(flatten)]
    pub likeness: Option<Likeness>,
    #[serde(skip)]
    pub fingerprint: Option<dedup::Fingerprint>,
}

#[derive(Debug, Serialize)]
pub(super) struct Feature {
    pub feature: String,
    pub count: u32,
    pub weight: f64,
}

/// A block of the two fingerprints; values in hexadecimal digits.
#[derive(Debug, Serialize)]
pub(super) struct Block {
    pub number: usize,
    pub low_bit: u32,
    pub bits: u32,
    pub this: String,
    pub other: String,
    pub differing: u32,
    pub radius: Option<u32>,
    pub finds: bool,
    #[serde(skip)]
    pub values: (u128, u128),
}

#[derive(Debug, Serialize)]
pub(super) struct Event {
    pub at: Option<String>,
    pub what: String,
    pub url: Option<String>,
}

#[derive(Debug, Serialize)]
pub(super) struct Difference {
    pub from: String,
    pub to: String,
    #[serde(flatten)]
    pub diff: Diff,
}

#[derive(Debug, Serialize)]
pub(super) struct Queued {
    pub place: Option<usize>,
    pub priority: Option<u8>,
    pub depth: Option<u16>,
    pub attempts: Option<u8>,
    pub via: Option<String>,
    pub steering: Option<String>,
}

#[derive(Debug, Serialize)]
pub(super) struct Failed {
    pub kind: String,
    pub status: Option<u16>,
    pub detail: String,
    pub attempts: u8,
    pub depth: u16,
    pub via: Option<String>,
}
