//! The doubtful pairs, with their differences.

use serde_json::{Value, json};

use super::super::Report;
use super::super::doubtful::Pair;
use super::assets::island;
use super::budget::Budget;
use super::diff_view::StaticDiff;
use super::diffs::Diffs;
use super::list::{PAGE, left_out_words};

/// Upper bound on the pairs in the document.
const SHOWN: usize = 1_000;

/// The section of doubtful pairs.
#[derive(Debug)]
pub(super) struct Pairs {
    pub first: Vec<ShownPair>,
    pub rest: String,
    pub listed: usize,
    pub left_out: String,
}

/// A pair of the first page.
#[derive(Debug)]
pub(super) struct ShownPair {
    pub kept: String,
    pub other: String,
    pub is_dropped: bool,
    pub measures: String,
    pub why: String,
    pub diff: StaticDiff,
}

impl Pairs {
    pub fn is_paged(&self) -> bool {
        self.listed > PAGE
    }
}

pub(super) fn pairs(report: &Report, diffs: &mut Diffs<'_>, budget: &mut Budget) -> Pairs {
    let (mut first, mut rest, mut left_out) = (Vec::new(), Vec::new(), 0_u64);
    for pair in report.doubtful(SHOWN) {
        let (measures, why) = (measures(&pair), why(report, &pair));
        let is_dropped = pair.because.is_none();
        if first.len() == PAGE && (left_out > 0 || !budget.take(pair.kept.len() + pair.other.len() + 200)) {
            left_out += 1;
            continue;
        }
        let compared = diffs.compare(pair.kept_id, pair.other_id);
        if first.len() < PAGE {
            first.push(ShownPair {
                kept: pair.kept.to_owned(),
                other: pair.other.to_owned(),
                is_dropped,
                measures,
                why,
                diff: diffs.html(&compared),
            });
        } else {
            rest.push(json!([
                u8::from(is_dropped),
                pair.kept,
                pair.other,
                measures,
                why,
                compared.json()
            ]));
        }
    }
    let near = report.counts.near + report.near_misses.len() as u64;
    let near = near.saturating_sub(report.compared_with_another());
    let listed = first.len() + rest.len();
    Pairs {
        first,
        rest: island(&Value::Array(rest)),
        listed,
        left_out: left_out_words(
            near.saturating_sub(listed as u64).max(left_out),
            "they are farther from the threshold; crawler report --format json lists all",
        ),
    }
}

fn measures(pair: &Pair<'_>) -> String {
    let distance = match pair.distance {
        Some(1) => "1 bit apart".to_owned(),
        Some(bits) => format!("{bits} bits apart"),
        None => "too short for a fingerprint".to_owned(),
    };
    format!("similarity {:.3}, {distance}", pair.similarity)
}

fn why(report: &Report, pair: &Pair<'_>) -> String {
    let threshold = match report.thresholds.min_similarity_at(pair.distance) {
        Some(least) => format!("a similarity of at least {least}"),
        None => format!("a distance of at most {} bits", report.thresholds.max_distance),
    };
    match pair.because {
        None => format!("Dropped: the rule requires {threshold}."),
        Some(because) => format!("Kept: {}; the rule requires {threshold}.", because.words()),
    }
}
