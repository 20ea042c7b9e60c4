//! The pairs that were decided nearest to the threshold, on either side of it.

use super::near_misses::Because;
use super::{DuplicateVerdict, Report};

/// Two pages that were found near, and what was decided.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Pair<'a> {
    /// The page that was there first.
    pub kept: &'a str,
    pub kept_id: u64,
    /// The page that was decided.
    pub other: &'a str,
    pub other_id: u64,
    /// Hamming distance, bits; `None` where a text is too short for a fingerprint.
    pub distance: Option<u32>,
    pub similarity: f32,
    /// What kept the other page; `None` for one that was dropped.
    pub because: Option<Because>,
    margin: f32,
}

impl Report {
    /// At most `limit` pairs, the most doubtful first: half of each side, more of one where the other has fewer.
    pub(super) fn doubtful(&self, limit: usize) -> Vec<Pair<'_>> {
        let (mut dropped, mut kept) = (self.dropped_pairs(), self.kept_pairs());
        for side in [&mut dropped, &mut kept] {
            side.sort_by(|a, b| a.margin.total_cmp(&b.margin).then(a.other_id.cmp(&b.other_id)));
        }
        let of_dropped = dropped.len().min((limit / 2).max(limit.saturating_sub(kept.len())));
        dropped.truncate(of_dropped);
        kept.truncate(limit - of_dropped);
        dropped.extend(kept);
        dropped.sort_by(|a, b| a.margin.total_cmp(&b.margin).then(a.other_id.cmp(&b.other_id)));
        dropped
    }

    /// Near-duplicates with what they are duplicates of.
    fn dropped_pairs(&self) -> Vec<Pair<'_>> {
        let in_clusters = self.clusters.iter().flat_map(|cluster| {
            let of = (cluster.kept.as_str(), cluster.id);
            cluster.duplicates.iter().map(move |duplicate| (of, duplicate))
        });
        let orphans = self.orphans.iter();
        let orphans = orphans.map(|orphan| ((orphan.of.as_str(), orphan.of_id), &orphan.duplicate));
        let near = in_clusters.chain(orphans);
        near.filter(|(_, duplicate)| duplicate.verdict == DuplicateVerdict::Near)
            .filter_map(|((kept, kept_id), duplicate)| {
                let similarity = duplicate.similarity?;
                Some(Pair {
                    kept,
                    kept_id,
                    other: &duplicate.url,
                    other_id: duplicate.id,
                    distance: duplicate.distance,
                    similarity,
                    because: None,
                    margin: self.thresholds.margin(duplicate.distance, similarity),
                })
            })
            .collect()
    }

    fn kept_pairs(&self) -> Vec<Pair<'_>> {
        let misses = self.near_misses.iter();
        misses
            .map(|miss| Pair {
                kept: &miss.near,
                kept_id: miss.near_id,
                other: &miss.url,
                other_id: miss.id,
                distance: miss.distance,
                similarity: miss.similarity,
                because: Some(miss.because),
                margin: self.thresholds.margin(miss.distance, miss.similarity),
            })
            .collect()
    }
}
