//! Options of an index in sled.

use crate::duplicate_rule::DuplicateRule;
use crate::error::DedupError;
use crate::fingerprint::Width;
use crate::index::{Candidates, DEFAULT_SKEW};
use crate::layout::Layout;

/// Default of [`SledOptions::row_bytes`].
const DEFAULT_ROW_BYTES: usize = 3 << 9;

/// Options of an index in sled. They may change from one opening to the next.
#[derive(Debug, Clone, PartialEq)]
pub struct SledOptions {
    /// How fingerprints are cut into blocks, for at least the distance of the rule; `None` for 64 bits in four blocks.
    /// Width and number of blocks of an index cannot change; the distance can.
    pub layout: Option<Layout>,
    /// Number of documents that stay in the log and in memory until they are merged into the sorted trees; in a large index,
    /// a sixteenth of its documents. A merge writes all trees, so a larger number makes the index faster and takes more
    /// memory: about 300 bytes per document, including the memory that sled takes for the log.
    pub recent_documents: usize,
    /// Bytes per row of the sorted trees. Small rows are faster to read, large rows are faster to write.
    pub row_bytes: usize,
    /// μ: a bucket with more than (1 + μ) times the mean is split a second time, unless it is so small that reading it
    /// whole is cheaper.
    pub overfull: f64,
    /// From which tables the candidates of a check come. Unless it is [`Candidates::Blocks`], the index stores the bands of
    /// its documents, 128 bytes each. It answers by bands only if it has those of every document with a sketch: one that has
    /// documents without them goes on with blocks.
    pub candidates: Candidates,
    /// Seed of the tables of bands. Indexes of the same documents give the same answers by bands if they have the same seed. By default it is
    /// random: whoever knows it can write texts whose bands meet in one place of the table.
    pub seed: Option<u64>,
}

impl SledOptions {
    /// The default options for fingerprints of another width.
    ///
    /// # Errors
    /// No layout guarantees the distance of the rule.
    pub fn of_width(width: Width, rule: &DuplicateRule) -> Result<Self, DedupError> {
        Ok(Self {
            layout: Some(Layout::for_distance(width, rule.max_distance)?),
            ..Self::default()
        })
    }

    pub(super) fn layout_for(&self, rule: &DuplicateRule) -> Result<Layout, DedupError> {
        match self.layout {
            None => Ok(Layout::for_distance(Width::W64, rule.max_distance)?),
            Some(layout) if layout.max_distance() >= rule.max_distance => Ok(layout),
            Some(_) => Err(DedupError::NarrowIndex),
        }
    }
}

impl Default for SledOptions {
    /// 64 bits in four blocks, 131,072 recent documents, rows of 1.5 KiB, μ = 2, candidates from blocks.
    fn default() -> Self {
        Self {
            layout: None,
            recent_documents: 1 << 17,
            row_bytes: DEFAULT_ROW_BYTES,
            overfull: DEFAULT_SKEW,
            candidates: Candidates::Blocks,
            seed: None,
        }
    }
}
