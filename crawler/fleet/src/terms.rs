//! What all workers of a crawl must agree on.

use serde::{Deserialize, Serialize};

use crate::error::FleetError;

/// What all workers of a crawl must agree on, because their verdicts are to be the same. The first worker's are those of the crawl.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Terms {
    /// The scheme of the signatures.
    pub scheme: String,
    /// The rule that decides which pages are duplicates.
    pub rule: String,
    /// Number of partitions.
    pub partitions: u16,
}

impl Terms {
    /// One line a term.
    pub(crate) fn stored(&self) -> String {
        let line = |text: &str| text.replace('\n', " ");
        format!("{}\n{}\n{}", self.partitions, line(&self.scheme), line(&self.rule))
    }

    pub(crate) fn read(text: &str) -> Result<Self, FleetError> {
        let mut lines = text.splitn(3, '\n');
        match (
            lines.next().and_then(|number| number.parse().ok()),
            lines.next(),
            lines.next(),
        ) {
            (Some(partitions), Some(scheme), Some(rule)) => Ok(Self {
                scheme: scheme.to_owned(),
                rule: rule.to_owned(),
                partitions,
            }),
            _ => Err(FleetError::Damaged("the terms of the crawl".to_owned())),
        }
    }

    /// The first difference, as an error that names both sides.
    pub(crate) fn agree(&self, theirs: &Self, name: &str) -> Result<(), FleetError> {
        let differs = |what, theirs: &str, ours: &str| FleetError::Terms {
            name: name.to_owned(),
            what,
            theirs: theirs.to_owned(),
            ours: ours.to_owned(),
        };
        if theirs.partitions != self.partitions {
            return Err(differs(
                "partitions:",
                &theirs.partitions.to_string(),
                &self.partitions.to_string(),
            ));
        }
        if theirs.scheme != self.scheme {
            return Err(differs("the scheme", &theirs.scheme, &self.scheme));
        }
        if theirs.rule != self.rule {
            return Err(differs("the rule", &theirs.rule, &self.rule));
        }
        Ok(())
    }
}
