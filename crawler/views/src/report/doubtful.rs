//! The pairs nearest to the threshold, on either side.

use std::cmp::Ordering;
use terminal::units::counted;

use super::Report;
use super::clusters::{Cluster, DuplicateVerdict};
use super::near_misses::Because;
use super::thresholds::Thresholds;

/// Two near pages and the decision on the later one.
#[derive(Debug, Clone, PartialEq)]
pub struct Pair<'a> {
    /// The page that was kept first.
    pub kept: &'a str,
    /// Its number.
    pub kept_id: u64,
    /// The page that was kept or dropped.
    pub other: &'a str,
    /// Its number.
    pub other_id: u64,
    /// Hamming distance, in bits; `None` if a text is too short for a fingerprint.
    pub distance: Option<u32>,
    /// The share of the shingles that both texts have in common, as it was estimated for the verdict.
    pub similarity: f32,
    /// Why the other page was kept; `None` if it was dropped.
    pub because: Option<Because>,
    margin: f32,
}

impl Pair<'_> {
    /// Similarity and distance in words.
    #[must_use]
    pub fn measures(&self) -> String {
        let distance = match self.distance {
            Some(1) => "1 bit apart".to_owned(),
            Some(bits) => format!("{bits} bits apart"),
            None => "too short for a fingerprint".to_owned(),
        };
        format!("similarity {:.3}, {distance}", self.similarity)
    }

    /// The decision and what the rule requires, as a sentence.
    pub(crate) fn why(&self, rule: &Thresholds) -> String {
        let least = rule.min_similarity_at(self.distance);
        let shown = rule.in_words(self.distance, self.similarity);
        let most = rule.max_distance;
        let bits = self.distance.map(|bits| (bits, counted(bits.into(), "bit")));
        match (self.because, &bits, least) {
            (Some(Because::Similarity), _, Some(least)) => format!("Kept: similarity {shown} is below {least}."),
            (Some(Because::Distance), Some((_, bits)), _) => format!("Kept: {bits}, more than {most}."),
            _ => {
                let similarity = least.map(|least| {
                    format!(
                        "similarity {shown} ({})",
                        side(self.similarity >= least, "at least", "below", least)
                    )
                });
                let bits =
                    bits.map(|(count, bits)| format!("{bits} ({})", side(count <= most, "at most", "more than", most)));
                let parts: Vec<String> = similarity.into_iter().chain(bits).collect();
                let verdict = match self.because {
                    None => "Dropped as a near-duplicate".to_owned(),
                    Some(Because::Nothing) => "Kept, although the rule in force would have dropped it".to_owned(),
                    Some(because) => format!("Kept, because {}", because.words()),
                };
                format!("{verdict}: {}.", parts.join(", "))
            }
        }
    }
}

/// A threshold with the side on which a measure is.
fn side(is_met: bool, met: &str, missed: &str, threshold: impl std::fmt::Display) -> String {
    format!("{} {threshold}", if is_met { met } else { missed })
}

/// Largest margin of a doubtful pair. Clearer pairs only fill the remaining room.
const IN_DOUBT: f32 = 0.2;

fn by_margin(a: &Pair<'_>, b: &Pair<'_>) -> Ordering {
    a.margin.total_cmp(&b.margin).then(a.other_id.cmp(&b.other_id))
}

impl Report {
    /// At most `limit` pairs, the most doubtful first. Half of the doubtful pairs come from each side if it has enough.
    #[must_use]
    pub fn doubtful(&self, limit: usize) -> Vec<Pair<'_>> {
        let [mut pairs, mut further] = [Vec::new(), Vec::new()];
        for mut side in [self.dropped_pairs(), self.kept_pairs()] {
            side.sort_by(by_margin);
            let in_doubt = side.partition_point(|pair| pair.margin <= IN_DOUBT);
            further.extend(side.split_off(in_doubt.min(limit / 2)));
            pairs.extend(side);
        }
        further.sort_by(by_margin);
        further.truncate(limit - pairs.len());
        pairs.extend(further);
        pairs.sort_by(by_margin);
        pairs
    }

    /// The decision on a pair and what the rule requires, as a sentence.
    #[must_use]
    pub fn why(&self, pair: &Pair<'_>) -> String {
        pair.why(&self.thresholds)
    }

    /// Near-duplicates whose cluster has another representative now. No measure of such a pair exists.
    pub(super) fn compared_with_another(&self) -> u64 {
        let compared = |cluster: &Cluster| {
            let near = cluster.duplicates.iter();
            near.filter(|duplicate| duplicate.verdict == DuplicateVerdict::Near && duplicate.of != cluster.id)
                .count() as u64
        };
        self.clusters.iter().map(compared).sum()
    }

    /// Near-duplicates with the page that they were compared with, if it still represents them or nothing does.
    fn dropped_pairs(&self) -> Vec<Pair<'_>> {
        let in_clusters = self.clusters.iter().flat_map(|cluster| {
            let of = (cluster.kept.as_str(), cluster.id);
            let compared = cluster.duplicates.iter();
            let compared = compared.filter(|duplicate| duplicate.of == cluster.id);
            compared.map(move |duplicate| (of, duplicate))
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

#[cfg(test)]
mod tests {
    use super::super::near_misses::NearMiss;
    use super::super::{clusters::Duplicate, tests::sample};
    use super::*;

    #[test]
    fn both_sides_are_shown_and_clear_pairs_come_last() {
        let mut report = sample();
        let near = |id: u64, similarity: f32| Duplicate {
            id,
            similarity: Some(similarity),
            distance: Some(3),
            url: format!("http://a.example/d{id}"),
            verdict: DuplicateVerdict::Near,
            of: 1,
        };
        report.orphans.clear();
        report.clusters[0].duplicates = (10..20).map(|id| near(id, 0.76 + (id - 10) as f32 / 1_000.0)).collect();
        let miss = |id: u64, similarity: f32| NearMiss {
            id,
            similarity,
            url: format!("http://a.example/m{id}"),
            ..report.near_misses[0].clone()
        };
        report.near_misses = vec![miss(30, 0.1), miss(31, 0.74), miss(32, 0.6)];
        let of = |limit| -> Vec<u64> { report.doubtful(limit).iter().map(|pair| pair.other_id).collect() };
        assert_eq!(of(4), [10, 11, 31, 32]);
        assert_eq!(of(20).len(), 13);
        assert_eq!(of(20).last(), Some(&30));
    }

    #[test]
    fn the_reason_names_each_measure_with_its_threshold() {
        let report = sample();
        let rule = &report.thresholds;
        let why = |because, distance, similarity| {
            let pair = Pair {
                kept: "",
                kept_id: 1,
                other: "",
                other_id: 2,
                distance,
                similarity,
                because,
                margin: 0.0,
            };
            pair.why(rule)
        };
        assert_eq!(
            why(None, Some(8), 0.764),
            "Dropped as a near-duplicate: similarity 0.764 (at least 0.76), 8 bits (at most 10)."
        );
        assert_eq!(
            why(Some(Because::Similarity), Some(8), 0.75),
            "Kept: similarity 0.750 is below 0.76."
        );
        assert_eq!(
            why(Some(Because::Distance), Some(11), 0.9),
            "Kept: 11 bits, more than 10."
        );
        assert_eq!(
            why(Some(Because::Numbers), Some(1), 0.9),
            "Kept, because the numbers in the texts differ: similarity 0.900 (at least 0.76), 1 bit (at most 10)."
        );
        let distance_alone = Thresholds {
            min_similarity: None,
            ..rule.clone()
        };
        let pair = Pair {
            distance: Some(8),
            because: None,
            ..report.doubtful(1)[0].clone()
        };
        assert_eq!(
            pair.why(&distance_alone),
            "Dropped as a near-duplicate: 8 bits (at most 10)."
        );
    }

    #[test]
    fn a_measure_against_another_page_is_not_shown_for_the_kept_one() {
        let mut report = sample();
        let dropped = |report: &Report| {
            let pairs = report.doubtful(10).into_iter();
            let dropped: Vec<_> = pairs
                .filter(|pair| pair.because.is_none())
                .map(|pair| pair.kept_id)
                .collect();
            dropped
        };
        assert_eq!((dropped(&report), report.compared_with_another()), (vec![1, 8], 0));
        // A newer version of the kept page is kept now.
        report.clusters[0].id = 20;
        assert_eq!((dropped(&report), report.compared_with_another()), (vec![8], 1));
    }
}
