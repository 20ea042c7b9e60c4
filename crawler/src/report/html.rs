//! The report for a browser: one self-contained page that asks no host for anything.
//!
//! Everything is in it twice at most: the first page of every list as HTML, so that the report can be read and printed without
//! JavaScript; the rest, and the diffs, as JSON that a small script pages through. The size is bounded whatever the crawl.

mod assets;
mod budget;
mod charts;
mod clusters;
mod diffs;
mod list;
mod lists;
mod pairs;
mod summary;
mod web_text;

use askama::Template;

use super::redecided::Redecided;
use super::refresh::Refresh;
use super::{Report, Texts, Waiting};
use crate::error::RunError;
use assets::Assets;
use budget::Budget;
use charts::{Chart, filters};
use clusters::Clusters;
use diffs::{Diffs, StaticRow, Why};
use list::List;
use pairs::Pairs;
use summary::Figure;

pub(super) use summary::{duration, grouped};

/// Bytes that a list takes at most, beside its first page.
const LIST_BYTES: usize = 400_000;
/// The same of the clusters, and of the doubtful pairs, without diffs.
const CLUSTERS_BYTES: usize = 2_500_000;
const PAIRS_BYTES: usize = 700_000;

#[derive(Template)]
#[template(path = "report.html")]
struct Page<'a> {
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
    left_alone: List,
    steering: String,
    rules: List,
    patterns: List,
    failure_groups: List,
    failures: List,
    exclusion_reasons: List,
    excluded: List,
    redirects: List,
    refresh: Option<&'a Refresh>,
    changed: List,
    gone: List,
    timeline: Option<Chart>,
    timeline_note: String,
    /// What has been compared, and why other pairs have not, as JSON.
    diffs: String,
    notes: String,
}

pub(super) fn render(report: &Report, texts: &dyn Texts, waiting: &Waiting) -> Result<String, RunError> {
    // The doubtful pairs come first, and take what they need of the room for diffs; then the largest clusters.
    let mut diffs = Diffs::new(texts, waiting);
    let pairs = pairs::pairs(report, &mut diffs, &mut Budget::of(PAIRS_BYTES));
    let clusters = clusters::clusters(report, &mut diffs, &mut Budget::of(CLUSTERS_BYTES));
    let page = Page {
        assets: Assets::new(),
        lead: summary::lead(report),
        figures: summary::figures(report),
        thresholds: summary::thresholds(report),
        exact: summary::grouped(report.histograms.exact),
        distances: charts::distances(report),
        similarities: charts::similarities(report),
        pairs,
        clusters,
        orphans: lists::orphans(report),
        redecided: report.redecided.as_ref().map(Redecided::summary),
        redecisions: lists::redecisions(report),
        hosts: lists::hosts(report),
        left_alone: lists::left_alone(report),
        steering: summary::steering(report),
        rules: lists::rules(report),
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
        notes: Why::island(),
    };
    page.render().map_err(|error| RunError::Render(error.to_string()))
}
