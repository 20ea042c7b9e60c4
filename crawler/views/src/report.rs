//! What did a crawl fetch, keep and drop, and why?
//!
//! [`Report`] reads the answer from the catalogue and renders it as text, JSON or HTML. Its JSON form is documented and stable:
//! later versions only add keys.
//!
//! Uses: nothing.

mod about;
mod clusters;
mod counts;
mod documents;
mod doubtful;
pub(crate) mod failures;
mod hosts;
pub mod html;
mod json;
mod near_misses;
mod pages;
mod redecided;
mod refresh;
mod rendering;
mod saved;
mod screen;
mod steering;
mod text;
mod texts;
mod thresholds;
mod timeline;
mod urls;
mod variants;
mod waiting;

use std::collections::HashMap;

use serde::Serialize;
use storage::Store;

use self::documents::DocumentCount;
use about::About;
use clusters::Orphan;
use config::Config;
use config::settings::{Settings, SteeringSettings};
use error::RunError;
use failures::{Failure, FailureGroup};
use hosts::Host;
use near_misses::NearMiss;
use redecided::Redecided;
use refresh::Refreshes;
use saved::Saved;
use study::as_of::AsOf;
use texts::Texts;
use thresholds::{Histograms, Thresholds};
use timeline::Timeline;
use urls::{Excluded, Redirect};

pub use clusters::{Cluster, Duplicate, DuplicateVerdict};
pub use counts::Counts;
pub(crate) use documents::kind_of;
pub use doubtful::Pair;
pub use near_misses::Because;
pub use rendering::Rendering;
pub use steering::{LearnedRule, Steering};
pub use waiting::Waiting;

/// The answer, with one field for each part of the JSON form.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Report {
    /// The instant that the report shows, if the crawl is running.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) as_of: Option<AsOf>,
    /// The data folder and the seeds. Not a part of the JSON form, which says the same on every machine.
    #[serde(skip)]
    pub(crate) about: About,
    /// Over all hosts.
    pub(crate) counts: Counts,
    /// The pages by kind of document, the kind with most pages first.
    pub documents: Vec<DocumentCount>,
    /// One for each kept page, in the order in which the pages were kept.
    pub clusters: Vec<Cluster>,
    /// Duplicates whose kept page has changed or is gone. The next refresh visits them first.
    pub(crate) orphans: Vec<Orphan>,
    /// The results of all refreshes.
    pub(crate) refresh: Refreshes,
    /// By name.
    pub(crate) hosts: Vec<Host>,
    /// URLs that failed permanently, by host and URL.
    pub failures: Vec<Failure>,
    /// URLs whose page the crawl must not store, by host and URL.
    pub excluded: Vec<Excluded>,
    /// URLs that redirect, by host and URL.
    pub redirects: Vec<Redirect>,
    /// The rules about URLs that the verdicts suggest, and the requests that they saved.
    pub(crate) steering: Steering,
    /// The pages that a browser rendered.
    pub(crate) rendering: Rendering,
    /// Bytes not stored and requests not made.
    pub(crate) saved: Saved,
    /// The rule for near-duplicates that is in force.
    pub(crate) thresholds: Thresholds,
    /// Near-duplicates whose numbers, dates aside, differ from those of the page that they were compared with.
    pub(crate) variants: u64,
    /// Pairs by distance and by similarity.
    pub(crate) histograms: Histograms,
    /// Kept pages that came near a kept page, in the order in which they were kept.
    pub(crate) near_misses: Vec<NearMiss>,
    /// Failed URLs by kind and host, the largest group first.
    pub(crate) failure_groups: Vec<FailureGroup>,
    /// Pages fetched over time.
    pub(crate) timeline: Timeline,
    /// The result of deciding all pages again; null if nobody did.
    pub(crate) redecided: Option<Redecided>,
    /// Whether the workers of a fleet have decided near-duplicates among their own pages only, and nobody has decided the others since.
    pub(crate) provisional: bool,
}

/// What a report of provisional verdicts says of them.
const PROVISIONAL: &str = "The verdicts across workers are provisional: each worker has decided near-duplicates among its own pages only. \
    crawler merge --verdicts takes the verdicts of one pass over the pages of all workers.";

/// Upper bound on the bytes of the URL that the report suggests to explain.
const EXAMPLE_BYTES: usize = 200;

/// The forms of a report.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Format {
    /// Tables for a terminal.
    Text,
    /// The documented, stable format for programs.
    Json,
    /// One self-contained page for a browser.
    Html,
}

impl Report {
    /// Reads the report from `store` under the built-in configuration.
    ///
    /// # Errors
    /// The store cannot be read.
    pub fn read(store: &Store) -> Result<Self, RunError> {
        let settings = Settings::new(&Config::default()).map_err(|invalid| RunError::Render(invalid.to_string()))?;
        Self::read_by(store, &settings, &Waiting::new(true))
    }

    /// As [`read`](Self::read), with thresholds, near misses and steering under `settings`. The report shows the rules of steering even
    /// if the settings switch steering off. Reports slow progress to `waiting`.
    ///
    /// # Errors
    /// The store cannot be read.
    pub fn read_by(store: &Store, settings: &Settings, waiting: &Waiting) -> Result<Self, RunError> {
        let rule = &settings.rule;
        let (clusters, orphans) = clusters::read(store)?;
        let policy = SteeringSettings {
            enabled: true,
            ..settings.steering.clone()
        };
        let steering = Steering::of(store, policy, false)?;
        let mut pages = pages::Pages::read(store, rule, waiting)?;
        let near_misses = pages.near_misses(store)?;
        let urls = urls::Urls::read(store)?;
        let seeds = std::mem::take(&mut pages.seeds);
        let rendering = std::mem::take(&mut pages.renderings).finish();
        Ok(Self {
            as_of: AsOf::of(store),
            about: seeds.about(store, &urls.failures, &urls.redirects),
            counts: store.counts().into(),
            documents: std::mem::take(&mut pages.documents).counts(),
            histograms: Histograms::of(&clusters, &orphans, &near_misses, (rule.max_distance, pages.compared)),
            clusters,
            orphans,
            refresh: Refreshes::read(store)?,
            hosts: hosts::read(store)?,
            saved: Saved {
                duplicate_bytes: pages.duplicate_bytes,
                requests: steering.held_back,
                unfetched_bytes: steering.held_back_bytes,
            },
            steering,
            rendering,
            thresholds: Thresholds::from(rule),
            variants: pages.variants,
            near_misses,
            failure_groups: failures::groups(&urls.failures),
            failures: urls.failures,
            excluded: urls.excluded,
            redirects: urls.redirects,
            timeline: Timeline::of(pages.fetches, store.as_of().map(|as_of| as_of.at_ms)),
            redecided: Redecided::read(store)?,
            provisional: store.run_notes().are_provisional()?,
        })
    }

    /// Says of which instant the report is, if the crawl is running.
    fn running(&self) -> Option<String> {
        let as_of = self.as_of.as_ref()?;
        Some(format!("The crawl is running: this is its state {as_of}"))
    }

    /// The summary that fits one screen of a terminal with `width` columns.
    #[must_use]
    pub fn screen(&self, width: usize) -> String {
        screen::render(self, width)
    }

    /// The report in one of its forms; [`Format::Text`] is the long listing. The HTML form compares `texts`.
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

    /// Clusters with duplicates, the largest first, then in the order in which they were kept.
    pub(crate) fn by_size(&self) -> Vec<&Cluster> {
        let mut clusters: Vec<_> = self
            .clusters
            .iter()
            .filter(|cluster| !cluster.duplicates.is_empty())
            .collect();
        clusters.sort_by_key(|cluster| std::cmp::Reverse(cluster.duplicates.len()));
        clusters
    }

    /// The URL of a page whose decision is worth an explanation: of a doubtful pair, or else of any cluster. Short enough for a line.
    fn example(&self) -> Option<&str> {
        let doubtful = self.doubtful(10).into_iter().map(|pair| pair.other);
        let any = self.clusters.iter().map(|cluster| cluster.kept.as_str());
        let is_short = |url: &&str| url.len() <= EXAMPLE_BYTES && url.bytes().all(|byte| byte.is_ascii_graphic());
        doubtful.chain(any).find(is_short)
    }

    /// Hosts, those with the most fetched pages first.
    pub(crate) fn hosts_by_fetched(&self) -> Vec<&Host> {
        let mut hosts: Vec<_> = self.hosts.iter().collect();
        hosts.sort_by_key(|host| std::cmp::Reverse(host.counts.fetched));
        hosts
    }

    /// The hosts that are resting or given up, those with the most queued URLs first.
    pub(crate) fn unavailable_hosts(&self) -> Vec<&Host> {
        let mut hosts: Vec<_> = self.hosts.iter().filter(|host| host.is_unavailable()).collect();
        hosts.sort_by_key(|host| std::cmp::Reverse(host.counts.queued));
        hosts
    }

    /// The number of failures of each kind, the most frequent first.
    fn failure_kinds(&self) -> Vec<(&str, usize)> {
        by_frequency(self.failures.iter().map(|failure| failure.kind.as_str()))
    }

    /// The number of URLs excluded for each reason, the most frequent first.
    fn exclusion_reasons(&self) -> Vec<(&str, usize)> {
        by_frequency(self.excluded.iter().map(|excluded| excluded.reason.as_str()))
    }
}

fn by_frequency<'a>(names: impl Iterator<Item = &'a str>) -> Vec<(&'a str, usize)> {
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
