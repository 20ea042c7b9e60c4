//! The summary of a run for programs: one JSON object. Fields are only ever added.

use serde::Serialize;

use super::ended::{Ended, Reason};
use crawl::failures::{FailedSeed, FailedSitemap};
use crawl::messages::GivenUp;
use error::RunError;
use terminal::units::utc;

/// The object.
#[derive(Serialize)]
struct Answer<'a> {
    ending: Reason,
    /// Of this run.
    seconds: f64,
    requests: u64,
    /// Received.
    bytes: u64,
    counts: Counts,
    /// At most 20 of `failed_seeds_count`.
    failed_seeds: Vec<Seed<'a>>,
    failed_seeds_count: u64,
    /// At most 20 of `failed_sitemaps_count`.
    failed_sitemaps: Vec<Sitemap<'a>>,
    failed_sitemaps_count: u64,
    /// The first of `given_up_count`.
    given_up: Vec<Host<'a>>,
    given_up_count: u64,
    /// Queued URLs that are held back as probable duplicates.
    held_back: u64,
    unread_seeds: bool,
}

/// Counts of the whole crawl, earlier runs included.
#[derive(Serialize)]
struct Counts {
    kept: u64,
    exact: u64,
    near: u64,
    redirected: u64,
    failed: u64,
    excluded: u64,
    queued: u64,
    due: u64,
}

#[derive(Serialize)]
struct Seed<'a> {
    url: &'a str,
    kind: Option<&'a str>,
    detail: &'a str,
    advice: Option<&'static str>,
}

#[derive(Serialize)]
struct Sitemap<'a> {
    url: &'a str,
    detail: &'a str,
}

#[derive(Serialize)]
struct Host<'a> {
    host: &'a str,
    last_failure: &'a str,
    rests_until: Option<String>,
}

pub(super) fn describe(ended: &Ended) -> Result<String, RunError> {
    terminal::json::to_string(&answer(ended)).map_err(|error| RunError::Render(error.to_string()))
}

fn answer(ended: &Ended) -> Answer<'_> {
    let summary = &ended.summary;
    Answer {
        ending: ended.reason(),
        seconds: summary.elapsed.as_secs_f64(),
        requests: ended.run.requests,
        bytes: ended.run.bytes,
        counts: counts(&summary.counts),
        failed_seeds: ended.failed_seeds.named.iter().map(seed).collect(),
        failed_seeds_count: ended.failed_seeds.count,
        failed_sitemaps: ended.failed_sitemaps.named.iter().map(sitemap).collect(),
        failed_sitemaps_count: ended.failed_sitemaps.count,
        given_up: summary.given_up.iter().map(host).collect(),
        given_up_count: summary.given_up.len() as u64 + summary.further_given_up,
        held_back: ended.held_back.as_ref().map_or(0, |steering| steering.held_back),
        unread_seeds: summary.has_unread_seeds,
    }
}

fn counts(counts: &storage::Counts) -> Counts {
    Counts {
        kept: counts.kept,
        exact: counts.exact,
        near: counts.near,
        redirected: counts.redirected,
        failed: counts.failed,
        excluded: counts.excluded,
        queued: counts.queued,
        due: counts.due,
    }
}

fn seed(seed: &FailedSeed) -> Seed<'_> {
    Seed {
        url: &seed.url,
        kind: seed.kind.as_deref(),
        detail: &seed.detail,
        advice: seed.advice(),
    }
}

fn sitemap(sitemap: &FailedSitemap) -> Sitemap<'_> {
    Sitemap {
        url: &sitemap.url,
        detail: &sitemap.detail,
    }
}

fn host(host: &GivenUp) -> Host<'_> {
    Host {
        host: &host.host,
        last_failure: &host.last_failure,
        rests_until: host.rests_until.map(utc),
    }
}
