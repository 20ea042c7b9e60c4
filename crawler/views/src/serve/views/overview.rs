//! Overview: what the report says first.

use std::sync::Arc;

use askama::Template;
use serde_json::json;

use crate::report::html::{Sections, filters};
use crate::serve::frame::Frame;
use crate::serve::reply::{Refusal, Reply};
use crate::serve::site::Site;

#[derive(Template)]
#[template(path = "serve/overview.html")]
struct OverviewPage<'a> {
    frame: Frame<'a>,
    sections: Sections,
}

pub fn page(site: &Arc<Site>) -> Result<Reply, Refusal> {
    let current = site.current()?;
    Reply::page(&OverviewPage {
        frame: site.frame("overview", Some(&current)),
        sections: Sections::of(&current.model.report),
    })
}

/// What the page shows first, for a page that stays open while the crawl goes on.
pub(super) fn json(site: &Arc<Site>) -> Result<Reply, Refusal> {
    let current = site.current()?;
    let report = &current.model.report;
    let sections = Sections::of(report);
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
    }))
}

/// As `crawler report --format json`.
pub(super) fn report(site: &Arc<Site>) -> Result<Reply, Refusal> {
    Reply::json(&site.current()?.model.report)
}
