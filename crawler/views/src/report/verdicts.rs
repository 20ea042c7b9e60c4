//! The word for a verdict.

use storage::Verdict;

/// A verdict without its measures.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum VerdictKind {
    Kept,
    Exact,
    Near,
}

impl VerdictKind {
    /// `kept`, `exact` or `near`.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Kept => "kept",
            Self::Exact => "exact",
            Self::Near => "near",
        }
    }
}

impl From<Verdict> for VerdictKind {
    fn from(verdict: Verdict) -> Self {
        match verdict {
            Verdict::Unique => Self::Kept,
            Verdict::Exact { .. } => Self::Exact,
            Verdict::Near { .. } => Self::Near,
        }
    }
}
