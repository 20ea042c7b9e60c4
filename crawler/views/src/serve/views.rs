//! The views: one file for each, with its pages and its part of the API.

mod check;
mod control;
mod duplicates;
mod explain;
mod fleet;
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
use super::served::Served;
use super::site::Site;
use super::watched_fleet::Seen;

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
        (path, true) => Err(Refusal::new(
            StatusCode::NOT_FOUND,
            format!("Nothing is written at {path}."),
        )),
        (path, false) => asset(path).ok_or_else(|| {
            let reason =
                "There is no such page. The menu has all views; /api/openapi.json lists the paths for programs.";
            Refusal::new(StatusCode::NOT_FOUND, reason)
        }),
    }
}

/// Whether an admitted request of a server that shows a fleet is about the fleet. Without a data folder, there is nothing else.
pub(super) fn is_of_fleet(served: &Served, asked: &Asked) -> bool {
    let is_path =
        matches!(asked.path.as_str(), "/fleet" | "/api/fleet") || (asked.path == "/" && served.crawl.is_none());
    is_path && !asked.is_write
}

/// The answer to such a request.
pub(super) fn of_fleet(served: &Served, asked: &Asked, seen: Seen) -> Result<Reply, Refusal> {
    if asked.is_for_programs() {
        fleet::json(seen)
    } else {
        fleet::page(served, seen)
    }
}

/// The answer to an admitted request that a server without a data folder has beside the fleet.
pub(super) fn without_crawl(asked: &Asked) -> Result<Reply, Refusal> {
    let found = if asked.is_write { None } else { asset(&asked.path) };
    found.ok_or_else(|| {
        let reason = "There is no such page. This server shows a fleet: /fleet is its page, and /api/fleet its status as JSON. \
                      With --data, it shows a data folder, too.";
        Refusal::new(StatusCode::NOT_FOUND, reason)
    })
}

/// The styles and scripts of the pages.
fn asset(path: &str) -> Option<Reply> {
    let script = |text| Some(Reply::Asset(SCRIPT, text));
    match path {
        "/assets/style.css" => Some(Reply::Asset("text/css; charset=utf-8", crate::SITE_STYLE)),
        "/assets/report.js" => script(include_str!("../../templates/report.js")),
        "/assets/site.js" => script(include_str!("../../templates/serve/site.js")),
        "/assets/control.js" => script(include_str!("../../templates/serve/control.js")),
        "/assets/pair.js" => script(include_str!("../../templates/serve/pair.js")),
        "/assets/tune.js" => script(include_str!("../../templates/serve/tune.js")),
        "/assets/check.js" => script(include_str!("../../templates/serve/check.js")),
        "/favicon.ico" => Some(Reply::Nothing),
        _ => None,
    }
}

const OPEN_API: &str = include_str!("../../templates/serve/openapi.json");
