//! Edits of known kind and size.

use std::fmt;

/// The change that an edit makes to a piece.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Kind {
    /// Another piece replaces it.
    Replace,
    /// It is deleted.
    Delete,
    /// Another piece is inserted before it.
    Insert,
    /// It changes places with the next piece.
    Swap,
}

/// The unit of the pieces.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Unit {
    /// A word.
    Word,
    /// A sentence.
    Sentence,
}

/// An edit of a share of the pieces.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct Edit {
    /// The change.
    pub kind: Kind,
    /// The unit of the pieces.
    pub unit: Unit,
    /// Percentage of the pieces.
    pub percent: usize,
}

/// Percentages of the pieces.
pub const PERCENTS: [usize; 4] = [2, 5, 10, 20];

impl Edit {
    /// The n-th edit. 32 consecutive edits have all kinds, units and percentages.
    #[must_use]
    pub fn nth(n: usize) -> Self {
        let kinds = [Kind::Replace, Kind::Delete, Kind::Insert, Kind::Swap];
        Self {
            kind: kinds[n % 4],
            unit: [Unit::Word, Unit::Sentence][n / 4 % 2],
            percent: PERCENTS[n / 8 % 4],
        }
    }
}

impl fmt::Display for Edit {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let unit = match self.unit {
            Unit::Word => "words",
            Unit::Sentence => "sentences",
        };
        let kind = match self.kind {
            Kind::Replace => "replaced",
            Kind::Delete => "deleted",
            Kind::Insert => "inserted",
            Kind::Swap => "swapped",
        };
        write!(f, "{} % {unit} {kind}", self.percent)
    }
}
