//! What the choice of the main text prefers: precision or recall.

/// What the choice of the main text prefers where it doubts.
///
/// A text that goes into a set of training data should have no leftovers of the template, a search engine should miss nothing. The
/// measure is F<sub>β</sub>: recall counts β times as much as precision (van Rijsbergen 1979, "Information Retrieval", chapter 7).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Hash)]
pub enum Favor {
    /// Less text that is not content.
    Precision,
    /// Both alike.
    #[default]
    Balanced,
    /// Less content that is missing.
    Recall,
}

impl Favor {
    /// The square of β.
    pub(super) fn beta_squared(self) -> f64 {
        match self {
            Self::Precision => 0.25,
            Self::Balanced => 1.0,
            Self::Recall => 4.0,
        }
    }
}
