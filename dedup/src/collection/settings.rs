//! What the owner of a collection chooses.

use std::fmt;

use crate::duplicate_rule::{Confirm, DuplicateRule, MIN_SIMILARITY};
use crate::scheme::{Features, Scheme};

/// The settings of a collection, fixed when it is made. All others are those of [`Scheme::default`] and
/// [`DuplicateRule::default`].
#[derive(Debug, Clone, PartialEq)]
pub struct CollectionSettings {
    /// Largest Hamming distance between the fingerprints of near-duplicates, in bits.
    pub max_distance: u32,
    /// Smallest similarity that confirms a near-duplicate: above 0, at most 1.
    pub min_similarity: f32,
    /// The features of a text.
    pub features: Features,
}

impl Default for CollectionSettings {
    fn default() -> Self {
        Self {
            max_distance: DuplicateRule::default().max_distance,
            min_similarity: MIN_SIMILARITY,
            features: Features::default(),
        }
    }
}

impl CollectionSettings {
    /// How a text becomes a signature.
    #[must_use]
    pub fn scheme(&self) -> Scheme {
        Scheme {
            features: self.features.clone(),
            ..Scheme::default()
        }
    }

    /// When two documents are duplicates.
    #[must_use]
    pub fn rule(&self) -> DuplicateRule {
        DuplicateRule {
            max_distance: self.max_distance,
            confirm: Confirm::Sketch {
                min_similarity: self.min_similarity,
            },
            ..DuplicateRule::default()
        }
    }
}

/// What a collection was made for.
#[derive(Debug, Clone, PartialEq)]
pub(super) enum Terms {
    Settings(CollectionSettings),
    /// A scheme and a rule that no settings give, by their names.
    Any {
        scheme: String,
        rule: String,
    },
}

impl Terms {
    /// The terms for a scheme and a rule: settings if these give the same.
    pub fn of(scheme: &Scheme, rule: &DuplicateRule) -> Self {
        let settings = CollectionSettings {
            max_distance: rule.max_distance,
            min_similarity: match rule.confirm {
                Confirm::Sketch { min_similarity } => min_similarity,
                Confirm::Distance | Confirm::Combined { .. } => MIN_SIMILARITY,
            },
            features: scheme.features.clone(),
        };
        if settings.scheme() == *scheme && settings.rule() == *rule {
            return Self::Settings(settings);
        }
        Self::Any {
            scheme: scheme.id(),
            rule: rule.to_string(),
        }
    }
}

impl fmt::Display for Terms {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Settings(settings) => settings.fmt(f),
            Self::Any { scheme, rule } => write!(f, "scheme {scheme:?} and rule {rule:?}"),
        }
    }
}

impl fmt::Display for CollectionSettings {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self {
            max_distance,
            min_similarity,
            features,
        } = self;
        write!(
            f,
            "max_distance={max_distance}, min_similarity={min_similarity}, features=\"{features}\""
        )
    }
}
