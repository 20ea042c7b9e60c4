//! Builds an IDF table from a corpus.

use std::collections::HashMap;

use crate::analyzer::Analyzer;
use crate::hash::Mixing;
use crate::idf::IdfTable;
use crate::scheme::Scheme;

/// Counts the features of a corpus and freezes the counts into an [`IdfTable`].
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
    counts: HashMap<u64, u32, Mixing>,
    features: Vec<u64>,
}

impl IdfBuilder {
    /// A builder for the features of `scheme`. The scheme's weights and width do not matter.
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

    /// Counts each distinct feature of a document once. A text without a token does not count as a document.
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

    /// The table of the counts.
    #[must_use]
    pub fn freeze(self) -> IdfTable {
        let mut rows: Vec<_> = self.counts.into_iter().filter(|(_, count)| *count > 1).collect();
        rows.sort_unstable();
        IdfTable::new(self.scheme, self.documents, rows.into_iter().unzip())
    }
}
