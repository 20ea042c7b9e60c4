//! The thresholds of the rule, and the number of pairs at each distance and similarity.

use dedup::{Confirm, DuplicateRule};
use serde::Serialize;

use super::clusters::{Cluster, Duplicate, DuplicateVerdict, Orphan};
use super::near_misses::NearMiss;

/// Steps of the histogram of similarities, each 0.02 wide.
const SIMILARITY_STEPS: u32 = 50;

/// The requirements of the rule in force for near-duplicates. The crawl may have used another rule.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub(crate) struct Thresholds {
    /// `distance`, `sketch` or `combined`: the test that confirms a candidate.
    pub confirm: &'static str,
    /// Largest Hamming distance of the fingerprints, in bits.
    pub max_distance: u32,
    /// Smallest similarity of the sketches, or smallest sum of the combined rule; null if the distance alone decides.
    pub min_similarity: Option<f32>,
    /// Smallest Jaccard index if one of the texts is too short for a fingerprint.
    pub min_similarity_short: f32,
    /// Whether pages with different numbers are never near-duplicates.
    pub numbers_must_match: bool,
    /// Words of their own from which pages of one host with other headings are never near-duplicates; 0: never.
    pub min_own_words: u32,
}

impl From<&DuplicateRule> for Thresholds {
    fn from(rule: &DuplicateRule) -> Self {
        let (confirm, min_similarity) = match rule.confirm {
            Confirm::Distance => ("distance", None),
            Confirm::Sketch { min_similarity } => ("sketch", Some(min_similarity)),
            Confirm::Combined { bound, .. } => ("combined", Some(bound)),
        };
        Self {
            confirm,
            max_distance: rule.max_distance,
            min_similarity,
            min_similarity_short: rule.min_similarity_short,
            numbers_must_match: rule.numbers_must_match,
            min_own_words: rule.min_own_words,
        }
    }
}

impl Thresholds {
    /// The smallest similarity of a near-duplicate. `distance` is `None` if one of the texts is too short for a fingerprint.
    #[must_use]
    pub fn min_similarity_at(&self, distance: Option<u32>) -> Option<f32> {
        match distance {
            Some(_) => self.min_similarity,
            None => Some(self.min_similarity_short),
        }
    }

    /// A similarity with three decimals, or with as many as show on which side of the threshold it is.
    #[must_use]
    pub fn in_words(&self, distance: Option<u32>, similarity: f32) -> String {
        let least = self.min_similarity_at(distance);
        let is_true = |text: &String| match (least, text.parse::<f32>()) {
            (Some(least), Ok(shown)) => (shown >= least) == (similarity >= least),
            _ => true,
        };
        let mut texts = (3..=6).map(|digits| format!("{similarity:.digits$}"));
        texts.find(is_true).unwrap_or_else(|| similarity.to_string())
    }

    /// The distance of a pair from the opposite decision, 0 for the most doubtful: its similarity minus the threshold, or, if only
    /// the Hamming distance decided, the bits over the threshold divided by 64.
    #[must_use]
    pub fn margin(&self, distance: Option<u32>, similarity: f32) -> f32 {
        let bits = |distance: u32| (distance as f32 - self.max_distance as f32 - 0.5).abs() / 64.0;
        match (distance, self.min_similarity_at(distance)) {
            (Some(distance), None) => bits(distance),
            (Some(distance), Some(least)) if distance > self.max_distance && similarity >= least => bits(distance),
            (_, Some(least)) => (similarity - least).abs(),
            (None, None) => 1.0,
        }
    }
}

/// The number of pairs at each distance and similarity: dropped near-duplicates, and near misses, which were kept. Exact duplicates,
/// which have distance 0 and similarity 1, have their own count.
#[derive(Debug, Clone, PartialEq, Default, Serialize)]
pub(crate) struct Histograms {
    /// Kept pages compared with the pages before them: all, or every n-th in a large crawl.
    pub compared: u64,
    /// Exact duplicates.
    pub exact: u64,
    /// One entry a bit, from 0 on, without pairs that have a text too short for a fingerprint.
    pub distances: Vec<AtDistance>,
    /// Steps of 0.02, without empty ones.
    pub similarities: Vec<AtSimilarity>,
}

/// The pairs at one distance.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize)]
pub(crate) struct AtDistance {
    /// Hamming distance, in bits.
    pub distance: u32,
    /// Near-duplicates.
    pub dropped: u64,
    /// Near misses.
    pub near_misses: u64,
}

/// The pairs at one step of similarity.
#[derive(Debug, Clone, PartialEq, Default, Serialize)]
pub(crate) struct AtSimilarity {
    /// The lower edge, inclusive.
    pub from: f32,
    /// The upper edge, exclusive except for 1.
    pub to: f32,
    /// Near-duplicates.
    pub dropped: u64,
    /// Near misses.
    pub near_misses: u64,
}

impl Histograms {
    /// The distances go to at least `up_to` bits; `compared` is the number of kept pages compared.
    pub(super) fn of(
        clusters: &[Cluster],
        orphans: &[Orphan],
        near_misses: &[NearMiss],
        (up_to, compared): (u32, u64),
    ) -> Self {
        let mut histograms = Self {
            compared,
            ..Self::default()
        };
        let mut steps: Vec<AtSimilarity> = (0..SIMILARITY_STEPS).map(step).collect();
        let mut distances: Vec<AtDistance> = (0..=up_to).map(at_distance).collect();
        let duplicates = clusters.iter().flat_map(|cluster| &cluster.duplicates);
        for duplicate in duplicates.chain(orphans.iter().map(|orphan| &orphan.duplicate)) {
            let Duplicate {
                distance, similarity, ..
            } = duplicate;
            if duplicate.verdict == DuplicateVerdict::Exact {
                histograms.exact += 1;
                continue;
            }
            if let Some(distance) = distance {
                entry(&mut distances, *distance).dropped += 1;
            }
            if let Some(step) = similarity.and_then(|similarity| steps.get_mut(step_of(similarity))) {
                step.dropped += 1;
            }
        }
        for miss in near_misses {
            if let Some(distance) = miss.distance {
                entry(&mut distances, distance).near_misses += 1;
            }
            if let Some(step) = steps.get_mut(step_of(miss.similarity)) {
                step.near_misses += 1;
            }
        }
        steps.retain(|step| step.dropped + step.near_misses > 0);
        Self {
            distances,
            similarities: steps,
            ..histograms
        }
    }
}

fn at_distance(distance: u32) -> AtDistance {
    AtDistance {
        distance,
        ..AtDistance::default()
    }
}

/// The entry of a distance. A crawl under a wider rule may have longer distances than the rule in force allows.
fn entry(distances: &mut Vec<AtDistance>, distance: u32) -> &mut AtDistance {
    for missing in distances.len() as u32..=distance {
        distances.push(at_distance(missing));
    }
    &mut distances[distance as usize]
}

fn step(number: u32) -> AtSimilarity {
    let edge = |number: u32| (f64::from(number) / f64::from(SIMILARITY_STEPS)) as f32;
    AtSimilarity {
        from: edge(number),
        to: edge(number + 1),
        ..AtSimilarity::default()
    }
}

/// The step of a similarity. An edge belongs to the step above it, whichever way its last digit was rounded.
fn step_of(similarity: f32) -> usize {
    let steps = f64::from(SIMILARITY_STEPS);
    let step = (f64::from(similarity) * steps + 1e-4).floor();
    step.clamp(0.0, steps - 1.0) as usize
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_edge_belongs_to_the_step_above_it() {
        assert_eq!(step_of(0.76), 38);
        assert_eq!(step(38).from, 0.76);
        assert_eq!(
            [step_of(0.0), step_of(0.759), step_of(1.0), step_of(1.2)],
            [0, 37, 49, 49]
        );
    }

    #[test]
    fn the_margin_comes_from_the_measure_that_decided() {
        let thresholds = Thresholds::from(&DuplicateRule::default());
        let margins = [
            thresholds.margin(Some(3), 0.76),
            thresholds.margin(Some(11), 0.95),
            thresholds.margin(None, 0.85),
            thresholds.margin(Some(3), 0.90),
        ];
        assert!(margins.is_sorted(), "{margins:?}");
        assert_eq!(margins[0], 0.0);
        let by_distance = Thresholds::from(&DuplicateRule {
            confirm: Confirm::Distance,
            ..DuplicateRule::default()
        });
        assert!(by_distance.margin(Some(10), 0.1) < by_distance.margin(Some(8), 0.1));
        assert_eq!(by_distance.margin(Some(10), 0.1), by_distance.margin(Some(11), 0.1));
    }

    #[test]
    fn a_similarity_is_not_rounded_across_the_threshold() {
        let thresholds = Thresholds::from(&DuplicateRule {
            confirm: Confirm::Sketch { min_similarity: 0.76 },
            ..DuplicateRule::default()
        });
        let shown = [0.7597, 0.759_96, 0.76, 0.7604, 0.7391].map(|similarity| thresholds.in_words(Some(3), similarity));
        assert_eq!(shown, ["0.7597", "0.75996", "0.760", "0.760", "0.739"]);
    }
}
