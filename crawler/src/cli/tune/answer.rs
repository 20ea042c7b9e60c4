//! The answer as JSON: see docs/src/tune.md. Fields are only ever added.

use serde_json::{Value, json};

use super::changes::{Change, Changes};
use super::measured::{Measured, Row, confirm_name, min_similarity};
use super::pairs::ReadLabels;
use super::read::Crawl;
use super::write::Written;
use super::{IN_FORCE, words};
use crate::error::RunError;
use crate::study::replay::{Cell, CellSet, Evidence, Grid, Interval, Reason, Recommendation, Replayed};

/// All that there is to say.
pub(super) struct Answer<'a> {
    pub grid: &'a Grid,
    pub crawl: &'a Crawl,
    pub replayed: &'a Replayed,
    pub measured: &'a Measured,
    /// Pages of the sample.
    pub sampled: usize,
    /// Not all pages are in the sample.
    pub is_limited: bool,
    pub labels: &'a ReadLabels,
    /// Labelled pairs and the settings that contradict them.
    pub contradicted: &'a [(usize, usize, CellSet)],
    pub recommendation: &'a Recommendation,
    /// The setting that is looked at.
    pub chosen: usize,
    pub changes: &'a Changes,
    /// The first of the changes, with the exact Jaccard index.
    pub shown: &'a [(Change, Option<f32>)],
    pub written: Option<&'a Written>,
}

impl Answer<'_> {
    pub(super) fn row(&self, cell: usize) -> &Row {
        &self.measured.rows[cell]
    }

    pub(super) fn in_force(&self) -> &Row {
        self.row(IN_FORCE)
    }

    /// Whether no setting drops a page of the sample or should: then none has a score.
    pub(super) fn has_no_pairs(&self) -> bool {
        let rows = &self.measured.rows;
        rows.iter().all(|row| row.scored.shares().iter().all(Option::is_none))
    }

    /// Pages that the replay at the setting in force decides as the crawl has.
    pub(super) fn as_stored(&self) -> usize {
        let kept = self.replayed.kept().iter().zip(&self.crawl.is_kept);
        kept.filter(|(replayed, stored)| replayed.contains(IN_FORCE) == **stored)
            .count()
    }

    pub(super) fn url(&self, page: usize) -> &str {
        &self.crawl.pages[page].url
    }

    pub(super) fn json(&self) -> Result<String, RunError> {
        let stored_kept = self.crawl.is_kept.iter().filter(|kept| **kept).count();
        let settings: Vec<Value> = (0..self.measured.rows.len()).map(|cell| self.setting(cell)).collect();
        let pairs: Vec<Value> = self
            .shown
            .iter()
            .map(|(change, jaccard)| self.change(change, *jaccard))
            .collect();
        let contradicted = self
            .contradicted
            .iter()
            .filter(|(_, _, cells)| cells.contains(self.chosen));
        let contradicted: Vec<Value> = contradicted
            .map(|(a, b, _)| json!([self.url(*a), self.url(*b)]))
            .collect();
        let value = json!({
            "pages": self.crawl.pages.len(),
            "past_left_out": self.crawl.past,
            "stored": {
                "kept": stored_kept,
                "dropped": self.crawl.pages.len() - stored_kept,
                "as_replayed": self.as_stored(),
            },
            "in_force": setting(self.grid.cells()[IN_FORCE]),
            "sample": {
                "pages": self.sampled,
                "judged": self.in_force().scored.judged(),
                "without_text": self.in_force().scored.unknown,
                "too_many_alike": self.in_force().scored.crowded,
            },
            "settings": settings,
            "labels": {
                "pairs": self.labels.labels.len(),
                "bad_lines": self.labels.bad_lines,
                "unknown_urls": self.labels.unknown,
                "said_otherwise": self.labels.said_otherwise,
                "contradicted": contradicted,
            },
            "recommendation": {
                "setting": setting(self.grid.cells()[self.recommendation.cell]),
                "stays": self.recommendation.cell == IN_FORCE,
                "why": match &self.recommendation.reason {
                    Reason::NoneBetter if self.has_no_pairs() => why(&Reason::NothingJudged),
                    reason => why(reason),
                },
                "reason": words::reason(self),
            },
            "changes": {
                "at": setting(self.grid.cells()[self.chosen]),
                "newly_dropped": self.row(self.chosen).newly_dropped,
                "newly_kept": self.row(self.chosen).newly_kept,
                "pairs": pairs,
            },
            "written": self.written.map(|written| json!({
                "file": written.path.display().to_string(),
                "keys": written.changes.iter().map(|change| json!({
                    "key": change.key, "from": change.from, "to": change.to,
                })).collect::<Vec<_>>(),
            })),
        });
        crate::terminal::json::to_string_pretty(&value).map_err(|error| RunError::Render(error.to_string()))
    }

    fn setting(&self, cell: usize) -> Value {
        let row = self.row(cell);
        let mut value = setting(row.cell);
        let score = row.scored.score;
        let [precision, recall, f1] = row.scored.shares().map(estimate);
        let more = json!({
            "is_in_force": cell == IN_FORCE,
            "is_recommended": cell == self.recommendation.cell,
            "dropped": row.dropped,
            "newly_dropped": row.newly_dropped,
            "newly_kept": row.newly_kept,
            "right": score.right,
            "grey": score.grey,
            "wrong": score.wrong,
            "missed": score.missed,
            "unique": score.unique,
            "not_judged": row.scored.not_judged(),
            "precision": precision,
            "recall": recall,
            "f1": f1,
            "labels_contradicted": row.contradicted,
        });
        if let (Value::Object(value), Value::Object(more)) = (&mut value, more) {
            value.extend(more);
        }
        value
    }

    fn change(&self, change: &Change, jaccard: Option<f32>) -> Value {
        let (verdict, distance, similarity) = match change.evidence {
            Evidence::Exact => ("exact", Some(0), 1.0),
            Evidence::Near { distance, similarity } => ("near", distance, similarity),
        };
        let (from, to) = match change.is_dropped {
            true => ("kept", verdict),
            false => (verdict, "kept"),
        };
        json!({
            "url": self.url(change.page),
            "of": self.url(change.of),
            "from": from,
            "to": to,
            "distance": distance,
            "similarity": rounded(similarity),
            "jaccard": jaccard.map(rounded),
        })
    }
}

fn setting(cell: Cell) -> Value {
    json!({
        "max_distance": cell.max_distance,
        "confirm": confirm_name(cell.confirm),
        "min_similarity": min_similarity(cell.confirm).map(rounded),
    })
}

fn estimate(share: Option<(f64, Interval)>) -> Value {
    share.map_or(
        Value::Null,
        |(value, Interval { low, high })| json!({ "estimate": value, "low": low, "high": high }),
    )
}

/// The shortest number that is this one, where a widened one would be shown with digits that nobody has written.
fn rounded(value: f32) -> f64 {
    value.to_string().parse().unwrap_or_else(|_| f64::from(value))
}

fn why(reason: &Reason) -> &'static str {
    match reason {
        Reason::NothingJudged => "nothing_judged",
        Reason::NoneBetter => "none_better",
        Reason::MaybeChance { .. } => "maybe_chance",
        Reason::Labels { .. } => "labels",
        Reason::Better { .. } => "better",
    }
}
