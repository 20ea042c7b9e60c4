//! The doubtful pairs, with their differences.

use serde_json::{Value, json};

use super::super::Report;
use super::assets::island;
use super::budget::Budget;
use super::diff_view::StaticDiff;
use super::diffs::Diffs;
use super::list::{PAGE, left_out_words};
use super::web_text::{WebUrl, cut};

/// Upper bound on the pairs in the document.
const SHOWN: usize = 1_000;

/// Characters of a title.
const TITLE_CHARS: usize = 120;

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
    pub kept_page: NamedPage,
    pub other_page: NamedPage,
    pub is_dropped: bool,
    pub measures: String,
    pub why: String,
    pub diff: StaticDiff,
    /// Whether the page shows the diff at once: the first one of the list.
    pub is_open: bool,
}

/// A page of a pair with its title.
#[derive(Debug)]
pub struct NamedPage {
    pub url: WebUrl,
    pub title: String,
}

impl NamedPage {
    fn of(url: &str, id: u64, diffs: &Diffs<'_>) -> Self {
        Self {
            url: WebUrl::of(url, usize::MAX),
            title: cut(&diffs.title(id), TITLE_CHARS),
        }
    }
}

impl Pairs {
    pub fn is_paged(&self) -> bool {
        self.listed > PAGE
    }
}

pub(super) fn pairs(report: &Report, diffs: &mut Diffs<'_>, budget: &mut Budget) -> Pairs {
    let (mut first, mut rest, mut left_out) = (Vec::new(), Vec::new(), 0_u64);
    for pair in report.doubtful(SHOWN) {
        let (measures, why) = (pair.measures(), pair.why(&report.thresholds));
        let is_dropped = pair.because.is_none();
        let kept_page = NamedPage::of(pair.kept, pair.kept_id, diffs);
        let other_page = NamedPage::of(pair.other, pair.other_id, diffs);
        let urls_and_titles = pair.kept.len() + pair.other.len() + kept_page.title.len() + other_page.title.len();
        if first.len() == PAGE && (left_out > 0 || !budget.take(urls_and_titles + 200)) {
            left_out += 1;
            continue;
        }
        let compared = diffs.compare(pair.kept_id, pair.other_id);
        if first.len() < PAGE {
            let diff = diffs.html(&compared);
            first.push(ShownPair {
                is_open: diff.number.is_some() && !first.iter().any(|pair: &ShownPair| pair.is_open),
                kept_page,
                other_page,
                kept: pair.kept.to_owned(),
                other: pair.other.to_owned(),
                is_dropped,
                measures,
                why,
                diff,
            });
        } else {
            rest.push(json!([
                u8::from(is_dropped),
                pair.kept,
                pair.other,
                measures,
                why,
                compared.json(),
                kept_page.title,
                other_page.title
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
            "they are farther from the threshold; the report as JSON lists all",
        ),
    }
}
