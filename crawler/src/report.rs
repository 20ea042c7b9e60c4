//! What did a crawl fetch, keep and drop, and why?
//!
//! The account of a crawl, made from the catalogue: what was fetched, kept and dropped, and why.
//!
//! [`Report`] is also the documented JSON format (see `docs/src/report-json.md`): fields are only ever added.
//!
//! Uses: config, crawl, dedup, error, storage, study, terminal.

mod clusters;
mod doubtful;
mod failures;
mod hosts;
mod html;
mod json;
pub mod near_misses;
mod pages;
pub mod redecided;
pub mod refresh;
mod saved;
mod screen;
pub mod steering;
mod text;
mod texts;
pub mod thresholds;
pub mod timeline;
mod waiting;

use std::collections::HashMap;

use dedup::DuplicateRule;
use serde::Serialize;
use storage::{Store, UrlState};

use crate::error::RunError;
use near_misses::NearMiss;
use thresholds::{Histograms, Thresholds};
use timeline::Timeline;

pub use clusters::{Cluster, Duplicate, DuplicateVerdict, Orphan};
pub use failures::{Failure, FailureGroup};
pub(crate) use hosts::utc;
pub use hosts::{Host, State};
pub use saved::Saved;
pub(crate) use text::bytes;
pub use texts::{NoTexts, Texts};
pub use waiting::Waiting;

/// See the module's text.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Report {
    /// Over all hosts.
    pub counts: Counts,
    /// One a kept page, in the order they were kept.
    pub clusters: Vec<Cluster>,
    /// Duplicates of pages that have changed or gone since and are not kept any more; the next refresh looks at them first.
    pub orphans: Vec<Orphan>,
    /// What looking at pages again came to.
    pub refresh: refresh::Refreshed,
    /// By name.
    pub hosts: Vec<Host>,
    /// URLs that failed for good, by host and URL.
    pub failures: Vec<Failure>,
    /// URLs that were not to be stored, by host and URL.
    pub excluded: Vec<Excluded>,
    /// URLs that redirect, by host and URL.
    pub redirects: Vec<Redirect>,
    /// What the verdicts taught about URLs, and what that saved.
    pub steering: steering::Steering,
    /// What was not stored and not fetched.
    pub saved: Saved,
    /// What decided, by the rule in force.
    pub thresholds: Thresholds,
    /// How far pairs were apart.
    pub histograms: Histograms,
    /// Kept pages that were nearly dropped, in the order they were kept.
    pub near_misses: Vec<NearMiss>,
    /// How many URLs failed, by kind and host, the most first.
    pub failure_groups: Vec<FailureGroup>,
    /// The crawl over time.
    pub timeline: Timeline,
    /// What deciding all pages anew came to; null where that was not done.
    pub redecided: Option<redecided::Redecided>,
}

/// What became of the URLs: `discovered` is the sum of `queued`, `kept`, `exact`, `near`, `redirected`, `failed`, `excluded`
/// and `gone`; `fetched` that of `kept`, `exact` and `near`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize)]
pub struct Counts {
    /// URLs known.
    pub discovered: u64,
    /// URLs still waiting.
    pub queued: u64,
    /// Pages with a verdict.
    pub fetched: u64,
    /// Pages that say something new.
    pub kept: u64,
    /// Pages with the same normalised text as a kept page.
    pub exact: u64,
    /// Pages with nearly the text of a kept page.
    pub near: u64,
    /// URLs that redirect.
    pub redirected: u64,
    /// URLs that failed for good.
    pub failed: u64,
    /// URLs that were not to be stored: robots.txt, noindex, no page.
    pub excluded: u64,
    /// Pages that were there once and are not any more.
    pub gone: u64,
    /// Visits still to be made to pages fetched before, which are counted as what they are.
    pub due: u64,
    /// Bytes of body that came over the wire, of pages with a verdict.
    pub bytes_fetched: u64,
    /// Bytes of body of kept pages, without Content-Encoding.
    pub bytes_kept: u64,
}

/// A URL that was not to be stored.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Excluded {
    /// The URL.
    pub url: String,
    /// The rule: of robots.txt, `noindex`, or the content type that is no page.
    pub reason: String,
}

/// A URL that redirects.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Redirect {
    /// The URL.
    pub url: String,
    /// Where it leads.
    pub to: String,
    /// HTTP status.
    pub status: u16,
}

/// The forms that a report comes in.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Format {
    /// Tables for a terminal.
    Text,
    /// The documented, stable format for programs.
    Json,
    /// One self-contained page for a browser.
    Html,
}

impl From<storage::Counts> for Counts {
    fn from(counts: storage::Counts) -> Self {
        Self {
            discovered: counts.discovered,
            queued: counts.queued,
            fetched: counts.fetched(),
            kept: counts.kept,
            exact: counts.exact,
            near: counts.near,
            redirected: counts.redirected,
            failed: counts.failed,
            excluded: counts.excluded,
            gone: counts.gone,
            due: counts.due,
            bytes_fetched: counts.bytes_fetched,
            bytes_kept: counts.bytes_kept,
        }
    }
}

impl Report {
    /// Reads the whole account from `store`; thresholds and near misses go by the built-in rule.
    ///
    /// # Errors
    /// The store cannot be read.
    pub fn read(store: &Store) -> Result<Self, RunError> {
        Self::read_by(store, &DuplicateRule::default(), &Waiting::new(true))
    }

    /// As [`read`](Self::read), with thresholds and near misses by `rule`; says how far it is where that takes long.
    ///
    /// # Errors
    /// The store cannot be read.
    pub fn read_by(store: &Store, rule: &DuplicateRule, waiting: &Waiting) -> Result<Self, RunError> {
        let (clusters, orphans) = clusters::read(store)?;
        let steering = steering::Steering::read(store)?;
        let pages = pages::Pages::read(store, rule, waiting)?;
        let near_misses = pages.near_misses(store)?;
        let mut report = Self {
            counts: store.counts().into(),
            histograms: Histograms::of(&clusters, &orphans, &near_misses, (rule.max_distance, pages.compared)),
            clusters,
            orphans,
            refresh: refresh::Refreshed::read(store)?,
            hosts: hosts::read(store)?,
            failures: Vec::new(),
            excluded: Vec::new(),
            redirects: Vec::new(),
            saved: Saved {
                duplicate_bytes: pages.duplicate_bytes,
                requests: steering.left,
                unfetched_bytes: steering.left_bytes,
            },
            steering,
            thresholds: Thresholds::from(rule),
            near_misses,
            failure_groups: Vec::new(),
            timeline: Timeline::of(pages.fetches),
            redecided: redecided::Redecided::read(store)?,
        };
        for row in store.urls() {
            let known = row?;
            let url = known.url;
            match known.state {
                UrlState::Failed(failure) => report.failures.push(Failure {
                    url,
                    kind: failure.kind,
                    status: failure.status,
                    detail: failure.detail,
                    via: failures::via(store, failure.via)?,
                    host: known.host,
                }),
                UrlState::Excluded { reason } => report.excluded.push(Excluded { url, reason }),
                UrlState::Redirect { to, status } => report.redirects.push(Redirect { url, to, status }),
                UrlState::Queued | UrlState::Page(_) => {}
            }
        }
        report.failure_groups = failures::groups(&report.failures);
        Ok(report)
    }

    /// The whole in one screen of a terminal with so many columns.
    #[must_use]
    pub fn screen(&self, width: usize) -> String {
        screen::render(self, width)
    }

    /// The report in one of its forms, as text the long listing; `texts` are what diffs are made of, which the HTML shows.
    ///
    /// # Errors
    /// [`RunError::Render`], which no report is known to cause.
    pub fn render(&self, format: Format, texts: &dyn Texts, waiting: &Waiting) -> Result<String, RunError> {
        match format {
            Format::Text => Ok(text::render(self)),
            Format::Json => json::render(self),
            Format::Html => html::render(self, texts, waiting),
        }
    }

    /// Clusters with duplicates, the largest first, then in the order they were kept.
    fn by_size(&self) -> Vec<&Cluster> {
        let mut clusters: Vec<_> = self
            .clusters
            .iter()
            .filter(|cluster| !cluster.duplicates.is_empty())
            .collect();
        clusters.sort_by_key(|cluster| std::cmp::Reverse(cluster.duplicates.len()));
        clusters
    }

    /// The hosts that are left alone, those with the most queued URLs first.
    fn left_alone(&self) -> Vec<&Host> {
        let mut hosts: Vec<_> = self.hosts.iter().filter(|host| host.is_left_alone()).collect();
        hosts.sort_by_key(|host| std::cmp::Reverse(host.counts.queued));
        hosts
    }

    /// How many failures there are of each kind, the most frequent first.
    fn failure_kinds(&self) -> Vec<(&str, usize)> {
        count(self.failures.iter().map(|failure| failure.kind.as_str()))
    }

    /// How many URLs were excluded for each reason, the most frequent first.
    fn exclusion_reasons(&self) -> Vec<(&str, usize)> {
        count(self.excluded.iter().map(|excluded| excluded.reason.as_str()))
    }
}

/// The share of the pages with a verdict that were dropped, in percent; 0 where there are none.
fn dropped_percent(counts: &Counts) -> f64 {
    if counts.fetched == 0 {
        return 0.0;
    }
    100.0 * (counts.exact + counts.near) as f64 / counts.fetched as f64
}

fn count<'a>(names: impl Iterator<Item = &'a str>) -> Vec<(&'a str, usize)> {
    let mut counts: HashMap<&str, usize> = HashMap::new();
    for name in names {
        *counts.entry(name).or_default() += 1;
    }
    let mut counts: Vec<_> = counts.into_iter().collect();
    counts.sort_by(|a, b| b.1.cmp(&a.1).then(a.0.cmp(b.0)));
    counts
}

#[cfg(test)]
pub(crate) mod tests;
