//! The answer of `crawler check`. Its fields are those of the JSON, which `crawler check --help` documents; versions only add fields.
#![expect(
    missing_docs,
    reason = "its fields are the keys of the JSON; `crawler check --help` documents them"
)]

use serde::Serialize;

use crate::as_of::AsOf;
use crate::nearest::Likeness;

#[derive(Debug, Serialize)]
pub struct Answer {
    /// The instant that the answer shows, if the crawl is running.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub as_of: Option<AsOf>,
    pub source: String,
    pub url: Option<String>,
    pub title: String,
    pub verdict: TextVerdict,
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
    /// Number of kept pages whose texts are in the folders of other workers; 0 unless the check is thorough.
    #[serde(skip_serializing_if = "is_zero")]
    pub texts_elsewhere: u64,
    pub same_url: Option<SameUrl>,
    pub covered: f64,
    pub is_cut: bool,
    pub nearest: Vec<NearPage>,
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde passes a reference")]
fn is_zero(count: &u64) -> bool {
    *count == 0
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum TextVerdict {
    New,
    Near,
    Exact,
    Contained,
    TooShort,
}

/// The most precise evidence by which a text can be compared.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum ComparedBy {
    Nothing,
    Digest,
    Shingles,
    Fingerprint,
}

#[derive(Debug, Serialize)]
pub struct SameUrl {
    pub id: u64,
    pub url: String,
    pub title: String,
    pub kept: bool,
}

#[derive(Debug, Serialize)]
pub struct NearPage {
    /// Its sequence number; that in the folder of its worker, if there is one.
    pub id: u64,
    pub url: String,
    pub title: String,
    /// The number of the worker whose folder holds the page, if it is not this folder.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub worker: Option<u16>,
    #[serde(flatten)]
    pub likeness: Likeness,
    pub jaccard: Option<f32>,
    pub covered: Option<f64>,
    pub covered_of_page: Option<f64>,
    pub passages: Vec<SharedPassage>,
    pub passages_left_out: usize,
    pub is_cut: bool,
    pub unreadable: Option<String>,
}

#[derive(Debug, Serialize)]
pub struct SharedPassage {
    pub tokens: usize,
    pub start: usize,
    pub end: usize,
    pub page_start: usize,
    pub page_end: usize,
    pub text: String,
}
