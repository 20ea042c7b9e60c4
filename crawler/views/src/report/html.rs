//! The report for a browser: one self-contained page that makes no request.
//!
//! [`Sections`] are the parts that `crawler serve` shows too. The first rows of every list are HTML, so that the page can be read and printed without JavaScript. A small script shows the other
//! rows and the diffs, which are JSON in the page. The page has an upper bound in size for any crawl.

mod assets;
mod budget;
mod charts;
mod clusters;
mod commands;
mod diff_view;
mod diffs;
mod list;
mod lists;
mod pairs;
mod sections;
mod summary;
mod web_text;

use askama::Template;

use super::texts::Texts;
use super::{Report, Waiting};
use assets::Assets;
use budget::Budget;
use clusters::Clusters;
use diffs::{Diffs, NoDiff};
use error::RunError;
use list::List;
use pairs::Pairs;

pub(crate) use charts::filters;
pub(crate) use diff_view::{StaticDiff, StaticRow};
pub(crate) use sections::Sections;
pub(crate) use web_text::{cut, utc, visible};

/// Upper bound on the bytes of a list after its first page.
const LIST_BYTES: usize = 400_000;
/// Upper bound on the bytes of the clusters after the first page, without diffs.
const CLUSTERS_BYTES: usize = 2_500_000;
/// Upper bound on the bytes of the doubtful pairs after the first page, without diffs.
const PAIRS_BYTES: usize = 700_000;

#[derive(Template)]
#[template(path = "report.html")]
struct ReportPage {
    assets: Assets,
    sections: Sections,
    pairs: Pairs,
    clusters: Clusters,
    orphans: List,
    /// The diffs, as JSON.
    diffs: String,
    /// The reasons for a missing diff, as JSON.
    reasons: String,
}

/// The report as one HTML file, with the differences of the pairs that people look at first.
///
/// # Errors
///
/// If a text that is needed cannot be read.
pub fn render(report: &Report, texts: &dyn Texts, waiting: &Waiting) -> Result<String, RunError> {
    // Both share the room for diffs; the doubtful pairs come first, then the largest clusters.
    let mut diffs = Diffs::new(texts, waiting);
    let pairs = pairs::pairs(report, &mut diffs, &mut Budget::of(PAIRS_BYTES));
    let clusters = clusters::clusters(report, &mut diffs, &mut Budget::of(CLUSTERS_BYTES));
    let page = ReportPage {
        assets: Assets::new(),
        sections: Sections::of(report, None),
        pairs,
        clusters,
        orphans: lists::orphans(report),
        diffs: diffs.into_json(),
        reasons: NoDiff::island(),
    };
    page.render().map_err(|error| RunError::Render(error.to_string()))
}
