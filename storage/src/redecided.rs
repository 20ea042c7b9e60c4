//! The row that records a redecision: new verdicts for all pages, by another rule or scheme.

use serde::{Deserialize, Serialize};

/// The row's name in the error for a damaged state.
pub(crate) const REDECIDED_ROW: &str = "the row about the redecision";

/// A redecision: how the new verdicts differ from the verdicts of the crawl.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct Redecided {
    /// When, milliseconds since the Unix epoch.
    pub at: u64,
    /// The schemes of the crawl's verdicts.
    pub schemes_before: Vec<String>,
    /// The new scheme.
    pub scheme: String,
    /// The new rule, in words.
    pub rule: String,
    /// Duplicates that are kept now.
    pub newly_kept: u64,
    /// Kept pages that are duplicates now.
    pub newly_dropped: u64,
    /// Duplicates of another page than before, or by another comparison.
    pub otherwise: u64,
    /// Pages that keep their verdicts because no text of theirs is archived.
    pub without_text: u64,
}
