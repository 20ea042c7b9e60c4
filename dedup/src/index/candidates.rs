//! From which table the candidates of a check come.

use std::fmt;

use serde::{Deserialize, Serialize};

use super::blocks::SWEPT_PER_PROBE;
use super::buckets::Buckets;
use crate::layout::Layout;

/// From which table a [`MemoryIndex`](crate::MemoryIndex) or a [`SledIndex`](crate::SledIndex) takes the candidates of a check. A duplicate passes two tests,
/// the distance of the fingerprints and the similarity of the sketches, so either may give the candidates. The rule
/// confirms both kinds alike, so the answers of bands are answers of blocks.
///
/// Bands answer a check only if the query and every document of the index with a sketch have [bands](crate::Bands), and
/// the rule [allows](crate::DuplicateRule::allows_bands) them. They leave a check to the blocks if they have so many
/// candidates for it that the blocks are cheaper.
///
/// A check of a random document at a distance of 10 bits, in microseconds, with the confirmation by sketches (example
/// `candidates_bench`; one thread of a machine with two cores that ran other programs too):
///
/// | documents | blocks | bands |
/// |---|---|---|
/// | 10^6 | 14 | 2.3 |
/// | 4 · 10^6 | 31 | 3.3 |
/// | 10^7 | 61 | 3.2 |
/// | 1.6 · 10^7 | 98 | |
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Candidates {
    /// From the blocks, until they cost more than the bands, their insertion included; then from the bands. At a distance
    /// of 10 bits, that is near a million documents with random fingerprints, and from 14,000 on where short texts share their
    /// most frequent words; at 3 bits, it never is. What counts is how many pairs of documents are in one bucket, so the same documents
    /// switch at the same number in any order. The index keeps the bands of all documents
    /// from the first one, because no band can be computed later, and 160 bytes for each document before the switch are
    /// little beside what an index takes after it. It indexes them only from half of that number on, since that takes
    /// several times as long as the rest of an insertion. If the blocks went on to answer for the documents before the switch,
    /// every later check would pay for both.
    #[default]
    Auto,
    /// From the blocks of the fingerprint: they miss none, by the theorem of the [`Layout`]. A check costs more with every
    /// document.
    Blocks,
    /// From the bands of the sketch: 16 look-ups, however many documents there are. They miss one duplicate of a Jaccard
    /// index of 0.8 in 100,000, and one of 0.76 in 10,000.
    Bands,
}

/// The name in a configuration.
impl fmt::Display for Candidates {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Auto => "auto",
            Self::Blocks => "blocks",
            Self::Bands => "bands",
        })
    }
}

/// The cost of a check is counted in entries of a bucket that are scanned. This is the cost of a probe of a bucket, as measured
/// for whole checks.
const PROBE: u64 = 14;
/// With [`Candidates::Auto`], bands answer where blocks cost more than this, in entries of a bucket: a check and an
/// insertion with bands cost about as much.
const AUTO: u64 = 12_000;
/// The cost of a candidate of the bands, in entries of a bucket.
const LISTED: u64 = 16;
/// Documents for which bands are worth the memory before they answer. Where blocks cost little, as at a distance of 3 bits,
/// bands would answer among hundreds of millions, and until then take a fourth of the memory for nothing.
const FEW_MILLIONS: usize = 2_000_000;
/// Candidates that bands may always have, although a sweep over few fingerprints is cheap.
const LEAST_LISTED: u64 = 256;

/// Documents that no index in memory holds.
const MOST_DOCUMENTS: u64 = 1 << 36;

impl Candidates {
    /// Whether bands may answer checks of an index with this layout: always those of [`Candidates::Bands`], and those of
    /// [`Candidates::Auto`] if they answer among [`FEW_MILLIONS`] of documents. Otherwise an index keeps none.
    #[must_use]
    pub fn may_use_bands(self, layout: Layout) -> bool {
        self.may_use_bands_at(BlockCosts::of(layout))
    }

    pub(super) fn may_use_bands_at(self, costs: BlockCosts) -> bool {
        self.most_listed(Crowd::random(costs, FEW_MILLIONS)).is_some()
    }

    /// About the time of a check by blocks, in microseconds: a fit to the table of [`Candidates`].
    #[must_use]
    pub fn micros_by_blocks(layout: Layout, documents: u64) -> f64 {
        const OF_AN_ENTRY: f64 = 0.000_86;
        Crowd::random(BlockCosts::of(layout), documents as usize).cost_of_blocks() as f64 * OF_AN_ENTRY
    }

    /// The number of documents with random fingerprints from which bands answer the checks of an index with this layout; `None` if they never
    /// do. Among crowded fingerprints they answer sooner.
    #[must_use]
    pub fn bands_from(self, layout: Layout) -> Option<u64> {
        let costs = BlockCosts::of(layout);
        let answers = |documents: u64| self.most_listed(Crowd::random(costs, documents as usize)).is_some();
        let mut most = 1;
        while !answers(most) {
            most = most.checked_mul(2).filter(|most| *most <= MOST_DOCUMENTS)?;
        }
        let mut least = most / 2;
        while most - least > 1 {
            let middle = least + (most - least) / 2;
            if answers(middle) { most = middle } else { least = middle }
        }
        Some(most)
    }

    /// Whether the bands of an index are indexed: not while it has less than half of the documents at which they answer.
    pub(super) fn indexes_bands(self, crowd: Crowd) -> bool {
        let later = Crowd {
            documents: 2 * crowd.documents,
            ..crowd
        };
        self.most_listed(later).is_some()
    }

    /// The number of candidates up to which bands answer a check; `None` if blocks answer.
    pub(super) fn most_listed(self, crowd: Crowd) -> Option<usize> {
        let blocks = crowd.cost_of_blocks();
        let bands_answer = match self {
            Self::Auto => blocks > AUTO,
            Self::Blocks => false,
            Self::Bands => true,
        };
        bands_answer.then(|| rounded((blocks / LISTED).max(LEAST_LISTED)) as usize)
    }
}

/// Rounded down to four binary digits. So the bound changes seldom, and most insertions leave the [plan](super::Plan) as it is.
fn rounded(count: u64) -> u64 {
    let dropped = count.max(1).ilog2().saturating_sub(3);
    count >> dropped << dropped
}

/// What a check by blocks costs in an index of a layout. To compute it takes as long as a check by bands.
#[derive(Debug, Clone, Copy)]
pub(super) struct BlockCosts {
    /// Number of buckets that a check probes.
    probes: u64,
    /// The mean number of entries that a check compares, for each document of an index of random fingerprints.
    entries_per_document: f64,
}

impl BlockCosts {
    pub(super) fn of(layout: Layout) -> Self {
        Self {
            probes: layout.probes(),
            entries_per_document: layout.mean_entries_per_document(),
        }
    }
}

/// What the cost of a check by blocks follows from.
#[derive(Debug, Clone, Copy)]
pub(super) struct Crowd {
    costs: BlockCosts,
    documents: usize,
    /// How many times as many entries a search meets as among random fingerprints. Texts that share their most frequent words have
    /// fingerprints that are alike: 80 words each by Zipf's law, 75 times.
    crowding: f64,
}

impl Crowd {
    pub(super) fn of(buckets: &Buckets, costs: BlockCosts) -> Self {
        Self {
            costs,
            documents: buckets.len(),
            crowding: buckets.crowding(),
        }
    }

    fn random(costs: BlockCosts, documents: usize) -> Self {
        Self {
            costs,
            documents,
            crowding: 1.0,
        }
    }

    /// The cost of a check by blocks, in entries of a bucket. Among few documents, it is that of a sweep over all of them. Among crowded ones, a
    /// search that costs more than a sweep gives up, and then a sweep answers.
    fn cost_of_blocks(self) -> u64 {
        let BlockCosts {
            probes,
            entries_per_document,
        } = self.costs;
        let sweep = (self.documents / SWEPT_PER_PROBE) as u64;
        if sweep <= probes {
            return sweep * PROBE;
        }
        let entries = entries_per_document * self.documents as f64 * self.crowding;
        (probes * PROBE + entries as u64).min(2 * sweep * PROBE)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fingerprint::Width;

    #[test]
    fn bands_are_kept_only_where_they_answer_among_a_few_million_documents() {
        let keeps = |width, distance| {
            let layout = Layout::for_distance(width, distance).unwrap();
            Candidates::Auto.may_use_bands(layout)
        };
        assert!(keeps(Width::W64, 10));
        assert!(!keeps(Width::W64, 3) && !keeps(Width::W64, 7) && !keeps(Width::W128, 10));
        let layout = Layout::for_distance(Width::W64, 3).unwrap();
        assert!(Candidates::Bands.may_use_bands(layout) && !Candidates::Blocks.may_use_bands(layout));
    }

    #[test]
    fn bands_answer_from_the_first_number_of_documents_at_which_blocks_cost_more() {
        let layout = Layout::for_distance(Width::W64, 10).unwrap();
        let first = Candidates::Auto.bands_from(layout).unwrap();
        assert!((400_000..1_000_000).contains(&first), "{first}");
        let answers = |documents: u64| {
            Candidates::Auto
                .most_listed(Crowd::random(BlockCosts::of(layout), documents as usize))
                .is_some()
        };
        assert!(answers(first) && !answers(first - 1));
        assert_eq!(Candidates::Bands.bands_from(layout), Some(1));
        assert_eq!(Candidates::Blocks.bands_from(layout), None);
    }

    #[test]
    fn bands_answer_sooner_where_fingerprints_are_crowded() {
        let layout = Layout::for_distance(Width::W64, 10).unwrap();
        let crowd = |documents, crowding| Crowd {
            crowding,
            ..Crowd::random(BlockCosts::of(layout), documents)
        };
        let answers = |documents, crowding| Candidates::Auto.most_listed(crowd(documents, crowding)).is_some();
        assert!(!answers(100_000, 1.0) && answers(100_000, 10.0) && answers(15_000, 75.0));
        // A sweep over so few is cheap, however crowded they are.
        assert!(!answers(13_000, 1e9));
        // Blocks never cost more than a search that gives up, and a sweep.
        assert_eq!(crowd(1_000_000, 1e9).cost_of_blocks(), 2 * 31_250 * PROBE);
    }

    #[test]
    fn the_time_of_a_check_by_blocks_is_about_the_measured_one() {
        let layout = Layout::for_distance(Width::W64, 10).unwrap();
        for (documents, measured) in [
            (1_000_000, 14.0),
            (4_000_000, 31.0),
            (10_000_000, 61.0),
            (16_000_000, 98.0),
        ] {
            let ratio = Candidates::micros_by_blocks(layout, documents) / measured;
            assert!((0.7..1.4).contains(&ratio), "{documents}: {ratio}");
        }
    }

    #[test]
    fn bands_do_not_answer_among_so_few_documents_that_a_sweep_is_cheap() {
        for (width, distance) in [(Width::W64, 10), (Width::W64, 12), (Width::W32, 10)] {
            let layout = Layout::for_distance(width, distance).unwrap();
            let crowd = Crowd::random(BlockCosts::of(layout), 10_000);
            assert_eq!(Candidates::Auto.most_listed(crowd), None);
        }
    }
}
