//! What keeps a page that was dropped.

use dedup::{Confirm, DuplicateRule};
use serde::Serialize;

use crate::nearest::Likeness;
use crate::tune::SIMILARITIES;
use terminal::commands::command;
use terminal::units::counted;

/// What keeps a dropped page, by the rule in force.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Remedy {
    /// Whether the page has the text of the kept page, so that every setting drops it.
    pub is_exact: bool,
    /// Whether `dedup.numbers_must_match = true` keeps it, because the two texts have other numbers.
    pub by_numbers: bool,
    /// The thresholds nearest to those in force that keep it; `None` if the texts differ too little.
    pub setting: Option<KeepingSetting>,
    /// The command that labels the two pages as different, which keeps this page without another threshold; `None` where labels do not count: for an exact
    /// duplicate, and in a fleet.
    pub exception: Option<String>,
    /// Whether the two pages have this label already, so that the next decision on all pages keeps this one.
    pub is_labelled: bool,
}

/// Thresholds that keep a page.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct KeepingSetting {
    /// `dedup.max_distance`.
    pub max_distance: u32,
    /// `dedup.min_similarity`; `None` if the rule has none.
    pub min_similarity: Option<f32>,
    /// The value of `dedup.min_similarity_short` that keeps the page, if one of the texts is too short for a fingerprint. The other thresholds then
    /// have the values in force.
    pub min_similarity_short: Option<f32>,
    /// The threshold that changes, in words: `a smallest similarity of 0.9`.
    pub words: String,
}

impl KeepingSetting {
    /// As an argument of `tune`: `10,0.9`; `None` for the threshold of short texts, which `tune` does not vary.
    #[must_use]
    pub fn argument(&self) -> Option<String> {
        match (self.min_similarity_short, self.min_similarity) {
            (Some(_), _) => None,
            (None, Some(least)) => Some(format!("{},{least}", self.max_distance)),
            (None, None) => Some(self.max_distance.to_string()),
        }
    }
}

impl Remedy {
    /// For a page that was dropped because of another one, which it is like. `numbers_differ`: whether the two texts have other numbers.
    pub(super) fn of(is_exact: bool, likeness: Option<&Likeness>, numbers_differ: bool, rule: &DuplicateRule) -> Self {
        Self {
            is_exact,
            by_numbers: !is_exact && numbers_differ && !rule.numbers_must_match,
            setting: likeness
                .filter(|_| !is_exact)
                .and_then(|likeness| setting(likeness, rule)),
            exception: None,
            is_labelled: false,
        }
    }

    /// With the label that keeps the page at `url` without another threshold. `is_labelled`: whether the pair has it.
    pub(super) fn with_label(self, url: &str, is_labelled: bool) -> Self {
        Self {
            exception: (!self.is_exact).then(|| command("label", &[url, "--different"])),
            is_labelled: is_labelled && !self.is_exact,
            ..self
        }
    }

    /// What to do, a line each, as commands and keys.
    #[must_use]
    pub fn steps(&self) -> Vec<String> {
        if self.is_exact {
            return vec!["Its text is the text of the kept page, so every setting drops it.".to_owned()];
        }
        let mut steps = Vec::new();
        if self.is_labelled {
            steps.push(format!(
                "A label says that the two pages differ. It counts when all pages are decided again: `{}`",
                command("rebuild", &["--redecide"])
            ));
            return steps;
        }
        if let Some(label) = &self.exception {
            steps.push(format!(
                "Without another threshold, it is kept when you say that the two pages differ: `{label}`"
            ));
        }
        if self.by_numbers {
            steps.push(
                "Its numbers differ from those of the kept page: dedup.numbers_must_match = true keeps it, and every other page whose numbers \
                 differ. That changes less than a threshold."
                    .to_owned(),
            );
        }
        if let Some(setting) = &self.setting {
            steps.push(match setting.argument() {
                Some(argument) => format!(
                    "With {}, the crawl keeps it. What else that changes, on the whole site: `{}`; --write writes it to the configuration.",
                    setting.words,
                    command("tune", &["--at", &argument])
                ),
                None => format!(
                    "With {} in the configuration, the crawl keeps it. This key decides on texts that are too short for a fingerprint.",
                    setting.words
                ),
            });
        }
        if steps.is_empty() {
            steps.push("The texts differ too little for any setting.".to_owned());
            return steps;
        }
        steps.push(format!(
            "A change takes effect when all pages are decided again: `{}`",
            command("rebuild", &["--redecide"])
        ));
        let run = command("run", &[]);
        steps.push(format!(
            "The next run fetches the page once more if the archive has no body of it: `{run}`"
        ));
        steps
    }
}

fn setting(likeness: &Likeness, rule: &DuplicateRule) -> Option<KeepingSetting> {
    let in_force = match rule.confirm {
        Confirm::Sketch { min_similarity } => Some(min_similarity),
        Confirm::Distance | Confirm::Combined { .. } => None,
    };
    let is_more = |least: &f32| *least > likeness.similarity;
    let Some(distance) = likeness.distance else {
        // Without a fingerprint, the similarity is exact. With 1.0, only texts that have all runs in common are duplicates.
        let least = SIMILARITIES.into_iter().chain([1.0]).find(is_more)?;
        return Some(KeepingSetting {
            max_distance: rule.max_distance,
            min_similarity: in_force,
            min_similarity_short: Some(least),
            words: format!("dedup.min_similarity_short = {least:?}"),
        });
    };
    if let (Some(_), Some(least)) = (in_force, SIMILARITIES.into_iter().find(is_more)) {
        return Some(KeepingSetting {
            max_distance: rule.max_distance,
            min_similarity: Some(least),
            min_similarity_short: None,
            words: format!("a smallest similarity of {least}"),
        });
    }
    let distance = distance.checked_sub(1)?;
    Some(KeepingSetting {
        max_distance: distance,
        min_similarity: in_force,
        min_similarity_short: None,
        words: format!("a largest distance of {}", counted(distance.into(), "bit")),
    })
}
