//! Kept pages and their duplicates.

use std::collections::HashMap;

use serde::Serialize;
use storage::{Fate, Store, Verdict};

use error::RunError;
use study::named_page::{NamedPage, worker_of};

/// A kept page and its duplicates.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Cluster {
    /// URL of the kept page.
    pub kept: String,
    /// Its title; empty if it has none.
    pub title: String,
    /// The number of the worker whose folder holds the kept page, if it is not this folder.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub worker: Option<u16>,
    /// In the order of their verdicts; may be empty.
    pub duplicates: Vec<Duplicate>,
    /// Sequence number of the kept page, packed if it is another worker's.
    #[serde(skip)]
    pub id: u64,
}

impl Cluster {
    /// Of which worker the kept page is, in words for a heading; `None` for a page of this folder.
    pub fn of_worker(&self) -> Option<String> {
        self.worker.map(|worker| format!("kept by worker {worker}"))
    }
}

/// A dropped page and the reason.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Duplicate {
    /// The URL of the page.
    pub url: String,
    /// The comparison that matched.
    pub verdict: DuplicateVerdict,
    /// Hamming distance of the fingerprints, in bits, to the page `of`; null if a text is too short for a fingerprint.
    pub distance: Option<u32>,
    /// Jaccard similarity of the texts, 0 to 1, to the page `of`: 1 for exact, estimated for near, computed for short texts.
    pub similarity: Option<f32>,
    /// Sequence number of the page.
    #[serde(skip)]
    pub id: u64,
    /// Sequence number of the page that it was compared with. A newer version or another page may represent the cluster now.
    #[serde(skip)]
    pub of: u64,
}

/// A duplicate of a page that is no longer kept.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub(crate) struct Orphan {
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

/// The clusters, and the duplicates of pages that are no longer kept.
///
/// A duplicate belongs to the page that it was compared with, to the page that replaced it as the representative, or to its newer
/// kept version. Kept pages of other workers follow those of this folder, and only those with duplicates here.
pub(super) fn read(store: &Store) -> Result<(Vec<Cluster>, Vec<Orphan>), RunError> {
    let (mut clusters, duplicates) = kept_and_dropped(store)?;
    let mut by_id: HashMap<u64, usize> = (0..).zip(&clusters).map(|(at, cluster)| (cluster.id, at)).collect();
    let mut orphans = Vec::new();
    // The store follows each compared page once, not once per duplicate.
    let mut kept_of: HashMap<u64, Option<u64>> = HashMap::new();
    for duplicate in duplicates {
        let of = duplicate.of;
        let kept = match kept_of.get(&of) {
            Some(kept) => *kept,
            None => *kept_of.entry(of).or_insert(store.catalogue().kept_of(duplicate.id)?),
        };
        let mut index = kept.and_then(|kept| by_id.get(&kept).copied());
        if index.is_none()
            && let Some(kept) = kept
            && let Some(cluster) = of_another_worker(store, kept)?
        {
            clusters.push(cluster);
            index = Some(clusters.len() - 1);
            by_id.insert(kept, clusters.len() - 1);
        }
        match index.and_then(|index| clusters.get_mut(index)) {
            Some(cluster) => cluster.duplicates.push(duplicate),
            None => match store.page(of)? {
                Some(page) => orphans.push(Orphan {
                    duplicate,
                    of: page.url,
                    of_id: of,
                }),
                None => {
                    tracing::error!(url = %duplicate.url, of, "duplicate of a page that the catalogue does not have; the catalogue is damaged");
                }
            },
        }
    }
    Ok((clusters, orphans))
}

/// An empty cluster for a kept page of another worker; `None` for a page of this folder.
fn of_another_worker(store: &Store, kept: u64) -> Result<Option<Cluster>, RunError> {
    let Some(worker) = worker_of(kept) else {
        return Ok(None);
    };
    let page = NamedPage::find(store, kept)?;
    Ok(page.map(|page| Cluster {
        kept: page.url,
        title: page.title,
        worker: Some(worker),
        duplicates: Vec::new(),
        id: kept,
    }))
}

/// The current pages: a cluster without duplicates for each kept page, and the duplicates, in the order of their verdicts.
fn kept_and_dropped(store: &Store) -> Result<(Vec<Cluster>, Vec<Duplicate>), RunError> {
    let (mut clusters, mut duplicates) = (Vec::new(), Vec::new());
    for row in store.pages_from(0) {
        let (id, page) = row?;
        if page.fate != Fate::Current {
            continue;
        }
        let (of, verdict, distance, similarity) = match page.verdict {
            Verdict::Unique => {
                clusters.push(Cluster {
                    kept: page.url,
                    title: page.title,
                    worker: None,
                    duplicates: Vec::new(),
                    id,
                });
                continue;
            }
            Verdict::Exact { of } => (of, DuplicateVerdict::Exact, Some(0), Some(1.0)),
            Verdict::Near {
                of,
                distance,
                similarity,
            } => (of, DuplicateVerdict::Near, distance, Some(similarity)),
        };
        duplicates.push(Duplicate {
            url: page.url,
            verdict,
            distance,
            similarity,
            id,
            of,
        });
    }
    Ok((clusters, duplicates))
}
