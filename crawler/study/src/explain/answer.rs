//! The answer of `crawler explain`. Its fields are those of the JSON, which `crawler explain --help` documents; versions only add
//! fields.
#![expect(
    missing_docs,
    reason = "its fields are the keys of the JSON; `crawler explain --help` documents them"
)]

use serde::Serialize;
use storage::VerdictKind;

use super::remedy::Remedy;
use crate::as_of::AsOf;
use crate::diff::Diff;
use crate::named_page::{NamedPage, sequence_of};
use crate::nearest::Likeness;
use crate::said::Said;

#[derive(Debug, Serialize)]
pub struct Answer {
    /// The instant that the answer shows, if the crawl is running.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub as_of: Option<AsOf>,
    pub asked: String,
    pub url: String,
    pub summary: String,
    #[serde(flatten)]
    pub state: State,
}

#[derive(Debug, Serialize)]
#[serde(tag = "state", rename_all = "snake_case")]
pub enum State {
    Page(Box<PageAnswer>),
    Queued(QueueAnswer),
    Redirect {
        to: String,
        status: u16,
        in_html: bool,
        target: Option<Box<Answer>>,
    },
    Failed(FailureAnswer),
    Excluded {
        reason: String,
    },
    /// Another worker of the fleet keeps its page.
    Elsewhere {
        /// The number of that worker.
        worker: u16,
        /// The sequence number of the page in the folder of that worker.
        id: u64,
    },
    Unknown {
        alike: Vec<String>,
    },
}

#[derive(Debug, Serialize)]
pub struct PageAnswer {
    pub id: u64,
    pub title: String,
    pub fetched_at: Option<String>,
    pub status: u16,
    pub content_type: String,
    pub language: Option<String>,
    pub body_bytes: u64,
    pub text_chars: u64,
    pub tokens: u32,
    /// `None` if the text cannot be read, as for `characters`.
    pub words: Option<usize>,
    /// Characters of scripts without spaces.
    pub characters: Option<usize>,
    pub min_words: usize,
    pub via: Option<String>,
    /// Whether it was fetched with the session of a user.
    pub logged_in: bool,
    /// What its archived body says about it.
    pub metadata: Option<Said>,
    pub verdict: VerdictKind,
    pub is_kept: bool,
    pub is_without_body: bool,
    pub crawled_as: Option<VerdictKind>,
    pub duplicate_by_rule: Option<PageRef>,
    /// Whether a label says that it differs from that page.
    pub is_exception: bool,
    pub compared_with: Option<ComparedPage>,
    pub kept_page: Option<PageRef>,
    /// What keeps it; `None` for a kept page.
    pub remedy: Option<Remedy>,
    pub rule: String,
    /// The largest distance of the rule in force, in bits.
    #[serde(skip)]
    pub max_distance: u32,
    pub scheme: String,
    pub fingerprint: Option<String>,
    pub features: Vec<Feature>,
    pub distinct_features: usize,
    pub blocks: Vec<BlockComparison>,
    pub nearest: Vec<ComparedPage>,
    pub history: Vec<HistoryEvent>,
    pub diff: Option<PageDiff>,
    pub notes: Vec<String>,
}

#[derive(Debug, Clone, Serialize)]
pub struct PageRef {
    /// Its sequence number; that in the folder of its worker, if there is one.
    pub id: u64,
    pub url: String,
    pub title: String,
    /// The number of the worker whose folder holds the page, if it is not this folder.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub worker: Option<u16>,
    /// Its number in this folder, packed if it is another worker's.
    #[serde(skip)]
    pub number: u64,
}

impl PageRef {
    pub fn new(number: u64, page: NamedPage) -> Self {
        Self {
            id: sequence_of(number),
            url: page.url,
            title: page.title,
            worker: page.worker,
            number,
        }
    }
}

/// A page, and how it compares with the explained page.
#[derive(Debug, Clone, Serialize)]
pub struct ComparedPage {
    #[serde(flatten)]
    pub page: PageRef,
    /// `None` where the rule does not compare the two.
    #[serde(flatten)]
    pub likeness: Option<Likeness>,
    #[serde(skip)]
    pub fingerprint: Option<dedup::Fingerprint>,
    /// Whether its text has other numbers than the text of the explained page.
    #[serde(skip)]
    pub numbers_differ: bool,
}

#[derive(Debug, Serialize)]
pub struct Feature {
    pub feature: String,
    pub count: u32,
    pub weight: f64,
}

/// One block of the fingerprints of two pages; values in hexadecimal digits.
#[derive(Debug, Serialize)]
pub struct BlockComparison {
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
pub struct HistoryEvent {
    pub at: Option<String>,
    pub what: String,
    pub url: Option<String>,
}

impl HistoryEvent {
    pub(super) fn new(at: Option<String>, what: &str, page: Option<PageRef>) -> Self {
        Self {
            at,
            what: what.to_owned(),
            url: page.map(|page| page.url),
        }
    }
}

/// The difference between two pages, by their URLs.
#[derive(Debug, Serialize)]
pub struct PageDiff {
    pub from: String,
    pub to: String,
    #[serde(flatten)]
    pub diff: Diff,
}

#[derive(Debug, Serialize)]
pub struct QueueAnswer {
    pub place: Option<usize>,
    pub priority: Option<u8>,
    pub depth: Option<u16>,
    pub attempts: Option<u8>,
    pub via: Option<String>,
    pub steering: Option<String>,
}

#[derive(Debug, Serialize)]
pub struct FailureAnswer {
    pub kind: String,
    pub status: Option<u16>,
    pub detail: String,
    pub attempts: u8,
    pub depth: u16,
    pub via: Option<String>,
    /// What the user can do about it; null if the kind says it.
    pub advice: Option<&'static str>,
}
