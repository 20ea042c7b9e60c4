//! What `crawler check` answers: the fields of its JSON.

use serde::Serialize;

use crate::study::nearest::Likeness;

/// Documented in `crawler check --help`; fields are only ever added.
#[derive(Debug, Serialize)]
pub(super) struct Answer {
    pub source: String,
    pub url: Option<String>,
    pub title: String,
    pub verdict: Verdict,
    pub reason: String,
    pub tokens: u32,
    pub words: usize,
    pub characters: usize,
    pub min_words: usize,
    pub compared_by: ComparedBy,
    pub fingerprint: Option<String>,
    pub digest: Option<String>,
    pub scheme: String,
    pub thorough: bool,
    pub texts_compared: Option<u64>,
    pub texts_unread: u64,
    pub same_url: Option<SameUrl>,
    pub covered: f64,
    pub is_cut: bool,
    pub nearest: Vec<Near>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub(super) enum Verdict {
    New,
    Near,
    Exact,
    Contained,
    TooShort,
}

impl Verdict {
    pub fn exit_code(self) -> u8 {
        match self {
            Self::New => 0,
            Self::Near => 10,
            Self::Exact => 11,
            Self::TooShort => 12,
            Self::Contained => 13,
        }
    }
}

/// The most that a text could be compared by.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "snake_case")]
pub(super) enum ComparedBy {
    Nothing,
    Digest,
    Shingles,
    Fingerprint,
}

#[derive(Debug, Serialize)]
pub(super) struct SameUrl {
    pub id: u64,
    pub url: String,
    pub title: String,
    pub kept: bool,
}

#[derive(Debug, Serialize)]
pub(super) struct Near {
    pub id: u64,
    pub url: String,
    pub title: String,
    #[serde(flatten)]
    pub likeness: Likeness,
    pub jaccard: Option<f32>,
    pub covered: Option<f64>,
    pub covered_of_page: Option<f64>,
    pub passages: Vec<Passage>,
    pub passages_left_out: usize,
    pub is_cut: bool,
    pub unreadable: Option<String>,
}

#[derive(Debug, Serialize)]
pub(super) struct Passage {
    pub tokens: usize,
    pub start: usize,
    pub end: usize,
    pub page_start: usize,
    pub page_end: usize,
    pub text: String,
}
