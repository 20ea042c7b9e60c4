//! What became of a URL, and which outcomes a search selects.

use serde::Serialize;
use storage::VerdictKind;

/// What became of a URL.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum Outcome {
    Kept,
    Exact,
    Near,
    Redirected,
    Failed,
    Excluded,
    Gone,
    HeldBack,
    Queued,
}

impl Outcome {
    pub const ALL: [Self; 9] = [
        Self::Kept,
        Self::Exact,
        Self::Near,
        Self::Redirected,
        Self::Failed,
        Self::Excluded,
        Self::Gone,
        Self::HeldBack,
        Self::Queued,
    ];

    pub fn of(verdict: VerdictKind) -> Self {
        match verdict {
            VerdictKind::Kept => Self::Kept,
            VerdictKind::Exact => Self::Exact,
            VerdictKind::Near => Self::Near,
        }
    }

    /// The name in an address, as in JSON.
    pub fn name(self) -> &'static str {
        match self {
            Self::Kept => "kept",
            Self::Exact => "exact",
            Self::Near => "near",
            Self::Redirected => "redirected",
            Self::Failed => "failed",
            Self::Excluded => "excluded",
            Self::Gone => "gone",
            Self::HeldBack => "held_back",
            Self::Queued => "queued",
        }
    }

    /// The name for people.
    pub fn words(self) -> &'static str {
        match self {
            Self::HeldBack => "held back",
            other => other.name(),
        }
    }

    /// Its colour, as a class of the style; an outcome without a colour of its own is grey.
    pub fn class(self) -> &'static str {
        match self {
            Self::Kept | Self::Exact | Self::Near | Self::Failed => self.name(),
            _ => "other",
        }
    }
}

/// The outcomes that a search selects.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum OutcomeFilter {
    /// Every URL.
    Any,
    /// Every page with a verdict.
    Fetched,
    /// The exact and the near-duplicates.
    Dropped,
    Only(Outcome),
}

impl OutcomeFilter {
    /// The filter with this name in an address.
    pub fn named(name: &str) -> Option<Self> {
        match name {
            "any" => Some(Self::Any),
            "fetched" => Some(Self::Fetched),
            "dropped" => Some(Self::Dropped),
            _ => Outcome::ALL
                .into_iter()
                .find(|outcome| outcome.name() == name)
                .map(Self::Only),
        }
    }

    pub fn takes(self, outcome: Outcome) -> bool {
        match self {
            Self::Any => true,
            Self::Fetched => matches!(outcome, Outcome::Kept | Outcome::Exact | Outcome::Near),
            Self::Dropped => matches!(outcome, Outcome::Exact | Outcome::Near),
            Self::Only(only) => only == outcome,
        }
    }
}
