//! Which state of the crawl the views show, in a few numbers: what a page that stays open asks for, again and again.

use std::sync::Arc;

use serde::Serialize;

use crate::serve::reply::{Refusal, Reply};
use crate::serve::site::Site;
use crawl::control::status::time;

#[derive(Serialize)]
struct StateAnswer {
    /// Counts the readings of this process.
    number: u64,
    /// Lines of the journal of orders.
    journal_lines: u64,
    /// Pages with a verdict.
    pages: u64,
    running: bool,
    paused_since: Option<String>,
    /// RFC 3339, UTC.
    read_at: String,
    is_reading: bool,
    /// Why the newest state cannot be read.
    problem: Option<String>,
}

pub(super) fn json(site: &Arc<Site>) -> Result<Reply, Refusal> {
    let (current, standing) = (site.current()?, site.steered.now());
    let model = &current.model;
    Reply::json(&StateAnswer {
        number: model.number,
        journal_lines: standing.lines,
        pages: model.report.counts.fetched,
        running: model.report.as_of.is_some(),
        paused_since: standing.paused.map(time),
        read_at: model.read_at.clone(),
        is_reading: current.is_reading,
        problem: current.problem.clone(),
    })
}
