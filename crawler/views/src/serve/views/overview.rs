//! Overview: whether the crawl is well, what it found, and what a person should look at.

use std::sync::Arc;

use askama::Template;
use serde_json::json;

use super::duplicates;
use super::glance::{self, Bar, Breakdown, Tile};
use crate::live::pace;
use crate::report::Report;
use crate::report::html::{Sections, cut, filters};
use crate::serve::frame::Frame;
use crate::serve::model::{DoubtfulPair, Model, Outcome};
use crate::serve::reply::{Refusal, Reply};
use crate::serve::site::Site;
use crawl::control::status::time;

/// Rows of each list of what to look at; the view that a list leads to has all.
const LOOKED_AT: usize = 5;

const CHARS: usize = 200;

#[derive(Template)]
#[template(path = "serve/overview.html")]
struct OverviewPage<'a> {
    frame: Frame<'a>,
    sections: &'a Sections,
    tiles: Vec<Tile>,
    health: String,
    /// What bounds the rate of a crawl that runs.
    bound: Option<String>,
    verdicts: Bar,
    breakdowns: Vec<Breakdown>,
    model: &'a Model,
}

impl OverviewPage<'_> {
    fn report(&self) -> &Report {
        &self.model.report
    }

    fn pairs(&self) -> &[DoubtfulPair] {
        &self.model.pairs[..self.model.pairs.len().min(LOOKED_AT)]
    }

    fn name(&self, id: &u64, url: &str) -> String {
        duplicates::name(self.model, *id, url)
    }

    /// The part of a URL after its host: titles of near pages are often the same.
    fn path(&self, url: &str) -> String {
        let parsed = url::Url::parse(url).ok();
        let path = parsed.as_ref().map(|parsed| &parsed[url::Position::BeforePath..]);
        cut(path.unwrap_or(url), CHARS)
    }

    fn verdict(&self, pair: &DoubtfulPair) -> Outcome {
        duplicates::verdict(pair)
    }

    fn failing(&self) -> Vec<glance::Failing> {
        glance::failing(self.report(), LOOKED_AT)
    }

    /// The meaning of each rule, what the crawl does by it, and whether it holds URLs back.
    fn rules(&self) -> impl Iterator<Item = (String, &'static str, bool)> {
        let rules = self.report().steering.rules.iter().take(LOOKED_AT);
        rules.map(|rule| (cut(&rule.meaning, CHARS), rule.words(), rule.saved_requests > 0))
    }

    /// Whether there is nothing to look at.
    fn is_clear(&self) -> bool {
        self.pairs().is_empty() && self.report().steering.rules.is_empty() && self.failing().is_empty()
    }
}

pub fn page(site: &Arc<Site>) -> Result<Reply, Refusal> {
    let current = site.current()?;
    let model = &current.model;
    let now = site.run_now();
    Reply::page(&OverviewPage {
        frame: site.frame("overview", Some(&current)),
        sections: model.sections(),
        tiles: glance::tiles(&model.report),
        health: match now.as_ref().and_then(pace::failing) {
            Some(failing) => format!("{failing} {}", glance::health(&model.report)),
            None => glance::health(&model.report),
        },
        bound: now.map(|now| {
            let parts = [
                Some(pace::limit(&now)),
                pace::longest_queue(&now),
                pace::unrendered(&now),
            ];
            parts.into_iter().flatten().collect::<Vec<_>>().join(" ")
        }),
        verdicts: glance::verdicts(&model.report),
        breakdowns: glance::breakdowns(model),
        model,
    })
}

/// What the page shows first, for a page that stays open while the crawl goes on.
pub(super) fn json(site: &Arc<Site>) -> Result<Reply, Refusal> {
    let current = site.current()?;
    let report = &current.model.report;
    let sections = current.model.sections();
    let standing = site.steered.now();
    let figures: Vec<_> = sections
        .figures
        .iter()
        .map(|figure| json!({"name": figure.name, "value": figure.value, "note": figure.note}))
        .collect();
    Reply::json(&json!({
        "number": current.model.number,
        "read_at": current.model.read_at,
        "is_reading": current.is_reading,
        "problem": current.problem,
        "lead": sections.lead,
        "figures": figures,
        "counts": report.counts,
        "paused_since": standing.paused.map(time),
        "journal_lines": standing.lines,
    }))
}

/// As `crawler report --format json`.
pub(super) fn report(site: &Arc<Site>) -> Result<Reply, Refusal> {
    Reply::json(&site.current()?.model.report)
}
