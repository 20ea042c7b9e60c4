//! How rare features are: in how many documents of a frozen corpus each occurs.
//!
//! A live table would drift, and the fingerprints of one and the same page would drift apart with it. So a table is built
//! once, frozen, written to a file, and named in the scheme of the fingerprints made with it.

mod file;

use std::collections::HashMap;
use std::hash::{BuildHasherDefault, Hasher};

use crate::analyzer::Analyzer;
use crate::hash::hash64;
use crate::scheme::Scheme;
use crate::weights::ln_ratio;

pub use file::IdfError;

/// In how many documents a feature was seen, by its hash; frozen.
///
/// Features of one document are left out: an unseen feature weighs the same.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct IdfTable {
    /// What the features are made of: [`Scheme::text_id`].
    scheme: String,
    documents: u64,
    /// Ascending.
    features: Vec<u64>,
    /// Of each of `features`: 2 to `documents`.
    counts: Vec<u32>,
    /// Of each of `features`: [`IdfTable::idf`].
    idfs: Vec<u32>,
    /// Where the features begin whose hashes begin with these bits: `starts[i]..starts[i + 1]` are those of prefix i.
    starts: Vec<usize>,
    prefix_bits: u32,
    id: String,
}

impl IdfTable {
    /// The rows are ascending, with counts of 2 to `documents`.
    fn new(scheme: String, documents: u64, rows: (Vec<u64>, Vec<u32>)) -> Self {
        let (features, counts) = rows;
        // About four features a prefix: hashes are spread evenly, so a look-up reads a line of memory or two.
        let prefix_bits = (features.len() / 4).checked_ilog2().unwrap_or(0).clamp(1, 28);
        let mut starts = vec![0; (1 << prefix_bits) + 1];
        for feature in &features {
            starts[prefix(*feature, prefix_bits) + 1] += 1;
        }
        for at in 1..starts.len() {
            starts[at] += starts[at - 1];
        }
        let idfs = counts
            .iter()
            .map(|count| ln_ratio(documents, u64::from(*count)))
            .collect();
        let mut table = Self {
            scheme,
            documents,
            features,
            counts,
            idfs,
            starts,
            prefix_bits,
            id: String::new(),
        };
        table.id = format!("{:016x}", hash64(&table.payload()));
        table
    }

    /// 16 hexadecimal digits of a hash of all that the table says: part of [`Scheme::id`].
    #[must_use]
    pub fn id(&self) -> &str {
        &self.id
    }

    /// What its features are made of: the [`Scheme::text_id`] that it was built for.
    #[must_use]
    pub fn scheme(&self) -> &str {
        &self.scheme
    }

    /// Documents that it was built from.
    #[must_use]
    pub fn documents(&self) -> u64 {
        self.documents
    }

    /// Features that it knows: those of two documents or more.
    #[must_use]
    pub fn len(&self) -> usize {
        self.features.len()
    }

    /// Whether it knows no feature.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.features.is_empty()
    }

    /// In how many documents the feature was seen, 1 for one that is unknown.
    #[must_use]
    pub fn document_count(&self, feature: u64) -> u32 {
        self.position(feature).map_or(1, |at| self.counts[at])
    }

    /// ln(documents / documents with the feature) in 1/1,024, rounded.
    #[must_use]
    pub fn idf(&self, feature: u64) -> u32 {
        self.position(feature)
            .map_or_else(|| ln_ratio(self.documents, 1), |at| self.idfs[at])
    }

    fn position(&self, feature: u64) -> Option<usize> {
        let prefix = prefix(feature, self.prefix_bits);
        let (from, to) = (self.starts[prefix], self.starts[prefix + 1]);
        self.features[from..to].binary_search(&feature).ok().map(|at| from + at)
    }
}

fn prefix(feature: u64, bits: u32) -> usize {
    (feature >> (64 - bits)) as usize
}

/// Counts features until the table is frozen.
///
/// ```
/// use dedup::{IdfBuilder, Scheme, Weighting};
///
/// # fn main() -> Result<(), Box<dyn std::error::Error>> {
/// let scheme = Scheme::default();
/// let mut builder = IdfBuilder::new(&scheme);
/// for text in ["the red house", "the blue house", "the tide"] {
///     builder.add(text);
/// }
/// let table = builder.freeze();
/// assert_eq!((table.documents(), table.len()), (3, 2)); // "the" and "house"
/// let scheme = scheme.weighted(Weighting::Improved, Some(table.into()))?;
/// # Ok(())
/// # }
/// ```
#[derive(Debug)]
pub struct IdfBuilder {
    analyzer: Analyzer,
    scheme: String,
    documents: u64,
    counts: HashMap<u64, u32, BuildHasherDefault<AlreadyHashed>>,
    features: Vec<u64>,
}

impl IdfBuilder {
    /// A builder for tables of `scheme`'s features; its weights and width do not matter.
    #[must_use]
    pub fn new(scheme: &Scheme) -> Self {
        Self {
            analyzer: Analyzer::new(scheme),
            scheme: scheme.text_id(),
            documents: 0,
            counts: HashMap::default(),
            features: Vec::new(),
        }
    }

    /// Counts each feature of a document once. A text without a token is no document.
    pub fn add(&mut self, text: &str) {
        self.analyzer.features(text, &mut self.features);
        self.features.sort_unstable();
        self.features.dedup();
        self.documents += u64::from(!self.features.is_empty());
        for feature in &self.features {
            let count = self.counts.entry(*feature).or_default();
            *count = count.saturating_add(1);
        }
    }

    /// Documents so far.
    #[must_use]
    pub fn documents(&self) -> u64 {
        self.documents
    }

    /// The table of what was counted.
    #[must_use]
    pub fn freeze(self) -> IdfTable {
        let mut rows: Vec<_> = self.counts.into_iter().filter(|(_, count)| *count > 1).collect();
        rows.sort_unstable();
        IdfTable::new(self.scheme, self.documents, rows.into_iter().unzip())
    }
}

/// Keys are hashes, and need no other.
#[derive(Debug, Default)]
struct AlreadyHashed(u64);

impl Hasher for AlreadyHashed {
    fn write(&mut self, bytes: &[u8]) {
        self.0 = hash64(bytes);
    }

    fn write_u64(&mut self, hash: u64) {
        self.0 = hash;
    }

    fn finish(&self) -> u64 {
        self.0
    }
}

#[cfg(test)]
mod tests;
