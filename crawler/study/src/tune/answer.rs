//! The answer of `crawler tune`. Its fields are those of the JSON, which the documentation of the command describes; versions only add
//! fields.
#![expect(
    missing_docs,
    reason = "its fields are the keys of the JSON; docs/src/tune.md documents them"
)]

use serde::Serialize;

use super::config_file::Written;
use super::labels_file::LabelsFile;
use crate::as_of::AsOf;
use crate::replay::{CellSet, DecidedPage, Estimate, IN_FORCE, Scored, Thresholds};

#[derive(Debug, Serialize)]
pub struct Answer {
    /// The instant that the answer shows, if the crawl is running.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub as_of: Option<AsOf>,
    pub pages: usize,
    /// Number of kept pages of other workers with which the pages are compared.
    #[serde(skip_serializing_if = "is_zero")]
    pub of_other_workers: usize,
    pub past_left_out: u64,
    pub stored: StoredVerdicts,
    pub in_force: Thresholds,
    pub sample: SampleSize,
    /// The setting in force first.
    pub settings: Vec<SettingResult>,
    pub labels: LabelsAnswer,
    pub recommendation: Recommended,
    pub changes: ChangesAnswer,
    pub written: Option<Written>,
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde passes a reference")]
fn is_zero(count: &usize) -> bool {
    *count == 0
}

impl Answer {
    pub fn in_force(&self) -> &SettingResult {
        &self.settings[IN_FORCE]
    }
}

#[derive(Debug, Serialize)]
pub struct StoredVerdicts {
    pub kept: usize,
    pub dropped: usize,
    pub as_replayed: usize,
}

#[derive(Debug, Serialize)]
pub struct SampleSize {
    pub pages: usize,
    pub judged: u64,
    pub without_text: u64,
    pub too_many_alike: u64,
}

impl SampleSize {
    pub fn new(pages: usize, in_force: &Scored) -> Self {
        Self {
            pages,
            judged: in_force.judged(),
            without_text: in_force.unknown,
            too_many_alike: in_force.crowded,
        }
    }
}

/// A setting with its results.
#[derive(Debug, Serialize)]
pub struct SettingResult {
    #[serde(flatten)]
    pub thresholds: Thresholds,
    pub is_in_force: bool,
    pub is_recommended: bool,
    pub dropped: u64,
    pub newly_dropped: u64,
    pub newly_kept: u64,
    pub right: u64,
    pub grey: u64,
    pub wrong: u64,
    pub missed: u64,
    pub unique: u64,
    pub not_judged: u64,
    pub precision: Option<Estimate>,
    pub recall: Option<Estimate>,
    pub f1: Option<Estimate>,
    pub labels_contradicted: usize,
}

impl SettingResult {
    /// The results in the sample. The caller counts the pages dropped and sets the flags.
    pub fn new(thresholds: Thresholds, scored: &Scored, labels_contradicted: usize) -> Self {
        Self {
            thresholds,
            is_in_force: false,
            is_recommended: false,
            dropped: 0,
            newly_dropped: 0,
            newly_kept: 0,
            right: scored.score.right,
            grey: scored.score.grey,
            wrong: scored.score.wrong,
            missed: scored.score.missed,
            unique: scored.score.unique,
            not_judged: scored.not_judged(),
            precision: scored.precision(),
            recall: scored.recall(),
            f1: scored.f1(),
            labels_contradicted,
        }
    }

    /// Whether the sample gives any estimate for this setting.
    pub fn has_estimate(&self) -> bool {
        self.precision.is_some() || self.recall.is_some() || self.f1.is_some()
    }
}

#[derive(Debug, Serialize)]
pub struct LabelsAnswer {
    pub pairs: usize,
    /// Those that say that two pages differ.
    pub different: usize,
    pub bad_lines: u64,
    pub unknown_urls: u64,
    pub said_otherwise: u64,
    /// Pairs whose label the chosen setting contradicts.
    pub contradicted: Vec<[String; 2]>,
}

impl LabelsAnswer {
    pub fn new(
        file: &LabelsFile,
        contradicted: &[(usize, usize, CellSet)],
        chosen: usize,
        pages: &[DecidedPage],
    ) -> Self {
        let by_chosen = contradicted.iter().filter(|(_, _, cells)| cells.contains(chosen));
        Self {
            pairs: file.labels.pairs(),
            different: file.labels.different(),
            bad_lines: file.bad_lines,
            unknown_urls: file.unknown,
            said_otherwise: file.said_otherwise,
            contradicted: by_chosen
                .map(|(a, b, _)| [*a, *b].map(|page| pages[page].url.to_string()))
                .collect(),
        }
    }
}

#[derive(Debug, Serialize)]
pub struct Recommended {
    pub setting: Thresholds,
    pub stays: bool,
    pub why: &'static str,
    /// Number of other settings with the same verdicts as the one in force.
    pub alike: usize,
    pub reason: String,
}

#[derive(Debug, Serialize)]
pub struct ChangesAnswer {
    pub at: Thresholds,
    pub newly_dropped: u64,
    pub newly_kept: u64,
    pub pairs: Vec<ChangedPair>,
}

impl ChangesAnswer {
    pub fn new(chosen: &SettingResult, pairs: Vec<ChangedPair>) -> Self {
        Self {
            at: chosen.thresholds,
            newly_dropped: chosen.newly_dropped,
            newly_kept: chosen.newly_kept,
            pairs,
        }
    }
}

/// A page on which two settings decide differently, and the kept page that it duplicates by one of them.
#[derive(Debug, Serialize)]
pub struct ChangedPair {
    pub url: String,
    pub of: String,
    pub from: &'static str,
    pub to: &'static str,
    pub distance: Option<u32>,
    pub similarity: f32,
    pub jaccard: Option<f32>,
}
