//! How an index in sled is kept.

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
    /// Where the buckets are looked up.
    pub residence: Residence,
    /// Documents that are kept in the log and in memory until they are merged into the sorted trees. A merge costs the
    /// writing of all trees, so more of them make the index faster and take more memory, some 300
    /// bytes each with what sled keeps of the log.
    pub recent_documents: usize,
    /// Bytes of a row of the sorted trees. Small rows are read faster, large ones written faster.
    pub row_bytes: usize,
    /// μ: a bucket in the trees with more than (1 + μ) times the mean of all is split a second time, unless it is so small
    /// that reading it whole is cheaper.
    pub overfull: f64,
}

impl Default for SledOptions {
    /// In memory; 131,072 recent documents; rows of 1.5 KiB; μ = 2.
    fn default() -> Self {
        Self {
            residence: Residence::Memory,
            recent_documents: 1 << 17,
            row_bytes: 3 << 9,
            overfull: 2.0,
        }
    }
}
