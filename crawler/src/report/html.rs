//! The report for a browser: one self-contained page that asks no host for anything.

use askama::Template;

use super::refresh::{Changed, Gone, Refresh};
use super::steering::Steering;
use super::text::bytes;
use super::{Cluster, Counts, Duplicate, Failure, Host, Orphan, Report, dropped_percent};
use crate::error::RunError;

/// Bounds on what the page lists; the JSON form holds all.
const CLUSTERS_SHOWN: usize = 500;
const DUPLICATES_SHOWN: usize = 50;
const HOSTS_SHOWN: usize = 200;
const FAILURES_SHOWN: usize = 500;
const VERSIONS_SHOWN: usize = 500;

/// Longest title shown, in characters.
const TITLE_CHARS: usize = 200;

#[derive(Template)]
#[template(path = "report.html")]
struct Page<'a> {
    counts: &'a Counts,
    dropped_percent: f64,
    bytes_fetched: String,
    bytes_kept: String,
    clusters: Vec<ShownCluster<'a>>,
    clusters_hidden: usize,
    refresh: Option<&'a Refresh>,
    changed: Vec<&'a Changed>,
    changed_hidden: usize,
    gone: Vec<&'a Gone>,
    gone_hidden: usize,
    orphans: Vec<&'a Orphan>,
    orphans_hidden: usize,
    distances: Vec<Bar>,
    similarities: Vec<Bar>,
    hosts: Vec<&'a Host>,
    hosts_hidden: usize,
    steering: &'a Steering,
    left_bytes: String,
    left_alone: Vec<&'a Host>,
    left_alone_hidden: usize,
    failure_kinds: Vec<(&'a str, usize)>,
    failures: Vec<&'a Failure>,
    failures_hidden: usize,
    exclusion_reasons: Vec<(&'a str, usize)>,
}

struct ShownCluster<'a> {
    kept: &'a str,
    title: String,
    size: usize,
    duplicates: Vec<&'a Duplicate>,
    hidden: usize,
}

/// A bar of a histogram, drawn 100 units high.
struct Bar {
    label: String,
    count: usize,
    x: usize,
    y: f64,
    height: f64,
}

pub(super) fn render(report: &Report) -> Result<String, RunError> {
    let clusters = report.by_size();
    let near: Vec<&Duplicate> = report.clusters.iter().flat_map(|cluster| &cluster.duplicates).collect();
    let mut hosts: Vec<&Host> = report.hosts.iter().collect();
    hosts.sort_by_key(|host| std::cmp::Reverse(host.counts.fetched));
    let left_alone = report.left_alone();
    let refreshed = &report.refresh;
    let page = Page {
        counts: &report.counts,
        dropped_percent: dropped_percent(&report.counts),
        bytes_fetched: bytes(report.counts.bytes_fetched),
        bytes_kept: bytes(report.counts.bytes_kept),
        clusters_hidden: clusters.len().saturating_sub(CLUSTERS_SHOWN),
        clusters: clusters.into_iter().take(CLUSTERS_SHOWN).map(shown).collect(),
        refresh: refreshed.refreshes.last(),
        changed: refreshed.changed.iter().take(VERSIONS_SHOWN).collect(),
        changed_hidden: refreshed.changed.len().saturating_sub(VERSIONS_SHOWN),
        gone: refreshed.gone.iter().rev().take(VERSIONS_SHOWN).collect(),
        gone_hidden: refreshed.gone.len().saturating_sub(VERSIONS_SHOWN),
        orphans: report.orphans.iter().take(VERSIONS_SHOWN).collect(),
        orphans_hidden: report.orphans.len().saturating_sub(VERSIONS_SHOWN),
        distances: distances(&near),
        similarities: similarities(&near),
        hosts_hidden: hosts.len().saturating_sub(HOSTS_SHOWN),
        hosts: hosts.into_iter().take(HOSTS_SHOWN).collect(),
        steering: &report.steering,
        left_bytes: bytes(report.steering.left_bytes),
        left_alone_hidden: left_alone.len().saturating_sub(HOSTS_SHOWN),
        left_alone: left_alone.into_iter().take(HOSTS_SHOWN).collect(),
        failure_kinds: report.failure_kinds(),
        failures: report.failures.iter().take(FAILURES_SHOWN).collect(),
        failures_hidden: report.failures.len().saturating_sub(FAILURES_SHOWN),
        exclusion_reasons: report.exclusion_reasons(),
    };
    page.render().map_err(|error| RunError::Render(error.to_string()))
}

fn shown(cluster: &Cluster) -> ShownCluster<'_> {
    let mut title: String = cluster.title.chars().take(TITLE_CHARS).collect();
    if title.len() < cluster.title.len() {
        title.push('…');
    }
    ShownCluster {
        kept: &cluster.kept,
        title,
        size: cluster.duplicates.len(),
        duplicates: cluster.duplicates.iter().take(DUPLICATES_SHOWN).collect(),
        hidden: cluster.duplicates.len().saturating_sub(DUPLICATES_SHOWN),
    }
}

/// Dropped pages by Hamming distance.
fn distances(duplicates: &[&Duplicate]) -> Vec<Bar> {
    let largest = duplicates
        .iter()
        .filter_map(|duplicate| duplicate.distance)
        .max()
        .unwrap_or(0);
    let mut counts = vec![0; largest as usize + 1];
    for distance in duplicates.iter().filter_map(|duplicate| duplicate.distance) {
        counts[distance as usize] += 1;
    }
    bars(
        counts
            .into_iter()
            .enumerate()
            .map(|(distance, count)| (distance.to_string(), count))
            .collect(),
    )
}

/// Dropped pages by similarity, in steps of 0.05 from 0.5 on.
fn similarities(duplicates: &[&Duplicate]) -> Vec<Bar> {
    let mut counts = [0_usize; 11];
    for similarity in duplicates.iter().filter_map(|duplicate| duplicate.similarity) {
        let step = ((f64::from(similarity) - 0.5) * 20.0 + 1e-6).floor().clamp(0.0, 10.0);
        counts[step as usize] += 1;
    }
    let labelled = counts.into_iter().enumerate();
    bars(
        labelled
            .map(|(step, count)| (format!("{:.2}", 0.5 + step as f64 * 0.05), count))
            .collect(),
    )
}

fn bars(counts: Vec<(String, usize)>) -> Vec<Bar> {
    let highest = counts.iter().map(|(_, count)| *count).max().unwrap_or(0).max(1);
    let bar = |(index, (label, count)): (usize, (String, usize))| {
        let height = 100.0 * count as f64 / highest as f64;
        Bar {
            label,
            count,
            x: index * 34,
            y: 100.0 - height,
            height,
        }
    };
    counts.into_iter().enumerate().map(bar).collect()
}
