//! The rarity of features: the number of documents of a frozen corpus in which each occurs.
//!
//! If the table changed with every new document, so would the fingerprint of an unchanged page. So a table is built
//! once, frozen and written to a file. The name of a scheme includes the name of its table.

mod file;

use crate::hash::hash64;
use crate::logarithm::ln_ratio;

pub use file::IdfError;

/// The number of documents in which each feature occurs, by the feature's hash; frozen.
///
/// Built by an [`IdfBuilder`](crate::IdfBuilder). Features of a single document are left out: an unknown feature weighs
/// the same.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct IdfTable {
    /// The [`Scheme::text_id`](crate::Scheme::text_id) of the features.
    scheme: String,
    documents: u64,
    /// Ascending.
    features: Vec<u64>,
    /// Number of documents of each of `features`: 2 to `documents`.
    counts: Vec<u32>,
    /// [`IdfTable::idf`] of each of `features`.
    idfs: Vec<u32>,
    /// Index of the first feature with each hash prefix: `starts[i]..starts[i + 1]` are the features with prefix i.
    starts: Vec<usize>,
    prefix_bits: u32,
    id: String,
}

impl IdfTable {
    /// A table of features, ascending, and their counts, each 2 to `documents`.
    pub(crate) fn new(scheme: String, documents: u64, rows: (Vec<u64>, Vec<u32>)) -> Self {
        let (features, counts) = rows;
        // About four features per prefix: hashes are spread evenly, so a look-up reads one or two cache lines.
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

    /// Hash of the table's contents in 16 hexadecimal digits; part of [`Scheme::id`](crate::Scheme::id).
    #[must_use]
    pub fn id(&self) -> &str {
        &self.id
    }

    /// The [`Scheme::text_id`](crate::Scheme::text_id) that the table was built for.
    #[must_use]
    pub fn scheme(&self) -> &str {
        &self.scheme
    }

    /// Number of documents that the table was built from.
    #[must_use]
    pub fn documents(&self) -> u64 {
        self.documents
    }

    /// Number of features in the table: those that occur in two documents or more.
    #[must_use]
    pub fn len(&self) -> usize {
        self.features.len()
    }

    /// Whether the table has no feature.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.features.is_empty()
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

#[cfg(test)]
mod tests;
