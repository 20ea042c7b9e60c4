//! Kept pages and what was dropped because of them.

use std::collections::HashMap;

use serde::Serialize;
use storage::{Fate, Store, Verdict};

use crate::error::RunError;

/// A kept page and the pages that say nothing beyond it.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Cluster {
    /// URL of the kept page.
    pub kept: String,
    /// Its title; empty if it has none.
    pub title: String,
    /// In the order they were decided; empty for a page that nothing duplicates.
    pub duplicates: Vec<Duplicate>,
    /// Sequence number of the kept page.
    #[serde(skip)]
    pub id: u64,
}

/// Why a page was dropped.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Duplicate {
    /// Its URL.
    pub url: String,
    /// By which comparison.
    pub verdict: DuplicateVerdict,
    /// Hamming distance of the fingerprints, bits of 64, as measured against the page that it was compared with; null where the texts are too short for fingerprints.
    pub distance: Option<u32>,
    /// Jaccard similarity of the texts, 0 to 1, against the same page: 1 for exact, estimated for near, exactly computed for short texts.
    pub similarity: Option<f32>,
    /// Sequence number of the page.
    #[serde(skip)]
    pub id: u64,
    /// Sequence number of the page that it was compared with: not the kept one where that is a newer version or has taken its place.
    #[serde(skip)]
    pub of: u64,
}

/// A duplicate of a page that is not kept any more.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Orphan {
    /// As in a cluster.
    #[serde(flatten)]
    pub duplicate: Duplicate,
    /// The URL of the page that it was a duplicate of.
    pub of: String,
    /// Sequence number of that page.
    #[serde(skip)]
    pub of_id: u64,
}

/// The two kinds of duplicate.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum DuplicateVerdict {
    /// The same normalised text.
    Exact,
    /// Nearly the same text.
    Near,
}

impl DuplicateVerdict {
    /// `exact` or `near`.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Exact => "exact",
            Self::Near => "near",
        }
    }
}

/// The clusters, and the duplicates of pages that are not kept any more.
///
/// A duplicate belongs to the page that it was compared with, to the one that has taken that one's place, or to the newer
/// version of it that is kept.
pub(super) fn read(store: &Store) -> Result<(Vec<Cluster>, Vec<Orphan>), RunError> {
    let mut clusters: Vec<Cluster> = Vec::new();
    let mut by_id: HashMap<u64, usize> = HashMap::new();
    let mut all = Vec::new();
    for row in store.pages_from(0) {
        let (id, page) = row?;
        if page.fate != Fate::Current {
            continue;
        }
        let (of, duplicate) = match page.verdict {
            Verdict::Unique => {
                by_id.insert(id, clusters.len());
                clusters.push(Cluster {
                    kept: page.url,
                    title: page.title,
                    duplicates: Vec::new(),
                    id,
                });
                continue;
            }
            Verdict::Exact { of } => (of, (DuplicateVerdict::Exact, Some(0), Some(1.0))),
            Verdict::Near {
                of,
                distance,
                similarity,
            } => (of, (DuplicateVerdict::Near, distance, Some(similarity))),
        };
        let (verdict, distance, similarity) = duplicate;
        let duplicate = Duplicate {
            url: page.url,
            verdict,
            distance,
            similarity,
            id,
            of,
        };
        all.push((id, of, duplicate));
    }
    let mut orphans = Vec::new();
    // Each page that others are duplicates of is followed once.
    let mut kept_of: HashMap<u64, Option<u64>> = HashMap::new();
    for (id, of, duplicate) in all {
        let kept = match kept_of.get(&of) {
            Some(kept) => *kept,
            None => *kept_of.entry(of).or_insert(store.kept_of(id)?),
        };
        let index = kept.and_then(|kept| by_id.get(&kept));
        match index.and_then(|&index| clusters.get_mut(index)) {
            Some(cluster) => cluster.duplicates.push(duplicate),
            None => match store.page(of)? {
                Some(page) => orphans.push(Orphan {
                    duplicate,
                    of: page.url,
                    of_id: of,
                }),
                None => {
                    tracing::error!(url = %duplicate.url, of, "duplicate of a page that is not there; the catalogue is damaged");
                }
            },
        }
    }
    Ok((clusters, orphans))
}
