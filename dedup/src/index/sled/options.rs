//! How an index in sled is kept.

use crate::error::DedupError;
use crate::fingerprint::Width;
use crate::index::DEFAULT_SKEW;
use crate::layout::Layout;
use crate::rule::Rule;

/// See [`SledOptions::row_bytes`].
pub(crate) const DEFAULT_ROW_BYTES: usize = 3 << 9;

/// Where the buckets are looked up.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Residence {
    /// In memory, loaded from the trees at open: a query reads no bucket row.
    Memory,
    /// In the trees: no memory a document, but for the most recent.
    Disk,
}

/// How an index in sled is kept. It may be opened with other options than it was made with.
#[derive(Debug, Clone, PartialEq)]
pub struct SledOptions {
    /// How fingerprints are cut into blocks, one of the rule's distance or a wider one; `None`: 64 bits in four. An index
    /// keeps its width and number of blocks; the distance may change.
    pub layout: Option<Layout>,
    /// Where the buckets are looked up.
    pub residence: Residence,
    /// Documents that are kept in the log and in memory until they are merged into the sorted trees. A merge costs the
    /// writing of all trees, so more of them make the index faster and take more memory, some 300
    /// bytes each with what sled keeps of the log.
    pub recent_documents: usize,
    /// Bytes of a row of the sorted trees. Small rows are read faster, large ones written faster.
    pub row_bytes: usize,
    /// μ: a bucket with more than (1 + μ) times the mean of all is split a second time, unless it is so small
    /// that reading it whole is cheaper.
    pub overfull: f64,
}

impl SledOptions {
    /// For fingerprints of another width.
    ///
    /// # Errors
    /// No layout guarantees the rule's distance.
    pub fn of_width(width: Width, rule: &Rule) -> Result<Self, DedupError> {
        Ok(Self {
            layout: Some(Layout::for_distance(width, rule.max_distance)?),
            ..Self::default()
        })
    }

    pub(super) fn layout_for(&self, rule: &Rule) -> Result<Layout, DedupError> {
        match self.layout {
            None => Ok(Layout::for_distance(Width::W64, rule.max_distance)?),
            Some(layout) if layout.max_distance() >= rule.max_distance => Ok(layout),
            Some(_) => Err(DedupError::NarrowIndex),
        }
    }
}

impl Default for SledOptions {
    /// 64 bits in four blocks, in memory; 131,072 recent documents; rows of 1.5 KiB; μ = 2.
    fn default() -> Self {
        Self {
            layout: None,
            residence: Residence::Memory,
            recent_documents: 1 << 17,
            row_bytes: DEFAULT_ROW_BYTES,
            overfull: DEFAULT_SKEW,
        }
    }
}
