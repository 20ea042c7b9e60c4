//! The report for a browser: one self-contained page that makes no request.
//!
//! The first rows of every list are HTML, so that the page can be read and printed without JavaScript. A small script shows the other
//! rows and the diffs, which are JSON in the page. The page has an upper bound in size for any crawl.

mod assets;
mod budget;
mod charts;
mod clusters;
mod diff_view;
mod diffs;
mod list;
mod lists;
mod pairs;
mod summary;
mod web_text;

use askama::Template;

use super::redecided::Redecided;
use super::refresh::RefreshResult;
use super::texts::Texts;
use super::{Report, Waiting};
use crate::error::RunError;
use crate::terminal::units::grouped;
use assets::Assets;
use budget::Budget;
use charts::{Chart, filters};
use clusters::Clusters;
use diff_view::StaticRow;
use diffs::{Diffs, NoDiff};
use list::List;
use pairs::Pairs;
use summary::Figure;

/// Upper bound on the bytes of a list after its first page.
const LIST_BYTES: usize = 400_000;
/// Upper bound on the bytes of the clusters after the first page, without diffs.
const CLUSTERS_BYTES: usize = 2_500_000;
/// Upper bound on the bytes of the doubtful pairs after the first page, without diffs.
const PAIRS_BYTES: usize = 700_000;

#[derive(Template)]
#[template(path = "report.html")]
struct ReportPage<'a> {
    assets: Assets,
    lead: String,
    figures: Vec<Figure>,
    thresholds: String,
    exact: String,
    distances: Chart,
    similarities: Chart,
    pairs: Pairs,
    clusters: Clusters,
    orphans: List,
    redecided: Option<String>,
    redecisions: List,
    hosts: List,
    unavailable: List,
    steering: String,
    rules: List,
    traps: List,
    patterns: List,
    failure_groups: List,
    failures: List,
    exclusion_reasons: List,
    excluded: List,
    redirects: List,
    refresh: Option<&'a RefreshResult>,
    changed: List,
    gone: List,
    timeline: Option<Chart>,
    timeline_note: String,
    /// The diffs, as JSON.
    diffs: String,
    /// The reasons for a missing diff, as JSON.
    reasons: String,
}

pub(super) fn render(report: &Report, texts: &dyn Texts, waiting: &Waiting) -> Result<String, RunError> {
    // Both share the room for diffs; the doubtful pairs come first, then the largest clusters.
    let mut diffs = Diffs::new(texts, waiting);
    let pairs = pairs::pairs(report, &mut diffs, &mut Budget::of(PAIRS_BYTES));
    let clusters = clusters::clusters(report, &mut diffs, &mut Budget::of(CLUSTERS_BYTES));
    let page = ReportPage {
        assets: Assets::new(),
        lead: summary::lead(report),
        figures: summary::figures(report),
        thresholds: summary::thresholds(report),
        exact: grouped(report.histograms.exact),
        distances: charts::distances(report),
        similarities: charts::similarities(report),
        pairs,
        clusters,
        orphans: lists::orphans(report),
        redecided: report.redecided.as_ref().map(Redecided::summary),
        redecisions: lists::redecisions(report),
        hosts: lists::hosts(report),
        unavailable: lists::unavailable_hosts(report),
        steering: summary::steering(report),
        rules: lists::rules(report),
        traps: lists::traps(report),
        patterns: lists::patterns(report),
        failure_groups: lists::failure_groups(report),
        failures: lists::failures(report),
        exclusion_reasons: lists::exclusion_reasons(report),
        excluded: lists::excluded(report),
        redirects: lists::redirects(report),
        refresh: report.refresh.refreshes.last(),
        changed: lists::changed(report),
        gone: lists::gone(report),
        timeline: charts::timeline(&report.timeline),
        timeline_note: summary::timeline(&report.timeline),
        diffs: diffs.into_json(),
        reasons: NoDiff::island(),
    };
    page.render().map_err(|error| RunError::Render(error.to_string()))
}
