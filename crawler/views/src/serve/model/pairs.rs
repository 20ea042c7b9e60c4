//! The doubtful pairs, for one to judge.

use serde::Serialize;

use crate::report::{Because, Report};

/// Upper bound on the pairs; nobody judges more of them.
const LISTED: usize = 2_000;

/// Two near pages and the decision on the later one.
#[derive(Debug, Clone, Serialize)]
pub(crate) struct DoubtfulPair {
    /// The page that was kept first.
    pub kept: String,
    pub kept_id: u64,
    /// The page that was kept or dropped.
    pub other: String,
    pub other_id: u64,
    /// Hamming distance in bits; null if a text is too short for a fingerprint.
    pub distance: Option<u32>,
    pub similarity: f32,
    /// Why the other page was kept; null if it was dropped.
    pub because: Option<Because>,
    /// The measures in words.
    #[serde(skip)]
    pub measures: String,
    /// The decision in words.
    #[serde(skip)]
    pub why: String,
}

/// The doubtful pairs of a report, the most doubtful first.
pub(super) fn of(report: &Report) -> Vec<DoubtfulPair> {
    let pairs = report.doubtful(LISTED).into_iter();
    let owned = pairs.map(|pair| DoubtfulPair {
        kept: pair.kept.to_owned(),
        kept_id: pair.kept_id,
        other: pair.other.to_owned(),
        other_id: pair.other_id,
        distance: pair.distance,
        similarity: pair.similarity,
        because: pair.because,
        measures: pair.measures(),
        why: pair.why(&report.thresholds),
    });
    owned.collect()
}
