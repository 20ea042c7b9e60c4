//! The views: one file for each, with its pages and its part of the API.

mod check;
mod control;
mod duplicates;
mod explain;
mod glance;
mod hosts;
mod links;
mod listing;
mod now;
mod orders;
mod overview;
mod pages;
mod pair;
mod plane;
mod state;
mod tune;
mod undo;

use std::sync::Arc;

use askama::Template;
use axum::http::StatusCode;

use super::asked::Asked;
use super::frame::Frame;
use super::reply::{Refusal, Reply};
use super::site::Site;

/// A page without a view: what went wrong.
#[derive(Template)]
#[template(path = "serve/problem.html")]
struct ProblemPage<'a> {
    frame: Frame<'a>,
    refusal: &'a Refusal,
    /// Whether the page asks again by itself.
    is_temporary: bool,
}

pub(super) fn problem(frame: Frame<'_>, refusal: &Refusal) -> askama::Result<String> {
    let is_temporary = refusal.status == StatusCode::SERVICE_UNAVAILABLE;
    ProblemPage {
        frame,
        refusal,
        is_temporary,
    }
    .render()
}

const SCRIPT: &str = "text/javascript; charset=utf-8";

/// The answer to an admitted request.
pub(super) fn reply(site: &Arc<Site>, asked: &Asked) -> Result<Reply, Refusal> {
    match (asked.path.as_str(), asked.is_write) {
        ("/", false) => overview::page(site),
        ("/control", false) => control::page(site),
        ("/api/control", false) => control::json(site),
        ("/api/control", true) => control::order(site, asked),
        ("/pages", false) => pages::page(site, asked),
        ("/pages.csv", false) => pages::file(site, asked),
        ("/hosts", false) => hosts::page(site),
        ("/hosts/now", false) => now::page(site),
        ("/api/hosts/now", false) => now::json(site),
        ("/page", false) => explain::page(site, asked),
        ("/duplicates", false) => duplicates::page(site, asked),
        ("/duplicates/clusters", false) => duplicates::clusters(site, asked),
        ("/duplicates/cluster", false) => duplicates::cluster(site, asked),
        ("/duplicates.csv", false) => duplicates::pairs_file(site, asked),
        ("/duplicates/clusters.csv", false) => duplicates::clusters_file(site, asked),
        ("/duplicates/cluster.csv", false) => duplicates::cluster_file(site, asked),
        ("/duplicates/pair", false) => pair::page(site, asked),
        ("/api/state", false) => state::json(site),
        ("/api/overview", false) => overview::json(site),
        ("/api/report", false) => overview::report(site),
        ("/api/pages", false) => pages::json(site, asked),
        ("/api/explain", false) => explain::json(site, asked),
        ("/api/links", false) => links::json(site, asked),
        ("/api/pairs", false) => duplicates::pairs_json(site, asked),
        ("/api/clusters", false) => duplicates::clusters_json(site, asked),
        ("/api/pair", false) => pair::json(site, asked),
        ("/api/labels", false) => pair::labels(site),
        ("/api/labels", true) => pair::label(site, asked),
        ("/tune", false) => tune::page(site),
        ("/api/tune", false) => tune::json(site),
        ("/api/tune/changes", false) => tune::changes(site, asked),
        ("/api/config/plan", true) => tune::plan(site, asked),
        ("/api/config", true) => tune::write(site, asked),
        ("/api/redecide", false) => Reply::json(&site.redecision.standing()),
        ("/api/redecide", true) => Reply::json(&site.redecision.begin()),
        ("/check", false) => check::page(site),
        ("/api/check", true) => check::json(site, asked),
        ("/api/openapi.json", false) => Ok(Reply::Asset("application/json", OPEN_API)),
        ("/assets/style.css", false) => Ok(Reply::Asset("text/css; charset=utf-8", crate::SITE_STYLE)),
        ("/assets/report.js", false) => Ok(Reply::Asset(SCRIPT, include_str!("../../templates/report.js"))),
        ("/assets/site.js", false) => Ok(Reply::Asset(SCRIPT, include_str!("../../templates/serve/site.js"))),
        ("/assets/control.js", false) => Ok(Reply::Asset(SCRIPT, include_str!("../../templates/serve/control.js"))),
        ("/assets/pair.js", false) => Ok(Reply::Asset(SCRIPT, include_str!("../../templates/serve/pair.js"))),
        ("/assets/tune.js", false) => Ok(Reply::Asset(SCRIPT, include_str!("../../templates/serve/tune.js"))),
        ("/assets/check.js", false) => Ok(Reply::Asset(SCRIPT, include_str!("../../templates/serve/check.js"))),
        ("/favicon.ico", false) => Ok(Reply::Nothing),
        (path, true) => Err(Refusal::new(
            StatusCode::NOT_FOUND,
            format!("Nothing is written at {path}."),
        )),
        (_, false) => Err(Refusal::new(
            StatusCode::NOT_FOUND,
            "There is no such page. The menu has all views; /api/openapi.json lists the paths for programs.",
        )),
    }
}

const OPEN_API: &str = include_str!("../../templates/serve/openapi.json");
